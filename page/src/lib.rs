//! Shows a home in a browser on the same machine: what agents want to write, what was written and by whom, and forms for a
//! person's decisions. The HTML is made here and needs no script. Listens on the loopback address only, serves the one browser
//! that opened the one-time link, and ends when it is not used. Everything it does is a verb of `engine`.

/// The example of README.md, so that it is compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadMe;

mod connections;
mod decide;
mod diff;
mod door;
mod headers;
mod job_card;
mod keys;
mod markdown;
mod picture;
mod render;
mod routes;
mod shell;
mod views;

pub use views::report::report;

use connections::Connections;
use engine::{Actor, Control, Failure, Home, secrets};
use keys::Keys;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Notify;

/// Threads for calls that wait for a disk, beside the one that speaks HTTP.
const THREADS: usize = 4;
/// How long unfinished requests may go on after the page has ended. What they have made durable stays.
const LAST_REQUESTS: Duration = Duration::from_secs(5);
/// How often we check whether the page was told to stop.
const STOP_LOOK: Duration = Duration::from_millis(200);
/// The channel that receipts and approvals name for decisions made here.
pub const CHANNEL: &str = "page";

/// How a page is to be served.
#[derive(Debug, Clone)]
pub struct Serving {
    /// The directory it was started in, which decides about the project.
    pub cwd: PathBuf,
    /// The person who decides; `None` for a page that only shows.
    pub person: Option<String>,
    /// The port; any free one if none is given.
    pub port: Option<u16>,
    /// It ends when it was not used for so long.
    pub idle: Duration,
}

/// Why it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageEnd {
    /// It was not used for long enough.
    Idle,
    /// It was told to stop.
    Stopped,
}

/// A page that listens and does not serve yet.
#[derive(Debug)]
pub struct Listening {
    listener: std::net::TcpListener,
    address: SocketAddr,
    page: Arc<Page>,
    idle: Duration,
}

/// The state that all requests share.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) home: Home,
    pub(crate) cwd: PathBuf,
    pub(crate) person: Option<String>,
    pub(crate) keys: Keys,
    /// The port it listens on.
    pub(crate) port: u16,
    /// Notified of each request of the person.
    pub(crate) used: Notify,
    /// Whether the page was told to stop. A bulk decision then ends after its present step.
    pub(crate) control: Control,
    /// What the last form did, for the next screen to say.
    pub(crate) said: Mutex<Option<shell::Said>>,
    /// How far the journal has been counted.
    pub(crate) journal: Mutex<engine::JournalFollower>,
}

impl Listening {
    /// Takes a port on the loopback address. Connections made from here on are answered by `serve`.
    ///
    /// # Errors
    /// The port is taken, or the machine gives none.
    pub fn new(home: Home, serving: Serving, control: Control) -> Result<Listening, Failure> {
        let wanted = SocketAddr::from((Ipv4Addr::LOCALHOST, serving.port.unwrap_or(0)));
        let cannot = |e: std::io::Error| {
            Failure::new(format!("cannot listen on {wanted}: {e}"))
                .hint("name another --port, or none: then a free one is taken")
        };
        let listener = std::net::TcpListener::bind(wanted).map_err(cannot)?;
        listener.set_nonblocking(true).map_err(cannot)?;
        let address = listener.local_addr().map_err(cannot)?;
        let keys = Keys::new(&mut || home.host().random());
        let page = Page {
            home,
            cwd: serving.cwd,
            person: serving.person,
            keys,
            port: address.port(),
            used: Notify::new(),
            control,
            said: Mutex::default(),
            journal: Mutex::default(),
        };
        Ok(Listening { listener, address, page: Arc::new(page), idle: serving.idle })
    }

    /// The one-time link. The browser that opens it first counts as the person's.
    #[must_use]
    pub fn link(&self) -> String {
        format!("http://{}{}", self.address, self.page.keys.link_path())
    }

    /// Serves until the page was not used for long enough, or is told to stop.
    ///
    /// # Errors
    /// A thread cannot be started.
    pub fn serve(self) -> Result<PageEnd, Failure> {
        let cannot = |e: std::io::Error| Failure::new(format!("cannot start to serve: {e}"));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(THREADS)
            .build()
            .map_err(cannot)?;
        let page = Arc::clone(&self.page);
        let ended = runtime.block_on(async {
            let listener = TcpListener::from_std(self.listener).map_err(cannot)?;
            let connections = Connections::new(routes::router(Arc::clone(&page)));
            tokio::select! {
                never = connections.accept(listener) => match never {},
                () = unused(&page, self.idle) => Ok(PageEnd::Idle),
                () = stopped(&page.control) => Ok(PageEnd::Stopped),
            }
        });
        runtime.shutdown_timeout(LAST_REQUESTS);
        ended
    }
}

/// Returns when the page has not been used for this long.
async fn unused(page: &Page, idle: Duration) {
    while tokio::time::timeout(idle, page.used.notified()).await.is_ok() {}
}

async fn stopped(control: &Control) {
    while !control.is_stopped() {
        tokio::time::sleep(STOP_LOOK).await;
    }
}

impl Page {
    /// The path that all its addresses begin with.
    pub(crate) fn base(&self) -> &str {
        self.keys.base()
    }

    /// Who decides, and why; an error on a page that only shows, or for a reason with a secret in it: receipts and the journal
    /// keep the reason.
    pub(crate) fn who(&self, reason: Option<&str>) -> Result<Actor, Failure> {
        if let Some(problem) = reason.and_then(|reason| secrets::problem("the reason", reason)) {
            return Err(Failure::refused("the decision", &[problem]));
        }
        let name = self.person.clone().ok_or_else(|| {
            Failure::new("this page only shows").hint("start it without --look to decide on it")
        })?;
        Ok(Actor { name, channel: CHANNEL.to_owned(), reason: reason.map(str::to_owned) })
    }
}
