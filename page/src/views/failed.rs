//! Failed jobs, grouped by code; and one action for all of a group, after a screen that shows what it would do.

use crate::Page;
use crate::decide::plain_action;
use crate::render::{PageAnswer, answer, show as screen};
use crate::routes::Fields;
use crate::shell::{Said, Shell};
use crate::views::jobs::{JobRow, rows};
use askama::Template;
use axum::Extension;
use axum::extract::{Path, State as Shared};
use axum::response::Response;
use engine::output::LeftAlone;
use engine::{Actor, Code, Exit, Failure, Filter, Listed, Remedy, State, Which};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// The action that replaces each missing heading by the one that was probably meant.
const MEANT: &str = "meant";
/// How many jobs of a group are listed.
const LISTED_MAX: usize = 50;
/// How many of the jobs that an action leaves as they are, are named with the reason.
const LEFT_MAX: usize = 20;

#[derive(Template)]
#[template(path = "failed.html")]
struct Failed {
    shell: Shell,
    groups: Vec<Group>,
    more: usize,
}

struct Group {
    code: String,
    count: usize,
    example: String,
    means: &'static str,
    actions: &'static [Remedy],
    /// Whether the action `MEANT` fits one of them.
    meant: bool,
}

#[derive(Template)]
#[template(path = "failed_group.html")]
struct OneReason {
    shell: Shell,
    code: String,
    means: &'static str,
    actions: &'static [Remedy],
    rows: Vec<JobRow>,
    more: bool,
}

#[derive(Template)]
#[template(path = "bulk.html")]
struct Bulk {
    shell: Shell,
    code: String,
    action: String,
    word: &'static str,
    jobs: Vec<String>,
    all: usize,
    left: Vec<String>,
    more_left: usize,
    /// Which jobs were shown. If others wait when the form is sent, the question is asked again.
    seen: String,
}

/// All groups.
pub(crate) async fn show(Shared(page): Shared<Arc<Page>>) -> Response {
    answer(page, |page| {
        let status = page.home.status(&page.cwd)?;
        let group = |of: &engine::output::FailureGroup| {
            let code = Code::named(&of.code);
            let (means, actions) = (code.meaning(), code.actions());
            let example = page.home.find(&of.id.to_string()).ok();
            let meant = example.is_some_and(|listed| meant(page, &listed).is_some());
            Group {
                code: of.code.clone(),
                count: of.count,
                example: of.example.clone(),
                means,
                actions,
                meant,
            }
        };
        let groups = status.failures.iter().map(group).collect();
        screen(&Failed { shell: Shell::new(page, "Failed"), groups, more: status.more_failures })
    })
    .await
}

/// One group.
pub(crate) async fn one(Shared(page): Shared<Arc<Page>>, Path(code): Path<String>) -> Response {
    answer(page, move |page| {
        let known = Code::named(&code);
        let filter = Filter { limit: Some(LISTED_MAX + 1), ..of_code(&code) };
        let mut rows = rows(&page.home, &filter)?;
        let more = rows.len() > LISTED_MAX;
        rows.truncate(LISTED_MAX);
        let (means, actions) = (known.meaning(), known.actions());
        screen(&OneReason {
            shell: Shell::new(page, format!("Failed: {code}")),
            code,
            means,
            actions,
            rows,
            more,
        })
    })
    .await
}

/// What an action would do to a group.
pub(crate) async fn preview(
    Shared(page): Shared<Arc<Page>>,
    Path((code, action)): Path<(String, String)>,
) -> Response {
    answer(page, move |page| ask(page, &code, &action)).await
}

/// Does it, if the same jobs still wait.
pub(crate) async fn decide(
    Shared(page): Shared<Arc<Page>>,
    Path((code, action)): Path<(String, String)>,
    Extension(fields): Extension<Fields>,
) -> Response {
    answer(page, move |page| {
        page.home.give_back_staged()?;
        let jobs = jobs(page, &code)?;
        if fields.get("seen") != mark(&jobs) {
            page.say(Said {
                text: "Other jobs wait with this reason by now: look again.".to_owned(),
                bad: true,
            });
            return ask(page, &code, &action);
        }
        let decisions = page.decisions(&fields)?.controlled(&page.control);
        let done = match action.as_str() {
            // The heading that each most likely meant, in the place of the one that is not there.
            MEANT => decisions.in_turn(&jobs, &|listed| Ok(meant(page, listed))),
            other => decisions.all(&jobs, &wanted(other)?),
        };
        let done = done.map_err(|undecided| undecided.failure)?;
        let mut text = format!("{} back in the queue, {} ended", done.requeued.len(), done.ended.len());
        if !done.skipped.is_empty() || done.not_asked > 0 {
            text += &format!(", {} left as they were", done.skipped.len() + done.not_asked);
        }
        let whys = done.skipped.iter().filter_map(LeftAlone::sentence).take(LEFT_MAX);
        let text = std::iter::once(text).chain(whys).collect::<Vec<_>>().join("\n");
        page.say(Said { text, bad: !done.skipped.is_empty() });
        Ok(PageAnswer::Go("/failed".to_owned()))
    })
    .await
}

fn ask(page: &Page, code: &str, action: &str) -> Result<PageAnswer, Failure> {
    let jobs = jobs(page, code)?;
    let nobody = Actor { name: String::new(), channel: String::new(), reason: None };
    let decisions = page.home.decisions(page.caller(), nobody);
    let asked = match action {
        MEANT => jobs.iter().map(|listed| (listed, not_meant(page, listed))).collect(),
        other => {
            let wanted = wanted(other)?;
            jobs.iter().map(|listed| (listed, decisions.why_not(listed, &wanted))).collect()
        }
    };
    let would = decisions.would(asked, action)?;
    let mut left: Vec<String> = would.left.iter().filter_map(LeftAlone::sentence).collect();
    let more_left = left.len().saturating_sub(LEFT_MAX);
    left.truncate(LEFT_MAX);
    screen(&Bulk {
        shell: Shell::new(page, format!("Failed: {code}")),
        code: code.to_owned(),
        action: action.to_owned(),
        word: word(action),
        all: would.ids.len(),
        jobs: would.ids.into_iter().take(LISTED_MAX).collect(),
        left,
        more_left,
        seen: mark(&jobs),
    })
}

fn meant(page: &Page, listed: &Listed) -> Option<engine::Action> {
    let job = page.home.load_listed(listed).ok()?.job?;
    page.home.meant(&job).map(|meant| engine::Action::Edit(Box::new(meant.job)))
}

fn not_meant(page: &Page, listed: &Listed) -> Option<String> {
    let none = || "no heading of its document is nearly its own".to_owned();
    meant(page, listed).is_none().then(none)
}

fn jobs(page: &Page, code: &str) -> Result<Vec<Listed>, Failure> {
    Ok(page.home.staged(State::Failed, &Which::Filtered(Box::new(of_code(code))))?.jobs)
}

fn of_code(code: &str) -> Filter {
    Filter { state: Some(State::Failed), error: Some(code.to_owned()), ..Filter::default() }
}

fn wanted(action: &str) -> Result<engine::Action, Failure> {
    plain_action(action).ok_or_else(|| {
        Failure::new("this cannot be done to many at once").hint("open one of them").exit(Exit::Usage)
    })
}

/// A set of jobs in a few letters: how many, and a hash of their ids. It changes when another job comes or one goes.
fn mark(jobs: &[Listed]) -> String {
    let mut hasher = DefaultHasher::new();
    jobs.iter().for_each(|job| job.id.to_string().hash(&mut hasher));
    format!("{}-{:x}", jobs.len(), hasher.finish())
}

/// The words of an action's button.
fn word(action: &str) -> &'static str {
    match action {
        MEANT => "Take the heading that was meant in",
        "retry" => "Try again",
        "ours" => "Keep the document's side of",
        "theirs" => "Take the job's side of",
        _ => "Discard",
    }
}
