//! The frame of every screen: navigation, what waits, and what the last form did.

use crate::Page;
use engine::{DocKey, Failure, State};
use std::sync::PoisonError;

/// Where jobs are that the worker would look at.
const QUEUED: [State; 2] = [State::Pending, State::Deferred];

/// The frame of a screen.
#[derive(Debug, Clone)]
pub(crate) struct Shell {
    pub(crate) title: String,
    /// The path that all addresses begin with.
    pub(crate) base: String,
    /// The token that every form has.
    pub(crate) token: String,
    /// Whether a person decides here, or it only shows.
    pub(crate) decides: bool,
    pub(crate) home: String,
    pub(crate) failed: usize,
    pub(crate) review: usize,
    pub(crate) said: Option<Said>,
    /// What the script may reload by itself; nothing on a screen where that would disturb.
    pub(crate) live: bool,
}

/// What the last form did.
#[derive(Debug, Clone)]
pub(crate) struct Said {
    pub(crate) text: String,
    /// Whether it failed.
    pub(crate) bad: bool,
    /// Whether it put something into the queue: the next screen offers to merge it.
    pub(crate) queued: bool,
}

impl Said {
    /// A success.
    pub(crate) fn good(text: impl Into<String>) -> Said {
        Said { text: text.into(), bad: false, queued: false }
    }

    /// Something is not.
    pub(crate) fn bad(text: impl Into<String>) -> Said {
        Said { bad: true, ..Said::good(text) }
    }

    /// The same, of what put something into the queue, if it did.
    pub(crate) fn queued(self, queued: bool) -> Said {
        Said { queued, ..self }
    }
}

impl Shell {
    /// Whether the screen is this view, or one of what it lists.
    pub(crate) fn is_at(&self, view: &str) -> bool {
        self.title.strip_prefix(view).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
    }

    /// Whether the last form put something into the queue, so that merging it is offered beside what is said of it.
    pub(crate) fn offers_merge(&self) -> bool {
        self.decides && self.said.as_ref().is_some_and(|said| said.queued)
    }

    /// The frame of a screen with this title. What the last form did is shown once.
    pub(crate) fn new(page: &Page, title: impl Into<String>) -> Shell {
        let waits = |state| page.home.jobs_in(state).map_or(0, |jobs| jobs.len());
        let said = page.said.lock().unwrap_or_else(PoisonError::into_inner).take();
        Shell {
            title: title.into(),
            base: page.base().to_owned(),
            token: page.keys.form_token().to_owned(),
            decides: page.person.is_some(),
            home: page.home.short(page.home.layout().home()),
            failed: waits(State::Failed),
            review: waits(State::Review),
            said,
            live: false,
        }
    }
}

impl Page {
    /// Adds a sentence to what a form did.
    pub(crate) fn say_also(&self, text: &str) {
        if let Some(said) = self.said.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            said.text.push('\n');
            said.text.push_str(text);
        }
    }

    /// How many jobs the worker would look at.
    pub(crate) fn queued(&self) -> usize {
        QUEUED.into_iter().map(|state| self.home.jobs_in(state).map_or(0, |jobs| jobs.len())).sum()
    }

    /// How many jobs for this document the worker would look at.
    pub(crate) fn queued_for(&self, doc: &DocKey) -> Result<usize, Failure> {
        let of = |state| Ok(self.home.jobs_in(state)?.iter().filter(|job| job.doc == *doc).count());
        QUEUED.into_iter().map(of).sum()
    }

    /// Keeps what a form did, for the next screen to show.
    pub(crate) fn say(&self, said: Said) {
        *self.said.lock().unwrap_or_else(PoisonError::into_inner) = Some(said);
    }
}
