//! The server: the page, its WebSocket and the session to save, on the
//! loopback interface only. No path leads to a file.

use super::guard::{Guard, guard};
use super::messages;
use super::session::Session;
use super::socket;
use super::state::Order;
use crate::page::Page;
use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::http::{StatusCode, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::serve::ListenerExt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio_util::io::ReaderStream;

/// So many pages may watch at once.
const MOST_PAGES: usize = 16;
/// How often to look whether to stop.
const STOP_INTERVAL: Duration = Duration::from_millis(20);
/// How long connections have to end when the server stops.
const STOP_PATIENCE: Duration = Duration::from_millis(200);

/// A server that has its port but does not answer yet.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
}

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The port is not free, or not allowed.
    #[error("cannot listen on 127.0.0.1:{port}: {source}")]
    Port {
        /// The port asked for; 0 for any.
        port: u16,
        /// What the system says.
        source: io::Error,
    },
    /// Anything else.
    #[error("the server failed: {0}")]
    Io(#[from] io::Error),
}

impl Server {
    /// Takes a port of the loopback interface; any free one for 0.
    pub fn bind(port: u16) -> Result<Self, ServeError> {
        let failed = |source| ServeError::Port { port, source };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self { listener, address })
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// The address to open in a browser.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Shows a session to whoever opens the page, until `stop` says so.
    pub fn serve(
        self,
        page: &'static Page,
        session: Session,
        stop: impl Fn() -> bool,
    ) -> Result<(), ServeError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()?;
        let served = runtime.block_on(self.answer(page, session, stop));
        // Whoever does not read any more is not waited for.
        runtime.shutdown_timeout(Duration::from_millis(50));
        served
    }

    async fn answer(
        self,
        page: &'static Page,
        session: Session,
        stop: impl Fn() -> bool,
    ) -> Result<(), ServeError> {
        let (stopping, stopped) = watch::channel(false);
        let listener = tokio::net::TcpListener::from_std(self.listener)?;
        // A short answer must not wait for the acknowledgement of the frame
        // before it; that alone took 40 ms.
        let listener = listener.tap_io(|stream| {
            let _ = stream.set_nodelay(true);
        });
        let port = self.address.port();
        let router = router(page, session, stopped.clone(), port);
        let mut until = stopped;
        let server = axum::serve(listener, router).with_graceful_shutdown(async move {
            let _ = until.wait_for(|stop| *stop).await;
        });
        let server = tokio::spawn(server.into_future());
        while !stop() && !server.is_finished() {
            tokio::time::sleep(STOP_INTERVAL).await;
        }
        let _ = stopping.send(true);
        match tokio::time::timeout(STOP_PATIENCE, server).await {
            Ok(Ok(served)) => Ok(served?),
            // A connection that does not end is cut off.
            Ok(Err(_)) | Err(_) => Ok(()),
        }
    }
}

/// What every request can reach.
#[derive(Clone)]
struct Shared {
    page: &'static Page,
    session: Session,
    stop: watch::Receiver<bool>,
    port: u16,
    pages: Arc<Semaphore>,
    /// One session is saved at a time.
    saving: Arc<Semaphore>,
    next_page: Arc<AtomicU32>,
}

fn router(page: &'static Page, session: Session, stop: watch::Receiver<bool>, port: u16) -> Router {
    let shared = Shared {
        page,
        session,
        stop,
        port,
        pages: Arc::new(Semaphore::new(MOST_PAGES)),
        saving: Arc::new(Semaphore::new(1)),
        next_page: Arc::new(AtomicU32::new(1)),
    };
    Router::new()
        .route("/", get(index))
        .route("/app.js", get(script))
        .route("/app.css", get(style))
        .route("/live", get(live))
        .route("/recording.mcap", get(save))
        .layer(middleware::from_fn_with_state(Guard::new(port), guard))
        .with_state(shared)
}

async fn index(State(shared): State<Shared>) -> Response {
    // Nothing but what the server itself gives: the page works offline, and
    // nothing can be slipped into it.
    let port = shared.port;
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
         img-src 'self' data: blob:; \
         connect-src 'self' ws://127.0.0.1:{port} ws://localhost:{port}; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8".to_owned()),
        (header::CONTENT_SECURITY_POLICY, policy),
    ];
    (headers, shared.page.html).into_response()
}

async fn script(State(shared): State<Shared>) -> Response {
    let kind = [(header::CONTENT_TYPE, "text/javascript; charset=utf-8")];
    (kind, shared.page.js).into_response()
}

async fn style(State(shared): State<Shared>) -> Response {
    let kind = [(header::CONTENT_TYPE, "text/css; charset=utf-8")];
    (kind, shared.page.css).into_response()
}

async fn live(State(shared): State<Shared>, upgrade: WebSocketUpgrade) -> Response {
    let Ok(permit) = Arc::clone(&shared.pages).try_acquire_owned() else {
        let full = format!("{MOST_PAGES} pages are watching already");
        return (StatusCode::SERVICE_UNAVAILABLE, full).into_response();
    };
    let page = shared.next_page.fetch_add(1, Ordering::Relaxed);
    upgrade
        .max_message_size(messages::MOST_BYTES)
        .max_frame_size(messages::MOST_BYTES)
        .on_upgrade(move |socket| attend(socket, shared, page, permit))
}

async fn attend(
    socket: axum::extract::ws::WebSocket,
    shared: Shared,
    page: u32,
    _permit: OwnedSemaphorePermit,
) {
    socket::attend(socket, shared.session, page, shared.stop).await;
}

/// The session so far, as a recording to keep.
async fn save(State(shared): State<Shared>) -> Response {
    match saved(&shared).await {
        Ok((name, file)) => {
            let headers = [
                (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
                (
                    header::CONTENT_DISPOSITION,
                    format!("attachment; filename=\"{name}.mcap\""),
                ),
            ];
            let body = Body::from_stream(ReaderStream::with_capacity(file, 1 << 16));
            (headers, body).into_response()
        }
        Err(reason) => (StatusCode::INTERNAL_SERVER_ERROR, reason).into_response(),
    }
}

async fn saved(shared: &Shared) -> Result<(String, tokio::fs::File), String> {
    let _one = shared.saving.acquire().await.map_err(|e| e.to_string())?;
    let report = shared.session.order(0, Order::Report).await?;
    let run = Arc::clone(&shared.session.state().borrow().run);
    let name: String = run
        .header
        .scene
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || "-_.".contains(c) {
                c
            } else {
                '_'
            }
        })
        .collect();
    let file = tokio::task::spawn_blocking(move || {
        let whole = tempfile::NamedTempFile::new().map_err(|e| e.to_string())?;
        run.save(whole.path(), report).map_err(|e| e.to_string())?;
        // Open while the name is still there; the name goes with `whole`.
        whole.reopen().map_err(|e| e.to_string())
    });
    let file = file.await.map_err(|e| e.to_string())??;
    Ok((name, tokio::fs::File::from_std(file)))
}
