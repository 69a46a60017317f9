//! A kill and every power cut after every change of the disk, in each scene; then the next command; then the promises.

use super::promises::{Broken, Told, every_yes_has_its_record, hold};
use super::scenes::{self, Scene};
use durable::Disk;
use durable::simulated::{Data, Image, Machine, SimulatedProcess};
use queue_layout::JobId;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Above this many combinations of unsynced names, only some of them are tried.
const SUBSETS_MAX: usize = 64;

/// How a crash is called that loses nothing but the process.
const KILLED: &str = "killed";

/// A disk between the process and the machine: none, or one with a planted bug.
pub type Through<'t> = &'t dyn Fn(SimulatedProcess) -> Arc<dyn Disk>;

pub fn plainly(process: SimulatedProcess) -> Arc<dyn Disk> {
    Arc::new(process)
}

/// What was tried.
#[derive(Debug, Default, Clone, Copy)]
pub struct Count {
    pub steps: usize,
    /// Moments whose unsynced names were too many for every combination.
    pub sampled: usize,
    pub cuts: usize,
    /// Those that differ in what the disk holds: each was recovered from.
    pub states: usize,
}

impl Count {
    pub fn plus(self, other: Count) -> Count {
        Count {
            steps: self.steps + other.steps,
            sampled: self.sampled + other.sampled,
            cuts: self.cuts + other.cuts,
            states: self.states + other.states,
        }
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Count { steps, sampled, cuts, states } = self;
        write!(f, "{steps} changes, {cuts} crashes, {states} different disks")?;
        if *sampled > 0 {
            write!(f, " ({sampled} moments with none, all, single names, pairs and all but one only)")?;
        }
        Ok(())
    }
}

/// A command's run: the disk after each change, and what had been acknowledged by then.
pub struct Take {
    pub images: Vec<Image>,
    acknowledged: Vec<(usize, JobId)>,
    pub told: Told,
}

impl Take {
    pub fn told_by(&self, image: usize) -> Told {
        let mut told = self.told.clone();
        let heard = self.acknowledged.iter().filter(|(seen, _)| *seen <= image + 1);
        told.acknowledged.extend(heard.map(|(_, id)| *id));
        told
    }
}

pub fn take(scene: &Scene, through: Through<'_>) -> Take {
    let (machine, told) = scenes::before(scene);
    let mut acknowledged = Vec::new();
    machine.record();
    let disk = through(machine.process());
    // With a planted bug it may fail: then it is cut before that.
    let _ = (scene.act)(&disk, &mut |id| acknowledged.push((machine.recorded_so_far(), id)));
    Take { images: machine.recorded(), acknowledged, told }
}

/// Every disk that a crash right after this image may leave, each once.
pub fn crashed(image: &Image, count: &mut Count) -> Vec<(String, Machine)> {
    let machine = image.machine();
    let cuts = machine.cuts(SUBSETS_MAX);
    count.sampled += usize::from(!cuts.complete);
    let mut seen = BTreeSet::new();
    let mut found = vec![(KILLED.to_owned(), machine.copy())];
    seen.insert(machine.digest());
    for cut in &cuts.cuts {
        let left = machine.after(cut);
        if seen.insert(left.digest()) {
            found.push((cut.to_string(), left));
        }
    }
    count.cuts += cuts.cuts.len() + 1;
    count.states += found.len();
    found
}

/// Crashes a scene everywhere.
pub fn everywhere(scene: &Scene, through: Through<'_>) -> Result<Count, Broken> {
    let take = take(scene, through);
    let mut count = Count { steps: take.images.len(), ..Count::default() };
    let mut last: BTreeSet<u64> = BTreeSet::new();
    for (at, image) in take.images.iter().enumerate() {
        let told = take.told_by(at);
        let states = crashed(image, &mut count);
        let digests: BTreeSet<u64> = states.iter().map(|(_, left)| left.digest()).collect();
        for (how, left) in states {
            // The same disk was left by a crash one change earlier, with no more acknowledged then.
            if at > 0
                && last.contains(&left.digest())
                && take.told_by(at - 1).acknowledged == told.acknowledged
            {
                count.states -= 1;
                continue;
            }
            let told = Told { killed_only: how == KILLED, ..told.clone() };
            aftermath(scene, &left, &told, through)
                .map_err(|broken| format!("{}: {how}, after {}: {broken}", scene.name, image.step))?;
        }
        last = digests;
    }
    Ok(count)
}

pub fn aftermath(scene: &Scene, left: &Machine, told: &Told, through: Through<'_>) -> Result<(), Broken> {
    every_yes_has_its_record(left)?;
    let disk = through(left.process());
    (scene.after)(&disk).map_err(|e| format!("the next command failed: {e}"))?;
    hold(left, told)
}

/// The recovery of every kill of a scene is itself killed, or loses power, after every change.
fn nested(scene: &Scene) -> Result<Count, Broken> {
    let take = take(scene, &plainly);
    let (mut count, mut seen) = (Count::default(), BTreeSet::new());
    for (at, image) in take.images.iter().enumerate() {
        let left = image.machine();
        left.record();
        super::world::work(&left.process().shared(), scenes::LATER, false)
            .map_err(|e| format!("{}: killed after {}: {e}", scene.name, image.step))?;
        let again = left.recorded();
        count.steps += again.len();
        for second in &again {
            let machine = second.machine();
            let cuts = machine.cuts(0).cuts;
            let ends = [cuts.first(), cuts.iter().rfind(|cut| cut.data == Data::All)].into_iter().flatten();
            let ends = ends.map(|cut| (machine.after(cut), false));
            let ends = std::iter::once((machine.copy(), true)).chain(ends);
            for (left, killed_only) in ends {
                count.cuts += 1;
                if seen.insert((left.digest(), take.told_by(at).acknowledged)) {
                    count.states += 1;
                    let told = Told { killed_only, ..take.told_by(at) };
                    aftermath(scene, &left, &told, &plainly).map_err(|broken| {
                        format!("{}: killed after {}, then {}: {broken}", scene.name, image.step, second.step)
                    })?;
                }
            }
        }
    }
    Ok(count)
}

#[test]
fn every_recovery_is_cut_too() {
    let mut total = Count::default();
    for scene in scenes::ALL {
        let count = nested(&scene).unwrap_or_else(|broken| panic!("{broken}"));
        println!("{}: recoveries: {count}", scene.name);
        total = total.plus(count);
    }
    println!("recoveries together: {total}");
}

#[test]
fn every_scene_everywhere() {
    let mut total = Count::default();
    let mut broken = Vec::new();
    for scene in scenes::ALL {
        match everywhere(&scene, &plainly) {
            Ok(count) => {
                println!("{}: {count}", scene.name);
                total = total.plus(count);
            }
            Err(e) => broken.push(e),
        }
    }
    println!("together: {total}");
    assert!(broken.is_empty(), "{}", broken.join("\n\n"));
}
