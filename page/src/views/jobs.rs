//! Jobs as a list, a page at a time.

use crate::Page;
use crate::render::{answer, show as screen};
use crate::shell::Shell;
use crate::words::{plain, state_word};
use askama::Template;
use axum::extract::{Query, State as Shared};
use axum::response::Response;
use engine::{Failure, Filter, Home, Listed, State};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Rows of one page.
const ROWS: usize = 50;

/// How much of what a job says stands in a list, in characters.
const SAYS_CHARS: usize = 80;

/// How much of what a job says is its whole text on a screen, in characters.
const WHOLE_CHARS: usize = 1000;

/// A job in a list.
pub(crate) struct JobRow {
    pub(crate) id: String,
    pub(crate) state: &'static str,
    pub(crate) declared: String,
    pub(crate) document: String,
    pub(crate) agent: String,
    pub(crate) what: String,
    /// The beginning of what it says.
    pub(crate) says: String,
    pub(crate) message: String,
}

#[derive(Template)]
#[template(path = "jobs.html")]
struct Jobs {
    shell: Shell,
    state: &'static str,
    /// What each is called in an address, and in words.
    states: [(&'static str, &'static str); 5],
    rows: Vec<JobRow>,
    after: Option<String>,
}

pub(crate) async fn show(
    Shared(page): Shared<Arc<Page>>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    answer(page, move |page| {
        let listed = [State::Review, State::Failed, State::Pending, State::Deferred, State::Processing];
        let asked = query.get("state").map_or("review", String::as_str);
        let state = listed.into_iter().find(|state| state.as_str() == asked).unwrap_or(State::Review);
        let after = query.get("after").and_then(|id| id.parse().ok());
        let filter = Filter { state: Some(state), after, limit: Some(ROWS + 1), ..Filter::default() };
        let mut rows = rows(&page.home, &filter)?;
        let more = rows.len() > ROWS;
        rows.truncate(ROWS);
        let after = rows.last().filter(|_| more).map(|row| row.id.clone());
        let states = listed.map(|state| (state.as_str(), state_word(state)));
        screen(&Jobs { shell: Shell::new(page, "Changes"), state: state.as_str(), states, rows, after })
    })
    .await
}

/// The rows that pass a filter.
pub(crate) fn rows(home: &Home, filter: &Filter) -> Result<Vec<JobRow>, Failure> {
    let now = home.now();
    let listed = home.list(filter)?;
    let states: BTreeSet<&str> = listed.iter().map(|row| row.state.as_str()).collect();
    let mut there = BTreeMap::new();
    for state in State::ALL.iter().filter(|state| states.contains(state.as_str())) {
        there.extend(home.jobs_in(*state)?.into_iter().map(|listed| (listed.id, listed)));
    }
    let row = |row: engine::output::Row| JobRow {
        says: there.get(&row.id).map(|listed| beginning(home, listed)).unwrap_or_default(),
        id: row.id.to_string(),
        state: row.state.as_str(),
        declared: row.declared.ago(now),
        document: row.document.map_or_else(String::new, |path| home.short(&path)),
        agent: row.agent.unwrap_or_default(),
        what: row.what.unwrap_or_default(),
        message: row.message.as_deref().map(plain).unwrap_or_default(),
    };
    Ok(listed.into_iter().map(row).collect())
}

/// All that a job writes, as far as a screen has room for it.
pub(crate) fn whole(home: &Home, listed: &Listed) -> String {
    let text = said(home, listed);
    let text = text.trim();
    let mut start: String = text.chars().take(WHOLE_CHARS).collect();
    if text.chars().count() > WHOLE_CHARS {
        start.push('…');
    }
    start
}

/// The first text that a job writes, or the last line of a file that is no job.
fn said(home: &Home, listed: &Listed) -> String {
    let job = home.load_listed(listed).ok().and_then(|found| found.job);
    let text = match job {
        Some(job) => job.entries.iter().find_map(|entry| entry.content.clone()),
        None => {
            let kept = home.kept(listed).ok().flatten().and_then(|kept| kept.bytes.ok());
            kept.map(|bytes| {
                String::from_utf8_lossy(&bytes).trim().lines().next_back().unwrap_or("").to_owned()
            })
        }
    };
    text.unwrap_or_default()
}

/// The first line that a job writes, or of a file that is no job its last: what it was to say comes after what it is for.
pub(crate) fn beginning(home: &Home, listed: &Listed) -> String {
    let text = said(home, listed);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let mut short: String = line.chars().take(SAYS_CHARS).collect();
    if line.chars().count() > SAYS_CHARS {
        short.push('…');
    }
    short
}
