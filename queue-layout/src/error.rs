//! What the queue's verbs can fail with, named for people.

use declaration::{Advice, Problem};
use durable::{DiskAction, DiskError};
use std::io;
use std::path::{Path, PathBuf};

/// Result of a verb.
pub type Result<T> = std::result::Result<T, QueueError>;

/// Why a verb could not do its work.
#[derive(Debug, Clone, thiserror::Error)]
pub enum QueueError {
    /// The disk.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// No home, or not all of it.
    #[error("{} is not a last-word home{}", home.display(), missing_text(missing.as_ref()))]
    NoHome {
        /// The home asked for.
        home: PathBuf,
        /// The first directory that is missing.
        missing: Option<PathBuf>,
    },
    /// A state directory is on another file system than the home.
    #[error("{} is on another file system than {}", dir.display(), home.display())]
    ForeignFileSystem {
        /// The home.
        home: PathBuf,
        /// The directory that is elsewhere.
        dir: PathBuf,
    },
    /// Other users may write to the home, its configuration or an inbox.
    #[error("{} can be written to by others (mode {mode:04o})", path.display())]
    OpenToOthers {
        /// The file or directory.
        path: PathBuf,
        /// Its mode bits.
        mode: u32,
        /// What to give to `chmod` for it.
        chmod: &'static str,
    },
    /// The home, its configuration or an inbox belongs to another user.
    #[error("{} belongs to user id {uid}, and you are user id {our_uid}", path.display())]
    NotOurs {
        /// The file or directory.
        path: PathBuf,
        /// The id of the user it belongs to.
        uid: u32,
        /// The id of our user.
        our_uid: u32,
    },
    /// A project's inbox is a link, which could lead to another user's files.
    #[error("{} is a link, and an inbox must be a directory", path.display())]
    InboxIsALink {
        /// The link.
        path: PathBuf,
    },
    /// An entry of an inbox has a declaration's name and is not a regular file: a link could lead to another user's file, a pipe
    /// could be read for ever.
    #[error("{} is {what}, and only a file is taken in", path.display())]
    NoFileInInbox {
        /// The entry.
        path: PathBuf,
        /// `a link`, `a directory`.
        what: &'static str,
    },
    /// No job with this id.
    #[error("no job `{0}` in any state")]
    NoSuchJob(String),
    /// The beginning of an id fits several jobs.
    #[error("`{prefix}` fits {count} jobs, the first two are {first} and {second}")]
    AmbiguousId {
        /// What was asked for.
        prefix: String,
        /// How many fit.
        count: usize,
        /// One of them.
        first: String,
        /// Another.
        second: String,
    },
    /// The job is not in a state where this can be done.
    #[error("job {id} is {state}, not in staging")]
    NotInStaging {
        /// The job.
        id: String,
        /// Where it is.
        state: &'static str,
    },
    /// A side of a conflict (`ours`, `theirs`) was asked for, of a job that has no conflict.
    #[error("job {id} has no conflict{}, so there is neither `ours` nor `theirs`", code.as_ref().map_or_else(String::new, |code| format!(" but `{code}`")))]
    NoConflict {
        /// The job.
        id: String,
        /// What it waits with.
        code: Option<String>,
    },
    /// A rollback would take out what was written since it was asked for, in other places than those it is about.
    #[error(
        "job {id} cannot be put over what the document says now: what was written there since would go with it"
    )]
    SidesMixed {
        /// The job.
        id: String,
    },
    /// A proposal is not the one that was shown.
    #[error("job {id} was not approved: {why}")]
    ProposalChanged {
        /// The job.
        id: String,
        /// What differs from what.
        why: &'static str,
    },
    /// There is no decision about a job that could be taken back.
    #[error("there is nothing to take back: {why}")]
    NothingToTakeBack {
        /// The job.
        id: String,
        /// What became of it.
        why: String,
    },
    /// A file cannot be read as a job.
    #[error("{} is not a job we can read: {}", path.display(), first(problems))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Everything that is wrong with it.
        problems: Vec<Problem>,
    },
    /// An idempotency key that was used for another declaration.
    #[error("the key `{key}` stands for job {id} already, which says something else: nothing was enqueued")]
    KeyTaken {
        /// The key, as it was given.
        key: String,
        /// The job it stands for.
        id: String,
    },
    /// Another process took the job first.
    #[error("job {0} was taken by somebody else just now")]
    TakenMeanwhile(String),
    /// All worker slots are in use.
    #[error("{0} workers are running already")]
    TooManyWorkers(usize),
    /// A declaration is too large for a job.
    #[error("{what} takes {bytes} bytes, too many for a job")]
    TooLarge {
        /// What.
        what: &'static str,
        /// How many.
        bytes: u64,
    },
    /// A value of ours could not be written as JSON: a bug.
    #[error("cannot write {what}: {message}")]
    Encode {
        /// What was to be written.
        what: &'static str,
        /// What serde says.
        message: String,
    },
}

fn missing_text(missing: Option<&PathBuf>) -> String {
    missing.map_or_else(|| ": it does not exist".to_owned(), |dir| format!(": {} is missing", dir.display()))
}

/// A path as a shell takes it.
fn typed(path: &Path) -> String {
    declaration::quoted(&path.display().to_string())
}

fn first(problems: &[Problem]) -> String {
    problems.first().map_or_else(|| "unknown reason".to_owned(), ToString::to_string)
}

impl QueueError {
    /// What the person in front of it can do.
    #[must_use]
    pub fn advice(&self) -> Option<Advice> {
        Some(match self {
            QueueError::Disk(e) => advice_of_disk(e),
            QueueError::NoHome { .. } => Advice::MakeHome,
            QueueError::ForeignFileSystem { dir, .. } => Advice::Words(format!(
                "move {} back into the home: jobs are moved by rename, which needs one file system",
                dir.display()
            )),
            QueueError::OpenToOthers { path, chmod, .. } => {
                Advice::Words(format!("chmod {chmod} {}", typed(path)))
            }
            QueueError::NotOurs { path, .. } => Advice::Words(format!(
                "use it as its owner; or, when you know what is in it, make it yours: sudo chown \"$USER\" {0} && chmod go-w {0}",
                typed(path)
            )),
            QueueError::InboxIsALink { path } => {
                Advice::Words(format!("put a directory in its place: rm {0} && mkdir {0}", typed(path)))
            }
            QueueError::NoFileInInbox { path, .. } => {
                Advice::Words(format!("put the declaration itself there; to remove it: rm {}", typed(path)))
            }
            QueueError::NoSuchJob(_) => Advice::ListJobs,
            QueueError::AmbiguousId { .. } => "give more digits of the id".into(),
            QueueError::NotInStaging { id, state: "done" } => Advice::DeclareAgain(id.clone()),
            QueueError::NotInStaging { id, .. } => Advice::SeeWhatItWaitsFor(id.clone()),
            QueueError::NoConflict { id, .. } => Advice::ResolveWithoutSides(id.clone()),
            QueueError::SidesMixed { .. } => {
                "leave the document as it is (ours), then ask for the rollback again: it begins with what stands there now".into()
            }
            QueueError::ProposalChanged { id, .. } => Advice::LookAgain(id.clone()),
            QueueError::Unreadable { problems, .. } => problems.first().and_then(|p| p.hint.clone())?.into(),
            QueueError::KeyTaken { id, .. } => Advice::TakeANewKey(id.clone()),
            QueueError::NothingToTakeBack { id, .. } | QueueError::TakenMeanwhile(id) => {
                Advice::SeeOutcome(id.clone())
            }
            QueueError::TooManyWorkers(_) => "stop one of them first".into(),
            QueueError::TooLarge { .. } => Advice::PutBackByHand,
            QueueError::Encode { .. } => return None,
        })
    }

    /// The system's answer to a look at a path outside the queue, as one of ours.
    #[must_use]
    pub fn cannot_look(path: &Path, said: &io::Error) -> Self {
        let source = said.raw_os_error().map_or_else(|| said.kind().into(), io::Error::from_raw_os_error);
        DiskError { action: DiskAction::Stat, path: path.to_owned(), to: None, source }.into()
    }

    /// Whether the machine is in trouble rather than one job: then the run stops, and no job loses an attempt.
    #[must_use]
    pub fn is_machine_trouble(&self) -> bool {
        matches!(self, QueueError::Disk(e) if e.is_machine_trouble())
    }
}

/// What can be done about trouble of the disk.
#[must_use]
pub fn advice_of_disk(e: &DiskError) -> Advice {
    match e.kind() {
        io::ErrorKind::NotFound => Advice::MakeMissing,
        _ => e.hint().into(),
    }
}
