//! `read`: a document or one section as it is now, then what was declared for it and still waits.

use crate::failure::{self, Failure};
use crate::render;
use crate::world::World;
use declaration::{Entry, Scope, Target};
use markdown_merge::{Merger, Refusal, hash};
use operator::Waiting;
use policy::knowledge_base::{self, Surroundings};
use queue_layout::DocKey;

/// A document or one section of it, and what still waits for it
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The knowledge base, or the document's path
    #[arg(value_name = "KB|PATH")]
    pub what: String,
    /// Only this section; given several times: ancestors first
    #[arg(long, value_name = "TEXT")]
    pub heading: Vec<String>,
    /// The section's level [default: that of the only section with this heading]
    #[arg(long, value_name = "N", requires = "heading")]
    pub level: Option<u8>,
    /// With the sections below it
    #[arg(long, requires = "heading")]
    pub subtree: bool,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    let queue = world.queue()?;
    let settings = world.settings()?;
    let canonicalise = |path: &std::path::Path| world.canonicalise(path);
    let project = world.project();
    let target = match settings.knowledge_base(&args.what) {
        Some(_) => Target::Kb(args.what.clone()),
        None if args.what.contains('/') || args.what.ends_with(".md") => Target::Path(args.what.clone()),
        None => Target::Kb(args.what.clone()),
    };
    let today = world.moment().day();
    let around = Surroundings { today: Some(&today), ..world.around(&world.cwd, project.as_deref()) };
    let found = knowledge_base::resolve(&target, &settings.knowledge_bases, &around, &canonicalise).map_err(
        |problem| {
            let failure = Failure::new(problem.message);
            problem.hint.into_iter().fold(failure, Failure::hint)
        },
    )?;
    let documents = world.documents();
    let present = documents.read(&documents.find(&found.path)?)?;
    let merger = Merger::open(&present.bytes).map_err(refused)?;
    let text = if args.heading.is_empty() { Some(merger.text().to_owned()) } else { section(args, &merger)? };
    let mut waiting = operator::waiting(&queue, DocKey::of(&found.canonical))?;
    if !args.heading.is_empty() {
        waiting.retain(|waiting| waiting.job.entries.iter().any(|entry| is_about(entry, &args.heading)));
    }
    if world.json {
        return print_json(&found, text.as_deref(), &waiting);
    }
    print(args, text.as_deref(), &waiting)
}

/// The section's text; `None` when it is not there.
fn section(args: &Args, merger: &Merger) -> Result<Option<String>, Failure> {
    let named = |section: &&markdown_merge::Section| section.heading.ends_with(&args.heading);
    let level = args.level.or_else(|| merger.sections().iter().find(named).map(|section| section.level));
    let scope = if args.subtree { Scope::Subtree } else { Scope::Own };
    let text = merger.section_text(&args.heading, level.unwrap_or(2), scope).map_err(refused)?;
    Ok(text.map(str::to_owned))
}

fn is_about(entry: &Entry, heading: &[String]) -> bool {
    entry.key.heading.last() == heading.last()
}

fn refused(refusal: Refusal) -> Failure {
    let failure = Failure::new(refusal.message);
    refusal.hint.into_iter().fold(failure, Failure::hint)
}

fn print_json(
    found: &knowledge_base::Resolved,
    text: Option<&str>,
    waiting: &[Waiting],
) -> Result<u8, Failure> {
    let waiting: Vec<_> = waiting
        .iter()
        .map(|waiting| {
            serde_json::json!({
                "id": waiting.job.id, "place": waiting.place, "declared_at": waiting.job.created_at,
                "agent": waiting.job.producer.agent, "entries": waiting.job.entries,
            })
        })
        .collect();
    render::json(&serde_json::json!({
        "kb": found.name, "document": found.path, "text": text, "base": text.map(hash), "waiting": waiting,
    }))?;
    Ok(if text.is_none() && waiting.is_empty() { failure::COULD_NOT } else { 0 })
}

fn print(args: &Args, text: Option<&str>, waiting: &[Waiting]) -> Result<u8, Failure> {
    if text.is_none() && waiting.is_empty() {
        return Err(Failure::new(format!("{} has no section `{}`", args.what, args.heading.join(" > ")))
            .hint(format!("last-word read {}", args.what)));
    }
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        render::line(text.trim_end_matches('\n'))?;
    }
    if waiting.is_empty() {
        return Ok(0);
    }
    render::line("\n<!-- declared, not merged yet: -->")?;
    for waiting in waiting {
        for entry in &waiting.job.entries {
            let about = format!("{} `{}`", entry.operation.as_str(), entry.key.heading.join(" > "));
            render::line(&format!("<!-- {}: {about} ({}) -->", waiting.job.id, waiting.place.describe()))?;
            if let Some(content) = &entry.content {
                render::line(content.trim_end_matches('\n'))?;
            }
        }
    }
    Ok(0)
}
