//! Which jobs a save has undone, by what the log says of them and what the document says now. The log is walked twice: once to
//! learn how each section came to be as it is, once to name the jobs. What is kept meanwhile grows with the sections, not with
//! the jobs. Pure.

use documents::{ChangedBy, SectionHashes};
use markdown_merge::{Change, ChangeKind};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// A section as a declaration names it.
pub(crate) type SectionKey = (Vec<String>, u8);

/// Gives each job since some time, oldest first; each walk gives the same.
type Walk<'w, E> = dyn Fn(&mut dyn FnMut(ChangedBy)) -> Result<(), E> + 'w;

/// Whether one of the texts that these versions displaced has a section as it is now.
pub(crate) type Kept<'k> = dyn Fn(RangeInclusive<u64>, &[String], u8) -> bool + 'k;

/// A job whose change is gone again.
#[derive(Debug, Default)]
pub(crate) struct Undone {
    pub id: String,
    /// The version that has it.
    pub version: u64,
    /// Sections whose text is the one from before the job.
    pub sections: BTreeSet<SectionKey>,
    /// Sections that a person changed in a buffer which was most likely loaded before the job.
    pub perhaps: BTreeSet<SectionKey>,
}

/// Finds the jobs whose changes a save has undone, in order. A section gives it away when its text is the one it had at an earlier
/// moment (before or after any of our changes, or in between, when somebody else wrote): the buffer was loaded at that moment,
/// and saving it removed everything that came later, whether its author knew of it or not. Once one section shows when the
/// buffer was loaded, sections which its author edited are taken to be as old. `now` tells the hashes of a section, `None` where
/// its name is no section's; `kept`, what texts that are kept say of moments at which no job of ours wrote.
pub(crate) fn undone<E>(
    walk: &Walk<'_, E>,
    now: &dyn Fn(&[String], u8) -> Option<SectionHashes>,
    kept: &Kept<'_>,
    found: &mut dyn FnMut(Undone),
) -> Result<(), E> {
    // A rollback is a person's decision: changes before it are not reported as lost, only the loss of the rollback itself.
    let (mut jobs, mut from) = (0, 0);
    // Behind so many jobs a document that had gone away, and that we had made anew, came back.
    let (mut back, mut version) = (None, 0);
    let mut sections = Tracks { now, kept, known: BTreeMap::new(), first: None, said: BTreeMap::new() };
    walk(&mut |job| {
        if job.rollback_to.is_some() {
            sections.begin_behind(&job);
            (from, back) = (jobs, None);
        } else if job.displaced.is_none() && job.version != version && sections.has_one_left_so() {
            back.get_or_insert(jobs - from);
        }
        version = job.version;
        jobs += 1;
        sections.learn(&job);
    })?;
    if back.is_none() && !sections.known.values().flatten().any(|section| section.undone_from().is_some()) {
        return Ok(());
    }
    let mut walked = 0;
    let mut passed: BTreeMap<SectionKey, usize> = BTreeMap::new();
    let mut is_loaded = false;
    walk(&mut since(from, &mut |job| {
        let mut undone = Undone { id: job.id.clone(), version: job.version, ..Undone::default() };
        for key in changed(&job).map(key) {
            let Some(Some(section)) = sections.known.get(&key) else { continue };
            let n = passed.entry(key.clone()).or_default();
            if section.undone_from().is_some_and(|from| *n >= from) {
                undone.sections.insert(key);
            } else if section.is_theirs() {
                undone.perhaps.insert(key);
            }
            *n += 1;
        }
        is_loaded |= !undone.sections.is_empty() || back.is_some_and(|back| walked >= back);
        walked += 1;
        // What a command did is not done again.
        if is_loaded && !job.is_command() && !(undone.sections.is_empty() && undone.perhaps.is_empty()) {
            found(undone);
        }
    }))
}

/// Leaves out so many jobs.
fn since(first: usize, each: &mut dyn FnMut(ChangedBy)) -> impl FnMut(ChangedBy) {
    let mut passed = 0;
    move |job| {
        if passed >= first {
            each(job);
        }
        passed += 1;
    }
}

/// What is known of each section that was changed.
struct Tracks<'n> {
    now: &'n dyn Fn(&[String], u8) -> Option<SectionHashes>,
    kept: &'n Kept<'n>,
    /// `None` for a section that is not there now.
    known: BTreeMap<SectionKey, Option<Track>>,
    /// The version of the first job; behind a rollback, the next one.
    first: Option<u64>,
    /// The hashes of texts that sections had, each with the addresses by which a job named it.
    said: BTreeMap<(u8, String), BTreeSet<Vec<String>>>,
}

/// How a section came to be as it is.
struct Track {
    /// What it says now.
    now: SectionHashes,
    changes: usize,
    /// Whether it is as the last of them left it, or a later one that names it otherwise.
    is_left_so: bool,
    /// After so many changes it had the text that it has now, the last time.
    had: Option<usize>,
    /// The first version whose displaced text was not looked at.
    unseen: u64,
}

impl Tracks<'_> {
    /// Whether a section is as our jobs left it until now.
    fn has_one_left_so(&self) -> bool {
        self.known.values().flatten().any(|section| section.is_left_so && section.is_there())
    }

    /// Only what a section says at that moment tells of buffers that were loaded then or later.
    fn begin_behind(&mut self, rollback: &ChangedBy) {
        self.first = Some(rollback.version + 1);
        self.said.clear();
        for section in self.known.values_mut().flatten() {
            section.changes = 0;
            section.had = section.is_left_so.then_some(0);
            section.unseen = rollback.version + 1;
        }
    }

    fn learn(&mut self, job: &ChangedBy) {
        let unseen = *self.first.get_or_insert(job.version);
        for change in changed(job) {
            let had = |now: &SectionHashes| {
                let named = |hash: &String| self.said.get(&(change.level, hash.clone()));
                let is_one = |other: &Vec<String>| may_be_one(other, &change.heading);
                now.iter().flatten().filter_map(named).flatten().any(is_one).then_some(0)
            };
            let track = |now| Track { had: had(&now), now, changes: 0, is_left_so: false, unseen };
            let now = || (self.now)(&change.heading, change.level).map(track);
            self.known.entry(key(change)).or_insert_with(now);
        }
        for change in changed(job) {
            for text in [&change.before, &change.after].into_iter().flatten() {
                let named = self.said.entry((change.level, text.clone())).or_default();
                named.insert(change.heading.clone());
            }
        }
        // Later jobs may name the same section by another address.
        let left =
            job.changes.iter().filter(|_| !job.is_command()).filter_map(|change| change.after.as_ref());
        for after in left {
            for section in self.known.values_mut().flatten().filter(|section| section.says(after)) {
                section.is_left_so = true;
                section.had = Some(section.changes);
            }
        }
        for change in changed(job) {
            if let Some(Some(section)) = self.known.get_mut(&key(change)) {
                // Somebody else may have written since the change before, and what they wrote into is kept.
                let versions = section.unseen..=job.version;
                section.unseen = job.version + 1;
                if section.is_there() && (self.kept)(versions, &change.heading, change.level) {
                    section.had = Some(section.changes);
                }
                if job.is_command() {
                    section.passed_by(change);
                } else {
                    section.learn(change);
                }
            }
        }
    }
}

impl Track {
    fn learn(&mut self, change: &Change) {
        self.is_left_so = self.now.contains(&change.after);
        if self.is_left_so {
            self.had = Some(self.changes + 1);
        } else if self.now.contains(&change.before) {
            self.had = Some(self.changes);
        }
        self.changes += 1;
    }

    /// A command changed it: what it left is none of ours, and what was there before is a moment at which a buffer may have been loaded.
    fn passed_by(&mut self, change: &Change) {
        if !self.is_left_so && self.now.contains(&change.before) {
            self.had = Some(self.changes);
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

fn changed(job: &ChangedBy) -> impl Iterator<Item = &Change> {
    job.changes.iter().filter(|change| change.kind != ChangeKind::Unchanged)
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
            heading: vec![(*heading).to_owned()],
            level: 2,
            before: before.map(str::to_owned),
            after: after.map(str::to_owned),
            item: None,
            renamed: None,
            piece: None,
            sections: None,
        };
        let changes = changes.iter().map(change).collect();
        ChangedBy { id: id.to_owned(), changes, displaced: Some("before".to_owned()), ..ChangedBy::default() }
    }

    /// What is undone, when each section says this now.
    fn found(jobs: &[ChangedBy], now: &dyn Fn(&[String], u8) -> Option<SectionHashes>) -> Vec<Undone> {
        let walk = |each: &mut dyn FnMut(ChangedBy)| -> Result<(), Infallible> {
            jobs.iter().cloned().for_each(each);
            Ok(())
        };
        let mut found = Vec::new();
        let Ok(()) = undone(&walk, now, &|_, _, _| false, &mut |undone| found.push(undone));
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
            let kept = |versions: RangeInclusive<u64>, heading: &[String], _: u8| {
                heading == ["A"] && kept.iter().any(|version| versions.contains(version))
            };
            let mut found = Vec::new();
            let Ok(()) = undone(&walk, &now, &kept, &mut |undone| found.push(undone.id));
            found
        };
        assert_eq!(told(jobs([1, 3, 4]), &[1]), ["2", "3"]);
        assert_eq!(told(jobs([1, 3, 4]), &[3]), ["2", "3"]);
        assert_eq!(told(jobs([1, 3, 4]), &[4]), ["3"], "it was so again between the two");
        assert!(told(jobs([1, 3, 4]), &[0, 5]).is_empty());
        assert!(told(jobs([1, 3, 4]), &[]).is_empty());
        let mut back = jobs([1, 3, 4]);
        back[0].rollback_to = Some(0);
        assert!(told(back, &[1]).is_empty(), "before a rollback nothing is asked for");
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

    #[test]
    fn a_section_named_in_two_ways_is_one() {
        let mut jobs =
            [job("1", &[("A", Some("a0"), Some("a1"))]), job("2", &[("T > A", Some("a1"), Some("a0"))])];
        assert!(ids(&jobs, Some("a0")).is_empty(), "the second job put it back");
        jobs[1].changes[0].after = Some("a2".to_owned());
        assert_eq!(ids(&jobs, Some("a0")), ["1", "2"]);
    }
}
