//! What earlier commits of a repository had: which files are gone since, and the earlier texts of others.

use super::git::{Entries, ObjectId, Objects, TreeEntry};
use drift::{Earlier, Past};
use sha1::{Digest, Sha1};
use std::cell::OnceCell;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::rc::Rc;

/// So many commits are looked at, each against its first parent: what a branch brought is one step.
const COMMITS_MAX: usize = 500;
/// In a larger history what is older stays unknown: trees that are compared, and changed files.
const TREES_MAX: usize = 20_000;
const CHANGES_MAX: usize = 60_000;
/// And entries of trees that are compared, and of the newest commit, files or not: 13 objects can be 10¹² empty directories.
const ENTRIES_MAX: usize = 3_000_000;
const LISTED_MAX: usize = 5 * CHANGES_MAX;
/// A longer path is none of a checkout.
const PATH_BYTES_MAX: usize = 4096;
/// So many earlier texts are read for one question.
const TEXTS_MAX: usize = 1_000;
/// How deep directories may lie in each other.
const DEPTH_MAX: usize = 64;

/// The history of a repository, read when it is first asked for.
pub(super) struct Commits<'a> {
    objects: Objects<'a>,
    /// The text of a file as it is now.
    now: &'a dyn Fn(&str) -> Option<String>,
    read: OnceCell<Steps>,
}

/// What each step changed, from now to the oldest commit that was looked at.
#[derive(Default)]
struct Steps {
    gone: BTreeMap<String, usize>,
    /// The files of the newest commit.
    head: BTreeMap<String, ObjectId>,
    /// Files that differ before and after a step, with what they were before; nothing for one that came.
    changes: Vec<(String, usize, Option<ObjectId>)>,
    trees: usize,
    entries: usize,
}

impl<'a> Commits<'a> {
    /// That of the repository whose `.git` this is.
    pub(super) fn of(
        disk: &'a dyn durable::Disk,
        git: &Path,
        now: &'a dyn Fn(&str) -> Option<String>,
    ) -> Self {
        Commits { objects: Objects::of(disk, git), now, read: OnceCell::new() }
    }

    fn steps(&self) -> &Steps {
        self.read.get_or_init(|| Steps::read(&self.objects).unwrap_or_default())
    }
}

impl Past for Commits<'_> {
    fn gone(&self) -> &BTreeMap<String, usize> {
        &self.steps().gone
    }

    fn earlier(&self, wanted: &dyn Fn(&str) -> bool) -> Vec<Earlier> {
        let steps = self.steps();
        let mut found = Vec::new();
        for (path, id) in steps.head.iter().filter(|(path, _)| wanted(path)) {
            if (self.now)(path).is_none_or(|text| id_of(&text) != *id) {
                found.extend(self.objects.text(id).map(|text| (path, 0, Some(text))));
            }
        }
        let mut read = BTreeSet::new();
        for (path, age, id) in steps.changes.iter().filter(|(path, ..)| wanted(path)) {
            match id {
                None => found.push((path, *age, None)),
                Some(id) if read.len() < TEXTS_MAX => {
                    read.insert(*id);
                    found.extend(self.objects.text(id).map(|text| (path, *age, Some(text))));
                }
                Some(_) => break,
            }
        }
        found.into_iter().map(|(path, age, text)| Earlier { path: path.clone(), age, text }).collect()
    }
}

impl Steps {
    fn read(objects: &Objects<'_>) -> Option<Steps> {
        let mut steps = Steps::default();
        let (mut tree, mut parent) = objects.commit(&objects.head()?)?;
        steps.list(objects, &tree, "", DEPTH_MAX)?;
        for age in 1..=COMMITS_MAX {
            let Some((before, further)) = parent.and_then(|id| objects.commit(&id)) else { break };
            if steps.compare(objects, (Some(before), Some(tree)), "", age).is_none() {
                break;
            }
            (tree, parent) = (before, further);
        }
        // All files of the newest commit may be gone now; the document's repository says which are.
        for path in steps.head.keys() {
            steps.gone.insert(path.clone(), 0);
        }
        Some(steps)
    }

    /// Lists the files of the newest commit.
    fn list(&mut self, objects: &Objects<'_>, tree: &ObjectId, above: &str, depth: usize) -> Option<()> {
        for entry in Entries::of(&objects.tree(tree)?) {
            let path = self.path(above, entry.name).filter(|_| self.entries <= LISTED_MAX)?;
            if entry.is_tree && depth > 0 {
                self.list(objects, &entry.id, &format!("{path}/"), depth - 1)?;
            } else if entry.is_file {
                self.head.insert(path, entry.id);
            }
            if self.head.len() > CHANGES_MAX {
                return None;
            }
        }
        Some(())
    }

    /// The path of an entry, which counts; `None` where there are too many, or it is too long.
    fn path(&mut self, above: &str, name: &str) -> Option<String> {
        self.entries += 1;
        let is_good = self.entries <= ENTRIES_MAX && above.len() + name.len() <= PATH_BYTES_MAX;
        is_good.then(|| format!("{above}{name}"))
    }

    /// Notes what a step changed from one tree to another; `None` where that cannot be read, or is too much.
    fn compare(
        &mut self,
        objects: &Objects<'_>,
        (before, after): (Option<ObjectId>, Option<ObjectId>),
        above: &str,
        age: usize,
    ) -> Option<()> {
        self.trees += 1;
        let too_much = self.trees > TREES_MAX || self.changes.len() > CHANGES_MAX;
        if too_much || above.matches('/').count() > DEPTH_MAX {
            return None;
        }
        let of = |id: Option<ObjectId>| id.map_or_else(|| Some(Rc::default()), |id| objects.tree(&id));
        let (before, after) = (of(before)?, of(after)?);
        let (mut before, mut after) = (Entries::of(&before).peekable(), Entries::of(&after).peekable());
        loop {
            let order = match (before.peek(), after.peek()) {
                (None, None) => return Some(()),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(was), Some(is)) => was.order(is),
            };
            let was = before.next_if(|_| order != Ordering::Greater);
            let is = after.next_if(|_| order != Ordering::Less);
            self.entries += 1;
            if self.entries > ENTRIES_MAX {
                return None;
            }
            if was.map(|was| was.id) != is.map(|is| is.id) {
                self.step(objects, (was, is), above, age)?;
            }
        }
    }

    /// Notes what a step changed of one entry of a tree.
    fn step(
        &mut self,
        objects: &Objects<'_>,
        (was, is): (Option<TreeEntry<'_>>, Option<TreeEntry<'_>>),
        above: &str,
        age: usize,
    ) -> Option<()> {
        let one = was.or(is)?;
        let path = self.path(above, one.name)?;
        if one.is_tree {
            let trees = (was.map(|was| was.id), is.map(|is| is.id));
            return self.compare(objects, trees, &format!("{path}/"), age);
        }
        if was.is_some() && is.is_none() && one.is_file {
            self.gone.entry(path.clone()).or_insert(age);
        }
        if one.is_file {
            self.changes.push((path, age, was.map(|was| was.id)));
        }
        Some(())
    }
}

/// How git names a file with this text.
fn id_of(text: &str) -> ObjectId {
    let hash = Sha1::new().chain_update(format!("blob {}\0", text.len())).chain_update(text);
    hash.finalize().into()
}
