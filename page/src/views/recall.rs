//! Recall: searches the documents; the best hit comes first.

use crate::Page;
use crate::render::{answer, show as screen};
use crate::shell::Shell;
use askama::Template;
use axum::extract::{Query, State as Shared};
use axum::response::Response;
use engine::{Question, State};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Hits that are shown.
const HITS: usize = 20;
/// If more jobs wait than this, they are not searched.
const WAITING_MAX: usize = 500;

#[derive(Template)]
#[template(path = "recall.html")]
struct Recall {
    shell: Shell,
    asked: String,
    hits: Vec<HitRow>,
    /// Whether waiting jobs were left out.
    standing: bool,
}

struct HitRow {
    text: String,
    heading: String,
    kb: String,
    place: String,
    id: Option<String>,
    job: Option<String>,
    waits: Option<String>,
    doubt: Option<String>,
    live: bool,
}

pub(crate) async fn show(
    Shared(page): Shared<Arc<Page>>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    answer(page, move |page| {
        let asked = query.get("q").map(|q| q.trim().to_owned()).unwrap_or_default();
        let shell = Shell::new(page, "Recall");
        if asked.is_empty() {
            return screen(&Recall { shell, asked, hits: Vec::new(), standing: false });
        }
        // Every waiting job must be read for the answer, which takes too long with thousands of them.
        let in_queue = page.home.jobs_in(State::Pending)?.len() + shell.failed + shell.review;
        let standing = in_queue > WAITING_MAX;
        let question = Question { text: asked.clone(), limit: HITS, standing, ..Question::default() };
        let found = page.home.recall(&question, &page.cwd)?;
        let row = |hit: engine::output::RecallHit| HitRow {
            place: hit.line.map_or_else(|| hit.path.clone(), |line| format!("{}:{line}", hit.path)),
            heading: hit.heading.join(" › "),
            text: hit.text,
            kb: hit.kb,
            id: hit.id,
            job: hit.job.map(|job| job.to_string()),
            waits: hit.waits,
            doubt: hit.doubt,
            live: hit.live,
        };
        let hits = found.hits.into_iter().map(row).collect();
        screen(&Recall { shell, asked, hits, standing })
    })
    .await
}
