//! A report without forms and links: the overview and what waits, in one file.

use crate::render::readable;
use crate::views::jobs::{JobRow, rows};
use crate::views::overview::{OverviewFacts, facts};
use askama::Template;
use engine::{Failure, Filter, Home, JournalFollower, State};
use std::path::Path;

/// How many jobs of each kind are listed.
const LISTED_MAX: usize = 200;

#[derive(Template)]
#[template(path = "report.html")]
struct Report {
    home: String,
    at: String,
    style: &'static str,
    facts: OverviewFacts,
    waiting: Vec<Waiting>,
}

struct Waiting {
    title: &'static str,
    rows: Vec<JobRow>,
    more: bool,
}

/// The overview and what waits for a person, as one HTML file that loads nothing.
///
/// # Errors
/// The home cannot be used; a disk error.
pub fn report(home: &Home, cwd: &Path) -> Result<String, Failure> {
    let facts = facts(home, cwd, &mut JournalFollower::default())?;
    let waits = |title, state| {
        let filter = Filter { state: Some(state), limit: Some(LISTED_MAX + 1), ..Filter::default() };
        let mut rows = rows(home, &filter)?;
        let more = rows.len() > LISTED_MAX;
        rows.truncate(LISTED_MAX);
        Ok::<_, Failure>(Waiting { title, rows, more })
    };
    let waiting = vec![waits("For your yes", State::Review)?, waits("Failed", State::Failed)?];
    let report = Report {
        home: home.short(home.layout().home()),
        at: home.wall_clock(home.now()),
        style: include_str!("../../templates/page.css"),
        facts,
        waiting,
    };
    let html = report.render().map_err(|e| Failure::new(format!("cannot write the report: {e}")))?;
    Ok(readable(&html))
}
