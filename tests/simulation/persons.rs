//! A person saves the document before each step of a worker, in place and by renaming; nothing of theirs is lost, also
//! when the worker is then killed or the power goes.

use crate::cuts::{Through, aftermath, plainly};
use crate::promises::{Broken, Told};
use crate::scenes::{self, Scene};
use crate::world::document;
use durable::simulated::{Data, Image, Machine};
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

const WORDS: &str = "a person's words\n";

/// What was tried.
#[derive(Debug, Default, Clone, Copy)]
pub struct Count {
    pub saves: usize,
    pub crashes: usize,
    pub states: usize,
}

/// A run with one save in it: the disk after each change, and how many of them were before the save.
struct Run {
    images: Vec<Image>,
    saved_at: usize,
    told: Told,
    machine: Machine,
}

/// The scene with a person who saves before the n-th step (from 1); `None` when there are not so many.
fn run(
    scene: &Scene,
    (machine, told): &(Machine, Told),
    nth: u64,
    by_rename: bool,
    through: Through<'_>,
) -> Result<Option<Run>, Broken> {
    let (machine, mut told) = (machine.copy(), told.clone());
    machine.record();
    let (steps, saved_at) = (AtomicU64::new(0), Arc::new(AtomicUsize::new(usize::MAX)));
    let (person, at) = (machine.clone(), Arc::clone(&saved_at));
    let switching = machine.switching(Arc::new(move |_| {
        if steps.fetch_add(1, Ordering::Relaxed) + 1 == nth {
            at.store(person.recorded_so_far(), Ordering::Relaxed);
            person.save(document(), by_rename, |text| [text, WORDS.as_bytes()].concat()).unwrap();
        }
    }));
    let disk = through(switching.process());
    (scene.act)(&*disk, &mut |_| {}).map_err(|e| format!("a person saved: {e}"))?;
    drop(disk);
    let saved_at = saved_at.load(Ordering::Relaxed);
    told.saved.push(WORDS.to_owned());
    Ok((saved_at != usize::MAX).then(|| Run { images: machine.recorded(), saved_at, told, machine }))
}

/// A save before every step; with `crashing`, also a kill and a power cut after every change that follows it.
pub fn everywhere(scene: &Scene, through: Through<'_>, crashing: bool) -> Result<Count, Broken> {
    let mut count = Count::default();
    let mut seen = HashSet::new();
    let before = scenes::before(scene);
    // Where the file system cannot exchange, there is one window for a save by renaming, and it is documented.
    let in_steps = scene.name == scenes::WORK_IN_STEPS.name;
    for by_rename in [false, true].into_iter().filter(|by_rename| !(*by_rename && in_steps)) {
        for nth in 1.. {
            let Some(run) = run(scene, &before, nth, by_rename, through)? else { break };
            let say = |broken: Broken| {
                format!("{}: a person saved before step {nth} (by rename: {by_rename}): {broken}", scene.name)
            };
            count.saves += 1;
            aftermath(scene, &run.machine.copy(), &run.told, through).map_err(say)?;
            if crashing {
                crash(scene, &run, &mut seen, &mut count).map_err(say)?;
            }
        }
    }
    Ok(count)
}

fn crash(scene: &Scene, run: &Run, seen: &mut HashSet<u64>, count: &mut Count) -> Result<(), Broken> {
    for image in run.images.iter().skip(run.saved_at) {
        let machine = image.machine();
        let cuts = machine.cuts(0).cuts;
        let none = cuts.iter().find(|cut| cut.names.is_empty() && cut.data == Data::None);
        let left = none.map(|cut| machine.after(cut)).into_iter().chain([machine.copy()]);
        for left in left {
            count.crashes += 1;
            if seen.insert(left.digest()) {
                count.states += 1;
                aftermath(scene, &left, &run.told, &plainly)
                    .map_err(|broken| format!("then a crash after {}: {broken}", image.step))?;
            }
        }
    }
    Ok(())
}

#[test]
fn a_person_saves_before_every_step() {
    for scene in [scenes::WORK_AGAIN, scenes::WORK_NEW, scenes::WORK_IN_STEPS] {
        let count = everywhere(&scene, &plainly, true).unwrap_or_else(|broken| panic!("{broken}"));
        let Count { saves, crashes, states } = count;
        println!("{}: {saves} saves, {crashes} crashes after them, {states} different disks", scene.name);
    }
}
