//! `history`: the versions of a document, newest first.

use crate::failure::Failure;
use crate::language::said;
use crate::progress;
use crate::render;
use crate::table::{Cell, table};
use crate::world::World;
use documents::JobRecord;
use operator::ListedVersion;
use std::collections::{BTreeMap, BTreeSet};

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
    #[arg(long, default_value_t = LIMIT, value_name = "N")]
    pub limit: usize,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    let look = || world.history(&args.document, &world.cwd);
    let mut history = progress::waiting("reading its versions", look)?;
    let all = history.versions.len();
    if args.limit > 0 {
        history.versions.truncate(args.limit);
    }
    if world.json {
        render::json_sorted(&history)?;
        return Ok(0);
    }
    let rows = history.versions.iter().map(|version| cells(world, version)).collect();
    let versions = table(world.page, &["VERSION", "MADE", "BY", "WHAT", "KEPT"], rows);
    let mut lines = vec![world.short(&history.document)];
    lines.extend(versions.lines().map(str::to_owned));
    if history.versions.len() < all {
        let older = format!("… and {} older; --limit 0 shows all", all - history.versions.len());
        lines.push(said(&older).into_owned());
    }
    // A person who says how many gets that many. One row is kept for the prompt.
    let rows = world.page.height.filter(|_| args.limit == LIMIT).map(|rows| rows.saturating_sub(1));
    let shows_all = format!("last-word history {} --limit 0", args.document);
    crate::screen::fitting(world.page, lines, rows, &shows_all)
        .iter()
        .try_for_each(|line| render::line(line))?;
    Ok(0)
}

/// Versions that are shown where no number was given.
const LIMIT: usize = 20;

fn cells(world: &World, version: &ListedVersion) -> Vec<Cell> {
    let made = version.at.map_or_else(|| "before last-word".to_owned(), |at| render::ago(world.now(), at));
    let text = match (version.current, version.kept) {
        (true, _) => "now",
        (false, true) => "yes",
        (false, false) => "no",
    };
    vec![
        version.version.to_string().into(),
        Cell::said(&made),
        Cell::said(&authors(version)),
        Cell::said(&what_happened(version)),
        Cell::said(text),
    ]
}

/// What a version changed, in words.
fn what_happened(version: &ListedVersion) -> String {
    let mut what = what_changed(&version.jobs);
    if version.is_given_back() {
        what.push("saved by hand again and again, so that the jobs waited".to_owned());
    }
    if let Some(during) = &version.during {
        what.push(format!("changed past the queue while a command of {} ran", during.agent));
    }
    what.extend(version.edited_by_hand.then(|| "then edited by hand".to_owned()));
    what.join("; ")
}

fn authors(version: &ListedVersion) -> String {
    if version.is_given_back() {
        return BY_HAND.to_owned();
    }
    if let Some(during) = &version.during {
        return format!("by hand, or by {}", during.agent);
    }
    let names: BTreeSet<String> =
        version.jobs.iter().map(|job| author_and_editor(&job.agent, job.edited_by())).collect();
    names.into_iter().collect::<Vec<_>>().join(", ")
}

/// Who saved a document in an editor.
pub const BY_HAND: &str = "by hand";

/// The agent, or who typed a command.
pub fn author(agent: &str) -> &str {
    if agent.is_empty() { "a person" } else { agent }
}

/// The author, and who changed their words before they were merged.
pub fn author_and_editor(agent: &str, edited_by: Option<&str>) -> String {
    let author = author(agent);
    edited_by.map_or_else(|| author.to_owned(), |who| format!("{author}, edited by {who}"))
}

/// What jobs changed: each job, or, where there are many, how often each operation.
fn what_changed(jobs: &[JobRecord]) -> Vec<String> {
    const TOLD_MAX: usize = 5;
    if jobs.len() <= TOLD_MAX {
        return jobs.iter().map(of_job).collect();
    }
    let mut operations: BTreeMap<&str, (usize, BTreeSet<&[String]>)> = BTreeMap::new();
    for job in jobs {
        let operation = match (job.rollback_to, job.notes.first()) {
            (Some(_), _) => "rollback",
            (None, note) => note.map_or("change", |note| note.operation.as_str()),
        };
        let (times, sections) = operations.entry(operation).or_default();
        *times += 1;
        sections.extend(job.changes.iter().map(|change| change.heading.as_slice()));
    }
    let told = |(operation, (times, sections)): (&str, (usize, BTreeSet<&[String]>))| {
        format!("{operation} × {times} in {}", render::count(sections.len(), "section"))
    };
    operations.into_iter().map(told).collect()
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

#[cfg(test)]
mod tests {
    use super::{ListedVersion, authors, what_happened};
    use declaration::{Meta, Operation};
    use documents::{JobRecord, Note};

    #[test]
    fn a_version_without_jobs_says_how_it_came_about() {
        let version = |version, jobs, edited_by_hand| ListedVersion {
            version,
            at: None,
            by: None,
            jobs,
            hash: None,
            edited_by_hand,
            kept: true,
            current: false,
            during: None,
        };
        let job = || JobRecord { agent: "codex".to_owned(), rollback_to: Some(1), ..JobRecord::default() };
        let given_back = version(3, Vec::new(), true);
        assert_eq!(authors(&given_back), "by hand");
        assert_eq!(
            what_happened(&given_back),
            "saved by hand again and again, so that the jobs waited; then edited by hand"
        );
        let edited = Note {
            operation: Operation::Update,
            meta: Meta { edited_by: Some("mei".to_owned()), ..Meta::default() },
        };
        let mended = version(4, vec![JobRecord { notes: vec![edited], ..job() }], false);
        assert_eq!(authors(&mended), "codex, edited by mei");
        let merged = version(2, vec![job()], false);
        assert_eq!(
            (authors(&merged).as_str(), what_happened(&merged).as_str()),
            ("codex", "rollback to version 1")
        );
    }
}
