//! How long the document of a knowledge base may get: what its budgets are, what it would need for the changes that they stopped, and
//! a form with which it may get longer. The changes go back into the queue with it.

use crate::Page;
use crate::render::{PageAnswer, answer, show as screen};
use crate::routes::Fields;
use crate::shell::{Said, Shell};
use crate::views::failed::{retried, texts};
use askama::Template;
use axum::Extension;
use axum::extract::{Query, State as Shared};
use axum::response::Response;
use engine::output::{BudgetNow, Budgets};
use engine::{Action, Budget, Exit, Failure, Listed};
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Template)]
#[template(path = "budget.html")]
struct HowLong {
    shell: Shell,
    kb: String,
    document: String,
    limits: Vec<Limit>,
    /// How many changes did not fit.
    stopped: usize,
    /// What the first few of them say.
    texts: Vec<String>,
    /// Whether not all of those were measured.
    more: bool,
    /// Which they are, and what the limits were. If that is another one when the form is sent, the question is asked again.
    seen: String,
}

impl HowLong {
    /// How many there are of which no text is shown.
    fn more_texts(&self) -> usize {
        self.stopped.saturating_sub(self.texts.len())
    }
}

/// One budget on the screen.
struct Limit {
    key: &'static str,
    /// What is counted, and of what.
    unit: &'static str,
    of: &'static str,
    most: usize,
    now: usize,
    needed: usize,
    proposed: usize,
}

impl Limit {
    fn new(of: BudgetNow) -> Limit {
        let BudgetNow { budget, most, now, needed } = of;
        Limit {
            key: budget.key(),
            unit: if budget == Budget::Tokens { "tokens (estimated)" } else { "characters" },
            of: if budget == Budget::SectionChars { "its longest section" } else { "it" },
            most,
            now,
            needed,
            proposed: proposed(most, needed),
        }
    }
}

/// What is proposed as the new limit, where the one there is too small: what is needed and so much more, in round numbers, that the
/// document is not called nearly full then.
fn proposed(most: usize, needed: usize) -> usize {
    if needed <= most {
        return most;
    }
    let roomy = needed.saturating_add(needed / 10 * 3);
    let step = 10_usize.pow(roomy.max(1).ilog10().saturating_sub(1));
    roomy.div_ceil(step).saturating_mul(step)
}

pub(crate) async fn show(
    Shared(page): Shared<Arc<Page>>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    answer(page, move |page| ask(page, query.get("kb").map_or("", String::as_str))).await
}

fn ask(page: &Page, kb: &str) -> Result<PageAnswer, Failure> {
    let jobs = page.home.over_budget(kb)?;
    let seen = seen(page, kb, &jobs)?;
    let Budgets { document, budgets, more, .. } = page.home.budgets(kb, &jobs, &page.cwd)?;
    screen(&HowLong {
        shell: Shell::new(page, format!("How long “{kb}” may get")),
        document: document.map_or_else(|| kb.to_owned(), |path| page.home.short(&path)),
        kb: kb.to_owned(),
        limits: budgets.into_iter().map(Limit::new).collect(),
        stopped: jobs.len(),
        texts: texts(page, &jobs),
        more: more > 0,
        seen,
    })
}

/// The stamp of the question.
fn seen(page: &Page, kb: &str, jobs: &[Listed]) -> Result<String, Failure> {
    let limits = page.home.budgets(kb, &[], &page.cwd)?.budgets;
    let limit = |of: &BudgetNow| format!("{}: {}", of.budget.key(), of.most);
    let seen = page.seen().text(kb).jobs(jobs);
    Ok(limits.iter().map(limit).fold(seen, |seen, limit| seen.text(&limit)).stamp())
}

/// Lets it get so long, and puts what did not fit back into the queue.
pub(crate) async fn change(
    Shared(page): Shared<Arc<Page>>,
    Extension(fields): Extension<Fields>,
) -> Response {
    answer(page, move |page| {
        let kb = fields.get("kb");
        page.home.give_back_staged()?;
        let jobs = page.home.over_budget(kb)?;
        if fields.get("seen") != seen(page, kb, &jobs)? {
            page.say(Said::bad("Other changes wait by now, or the limit is another one: look again."));
            return ask(page, kb);
        }
        let who = page.who(fields.said("reason"))?;
        let mut lines = Vec::new();
        for BudgetNow { budget, most, .. } in page.home.budgets(kb, &[], &page.cwd)?.budgets {
            let Some(said) = fields.said(budget.key()) else { continue };
            let wanted = number(said)?;
            if wanted != most {
                page.home.set_budget(kb, budget, wanted, &who)?;
                lines.push(format!("{kb}: the limit is {wanted} now, and was {most}."));
            }
        }
        let done = page.decisions(&fields)?.controlled(&page.control).all(&jobs, &Action::Retry);
        let done = done.map_err(|undecided| undecided.failure)?;
        let said = retried(lines, &done);
        page.say(said);
        Ok(PageAnswer::Go("/failed".to_owned()))
    })
    .await
}

/// A whole number as it is typed, with or without separators.
fn number(said: &str) -> Result<usize, Failure> {
    let digits: String = said.chars().filter(|c| !matches!(c, ',' | '.' | ' ' | '\'')).collect();
    let number = digits.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| {
        Failure::new(format!("“{said}” is no whole number"))
            .hint("go back, and write how much it may be in digits")
            .exit(Exit::Usage)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_number_with_room_is_proposed() {
        assert_eq!(
            [(80, 4013), (80, 107), (80, 60), (1, 2)].map(|(most, needed)| proposed(most, needed)),
            [5300, 140, 80, 2]
        );
        assert!(proposed(0, usize::MAX) > 0);
    }
}
