//! The log: the last events, of everything or of one document or job.

use crate::Page;
use crate::render::{answer, show as screen};
use crate::shell::Shell;
use askama::Template;
use axum::extract::{Query, State as Shared};
use axum::response::Response;
use engine::{Event, LogFilter};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Events that are shown.
const EVENTS: usize = 100;

#[derive(Template)]
#[template(path = "log.html")]
struct Log {
    shell: Shell,
    document: String,
    event: String,
    /// Code and words of each.
    events: Vec<(&'static str, &'static str)>,
    rows: Vec<LogRow>,
}

struct LogRow {
    at: String,
    what: &'static str,
    job: Option<String>,
    document: String,
    by: String,
    message: String,
}

pub(crate) async fn show(
    Shared(page): Shared<Arc<Page>>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    answer(page, move |page| {
        let said = |name: &str| query.get(name).map(|text| text.trim().to_owned()).unwrap_or_default();
        let (document, event) = (said("document"), said("event"));
        let filter = LogFilter {
            document: Some(document.clone()).filter(|document| !document.is_empty()),
            events: Event::ALL.iter().copied().filter(|of| of.as_str() == event).collect(),
            ..LogFilter::default()
        };
        let found = page.home.newest_events(&filter, EVENTS)?;
        let row = |of: &engine::JournalEntry| LogRow {
            at: page.home.wall_clock(of.at),
            what: of.event.in_words(),
            job: of.id.map(|id| id.to_string()),
            document: of.document.as_ref().map_or_else(String::new, |path| page.home.short(path.as_ref())),
            by: of.by.clone().unwrap_or_default(),
            message: of.message.clone().unwrap_or_default(),
        };
        let rows = found.iter().map(row).collect();
        let events = Event::ALL.iter().map(|event| (event.as_str(), event.in_words())).collect();
        screen(&Log { shell: Shell::new(page, "Log"), document, event, events, rows })
    })
    .await
}
