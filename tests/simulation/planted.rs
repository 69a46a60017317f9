//! Known bugs, each planted as a disk that leaves something out or does it too early, so that the product has no line for
//! them; and for each the check that must find it. A check that finds none of them proves nothing.

use super::scenes::{self, Scene};
use super::{cuts, faults, persons, schedules};
use durable::simulated::SimulatedProcess;
use durable::{Attributes, Disk, FileSystem, InPlace, Lock, Moved, Result, Stat};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

/// A bug.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bug {
    /// A job is moved into `pending/` before its bytes are synced.
    EarlyRename,
    /// Jobs and receipts are never synced.
    FileNotSynced,
    /// `pending/` is not synced after a job was moved there.
    PendingNotSynced,
    /// `pending/` is not synced when a claim out of it is made durable.
    SourceNotSynced,
    /// A claimant's directory is never synced: neither its claims nor its intents are durable.
    ClaimsNotSynced,
    /// The name of a claimant's directory is not durable before jobs are moved into it.
    ClaimantNotSynced,
    /// The day's directory in `done/` is not synced after a receipt was moved there.
    ReceiptNotSynced,
    /// The receipts of a batch have no durable name when its jobs move.
    BatchNotSynced,
    /// The records of yeses are not synced when their jobs go back to `pending`.
    ApprovalNotSynced,
    /// Their names are not.
    ApprovalNameNotSynced,
    /// The record of a yes stays when its job has ended.
    ApprovalNotUsedUp,
    /// The name of the day's directory is not durable.
    DayNotSynced,
    /// `keys/` is never synced.
    KeysNotSynced,
    /// The staged text is exchanged into place unsynced.
    TextNotSynced,
    /// The document's directory is never synced.
    DocumentNotSynced,
    /// The intent's bytes are not synced.
    IntentNotSynced,
    /// The history's directories are never synced.
    HistoryNotSynced,
    /// The line in the document's log is not synced.
    LogNotSynced,
    /// A trimmed log takes the place of the whole one before its bytes are synced.
    TrimmedNotSynced,
    /// An fsync that failed is reported as one that did not.
    SyncErrorSwallowed,
    /// An fsync that failed is tried again, and believed.
    SyncRetried,
    /// What is displaced is taken for what was read.
    BlindReplace,
    /// A new document is renamed over one that a person has made meanwhile.
    BlindCreate,
    /// A key is not written down.
    NoKeyLink,
    /// No intent is written down.
    NoIntent,
    /// The intent is written down after the exchange.
    IntentAfterExchange,
    /// Claims are removed before what succeeds them is there.
    SettledTooEarly,
    /// Everybody gets the lock of a document.
    NoDocumentLock,
    /// Everybody gets the lock of a claimant: the living are taken for dead.
    NoClaimantLock,
    /// Everybody gets the lock of a key.
    NoKeyLock,
    /// Ids are taken from the clock alone.
    NoHighWaterMark,
    /// A bundle is removed before its jobs are written.
    BundleRemovedTooEarly,
    /// The names of a bundle's jobs are not durable when it is removed.
    SplitNotSynced,
    /// The claim of a bundle is not durable before something is built on it.
    BundleClaimNotSynced,
    /// Nobody sees that a bundle ended, nor its receipts.
    EndedBundleNotSeen,
    /// Nobody sees that receipts are there of jobs which have not moved yet.
    EndingNotSeen,
    /// A listing is taken for a moment: nobody sees that others took ids while it went on.
    MarkNotSeen,
    /// The same, and nobody changes the mark between the files of one call.
    MarkOfACallNotChanged,
    /// The same of a session that is flushed.
    MarkOfAFlushNotChanged,
}

impl Bug {
    pub const ALL: [Bug; 39] = [
        Bug::EarlyRename,
        Bug::FileNotSynced,
        Bug::PendingNotSynced,
        Bug::SourceNotSynced,
        Bug::ClaimsNotSynced,
        Bug::ClaimantNotSynced,
        Bug::ReceiptNotSynced,
        Bug::BatchNotSynced,
        Bug::ApprovalNotSynced,
        Bug::ApprovalNameNotSynced,
        Bug::ApprovalNotUsedUp,
        Bug::DayNotSynced,
        Bug::KeysNotSynced,
        Bug::TextNotSynced,
        Bug::DocumentNotSynced,
        Bug::IntentNotSynced,
        Bug::HistoryNotSynced,
        Bug::LogNotSynced,
        Bug::TrimmedNotSynced,
        Bug::SyncErrorSwallowed,
        Bug::SyncRetried,
        Bug::BlindReplace,
        Bug::BlindCreate,
        Bug::NoKeyLink,
        Bug::NoIntent,
        Bug::IntentAfterExchange,
        Bug::SettledTooEarly,
        Bug::NoDocumentLock,
        Bug::NoClaimantLock,
        Bug::NoKeyLock,
        Bug::NoHighWaterMark,
        Bug::BundleRemovedTooEarly,
        Bug::SplitNotSynced,
        Bug::BundleClaimNotSynced,
        Bug::EndedBundleNotSeen,
        Bug::EndingNotSeen,
        Bug::MarkNotSeen,
        Bug::MarkOfACallNotChanged,
        Bug::MarkOfAFlushNotChanged,
    ];

    /// The check that must find it, and in which scene.
    fn finder(self) -> (Finder, Scene) {
        use Bug::*;
        match self {
            EarlyRename | FileNotSynced | PendingNotSynced => (Finder::Cuts, scenes::ENQUEUE),
            KeysNotSynced | NoKeyLink => (Finder::Cuts, scenes::ENQUEUE_KEYED_AFTER_WORK),
            SyncErrorSwallowed | SyncRetried => (Finder::Faults, scenes::ENQUEUE),
            NoHighWaterMark => (Finder::Cuts, scenes::CLOCK_BACK),
            NoDocumentLock | NoClaimantLock => (Finder::Schedules(&schedules::WORKERS), scenes::WORK),
            MarkNotSeen => (Finder::Schedules(&schedules::ORDER), scenes::WORK),
            MarkOfACallNotChanged => (Finder::Schedules(&schedules::ORDER_OF_A_CALL), scenes::WORK),
            MarkOfAFlushNotChanged => (Finder::Schedules(&schedules::ORDER_OF_A_SESSION), scenes::WORK),
            NoKeyLock => (Finder::Schedules(&schedules::SAME_KEY), scenes::WORK),
            BlindReplace => (Finder::Persons, scenes::WORK_AGAIN),
            BlindCreate => (Finder::Persons, scenes::WORK_NEW),
            TrimmedNotSynced => (Finder::Cuts, scenes::TRIM),
            SourceNotSynced => (Finder::Cuts, scenes::WORK),
            BatchNotSynced => (Finder::Cuts, scenes::WORK_SAID),
            ApprovalNotSynced | ApprovalNameNotSynced | ApprovalNotUsedUp => (Finder::Cuts, scenes::APPROVE),
            BundleRemovedTooEarly | SplitNotSynced | BundleClaimNotSynced => {
                (Finder::Cuts, scenes::BUNDLE_PARTS)
            }
            EndedBundleNotSeen => (Finder::Cuts, scenes::BUNDLE_SAID),
            EndingNotSeen => (Finder::Cuts, scenes::BUNDLE_SAID),
            HistoryNotSynced | DayNotSynced => (Finder::Cuts, scenes::WORK_NEW),
            _ => (Finder::Cuts, scenes::WORK_AGAIN),
        }
    }
}

/// A kind of check.
#[derive(Debug, Clone, Copy)]
enum Finder {
    Cuts,
    Faults,
    Persons,
    Schedules(&'static schedules::Play),
}

/// A disk with a bug.
#[derive(Debug)]
pub struct Planted {
    disk: SimulatedProcess,
    bug: Bug,
    memory: Mutex<Memory>,
}

#[derive(Debug, Default)]
struct Memory {
    /// The last directory that was synced.
    synced: Option<PathBuf>,
    /// What the document said when it was read.
    document: Option<Vec<u8>>,
    /// An intent that is kept back.
    intent: Option<(PathBuf, PathBuf)>,
    /// Whether a file was moved to `pending`: the ids of its call were taken before.
    moved_in: bool,
    /// Whether jobs of a bundle were moved to where the bundle still is.
    splitting: bool,
}

impl Planted {
    pub fn new(disk: SimulatedProcess, bug: Bug) -> Planted {
        Planted { disk, bug, memory: Mutex::default() }
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap()
    }

    fn has(&self, bug: Bug) -> bool {
        self.bug == bug
    }

    /// Whether this bug leaves out the sync of this directory.
    fn leaves_out(&self, dir: &Path) -> bool {
        let (parent, name) = (last(dir.parent().unwrap_or(dir)), last(dir));
        let before = self.memory().synced.replace(dir.to_owned());
        match self.bug {
            Bug::PendingNotSynced => name == "pending",
            Bug::SourceNotSynced => {
                name == "pending" && before.is_some_and(|dir| last(dir.parent().unwrap()) == "processing")
            }
            Bug::ClaimsNotSynced => parent == "processing",
            Bug::SplitNotSynced => parent == "processing" && self.memory().splitting,
            Bug::BundleClaimNotSynced => name == "pending" && self.is_claimed_bundle(dir),
            Bug::ClaimantNotSynced => name == "processing",
            Bug::ReceiptNotSynced => parent == "done",
            Bug::BatchNotSynced => name == "receipts" || parent == "receipts",
            Bug::ApprovalNameNotSynced => name == "approvals",
            Bug::DayNotSynced => name == "done",
            Bug::KeysNotSynced => name == "keys",
            Bug::DocumentNotSynced => name == "ann",
            Bug::HistoryNotSynced => name == "history" || parent == "history",
            _ => false,
        }
    }

    fn write_unsynced(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        self.disk.append(path, bytes)
    }

    /// The result of a sync, as this bug tells it.
    fn told(&self, sync: impl Fn() -> Result<()>) -> Result<()> {
        match sync() {
            Err(_) if self.has(Bug::SyncErrorSwallowed) => Ok(()),
            Err(_) if self.has(Bug::SyncRetried) => sync(),
            other => other,
        }
    }

    /// Whether somebody holds a bundle.
    fn is_claimed_bundle(&self, pending: &Path) -> bool {
        let processing = pending.with_file_name("processing");
        let names = |dir: &Path| self.disk.list(dir).unwrap_or_default();
        let of_workers = names(&processing).into_iter().flat_map(|worker| names(&processing.join(worker)));
        of_workers.into_iter().any(|name| name.to_string_lossy().ends_with(".jsonl"))
    }

    /// Removes the bundles whose jobs are about to be written.
    fn remove_bundles_of(&self, files: &[(PathBuf, Vec<u8>)]) -> Result<()> {
        for (tmp, _) in files.iter().filter(|(tmp, _)| last(tmp).ends_with(".split")) {
            let (worker, _) = last(tmp).split_once('.').unwrap();
            let dir = tmp.ancestors().nth(2).unwrap().join("processing").join(worker);
            let names = self.disk.list(&dir)?;
            for name in names.iter().filter(|name| name.to_string_lossy().ends_with(".jsonl")) {
                self.disk.remove(&dir.join(name))?;
            }
        }
        Ok(())
    }

    /// Removes the claims whose receipts are about to be written.
    fn let_go_of(&self, files: &[(PathBuf, Vec<u8>)]) -> Result<()> {
        for (tmp, _) in files.iter().filter(|(tmp, _)| last(tmp).ends_with(".settle")) {
            let (worker, rest) = last(tmp).split_once('.').unwrap();
            let id = rest.trim_end_matches(".settle");
            let dir = tmp.ancestors().nth(2).unwrap().join("processing").join(worker);
            for name in self.disk.list(&dir)?.iter().filter(|name| name.to_string_lossy().starts_with(id)) {
                self.disk.remove(&dir.join(name))?;
            }
            self.disk.sync_dir(&dir)?;
        }
        Ok(())
    }

    /// Whether this bug leaves out what changes the mark and gives nobody an id.
    fn ignores_changes(&self) -> bool {
        matches!(self.bug, Bug::MarkOfACallNotChanged | Bug::MarkOfAFlushNotChanged)
    }

    fn ignores(&self, lock: &Path) -> bool {
        let prefix = match self.bug {
            Bug::NoDocumentLock => "doc-",
            Bug::NoClaimantLock => "worker-",
            Bug::NoKeyLock => "key-",
            _ => return false,
        };
        last(lock).starts_with(prefix)
    }

    /// Where nobody else holds anything.
    fn a_lock_of_its_own(&self, lock: &Path) -> PathBuf {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        lock.with_file_name(format!("{}-{}", last(lock), NEXT.fetch_add(1, Ordering::Relaxed)))
    }

    fn release_intent(&self) -> Result<()> {
        match self.memory().intent.take() {
            Some((from, to)) => self.disk.replace(&from, &to),
            None => Ok(()),
        }
    }
}

fn last(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

fn is_staged_text(path: &Path) -> bool {
    last(path).contains(".last-word-")
}

fn is_key(path: &Path) -> bool {
    path.parent().is_some_and(|dir| last(dir) == "keys")
}

impl Disk for Planted {
    fn uid(&self) -> u32 {
        self.disk.uid()
    }

    fn read(&self, path: &Path, len_max: u64) -> Result<Vec<u8>> {
        let bytes = self.disk.read(path, len_max)?;
        if self.has(Bug::MarkNotSeen) && last(path) == "seq" {
            return Ok(Vec::new());
        }
        if self.has(Bug::BlindReplace) && path == super::world::document() {
            self.memory().document = Some(bytes.clone());
        }
        match self.memory().document.clone() {
            Some(read) if is_staged_text(path) => Ok(read),
            _ => Ok(bytes),
        }
    }

    fn write_new(&self, path: &Path, bytes: &[u8], attributes: Attributes) -> Result<()> {
        if self.has(Bug::TextNotSynced) && is_staged_text(path) {
            return self.write_unsynced(path, bytes);
        }
        self.told_write(path, bytes, attributes)
    }

    fn write_many_new(&self, files: &[(PathBuf, Vec<u8>)]) -> Result<()> {
        if self.has(Bug::SettledTooEarly) {
            self.let_go_of(files)?;
        }
        if self.has(Bug::BundleRemovedTooEarly) {
            self.remove_bundles_of(files)?;
        }
        let is_intent = |(path, _): &(PathBuf, Vec<u8>)| last(path).ends_with(".intent");
        let is_approval = |(path, _): &(PathBuf, Vec<u8>)| last(path).ends_with(".approval");
        match self.bug {
            Bug::IntentNotSynced if files.iter().any(is_intent) => {
                files.iter().try_for_each(|(path, bytes)| self.write_unsynced(path, bytes))
            }
            Bug::ApprovalNotSynced if files.iter().any(is_approval) => {
                files.iter().try_for_each(|(path, bytes)| self.write_unsynced(path, bytes))
            }
            Bug::EarlyRename | Bug::FileNotSynced => {
                files.iter().try_for_each(|(path, bytes)| self.write_unsynced(path, bytes))
            }
            Bug::SyncErrorSwallowed | Bug::SyncRetried => {
                files.iter().try_for_each(|(path, bytes)| self.told_write(path, bytes, Attributes::PRIVATE))
            }
            _ => self.disk.write_many_new(files),
        }
    }

    fn sync_file(&self, path: &Path) -> Result<()> {
        let unsynced = (self.has(Bug::LogNotSynced) && last(path) == "log.jsonl")
            || (self.has(Bug::TrimmedNotSynced) && last(path) == "log.jsonl.new");
        if unsynced {
            return Ok(());
        }
        self.told(|| self.disk.sync_file(path))
    }

    fn sync_dir(&self, dir: &Path) -> Result<()> {
        if self.leaves_out(dir) {
            return Ok(());
        }
        self.told(|| self.disk.sync_dir(dir))
    }

    fn move_new(&self, from: &Path, to: &Path) -> Result<Moved> {
        if self.has(Bug::BlindCreate) && is_staged_text(from) {
            return self.disk.replace(from, to).map(|()| Moved::Done);
        }
        let moved = self.disk.move_new(from, to)?;
        self.memory().splitting |= last(from).ends_with(".split");
        self.memory().moved_in |= to.parent().is_some_and(|dir| last(dir) == "pending");
        if self.has(Bug::EarlyRename) && moved == Moved::Done {
            self.disk.sync_file(to)?;
        }
        if is_staged_text(from) {
            self.release_intent()?;
        }
        Ok(moved)
    }

    fn replace(&self, from: &Path, to: &Path) -> Result<()> {
        let intent = last(to).starts_with("commit-");
        match self.bug {
            Bug::NoKeyLink if is_key(from) => Ok(()),
            Bug::NoIntent if intent => Ok(()),
            Bug::IntentAfterExchange if intent => {
                self.memory().intent = Some((from.to_owned(), to.to_owned()));
                Ok(())
            }
            _ => self.disk.replace(from, to),
        }
    }

    fn exchange(&self, a: &Path, b: &Path) -> Result<()> {
        self.disk.exchange(a, b)?;
        self.release_intent()
    }

    fn link_new(&self, from: &Path, to: &Path) -> Result<Moved> {
        if self.has(Bug::NoKeyLink) && is_key(to) {
            return Ok(Moved::Done);
        }
        self.disk.link_new(from, to)
    }

    fn try_lock(&self, path: &Path) -> Result<Option<Lock>> {
        match self.disk.try_lock(path)? {
            None if self.ignores(path) => self.disk.try_lock(&self.a_lock_of_its_own(path)),
            other => Ok(other),
        }
    }

    fn lock(&self, path: &Path) -> Result<Lock> {
        if self.ignores(path) {
            return self.disk.lock(&self.a_lock_of_its_own(path));
        }
        self.disk.lock(path)
    }

    // The rest is as it should be.

    fn lock_in_place(&self, path: &Path, patient: bool) -> Result<InPlace> {
        // The lock on the document's directory would stand in for the one that is missing.
        if self.has(Bug::NoDocumentLock) {
            return Ok(InPlace::Unsupported);
        }
        self.disk.lock_in_place(path, patient)
    }

    fn read_tail(&self, path: &Path, len_max: u64) -> Result<(Vec<u8>, bool)> {
        self.disk.read_tail(path, len_max)
    }

    fn read_at(&self, path: &Path, offset: u64, len_max: u64) -> Result<Vec<u8>> {
        self.disk.read_at(path, offset, len_max)
    }

    fn list(&self, dir: &Path) -> Result<Vec<OsString>> {
        let mut names = self.disk.list(dir)?;
        if self.has(Bug::EndedBundleNotSeen) && last(dir.parent().unwrap_or(dir)) == "done" {
            names.retain(|name| !name.to_string_lossy().ends_with(".jsonl"));
        }
        if (self.has(Bug::EndedBundleNotSeen) || self.has(Bug::EndingNotSeen)) && last(dir) == "receipts" {
            names.clear();
        }
        Ok(names)
    }

    fn stat(&self, path: &Path) -> Result<Option<Stat>> {
        self.disk.stat(path)
    }

    fn stat_link(&self, path: &Path) -> Result<Option<Stat>> {
        self.disk.stat_link(path)
    }

    fn lasting_id(&self, dir: &Path) -> Result<Option<(u64, u64)>> {
        self.disk.lasting_id(dir)
    }

    fn canonical(&self, path: &Path) -> Result<PathBuf> {
        self.disk.canonical(path)
    }

    fn read_link(&self, path: &Path) -> Result<PathBuf> {
        self.disk.read_link(path)
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        self.disk.append(path, bytes)
    }

    fn remove(&self, path: &Path) -> Result<bool> {
        self.memory().splitting &= !last(path).ends_with(".jsonl");
        if self.has(Bug::ApprovalNotUsedUp) && path.parent().is_some_and(|dir| last(dir) == "approvals") {
            return Ok(false);
        }
        self.disk.remove(path)
    }

    fn set_mode(&self, path: &Path, mode: u32) -> Result<()> {
        self.disk.set_mode(path, mode)
    }

    fn make_dir(&self, path: &Path) -> Result<bool> {
        self.disk.make_dir(path)
    }

    fn remove_dir(&self, path: &Path) -> Result<bool> {
        self.disk.remove_dir(path)
    }

    fn update_locked(&self, path: &Path, next: &mut dyn FnMut(&[u8]) -> Vec<u8>) -> Result<()> {
        match last(path) {
            "seq" if self.ignores_changes() && self.memory().moved_in => Ok(()),
            "seq" if self.has(Bug::NoHighWaterMark) => self.disk.update_locked(path, &mut |_| next(b"")),
            _ => self.disk.update_locked(path, next),
        }
    }

    fn file_system(&self, path: &Path) -> Result<FileSystem> {
        self.disk.file_system(path)
    }
}

impl Planted {
    /// A new file, its sync told as this bug tells it.
    fn told_write(&self, path: &Path, bytes: &[u8], attributes: Attributes) -> Result<()> {
        match self.bug {
            Bug::SyncErrorSwallowed | Bug::SyncRetried => {
                self.disk.append(path, bytes)?;
                self.told(|| self.disk.sync_file(path))
            }
            _ => self.disk.write_new(path, bytes, attributes),
        }
    }
}

/// How many schedules are tried for a bug at most; the first that shows it ends the search. Each switch point more that the
/// product has on its way makes a given order rarer.
const SCHEDULES_MAX: usize = 4_000;

#[test]
fn every_bug_is_found() {
    let mut missed = Vec::new();
    for bug in Bug::ALL {
        let through = move |process| Arc::new(Planted::new(process, bug)) as Arc<dyn Disk>;
        let (finder, scene) = bug.finder();
        let found = match finder {
            Finder::Cuts => cuts::everywhere(&scene, &through).err(),
            Finder::Faults => faults::everywhere(&scene, &through).err(),
            Finder::Schedules(play) => schedules::explore(play, Some(bug), SCHEDULES_MAX).err(),
            Finder::Persons => persons::everywhere(&scene, &through, false).err(),
        };
        match found {
            Some(broken) => println!("{bug:?}: {}", broken.lines().next().unwrap_or_default()),
            None => missed.push(bug),
        }
    }
    assert!(missed.is_empty(), "nobody found {missed:?}");
}
