//! Claude Code: `CLAUDE.md` of the person and the project with what they import, rules, and the memory it keeps by itself.

use super::{MemoryStore, Text, entry_of, leave_pointer, links, pointer, project_folder, said};
use crate::entry::{About, FoundMemories, Memory, MemoryKind};
use crate::front_matter::{Note, note};
use crate::markdown::{Form, imports};
use std::path::{Path, PathBuf};

pub(super) const NAME: &str = "claude_code";

pub(super) fn read(store: &MemoryStore<'_>, found: &mut FoundMemories) {
    let root = store.folder("CLAUDE_CONFIG_DIR", ".claude");
    for text in store.with_imports(NAME, &root.join("CLAUDE.md"), store.home, found) {
        instructions(&text, &About::User, None, found);
    }
    for path in store.files(NAME, &root.join("rules"), ".md", found) {
        rule(store, &path, &About::Global, None, found);
    }
    for project in store.folders(&root.join("projects")) {
        let directory = project_of(store, &project);
        memories(store, NAME, &project.join("memory"), directory.as_ref(), found);
    }
    let Some(project) = store.project else { return };
    for name in ["CLAUDE.md", ".claude/CLAUDE.md"] {
        for text in store.with_imports(NAME, &project.join(name), project, found) {
            instructions(&text, &About::Project, Some(project), found);
        }
    }
    for text in store.with_imports(NAME, &project.join("CLAUDE.local.md"), project, found) {
        instructions(&text, &About::User, Some(project), found);
    }
    for path in store.files(NAME, &project.join(".claude/rules"), ".md", found) {
        rule(store, &path, &About::Project, Some(project), found);
    }
}

/// The files with a person's instructions to the agent.
fn instructions(text: &Text, about: &About, project: Option<&Path>, found: &mut FoundMemories) {
    for piece in &said(NAME, text, found) {
        // Such a paragraph only refers to another file.
        if piece.form == Form::Paragraph && !imports(&piece.text).is_empty() {
            leave_pointer(NAME, text, piece, found);
            continue;
        }
        let entry = entry_of(NAME, text, piece, about.clone());
        found.add(Memory { project: project.map(Path::to_owned), ..entry });
    }
}

/// A rule, which may hold for some files only.
fn rule(
    store: &MemoryStore<'_>,
    path: &Path,
    about: &About,
    project: Option<&Path>,
    found: &mut FoundMemories,
) {
    let Some(text) = store.text(NAME, path, found) else { return };
    super::cursor::rule(NAME, &text, "paths", about, project, found);
}

/// The directory of the project that a folder belongs to. The transcripts in the folder name it; without them it is the project we
/// are asked about, if that has the folder's name.
pub(super) fn project_of(store: &MemoryStore<'_>, folder: &Path) -> Option<PathBuf> {
    let is_transcript = |name: &String| name.ends_with(".jsonl");
    let mut transcripts = store.names(folder).into_iter().filter(is_transcript).take(3);
    let said = transcripts.find_map(|name| store.directory_said(&folder.join(name)));
    let named = |project: &&Path| folder.file_name().is_some_and(|name| *name == *project_folder(project));
    said.or_else(|| store.project.filter(named).map(Path::to_owned))
}

/// A folder of memories, one a file, with an index of pointers beside them.
pub(super) fn memories(
    store: &MemoryStore<'_>,
    system: &'static str,
    folder: &Path,
    project: Option<&PathBuf>,
    found: &mut FoundMemories,
) {
    for path in store.files(system, folder, ".md", found) {
        let Some(text) = store.text(system, &path, found) else { continue };
        if path.file_name().is_some_and(|name| name == "MEMORY.md") {
            index(store, system, &text, project, found);
        } else {
            memory(system, folder, &text, project, found);
        }
    }
}

/// Lines of the index that point to no file: nothing else is left of those memories.
fn index(
    store: &MemoryStore<'_>,
    system: &'static str,
    text: &Text,
    project: Option<&PathBuf>,
    found: &mut FoundMemories,
) {
    let folder = text.path.parent().unwrap_or(&text.path);
    for piece in &said(system, text, found) {
        let points = pointer(&piece.text).is_some_and(|file| store.is_there(&folder.join(file)));
        if !points {
            found.add(Memory { project: project.cloned(), ..entry_of(system, text, piece, About::Memory) });
        }
    }
}

fn memory(
    system: &'static str,
    folder: &Path,
    text: &Text,
    project: Option<&PathBuf>,
    found: &mut FoundMemories,
) {
    let read = note(&text.text);
    let statement = without_reasons(read.body);
    let stem = text.path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let name = read.get("name").map(str::to_owned).or(stem).unwrap_or_default();
    let (kind, about, heading) = match read.get("type") {
        Some("feedback") => (MemoryKind::O, About::User, Some("Preferences")),
        Some("reference") => (MemoryKind::W, About::Project, Some("References")),
        Some("user") => (crate::wording::kind(&statement), About::User, None),
        _ => (MemoryKind::W, About::Project, None),
    };
    let about = if project.is_none() && about == About::Project { About::Memory } else { about };
    let id = text.path.strip_prefix(folder).unwrap_or(&text.path).display().to_string();
    let mut entities = links(read.body);
    entities.push(name);
    found.add(Memory {
        id: Some(match project {
            Some(project) => format!("{}#{id}", project.display()),
            None => id,
        }),
        kind,
        about,
        heading: heading.map(str::to_owned),
        entities,
        date: read.get("modified").map(str::to_owned),
        project: project.cloned(),
        ..Memory::new(system, text.path.as_path(), first_line(&read), statement)
    });
}

/// The line on which the text of a memory begins.
fn first_line(read: &Note<'_>) -> usize {
    read.first_line + read.body.lines().take_while(|line| line.trim().is_empty()).count()
}

/// The statement of a memory on one line, without the reasons that follow it.
fn without_reasons(body: &str) -> String {
    let is_reason = |line: &&str| line.starts_with("**Why:**") || line.starts_with("**How to apply:**");
    let lines = body.lines().map(str::trim).take_while(|line| !is_reason(line));
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty() && !line.starts_with("# ")).collect();
    lines.join(" ")
}
