//! What a form showed, in a few letters. A form that decides sends it along, and where its screen would show something else by now,
//! nothing is done: another tab decided, an editor saved, or the Back button brought an old screen.

use crate::Page;
use crate::diff::{self, DiffLine};
use crate::routes::Fields;
use crate::shell::Said;
use engine::{Failure, Listed, State};
use std::hash::{DefaultHasher, Hash, Hasher};

/// What a screen shows, as far as its form decides about it.
pub(crate) struct Seen<'p> {
    page: &'p Page,
    hasher: DefaultHasher,
}

impl Page {
    /// Begins to note what a screen shows. The token comes first: nobody else knows it, and so nobody can write a text that has the
    /// stamp of another one.
    pub(crate) fn seen(&self) -> Seen<'_> {
        let mut hasher = DefaultHasher::new();
        self.keys.form_token().hash(&mut hasher);
        Seen { page: self, hasher }
    }
}

impl Seen<'_> {
    /// The same with a text.
    pub(crate) fn text(mut self, text: &str) -> Self {
        text.hash(&mut self.hasher);
        self
    }

    /// The same with a job that waits for a person: its file to the byte has its words, why it waits and both sides of a conflict. To be
    /// noted before the job is read for the screen: what is changed in between makes the form an old one.
    pub(crate) fn job(mut self, listed: &Listed) -> Self {
        let file = self.page.home.staged_text(listed).ok();
        (listed.id.to_string(), listed.state.as_str(), file).hash(&mut self.hasher);
        self
    }

    /// The same with these jobs.
    pub(crate) fn jobs(self, jobs: &[Listed]) -> Self {
        jobs.iter().fold(self, Seen::job)
    }

    /// The same with the heading that a failed job would be given, which depends on its document.
    pub(crate) fn meant(self, listed: &Listed) -> Self {
        let home = &self.page.home;
        let failed = Some(listed).filter(|listed| listed.state == State::Failed);
        let job = failed.and_then(|listed| home.load_listed(listed).ok()?.job);
        let heading = job.and_then(|job| home.meant(&job)).map(|meant| meant.heading);
        self.text(&heading.unwrap_or_default())
    }

    /// The same with what the yes to a proposal would change, and in what: the sections before and after, as the screen has them, and
    /// the lines that belong to none. What the person said yes to before is taken as written: it is no news when a worker does so. A
    /// change elsewhere in the document leaves this as it is.
    fn change(mut self, listed: &Listed) -> Self {
        let is_proposal = listed.state == State::Review;
        let preview =
            is_proposal.then(|| self.page.home.preview_behind_approved(listed).ok()).flatten().flatten();
        if let Some(preview) = preview {
            let refused = preview.refused.map(|refused| refused.code.to_string());
            (refused, preview.moved, preview.sections).hash(&mut self.hasher);
            let lines = diff::lines(&preview.diff).into_iter().filter(DiffLine::is_change);
            let lines = lines.filter(|line| !is_our_stamp(line));
            lines.for_each(|line| line.text.hash(&mut self.hasher));
        }
        self
    }

    /// The stamp, which a form sends along as `seen`.
    pub(crate) fn stamp(self) -> String {
        format!("{:016x}", self.hasher.finish())
    }
}

/// Whether a line of a diff is what each merge writes into the front matter, wherever it changed the document.
fn is_our_stamp(line: &DiffLine) -> bool {
    let text = line.text.get(1..).unwrap_or_default();
    ["updated_at:", "source:"].iter().any(|key| text.starts_with(key))
}

/// What a form about one job is for.
pub(crate) enum Shown {
    /// The job as it waits now.
    Now(Listed),
    /// A job that does not wait there any more.
    Decided(Listed),
    /// What the job does not say any more.
    Changed(Listed),
}

impl Page {
    /// The stamp of the screen of one job.
    pub(crate) fn seen_of(&self, listed: &Listed) -> String {
        self.seen().job(listed).meant(listed).change(listed).stamp()
    }

    /// What a form about a job that waits in this state is for. An old one is told.
    ///
    /// # Errors
    /// There is no such job; a disk error.
    pub(crate) fn shown(&self, id: &str, state: State, fields: &Fields) -> Result<Shown, Failure> {
        self.home.give_back_staged()?;
        let listed = self.home.find(id)?;
        if listed.state != state {
            self.say(Said::bad("Nothing was done: it was decided already. This is what became of it."));
            return Ok(Shown::Decided(listed));
        }
        if fields.get("seen") != self.seen_of(&listed) {
            self.say(Said::bad(
                "Nothing was done: it, or its document, was changed since you looked. This is what there is now.",
            ));
            return Ok(Shown::Changed(listed));
        }
        Ok(Shown::Now(listed))
    }
}
