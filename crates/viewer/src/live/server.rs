//! The HTTP server of a session: the page, its WebSocket and the recording to
//! save, on the loopback interface only. No path leads to a file.

use super::connections;
use super::guard::{OPEN_PATH, RequestGuard, guard};
use super::messages;
use super::session::Session;
use super::socket;
use super::state::SessionRequest;
use super::token::{AccessToken, OneTimeLink};
use crate::page::Page;
use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::http::{StatusCode, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio_util::io::ReaderStream;

/// The most pages that may be connected at the same time.
const MAX_PAGES: usize = 16;
/// How often to check whether to stop.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(20);
/// How long connections may take to end when the server stops.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(200);

/// A server that is bound to its port but does not answer yet.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    token: AccessToken,
    link: OneTimeLink,
}

/// Why the server cannot run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The port is not free, or not allowed.
    #[error("cannot listen on 127.0.0.1:{port}: {source}")]
    Port {
        /// The requested port; 0 for any.
        port: u16,
        /// The error of the operating system.
        source: io::Error,
    },
    /// Anything else.
    #[error("the server failed: {0}")]
    Io(#[from] io::Error),
}

impl Server {
    /// Binds a port of the loopback interface, any free one for 0, and
    /// generates the access token.
    pub fn bind(port: u16) -> Result<Self, ServeError> {
        let failed = |source| ServeError::Port { port, source };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self {
            listener,
            address,
            token: AccessToken::generate()?,
            link: OneTimeLink::generate()?,
        })
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// The address of the page. It contains the access token: everyone who knows it
    /// can control the session.
    pub fn url(&self) -> String {
        format!("http://{}/{}/", self.address, self.token.as_str())
    }

    /// An address that leads to the page once. Start the browser with this one:
    /// other users of the machine can see the arguments of a process.
    pub fn one_time_url(&self) -> String {
        let secret = self.link.token().as_str();
        format!("http://{}{OPEN_PATH}{secret}", self.address)
    }

    /// Serves a session until `stop` returns true.
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
        let served = runtime.block_on(self.run(page, session, stop));
        // Does not wait for clients that have stopped reading.
        runtime.shutdown_timeout(Duration::from_millis(50));
        served
    }

    async fn run(
        self,
        page: &'static Page,
        session: Session,
        stop: impl Fn() -> bool,
    ) -> Result<(), ServeError> {
        let (stopping, stopped) = watch::channel(false);
        let listener = tokio::net::TcpListener::from_std(self.listener)?;
        let port = self.address.port();
        let shared = Shared {
            page,
            session,
            stop: stopped.clone(),
            port,
            pages: Arc::new(Semaphore::new(MAX_PAGES)),
            saving: Arc::new(Semaphore::new(1)),
            next_page: Arc::new(AtomicU32::new(1)),
        };
        let pages = Arc::clone(&shared.pages);
        let router = router(shared, RequestGuard::new(port, self.token, self.link));
        let server = tokio::spawn(connections::serve(listener, router, stopped));
        while !stop() && !server.is_finished() {
            tokio::time::sleep(STOP_POLL_INTERVAL).await;
        }
        let _ = stopping.send(true);
        let ended = tokio::time::timeout(SHUTDOWN_TIMEOUT, async {
            // Pages return their permits when they have sent their close message.
            let _ = pages.acquire_many(MAX_PAGES as u32).await;
            server.await
        });
        match ended.await {
            Ok(Ok(served)) => served,
            // A connection that does not end is cut off.
            Ok(Err(_)) | Err(_) => Ok(()),
        }
    }
}

/// What the handlers of requests share.
#[derive(Clone)]
struct Shared {
    page: &'static Page,
    session: Session,
    stop: watch::Receiver<bool>,
    port: u16,
    pages: Arc<Semaphore>,
    /// One recording is saved at a time.
    saving: Arc<Semaphore>,
    next_page: Arc<AtomicU32>,
}

/// The routes, behind the guard. The guard removes the token from the path, so
/// it must come before routing: it wraps a router that only has a fallback.
fn router(shared: Shared, request_guard: RequestGuard) -> Router {
    let routes = Router::new()
        .route("/", get(index))
        .route("/app.js", get(script))
        .route("/app.css", get(style))
        .route("/live", get(live))
        .route("/recording.mcap", get(save))
        .with_state(shared);
    Router::new()
        .fallback_service(routes)
        .layer(middleware::from_fn_with_state(request_guard, guard))
}

async fn index(State(shared): State<Shared>) -> Response {
    // Only what this server itself serves: the page works offline, and injected
    // content is not loaded.
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
        let full = format!("{MAX_PAGES} pages are connected already");
        return (StatusCode::SERVICE_UNAVAILABLE, full).into_response();
    };
    let page = shared.next_page.fetch_add(1, Ordering::Relaxed);
    upgrade
        .max_message_size(messages::MAX_MESSAGE_BYTES)
        .max_frame_size(messages::MAX_MESSAGE_BYTES)
        .on_upgrade(move |socket| connect(socket, shared, page, permit))
}

async fn connect(
    socket: axum::extract::ws::WebSocket,
    shared: Shared,
    page: u32,
    _permit: OwnedSemaphorePermit,
) {
    socket::serve_page(socket, shared.session, page, shared.stop).await;
}

/// The session so far, as a recording to download.
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
    let report = shared.session.request(0, SessionRequest::Report).await?;
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
        // Opened before `whole` is dropped, which removes the name.
        whole.reopen().map_err(|e| e.to_string())
    });
    let file = file.await.map_err(|e| e.to_string())??;
    Ok((name, tokio::fs::File::from_std(file)))
}
