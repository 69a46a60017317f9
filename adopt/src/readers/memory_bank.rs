//! The memory-bank skill: `MEMORY.md` with marked blocks and tables, and one file for each thing learned. What only helps
//! the agent to find its way in it is left out.

use super::{MemoryStore, Text, entry_of};
use crate::entry::{About, FoundMemories, Memory, MemoryKind};
use crate::markdown::{Form, SaidPiece, pieces};
use declaration::time::is_day;
use std::path::Path;

pub(super) const NAME: &str = "memory_bank";

pub(super) fn read(store: &MemoryStore<'_>, found: &mut FoundMemories) {
    let Some(project) = store.project else { return };
    let bank = project.join("memory-bank");
    if !store.is_there(&bank.join("details")) {
        return;
    }
    if let Some(text) = store.text(NAME, &bank.join("MEMORY.md"), found) {
        overview(&text, project, found);
    }
    for path in store.files(NAME, &bank.join("details/learnings"), ".md", found) {
        let is_index = path.file_name().is_some_and(|name| name == "index.md");
        if let Some(text) = store.text(NAME, &path, found).filter(|_| !is_index) {
            learned(&text, project, found);
        }
    }
}

fn overview(text: &Text, project: &Path, found: &mut FoundMemories) {
    let mut day = None;
    for piece in pieces(&text.text) {
        if piece.form == Form::Paragraph {
            day = day_in(&piece.text).or(day);
        }
        let heading = piece.heading().unwrap_or_default().to_owned();
        let said = match heading.as_str() {
            "Project Snapshot" => {
                labelled(&piece).filter(|(label, _)| *label != "指针").map(|(_, said)| said)
            }
            "Current Focus" => {
                labelled(&piece).filter(|(label, _)| *label == "当前焦点").map(|(_, said)| said)
            }
            "Top Quick Answers" => piece.text.split_once(" A: ").map(|(_, answer)| answer),
            of if of.starts_with("Decision") && piece.form == Form::Row => piece.text.split(" | ").next(),
            "用户笔记" | "补充说明" if piece.is_said() => Some(piece.text.as_str()),
            _ => None,
        };
        let Some(said) = said.map(|said| said.split(" → ").next().unwrap_or(said).trim().to_owned()) else {
            continue;
        };
        let base =
            Memory { project: Some(project.to_owned()), ..entry_of(NAME, text, &piece, About::Project) };
        found.add(match heading.as_str() {
            "Current Focus" => {
                Memory { text: said, kind: MemoryKind::B, about: About::Log, date: day.clone(), ..base }
            }
            of if of.starts_with("Decision") => {
                let date = piece.text.split(" | ").find(|cell| is_day(cell)).map(str::to_owned);
                Memory {
                    text: said,
                    kind: MemoryKind::W,
                    heading: Some("Decisions".to_owned()),
                    date,
                    ..base
                }
            }
            _ => Memory { text: said, kind: MemoryKind::W, ..base },
        });
    }
}

/// The bold label of an item, and what stands behind it.
fn labelled(piece: &SaidPiece) -> Option<(&str, &str)> {
    let (label, said) = piece.text.strip_prefix("**")?.split_once("**")?;
    let said = said.trim_start_matches([':', '：', ' ']);
    (!said.is_empty() && piece.form == Form::Item).then_some((label, said))
}

/// A lesson: the title, and the cause if the file names one. The day is in the file's name.
fn learned(text: &Text, project: &Path, found: &mut FoundMemories) {
    let name = text.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let title = text.text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or_default();
    let pieces = pieces(&text.text);
    let cause = pieces.iter().find(|piece| piece.heading() == Some("根因")).map(|piece| piece.text.as_str());
    let said = cause.map_or_else(|| title.to_owned(), |cause| format!("{title}：{cause}"));
    found.add(Memory {
        about: About::Project,
        heading: Some("Pitfalls".to_owned()),
        date: name.get(..10).filter(|day| is_day(day)).map(str::to_owned),
        project: Some(project.to_owned()),
        id: Some(format!("{}#{name}", project.display())),
        ..Memory::new(NAME, text.path.as_path(), 1, said)
    });
}

/// The day on which the file was last updated, according to this line.
fn day_in(text: &str) -> Option<String> {
    let rest = text.strip_prefix('>')?;
    rest.split([' ', ':', '：']).find(|word| is_day(word)).map(str::to_owned)
}
