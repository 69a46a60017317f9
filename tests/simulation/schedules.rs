//! Several processes at once, in thousands of orders: shuttle switches between them before any operation of the disk. All
//! of them end, and the promises hold.

use super::planted::{Bug, Planted};
use super::promises::{Broken, Told, hold};
use super::scenes::{LATER, NOW};
use super::world::{self, document, enqueue, keyed, note, resolve, work};
use durable::Disk;
use durable::simulated::{Machine, Pause};
use operator::Action;
use queue_layout::{Enqueued, JobId, Queue, Session, State};
use shuttle::rand::Rng;
use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::sync::atomic::{AtomicBool, Ordering};
use shuttle::thread;
use std::ffi::OsStr;
use std::sync::{Arc, Mutex};

/// Schedules of each play.
const SCHEDULES: usize = 350;

/// What one process does.
#[derive(Debug, Clone, Copy)]
pub enum Part {
    /// `work --join`.
    Joins,
    /// `work`, which ends at once when another one runs.
    Works,
    /// `work --join`, killed before some step.
    Dies,
    /// Two jobs, one after the other.
    Declares(&'static str, &'static str),
    /// Five jobs in one call, in a file each.
    DeclaresApart,
    /// A session plans two entries, one after the other.
    Plans(&'static str, &'static str),
    /// The session's buffer becomes jobs.
    Flushes,
    /// One job, with the same key as others.
    DeclaresKeyed,
    /// A person saves the document.
    Saves,
    /// An operator retries what failed.
    Retries,
}

/// Who is there at the same time.
#[derive(Debug, Clone, Copy)]
pub struct Play {
    name: &'static str,
    prepare: fn(&Machine) -> Told,
    parts: &'static [Part],
}

fn two_notes(machine: &Machine) -> Told {
    let mut told = Told::default();
    let drafts = vec![note("- one"), note("- two")];
    enqueue(&machine.process().shared(), drafts, world::START, &mut |e| told.acknowledged.push(e.id))
        .unwrap();
    told
}

pub const WORKERS: Play = Play {
    name: "two workers and a producer",
    prepare: two_notes,
    parts: &[Part::Joins, Part::Joins, Part::Declares("- three", "- four")],
};

pub const SAME_KEY: Play = Play {
    name: "a hook that fires twice at once, and a worker",
    prepare: |_| Told { lines: vec!["- keyed".to_owned()], ..Told::default() },
    parts: &[Part::DeclaresKeyed, Part::DeclaresKeyed, Part::Joins],
};

pub const ORDER: Play = Play {
    name: "a worker and a producer",
    prepare: |_| Told::default(),
    parts: &[Part::Joins, Part::Declares("- three", "- four")],
};

pub const ORDER_OF_A_CALL: Play = Play {
    name: "a worker, and a producer of five files at once",
    prepare: |_| Told::default(),
    parts: &[Part::Joins, Part::DeclaresApart],
};

pub const ORDER_OF_A_SESSION: Play = Play {
    name: "a worker, and a session that is flushed",
    prepare: |machine| {
        let (disk, mut told) = (machine.process().shared(), Told::default());
        plan(&disk, &["- one", "- two"], &mut |id| told.acknowledged.push(id)).unwrap();
        told
    },
    parts: &[Part::Joins, Part::Flushes],
};

const PLAYS: [Play; 10] = [
    WORKERS,
    SAME_KEY,
    ORDER,
    ORDER_OF_A_CALL,
    ORDER_OF_A_SESSION,
    Play {
        name: "a session that plans while it is flushed, and a worker",
        prepare: |_| Told::default(),
        parts: &[Part::Plans("- three", "- four"), Part::Flushes, Part::Joins],
    },
    Play {
        name: "a worker that dies beside one that lives, and a producer",
        prepare: two_notes,
        parts: &[Part::Dies, Part::Joins, Part::Declares("- three", "- four")],
    },
    Play {
        name: "two workers and a person",
        prepare: |machine| Told { saved: vec!["a person's words\n".to_owned()], ..two_notes(machine) },
        parts: &[Part::Joins, Part::Joins, Part::Saves],
    },
    Play {
        name: "cron twice, and a producer",
        prepare: two_notes,
        parts: &[Part::Works, Part::Works, Part::Declares("- three", "- four")],
    },
    Play {
        name: "two operators and a worker",
        prepare: |machine| Told { unordered: true, ..super::scenes::two_failed(machine) },
        parts: &[Part::Retries, Part::Retries, Part::Joins],
    },
];

/// Where a scheduler may switch, and where it must.
fn pause(why: Pause) {
    match why {
        // Any operation of shuttle's is a switching point.
        Pause::Step => {
            AtomicBool::new(true).load(Ordering::SeqCst);
        }
        Pause::Wait => thread::yield_now(),
    }
}

/// Whether a listing sees what came or went while it went on: by chance.
fn glimpse(_: &OsStr) -> bool {
    shuttle::rand::thread_rng().r#gen()
}

fn session(disk: &Arc<dyn Disk>) -> Session {
    Queue::new(disk.clone(), world::layout()).sessions().of("tester", "s1")
}

fn plan(disk: &Arc<dyn Disk>, lines: &[&str], told: &mut dyn FnMut(JobId)) -> world::Done<()> {
    for line in lines {
        told(session(disk).plan(note(line), NOW, &mut world::chance)?.id);
    }
    Ok(())
}

type Heard = Arc<Mutex<Vec<JobId>>>;

fn disk(machine: &Machine, bug: Option<Bug>) -> Arc<dyn Disk> {
    match bug {
        Some(bug) => Arc::new(Planted::new(machine.process(), bug)),
        None => machine.process().shared(),
    }
}

fn play_part(part: Part, machine: &Machine, bug: Option<Bug>, heard: &Heard) -> world::Done<()> {
    let disk = disk(machine, bug);
    let mut hear = |e: &Enqueued| heard.lock().unwrap().push(e.id);
    match part {
        Part::Joins => work(&disk, NOW, true).map(|_| ()),
        Part::Works => work(&disk, NOW, false).map(|_| ()),
        Part::Dies => {
            let last = shuttle::rand::thread_rng().gen_range(1..120);
            // It may end before it dies.
            let _ = work(&machine.process().dying_before(last).shared(), NOW, true);
            Ok(())
        }
        Part::Declares(first, second) => {
            enqueue(&disk, vec![note(first)], NOW, &mut hear)?;
            enqueue(&disk, vec![note(second)], NOW, &mut hear)
        }
        Part::DeclaresApart => {
            let drafts = ["- 1", "- 2", "- 3", "- 4", "- 5"].map(|line| world::of_session(note(line), line));
            enqueue(&disk, drafts.to_vec(), NOW, &mut hear)
        }
        Part::Plans(first, second) => plan(&disk, &[first, second], &mut |id| heard.lock().unwrap().push(id)),
        Part::Flushes => Ok(session(&disk).flush().map(drop)?),
        Part::DeclaresKeyed => enqueue(&disk, vec![keyed("- keyed", "k")], NOW, &mut hear),
        Part::Saves => {
            machine.save(document(), true, |text| [text, b"a person's words\n"].concat()).unwrap();
            Ok(())
        }
        Part::Retries => resolve(&disk, State::Failed, &Action::Retry, NOW).map(|_| ()),
    }
}

/// One schedule: which one, shuttle decides.
fn once(play: &Play, before: &(Machine, Told), bug: Option<Bug>) -> Result<(), Broken> {
    let machine = before.0.copy();
    let heard = Heard::default();
    let switching = machine.switching(Arc::new(pause)).listing_slowly(Arc::new(glimpse));
    let start = |part: &Part| {
        let (part, machine, heard) = (*part, switching.clone(), Arc::clone(&heard));
        thread::spawn(move || play_part(part, &machine, bug, &heard))
    };
    let all: Vec<_> = play.parts.iter().map(start).collect();
    for (part, running) in play.parts.iter().zip(all) {
        let done = running.join().map_err(|_| format!("{part:?} panicked"))?;
        done.map_err(|e| format!("{part:?}: {e}"))?;
    }
    let mut told = before.1.clone();
    told.acknowledged.extend(heard.lock().unwrap().iter());
    resolve(&machine.process().shared(), State::Failed, &Action::Retry, LATER).map_err(|e| e.to_string())?;
    hold(&machine, &told)
}

/// How many schedules were tried: half of them switch anywhere, half only in a few places.
pub fn explore(play: &Play, bug: Option<Bug>, schedules: usize) -> Result<usize, Broken> {
    let switches_anywhere = RandomScheduler::new_from_seed(1, schedules / 2);
    let switches_rarely = PctScheduler::new_from_seed(1, 4, schedules - schedules / 2);
    Ok(run(play, bug, switches_anywhere)? + run(play, bug, switches_rarely)?)
}

fn run(play: &Play, bug: Option<Bug>, scheduler: impl Scheduler + 'static) -> Result<usize, Broken> {
    let before = world::machine();
    let told = (play.prepare)(&before);
    before.sync_all();
    let before = (before, told);
    let mut config = shuttle::Config::new();
    // The real worker runs on it, in a build that is not optimised.
    config.stack_size = 1 << 20;
    let found: Arc<Mutex<(usize, Option<Broken>)>> = Arc::default();
    let (of_all, play) = (Arc::clone(&found), *play);
    shuttle::Runner::new(scheduler, config).run(move || {
        if of_all.lock().unwrap().1.is_some() {
            return;
        }
        world::begin_anew();
        let broken = once(&play, &before, bug).err();
        let mut found = of_all.lock().unwrap();
        found.0 += 1;
        found.1 = broken.map(|broken| format!("{}: schedule {}: {broken}", play.name, found.0));
    });
    let (tried, broken) = found.lock().unwrap().clone();
    broken.map_or(Ok(tried), Err)
}

#[test]
fn in_every_order() {
    for play in PLAYS {
        let tried = explore(&play, None, SCHEDULES).unwrap_or_else(|broken| panic!("{broken}"));
        println!("{}: {tried} schedules", play.name);
    }
}
