//! Which of the jobs that wait for a person are meant, and what a decision about them would do. Nothing is changed here.

use crate::output::{LeftAlone, WouldDecide};
use crate::{Decisions, Failure, Home};
use declaration::Advice;
use operator::{Action, Filter};
use queue_layout::{JobId, Listed, QueueError, State};
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

impl Home {
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
        // Whoever was stopped in the middle names the same jobs again: some of them have been decided about.
        if let Some(first) = elsewhere.first().filter(|_| jobs.is_empty()) {
            let (id, state) = (first.id.to_string(), first.state.as_str());
            return Err(QueueError::NotInStaging { id, state }.into());
        }
        jobs.sort_by_key(|listed| listed.id);
        jobs.dedup_by_key(|listed| listed.id);
        Ok(StagedJobs { jobs, elsewhere: elsewhere.len() })
    }

    /// Gives back what operators who died had in hand, so that it can be meant again.
    ///
    /// # Errors
    /// A disk error.
    pub fn give_back_staged(&self) -> Result<(), Failure> {
        Ok(operator::give_back_staged(self.queue(), self.now())?)
    }
}

impl Decisions {
    /// What a decision about these jobs would do. `word` says it; `refused` why one of them would be left as it is, beside
    /// being held.
    ///
    /// # Errors
    /// A disk error.
    pub fn would(
        &self,
        jobs: &[Listed],
        word: &str,
        refused: &dyn Fn(&Listed) -> Option<String>,
    ) -> Result<WouldDecide, Failure> {
        let queue = self.home.queue();
        let holds = queue.holds()?;
        let mut would =
            WouldDecide { ids: Vec::new(), left: Vec::new(), would: word.to_owned(), codes: BTreeMap::new() };
        for listed in jobs {
            let id = listed.id.to_string();
            let release = || format!("held; {}", self.home.host.say(&Advice::Release(id.clone())));
            let held = holds.job(listed.id).then(release);
            match held.or_else(|| refused(listed)) {
                None => {
                    *would.codes.entry(queue.staged_code(listed)?.to_string()).or_default() += 1;
                    would.ids.push(id);
                }
                why => would.left.push(LeftAlone { id, why }),
            }
        }
        Ok(would)
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

/// The id in the name of a file in `staging/`: it stands behind the moment it came to wait.
fn id_of_file(name: &str) -> Option<&str> {
    let stem = Path::new(name).file_name()?.to_str()?;
    stem.strip_suffix(".yaml").or_else(|| stem.strip_suffix(".original"))?.get(STAGED_AT.len()..)
}

/// How long the moment is that leads a name in `staging/`.
const STAGED_AT: &str = "20261122-140307-";
