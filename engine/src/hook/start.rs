//! What a session is shown at its start, from the disk: documents, the last daily logs, the last session, what waits.

use super::Here;
use crate::Failure;
use policy::context::{Block, Context, context};
use policy::knowledge_base::{self, KnowledgeBase, Policy};
use policy::settings::Settings;
use queue_layout::{EndedSession, Queue, State};
use std::path::{Path, PathBuf};

/// The daily logs that are shown.
const LOGS_MAX: usize = 2;
/// What each of them, and the last session, may have at most.
const RECENT_CHARS_MAX: usize = 1500;
const LOG_BYTES_MAX: u64 = 1 << 20;

/// A context, and the knowledge bases that are in it whole.
#[derive(Debug)]
pub(crate) struct Shown {
    /// The text; empty when there is nothing to show.
    pub(crate) text: String,
    /// Knowledge bases of which nothing is missing.
    pub(crate) whole: Vec<String>,
}

/// Builds the context for a session in this directory.
pub(crate) fn build(
    here: Here<'_>,
    queue: &Queue,
    settings: &Settings,
    length: &dyn Fn(&str) -> usize,
) -> Result<Shown, Failure> {
    let project = here.project();
    let mut names = Vec::new();
    let mut blocks = Vec::new();
    for name in &settings.session_bootstrap {
        let Some(base) = settings.knowledge_base(name) else { continue };
        let Some(text) = document(here, settings, base, project.as_deref()) else { continue };
        names.push(name.clone());
        blocks.push(Block {
            tag: base.tag.clone(),
            more: format!("{} read {name}", here.command()),
            text,
            chars_max: base.budget_chars,
        });
    }
    let something = blocks.iter().any(|block: &Block| !block.text.trim().is_empty());
    blocks.extend(recent(here, queue, settings, project.as_deref(), something)?);
    let recent_tag = &settings.hooks.recent_tag;
    let tags: Vec<String> =
        settings.knowledge_bases.iter().map(|base| &base.tag).chain([recent_tag]).cloned().collect();
    let lines = [super::words::how_to_plan(&here.command(), &writable(settings))];
    let always: Vec<String> = waiting(queue)?.into_iter().collect();
    let Context { text, whole } =
        context(&blocks, &tags, &lines, &always, settings.hooks.context_chars, length);
    let whole = names.into_iter().zip(whole).filter(|(_, whole)| *whole).map(|(name, _)| name);
    Ok(Shown { text, whole: whole.collect() })
}

/// Knowledge bases an agent can write to.
pub(crate) fn writable(settings: &Settings) -> Vec<&KnowledgeBase> {
    settings.knowledge_bases.iter().filter(|base| base.policy != Policy::ReadOnly).collect()
}

/// The document's text. One that cannot be found or read here is left out: a session starts all the same.
pub(crate) fn document(
    here: Here<'_>,
    settings: &Settings,
    base: &KnowledgeBase,
    project: Option<&Path>,
) -> Option<String> {
    let index = settings.knowledge_bases.iter().position(|known| known.name == base.name)?;
    let canonicalise = |path: &Path| here.home.canonicalise(path);
    let found =
        knowledge_base::document(index, base, &here.home.around(here.cwd, project), &canonicalise).ok()?;
    let bytes = here.home.disk.read(&found.canonical, documents::DOCUMENT_BYTES_MAX).ok()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    // The default that `init` wrote says nothing about this user, so it is not shown.
    (text != crate::DEFAULT_SOUL).then_some(text)
}

/// What failed or waits for a yes, in one line; `None` when nothing does.
pub(crate) fn waiting(queue: &Queue) -> Result<Option<String>, Failure> {
    let failed = queue.list(State::Failed)?.jobs.len();
    let review = queue.list(State::Review)?.jobs.len();
    Ok(super::words::waiting(failed, review, &|advice| queue.say(advice)))
}

/// The last session's record and the last daily logs, as one block. That there was a session is no news where nothing
/// else is known.
fn recent(
    here: Here<'_>,
    queue: &Queue,
    settings: &Settings,
    project: Option<&Path>,
    something: bool,
) -> Result<Option<Block>, Failure> {
    let mut parts = Vec::new();
    let dir = here.home.expand(&settings.hooks.daily_logs);
    for (day, path) in daily_logs(here, &dir) {
        let bytes = here.home.disk.read(&path, LOG_BYTES_MAX).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        if !text.trim().is_empty() {
            parts.push(format!("{day}:\n{}", text.trim()));
        }
    }
    if something || !parts.is_empty() {
        let ended = queue.sessions().ended()?;
        let here = |ended: &&EndedSession| ended.who.project.as_deref() == project;
        let last = ended.iter().rev().find(here).map(super::words::last_session);
        parts.splice(0..0, last);
    }
    let chars_max = Some(RECENT_CHARS_MAX * parts.len());
    let more = format!("cat {}/*.md", here.home.short(&dir));
    let block = Block { tag: settings.hooks.recent_tag.clone(), more, text: parts.join("\n\n"), chars_max };
    Ok(Some(block).filter(|_| !parts.is_empty()))
}

/// The newest days of a directory of `YYYY-MM-DD.md`, newest first.
fn daily_logs(here: Here<'_>, dir: &Path) -> Vec<(String, PathBuf)> {
    let names = here.home.disk.list(dir).unwrap_or_default();
    let day = |name: String| {
        let day = name.strip_suffix(".md")?;
        let digits = |part: &str, width| part.len() == width && part.bytes().all(|b| b.is_ascii_digit());
        let mut parts = day.split('-');
        let shaped = digits(parts.next()?, 4) && digits(parts.next()?, 2) && digits(parts.next()?, 2);
        (shaped && parts.next().is_none()).then(|| day.to_owned())
    };
    let mut days: Vec<String> = names.into_iter().filter_map(|name| day(name.into_string().ok()?)).collect();
    days.sort_by(|a, b| b.cmp(a));
    days.into_iter().take(LOGS_MAX).map(|day| (day.clone(), dir.join(format!("{day}.md")))).collect()
}
