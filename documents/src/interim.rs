//! Interim texts: a commit that needs several exchanges puts a text in the document's place for a moment that lacks what a
//! person saved meanwhile. An editor that loaded it and saves later removes those words, and its user never saw them. So
//! each interim text is kept beside the version as `<version>.<mark>.stood`, and the commit's final text as `<version>.made`. So is
//! what somebody saved over such a text (`<version>-<n>.stood`): whoever goes on from there has not seen those words either.

use crate::document::{Document, hash};
use crate::history::mark_of;
use crate::{DOCUMENT_BYTES_MAX, Documents, Result};
use declaration::Timestamp;
use durable::Attributes;
use std::path::{Path, PathBuf};

/// A text that was the document between two exchanges of one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interim {
    /// The version whose commit put it there.
    pub version: u64,
    /// When it was kept.
    pub at: Timestamp,
    /// Its file's name.
    pub name: String,
    /// That text.
    pub text: Vec<u8>,
    /// The final text of the commit: the interim text and what it lacked. Where a crash lost it, the user's last save.
    pub final_text: Vec<u8>,
}

impl Interim {
    /// Whether an editor wrote into it since: then it is what a person saved, and nowhere else.
    #[must_use]
    pub fn is_late(&self) -> bool {
        marked(&self.name).is_some_and(|mark| mark != mark_of(&hash(&self.text)))
    }
}

impl Documents {
    /// Keeps our own text of an earlier exchange of a commit that is archived, which `temp` holds; durable. Its name has the
    /// beginning of `read`, the hash of what was read of it (where nothing was, nothing is kept): an editor that had loaded it may write into that file later.
    /// `final_text` is the text the commit ended with, where it is known. Done again after a crash it changes nothing.
    ///
    /// # Errors
    /// A disk error.
    pub fn keep_interim(
        &self,
        document: &Document,
        version: u64,
        temp: &Path,
        read: Option<&str>,
        final_text: Option<&[u8]>,
    ) -> Result<()> {
        let (Some(read), Some(_)) = (read, self.disk.stat_link(temp)?) else { return Ok(()) };
        let final_path = self.final_path(document, version);
        let text_path = self.history_of(document).join(format!("{version:06}.{}.stood", mark_of(read)));
        if let Some(final_text) = final_text {
            let part = final_path.with_extension("part");
            self.disk.remove(&part)?;
            self.disk.write_new(&part, final_text, Attributes::PRIVATE)?;
            self.disk.replace(&part, &final_path)?;
        }
        self.keep(temp, &text_path)?;
        self.disk.sync_dir(&self.history_of(document))?;
        self.sync_beside(document)
    }

    /// Keeps texts that people saved within one commit without what had been saved before: they stood in the document's
    /// place too. Durable.
    ///
    /// # Errors
    /// A disk error.
    pub fn keep_lacking(&self, document: &Document, version: u64, texts: &[Vec<u8>]) -> Result<()> {
        let dir = self.history_of(document);
        for (n, text) in (1..).zip(texts) {
            let path = dir.join(format!("{version:06}-{n}.stood"));
            let part = path.with_extension("part");
            self.disk.remove(&part)?;
            self.disk.write_new(&part, text, Attributes::PRIVATE)?;
            self.disk.replace(&part, &path)?;
        }
        if texts.is_empty() { Ok(()) } else { Ok(self.disk.sync_dir(&dir)?) }
    }

    /// The interim texts that are kept, oldest version first; all, or those of a version. Each is read when it is asked for: there
    /// may be many.
    ///
    /// # Errors
    /// A disk error.
    pub fn interim_texts<'d>(
        &'d self,
        document: &'d Document,
        of: Option<u64>,
    ) -> Result<impl Iterator<Item = Result<Interim>> + 'd> {
        let names = self.kept(document)?.into_iter();
        let versions = names.filter_map(|name| Some((version_of(&name)?, name)));
        let mut stood: Vec<(u64, String)> =
            versions.filter(|(version, _)| of.is_none_or(|of| of == *version)).collect();
        stood.sort_unstable();
        let read = move |(version, name)| self.interim_text(document, version, name).transpose();
        Ok(stood.into_iter().filter_map(read))
    }

    /// One of them; `None` where it is gone.
    fn interim_text(&self, document: &Document, version: u64, name: String) -> Result<Option<Interim>> {
        let text_path = self.history_of(document).join(&name);
        let Some(stat) = self.disk.stat_link(&text_path)? else { return Ok(None) };
        let final_text = match self.read_kept(&self.final_path(document, version))? {
            None => self.before(document, version)?,
            final_text => final_text,
        };
        let (Some(text), Some(final_text)) = (self.read_kept(&text_path)?, final_text) else {
            return Ok(None);
        };
        Ok(Some(Interim { version, at: Timestamp(stat.modified_ms), name, text, final_text }))
    }

    /// Removes what was kept of a version: it is old, or somebody was told.
    ///
    /// # Errors
    /// A disk error.
    pub fn forget_interim(&self, document: &Document, version: u64) -> Result<()> {
        for name in self.kept(document)?.iter().filter(|name| version_of(name) == Some(version)) {
            self.disk.remove(&self.history_of(document).join(name))?;
        }
        self.disk.remove(&self.final_path(document, version))?;
        Ok(())
    }

    /// Sets an interim text aside that an editor wrote into and that was reported: it is a person's text now.
    ///
    /// # Errors
    /// A disk error.
    pub fn set_interim_aside(&self, document: &Document, interim: &Interim) -> Result<()> {
        self.set_name_aside(document, &interim.name, &interim.text)?;
        let is_left = self.kept(document)?.iter().any(|name| version_of(name) == Some(interim.version));
        if is_left { Ok(()) } else { self.forget_interim(document, interim.version) }
    }

    fn final_path(&self, document: &Document, version: u64) -> PathBuf {
        self.history_of(document).join(format!("{version:06}.made"))
    }

    pub(crate) fn read_kept(&self, path: &Path) -> Result<Option<Vec<u8>>> {
        match self.disk.read(path, DOCUMENT_BYTES_MAX) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(e.into()),
        }
    }
}

/// The version that a text stood in the middle of, by the name it is kept under.
fn version_of(name: &str) -> Option<u64> {
    let name = name.strip_suffix(".stood")?;
    name.split(['-', '.']).next()?.parse().ok()
}

/// The beginning of the hash of what was read of an interim text. Those of earlier builds do not say it.
pub(crate) fn marked(name: &str) -> Option<&str> {
    name.strip_suffix(".stood")?.split_once('.').map(|(_, mark)| mark)
}
