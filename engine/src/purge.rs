//! The purge of an item: its text goes from its document by a job, then from everything else this home keeps: history, receipts,
//! keys, journals, sessions, drafts, what waits for a decision, the index of recall. What is left is a tombstone.
//!
//! A record says what is under way, by fingerprints alone. After a crash the next run of a worker goes on by it; where something
//! that has not ended holds the text, the record stays until that has.

use crate::items::{keep_originals, not_searched};
use crate::output::{Purged, PurgedJob, WouldPurge};
use crate::recall::managed::Managed;
use crate::{Caller, Exit, Failure, Home, Worker};
use declaration::{Code, Entry, Fingerprint, Forgetting, Key, Meta, Operation, Target, Timestamp};
use markdown_merge::item::Item;
use markdown_merge::{Merger, RefusalCode};
use operator::{Action, Actor};
use policy::knowledge_base::Root;
use policy::settings::Settings;
use queue_layout::{
    BufferedEntry, DocKey, DocumentRef, Draft, Event, Holder, Job, JobId, JournalEntry, PURGE_FORMAT,
    Producer, Purge, SaidOf,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Most lines of earlier versions that are shown before a purge cuts them.
const CUT_MAX: usize = 20;
/// What brought the job of a purge.
const EVENT: &str = "purge";

/// Lines of earlier versions: of the item's own document, and of others.
type CutLines = (Vec<String>, BTreeMap<PathBuf, Vec<String>>);

/// Where a text stands in a home.
struct PlacesOfText {
    /// How many of our files, by their first directory.
    files: BTreeMap<String, usize>,
    /// Other files, and documents whose own items say it.
    elsewhere: Vec<PathBuf>,
    /// What has not ended and holds it.
    waiting: Vec<PathBuf>,
}

impl Home {
    /// What a purge of this item would touch; nothing is changed.
    ///
    /// # Errors
    /// Nothing here knows the item, or several documents have it; a disk error.
    pub fn would_purge(&self, id: &str, cwd: &Path) -> Result<WouldPurge, Failure> {
        let (purge, text) = self.planned_purge(id, cwd)?;
        let forgetting = purge.forgetting();
        let searched = self.searched(&forgetting)?;
        let staged = self.queue().operator().staged_holding(&forgetting)?;
        let planned = self.queue().operator().planned_holding(&forgetting)?;
        let staged = staged.into_iter().map(|listed| {
            let job = self.queue().load(&listed).ok().and_then(|found| found.job);
            purged_job(listed.id, job.as_ref())
        });
        let planned = planned.into_iter().map(|(_, entry)| purged_job(entry.id, entry.job.as_ref().ok()));
        let discards: Vec<PurgedJob> = staged.chain(planned).collect();
        let mut waiting = searched.waiting;
        let is_discarded = |path: &Path| {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            discards.iter().any(|job| name.contains(&job.id.to_string()))
        };
        waiting.retain(|path| !is_discarded(path));
        let short = purge.prints.iter().all(|print| print.bytes < declaration::fingerprint::WITHIN_BYTES_MIN);
        let own = purge.document.as_ref().map(|document| document.path.clone());
        let mut elsewhere = self.and_documents(searched.elsewhere, &purge, cwd)?;
        let follow = self.copier(&purge, Some(cwd)).copies_that_follow(&self.settings()?, &forgetting);
        elsewhere.retain(|path| Some(path) != own.as_ref() && !follow.contains(path));
        let is_own = |document: &PathBuf| {
            purge.document.as_ref().is_some_and(|own| own.doc == DocKey::of(document))
                || follow.contains(document)
        };
        let (cut, cut_elsewhere) = self.cut_lines(&forgetting, &is_own)?;
        Ok(WouldPurge {
            item: purge.item,
            document: own,
            text,
            files: searched.files,
            discards,
            cut,
            cut_elsewhere,
            waiting,
            elsewhere,
            short,
        })
    }

    /// Forgets the text of an item, as a person wants: everything of this home that says it, but for what has not ended; that
    /// is told, and a worker goes on when it has. `shown`: what they were shown that the item says ([`WouldPurge::text`]), where
    /// they were; nothing else is forgotten by their yes.
    ///
    /// # Errors
    /// An agent asks; nothing here knows the item; it says something else than was shown; the reason says it, too; or its line cannot be changed, and
    /// then nothing was forgotten; a disk error, after which the next run of a worker goes on.
    pub fn purge(
        &self,
        caller: &Caller,
        who: &Actor,
        id: &str,
        shown: Option<&str>,
    ) -> Result<Purged, Failure> {
        caller.refuse_agents("purge an item")?;
        let settings = self.settings()?;
        let (planned, text) = self.planned_purge(id, &caller.cwd)?;
        if shown.is_some_and(|shown| !is_what_was_shown(&text, shown)) {
            return Err(Failure::new(format!(
                "the item {} says something else since it was shown",
                planned.item
            ))
            .hint("nothing was forgotten; look at it again")
            .exit(Exit::CouldNot));
        }
        // It is kept with the purge, which could never end.
        if who.reason.as_deref().is_some_and(|reason| planned.forgetting().is_in(reason.as_bytes())) {
            return Err(Failure::new(format!("the reason says what is to be forgotten of {}", planned.item))
                .hint("nothing was forgotten; give a reason in other words, for it is kept")
                .exit(Exit::Usage));
        }
        let purge = Purge {
            by: who.name.clone(),
            channel: who.channel.clone(),
            reason: who.reason.clone(),
            ..planned
        };
        self.queue().operator().record_purge(&purge)?;
        let job = self.enqueue_purge(&purge)?;
        if let Some(document) = &purge.document {
            let worker = self.worker(caller.clone(), who.name.clone());
            worker.work_on(&[document.doc], &settings)?;
        }
        self.renew_copies(&purge, &settings, &caller.cwd)?;
        let purged = self.go_on_with(&purge, job, Some(&caller.cwd))?;
        if let Some(why) = &purged.refused {
            return Err(Failure::new(format!("the line of {} could not be changed: {why}", purge.item))
                .hint("nothing was forgotten; mend that, and purge it again")
                .exit(Exit::CouldNot));
        }
        Ok(purged)
    }

    /// Goes on with the purges that have not ended, as far as that is possible now. A record that cannot be read stops no other.
    ///
    /// # Errors
    /// A disk error: the next run goes on.
    pub(crate) fn go_on_purging(&self) -> Result<(), Failure> {
        for purge in self.queue().operator().purges()? {
            let purge = match purge {
                Ok(purge) => purge,
                Err(e) => {
                    self.host.warn(&e);
                    continue;
                }
            };
            let job = self.enqueue_purge(&purge)?;
            self.go_on_with(&purge, job, None)?;
        }
        Ok(())
    }

    /// The purges that have not ended: their items.
    ///
    /// # Errors
    /// A disk error; a record that cannot be read.
    pub fn purging(&self) -> Result<Vec<String>, Failure> {
        let items = self.queue().operator().purges()?.into_iter().map(|purge| purge.map(|purge| purge.item));
        Ok(items.collect::<Result<_, _>>()?)
    }

    /// What is to be forgotten, and what the item says now.
    fn planned_purge(&self, id: &str, cwd: &Path) -> Result<(Purge, String), Failure> {
        let id = id.trim_start_matches('^');
        let found = self.documents_with(id, cwd)?;
        let SaidOf { texts: mut said, mut reasons } = self.queue().operator().said_of(id)?;
        let (texts, logged) = self.documents().item_texts(id)?;
        said.extend(texts);
        reasons.extend(logged);
        let (document, text) = match found.as_slice() {
            [] if said.is_empty() => {
                return Err(Failure::new(self.known_nowhere(id, cwd)?)
                    .hint("an id is what stands behind the `^` of an item"));
            }
            [] => (None, String::new()),
            [(document, _, text)] => (Some(document.clone()), text.clone()),
            [first, second, ..] => {
                let (first, second) = (self.short(&first.0.path), self.short(&second.0.path));
                return Err(Failure::new(format!(
                    "more than one document has an item {id}: {first} and {second}"
                ))
                .hint("give one of them another id by hand"));
            }
        };
        said.insert(text.clone());
        let texts: Vec<String> = said.iter().flat_map(|text| texts_of(text)).collect();
        let of = |texts: &mut dyn Iterator<Item = String>| -> Vec<Fingerprint> {
            texts.filter_map(|text| Fingerprint::of(&text)).collect::<BTreeSet<_>>().into_iter().collect()
        };
        let (forms, prints) = (of(&mut texts.iter().map(|text| loosely(text))), of(&mut texts.into_iter()));
        let purge = Purge {
            format: PURGE_FORMAT,
            item: id.to_owned(),
            document,
            target: found.first().map(|(_, target, _)| target.clone()).unwrap_or_default(),
            base: found.first().map(|(_, _, text)| markdown_merge::hash(text)),
            at: self.now(),
            by: String::new(),
            channel: String::new(),
            reason: None,
            prints,
            forms,
            reasons: reasons.iter().filter_map(|reason| Fingerprint::of(reason)).collect(),
        };
        Ok((purge, text))
    }

    /// These files and the documents that say it, in sentences and items of their own and perhaps in another form: those that are managed here, and every
    /// one that has a history.
    fn and_documents(
        &self,
        mut files: Vec<PathBuf>,
        purge: &Purge,
        cwd: &Path,
    ) -> Result<Vec<PathBuf>, Failure> {
        let (settings, forgetting) = (self.settings()?, purge.forgetting());
        let forms = Forgetting::new(purge.forms.iter().cloned());
        let says_it = |bytes: &[u8]| {
            forgetting.is_in(bytes) || forms.is_in(loosely(&String::from_utf8_lossy(bytes)).as_bytes())
        };
        let managed = self.documents_and_old_days(cwd, self.project(cwd).as_deref(), &settings);
        let managed = managed.into_iter().map(|managed| managed.document());
        // Other projects' documents, and those of settings that were: whatever we ever wrote has a history.
        let written = self.documents().changed_since(Timestamp(0))?;
        let mut known = BTreeSet::new();
        for document in managed.chain(written) {
            let is_new = known.insert(document.canonical.clone()) && !files.contains(&document.path);
            if is_new && self.documents().read(&document).is_ok_and(|now| says_it(&now.bytes)) {
                files.push(document.path);
            }
        }
        Ok(files)
    }

    /// The documents that have an item, with what it says.
    fn documents_with(&self, id: &str, cwd: &Path) -> Result<Vec<(DocumentRef, String, String)>, Failure> {
        let settings = self.settings()?;
        let project = self.project(cwd);
        let mut found = Vec::new();
        for managed in self.searched_documents(cwd, project.as_deref(), &settings) {
            let Ok(present) = self.documents().read(&managed.document()) else { continue };
            let Ok(merger) = Merger::open(&present.bytes) else { continue };
            match merger.one_item(id) {
                Ok(text) => {
                    let document = document_ref(&managed, project.as_deref(), &settings);
                    found.push((document, managed.name(), text.to_owned()));
                }
                Err(refusal) if refusal.code == RefusalCode::ItemAmbiguous => {
                    let name = self.short(&managed.path);
                    return Err(Failure::new(format!("{name}: {}", refusal.message))
                        .hint("give one of them another id by hand"));
                }
                Err(_) => {}
            }
        }
        keep_originals(&settings, &mut found, |(_, name, _)| name);
        if found.is_empty() {
            self.is_in_no_old_day(id, &settings)?;
        }
        Ok(found)
    }

    /// That nothing knows an item; and which documents could not be asked.
    fn known_nowhere(&self, id: &str, cwd: &Path) -> Result<String, Failure> {
        let (settings, project) = (self.settings()?, self.project(cwd));
        let managed = self.documents_and_old_days(cwd, project.as_deref(), &settings);
        let unread: Vec<String> =
            managed.iter().filter_map(|managed| self.merger_of(managed).err()).collect();
        Ok(match unread.is_empty() {
            true => format!("nothing here knows an item {id}"),
            false => format!("nothing that could be read knows an item {id}; {}", not_searched(&unread)),
        })
    }

    /// An old day takes part in no purge where it lies: nothing is called forgotten that stands there.
    fn is_in_no_old_day(&self, id: &str, settings: &Settings) -> Result<(), Failure> {
        let has_it = |day: &Managed| {
            let bytes = self.documents().read(&day.document()).ok()?.bytes;
            Merger::open(&bytes).ok()?.one_item(id).ok().map(|_| ())
        };
        let Some(day) = self.archived(settings).into_iter().find(|day| has_it(day).is_some()) else {
            return Ok(());
        };
        let (name, path) =
            (day.path.file_name().unwrap_or_default().to_string_lossy(), self.short(&day.path));
        let message = format!("the item {id} stands in {path}, an old day: nothing was forgotten");
        Err(Failure::new(message).hint(format!(
            "put that file back beside archive/ as {name}, and purge it before the next `work`"
        )))
    }

    /// Jobs that wait for a decision and say it, and what sessions planned and did not declare yet: the person who wants it
    /// forgotten has decided.
    fn discard_what_says_it(&self, purge: &Purge, forgetting: &Forgetting) -> Result<usize, Failure> {
        let reason = format!("item {} was purged", purge.item);
        let mut dropped = Vec::new();
        for (session, BufferedEntry { id, .. }) in self.queue().operator().planned_holding(forgetting)? {
            if session.take_back(id)? {
                let event = JournalEntry::new(self.now(), Event::Discarded).by(&purge.by);
                dropped.push(JournalEntry { id: Some(id), ..event }.saying(None, &reason));
            }
        }
        // They are gone; a journal that cannot be written changes nothing of it.
        let _ = self.queue().journal().write(&dropped);
        let staged = self.queue().operator().staged_holding(forgetting)?;
        if staged.is_empty() {
            return Ok(dropped.len());
        }
        let who = Actor { name: purge.by.clone(), channel: purge.channel.clone(), reason: Some(reason) };
        let decisions = self.decisions(Caller::program(self.layout.home()), who);
        let decided = decisions.all(&staged, &Action::Discard);
        let decided = decided.map_err(|undecided| undecided.failure)?;
        Ok(dropped.len() + decided.ended.len())
    }

    /// The job that takes the text out of the document; the same one however often it is asked for.
    fn enqueue_purge(&self, purge: &Purge) -> Result<Option<JobId>, Failure> {
        let Some(document) = &purge.document else { return Ok(None) };
        let key = Key {
            target: Target::Kb(purge.target.clone()),
            heading: vec![markdown_merge::ITEM.to_owned(), purge.item.clone()],
            level: 0,
        };
        let said_at = Some(self.moment_at(Some(purge.at)).minute());
        let meta = Meta { reason: purge.reason.clone(), said_at, ..Meta::default() };
        let entry =
            Entry { operation: Operation::Purge, base: purge.base.clone(), meta, ..Entry::no_op(key) };
        let producer = Producer {
            event: EVENT.to_owned(),
            trust: Some(declaration::Trust::User),
            ..Producer::default()
        };
        let draft = Draft {
            document: document.clone(),
            entries: vec![entry],
            source: purge.by.clone(),
            producer,
            key: Some(format!("purge {} {}", purge.item, purge.at.millis())),
        };
        let mut id = None;
        let mut random = || self.host.random();
        self.queue()
            .producer()
            .enqueue(vec![draft], self.now(), &mut random, &mut |job| id = Some(job.id))?;
        Ok(id)
    }

    /// Makes the copies of its document anew, and copies of those: what a copy says goes into its history as it is made anew, so
    /// that has to be before the histories are searched.
    fn renew_copies(&self, purge: &Purge, settings: &Settings, cwd: &Path) -> Result<(), Failure> {
        let (worker, forgetting) = (self.copier(purge, Some(cwd)), purge.forgetting());
        for _ in &settings.knowledge_bases {
            let copies = worker.copies_to_renew(settings, &purge.item, &forgetting)?;
            if copies.is_empty() {
                break;
            }
            let copies: Vec<DocKey> = copies.iter().map(|copy| DocKey::of(&copy.canonical)).collect();
            worker.work_on(&copies, settings)?;
        }
        Ok(())
    }

    /// Who makes copies anew: in the project of the item's document, else where the person is.
    fn copier(&self, purge: &Purge, asked_in: Option<&Path>) -> Worker {
        let project = purge.document.as_ref().and_then(|document| document.project.as_deref());
        let cwd = project.or(asked_in).unwrap_or(self.layout.home());
        self.worker(Caller::program(cwd), purge.by.clone())
    }

    /// Takes the text out of everything that is at rest, once the job has ended; ends the purge where nothing holds it any more.
    /// `asked_in`: where the person is who waits for the answer.
    fn go_on_with(
        &self,
        purge: &Purge,
        job: Option<JobId>,
        asked_in: Option<&Path>,
    ) -> Result<Purged, Failure> {
        let mut purged = Purged { item: purge.item.clone(), ..Purged::default() };
        let verdict = job.map(|job| operator::verify(self.queue(), &job.to_string())).transpose()?;
        // An earlier job took the line out: then nothing is left to change there, and everything else is forgotten all the same.
        let is_gone = |verdict: &operator::Verified| {
            verdict.error.as_ref().is_some_and(|e| e.code == Code::ItemNotFound)
        };
        match verdict {
            Some(verdict) if verdict.needs_somebody() && is_gone(&verdict) => {
                self.discard_purge(purge, verdict.id)?;
            }
            Some(verdict) if verdict.needs_somebody() => {
                self.queue().operator().end_purge(purge)?;
                purged.refused = Some(verdict.error.map(|error| error.message).unwrap_or_default());
                return Ok(purged);
            }
            Some(verdict) if verdict.is_waiting() => {
                purged.waiting.push(verdict.document.unwrap_or_default());
                return Ok(purged);
            }
            _ => {}
        }
        self.disk.point("purge.merged");
        let forgetting = purge.forgetting();
        // Looked for first: one that is made anew from here on has the text in its history, which is searched below.
        let copies =
            self.copier(purge, asked_in).copies_to_renew(&self.settings()?, &purge.item, &forgetting)?;
        let copies: Vec<PathBuf> = copies.into_iter().map(|copy| copy.path).collect();
        purged.discarded = self.discard_what_says_it(purge, &forgetting)?;
        purged.files += self.queue().operator().forget(&forgetting)?;
        self.disk.point("purge.queue");
        let mut busy = false;
        for history in self.documents().histories()? {
            match self.documents().forget(&history, &purge.item, &forgetting)? {
                Some(changed) => purged.files += changed,
                None => busy = true,
            }
        }
        self.disk.point("purge.history");
        self.forget_recall_index()?;
        self.disk.point("purge.index");
        let searched = self.searched(&forgetting)?;
        purged.elsewhere = searched.elsewhere;
        purged.waiting = searched.waiting;
        purged.waiting.extend(copies.iter().cloned());
        purged.ended = purged.waiting.is_empty() && searched.files.is_empty() && !busy;
        // A run of a worker looks into all documents once, at the end.
        if purged.ended || asked_in.is_some() {
            let cwd = asked_in.unwrap_or(self.layout.home());
            purged.elsewhere = self.and_documents(purged.elsewhere, purge, cwd)?;
            purged.elsewhere.retain(|path| !copies.contains(path));
        }
        if purged.ended {
            self.tell_purged(purge, &purged.elsewhere);
            self.queue().operator().end_purge(purge)?;
        }
        Ok(purged)
    }

    /// Ends the job of a purge whose item was gone from its document before the job's turn.
    fn discard_purge(&self, purge: &Purge, job: JobId) -> Result<(), Failure> {
        let reason = Some("its line is gone already".to_owned());
        let who = Actor { name: purge.by.clone(), channel: purge.channel.clone(), reason };
        let decisions = self.decisions(Caller::program(self.layout.home()), who);
        let job = [self.find(&job.to_string())?];
        decisions.all(&job, &Action::Discard).map(|_| ()).map_err(|undecided| undecided.failure)
    }

    fn tell_purged(&self, purge: &Purge, elsewhere: &[PathBuf]) {
        let event = JournalEntry::new(self.now(), Event::Purged).by(&purge.by);
        let path = purge.document.as_ref().map(|document| document.path.display().to_string());
        let mut said = format!("item {} ({})", purge.item, path.unwrap_or_default());
        for path in elsewhere {
            let _ = write!(said, "; still said by {}", path.display());
        }
        // The purge is done; a journal that cannot be written changes nothing of it.
        let _ = self.queue().journal().write(&[event.saying(None, said)]);
    }

    /// The lines of earlier versions that it is cut out of, the first `CUT_MAX`: those of its own document that say more than what is
    /// forgotten, and all of others.
    fn cut_lines(
        &self,
        forgetting: &Forgetting,
        is_own: &dyn Fn(&PathBuf) -> bool,
    ) -> Result<CutLines, Failure> {
        let mut cut = BTreeSet::new();
        for (document, text) in self.documents().kept_texts()? {
            let is_own = is_own(&document);
            let lines = String::from_utf8_lossy(&text);
            let says_more = |line: &&str| {
                let item = Item::read(line);
                let text = item.as_ref().map_or(*line, |item| item.text());
                forgetting.is_in(line.as_bytes()) && !(is_own && forgetting.is_one(text))
            };
            let of = if is_own { None } else { Some(document) };
            cut.extend(lines.lines().filter(says_more).map(|line| (of.clone(), line.trim().to_owned())));
        }
        let (mut own, mut elsewhere) = CutLines::default();
        for (document, line) in cut.into_iter().take(CUT_MAX) {
            match document {
                None => own.push(line),
                Some(document) => elsewhere.entry(document).or_default().push(line),
            }
        }
        Ok((own, elsewhere))
    }

    /// Searches every byte of the home.
    fn searched(&self, forgetting: &Forgetting) -> Result<PlacesOfText, Failure> {
        let mut searched =
            PlacesOfText { files: BTreeMap::new(), elsewhere: Vec::new(), waiting: Vec::new() };
        for (path, holder) in self.queue().operator().holding(forgetting)? {
            match holder {
                Holder::AtRest => {
                    let below = path.strip_prefix(self.layout.home()).unwrap_or(&path);
                    let first = below.components().next().map(|first| first.as_os_str().to_string_lossy());
                    *searched.files.entry(first.unwrap_or_default().into_owned()).or_default() += 1;
                }
                Holder::Waiting | Holder::Tmp => searched.waiting.push(path),
                Holder::Foreign => searched.elsewhere.push(path),
            }
        }
        Ok(searched)
    }
}

/// Whether it is this that a person was shown: the whole item or, where nothing stands below its line, what it says.
fn is_what_was_shown(text: &str, shown: &str) -> bool {
    let (text, shown) = (text.trim(), shown.trim());
    let said = Item::read(text).filter(|item| item.below().is_empty()).map(|item| item.text());
    text == shown || said == Some(shown)
}

fn purged_job(id: JobId, job: Option<&Job>) -> PurgedJob {
    let texts = job.into_iter().flat_map(|job| &job.entries);
    let says = texts.filter_map(|entry| entry.content.clone().or_else(|| entry.old_text.clone()));
    PurgedJob { id, document: job.map(|job| job.document.path.clone()), says: says.collect() }
}

fn document_ref(managed: &Managed, project: Option<&Path>, settings: &Settings) -> DocumentRef {
    let of_project = settings.knowledge_base(&managed.kb).is_some_and(|kb| kb.root == Root::Project);
    DocumentRef {
        kb: managed.kb.clone(),
        path: managed.path.clone(),
        project: project.filter(|_| of_project).map(Path::to_owned),
        doc: DocKey::of(&managed.canonical),
    }
}

/// What is looked for of something that was said: all of it where it is no item's line, and each line without bullet, kind, tags at its end, comment and id.
fn texts_of(said: &str) -> Vec<String> {
    // Of an item's own line the bullet and the id stay: they are how it is known to have been there.
    let whole = Some(said).filter(|said| Item::read(said).is_none());
    let mut found: Vec<String> = whole.map(str::to_owned).into_iter().collect();
    for line in said.lines() {
        let listed = format!("- {}", line.trim());
        let item = Item::read(line).or_else(|| Item::read(&listed));
        let text = item.map_or(line, |item| item.text()).trim();
        let mut bare = text;
        while let Some((before, _)) = bare.rsplit_once(' ').filter(|(_, tag)| tag.starts_with('#')) {
            bare = before.trim_end();
        }
        found.extend([text, bare, bare.trim_end_matches(['.', '。'])].map(str::to_owned));
    }
    found
}

/// A text in the form in which two are compared that may say the same: without case, accents and emphasis, with one blank for each
/// gap, line ends among them.
fn loosely(text: &str) -> String {
    let plain: String = text.chars().filter(|c| !matches!(c, '*' | '_' | '`' | '~' | '\\')).collect();
    recall::fold(&plain).split_whitespace().collect::<Vec<_>>().join(" ")
}
