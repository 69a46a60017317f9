//! The rules of other homes of the same user: a document that several homes manage keeps to the strictest of all, so that a
//! home that somebody makes elsewhere writes nothing past the rules of the usual one.

use crate::{Home, Notice};
use policy::knowledge_base::Policy;
use policy::reached::{self, OtherRules};
use policy::settings::Settings;
use queue_layout::Layout;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Another home of this user. It need not be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherHome {
    /// Its directory.
    pub dir: PathBuf,
    /// What `~` means in its configuration.
    pub user_home: PathBuf,
}

impl Home {
    /// The same home, whose worker keeps to the rules of these homes too, for documents that they manage.
    #[must_use]
    pub fn beside(mut self, others: Vec<OtherHome>) -> Home {
        self.others = others;
        self
    }

    /// Settings with what is stricter in the other homes for documents that both manage. Where the configuration of one cannot be
    /// read, nobody can tell which documents that are: everything waits for a yes until it can.
    pub(crate) fn bound<'s>(&self, settings: &'s Settings) -> Cow<'s, Settings> {
        let mut bound = Cow::Borrowed(settings);
        for other in self.others_there() {
            let config = other.layout().config();
            bound = match other.settings() {
                Ok(theirs) => self.bound_by(bound, &other, &theirs),
                // One that never had a configuration has no rules.
                Err(_) if matches!(self.disk.stat_link(&config), Ok(None)) && other.last_text().is_none() => {
                    bound
                }
                Err(_) => {
                    self.tell_of_unreadable(&config);
                    waiting(bound)
                }
            };
        }
        bound
    }

    /// What the other homes say, for documents of which it cannot be told before they are found.
    pub(crate) fn other_rules(&self) -> Vec<OtherRules> {
        // One that cannot be read is told, and everything waits.
        let rules = self.others_there().into_iter().filter_map(|other| {
            let kbs = other.settings().ok()?.knowledge_bases;
            Some(OtherRules { kbs, home: other.user_home })
        });
        rules.collect()
    }

    /// The other homes that are there.
    pub(crate) fn others_there(&self) -> Vec<Home> {
        let here = self.canonicalise(self.layout.home()).ok();
        let is_there = |other: &&OtherHome| {
            let is_another = self.canonicalise(&other.dir).ok() != here;
            is_another && self.disk.stat(&other.dir).ok().flatten().is_some()
        };
        let opened = |other: &OtherHome| {
            let (disk, layout) = (Arc::clone(&self.disk), Layout::new(other.dir.as_path()));
            Home::on(disk, layout, other.user_home.clone(), self.host.clone())
        };
        self.others.iter().filter(is_there).map(opened).collect()
    }

    fn tell_of_unreadable(&self, config: &Path) {
        let config = self.short(config);
        let warning = format!(
            "{config} cannot be read, and may have rules for the same documents: changes wait for a yes"
        );
        (self.host.tell)(Notice::Warning(&warning));
    }

    fn bound_by<'s>(
        &self,
        settings: Cow<'s, Settings>,
        other: &Home,
        theirs: &Settings,
    ) -> Cow<'s, Settings> {
        let (here, there) = (self.around(&self.user_home, None), other.around(&other.user_home, None));
        let same_file = |one: &Path, two: &Path| self.documents().is_same_file(one, two);
        let canonicalise = |path: &Path| self.canonicalise(path);
        let kbs = settings.knowledge_bases.iter().map(|kb| {
            reached::bound_by(
                (kb, &here),
                (theirs.knowledge_bases.as_slice(), &there),
                &canonicalise,
                &same_file,
            )
        });
        let kbs: Vec<_> = kbs.collect();
        if kbs == settings.knowledge_bases {
            return settings;
        }
        Cow::Owned(Settings { knowledge_bases: kbs, ..settings.into_owned() })
    }
}

/// The settings with a person's yes for every change.
fn waiting(settings: Cow<'_, Settings>) -> Cow<'_, Settings> {
    let mut settings = settings.into_owned();
    for kb in &mut settings.knowledge_bases {
        if kb.policy == Policy::Auto {
            kb.policy = Policy::Review;
        }
    }
    Cow::Owned(settings)
}
