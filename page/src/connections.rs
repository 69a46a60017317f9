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
use tokio::sync::Notify;
use tokio::task::AbortHandle;

/// How much of the program a client may take. `ConnectionBounds::default()` is what the page is served with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionBounds {
    /// Connections at a time. A browser makes six.
    pub connections: usize,
    /// How long a request's head may take, and how long a connection may be without one.
    pub head_within: Duration,
    /// How long a form may take to come.
    pub form_within: Duration,
    /// The longest time that a connection stays open: a bulk decision of thousands of jobs takes seconds.
    pub life: Duration,
}

impl Default for ConnectionBounds {
    fn default() -> Self {
        let s = Duration::from_secs;
        ConnectionBounds { connections: 64, head_within: s(10), form_within: s(10), life: s(300) }
    }
}

/// How much of a request's head is kept, in bytes.
const HEAD_BYTES_MAX: usize = 32 << 10;
/// How long we wait after a failed `accept`, for example because no file descriptor is left.
const BREATH: Duration = Duration::from_millis(50);

/// What is known of a connection.
#[derive(Debug, Clone, Default)]
pub(crate) struct Proven(Arc<Shown>);

#[derive(Debug, Default)]
struct Shown {
    cookie: AtomicBool,
    close: AtomicBool,
}

impl Proven {
    /// It has shown the cookie.
    pub(crate) fn prove(&self) {
        self.0.cookie.store(true, Ordering::Relaxed);
    }

    /// It closed the page: its answer is the last one.
    pub(crate) fn is_last(&self) {
        self.0.close.store(true, Ordering::Relaxed);
    }
}

/// All connections.
pub(crate) struct Connections {
    router: Router,
    bounds: ConnectionBounds,
    /// Told when the last answer has been sent.
    answered: Arc<Notify>,
    /// The oldest first.
    open: VecDeque<(AbortHandle, Proven)>,
}

impl Connections {
    pub(crate) fn new(router: Router, bounds: ConnectionBounds, answered: Arc<Notify>) -> Connections {
        Connections { router, bounds, answered, open: VecDeque::with_capacity(bounds.connections) }
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
        let proven: Vec<bool> =
            self.open.iter().map(|(_, proven)| proven.0.cookie.load(Ordering::Relaxed)).collect();
        match place(&proven, self.bounds.connections) {
            Place::Free => {}
            Place::Of(at) => {
                if let Some((handle, _)) = self.open.remove(at) {
                    handle.abort();
                }
            }
            Place::None => return,
        }
        let proven = Proven::default();
        let router = self.router.clone().layer(Extension(proven.clone()));
        let serve = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.bounds.head_within)
            .max_buf_size(HEAD_BYTES_MAX)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
        let (life, answered, shown) = (self.bounds.life, Arc::clone(&self.answered), proven.clone());
        let task = tokio::spawn(async move {
            // An error of a client that breaks off, or speaks another protocol, is not reported.
            let _ = tokio::time::timeout(life, serve).await;
            if shown.0.close.load(Ordering::Relaxed) {
                answered.notify_one();
            }
        });
        self.open.push_back((task.abort_handle(), proven));
    }
}

/// Where a connection goes that comes now.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    /// There is room.
    Free,
    /// In the place of this one, which is ended.
    Of(usize),
    /// Nowhere.
    None,
}

/// Decides: `proven` says of each open connection, the oldest first, whether it has shown the cookie. The one that has waited
/// longest without gives way. Where all of them are the person's, it is their browser that has too many.
fn place(proven: &[bool], most: usize) -> Place {
    if proven.len() < most {
        return Place::Free;
    }
    proven.iter().position(|proven| !proven).map_or(Place::None, Place::Of)
}

#[cfg(test)]
mod tests {
    use super::{Place, place};

    #[test]
    fn who_has_no_cookie_gives_way_and_the_person_never_does() {
        for (proven, most, wanted) in [
            (&[][..], 2, Place::Free),
            (&[false], 2, Place::Free),
            (&[false, false], 2, Place::Of(0)),
            (&[true, false], 2, Place::Of(1)),
            (&[true, false, true, false], 4, Place::Of(1)),
            (&[true, true], 2, Place::None),
        ] {
            assert_eq!(place(proven, most), wanted, "{proven:?} of {most}");
        }
    }
}
