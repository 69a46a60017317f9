//! One user's computer, and the commands as `cli` runs them, on whichever disk they are handed.

use declaration::{Create, Entry, Key, Meta, Operation, Scope, Target, Timestamp, Trust};
use documents::Documents;
use durable::simulated::Machine;
use durable::{Disk, DiskError};
use operator::{Action, Actor, NoRollback};
use policy::knowledge_base::{KnowledgeBase, Surroundings};
use policy::settings::Retention;
use producer::{InboxFile, Submission};
use queue_layout::{
    DocKey, DocumentRef, Draft, Enqueued, HeldThing, JobId, Layout, Producer, Queue, QueueError, State,
};
use std::cell::Cell;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use worker::{Backoff, Context, Report, RunError};

pub const USER: &str = "/home/ann";
pub const HOME: &str = "/home/ann/queue";
pub const DOCUMENT: &str = "/home/ann/notes.md";
pub const DAY_MS: u64 = 24 * 60 * 60 * 1000;
pub const START: Timestamp = Timestamp(1_790_000_000_000);

/// What the document says at first: a person's words around the section that agents write to.
pub const HEAD: &str = "# Notes\n\nmine\n\n## Log\n\n- old\n";
pub const TAIL: &str = "\n## Other\n\nkept\n";

pub fn document() -> &'static Path {
    Path::new(DOCUMENT)
}

pub fn layout() -> Layout {
    Layout::new(HOME)
}

/// One document; what comes from the web waits for a yes.
pub fn kbs() -> Vec<KnowledgeBase> {
    vec![KnowledgeBase { min_trust: Trust::Agent, ..KnowledgeBase::plain("notes", "~/notes.md") }]
}

/// A computer with a home and the document, everything durable.
pub fn machine() -> Machine {
    let machine = Machine::new();
    machine.set_clock(START.millis());
    let disk = machine.process().shared();
    for dir in ["/home", USER] {
        disk.make_dir(Path::new(dir)).unwrap();
    }
    layout().create(&*disk).unwrap();
    machine.save(document(), false, |_| format!("{HEAD}{TAIL}").into_bytes()).unwrap();
    machine.sync_all();
    machine
}

/// Why a command could not.
#[derive(Debug)]
pub enum Failed {
    Queue(QueueError),
    Run(RunError),
}

impl Failed {
    pub fn hint(&self) -> Option<String> {
        match self {
            Failed::Queue(e) => e.advice().map(|advice| advice.in_words()),
            Failed::Run(e) => e.advice().map(|advice| advice.in_words()),
        }
    }
}

impl std::fmt::Display for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let e: &dyn Error = match self {
            Failed::Queue(e) => e,
            Failed::Run(e) => e,
        };
        write!(f, "{e}")?;
        let mut cause = e.source();
        while let Some(e) = cause {
            write!(f, ": {e}")?;
            cause = e.source();
        }
        Ok(())
    }
}

impl From<QueueError> for Failed {
    fn from(e: QueueError) -> Self {
        Failed::Queue(e)
    }
}

impl From<RunError> for Failed {
    fn from(e: RunError) -> Self {
        Failed::Run(e)
    }
}

impl From<DiskError> for Failed {
    fn from(e: DiskError) -> Self {
        Failed::Queue(e.into())
    }
}

pub type Done<T> = Result<T, Failed>;

/// One line for the log, or something that cannot be done.
pub fn note(line: &str) -> Draft {
    draft("notes", "Log", Operation::Append, Some(line))
}

/// The same from the web: it waits for a person's yes.
pub fn proposal(line: &str) -> Draft {
    let draft = note(line);
    Draft { producer: Producer { trust: Some(Trust::Web), ..draft.producer.clone() }, ..draft }
}

/// A job that fails: there is nothing to clear.
pub fn hopeless() -> Draft {
    draft("notes", "Missing", Operation::Clear, None)
}

pub fn draft(kb: &str, heading: &str, operation: Operation, content: Option<&str>) -> Draft {
    let path = PathBuf::from(DOCUMENT);
    Draft {
        document: DocumentRef { kb: kb.to_owned(), doc: DocKey::of(&path), path, project: None },
        entries: vec![Entry {
            key: Key { target: Target::Kb(kb.to_owned()), heading: vec![heading.to_owned()], level: 2 },
            operation,
            content: content.map(str::to_owned),
            old_text: None,
            expect: None,
            scope: Scope::Own,
            create: Create::Section,
            base: None,
            meta: Meta::default(),
        }],
        source: "a session".to_owned(),
        producer: Producer { agent: "tester".to_owned(), ..Producer::default() },
        key: None,
    }
}

/// The same as another session says it: jobs of two sessions do not share a file.
pub fn of_session(draft: Draft, session: &str) -> Draft {
    Draft { producer: Producer { session: session.to_owned(), ..draft.producer.clone() }, ..draft }
}

pub fn keyed(line: &str, key: &str) -> Draft {
    Draft { key: Some(key.to_owned()), ..note(line) }
}

thread_local! {
    static SEED: Cell<u64> = const { Cell::new(1) };
}

/// Chance that is the same each time, and different for every id.
pub fn chance() -> u64 {
    SEED.with(|seed| {
        seed.set(seed.get().wrapping_add(0x9e37_79b9_7f4a_7c15));
        seed.get()
    })
}

/// The same chance again from here on.
pub fn begin_anew() {
    SEED.with(|seed| seed.set(1));
}

pub fn enqueue(
    disk: &Arc<dyn Disk>,
    drafts: Vec<Draft>,
    now: Timestamp,
    acknowledge: &mut dyn FnMut(&Enqueued),
) -> Done<()> {
    let layout = layout();
    layout.check(&**disk)?;
    Ok(Queue::new(disk.clone(), layout.clone()).producer().enqueue(drafts, now, &mut chance, acknowledge)?)
}

/// Calls of threads that share a queue: all of them are brought before the first is waited for.
pub fn enqueue_together(
    disk: &Arc<dyn Disk>,
    calls: Vec<Vec<Draft>>,
    now: Timestamp,
    acknowledge: &mut dyn FnMut(&Enqueued),
) -> Done<()> {
    let layout = layout();
    layout.check(&**disk)?;
    let queue = Queue::new(disk.clone(), layout);
    let mut brought = Vec::new();
    for drafts in calls {
        brought.push(queue.producer().bring(drafts, now, &mut chance)?);
    }
    // Each hears how its own call ended, also when another's failed.
    let ended: Vec<_> = brought.into_iter().map(|call| call.wait(acknowledge)).collect();
    Ok(ended.into_iter().collect::<Result<(), _>>()?)
}

/// `last-word work`, one document at a time; with `join` beside another one.
pub fn work(disk: &Arc<dyn Disk>, now: Timestamp, join: bool) -> Done<Report> {
    let layout = layout();
    layout.check(&**disk)?;
    let queue = Queue::new(disk.clone(), layout.clone());
    let mut total = Report::default();
    loop {
        let alone = if join { None } else { disk.try_lock(&layout.run_lock())? };
        if !join && alone.is_none() {
            return Ok(total);
        }
        let documents = Documents::new(disk.clone(), layout.history(), layout.locks());
        let report = drain(disk, &queue, &documents, now)?;
        total = total.plus(report);
        drop(alone);
        let waits = queue.list(State::Pending)?.jobs.iter().any(|job| !job.is_drop());
        if join || !waits || report.handled() == 0 {
            return Ok(total);
        }
    }
}

/// One drain, by a worker that may have these documents since long ago.
pub fn drain(disk: &Arc<dyn Disk>, queue: &Queue, documents: &Documents, now: Timestamp) -> Done<Report> {
    let kbs = kbs();
    let context = Context {
        queue,
        disk: &**disk,
        documents,
        kbs: &kbs,
        others: &[],
        user_home: Path::new(USER),
        retry: Backoff { retries: 3, base_ms: 1000, cap_ms: 10_000 },
        snapshots: 50,
        threads: 1,
        projects: &|_| Vec::new(),
        only: None,
        now: &|| now,
        random: &chance,
        stop: &|| false,
        run: &|_| worker::Ran::NotStarted("no programs here".to_owned()),
        tell: &|_| {},
        warn: &|_| {},
    };
    let mut report = Report::default();
    worker::recover(&context, &mut Report::default())?;
    queue.worker().sweep(now)?;
    let claimant = queue.claimant()?;
    let before = || {
        worker::stale_saves(&context, &claimant)?;
        queue.sessions().flush_gone(now, 30 * DAY_MS)?;
        take_in(&claimant, documents, &kbs, now)
    };
    before()?;
    worker::pass(&context, &claimant, &mut report)?;
    claimant.end()?;
    Ok(report)
}

fn take_in(
    claimant: &queue_layout::Claimant,
    documents: &Documents,
    kbs: &[KnowledgeBase],
    now: Timestamp,
) -> Done<()> {
    let home = Path::new(USER);
    let canonicalise = |path: &Path| documents.canonical(path).map_err(|e| e.source);
    let said = Submission {
        moment: &|_| policy::time_words::Moment::new(Timestamp(0), 0),
        kbs,
        around: Surroundings { home, project: None, cwd: home, today: None },
        canonicalise: &canonicalise,
        producer: &Producer::default(),
        home_of_item: &|id| Ok(declaration::Target::Item(id.to_owned())),
        would_replace: &|_, _, _| None,
        seen: &|_, _, _| None,
        written: None,
        key: None,
    };
    let inbox = claimant.queue().worker().inbox(Path::new(HOME), now)?;
    let inbox: Vec<InboxFile> =
        inbox.ready.into_iter().map(|path| InboxFile { path, project: None }).collect();
    producer::take_in(claimant, &inbox, &said, now, &mut chance)?;
    Ok(())
}

/// The person who decides.
fn ann() -> Actor {
    Actor { name: "ann".to_owned(), channel: "terminal".to_owned(), reason: None }
}

/// `last-word resolve --all` (or `review --all`) with one action.
pub fn resolve(disk: &Arc<dyn Disk>, state: State, action: &Action, now: Timestamp) -> Done<usize> {
    let layout = layout();
    layout.check(&**disk)?;
    let queue = Queue::new(disk.clone(), layout.clone());
    let listed = queue.list(state)?.jobs;
    if listed.is_empty() {
        return Ok(0);
    }
    let claimant = queue.claimant()?;
    let asked: Vec<_> = listed.iter().map(|job| (job, action.clone())).collect();
    let mut resolved = 0;
    for answer in operator::resolve_together(&claimant, &asked, &ann(), now)? {
        match answer {
            Ok(_) => resolved += 1,
            Err(QueueError::TakenMeanwhile(_) | QueueError::ProposalChanged { .. }) => {}
            Err(e) => return Err(e.into()),
        }
    }
    claimant.end()?;
    Ok(resolved)
}

/// `last-word prune`: receipts go after a day, journals never (whether their lines survive is nobody's concern).
pub fn prune(disk: &Arc<dyn Disk>, now: Timestamp) -> Done<()> {
    let layout = layout();
    let queue = Queue::new(disk.clone(), layout.clone());
    let retention = Retention { done_ms: DAY_MS, journal_ms: 1000 * DAY_MS, snapshots: 1 };
    let documents = Documents::new(disk.clone(), layout.history(), layout.locks());
    while operator::prune_some(&queue, now, &retention, 2)?.1 {}
    operator::prune_texts(&documents, &|_| retention.snapshots, false).map_err(|e| Failed::Run(e.into()))?;
    Ok(())
}

/// A log that has become too long is trimmed to its newest version, as at the end of a commit.
pub fn trim(disk: &Arc<dyn Disk>) -> Done<()> {
    let layout = layout();
    let documents = Documents::new(disk.clone(), layout.history(), layout.locks());
    let document = documents.find(document()).map_err(|e| Failed::Run(e.into()))?;
    let lock = documents.try_lock(&document).map_err(|e| Failed::Run(e.into()))?;
    assert!(lock.is_some(), "nobody else is there");
    documents.trim_to(&document, 1, 0).map_err(|e| Failed::Run(e.into()))?;
    Ok(())
}

/// `last-word hold --all`, or `release --all`.
pub fn hold(disk: &Arc<dyn Disk>, held: bool, now: Timestamp) -> Done<()> {
    let layout = layout();
    let queue = Queue::new(disk.clone(), layout.clone());
    let who = ann();
    if held {
        operator::hold(&queue, HeldThing::Queue, &who, now)?;
    } else {
        operator::release(&queue, &HeldThing::Queue, &who, now)?;
    }
    Ok(())
}

/// The jobs that are runnable, in their order.
pub fn pending(disk: &Arc<dyn Disk>) -> Done<Vec<JobId>> {
    let layout = layout();
    let scan = Queue::new(disk.clone(), layout.clone()).list(State::Pending)?;
    Ok(scan.jobs.into_iter().map(|listed| listed.id).collect())
}

/// `last-word hold ID`.
pub fn hold_job(disk: &Arc<dyn Disk>, id: JobId, now: Timestamp) -> Done<()> {
    let layout = layout();
    let who = ann();
    operator::hold(&Queue::new(disk.clone(), layout.clone()), HeldThing::Job(id), &who, now)?;
    Ok(())
}

/// `last-word release` of every job that is held.
pub fn release_jobs(disk: &Arc<dyn Disk>, now: Timestamp) -> Done<()> {
    let layout = layout();
    let queue = Queue::new(disk.clone(), layout.clone());
    let who = ann();
    for id in queue.holds()?.jobs() {
        operator::release(&queue, &HeldThing::Job(id), &who, now)?;
    }
    Ok(())
}

/// `last-word rollback notes`.
pub fn rollback(disk: &Arc<dyn Disk>, now: Timestamp) -> Done<JobId> {
    let layout = layout();
    let documents = Documents::new(disk.clone(), layout.history(), layout.locks());
    let document = documents.find(document()).map_err(|e| Failed::Run(e.into()))?;
    let restore = match operator::restore(&documents, &document, None) {
        // Whoever wants it all the same names the version.
        Err(NoRollback::EditedSince { version, .. }) => {
            operator::restore(&documents, &document, Some(version))
        }
        restore => restore,
    };
    let restore = restore.map_err(|e| match e {
        NoRollback::Documents(e) => Failed::Run(e.into()),
        other => panic!("the version before is kept: {other}"),
    })?;
    let mut draft = draft("notes", "Log", Operation::NoOp, None);
    draft.entries[0].key = Key { heading: Vec::new(), level: 0, ..draft.entries[0].key.clone() };
    Ok(Queue::new(disk.clone(), layout.clone())
        .producer()
        .enqueue_restore(draft, restore, &document.canonical, ("ann", "terminal"), now, &mut chance)?
        .id)
}

/// A declaration in `pending/`, as a shell script moves it in.
pub fn drop_in(machine: &Machine, name: &str, lines: &[&str]) {
    leave(machine, &Path::new(HOME).join("pending").join(name), lines);
}

/// A declaration under any path.
pub fn leave(machine: &Machine, path: &Path, lines: &[&str]) {
    let declared: Vec<String> = lines
        .iter()
        .map(|line| {
            format!(
                r##"{{"version":"1.0.0","entries":[{{"key":{{"kb":"notes","heading":"Log"}},"operation":"append","content":"{line}"}}]}}"##
            )
        })
        .collect();
    machine.save(path, true, |_| declared.join("\n").into_bytes()).unwrap();
}
