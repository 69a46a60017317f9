//! A document: its sections with their authors, its versions, the difference between two of them, and rollbacks.

use crate::Page;
use crate::diff::{self, DiffLine};
use crate::markdown;
use crate::render::{PageAnswer, answer, show as screen};
use crate::routes::Fields;
use crate::shell::{Said, Shell};
use crate::views::jobs::beginning;
use crate::words::plain;
use askama::Template;
use axum::Extension;
use axum::extract::{Query, State as Shared};
use axum::response::Response;
use engine::output::Rollback;
use engine::{Actor, Blamed, Failure, Home, Listed, State, Timestamp, Trust};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many versions are listed.
const VERSIONS_MAX: usize = 30;
/// How many waiting jobs are listed.
const WAITING_MAX: usize = 10;
/// How much of a document is shown, in bytes: of a longer one the beginning.
const SHOWN_BYTES_MAX: usize = 200_000;

#[derive(Template)]
#[template(path = "document.html")]
struct OneDocument {
    shell: Shell,
    of: String,
    path: String,
    sections: Vec<SectionRow>,
    cut: bool,
    /// What waits to be written into it: the id, the beginning of what it says, and since when.
    waiting: Vec<(String, String, String)>,
    more_waiting: usize,
    /// What failed or waits for a yes: the first of each, and how many there are.
    undecided: Vec<UndecidedHere>,
    not_looked_into: usize,
    versions: Vec<VersionRow>,
    more_versions: usize,
    compared: Option<Compared>,
}

/// The jobs of one state that a person has to decide about.
struct UndecidedHere {
    word: &'static str,
    /// The address of the first, below the base.
    first: String,
    count: usize,
    rows: Vec<(String, String, String)>,
}

struct SectionRow {
    who: String,
    job: Option<String>,
    why: Option<String>,
    html: String,
}

struct VersionRow {
    version: u64,
    at: String,
    jobs: Vec<String>,
    by_hand: bool,
    given_back: bool,
    during: Option<String>,
    kept: bool,
    current: bool,
}

/// What differs between two versions.
struct Compared {
    from: u64,
    to: String,
    lines: Vec<DiffLine>,
}

#[derive(Template)]
#[template(path = "rollback.html")]
struct Back {
    shell: Shell,
    of: String,
    to: u64,
    /// The stamp of the difference that is shown: the form sends it along.
    seen: String,
    lines: Vec<DiffLine>,
}

pub(crate) async fn show(
    Shared(page): Shared<Arc<Page>>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    answer(page, move |page| draw(page, &query)).await
}

fn draw(page: &Page, query: &BTreeMap<String, String>) -> Result<PageAnswer, Failure> {
    let of = query.get("of").cloned().unwrap_or_default();
    let (home, cwd) = (&page.home, &page.cwd);
    let now = home.now();
    let read = home.document_now(&of, cwd)?;
    // A document that does not exist yet has no versions.
    let blamed = home.blame(&of, cwd).map(|blame| blame.sections).unwrap_or_default();
    let mut versions = home.history(&of, cwd).map(|history| history.versions).unwrap_or_default();
    let more_versions = versions.len().saturating_sub(VERSIONS_MAX);
    versions.truncate(VERSIONS_MAX);
    let number = |name: &str| query.get(name).and_then(|text| text.parse().ok());
    let compared = match number("from") {
        None => None,
        Some(from) => {
            let diff = home.diff(&of, Some(from), number("to"), cwd)?;
            let to = diff.to.map_or_else(|| "now".to_owned(), |to| format!("version {to}"));
            Some(Compared { from, to, lines: diff::lines(&diff.diff) })
        }
    };
    let version = |of: &engine::output::ListedVersion| VersionRow {
        version: of.version,
        at: of.at.map_or_else(|| "before the first merge".to_owned(), |at| at.ago(now)),
        jobs: of.jobs.iter().map(|job| job.id.clone()).take(5).collect(),
        by_hand: of.edited_by_hand,
        given_back: of.is_given_back(),
        during: of.during.as_ref().map(|during| crate::words::who(&during.agent, Trust::Agent)),
        kept: of.kept,
        current: of.current,
    };
    let (sections, cut) = sections(home, &read.text, &blamed, now);
    screen(&OneDocument {
        shell: Shell::new(page, of.clone()),
        path: home.short(&read.path),
        of,
        sections,
        cut,
        waiting: read
            .waiting
            .iter()
            .take(WAITING_MAX)
            .map(|id| {
                let says = page.home.find(&id.to_string()).map(|listed| beginning(&page.home, &listed));
                (id.to_string(), says.unwrap_or_default(), id.declared_at().ago(now))
            })
            .collect(),
        undecided: [State::Review, State::Failed]
            .into_iter()
            .filter_map(|state| undecided(page, state, &read.undecided))
            .collect(),
        not_looked_into: read.not_looked_into,
        more_waiting: read.waiting.len().saturating_sub(WAITING_MAX),
        versions: versions.iter().map(version).collect(),
        more_versions,
        compared,
    })
}

/// Those of a state, each with what it says and why it waits; `None` where there is none.
fn undecided(page: &Page, state: State, jobs: &[Listed]) -> Option<UndecidedHere> {
    let (word, view) = match state {
        State::Review => ("For your yes", "review"),
        _ => ("Failed", "job"),
    };
    let of: Vec<&Listed> = jobs.iter().filter(|listed| listed.state == state).collect();
    let row = |listed: &&Listed| {
        let fault = page.home.load_listed(listed).ok().and_then(|found| found.job?.error);
        let why = fault.map_or_else(String::new, |fault| plain(&fault.message));
        (format!("{view}/{}", listed.id), beginning(&page.home, listed), why)
    };
    // The newest come first; the oldest is decided first.
    let rows: Vec<_> = of.iter().rev().take(WAITING_MAX).map(row).collect();
    let first = rows.first()?.0.clone();
    Some(UndecidedHere { word, first, count: of.len(), rows })
}

/// The sections of the document, each with its last author.
fn sections(home: &Home, text: &str, blamed: &[Blamed], now: Timestamp) -> (Vec<SectionRow>, bool) {
    let starts: Vec<usize> = std::iter::once(0)
        .chain(text.match_indices('\n').map(|(at, _)| at + 1))
        .filter(|at| *at <= SHOWN_BYTES_MAX)
        .collect();
    let at_line = |line: usize| starts.get(line.saturating_sub(1)).copied();
    let mut rows = Vec::new();
    let first = blamed.first().and_then(|of| at_line(of.line)).unwrap_or(text.len().min(SHOWN_BYTES_MAX));
    let shown_to = starts.last().copied().filter(|_| text.len() > SHOWN_BYTES_MAX).unwrap_or(text.len());
    let piece = |from: usize, to: usize| text.get(from..to.max(from)).unwrap_or_default();
    if !piece(0, first).trim().is_empty() {
        let html = markdown::rendered(piece(0, first));
        rows.push(SectionRow { who: String::new(), job: None, why: None, html });
    }
    for (n, of) in blamed.iter().enumerate() {
        let Some(from) = at_line(of.line) else { break };
        let to = blamed.get(n + 1).and_then(|next| at_line(next.line)).unwrap_or(shown_to);
        let html = markdown::rendered(piece(from, to));
        let (who, job, why) = wrote(home, of, now);
        rows.push(SectionRow { who, job, why, html });
    }
    (rows, text.len() > SHOWN_BYTES_MAX)
}

/// Who wrote a section, by which job, and why.
fn wrote(home: &Home, of: &Blamed, now: Timestamp) -> (String, Option<String>, Option<String>) {
    if let Some(during) = &of.during {
        let agent = crate::words::who(&during.agent, Trust::Agent);
        return (format!("a person, or a command of {agent}, {}", during.at.ago(now)), None, None);
    }
    let Some(last) = &of.last else { return ("a person".to_owned(), None, None) };
    let agent = match last.rollback_to {
        Some(to) => format!("back to version {to}"),
        None => crate::words::who_declared(home, &last.agent, &last.job),
    };
    let edited = last.meta.edited_by.as_ref().map_or_else(String::new, |who| format!(", edited by {who}"));
    let hand = if of.by_hand { ", changed by hand since" } else { "" };
    (format!("{agent}{edited}, {}{hand}", last.at.ago(now)), Some(last.job.clone()), last.meta.reason.clone())
}

/// What a rollback would do.
pub(crate) async fn preview(
    Shared(page): Shared<Arc<Page>>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    answer(page, move |page| {
        let of = query.get("of").cloned().unwrap_or_default();
        let to = query.get("to").and_then(|to| to.parse().ok());
        let nobody = Actor { name: String::new(), channel: String::new(), reason: None };
        let back = page.home.rollback(&page.caller(), &nobody, &of, to, true)?;
        draw_back(page, of, &back)
    })
    .await
}

fn draw_back(page: &Page, of: String, back: &Rollback) -> Result<PageAnswer, Failure> {
    let shell = Shell::new(page, format!("{of} back to version {}", back.to));
    let seen = seen_back(page, &back.diff);
    screen(&Back { shell, of, to: back.to, seen, lines: diff::lines(&back.diff) })
}

/// The stamp of a rollback. What it takes out and puts back is all there in the difference.
fn seen_back(page: &Page, diff: &str) -> String {
    page.seen().text(diff).stamp()
}

/// Rolls the document back, by a job.
pub(crate) async fn back(Shared(page): Shared<Arc<Page>>, Extension(fields): Extension<Fields>) -> Response {
    answer(page, move |page| {
        let (of, to) = (fields.get("of"), fields.get("to").parse().ok());
        let who = page.who(fields.said("reason"))?;
        let is_shown = |diff: &str| fields.get("seen") == seen_back(page, diff);
        let back = page.home.rollback_as_shown(&page.caller(), &who, of, to, &is_shown)?;
        match back.id {
            None if !back.diff.is_empty() => {
                page.say(Said::bad(
                    "Nothing was done: it was changed since you looked. This is what would become of it now.",
                ));
                draw_back(page, of.to_owned(), &back)
            }
            Some(id) => {
                let said = Said::good(
                    "The document is put back at the next run of the worker, or now with the button.",
                );
                page.say(said.queued(true));
                Ok(PageAnswer::Go(format!("/job/{id}")))
            }
            None => {
                page.say(Said::good("Nothing to do: it says that already."));
                Ok(PageAnswer::Go("/documents".to_owned()))
            }
        }
    })
    .await
}
