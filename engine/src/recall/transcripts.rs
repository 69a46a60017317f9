//! What was said in sessions of this project, from the transcripts that agents keep: read only, when `recall` is asked and a person
//! switched it on. Told as such, of the lowest trust, and never shown to an agent by itself.

use super::Source;
use super::managed::Managed;
use crate::Home;
use ::recall::{ItemFields, Unit, UnitKind};
use agents::{SessionPlace, TranscriptOf};
use declaration::secrets;
use durable::FileKind;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// The name they have where a knowledge base would stand; and their trust.
pub(crate) const TRANSCRIPT: &str = "transcript";

/// Where Codex keeps them, by year, month and day.
const OF_CODEX: &str = ".codex/sessions";
/// Where Gemini CLI keeps its sessions: a directory for each project.
const OF_GEMINI: &str = ".gemini/tmp";

/// Of each agent so many of the newest sessions are read.
const SESSIONS_MAX: usize = 30;
/// So many files are looked at for those.
const LOOKED_AT_MAX: usize = 300;
/// Bytes of one that are read, from its beginning.
const BYTES_MAX: u64 = 4 << 20;
/// Bytes of all of them together.
const ALL_BYTES_MAX: usize = 16 << 20;
/// Older ones are left alone, in milliseconds.
const AGE_MAX_MS: u64 = 90 * 24 * 60 * 60 * 1000;
/// Characters of what was said that are looked at.
const CHARS_MAX: usize = 2_000;

impl Home {
    /// What was said in sessions here, each session as a document of its own.
    pub(super) fn sessions_said(&self, cwd: &Path, project: Option<&Path>) -> Vec<Source> {
        let here = project.unwrap_or(cwd);
        let canonical = self.canonicalise(here).unwrap_or_else(|_| here.to_owned());
        let hash = declaration::hex(&Sha256::digest(canonical.to_string_lossy().as_bytes()));
        let is_here = |place: SessionPlace<'_>| match place {
            SessionPlace::Directory(dir) => Path::new(dir).starts_with(&canonical),
            SessionPlace::ProjectHash(of) => of == hash,
        };
        let mut sources = Vec::new();
        let mut bytes = 0;
        for (agent, name) in [
            (TranscriptOf::ClaudeCode, "claude_code"),
            (TranscriptOf::Codex, "codex"),
            (TranscriptOf::GeminiCli, "gemini_cli"),
        ] {
            let mut sessions = 0;
            for path in self.transcripts(agent, &canonical) {
                if sessions == SESSIONS_MAX || bytes >= ALL_BYTES_MAX {
                    break;
                }
                let Ok(read) = self.disk.read_at(&path, 0, BYTES_MAX) else { continue };
                bytes += read.len();
                let said = agents::said(agent, &String::from_utf8_lossy(&read), &is_here);
                let units: Vec<Unit> = said.into_iter().filter_map(unit_of).collect();
                sessions += usize::from(!units.is_empty());
                sources.push(Source { managed: Managed::transcript(name, path), units, waits: None });
            }
        }
        sources.retain(|source| !source.units.is_empty());
        sources
    }

    /// The files of an agent that may be of sessions here, the newest first.
    fn transcripts(&self, agent: TranscriptOf, here: &Path) -> Vec<PathBuf> {
        let root = &self.user_home;
        let files = match agent {
            TranscriptOf::ClaudeCode => {
                // A session below the project has a folder of its own, whose name begins with the project's.
                let name = adopt::project_folder(here);
                let folders = self.newest(&root.join(".claude/projects")).into_iter();
                let of_here = |folder: &PathBuf| {
                    folder.file_name().is_some_and(|of| of.to_string_lossy().starts_with(&name))
                };
                folders.filter(of_here).flat_map(|folder| self.newest(&folder)).collect::<Vec<_>>()
            }
            TranscriptOf::Codex => {
                let below = |dirs: Vec<PathBuf>| dirs.into_iter().flat_map(|dir| self.newest(&dir));
                let years = self.newest(&root.join(OF_CODEX));
                let days = below(below(years).take(24).collect()).take(100).collect();
                below(days).take(LOOKED_AT_MAX).collect()
            }
            TranscriptOf::GeminiCli => {
                let projects = self.newest(&root.join(OF_GEMINI)).into_iter();
                projects.flat_map(|project| self.newest(&project.join("chats"))).take(LOOKED_AT_MAX).collect()
            }
        };
        let now = self.now().millis();
        let mut dated: Vec<(u64, PathBuf)> = files
            .into_iter()
            .filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"))
            .take(LOOKED_AT_MAX)
            .filter_map(|path| {
                let stat = self.disk.stat_link(&path).ok()??;
                let is_one = stat.kind == FileKind::File && stat.uid == self.disk.uid();
                (is_one && stat.modified_ms.saturating_add(AGE_MAX_MS) >= now)
                    .then_some((stat.modified_ms, path))
            })
            .collect();
        dated.sort_unstable_by(|a, b| b.cmp(a));
        dated.into_iter().map(|(_, path)| path).collect()
    }

    /// What stands in a directory, by name from the last to the first.
    fn newest(&self, dir: &Path) -> Vec<PathBuf> {
        let mut names = self.disk.list(dir).unwrap_or_default();
        names.sort_unstable_by(|a, b| b.cmp(a));
        names.into_iter().map(|name| dir.join(name)).collect()
    }
}

/// What was said as something to find. A question answers nothing, and what looks like a secret is not shown.
fn unit_of(said: agents::Said) -> Option<Unit> {
    let text: String = said.text.chars().take(CHARS_MAX).collect();
    if text.trim_end().ends_with(['?', '？']) || secrets::find(&said.text).is_some() {
        return None;
    }
    Some(Unit {
        kind: UnitKind::Section,
        line: said.line,
        lines: 1,
        text,
        heading: Vec::new(),
        section: said.line,
        day: said.day.filter(|day| ::recall::is_day(day)),
        item: ItemFields { by: Some(TRANSCRIPT.to_owned()), ..ItemFields::default() },
    })
}
