//! Reads stores within limits. A file that is too large or not text is recorded as left out, a missing one is ignored, and nothing
//! is waited for. Opens nothing for writing.

use crate::FoundMemories;
use crate::export::EXPORTED;
use crate::markdown::{self, Form, SaidPiece};
use durable::{Disk, FileKind};
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// Bytes of one file that are read.
pub const FILE_BYTES_MAX: u64 = 5 << 20;
/// Names below one folder that are looked at.
const NAMES_MAX: usize = 20_000;
/// Folders with the files of other authors, like `node_modules`.
const PACKAGES: [&str; 3] = ["node_modules", "target", "vendor"];
/// Folders below one another that are searched.
const DEPTH_MAX: usize = 8;
/// Imports of imports that are followed.
const HOPS_MAX: usize = 4;
/// How many bytes at the beginning of a transcript are searched for its directory.
const HEAD_BYTES: u64 = 256 << 10;

/// Endings of files whose text is shown although it is not taken over.
const DOCUMENT_ENDINGS: [&str; 3] = ["md", "mdc", "markdown"];
/// Why a link that leads out of its folder or project is left out.
pub(crate) const LINK_ELSEWHERE: &str = "it is a link to somewhere else";

/// Where the stores of a person are.
#[derive(Clone, Copy)]
pub struct MemoryStore<'a> {
    /// The disk.
    pub disk: &'a dyn Disk,
    /// The person's home directory.
    pub home: &'a Path,
    /// The project to look into as well.
    pub project: Option<&'a Path>,
    /// A directory that was named to be read, outside of which nothing is: its settings name no file of somebody else's.
    pub within: Option<&'a Path>,
    /// Reads an environment variable with which a user can move the store of a system.
    pub variable: &'a dyn Fn(&str) -> Option<PathBuf>,
}

/// A file that was read.
pub(crate) struct Text {
    pub path: PathBuf,
    /// Its text, without a byte order mark, with lines that end in `\n`.
    pub text: String,
    /// Whether it was exported from here: its items are to be read back as they are.
    pub is_export: bool,
}

impl MemoryStore<'_> {
    /// The folder of a system: the one that its variable names, else this one below the home directory.
    pub(crate) fn folder(&self, variable: &str, below_home: &str) -> PathBuf {
        (self.variable)(variable).unwrap_or_else(|| self.home.join(below_home))
    }

    /// The text of a file; `None` if it does not exist. A file that cannot be read is recorded as left out.
    pub(crate) fn text(&self, system: &'static str, path: &Path, found: &mut FoundMemories) -> Option<Text> {
        let bytes = self.bytes(system, path, found)?;
        match String::from_utf8(bytes) {
            Ok(text) => {
                let text = text.strip_prefix('\u{feff}').unwrap_or(&text).replace("\r\n", "\n");
                let is_export = text.contains(EXPORTED);
                Some(Text { path: path.to_owned(), text, is_export })
            }
            Err(_) => {
                found.leave_out(system, path, 0, "", "it is not UTF-8 text");
                None
            }
        }
    }

    /// The same as bytes.
    pub(crate) fn bytes(
        &self,
        system: &'static str,
        path: &Path,
        found: &mut FoundMemories,
    ) -> Option<Vec<u8>> {
        let stat = match self.disk.stat(path) {
            Ok(stat) => stat.filter(|stat| stat.kind == FileKind::File)?,
            Err(_) => {
                found.leave_out(system, path, 0, "", "it cannot be looked at");
                return None;
            }
        };
        if self.leads_out_of_the_project(path) {
            found.leave_out(system, path, 0, "", LINK_ELSEWHERE);
            return None;
        }
        let of_project = || self.project.is_some_and(|project| path.starts_with(project));
        if self.within.is_some_and(|dir| !self.disk.is_within(path, dir)) && !of_project() {
            found.leave_out(system, path, 0, "", "it lies outside of the directory that was named");
            return None;
        }
        if stat.len > FILE_BYTES_MAX {
            found.leave_out(system, path, 0, "", "it is larger than 5 MB");
            return None;
        }
        match self.disk.read(path, FILE_BYTES_MAX) {
            Ok(bytes) if self.disk.stat(path).is_ok_and(|now| now == Some(stat)) => Some(bytes),
            Ok(_) => {
                found.leave_out(system, path, 0, "", "it changed while it was read; run it again");
                None
            }
            Err(_) => {
                found.leave_out(system, path, 0, "", "it cannot be read");
                None
            }
        }
    }

    /// Whether a file of the project is, or lies below, a symbolic link that leads out of the project. With such a link a repository
    /// could make agents learn the text of somebody else's file.
    pub(crate) fn leads_out_of_the_project(&self, path: &Path) -> bool {
        self.project.is_some_and(|project| path.starts_with(project) && !self.disk.is_within(path, project))
    }

    /// Whether a file or folder is there.
    pub(crate) fn is_there(&self, path: &Path) -> bool {
        self.disk.stat(path).is_ok_and(|stat| stat.is_some())
    }

    /// The names in a folder, sorted; none if it does not exist.
    pub(crate) fn names(&self, folder: &Path) -> Vec<String> {
        let names = self.disk.list(folder).unwrap_or_default();
        let mut names: Vec<String> = names.into_iter().filter_map(|name| name.into_string().ok()).collect();
        names.sort();
        names
    }

    /// The folders in a folder, sorted.
    pub(crate) fn folders(&self, folder: &Path) -> Vec<PathBuf> {
        let paths = self.names(folder).into_iter().map(|name| folder.join(name));
        paths.filter(|path| self.kind(path) == Some(FileKind::Directory)).collect()
    }

    fn kind(&self, path: &Path) -> Option<FileKind> {
        self.disk.stat(path).ok().flatten().map(|stat| stat.kind)
    }

    /// The files below a folder whose name has this ending, in the order of their paths. Hidden folders and those of
    /// package managers are skipped; a link that leads out of the folder is left out, with the reason.
    pub(crate) fn files(
        &self,
        system: &'static str,
        folder: &Path,
        ending: &str,
        found: &mut FoundMemories,
    ) -> Vec<PathBuf> {
        let Ok(root) = self.disk.canonical(folder) else { return Vec::new() };
        let seen = BTreeSet::from([root.clone()]);
        let (files, links) = (Vec::new(), Vec::new());
        let mut walk = Walk { store: self, root, ending, looked_at: 0, seen, files, links };
        walk.folder(folder, 0);
        if walk.looked_at >= NAMES_MAX {
            found.leave_out(system, folder, 0, "", "it holds more than 20,000 files; not all were looked at");
        }
        for link in walk.links {
            found.leave_out(system, link, 0, "", LINK_ELSEWHERE);
        }
        walk.files
    }

    /// A text and the files it imports, each once, imports of imports up to four deep. An import from outside `allowed` is
    /// left out, with the reason; one that is missing is ignored.
    pub(crate) fn with_imports(
        &self,
        system: &'static str,
        path: &Path,
        allowed: &Path,
        found: &mut FoundMemories,
    ) -> Vec<Text> {
        let Some(first) = self.text(system, path, found) else { return Vec::new() };
        let mut seen = BTreeSet::from([first.path.clone()]);
        let mut texts = vec![first];
        let (mut from, mut hop) = (0, 0);
        while from < texts.len() && hop < HOPS_MAX {
            let until = texts.len();
            for at in from..until {
                let importing = texts[at].path.parent().unwrap_or(allowed).to_owned();
                for (line, named) in markdown::imports(&texts[at].text) {
                    let path = self.imported(&importing, &named);
                    if self.kind(&path) != Some(FileKind::File) || !seen.insert(path.clone()) {
                        continue;
                    }
                    if self.disk.is_within(&path, allowed) {
                        texts.extend(self.text(system, &path, found));
                    } else {
                        let why = "it is imported from outside; adopt that file by itself if you want it";
                        found.leave_out(system, texts[at].path.clone(), line, format!("@{named}"), why);
                        self.name_lines(system, &path, why, found);
                    }
                }
            }
            (from, hop) = (until, hop + 1);
        }
        texts
    }

    /// Records every piece of a file as left out. Only a document is shown that way: a repository can import any file of its user's,
    /// and what an agent is shown of this list may go to whoever wrote the import.
    fn name_lines(&self, system: &'static str, path: &Path, why: &'static str, found: &mut FoundMemories) {
        let is_document =
            path.extension().is_some_and(|ending| DOCUMENT_ENDINGS.iter().any(|known| ending == *known));
        if is_document && let Some(text) = self.text(system, path, found) {
            let is_shown = |piece: &SaidPiece| !matches!(piece.form, Form::Code | Form::Unended);
            for piece in markdown::pieces(&text.text).into_iter().filter(is_shown) {
                found.leave_out(system, path, piece.line, piece.text, why);
            }
        }
    }

    fn imported(&self, importing: &Path, named: &str) -> PathBuf {
        let path = match named.strip_prefix("~/") {
            Some(rest) => self.home.join(rest),
            None => importing.join(named),
        };
        let mut plain = PathBuf::new();
        for part in path.components() {
            match part {
                Component::ParentDir => {
                    plain.pop();
                }
                Component::CurDir => {}
                part => plain.push(part),
            }
        }
        plain
    }

    /// The directory that a transcript says it was made in, from its first lines.
    pub(crate) fn directory_said(&self, transcript: &Path) -> Option<PathBuf> {
        let head = self.disk.read_at(transcript, 0, HEAD_BYTES).ok()?;
        let head = String::from_utf8_lossy(&head);
        head.lines().find_map(|line| {
            let said: serde_json::Value = serde_json::from_str(line).ok()?;
            said.get("cwd")?.as_str().map(PathBuf::from)
        })
    }
}

/// A search of a folder.
struct Walk<'w> {
    store: &'w MemoryStore<'w>,
    root: PathBuf,
    ending: &'w str,
    looked_at: usize,
    /// The folders it came to, links resolved: a link to one leads in a circle, or to what is found there.
    seen: BTreeSet<PathBuf>,
    files: Vec<PathBuf>,
    /// Links that lead out of the folder.
    links: Vec<PathBuf>,
}

impl Walk<'_> {
    fn folder(&mut self, folder: &Path, depth: usize) {
        for name in self.store.names(folder) {
            self.looked_at += 1;
            if self.looked_at >= NAMES_MAX {
                return;
            }
            let path = folder.join(&name);
            let into = !name.starts_with('.') && !PACKAGES.contains(&name.as_str()) && depth < DEPTH_MAX;
            match self.store.kind(&path) {
                Some(FileKind::Directory) if into && self.is_new_inside(&path) => {
                    self.folder(&path, depth + 1)
                }
                Some(FileKind::File) if name.ends_with(self.ending) => match self.is_inside(&path) {
                    true => self.files.push(path),
                    false => self.links.push(path),
                },
                _ => {}
            }
        }
    }

    fn is_new_inside(&mut self, folder: &Path) -> bool {
        let real = self.store.disk.canonical(folder).ok().filter(|real| real.starts_with(&self.root));
        real.is_some_and(|real| self.seen.insert(real))
    }

    fn is_inside(&self, path: &Path) -> bool {
        self.store.disk.canonical(path).is_ok_and(|real| real.starts_with(&self.root))
    }
}
