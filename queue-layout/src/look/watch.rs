//! Where a worker that stays looks for signs that there is something to do. A sign is a hint and nothing more: what
//! waits is found by a scan.

use crate::{Layout, State};
use std::path::{Path, PathBuf};

/// What a change in a watched directory is a sign of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// A job may be runnable: something came into `pending/`, or a hold was made or taken away.
    Job,
    /// A declaration was left in the inbox: it is taken in once it has rested.
    Inbox,
    /// The settings changed.
    Settings,
}

impl Sign {
    /// In words.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Sign::Job => "something may be runnable",
            Sign::Inbox => "a declaration was left in the inbox",
            Sign::Settings => "the settings changed, or a signal came",
        }
    }
}

impl Layout {
    /// The directories in which signs appear. `holds/` is made by the first hold and may be missing.
    #[must_use]
    pub fn watched(&self) -> [PathBuf; 3] {
        [self.dir(State::Pending), self.holds(), self.home().to_owned()]
    }

    /// What a file that appeared or changed under a watched directory is a sign of, if of anything.
    #[must_use]
    pub fn sign_of(&self, path: &Path) -> Option<Sign> {
        let dir = path.parent()?;
        if dir == self.dir(State::Pending) || dir == self.holds() {
            return Some(Sign::Job);
        }
        if dir != self.home() {
            return None;
        }
        let name = path.file_name()?.to_str()?;
        match name {
            _ if path == self.config() => Some(Sign::Settings),
            _ if path == self.holds() => Some(Sign::Job),
            _ if name.ends_with(crate::layout::INBOX_ENDING) => Some(Sign::Inbox),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_worker_can_act_on_is_a_sign() {
        let layout = Layout::new("/h");
        let sign = |path: &str| layout.sign_of(Path::new(path));
        assert_eq!(sign("/h/pending/anything.yaml"), Some(Sign::Job));
        assert_eq!(sign("/h/holds/queue.json"), Some(Sign::Job));
        assert_eq!(sign("/h/holds"), Some(Sign::Job));
        assert_eq!(sign("/h/note.md.yaml"), Some(Sign::Inbox));
        assert_eq!(sign("/h/config.yaml"), Some(Sign::Settings));
        for other in
            ["/h/metrics.prom", "/h/.config.yaml.swp", "/h/done/x.json", "/h", "/elsewhere/pending/x"]
        {
            assert_eq!(sign(other), None, "{other}");
        }
    }
}
