//! What must be true of a home at rest, whatever happened to it before: the promises, as one function.

use super::world::{DAY_MS, DOCUMENT, HEAD, HOME, START, TAIL, USER, document, layout, work};
use declaration::Timestamp;
use documents::{Document, Documents, hash};
use durable::Disk;
use durable::simulated::Machine;
use queue_layout::{Ending, Job, JobId, Queue, Receipt, State};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a run was told, and what it may have done.
#[derive(Debug, Clone, Default)]
pub struct Told {
    /// Acknowledged: must have its effect, once.
    pub acknowledged: Vec<JobId>,
    /// How many jobs fail for reasons of their own.
    pub failing: usize,
    /// Whether those that fail are bytes that nobody can read.
    pub spoilt: bool,
    /// Lines that a person saved at the end of the document.
    pub saved: Vec<String>,
    /// Whether jobs came back from `staging/` one by one: those that were there first may have passed them.
    pub unordered: bool,
    /// Whether there was no document at first.
    pub from_nothing: bool,
    /// Attempts a job may have been charged.
    pub attempts: usize,
    /// Jobs an operator has thrown away, or said no to.
    pub discarded: usize,
    /// Lines of jobs whose receipts are pruned: in the document, and nowhere else any more.
    pub forgotten: Vec<String>,
    /// How many of the first versions may be trimmed out of the log.
    pub trimmed: u64,
    /// Lines that a rollback took out again.
    pub undone: Vec<String>,
    /// Whether the document says already what the jobs say.
    pub said_already: bool,
    /// Lines that must be in the document once, under whatever id.
    pub lines: Vec<String>,
    /// Whether everybody who ended was only killed: then not even what is counted is lost.
    pub killed_only: bool,
}

/// A broken promise, in words.
pub type Broken = String;

macro_rules! promise {
    ($holds:expr, $($says:tt)*) => {
        if !$holds { return Err(format!($($says)*)); }
    };
}

/// Brings a home to rest (every retry due, every temp file old) with one run, and holds it to the promises.
pub fn hold(machine: &Machine, told: &Told) -> Result<(), Broken> {
    hold_at(machine, told, START.plus_ms(DAY_MS))
}

/// The same, at this time.
pub fn hold_at(machine: &Machine, told: &Told, later: Timestamp) -> Result<(), Broken> {
    machine.set_clock(later.millis());
    none_runs_while_it_waits(machine)?;
    run(machine, later)?;
    check(machine, told).map_err(|broken| format!("{broken}{}", said(machine)))?;
    let rest = at_rest(machine);
    run(machine, later.plus_ms(DAY_MS))?;
    promise!(at_rest(machine) == rest, "a further run changed something{}", said(machine));
    Ok(())
}

/// Right after an interruption: a job that waits for a person is nowhere else, where a worker would try it behind their back.
/// Bytes that nobody could read are no job yet.
fn none_runs_while_it_waits(machine: &Machine) -> Result<(), Broken> {
    let queue = Queue::new(machine.process().shared(), layout());
    let names = machine.files().into_keys().map(|path| path.display().to_string());
    let originals: String = names.filter(|path| path.ends_with(".original")).collect();
    let ids = |state: State| -> Result<BTreeSet<JobId>, Broken> {
        let scan = queue.list(state).map_err(|e| e.to_string())?;
        Ok(scan
            .jobs
            .iter()
            .filter(|listed| !originals.contains(&listed.id.to_string()))
            .map(|listed| listed.id)
            .collect())
    };
    let runnable: BTreeSet<JobId> = ids(State::Pending)?.union(&ids(State::Deferred)?).copied().collect();
    for state in [State::Failed, State::Review] {
        let both = ids(state)?.intersection(&runnable).next().copied();
        promise!(
            both.is_none(),
            "job {both:?} waits in staging/ and would be run all the same{}",
            said(machine)
        );
    }
    Ok(())
}

/// Right after an interruption: a job that says it was approved has the record of that yes, or has ended with it.
pub fn every_yes_has_its_record(machine: &Machine) -> Result<(), Broken> {
    let queue = Queue::new(machine.process().shared(), layout());
    for state in [State::Pending, State::Deferred, State::Processing] {
        for listed in queue.list(state).map_err(|e| e.to_string())?.jobs {
            let job = queue.load(&listed).map_err(|e| e.to_string())?.job;
            let Some(job) = job.filter(|job| job.approved_by.is_some()) else { continue };
            if has_receipt(machine, job.id) {
                continue;
            }
            let yes = queue.worker().approval(job.id).map_err(|e| e.to_string())?;
            promise!(
                yes.is_some_and(|yes| yes.fits(&job)),
                "job {} is approved in {}, and there is no record of that yes{}",
                job.id,
                state.as_str(),
                said(machine)
            );
        }
    }
    Ok(())
}

/// Whether there is a receipt of this job, also one whose job has not moved to `done` yet.
fn has_receipt(machine: &Machine, id: JobId) -> bool {
    let of_it = |path: &Path, bytes: &[u8]| {
        let is_there = ["receipts", "done"].iter().any(|dir| path.starts_with(Path::new(HOME).join(dir)));
        let text = String::from_utf8_lossy(bytes);
        is_there && text.lines().any(|line| line.contains(&id.to_string()) && line.contains("\"receipt\""))
    };
    machine.files().into_iter().any(|(path, bytes)| bytes.is_some_and(|bytes| of_it(&path, &bytes)))
}

/// All that a run with nothing to do leaves as it is.
fn at_rest(machine: &Machine) -> u64 {
    machine.digest_without(&["locks", "journal", "sessions"])
}

fn run(machine: &Machine, now: Timestamp) -> Result<(), Broken> {
    work(&machine.process().shared(), now, false)
        .map_err(|e| format!("the next run failed: {e}{}", said(machine)))?;
    Ok(())
}

/// The home and the document, for a report.
fn said(machine: &Machine) -> String {
    let mut text = String::new();
    for (path, bytes) in machine.files() {
        let Some(bytes) = bytes else { continue };
        let locks = Path::new(HOME).join("locks");
        if !path.starts_with(locks) {
            text.push_str(&format!("\n  {} ({} bytes)", path.display(), bytes.len()));
        }
    }
    let document = machine.bytes(document()).unwrap_or_default();
    text.push_str(&format!("\n  document: {:?}", String::from_utf8_lossy(&document)));
    text
}

/// A job that ended well.
struct Ended {
    job: Job,
    receipt: Receipt,
}

fn check(machine: &Machine, told: &Told) -> Result<(), Broken> {
    let disk = machine.process().shared();
    let layout = layout();
    let queue = Queue::new(disk.clone(), layout.clone());
    let (ended, failed) = one_place_each(&queue, told.spoilt)?;
    promise!(failed.len() == told.failing, "{} jobs failed, not {}", failed.len(), told.failing);
    for id in &told.acknowledged {
        promise!(ended.contains_key(id) || failed.contains(id), "the acknowledged job {id} is nowhere");
    }
    let in_order = told.acknowledged.windows(2).all(|pair| pair[0] <= pair[1]);
    promise!(told.unordered || in_order, "ids are not in the order of declaring: {:?}", told.acknowledged);
    let thrown_away = [Ending::Discarded, Ending::Rejected];
    let discarded = ended.values().filter(|ended| thrown_away.contains(&ended.receipt.outcome)).count();
    promise!(discarded == told.discarded, "{discarded} jobs were discarded, not {}", told.discarded);
    for Ended { job, receipt } in ended.values() {
        // Every line is new to the document, or none is: else one that was there was written twice.
        let unchanged = receipt.outcome == Ending::Unchanged;
        promise!(unchanged == told.said_already, "job {} had its effect before: {unchanged}", job.id);
        let attempts = job.attempts.len();
        promise!(attempts <= told.attempts, "job {} was charged {attempts} attempts", job.id);
    }
    one_receipt_each(&disk, &queue, told, &ended)?;
    for id in ended.keys() {
        let yes = queue.worker().approval(*id).map_err(|e| e.to_string())?;
        promise!(yes.is_none(), "job {id} has ended, and the yes to it is still there");
    }
    text_is_theirs(machine, told, &ended)?;
    history_is_whole(&disk, told, &ended)?;
    nothing_left(machine)
}

fn one_place_each(queue: &Queue, spoilt: bool) -> Result<(BTreeMap<JobId, Ended>, BTreeSet<JobId>), Broken> {
    let (mut ended, mut failed, mut seen) = (BTreeMap::new(), BTreeSet::new(), BTreeSet::new());
    for state in State::ALL {
        let scan = queue.list(state).map_err(|e| e.to_string())?;
        promise!(scan.foreign.is_empty(), "{}: {:?} belong nowhere", state.as_str(), scan.foreign);
        promise!(scan.dropped.is_empty(), "{:?} were not taken in", scan.dropped);
        for listed in scan.jobs {
            promise!(seen.insert(listed.id), "job {} is in two places", listed.id);
            let found = queue.load(&listed).map_err(|e| e.to_string())?;
            if spoilt && state == State::Failed && found.unreadable.is_some() {
                failed.insert(listed.id);
                continue;
            }
            promise!(found.unreadable.is_none(), "{} is half-written: {:?}", listed.id, found.unreadable);
            match (state, found.job, found.receipt) {
                (State::Done, Some(job), Some(receipt)) => {
                    ended.insert(listed.id, Ended { job, receipt });
                }
                (State::Failed, Some(job), _) => {
                    promise!(job.error.is_some(), "job {} failed without a reason", listed.id);
                    failed.insert(listed.id);
                }
                _ => return Err(format!("job {} is stuck in {}", listed.id, state.as_str())),
            }
        }
    }
    Ok((ended, failed))
}

/// Each job that ended has one receipt, in its own file or in a batch, and was counted once.
fn one_receipt_each(
    disk: &Arc<dyn Disk>,
    queue: &Queue,
    told: &Told,
    ended: &BTreeMap<JobId, Ended>,
) -> Result<(), Broken> {
    let mut receipts: BTreeMap<String, usize> = BTreeMap::new();
    let lines = |dir: &Path| -> Vec<String> {
        let files = disk.list(dir).unwrap_or_default();
        let texts = files.iter().filter_map(|file| disk.read(&dir.join(file), u64::MAX).ok());
        texts
            .flat_map(|text| String::from_utf8_lossy(&text).lines().map(str::to_owned).collect::<Vec<_>>())
            .collect()
    };
    let homes = |name: &str| disk.list(&Path::new(HOME).join(name)).unwrap_or_default();
    for line in homes("receipts").iter().flat_map(|day| lines(&Path::new(HOME).join("receipts").join(day))) {
        let id = line.split('"').nth(3).unwrap_or_default().to_owned();
        *receipts.entry(id).or_default() += 1;
    }
    for line in homes("done").iter().flat_map(|day| lines(&Path::new(HOME).join("done").join(day))) {
        if let Ok((job, Some(_))) = Job::from_json(line.as_bytes()) {
            *receipts.entry(job.id.to_string()).or_default() += 1;
        }
    }
    for id in ended.keys() {
        let count = receipts.get(&id.to_string()).copied().unwrap_or_default();
        promise!(count == 1, "job {id} has {count} receipts");
    }
    if told.killed_only && told.forgotten.is_empty() {
        let of =
            |wanted: Ending| ended.values().filter(|ended| ended.receipt.outcome == wanted).count() as u64;
        let counters = queue.counters().map_err(|e| e.to_string())?;
        let (counted, there) =
            ((counters.applied, counters.unchanged), (of(Ending::Applied), of(Ending::Unchanged)));
        promise!(
            counted == there,
            "counted are {counted:?} applied and unchanged jobs, receipts have {there:?}"
        );
    }
    Ok(())
}

/// The document is what a person wrote, and in the log the lines of the jobs that ended, in the order of their ids.
fn text_is_theirs(machine: &Machine, told: &Told, ended: &BTreeMap<JobId, Ended>) -> Result<(), Broken> {
    let applied = ended.values().filter(|ended| ended.receipt.outcome == Ending::Applied);
    let mut lines: Vec<&str> = applied
        .filter_map(|ended| ended.job.entries.first()?.content.as_deref())
        .map(str::trim_end)
        .collect();
    for line in &told.lines {
        let times = lines.iter().filter(|known| *known == line).count();
        promise!(times == 1, "`{line}` was done {times} times");
    }
    let text = machine.bytes(document()).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    if told.unordered {
        // Whole lines: one may begin as another does.
        let place =
            |line: &&str| text.as_deref().unwrap_or_default().lines().position(|other| other == *line);
        lines.sort_by_key(place);
    }
    if told.from_nothing && !told.saved.is_empty() {
        return both_wrote(&text.unwrap_or_default(), &lines, &told.saved);
    }
    lines.retain(|line| !told.undone.iter().any(|undone| undone == line));
    let forgotten = told.forgotten.iter().map(String::as_str);
    let log: String = forgotten.chain(lines).map(|line| format!("{line}\n")).collect();
    let wanted = match told.from_nothing {
        true if log.is_empty() => None,
        true => Some(format!("## Log\n\n{log}")),
        false => Some(format!("{HEAD}{log}{TAIL}{}", told.saved.concat())),
    };
    promise!(text == wanted, "the document says {text:?}, not {wanted:?}");
    Ok(())
}

/// A person and a worker made the document at the same time: whoever came first, all lines are there once, in order.
fn both_wrote(text: &str, lines: &[&str], saved: &[String]) -> Result<(), Broken> {
    let log: String = lines.iter().map(|line| format!("{line}\n")).collect();
    promise!(text.matches(&log).count() == 1, "the document says {text:?}, not once {log:?}");
    for words in saved {
        promise!(text.matches(words.as_str()).count() == 1, "{words:?} are not once in {text:?}");
    }
    Ok(())
}

/// Every version is written down once, leads to the next one, and what it displaced is kept.
fn history_is_whole(disk: &Arc<dyn Disk>, told: &Told, ended: &BTreeMap<JobId, Ended>) -> Result<(), Broken> {
    let layout = layout();
    let documents = Documents::new(disk.clone(), layout.history(), layout.locks());
    let document = Document { path: PathBuf::from(DOCUMENT), canonical: PathBuf::from(DOCUMENT) };
    let revisions = documents.revisions(&document).map_err(|e| e.to_string())?;
    let mut written = BTreeSet::new();
    let first = revisions.first().map_or(1, |first| first.version);
    promise!(first <= told.trimmed + 1, "the log begins with version {first}");
    for (n, revision) in (first..).zip(&revisions) {
        promise!(revision.version == n, "version {} is written down as the {n}th", revision.version);
        let kept = documents.before(&document, n).map_err(|e| e.to_string())?.map(|bytes| hash(&bytes));
        let pruned = kept.is_none() && !told.forgotten.is_empty() && n < first + revisions.len() as u64 - 1;
        promise!(
            pruned || kept == revision.before,
            "version {n} displaced {:?}, kept is {kept:?}",
            revision.before
        );
        for job in &revision.jobs {
            promise!(written.insert(job.id.clone()), "job {} is in two versions", job.id);
        }
    }
    let mut trimmed = 1..first;
    for (id, Ended { receipt, .. }) in ended {
        let applied = receipt.outcome == Ending::Applied;
        // In order of their ids, one in each version where a log is trimmed here.
        let is_written = written.contains(&id.to_string()) || (applied && trimmed.next().is_some());
        promise!(applied == is_written, "job {id}: {:?}, in a version: {is_written}", receipt.outcome);
    }
    Ok(())
}

/// No temp file anywhere, no claim, nobody's directory in `processing/`.
fn nothing_left(machine: &Machine) -> Result<(), Broken> {
    let home = Path::new(HOME);
    for (path, bytes) in machine.files() {
        let beside = path.parent() == Some(Path::new(USER)) && path.to_string_lossy().contains("/.");
        let inbox = bytes.is_some() && path.parent() == Some(home);
        let claims = path.parent() == Some(&home.join("processing"));
        let temp = bytes.is_some() && path.starts_with(home.join("tmp"));
        promise!(!(beside || inbox || claims || temp), "{} was left", path.display());
    }
    Ok(())
}
