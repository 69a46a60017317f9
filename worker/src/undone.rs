//! Which jobs a save has undone, by what the log says of them and what the document says now. The log is walked twice: once to
//! learn how each section came to be as it is, once to name the jobs. What is kept meanwhile grows with the sections, not with
//! the jobs. Pure.

use documents::{ChangedBy, SectionHashes};
use markdown_merge::{Change, ChangeKind};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// A section as a declaration names it.
pub(crate) type SectionKey = (Vec<String>, u8);

/// Gives each job since some time, oldest first; each walk gives the same.
type Walk<'w, E> = dyn Fn(&mut dyn FnMut(ChangedBy)) -> Result<(), E> + 'w;

/// Tells of versions, a section and its hashes.
pub(crate) type Kept<'k> = dyn Fn(RangeInclusive<u64>, &[String], u8, &SectionHashes) -> bool + 'k;

/// What a document says now, and what it said.
pub(crate) struct Texts<'t> {
    /// The hashes of a section now, `None` where its name is no section's.
    pub now: &'t dyn Fn(&[String], u8) -> Option<SectionHashes>,
    /// The hashes it had in the newest text that is kept in which it says the same words as now.
    pub in_same_words: &'t dyn Fn(&[String], u8) -> Option<SectionHashes>,
    /// Whether one of the texts that these versions displaced has a section with these hashes.
    pub kept: &'t Kept<'t>,
    /// Whether what stood below a heading that is not there now stands somewhere.
    pub stands: &'t dyn Fn(&[String], u8) -> bool,
    /// Whether the document has something again of the last text that was displaced before this version.
    pub came_back: &'t dyn Fn(u64) -> bool,
}

/// A job whose change is gone again.
#[derive(Debug, Default)]
pub(crate) struct Undone {
    pub id: String,
    /// The version that has it.
    pub version: u64,
    /// Sections whose text is the one from before the job.
    pub sections: BTreeSet<SectionKey>,
    /// Sections that a person changed in a buffer which was most likely loaded before the job, each with the hash of what it said before it.
    pub perhaps: BTreeMap<SectionKey, Option<String>>,
    /// Whether that buffer was surely loaded before it: then nobody has edited what it wrote.
    pub is_unseen: bool,
}

/// Finds the jobs whose changes a save has undone, in order. A section gives it away when its text is the one it had at an earlier
/// moment (before or after any of our changes, or in between, when somebody else wrote): the buffer was loaded at that moment,
/// and saving it removed everything that came later, whether its author knew of it or not. Once one section shows when the
/// buffer was loaded, sections which its author edited are taken to be as old. The texts that are kept tell of moments at which no job
/// of ours wrote, and of sections that say what they said in other blanks or marks, as an editor leaves them that formats when it saves. A
/// rollback is a person's decision: what it took back in the sections that it put back is not reported as lost, only the loss of the rollback itself.
pub(crate) fn undone<E>(
    walk: &Walk<'_, E>,
    texts: &Texts<'_>,
    found: &mut dyn FnMut(Undone),
) -> Result<(), E> {
    let mut rollbacks = Vec::new();
    let mut hashes = BTreeSet::new();
    walk(&mut |job| {
        rollbacks.extend(Rollback::of(&job));
        hashes
            .extend(changed(&job).flat_map(|change| [change.before.clone(), change.after.clone()]).flatten());
    })?;
    let mut sections = Tracks::new(texts, effective(rollbacks), hashes);
    walk(&mut |job| sections.take(&job))?;
    sections.follow_renames();
    let Some(loaded_behind) = sections.loaded_behind() else { return Ok(()) };
    let gone_since = sections.gone_since();
    let mut lost =
        Lost { sections: &sections, loaded_behind, gone_since, walked: 0, passed: BTreeMap::new() };
    walk(&mut |job| {
        if let Some(undone) = lost.of(&job) {
            found(undone);
        }
    })
}

/// A rollback, and what it put back.
struct Rollback {
    /// The version that it made, and the one that it went back to: what came between is taken back.
    version: u64,
    to: u64,
    sections: Vec<SectionKey>,
}

impl Rollback {
    fn of(job: &ChangedBy) -> Option<Rollback> {
        let sections = || changed(job).map(|change| key(&change)).collect();
        job.rollback_to.map(|to| Rollback { version: job.version, to, sections: sections() })
    }

    fn takes_back(&self, version: u64) -> bool {
        self.to < version && version < self.version
    }
}

/// The rollbacks that no later one took back.
fn effective(rollbacks: Vec<Rollback>) -> Vec<Rollback> {
    let mut effective: Vec<Rollback> = Vec::new();
    for rollback in rollbacks.into_iter().rev() {
        if !effective.iter().any(|later| later.takes_back(rollback.version)) {
            effective.push(rollback);
        }
    }
    effective
}

/// The second walk: which jobs are undone, as far as it came.
struct Lost<'t> {
    sections: &'t Tracks<'t>,
    loaded_behind: usize,
    /// The first version of which a section shows that it is gone: what came with it, and since, was not there either.
    gone_since: Option<u64>,
    walked: usize,
    /// How many changes of a section were passed that no rollback took back.
    passed: BTreeMap<SectionKey, usize>,
}

impl Lost<'_> {
    /// What of a job is gone. Nothing of a command, which is not done again.
    fn of(&mut self, job: &ChangedBy) -> Option<Undone> {
        let is_unseen = self.gone_since.is_some_and(|since| since <= job.version);
        let mut undone = Undone { id: job.id.clone(), version: job.version, is_unseen, ..Undone::default() };
        for change in changed(job) {
            let key = key(&change);
            let Some(Some(section)) = self.sections.known.get(&key) else { continue };
            if self.sections.is_taken_back(job, &change) {
                continue;
            }
            let n = self.passed.entry(key.clone()).or_default();
            // A text from before what it took back lacks nothing of a rollback.
            let lacks = job.rollback_to.is_none() || self.sections.shows_a_loss_of(job.version, &change);
            if lacks && section.undone_from().is_some_and(|from| *n >= from) {
                undone.sections.insert(key);
            } else if section.is_theirs() && (is_unseen || self.walked >= self.loaded_behind) {
                undone.perhaps.insert(key, change.before.clone());
            }
            *n += 1;
        }
        self.walked += 1;
        let is_lost = !(undone.sections.is_empty() && undone.perhaps.is_empty());
        (is_lost && !job.is_command()).then_some(undone)
    }
}

/// What is known of each section that was changed.
struct Tracks<'n> {
    texts: &'n Texts<'n>,
    /// Every hash that a section had before or after a change.
    hashes: BTreeSet<String>,
    /// `None` for a section that is not there now.
    known: BTreeMap<SectionKey, Option<Track>>,
    /// The version of the first job, and of the last one.
    first: Option<u64>,
    last: u64,
    /// How many jobs were taken in.
    jobs: usize,
    /// The rollbacks that count.
    rollbacks: Vec<Rollback>,
    /// The hashes of texts that sections had, each with the addresses by which a job named it.
    said: BTreeMap<(u8, String), BTreeSet<Vec<String>>>,
    anew: Option<Anew>,
}

/// A document that had gone away, and that we made anew.
struct Anew {
    /// Behind so many jobs.
    behind: usize,
    /// The sections that stand there again as we had left them, though nobody of us wrote them since.
    there: BTreeSet<SectionKey>,
    /// Whether it has other lines again that it had before.
    came_back: bool,
}

/// How a section came to be as it is.
struct Track {
    /// What it says now.
    now: SectionHashes,
    changes: usize,
    /// Whether it is as the last of them left it, or a later one that names it otherwise.
    is_left_so: bool,
    /// After so many changes it had the text that it has now, the last time; and behind so many jobs at the earliest.
    had: Option<usize>,
    had_behind: usize,
    /// The version of the first change behind that.
    gone_since: Option<u64>,
    /// Behind so many jobs it was changed last.
    changed_behind: usize,
    /// The first version whose displaced text was not looked at.
    unseen: u64,
    /// The version of its last change, and how many there were before that version.
    version: (u64, usize),
    /// The versions of rollbacks that put it back, each with how many changes there were before what it took back.
    rollbacks: Vec<(u64, usize)>,
    /// What it was called by its last change.
    renamed: Option<SectionKey>,
}

impl<'n> Tracks<'n> {
    fn new(texts: &'n Texts<'n>, rollbacks: Vec<Rollback>, hashes: BTreeSet<String>) -> Tracks<'n> {
        let (known, said) = (BTreeMap::new(), BTreeMap::new());
        Tracks { texts, hashes, known, first: None, last: 0, jobs: 0, rollbacks, said, anew: None }
    }

    /// What a section is now; where no change of ours left it so, or found it so, as it was when it said the same words.
    fn now(&self, heading: &[String], level: u8) -> Option<SectionHashes> {
        let now = (self.texts.now)(heading, level)?;
        let is_known = now.iter().flatten().any(|hash| self.hashes.contains(hash));
        let is_there = now.iter().any(Option::is_some);
        let before = (is_there && !is_known).then(|| (self.texts.in_same_words)(heading, level)).flatten();
        Some(before.unwrap_or(now))
    }

    /// The next job.
    fn take(&mut self, job: &ChangedBy) {
        if job.displaced.is_none() && job.version != self.last {
            self.begin_anew(job.version);
        }
        self.learn(job);
        self.last = job.version;
        self.jobs += 1;
    }

    fn begin_anew(&mut self, version: u64) {
        let stands =
            |track: &Option<Track>| track.as_ref().is_some_and(|track| track.is_left_so && track.is_there());
        let there = self.known.iter().filter(|(_, track)| stands(track)).map(|(key, _)| key.clone());
        let there: BTreeSet<SectionKey> = there.collect();
        if self.back().is_none() {
            let came_back = self.jobs > 0 && (self.texts.came_back)(version);
            self.anew = Some(Anew { behind: self.jobs, there, came_back });
        }
    }

    /// Behind how many jobs the document came back that had gone away.
    fn back(&self) -> Option<usize> {
        self.anew.as_ref().filter(|anew| anew.came_back || !anew.there.is_empty()).map(|anew| anew.behind)
    }

    /// Whether a section that a rollback put back is as it was in what that took back: by the address that other jobs named it by, where there
    /// is one.
    fn shows_a_loss_of(&self, version: u64, change: &Change) -> bool {
        let own = key(change);
        let behind = |track: &Track| {
            let (_, changes) = track.rollbacks.iter().find(|(of, _)| *of == version)?;
            Some(track.undone_from().is_some_and(|from| from >= *changes))
        };
        let is_one =
            |(heading, level): &SectionKey| *level == change.level && may_be_one(heading, &change.heading);
        let tracks = self.known.iter().filter(|(key, _)| is_one(key));
        let told = |is_own: bool| {
            let of = tracks.clone().filter(|(key, _)| (**key == own) == is_own);
            of.filter_map(|(_, track)| behind(track.as_ref()?)).collect::<Vec<bool>>()
        };
        let others = told(false);
        if others.is_empty() { told(true).contains(&true) } else { others.contains(&true) }
    }

    /// Whether a rollback took a change back.
    fn is_taken_back(&self, job: &ChangedBy, change: &Change) -> bool {
        let is_one =
            |(heading, level): &SectionKey| *level == change.level && may_be_one(heading, &change.heading);
        self.rollbacks.iter().any(|back| back.takes_back(job.version) && back.sections.iter().any(is_one))
    }

    fn learn(&mut self, job: &ChangedBy) {
        self.meet(job);
        for change in changed(job) {
            for text in [&change.before, &change.after].into_iter().flatten() {
                let named = self.said.entry((change.level, text.clone())).or_default();
                named.insert(change.heading.clone());
            }
        }
        if job.rollback_to.is_some() {
            let put_back: Vec<SectionKey> = changed(job).map(|change| key(&change)).collect();
            for ((heading, level), section) in &mut self.known {
                let is_one = |(put, of): &SectionKey| of == level && may_be_one(put, heading);
                if let Some(section) = section.as_mut().filter(|_| put_back.iter().any(is_one)) {
                    section.put_back(job.version);
                }
            }
        }
        // Later jobs may name the same section by another address.
        let is_left = |change: &Cow<'_, Change>| !job.is_command() && !self.is_taken_back(job, change);
        let left: Vec<String> =
            changed(job).filter(is_left).filter_map(|change| change.after.clone()).collect();
        for after in left {
            for section in self.known.values_mut().flatten().filter(|section| section.says(&after)) {
                section.is_left_so = true;
                section.had = Some(section.changes);
                section.had_behind = self.jobs + 1;
            }
        }
        self.follow(job);
    }

    /// Sections that are named for the first time.
    fn meet(&mut self, job: &ChangedBy) {
        let first = *self.first.get_or_insert(job.version);
        for change in changed(job) {
            let had = |now: &SectionHashes| {
                let named = |hash: &String| self.said.get(&(change.level, hash.clone()));
                let is_one = |other: &Vec<String>| may_be_one(other, &change.heading);
                now.iter().flatten().filter_map(named).flatten().any(is_one).then_some(0)
            };
            let track = |now| {
                let (changes, is_left_so, renamed) = (0, false, None);
                Track {
                    had: had(&now),
                    had_behind: 0,
                    gone_since: None,
                    changed_behind: 0,
                    now,
                    changes,
                    is_left_so,
                    unseen: first,
                    version: (0, 0),
                    rollbacks: Vec::new(),
                    renamed,
                }
            };
            if !self.known.contains_key(&key(&change)) {
                let now = self.now(&change.heading, change.level).map(track);
                self.known.insert(key(&change), now);
            }
            if let Some(anew) = &mut self.anew {
                anew.there.retain(|(heading, level)| {
                    *level != change.level || !may_be_one(heading, &change.heading)
                });
            }
        }
    }

    /// What became of each section.
    fn follow(&mut self, job: &ChangedBy) {
        for change in changed(job) {
            let is_taken_back = self.is_taken_back(job, &change);
            if let Some(Some(section)) = self.known.get_mut(&key(&change)) {
                // Somebody else may have written since the change before, and what they wrote into is kept.
                let versions = section.unseen..=job.version;
                section.unseen = job.version + 1;
                let before = section.had;
                if section.is_there()
                    && (self.texts.kept)(versions, &change.heading, change.level, &section.now)
                {
                    section.had_before();
                }
                if is_taken_back {
                    section.passed_over(&change);
                } else {
                    section.count(job.version);
                    if job.is_command() {
                        section.passed_by(&change);
                    } else {
                        section.learn(&change, self.jobs + 1);
                    }
                }
                section.changed_behind = self.jobs + 1;
                section.gone_with(job.version, before);
            }
        }
    }

    /// That a section is gone is explained by a new name if that one is there; else a save took both.
    fn follow_renames(&mut self) {
        let is_there = |name: &SectionKey| {
            let named = self.known.get(name).and_then(Option::as_ref);
            named
                .map_or_else(|| (self.texts.now)(&name.0, name.1), |track| Some(track.now.clone()))
                .is_some_and(|now| now.iter().any(Option::is_some))
        };
        let renamed =
            self.known.iter().filter_map(|(key, track)| Some((key, track.as_ref()?.renamed.as_ref()?)));
        let explained: Vec<SectionKey> =
            renamed.filter(|(_, name)| is_there(name)).map(|(key, _)| key.clone()).collect();
        // Where neither name is there and the words are, somebody gave it a third one: a buffer from before would have the first.
        let others = self.known.iter().filter_map(|(key, track)| {
            let track = track.as_ref().filter(|track| !track.is_there())?;
            let name = track.renamed.as_ref().filter(|name| !is_there(name))?;
            let is_new = self.known.get(name)?.as_ref().is_some_and(|new| new.changes == 1);
            (is_new && (self.texts.stands)(&key.0, key.1)).then(|| [key.clone(), name.clone()])
        });
        let explained: Vec<SectionKey> = explained.into_iter().chain(others.flatten()).collect();
        for key in explained {
            if let Some(Some(section)) = self.known.get_mut(&key) {
                section.is_left_so |= !section.is_there();
            }
        }
    }

    /// The first version of which a section shows that it is gone.
    fn gone_since(&self) -> Option<u64> {
        let undone = self.known.values().flatten().filter(|section| section.undone_from().is_some());
        undone.filter_map(|section| section.gone_since).min()
    }

    /// Behind how many jobs the text was loaded that somebody saved, at the earliest; `None` where no section shows that.
    fn loaded_behind(&self) -> Option<usize> {
        let undone = self.known.values().flatten().filter(|section| section.undone_from().is_some());
        undone.map(|section| section.had_behind).max().into_iter().chain(self.back()).min()
    }
}

impl Track {
    /// It had the text that it has now before the change at hand.
    fn had_before(&mut self) {
        (self.had, self.had_behind) = (Some(self.changes), self.changed_behind);
    }

    /// That a change of this version was followed; `before`: what it `had` until then.
    fn gone_with(&mut self, version: u64, before: Option<usize>) {
        let is_first = self.had.is_some_and(|had| had < self.changes);
        if !is_first {
            self.gone_since = None;
        } else if self.had != before || self.gone_since.is_none() {
            self.gone_since = Some(version);
        }
    }

    /// One more change, in this version.
    fn count(&mut self, version: u64) {
        if self.version.0 != version {
            self.version = (version, self.changes);
        }
    }

    /// A rollback made this version of it: what was before it in the same version waited, and stays.
    fn put_back(&mut self, version: u64) {
        let changes = if self.version.0 == version { self.version.1 } else { self.changes };
        self.rollbacks.push((version, changes));
    }

    /// A rollback took it back: a text with it, or from just before it, is one from before that rollback.
    fn passed_over(&mut self, change: &Change) {
        if !self.is_left_so && [&change.before, &change.after].into_iter().any(|text| self.now.contains(text))
        {
            self.had_before();
        }
    }

    /// `behind`: how many jobs there are with this one.
    fn learn(&mut self, change: &Change, behind: usize) {
        self.renamed = change.renamed.as_ref().map(|_| (change.called_since(), change.level));
        // Under its old name nothing is left of it: whether that is so is asked of the new one, when all is known.
        self.is_left_so = self.renamed.is_none() && self.now.contains(&change.after);
        if self.is_left_so {
            (self.had, self.had_behind) = (Some(self.changes + 1), behind);
        } else if self.now.contains(&change.before) {
            self.had_before();
        }
        self.changes += 1;
    }

    /// A command changed it: what it left is none of ours, and what was there before is a moment at which a buffer may have been loaded.
    fn passed_by(&mut self, change: &Change) {
        if !self.is_left_so && self.now.contains(&change.before) {
            self.had_before();
        }
        self.changes += 1;
    }

    fn is_there(&self) -> bool {
        self.now.iter().any(Option::is_some)
    }

    fn says(&self, wanted: &str) -> bool {
        self.now.iter().flatten().any(|hash| hash == wanted)
    }

    /// Its first change that is gone again.
    fn undone_from(&self) -> Option<usize> {
        if self.is_left_so { None } else { self.had }
    }

    /// Whether it says what it never said: a person changed it.
    fn is_theirs(&self) -> bool {
        !self.is_left_so && self.had.is_none()
    }
}

/// What a job changed; a section that was renamed is one that went, and one that came under the new name.
fn changed(job: &ChangedBy) -> impl Iterator<Item = Cow<'_, Change>> {
    let changes = job.changes.iter().filter(|change| change.kind != ChangeKind::Unchanged);
    changes.flat_map(|change| {
        let came = change.renamed.as_ref().and_then(|renamed| renamed.hash.clone()).map(|hash| {
            let heading = change.called_since();
            let (before, after) = (None, Some(hash));
            Cow::Owned(Change { heading, before, after, renamed: None, ..change.clone() })
        });
        std::iter::once(Cow::Borrowed(change)).chain(came)
    })
}

/// Whether two addresses may be of one section: `Log` and `Notes > Log` may, `Other > Log` is another one.
fn may_be_one(one: &[String], other: &[String]) -> bool {
    one.ends_with(other) || other.ends_with(one)
}

fn key(change: &Change) -> SectionKey {
    (change.heading.clone(), change.level)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    fn job(id: &str, changes: &[(&str, Option<&str>, Option<&str>)]) -> ChangedBy {
        let change = |(heading, before, after): &(&str, Option<&str>, Option<&str>)| Change {
            kind: if before == after { ChangeKind::Unchanged } else { ChangeKind::Changed },
            heading: heading.split(" > ").map(str::to_owned).collect(),
            level: 2,
            before: before.map(str::to_owned),
            after: after.map(str::to_owned),
            item: None,
            renamed: None,
            piece: None,
            sections: None,
        };
        let changes = changes.iter().map(change).collect();
        let version = id.parse().unwrap_or_default();
        ChangedBy {
            id: id.to_owned(),
            version,
            changes,
            displaced: Some("before".to_owned()),
            ..ChangedBy::default()
        }
    }

    /// What is undone, when each section says this now.
    fn found(jobs: &[ChangedBy], now: &dyn Fn(&[String], u8) -> Option<SectionHashes>) -> Vec<Undone> {
        let walk = |each: &mut dyn FnMut(ChangedBy)| -> Result<(), Infallible> {
            jobs.iter().cloned().for_each(each);
            Ok(())
        };
        let mut found = Vec::new();
        let texts = Texts {
            now,
            in_same_words: &|_, _| None,
            kept: &|_, _, _, _| false,
            stands: &|_, _| false,
            came_back: &|_| false,
        };
        let Ok(()) = undone(&walk, &texts, &mut |undone| found.push(undone));
        found
    }

    #[test]
    fn what_a_command_left_is_nobodys_and_what_it_found_says_when() {
        let command = |before: &str, after: &str| job("", &[("A", Some(before), Some(after))]);
        let jobs = [job("1", &[("A", Some("a0"), Some("a1"))]), command("a1", "a0")];
        assert_eq!(ids(&jobs, Some("a0")), ["1"], "it put an old text there");
        assert!(ids(&jobs, Some("a1")).is_empty(), "and somebody took that back");
        let jobs = [command("p", "q"), job("2", &[("A", Some("q"), Some("a2"))])];
        assert_eq!(ids(&jobs, Some("p")), ["2"]);
        assert_eq!(ids(&jobs, Some("q")), ["2"]);
    }

    #[test]
    fn a_text_that_is_kept_says_what_a_section_was_before_somebody_else_wrote() {
        let jobs = |versions: [u64; 3]| {
            let jobs = [
                job("1", &[("B", Some("b0"), Some("b1"))]),
                // Somebody changed it to p before this one.
                job("2", &[("A", Some("p"), Some("a1"))]),
                job("3", &[("A", Some("a1"), Some("a2"))]),
            ];
            let numbered = jobs.into_iter().zip(versions);
            numbered.map(|(job, version)| ChangedBy { version, ..job }).collect::<Vec<_>>()
        };
        let told = |jobs: Vec<ChangedBy>, kept: &[u64]| {
            let walk = |each: &mut dyn FnMut(ChangedBy)| -> Result<(), Infallible> {
                jobs.iter().cloned().for_each(each);
                Ok(())
            };
            let now = |heading: &[String], _| {
                let hash = if heading == ["A"] { "a0" } else { "b1" };
                Some([Some(hash.to_owned()), None])
            };
            // They have A as it is now, and B otherwise.
            let kept = |versions: RangeInclusive<u64>, heading: &[String], _: u8, _: &SectionHashes| {
                heading == ["A"] && kept.iter().any(|version| versions.contains(version))
            };
            let texts = Texts {
                now: &now,
                in_same_words: &|_, _| None,
                kept: &kept,
                stands: &|_, _| false,
                came_back: &|_| false,
            };
            let mut found = Vec::new();
            let Ok(()) = undone(&walk, &texts, &mut |undone| found.push(undone.id));
            found
        };
        assert_eq!(told(jobs([1, 3, 4]), &[1]), ["2", "3"]);
        assert_eq!(told(jobs([1, 3, 4]), &[3]), ["2", "3"]);
        assert_eq!(told(jobs([1, 3, 4]), &[4]), ["3"], "it was so again between the two");
        assert!(told(jobs([1, 3, 4]), &[0, 5]).is_empty());
        assert!(told(jobs([1, 3, 4]), &[]).is_empty());
        let mut back = jobs([1, 3, 4]);
        back[0].rollback_to = Some(0);
        assert_eq!(told(back.clone(), &[1]), ["2", "3"], "it is not about that section");
        back[0].changes[0].heading = vec!["Notes".to_owned(), "A".to_owned()];
        assert_eq!(told(back, &[1]), ["2", "3"], "it came before them");
    }

    /// The ids of the jobs undone when every section has this hash now.
    fn ids(jobs: &[ChangedBy], now: Option<&str>) -> Vec<String> {
        let now = |_: &[String], _| Some([now.map(str::to_owned), now.map(str::to_owned)]);
        found(jobs, &now).into_iter().map(|undone| undone.id).collect()
    }

    #[test]
    fn a_section_back_at_an_earlier_text_undoes_every_job_since() {
        let jobs = [
            job("1", &[("A", Some("a0"), Some("a1"))]),
            job("2", &[("A", Some("a1"), Some("a2"))]),
            job("3", &[("A", Some("a2"), Some("a2"))]),
        ];
        assert_eq!(ids(&jobs, Some("a0")), ["1", "2"]);
        assert_eq!(ids(&jobs, Some("a1")), ["2"]);
        assert!(ids(&jobs, Some("a2")).is_empty(), "as it was left");
        assert!(ids(&jobs, Some("a person's own")).is_empty(), "nobody knows what they meant");
        assert!(ids(&jobs, None).is_empty(), "taken out whole: no buffer from before looks like that");
    }

    #[test]
    fn a_document_that_was_away_and_came_back_has_none_of_what_was_made_meanwhile() {
        let gone = |job: ChangedBy, displaced: Option<&str>| ChangedBy {
            displaced: displaced.map(str::to_owned),
            ..job
        };
        let jobs = |displaced: Option<&str>| {
            let first = gone(job("1", &[("B", Some("b0"), Some("b1"))]), Some("d0"));
            let second = job("2", &[("A", None, Some("a1"))]);
            [first, gone(ChangedBy { version: 2, ..second }, displaced)]
        };
        // B is as it was before the document was made anew, and A says what it never said.
        let says = |text: &str| Some([Some(text.to_owned()), Some(text.to_owned())]);
        let now = |heading: &[String], _: u8| says(if heading == ["A"] { "theirs" } else { "b1" });
        let perhaps: Vec<String> = found(&jobs(None), &now).into_iter().map(|undone| undone.id).collect();
        assert_eq!(perhaps, ["2"]);
        assert!(found(&jobs(Some("d1")), &now).is_empty(), "it was there");
        let new = |heading: &[String], _: u8| says(if heading == ["A"] { "theirs" } else { "other" });
        assert!(found(&jobs(None), &new).is_empty(), "it did not come back");
    }

    #[test]
    fn a_section_that_was_made_and_is_not_there_is_undone() {
        let made = [job("1", &[("A", None, Some("a1"))])];
        assert_eq!(ids(&made, None), ["1"]);
        let deleted = [job("1", &[("A", Some("a0"), None)])];
        assert_eq!(ids(&deleted, Some("a0")), ["1"]);
        assert!(ids(&deleted, None).is_empty());
    }

    #[test]
    fn an_earlier_text_is_one_whoever_wrote_in_between() {
        let jobs = [
            job("1", &[("A", Some("a0"), Some("a1"))]),
            // A person changed it to p before this one.
            job("2", &[("A", Some("p"), Some("a2"))]),
            // And somebody removed the document before this one.
            job("3", &[("A", None, Some("a3"))]),
        ];
        assert_eq!(ids(&jobs, Some("a0")), ["1", "2", "3"]);
        assert_eq!(ids(&jobs, Some("a1")), ["2", "3"]);
        assert_eq!(ids(&jobs, Some("p")), ["2", "3"]);
        assert_eq!(ids(&jobs, Some("a2")), ["3"]);
        assert!(ids(&jobs, Some("a3")).is_empty());
        assert!(ids(&jobs, Some("q")).is_empty(), "nobody knows what they meant");
    }

    #[test]
    fn what_came_since_in_a_section_they_changed_is_told_where_another_one_says_when() {
        let jobs = [
            job("1", &[("A", Some("a0"), Some("a1")), ("B", Some("b0"), Some("b1"))]),
            job("2", &[("A", Some("a1"), Some("a2"))]),
            job("3", &[("B", Some("b1"), Some("b2"))]),
        ];
        let told = |a: &str, b: &str| {
            let hash = |heading: &[String]| if heading == ["A"] { a } else { b }.to_owned();
            let found = found(&jobs, &|heading, _| Some([Some(hash(heading)), None]));
            let ids = |of: &dyn Fn(&Undone) -> bool| {
                found.iter().filter(|u| of(u)).map(|u| u.id.clone()).collect::<Vec<_>>()
            };
            (ids(&|u| !u.sections.is_empty()), ids(&|u| !u.perhaps.is_empty()))
        };
        let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        assert_eq!(told("a1", "theirs"), (ids(&["2"]), ids(&["3"])), "job 1 was there when they loaded it");
        assert_eq!(told("a0", "theirs"), (ids(&["1", "2"]), ids(&["1", "3"])));
        assert_eq!(told("a2", "theirs"), (ids(&[]), ids(&[])), "nobody knows what they meant");
    }

    #[test]
    fn a_rollback_is_not_undone() {
        let back = ChangedBy { rollback_to: Some(0), ..job("2", &[("A", Some("a1"), Some("a0"))]) };
        let jobs = [job("1", &[("A", Some("a0"), Some("a1"))]), back];
        assert!(ids(&jobs, Some("a0")).is_empty());
        assert_eq!(ids(&jobs, Some("a1")), ["2"], "a buffer from before it was saved over it");
    }

    /// What it went back to stays asked for, and what came since.
    #[test]
    fn what_was_before_and_behind_what_a_rollback_took_back_is_told() {
        let back = ChangedBy { rollback_to: Some(1), ..job("3", &[("N > A", Some("a2"), Some("a1"))]) };
        let jobs = [
            job("1", &[("A", Some("a0"), Some("a1"))]),
            job("2", &[("A", Some("a1"), Some("a2"))]),
            back,
            job("4", &[("A", Some("a1"), Some("a4"))]),
        ];
        assert_eq!(ids(&jobs, Some("a0")), ["1", "4"], "it has nothing of what was taken back");
        assert_eq!(ids(&jobs, Some("a1")), ["4"]);
        assert_eq!(ids(&jobs, Some("a2")), ["3", "4"]);
        assert!(ids(&jobs, Some("a4")).is_empty());
        // A rollback of the rollback.
        let again = ChangedBy { rollback_to: Some(2), ..job("5", &[("N > A", Some("a4"), Some("a2"))]) };
        let jobs: Vec<ChangedBy> = jobs.into_iter().chain([again]).collect();
        assert_eq!(ids(&jobs, Some("a0")), ["1", "2"]);
        assert_eq!(ids(&jobs, Some("a1")), ["5"], "as the first rollback left it");
        assert!(ids(&jobs, Some("a2")).is_empty());
        assert_eq!(ids(&jobs, Some("a4")), ["5"]);
    }

    #[test]
    fn what_a_rollback_did_not_put_back_is_told() {
        let back = ChangedBy { rollback_to: Some(1), ..job("3", &[("N > B", Some("b1"), Some("b0"))]) };
        let jobs =
            [job("1", &[("A", Some("a0"), Some("a1"))]), job("2", &[("B", Some("b0"), Some("b1"))]), back];
        let told = |a: &str, b: &str| -> Vec<String> {
            let now = |heading: &[String], _: u8| {
                let text = if heading.last().is_some_and(|last| last.ends_with('A')) { a } else { b };
                Some([Some(text.to_owned()), Some(text.to_owned())])
            };
            found(&jobs, &now).into_iter().map(|undone| undone.id).collect()
        };
        assert_eq!(told("a0", "b0"), ["1"]);
        assert_eq!(told("a1", "b1"), ["3"]);
        assert!(told("a1", "b0").is_empty());
    }

    /// A section that was read before the second job says of a buffer that it may have been loaded before the first.
    #[test]
    fn what_came_before_the_job_that_shows_it_may_be_lost_as_well() {
        let jobs = [job("1", &[("A", Some("a0"), Some("a1"))]), job("2", &[("B", Some("b0"), Some("b1"))])];
        let now = |heading: &[String], _: u8| {
            let text = if heading == ["A"] { "theirs" } else { "b0" };
            Some([Some(text.to_owned()), Some(text.to_owned())])
        };
        let told: Vec<String> = found(&jobs, &now).into_iter().map(|undone| undone.id).collect();
        assert_eq!(told, ["1", "2"]);
    }

    #[test]
    fn a_section_that_was_made_and_renamed_is_lost_with_both_names() {
        let mut jobs = [job("1", &[("A", None, Some("a1"))]), job("2", &[("A", Some("a1"), None)])];
        jobs[1].changes[0].kind = ChangeKind::Renamed;
        jobs[1].changes[0].renamed = Some(Box::new(markdown_merge::RenamedHeading {
            to: "B".to_owned(),
            links: Vec::new(),
            hash: Some("b1".to_owned()),
        }));
        let told = |a: Option<&str>, b: Option<&str>| -> Vec<String> {
            let now = |heading: &[String], _: u8| {
                let text = if heading == ["A"] { a } else { b };
                Some([text.map(str::to_owned), text.map(str::to_owned)])
            };
            found(&jobs, &now).into_iter().map(|undone| undone.id).collect()
        };
        assert!(told(None, Some("b1")).is_empty(), "as they left it");
        assert!(told(None, Some("theirs")).is_empty());
        assert_eq!(told(None, None), ["1", "2"]);
        assert_eq!(told(Some("a1"), None), ["2"]);
    }

    #[test]
    fn a_section_named_in_two_ways_is_one() {
        let mut jobs =
            [job("1", &[("A", Some("a0"), Some("a1"))]), job("2", &[("T > A", Some("a1"), Some("a0"))])];
        assert!(ids(&jobs, Some("a0")).is_empty(), "the second job put it back");
        jobs[1].changes[0].after = Some("a2".to_owned());
        assert_eq!(ids(&jobs, Some("a0")), ["1", "2"]);
    }
}
