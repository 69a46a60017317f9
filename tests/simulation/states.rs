//! Which places one job may be found in at the same time: every crash of every scene leaves it in a combination that
//! LAYOUT.md names, so that somebody who finds one there reads what it means.

use super::cuts::{Count, crashed, plainly, take};
use super::scenes;
use super::world::{HOME, layout, work};
use durable::simulated::Machine;
use queue_layout::{Queue, Settlement, State};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const LAYOUT: &str = include_str!("../../queue-layout/LAYOUT.md");

/// Places by the words that the table has for them.
type Places = BTreeSet<String>;

/// The combinations in the table "Where a job can be".
fn table() -> BTreeSet<Places> {
    let section = LAYOUT.split("\n## Where a job can be\n").nth(1).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next());
    rows.filter(|cell| !cell.starts_with("found in") && !cell.starts_with('-'))
        .map(|cell| cell.split(" + ").map(|word| word.trim_matches('`').to_owned()).collect())
        .collect()
}

/// Where each job is. Of a session's entries the names say it.
fn found(machine: &Machine) -> BTreeMap<String, Places> {
    let mut found: BTreeMap<String, Places> = BTreeMap::new();
    let queue = Queue::new(machine.process().shared(), layout());
    for state in State::ALL {
        for listed in queue.list(state).unwrap().jobs {
            found.entry(listed.id.to_string()).or_default().insert(state.as_str().to_owned());
        }
    }
    for path in machine.files().into_keys().filter(|path| path.starts_with(Path::new(HOME).join("sessions")))
    {
        let name = path.file_name().unwrap().to_string_lossy();
        if let Some((id, _)) = name.split_once('~') {
            found.entry(id.to_owned()).or_default().insert("sessions".to_owned());
        }
    }
    found
}

/// A worker puts a job off, and the next one takes it when it is due.
const PUT_OFF: scenes::Scene = scenes::Scene {
    name: "a job is put off and taken when it is due",
    act: |disk, _| {
        let queue = Queue::new(disk.clone(), layout());
        let claimant = queue.claimant()?;
        for listed in queue.list(State::Pending)?.jobs {
            let Some(claimed) = claimant.claim(&listed)? else { continue };
            let job = Box::new(claimant.read(&claimed)?);
            claimant.settle(vec![(claimed, Settlement::Deferred(job, scenes::NOW))], scenes::NOW, false)?;
        }
        claimant.end()?;
        work(disk, scenes::LATER, false).map(drop)
    },
    ..scenes::WORK
};

#[test]
fn every_crash_leaves_a_combination_that_the_layout_names() {
    let known = table();
    let (mut count, mut seen) = (Count::default(), BTreeMap::<Places, String>::new());
    for scene in scenes::ALL.into_iter().chain([PUT_OFF]) {
        for image in &take(&scene, &plainly).images {
            for (how, left) in crashed(image, &mut count) {
                for places in found(&left).into_values() {
                    seen.entry(places)
                        .or_insert_with(|| format!("{}: {how}, after {}", scene.name, image.step));
                }
            }
        }
    }
    let unknown: Vec<_> = seen.iter().filter(|(places, _)| !known.contains(*places)).collect();
    assert!(unknown.is_empty(), "not in LAYOUT.md: {unknown:#?}");
    let never: Vec<_> = known.iter().filter(|places| !seen.contains_key(*places)).collect();
    assert!(never.is_empty(), "in LAYOUT.md, and no crash leaves it: {never:#?}");
}
