//! What a home uses of its machine: clock, randomness, programs, and a listener for news. It is handed in once, as one value,
//! so that nothing else below the surfaces calls the system.

use crate::Failure;
use declaration::{Advice, Timestamp, Wording};
use operator::Action;
use queue_layout::{JournalEntry, Sign};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use worker::{Program, Ran};

type Shared<F> = Arc<F>;

/// The machine as a home sees it. Cheap to clone; clones are the same host. `Host::system()` is the real one; each part can
/// be replaced by a function: a clock that stands still, a validator that is no program, a place for what is told.
#[derive(Clone)]
pub struct Host {
    pub(crate) now: Shared<dyn Fn() -> Timestamp + Send + Sync>,
    pub(crate) offset_min: Shared<dyn Fn() -> i32 + Send + Sync>,
    pub(crate) elapsed: Shared<dyn Fn() -> Duration + Send + Sync>,
    pub(crate) sleep: Shared<dyn Fn(Duration) + Send + Sync>,
    pub(crate) random: Shared<dyn Fn() -> u64 + Send + Sync>,
    pub(crate) threads: Shared<dyn Fn() -> usize + Send + Sync>,
    pub(crate) run: Shared<dyn Fn(&Program<'_>) -> Ran + Send + Sync>,
    pub(crate) embed: Shared<dyn Fn(&EmbeddingsRequest<'_>) -> EmbeddingsAnswer + Send + Sync>,
    pub(crate) command: Shared<dyn Fn() -> String + Send + Sync>,
    pub(crate) home_without_option: Shared<dyn Fn() -> Option<PathBuf> + Send + Sync>,
    pub(crate) program_files: Shared<dyn Fn() -> Vec<PathBuf> + Send + Sync>,
    pub(crate) tell: Shared<dyn Fn(Notice<'_>) + Send + Sync>,
    pub(crate) wording: Wording,
}

/// What a server of vectors answered: one for each text.
pub type EmbeddingsAnswer = Result<Vec<Vec<f32>>, NotEmbedded>;

/// Texts whose vectors a server is asked for.
#[derive(Debug, Clone, Copy)]
pub struct EmbeddingsRequest<'a> {
    /// Its address.
    pub url: &'a str,
    /// The model.
    pub model: &'a str,
    /// The texts, each with what the model wants before it.
    pub texts: &'a [String],
    /// How long to wait for all of the answer.
    pub patience: Duration,
}

/// Why there are no vectors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotEmbedded {
    /// The server does not take one of these texts: a sentence.
    Refused(String),
    /// Anything else, which is no text's fault.
    Trouble(String),
}

/// What a home tells while it works. It is news only, and no answer is expected: a host may ignore all of it.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Notice<'a> {
    /// An event, as it is written into the journal.
    JournalEntry(&'a JournalEntry),
    /// Trouble that does not end what was asked for, but that somebody should hear of: a sentence.
    Warning(&'a str),
    /// A run begins. The function counts the jobs that can be run now, for who shows progress; it reads the queue.
    RunBegins(&'a dyn Fn() -> usize),
    /// That run is over.
    RunEnds,
    /// So many decisions of one kind begin.
    DecisionsBegin {
        /// How many jobs.
        jobs: usize,
        /// What is done to each.
        action: &'a Action,
    },
    /// So many more jobs are decided, or left as they were.
    Decided(usize),
    /// Those decisions are over.
    DecisionsEnd,
    /// A watching worker heard of something and looks again.
    Woken(Sign),
    /// A watching worker has made its first run without trouble, and watches.
    Watching,
    /// A watching worker lives; told several times a minute.
    Alive,
    /// A run of a watching worker ended in trouble. Told once for each trouble, however long that lasts.
    Trouble(&'a Failure),
    /// The first run without that trouble.
    TroubleOver,
    /// The configuration changed and cannot be used: the settings of before stay in force.
    SettingsUnusable(&'a Failure),
}

impl Host {
    /// The time now.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        (self.now)()
    }

    /// The same host with another clock. It may be set back; a clock before 1970 is to say 1970.
    #[must_use]
    pub fn with_clock(self, now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Host { now: Arc::new(now), ..self }
    }

    /// The same host elsewhere on the globe: local time is so many minutes ahead of UTC. It decides which day a daily log
    /// means.
    #[must_use]
    pub fn with_offset_min(self, minutes: i32) -> Self {
        Host { offset_min: Arc::new(move || minutes), ..self }
    }

    /// The same host with other randomness: 64 bits a call. Ids and the jitter of retries are made of them.
    #[must_use]
    pub fn with_random(self, random: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        Host { random: Arc::new(random), ..self }
    }

    /// The same host with another way to run the programs that the configuration names (`validate`, `rewrite`): a function
    /// instead of a process. It is called from several threads.
    #[must_use]
    pub fn with_programs(self, run: impl Fn(&Program<'_>) -> Ran + Send + Sync + 'static) -> Self {
        Host { run: Arc::new(run), ..self }
    }

    /// The same host with another way to make vectors of texts: one for each, in their order, all of one length.
    #[must_use]
    pub fn with_embeddings(
        self,
        embed: impl Fn(&EmbeddingsRequest<'_>) -> EmbeddingsAnswer + Send + Sync + 'static,
    ) -> Self {
        Host { embed: Arc::new(embed), ..self }
    }

    /// The same host, which is told what happens, as it happens, from several threads.
    #[must_use]
    pub fn with_notices(self, tell: impl Fn(Notice<'_>) + Send + Sync + 'static) -> Self {
        Host { tell: Arc::new(tell), ..self }
    }

    /// The same host with another answer to how `last-word` is typed here: one word for a shell. It is put into what agents are told.
    #[must_use]
    pub fn with_command(self, command: impl Fn() -> String + Send + Sync + 'static) -> Self {
        Host { command: Arc::new(command), ..self }
    }

    /// The same host with the home that a command uses which names none; `None` where that is whichever home is open. What agents are
    /// told to type names the home where that is another one.
    #[must_use]
    pub fn with_home_without_option(
        self,
        home: impl Fn() -> Option<PathBuf> + Send + Sync + 'static,
    ) -> Self {
        Host { home_without_option: Arc::new(home), ..self }
    }

    /// The same host with the paths at which this program is found. The guard keeps agents from those files; it asks only where
    /// a tool call changes something.
    #[must_use]
    pub fn with_program_files(self, files: impl Fn() -> Vec<PathBuf> + Send + Sync + 'static) -> Self {
        Host { program_files: Arc::new(files), ..self }
    }

    /// The same host with the words of a surface for what a person can do, for example the commands to type.
    #[must_use]
    pub fn with_wording(self, wording: Wording) -> Self {
        Host { wording, ..self }
    }

    /// An advice in the words of the surface.
    #[must_use]
    pub fn say(&self, advice: &Advice) -> String {
        (self.wording)(advice)
    }

    /// 64 random bits.
    #[must_use]
    pub fn random(&self) -> u64 {
        (self.random)()
    }

    pub(crate) fn warn(&self, e: &dyn std::error::Error) {
        (self.tell)(Notice::Warning(&worker::chain(e)));
    }

    pub(crate) fn happened(&self, happened: &JournalEntry) {
        (self.tell)(Notice::JournalEntry(happened));
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").finish_non_exhaustive()
    }
}
