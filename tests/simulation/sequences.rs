//! Random lives of a home against a small model: hooks, workers, operators, a person, a clock that steps, kills and power
//! cuts one after another, at any step of any command and of any recovery.

use super::promises::{Told, hold_at};
use super::world::{self, DAY_MS, START, document, enqueue, hopeless, keyed, note, resolve, work};
use declaration::{Code, Timestamp};
use durable::Disk;
use durable::simulated::{InjectedFailure, Machine};
use operator::Action;
use proptest::prelude::*;
use queue_layout::{Enqueued, JobId, State};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Lives tried.
const LIVES: u32 = 300;

/// What happens next.
#[derive(Debug, Clone)]
enum Act {
    /// So many notes in one call.
    Enqueue(u8),
    /// A note with one of a few keys.
    EnqueueKeyed(u8),
    /// A job that will fail; between two notes in one call, or alone.
    EnqueueHopeless(bool),
    /// An operator holds one of the jobs that are runnable.
    Hold(prop::sample::Index),
    /// An operator releases what is held.
    Release,
    /// A worker comes by.
    Work,
    /// An operator retries, or throws away, what failed.
    Resolve(bool),
    /// A person saves the document.
    Save(bool),
    /// The clock steps, by so many milliseconds.
    Clock(i32),
}

/// How it ends.
#[derive(Debug, Clone)]
enum End {
    /// As it should.
    Well,
    /// Killed before this step.
    Killed(u64),
    /// The power goes before this step; which cut of those there are.
    Power(u64, prop::sample::Index),
    /// This step fails, once or for good.
    Fails(u64, bool),
}

fn acts() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => (1u8..4).prop_map(Act::Enqueue),
        3 => (0u8..3).prop_map(Act::EnqueueKeyed),
        1 => any::<bool>().prop_map(Act::EnqueueHopeless),
        1 => any::<prop::sample::Index>().prop_map(Act::Hold),
        1 => Just(Act::Release),
        5 => Just(Act::Work),
        2 => any::<bool>().prop_map(Act::Resolve),
        2 => any::<bool>().prop_map(Act::Save),
        2 => (-90_000i32..90_000).prop_map(|s| Act::Clock(s.saturating_mul(1000))),
    ]
}

fn ends() -> impl Strategy<Value = End> {
    let step = 1u64..110;
    prop_oneof![
        4 => Just(End::Well),
        3 => step.clone().prop_map(End::Killed),
        3 => (step.clone(), any::<prop::sample::Index>()).prop_map(|(step, cut)| End::Power(step, cut)),
        1 => (step, any::<bool>()).prop_map(|(step, for_good)| End::Fails(step, for_good)),
    ]
}

/// What the model knows of a home.
struct Life {
    machine: Machine,
    now: Timestamp,
    /// The latest time that anything was done at.
    latest: Timestamp,
    /// A power cut has forgotten the high-water mark of ids. Until there is a new one, a clock that steps back behind
    /// what was declared before the cut would reorder: the one thing about clocks that is not promised.
    unmarked: bool,
    told: Told,
    notes: u32,
    /// The job that has a key, once it was acknowledged; and how often the key was used.
    keys: BTreeMap<u8, (Option<JobId>, String)>,
    killed: bool,
}

impl Life {
    fn new() -> Life {
        world::begin_anew();
        let machine = world::machine();
        Life {
            machine,
            now: START,
            latest: START,
            unmarked: false,
            told: Told { attempts: 0, ..Told::default() },
            notes: 0,
            keys: BTreeMap::new(),
            killed: false,
        }
    }

    fn step(&mut self, act: &Act, end: &End) -> Result<(), String> {
        let process = Arc::new(match end {
            End::Well => self.machine.process(),
            End::Killed(step) | End::Power(step, _) => self.machine.process().dying_before(*step),
            End::Fails(at, for_good) => {
                self.machine.process().failing(InjectedFailure { at: *at, errno: 5, for_good: *for_good })
            }
        });
        let disk: Arc<dyn Disk> = process.clone();
        let done = self.act(act, &disk);
        drop(disk);
        let reached = process.steps().len() as u64;
        let interrupted = match end {
            End::Well => false,
            End::Killed(_) | End::Power(..) => process.is_dead(),
            End::Fails(at, _) => reached >= *at,
        };
        if !interrupted {
            done?;
        }
        drop(process);
        self.killed |= interrupted;
        // Begun under an id that others may pass before the same key finishes it.
        self.told.unordered |= interrupted && matches!(act, Act::EnqueueKeyed(_));
        match end {
            End::Power(_, cut) if interrupted => {
                let cuts = self.machine.cuts(8).cuts;
                self.machine = self.machine.after(cut.get(&cuts));
                self.unmarked = true;
                self.now = self.now.max(self.latest.plus_ms(1));
            }
            _ => self.machine = self.machine.copy(),
        }
        self.machine.set_clock(self.now.millis());
        Ok(())
    }

    fn act(&mut self, act: &Act, disk: &Arc<dyn Disk>) -> Result<(), String> {
        let now = self.now;
        self.latest = self.latest.max(now);
        let mut heard: Vec<Enqueued> = Vec::new();
        let mut hear = |e: &Enqueued| heard.push(e.clone());
        let done = match act {
            Act::Enqueue(count) => {
                let drafts = (0..*count).map(|_| note(&self.line())).collect();
                enqueue(disk, drafts, now, &mut hear).map_err(|e| e.to_string())
            }
            Act::EnqueueHopeless(among) => {
                let mut drafts = vec![hopeless()];
                if *among {
                    drafts = vec![note(&self.line()), hopeless(), note(&self.line())];
                }
                enqueue(disk, drafts, now, &mut hear).map_err(|e| e.to_string())
            }
            Act::Hold(which) => hold_one(disk, *which, now).map_err(|e| e.to_string()),
            Act::Release => world::release_jobs(disk, now).map_err(|e| e.to_string()),
            Act::EnqueueKeyed(key) => {
                let known = self.keys.get(key).map(|(_, line)| line.clone());
                let line = known.unwrap_or_else(|| self.line());
                let drafts = vec![keyed(&line, &format!("k{key}"))];
                let done = enqueue(disk, drafts, now, &mut hear).map_err(|e| e.to_string());
                self.keys.entry(*key).or_insert((None, line));
                if let Some(first) = heard.first() {
                    return self.know_key(*key, first.id).and(done);
                }
                return done;
            }
            Act::Work => work(disk, now, false).map(|_| ()).map_err(|e| e.to_string()),
            Act::Resolve(retry) => {
                let action = if *retry { Action::Retry } else { Action::Discard };
                self.told.unordered = true;
                resolve(disk, State::Failed, &action, now).map(|_| ()).map_err(|e| e.to_string())
            }
            Act::Save(by_rename) => {
                self.save(*by_rename);
                Ok(())
            }
            Act::Clock(ms) => {
                let moved = i64::try_from(now.millis()).unwrap_or(0) + i64::from(*ms);
                let earliest =
                    if self.unmarked { self.latest.plus_ms(1) } else { Timestamp(START.0 - DAY_MS) };
                self.now = Timestamp(u64::try_from(moved).unwrap_or(0)).max(earliest);
                Ok(())
            }
        };
        // Whatever the clock does: what is declared later has the higher id.
        let highest = self.told.acknowledged.iter().max();
        if let (Some(highest), Some(first)) = (highest, heard.first())
            && first.id <= *highest
        {
            return Err(format!("{} was declared after {highest}", first.id));
        }
        self.unmarked &= heard.is_empty();
        self.told.acknowledged.extend(heard.iter().map(|e| e.id));
        done
    }

    /// The same key is the same job, for ever.
    fn know_key(&mut self, key: u8, id: JobId) -> Result<(), String> {
        self.told.acknowledged.push(id);
        match self.keys.get_mut(&key) {
            Some((Some(first), _)) if *first != id => {
                Err(format!("key {key} was job {first}, now it is {id}"))
            }
            Some((known, _)) => {
                *known = Some(id);
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn save(&mut self, by_rename: bool) {
        let words = format!("words {}\n", self.told.saved.len());
        self.machine.save(document(), by_rename, |text| [text, words.as_bytes()].concat()).unwrap();
        self.told.saved.push(words);
    }

    fn line(&mut self) -> String {
        self.notes += 1;
        format!("- note {}", self.notes)
    }

    /// At rest: the promises, with what the model cannot know (which of the failed were discarded) read off.
    fn end(mut self) -> Result<(), String> {
        let last = self.now.max(self.latest).plus_ms(DAY_MS);
        self.machine.set_clock(last.millis());
        world::release_jobs(&self.machine.process().shared(), last)
            .map_err(|e| format!("the last release: {e}"))?;
        work(&self.machine.process().shared(), last, false).map_err(|e| format!("the last run: {e}"))?;
        let layout = world::layout();
        let disk = self.machine.process().shared();
        let queue = queue_layout::Queue::new(disk.clone(), layout.clone());
        let failed = queue.list(State::Failed).map_err(|e| e.to_string())?.jobs;
        for listed in &failed {
            let found = queue.load(listed).map_err(|e| e.to_string())?;
            let code = found.job.and_then(|job| job.error).map(|error| error.code);
            if !(code == Some(Code::HeadingNotFound) || code == Some(Code::Poison) && self.killed) {
                return Err(format!("{} failed with `{code:?}`", listed.id));
            }
        }
        self.told.failing = failed.len();
        let done = queue.list(State::Done).map_err(|e| e.to_string())?.jobs;
        let discarded = |id: JobId| {
            queue.receipt(id).ok().flatten().is_some_and(|r| r.outcome == queue_layout::Ending::Discarded)
        };
        self.told.discarded = done.iter().filter(|listed| discarded(listed.id)).count();
        let ids: BTreeSet<JobId> = self.told.acknowledged.iter().copied().collect();
        self.told.acknowledged = ids.into_iter().collect();
        hold_at(&self.machine, &self.told, last.plus_ms(DAY_MS))
    }
}

fn hold_one(disk: &Arc<dyn Disk>, which: prop::sample::Index, now: Timestamp) -> world::Done<()> {
    let pending = world::pending(disk)?;
    match pending.as_slice() {
        [] => Ok(()),
        jobs => world::hold_job(disk, *which.get(jobs), now),
    }
}

fn live(acts: &[(Act, End)]) -> Result<(), String> {
    let mut life = Life::new();
    for (n, (act, end)) in acts.iter().enumerate() {
        life.step(act, end).map_err(|broken| format!("act {n}: {broken}"))?;
    }
    life.end()
}

/// `PROPTEST_CASES` asks for more.
fn lives() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(LIVES)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: lives(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_life(acts in prop::collection::vec((acts(), ends()), 1..14)) {
        live(&acts).map_err(TestCaseError::fail)?;
    }
}
