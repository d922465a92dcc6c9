//! Accepts HTTP connections: a bounded number of them, each with a time limit
//! for reading the headers of a request.

use super::server::ServeError;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

/// The most connections that are open at the same time, without WebSockets.
const MAX_CONNECTIONS: usize = 64;
/// How long a client may take to send the headers of a request.
const HEADER_TIMEOUT: Duration = Duration::from_secs(5);
/// How long to wait after the system has refused a connection, for example for
/// lack of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves connections until `stop` is true, then until the open ones have ended.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    mut stop: watch::Receiver<bool>,
) -> Result<(), ServeError> {
    let free = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut open = JoinSet::new();
    let mut stopped = stop.clone();
    let mut stopped = pin!(stopped.wait_for(|stop| *stop));
    loop {
        while open.try_join_next().is_some() {}
        let Ok(permit) = Arc::clone(&free).acquire_owned().await else {
            break;
        };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = &mut stopped => break,
        };
        match accepted {
            Ok((stream, _)) => {
                let connection = serve_connection(stream, router.clone(), stop.clone());
                open.spawn(async move {
                    connection.await;
                    drop(permit);
                });
            }
            Err(error) if is_client_error(&error) => {}
            Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
        }
    }
    drop(listener);
    // Already true, or the server is being dropped.
    let _ = stop.wait_for(|stop| *stop).await;
    while open.join_next().await.is_some() {}
    Ok(())
}

async fn serve_connection(stream: TcpStream, router: Router, mut stop: watch::Receiver<bool>) {
    // With Nagle's algorithm a short reply waited 40 ms for the acknowledgement
    // of the frame before it.
    let _ = stream.set_nodelay(true);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT);
    let service = TowerToHyperService::new(router);
    let connection = http.serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection.with_upgrades());
    tokio::select! {
        // Errors are those of the client: a reset, a timeout, malformed HTTP.
        _ = &mut connection => return,
        _ = stop.wait_for(|stop| *stop) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = connection.await;
}

fn is_client_error(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
    )
}
