//! Review: one proposal at a time, with what it would change, and a form for a yes or a no. Then the next one is shown.

use crate::Page;
use crate::job_card::JobCard;
use crate::render::{PageAnswer, answer, show as screen};
use crate::routes::Fields;
use crate::seen::Shown;
use crate::shell::Shell;
use askama::Template;
use axum::Extension;
use axum::extract::{Path, Query, State as Shared};
use axum::response::Response;
use engine::{Failure, JobId, Listed, State};
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Template)]
#[template(path = "review.html")]
struct Review {
    shell: Shell,
    job: Option<JobCard>,
    /// Its number, from 1, and how many there are.
    at: usize,
    all: usize,
    next: Option<String>,
    /// How many changes to the same document wait for the worker.
    unwritten: usize,
    /// How many wait to be written, where no proposal is shown.
    queued: usize,
}

/// The first proposal that waits, or the first one after the job that the address names.
pub(crate) async fn first(
    Shared(page): Shared<Arc<Page>>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    answer(page, move |page| {
        let after = query.get("after").and_then(|id| id.parse::<JobId>().ok());
        let jobs = page.home.jobs_in(State::Review)?;
        match jobs.iter().find(|job| after.is_none_or(|after| job.id > after)) {
            Some(first) => draw(page, &first.clone(), &jobs),
            None => screen(&Review {
                shell: Shell::new(page, "Review"),
                job: None,
                at: 0,
                all: jobs.len(),
                next: None,
                unwritten: 0,
                queued: page.queued(),
            }),
        }
    })
    .await
}

/// One of them.
pub(crate) async fn one(Shared(page): Shared<Arc<Page>>, Path(id): Path<String>) -> Response {
    answer(page, move |page| {
        let jobs = page.home.jobs_in(State::Review)?;
        let waits = id.parse::<JobId>().ok().and_then(|id| jobs.iter().find(|job| job.id == id).cloned());
        let listed = waits.map_or_else(|| page.home.find(&id), Ok)?;
        draw(page, &listed, &jobs)
    })
    .await
}

/// A decision about a proposal.
pub(crate) async fn decide(
    Shared(page): Shared<Arc<Page>>,
    Path(id): Path<String>,
    Extension(fields): Extension<Fields>,
) -> Response {
    answer(page, move |page| {
        let listed = match page.shown(&id, State::Review, &fields)? {
            Shown::Now(listed) => listed,
            Shown::Decided(listed) => return Ok(PageAnswer::Go(format!("/job/{}", listed.id))),
            Shown::Changed(listed) => return draw(page, &listed, &page.home.jobs_in(State::Review)?),
        };
        page.decide(&listed, &fields)?;
        Ok(PageAnswer::Go(format!("/review?after={}", listed.id)))
    })
    .await
}

fn draw(page: &Page, listed: &Listed, jobs: &[Listed]) -> Result<PageAnswer, Failure> {
    if listed.state != State::Review {
        return Ok(PageAnswer::Go(format!("/job/{}", listed.id)));
    }
    let job = JobCard::new(page, listed)?;
    let at = jobs.iter().position(|job| job.id == listed.id).unwrap_or(0);
    let next = jobs.get(at + 1).map(|job| job.id.to_string());
    let unwritten = job.doc.as_ref().map_or(Ok(0), |doc| page.queued_for(doc))?;
    let (job, at, all) = (Some(job), at + 1, jobs.len());
    screen(&Review { shell: Shell::new(page, "Review"), job, at, all, next, unwritten, queued: 0 })
}
