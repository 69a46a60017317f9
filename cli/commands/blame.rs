//! `blame`: for each section of a document when, in which session, by which agent and why it was last written.

use super::history::{BY_HAND, author_and_editor};
use crate::failure::Failure;
use crate::language::said;
use crate::progress;
use crate::render;
use crate::table::{Cell, table};
use crate::world::World;
use operator::Blamed;

/// Who wrote which section of a document, and why
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A knowledge base, or the document's path
    #[arg(value_name = "DOC")]
    pub document: String,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    let blame = progress::waiting("reading its versions", || world.blame(&args.document, &world.cwd))?;
    if world.json {
        render::json_sorted(&blame)?;
        return Ok(0);
    }
    render::line(&world.short(&blame.document))?;
    if blame.sections.is_empty() {
        render::tell("nothing stands there yet");
        return Ok(0);
    }
    let rows = blame.sections.iter().map(|section| cells(world, section)).collect();
    render::line(&table(world.page, &["LINE", "SECTION", "WHEN", "BY", "SESSION", "VERSION", "WHY"], rows))?;
    Ok(0)
}

fn cells(world: &World, blamed: &Blamed) -> Vec<Cell> {
    let heading = match blamed.heading.last() {
        Some(heading) => format!("{} {heading}", "#".repeat(usize::from(blamed.level))),
        None => said("(before the first heading)").into_owned(),
    };
    let line = blamed.line.to_string();
    let dash = || "-".to_owned();
    if let Some(during) = &blamed.during {
        let by = format!("by hand, or by a command of {}", during.agent);
        let (when, by) = (said(&render::ago(world.now(), during.at)).into_owned(), said(&by).into_owned());
        let cells = [line, heading, when, by, during.session.clone(), during.version.to_string(), dash()];
        return cells.into_iter().map(Cell::from).collect();
    }
    let Some(last) = &blamed.last else {
        let cells = [line, heading, dash(), said(BY_HAND).into_owned(), dash(), dash(), dash()];
        return cells.into_iter().map(Cell::from).collect();
    };
    let mut by = author_and_editor(&last.agent, last.meta.edited_by.as_deref());
    if blamed.by_hand && !last.agent.is_empty() {
        by.push_str(", then by hand");
    }
    let why = match (last.rollback_to, &last.meta.reason) {
        (Some(to), None) => format!("rollback to version {to}"),
        (Some(to), Some(reason)) => format!("rollback to version {to}: {reason}"),
        (None, reason) => reason.clone().unwrap_or_else(dash),
    };
    let sure = last.meta.confidence.map_or_else(String::new, |sure| format!(" ({:.0} % sure)", sure * 100.0));
    let origin = last.meta.trust.map_or_else(String::new, |trust| format!(", {}", trust.origin()));
    let session = if last.session.is_empty() { &last.source } else { &last.session };
    let session = if session.is_empty() { dash() } else { session.clone() };
    let when = render::ago(world.now(), last.at);
    let why = format!("{}{}{}", said(&why), said(&sure), said(&origin));
    let (when, by) = (said(&when).into_owned(), said(&by).into_owned());
    let cells = [line, heading, when, by, session, last.version.to_string(), why];
    cells.into_iter().map(Cell::from).collect()
}
