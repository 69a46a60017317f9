//! `drift`: which lines of documents are not so any more.

use crate::failure::{self, Failure};
use crate::progress;
use crate::render::{self, Tone};
use crate::visible::in_a_line;
use crate::world::World;
use engine::output::DriftReport;
use std::path::PathBuf;

/// Which lines of documents are not so any more: paths, links, targets, versions, variables, days
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 nothing drifted, 4 something did, 1 could not, 2 usage.
What cannot be decided is not reported. It needs no home, but for --propose; in CI: last-word drift docs")]
pub struct Args {
    /// A document, or a directory [default: the documents of the project here]
    #[arg(value_name = "PATH")]
    pub path: Option<PathBuf>,
    /// Also propose a change for each line of a document that is managed; each waits for your yes (`last-word review`)
    #[arg(long)]
    pub propose: bool,
}

/// So many of those that were not looked at are told by name.
const UNREAD_SHOWN_MAX: usize = 20;

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    let look = || world.drift(args.path.as_deref(), &world.cwd);
    let report = progress::waiting("holding documents against the repository", look)?;
    let code = match report.lines.is_empty() {
        true if saw_nothing(&report) => failure::COULD_NOT,
        true => 0,
        false => failure::SOMEBODY_NEEDED,
    };
    let proposed = match args.propose {
        true => {
            world.check()?;
            world.propose_drift(&world.caller(None, None), &report)?.len()
        }
        false => 0,
    };
    if world.json {
        render::json(&report)?;
        return Ok(code);
    }
    for line in &report.lines {
        let place = format!("{}:{}", in_a_line(&line.path), line.finding.line);
        let place = world.page.paint(Tone::Strong, &place);
        let now = line.finding.now.as_ref().map_or_else(String::new, |now| format!("; now: {now}"));
        let found = format!("{}: {}{now}", line.finding.says, line.finding.why);
        render::say(&format!("{place}  {}", in_a_line(&found)))?;
    }
    for unread in report.unread.iter().take(UNREAD_SHOWN_MAX) {
        let of_root = || world.short(&report.root);
        let name = if unread.path.is_empty() { of_root() } else { unread.path.clone() };
        render::tell(&format!("{} was not looked at: {}", in_a_line(&name), unread.why));
    }
    render::tell(&sentence(&report));
    if args.propose {
        let waits = if proposed == 1 { "waits" } else { "wait" };
        render::tell(&format!(
            "{} {waits} for your yes after the next `last-word work`",
            render::count(proposed, "proposal")
        ));
    }
    Ok(code)
}

/// Whether nothing could be looked at of what was asked for: a CI job must not take that for documents in order.
fn saw_nothing(report: &DriftReport) -> bool {
    report.documents == 0 && !report.unread.is_empty()
}

fn sentence(report: &DriftReport) -> String {
    if saw_nothing(report) {
        return "nothing could be looked at: whether something has drifted is not known".to_owned();
    }
    let documents = render::count(report.documents, "document");
    let part = if report.whole { "" } else { "; the repository is too large to say what is missing in it" };
    let part = match report.unread.len() {
        0 => part.to_owned(),
        1 => format!("{part}; 1 was not looked at"),
        some => format!("{part}; {some} were not looked at"),
    };
    match report.lines.len() {
        0 => format!("nothing has drifted in {documents}{part}"),
        1 => format!("1 line of {documents} is not so any more{part}"),
        some => format!("{some} lines of {documents} are not so any more{part}"),
    }
}
