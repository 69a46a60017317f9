//! Keeps agents from writing managed documents by hand, and from what is hard to undo in a project they know nothing of.

use super::words;
use crate::world::World;
use agents::{HookEvent, How, Intent, Reply, Written};
use declaration::Target;
use durable::Disk;
use policy::knowledge_base::{self, KnowledgeBase, Resolved, Root};
use policy::settings::{Mode, Settings};
use std::path::Path;

/// What the guard says of a tool call.
#[derive(Debug, PartialEq, Eq)]
pub enum Finding {
    /// A managed document would be written.
    Document(Mode, String),
    /// A command of high risk, and the project's knowledge was not read.
    Unread(Mode, String),
}

impl Finding {
    /// The answer.
    pub fn reply(&self) -> Reply {
        match self {
            Finding::Document(Mode::Block, text) | Finding::Unread(Mode::Block, text) => {
                Reply::Deny(text.clone())
            }
            Finding::Document(_, text) | Finding::Unread(_, text) => Reply::Context(text.clone()),
        }
    }
}

/// The documents of the knowledge bases that can be found here.
pub fn documents<'s>(world: &World, settings: &'s Settings) -> Vec<(&'s KnowledgeBase, Resolved)> {
    let project = world.project();
    let around = world.around(project.as_deref());
    let canonicalise = |path: &Path| world.canonicalise(path);
    let found = settings.knowledge_bases.iter().enumerate().filter_map(|(index, base)| {
        Some((base, knowledge_base::document(index, base, &around, &canonicalise).ok()?))
    });
    found.collect()
}

/// Judges a tool call. `read`: knowledge bases this session was shown.
pub fn judge(
    world: &World,
    settings: &Settings,
    event: &HookEvent,
    agent: &str,
    intent: &Intent,
    read: &[String],
) -> Option<Finding> {
    let documents = documents(world, settings);
    let whose = words::whose(agent, event.session.as_deref());
    if settings.guard.documents != Mode::Off {
        let touched = documents
            .iter()
            .find(|(_, document)| intent.written.iter().any(|written| touches(world, written, document)));
        if let Some((base, document)) = touched {
            let text = words::denied(base, &world.short(&document.path), &whose);
            return Some(Finding::Document(settings.guard.documents, text));
        }
        if let Some((base, document)) = member_written(world, settings, intent) {
            let text = words::denied(base, &world.short(&document.path), &whose);
            return Some(Finding::Document(settings.guard.documents, text));
        }
    }
    if settings.guard.unread == Mode::Off {
        return None;
    }
    let command = agents::risk(&intent.commands)?;
    let unread = documents.iter().find(|(base, document)| {
        base.root == Root::Project
            && !read.contains(&base.name)
            && world.disk.stat(&document.canonical).is_ok_and(|stat| stat.is_some_and(|stat| stat.len > 0))
    });
    unread.map(|(base, _)| Finding::Unread(settings.guard.unread, words::unread(&command, base)))
}

/// The document of a family that a tool call would write: not every one of them is there to be looked at first.
fn member_written<'s>(
    world: &World,
    settings: &'s Settings,
    intent: &Intent,
) -> Option<(&'s KnowledgeBase, Resolved)> {
    let families = settings.knowledge_bases.iter().any(|base| policy::family::is_family(&base.path));
    let project = world.project();
    let around = world.around(project.as_deref());
    let canonicalise = |path: &Path| world.canonicalise(path);
    intent.written.iter().filter(|_| families).find_map(|written| {
        let target = Target::Path(written.path.to_str()?.to_owned());
        let found =
            knowledge_base::resolve(&target, &settings.knowledge_bases, &around, &canonicalise).ok()?;
        Some((&settings.knowledge_bases[found.index], found)).filter(|(_, found)| !found.values.is_empty())
    })
}

/// The knowledge bases a tool call reads: by a tool that reads files, or by `last-word read`.
pub fn reads(world: &World, settings: &Settings, intent: &Intent) -> Vec<String> {
    let by_command = intent.commands.iter().filter_map(|words| match words.as_slice() {
        [program, command, name, ..] if program.ends_with("last-word") && command == "read" => {
            Some(name.clone())
        }
        _ => None,
    });
    let mut names: Vec<String> = by_command.filter(|name| settings.knowledge_base(name).is_some()).collect();
    if !intent.read.is_empty() {
        let documents = documents(world, settings);
        let is_read = |document: &Resolved| intent.read.iter().any(|path| same_file(world, path, document));
        names.extend(
            documents.iter().filter(|(_, document)| is_read(document)).map(|(base, _)| base.name.clone()),
        );
    }
    names
}

/// Whether a change reaches a document: by the text of the paths, by where their links lead, or as the same file under
/// another name.
fn touches(world: &World, written: &Written, document: &Resolved) -> bool {
    if written.reaches(&document.path) || written.reaches(&document.canonical) {
        return true;
    }
    match written.how {
        How::Here => same_file(world, &written.path, document),
        How::Gone => world.canonicalise(&written.path).is_ok_and(|path| document.canonical.starts_with(path)),
        How::Below => {
            let (Some(dir), Some(name)) = (written.path.parent(), written.path.file_name()) else {
                return false;
            };
            let resolved =
                world.canonicalise(dir).map(|dir| Written { path: dir.join(name), how: How::Below });
            resolved.is_ok_and(|written| written.reaches(&document.canonical))
        }
    }
}

fn same_file(world: &World, path: &Path, document: &Resolved) -> bool {
    if world.canonicalise(path).is_ok_and(|path| path == document.canonical) {
        return true;
    }
    // A name with `..` after something that does not exist: tools take it out by its text.
    let plain = Written { path: path.to_owned(), how: How::Here };
    if plain.reaches(&document.canonical) || plain.reaches(&document.path) {
        return true;
    }
    let identity = |path: &Path| world.disk.stat(path).ok().flatten().map(|stat| (stat.device, stat.inode));
    identity(path).is_some_and(|found| identity(&document.canonical) == Some(found))
}
