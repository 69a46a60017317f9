//! Codex: `AGENTS.md`, and the memories that its background agent writes, in two layouts that may both be there. The same
//! thing stands in several of its files, so each is taken once, from a file with a date.

use super::{MemoryStore, Text, entry_of, said};
use crate::entry::{About, FoundMemories, Memory, MemoryKind};
use crate::markdown::{SaidPiece, pieces};
use crate::wording;
use declaration::Trust;
use declaration::time::is_day;
use std::path::{Path, PathBuf};

pub(super) const NAME: &str = "codex";

/// Folders below a project that are searched for `AGENTS.md`.
const AGENTS: [&str; 2] = ["AGENTS.override.md", "AGENTS.md"];

pub(super) fn read(store: &MemoryStore<'_>, found: &mut FoundMemories) {
    let root = store.folder("CODEX_HOME", ".codex");
    if let Some(text) = instructions(store, &root, found) {
        told(&text, &About::User, None, found);
    }
    let mut remembered = FoundMemories::default();
    for memories in ["memories_v2", "memories"] {
        let folder = root.join(memories);
        for path in store.files(NAME, &folder.join("rollout_summaries"), ".md", &mut remembered) {
            said_text(store, &path, &mut remembered, rollout);
        }
        said_text(store, &folder.join("MEMORY.md"), &mut remembered, groups);
        said_text(store, &folder.join("memory_summary.md"), &mut remembered, summary);
        for path in store.files(NAME, &folder.join("extensions/ad_hoc/notes"), ".md", &mut remembered) {
            said_text(store, &path, &mut remembered, ad_hoc);
        }
    }
    found.left_out.extend(remembered.left_out);
    found.entries.extend(once(remembered.entries));
    if let Some(project) = store.project {
        project_files(store, project, found);
    }
}

fn said_text(
    store: &MemoryStore<'_>,
    path: &Path,
    found: &mut FoundMemories,
    read: fn(&Text, &mut FoundMemories),
) {
    if let Some(text) = store.text(NAME, path, found) {
        read(&text, found);
    }
}

/// Of its two possible files in a folder, the one that Codex reads.
fn instructions(store: &MemoryStore<'_>, folder: &Path, found: &mut FoundMemories) -> Option<Text> {
    AGENTS.iter().find_map(|name| store.text(NAME, &folder.join(name), found))
}

fn told(text: &Text, about: &About, project: Option<&Path>, found: &mut FoundMemories) {
    for piece in &said(NAME, text, found) {
        let entry = entry_of(NAME, text, piece, about.clone());
        found.add(Memory { project: project.map(Path::to_owned), ..entry });
    }
}

/// `AGENTS.md` at the project's root is a managed document already and stays where it is. One in a folder below holds for
/// that folder only.
fn project_files(store: &MemoryStore<'_>, project: &Path, found: &mut FoundMemories) {
    // In a copy of a home directory no document is managed.
    if project == store.home {
        if let Some(text) = instructions(store, project, found) {
            told(&text, &About::Global, None, found);
        }
        return;
    }
    let is_own = |name: &str| {
        let path = project.join(name);
        store.is_there(&path) && !store.leads_out_of_the_project(&path)
    };
    for name in AGENTS.into_iter().filter(|name| is_own(name)) {
        found.leave_out(NAME, project.join(name), 0, name, "it is read and written where it is");
    }
    let mut below = store.files(NAME, project, AGENTS[0], found);
    let plain = store.files(NAME, project, AGENTS[1], found);
    let overridden = |path: &PathBuf| {
        path.parent().is_some_and(|folder| {
            below.iter().any(|over| over.starts_with(folder) && over.parent() == Some(folder))
        })
    };
    let plain: Vec<PathBuf> = plain.into_iter().filter(|path| !overridden(path)).collect();
    below.extend(plain);
    for path in below.into_iter().filter(|path| path.parent() != Some(project)) {
        let Some(text) = store.text(NAME, &path, found) else { continue };
        let folder = path.parent().and_then(|folder| folder.strip_prefix(project).ok()).unwrap_or(project);
        let scope = format!("for `{}/**`: ", folder.display());
        for piece in &said(NAME, &text, found) {
            let entry = entry_of(NAME, &text, piece, About::Project);
            let text = format!("{scope}{}", entry.text);
            found.add(Memory { text, project: Some(project.to_owned()), ..entry });
        }
    }
}

/// The header lines of a rollout's summary, or of a task group.
fn header<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.lines().take(20).find_map(|line| line.strip_prefix(name)?.strip_prefix(": ")).map(str::trim)
}

/// The summary of one conversation: its subject, and what should be kept of it.
fn rollout(text: &Text, found: &mut FoundMemories) {
    let date = header(&text.text, "updated_at").map(str::to_owned);
    let project = header(&text.text, "cwd").map(PathBuf::from);
    let id = header(&text.text, "thread_id").map(str::to_owned);
    let title = text.text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or_default();
    found.add(Memory {
        id,
        kind: MemoryKind::B,
        about: About::Log,
        date: date.clone(),
        project: project.clone(),
        ..Memory::new(NAME, text.path.as_path(), 1, title)
    });
    let mut part = "";
    for (n, line) in text.text.lines().enumerate() {
        let Some(item) = line.trim().strip_prefix("- ") else {
            part = line.trim().trim_end_matches(':');
            continue;
        };
        let about = match part {
            "Preference signals" => About::User,
            "Reusable knowledge" | "Failures and how to do differently" => About::Project,
            _ => continue,
        };
        let piece = SaidPiece {
            line: n + 1,
            headings: vec![part.to_owned()],
            text: item.trim().to_owned(),
            form: crate::markdown::Form::Item,
            doubt: None,
        };
        found.add(Memory { date: date.clone(), project: project.clone(), ..remembered(text, &piece, about) });
    }
}

/// Blocks of tasks, each with what was learned in them.
fn groups(text: &Text, found: &mut FoundMemories) {
    let cwd = header(&text.text, "applies_to").and_then(|applies| applies.strip_prefix("cwd="));
    let project = cwd.and_then(|cwd| cwd.split(';').next()).map(PathBuf::from);
    for piece in pieces(&text.text).iter().filter(|piece| piece.form == crate::markdown::Form::Item) {
        let about = match piece.heading().unwrap_or_default() {
            "User preferences" => About::User,
            "Reusable knowledge" | "Failures and how to do differently" => About::Project,
            _ => continue,
        };
        found.add(Memory { project: project.clone(), ..remembered(text, piece, about) });
    }
}

/// The summary that every session is shown.
fn summary(text: &Text, found: &mut FoundMemories) {
    for piece in pieces(&text.text).iter().filter(|piece| piece.is_said()) {
        let about = match piece.heading().unwrap_or_default() {
            "User Profile" | "User preferences" => About::User,
            "General Tips" => About::Memory,
            _ => continue,
        };
        found.add(remembered(text, piece, about));
    }
}

/// What the person asked to be remembered; the day is in the file's name.
fn ad_hoc(text: &Text, found: &mut FoundMemories) {
    let name = text.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let said = text.text.split_whitespace().collect::<Vec<_>>().join(" ");
    found.add(Memory {
        kind: wording::kind(&said),
        about: About::User,
        date: name.get(..10).filter(|day| is_day(day)).map(str::to_owned),
        author: Trust::User,
        id: Some(name),
        ..Memory::new(NAME, text.path.as_path(), 1, said)
    });
}

/// An item of its memories: without the mark of the task it is from.
fn remembered(text: &Text, piece: &SaidPiece, about: About) -> Memory {
    let said = piece.text.rsplit_once(" [Task").map_or(piece.text.as_str(), |(said, _)| said).trim();
    let said = if said == "none observed" { "" } else { said };
    let of_manner = piece.heading().is_some_and(|heading| heading.contains("reference"));
    let kind = if of_manner { MemoryKind::O } else { MemoryKind::W };
    Memory {
        kind: if about == About::User && !of_manner { wording::kind(said) } else { kind },
        text: said.to_owned(),
        heading: piece
            .heading()
            .filter(|heading| heading.starts_with("Failures"))
            .map(|_| "Pitfalls".to_owned()),
        ..entry_of(NAME, text, piece, about)
    }
}

/// Each statement once: its longest wording, with the first date and project that any of its wordings has.
fn once(entries: Vec<Memory>) -> Vec<Memory> {
    let mut kept: Vec<(String, Memory)> = Vec::new();
    for entry in entries {
        let core = core(&entry.text);
        match kept.iter_mut().find(|(known, _)| *known == core) {
            Some((_, known)) => {
                let date = known.date.take().or_else(|| entry.date.clone());
                let project = known.project.take().or_else(|| entry.project.clone());
                if entry.text.chars().count() > known.text.chars().count() {
                    *known = entry;
                }
                (known.date, known.project) = (date, project);
            }
            None => kept.push((core, entry)),
        }
    }
    kept.into_iter().map(|(_, entry)| entry).collect()
}

/// What all wordings of one statement have in common: the person's words, if they are quoted.
fn core(text: &str) -> String {
    let quoted = text.split('"').nth(1).filter(|quoted| quoted.chars().count() > 4);
    quoted.unwrap_or(text).to_lowercase()
}
