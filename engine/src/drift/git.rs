//! Reads what git keeps of a repository (commits, trees, texts) from its files, without starting a program: no setting, hook or
//! filter of the repository has a say, and nothing is written. What is damaged or too large is not there.

use durable::{Disk, FileKind};
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress, inflate_flags};
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

type Bytes = Rc<Vec<u8>>;
/// Where something stands: the number of its pack, and a place there.
type Place = (usize, u64);
/// Names an object.
pub(crate) type ObjectId = [u8; 20];

/// Larger objects are not there.
const OBJECT_BYTES_MAX: usize = 4 << 20;
/// A larger list of the objects of a pack is not read: that of two million objects has 64 MB.
const LIST_BYTES_MAX: u64 = 96 << 20;
/// More packs than this has only a repository that is never tidied.
const PACKS_MAX: usize = 64;
/// A pack is read in pieces of this size.
const PIECE_BYTES: u64 = 64 << 10;
/// So many pieces, and so many bytes of objects, are kept in memory.
const PIECES_MAX: usize = 512;
const KEPT_BYTES_MAX: usize = 48 << 20;
/// An object may be told as a difference to another one, and that again: git itself makes chains of up to 250.
const CHAIN_MAX: usize = 300;
/// The list of all refs in one file.
const REFS_BYTES_MAX: u64 = 16 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Commit,
    Tree,
    Blob,
    Tag,
}

/// An entry of a tree.
#[derive(Clone, Copy)]
pub(super) struct TreeEntry<'t> {
    pub(super) name: &'t str,
    pub(super) id: ObjectId,
    pub(super) is_tree: bool,
    /// Neither a link nor another repository.
    pub(super) is_file: bool,
}

impl TreeEntry<'_> {
    /// Which of two stands first in a tree: a directory stands where its name with a `/` does.
    pub(super) fn order(&self, other: &TreeEntry<'_>) -> std::cmp::Ordering {
        let key = |of: &TreeEntry<'_>| of.is_tree.then_some(b'/');
        let (own, others) = (self.name.bytes().chain(key(self)), other.name.bytes().chain(key(other)));
        own.cmp(others)
    }
}

/// The entries of a tree, up to the first that cannot be read.
pub(super) struct Entries<'t> {
    rest: &'t [u8],
}

impl<'t> Entries<'t> {
    pub(super) fn of(tree: &'t [u8]) -> Entries<'t> {
        Entries { rest: tree }
    }
}

impl<'t> Iterator for Entries<'t> {
    type Item = TreeEntry<'t>;

    fn next(&mut self) -> Option<TreeEntry<'t>> {
        let end = self.rest.iter().position(|byte| *byte == 0)?;
        let (mode, name) = std::str::from_utf8(self.rest.get(..end)?).ok()?.split_once(' ')?;
        let id = self.rest.get(end + 1..end + 21)?.try_into().ok()?;
        self.rest = self.rest.get(end + 21..)?;
        Some(TreeEntry { name, id, is_tree: mode == "40000", is_file: mode.starts_with("100") })
    }
}

/// The objects of a repository.
pub(super) struct Objects<'d> {
    disk: &'d dyn Disk,
    dir: PathBuf,
    packs: Vec<Pack>,
    pieces: RefCell<HashMap<Place, Bytes>>,
    kept: RefCell<Kept>,
}

#[derive(Default)]
struct Kept {
    objects: HashMap<Place, (Kind, Bytes)>,
    bytes: usize,
}

struct Pack {
    path: PathBuf,
    list: Vec<u8>,
}

/// What stands at the begin of an object of a pack.
struct Head {
    kind: u8,
    size: usize,
    /// Where what is behind it begins.
    body: u64,
}

/// So many commits are asked what they changed.
const COMMITS_MAX: usize = 32;
/// So much is read of what git noted last, in bytes.
const REFLOG_BYTES_MAX: u64 = 64 << 10;
/// What git notes of the commits that were checked out.
const LOG: &str = "logs/HEAD";

/// The commit that is checked out in the repository whose `.git` this is.
pub(crate) fn head_of(disk: &dyn Disk, git: &Path) -> Option<ObjectId> {
    let head = small(disk, &git.join("HEAD"), PIECE_BYTES)?;
    let Some(name) = head.trim().strip_prefix("ref: ") else { return of_hex(head.trim()) };
    let is_plain = name.starts_with("refs/") && !name.split('/').any(|part| matches!(part, "" | "." | ".."));
    if !is_plain {
        return None;
    }
    let loose = small(disk, &git.join(name), PIECE_BYTES).and_then(|text| of_hex(text.trim()));
    let packed = || {
        let text = small(disk, &git.join("packed-refs"), REFS_BYTES_MAX)?;
        let mut lines = text.lines().filter_map(|line| line.split_once(' '));
        lines.find(|(_, known)| *known == name).and_then(|(id, _)| of_hex(id))
    };
    loose.or_else(packed)
}

/// The text that a commit has of a file, which is named from the repository's root.
pub(crate) fn committed(disk: &dyn Disk, git: &Path, commit: &ObjectId, file: &Path) -> Option<String> {
    let objects = Objects::of(disk, git);
    let (mut at, _) = objects.commit(commit)?;
    let mut names = file.iter().peekable();
    while let Some(name) = names.next() {
        let tree = objects.tree(&at)?;
        let is_last = names.peek().is_none();
        let entry = Entries::of(&tree).find(|entry| Some(entry.name) == name.to_str())?;
        if if is_last { !entry.is_file } else { !entry.is_tree } {
            return None;
        }
        at = entry.id;
    }
    objects.text(&at)
}

/// How much git has noted of what was checked out (`logs/HEAD`), in bytes.
pub(crate) fn noted(disk: &dyn Disk, git: &Path) -> u64 {
    disk.stat(&git.join(LOG)).ok().flatten().map_or(0, |stat| stat.len)
}

/// Whether somebody committed a change of a file since git had noted so much: what was only checked out, pulled, merged or rebased is
/// another matter.
pub(crate) fn has_committed_since(disk: &dyn Disk, git: &Path, noted: u64, file: &Path) -> bool {
    let more = self::noted(disk, git).saturating_sub(noted);
    let Ok((tail, _)) = disk.read_tail(&git.join(LOG), more.min(REFLOG_BYTES_MAX)) else { return false };
    let text = String::from_utf8_lossy(&tail);
    // `<before> <after> <who> <time> <zone>\t<what>: <more>`
    let ids = |line: &str| {
        let mut words = line.split(' ');
        Some((of_hex(words.next()?)?, of_hex(words.next()?)?))
    };
    let is_commit = |line: &&str| {
        let what = line.split_once('\t').map_or("", |(_, what)| what);
        ["commit:", "commit (amend):", "revert:", "cherry-pick:", "am:"]
            .iter()
            .any(|verb| what.starts_with(verb))
    };
    let has_it = |line: &&str| {
        let text = |id| committed(disk, git, &id, file);
        ids(line).is_some_and(|(before, after)| text(before) != text(after))
    };
    text.lines().rev().filter(is_commit).take(COMMITS_MAX).any(|line| has_it(&line))
}

fn small(disk: &dyn Disk, path: &Path, most: u64) -> Option<String> {
    let stat = disk.stat_link(path).ok().flatten();
    stat.filter(|stat| stat.kind == FileKind::File)?;
    String::from_utf8(disk.read(path, most).ok()?).ok()
}

impl<'d> Objects<'d> {
    /// Those of this directory of git (`.git`).
    pub(super) fn of(disk: &'d dyn Disk, git: &Path) -> Objects<'d> {
        let dir = git.join("objects");
        let is_own = |path: &Path, kind| matches!(disk.stat_link(path), Ok(Some(stat)) if stat.kind == kind);
        let packs_dir = dir.join("pack");
        let mut names = Vec::new();
        // A link would lead out of the repository.
        if [git, &dir, &packs_dir].iter().all(|dir| is_own(dir, FileKind::Directory)) {
            names = disk.list(&packs_dir).unwrap_or_default();
        }
        names.sort();
        let lists = names.iter().map(|name| packs_dir.join(name));
        let lists = lists.filter(|path| path.extension().is_some_and(|ending| ending == "idx"));
        let packs = lists.take(PACKS_MAX).filter_map(|path| {
            let pack = path.with_extension("pack");
            let good = is_own(&path, FileKind::File) && is_own(&pack, FileKind::File);
            let list = good.then(|| disk.read(&path, LIST_BYTES_MAX).ok()).flatten()?;
            list.starts_with(b"\xfftOc\0\0\0\x02").then_some(Pack { path: pack, list })
        });
        Objects { disk, packs: packs.collect(), dir, pieces: RefCell::default(), kept: RefCell::default() }
    }

    /// The commit that is checked out.
    pub(super) fn head(&self) -> Option<ObjectId> {
        head_of(self.disk, self.dir.parent()?)
    }

    /// The tree of a commit, and its first parent.
    pub(super) fn commit(&self, id: &ObjectId) -> Option<(ObjectId, Option<ObjectId>)> {
        let (kind, bytes) = self.object(id)?;
        let text = String::from_utf8_lossy(&bytes);
        let of = |key: &str| {
            let mut head = text.lines().take_while(|line| !line.is_empty());
            head.find_map(|line| of_hex(line.strip_prefix(key)?))
        };
        let tree = of("tree ").filter(|_| kind == Kind::Commit)?;
        Some((tree, of("parent ")))
    }

    /// What a tree has, to be read as [`Entries`].
    pub(super) fn tree(&self, id: &ObjectId) -> Option<Bytes> {
        self.object(id).filter(|(kind, _)| *kind == Kind::Tree).map(|(_, bytes)| bytes)
    }

    /// The text of a file.
    pub(super) fn text(&self, id: &ObjectId) -> Option<String> {
        let (kind, bytes) = self.object(id)?;
        String::from_utf8(bytes.to_vec()).ok().filter(|_| kind == Kind::Blob)
    }

    fn object(&self, id: &ObjectId) -> Option<(Kind, Bytes)> {
        let of_pack = self.packs.iter().enumerate().find_map(|(at, pack)| Some((at, pack.offset(id)?)));
        match of_pack {
            Some((pack, offset)) => self.packed(pack, offset),
            None => self.loose(id),
        }
    }

    fn loose(&self, id: &ObjectId) -> Option<(Kind, Bytes)> {
        let hex: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
        let path = self.dir.join(&hex[..2]).join(&hex[2..]);
        let stat = self.disk.stat_link(&path).ok().flatten();
        stat.filter(|stat| stat.kind == FileKind::File)?;
        let read = self.disk.read(&path, OBJECT_BYTES_MAX as u64).ok()?;
        let most = OBJECT_BYTES_MAX + 64;
        let bytes = miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(&read, most).ok()?;
        let end = bytes.iter().position(|byte| *byte == 0)?;
        let (name, _) = std::str::from_utf8(&bytes[..end]).ok()?.split_once(' ')?;
        let kind = match name {
            "commit" => Kind::Commit,
            "tree" => Kind::Tree,
            "blob" => Kind::Blob,
            "tag" => Kind::Tag,
            _ => return None,
        };
        Some((kind, Rc::new(bytes[end + 1..].to_vec())))
    }

    /// An object of a pack, with the differences that it is told in put together.
    fn packed(&self, pack: usize, offset: u64) -> Option<(Kind, Bytes)> {
        let mut differences = Vec::new();
        let mut at = offset;
        let (kind, mut bytes) = loop {
            if let Some((kind, bytes)) = self.kept.borrow().objects.get(&(pack, at)) {
                break (*kind, Rc::clone(bytes));
            }
            let head = self.head_of(pack, at)?;
            let mut body = head.body;
            let base = match head.kind {
                6 => at.checked_sub(self.distance(pack, &mut body)?)?,
                7 => {
                    let id = self.bytes(pack, body, 20)?.try_into().ok()?;
                    body += 20;
                    self.packs.get(pack)?.offset(&id)?
                }
                plain => {
                    let kind = [Kind::Commit, Kind::Tree, Kind::Blob, Kind::Tag];
                    let kind = *kind.get(usize::from(plain).checked_sub(1)?)?;
                    let bytes = Rc::new(self.inflated(pack, body, head.size)?);
                    self.keep((pack, at), kind, &bytes);
                    break (kind, bytes);
                }
            };
            differences.push((at, body, head.size));
            at = base;
            if differences.len() > CHAIN_MAX {
                return None;
            }
        };
        for (at, body, size) in differences.into_iter().rev() {
            bytes = Rc::new(applied(&bytes, &self.inflated(pack, body, size)?)?);
            self.keep((pack, at), kind, &bytes);
        }
        Some((kind, bytes))
    }

    fn keep(&self, at: Place, kind: Kind, bytes: &Bytes) {
        let mut kept = self.kept.borrow_mut();
        if kept.bytes > KEPT_BYTES_MAX {
            *kept = Kept::default();
        }
        kept.bytes += bytes.len();
        kept.objects.insert(at, (kind, Rc::clone(bytes)));
    }

    fn head_of(&self, pack: usize, at: u64) -> Option<Head> {
        let mut body = at;
        let first = self.byte(pack, &mut body)?;
        let (mut size, mut shift, mut more) = (u64::from(first & 15), 4, first & 128 != 0);
        while more && shift < 57 {
            let byte = self.byte(pack, &mut body)?;
            size |= u64::from(byte & 127) << shift;
            (shift, more) = (shift + 7, byte & 128 != 0);
        }
        let size = usize::try_from(size).ok().filter(|size| *size <= OBJECT_BYTES_MAX)?;
        Some(Head { kind: first >> 4 & 7, size, body })
    }

    /// How far before it the object stands to which one is told as a difference.
    fn distance(&self, pack: usize, at: &mut u64) -> Option<u64> {
        let mut byte = self.byte(pack, at)?;
        let mut distance = u64::from(byte & 127);
        while byte & 128 != 0 {
            byte = self.byte(pack, at)?;
            distance = distance.checked_add(1)?.checked_mul(128)? | u64::from(byte & 127);
        }
        Some(distance).filter(|distance| *distance > 0)
    }

    fn byte(&self, pack: usize, at: &mut u64) -> Option<u8> {
        let piece = self.piece(pack, *at / PIECE_BYTES)?;
        let byte = *piece.get(usize::try_from(*at % PIECE_BYTES).ok()?)?;
        *at += 1;
        Some(byte)
    }

    fn bytes(&self, pack: usize, mut at: u64, count: usize) -> Option<Vec<u8>> {
        (0..count).map(|_| self.byte(pack, &mut at)).collect()
    }

    fn piece(&self, pack: usize, number: u64) -> Option<Bytes> {
        if let Some(piece) = self.pieces.borrow().get(&(pack, number)) {
            return Some(Rc::clone(piece));
        }
        let path = &self.packs.get(pack)?.path;
        let read = self.disk.read_at(path, number.checked_mul(PIECE_BYTES)?, PIECE_BYTES).ok()?;
        let mut pieces = self.pieces.borrow_mut();
        if pieces.len() >= PIECES_MAX {
            pieces.clear();
        }
        let read = Rc::new(read);
        pieces.insert((pack, number), Rc::clone(&read));
        Some(read)
    }

    /// What is packed from there on, which has this size.
    fn inflated(&self, pack: usize, mut at: u64, size: usize) -> Option<Vec<u8>> {
        let mut out = vec![0; size];
        let mut filled = 0;
        let mut state = DecompressorOxide::new();
        loop {
            let piece = self.piece(pack, at / PIECE_BYTES)?;
            let input = piece.get(usize::try_from(at % PIECE_BYTES).ok()?..)?;
            let more = inflate_flags::TINFL_FLAG_HAS_MORE_INPUT;
            let flags = inflate_flags::TINFL_FLAG_PARSE_ZLIB_HEADER
                | inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF
                | more;
            let (status, read, written) = decompress(&mut state, input, &mut out, filled, flags);
            filled += written;
            at += u64::try_from(read).ok()?;
            match status {
                TINFLStatus::Done => return (filled == size).then_some(out),
                TINFLStatus::NeedsMoreInput if !input.is_empty() => {}
                _ => return None,
            }
        }
    }
}

impl Pack {
    /// Where an object stands in the pack.
    fn offset(&self, id: &ObjectId) -> Option<u64> {
        const NAMES: usize = 8 + 256 * 4;
        let word = |at: usize| {
            let bytes = self.list.get(at..at.checked_add(4)?)?;
            usize::try_from(u32::from_be_bytes(bytes.try_into().ok()?)).ok()
        };
        let first = usize::from(id[0]);
        let mut low = first.checked_sub(1).map_or(Some(0), |before| word(8 + before * 4))?;
        let mut high = word(8 + first * 4)?;
        let count = word(8 + 255 * 4)?;
        while low < high {
            let middle = low.midpoint(high);
            let begin = NAMES.checked_add(middle.checked_mul(20)?)?;
            match self.list.get(begin..begin.checked_add(20)?)?.cmp(id.as_slice()) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => {
                    // Behind the names a checksum of each, then the offsets, then those that need eight bytes.
                    let offsets = NAMES.checked_add(count.checked_mul(24)?)?;
                    let offset = word(offsets.checked_add(middle * 4)?)?;
                    if offset < 1 << 31 {
                        return u64::try_from(offset).ok();
                    }
                    let long = offsets + count * 4 + (offset - (1 << 31)) * 8;
                    return Some((word(long)? as u64) << 32 | word(long + 4)? as u64);
                }
            }
        }
        None
    }
}

/// An object, as it is told by a difference to another one.
fn applied(base: &[u8], difference: &[u8]) -> Option<Vec<u8>> {
    let mut rest = difference.iter().copied();
    let mut number = || {
        let (mut number, mut shift) = (0_usize, 0);
        loop {
            let byte = rest.next().filter(|_| shift < 57)?;
            number |= usize::from(byte & 127) << shift;
            shift += 7;
            if byte & 128 == 0 {
                return Some(number);
            }
        }
    };
    let (from, size) = (number()?, number()?);
    if from != base.len() || size > OBJECT_BYTES_MAX {
        return None;
    }
    let mut made = Vec::with_capacity(size);
    while let Some(order) = rest.next() {
        if order & 128 == 0 {
            let added = (0..order).map(|_| rest.next());
            let added: Option<Vec<u8>> = added.collect();
            made.extend(added.filter(|added| !added.is_empty())?);
        } else {
            let mut part = |bits: std::ops::Range<u8>| {
                let mut number = 0;
                for (place, bit) in bits.enumerate() {
                    if order & 1 << bit != 0 {
                        number |= usize::from(rest.next()?) << (8 * place);
                    }
                }
                Some(number)
            };
            let (at, count) = (part(0..4)?, part(4..7)?);
            let count = if count == 0 { 1 << 16 } else { count };
            made.extend_from_slice(base.get(at..at.checked_add(count)?)?);
        }
        if made.len() > size {
            return None;
        }
    }
    (made.len() == size).then_some(made)
}

/// The id that 40 digits name.
fn of_hex(text: &str) -> Option<ObjectId> {
    let digits = text.as_bytes();
    if digits.len() != 40 {
        return None;
    }
    let mut id = [0; 20];
    for (byte, pair) in id.iter_mut().zip(digits.chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(id)
}
