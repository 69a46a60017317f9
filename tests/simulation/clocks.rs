//! The clock steps back or forward by a day while jobs are declared and merged: order is kept, nothing waits for as long
//! as the clock was wrong, nothing happens twice.

use super::promises::{Told, hold};
use super::world::{self, DAY_MS, START, document, enqueue, machine, note, work};
use declaration::Timestamp;
use durable::simulated::{InjectedFailure, Machine};
use queue_layout::{JobId, Queue, State};

const BACK: Timestamp = Timestamp(START.0 - DAY_MS);
const AHEAD: Timestamp = Timestamp(START.0 + DAY_MS);

fn declare(machine: &Machine, line: &str, now: Timestamp) -> JobId {
    let mut ids = Vec::new();
    enqueue(&machine.process().shared(), vec![note(line)], now, &mut |e| ids.push(e.id)).unwrap();
    ids[0]
}

#[test]
fn order_is_that_of_declaring_whatever_the_clock_says() {
    let clocks = [START, AHEAD, BACK, START, BACK, AHEAD];
    for work_after in 0..clocks.len() {
        let machine = machine();
        let mut told = Told::default();
        for (n, now) in clocks.into_iter().enumerate() {
            told.acknowledged.push(declare(&machine, &format!("- line {n}"), now));
            if n == work_after {
                work(&machine.process().shared(), now, false).unwrap();
            }
        }
        assert!(told.acknowledged.is_sorted(), "ids are the order of declaring");
        work(&machine.process().shared(), BACK, false).unwrap();
        hold(&machine, &told).unwrap_or_else(|broken| panic!("a run after line {work_after}: {broken}"));
    }
}

/// A job that was put off while the clock was a day ahead.
fn put_off(now: Timestamp) -> (Machine, Told) {
    // Whichever operation it takes for the document to be out of reach for a moment.
    for at in 1.. {
        let machine = machine();
        let told =
            Told { acknowledged: vec![declare(&machine, "- one", now)], attempts: 1, ..Told::default() };
        let denied = machine.process().failing(InjectedFailure { at, errno: 13, for_good: false }).shared();
        let report = work(&denied, now, false);
        if report.is_ok_and(|report| report.deferred == 1) {
            return (machine, told);
        }
        assert!(at < 200, "no operation puts a job off: the test proves nothing");
    }
    unreachable!("the loop ends with an answer")
}

#[test]
fn a_job_put_off_by_a_clock_ahead_does_not_wait_a_day() {
    let (machine, told) = put_off(AHEAD);
    let now = START;
    work(&machine.process().shared(), now, false).unwrap();
    let layout = world::layout();
    let disk = machine.process().shared();
    let done = Queue::new(disk.clone(), layout.clone()).list(State::Done).unwrap().jobs;
    assert_eq!(done.len(), 1, "it is due: no wait is that long");
    assert!(String::from_utf8(machine.bytes(document()).unwrap()).unwrap().contains("- one\n"));
    hold(&machine, &told).unwrap();
}

#[test]
fn a_job_put_off_waits_its_time_when_the_clock_is_right() {
    let (machine, told) = put_off(START);
    let report = work(&machine.process().shared(), START, false).unwrap();
    assert_eq!((report.handled(), report.next_due.is_some()), (0, true), "not due yet");
    // And a day ahead it is due, once.
    let report = work(&machine.process().shared(), AHEAD, false).unwrap();
    assert_eq!(report.applied, 1);
    hold(&machine, &told).unwrap();
}

#[test]
fn a_clock_set_back_sweeps_nothing_of_the_living() {
    let machine = machine();
    let disk = machine.process().shared();
    machine.set_clock(AHEAD.millis());
    // What an enqueue that is still at work has in `tmp/`.
    let path = std::path::Path::new(world::HOME).join("tmp/somebody.json");
    durable::Disk::append(&*disk, &path, b"half").unwrap();
    work(&machine.process().shared(), START, false).unwrap();
    assert!(machine.bytes(&path).is_some(), "it is not an hour old, whichever clock is right");
}

/// Five days off when they are declared, or when they are merged.
const FAR: u64 = 5 * DAY_MS;

#[test]
fn a_worker_that_dies_with_a_wrong_clock_leaves_one_receipt_each() {
    for (declared, merged) in [(START, Timestamp(START.0 - FAR)), (Timestamp(START.0 + FAR), START)] {
        let machine = machine();
        let mut told = Told { killed_only: true, ..Told::default() };
        told.acknowledged = (0..4).map(|n| declare(&machine, &format!("- line {n}"), declared)).collect();
        let mut deaths = 0;
        for step in 1.. {
            let machine = machine.copy();
            if work(&machine.process().dying_before(step).shared(), merged, false).is_ok() {
                break;
            }
            deaths += 1;
            work(&machine.process().shared(), START, false).unwrap();
            hold(&machine, &told).unwrap_or_else(|broken| panic!("dead before step {step}: {broken}"));
        }
        assert!(deaths > 50, "it ended after {deaths} steps: the test proves little");
    }
}
