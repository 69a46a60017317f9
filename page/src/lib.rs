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
mod language;
mod markdown;
mod picture;
mod render;
mod routes;
mod seen;
mod shell;
mod views;
mod words;

pub use connections::ConnectionBounds;
pub use views::report::report;

use connections::Connections;
use engine::{Actor, Control, Failure, Home, secrets};
use keys::Keys;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket};
use tokio::runtime::Runtime;
use tokio::sync::Notify;

/// Threads for calls that wait for a disk, beside the one that speaks HTTP.
const THREADS: usize = 4;
/// Connections that nobody has taken yet. When there are more, the system lets a browser wait for a second before it asks again.
const WAITING_MAX: u32 = 4096;
/// How long requests that are under way may take after the end. What they have made durable stays.
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
    /// How much whoever connects may take of it.
    pub bounds: ConnectionBounds,
}

/// Why it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageEnd {
    /// It was not used for long enough.
    Idle,
    /// It was told to stop.
    Stopped,
    /// The person closed it in the browser.
    Closed,
}

/// A page that listens and does not serve yet.
#[derive(Debug)]
pub struct Listening {
    runtime: Runtime,
    listener: TcpListener,
    address: SocketAddr,
    page: Arc<Page>,
    idle: Duration,
    bounds: ConnectionBounds,
}

/// The state that all requests share.
#[derive(Debug)]
pub(crate) struct Page {
    /// It says in the page's words what can be done.
    pub(crate) home: Home,
    /// The same home as it was given. What its worker writes down for people is read on a terminal, too.
    pub(crate) given: Home,
    pub(crate) cwd: PathBuf,
    pub(crate) person: Option<String>,
    pub(crate) keys: Keys,
    /// The port it listens on.
    pub(crate) port: u16,
    /// How long a form may take to come.
    pub(crate) form_within: Duration,
    /// Told of each request of the person.
    pub(crate) used: Notify,
    /// Told when the person closed it.
    pub(crate) closed: Notify,
    /// Whether somebody stopped it: what is done in steps ends after the step in hand.
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
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(THREADS)
            .build()
            .map_err(|e| Failure::new(format!("cannot start to serve: {e}")))?;
        let entered = runtime.enter();
        let socket = TcpSocket::new_v4().map_err(cannot)?;
        socket.set_reuseaddr(true).map_err(cannot)?;
        socket.bind(wanted).map_err(cannot)?;
        let listener = socket.listen(WAITING_MAX).map_err(cannot)?;
        drop(entered);
        let address = listener.local_addr().map_err(cannot)?;
        let keys = Keys::new(&mut || home.host().random());
        let page = Page {
            home: home.clone().with_wording(words::sentence),
            given: home,
            cwd: serving.cwd,
            person: serving.person,
            keys,
            port: address.port(),
            form_within: serving.bounds.form_within,
            used: Notify::new(),
            closed: Notify::new(),
            control,
            said: Mutex::default(),
            journal: Mutex::default(),
        };
        let (idle, bounds) = (serving.idle, serving.bounds);
        Ok(Listening { runtime, listener, address, page: Arc::new(page), idle, bounds })
    }

    /// The one-time link. The browser that opens it first counts as the person's.
    #[must_use]
    pub fn link(&self) -> String {
        format!("http://{}{}", self.address, self.page.keys.link_path())
    }

    /// Serves until nobody uses it any more, the person closes it, or somebody stops it.
    #[must_use]
    pub fn serve(self) -> PageEnd {
        let Listening { runtime, listener, page, idle, bounds, .. } = self;
        // What the first overview needs of the journal is read while the browser is being opened. If that fails, it is tried again
        // for the overview, which says why.
        let ahead = Arc::clone(&page);
        runtime.spawn_blocking(move || ahead.read_journal_ahead());
        let ended = runtime.block_on(async {
            let answered = Arc::new(Notify::new());
            let router = routes::router(Arc::clone(&page));
            let connections = Connections::new(router, bounds, Arc::clone(&answered));
            tokio::select! {
                never = connections.accept(listener) => match never {},
                () = unused(&page, idle) => PageEnd::Idle,
                () = stopped(&page.control) => PageEnd::Stopped,
                () = closed(&page, &answered) => PageEnd::Closed,
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

/// Ends when the person has closed the page and was told so. What is done in steps ends after the step in hand.
async fn closed(page: &Page, answered: &Notify) {
    page.closed.notified().await;
    page.control.stop();
    let _ = tokio::time::timeout(LAST_REQUESTS, answered.notified()).await;
}

async fn stopped(control: &Control) {
    while !control.is_stopped() {
        tokio::time::sleep(STOP_LOOK).await;
    }
}

impl Page {
    fn read_journal_ahead(&self) {
        if let Ok(mut journal) = self.journal.lock() {
            let _ = self.home.follow_journal(&mut journal);
        }
    }

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
            Failure::new("this page only shows")
                .hint("whoever started it can start one on which things are decided")
        })?;
        Ok(Actor { name, channel: CHANNEL.to_owned(), reason: reason.map(str::to_owned) })
    }
}
