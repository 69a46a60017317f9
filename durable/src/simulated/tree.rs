//! The simulated file system itself: inodes, the names that lead to them, and of each what the platter has and what only
//! memory has.

use rustix::io::Errno;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Which of a tree's inodes: they are counted from 1 and never used again.
pub(super) type InodeId = usize;
type ChangeId = u64;
type Outcome<T> = std::result::Result<T, Errno>;

const ROOT: InodeId = 1;
/// The user and group that everything belongs to unless somebody gives it away.
pub(super) const OWNER: (u32, u32) = (1000, 1000);
const LINKS_MAX: u32 = 16;

/// A file, directory or symbolic link.
#[derive(Debug, Clone)]
pub(super) struct Inode {
    pub body: Body,
    pub mode: u32,
    pub owner: (u32, u32),
    pub modified_ms: u64,
}

#[derive(Debug, Clone)]
pub(super) enum Body {
    File(Content),
    Directory(Names),
    Link(PathBuf),
}

/// A file's bytes.
#[derive(Debug, Clone, Default)]
pub(super) struct Content {
    /// What everybody reads.
    pub now: Arc<Vec<u8>>,
    /// What the last fsync that succeeded has put on the platter.
    pub durable: Arc<Vec<u8>>,
    /// An fsync failed since the last write: the pages count as clean, a further fsync says 0 and writes nothing.
    pub given_up: bool,
}

/// A directory's names.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    pub now: BTreeMap<OsString, InodeId>,
    pub durable: BTreeMap<OsString, InodeId>,
}

/// One change of one name that is not on the platter yet.
#[derive(Debug, Clone)]
pub(super) struct Change {
    pub id: ChangeId,
    pub dir: InodeId,
    pub name: OsString,
    pub to: Option<InodeId>,
    /// Changes without which the platter never has this one: a rename does not lose the file, an exchange is whole.
    needs: Vec<ChangeId>,
}

/// What becomes of unsynced bytes in a power cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Data {
    /// None of them arrived.
    None,
    /// The first half.
    Half,
    /// The first half, and the size: NUL bytes for the rest.
    Holed,
    /// All.
    All,
}

impl Data {
    /// Every kind.
    pub const ALL: [Data; 4] = [Data::None, Data::Half, Data::Holed, Data::All];
}

/// How a rename treats its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Renaming {
    New,
    Over,
    Exchange,
}

#[derive(Debug, Clone)]
pub(super) struct Tree {
    /// By their ids; `None` for one that nothing leads to any more.
    inodes: Vec<Option<Arc<Inode>>>,
    unsynced: Vec<Change>,
    changes: ChangeId,
    pub clock_ms: u64,
    /// Its number is another one after each start of the machine, as those of real disks may be.
    pub device: u64,
}

impl Tree {
    pub fn new() -> Tree {
        let root =
            Inode { body: Body::Directory(Names::default()), mode: 0o755, owner: OWNER, modified_ms: 0 };
        Tree {
            inodes: vec![None, Some(Arc::new(root))],
            unsynced: Vec::new(),
            changes: 0,
            clock_ms: 0,
            device: 1,
        }
    }

    // ---- finding ----

    pub fn inode(&self, id: InodeId) -> Outcome<&Inode> {
        self.inodes.get(id).and_then(Option::as_deref).ok_or(Errno::IO)
    }

    fn inode_mut(&mut self, id: InodeId) -> Outcome<&mut Inode> {
        self.inodes.get_mut(id).and_then(Option::as_mut).map(Arc::make_mut).ok_or(Errno::IO)
    }

    fn names(&self, dir: InodeId) -> Outcome<&Names> {
        match &self.inode(dir)?.body {
            Body::Directory(names) => Ok(names),
            _ => Err(Errno::NOTDIR),
        }
    }

    fn names_mut(&mut self, dir: InodeId) -> Outcome<&mut Names> {
        match &mut self.inode_mut(dir)?.body {
            Body::Directory(names) => Ok(names),
            _ => Err(Errno::NOTDIR),
        }
    }

    fn content_mut(&mut self, file: InodeId) -> Outcome<&mut Content> {
        match &mut self.inode_mut(file)?.body {
            Body::File(content) => Ok(content),
            Body::Directory(_) => Err(Errno::ISDIR),
            Body::Link(_) => Err(Errno::LOOP),
        }
    }

    /// The inode at a path.
    pub fn find(&self, path: &Path, follow_last: bool) -> Outcome<InodeId> {
        let mut here = ROOT;
        let mut parts = path.components().peekable();
        while let Some(part) = parts.next() {
            let name = match part {
                Component::Normal(name) => name,
                Component::ParentDir => return Err(Errno::INVAL),
                _ => continue,
            };
            here = *self.names(here)?.now.get(name).ok_or(Errno::NOENT)?;
            // Where links lead is seldom asked for, so the path on the way is only put together where there is one.
            if matches!(self.inode(here)?.body, Body::Link(_)) && (follow_last || parts.peek().is_some()) {
                return self.walk(path, follow_last).map(|(found, _)| found);
            }
        }
        Ok(here)
    }

    /// The inode at a path, and the path with its links resolved.
    pub fn walk(&self, path: &Path, follow_last: bool) -> Outcome<(InodeId, PathBuf)> {
        self.walk_within(path, follow_last, LINKS_MAX)
    }

    fn walk_within(&self, path: &Path, follow_last: bool, links: u32) -> Outcome<(InodeId, PathBuf)> {
        let (mut here, mut real) = (ROOT, PathBuf::from("/"));
        let parts: Vec<Component<'_>> = path.components().collect();
        for (at, part) in parts.iter().enumerate() {
            let name = match part {
                Component::Normal(name) => *name,
                Component::ParentDir => return Err(Errno::INVAL),
                _ => continue,
            };
            let next = *self.names(here)?.now.get(name).ok_or(Errno::NOENT)?;
            let last = at + 1 == parts.len();
            match &self.inode(next)?.body {
                Body::Link(target) if follow_last || !last => {
                    let left = links.checked_sub(1).ok_or(Errno::LOOP)?;
                    (here, real) = self.walk_within(&real.join(target), true, left)?;
                }
                _ => {
                    here = next;
                    real.push(name);
                }
            }
        }
        Ok((here, real))
    }

    /// The directory a path's last name is in, and that name.
    fn place<'p>(&self, path: &'p Path) -> Outcome<(InodeId, &'p OsStr)> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return Err(Errno::INVAL) };
        let dir = self.find(parent, true)?;
        self.names(dir)?;
        Ok((dir, name))
    }

    fn at(&self, (dir, name): (InodeId, &OsStr)) -> Outcome<Option<InodeId>> {
        Ok(self.names(dir)?.now.get(name).copied())
    }

    pub fn list(&self, path: &Path) -> Outcome<Vec<OsString>> {
        let dir = self.find(path, true)?;
        Ok(self.names(dir)?.now.keys().cloned().collect())
    }

    pub fn bytes(&self, path: &Path) -> Outcome<Arc<Vec<u8>>> {
        let file = self.find(path, true)?;
        match &self.inode(file)?.body {
            Body::File(content) => Ok(Arc::clone(&content.now)),
            Body::Directory(_) => Err(Errno::ISDIR),
            Body::Link(_) => Err(Errno::LOOP),
        }
    }

    // ---- changing ----

    fn fresh(&mut self, body: Body, mode: u32) -> InodeId {
        let inode = Inode { body, mode, owner: OWNER, modified_ms: self.clock_ms };
        self.inodes.push(Some(Arc::new(inode)));
        self.inodes.len() - 1
    }

    fn new_change_id(&mut self) -> ChangeId {
        self.changes += 1;
        self.changes
    }

    fn set(
        &mut self,
        (dir, name): (InodeId, &OsStr),
        to: Option<InodeId>,
        id: ChangeId,
        needs: &[ChangeId],
    ) -> Outcome<()> {
        let now = &mut self.names_mut(dir)?.now;
        match to {
            Some(inode) => drop(now.insert(name.to_owned(), inode)),
            None => drop(now.remove(name)),
        }
        let needs = needs.to_vec();
        self.unsynced.push(Change { id, dir, name: name.to_owned(), to, needs });
        Ok(())
    }

    fn add(&mut self, path: &Path, body: Body, mode: u32) -> Outcome<InodeId> {
        let (dir, name) = self.place(path)?;
        if self.at((dir, name))?.is_some() {
            return Err(Errno::EXIST);
        }
        let inode = self.fresh(body, mode);
        let id = self.new_change_id();
        self.set((dir, name), Some(inode), id, &[])?;
        Ok(inode)
    }

    pub fn create(&mut self, path: &Path) -> Outcome<InodeId> {
        self.add(path, Body::File(Content::default()), 0o600)
    }

    pub fn make_dir(&mut self, path: &Path) -> Outcome<()> {
        self.add(path, Body::Directory(Names::default()), 0o700).map(|_| ())
    }

    pub fn make_link(&mut self, path: &Path, target: &Path) -> Outcome<()> {
        self.add(path, Body::Link(target.to_owned()), 0o777).map(|_| ())
    }

    pub fn set_attributes(&mut self, file: InodeId, mode: u32, owner: Option<(u32, u32)>) -> Outcome<()> {
        let inode = self.inode_mut(file)?;
        inode.mode = mode;
        inode.owner = owner.unwrap_or(inode.owner);
        Ok(())
    }

    /// The file's bytes become these.
    pub fn write(&mut self, file: InodeId, bytes: Vec<u8>) -> Outcome<()> {
        let now_ms = self.clock_ms;
        let content = self.content_mut(file)?;
        content.now = Arc::new(bytes);
        content.given_up = false;
        self.inode_mut(file)?.modified_ms = now_ms;
        Ok(())
    }

    pub fn link(&mut self, from: &Path, to: &Path) -> Outcome<()> {
        let inode = self.find(from, false)?;
        let place = self.place(to)?;
        if self.at(place)?.is_some() {
            return Err(Errno::EXIST);
        }
        let id = self.new_change_id();
        self.set(place, Some(inode), id, &[])
    }

    pub fn remove(&mut self, path: &Path, directory: bool) -> Outcome<()> {
        let place = self.place(path)?;
        let inode = self.at(place)?.ok_or(Errno::NOENT)?;
        match (&self.inode(inode)?.body, directory) {
            (Body::Directory(names), true) if !names.now.is_empty() => return Err(Errno::NOTEMPTY),
            (Body::Directory(_), false) => return Err(Errno::ISDIR),
            (Body::File(_) | Body::Link(_), true) => return Err(Errno::NOTDIR),
            _ => {}
        }
        let id = self.new_change_id();
        self.set(place, None, id, &[])
    }

    pub fn rename(&mut self, from: &Path, to: &Path, how: Renaming) -> Outcome<()> {
        let (source, target) = (self.place(from)?, self.place(to)?);
        let moved = self.at(source)?.ok_or(Errno::NOENT)?;
        let displaced = self.at(target)?;
        let (arrives, leaves) = (self.new_change_id(), self.new_change_id());
        match (how, displaced) {
            (Renaming::New, Some(_)) => Err(Errno::EXIST),
            (Renaming::Exchange, None) => Err(Errno::NOENT),
            (Renaming::Exchange, Some(displaced)) => {
                self.set(target, Some(moved), arrives, &[leaves])?;
                self.set(source, Some(displaced), leaves, &[arrives])
            }
            // Two names of one file: rename(2) does nothing.
            (Renaming::Over, Some(displaced)) if displaced == moved => Ok(()),
            (Renaming::Over, Some(displaced))
                if matches!(self.inode(displaced)?.body, Body::Directory(_)) =>
            {
                Err(Errno::ISDIR)
            }
            (Renaming::New | Renaming::Over, _) => {
                self.set(target, Some(moved), arrives, &[])?;
                self.set(source, None, leaves, &[arrives])
            }
        }
    }

    // ---- the platter ----

    pub fn sync_file(&mut self, file: InodeId) -> Outcome<()> {
        if let Body::File(content) = &mut self.inode_mut(file)?.body
            && !content.given_up
        {
            content.durable = Arc::clone(&content.now);
        }
        Ok(())
    }

    /// A failed fsync: dirty pages count as clean from here on, although they are not on the platter.
    pub fn fail_sync_file(&mut self, file: InodeId) -> Outcome<()> {
        if let Body::File(content) = &mut self.inode_mut(file)?.body {
            content.given_up = content.now != content.durable;
        }
        Ok(())
    }

    pub fn sync_dir(&mut self, dir: InodeId) {
        let dirty = self.unsynced.iter().filter(|change| change.dir == dir);
        let wanted = dirty.map(|change| change.id).collect();
        self.persist(&self.closed(wanted));
    }

    /// Everything on the platter, as an orderly shutdown leaves it.
    pub fn sync_all(&mut self) {
        let all = self.unsynced.iter().map(|change| change.id).collect();
        self.persist(&all);
        for file in 0..self.inodes.len() {
            if let Ok(content) = self.content_mut(file) {
                content.durable = Arc::clone(&content.now);
            }
        }
    }

    pub fn unsynced(&self) -> &[Change] {
        &self.unsynced
    }

    /// The changes with all that the platter must have before them.
    pub fn closed(&self, mut wanted: BTreeSet<ChangeId>) -> BTreeSet<ChangeId> {
        // Newest first, until nothing is added: an exchange needs a younger change too.
        loop {
            let before = wanted.len();
            for change in self.unsynced.iter().rev().filter(|change| !change.needs.is_empty()) {
                if wanted.contains(&change.id) {
                    wanted.extend(change.needs.iter().filter(|id| self.is_unsynced(**id)));
                }
            }
            for (at, change) in self.unsynced.iter().enumerate().rev() {
                if wanted.contains(&change.id) {
                    let same = |c: &&Change| c.dir == change.dir && c.name == change.name;
                    wanted.extend(self.unsynced[..at].iter().filter(same).map(|c| c.id));
                }
            }
            if wanted.len() == before {
                return wanted;
            }
        }
    }

    fn is_unsynced(&self, id: ChangeId) -> bool {
        self.unsynced.iter().any(|change| change.id == id)
    }

    fn persist(&mut self, chosen: &BTreeSet<ChangeId>) {
        let (kept, rest) =
            std::mem::take(&mut self.unsynced).into_iter().partition(|c| chosen.contains(&c.id));
        self.unsynced = rest;
        let kept: Vec<Change> = kept;
        for change in kept {
            let Ok(names) = self.names_mut(change.dir) else { continue };
            match change.to {
                Some(inode) => drop(names.durable.insert(change.name, inode)),
                None => drop(names.durable.remove(&change.name)),
            }
        }
    }

    /// The tree after a power cut that these changes and this much of the data survived.
    pub fn after_cut(&self, kept: &BTreeSet<ChangeId>, data: Data) -> Tree {
        let mut tree = self.clone();
        tree.persist(kept);
        tree.unsynced.clear();
        let mut reached: Vec<Option<Arc<Inode>>> = vec![None; tree.inodes.len()];
        let mut waiting = vec![ROOT];
        while let Some(id) = waiting.pop() {
            // One that has two names is reached twice.
            let Some(mut inode) = tree.inodes.get_mut(id).and_then(Option::take) else { continue };
            match &inode.body {
                Body::File(content) if !Arc::ptr_eq(&content.durable, &content.now) => {
                    let arrived = arrived(&content.durable, &content.now, data);
                    let content = Content { now: Arc::clone(&arrived), durable: arrived, given_up: false };
                    Arc::make_mut(&mut inode).body = Body::File(content);
                }
                Body::Directory(names) => {
                    waiting.extend(names.durable.values());
                    if names.now != names.durable {
                        let durable = names.durable.clone();
                        let names = Names { now: durable.clone(), durable };
                        Arc::make_mut(&mut inode).body = Body::Directory(names);
                    }
                }
                _ => {}
            }
            reached[id] = Some(inode);
        }
        tree.inodes = reached;
        tree.device += 1;
        tree
    }

    /// Every path with what stands there; directories have no bytes.
    pub fn files(&self) -> BTreeMap<PathBuf, Option<Arc<Vec<u8>>>> {
        let mut found = BTreeMap::new();
        let mut waiting = vec![(PathBuf::from("/"), ROOT)];
        while let Some((path, id)) = waiting.pop() {
            match self.inode(id).map(|inode| &inode.body) {
                Ok(Body::File(content)) => drop(found.insert(path, Some(Arc::clone(&content.now)))),
                Ok(Body::Directory(names)) => {
                    waiting.extend(names.now.iter().map(|(name, id)| (path.join(name), *id)));
                    found.insert(path, None);
                }
                _ => {}
            }
        }
        found
    }

    /// Two trees with the same digest hold the same files; those in directories of these names are left out.
    pub fn digest(&self, without: &[&str]) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.hash_below(ROOT, without, &mut hasher);
        hasher.finish()
    }

    fn hash_below(&self, id: InodeId, without: &[&str], hasher: &mut DefaultHasher) {
        match self.inode(id).map(|inode| &inode.body) {
            Ok(Body::File(content)) => content.now.hash(hasher),
            Ok(Body::Link(target)) => target.hash(hasher),
            Ok(Body::Directory(names)) => {
                names.now.len().hash(hasher);
                for (name, id) in &names.now {
                    name.as_encoded_bytes().hash(hasher);
                    if !without.iter().any(|left_out| name == left_out) {
                        self.hash_below(*id, without, hasher);
                    }
                }
            }
            Err(_) => {}
        }
    }

    /// Where an inode's directory is, to name a change in a report.
    pub fn path_of_dir(&self, dir: InodeId) -> PathBuf {
        let mut waiting = vec![(PathBuf::from("/"), ROOT)];
        while let Some((path, id)) = waiting.pop() {
            if id == dir {
                return path;
            }
            if let Ok(names) = self.names(id) {
                waiting.extend(names.now.iter().map(|(name, id)| (path.join(name), *id)));
            }
        }
        PathBuf::from("?")
    }
}

fn arrived(durable: &Arc<Vec<u8>>, now: &Arc<Vec<u8>>, data: Data) -> Arc<Vec<u8>> {
    match data {
        Data::None => Arc::clone(durable),
        Data::All => Arc::clone(now),
        Data::Half | Data::Holed => {
            let same = durable.iter().zip(now.iter()).take_while(|(a, b)| a == b).count();
            let half = same + (now.len() - same) / 2;
            let mut bytes = now[..half].to_vec();
            bytes.extend_from_slice(durable.get(half..).unwrap_or_default());
            if data == Data::Holed {
                bytes.resize(now.len().max(bytes.len()), 0);
            }
            Arc::new(bytes)
        }
    }
}
