//! One job: what it says, its state and the reason, its events, and what can be done.

use crate::Page;
use crate::job_card::{JobCard, LifeEvent, life};
use crate::render::{PageAnswer, answer, show as screen};
use crate::routes::Fields;
use crate::seen::Shown;
use crate::shell::Shell;
use crate::views::failed;
use askama::Template;
use axum::Extension;
use axum::extract::{Path, State as Shared};
use axum::response::Response;
use engine::{Failure, Listed, State};
use std::sync::Arc;

#[derive(Template)]
#[template(path = "job.html")]
struct OneJob {
    shell: Shell,
    job: JobCard,
    events: Vec<LifeEvent>,
    /// The file of a job that waits for a person, as text to be edited.
    file: Option<String>,
}

pub(crate) async fn show(Shared(page): Shared<Arc<Page>>, Path(id): Path<String>) -> Response {
    answer(page, move |page| draw(page, &page.home.find(&id)?)).await
}

fn draw(page: &Page, listed: &Listed) -> Result<PageAnswer, Failure> {
    let (job, events) = (JobCard::new(page, listed)?, life(page, listed.id)?);
    let bytes = page.home.staged_text(listed).ok();
    let file = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    screen(&OneJob { shell: Shell::new(page, job.title()), job, events, file })
}

/// A decision about a failed job; then the next one of its group is shown.
pub(crate) async fn decide(
    Shared(page): Shared<Arc<Page>>,
    Path(id): Path<String>,
    Extension(fields): Extension<Fields>,
) -> Response {
    answer(page, move |page| {
        let listed = match page.shown(&id, State::Failed, &fields)? {
            Shown::Now(listed) => listed,
            Shown::Decided(listed) => return Ok(PageAnswer::Go(format!("/job/{}", listed.id))),
            Shown::Changed(listed) => return draw(page, &listed),
        };
        let code = page.home.staged_code(&listed)?;
        page.decide(&listed, &fields)?;
        let (next, left) = failed::next(page, &code, listed.id)?;
        page.say_also(&match left {
            0 => "It was the last one that failed for this reason.".to_owned(),
            1 => "Below is the last one that failed for this reason.".to_owned(),
            n => format!("Below is the next of {n} that failed for this reason."),
        });
        Ok(PageAnswer::Go(next))
    })
    .await
}
