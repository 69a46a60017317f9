//! What a person can do next, as a value. Libraries say which; a surface says it in its own way: a command to type, a
//! button, a link.

use std::fmt;

/// What a person can do next. Displayed in words that name no command, for a surface that has none.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Advice {
    /// In words that name no command.
    Words(String),
    /// Make the home that is not there.
    MakeHome,
    /// Make the knowledge bases of facts, sessions, events and profiles.
    MakeMemory,
    /// Make the directory that is missing in the home.
    MakeMissing,
    /// Look for the job among all of them.
    ListJobs,
    /// See how this job ended, and declare its entries again.
    DeclareAgain(String),
    /// See what this job waits for.
    SeeWhatItWaitsFor(String),
    /// Retry, edit or discard this job: it has no sides to choose from.
    ResolveWithoutSides(String),
    /// See what this job says; what is new needs an idempotency key of its own.
    TakeANewKey(String),
    /// See what became of this job.
    SeeOutcome(String),
    /// See this job.
    SeeJob(String),
    /// Put the document back by hand.
    PutBackByHand,
    /// See which versions of this document are kept.
    SeeVersions(String),
    /// Check the declaration, of which nothing was enqueued.
    CheckDeclaration,
    /// Check the configuration.
    CheckConfiguration,
    /// Write what the configuration said last, which is kept in this file, or take that away, too.
    PutConfigurationBack(String),
    /// Free some space; what is older than retention keeps can go.
    FreeSpace,
    /// Run a worker.
    RunWorker,
    /// Look for the item among all of them.
    ListItems,
    /// See what is planned.
    ListPlanned,
    /// Leave the declaration in the project, where a worker finds it.
    LeaveInProject,
    /// Release this held job.
    Release(String),
    /// Edit this job.
    Edit(String),
    /// Discard this job: its file is kept beside its receipt.
    DiscardAndKeep(String),
    /// Decide about jobs that failed.
    ResolveSome,
    /// Decide about proposals.
    ReviewSome,
    /// Decide about this job, which failed.
    Resolve(String),
    /// See what this proposal says now, before a yes or a no.
    LookAgain(String),
    /// Say yes or no to this proposal.
    Review(String),
    /// Edit or discard this file.
    EditOrDiscard(String),
    /// Retry or discard this file.
    RetryOrDiscard(String),
    /// Discard this file.
    Discard(String),
    /// This text is in no document: put into the document what should be there, then discard it.
    PutTextByHand(String),
    /// The same, for whoever looks at the text already.
    PutThisTextByHand(String),
    /// Look at why workers died of a job, and try it without writing.
    TryWithoutWriting,
    /// Look at the document, then retry this job if its change is not there, or discard it.
    CheckDocument(String),
    /// Say yes to this proposal, which writes again what a save undid.
    WriteAgain(String),
    /// Mend something of the home, or of what runs it.
    Home(HomeAdvice),
}

/// What a person can do about a home and what runs it, so that jobs come in and are merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HomeAdvice {
    /// See what is older than retention keeps.
    SeeWhatIsOld,
    /// Have a worker run by itself, at intervals or for ever.
    ScheduleWorker,
    /// The next run tries again, and says what is wrong.
    RunWorkerToSeeWhy,
    /// The next run removes what was left.
    RunWorkerToClean,
    /// The next run gives back the claims of dead workers.
    RecoverClaims,
    /// Move the home to a local disk.
    MoveHome,
    /// Let nobody else look into this directory.
    CloseDirectory(String),
    /// See every problem of the configuration with its place.
    SeeEveryProblem,
    /// Switch the hooks on again.
    SwitchHooksOn,
    /// List this project, so that its inbox is looked into.
    ListProject,
    /// See why nobody takes what lies in this directory.
    LookAtInbox(String),
}

/// How a surface says an advice.
pub type Wording = fn(&Advice) -> String;

impl Advice {
    /// In words that name no command: the wording of a program that is no surface.
    #[must_use]
    pub fn in_words(&self) -> String {
        self.to_string()
    }
}

impl From<String> for Advice {
    fn from(words: String) -> Self {
        Advice::Words(words)
    }
}

impl From<&str> for Advice {
    fn from(words: &str) -> Self {
        Advice::Words(words.to_owned())
    }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Advice as A;
        match self {
            A::Words(words) => f.write_str(words),
            A::Home(home) => home.fmt(f),
            A::MakeHome => f.write_str("make the home first, or name another one"),
            A::MakeMemory => {
                f.write_str("make the knowledge bases of facts and sessions first, or name another one")
            }
            A::MakeMissing => f.write_str("make what is missing in the home"),
            A::ListJobs => f.write_str("look for it among the jobs of every state"),
            A::DeclareAgain(id) => {
                write!(f, "see how job {id} ended; declare its entries again if they are wanted")
            }
            A::SeeWhatItWaitsFor(id) => write!(f, "see what job {id} waits for"),
            A::ResolveWithoutSides(id) => write!(f, "retry, edit or discard job {id}"),
            A::TakeANewKey(id) => write!(f, "see what job {id} says; what is new needs a key of its own"),
            A::SeeOutcome(id) => write!(f, "see what became of job {id}"),
            A::SeeJob(id) => write!(f, "see job {id}"),
            A::PutBackByHand => f.write_str("put the document back by hand"),
            A::SeeVersions(document) => write!(f, "see which versions of {document} are kept"),
            A::CheckDeclaration => f.write_str("nothing was enqueued; mend the declaration"),
            A::CheckConfiguration => f.write_str("mend the configuration"),
            A::PutConfigurationBack(kept) => write!(f, "put it back; what it said last is in {kept}"),
            A::FreeSpace => f.write_str("free some space: what is older than retention keeps can go"),
            A::RunWorker => f.write_str("is a worker running? it merges what waits"),
            A::ListItems => f.write_str("look at the items there are, the retired ones too"),
            A::ListPlanned => f.write_str("see what is planned"),
            A::LeaveInProject => f.write_str(
                "in an agent's sandbox? leave the declaration in the project, as .agents/NAME.md.yaml",
            ),
            A::Release(id) => write!(f, "release job {id}"),
            A::Edit(id) => write!(f, "edit job {id}"),
            A::DiscardAndKeep(id) => write!(f, "discard job {id}: its file is kept beside its receipt"),
            A::ResolveSome => f.write_str("decide about what failed"),
            A::ReviewSome => f.write_str("say yes or no to what is proposed"),
            A::Resolve(id) => write!(f, "retry, edit or discard job {id}"),
            A::LookAgain(id) => write!(f, "see what job {id} says now, then approve or reject it"),
            A::Review(id) => write!(f, "approve or reject job {id}"),
            A::EditOrDiscard(id) => write!(f, "edit or discard job {id}"),
            A::RetryOrDiscard(id) => write!(f, "retry or discard job {id}"),
            A::Discard(id) => write!(f, "discard job {id}"),
            A::PutTextByHand(id) | A::PutThisTextByHand(id) => {
                write!(f, "put into the document what should be there, then discard job {id}")
            }
            A::TryWithoutWriting => {
                f.write_str("look at the kernel's log for out-of-memory kills; try the job without writing")
            }
            A::CheckDocument(id) => write!(
                f,
                "nobody can tell whether it took effect: look at the document, then retry job {id}, or discard it if \
                 its change is there"
            ),
            A::WriteAgain(id) => write!(
                f,
                "an editor may have saved what it had loaded before: approve job {id} to write it again, or reject it \
                 if it was meant to go"
            ),
        }
    }
}

impl fmt::Display for HomeAdvice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use HomeAdvice as A;
        match self {
            A::SeeWhatIsOld => f.write_str("see what is older than retention keeps"),
            A::ScheduleWorker => f.write_str("schedule a worker, or run one by hand"),
            A::RunWorkerToSeeWhy => {
                f.write_str("the next run of a worker tries again, and says what is wrong")
            }
            A::RunWorkerToClean => f.write_str("the next run of a worker removes them"),
            A::RecoverClaims => f.write_str("the next run of a worker recovers them"),
            A::MoveHome => f.write_str("move the home to a folder on a local disk"),
            A::CloseDirectory(dir) => write!(f, "take from others the permission to look into {dir}"),
            A::SeeEveryProblem => f.write_str("check the configuration: every problem has a place in it"),
            A::SwitchHooksOn => {
                f.write_str("switch the hooks on: in the configuration, and by removing `disabled`")
            }
            A::ListProject => f.write_str("list the project in the configuration"),
            A::LookAtInbox(dir) => {
                write!(f, "the next run of a worker says why; look at who owns {dir} and who can write to it")
            }
        }
    }
}
