//! What is interrupted: each scene a computer, a command on it, and what must come of it in the end.

use super::promises::Told;
use super::world::{self, DOCUMENT, START, enqueue, hopeless, keyed, note, proposal, resolve, work};
use declaration::Timestamp;
use durable::Disk;
use durable::simulated::Machine;
use operator::{Action, ApprovedWords};
use queue_layout::{JobId, State};
use std::path::Path;
use std::sync::Arc;

/// Runs on a disk; acknowledged ids go to the function handed in.
pub type Command = fn(&Arc<dyn Disk>, &mut dyn FnMut(JobId)) -> world::Done<()>;

/// A command under test.
#[derive(Clone, Copy)]
pub struct Scene {
    pub name: &'static str,
    /// What is there before; what the promises are about.
    pub prepare: fn(&Machine) -> Told,
    /// The command.
    pub act: Command,
    /// What follows an interruption before the home comes to rest.
    pub after: fn(&Arc<dyn Disk>) -> world::Done<()>,
}

pub const NOW: Timestamp = Timestamp(START.0 + 5000);
/// When the next command comes by.
pub const LATER: Timestamp = Timestamp(START.0 + 60_000);

/// Each by a call of its own, and so in a file of its own.
fn add(machine: &Machine, drafts: Vec<queue_layout::Draft>) -> Vec<JobId> {
    drafts.into_iter().flat_map(|draft| add_together(machine, vec![draft])).collect()
}

/// By one call: a bundle.
fn add_together(machine: &Machine, drafts: Vec<queue_layout::Draft>) -> Vec<JobId> {
    let mut ids = Vec::new();
    enqueue(&machine.process().shared(), drafts, START, &mut |e| ids.push(e.id)).unwrap();
    ids
}

fn nothing(_: &Arc<dyn Disk>) -> world::Done<()> {
    Ok(())
}

pub const ENQUEUE: Scene = Scene {
    name: "enqueue two in one file",
    prepare: |_| Told::default(),
    act: |disk, told| enqueue(disk, vec![note("- one"), note("- two")], NOW, &mut |e| told(e.id)),
    after: nothing,
};

pub const ENQUEUE_APART: Scene = Scene {
    name: "enqueue two in two files",
    act: |disk, told| {
        let drafts = vec![note("- one"), world::of_session(note("- two"), "another")];
        enqueue(disk, drafts, NOW, &mut |e| told(e.id))
    },
    ..ENQUEUE
};

pub const CLOCK_BACK: Scene = Scene {
    name: "enqueue, the clock steps back a day, enqueue",
    act: |disk, told| {
        enqueue(disk, vec![note("- one")], NOW, &mut |e| told(e.id))?;
        enqueue(disk, vec![note("- two")], Timestamp(NOW.0 - world::DAY_MS), &mut |e| told(e.id))
    },
    ..ENQUEUE
};

pub const ENQUEUE_KEYED: Scene = Scene {
    name: "enqueue --key, fired again",
    prepare: |_| Told { lines: vec!["- one".to_owned()], ..Told::default() },
    act: |disk, told| enqueue(disk, vec![keyed("- one", "k")], NOW, &mut |e| told(e.id)),
    after: |disk| {
        enqueue(disk, vec![keyed("- one", "k")], LATER, &mut |_| {})?;
        work(disk, LATER, false)?;
        enqueue(disk, vec![keyed("- one", "k")], LATER, &mut |_| {})
    },
};

pub const ENQUEUE_KEYED_AFTER_WORK: Scene = Scene {
    name: "enqueue --key, fired again after a worker came by",
    after: |disk| {
        work(disk, LATER, false)?;
        enqueue(disk, vec![keyed("- one", "k")], LATER, &mut |_| {})
    },
    ..ENQUEUE_KEYED
};

pub const ENQUEUE_TOGETHER: Scene = Scene {
    name: "three calls made durable together, one with a key that is fired again",
    prepare: |_| Told { lines: vec!["- two".to_owned()], ..Told::default() },
    act: |disk, told| {
        let calls = vec![
            vec![note("- one")],
            vec![keyed("- two", "k")],
            vec![note("- three"), world::of_session(note("- four"), "another")],
        ];
        world::enqueue_together(disk, calls, NOW, &mut |e| told(e.id))
    },
    after: |disk| {
        enqueue(disk, vec![keyed("- two", "k")], LATER, &mut |_| {})?;
        work(disk, LATER, false)?;
        enqueue(disk, vec![keyed("- two", "k")], LATER, &mut |_| {})
    },
};

fn work_once(disk: &Arc<dyn Disk>, _: &mut dyn FnMut(JobId)) -> world::Done<()> {
    work(disk, NOW, false).map(|_| ())
}

pub const WORK: Scene = Scene {
    name: "work",
    prepare: |machine| {
        let ids = add(machine, vec![note("- one"), hopeless(), note("- two")]);
        Told { acknowledged: ids, failing: 1, ..Told::default() }
    },
    act: work_once,
    after: nothing,
};

pub const WORK_AGAIN: Scene = Scene {
    name: "work on a document with a history",
    prepare: |machine| {
        let mut ids = add(machine, vec![note("- zero")]);
        work(&machine.process().shared(), START, false).unwrap();
        ids.extend(add(machine, vec![note("- one")]));
        Told { acknowledged: ids, ..Told::default() }
    },
    act: work_once,
    after: nothing,
};

pub const WORK_SAID: Scene = Scene {
    name: "work on what the document says already",
    prepare: |machine| {
        let ids = add(machine, vec![note("- old"), note("- old"), note("- old")]);
        Told { acknowledged: ids, said_already: true, ..Told::default() }
    },
    act: work_once,
    after: nothing,
};

pub const BUNDLE: Scene = Scene {
    name: "work on a bundle",
    prepare: |machine| {
        let ids = add_together(machine, vec![note("- one"), note("- two"), note("- three")]);
        Told { acknowledged: ids, ..Told::default() }
    },
    act: work_once,
    after: nothing,
};

pub const BUNDLE_PARTS: Scene = Scene {
    name: "work on a bundle of which one job fails",
    prepare: |machine| {
        let ids = add_together(machine, vec![note("- one"), hopeless(), note("- two")]);
        Told { acknowledged: ids, failing: 1, ..Told::default() }
    },
    act: work_once,
    after: nothing,
};

pub const BUNDLE_SPOILT: Scene = Scene {
    name: "work on a bundle of which one line is spoilt",
    prepare: |machine| {
        let ids = add_together(machine, vec![note("- one"), note("- lost"), note("- two")]);
        let disk = machine.process().shared();
        let pending = Path::new(world::HOME).join("pending");
        let bundle = pending.join(&disk.list(&pending).unwrap()[0]);
        let text = String::from_utf8(disk.read(&bundle, u64::MAX).unwrap()).unwrap();
        disk.remove(&bundle).unwrap();
        let spoilt = text.replace("- lost\"", "- lost").into_bytes();
        disk.write_new(&bundle, &spoilt, durable::Attributes::PRIVATE).unwrap();
        disk.sync_dir(&pending).unwrap();
        Told { acknowledged: ids, failing: 1, spoilt: true, ..Told::default() }
    },
    act: work_once,
    after: nothing,
};

pub const BUNDLE_SAID: Scene = Scene {
    name: "work on a bundle that changes nothing, and again",
    prepare: |machine| {
        let ids = add_together(machine, vec![note("- old"), note("- old")]);
        Told { acknowledged: ids, said_already: true, ..Told::default() }
    },
    act: work_once,
    after: |disk| work(disk, LATER, false).map(|_| ()),
};

pub const BUNDLE_HELD: Scene = Scene {
    name: "work on a bundle of which one job is held, and release it",
    prepare: BUNDLE.prepare,
    act: |disk, _| {
        let second = world::pending(disk)?.get(1).copied();
        second.map_or(Ok(()), |id| world::hold_job(disk, id, NOW))?;
        work(disk, NOW, false)?;
        world::release_jobs(disk, NOW)
    },
    after: |disk| world::release_jobs(disk, LATER),
};

pub const BUNDLE_PRUNED: Scene = Scene {
    name: "prune a bundle",
    prepare: |machine| {
        add_together(machine, vec![note("- zero"), note("- one")]);
        work(&machine.process().shared(), START, false).unwrap();
        Told { forgotten: ["- zero", "- one"].map(str::to_owned).to_vec(), ..Told::default() }
    },
    ..PRUNE
};

pub const WORK_NEW: Scene = Scene {
    name: "work on a document that is not there yet",
    prepare: |machine| {
        machine.process().remove(Path::new(DOCUMENT)).unwrap();
        let ids = add(machine, vec![note("- one"), note("- two")]);
        Told { acknowledged: ids, from_nothing: true, ..Told::default() }
    },
    act: work_once,
    after: nothing,
};

pub const WORK_IN_STEPS: Scene = Scene {
    name: "work where the file system cannot exchange",
    prepare: |machine| {
        machine.without_exchange();
        let ids = add(machine, vec![note("- one")]);
        Told { acknowledged: ids, ..Told::default() }
    },
    act: work_once,
    after: nothing,
};

pub const DROPPED: Scene = Scene {
    name: "work on a file moved into pending/",
    prepare: |machine| {
        world::drop_in(machine, "dropped.json", &["- one", "- two"]);
        let lines = ["- one", "- two"].map(str::to_owned).to_vec();
        Told { lines, ..Told::default() }
    },
    act: work_once,
    after: nothing,
};

pub const INBOX: Scene = Scene {
    name: "work on a file left in the home",
    prepare: |machine| {
        world::leave(machine, &Path::new(world::HOME).join("left.md.yaml"), &["- one"]);
        Told { lines: vec!["- one".to_owned()], ..Told::default() }
    },
    act: work_once,
    after: nothing,
};

pub const SESSION: Scene = Scene {
    name: "plan twice, and flush",
    prepare: |_| Told::default(),
    act: |disk, told| {
        let layout = world::layout();
        let session = queue_layout::Queue::new(disk.clone(), layout.clone()).sessions().of("tester", "s1");
        for line in ["- one", "- two"] {
            told(session.plan(note(line), NOW, &mut world::chance)?.id);
        }
        session.flush()?;
        Ok(())
    },
    // The session is gone: the next run flushes what it left.
    after: nothing,
};

/// Two jobs that failed because their document was no document, and now is one.
pub fn two_failed(machine: &Machine) -> Told {
    let (disk, document) = (machine.process().shared(), Path::new(DOCUMENT));
    let text = machine.bytes(document).unwrap();
    disk.remove(document).unwrap();
    disk.make_dir(document).unwrap();
    let ids = add(machine, vec![note("- one"), note("- two")]);
    work(&disk, START, false).unwrap();
    disk.remove_dir(document).unwrap();
    machine.save(document, false, |_| text).unwrap();
    Told { acknowledged: ids, ..Told::default() }
}

pub const RETRY: Scene = Scene {
    name: "resolve --retry",
    prepare: two_failed,
    act: |disk, _| resolve(disk, State::Failed, &Action::Retry, NOW).map(|_| ()),
    after: |disk| {
        // What a crash left claimed goes back to staging first.
        work(disk, LATER, false)?;
        resolve(disk, State::Failed, &Action::Retry, LATER).map(|_| ())
    },
};

pub const DISCARD: Scene = Scene {
    name: "resolve --discard",
    prepare: |machine| Told { discarded: 2, ..two_failed(machine) },
    act: |disk, _| resolve(disk, State::Failed, &Action::Discard, NOW).map(|_| ()),
    after: |disk| {
        work(disk, LATER, false)?;
        resolve(disk, State::Failed, &Action::Discard, LATER).map(|_| ())
    },
};

/// Two proposals that wait for a yes.
fn two_proposed(machine: &Machine) -> Told {
    let ids = add(machine, vec![proposal("- one"), proposal("- two")]);
    work(&machine.process().shared(), START, false).unwrap();
    Told { acknowledged: ids, ..Told::default() }
}

pub const APPROVE: Scene = Scene {
    name: "review --approve",
    prepare: two_proposed,
    act: |disk, _| resolve(disk, State::Review, &Action::Approve(ApprovedWords::AsProposed), NOW).map(|_| ()),
    after: |disk| {
        work(disk, LATER, false)?;
        resolve(disk, State::Review, &Action::Approve(ApprovedWords::AsProposed), LATER).map(|_| ())
    },
};

pub const APPROVE_CHANGED: Scene = Scene {
    name: "review --approve --all, one of which was edited",
    prepare: |machine| {
        let told = two_proposed(machine);
        let disk = machine.process().shared();
        let review = Path::new(world::HOME).join("staging/review");
        let edited = review.join(&disk.list(&review).unwrap()[0]);
        let text = String::from_utf8(disk.read(&edited, u64::MAX).unwrap()).unwrap();
        machine
            .save(&edited, true, |_| text.replace("- one", "- edited").replace("- two", "- edited").into())
            .unwrap();
        Told { discarded: 1, ..told }
    },
    act: |disk, _| resolve(disk, State::Review, &Action::Approve(ApprovedWords::AsProposed), NOW).map(|_| ()),
    after: |disk| {
        (APPROVE.after)(disk)?;
        resolve(disk, State::Review, &Action::Reject, LATER).map(|_| ())
    },
};

pub const REJECT: Scene = Scene {
    name: "review --reject",
    prepare: |machine| Told { discarded: 2, ..two_proposed(machine) },
    act: |disk, _| resolve(disk, State::Review, &Action::Reject, NOW).map(|_| ()),
    after: |disk| {
        work(disk, LATER, false)?;
        resolve(disk, State::Review, &Action::Reject, LATER).map(|_| ())
    },
};

pub const HOLD: Scene = Scene {
    name: "hold, and release",
    prepare: |machine| {
        let ids = add(machine, vec![note("- one"), note("- two")]);
        Told { acknowledged: ids, ..Told::default() }
    },
    act: |disk, _| {
        world::hold(disk, true, NOW)?;
        work(disk, NOW, false)?;
        world::hold(disk, false, NOW)
    },
    after: |disk| world::hold(disk, false, LATER),
};

/// Two commits, each with its version.
fn two_versions(machine: &Machine) -> Vec<JobId> {
    let mut ids = Vec::new();
    for line in ["- zero", "- one"] {
        ids.extend(add(machine, vec![note(line)]));
        work(&machine.process().shared(), START, false).unwrap();
    }
    ids
}

pub const ROLLBACK: Scene = Scene {
    name: "rollback, and work",
    prepare: |machine| {
        let acknowledged = two_versions(machine);
        Told { acknowledged, undone: vec!["- one".to_owned()], ..Told::default() }
    },
    act: |disk, told| {
        told(world::rollback(disk, NOW)?);
        work_once(disk, told)
    },
    after: |disk| {
        // Whoever was not told that it is queued looks at the document, and says it again.
        work(disk, LATER, false)?;
        let text = disk.read(Path::new(DOCUMENT), 1 << 20)?;
        if String::from_utf8_lossy(&text).contains("- one\n") {
            world::rollback(disk, LATER)?;
        }
        Ok(())
    },
};

pub const PRUNE: Scene = Scene {
    name: "prune",
    prepare: |machine| {
        two_versions(machine);
        Told { forgotten: ["- zero", "- one"].map(str::to_owned).to_vec(), ..Told::default() }
    },
    act: |disk, _| world::prune(disk, Timestamp(NOW.0 + 3 * world::DAY_MS)),
    after: |disk| world::prune(disk, Timestamp(NOW.0 + 3 * world::DAY_MS)),
};

pub const TRIM: Scene = Scene {
    name: "a log that is trimmed, and one more version",
    prepare: |machine| {
        let mut acknowledged = two_versions(machine);
        acknowledged.extend(add(machine, vec![note("- two")]));
        Told { acknowledged, trimmed: 1, ..Told::default() }
    },
    act: |disk, told| {
        world::trim(disk)?;
        work_once(disk, told)
    },
    after: nothing,
};

pub const TORN_RECEIPT: Scene = Scene {
    name: "work on a job under whose id something in done/ is no receipt",
    prepare: |machine| {
        let acknowledged = [note("- one"), note("- two")].map(|draft| add(machine, vec![draft])[0]).to_vec();
        let disk = machine.process().shared();
        let day = Path::new(world::HOME).join("done").join(START.day());
        disk.make_dir(&day).unwrap();
        disk.append(&day.join(format!("{}.json", acknowledged[0])), b"{\"job\":{\"rec").unwrap();
        Told { acknowledged, failing: 1, ..Told::default() }
    },
    act: work_once,
    after: nothing,
};

pub const ALL: [Scene; 30] = [
    TORN_RECEIPT,
    ENQUEUE,
    ENQUEUE_APART,
    ENQUEUE_TOGETHER,
    BUNDLE,
    BUNDLE_PARTS,
    BUNDLE_SAID,
    BUNDLE_HELD,
    BUNDLE_PRUNED,
    BUNDLE_SPOILT,
    CLOCK_BACK,
    INBOX,
    SESSION,
    ENQUEUE_KEYED,
    ENQUEUE_KEYED_AFTER_WORK,
    WORK,
    WORK_AGAIN,
    WORK_SAID,
    WORK_NEW,
    WORK_IN_STEPS,
    DROPPED,
    RETRY,
    DISCARD,
    APPROVE,
    APPROVE_CHANGED,
    REJECT,
    HOLD,
    ROLLBACK,
    PRUNE,
    TRIM,
];

/// The computer before the command. Lock and journal files are there already: whether their names survive is nobody's
/// concern, and would only multiply the cuts.
pub fn before(scene: &Scene) -> (Machine, Told) {
    let machine = world::machine();
    let told = (scene.prepare)(&machine);
    machine.sync_all();
    let rehearsal = machine.copy();
    let disk = rehearsal.process().shared();
    (scene.act)(&disk, &mut |_| {}).unwrap();
    let there = machine.process();
    for (path, bytes) in rehearsal.files() {
        let name = path.parent().and_then(Path::file_name).unwrap_or_default();
        if bytes.is_some() && (name == "locks" || name == "journal") && machine.bytes(&path).is_none() {
            there.append(&path, b"").unwrap();
        }
    }
    machine.sync_all();
    (machine, told)
}
