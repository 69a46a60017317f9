//! A worker that stays reads no more of the disk for its thousandth job than for its hundredth, while a person keeps saving.

use super::world::{DOCUMENT, document, draft, drain, enqueue, layout, machine};
use declaration::{Operation, Timestamp};
use documents::Documents;
use durable::Disk;
use queue_layout::{Queue, State};
use std::sync::Arc;

/// Bytes of files that each of so many rounds reads: a person saves, a job is merged.
fn read_by_round(rounds: u64) -> Vec<u64> {
    let machine = machine();
    let process = Arc::new(machine.process());
    let disk: Arc<dyn Disk> = process.clone();
    let (layout, queue) = (layout(), Queue::new(disk.clone(), layout()));
    let documents = Documents::new(disk.clone(), layout.history(), layout.locks());
    let mut read = Vec::new();
    for round in 0..rounds {
        let now = Timestamp(super::world::START.millis() + round * 1000);
        machine.set_clock(now.millis());
        let said = format!("- round {round:06}");
        enqueue(&disk, vec![draft("notes", "Log", Operation::Update, Some(&said))], now, &mut |_| {})
            .unwrap();
        // By rename, as most editors save.
        let saved = |text: &[u8]| {
            let text = String::from_utf8_lossy(text).into_owned();
            let (before, _) = text.split_once("\n## Other\n").unwrap();
            format!("{before}\n## Other\n\nsaved {round:06}\n").into_bytes()
        };
        machine.save(document(), true, saved).unwrap();
        let before = process.bytes_read();
        assert_eq!(drain(&disk, &queue, &documents, now).unwrap().applied, 1);
        read.push(process.bytes_read() - before);
    }
    assert!(queue.list(State::Review).unwrap().jobs.is_empty(), "the person undid nothing in {DOCUMENT}");
    read
}

#[test]
fn a_job_costs_the_same_however_many_came_before() {
    let read = read_by_round(900);
    // Once the fifty texts are there that this worker keeps of each document.
    let most = |rounds: std::ops::Range<usize>| read[rounds].iter().max().copied().unwrap_or_default();
    let (early, late) = (most(100..200), most(800..900));
    assert!(late <= early + early / 50, "bytes read for one job: {early} at first, {late} at last");
}
