//! Which directories a line may be in: `cd`, `pushd`, what stands behind a condition, shells of their own.

use super::super::{absolute, substitution};
use super::Run;
use super::limits::ELSEWHERE_MAX;
use super::pipes::Output;
use std::path::{Path, PathBuf};

/// The directories of a list of commands.
pub(super) struct Places {
    /// Where it began: `… &` runs it in a shell of its own.
    pub(super) began: PathBuf,
    /// Those in front of each open bracket.
    pub(super) outer: Vec<PathBuf>,
}

impl Run<'_> {
    /// Looks at a command that ends here: by what stands behind it, the next one runs in the same directory or in another.
    pub(super) fn ended(&mut self, op: &str, words: Vec<String>, bodies: &[String], places: &mut Places) {
        let dir = self.cwd.clone();
        self.simple(words, bodies);
        // Each part of a pipe runs in a shell of its own.
        if self.piped || matches!(op, "|" | "|&") {
            self.cwd = dir;
        }
        self.piped = matches!(op, "|" | "|&") || (op == "(" && self.piped);
        self.is_conditional = matches!(op, "&&" | "||");
        match op {
            "(" => places.outer.push(self.cwd.clone()),
            ")" => self.cwd = places.outer.pop().unwrap_or_else(|| self.cwd.clone()),
            "&" => self.cwd.clone_from(&places.began),
            "\n" | ";" | "||" | ";;" => self.may_be_left(),
            _ => {}
        }
        if matches!(op, "\n" | ";" | "&" | "(" | ")" | ";;") {
            places.began.clone_from(&self.cwd);
        }
    }

    /// Behind the end of a list its conditions need not have held.
    pub(super) fn may_be_left(&mut self) {
        for dir in std::mem::take(&mut self.left) {
            if self.elsewhere.len() < ELSEWHERE_MAX && dir != self.cwd && !self.elsewhere.contains(&dir) {
                self.elsewhere.push(dir);
            }
        }
    }

    /// Goes to a directory.
    pub(super) fn enter(&mut self, dir: PathBuf) {
        let left = std::mem::replace(&mut self.cwd, dir);
        if self.is_conditional || self.blocks > 0 {
            self.left.push(left.clone());
        }
        if self.before.len() == ELSEWHERE_MAX {
            self.before.remove(0);
        }
        self.before.push(left);
    }

    /// `cd DIR`, `cd -`, `pushd DIR`, `popd`.
    pub(super) fn change_directory(&mut self, name: &str, named: Option<&String>) {
        let back = name == "popd" || named.is_some_and(|dir| dir == "-");
        let dir = match named.filter(|dir| !dir.is_empty()) {
            _ if back => self.before.pop(),
            Some(dir) => Some(self.by_cdpath(dir).unwrap_or_else(|| self.path(dir))),
            None if name == "pushd" => self.before.pop(),
            None => Some(self.home.clone()),
        };
        let Some(dir) = dir else { return };
        let stays = !self.stops && self.is_missing(&dir);
        let here = self.cwd.clone();
        self.enter(dir);
        // Where there is no such directory, what stands behind the list runs here.
        if stays {
            self.left.push(here);
        }
        if name == "popd" {
            // What it left is no place to go back to.
            self.before.pop();
        }
    }

    /// A directory that `cd` finds by `CDPATH`.
    pub(super) fn by_cdpath(&self, dir: &str) -> Option<PathBuf> {
        let named = self.value("CDPATH").into_iter().filter(|_| !dir.starts_with(['/', '~', '.', '$']));
        let dirs: Vec<PathBuf> = named
            .flat_map(|dirs| dirs.split(':').map(str::to_owned).collect::<Vec<_>>())
            .filter(|parent| !parent.is_empty() && !parent.starts_with('$'))
            .map(|parent| self.path(&parent).join(dir))
            .collect();
        dirs.into_iter().find(|dir| !self.files.is_missing(dir))
    }

    /// Whether there is no such directory, as far as the line does not make it.
    pub(super) fn is_missing(&self, dir: &Path) -> bool {
        let text = dir.to_string_lossy();
        let Some(name) = dir.file_name().map(|name| name.to_string_lossy()) else { return false };
        let is_known = !text.contains(['$', '`', '*', '?', '[']) && !text.contains(substitution::MADE);
        let is_made = || {
            let makes = |words: &&Vec<String>| !matches!(words[0].as_str(), "cd" | "pushd");
            self.found.commands.iter().filter(makes).flatten().any(|word| word.contains(&*name))
        };
        is_known && self.files.is_missing(dir) && !is_made()
    }

    /// Walks through a text that a shell of its own runs.
    pub(super) fn apart(&mut self, command: &str) -> Option<Output> {
        let (cwd, elsewhere) = (self.cwd.clone(), self.elsewhere.clone());
        let state = (self.is_conditional, self.blocks);
        let (left, before) = (std::mem::take(&mut self.left), self.before.clone());
        (self.is_conditional, self.blocks) = (false, 0);
        let searched = self.searched.clone();
        let output = self.walked(command);
        self.searched = searched;
        (self.cwd, self.elsewhere, self.left, self.before) = (cwd, elsewhere, left, before);
        (self.is_conditional, self.blocks) = state;
        output
    }

    pub(super) fn path(&self, word: &str) -> PathBuf {
        absolute(word, &self.home, &self.cwd)
    }
}
