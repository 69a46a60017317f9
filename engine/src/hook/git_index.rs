//! What git knows of a file, read from its index without git: whether it knows the file, and whether the file has changes that are
//! not committed.

use super::Here;
use durable::{Disk, FileKind, Stat};
use sha1::{Digest, Sha1};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Largest index that is read, in bytes: some 200,000 files.
const INDEX_BYTES_MAX: u64 = 64 << 20;
const IGNORE_BYTES_MAX: u64 = 256 << 10;
const LINK_BYTES_MAX: u64 = 4096;

/// What git knows of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GitKnows {
    /// The file is as git has it.
    Unchanged,
    /// It changed since.
    Changed,
    /// Git does not know it.
    Untracked {
        /// Whether `.gitignore` of the repository's root names it.
        ignored: bool,
    },
    /// Its index cannot be read, so it may be anything.
    Untold,
}

/// The indexes that were read for a call, by the directory that they are in: a line may be held against many files.
#[derive(Default)]
pub(super) struct Indexes(RefCell<BTreeMap<PathBuf, Rc<Read>>>);

/// An index as it was found.
enum Read {
    Missing,
    Unreadable,
    Is(GitIndex),
}

impl Indexes {
    fn of(&self, disk: &dyn Disk, dir: &Path) -> Rc<Read> {
        let mut known = self.0.borrow_mut();
        Rc::clone(known.entry(dir.to_owned()).or_insert_with(|| Rc::new(Read::of(disk, dir))))
    }
}

impl Read {
    fn of(disk: &dyn Disk, dir: &Path) -> Read {
        let file = dir.join("index");
        let modified_ms = match disk.stat(&file) {
            Ok(None) => return Read::Missing,
            Ok(Some(stat)) => stat.modified_ms,
            Err(_) => return Read::Unreadable,
        };
        let Ok(bytes) = disk.read(&file, INDEX_BYTES_MAX) else { return Read::Unreadable };
        let names = disk.list(dir).unwrap_or_default();
        // Only then an index says in its end that it is split.
        let may_be_split = names.iter().any(|name| name.to_string_lossy().starts_with("sharedindex."));
        let shared = if may_be_split { Shared::of(disk, dir, &bytes) } else { Ok(None) };
        shared.map_or(Read::Unreadable, |shared| Read::Is(GitIndex { bytes, modified_ms, shared }))
    }
}

/// The root of the repository that a file or directory is in.
pub(super) fn root_of(disk: &dyn Disk, path: &Path) -> Option<PathBuf> {
    let is_root = |dir: &&Path| disk.stat_link(&dir.join(".git")).is_ok_and(|stat| stat.is_some());
    path.ancestors().find(is_root).map(Path::to_owned)
}

/// What git knows of a file, whose links are resolved; `None` outside of repositories.
pub(super) fn of(here: Here<'_>, file: &Path) -> Option<GitKnows> {
    let disk = &*here.home.disk;
    let root = root_of(disk, file)?;
    let stat = disk.stat(file).ok().flatten()?;
    let name = file.strip_prefix(&root).ok()?.to_string_lossy().into_owned();
    let Some(dir) = directory(disk, &root) else { return Some(GitKnows::Untold) };
    let index = here.seen.indexes.of(disk, &dir);
    let index = match &*index {
        // What is in the last commit, git has all the same.
        Read::Missing if has_commits(disk, &dir) => return Some(GitKnows::Untold),
        Read::Missing => return Some(untracked(disk, &root, file)),
        Read::Unreadable => return Some(GitKnows::Untold),
        Read::Is(index) => index,
    };
    Some(match index.entry(name.as_bytes()) {
        Some(Some(entry)) if entry.is_of(&stat, index.modified_ms) || entry.has_text_of(disk, file) => {
            GitKnows::Unchanged
        }
        Some(Some(_)) => GitKnows::Changed,
        Some(None) => untracked(disk, &root, file),
        None => GitKnows::Untold,
    })
}

/// The directory with the index: `.git`, or what that file of a worktree names.
fn directory(disk: &dyn Disk, root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if disk.stat(&git).ok()??.kind == FileKind::Directory {
        return Some(git);
    }
    let text = disk.read(&git, LINK_BYTES_MAX).ok()?;
    let named = String::from_utf8(text).ok()?;
    Some(root.join(named.trim().strip_prefix("gitdir:")?.trim()))
}

/// Whether a repository has a commit, or may have one.
fn has_commits(disk: &dyn Disk, dir: &Path) -> bool {
    let is_there = |name: &str| disk.stat(&dir.join(name)).is_ok_and(|stat| stat.is_some());
    let head = disk.read(&dir.join("HEAD"), LINK_BYTES_MAX).unwrap_or_default();
    let head = String::from_utf8_lossy(&head).trim().to_owned();
    match head.strip_prefix("ref:") {
        Some(name) => [name.trim(), "packed-refs", "commondir", "reftable"].into_iter().any(is_there),
        None => !head.is_empty(),
    }
}

fn untracked(disk: &dyn Disk, root: &Path, file: &Path) -> GitKnows {
    let text = disk.read(&root.join(".gitignore"), IGNORE_BYTES_MAX).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(['#', '!']));
    let left_out = agents::WrittenPath {
        path: root.join("*"),
        how: agents::How::Below,
        chosen: agents::Chosen { except: lines.map(str::to_owned).collect(), ..agents::Chosen::default() },
    };
    GitKnows::Untracked { ignored: !left_out.reaches(file) }
}

/// A file as git saw it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct IndexEntry {
    changed_ms: u64,
    modified_ms: u64,
    /// The lower 32 bits.
    len: u32,
    hash: [u8; SHA1_BYTES],
}

impl IndexEntry {
    /// Whether the file is the one that git saw, as far as its times and its length tell; `written_ms`: when the index was written. What
    /// changed as late as that may have changed again since.
    fn is_of(&self, stat: &Stat, written_ms: u64) -> bool {
        self.modified_ms == stat.modified_ms
            && self.changed_ms == stat.changed_ms
            && u64::from(self.len) == stat.len & u64::from(u32::MAX)
            && self.modified_ms < written_ms
    }

    /// Whether a file has the text that git has, perhaps with other ends of lines: a copy, or a file whose times or rights were set.
    fn has_text_of(&self, disk: &dyn Disk, file: &Path) -> bool {
        let Ok(bytes) = disk.read(file, documents::DOCUMENT_BYTES_MAX) else { return false };
        let is_it = |bytes: &[u8]| {
            let hash = Sha1::new().chain_update(format!("blob {}\0", bytes.len())).chain_update(bytes);
            hash.finalize()[..] == self.hash
        };
        let with_plain_ends = || {
            let text = String::from_utf8_lossy(&bytes);
            text.contains("\r\n") && is_it(text.replace("\r\n", "\n").as_bytes())
        };
        is_it(&bytes) || with_plain_ends()
    }
}

/// An index, with the one that it shares with others where it is split.
struct GitIndex {
    bytes: Vec<u8>,
    modified_ms: u64,
    shared: Option<Shared>,
}

impl GitIndex {
    /// The entry of a file; `Some(None)` where the index has none, `None` where it cannot be read.
    fn entry(&self, wanted: &[u8]) -> Option<Option<IndexEntry>> {
        let Some(shared) = &self.shared else {
            return Some(find(&self.bytes, wanted, true)?.map(|(_, entry)| entry));
        };
        if let Some((_, entry)) = find(&self.bytes, wanted, false)? {
            return Some(Some(entry));
        }
        let Some((at, entry)) = find(&shared.bytes, wanted, true)? else { return Some(None) };
        if shared.deleted.has(at) {
            return Some(None);
        }
        // Those that take the place of shared ones stand first, in their order, without their names.
        let place = shared.replaced.has(at).then(|| shared.replaced.before(at));
        Some(Some(place.map_or(Some(entry), |place| nth(&self.bytes, place))?))
    }
}

/// The index that others share, with what this one says of it.
struct Shared {
    bytes: Vec<u8>,
    deleted: Bits,
    replaced: Bits,
}

impl Shared {
    /// The index that this one is split from; `None` where it is whole.
    fn of(disk: &dyn Disk, dir: &Path, index: &[u8]) -> Result<Option<Shared>, ()> {
        let Some(link) = extension(index, *b"link").ok_or(())? else { return Ok(None) };
        let hash = link.get(..SHA1_BYTES).ok_or(())?;
        if hash.iter().all(|byte| *byte == 0) {
            return Ok(None);
        }
        let name: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        let bytes = disk.read(&dir.join(format!("sharedindex.{name}")), INDEX_BYTES_MAX).map_err(drop)?;
        let rest = &link[SHA1_BYTES..];
        let (deleted, used) =
            if rest.is_empty() { (Bits::default(), 0) } else { Bits::read(rest).ok_or(())? };
        let rest = &rest[used..];
        let replaced = if rest.is_empty() { Bits::default() } else { Bits::read(rest).ok_or(())?.0 };
        Ok(Some(Shared { bytes, deleted, replaced }))
    }
}

/// A set of places, as git writes it (EWAH).
#[derive(Debug, Default, PartialEq, Eq)]
struct Bits(Vec<u64>);

impl Bits {
    /// Reads a set; also how many bytes it has.
    fn read(bytes: &[u8]) -> Option<(Bits, usize)> {
        let most = usize::try_from(number(bytes, 0)?).ok()? / 64 + 1;
        let count = usize::try_from(number(bytes, 4)?).ok()?;
        let end = count.checked_mul(8)?.checked_add(8)?;
        let mut words = bytes
            .get(8..end)?
            .chunks_exact(8)
            .map(|word| u64::from_be_bytes(word.try_into().unwrap_or_default()));
        let mut found = Vec::new();
        // A word says how many words follow of one bit alone, and how many as they are.
        while let Some(word) = words.next() {
            let same = if word & 1 == 1 { u64::MAX } else { 0 };
            let run = usize::try_from(word >> 1 & u64::from(u32::MAX)).ok()?;
            found.extend(std::iter::repeat_n(same, run.min(most.saturating_sub(found.len()))));
            found.extend(words.by_ref().take(usize::try_from(word >> 33).ok()?));
        }
        Some((Bits(found), end + 4))
    }

    fn has(&self, at: usize) -> bool {
        self.0.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    /// How many places in front of one are in the set.
    fn before(&self, at: usize) -> usize {
        (0..at).filter(|at| self.has(*at)).count()
    }
}

const HEADER_BYTES: usize = 12;
/// An entry up to the hash.
const STAT_BYTES: usize = 40;
const SHA1_BYTES: usize = 20;
const EXTENDED: u16 = 0x4000;

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// The entry of a file, with its place; `Some(None)` where there is none, `None` where the index cannot be read.
fn find(index: &[u8], wanted: &[u8], is_sorted: bool) -> Option<Option<(usize, IndexEntry)>> {
    let mut found = None;
    walk(index, |place, name, at| {
        if name == wanted {
            found = entry(index, at).map(|entry| (place, entry));
        }
        // Names are in the order of their bytes.
        name != wanted && !(is_sorted && name > wanted)
    })?;
    Some(found)
}

/// The entry at a place.
fn nth(index: &[u8], wanted: usize) -> Option<IndexEntry> {
    let mut found = None;
    walk(index, |place, _, at| {
        found = (place == wanted).then(|| entry(index, at)).flatten();
        place < wanted
    })?;
    found
}

/// The body of an extension of an index; `Some(None)` where it has none of that name.
fn extension(index: &[u8], wanted: [u8; 4]) -> Option<Option<&[u8]>> {
    let mut at = walk(index, |_, _, _| true)?;
    while at + 8 + SHA1_BYTES <= index.len() {
        let len = usize::try_from(number(index, at + 4)?).ok()?;
        let body = index.get(at + 8..at.checked_add(8)?.checked_add(len)?)?;
        if index[at..at + 4] == wanted {
            return Some(Some(body));
        }
        at += 8 + len;
    }
    Some(None)
}

/// The entry that begins here.
fn entry(index: &[u8], at: usize) -> Option<IndexEntry> {
    let ms = |at: usize| {
        let (seconds, nanoseconds) = (number(index, at)?, number(index, at + 4)?);
        Some(u64::from(seconds) * 1000 + u64::from(nanoseconds) / 1_000_000)
    };
    Some(IndexEntry {
        changed_ms: ms(at)?,
        modified_ms: ms(at + 8)?,
        len: number(index, at + 36)?,
        hash: index.get(at + STAT_BYTES..at + STAT_BYTES + SHA1_BYTES)?.try_into().ok()?,
    })
}

/// Goes through the entries, each with its place, its name and where it begins, for as long as more are wanted. Gives where it stopped;
/// `None` where the index cannot be read.
fn walk(index: &[u8], mut each: impl FnMut(usize, &[u8], usize) -> bool) -> Option<usize> {
    let version = number(index, 4)?;
    if !index.starts_with(b"DIRC") || !(2..=4).contains(&version) {
        return None;
    }
    let mut at = HEADER_BYTES;
    let mut name: Vec<u8> = Vec::new();
    for place in 0..usize::try_from(number(index, 8)?).ok()? {
        let start = at;
        at += STAT_BYTES + SHA1_BYTES;
        let flags = u16::from_be_bytes(index.get(at..at + 2)?.try_into().ok()?);
        at += if flags & EXTENDED == 0 { 2 } else { 4 };
        if version == 4 {
            let (cut, used) = varint(index.get(at..)?)?;
            at += used;
            name.truncate(name.len().checked_sub(cut)?);
        } else {
            name.clear();
        }
        let end = at + index.get(at..)?.iter().position(|byte| *byte == 0)?;
        name.extend_from_slice(index.get(at..end)?);
        if !each(place, &name, start) {
            return Some(end);
        }
        at = if version == 4 { end + 1 } else { start + (end - start + 8) / 8 * 8 };
    }
    Some(at)
}

/// A number of git's variable width, and how many bytes it has.
fn varint(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = usize::from(bytes.first()? & 0x7f);
    let mut used = 1;
    while bytes.get(used - 1)? & 0x80 != 0 {
        value = value.checked_add(1)?.checked_mul(128)? + usize::from(bytes.get(used)? & 0x7f);
        used += 1;
    }
    Some((value, used))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An index of version 2 or 4 with these files, each with its time and length.
    fn index(version: u32, files: &[(&str, u64, u32)]) -> Vec<u8> {
        let count = u32::try_from(files.len()).unwrap();
        let mut bytes = [b"DIRC".as_slice(), &version.to_be_bytes(), &count.to_be_bytes()].concat();
        let mut before = "";
        for (name, modified_ms, len) in files {
            let start = bytes.len();
            let number = |value: u64| u32::try_from(value).unwrap();
            let (seconds, nanoseconds) = (number(modified_ms / 1000), number(modified_ms % 1000 * 1_000_000));
            let words = [seconds, nanoseconds, seconds, nanoseconds, 0, 0, 0, 0, 0, *len];
            bytes.extend(words.iter().flat_map(|word: &u32| word.to_be_bytes()));
            bytes.extend([0; SHA1_BYTES + 2]);
            if version == 4 {
                bytes.push(u8::try_from(before.len()).unwrap());
                bytes.extend(name.as_bytes());
                bytes.push(0);
            } else {
                bytes.extend(name.as_bytes());
                bytes.resize(start + (bytes.len() - start + 8) / 8 * 8, 0);
            }
            before = name;
        }
        bytes
    }

    #[test]
    fn entries_of_every_version_are_found() {
        for version in [2, 4] {
            let bytes = index(version, &[("AGENTS.md", 7_005, 3), ("docs/a.md", 8_005, 4), ("x", 9_005, 5)]);
            let found = |name: &str| find(&bytes, name.as_bytes(), true).unwrap();
            let (place, entry) = found("docs/a.md").unwrap();
            assert_eq!(
                (place, entry.modified_ms, entry.changed_ms, entry.len),
                (1, 8_005, 8_005, 4),
                "{version}"
            );
            assert_eq!(found("x").map(|(_, entry)| entry.len), Some(5), "{version}");
            assert_eq!(found("b"), None, "{version}");
            assert_eq!(nth(&bytes, 2).map(|entry| entry.len), Some(5), "{version}");
            assert_eq!(find(&bytes[..bytes.len() - 12], b"z", true), None, "cut off: {version}");
        }
        assert_eq!(find(b"DIRC\0\0\0\x09\0\0\0\0", b"x", true), None);
    }

    /// One index that is split from another: an entry takes the place of a shared one, one is taken out, one is new.
    #[test]
    fn a_split_index_is_read_with_the_shared_one() {
        let shared = index(2, &[("a", 1_000, 1), ("b", 1_000, 2), ("c", 1_000, 3)]);
        // A word of literals: its bits 33 and up say that one word follows as it is.
        let bits = |set: u64| {
            [0, 0, 0, 3, 0, 0, 0, 2]
                .into_iter()
                .chain((1_u64 << 33).to_be_bytes())
                .chain(set.to_be_bytes())
                .chain([0; 4])
        };
        let link: Vec<u8> = [7; SHA1_BYTES].into_iter().chain(bits(0b100)).chain(bits(0b010)).collect();
        let mut bytes = index(2, &[("", 9_000, 9), ("new", 1_000, 4)]);
        bytes.extend(b"link");
        bytes.extend(u32::try_from(link.len()).unwrap().to_be_bytes());
        bytes.extend(&link);
        bytes.extend([0; SHA1_BYTES]);
        let body = extension(&bytes, *b"link").unwrap().unwrap();
        assert_eq!(body, link);
        let (deleted, used) = Bits::read(&body[SHA1_BYTES..]).unwrap();
        let (replaced, _) = Bits::read(&body[SHA1_BYTES + used..]).unwrap();
        let index =
            GitIndex { bytes, modified_ms: 0, shared: Some(Shared { bytes: shared, deleted, replaced }) };
        let len = |name: &str| index.entry(name.as_bytes()).unwrap().map(|entry| entry.len);
        assert_eq!(["a", "b", "c", "new", "d"].map(len), [Some(1), Some(9), None, Some(4), None]);
        assert_eq!(Bits::read(&[0, 0, 0, 3, 0xff, 0xff, 0xff, 0xff]), None);
    }
}
