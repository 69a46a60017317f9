//! What can be done next, as commands to type. The only place that turns an advice of the libraries into a command.

use crate::install::schedule::BESIDE_CRON;
use declaration::advice::{Advice, HomeAdvice};

/// The sentence with its command.
pub fn sentence(advice: &Advice) -> String {
    crate::own_name::typed(&plain(advice)).into_owned()
}

fn plain(advice: &Advice) -> String {
    use Advice as A;
    match advice {
        A::Home(home) => of_the_home(home),
        A::MakeHome => "make it with `last-word init`, or name another with --home".to_owned(),
        A::MakeMemory => "`last-word init --memory` makes it, or name a knowledge base with --to".to_owned(),
        A::MakeMissing => "run `last-word init` to make what is missing".to_owned(),
        A::ListItems => "`last-word item list --all` shows all of them, the retired ones too".to_owned(),
        A::ListJobs => "`last-word list` shows the jobs of every state".to_owned(),
        A::DeclareAgain(id) => format!(
            "`last-word why {id}` says how it ended; to say it again: last-word show {id} --json | jq '{{version: \"1.0.0\", entries: .job.entries}}' | last-word enqueue -"
        ),
        A::SeeWhatItWaitsFor(id) => format!("`last-word why {id}` says what it waits for"),
        A::ResolveWithoutSides(id) => format!("last-word resolve {id} --retry, --edit or --discard"),
        A::TakeANewKey(id) => format!(
            "`last-word show {id}` has what it says; what is new needs a key of its own, e.g. with a checksum of its text in it"
        ),
        A::SeeOutcome(id) => format!("`last-word verify {id}` says what became of it"),
        A::SeeJob(id) => format!("last-word show {id}"),
        A::PutBackByHand => "put the document back by hand: `last-word diff` prints the change".to_owned(),
        A::SeeVersions(document) => format!("`last-word history {document}` shows which versions are kept"),
        A::CheckDeclaration => {
            "nothing was enqueued; `last-word validate FILE` checks a file without enqueuing it".to_owned()
        }
        A::CheckConfiguration => "last-word validate".to_owned(),
        A::PutConfigurationBack(kept) => {
            format!("`last-word init` writes what it said last; without {kept} every setting has its default")
        }
        A::FreeSpace => "free some space; last-word doctor --fix clears away what is old".to_owned(),
        A::RunWorker => "is a worker running? `last-word work` merges what waits".to_owned(),
        A::ListPlanned => "last-word plan --list".to_owned(),
        A::LeaveInProject => {
            "in an agent's sandbox? ask to run this outside of it, or leave the declaration in the project, as \
             .agents/NAME.md.yaml (`last-word schema` says how it looks)"
                .to_owned()
        }
        A::Release(id) => format!("last-word release {id}"),
        A::LookAgain(id) => format!(
            "`last-word show {id}` has what it says now; `last-word review {id}` on a terminal shows it and asks"
        ),
        A::Edit(id) => format!("last-word resolve {id} --edit"),
        A::DiscardAndKeep(id) => format!("last-word resolve {id} --discard keeps it beside its receipt"),
        A::ResolveSome => "last-word resolve".to_owned(),
        A::ReviewSome => "last-word review".to_owned(),
        waiting => of_one_that_waits(waiting),
    }
}

/// The sentence about a home and what runs it.
fn of_the_home(advice: &HomeAdvice) -> String {
    use HomeAdvice as A;
    match advice {
        A::SeeWhatIsOld => "last-word prune --dry-run".to_owned(),
        A::ScheduleWorker => {
            format!("schedule it: last-word install cron or {BESIDE_CRON}; by hand: last-word work")
        }
        A::RunWorkerToSeeWhy => "last-word work tries again, and says what is wrong".to_owned(),
        A::RunWorkerToClean => "the next last-word work removes them".to_owned(),
        A::RecoverClaims => "the next last-word work recovers them; or last-word doctor --fix".to_owned(),
        A::MoveHome => {
            "move the home to a local folder: --home, LAST_WORD_HOME or XDG_CONFIG_HOME name it".to_owned()
        }
        A::CloseDirectory(dir) => format!("chmod 700 {dir}; or last-word doctor --fix"),
        A::SeeEveryProblem => "last-word validate names every place".to_owned(),
        A::SwitchHooksOn => "`enabled: true` in config.yaml; no file `disabled` in the home".to_owned(),
        A::ListProject => "last-word init --project".to_owned(),
        A::LookAtInbox(dir) => format!("last-word work says why; look with ls -ld {dir}"),
    }
}

/// The sentence that is kept with a job or a file in `staging/`, for whoever reads it there.
fn of_one_that_waits(advice: &Advice) -> String {
    use Advice as A;
    match advice {
        A::Resolve(id) => format!("last-word resolve {id}   (or --retry, --edit, --discard)"),
        A::Review(id) => format!("last-word review {id}   (shows it and asks; `last-word show {id}` only shows it)"),
        A::EditOrDiscard(id) => format!("last-word resolve {id} --edit   (or --discard)"),
        A::RetryOrDiscard(id) => format!("last-word resolve {id} --retry   (or --discard)"),
        A::Discard(id) => format!("last-word resolve {id} --discard"),
        A::PutTextByHand(id) => format!(
            "`last-word show {id}` has the text: put into the document what should be there, then `last-word resolve \
             {id} --discard`"
        ),
        A::PutThisTextByHand(id) => {
            format!("put into the document what should be there, then last-word resolve {id} --discard")
        }
        A::TryWithoutWriting => {
            "look at the kernel's log for out-of-memory kills; `last-word apply --dry-run` tries it without writing"
                .to_owned()
        }
        A::CheckDocument(id) => format!(
            "nobody can tell whether it took effect: look at the document, then `last-word resolve {id} --retry`, or `--discard` if its change is there"
        ),
        A::WriteAgain(id) => format!(
            "an editor may have saved what it had loaded before: `last-word review {id}` shows it; approve it there to \
             write it again, reject it if it was meant to go"
        ),
        // An advice that names no command is said as it is.
        other => other.in_words(),
    }
}
