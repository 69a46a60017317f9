//! Which of the jobs that wait for a person are meant, and what a decision about them would do. Nothing is changed here.

use crate::output::{LeftAlone, WouldDecide};
use crate::{Caller, Decisions, Failure, Home};
use declaration::{Advice, Code, Entry};
use operator::{Action, Filter, conflict_of};
use queue_layout::{Job, JobId, KeptBytes, Listed, LocatedJob, QueueError, StagedItem, State};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Which of the jobs that failed, or that wait for a yes.
#[derive(Debug, Clone)]
pub enum Which {
    /// All of them.
    All,
    /// These: by id, by the beginning of one, or by the name of their file in `staging/`.
    Named(Vec<String>),
    /// Those that a filter lets through.
    Filtered(Box<Filter>),
}

/// The jobs that are meant, in the order of their ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StagedJobs {
    /// Those that wait there.
    pub jobs: Vec<Listed>,
    /// How many were named and do not wait there, or not any more.
    pub elsewhere: usize,
}

/// What a change of all its texts makes of one job.
#[derive(Debug, Clone)]
pub struct ChangedJob {
    /// What is to be done with the job.
    pub action: Action,
    /// Its text as it is.
    pub before: String,
    /// Its text with the change.
    pub after: String,
    /// The lines of the document that go with it: a text that is in conflict takes the place of the one that stands there.
    pub gone: Vec<String>,
}

/// The lines of the document that a changed job in conflict does not have.
fn taken_out(job: &Job, changed: &Job) -> Vec<String> {
    let Some(conflict) = conflict_of(job).filter(|_| job.restore.is_none()) else { return Vec::new() };
    let texts = |job: &Job| -> Vec<Option<String>> {
        job.entries.iter().map(|entry| entry.content.clone()).collect()
    };
    let (said, says) = (texts(job), texts(changed));
    if said == says {
        return Vec::new();
    }
    let stays = |line: &&str| says.iter().flatten().any(|text| text.lines().any(|of| of == *line));
    let now = conflict.current.as_deref().unwrap_or_default().lines().skip(1);
    let goes = now.filter(|line| !line.trim().is_empty() && !stays(line));
    goes.map(str::to_owned).collect()
}

impl ChangedJob {
    /// The lines that change: before and after.
    pub fn lines(&self) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.before.lines().zip(self.after.lines());
        pairs.filter(|(before, after)| before != after).map(|(before, after)| (before.trim(), after.trim()))
    }
}

impl Home {
    /// All jobs in a state, in the order of their ids.
    ///
    /// # Errors
    /// A disk error.
    pub fn jobs_in(&self, state: State) -> Result<Vec<Listed>, Failure> {
        Ok(self.queue().list(state)?.jobs)
    }

    /// A job that is listed, with what can be read of it.
    ///
    /// # Errors
    /// It is not there any more; a disk error.
    pub fn load_listed(&self, listed: &Listed) -> Result<LocatedJob, Failure> {
        Ok(self.queue().load(listed)?)
    }

    /// The file of a job of which nothing but its bytes is kept: nobody could read it, or it is a person's text.
    ///
    /// # Errors
    /// A disk error.
    pub fn kept(&self, listed: &Listed) -> Result<Option<KeptBytes>, Failure> {
        Ok(self.queue().kept(listed)?)
    }

    /// The file of a staged job, byte for byte.
    ///
    /// # Errors
    /// It is not there any more, or cannot be read; a disk error.
    pub fn staged_text(&self, listed: &Listed) -> Result<Vec<u8>, Failure> {
        Ok(self.queue().staged_text(listed)?)
    }

    /// The code that a staged job waits with.
    ///
    /// # Errors
    /// It is not there any more; a disk error.
    pub fn staged_code(&self, listed: &Listed) -> Result<Code, Failure> {
        Ok(self.queue().staged_code(listed)?)
    }

    /// Which of these jobs nobody holds, and which somebody does, each in their order.
    ///
    /// # Errors
    /// A disk error.
    pub fn free_and_held<'l>(
        &self,
        jobs: &'l [Listed],
    ) -> Result<(Vec<&'l Listed>, Vec<&'l Listed>), Failure> {
        let holds = self.queue().holds()?;
        Ok(jobs.iter().partition(|listed| !holds.job(listed.id)))
    }

    /// Whether each of these jobs was declared by the session that calls.
    #[must_use]
    pub fn declared_all(&self, caller: &Caller, jobs: &[Listed]) -> bool {
        let said_it = |listed: &Listed| {
            let job = self.queue().load(listed).ok().and_then(|found| found.job);
            job.is_some_and(|job| caller.said(&job.producer))
        };
        jobs.iter().all(said_it)
    }

    /// The jobs of `staging/` that are meant; `state` is `Failed` or `Review`.
    ///
    /// # Errors
    /// A name fits no job or several, or none of those that are named waits there; a disk error.
    pub fn staged(&self, state: State, which: &Which) -> Result<StagedJobs, Failure> {
        let jobs = self.queue().list(state)?.jobs;
        match which {
            Which::All => Ok(StagedJobs { jobs, elsewhere: 0 }),
            Which::Named(names) => self.named(state, jobs, names),
            Which::Filtered(filter) => {
                let filter = Filter { state: Some(state), ..(**filter).clone() };
                let chosen: BTreeSet<JobId> = self.list(&filter)?.into_iter().map(|row| row.id).collect();
                let jobs = jobs.into_iter().filter(|listed| chosen.contains(&listed.id)).collect();
                Ok(StagedJobs { jobs, elsewhere: 0 })
            }
        }
    }

    fn named(&self, state: State, there: Vec<Listed>, names: &[String]) -> Result<StagedJobs, Failure> {
        // Thousands may come from a listing: each whole id is found without a look at the directories.
        let there: BTreeMap<String, Listed> =
            there.into_iter().map(|listed| (listed.id.to_string(), listed)).collect();
        let (mut jobs, mut elsewhere) = (Vec::new(), Vec::new());
        for name in names {
            let id = id_of_file(name).unwrap_or(name);
            let listed = there.get(id).cloned().map_or_else(|| self.queue().find(id), Ok)?;
            if listed.state == state { jobs.push(listed) } else { elsewhere.push(listed) }
        }
        // A command that was stopped in the middle is repeated with the same jobs, of which some are decided already.
        if let Some(first) = elsewhere.first().filter(|_| jobs.is_empty()) {
            let (id, state) = (first.id.to_string(), first.state.as_str());
            return Err(QueueError::NotInStaging { id, state }.into());
        }
        jobs.sort_by_key(|listed| listed.id);
        jobs.dedup_by_key(|listed| listed.id);
        Ok(StagedJobs { jobs, elsewhere: elsewhere.len() })
    }

    /// Gives back the claims of operators that died, so that their jobs can be named again.
    ///
    /// # Errors
    /// A disk error.
    pub fn give_back_staged(&self) -> Result<(), Failure> {
        Ok(operator::give_back_staged(self.queue(), self.now())?)
    }
}

impl Decisions {
    /// What a decision about these jobs would do. `word` says it; beside a job stands why it would be left as it is, where it
    /// would. One that is held is left, too.
    ///
    /// # Errors
    /// A disk error.
    pub fn would(&self, jobs: Vec<(&Listed, Option<String>)>, word: &str) -> Result<WouldDecide, Failure> {
        let queue = self.home.queue();
        let holds = queue.holds()?;
        let mut would =
            WouldDecide { ids: Vec::new(), left: Vec::new(), would: word.to_owned(), codes: BTreeMap::new() };
        for (listed, refused) in jobs {
            let id = listed.id.to_string();
            let release = || format!("held; {}", self.home.host.say(&Advice::Release(id.clone())));
            let held = holds.job(listed.id).then(release);
            match held.or(refused) {
                None => {
                    let is_staged = matches!(listed.state, State::Failed | State::Review);
                    if !is_staged {
                        would.ids.push(id);
                        continue;
                    }
                    *would.codes.entry(queue.staged_code(listed)?.to_string()).or_default() += 1;
                    would.ids.push(id);
                }
                why => would.left.push(LeftAlone { id, why }),
            }
        }
        Ok(would)
    }

    /// A job with a change in everything that its entries say: headings, content, `old_text`. What the pipeline wrote stays.
    /// Of a file that is no job all of the text is changed. `None` where it comes out as it was.
    ///
    /// # Errors
    /// What is wrong with the changed job; it is not there any more; a disk error.
    pub fn with_texts_changed(
        &self,
        listed: &Listed,
        change: &dyn Fn(&str) -> String,
    ) -> Result<Option<ChangedJob>, Failure> {
        let mut gone = Vec::new();
        let (before, after) = match self.home.queue().read_staged(listed)? {
            StagedItem::Job(job) => {
                let mut changed = (*job).clone();
                changed.entries.iter_mut().for_each(|entry| in_entry(entry, change));
                gone = taken_out(&job, &changed);
                let text = |job: &Job| job.to_yaml().map_err(Failure::new);
                (text(&job)?, text(&changed)?)
            }
            StagedItem::Original { .. } => {
                let text = String::from_utf8_lossy(&self.home.queue().staged_text(listed)?).into_owned();
                let changed = change(&text);
                (text, changed)
            }
        };
        if before == after {
            return Ok(None);
        }
        match self.edited(listed, after.as_bytes()) {
            Ok(action) => Ok(Some(ChangedJob { action, before, after, gone })),
            Err(problems) => Err(Failure::refused("the changed job", &problems)),
        }
    }

    /// The heading of the section that a job changes; `None` where it changes several, or is no job.
    ///
    /// # Errors
    /// It is not there any more; a disk error.
    pub fn only_heading(&self, listed: &Listed) -> Result<Option<String>, Failure> {
        let Some(job) = self.home.queue().load(listed)?.job else { return Ok(None) };
        let mut headings = job.entries.iter().map(|entry| entry.key.heading.last());
        let first = headings.next().flatten();
        Ok(first.filter(|first| headings.all(|other| other == Some(first))).cloned())
    }

    /// Why this action would leave a job as it is, as far as that can be told before it is done.
    #[must_use]
    pub fn why_not(&self, listed: &Listed, action: &Action) -> Option<String> {
        match action {
            Action::Retry => self.revalidated(listed).err().map(|failure| failure.sentence()),
            Action::Ours | Action::Theirs(_) => self.no_sides(listed),
            _ => None,
        }
    }
}

fn in_entry(entry: &mut Entry, change: &dyn Fn(&str) -> String) {
    entry.key.heading.iter_mut().for_each(|step| *step = change(step));
    for text in [&mut entry.content, &mut entry.old_text].into_iter().flatten() {
        *text = change(text);
    }
}

/// The id in the name of a file in `staging/`: it stands behind the moment it came to wait.
fn id_of_file(name: &str) -> Option<&str> {
    let stem = Path::new(name).file_name()?.to_str()?;
    stem.strip_suffix(".yaml").or_else(|| stem.strip_suffix(".original"))?.get(STAGED_AT.len()..)
}

/// How long the moment is that leads a name in `staging/`.
const STAGED_AT: &str = "20261122-140307-";
