//! `apply`: the worker by hand. With `--dry-run` a diff per document, and nothing is changed.

use super::work::stop_on_signals;
use crate::failure::{self, Failure};
use crate::render;
use crate::world::World;
use declaration::reading::{self, Format};
use engine::output::{WouldChange, WouldNotMerge};
use engine::{output, sentence};
use operator::diff_of_trial;
use policy::knowledge_base::KnowledgeBase;
use policy::settings::Settings;
use queue_layout::{DocKey, Draft, Job, JobId, Listed, Outcome, Queue, State};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use trial::ApprovedAs;

/// The worker by hand, for some documents; --dry-run shows the diffs and changes nothing
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Show what would change, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Only jobs of this document (a path, or a knowledge base), also before they are due
    #[arg(long, value_name = "DOC")]
    pub file: Option<String>,
    /// Jobs (ids or their beginnings), also before they are due; or declarations that are not enqueued yet
    #[arg(value_name = "JOB|FILE.yaml")]
    pub what: Vec<String>,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    let queue = world.queue()?;
    let settings = world.settings()?;
    let chosen = ApplyScope::of(args, world, &queue, &settings)?;
    if args.dry_run {
        dry_run(world, &queue, &settings, chosen)
    } else {
        apply(world, queue, &settings, chosen)
    }
}

/// What `apply` is about.
struct ApplyScope {
    /// Declarations from files, not enqueued yet.
    drafts: Vec<Draft>,
    /// Jobs named by id.
    jobs: Vec<JobId>,
    /// Documents it is limited to; empty for all.
    docs: Vec<DocKey>,
}

impl ApplyScope {
    fn of(args: &Args, world: &World, queue: &Queue, settings: &Settings) -> Result<ApplyScope, Failure> {
        let mut chosen = ApplyScope { drafts: Vec::new(), jobs: Vec::new(), docs: Vec::new() };
        for what in &args.what {
            if what == "-" || world.is_input(what) {
                chosen.drafts.extend(drafts(what, world, settings)?);
            } else {
                let listed = queue.find(what)?;
                if !matches!(listed.state, State::Pending | State::Deferred) {
                    let message =
                        format!("job {} is {}, not waiting to be merged", listed.id, listed.state.as_str());
                    return Err(Failure::new(message)
                        .hint(format!("`last-word show {}` says what it waits for", listed.id)));
                }
                chosen.docs.push(listed.doc);
                chosen.jobs.push(listed.id);
            }
        }
        chosen.docs.extend(chosen.drafts.iter().map(|draft| draft.document.doc));
        if let Some(file) = &args.file {
            chosen.docs.push(DocKey::of(&world.document(file, &world.cwd, settings)?.canonical));
        }
        Ok(chosen)
    }
}

fn drafts(file: &str, world: &World, settings: &Settings) -> Result<Vec<Draft>, Failure> {
    let bytes = world.read_input(file)?;
    let format = (file != "-").then(|| Format::guess(Some(file), &bytes));
    let read = reading::read(&bytes, format);
    let caller = world.caller(None, None);
    let drafts = read.and_then(|declarations| {
        world
            .drafts(&caller, "apply", declarations, None, settings)
            .map_err(|found| reading::placed(&bytes, format, found))
    });
    drafts.map_err(|problems| Failure::refused(file, &problems))
}

fn apply(world: &World, queue: Queue, settings: &Settings, chosen: ApplyScope) -> Result<u8, Failure> {
    make_due(&queue, &chosen)?;
    queue.producer().enqueue(chosen.drafts, world.now(), &mut || world.host().random(), &mut |_| {})?;
    let worker = world.worker(world.caller(None, None), world.person()).control(stop_on_signals()?);
    let report = worker.work_on(&chosen.docs, settings)?;
    if world.json {
        render::json(&output::Applied::from(&report))?;
    } else {
        render::line(&sentence(&report))?;
        put_off(&queue, &chosen.docs)?;
        let holds = queue.holds()?;
        let of_chosen = chosen.docs.is_empty() || chosen.docs.iter().any(|doc| holds.hint(*doc));
        let of_jobs = holds.jobs().any(|id| chosen.jobs.is_empty() || chosen.jobs.contains(&id));
        if holds.queue() || !holds.is_empty() && (of_chosen || of_jobs) {
            render::line("something is held and was left alone: `last-word hold` lists it")?;
        }
    }
    Ok(if report.failed + report.review > 0 { failure::SOMEBODY_NEEDED } else { 0 })
}

/// Why the documents that were asked for are not merged into: the reason of each one's first job.
fn put_off(queue: &Queue, docs: &[DocKey]) -> Result<(), Failure> {
    let mut told = Vec::new();
    for listed in queue.list(State::Deferred)?.jobs {
        if told.contains(&listed.doc) || !(docs.is_empty() || docs.contains(&listed.doc)) {
            continue;
        }
        told.push(listed.doc);
        let Some(job) = queue.load(&listed)?.job else { continue };
        if let Some(error) = job.attempts.last().map(|last| &last.error) {
            render::line(&format!("put off: {} [{}]", error.message, error.code))?;
            error.hint.as_ref().map_or(Ok(()), |hint| render::line(&format!("hint: {hint}")))?;
        }
    }
    Ok(())
}

/// Who names a job or a document does not want to wait until it is due: what was put off is runnable again.
fn make_due(queue: &Queue, chosen: &ApplyScope) -> Result<(), Failure> {
    let named = |listed: &&Listed| match chosen.jobs.as_slice() {
        [] => chosen.docs.contains(&listed.doc),
        jobs => jobs.contains(&listed.id),
    };
    let deferred = queue.list(State::Deferred)?.jobs;
    let early: Vec<Listed> = deferred.iter().filter(named).cloned().collect();
    Ok(queue.operator().make_due(&early)?)
}

/// Merges in memory what waits (or only what was chosen) and shows what that would change.
fn dry_run(world: &World, queue: &Queue, settings: &Settings, chosen: ApplyScope) -> Result<u8, Failure> {
    let mut by_document: BTreeMap<PathBuf, Vec<(Option<JobId>, Job)>> = BTreeMap::new();
    for (id, job) in jobs(world, queue, chosen)? {
        by_document.entry(job.document.path.clone()).or_default().push((id, job));
    }
    let changes = by_document
        .into_iter()
        .map(|(path, jobs)| preview(world, settings, path, jobs))
        .collect::<Result<Vec<_>, _>>()?;
    if world.json {
        render::json(&changes)?;
        return Ok(0);
    }
    if changes.is_empty() {
        render::line("nothing waits")?;
    }
    for change in &changes {
        show(world, change)?;
    }
    Ok(0)
}

fn jobs(world: &World, queue: &Queue, chosen: ApplyScope) -> Result<Vec<(Option<JobId>, Job)>, Failure> {
    let only_drafts = chosen.jobs.is_empty() && !chosen.drafts.is_empty();
    let mut jobs = Vec::new();
    if !only_drafts {
        for listed in queue.list_runnable()?.0.jobs.iter().filter(|listed| !listed.is_drop()) {
            let named = chosen.jobs.is_empty() || chosen.jobs.contains(&listed.id);
            let of_document = chosen.docs.is_empty() || chosen.docs.contains(&listed.doc);
            if named
                && of_document
                && let Some(job) = queue.load(listed)?.job
            {
                jobs.push((Some(listed.id), job));
            }
        }
    }
    jobs.extend(chosen.drafts.into_iter().map(|draft| (None, draft.into_job(world.now()))));
    Ok(jobs)
}

fn preview(
    world: &World,
    settings: &Settings,
    path: PathBuf,
    jobs: Vec<(Option<JobId>, Job)>,
) -> Result<WouldChange, Failure> {
    let kb = jobs.first().map(|(_, job)| job.document.kb.clone()).unwrap_or_default();
    let unlisted = KnowledgeBase::plain(&kb, &path.to_string_lossy());
    let document = world.documents().find(&path)?;
    let project = jobs.first().and_then(|(_, job)| job.document.project.clone());
    let base =
        world.strictest(settings, &kb, &document, project.as_deref()).unwrap_or(Cow::Borrowed(&unlisted));
    let borrowed: Vec<&Job> = jobs.iter().map(|(_, job)| job).collect();
    let tried = world.trial(&document, &base, settings).now(&borrowed, ApprovedAs::Given)?;
    let diff = diff_of_trial(&tried, &world.short(&path));
    let refused = jobs.iter().zip(tried.merged.outcomes).filter_map(|((id, _), outcome)| match outcome {
        Outcome::Applied(_) | Outcome::Unchanged(_) => None,
        Outcome::Failed(error) | Outcome::Retry(error) => {
            Some(WouldNotMerge { id: *id, review: false, error })
        }
        Outcome::Review { fault: error, .. } => Some(WouldNotMerge { id: *id, review: true, error }),
    });
    Ok(WouldChange { refused: refused.collect(), diff, document: path })
}

fn show(world: &World, change: &WouldChange) -> Result<(), Failure> {
    if change.diff.is_empty() {
        render::line(&format!("{}: nothing would change", world.short(&change.document)))?;
    } else {
        render::line(change.diff.trim_end())?;
    }
    for WouldNotMerge { id, review, error } in &change.refused {
        let id = id.map_or_else(|| "the declaration".to_owned(), |id| id.to_string());
        let would = if *review { "would wait for a review" } else { "would fail" };
        render::line(&format!("{id} {would}: {} [{}]", error.message, error.code))?;
        if let Some(hint) = &error.hint {
            render::line(&format!("  hint: {hint}"))?;
        }
    }
    Ok(())
}
