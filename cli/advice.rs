//! What can be done next, as commands to type. The only place where an advice of the libraries becomes one.

use declaration::advice::Advice;

/// The sentence with its command.
pub fn sentence(advice: &Advice) -> String {
    use Advice as A;
    match advice {
        A::MakeHome => "make it with `last-word init`, or name another with --home".to_owned(),
        A::MakeMissing => "run `last-word init` to make what is missing".to_owned(),
        A::ListJobs => "`last-word list` shows the jobs of every state".to_owned(),
        A::DeclareAgain(id) => format!(
            "`last-word why {id}` says how it ended; to say it again: last-word show {id} --json | jq '{{version: \"1.0.0\", entries: .job.entries}}' | last-word enqueue -"
        ),
        A::SeeWhatItWaitsFor(id) => format!("`last-word show {id}` says what it waits for"),
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

/// What is kept with a job or a file in `staging/`, for whoever reads it there.
fn of_one_that_waits(advice: &Advice) -> String {
    use Advice as A;
    match advice {
        A::Resolve(id) => format!("last-word resolve {id}   (or --retry, --edit, --discard)"),
        A::Review(id) => format!("last-word review {id} --approve   (or --reject)"),
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
            "an editor may have saved what it had loaded before: `last-word review {id} --approve` writes it \
             again, `--reject` if it was meant to go"
        ),
        // Words that name no command are said as they are.
        other => other.in_words(),
    }
}
