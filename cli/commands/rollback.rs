//! `rollback`: a document goes back to an earlier version. By a job, so that it keeps its place among the others, is
//! in the history, and can itself be rolled back.

use super::select;
use crate::failure::Failure;
use crate::render;
use crate::world::World;
use declaration::{Entry, Key, Meta, Operation, Scope, Target};
use documents::Document;
use operator::diff_of;
use queue_layout::{DocKey, DocumentRef, Draft};
use serde_json::json;

/// Put a document back to an earlier version, by a job that can itself be rolled back
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A rollback is a job like any other: `last-word work` merges it, and it can itself be rolled back. What is
changed between now and then stays; where both changed the same lines the job fails, and you decide.

Examples:
  last-word rollback user               undo the last commit
  last-word rollback user --to 3        as it was in version 3 (`last-word history user`)
  last-word rollback user --dry-run     only show the change"
)]
pub struct Args {
    /// A knowledge base, or the document's path
    #[arg(value_name = "DOC")]
    pub document: String,
    /// To this version [default: the one before the newest]
    #[arg(long, value_name = "REV")]
    pub to: Option<u64>,
    /// Why, for the history
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    /// Show the change, and enqueue nothing
    #[arg(long)]
    pub dry_run: bool,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    world.refuse_agents("roll back")?;
    let queue = world.queue()?;
    let settings = world.settings()?;
    let resolved = select::document(&args.document, world, &settings)?;
    let document = Document { path: resolved.path.clone(), canonical: resolved.canonical.clone() };
    let restore = operator::restore(world.documents(), &document, args.to)?;
    let version = restore.version;
    let name = world.short(&document.path);
    let diff = diff_of(&restore.base, &restore.text, &name, &format!("{name} (version {version})"));
    if diff.is_empty() {
        if world.json {
            render::json(&json!({ "id": null, "document": document.path, "to": version, "diff": "" }))?;
        } else {
            render::line(&format!("{name} is as it was in version {version}; nothing to do"))?;
        }
        return Ok(0);
    }
    let mut id = None;
    if !args.dry_run {
        let project = world.project().filter(|project| resolved.path.starts_with(project));
        let target = resolved.target();
        let reference = DocumentRef {
            kb: resolved.name.clone(),
            doc: DocKey::of(&resolved.canonical),
            path: resolved.path,
            project,
        };
        let draft = draft(world, target, reference, args.reason.clone());
        id = Some(queue.enqueue_restore(draft, restore, world.now(), &mut || world.host().random())?.id);
    }
    if world.json {
        render::json(&json!({ "id": id, "document": document.path, "to": version, "diff": diff }))?;
        return Ok(0);
    }
    render::diff(world.page, &diff)?;
    match id {
        Some(id) => render::line(&format!("{id}  back to version {version}; `last-word work` merges it"))?,
        None => render::line(&format!("would go back to version {version}"))?,
    }
    Ok(0)
}

/// One entry that changes nothing: it says which document.
fn draft(world: &World, target: Target, document: DocumentRef, reason: Option<String>) -> Draft {
    let entry = Entry {
        key: Key { target, heading: Vec::new(), level: 0 },
        operation: Operation::NoOp,
        content: None,
        old_text: None,
        scope: Scope::Own,
        create: false,
        base: None,
        meta: Meta { reason, ..Meta::default() },
    };
    let producer = world.caller(None, None).producer("rollback");
    Draft { document, entries: vec![entry], source: world.person(), producer, key: None }
}
