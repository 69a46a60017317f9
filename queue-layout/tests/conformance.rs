//! What the queue's verbs promise, in terms of (state, id) only: these tests know no path and no file name.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::disallowed_methods)]

use declaration::{Code, Create, Entry, Fault, Key, Meta, Operation, Problem, Scope, Target, Timestamp};
use durable::{Disk, RealDisk};
use queue_layout::{
    Attempt, Brought, Claimant, Claimed, DocKey, DocumentRef, Draft, Ending, Enqueued, Job, JobId, Layout,
    Noted, Producer, QUIET_MS_MAX, Queue, QueueError, Receipt, Settlement, State, What,
};
use std::path::Path;
use std::sync::Arc;

/// A queue in a directory of its own, and a clock that tests move.
struct Bench {
    disk: Arc<RealDisk>,
    layout: Layout,
    _dir: tempfile::TempDir,
}

const NOW: Timestamp = Timestamp(1_790_000_000_000);

impl Bench {
    fn new() -> Bench {
        let dir = tempfile::tempdir().unwrap();
        let bench = Bench {
            // Timed by a clock that stands, so that it counts its syncs.
            disk: Arc::new(RealDisk::new().timed(|| 0)),
            layout: Layout::new(dir.path().join("home")),
            _dir: dir,
        };
        bench.layout.create(&*bench.disk).unwrap();
        bench
    }

    fn queue(&self) -> Queue {
        Queue::new(self.disk.clone(), self.layout.clone())
    }

    fn enqueue(&self, drafts: Vec<Draft>) -> Vec<Enqueued> {
        let mut enqueued = Vec::new();
        let mut seed = 0;
        let mut random = || {
            seed += 1;
            seed << 40
        };
        self.queue().producer().enqueue(drafts, NOW, &mut random, &mut |e| enqueued.push(e.clone())).unwrap();
        enqueued
    }

    fn one(&self, document: &str) -> JobId {
        self.enqueue(vec![draft(document, None)])[0].id
    }

    fn ids(&self, state: State) -> Vec<JobId> {
        self.queue().list(state).unwrap().jobs.iter().map(|listed| listed.id).collect()
    }

    fn claim(&self, claimant: &Claimant, id: JobId) -> (Claimed, Job) {
        let listed = self.queue().locate(id).unwrap().unwrap();
        let claimed = claimant.claim(&listed).unwrap().expect("nobody else is here");
        let job = claimant.read(&claimed).unwrap();
        (claimed, job)
    }

    /// Where an id is, over all states: exactly one place, always.
    #[track_caller]
    fn assert_only_in(&self, id: JobId, wanted: State) {
        for state in State::ALL {
            let found = self.ids(state).into_iter().filter(|found| *found == id).count();
            assert_eq!(found, usize::from(state == wanted), "{id} in {}", state.as_str());
        }
    }
}

fn draft(document: &str, key: Option<&str>) -> Draft {
    let path = Path::new("/documents").join(document);
    Draft {
        document: DocumentRef { kb: "notes".to_owned(), doc: DocKey::of(&path), path, project: None },
        entries: vec![Entry {
            key: Key { target: Target::Kb("notes".to_owned()), heading: vec!["Log".to_owned()], level: 2 },
            operation: Operation::Append,
            content: Some("- a line, \"quoted\", 中文\n".to_owned()),
            old_text: None,
            expect: None,
            scope: Scope::Own,
            create: Create::Section,
            base: None,
            meta: Meta::default(),
        }],
        source: "a session".to_owned(),
        producer: Producer { agent: "tester".to_owned(), ..Producer::default() },
        key: key.map(str::to_owned),
    }
}

fn error() -> Fault {
    Fault::new(Code::Ambiguous, "two headings").hint("say which")
}

fn failed(mut job: Job) -> Box<Job> {
    job.error = Some(error());
    Box::new(job)
}

fn receipt() -> Receipt {
    Receipt {
        outcome: Ending::Applied,
        at: NOW,
        channel: None,
        approval: None,
        by: "w1".to_owned(),
        reason: None,
        same_as: None,
        document_hash: Some("sha256:00".to_owned()),
        version: Some(3),
        changes: Vec::new(),
    }
}

#[test]
fn enqueue_lists_in_the_order_said() {
    let bench = Bench::new();
    let said: Vec<JobId> = (0..20).map(|_| bench.one("a.md")).collect();
    assert_eq!(bench.ids(State::Pending), said);
    let found = bench.queue().load(&bench.queue().locate(said[7]).unwrap().unwrap()).unwrap();
    let job = found.job.unwrap();
    assert_eq!((job.entries, job.source, job.producer), {
        let draft = draft("a.md", None);
        (draft.entries, draft.source, draft.producer)
    });
}

#[test]
fn drafts_of_one_call_keep_their_order_and_are_all_acknowledged() {
    let bench = Bench::new();
    let drafts =
        vec![draft("a.md", None), draft("b.md", Some("k")), draft("c.md", None), draft("d.md", None)];
    let enqueued = bench.enqueue(drafts);
    let ids: Vec<JobId> = enqueued.iter().map(|e| e.id).collect();
    assert_eq!(ids.len(), 4);
    assert_eq!(bench.ids(State::Pending), ids);
}

#[test]
fn a_key_makes_one_job_for_ever() {
    let bench = Bench::new();
    let first = bench.enqueue(vec![draft("a.md", Some("k"))]).remove(0);
    assert!(first.new);
    let again = bench.enqueue(vec![draft("a.md", Some("k"))]).remove(0);
    assert_eq!((again.id, again.new), (first.id, false));
    let claimant = bench.queue().claimant().unwrap();
    let (claimed, job) = bench.claim(&claimant, first.id);
    claimant.settle(vec![(claimed, Settlement::Done(Box::new(job), receipt()))], NOW, false).unwrap();
    let after = bench.enqueue(vec![draft("a.md", Some("k"))]).remove(0);
    assert_eq!((after.id, after.new), (first.id, false), "also when it is done");
    bench.assert_only_in(first.id, State::Done);
    assert_ne!(bench.enqueue(vec![draft("a.md", Some("other"))]).remove(0).id, first.id);
}

/// Chance for ids.
fn chance() -> impl FnMut() -> u64 {
    let mut seed = 0;
    move || {
        seed += 1;
        seed << 40
    }
}

fn waited(brought: Brought) -> Result<Vec<Enqueued>, QueueError> {
    let mut enqueued = Vec::new();
    brought.wait(&mut |one| enqueued.push(one.clone())).map(|()| enqueued)
}

#[test]
fn calls_that_wait_are_made_durable_together_in_the_order_they_came() {
    let bench = Bench::new();
    let (queue, mut chance) = (bench.queue(), chance());
    let mut bring = |drafts| queue.producer().bring(drafts, NOW, &mut chance).unwrap();
    let first = bring(vec![draft("a.md", None)]);
    let keyed = bring(vec![draft("a.md", Some("k"))]);
    let last = bring(vec![draft("a.md", None), draft("b.md", None)]);
    let of_a = queue.brought(DocKey::of(Path::new("/documents/a.md")));
    assert_eq!(of_a.len(), 3, "what is on its way can be seen");
    assert!(bench.ids(State::Pending).is_empty());
    let before = bench.disk.synced().0;
    // Who came last waits first, and does it for all.
    let last = waited(last).unwrap();
    let all = bench.ids(State::Pending);
    assert_eq!(all.len(), 4);
    let synced = bench.disk.synced().0 - before;
    // Four files, `keys/` and `pending/`.
    assert_eq!(synced, 6);
    let (first, keyed) = (waited(first).unwrap(), waited(keyed).unwrap());
    assert_eq!(bench.disk.synced().0 - before, synced, "nothing was left to do");
    let ids: Vec<JobId> = [first, keyed, last].concat().iter().map(|one| one.id).collect();
    assert_eq!(ids, all);
    assert!(queue.brought(DocKey::of(Path::new("/documents/a.md"))).is_empty());
}

#[test]
fn a_call_that_cannot_be_enqueued_fails_alone() {
    let bench = Bench::new();
    let (queue, mut chance) = (bench.queue(), chance());
    let mut other = draft("a.md", Some("k"));
    other.entries[0].content = Some("- something else".to_owned());
    let mut bring = |draft| queue.producer().bring(vec![draft], NOW, &mut chance).unwrap();
    let (first, again, taken) =
        (bring(draft("a.md", Some("k"))), bring(draft("a.md", Some("k"))), bring(other));
    let beside = bring(draft("a.md", None));
    assert!(matches!(waited(taken), Err(QueueError::KeyTaken { .. })));
    let (first, again) = (waited(first).unwrap().remove(0), waited(again).unwrap().remove(0));
    assert_eq!((first.new, again.new, again.id), (true, false, first.id));
    assert_eq!(bench.ids(State::Pending), [first.id, waited(beside).unwrap()[0].id]);
}

#[test]
fn an_error_of_the_disk_is_everybodys_whom_it_covered() {
    let bench = Bench::new();
    let (queue, mut chance) = (bench.queue(), chance());
    let mut bring = |name| queue.producer().bring(vec![draft(name, None)], NOW, &mut chance).unwrap();
    let (first, second) = (bring("a.md"), bring("b.md"));
    // A name that is taken in `tmp/`: the second call's file cannot be written.
    let taken = queue.brought(DocKey::of(Path::new("/documents/b.md"))).remove(0).id;
    let blocked = bench.layout.home().join("tmp").join(format!("{taken}.json"));
    std::fs::write(&blocked, "in the way").unwrap();
    for call in [first, second] {
        assert!(matches!(waited(call), Err(QueueError::Disk(_))));
    }
    assert!(bench.ids(State::Pending).is_empty(), "nothing of it is there");
    std::fs::remove_file(&blocked).ok();
    assert_eq!(waited(bring("a.md")).unwrap().len(), 1, "and the next round is another");
}

#[test]
fn many_threads_share_their_syncs_and_each_hears_of_its_own() {
    let bench = Bench::new();
    let queue = bench.queue();
    let said: Vec<Vec<Enqueued>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..200_u64)
            .map(|n| {
                let queue = queue.clone();
                scope.spawn(move || {
                    let drafts = vec![draft("a.md", Some(&format!("k{n}"))), draft("b.md", None)];
                    waited(queue.producer().bring(drafts, NOW, &mut || n << 32).unwrap()).unwrap()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let mut ids: Vec<JobId> = said.concat().iter().map(|one| one.id).collect();
    ids.sort();
    assert_eq!(bench.ids(State::Pending), ids);
}

#[test]
fn a_claim_is_one_persons() {
    let bench = Bench::new();
    let id = bench.one("a.md");
    let (first, second) = (bench.queue().claimant().unwrap(), bench.queue().claimant().unwrap());
    assert_ne!(first.name(), second.name());
    let listed = bench.queue().locate(id).unwrap().unwrap();
    assert!(first.claim(&listed).unwrap().is_some());
    assert!(second.claim(&listed).unwrap().is_none(), "somebody was faster");
    bench.assert_only_in(id, State::Processing);
}

#[test]
fn every_settlement_ends_in_its_state() {
    type Make = Box<dyn Fn(Job) -> Settlement>;
    let cases: Vec<(State, Make)> = vec![
        (State::Done, Box::new(|job| Settlement::Done(Box::new(job), receipt()))),
        (State::Deferred, Box::new(|job| Settlement::Deferred(Box::new(job), NOW.plus_ms(5000)))),
        (State::Failed, Box::new(|job| Settlement::Failed(failed(job)))),
        (State::Review, Box::new(|job| Settlement::Review(failed(job)))),
        (State::Pending, Box::new(|job| Settlement::Pending(Box::new(job)))),
    ];
    for (state, settlement) in cases {
        let bench = Bench::new();
        let id = bench.one("a.md");
        let claimant = bench.queue().claimant().unwrap();
        let (claimed, mut job) = bench.claim(&claimant, id);
        job.attempts.push(Attempt { at: NOW, worker: "w1".to_owned(), error: error() });
        claimant.settle(vec![(claimed, settlement(job.clone()))], NOW, false).unwrap();
        bench.assert_only_in(id, state);
        let found = bench.queue().load(&bench.queue().locate(id).unwrap().unwrap()).unwrap();
        let read = found.job.unwrap();
        assert_eq!((read.entries, read.attempts, read.producer), (job.entries, job.attempts, job.producer));
        assert!(read.rev > job.rev, "every move counts");
        let staged = matches!(state, State::Failed | State::Review);
        assert_eq!(read.error, staged.then(error));
        assert_eq!(found.receipt, (state == State::Done).then(receipt));
        assert_eq!(found.listed.due, (state == State::Deferred).then(|| NOW.plus_ms(5000)));
    }
}

#[test]
fn jobs_that_end_together_each_have_their_receipt() {
    let bench = Bench::new();
    let queue = bench.queue();
    let ids: Vec<JobId> = (0..6).map(|_| bench.one("a.md")).collect();
    let claimant = queue.claimant().unwrap();
    let by = |name: &str| Receipt { by: name.to_owned(), ..receipt() };
    let settle = |which: &[usize], name: &str, failing: Option<usize>| {
        let all = which.iter().map(|n| {
            let (claimed, job) = bench.claim(&claimant, ids[*n]);
            let failing = failing == Some(*n);
            (
                claimed,
                if failing {
                    Settlement::Failed(failed(job))
                } else {
                    Settlement::Done(Box::new(job), by(name))
                },
            )
        });
        claimant.settle(all.collect(), NOW, false).unwrap();
    };
    settle(&[0, 2, 3], "first", Some(2));
    settle(&[1, 5], "second", None);
    settle(&[4], "alone", None);
    for (n, who) in [(0, "first"), (3, "first"), (1, "second"), (5, "second"), (4, "alone")] {
        bench.assert_only_in(ids[n], State::Done);
        assert_eq!(queue.receipt(ids[n]).unwrap().unwrap().by, who, "job {n}");
    }
    bench.assert_only_in(ids[2], State::Failed);
    assert_eq!(queue.receipt(ids[2]).unwrap(), None);
    let day = NOW.day();
    let batches =
        || std::fs::read_dir(bench.layout.home().join("receipts").join(&day)).map_or(0, Iterator::count);
    assert_eq!(batches(), 2, "one file a batch");
    assert_eq!(queue.operator().prune_done(&day, 2).unwrap().receipts, 2);
    assert_eq!(batches(), 2, "others still need them");
    assert_eq!(queue.operator().prune_done(&day, 100).unwrap().receipts, 3);
    assert_eq!((batches(), queue.done_days().unwrap().len()), (0, 0));
}

#[test]
fn the_oldest_of_each_document_are_found_however_many_wait() {
    let bench = Bench::new();
    let many: Vec<JobId> = (0..7).map(|_| bench.one("a.md")).collect();
    let few = [bench.one("b.md"), bench.one("b.md")];
    // The third one waits in `deferred`; the first one is under an older name as well, as a power cut leaves it.
    let claimant = bench.queue().claimant().unwrap();
    let (claimed, job) = bench.claim(&claimant, many[2]);
    claimant
        .settle(vec![(claimed, Settlement::Deferred(Box::new(job), NOW.plus_ms(5)))], NOW, false)
        .unwrap();
    let older =
        std::fs::read_dir(bench.layout.home().join("pending")).unwrap().map(|entry| entry.unwrap().path());
    let older = older.into_iter().find(|path| path.to_str().unwrap().contains(&many[0].to_string())).unwrap();
    std::fs::hard_link(&older, older.to_str().unwrap().replace("~0.json", "~2.json")).unwrap();
    std::fs::write(bench.layout.home().join("pending/note.yaml"), "").unwrap();
    let (jobs, stale) = bench.queue().list_oldest(4, 100, false).unwrap();
    let found: Vec<(JobId, u32)> = jobs.iter().map(|listed| (listed.id, listed.rev)).collect();
    assert_eq!(found, [(many[0], 2), (many[1], 0), (many[2], 2), (few[0], 0), (few[1], 0)]);
    assert_eq!(stale.iter().map(|listed| (listed.id, listed.rev)).collect::<Vec<_>>(), [(many[0], 0)]);
    let (all, stale) = bench.queue().list_oldest(100, 100, true).unwrap();
    let (scan, stale_too) = bench.queue().list_runnable().unwrap();
    assert_eq!((all, stale), (scan.jobs, stale_too));
    // Too many in all: fewer of each (three files: the first one's older name is one), but the oldest of each in any case.
    let of_all = |in_all| {
        let (jobs, stale) = bench.queue().list_oldest(100, in_all, false).unwrap();
        let older: Vec<_> = stale.iter().map(|listed| (listed.id, listed.rev)).collect();
        assert_eq!(older, [(many[0], 0)], "else it is run when the newer one is done");
        jobs.iter().map(|listed| listed.id).collect::<Vec<_>>()
    };
    assert_eq!(of_all(5), [many[0], many[1], few[0], few[1]]);
    assert_eq!(of_all(1), [many[0], few[0]]);
}

/// Three jobs that one call declared for a document.
fn three_at_once(bench: &Bench) -> Vec<JobId> {
    let drafts = (0..3).map(|_| draft("a.md", None)).collect();
    let ids: Vec<JobId> = bench.enqueue(drafts).into_iter().map(|enqueued| enqueued.id).collect();
    assert_eq!(files(bench, "pending"), 1);
    ids
}

fn files(bench: &Bench, dir: &str) -> usize {
    std::fs::read_dir(bench.layout.home().join(dir)).unwrap().count()
}

fn claim_file(bench: &Bench, claimant: &Claimant, id: JobId) -> Vec<(Claimed, Job)> {
    let claims = claimant.claim_file(&bench.queue().locate(id).unwrap().unwrap()).unwrap();
    let jobs = claimant.read_file(&claims[0]).unwrap();
    claims.into_iter().zip(jobs).collect()
}

#[test]
fn jobs_of_one_file_end_apart_or_together() {
    for failing in [None, Some(1)] {
        let bench = Bench::new();
        let ids = three_at_once(&bench);
        let claimant = bench.queue().claimant().unwrap();
        let all = claim_file(&bench, &claimant, ids[2]).into_iter().enumerate().map(|(n, (claimed, job))| {
            let end = match failing == Some(n) {
                true => Settlement::Failed(failed(job)),
                false => Settlement::Done(Box::new(job), receipt()),
            };
            (claimed, end)
        });
        claimant.settle(all.collect(), NOW, false).unwrap();
        let done = format!("done/{}", NOW.day());
        assert_eq!(files(&bench, &done), if failing.is_none() { 1 } else { 2 });
        for (n, id) in ids.iter().enumerate() {
            let state = if failing == Some(n) { State::Failed } else { State::Done };
            bench.assert_only_in(*id, state);
            let found = bench.queue().load(&bench.queue().find(&id.to_string()).unwrap()).unwrap();
            assert_eq!((found.listed.state, found.job.unwrap().id), (state, *id));
            assert_eq!(bench.queue().receipt(*id).unwrap(), (failing != Some(n)).then(receipt));
        }
        claimant.end().unwrap();
    }
}

#[test]
fn one_job_of_a_file_is_claimed_and_the_others_stay() {
    let bench = Bench::new();
    let ids = three_at_once(&bench);
    let claimant = bench.queue().claimant().unwrap();
    let (claimed, job) = bench.claim(&claimant, ids[1]);
    assert_eq!((claimed.id(), job.id, claimed.is_bundled()), (ids[1], ids[1], false));
    assert_eq!(bench.ids(State::Pending), [ids[0], ids[2]]);
    bench.assert_only_in(ids[1], State::Processing);
}

#[test]
fn a_file_is_given_back_whole_or_in_part() {
    let bench = Bench::new();
    let ids = three_at_once(&bench);
    let claimant = bench.queue().claimant().unwrap();
    let claims: Vec<Claimed> = claim_file(&bench, &claimant, ids[0]).into_iter().map(|one| one.0).collect();
    claimant.release(&claims).unwrap();
    assert_eq!((bench.ids(State::Pending), files(&bench, "pending")), (ids.clone(), 1));
    let claims: Vec<Claimed> = claim_file(&bench, &claimant, ids[0]).into_iter().map(|one| one.0).collect();
    claimant.release(&claims[1..]).unwrap();
    assert_eq!(bench.ids(State::Pending), ids[1..]);
    bench.assert_only_in(ids[0], State::Processing);
}

#[test]
fn what_shared_a_file_with_what_a_worker_died_of_is_suspected_too() {
    let bench = Bench::new();
    let ids = three_at_once(&bench);
    let dead = bench.queue().claimant().unwrap();
    claim_file(&bench, &dead, ids[0]);
    drop(dead);
    for adopted in bench.queue().worker().dead_workers().unwrap() {
        let recovered = adopted.recovery().give_back(&adopted.recovery().held().unwrap(), NOW).unwrap();
        assert_eq!(recovered.released, ids);
        adopted.end().unwrap();
    }
    assert_eq!((bench.ids(State::Pending), files(&bench, "pending")), (ids.clone(), 3));
    for id in ids {
        let found = bench.queue().load(&bench.queue().locate(id).unwrap().unwrap()).unwrap();
        let job = found.job.unwrap();
        assert_eq!((job.kills, job.suspected), (0, 1));
    }
}

#[test]
fn release_gives_back_as_it_was() {
    let bench = Bench::new();
    let ids = [bench.one("a.md"), bench.one("a.md")];
    let claimant = bench.queue().claimant().unwrap();
    let claims: Vec<Claimed> = ids.iter().map(|id| bench.claim(&claimant, *id).0).collect();
    claimant.release(&claims).unwrap();
    assert_eq!(bench.ids(State::Pending), ids);
}

#[test]
fn what_the_dead_held_comes_back_with_a_kill_counted() {
    let bench = Bench::new();
    let id = bench.one("a.md");
    for kills in 1..=3 {
        let dead = bench.queue().claimant().unwrap();
        bench.claim(&dead, id);
        assert!(bench.queue().worker().dead_workers().unwrap().is_empty(), "it lives");
        drop(dead);
        for adopted in bench.queue().worker().dead_workers().unwrap() {
            let held = adopted.recovery().held().unwrap();
            adopted.recovery().give_back(&held, NOW).unwrap();
            adopted.end().unwrap();
        }
        let found = bench.queue().load(&bench.queue().locate(id).unwrap().unwrap()).unwrap();
        assert_eq!(found.job.unwrap().kills, kills);
        bench.assert_only_in(id, if kills < 3 { State::Pending } else { State::Failed });
    }
}

#[test]
fn what_is_poison_is_not_run_from_an_older_copy() {
    let bench = Bench::new();
    let id = bench.one("a.md");
    let dir = |name: &str| bench.layout.home().join(name);
    for kills in 1..=3 {
        let dead = bench.queue().claimant().unwrap();
        let waiting = std::fs::read_dir(dir("pending")).unwrap().next().unwrap().unwrap().path();
        bench.claim(&dead, id);
        let claimed =
            std::fs::read_dir(dir("processing").join(dead.name())).unwrap().next().unwrap().unwrap().path();
        // As a power cut leaves a rename: under both names.
        std::fs::hard_link(claimed, waiting).unwrap();
        drop(dead);
        for adopted in bench.queue().worker().dead_workers().unwrap() {
            let held = adopted.recovery().held().unwrap();
            adopted.recovery().give_back(&held, NOW).unwrap();
            adopted.end().unwrap();
        }
        bench.assert_only_in(id, if kills < 3 { State::Pending } else { State::Failed });
    }
}

#[test]
fn a_recovered_job_with_a_receipt_is_not_run_again() {
    let bench = Bench::new();
    let id = bench.one("a.md");
    let (dead, other) = (bench.queue().claimant().unwrap(), bench.queue().claimant().unwrap());
    let (claimed, job) = bench.claim(&dead, id);
    // Settled by itself, but killed before the claim was removed: the same file is claimed and done.
    let copy = bench.layout.home().join("processing").join(dead.name());
    let name = std::fs::read_dir(&copy).unwrap().next().unwrap().unwrap().path();
    let bytes = std::fs::read(&name).unwrap();
    dead.settle(vec![(claimed, Settlement::Done(Box::new(job), receipt()))], NOW, false).unwrap();
    std::fs::write(&name, bytes).unwrap();
    drop(dead);
    for adopted in bench.queue().worker().dead_workers().unwrap() {
        let held = adopted.recovery().held().unwrap();
        let recovered = adopted.recovery().give_back(&held, NOW).unwrap();
        assert_eq!(recovered.finished, [id]);
    }
    bench.assert_only_in(id, State::Done);
    drop(other);
}

#[test]
fn a_copy_a_power_cut_left_loses_to_the_newer_one() {
    let bench = Bench::new();
    let id = bench.one("a.md");
    let pending = bench.layout.home().join("pending");
    let name = std::fs::read_dir(&pending).unwrap().next().unwrap().unwrap().path();
    let bytes = std::fs::read(&name).unwrap();
    let claimant = bench.queue().claimant().unwrap();
    let (claimed, job) = bench.claim(&claimant, id);
    claimant
        .settle(vec![(claimed, Settlement::Deferred(Box::new(job), NOW.plus_ms(1)))], NOW, false)
        .unwrap();
    std::fs::write(&name, bytes).unwrap();
    let (scan, stale) = bench.queue().list_runnable().unwrap();
    assert_eq!((scan.jobs.len(), stale.len()), (1, 1));
    assert_eq!(scan.jobs[0].state, State::Deferred);
    bench.queue().worker().remove_stale(&stale).unwrap();
    bench.assert_only_in(id, State::Deferred);
}

/// A copy from a backup, or one that a power cut left, is tried again; what waits for a person stays as it is.
#[test]
fn an_id_stands_in_staging_once_whenever_its_copies_come_to_it() {
    type Ends = fn(Job) -> Settlement;
    let ends: [Ends; 2] = [|job| Settlement::Failed(failed(job)), |job| Settlement::Review(failed(job))];
    for (first, second) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let bench = Bench::new();
        let id = bench.one("a.md");
        let pending = bench.layout.home().join("pending");
        let name = std::fs::read_dir(&pending).unwrap().next().unwrap().unwrap().path();
        let bytes = std::fs::read(&name).unwrap();
        let claimant = bench.queue().claimant().unwrap();
        let settle = |ends: Ends, at: Timestamp| {
            let listed = bench.queue().list(State::Pending).unwrap().jobs.remove(0);
            let claimed = claimant.claim(&listed).unwrap().unwrap();
            let job = claimant.read(&claimed).unwrap();
            claimant.settle(vec![(claimed, ends(job))], at, false).unwrap();
        };
        settle(ends[first], NOW);
        std::fs::write(&name, bytes).unwrap();
        // The name in `staging/` begins with the second.
        settle(ends[second], NOW.plus_ms(60_000));
        bench.assert_only_in(id, [State::Failed, State::Review][first]);
    }
}

#[test]
fn what_cannot_be_read_is_set_aside_verbatim() {
    let bench = Bench::new();
    let id = bench.one("a.md");
    let pending = bench.layout.home().join("pending");
    let name = std::fs::read_dir(&pending).unwrap().next().unwrap().unwrap().path();
    let torn = b"{\"job\":{\"format\":1,\xff".to_vec();
    std::fs::write(&name, &torn).unwrap();
    let claimant = bench.queue().claimant().unwrap();
    let listed = bench.queue().locate(id).unwrap().unwrap();
    let claimed = claimant.claim(&listed).unwrap().unwrap();
    let Err(QueueError::Unreadable { problems, .. }) = claimant.read(&claimed) else { panic!("it is torn") };
    claimant.quarantine(&claimed, &problems, NOW).unwrap();
    bench.assert_only_in(id, State::Failed);
    let listed = bench.queue().locate(id).unwrap().unwrap();
    assert_eq!(bench.queue().staged_text(&listed).unwrap(), torn);
    let found = bench.queue().load(&listed).unwrap();
    assert_eq!(found.job, None);
    assert_eq!(found.unreadable.unwrap().code, problems[0].code);
}

#[test]
fn find_takes_a_beginning_that_no_other_has() {
    let bench = Bench::new();
    let ids = [bench.one("a.md"), bench.one("a.md")];
    assert_eq!(bench.queue().find(&ids[1].to_string()).unwrap().id, ids[1]);
    let common = &ids[0].to_string()[..8];
    assert!(matches!(bench.queue().find(common), Err(QueueError::AmbiguousId { count: 2, .. })));
    assert!(matches!(bench.queue().find("ffff"), Err(QueueError::NoSuchJob(_))));
    assert!(matches!(bench.queue().find(""), Err(QueueError::NoSuchJob(_))));
}

#[test]
fn a_clock_that_goes_back_does_not_reorder() {
    let bench = Bench::new();
    let mut ids = Vec::new();
    for now in [NOW, Timestamp(NOW.millis() - 86_400_000), Timestamp(NOW.millis() + 86_400_000), NOW] {
        let acknowledge = &mut |e: &Enqueued| ids.push(e.id);
        bench.queue().producer().enqueue(vec![draft("a.md", None)], now, &mut || 7, acknowledge).unwrap();
    }
    assert_eq!(bench.ids(State::Pending), ids);
}

#[test]
fn the_problem_with_a_newer_job_is_its_version() {
    let newer = br#"{"job":{"format":2,"shape":"unheard of"},"version":"1.0.0","entries":[]}"#;
    let problems: Vec<Problem> = Job::from_json(newer).unwrap_err();
    assert_eq!(problems[0].code.as_str(), "future_version");
}

fn plan(bench: &Bench, session: &str, now: Timestamp) -> JobId {
    let mut random = || 7;
    bench.queue().sessions().of("codex", session).plan(draft("/a.md", None), now, &mut random).unwrap().id
}

const DAY_MS: u64 = 24 * 3600 * 1000;

#[test]
fn a_buffer_is_flushed_in_the_order_planned_and_once() {
    let bench = Bench::new();
    let planned: Vec<JobId> = (0..3).map(|_| plan(&bench, "s1", NOW)).collect();
    let session = bench.queue().sessions().of("codex", "s1");
    assert_eq!(session.planned().unwrap().iter().map(|planned| planned.id).collect::<Vec<_>>(), planned);
    assert_eq!(bench.ids(State::Pending), []);
    assert!(session.take_back(planned[1]).unwrap());
    assert!(!session.take_back(planned[1]).unwrap());
    assert_eq!(session.flush().unwrap(), [planned[0], planned[2]]);
    assert_eq!(session.flush().unwrap(), []);
    assert_eq!(bench.ids(State::Pending), [planned[0], planned[2]]);
}

#[test]
fn only_the_gone_are_flushed_for() {
    let bench = Bench::new();
    let queue = bench.queue();
    let (alive, ended, quiet) =
        (plan(&bench, "alive", NOW), plan(&bench, "ended", NOW), plan(&bench, "quiet", NOW));
    queue.sessions().of("codex", "ended").note(&[Noted::new(NOW, What::Ended)]).unwrap();
    assert_eq!(queue.sessions().flush_gone(NOW.plus_ms(1000), DAY_MS).unwrap().jobs, [ended]);

    let later = NOW.plus_ms(QUIET_MS_MAX);
    queue.sessions().of("codex", "alive").note(&[Noted::new(later, What::Heard)]).unwrap();
    assert_eq!(queue.sessions().flush_gone(later.plus_ms(1000), DAY_MS).unwrap().jobs, [quiet]);

    // One that is being decided about is alive.
    let much_later = later.plus_ms(3 * DAY_MS);
    let session = queue.sessions().of("codex", "alive");
    let held = session.try_lock().unwrap().unwrap();
    assert_eq!(queue.sessions().flush_gone(much_later, DAY_MS).unwrap().jobs, []);
    drop(held);
    assert_eq!(queue.sessions().flush_gone(much_later, DAY_MS).unwrap().jobs, [alive]);
    assert!(!session.is_known().unwrap(), "what was quiet for longer than it is kept is forgotten");
}

#[test]
fn a_name_that_a_power_cut_left_behind_is_not_flushed_again() {
    let bench = Bench::new();
    let id = plan(&bench, "s1", NOW);
    let session = bench.queue().sessions().of("codex", "s1");
    let dir = bench.layout.home().join("sessions").join(session.name());
    let name = std::fs::read_dir(&dir).unwrap().next().unwrap().unwrap().path();
    let bytes = std::fs::read(&name).unwrap();
    session.flush().unwrap();
    let claimant = bench.queue().claimant().unwrap();
    let (claimed, job) = bench.claim(&claimant, id);
    std::fs::write(&name, bytes).unwrap();
    session.note(&[Noted::new(NOW, What::Ended)]).unwrap();
    assert_eq!(bench.queue().sessions().flush_gone(NOW, DAY_MS).unwrap().jobs, []);
    assert_eq!(bench.ids(State::Pending), []);
    assert_eq!(job.id, claimed.id());
}
