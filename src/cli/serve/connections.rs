//! Connections: each has limits of time and size, and none waits for another one.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

use super::pages::Pages;
use super::request::answer;
use gauntlet_run::scheduler::Stop;

/// Longest wait for a connection before the stop flag is looked at.
const PATIENCE: Duration = Duration::from_millis(200);
/// Longest time for the head of a request.
const HEAD_TIME: Duration = Duration::from_secs(5);
/// Longest head of a request in bytes.
const HEAD_SIZE: usize = 16 << 10;
/// Longest time of a connection, with the computation of the answer.
const LONGEST: Duration = Duration::from_mins(10);
/// Most open connections. A further one replaces the oldest.
const MOST: usize = 256;

/// Answers requests until `stop` is set.
pub async fn serve(listener: &TcpListener, pages: Pages, port: u16, stop: &Stop) {
    let (pages, mut open) = (Arc::new(pages), VecDeque::<AbortHandle>::new());
    while !stop.is_requested() {
        match timeout(PATIENCE, listener.accept()).await {
            Ok(Ok((stream, _))) => {
                open.push_back(tokio::spawn(connection(stream, Arc::clone(&pages), port)).abort_handle());
            }
            // The system has no more files, say: some connection ends soon.
            Ok(Err(_)) => sleep(PATIENCE).await,
            Err(_) => {}
        }
        open.retain(|connection| !connection.is_finished());
        if open.len() > MOST {
            open.pop_front().inspect(AbortHandle::abort);
        }
    }
}

/// Answers the request of a connection. A client that breaks the limits, or leaves, gets no answer.
async fn connection(stream: TcpStream, pages: Arc<Pages>, port: u16) {
    let service = service_fn(|request| {
        let pages = Arc::clone(&pages);
        async move { Ok::<_, Infallible>(answer(&request, pages, port).await) }
    });
    let mut settings = http1::Builder::new();
    settings.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).max_buf_size(HEAD_SIZE);
    settings.keep_alive(false).title_case_headers(true);
    let _ = timeout(LONGEST, settings.serve_connection(TokioIo::new(stream), service)).await;
}
