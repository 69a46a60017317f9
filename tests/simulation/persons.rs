//! A person saves the document before each step of a worker, in place and by renaming; nothing of theirs is lost, also
//! when the worker is then killed or the power goes.

use super::cuts::{Through, aftermath, plainly};
use super::promises::{Broken, Told};
use super::scenes::{self, LATER, Scene};
use super::world::{self, START, document};
use durable::simulated::{Data, Image, Machine};
use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

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
    (scene.act)(&disk, &mut |_| {}).map_err(|e| format!("a person saved: {e}"))?;
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

/// A run with a save before a step: all that editors may have loaded before the steps that follow. None where the run had
/// not so many steps.
fn loads(machine: &Machine, saved_before: u64, by_rename: bool) -> Vec<Vec<u8>> {
    let buffers = Arc::new(Mutex::new(Vec::new()));
    let (person, editors) = (machine.clone(), Arc::clone(&buffers));
    let switching = before_steps(machine, move |step| {
        if step == saved_before {
            person.save(document(), by_rename, |text| [text, WORDS.as_bytes()].concat()).unwrap();
        }
        if step > saved_before {
            let (text, mut known) = (person.bytes(document()).unwrap(), editors.lock().unwrap());
            if !known.contains(&text) {
                known.push(text);
            }
        }
    });
    (scenes::WORK_AGAIN.act)(&switching.process().shared(), &mut |_| {}).unwrap();
    std::mem::take(&mut *buffers.lock().unwrap())
}

/// The machine with somebody who does something before each step (from 1).
fn before_steps(machine: &Machine, go: impl Fn(u64) + Send + Sync + 'static) -> Machine {
    let steps = AtomicU64::new(0);
    machine.switching(Arc::new(move |_| go(steps.fetch_add(1, Ordering::Relaxed) + 1)))
}

/// Somebody saves a buffer with a word more before a step of the next commit (0: before it begins). The disk after each change
/// from then on, and at the end; none when the commit had not so many steps.
fn saved_late(machine: &Machine, buffer: &[u8], nth: u64) -> Vec<Machine> {
    let text = [buffer, b"and another word\n"].concat();
    let save = |person: &Machine| person.save(document(), true, |_| text.clone()).unwrap();
    if nth == 0 {
        save(machine);
        return vec![machine.clone()];
    }
    world::enqueue(&machine.process().shared(), vec![world::note("- next")], LATER, &mut |_| {}).unwrap();
    machine.record();
    let (person, at) = (machine.clone(), Arc::new(AtomicUsize::new(usize::MAX)));
    let (saved_at, text) = (Arc::clone(&at), text.clone());
    let switching = before_steps(machine, move |step| {
        if step == nth {
            saved_at.store(person.recorded_so_far(), Ordering::Relaxed);
            person.save(document(), true, |_| text.clone()).unwrap();
        }
    });
    world::work(&switching.process().shared(), LATER, false).unwrap();
    let saved_at = at.load(Ordering::Relaxed);
    let killed = machine.recorded().into_iter().skip(saved_at).map(|image| image.machine());
    let ended = (saved_at != usize::MAX).then(|| machine.clone());
    killed.chain(ended).collect()
}

/// That the words are in the document when all has come to rest, or are put before somebody.
fn kept(machine: &Machine, words: &[&str], when: &str) {
    world::work(&machine.process().shared(), LATER, false).unwrap();
    let staging = Path::new(world::HOME).join("staging");
    let told_of = |path: &Path| path == document() || path.starts_with(&staging);
    let files = machine.files();
    let texts = files.iter().filter(|(path, _)| told_of(path)).filter_map(|(_, bytes)| bytes.as_ref());
    let texts: Vec<_> = texts.map(|bytes| String::from_utf8_lossy(bytes)).collect();
    for words in words {
        let text = machine.bytes(document()).unwrap_or_default();
        let found = texts.iter().any(|text| text.contains(words));
        assert!(found, "{words:?} is nowhere, {when}: {:?}", String::from_utf8_lossy(&text));
    }
}

/// Between the two exchanges of a commit the document lacks what was saved in between. Whoever loads it then and saves it
/// when all is over, or while the next commit goes on, is no reason to lose that.
#[test]
fn a_buffer_loaded_in_the_middle_of_a_commit_loses_nobodys_words() {
    let (mut texts, mut saves) = (0, 0);
    let (before, _) = scenes::before(&scenes::WORK_AGAIN);
    for by_rename in [true, false] {
        for saved_before in 1.. {
            let machine = before.copy();
            let buffers = loads(&machine, saved_before, by_rename);
            if buffers.is_empty() {
                break;
            }
            for buffer in buffers.iter().filter(|text| !String::from_utf8_lossy(text).contains(WORDS)) {
                texts += 1;
                for nth in 0.. {
                    // A kill after such a save is tried below.
                    let Some(machine) = saved_late(&machine.copy(), buffer, nth).pop() else { break };
                    saves += 1;
                    let saved = format!("saved before step {saved_before} (by rename: {by_rename})");
                    kept(
                        &machine,
                        &[WORDS],
                        &format!("{saved}, then a buffer before step {nth} of the next commit"),
                    );
                }
            }
        }
    }
    println!("{texts} texts that stood without what was saved before, {saves} saves of what was loaded then");
    assert!(texts > 0, "no load came between two exchanges");
}

/// A buffer from before a commit that is saved over it, also while the next commit goes on: what it takes out is put before
/// somebody.
#[test]
fn a_stale_buffer_saved_before_any_step_of_the_next_commit_is_noticed() {
    let (machine, _) = scenes::before(&scenes::WORK_AGAIN);
    let stale = machine.bytes(document()).unwrap();
    (scenes::WORK_AGAIN.act)(&machine.process().shared(), &mut |_| {}).unwrap();
    let merged = String::from_utf8(machine.bytes(document()).unwrap()).unwrap();
    let old = String::from_utf8(stale.clone()).unwrap();
    let lines: Vec<&str> = merged.lines().filter(|line| !old.lines().any(|old| old == *line)).collect();
    assert!(!lines.is_empty(), "{merged}");
    let mut kills = 0;
    for nth in 0.. {
        let ends = saved_late(&machine.copy(), &stale, nth);
        if ends.is_empty() {
            println!("{nth} saves of a buffer from before, {kills} kills after them");
            break;
        }
        kills += ends.len() - 1;
        for (at, machine) in ends.iter().enumerate() {
            kept(
                machine,
                &lines,
                &format!("saved before step {nth} of the next commit, which made {at} changes more"),
            );
        }
    }
}

/// Somebody saves a line more before every step of a run, from one of its steps on and as long as it goes on: it ends, and every
/// line is in the document or told, also when the worker is killed after any change and the next one finds what it left.
#[test]
fn a_person_who_never_stops_saving_keeps_no_run_from_its_end() {
    const SAVES_MAX: usize = 5000;
    let (before, _) = scenes::before(&scenes::WORK_AGAIN);
    let (mut runs, mut saves, mut crashes) = (0, 0, 0);
    for (by_rename, every) in [(true, 1), (false, 1), (true, 7), (false, 7)] {
        let machine = before.copy();
        machine.record();
        let saved: Arc<Mutex<Vec<(usize, String)>>> = Arc::default();
        let (person, lines) = (machine.clone(), Arc::clone(&saved));
        let switching = before_steps(&machine, move |step| {
            let mut lines = lines.lock().unwrap();
            if step % every == 0 && lines.len() < SAVES_MAX {
                let line = format!("me {}\n", lines.len());
                lines.push((person.recorded_so_far(), line.clone()));
                person.save(document(), by_rename, |text| [text, line.as_bytes()].concat()).unwrap();
            }
        });
        world::work(&switching.process().shared(), START, false).unwrap();
        drop(switching);
        let saved = saved.lock().unwrap().clone();
        assert!(saved.len() < SAVES_MAX, "it goes on for as long as somebody saves");
        (runs, saves) = (runs + 1, saves + saved.len());
        let images = machine.recorded();
        let step = (images.len() / 60).max(1);
        let killed = images.iter().enumerate().step_by(step).map(|(at, image)| (at, image.machine()));
        for (at, left) in killed.chain([(images.len(), machine.copy())]) {
            crashes += 1;
            let lines = saved.iter().filter(|(before, _)| *before < at).map(|(_, line)| format!("\n{line}"));
            let lines: Vec<String> = lines.collect();
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            kept(
                &left,
                &lines,
                &format!("saved before every {every}. step (by rename: {by_rename}), {at} changes"),
            );
        }
    }
    println!("{runs} runs among {saves} saves, {crashes} crashes");
}
