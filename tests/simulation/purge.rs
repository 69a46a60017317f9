//! A purge that is killed, or loses its power, after every change of the disk: either nothing of it was begun and everything
//! still says the text, or the next run of a worker ends it and nothing does.

use super::scenes::{LATER, NOW};
use super::world::{self, DOCUMENT, HOME, USER, enqueue, note, proposal, work};
use durable::Disk;
use durable::simulated::Machine;
use engine::{Caller, Home, Host};
use operator::Actor;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

const SECRET: &str = "the door opens with 4711 and a heron";
const ITEM: &str = "k7m2q9xa";

fn home(disk: Arc<dyn Disk>, now: declaration::Timestamp) -> Home {
    let host = Host::system().with_clock(move || now).with_random(world::chance);
    Home::on(disk, world::layout(), USER, host)
}

fn purge(disk: Arc<dyn Disk>, now: declaration::Timestamp) -> Result<bool, engine::Failure> {
    let who = Actor { name: "ann".to_owned(), channel: "terminal".to_owned(), reason: None };
    Ok(home(disk, now).purge(&Caller::program(USER), &who, ITEM, None)?.ended)
}

/// The files that say it.
fn who_says_it(machine: &Machine) -> Vec<String> {
    let says = |bytes: &[u8]| bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes());
    let files =
        machine.files().into_iter().filter(|(_, bytes)| bytes.as_deref().is_some_and(|bytes| says(bytes)));
    files.map(|(path, _)| path.display().to_string()).collect()
}

/// A document, its earlier versions, receipts, a proposal and a failed job that say it.
fn said_in_many_places() -> Machine {
    let machine = world::machine();
    let config = "version: 1\nknowledge_bases:\n  notes: { path: ~/notes.md }\nsession_bootstrap: []\n";
    machine.save(&Path::new(HOME).join("config.yaml"), true, |_| config.into()).unwrap();
    let said = format!("- {SECRET} ^{ITEM}");
    let asked = format!("- by the way: {SECRET}");
    let disk = machine.process().shared();
    for draft in [note(&said), note("- one"), proposal(&asked)] {
        enqueue(&disk, vec![draft], world::START, &mut |_| {}).unwrap();
        work(&disk, world::START, false).unwrap();
    }
    assert!(who_says_it(&machine).len() > 3, "{:?}", who_says_it(&machine));
    machine.sync_all();
    machine
}

/// What the next run of a worker makes of it: nobody says it, or a person who asks again is told, and then nobody does.
fn rest(machine: &Machine) -> Result<(), String> {
    let disk = machine.process().shared();
    let work = |now| {
        let home = home(Arc::clone(&disk), now);
        let done = home.worker(Caller::program(USER), "ann").work();
        done.map_err(|e| format!("the next run failed: {e}"))?;
        home.purging().map_err(|e| format!("what is being purged cannot be read: {e}"))
    };
    let document = || String::from_utf8(machine.bytes(Path::new(DOCUMENT)).unwrap()).unwrap();
    let purging = work(LATER)?;
    let who = who_says_it(machine);
    if purging.is_empty() && !who.is_empty() {
        if !document().contains(SECRET) {
            return Err(format!("the document forgot it and it has ended, but it is in {who:?}"));
        }
        purge(Arc::clone(&disk), LATER).map_err(|e| format!("it cannot be purged: {e}"))?;
    }
    // What a killed process left in `tmp/` goes when it is a day old.
    let purging = work(declaration::Timestamp(LATER.0 + 2 * world::DAY_MS))?;
    let (who, text) = (who_says_it(machine), document());
    if !who.is_empty() || !purging.is_empty() {
        return Err(format!("still in {who:?}, being purged: {purging:?}"));
    }
    let once = ["- old\n", "- one\n", "kept\n", "mine\n", ITEM];
    let is_whole = once.iter().all(|line| text.matches(line).count() == 1);
    if is_whole { Ok(()) } else { Err(format!("the document says {text:?}")) }
}

/// Of each moment: killed there, and so many choices of what had reached the platter when the power went.
const CUTS_MAX: usize = 8;

#[test]
fn a_purge_that_is_cut_off_was_not_begun_or_is_ended_by_the_next_run() {
    let machine = said_in_many_places();
    machine.record();
    assert!(purge(machine.process().shared(), NOW).unwrap(), "it ended");
    let images = machine.recorded();
    assert_eq!(who_says_it(&machine), Vec::<String>::new());

    let mut seen = BTreeSet::new();
    for image in &images {
        let there = image.machine();
        let cuts = there.cuts(CUTS_MAX).cuts;
        let left = cuts.iter().map(|cut| (cut.to_string(), there.after(cut)));
        let killed = std::iter::once(("killed".to_owned(), there.copy()));
        for (how, left) in killed.chain(left).filter(|(_, left)| seen.insert(left.digest())) {
            rest(&left).unwrap_or_else(|broken| panic!("{how}, after {}: {broken}", image.step));
        }
    }
    println!("item purge: {} changes, {} different disks", images.len(), seen.len());
}
