//! Doctor: the checks of the home, which passed and which failed.

use crate::Page;
use crate::render::{answer, show as screen};
use crate::shell::Shell;
use askama::Template;
use axum::extract::State as Shared;
use axum::response::Response;
use engine::output::{Finding, Health};
use std::sync::Arc;

#[derive(Template)]
#[template(path = "doctor.html")]
struct Doctor {
    shell: Shell,
    findings: Vec<(&'static str, Finding)>,
}

pub(crate) async fn show(Shared(page): Shared<Arc<Page>>) -> Response {
    answer(page, |page| {
        let mut findings = page.home.doctor(&page.cwd, false)?;
        let rank = |finding: &Finding| match finding.health {
            Health::Bad => 0,
            Health::Note => 1,
            Health::Ok => 2,
        };
        findings.sort_by_key(rank);
        let word = |finding: Finding| {
            let word = match finding.health {
                Health::Bad => "bad",
                Health::Note => "note",
                Health::Ok => "ok",
            };
            (word, finding)
        };
        let findings = findings.into_iter().map(word).collect();
        screen(&Doctor { shell: Shell::new(page, "Doctor"), findings })
    })
    .await
}
