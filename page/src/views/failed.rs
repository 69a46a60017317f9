//! Failed jobs, grouped by code; and one action for all of a group, after a screen that shows what it would do.

use crate::Page;
use crate::decide::plain_action;
use crate::job_card::{ConflictCard, conflict};
use crate::render::{PageAnswer, answer, show as screen};
use crate::routes::Fields;
use crate::seen::Seen;
use crate::shell::{Said, Shell};
use crate::views::jobs::{JobRow, beginning, rows, whole};
use crate::words::{plain, reason, what_helps};
use askama::Template;
use axum::Extension;
use axum::extract::{Path, Query, State as Shared};
use axum::response::Response;
use engine::output::{Decided, LeftAlone};
use engine::{
    Actor, ChangedJob, Code, Decisions, Exit, Failure, Filter, Job, JobId, Listed, Remedy, State, Which,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The action that replaces each missing heading by the one that was probably meant.
const MEANT: &str = "meant";
/// The action that replaces a text by another in what each job says.
const REPLACE: &str = "replace";
/// The action that puts each under another heading than the one that several sections have.
const UNDER: &str = "under";
/// Of how many jobs the whole text is shown in a question about many.
const TEXTS_MAX: usize = 5;
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
    /// How many wait to be written.
    queued: usize,
}

struct Group {
    count: usize,
    /// What was noted when one of them failed, and the beginning and the whole of what that one says.
    example: String,
    says: String,
    says_whole: String,
    /// The document of the example: what is to be mended with an editor is mostly there.
    document: Option<String>,
    means: &'static str,
    helps: Option<&'static str>,
    /// Of a conflict both sides, where they are of one of several.
    sides: Option<ConflictCard>,
    does: GroupActions,
}

/// What can be done about all that failed for one reason. What helps most often stands first.
struct GroupActions {
    code: String,
    /// How many there are, where all of them were counted.
    count: Option<usize>,
    actions: &'static [Remedy],
    /// The heading that is not there, and the one of the document that its author probably meant.
    meant: Option<(String, String)>,
    /// What the heading could be called that is to take the place of one that several sections have.
    under: Option<String>,
    /// The knowledge base whose document has no room for it.
    full: Option<String>,
    /// Whether trying again may be enough: nothing else has to be done first.
    tries_first: bool,
}

impl GroupActions {
    /// For the jobs with this code, of which `example` is one.
    fn new(page: &Page, code: &Code, count: Option<usize>, example: Option<&Job>) -> GroupActions {
        let heading = |job: &Job| job.entries.first()?.key.heading.last().cloned();
        let own = example.and_then(heading);
        let meant = example.and_then(|job| page.home.meant(job)).and_then(|meant| heading(&meant.job));
        let full = example.filter(|_| *code == Code::OverBudget).map(|job| job.document.kb.clone());
        GroupActions {
            code: code.to_string(),
            count,
            actions: code.actions(),
            under: own.clone().filter(|_| *code == Code::Ambiguous).map(|own| format!("{own} (more)")),
            meant: own.zip(meant),
            full: full.filter(|kb| !kb.is_empty()),
            tries_first: what_helps(code, "").is_none(),
        }
    }

    fn for_all(&self, action: &str) -> String {
        for_all(action, self.count)
    }

    /// The actions beside those above, in this order: trying again where that can help, sides, and the end of them last.
    fn rest(&self) -> impl Iterator<Item = &'static str> {
        let order = |remedy: &&Remedy| match remedy {
            Remedy::Retry => 1,
            Remedy::Discard => 2,
            _ => 0,
        };
        let mut rest: Vec<&Remedy> = self.actions.iter().filter(|remedy| **remedy != Remedy::Edit).collect();
        rest.sort_by_key(order);
        rest.into_iter().map(|remedy| remedy.as_str())
    }
}

impl Group {
    fn does(&self) -> &GroupActions {
        &self.does
    }
}

#[derive(Template)]
#[template(path = "failed_group.html")]
struct OneReason {
    shell: Shell,
    helps: Option<&'static str>,
    rows: Vec<JobRow>,
    more: bool,
    /// Whether their texts can be edited.
    edits: bool,
    does: GroupActions,
}

#[derive(Template)]
#[template(path = "bulk.html")]
struct Bulk {
    shell: Shell,
    code: String,
    action: String,
    word: &'static str,
    /// What it does, in a sentence; of headings and texts, which becomes which in how many jobs.
    does: &'static str,
    changes: Vec<(String, usize)>,
    replace: Option<Replacement>,
    /// Why the first of them fails again if nothing else is done, and what helps.
    again: Option<String>,
    helps: Option<&'static str>,
    /// What the first few say, whole.
    texts: Vec<String>,
    /// The first of them: the id, and the beginning of what it says.
    jobs: Vec<(String, String)>,
    all: usize,
    left: Vec<String>,
    more_left: usize,
    /// Which jobs were shown, and what they said. If others wait when the form is sent, the question is asked again.
    seen: String,
}

/// All groups.
pub(crate) async fn show(Shared(page): Shared<Arc<Page>>) -> Response {
    answer(page, |page| {
        let (failures, more) = page.home.failures()?;
        let group = |of: &engine::output::FailureGroup| {
            let code = Code::named(&of.code);
            let example = page.home.find(&of.id.to_string()).ok();
            let job = example.as_ref().and_then(|listed| page.home.load_listed(listed).ok()?.job);
            let says = |text: fn(&engine::Home, &Listed) -> String| {
                example.as_ref().map_or_else(String::new, |listed| text(&page.home, listed))
            };
            let fault = job.as_ref().and_then(|job| job.error.as_ref());
            Group {
                count: of.count,
                example: plain(&of.example),
                says: says(beginning),
                says_whole: says(whole),
                document: job.as_ref().map(|job| page.home.short(&job.document.path)),
                means: reason(&code),
                helps: what_helps(&code, &of.example),
                sides: fault.and_then(conflict),
                does: GroupActions::new(page, &code, Some(of.count), job.as_ref()),
            }
        };
        let groups: Vec<Group> = failures.iter().map(group).collect();
        let queued = page.queued();
        screen(&Failed { shell: Shell::new(page, "Failed"), groups, more, queued })
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
        let first = rows.first().and_then(|row| page.home.find(&row.id).ok());
        let first = first.and_then(|listed| page.home.load_listed(&listed).ok()?.job);
        let count = (!more).then_some(rows.len());
        screen(&OneReason {
            shell: Shell::new(page, format!("Failed: {}", reason(&known))),
            helps: what_helps(&known, ""),
            rows,
            more,
            edits: known.actions().contains(&Remedy::Edit),
            does: GroupActions::new(page, &known, count, first.as_ref()),
        })
    })
    .await
}

/// What an action would do to a group.
pub(crate) async fn preview(
    Shared(page): Shared<Arc<Page>>,
    Path((code, action)): Path<(String, String)>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    answer(page, move |page| {
        let said = |name: &str| query.get(name).map(String::as_str).unwrap_or_default();
        ask(page, &code, &action, &Replacement::new(said("find"), said("with")))
    })
    .await
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
        let replacement = Replacement::new(fields.get("find"), fields.get("with"));
        if fields.get("seen") != seen(page, &jobs, &action) {
            page.say(Said::bad("Other jobs wait with this reason by now, or one was changed: look again."));
            return ask(page, &code, &action, &replacement);
        }
        let decisions = page.decisions(&fields)?.controlled(&page.control);
        let done = match action.as_str() {
            // The heading that each most likely meant, in the place of the one that is not there.
            MEANT => decisions.in_turn(&jobs, &|listed| Ok(meant(page, listed))),
            REPLACE | UNDER => {
                replacement.check(&action)?;
                decisions.in_turn(&jobs, &|listed| {
                    Ok(replacement.in_job(&decisions, listed, &action)?.map(|changed| changed.action))
                })
            }
            other => decisions.all(&jobs, &wanted(other)?),
        };
        let done = done.map_err(|undecided| undecided.failure)?;
        page.say(said(&action, &done));
        Ok(PageAnswer::Go("/failed".to_owned()))
    })
    .await
}

/// What came of trying again what had failed, below what was done first.
pub(crate) fn retried(first: Vec<String>, done: &Decided) -> Said {
    let said = said("retry", done);
    let text = first.into_iter().chain([said.text.clone()]).collect::<Vec<_>>().join("\n");
    Said { text, ..said }
}

/// What came of a decision about many.
fn said(action: &str, done: &Decided) -> Said {
    let (queued, ended) = (done.requeued.len(), done.ended.len());
    let mut parts = Vec::new();
    parts.extend((queued > 0).then(|| format!("{queued} wait now to be written")));
    let ends = if action == "ours" { "ended: the documents stay as they are" } else { "discarded" };
    parts.extend((ended > 0).then(|| format!("{ended} {ends}")));
    let left = done.skipped.len() + done.not_asked;
    parts.extend((left > 0).then(|| format!("{left} left as they were")));
    let mut lines = vec![if parts.is_empty() { "nothing was done".to_owned() } else { parts.join(", ") }];
    lines.extend(done.skipped.iter().filter_map(LeftAlone::sentence).take(LEFT_MAX));
    let text = lines.join("\n");
    let said = if done.skipped.is_empty() { Said::good(text) } else { Said::bad(text) };
    said.queued(queued > 0)
}

fn ask(page: &Page, code: &str, action: &str, replacement: &Replacement) -> Result<PageAnswer, Failure> {
    let jobs = jobs(page, code)?;
    let seen = seen(page, &jobs, action);
    let nobody = Actor { name: String::new(), channel: String::new(), reason: None };
    let decisions = page.home.decisions(page.caller(), nobody);
    let mut changes = Vec::new();
    let asked = match action {
        MEANT => {
            changes = headings(page, &jobs);
            jobs.iter().map(|listed| (listed, not_meant(page, listed))).collect()
        }
        REPLACE | UNDER => {
            replacement.check(action)?;
            let tried: Vec<_> =
                jobs.iter().map(|listed| replacement.in_job(&decisions, listed, action)).collect();
            changes = replaced_lines(tried.iter().filter_map(|tried| tried.as_ref().ok()?.as_ref()));
            jobs.iter().zip(&tried).map(|(listed, tried)| (listed, not_replaced(tried, action))).collect()
        }
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
        shell: Shell::new(page, format!("Failed: {}", reason(&Code::named(code)))),
        code: code.to_owned(),
        action: action.to_owned(),
        word: word(action),
        does: does(action),
        changes,
        replace: matches!(action, REPLACE | UNDER).then(|| replacement.clone()),
        again: jobs.first().filter(|_| action == "retry").and_then(|first| fails_again(page, first)),
        helps: what_helps(&Code::named(code), ""),
        all: would.ids.len(),
        texts: texts(page, &of_ids(&jobs, &would.ids)),
        jobs: would.ids.into_iter().take(LISTED_MAX).map(|id| says(page, &jobs, id)).collect(),
        left,
        more_left,
        seen,
    })
}

impl Bulk {
    /// How many there are of which no text is shown.
    fn more_texts(&self) -> usize {
        self.all.saturating_sub(self.texts.len())
    }
}

/// The first few of the jobs with these ids.
fn of_ids(jobs: &[Listed], ids: &[String]) -> Vec<Listed> {
    let wanted = ids.iter().take(TEXTS_MAX).filter_map(|id| id.parse().ok());
    wanted.filter_map(|id: JobId| jobs.iter().find(|listed| listed.id == id).cloned()).collect()
}

/// What the first few of these jobs say.
pub(crate) fn texts(page: &Page, jobs: &[Listed]) -> Vec<String> {
    let said = jobs.iter().take(TEXTS_MAX).map(|listed| whole(&page.home, listed));
    said.filter(|text| !text.is_empty()).collect()
}

/// Why a job would fail again, as its document is now.
fn fails_again(page: &Page, listed: &Listed) -> Option<String> {
    Some(page.home.view(listed).ok()?.preview?.refused?.message)
}

/// A job's id, and the beginning of what it says.
fn says(page: &Page, jobs: &[Listed], id: String) -> (String, String) {
    let listed = id.parse().ok().and_then(|id: JobId| jobs.iter().find(|listed| listed.id == id));
    let says = listed.map(|listed| beginning(&page.home, listed)).unwrap_or_default();
    (id, says)
}

/// A text that is replaced by another wherever it stands; or the heading that is to take the place of a job's own.
#[derive(Debug, Clone)]
struct Replacement {
    find: String,
    with: String,
}

impl Replacement {
    fn new(find: &str, with: &str) -> Replacement {
        Replacement { find: find.to_owned(), with: with.to_owned() }
    }

    fn check(&self, action: &str) -> Result<(), Failure> {
        let (said, missing, next) = match action {
            UNDER => (self.with.trim(), "it does not say which heading", "write the heading into the field"),
            _ => (
                self.find.as_str(),
                "it does not say which text is to be replaced",
                "write that text into the first field",
            ),
        };
        if said.is_empty() {
            return Err(Failure::new(missing).hint(next).exit(Exit::Usage));
        }
        Ok(())
    }

    /// The job with the change in its headings and texts; `None` where the text does not stand in it, or where it has several
    /// headings and not one that could be meant.
    fn in_job(
        &self,
        decisions: &Decisions,
        listed: &Listed,
        action: &str,
    ) -> Result<Option<ChangedJob>, Failure> {
        if action != UNDER {
            return decisions.with_texts_changed(listed, &|text| text.replace(&self.find, &self.with));
        }
        let Some(own) = decisions.only_heading(listed)? else { return Ok(None) };
        let with = self.with.trim();
        decisions.with_texts_changed(listed, &|text| if text == own { with } else { text }.to_owned())
    }
}

/// Which line becomes which, and in how many jobs; the most frequent first.
fn replaced_lines<'c>(changed: impl Iterator<Item = &'c ChangedJob>) -> Vec<(String, usize)> {
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    // Of a heading its text, without the key that it has in the file.
    let text = |line: &str| line.strip_prefix("heading: ").unwrap_or(line).to_owned();
    for (was, is) in changed.flat_map(ChangedJob::lines) {
        *found.entry(becomes(&text(was), &text(is))).or_default() += 1;
    }
    most_frequent(found)
}

fn not_replaced(tried: &Result<Option<ChangedJob>, Failure>, action: &str) -> Option<String> {
    match tried {
        Ok(Some(_)) => None,
        Ok(None) if action == UNDER => {
            Some("it changes several sections, or has that heading already".to_owned())
        }
        Ok(None) => Some("the text does not stand in it".to_owned()),
        Err(failure) => Some(failure.sentence()),
    }
}

fn becomes(was: &str, is: &str) -> String {
    format!("“{was}” becomes “{is}”")
}

/// The counted changes that are shown.
fn most_frequent(found: BTreeMap<String, usize>) -> Vec<(String, usize)> {
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by_key(|(_, jobs)| std::cmp::Reverse(*jobs));
    found.truncate(LEFT_MAX);
    found
}

fn meant(page: &Page, listed: &Listed) -> Option<engine::Action> {
    let job = page.home.load_listed(listed).ok()?.job?;
    page.home.meant(&job).map(|meant| engine::Action::Edit(Box::new(meant.job)))
}

/// Which heading becomes which, and in how many of these jobs; the most frequent first.
fn headings(page: &Page, jobs: &[Listed]) -> Vec<(String, usize)> {
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    for job in jobs.iter().filter_map(|listed| page.home.load_listed(listed).ok()?.job) {
        let Some(meant) = page.home.meant(&job) else { continue };
        let was = job.entries.iter().map(|entry| entry.key.heading.join(" › "));
        let is = meant.job.entries.iter().map(|entry| entry.key.heading.join(" › "));
        let changed = was.zip(is).filter(|(was, is)| was != is);
        for (was, is) in changed {
            *found.entry(becomes(&was, &is)).or_default() += 1;
        }
    }
    most_frequent(found)
}

fn not_meant(page: &Page, listed: &Listed) -> Option<String> {
    let none = || "no heading of its document is nearly its own".to_owned();
    meant(page, listed).is_none().then(none)
}

/// Where the next job is that failed for this reason, behind one that was decided about: else the first, else all reasons. And how
/// many there are.
pub(crate) fn next(page: &Page, code: &Code, after: JobId) -> Result<(String, usize), Failure> {
    let jobs = jobs(page, &code.to_string())?;
    let next = jobs.iter().find(|job| job.id > after).or(jobs.first());
    Ok((next.map_or_else(|| "/failed".to_owned(), |job| format!("/job/{}", job.id)), jobs.len()))
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

/// The stamp of a question about all of a group: it changes when another job comes, or one goes or is changed. Headings that were meant
/// change with the documents.
fn seen(page: &Page, jobs: &[Listed], action: &str) -> String {
    let seen = page.seen().jobs(jobs);
    match action {
        MEANT => jobs.iter().fold(seen, Seen::meant).stamp(),
        _ => seen.stamp(),
    }
}

/// The words of the button that leads to an action for all of a group; `None` where nobody counted them.
fn for_all(action: &str, count: Option<usize>) -> String {
    let those = match count {
        None => "all".to_owned(),
        Some(1) => "it".to_owned(),
        Some(count) => format!("all {count}"),
    };
    match action {
        "retry" => format!("Try {those} again…"),
        "ours" | "theirs" => format!("{} ({those})…", word(action)),
        other => format!("{} {those}…", word(other)),
    }
}

/// The words of an action's button.
fn word(action: &str) -> &'static str {
    match action {
        MEANT => "Take the heading that was meant in",
        REPLACE => "Replace it in",
        UNDER => "Give another heading to",
        "retry" => "Try again",
        "ours" => "Keep what the document says",
        "theirs" => "Take what the change says",
        _ => "Discard",
    }
}

/// What an action does, for who is asked about it.
fn does(action: &str) -> &'static str {
    match action {
        MEANT => "Each is tried again with the heading of its document that is nearly the one it names.",
        REPLACE => "Each is tried again with the new text in its headings and contents.",
        UNDER => "Each is tried again under the new heading. A section with it is made, if there is none.",
        "retry" => {
            "Each is tried again as it is. If what stood in its way is still there, it fails again and comes back here."
        }
        "ours" => {
            "The lines that somebody changed stay as they are in the documents. What else such a change says elsewhere is still written. What agents said stays readable: Log leads to each."
        }
        "theirs" => {
            "What they say takes the place of what the document says there now. Of several for one place the last stands in the end."
        }
        _ => {
            "None of them is written, and their documents stay as they are. What they say is kept: Log, “discarded”, leads to each."
        }
    }
}
