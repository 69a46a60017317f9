//! Connections, limited in number and in time, so that another user of this machine can neither fill our memory nor keep the
//! person out. When the limit is reached, a new connection replaces the oldest one that has shown no cookie.

use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;

/// Connections at a time. A browser makes six.
const CONNECTIONS_MAX: usize = 64;
/// How long the head of a request may take, and how long a connection may wait for its next request.
const HEAD_WITHIN: Duration = Duration::from_secs(10);
/// How long a connection lives at most. The longest requests are bulk decisions of thousands of jobs, which take seconds.
const LIFE_MAX: Duration = Duration::from_secs(300);
/// How much of a request's head is kept, in bytes.
const HEAD_BYTES_MAX: usize = 32 << 10;
/// How long we wait after a failed `accept`, for example because no file descriptor is left.
const BREATH: Duration = Duration::from_millis(50);

/// Whether a connection has shown the cookie.
#[derive(Debug, Clone, Default)]
pub(crate) struct Proven(Arc<AtomicBool>);

impl Proven {
    /// It has.
    pub(crate) fn prove(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// All connections.
pub(crate) struct Connections {
    router: Router,
    /// The oldest first.
    open: VecDeque<(AbortHandle, Proven)>,
}

impl Connections {
    pub(crate) fn new(router: Router) -> Connections {
        Connections { router, open: VecDeque::with_capacity(CONNECTIONS_MAX) }
    }

    /// Accepts connections; never returns.
    pub(crate) async fn accept(mut self, listener: TcpListener) -> Infallible {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => self.take(stream),
                Err(_) => tokio::time::sleep(BREATH).await,
            }
        }
    }

    fn take(&mut self, stream: TcpStream) {
        self.open.retain(|(handle, _)| !handle.is_finished());
        if self.open.len() >= CONNECTIONS_MAX {
            let unproven = |(_, proven): &(AbortHandle, Proven)| !proven.0.load(Ordering::Relaxed);
            // If all of them are the person's, the new one is refused.
            let Some(at) = self.open.iter().position(unproven) else { return };
            if let Some((handle, _)) = self.open.remove(at) {
                handle.abort();
            }
        }
        let proven = Proven::default();
        let router = self.router.clone().layer(Extension(proven.clone()));
        let serve = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_WITHIN)
            .max_buf_size(HEAD_BYTES_MAX)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
        let task = tokio::spawn(async move {
            // An error here means that the client hung up or does not speak HTTP: there is nothing to do.
            let _ = tokio::time::timeout(LIFE_MAX, serve).await;
        });
        self.open.push_back((task.abort_handle(), proven));
    }
}
