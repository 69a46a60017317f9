//! A document on disk: where it really is, what it says now, and the lock that makes its writer the only one;
//! how long that is waited for is `durable`'s.

use crate::known_text::KnownText;
use crate::{DOCUMENT_BYTES_MAX, DocumentError, Documents, Result};
use declaration::hex;
use durable::{DiskError, FileKind, InPlace, Lock, PIECE_BYTES, Stat};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, TryLockError, Weak};

/// Largest template that is read, in bytes.
const TEMPLATE_BYTES_MAX: u64 = 1 << 20;

/// How often a document's directory may be replaced while its lock is taken.
const IN_PLACE_TRIES: u32 = 8;

/// The lock on a document's directory, held until dropped; empty where it cannot be locked.
#[derive(Debug)]
pub struct PlaceLock {
    _held: Option<Arc<Lock>>,
}

/// How long the threads of a home go on taking the lock of a directory from each other, in microseconds: then they let go of
/// it, so that another home has its turn.
const TURN_US: u64 = 200_000;
/// A lock that nobody asked for in this time was given back meanwhile. Longer than a batch takes.
const IDLE_US: u64 = 3_000_000;

/// The directories whose locks this process takes. A thread that waits for one of them does not hold up threads that want another.
#[derive(Debug, Clone, Default)]
pub(crate) struct PlaceLocks(Arc<Mutex<BTreeMap<PathBuf, Arc<Mutex<Place>>>>>);

/// A directory, and the lock on it that the threads of this home share.
#[derive(Debug, Default)]
struct Place {
    held: Weak<Lock>,
    /// When our turn began, and when the lock was asked for last.
    began_us: u64,
    asked_us: u64,
}

impl PlaceLocks {
    fn of(&self, dir: &Path) -> Arc<Mutex<Place>> {
        let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = places.get(dir) {
            return Arc::clone(known);
        }
        let is_held = |place: &Place| place.held.strong_count() > 0;
        places.retain(|_, place| place.try_lock().map_or(true, |place| is_held(&place)));
        Arc::clone(places.entry(dir.to_owned()).or_default())
    }
}

impl Place {
    /// Whether another home should have a turn now.
    fn is_over(&mut self, now_us: u64) -> bool {
        if now_us.saturating_sub(self.asked_us) > IDLE_US {
            self.began_us = now_us;
        }
        self.asked_us = now_us;
        now_us.saturating_sub(self.began_us) > TURN_US
    }

    fn shared(&self) -> Option<PlaceLock> {
        self.held.upgrade().map(|lock| PlaceLock { _held: Some(lock) })
    }
}

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

/// What a document says, with the hash of it: for who merges onto it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hashed {
    /// Its bytes; empty when there is no document yet.
    pub text: Arc<Vec<u8>>,
    /// Its file's facts; `None` when there is no document yet.
    pub stat: Option<Stat>,
    /// Their hash; `None` when there is no document yet.
    pub hash: Option<String>,
}

/// `sha256:<hex>` of some bytes: how versions are named in intents, receipts and logs.
#[must_use]
pub fn hash(bytes: &[u8]) -> String {
    format!("sha256:{}", hex(&Sha256::digest(bytes)))
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
    /// nobody has locked. Threads of one home share it, and let go of it now and then, so that a home with much to do keeps
    /// no other one waiting. `None` when another home holds it, for a moment longer than a commit takes. Where there is no directory, or none that can be locked, there is nothing to wait for: what comes out
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
        let place = self.places.of(dir);
        let mut place = match place.try_lock() {
            // A thread of ours waits for it.
            Err(TryLockError::WouldBlock) if !patient => return Ok(None),
            Err(TryLockError::WouldBlock) => place.lock().unwrap_or_else(PoisonError::into_inner),
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Ok(place) => place,
        };
        let is_over = patient && place.is_over(self.disk.uptime_us());
        match place.shared() {
            Some(shared) if !is_over => return Ok(Some(shared)),
            None if is_over => self.disk.give_way(),
            _ => {}
        }
        for _ in 0..IN_PLACE_TRIES {
            match self.disk.lock_in_place(dir, patient) {
                // Where our own threads still have it, nobody else had a turn this time.
                Ok(InPlace::Busy) => {
                    place.began_us = self.disk.uptime_us();
                    return Ok(place.shared());
                }
                Ok(InPlace::Missing | InPlace::Unsupported) => return Ok(Some(PlaceLock { _held: None })),
                Ok(InPlace::Held(lock, stat)) => {
                    let now = self.disk.stat(dir)?;
                    if now.is_some_and(|now| (now.device, now.inode) == (stat.device, stat.inode)) {
                        let lock = Arc::new(lock);
                        (place.held, place.began_us) = (Arc::downgrade(&lock), self.disk.uptime_us());
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

    /// Whether nothing is at a path.
    #[must_use]
    pub fn is_absent(&self, path: &Path) -> bool {
        self.disk.stat(path).is_ok_and(|stat| stat.is_none())
    }

    /// Where an old document lies that is no more in its place, where those of its directory do.
    fn archived(&self, document: &Document) -> Option<PathBuf> {
        let mut dirs = [&document.path, &document.canonical].into_iter().filter_map(|path| path.parent());
        let beside = |dir: &Path| self.archives.iter().find(|archive| archive.parent() == Some(dir));
        Some(dirs.find_map(beside)?.join(document.path.file_name()?))
    }

    /// What the document says now.
    ///
    /// # Errors
    /// `NotAFile`, `TooLarge`; a disk error.
    pub fn read(&self, document: &Document) -> Result<Present> {
        let (mut path, mut stat) = (document.canonical.clone(), self.disk.stat(&document.canonical)?);
        if let Some(archived) = self.archived(document).filter(|_| stat.is_none()) {
            stat = self.disk.stat(&archived)?;
            path = archived;
        }
        let path = &path;
        let Some(stat) = stat else { return Ok(Present { bytes: Vec::new(), stat: None }) };
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
    /// What the document says now, with its hash. Where it says what it said when it was read so the last time, nothing is hashed
    /// and the text is the same one.
    ///
    /// # Errors
    /// As `read`.
    pub fn read_hashed(&self, document: &Document) -> Result<Hashed> {
        let known = self.known_text();
        if let Some(stat) = self.says_what_is_known(document, &known)? {
            let (text, hash) = (Arc::clone(known.text()), Some(known.hash()));
            return Ok(Hashed { text, stat: Some(stat), hash });
        }
        let Present { bytes, stat } = self.read(document)?;
        if stat.is_none() {
            return Ok(Hashed { text: Arc::default(), stat, hash: None });
        }
        let text = Arc::new(bytes);
        let hash = Some(self.know(&known, Arc::clone(&text)));
        Ok(Hashed { text, stat, hash })
    }

    /// What the document says now, without its hash: the text that is known, where it says that.
    ///
    /// # Errors
    /// As `read`.
    pub fn read_shared(&self, document: &Document) -> Result<Arc<Vec<u8>>> {
        let known = self.known_text();
        match self.says_what_is_known(document, &known)? {
            Some(_) => Ok(Arc::clone(known.text())),
            None => Ok(Arc::new(self.read(document)?.bytes)),
        }
    }

    /// Remembers what a document says from now on, for whoever reads it next.
    pub fn left(&self, text: Vec<u8>) {
        if KnownText::<PIECE_BYTES>::keeps(text.len()) {
            self.know(&self.known_text(), Arc::new(text));
        }
    }

    /// The facts of the document's file where it says the text that is known.
    fn says_what_is_known(&self, document: &Document, known: &KnownText) -> Result<Option<Stat>> {
        if known.text().is_empty() {
            return Ok(None);
        }
        let stat = self.disk.stat(&document.canonical)?;
        let is_as_long = |stat: &Stat| stat.kind == FileKind::File && stat.len == known.text().len() as u64;
        let Some(stat) = stat.filter(is_as_long) else { return Ok(None) };
        // Where it cannot be read, whoever reads it whole learns why.
        let says = self.file_says(&document.canonical, known.text()).unwrap_or(false);
        Ok(says.then_some(stat))
    }

    /// Hashes a text, and remembers it where it is worth it.
    fn know(&self, known: &KnownText, text: Arc<Vec<u8>>) -> String {
        if !KnownText::<PIECE_BYTES>::keeps(text.len()) {
            return known.hash_of(&text);
        }
        let known = KnownText::after(known, text);
        let hash = known.hash();
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(known);
        hash
    }

    /// Gives a document's lines, some kilobytes of them at a time, for as long as `each` says that it wants more. False where it is
    /// not UTF-8; then some of its lines were given already. A document that is not there has none.
    ///
    /// # Errors
    /// A disk error, also when it is no file or too large.
    pub fn each_lines(&self, document: &Document, each: &mut dyn FnMut(&str) -> bool) -> Result<bool> {
        let mut lines: Vec<u8> = Vec::with_capacity(2 * PIECE_BYTES);
        let (mut is_text, mut wants) = (true, true);
        let mut give = |lines: &[u8]| {
            match std::str::from_utf8(lines) {
                Ok(lines) => wants = each(lines),
                Err(_) => is_text = false,
            }
            is_text && wants
        };
        let mut goes_on = true;
        let read = self.disk.each_piece(&document.canonical, DOCUMENT_BYTES_MAX, &mut |piece| {
            let before = lines.len();
            lines.extend_from_slice(piece);
            if let Some(end) = piece.iter().rposition(|b| *b == b'\n').map(|end| before + end) {
                goes_on = give(&lines[..=end]);
                lines.drain(..=end);
            }
            goes_on
        });
        match read {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(e.into()),
            _ => {}
        }
        if goes_on && !lines.is_empty() {
            give(&lines);
        }
        Ok(is_text)
    }

    /// The text that was read last to be merged onto: those of its earlier versions begin as it does.
    pub(crate) fn known_text(&self) -> Arc<KnownText> {
        Arc::clone(&self.known.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether a file says exactly this.
    pub(crate) fn file_says(&self, path: &Path, text: &[u8]) -> Result<bool> {
        let mut rest = Some(text);
        self.disk.each_piece(path, DOCUMENT_BYTES_MAX, &mut |piece| {
            rest = rest.and_then(|rest| rest.strip_prefix(piece));
            rest.is_some()
        })?;
        Ok(rest.is_some_and(<[u8]>::is_empty))
    }

    /// The hash of what a file says; `None` where there is none.
    pub(crate) fn hash_of_file(&self, path: &Path) -> Result<Option<String>> {
        let known = self.known_text();
        let mut hashing = known.hashing();
        let read = self.disk.each_piece(path, DOCUMENT_BYTES_MAX, &mut |piece| {
            hashing.add(piece);
            true
        });
        match read {
            Ok(()) => Ok(Some(hashing.end())),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(e.into()),
        }
    }

    /// The file a document begins with, as it is.
    ///
    /// # Errors
    /// A disk error, also when it is not there or larger than 1 MiB.
    pub fn template(&self, path: &Path) -> std::result::Result<Vec<u8>, DiskError> {
        self.disk.read(path, TEMPLATE_BYTES_MAX)
    }

    /// The files below a directory by their whole paths, sorted, at most so many. Links and names that begin with a dot are left
    /// out; a directory that cannot be looked into has none.
    #[must_use]
    pub fn files_below(&self, dir: &Path, most: usize) -> Vec<PathBuf> {
        let mut files = Vec::new();
        let mut rest = vec![dir.to_owned()];
        while let Some(dir) = rest.pop() {
            for name in self.disk.list(&dir).unwrap_or_default() {
                if name.as_encoded_bytes().starts_with(b".") {
                    continue;
                }
                let path = dir.join(name);
                match self.disk.stat_link(&path).ok().flatten().map(|stat| stat.kind) {
                    Some(FileKind::Directory) => rest.push(path),
                    Some(FileKind::File) => files.push(path),
                    _ => {}
                }
            }
            if files.len() > most {
                break;
            }
        }
        files.sort();
        files.truncate(most);
        files
    }
}

impl Document {
    /// 16 hex digits of the canonical path: the name of its lock and the tail of its history's.
    #[must_use]
    pub fn key(&self) -> String {
        let digest = Sha256::digest(self.canonical.as_os_str().as_encoded_bytes());
        hex(&digest[..8])
    }

    pub(crate) fn directory(&self) -> &Path {
        self.canonical.parent().unwrap_or_else(|| Path::new("/"))
    }

    pub(crate) fn file_name(&self) -> String {
        self.canonical.file_name().map_or_else(|| "document".to_owned(), |n| n.to_string_lossy().into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use durable::{Disk, RealDisk};

    /// The documents of a home of its own, and one of them that says this.
    #[allow(clippy::disallowed_methods)] // as a person writes it
    fn document_of(text: &[u8]) -> (tempfile::TempDir, Documents, Document) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("notes.md");
        std::fs::write(&path, text).unwrap();
        let of = |name: &str| dir.path().join(name);
        let documents = Documents::new(Arc::new(RealDisk::new()), of("history"), of("locks"));
        (dir, documents, Document { canonical: path.clone(), path })
    }

    #[test]
    #[allow(clippy::disallowed_methods)]
    fn a_document_is_hashed_as_it_is_whatever_was_known_of_it() {
        let long = |line: &str| line.repeat(3 * PIECE_BYTES / line.len()).into_bytes();
        let (_dir, documents, document) = document_of(&long("- one\n"));
        let texts = [long("- one\n"), long("- two\n"), b"- one\n".to_vec(), Vec::new()];
        let grown = [&long("- one\n")[..], b"- more\n"].concat();
        for text in texts.iter().chain([&grown, &texts[0], &grown, &texts[0]]) {
            std::fs::write(&document.canonical, text).unwrap();
            for _ in 0..2 {
                let read = documents.read_hashed(&document).unwrap();
                assert_eq!((&*read.text, read.hash), (text, Some(hash(text))));
                assert_eq!(documents.hash_of_file(&document.canonical).unwrap(), Some(hash(text)));
                assert!(documents.file_says(&document.canonical, text).unwrap());
                assert!(!documents.file_says(&document.canonical, &[&text[..], b"x"].concat()).unwrap());
            }
        }
        std::fs::remove_file(&document.canonical).unwrap();
        assert_eq!(documents.read_hashed(&document).unwrap().hash, None);
        assert_eq!(documents.hash_of_file(&document.canonical).unwrap(), None);
    }

    #[test]
    fn lines_are_given_whole_and_all_of_them() {
        for line in ["- 苍鹭 \n", "x", "a line of some length, again and again\r\n"] {
            let text = line.repeat(2 * PIECE_BYTES / line.len() + 9) + "end";
            let (_dir, documents, document) = document_of(text.as_bytes());
            let mut given: Vec<String> = Vec::new();
            assert!(
                documents
                    .each_lines(&document, &mut |lines| {
                        given.push(lines.to_owned());
                        true
                    })
                    .unwrap()
            );
            assert_eq!(given.concat(), text);
            let last = given.pop().unwrap();
            assert!(last.ends_with("end") && given.iter().all(|lines| lines.ends_with('\n')));
            let mut count = 0;
            documents
                .each_lines(&document, &mut |_| {
                    count += 1;
                    false
                })
                .unwrap();
            assert_eq!(count, 1);
        }
        let (_dir, documents, document) = document_of(b"- a\n\xff\n");
        assert!(!documents.each_lines(&document, &mut |_| true).unwrap());
    }

    #[test]
    fn a_thread_that_waits_for_another_home_keeps_none_from_other_directories() {
        let dir = tempfile::tempdir().unwrap();
        let disk: Arc<dyn Disk> = Arc::new(RealDisk::new());
        let home = |name: &str| {
            let made = |part: &str| {
                let path = dir.path().join(name).join(part);
                disk.make_dir(&dir.path().join(name)).unwrap();
                disk.make_dir(&path).unwrap();
                path
            };
            Documents::new(Arc::clone(&disk), made("history"), made("locks"))
        };
        let (ours, theirs) = (home("ours"), home("theirs"));
        let document = |name: &str| {
            disk.make_dir(&dir.path().join(name)).unwrap();
            let path = dir.path().join(name).join("notes.md");
            Document { canonical: path.clone(), path }
        };
        let (theirs_now, free) = (document("one"), document("two"));
        let _held = theirs.lock_place(&theirs_now).unwrap().unwrap();
        // The one who waits gives up after a moment: on a machine that stood still that long it is tried again.
        let passed = (0..20).any(|_| {
            std::thread::scope(|scope| {
                let waits = scope.spawn(|| ours.lock_place(&theirs_now).unwrap().is_none());
                while ours.places.of(theirs_now.directory()).try_lock().is_ok() && !waits.is_finished() {
                    std::thread::yield_now();
                }
                let got = ours.lock_place(&free).unwrap().is_some();
                let passed = got && !waits.is_finished();
                assert!(waits.join().unwrap(), "it is held by the other home");
                passed
            })
        });
        assert!(passed, "whoever waits for one directory keeps the others waiting");
    }

    #[test]
    fn a_turn_ends_while_somebody_goes_on_asking() {
        let mut place = Place::default();
        let began = 10 * IDLE_US;
        assert!(!place.is_over(began), "nobody asked for long");
        assert!(!place.is_over(began + TURN_US));
        assert!(place.is_over(began + TURN_US + 1));
        assert!(place.is_over(began + IDLE_US), "until it is taken anew");
        assert!(!place.is_over(began + 3 * IDLE_US), "given back meanwhile");
    }
}
