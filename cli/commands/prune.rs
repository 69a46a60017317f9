//! `prune`: clears away what is older than `retention` in the configuration.

use crate::failure::Failure;
use crate::render;
use crate::world::World;
use documents::{Document, Documents};
use operator::{look_for_old, prune_some, prune_texts, pruned_sentence, tell_pruned};
use policy::knowledge_base::Surroundings;
use policy::settings::Settings;
use queue_layout::{Pruned, Queue};
use serde_json::json;
use std::collections::BTreeMap;

/// Clear away old receipts, journals and earlier texts
#[derive(Debug, clap::Args)]
#[command(
    after_help = "What is kept is set by `retention` in config.yaml. An idempotency key is kept as long as the receipt of its job,
and the log that `blame` reads is kept for good. `last-word work` clears away a little at the end of each run."
)]
pub struct Args {
    /// Say what would go, and remove nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// Files between two looks at the progress.
const STEP_FILES: usize = 2_000;

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    let queue = world.queue()?;
    let settings = world.settings()?;
    if args.dry_run {
        return dry_run(world, &queue, &settings).map(|()| 0);
    }
    let mut total = Pruned::default();
    loop {
        let (pruned, more) = prune_some(&queue, world.now(), &settings.retention, STEP_FILES)?;
        total = total.plus(pruned);
        if !more || pruned.is_nothing() {
            break;
        }
    }
    total.texts = texts(world, world.documents(), &settings, false)?;
    tell_pruned(&queue, &total, &world.person(), world.now());
    if world.json {
        render::json(&total)?;
    } else if total.is_nothing() {
        render::line("nothing is old enough")?;
    } else {
        render::line(&format!("cleared away: {}", pruned_sentence(&total)))?;
    }
    Ok(0)
}

fn dry_run(world: &World, queue: &Queue, settings: &Settings) -> Result<(), Failure> {
    let plan = look_for_old(queue, world.now(), &settings.retention)?;
    let mut receipts = 0;
    for day in &plan.done {
        receipts += queue.count_receipts(day)?;
    }
    let texts = texts(world, world.documents(), settings, true)?;
    let holds = queue.stale_holds()?.len();
    if world.json {
        let would = json!({ "would": { "done": plan.done, "receipts": receipts, "journal": plan.journal,
            "texts": texts, "holds": holds } });
        return render::json(&would);
    }
    let days = |days: &[String]| match days {
        [] => String::new(),
        [one] => format!(" ({one})"),
        [first, .., last] => format!(" ({first} to {last})"),
    };
    render::line("would clear away, without touching a document:")?;
    render::line(&format!("  {receipts} receipts and their keys{}", days(&plan.done)))?;
    render::line(&format!("  {} days of the journal{}", plan.journal.len(), days(&plan.journal)))?;
    render::line(&format!("  {texts} earlier texts of documents"))?;
    render::line(&format!("  {holds} holds of jobs that ended"))?;
    render::line("what is kept is set by `retention` in config.yaml")
}

/// Earlier texts beyond what each knowledge base keeps. A document that cannot be told from here (of a project
/// elsewhere) keeps the most that any keeps.
fn texts(world: &World, documents: &Documents, settings: &Settings, dry_run: bool) -> Result<usize, Failure> {
    let project = world.project();
    let around: Surroundings<'_> = world.around(&world.cwd, project.as_deref());
    let canonicalise = |path: &std::path::Path| world.canonicalise(path);
    let mut keep: BTreeMap<String, u32> = BTreeMap::new();
    for (index, base) in settings.knowledge_bases.iter().enumerate() {
        if let Ok(found) = policy::knowledge_base::document(index, base, &around, &canonicalise) {
            let document = Document { path: found.path, canonical: found.canonical };
            keep.insert(document.key(), base.snapshots.unwrap_or(settings.retention.snapshots));
        }
    }
    let most = settings.knowledge_bases.iter().filter_map(|base| base.snapshots).max().unwrap_or(0);
    let unknown = settings.retention.snapshots.max(most);
    Ok(prune_texts(documents, &|key| keep.get(key).copied().unwrap_or(unknown), dry_run)?)
}
