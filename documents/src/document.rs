//! A document on disk: where it really is, what it says now, and the lock that makes its writer the only one;
//! how long that is waited for is `durable`'s.

use crate::{DOCUMENT_BYTES_MAX, DocumentError, Documents, Result};
use durable::{DiskError, FileKind, InPlace, Lock, Stat};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Largest template that is read, in bytes.
const TEMPLATE_BYTES_MAX: u64 = 1 << 20;

/// How often a document's directory may be replaced while its lock is taken.
const IN_PLACE_TRIES: u32 = 8;

/// The lock on a document's directory, held until dropped; empty where it cannot be locked.
#[derive(Debug)]
pub struct PlaceLock {
    _held: Option<Arc<Lock>>,
}

/// The directories whose locks this process holds.
#[derive(Debug, Clone, Default)]
pub(crate) struct PlaceLocks(Arc<Mutex<BTreeMap<PathBuf, Weak<Lock>>>>);

/// A document, found on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// The path as configured; perhaps a symbolic link.
    pub path: PathBuf,
    /// The same with every link resolved: what is read, locked and exchanged. A link is kept.
    pub canonical: PathBuf,
}

/// What a document says, and what must be kept of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Present {
    /// Its bytes; empty when there is no document yet.
    pub bytes: Vec<u8>,
    /// Its file's facts; `None` when there is no document yet.
    pub stat: Option<Stat>,
}

/// `sha256:<hex>` of some bytes: how versions are named in intents, receipts and logs.
#[must_use]
pub fn hash(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(71);
    text.push_str("sha256:");
    for byte in Sha256::digest(bytes) {
        let digit = |value: u8| char::from_digit(value.into(), 16).unwrap_or('0');
        text.extend([digit(byte >> 4), digit(byte & 0xf)]);
    }
    text
}

impl Documents {
    /// Finds a document: resolves links of the path, or of its nearest directory that exists when there is no
    /// document yet.
    ///
    /// # Errors
    /// A disk error other than "not there".
    pub fn find(&self, path: &Path) -> Result<Document> {
        Ok(Document { path: path.to_owned(), canonical: self.canonical(path)? })
    }

    /// Whether two paths name one file, as its inode tells. What cannot be looked at is no such file.
    #[must_use]
    pub fn is_same_file(&self, one: &Path, other: &Path) -> bool {
        let identity =
            |path: &Path| self.disk.stat(path).ok().flatten().map(|stat| (stat.device, stat.inode));
        identity(one).is_some_and(|file| identity(other) == Some(file))
    }

    /// The part of a path that is a link of another user (and not of root): that user says where it leads.
    ///
    /// # Errors
    /// A disk error other than "not there".
    pub fn foreign_link(&self, path: &Path) -> std::result::Result<Option<PathBuf>, DiskError> {
        const ROOT: u32 = 0;
        for part in path.ancestors() {
            let stat = self.disk.stat_link(part)?;
            if stat.is_some_and(|stat| {
                stat.kind == FileKind::Link && stat.uid != ROOT && stat.uid != self.disk.uid()
            }) {
                return Ok(Some(part.to_owned()));
            }
        }
        Ok(None)
    }

    /// The canonical form of a path whose last parts need not exist.
    ///
    /// # Errors
    /// A disk error other than "not there".
    pub fn canonical(&self, path: &Path) -> std::result::Result<PathBuf, DiskError> {
        let mut missing = Vec::new();
        let mut known = path;
        loop {
            match self.disk.canonical(known) {
                Ok(mut found) => {
                    found.extend(missing.iter().rev());
                    return Ok(found);
                }
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                    // A link that points nowhere is where the document will be made.
                    if let Some(target) = self.dangling(known)? {
                        let mut found = self.canonical(&target)?;
                        found.extend(missing.iter().rev());
                        return Ok(found);
                    }
                    match (known.parent(), known.file_name()) {
                        (Some(parent), Some(name)) => {
                            missing.push(name.to_owned());
                            known = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
                        }
                        _ => return Err(e),
                    }
                }
                Err(e) => return Err(e),
            }
        }
    }

    fn dangling(&self, path: &Path) -> std::result::Result<Option<PathBuf>, DiskError> {
        match self.disk.stat_link(path)? {
            Some(stat) if stat.kind == FileKind::Link => {
                let target = self.disk.read_link(path)?;
                Ok(Some(path.parent().map_or_else(|| target.clone(), |parent| parent.join(&target))))
            }
            _ => Ok(None),
        }
    }

    /// Becomes the only writer of a document; `None` when somebody else is. The key is the canonical path.
    ///
    /// # Errors
    /// A disk error.
    pub fn try_lock(&self, document: &Document) -> Result<Option<Lock>> {
        Ok(self.disk.try_lock(&self.locks.join(format!("doc-{}", document.key())))?)
    }

    /// Waits to become the only writer of a document.
    ///
    /// # Errors
    /// A disk error.
    pub fn lock(&self, document: &Document) -> Result<Lock> {
        Ok(self.disk.lock(&self.locks.join(format!("doc-{}", document.key())))?)
    }

    /// Takes the lock on the document's directory, which every home on this machine sees, whoever runs it and in whatever
    /// container: between two exchanges of a commit the document holds a text that nobody else may merge onto. The
    /// directory and not the document, because every save by renaming puts another file in the document's place, which
    /// nobody has locked. Threads of one home share it. `None` when another home holds it, for a moment longer than a
    /// commit takes. Where there is no directory, or none that can be locked, there is nothing to wait for: what comes out
    /// of an exchange is compared all the same.
    ///
    /// # Errors
    /// Trouble of the machine.
    pub fn lock_place(&self, document: &Document) -> Result<Option<PlaceLock>> {
        self.place_lock(document, true)
    }

    /// The same without waiting.
    ///
    /// # Errors
    /// Trouble of the machine.
    pub fn try_lock_place(&self, document: &Document) -> Result<Option<PlaceLock>> {
        self.place_lock(document, false)
    }

    fn place_lock(&self, document: &Document, patient: bool) -> Result<Option<PlaceLock>> {
        let dir = document.directory();
        let mut held = self.places.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lock) = held.get(dir).and_then(Weak::upgrade) {
            return Ok(Some(PlaceLock { _held: Some(lock) }));
        }
        for _ in 0..IN_PLACE_TRIES {
            match self.disk.lock_in_place(dir, patient) {
                Ok(InPlace::Busy) => return Ok(None),
                Ok(InPlace::Missing | InPlace::Unsupported) => return Ok(Some(PlaceLock { _held: None })),
                Ok(InPlace::Held(lock, stat)) => {
                    let now = self.disk.stat(dir)?;
                    if now.is_some_and(|now| (now.device, now.inode) == (stat.device, stat.inode)) {
                        let lock = Arc::new(lock);
                        held.retain(|_, lock| lock.strong_count() > 0);
                        held.insert(dir.to_owned(), Arc::downgrade(&lock));
                        return Ok(Some(PlaceLock { _held: Some(lock) }));
                    }
                    // Another directory was put in its place meanwhile.
                }
                Err(e) if e.is_machine_trouble() => return Err(e.into()),
                // What is wrong with it is told when the document is read.
                Err(_) => return Ok(Some(PlaceLock { _held: None })),
            }
        }
        Ok(None)
    }

    /// What the document says now.
    ///
    /// # Errors
    /// `NotAFile`, `TooLarge`; a disk error.
    pub fn read(&self, document: &Document) -> Result<Present> {
        let path = &document.canonical;
        let Some(stat) = self.disk.stat(path)? else { return Ok(Present { bytes: Vec::new(), stat: None }) };
        if stat.kind != FileKind::File {
            return Err(DocumentError::NotAFile(path.clone()));
        }
        match self.disk.read(path, DOCUMENT_BYTES_MAX) {
            Ok(bytes) => Ok(Present { bytes, stat: Some(stat) }),
            // Removed between the two looks.
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                Ok(Present { bytes: Vec::new(), stat: None })
            }
            Err(e) if e.kind() == std::io::ErrorKind::FileTooLarge => {
                Err(DocumentError::TooLarge(path.clone()))
            }
            Err(e) => Err(e.into()),
        }
    }
}

impl Documents {
    /// The file a document begins with, as it is.
    ///
    /// # Errors
    /// A disk error, also when it is not there or larger than 1 MiB.
    pub fn template(&self, path: &Path) -> std::result::Result<Vec<u8>, DiskError> {
        self.disk.read(path, TEMPLATE_BYTES_MAX)
    }
}

impl Document {
    /// 16 hex digits of the canonical path: the name of its lock and the tail of its history's.
    #[must_use]
    pub fn key(&self) -> String {
        let digest = Sha256::digest(self.canonical.as_os_str().as_encoded_bytes());
        digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }

    pub(crate) fn directory(&self) -> &Path {
        self.canonical.parent().unwrap_or_else(|| Path::new("/"))
    }

    pub(crate) fn file_name(&self) -> String {
        self.canonical.file_name().map_or_else(|| "document".to_owned(), |n| n.to_string_lossy().into_owned())
    }
}
