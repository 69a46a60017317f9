//! Every operation failing, once and for good, in each scene and in the recovery from a crash; then the fault is gone, or
//! the power goes first; then the next command; then the promises.

use super::cuts::{Through, aftermath, plainly};
use super::promises::{Broken, Told};
use super::scenes::{self, LATER, Scene};
use super::world::{Failed, document, work};
use durable::Disk;
use durable::DiskAction;
use durable::simulated::{Data, InjectedFailure, Machine, Step};
use queue_layout::JobId;
use std::collections::HashSet;
use std::sync::Arc;

const EIO: i32 = 5;
const EACCES: i32 = 13;
const EMFILE: i32 = 24;
const ENOSPC: i32 = 28;

/// What was tried.
#[derive(Debug, Default, Clone, Copy)]
pub struct Count {
    pub operations: usize,
    pub faults: usize,
    pub refused: usize,
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Count { operations, faults, refused } = self;
        write!(f, "{operations} operations, {faults} faults, {refused} of them ended the command")
    }
}

/// The faults an operation can have: the first is what a failing disk says, the second what a full one does, and so on.
fn faults(at: u64, step: &Step) -> Vec<InjectedFailure> {
    let kinds: &[i32] = match step.action {
        DiskAction::Write | DiskAction::MakeDir | DiskAction::Move => &[EIO, ENOSPC, EACCES],
        DiskAction::SyncFile | DiskAction::SyncDir => &[EIO],
        _ => &[EIO, EMFILE, EACCES],
    };
    let for_good =
        kinds[..kinds.len().min(2)].iter().map(|errno| InjectedFailure { at, errno: *errno, for_good: true });
    kinds.iter().map(|errno| InjectedFailure { at, errno: *errno, for_good: false }).chain(for_good).collect()
}

/// The disks that were looked into already, with what had been promised.
type Seen = HashSet<(u64, Vec<JobId>, usize)>;

/// One scene with each of its operations failing.
pub fn everywhere(scene: &Scene, through: Through<'_>) -> Result<Count, Broken> {
    let (machine, told) = scenes::before(scene);
    // A dropped file has no place to wait in until its document may be looked at: it is set aside with the reason, and that
    // is all right.
    let left = [scenes::DROPPED.name, scenes::INBOX.name].contains(&scene.name);
    let set_aside =
        |step: &Step, fault: &InjectedFailure| left && fault.errno == EACCES && step.path == document();
    let all = |step: &Step, at| {
        faults(at, step).into_iter().filter(|fault| !set_aside(step, fault)).collect::<Vec<_>>()
    };
    failing(scene, &machine, &told, through, &all)
}

fn failing(
    scene: &Scene,
    machine: &Machine,
    told: &Told,
    through: Through<'_>,
    faults: &dyn Fn(&Step, u64) -> Vec<InjectedFailure>,
) -> Result<Count, Broken> {
    let rehearsal = Arc::new(machine.copy().process());
    let disk: Arc<dyn Disk> = rehearsal.clone();
    (scene.act)(&disk, &mut |_| {}).map_err(|e| format!("without a fault: {e}"))?;
    let steps = rehearsal.steps();
    let mut seen = Seen::new();
    let mut count = Count { operations: steps.len(), ..Count::default() };
    for (at, step) in (1u64..).zip(&steps) {
        for fault in faults(step, at) {
            count.faults += 1;
            count.refused += usize::from(
                one(scene, &machine.copy(), told, (through, &mut seen), step, fault)
                    .map_err(|broken| format!("{}: {fault:?} of {step}: {broken}", scene.name))?,
            );
        }
    }
    Ok(count)
}

/// Whether the command said that it could not.
fn one(
    scene: &Scene,
    machine: &Machine,
    told: &Told,
    (through, seen): (Through<'_>, &mut Seen),
    step: &Step,
    fault: InjectedFailure,
) -> Result<bool, Broken> {
    let mut told = told.clone();
    // A permission may come back: that costs the job an attempt. Trouble of the machine costs nobody anything.
    told.attempts = usize::from(fault.errno == EACCES);
    let disk = through(machine.process().failing(fault));
    let done = (scene.act)(&disk, &mut |id| told.acknowledged.push(id));
    drop(disk);
    if matches!(step.action, DiskAction::SyncFile | DiskAction::SyncDir) && done.is_ok() {
        return Err("success after a failed fsync".to_owned());
    }
    if let Err(e) = &done {
        clear(e)?;
    }
    let cuts = machine.cuts(0).cuts;
    let ends = [cuts.first(), cuts.iter().rfind(|cut| cut.data == Data::All)];
    let mut ends: Vec<(String, Machine)> =
        ends.into_iter().flatten().map(|cut| (format!("then {cut}"), machine.after(cut))).collect();
    ends.push(("then nothing".to_owned(), machine.copy()));
    for (then, left) in ends {
        if seen.insert((left.digest(), told.acknowledged.clone(), told.attempts)) {
            aftermath(scene, &left, &told, through).map_err(|broken| format!("{then}: {broken}"))?;
        }
    }
    Ok(done.is_err())
}

/// An error says what failed on which file and why, and what to do.
fn clear(e: &Failed) -> Result<(), Broken> {
    let said = e.to_string();
    // What fails may be the root, which is looked at as the first of a path's directories.
    let named = (said.contains("/home") || said.contains("cannot look at /:")) && said.contains("os error");
    let advised = e.hint().is_some_and(|hint| !hint.is_empty());
    if named && advised { Ok(()) } else { Err(format!("not clear: `{said}`, hint {:?}", e.hint())) }
}

#[test]
fn every_operation_fails() {
    let mut broken = Vec::new();
    for scene in scenes::ALL {
        match everywhere(&scene, &plainly) {
            Ok(count) => println!("{}: {count}", scene.name),
            Err(e) => broken.push(e),
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n\n"));
}

/// The recovery from a crash: a run on what the crash left.
fn recovery(scene: &Scene) -> Scene {
    Scene { act: |disk, _| work(disk, LATER, false).map(|_| ()), ..*scene }
}

#[test]
fn every_operation_of_a_recovery_fails() {
    let mut total = Count::default();
    for scene in [scenes::WORK_AGAIN, scenes::WORK_NEW, scenes::WORK_IN_STEPS] {
        let take = super::cuts::take(&scene, &plainly);
        let once = |_: &Step, at| vec![InjectedFailure { at, errno: EIO, for_good: false }];
        for (at, image) in take.images.iter().enumerate() {
            let left = image.machine();
            left.sync_all();
            let count = failing(&recovery(&scene), &left, &take.told_by(at), &plainly, &once)
                .unwrap_or_else(|broken| panic!("killed after {}, then {broken}", image.step));
            total.operations += count.operations;
            total.faults += count.faults;
            total.refused += count.refused;
        }
    }
    println!("recoveries: {total}");
}
