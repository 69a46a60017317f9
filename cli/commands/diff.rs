//! `diff`: what changed in a document between two versions.

use super::select;
use crate::failure::Failure;
use crate::render;
use crate::world::World;
use operator::{diff_of, text_during};
use serde_json::json;

/// What changed in a document between two versions
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  last-word diff user          what the last commit changed, and what was saved since
  last-word diff user 3        from version 3 to now
  last-word diff user 3 4      from version 3 to version 4")]
pub struct Args {
    /// A knowledge base, or the document's path
    #[arg(value_name = "DOC")]
    pub document: String,
    /// From this version [default: the one before the newest]
    #[arg(value_name = "A")]
    pub from: Option<u64>,
    /// To this version [default: the document as it is now]
    #[arg(value_name = "B")]
    pub to: Option<u64>,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    let document = select::known_document(&args.document, world)?;
    let documents = world.documents();
    let (from, before) = text_during(documents, &document, args.from)?;
    let (to, after) = match args.to {
        Some(version) => {
            let (version, text) = text_during(documents, &document, Some(version))?;
            (format!("version {version}"), text)
        }
        None => ("now".to_owned(), String::from_utf8_lossy(&documents.read(&document)?.bytes).into_owned()),
    };
    let name = world.short(&document.path);
    let diff = diff_of(&before, &after, &format!("{name} (version {from})"), &format!("{name} ({to})"));
    if world.json {
        render::json(&json!({ "document": document.path, "from": from, "to": args.to, "diff": diff }))?;
    } else if diff.is_empty() {
        render::line(&format!("{name}: version {from} and {to} are the same"))?;
    } else {
        render::diff(world.page, &diff)?;
    }
    Ok(0)
}
