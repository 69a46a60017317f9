//! Connections: bounded in number and in time, so that whoever else is on this machine can neither fill our memory nor keep the
//! person out. Who comes when all places are taken gets the place of the one that has waited longest without a cookie.

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
/// How long a request's head may take, and how long a connection may be without one.
const HEAD_WITHIN: Duration = Duration::from_secs(10);
/// How long a connection lives, whatever it does: a bulk decision of thousands of jobs takes seconds.
const LIFE_MAX: Duration = Duration::from_secs(300);
/// How much of a request's head is kept, in bytes.
const HEAD_BYTES_MAX: usize = 32 << 10;
/// After a failure to accept (no file descriptors are left, say) we wait so long.
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

    /// Takes connections for ever.
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
            // All of them the person's: it is their browser that has too many.
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
            // A client that breaks off, or speaks something else, is nobody's concern.
            let _ = tokio::time::timeout(LIFE_MAX, serve).await;
        });
        self.open.push_back((task.abort_handle(), proven));
    }
}
