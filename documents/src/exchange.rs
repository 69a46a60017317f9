//! The steps of a commit on a document's file: stage a new text beside it, exchange the two, look at what came out.

use crate::document::{Document, Present, hash};
use crate::{DOCUMENT_BYTES_MAX, DocumentError, Documents, Result};
use durable::{Attributes, DiskError, FileKind, Moved, Stat};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A new text, complete and durable in a file beside its document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Staged {
    /// That file.
    pub temp: PathBuf,
    /// Hash of its text.
    pub hash: String,
}

/// How an exchange ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exchanged {
    /// The staged text is the document now; the temp file holds what was displaced, which says what was expected.
    AsExpected,
    /// The same; what was displaced says this.
    Displaced(Vec<u8>),
    /// The staged text is the document now, where there was none.
    Created,
    /// A document that should not be there is, or one that should be there is not: nothing was changed.
    Moved,
}

/// "Operation not permitted", on every Unix.
const EPERM: i32 = 1;
const TEMP_MARK: &str = ".last-word-";
/// The longest name of a document that is repeated in those of its temp files: file systems allow 255 bytes.
const NAME_BYTES_MAX: usize = 220;

impl Documents {
    /// Writes a text beside its document, with the mode, the owner and the access list of `like`, and makes file and name durable. `round`
    /// keeps the exchanges of one commit apart; two commits of one document never meet, it is locked.
    ///
    /// # Errors
    /// A disk error; nothing is left behind then.
    pub fn stage(&self, document: &Document, text: &[u8], like: Option<&Stat>, round: u32) -> Result<Staged> {
        let dir = document.directory();
        if like.is_none() {
            self.make_parents(dir)?;
        }
        let temp = dir.join(format!("{}{round}", self.temp_prefix(document)?));
        // Left by runs that died before their intent was durable, or after they removed it.
        if round == 0 {
            self.sweep_beside(document, &[])?;
        } else {
            self.clear(&temp)?;
        }
        match like {
            Some(stat) => {
                let attributes = Attributes { mode: stat.mode, owner: Some((stat.uid, stat.gid)) };
                let old = Some(document.canonical.as_path());
                let written = self.disk.write_resolved(old, &temp, text, attributes);
                written.map_err(|e| self.owner_not_kept(document, stat, e))?;
            }
            None => {
                let attributes = Attributes { mode: self.mode_of_new(dir)?, owner: None };
                self.disk.write_resolved(None, &temp, text, attributes)?;
            }
        }
        // The directory is synced too: recovery takes a missing temp file as proof that it was renamed.
        self.disk.sync_dir(dir)?;
        self.disk.point("commit.staged");
        Ok(Staged { temp, hash: self.known_text().hash_of(text) })
    }

    /// Only root gives files away: where the document is somebody else's no later try can do better.
    fn owner_not_kept(&self, document: &Document, stat: &Stat, e: DiskError) -> DocumentError {
        let is_theirs = stat.uid != self.disk.uid();
        if is_theirs && e.source.raw_os_error() == Some(EPERM) {
            let (uid, gid) = (stat.uid, stat.gid);
            return DocumentError::OwnerNotKept { path: document.path.clone(), uid, gid };
        }
        e.into()
    }

    /// Puts the staged text in the place of the document. `there` says whether there should be one, `expected` what it should say,
    /// where that is known.
    ///
    /// # Errors
    /// A disk error. After one the caller cannot know whether the exchange is durable: it leaves its intent.
    pub fn exchange(
        &self,
        document: &Document,
        temp: &Path,
        there: bool,
        expected: Option<&[u8]>,
    ) -> Result<Exchanged> {
        let path = &document.canonical;
        if !there {
            return match self.disk.move_new(temp, path)? {
                Moved::Done => {
                    self.disk.point("commit.exchanged");
                    self.disk.sync_dir(document.directory())?;
                    Ok(Exchanged::Created)
                }
                Moved::Taken => Ok(Exchanged::Moved),
                Moved::Gone => Err(missing(temp)),
            };
        }
        match self.disk.exchange(temp, path) {
            Ok(()) => {}
            Err(e) if e.kind() == std::io::ErrorKind::Unsupported => {
                return self.exchange_in_steps(document, temp, expected);
            }
            Err(e) if e.kind() == std::io::ErrorKind::NotFound && self.disk.stat_link(path)?.is_none() => {
                return Ok(Exchanged::Moved);
            }
            Err(e) => return Err(e.into()),
        }
        self.disk.point("commit.exchanged");
        self.disk.sync_dir(document.directory())?;
        match self.came_out(temp, expected)? {
            Some(exchanged) => Ok(exchanged),
            None => {
                // What was displaced is a directory, put there meanwhile: it is exchanged back.
                self.disk.exchange(temp, path)?;
                self.disk.sync_dir(document.directory())?;
                Err(DocumentError::NotAFile(path.clone()))
            }
        }
    }

    /// How an exchange ended that displaced this file; `None` when it is no regular one.
    fn came_out(&self, temp: &Path, expected: Option<&[u8]>) -> Result<Option<Exchanged>> {
        // Compared as it is read: no copy of it is needed where nobody saved.
        if let Some(expected) = expected
            && let Some(stat) = self.disk.stat_link(temp)?
            && (stat.kind, stat.len) == (FileKind::File, expected.len() as u64)
            && self.file_says(temp, expected)?
        {
            return Ok(Some(Exchanged::AsExpected));
        }
        Ok(self.displaced(temp)?.map(Exchanged::Displaced))
    }

    /// What an exchange displaced into the temp file; `None` when that is no regular file.
    ///
    /// # Errors
    /// A disk error.
    pub fn displaced(&self, temp: &Path) -> Result<Option<Vec<u8>>> {
        match self.disk.stat_link(temp)? {
            Some(stat) if stat.kind == FileKind::File => Ok(Some(self.disk.read(temp, DOCUMENT_BYTES_MAX)?)),
            _ => Ok(None),
        }
    }

    /// The bytes of a temp file of an interrupted commit; `None` when it is not there, or is the document itself.
    /// Undoes a half-made exchange in steps first.
    ///
    /// # Errors
    /// A disk error.
    pub fn temp_of_the_dead(&self, document: &Document, temp: &Path) -> Result<Option<Vec<u8>>> {
        // After a power cut a renamed file may have both its old and its new name. Then the rename happened: the staged text is
        // the document already.
        if self.is_document(temp, document)? {
            self.disk.remove(temp)?;
        }
        let aside = aside(temp);
        if self.disk.stat_link(&aside)?.is_some() {
            if self.disk.stat_link(temp)?.is_some() || self.is_document(&aside, document)? {
                // The rename did not happen: the link beside is only a second name of the document.
                self.disk.remove(&aside)?;
            } else {
                self.disk.replace(&aside, temp)?;
            }
        }
        match self.disk.stat_link(temp)? {
            None => Ok(None),
            Some(stat) if stat.kind == FileKind::File => Ok(Some(self.disk.read(temp, DOCUMENT_BYTES_MAX)?)),
            Some(_) => Err(DocumentError::NotAFile(temp.to_owned())),
        }
    }

    /// Whether a file is the document's, under another name.
    fn is_document(&self, path: &Path, document: &Document) -> Result<bool> {
        let file =
            |path| Ok::<_, DocumentError>(self.disk.stat_link(path)?.map(|stat| (stat.device, stat.inode)));
        let found = file(path)?;
        Ok(found.is_some() && found == file(&document.canonical)?)
    }

    /// Takes a document that says nothing out of its place, into the history, where a later write to it is noticed. One that says
    /// something stays. False where somebody else is at it now.
    ///
    /// # Errors
    /// A disk error.
    pub fn remove_empty(&self, document: &Document) -> Result<bool> {
        let Some(_only_writer) = self.try_lock(document)? else { return Ok(false) };
        let Some(_in_place) = self.try_lock_place(document)? else { return Ok(false) };
        let present = self.read(document)?;
        if present.stat.is_none() || !present.bytes.is_empty() {
            return Ok(true);
        }
        let version = self.last_revision(document)?.map_or(0, |last| last.version);
        let n = self.asides(document, version)?.len() + 1;
        let n = u32::try_from(n).unwrap_or(u32::MAX);
        self.keep_aside(document, &document.canonical, version, n, &hash(b""))?;
        self.sync_beside(document)?;
        Ok(true)
    }

    /// Removes a staged text that will not be used.
    ///
    /// # Errors
    /// A disk error.
    pub fn unstage(&self, temp: &Path) -> Result<()> {
        self.clear(temp)?;
        Ok(())
    }

    /// Removes what is under the name of one of our temp files: a link itself, not what it points to. A directory was put there by
    /// somebody, and stays.
    fn clear(&self, temp: &Path) -> Result<bool> {
        match self.disk.stat_link(temp)? {
            None => Ok(false),
            Some(stat) if stat.kind == FileKind::Directory => Ok(false),
            Some(_) => Ok(self.disk.remove(temp)?),
        }
    }

    /// The beginning of the names of this home's temp files beside a document. Another home's begin otherwise: we must not remove
    /// those, as they may hold the only copy of what somebody saved. After a power cut ours must still be known as ours.
    fn temp_prefix(&self, document: &Document) -> Result<String> {
        let home = self.disk.lasting_id(&self.history)?.unwrap_or_default();
        let mark = hash(format!("{} {}", home.0, home.1).as_bytes());
        let mark = mark.get(7..15).unwrap_or_default();
        let name = document.file_name();
        let name = if name.len() > NAME_BYTES_MAX { document.key() } else { name };
        Ok(format!(".{name}{TEMP_MARK}{mark}-"))
    }

    /// This home's temp files beside a document that no intent names, left by runs that died before their intent was durable.
    ///
    /// # Errors
    /// A disk error.
    pub fn sweep_beside(&self, document: &Document, named: &[PathBuf]) -> Result<usize> {
        let mut swept = 0;
        for path in self.temps_beside(document)? {
            if !named.contains(&path) && self.clear(&path)? {
                swept += 1;
            }
        }
        Ok(swept)
    }

    /// All temp files in a directory, also of other homes, and of older builds, whose names do not tell the home.
    ///
    /// # Errors
    /// A disk error.
    pub fn temps_of_all(&self, dir: &Path) -> Result<Vec<PathBuf>> {
        let names = match self.disk.list(dir) {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            other => other?,
        };
        let is_temp = |name: &str| name.starts_with('.') && name.contains(TEMP_MARK);
        Ok(names.iter().filter(|name| is_temp(&name.to_string_lossy())).map(|name| dir.join(name)).collect())
    }

    /// The temp files of this home beside a document, named by an intent or not.
    ///
    /// # Errors
    /// A disk error.
    pub fn temps_beside(&self, document: &Document) -> Result<Vec<PathBuf>> {
        let prefix = self.temp_prefix(document)?;
        let names = match self.disk.list(document.directory()) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            other => other?,
        };
        let ours = names.iter().filter(|name| name.to_string_lossy().starts_with(&prefix));
        Ok(ours.map(|name| document.directory().join(name)).collect())
    }

    /// Where the file system cannot exchange: the old document gets a second name, then the new text is renamed over
    /// it. Weaker by one window: a file that a person renames into place between the two steps is not displaced but
    /// lost from the directory (it is still what was linked, or in the person's editor).
    fn exchange_in_steps(
        &self,
        document: &Document,
        temp: &Path,
        expected: Option<&[u8]>,
    ) -> Result<Exchanged> {
        let (path, aside) = (&document.canonical, aside(temp));
        self.disk.remove(&aside)?;
        match self.disk.link_new(path, &aside) {
            Ok(Moved::Done) => {}
            Ok(Moved::Gone | Moved::Taken) => return Ok(Exchanged::Moved),
            // EPERM: the file system refuses links for everybody. EACCES is about this directory's permissions, which may change.
            Err(e) if e.kind() == ErrorKind::Unsupported || e.source.raw_os_error() == Some(EPERM) => {
                let on = self.disk.file_system(document.directory())?.name;
                return Err(DocumentError::NoSafeReplace { path: path.clone(), on });
            }
            Err(e) => return Err(e.into()),
        }
        // The second name is synced first: a power cut must not leave the new text without any copy of the old one.
        self.disk.sync_dir(document.directory())?;
        self.disk.point("commit.linked");
        if let Err(e) = self.disk.replace(temp, path) {
            // It is only a second name of the document. If it cannot be removed now, the next exchange removes it.
            let _ = self.disk.remove(&aside);
            return Err(e.into());
        }
        self.disk.point("commit.exchanged");
        self.disk.replace(&aside, temp)?;
        self.disk.sync_dir(document.directory())?;
        self.came_out(temp, expected)?.ok_or_else(|| DocumentError::NotAFile(path.clone()))
    }

    /// Makes the directories a new document is in, and their names durable. No directory of the path may be a link.
    ///
    /// # Errors
    /// A disk error; something that is no directory is there.
    pub fn make_parents(&self, dir: &Path) -> Result<()> {
        let mut missing = Vec::new();
        for dir in dir.ancestors() {
            match self.disk.stat(dir)? {
                None => missing.push(dir),
                Some(Stat { kind: FileKind::Directory, .. }) => {
                    self.confirm_name(dir)?;
                    break;
                }
                Some(_) => return Err(DocumentError::NotADirectory(dir.to_owned())),
            }
        }
        for dir in missing.into_iter().rev() {
            self.disk.make_dir_resolved(dir)?;
            if let Some(parent) = dir.parent() {
                self.disk.sync_dir(parent)?;
            }
        }
        Ok(())
    }

    /// Syncs the name of a directory that exists: whoever made it may have died before syncing.
    fn confirm_name(&self, dir: &Path) -> Result<()> {
        let Some(parent) = dir.parent() else { return Ok(()) };
        match self.disk.sync_dir(parent) {
            // We may not open it, so we cannot have made anything in it.
            Err(e) if e.kind() == std::io::ErrorKind::PermissionDenied => Ok(()),
            other => Ok(other?),
        }
    }

    /// A new document is as readable as its directory, and writable by its owner alone.
    fn mode_of_new(&self, dir: &Path) -> Result<u32> {
        let readable = self.disk.stat(dir)?.map_or(0, |stat| stat.mode & 0o044);
        Ok(0o600 | readable)
    }
}

impl Present {
    /// Hash of what it says; `None` when there is no document.
    #[must_use]
    pub fn hash(&self) -> Option<String> {
        self.stat.map(|_| hash(&self.bytes))
    }
}

fn aside(temp: &Path) -> PathBuf {
    let mut name = temp.as_os_str().to_owned();
    name.push("~");
    PathBuf::from(name)
}

fn missing(path: &Path) -> DocumentError {
    // Somebody removed our temp file meanwhile.
    DocumentError::NotAFile(path.to_owned())
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used)] // as somebody else would save
mod tests {
    use super::*;
    use durable::{Disk, RealDisk};
    use std::fs;
    use std::io::Write;
    use std::sync::Arc;

    /// The documents of a home of its own, beside whose `docs` there is a directory `outside`.
    fn beside_each_other() -> (tempfile::TempDir, PathBuf, Documents) {
        let dir = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(dir.path()).unwrap();
        let disk: Arc<dyn Disk> = Arc::new(RealDisk::new());
        let documents = Documents::new(disk, root.join("history"), root.join("locks"));
        for made in ["docs", "outside"] {
            fs::create_dir(root.join(made)).unwrap();
        }
        (dir, root, documents)
    }

    /// The root is compared when the path is resolved; a link that is put there afterwards must not lead a text out of it.
    #[test]
    fn nothing_is_staged_behind_a_link_that_came_after_the_path_was_resolved() {
        let (_dir, root, documents) = beside_each_other();
        fs::write(root.join("docs/a.md"), "# A\n").unwrap();
        fs::write(root.join("outside/a.md"), "# Somebody else's\n").unwrap();
        let document = documents.find(&root.join("docs/a.md")).unwrap();
        let like = documents.read(&document).unwrap().stat;
        fs::rename(root.join("docs"), root.join("docs.old")).unwrap();
        std::os::unix::fs::symlink(root.join("outside"), root.join("docs")).unwrap();
        for like in [like.as_ref(), None] {
            documents.stage(&document, b"# B\n", like, 1).unwrap_err();
        }
        let names: Vec<_> =
            fs::read_dir(root.join("outside")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["a.md"]);
        // The same directory without a link in its path is written as before.
        fs::remove_file(root.join("docs")).unwrap();
        fs::rename(root.join("docs.old"), root.join("docs")).unwrap();
        assert!(documents.stage(&document, b"# B\n", like.as_ref(), 1).unwrap().temp.exists());
    }

    #[test]
    fn no_directory_is_made_behind_a_link_that_came_after_the_path_was_resolved() {
        let (_dir, root, documents) = beside_each_other();
        let document = documents.find(&root.join("docs/new/deep/a.md")).unwrap();
        fs::rename(root.join("docs"), root.join("docs.old")).unwrap();
        std::os::unix::fs::symlink(root.join("outside"), root.join("docs")).unwrap();
        documents.stage(&document, b"# B\n", None, 0).unwrap_err();
        assert_eq!(fs::read_dir(root.join("outside")).unwrap().count(), 0);
        fs::remove_file(root.join("docs")).unwrap();
        fs::rename(root.join("docs.old"), root.join("docs")).unwrap();
        assert!(documents.stage(&document, b"# B\n", None, 0).unwrap().temp.exists());
    }

    #[test]
    fn only_a_document_that_says_nothing_is_taken_away_and_a_late_write_to_it_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let disk: Arc<dyn Disk> = Arc::new(RealDisk::new());
        let [history, locks] = ["history", "locks"].map(|name| dir.path().join(name));
        for made in [&history, &locks] {
            disk.make_dir(made).unwrap();
        }
        let documents = Documents::new(disk, history, locks);
        let path = dir.path().join("a.md");
        let document = Document { path: path.clone(), canonical: path.clone() };
        assert!(documents.remove_empty(&document).unwrap(), "it is not there");
        fs::write(&path, "\n").unwrap();
        assert!(documents.remove_empty(&document).unwrap() && path.exists(), "a line end is a person's");
        fs::write(&path, "").unwrap();
        let mut open = fs::File::options().append(true).open(&path).unwrap();
        assert!(documents.remove_empty(&document).unwrap() && !path.exists());
        assert!(documents.late_asides(&document).unwrap().is_empty());
        open.write_all(b"typed while it went").unwrap();
        let late = documents.late_asides(&document).unwrap();
        assert_eq!(
            late.iter().map(|late| late.text.as_slice()).collect::<Vec<_>>(),
            [b"typed while it went"]
        );
        // Made again, it can be taken away again beside the first.
        fs::write(&path, "").unwrap();
        assert!(documents.remove_empty(&document).unwrap() && !path.exists());
        assert_eq!(documents.late_asides(&document).unwrap().len(), 1);
        // Where somebody is at it, it stays for another time.
        fs::write(&path, "").unwrap();
        let _held = documents.lock(&document).unwrap();
        assert!(!documents.remove_empty(&document).unwrap() && path.exists());
    }
}
