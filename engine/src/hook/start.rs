//! What a session is shown at its start, read from the disk: documents, generated indexes, facts, the last session, daily logs,
//! how to remember and recall, what waits. `policy::start` decides what of it is shown, and in which order.

use super::{Here, frame_of};
use crate::Failure;
use crate::recall::managed::Managed;
use agents::{Agent, OwnFile, ReadWhen};
use policy::context::{Block, ShownContext, context};
use policy::knowledge_base::{self, KnowledgeBase, Policy};
use policy::scope;
use policy::settings::Settings;
use policy::start::{FACTS_TAG, INDEX_TAG, SESSION_TAG, StartPart, StartTexts, StartWords, blocks};
use queue_layout::{Queue, State};
use std::path::{Path, PathBuf};

/// How many daily logs are shown, the newest.
const LOGS_MAX: usize = 2;
/// How many days of the sessions' journal are read, and how many documents of facts: one of those is a month, and a week may
/// begin in one and end in the next.
const SESSION_DAYS_MAX: usize = 7;
const FACT_DOCUMENTS_MAX: usize = 2;
/// The knowledge bases of facts and of sessions.
const FACTS: &str = "facts";
const SESSIONS: &str = "sessions";
const LOG_BYTES_MAX: u64 = 1 << 20;
/// Largest file of standing instructions that is looked into for imports, in bytes.
const INSTRUCTIONS_BYTES_MAX: u64 = 1 << 20;

/// A context, and which knowledge bases it shows in full.
#[derive(Debug)]
pub(crate) struct StartContext {
    /// The text; empty when there is nothing to show.
    pub(crate) text: String,
    /// Knowledge bases whose document is in it without a cut, or is read by the agent itself.
    pub(crate) whole: Vec<String>,
}

/// Builds the context for a session in this directory. A document that the agent reads by itself is left out.
pub(crate) fn build(
    here: Here<'_>,
    queue: &Queue,
    settings: &Settings,
    agent: &dyn Agent,
    session: Option<&str>,
) -> Result<StartContext, Failure> {
    let project = here.project();
    let own = own_files(here, agent, project.as_deref());
    let (mut names, mut texts, mut read) = (Vec::new(), StartTexts::default(), Vec::new());
    for name in &settings.session_bootstrap {
        let Some(kb) = settings.knowledge_base(name) else { continue };
        if resolved(here, settings, kb, project.as_deref()).is_some_and(|path| own.contains(&path)) {
            read.push(name.clone());
            continue;
        }
        let Some(text) = document(here, settings, kb, project.as_deref()) else { continue };
        names.push(name.clone());
        texts.documents.push(Block {
            tag: kb.tag.clone(),
            more: format!("{} read {name}", here.command()),
            text,
            chars_max: kb.budget_chars,
            note: String::new(),
        });
    }
    let whole_from = texts.documents.len();
    add_journals(here, settings, project.as_deref(), &mut texts);
    // A project is known by its real path, however the session came to it.
    let real = project.as_ref().map(|project| here.canonical(project).unwrap_or_else(|_| project.clone()));
    let scope = real.map(|project| scope::name(&project, here.home.user_home()));
    let program = here.command();
    let logs = format!("cat {}/*.md", here.home.short(&here.home.expand(&settings.hooks.daily_logs)));
    let words = StartWords {
        logs_tag: &settings.hooks.recent_tag,
        read: &|name| format!("{program} read {name}"),
        facts: &format!("{program} item list --document {FACTS}"),
        logs: &logs,
    };
    let blocks = blocks(&texts, &settings.start, scope.as_deref(), &here.home.moment(), words);
    let ours = [&settings.hooks.recent_tag].into_iter().map(String::as_str).chain([
        INDEX_TAG,
        FACTS_TAG,
        SESSION_TAG,
    ]);
    let tags = settings.knowledge_bases.iter().map(|kb| kb.tag.as_str()).chain(ours);
    let tags: Vec<String> = tags.map(str::to_owned).collect();
    // Where the agent puts its session into the environment of its commands, the lines need not name it.
    let whose = match agent.marks().session {
        Some(_) => String::new(),
        None => super::words::whose(agent.name(), session),
    };
    let mut lines = super::words::how_to(&program, &writable(settings), &whose, has_journals(settings));
    lines.extend(waiting(queue)?);
    let frame = frame_of(agent);
    let length = |text: &str| agent.length(text);
    let ShownContext { text, whole } =
        context(&blocks, &tags, &lines, settings.hooks.context_chars, frame, &length);
    // The blocks of documents stand next to one another, wherever the order puts them.
    let first = blocks.iter().position(|block| texts.documents.first() == Some(block)).unwrap_or(whole.len());
    let whole = whole.into_iter().skip(first).take(whole_from);
    let whole = names.into_iter().zip(whole).filter(|(_, whole)| *whole).map(|(name, _)| name);
    Ok(StartContext { text, whole: whole.chain(read).collect() })
}

/// The files that the agent itself shows its model, links resolved.
fn own_files(here: Here<'_>, agent: &dyn Agent, project: Option<&Path>) -> Vec<PathBuf> {
    let canonical = |path: PathBuf| here.canonical(&path).ok();
    let of_user = agent.wiring().and_then(|wiring| wiring.instructions.user);
    let of_user = of_user.and_then(|file| canonical(here.home.user_home.join(file)));
    let text = |path: PathBuf| here.home.disk.read(&path, INSTRUCTIONS_BYTES_MAX).ok();
    let is_read = |root: &Path, file: &OwnFile| match file.when {
        ReadWhen::Always => true,
        ReadWhen::Unless(other) => text(root.join(other)).is_none(),
        ReadWhen::ImportedBy(other) => text(root.join(other))
            .is_some_and(|text| String::from_utf8_lossy(&text).contains(&format!("@{}", file.name))),
    };
    let in_project = project.into_iter().flat_map(|root| {
        let read = agent.reads().iter().filter(move |file| is_read(root, file));
        read.filter_map(move |file| here.canonical(&root.join(file.name)).ok())
    });
    of_user.into_iter().chain(in_project).collect()
}

/// Knowledge bases an agent can write to.
pub(crate) fn writable(settings: &Settings) -> Vec<&KnowledgeBase> {
    settings.knowledge_bases.iter().filter(|kb| kb.policy != Policy::ReadOnly).collect()
}

/// Whether there is a knowledge base for facts and one for what sessions did.
pub(crate) fn has_journals(settings: &Settings) -> bool {
    [FACTS, SESSIONS].into_iter().all(|name| settings.knowledge_base(name).is_some())
}

/// Where the document is, links resolved; `None` for one that cannot be found here.
fn resolved(
    here: Here<'_>,
    settings: &Settings,
    kb: &KnowledgeBase,
    project: Option<&Path>,
) -> Option<PathBuf> {
    let index = settings.knowledge_bases.iter().position(|known| known.name == kb.name)?;
    let canonicalise = |path: &Path| here.canonical(path);
    let around = here.home.around(here.cwd, project);
    Some(knowledge_base::document(index, kb, &around, &canonicalise).ok()?.canonical)
}

/// The document's text; `None` for one that cannot be found or read here, because a session starts without it all the same.
fn document(
    here: Here<'_>,
    settings: &Settings,
    kb: &KnowledgeBase,
    project: Option<&Path>,
) -> Option<String> {
    let path = resolved(here, settings, kb, project)?;
    let bytes = here.home.disk.read(&path, documents::DOCUMENT_BYTES_MAX).ok()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    // The default that `init` wrote says nothing about this user, so it is not shown.
    (text != crate::DEFAULT_SOUL).then(|| markdown_merge::item::shown(&text).into_owned())
}

/// What failed or waits for a yes, in one line; `None` when nothing does.
pub(crate) fn waiting(queue: &Queue) -> Result<Option<String>, Failure> {
    let failed = queue.list(State::Failed)?.jobs.len();
    let review = queue.list(State::Review)?.jobs.len();
    Ok(super::words::waiting(failed, review, &|advice| queue.say(advice)))
}

/// Adds what is not a document, as far as the settings' order names it: indexes, facts, sessions, daily logs.
fn add_journals(here: Here<'_>, settings: &Settings, project: Option<&Path>, texts: &mut StartTexts) {
    let wants = |part| settings.start.order.contains(&part);
    let members = |name: &str, most: usize| -> Vec<(Managed, String)> {
        let Some(kb) = settings.knowledge_base(name) else { return Vec::new() };
        let mut members = here.home.documents_of(kb, here.cwd, project, settings);
        // The names of days and months sort by time.
        members.sort_by(|a, b| b.values.cmp(&a.values));
        let text = |path: &Path| here.home.disk.read(path, documents::DOCUMENT_BYTES_MAX).ok();
        let newest = members.into_iter().take(most);
        let read = newest.filter_map(|found| {
            let text = String::from_utf8(text(&found.canonical)?).ok()?;
            Some((found, text))
        });
        read.collect()
    };
    if wants(StartPart::Index) {
        let kept = settings.knowledge_bases.iter().filter(|kb| kb.index.is_some());
        // A document that is shown whole has its index in it.
        for kb in kept.filter(|kb| !settings.session_bootstrap.contains(&kb.name)) {
            let texts_of = members(&kb.name, 1).into_iter();
            let block = texts_of.filter_map(|(found, text)| {
                let merger = markdown_merge::Merger::open(text.as_bytes()).ok()?;
                let block =
                    Some(trial::index_of(merger.machine_block().ok()?)).filter(|block| has_rows(block))?;
                // Its links lead on from its document, which the session does not see.
                let dir = found.path.parent().unwrap_or(&found.path);
                Some(format!("What to read is in {}:\n\n{block}", dir.display()))
            });
            texts.indexes.extend(block.map(|block| (kb.name.clone(), block)));
        }
    }
    if wants(StartPart::Facts) && !settings.session_bootstrap.iter().any(|name| name == FACTS) {
        texts.facts = members(FACTS, FACT_DOCUMENTS_MAX).into_iter().map(|(_, text)| text).rev().collect();
    }
    if wants(StartPart::Session) {
        let days = members(SESSIONS, SESSION_DAYS_MAX).into_iter();
        texts.sessions = days.map(|(found, text)| (found.values.join(":"), text)).collect();
    }
    if wants(StartPart::Logs) {
        let dir = here.home.expand(&settings.hooks.daily_logs);
        let text = |path: PathBuf| here.home.disk.read(&path, LOG_BYTES_MAX).unwrap_or_default();
        let logs = daily_logs(here, &dir).into_iter();
        texts.logs =
            logs.map(|(day, path)| (day, String::from_utf8_lossy(&text(path)).into_owned())).collect();
    }
}

/// Whether a generated index has rows below the head of its table.
fn has_rows(index: &str) -> bool {
    index.lines().filter(|line| line.starts_with('|')).count() > 2
}

/// The newest daily logs of a directory of `YYYY-MM-DD.md`, newest first.
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
