//! Turns a form into an action of the engine, and its result into a sentence.

use crate::Page;
use crate::routes::Fields;
use crate::shell::Said;
use crate::views::overview::ran;
use engine::{Action, ApprovedWords, Caller, Decisions, Exit, Failure, Listed, State, Turn, Worker};

impl Page {
    /// Who asks: the person, where the page was started.
    pub(crate) fn caller(&self) -> Caller {
        Caller::program(&self.cwd)
    }

    /// A worker of the person's, which stops when the page does.
    pub(crate) fn worker(&self) -> Result<Worker, Failure> {
        Ok(self.given.worker(self.caller(), self.who(None)?.name).control(self.control.clone()))
    }

    /// The person's decisions, with the reason they typed.
    pub(crate) fn decisions(&self, fields: &Fields) -> Result<Decisions, Failure> {
        Ok(self.home.decisions(self.caller(), self.who(fields.said("reason"))?))
    }

    /// Does what a form asks for with the job that it showed.
    pub(crate) fn decide(&self, listed: &Listed, fields: &Fields) -> Result<(), Failure> {
        let decisions = self.decisions(fields)?;
        let action = self.action(&decisions, listed, fields)?;
        let word = fields.get("action").to_owned();
        let now_in = decisions.one(listed, action).map_err(|undecided| undecided.failure)?;
        let said = Said::good(match (word.as_str(), now_in) {
            ("reject", _) => "Rejected: its document stays as it is.",
            ("discard", _) => "Discarded: its document stays as it is.",
            ("ours", _) => "The document's side is kept: it stays as it is.",
            ("approve", _) => {
                "Approved. It is written when the last proposal is decided, or at the next run of the worker."
            }
            ("edit", _) if listed.state == State::Review => {
                "Approved in your words. They are written when the last proposal is decided, or at the next run of the worker."
            }
            (_, State::Done) => "It has ended.",
            _ => "It waits now to be written.",
        });
        let of_review = listed.state == State::Review;
        self.say(match self.written_with_the_last(listed) {
            Some(done) => Said::good(format!("{}\n{done}", decided_in_short(&word))),
            None => said.queued(now_in != State::Done && !of_review),
        });
        Ok(())
    }

    /// Writes what waits once nothing waits for a yes any more, so that what was approved for a document is one version of it; and says
    /// what became of it. `None` where that is not to be had now: then it waits for the worker, as any other change.
    fn written_with_the_last(&self, decided: &Listed) -> Option<String> {
        let is_last = decided.state == State::Review && self.home.jobs_in(State::Review).ok()?.is_empty();
        if !is_last || self.queued() == 0 {
            return None;
        }
        match self.worker().ok()?.work().ok()? {
            Turn::Done(report) if report.handled() > 0 => Some(ran(&report)),
            Turn::Done(_) | Turn::Busy => None,
        }
    }

    fn action(&self, decisions: &Decisions, listed: &Listed, fields: &Fields) -> Result<Action, Failure> {
        let wrong = |why: &str| Failure::new(why).hint("load the page again").exit(Exit::Usage);
        Ok(match fields.get("action") {
            "approve" => {
                let words = fields
                    .said("words")
                    .ok_or_else(|| wrong("nothing stood there that a yes could be for"))?;
                Action::Approve(ApprovedWords::Words(words.to_owned()))
            }
            "reject" => Action::Reject,
            "edit" => self.edited(decisions, listed, fields)?,
            "meant" => {
                let found = self.home.load_listed(listed)?;
                let meant = found.job.as_ref().and_then(|job| self.home.meant(job));
                let meant =
                    meant.ok_or_else(|| wrong("no heading of its document is nearly its own any more"))?;
                Action::Edit(Box::new(meant.job))
            }
            other => plain_action(other).ok_or_else(|| wrong("this form asks for nothing that is known"))?,
        })
    }

    /// A job with other texts: each of its contents as the form has it, or all of its file.
    fn edited(&self, decisions: &Decisions, listed: &Listed, fields: &Fields) -> Result<Action, Failure> {
        let sent = |name: &str| fields.get(name).replace("\r\n", "\n");
        if fields.said("file").is_some() {
            let edited = decisions.edited(listed, sent("file").as_bytes());
            return edited.map_err(|problems| Failure::refused("the edited job", &problems));
        }
        let found = self.home.load_listed(listed)?;
        let contents =
            found.job.iter().flat_map(|job| &job.entries).filter_map(|entry| entry.content.clone());
        let changed: Vec<(String, String)> =
            contents.enumerate().map(|(n, old)| (old, sent(&format!("content{n}")))).collect();
        let change = |text: &str| {
            let new = changed.iter().find(|(old, _)| old == text).map(|(_, new)| new.clone());
            new.unwrap_or_else(|| text.to_owned())
        };
        let edited = decisions.with_texts_changed(listed, &change)?;
        let edited = edited.ok_or_else(|| {
            Failure::new("nothing was changed in it")
                .hint("approve it as it is, or change a word")
                .exit(Exit::Usage)
        })?;
        Ok(edited.action)
    }
}

/// What was decided about the last proposal, where what became of the others is said beside it.
fn decided_in_short(word: &str) -> &'static str {
    match word {
        "approve" => "Approved.",
        "edit" => "Approved in your words.",
        _ => "Rejected. What you approved before it:",
    }
}

/// The actions that need nothing but their name.
pub(crate) fn plain_action(word: &str) -> Option<Action> {
    Some(match word {
        "retry" => Action::Retry,
        "ours" => Action::Ours,
        "theirs" => Action::Theirs(None),
        "discard" => Action::Discard,
        _ => return None,
    })
}
