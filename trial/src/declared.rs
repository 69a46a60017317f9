//! What stood where an entry writes when it was declared. An update that names no base takes out what it finds; what somebody else
//! than our merges wrote there since, nobody meant to take out.

use crate::Trial;
use declaration::{Entry, Operation, Scope, Timestamp};
use documents::ChangedBy;
use markdown_merge::{Change, Edit, FRONT_MATTER, Merger, SeenPiece, hash, shortened};
use queue_layout::{Job, JobId, SeenPlace};
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// How long a commit may have been under way, in milliseconds, when what it then changed was seen as it was before.
const UNDER_WAY_MS: u64 = 10_000;
/// What is recorded where nothing is.
pub(crate) const ABSENT: &str = "none";
/// What is recorded where that cannot be known: no text has this hash, so whatever stands there is a person's to decide about.
pub const UNKNOWN: &str = "unknown";
/// What stands between what is recorded of a place and the hash of the document around it; in a proposal to replace a text, of its lines.
const IN: char = '@';

/// Whether an entry may take out a text that it does not name: known without a look at the document.
#[must_use]
pub fn may_take_out(entry: &Entry) -> bool {
    use Operation::{
        Check, Clear, Delete, Restore, Retire, Revise, Supersede, Uncheck, Update, UpsertItem, UpsertRow,
    };
    let takes = match entry.key.item() {
        // The text that is named may be its line alone. Who ticks a task means the one that they saw.
        Some(_) => matches!(entry.operation, Revise | Supersede | Retire | Check | Uncheck | Restore),
        None => {
            let takes = matches!(entry.operation, Update | Clear | Delete | UpsertRow | UpsertItem);
            takes && entry.old_text.is_none()
        }
    };
    takes && (entry.base.is_none() || entry.meta.seen.is_some())
}

/// What an entry that names no base would take out: the hash of the text; with `scope: subtree` also of each section in it, with commas
/// between them; for an item or a row that, and the hash of the section around it. `None` where it takes out nothing, or only what
/// it says. `UNKNOWN` where the document does not tell which section is meant: what it says once somebody has mended it, nobody saw.
#[must_use]
pub fn seen(merger: &Merger, entry: &Entry) -> Option<String> {
    if !may_take_out(entry) {
        return None;
    }
    let is_unclear = || match entry.key.item() {
        // One that is not there may be made by a job before it.
        Some(id) => merger.items().iter().filter(|found| found.item.known_as() == id).count() > 1,
        None => merger.section_text(&entry.key.heading, entry.key.level, entry.scope).is_err(),
    };
    now(merger, entry).or_else(|| is_unclear().then(|| UNKNOWN.to_owned()))
}

fn now(merger: &Merger, entry: &Entry) -> Option<String> {
    let Entry { key, scope, .. } = entry;
    if is_of_piece(entry) {
        let SeenPiece { piece, section } = merger.seen_piece(&Edit::from(entry))?;
        let said = |hash: Option<String>| hash.unwrap_or_else(|| ABSENT.to_owned());
        return Some(format!("{},{}", said(piece), said(section)));
    }
    if let [first, name] = key.heading.as_slice()
        && key.level == 0
        && first == FRONT_MATTER
    {
        return Some(merger.front_matter_hash(name).unwrap_or_else(|| ABSENT.to_owned()));
    }
    let text = merger.section_text(&key.heading, key.level, *scope).ok()?;
    Some(match (text, scope) {
        (None, _) => ABSENT.to_owned(),
        (Some(text), Scope::Own) => hash(text),
        (Some(text), Scope::Subtree) => {
            let sections = markdown_merge::sections(text).ok()?;
            let each = sections.iter().map(|section| shortened(&section.hash).to_owned());
            std::iter::once(hash(text)).chain(each).collect::<Vec<_>>().join(",")
        }
    })
}

/// What was seen of a place, with the hash of the whole document then: where our merges alone lead from that to what it says now,
/// nobody else wrote, whatever became of the place.
#[must_use]
pub fn seen_in(seen: &str, document: &str) -> String {
    format!("{seen}{IN}{}", shortened(document))
}

/// The two again; of the document nothing where that was not known.
pub(crate) fn place_and_document(seen: &str) -> (&str, Option<&str>) {
    seen.split_once(IN).map_or((seen, None), |(place, document)| (place, Some(document)))
}

/// Whether what was seen of a place says that nothing is there.
#[must_use]
pub fn is_nothing(seen: &str) -> bool {
    place_and_document(seen).0.split(',').next() == Some(ABSENT)
}

/// Whether changes of ours lead from what was seen of a place to what is seen of it now.
pub fn leads<'c>(
    entry: &Entry,
    then: &str,
    changes: impl IntoIterator<Item = &'c Change>,
    now: &str,
) -> bool {
    let mut ours = Ours::since(entry, then);
    changes.into_iter().for_each(|change| ours.follow(change));
    now == then || ours.are(now)
}

/// Whether it is about an item, a row, or an item with a key: then the rest of the section may become what it will.
fn is_of_piece(entry: &Entry) -> bool {
    let of_list = matches!(entry.operation, Operation::UpsertRow | Operation::UpsertItem);
    entry.key.item().is_some() || of_list
}

/// The base that what was seen stands for: the whole text, or the item; of a row the section, because a base means that there.
fn base_of<'s>(entry: &Entry, seen: &'s str) -> &'s str {
    let of_section = is_of_piece(entry) && entry.key.item().is_none();
    let (place, _) = place_and_document(seen);
    place.split(',').nth(usize::from(of_section)).unwrap_or(place)
}

/// The same; `None` where nothing was there, or nobody knows what.
fn base_seen<'s>(entry: &Entry, seen: &'s str) -> Option<&'s str> {
    Some(base_of(entry, seen)).filter(|base| ![ABSENT, UNKNOWN].contains(base))
}

/// What stands in the place of an entry now, for a yes that is given later.
pub(crate) fn place(merger: &Merger, entry: &Entry, run: &Run<'_>) -> SeenPlace {
    if is_of_any_line(entry) {
        // What its author saw stays beside it: whether it was done before is told by that.
        let declared = entry.meta.seen.as_deref().map_or("", |seen| place_and_document(seen).0);
        let lines = lines_of(merger, entry).unwrap_or_else(|| UNKNOWN.to_owned());
        return SeenPlace { base: None, seen: Some(seen_in(declared, &lines)) };
    }
    if let Some(seen) = seen(merger, entry) {
        let base = base_seen(entry, &seen).map(str::to_owned);
        return SeenPlace { base, seen: Some(seen_in(&seen, run.began_as())) };
    }
    let named = entry.base.is_some() || entry.old_text.is_some();
    let item = entry.key.item().filter(|_| !named).and_then(|id| merger.item_text(id));
    SeenPlace { base: item.map(hash), seen: None }
}

/// Whether an entry means the lines that have a text, whatever they are: a yes to it is for those that were shown.
fn is_of_any_line(entry: &Entry) -> bool {
    entry.operation == Operation::Replace && entry.base.is_none() && entry.key.item().is_none()
}

/// The hash of the lines in which the text stands that it replaces; `None` where it is nowhere.
fn lines_of(merger: &Merger, entry: &Entry) -> Option<String> {
    let text = merger.section_text(&entry.key.heading, entry.key.level, entry.scope).ok()??;
    let old = entry.old_text.as_deref()?;
    let lines = text.match_indices(old).filter_map(|(at, _)| {
        let from = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let behind = at + old.len();
        let to = text[behind..].find('\n').map_or(text.len(), |end| behind + end);
        text.get(from..to)
    });
    let lines: Vec<&str> = lines.collect();
    (!lines.is_empty()).then(|| hash(&lines.join("\n")))
}

/// Whether a text that a person said yes to replace stands in other lines now than those that were shown.
pub(crate) fn is_in_other_lines(merger: &Merger, entry: &Entry) -> bool {
    let seen = entry.meta.seen.as_deref().filter(|_| is_of_any_line(entry));
    let shown = seen.and_then(|seen| place_and_document(seen).1);
    shown.is_some_and(|shown| lines_of(merger, entry).is_some_and(|now| shown != shortened(&now)))
}

/// What its author saw there, for a yes that is given later.
pub(crate) fn as_declared(entry: &Entry) -> SeenPlace {
    let seen = entry.meta.seen.clone();
    let base = seen.as_deref().and_then(|seen| base_seen(entry, seen)).map(str::to_owned);
    SeenPlace { base: base.or_else(|| entry.base.clone()), seen }
}

/// Jobs that are merged together, as far as they are.
pub(crate) struct Run<'r> {
    /// What the document said before the first of them.
    onto: &'r [u8],
    /// Its hash; most runs never need it.
    began_as: OnceCell<String>,
    /// What they changed.
    pub done: Vec<DoneInRun>,
}

/// A change of a job that is merged in the same run.
pub(crate) struct DoneInRun {
    /// When that job was declared.
    pub declared: Timestamp,
    /// What it changed.
    pub change: Change,
}

impl<'r> Run<'r> {
    pub(crate) fn onto(onto: &'r [u8]) -> Run<'r> {
        Run { onto, began_as: OnceCell::new(), done: Vec::new() }
    }

    fn began_as(&self) -> &str {
        self.began_as.get_or_init(|| documents::hash(self.onto))
    }
}

/// The base of an entry: the one that its author named; else what it saw, where something else stands there now that no job before it
/// put there.
pub(crate) fn base(
    trial: &Trial<'_>,
    merger: &Merger,
    job: &Job,
    entry: &Entry,
    run: &Run<'_>,
) -> Option<String> {
    let named = || entry.base.clone();
    let Some(seen) = entry.meta.seen.as_deref().filter(|_| may_take_out(entry)) else { return named() };
    if entry.base.is_some() && entry.base.as_deref() != base_seen(entry, seen) {
        return named();
    }
    let Some(now) = now(merger, entry) else { return named() };
    let (then, document) = place_and_document(seen);
    if now == then || then == UNKNOWN && is_nothing(&now) {
        return None;
    }
    let mut ours = Ours::since(entry, then);
    let mut whole = OursAlone::since(document);
    let id = job.id.to_string();
    let since = Timestamp(job.created_at.millis().saturating_sub(UNDER_WAY_MS));
    // A history that cannot be read says so when it is written; what it would tell is taken for a person's.
    let _ = trial.documents.each_change_since(trial.document, since, &mut |by| {
        // What was declared later and is there already is not to be taken out either, but for what overtook a declaration on its way.
        let is_before = (by.id < id || comes_at_once(job)) && !is_after_its_file(job, declared_at(&by.id));
        whole.follow(&by, is_before);
        if is_before {
            by.changes.iter().for_each(|change| ours.follow(change));
        }
    });
    let (after, before): (Vec<_>, Vec<_>) =
        run.done.iter().partition(|done| is_after_its_file(job, Some(done.declared)));
    before.iter().for_each(|done| ours.follow(&done.change));
    let is_ours = ours.are(&now) || after.is_empty() && whole.is(run);
    (!is_ours).then(|| base_of(entry, seen).to_owned())
}

/// Whether a job goes from its declaration to its first merge without anybody's doing: it was not planned, and nobody had to look at it.
/// What was declared later and merged before it was declared while it was on its way.
fn comes_at_once(job: &Job) -> bool {
    job.rev <= 1 && job.attempts.is_empty() && job.producer.event != "plan"
}

/// Whether something was declared after the file was written that this job was left as: that file says nothing of it, whenever a
/// worker finds it.
fn is_after_its_file(job: &Job, declared: Option<Timestamp>) -> bool {
    job.producer.is_of_a_file() && declared.is_some_and(|at| at > job.created_at)
}

fn declared_at(id: &str) -> Option<Timestamp> {
    id.parse().ok().map(JobId::declared_at)
}

/// Every state of the document that our jobs alone made of the one that an author saw; hashes, cut short. Not one after another, as
/// in `Ours`.
struct OursAlone {
    states: BTreeSet<String>,
    /// What a commit made with a job in it that was declared later.
    not_before: String,
}

impl OursAlone {
    fn since(document: Option<&str>) -> OursAlone {
        OursAlone { states: document.map(str::to_owned).into_iter().collect(), not_before: String::new() }
    }

    fn follow(&mut self, by: &ChangedBy, is_before: bool) {
        let made = shortened(&by.made);
        if !is_before {
            made.clone_into(&mut self.not_before);
            self.states.remove(made);
        } else if made != self.not_before
            && by.displaced.as_deref().is_some_and(|before| self.states.contains(shortened(before)))
        {
            self.states.insert(made.to_owned());
        }
    }

    /// Whether these jobs began with one of them.
    fn is(&self, run: &Run<'_>) -> bool {
        !self.states.is_empty() && self.states.contains(shortened(run.began_as()))
    }
}

/// Every text that may stand there by our own doing. Not one after another: what we wrote may have been undone.
struct Ours<'e> {
    entry: &'e Entry,
    /// Hashes of the section, or of sections; cut short.
    sections: BTreeSet<String>,
    /// Hashes of the item or row.
    pieces: BTreeSet<String>,
}

impl<'e> Ours<'e> {
    fn since(entry: &'e Entry, then: &str) -> Ours<'e> {
        let mut hashes = then.split(',').map(|hash| shortened(hash).to_owned());
        let pieces = if is_of_piece(entry) { hashes.next().into_iter().collect() } else { BTreeSet::new() };
        Ours { entry, sections: hashes.collect(), pieces }
    }

    fn follow(&mut self, change: &Change) {
        let Entry { key, scope, .. } = self.entry;
        let begins = match &change.before {
            Some(before) => self.sections.contains(shortened(before)),
            None => *scope == Scope::Subtree || change.heading.last() == key.heading.last(),
        };
        let one_of_all =
            change.sections.as_ref().filter(|all| all.before.iter().any(|one| self.sections.contains(one)));
        if begins || one_of_all.is_some() {
            self.sections.insert(change.after.as_deref().map_or(ABSENT, shortened).to_owned());
        }
        if let Some(all) = one_of_all {
            self.sections.extend(all.after.iter().cloned());
            // A section below the one that the change was about may be gone; that one is not.
            if change.heading.last() != key.heading.last() {
                self.sections.insert(ABSENT.to_owned());
            }
        }
        if let Some(piece) = &change.piece
            && self.pieces.contains(piece.before.as_deref().unwrap_or(ABSENT))
        {
            self.pieces.insert(piece.after.clone());
        }
    }

    fn are(&self, now: &str) -> bool {
        let mut hashes = now.split(',').map(shortened);
        if is_of_piece(self.entry) {
            let piece = hashes.next().is_some_and(|piece| self.pieces.contains(piece));
            return piece || hashes.any(|section| self.sections.contains(section));
        }
        let whole = hashes.next().is_some_and(|whole| self.sections.contains(whole));
        whole || now.contains(',') && hashes.all(|part| self.sections.contains(part))
    }
}
