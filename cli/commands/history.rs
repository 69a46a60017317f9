//! `history`: the versions of a document, newest first.

use crate::failure::Failure;
use crate::render;
use crate::table::{Cell, table};
use crate::world::World;
use documents::JobRecord;
use operator::Version;

/// The versions of a document: when, by whom, what they changed
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A version is the document from one commit of ours until the next, with what people saved in it meanwhile.
Version 0 is what it was before the first commit."
)]
pub struct Args {
    /// A knowledge base, or the document's path
    #[arg(value_name = "DOC")]
    pub document: String,
    /// At most so many versions, newest first; 0 for all
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub limit: usize,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    let mut history = world.history(&args.document, &world.cwd)?;
    let all = history.versions.len();
    if args.limit > 0 {
        history.versions.truncate(args.limit);
    }
    if world.json {
        render::json_sorted(&history)?;
        return Ok(0);
    }
    render::line(&world.short(&history.document))?;
    let rows = history.versions.iter().map(|version| cells(world, version)).collect();
    render::line(&table(world.page, &["VERSION", "MADE", "BY", "WHAT", "TEXT"], rows))?;
    if history.versions.len() < all {
        render::line(&format!("… and {} older; --limit 0 shows all", all - history.versions.len()))?;
    }
    Ok(0)
}

fn cells(world: &World, version: &Version) -> Vec<Cell> {
    let made = version.at.map_or_else(|| "before us".to_owned(), |at| render::ago(world.now(), at));
    let mut what: Vec<String> = version.jobs.iter().map(of_job).collect();
    if version.edited_by_hand {
        what.push("then edited by hand".to_owned());
    }
    let text = match (version.current, version.kept) {
        (true, _) => "now",
        (false, true) => "kept",
        (false, false) => "pruned",
    };
    vec![
        version.version.to_string().into(),
        made.into(),
        authors(version).into(),
        what.join("; ").into(),
        text.into(),
    ]
}

fn authors(version: &Version) -> String {
    let mut names: Vec<&str> = version.jobs.iter().map(|job| author(&job.agent)).collect();
    names.dedup();
    names.join(", ")
}

/// The agent, or the person's shell.
pub fn author(agent: &str) -> &str {
    if agent.is_empty() { "by hand" } else { agent }
}

fn of_job(job: &JobRecord) -> String {
    if let Some(to) = job.rollback_to {
        return format!("rollback to version {to}");
    }
    let mut sections = job.changes.iter().map(|change| match change.heading.as_slice() {
        [] => "the text before the first heading".to_owned(),
        heading => heading.join(" > "),
    });
    let first = sections.next().unwrap_or_default();
    let more = sections.count();
    let operation = job.notes.first().map_or("", |note| note.operation.as_str());
    let more = if more > 0 { format!(" +{more}") } else { String::new() };
    format!("{operation} {first}{more}").trim_start().to_owned()
}
