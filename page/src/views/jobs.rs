//! Jobs as a list, a page at a time.

use crate::Page;
use crate::render::{answer, show as screen};
use crate::shell::Shell;
use askama::Template;
use axum::extract::{Query, State as Shared};
use axum::response::Response;
use engine::{Failure, Filter, Home, State};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Rows of one page.
const ROWS: usize = 50;

/// A job in a list.
pub(crate) struct JobRow {
    pub(crate) id: String,
    pub(crate) state: &'static str,
    pub(crate) declared: String,
    pub(crate) document: String,
    pub(crate) agent: String,
    pub(crate) what: String,
    pub(crate) message: String,
}

#[derive(Template)]
#[template(path = "jobs.html")]
struct Jobs {
    shell: Shell,
    state: &'static str,
    states: [&'static str; 5],
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
        let states = listed.map(State::as_str);
        screen(&Jobs { shell: Shell::new(page, "Jobs"), state: state.as_str(), states, rows, after })
    })
    .await
}

/// The rows that pass a filter.
pub(crate) fn rows(home: &Home, filter: &Filter) -> Result<Vec<JobRow>, Failure> {
    let now = home.now();
    let row = |row: engine::output::Row| JobRow {
        id: row.id.to_string(),
        state: row.state.as_str(),
        declared: row.declared.ago(now),
        document: row.document.map_or_else(String::new, |path| home.short(&path)),
        agent: row.agent.unwrap_or_default(),
        what: row.what.unwrap_or_default(),
        message: row.message.unwrap_or_default(),
    };
    Ok(home.list(filter)?.into_iter().map(row).collect())
}
