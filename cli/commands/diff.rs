//! `diff`: what changed in a document between two versions.

use super::select;
use crate::args::operate::Diff;
use crate::failure::Failure;
use crate::render;
use crate::world::World;
use operator::{diff_of, text_during};
use serde_json::json;

pub fn run(args: &Diff, world: &World) -> Result<u8, Failure> {
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
