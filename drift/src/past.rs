//! What a repository had before: the surest sign that a name which is nowhere now was once one of its own. A document means it only
//! where it named it already when it was there: what is named afterwards may be a reader's.

use crate::Look;
use crate::evidence::{is_for_developers, is_usual};
use crate::tree::{joined, name_of};
use std::collections::{BTreeMap, BTreeSet};

/// What earlier states of a repository had. An *age* counts the steps back: 0 is the newest commit, 1 the one before it.
pub trait Past {
    /// The files of the newest commit, and those that are gone since an older one, each with the age of the newest state that has it.
    fn gone(&self) -> &BTreeMap<String, usize>;
    /// Earlier texts of the files that are wanted, where they differ from what came next.
    fn earlier(&self, wanted: &dyn Fn(&str) -> bool) -> Vec<Earlier>;
}

/// A file as it was at some age, until the next step changed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Earlier {
    /// Its path.
    pub path: String,
    /// When that was.
    pub age: usize,
    /// Its text; nothing where it was not there.
    pub text: Option<String>,
}

/// Files that are gone, as they are looked up.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gone {
    /// By their last part, and by that of each directory that is gone.
    named: BTreeMap<String, Vec<(String, usize)>>,
}

impl Gone {
    fn of(look: &Look<'_>, past: &dyn Past) -> Gone {
        let mut all: BTreeMap<&str, usize> = BTreeMap::new();
        for (path, age) in past.gone() {
            let mut part = path.as_str();
            while !look.tree.has(part) && !look.tree.is_made(part) {
                let known = all.entry(part).or_insert(*age);
                *known = (*known).min(*age);
                part = part.rsplit_once('/').map_or("", |(above, _)| above);
            }
        }
        let mut named: BTreeMap<String, Vec<(String, usize)>> = BTreeMap::new();
        for (path, age) in all {
            named.entry(name_of(path).to_owned()).or_default().push((path.to_owned(), age));
        }
        Gone { named }
    }
}

fn bare(path: &str) -> &str {
    path.trim_start_matches("./").trim_end_matches('/')
}

impl Look<'_> {
    /// Whether earlier commits are known.
    pub(crate) fn has_past(&self) -> bool {
        self.past.is_some_and(|past| !past.gone().is_empty())
    }

    /// Whether a path that a line names was there when the document named it already and is not now: from its directory, or one above it,
    /// or as the end of a longer path.
    pub(crate) fn was_there(&self, path: &str, line: usize) -> bool {
        self.was_whole(path) || self.was_end(path, line)
    }

    /// The same, written whole from the directory of the document or one above it.
    pub(crate) fn was_whole(&self, path: &str) -> bool {
        let bare = bare(path);
        let whole: BTreeSet<String> = self.document.dirs().filter_map(|dir| joined(dir, bare)).collect();
        !whole.iter().any(|path| self.tree.has(path)) && self.was(bare, &|known| whole.contains(known))
    }

    /// The same, as the end of a longer path: what is for readers has short ends (`utils/api.ts`) for what they make.
    fn was_end(&self, path: &str, line: usize) -> bool {
        let bare = bare(path);
        let is_long = bare.matches('/').count() > 1 && !is_usual(bare);
        let is_own = is_long || bare.contains('/') && is_for_developers(self.document, line);
        // Below its own directory a document names what is there.
        let dir = self.document.dir();
        let is_below = |above: &str| {
            bare.contains('/')
                && !dir.is_empty()
                && above.strip_prefix(dir).is_some_and(|rest| rest.starts_with('/'))
        };
        let is_end = |known: &str| {
            let above = known.strip_suffix(bare).filter(|above| above.ends_with('/'));
            above.is_some_and(|above| is_own || is_below(above))
        };
        self.was(bare, &is_end)
    }

    fn was(&self, bare: &str, is_meant: &dyn Fn(&str) -> bool) -> bool {
        let Some(past) = self.past.filter(|_| self.tree.is_complete()) else { return false };
        let gone = self.tree.gone.get_or_init(|| Gone::of(self, past));
        let Some(of_name) = gone.named.get(name_of(bare)) else { return false };
        of_name.iter().any(|(known, age)| is_meant(known) && self.said(bare, *age))
    }

    /// Whether the document said this at that age.
    pub(crate) fn said(&self, says: &str, age: usize) -> bool {
        let Some(past) = self.past else { return false };
        let own = self.asides.own_past.get_or_init(|| past.earlier(&|path| path == self.document.path));
        let then = own.iter().filter(|earlier| earlier.age <= age).max_by_key(|earlier| earlier.age);
        match then {
            Some(earlier) => earlier.text.as_ref().is_some_and(|text| text.contains(says)),
            None => self.document.text.contains(says),
        }
    }

    /// Whether one of these files once had a name, as `has` tells from its text, when the document said this already.
    pub(crate) fn once_had(
        &self,
        files: &dyn Fn(&str) -> bool,
        says: &str,
        has: &dyn Fn(&str) -> bool,
    ) -> bool {
        let Some(past) = self.past else { return false };
        let earlier = past.earlier(files);
        let texts = earlier.iter().filter_map(|earlier| Some((earlier.age, earlier.text.as_ref()?)));
        texts.into_iter().any(|(age, text)| has(text) && self.said(says, age))
    }

    /// The paths of files of these names in the directory of the document and in those above it.
    pub(crate) fn beside_and_above(&self, names: &[&str]) -> BTreeSet<String> {
        let dirs = self.document.dirs();
        dirs.flat_map(|dir| names.iter().filter_map(move |name| joined(dir, name))).collect()
    }
}
