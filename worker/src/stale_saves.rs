//! Finds stale saves: an editor that wrote into a text which a commit had displaced already, and a buffer that was loaded
//! before a merge and saved after it, so that what the job changed is gone again. Each is reported to a person once;
//! nothing is changed without them.

use crate::Context;
use crate::archive::and_archives;
use crate::error::RunError;
use crate::said_again::{body, said_again, section_hashes, unformatted};
use crate::undone::{Texts, Undone, undone};
use declaration::{Advice, Code, Entry, Fault, Operation, Scope, Timestamp};
use documents::{ChangedBy, Document, DocumentError, Documents, Interim, SectionHashes, Version};
use durable::Stat;
use markdown_merge::rollback::put_back;
use markdown_merge::{Merger, Rebased, hash, nearest, rebase_edit};
use queue_layout::{
    Again, Claimant, DocKey, Ending, Event, Job, JobId, JournalEntry, Listed, Receipt, Restore, State,
};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use trial::Since;
use trial::said::{is_said, times};

/// How old a change may be to be checked for stale saves, in milliseconds: seven days. After that the author of a buffer
/// that is still open has long seen the editor's own "the file changed on disk".
pub const STALE_SAVES_MS: u64 = 7 * 24 * 60 * 60 * 1000;

/// How many of the newest displaced texts are checked before each commit: an editor that held the file open writes to it
/// within moments.
const LATE_MAX: usize = 8;

/// How much the clocks of a machine and of a file server may differ without a late save being missed, in milliseconds: a minute. Of a
/// text that was modified later than that before it was displaced, only the newest is read again.
const CLOCKS_APART_MS: u64 = 60 * 1000;

/// So many bytes of earlier texts are asked which sections they had: of a document of 100 kB some hundred texts.
const TEXTS_BYTES_MAX: usize = 32 << 20;

/// Of so many later jobs it is asked whether they said the same.
const OTHERS_MAX: usize = 200;

/// Looks for stale saves in every document that a job changed within `STALE_SAVES_MS`. A document that another worker
/// has locked is skipped: that worker looks at it. Once per run is enough.
///
/// # Errors
/// Trouble of the machine.
pub fn stale_saves(context: &Context<'_>, claimant: &Claimant) -> Result<(), RunError> {
    let since = Timestamp((context.now)().millis().saturating_sub(STALE_SAVES_MS));
    for document in context.documents.changed_since(since)? {
        if context.stopping() {
            break;
        }
        // In the middle of another home's commit the document may hold an interim text, without what a person saved.
        if let Some(_only_writer) = context.documents.try_lock(&document)?
            && let Some(_in_place) = context.documents.try_lock_place(&document)?
        {
            StaleSaves { context: *context, claimant, document: &document }.whole()?;
        }
    }
    Ok(())
}

/// The check of one document for stale saves, under its lock.
pub(crate) struct StaleSaves<'a> {
    pub context: Context<'a>,
    pub claimant: &'a Claimant,
    pub document: &'a Document,
}

impl StaleSaves<'_> {
    /// Reports the stale saves that the next commit would make undetectable. Returns the last version, if the log can be
    /// read. `now` is the hash of what the document says, `None` where there is none.
    pub fn before_commit(&self, text: &[u8], now: Option<&str>) -> Result<Option<u64>, RunError> {
        let versions = self.or_none(self.context.documents.recent_versions(self.document))?;
        for (at, version) in versions.iter().rev().take(LATE_MAX).enumerate() {
            if at == 0 || self.context.documents.may_be_late(self.document, version, 0)? {
                self.late(version)?;
            }
        }
        self.saved_over(&versions, text, now)?;
        Ok(versions.last().map(|last| last.version))
    }

    /// Checks what a person saved during the last commit. The next merge starts from that text; after it nobody could tell
    /// what was saved.
    pub fn saved_meanwhile(&self, saved: &[u8]) -> Result<(), RunError> {
        self.unseen(saved)?;
        self.reverted(saved)
    }

    fn whole(&self) -> Result<(), RunError> {
        // First of all: the texts that were displaced begin as it does, and are hashed faster then.
        // A day in `archive/` is saved there.
        let now = and_archives(&self.context).read_saved(self.document);
        let oldest = self.context.documents.oldest_kept(self.document)?;
        let versions = self.or_none(self.context.documents.versions_back_to(self.document, oldest))?;
        for version in versions.iter().filter(|version| Some(version.version) >= oldest) {
            let is_newest = versions.last() == Some(version);
            if is_newest || self.context.documents.may_be_late(self.document, version, CLOCKS_APART_MS)? {
                self.late(version)?;
            }
        }
        for late in self.context.documents.late_asides(self.document)? {
            self.report_late(late.version, late.at, &late.name, &late.text)?;
            self.context.documents.set_name_aside(self.document, &late.name, &late.text)?;
        }
        self.late_interims(None)?;
        match now {
            // Somebody may be in the middle of saving it: a later look tells.
            Ok(now) if now.text.is_empty() && self.is_fresh(now.stat) => Ok(()),
            Ok(now) => self.saved_over(&versions, &now.text, now.hash.as_deref()),
            Err(e) if e.is_machine_trouble() => Err(e.into()),
            // The next commit reads it again, and reports why it cannot.
            Err(_) => Ok(()),
        }
    }

    /// Whether a file was changed a moment ago.
    fn is_fresh(&self, stat: Option<Stat>) -> bool {
        stat.is_some_and(|stat| (self.context.now)().millis() < stat.modified_ms.saturating_add(FRESH_MS))
    }

    /// What the log says. Empty when it cannot be read: then only this report is missing, and the next run checks again.
    fn or_none<T: Default>(&self, read: Result<T, DocumentError>) -> Result<T, RunError> {
        match read {
            Err(e) if e.is_machine_trouble() => Err(e.into()),
            Err(e) => {
                (self.context.warn)(&e);
                Ok(T::default())
            }
            Ok(found) => Ok(found),
        }
    }

    /// Reports a text that an editor wrote into a file after this version's commit had displaced it.
    fn late(&self, version: &Version) -> Result<(), RunError> {
        let late = self.context.documents.late_write(self.document, version, CLOCKS_APART_MS)?;
        let Some(text) = late else { return Ok(()) };
        self.report_late(version.version, version.at, &version.batch, &text)?;
        Ok(self.context.documents.set_aside(self.document, version.version, &text)?)
    }

    fn report_late(&self, version: u64, at: Timestamp, of: &str, text: &[u8]) -> Result<(), RunError> {
        let path = self.document.path.display();
        let message = format!(
            "an editor saved into {path} after version {version} had taken its place: that text is not in the document"
        );
        let key = self.document.canonical.to_string_lossy();
        let id = JobId::of_report(at, &["late_write", &key, of, &documents::hash(text)]);
        let why = Fault::new(Code::LateWrite, message)
            .hint(self.context.queue.say(&Advice::PutTextByHand(id.to_string())));
        if self.claimant.report_text(id, text, &why, (self.context.now)())? {
            self.told(Event::LateWrite, id, &why);
        }
        Ok(())
    }

    /// Whether somebody saved over what we wrote without having seen it.
    fn saved_over(&self, versions: &[Version], text: &[u8], now: Option<&str>) -> Result<(), RunError> {
        // Either the text is the one we wrote, or the document is gone, which is not how a stale buffer is saved. What a command
        // left there is none of ours.
        let (Some(last), Some(now)) = (versions.last(), now) else { return Ok(()) };
        if now == last.after && last.during.is_none() {
            return Ok(());
        }
        self.unseen(text)?;
        self.reverted(text)
    }

    /// Reports sections whose text is again the one from before a job changed it.
    fn reverted(&self, saved: &[u8]) -> Result<(), RunError> {
        let Ok(merger) = Merger::open(saved) else { return Ok(()) };
        let since = Timestamp((self.context.now)().millis().saturating_sub(STALE_SAVES_MS));
        let documents = self.context.documents;
        let earlier = EarlierTexts { documents, document: self.document, mergers: OnceCell::new() };
        // An editor may have given all lines other ends: of those the log's hashes tell as well.
        let in_ours = self.in_our_line_ends(saved).and_then(|text| Merger::open(&text).ok());
        let compared = in_ours.as_ref().unwrap_or(&merger);
        let now = |heading: &[String], level| section_hashes(compared, heading, level);
        let in_same_words = |heading: &[String], level| earlier.in_same_words(compared, heading, level);
        let any = |heading: &[String], level| {
            // One that is not there now was in no buffer.
            let there = now(heading, level).filter(|now| now.iter().any(Option::is_some));
            let is_so = |now: SectionHashes| earlier.has(&(0..=u64::MAX), heading, level, &now);
            there.is_some_and(is_so) || in_same_words(heading, level).is_some()
        };
        let Some(state) = self.or_none(documents.unexplained(self.document, since, &now, &any))? else {
            return Ok(());
        };
        let walk = |each: &mut dyn FnMut(ChangedBy)| {
            documents.each_change_or_command_since(self.document, since, each)
        };
        let kept = |versions: RangeInclusive<u64>, heading: &[String], level, hashes: &SectionHashes| {
            earlier.has(&versions, heading, level, hashes)
        };
        let stands = |heading: &[String], level| earlier.stands(&merger, heading, level);
        let came_back = |version: u64| earlier.came_back(&merger, version);
        let texts = Texts {
            now: &now,
            in_same_words: &in_same_words,
            kept: &kept,
            stands: &stands,
            came_back: &came_back,
        };
        let mut gone = Vec::new();
        self.or_none(undone(&walk, &texts, &mut |job| gone.push(job)))?;
        if gone.is_empty() {
            documents.looked_into(self.document, state);
            return Ok(());
        }
        let waiting = self.waiting()?;
        let rollbacks = self.rollbacks(&waiting)?;
        let rollbacks: Vec<WaitingRollback> =
            rollbacks.iter().map(|restore| WaitingRollback::of(restore, merger.text())).collect();
        for (at, job) in gone.iter().enumerate() {
            let later = gone.get(at + 1..).unwrap_or_default();
            self.propose_again(job, &Beside { later, waiting: &waiting, rollbacks: &rollbacks }, &merger)?;
        }
        documents.looked_into(self.document, state);
        Ok(())
    }

    /// The rollbacks that somebody has asked for and that are not merged yet.
    fn rollbacks(&self, waiting: &[Listed]) -> Result<Vec<Restore>, RunError> {
        let doc = DocKey::of(&self.document.canonical);
        let jobs =
            self.loaded(waiting.iter().filter(|listed| listed.doc == doc && listed.state != State::Failed))?;
        Ok(jobs.into_iter().filter_map(|job| job.restore).map(|restore| *restore).collect())
    }

    /// What of a job was asked about before and has its yes, though it is not merged yet, or is a conflict: its words wait there.
    fn asked_already(&self, done: &Job, waiting: &[Listed]) -> Result<Vec<Entry>, RunError> {
        // So are the ids of what is asked about a job.
        let of_job = |listed: &&Listed| listed.id != done.id && listed.id.declared_at() == done.created_at;
        let jobs = self.loaded(waiting.iter().filter(of_job))?;
        Ok(jobs.into_iter().flat_map(|job| job.entries).collect())
    }

    /// What waits to be merged, and what failed, of all documents: what waits for a person has none in its name.
    fn waiting(&self) -> Result<Vec<Listed>, RunError> {
        let mut waiting = Vec::new();
        for state in [State::Pending, State::Deferred, State::Processing, State::Failed] {
            waiting.extend(self.context.queue.list(state)?.jobs);
        }
        Ok(waiting)
    }

    /// Those of these jobs that are for the document and can be read.
    fn loaded<'l>(&self, listed: impl Iterator<Item = &'l Listed>) -> Result<Vec<Job>, RunError> {
        let doc = DocKey::of(&self.document.canonical);
        let mut jobs = Vec::new();
        for listed in listed {
            match self.context.queue.load(listed) {
                Err(e) if e.is_machine_trouble() => return Err(e.into()),
                loaded => jobs.extend(loaded.ok().and_then(|loaded| loaded.job)),
            }
        }
        jobs.retain(|job| job.document.doc == doc);
        Ok(jobs)
    }

    /// What was saved, with the ends of lines that the text had which our last commit displaced; `None` where they are those.
    fn in_our_line_ends(&self, saved: &[u8]) -> Option<Vec<u8>> {
        let documents = self.context.documents;
        let last = documents.last_revision(self.document).ok()??;
        let before = documents.before(self.document, last.version).ok()??;
        let (before, saved) = (std::str::from_utf8(&before).ok()?, std::str::from_utf8(saved).ok()?);
        let has = |text: &str| text.contains("\r\n");
        (before.contains('\n') && has(before) != has(saved)).then(|| {
            let plain = saved.replace("\r\n", "\n");
            if has(before) { plain.replace('\n', "\r\n").into_bytes() } else { plain.into_bytes() }
        })
    }

    /// Reports interim texts that an editor wrote into, because it had that file open; all, or those of a version.
    fn late_interims(&self, of: Option<u64>) -> Result<(), RunError> {
        for interim in self.context.documents.interim_texts(self.document, of)? {
            let late = interim?;
            if late.is_late() {
                self.report_late(late.version, late.at, &late.name, &late.text)?;
                self.context.documents.set_interim_aside(self.document, &late)?;
            }
        }
        Ok(())
    }

    /// Reports a save by somebody who had loaded the interim text of a commit (in place between its two exchanges). That text
    /// lacks what another person had saved just before, so the save removes it although its author never saw it.
    fn unseen(&self, saved: &[u8]) -> Result<(), RunError> {
        let now = (self.context.now)();
        let saved = std::str::from_utf8(saved).ok().map(SavedText::new);
        let lacks = |interim: &Interim| saved.as_ref().is_some_and(|saved| saved.lacks(interim));
        for interim in self.context.documents.interim_texts(self.document, None)? {
            let interim = interim?;
            let Interim { version, at, .. } = interim;
            if now.since_ms(at) <= STALE_SAVES_MS && !lacks(&interim) {
                continue;
            }
            let final_text = interim.final_text;
            if now.since_ms(at) <= STALE_SAVES_MS {
                let path = self.document.path.display();
                let message = format!(
                    "{path} was saved from a copy that was loaded in the middle of a merge (version {version}), without \
                     what somebody had saved just before: this text had it"
                );
                let key = self.document.canonical.to_string_lossy();
                let id = JobId::of_report(
                    at,
                    &["left_out", &key, &version.to_string(), &documents::hash(&final_text)],
                );
                let why = Fault::new(Code::LeftOut, message)
                    .hint(self.context.queue.say(&Advice::PutTextByHand(id.to_string())));
                if self.claimant.report_text(id, &final_text, &why, now)? {
                    self.told(Event::LeftOut, id, &why);
                }
            }
            self.late_interims(Some(version))?;
            // With it go the other interim texts of this version, so that each version is reported once.
            self.context.documents.forget_interim(self.document, version)?;
        }
        Ok(())
    }

    /// Proposes the same entries again; they wait for a yes.
    fn propose_again(&self, undone: &Undone, beside: &Beside<'_>, merger: &Merger) -> Result<(), RunError> {
        let Undone { id, version, sections, perhaps, .. } = undone;
        let Some(done) = id.parse().ok().map(|id| self.done_job(id)).transpose()?.flatten() else {
            return Ok(());
        };
        let now = (self.context.now)();
        let again = Again { job: done.id, version: *version };
        let since = Since::new(self.context.documents, self.document, self.context.queue, again);
        let is_replaced = |entry: &Entry| self.is_replaced(entry, beside.later);
        if done.restore.as_ref().is_some_and(|restore| stands(restore, merger.text())) {
            return Ok(());
        }
        let (mut entries, seen) = said_again(&done, undone, merger, &since, &is_replaced);
        let asked = self.asked_already(&done, beside.waiting)?;
        entries.retain(|entry| !asked.iter().any(|asked| says_the_same(asked, entry)));
        if done.restore.is_none() {
            entries.retain(|entry| !beside.rollbacks.iter().any(|rollback| rollback.decides(entry)));
        }
        let Some(first) = entries.first() else { return Ok(()) };
        let named = Some(&first.key.heading).filter(|heading| !heading.is_empty());
        let heading = named.or(sections.first().map(|(heading, _)| heading)).map(|names| names.join(" > "));
        let heading = heading.unwrap_or_default();
        let how = match perhaps.contains_key(&(first.key.heading.clone(), first.key.level)) {
            true => "was saved by somebody who had loaded it before, by all appearances",
            false => "says what it said before",
        };
        let path = self.document.path.display();
        let message = format!("what job {id} wrote is gone again: `{heading}` in {path} {how}");
        let Some(report) = self.not_answered(&done, &["reverted", id, &seen], merger)? else { return Ok(()) };
        let why = Fault::new(Code::Reverted, message)
            .hint(self.context.queue.say(&Advice::WriteAgain(report.to_string())));
        let job = Job {
            id: report,
            rev: 0,
            created_at: now,
            key: None,
            attempts: Vec::new(),
            kills: 0,
            suspected: 0,
            error: Some(why.clone()),
            waits_in: None,
            approved_by: None,
            seal: None,
            proposed_for: None,
            begins_with: None,
            again: Some(again),
            entries,
            ..done
        };
        if self.claimant.propose(job, now)? {
            self.told(Event::Reverted, report, &why);
        }
        Ok(())
    }

    /// Whether one of these jobs says something else in the place of an entry's words, or takes them out.
    fn is_replaced(&self, entry: &Entry, later: &[Undone]) -> bool {
        if entry.operation.is_beside() {
            return false;
        }
        let section = (entry.key.heading.clone(), entry.key.level);
        let takes_out = |other: &Entry| {
            let operation =
                matches!(other.operation, Operation::Update | Operation::Clear | Operation::Delete);
            operation && other.key.heading == section.0 && other.key.level == section.1
        };
        let of_section =
            |job: &&Undone| job.sections.contains(&section) || job.perhaps.contains_key(&section);
        later.iter().filter(of_section).take(OTHERS_MAX).any(|job| {
            let job = job.id.parse().ok().and_then(|id| self.done_job(id).ok()?);
            job.is_some_and(|job| job.entries.iter().any(takes_out))
        })
    }

    /// The id of a proposal that was not answered yet. A yes that found everything said already is an answer for that text of the
    /// document alone: a buffer that is saved over it later takes the words out once more. `None` while it stands.
    fn not_answered(&self, done: &Job, what: &[&str], merger: &Merger) -> Result<Option<JobId>, RunError> {
        let said_already = |receipt: &Receipt| receipt.outcome == Ending::Unchanged;
        let mut id = JobId::of_report(done.created_at, what);
        let mut answers = 0;
        while let Some(receipt) = self.context.queue.receipt(id)?.filter(said_already) {
            if receipt.document_hash.as_deref() == Some(hash(merger.text()).as_str()) {
                return Ok(None);
            }
            answers += 1;
            let nth = answers.to_string();
            let again: Vec<&str> = what.iter().copied().chain([nth.as_str()]).collect();
            id = JobId::of_report(done.created_at, &again);
        }
        Ok(Some(id))
    }

    fn done_job(&self, id: JobId) -> Result<Option<Job>, RunError> {
        let Some(listed) = self.context.queue.locate(id)? else { return Ok(None) };
        match self.context.queue.load(&listed) {
            Ok(found) => Ok(found.job),
            Err(e) if e.is_machine_trouble() => Err(e.into()),
            Err(_) => Ok(None),
        }
    }

    fn told(&self, event: Event, id: JobId, why: &Fault) {
        let happened = JournalEntry::new((self.context.now)(), event)
            .job(id, &self.document.path)
            .by(self.claimant.name())
            .saying(Some(why.code.as_str()), &why.message);
        self.context.happened(&[happened]);
    }
}

/// What else is known when a job is gone.
struct Beside<'a> {
    /// The jobs after it that are gone as well.
    later: &'a [Undone],
    /// What waits to be merged, and what failed.
    waiting: &'a [Listed],
    rollbacks: &'a [WaitingRollback],
}

/// A rollback that is merged after this: it may bring back what is gone, or be meant to take it out. The text that it was asked for, the one
/// it goes back to, and what becomes of the document; `None` of one that cannot be read, or where it is a conflict.
struct WaitingRollback([Option<Merger>; 3]);

impl WaitingRollback {
    fn of(restore: &Restore, now: &str) -> WaitingRollback {
        let after = put_back(&restore.base, now, &restore.text);
        let texts = [Some(restore.base.as_str()), Some(restore.text.as_str()), after.as_deref()];
        WaitingRollback(texts.map(|text| Merger::open(text?.as_bytes()).ok()))
    }

    fn decides(&self, entry: &Entry) -> bool {
        let [base, text, after] =
            self.0.each_ref().map(|of| of.as_ref().is_some_and(|of| is_said(of, entry)));
        after || base && !text
    }
}

/// Whether what a rollback took out is out, and what it brought back is there.
fn stands(restore: &Restore, now: &str) -> bool {
    SavedText::new(now).has_what_came(&restore.base, &restore.text)
}

/// Whether two entries ask for the same, whatever they were based on.
fn says_the_same(one: &Entry, other: &Entry) -> bool {
    let words =
        |entry: &Entry| (entry.key.clone(), entry.operation, entry.content.clone(), entry.old_text.clone());
    words(one) == words(other)
}

/// The texts that versions displaced, once they are asked for.
struct EarlierTexts<'a> {
    documents: &'a Documents,
    document: &'a Document,
    mergers: OnceCell<Vec<(u64, Merger)>>,
}

impl EarlierTexts<'_> {
    /// Oldest first.
    fn mergers(&self) -> &[(u64, Merger)] {
        self.mergers.get_or_init(|| {
            let texts = self.documents.displaced_texts(self.document, TEXTS_BYTES_MAX).unwrap_or_default();
            texts.iter().filter_map(|(version, text)| Some((*version, Merger::open(text).ok()?))).collect()
        })
    }

    /// Whether one that these versions displaced has a section so.
    fn has(
        &self,
        versions: &RangeInclusive<u64>,
        heading: &[String],
        level: u8,
        hashes: &SectionHashes,
    ) -> bool {
        let mut among = self.mergers().iter().filter(|(version, _)| versions.contains(version));
        among.any(|(_, merger)| section_hashes(merger, heading, level).as_ref() == Some(hashes))
    }

    /// Whether what a section had below its heading in the newest of them that has it stands somewhere now.
    fn stands(&self, now: &Merger, heading: &[String], level: u8) -> bool {
        let mut texts = self.mergers().iter().rev().map(|(_, merger)| merger);
        let body = texts.find_map(|merger| body(merger, heading, level));
        body.is_some_and(|body| times(now.text(), body) > 0)
    }

    /// Whether a document has most lines again that the last text had which was displaced before a version; not where a later one that was
    /// displaced had them: then it had come back before that.
    fn came_back(&self, now: &Merger, version: u64) -> bool {
        let lines = |merger: &Merger| -> BTreeSet<String> {
            let text = without_front_matter(merger.text());
            let says = |line: &&str| !line.starts_with('#') && line.chars().any(char::is_alphanumeric);
            text.lines().map(str::trim).filter(says).map(str::to_owned).collect()
        };
        let Some((_, before)) = self.mergers().iter().rev().find(|(of, _)| *of < version) else {
            return false;
        };
        let before = lines(before);
        let has_most = |merger: &Merger| {
            let again = lines(merger).intersection(&before).count();
            again > 0 && again * 2 >= before.len()
        };
        has_most(now) && !self.mergers().iter().any(|(of, later)| *of > version && has_most(later))
    }

    /// The hashes that a section had in the newest of them in which it says the same words: as it is, or set otherwise. `None` where it
    /// never said them.
    fn in_same_words(&self, now: &Merger, heading: &[String], level: u8) -> Option<SectionHashes> {
        let text = |merger: &Merger, scope| {
            let text = merger.section_text(heading, level, scope).ok()??;
            Some((unformatted(text), hash(text)))
        };
        let before = [Scope::Own, Scope::Subtree].map(|scope| {
            let (said, _) = text(now, scope).filter(|(said, _)| !said.is_empty())?;
            let mut texts = self.mergers().iter().rev().filter_map(|(_, merger)| text(merger, scope));
            texts.find_map(|(words, hash)| (words == said).then_some(hash))
        });
        let [own, whole] = section_hashes(now, heading, level)?;
        let is_one = before.iter().any(Option::is_some);
        let [own_before, whole_before] = before;
        is_one.then(|| [own_before.or(own), whole_before.or(whole)])
    }
}

/// A text behind its front matter.
fn without_front_matter(text: &str) -> &str {
    let rest = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    rest.map_or(text, |(_, behind)| behind)
}

/// What somebody saved, and its lines: there may be many interim texts, and in almost every case none says more than it.
struct SavedText<'s> {
    text: &'s str,
    lines: BTreeMap<&'s str, usize>,
}

/// A document that was emptied since is not looked at yet, in milliseconds.
const FRESH_MS: u64 = 2_000;
/// So many lines are looked for one by one.
const FEW: usize = 16;

/// How often each line stands in a text.
fn counts(text: &str) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    text.lines().for_each(|line| *counts.entry(line).or_default() += 1);
    counts
}

impl<'s> SavedText<'s> {
    fn new(text: &'s str) -> SavedText<'s> {
        SavedText { text, lines: counts(text) }
    }

    /// Whether it was edited from the interim text instead of the final one, and lacks something that only the final one had.
    fn lacks(&self, interim: &Interim) -> bool {
        let [Ok(interim), Ok(final_text)] =
            [&interim.text, &interim.final_text].map(|text| std::str::from_utf8(text))
        else {
            return false;
        };
        !self.has_what_came(interim, final_text)
            && nearest(&[interim, final_text], self.text) == Some(0)
            && rebase_edit(Some(interim), final_text, self.text) != Rebased::Contained
    }

    /// Whether it has every line that came between the two, and none that went, and each as often as the final text: then it
    /// lacks nothing, and how far it is from either, which takes long to find out, does not matter.
    fn has_what_came(&self, interim: &str, final_text: &str) -> bool {
        let (gone, came) = differing(interim, final_text);
        let times = |line: &str| self.lines.get(line).copied().unwrap_or(0);
        if !came.iter().all(|line| line.trim().is_empty() || times(line) > 0) {
            return false;
        }
        // A few lines are counted as they are: to count all takes longer, and there may be many interim texts.
        let made = (came.len() + gone.len() > FEW).then(|| counts(final_text));
        let wanted = |line: &str| match &made {
            Some(made) => made.get(line).copied().unwrap_or(0),
            None => final_text.lines().filter(|of| *of == line).count(),
        };
        let said = |line: &&&str| !line.trim().is_empty();
        came.iter().filter(said).all(|line| times(line) >= wanted(line))
            && gone.iter().filter(said).all(|line| times(line) <= wanted(line))
    }
}

/// The lines of two texts without those that both begin and end with.
fn differing<'t>(one: &'t str, other: &'t str) -> (Vec<&'t str>, Vec<&'t str>) {
    let (mut one, mut other): (Vec<&str>, Vec<&str>) = (one.lines().collect(), other.lines().collect());
    let same = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    one.drain(..same);
    other.drain(..same);
    while one.last().is_some() && one.last() == other.last() {
        one.pop();
        other.pop();
    }
    (one, other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_save_lacks_what_only_the_final_text_had() {
        let text = |lines: &[&str]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        let lacks = |interim: &[&str], final_text: &[&str], saved: &[&str]| {
            let (interim, final_text) = (text(interim).into_bytes(), text(final_text).into_bytes());
            let name = "000001.stood".to_owned();
            let interim = Interim { version: 1, at: Timestamp(0), name, text: interim, final_text };
            let saved = text(saved);
            let said = SavedText::new(&saved);
            let [stood, made] =
                [&interim.text, &interim.final_text].map(|text| String::from_utf8_lossy(text).into_owned());
            // The quick look never says more than the slow one.
            assert!(
                !said.has_what_came(&stood, &made)
                    || rebase_edit(Some(&stood), &made, &saved) == Rebased::Contained
            );
            said.lacks(&interim)
        };
        assert!(lacks(&["a", "z"], &["a", "mine", "z"], &["a", "z", "more"]));
        assert!(!lacks(&["a", "z"], &["a", "mine", "z"], &["a", "mine", "z", "more"]));
        // A line that somebody took out comes back.
        assert!(lacks(&["a", "old", "b", "z"], &["a", "b", "z"], &["a", "old", "b", "z", "more"]));
        assert!(!lacks(&["a", "old", "b", "z"], &["a", "b", "z"], &["a", "b", "z", "more"]));
        assert!(!lacks(&["a"], &["a"], &["b"]));
        // A second line like one that is there.
        assert!(lacks(&["a", "x", "z"], &["a", "x", "x", "z"], &["a", "x", "z", "more"]));
        // One that another line begins like.
        assert!(lacks(&["a", "xy", "z"], &["a", "x", "xy", "z"], &["a", "xy", "z", "more"]));
    }
}
