//! The overview: whether all is well, what waits and for how long, what happened in the last day, what failed and why.

use crate::Page;
use crate::picture::Picture;
use crate::render::{PageAnswer, answer, show as screen};
use crate::routes::Fields;
use crate::shell::{Said, Shell};
use crate::words::{plain, reason, what_helps};
use askama::Template;
use axum::Extension;
use axum::extract::State as Shared;
use axum::response::Response;
use engine::output::{Hold, Status, Timeline};
use engine::{
    Advice, ApplyScope, Code, Failure, HeldThing, Home, JournalFollower, Report, RunByHand, State, Timestamp,
    Turn, sentence,
};
use std::path::Path;
use std::sync::{Arc, PoisonError};

#[derive(Template)]
#[template(path = "overview.html")]
struct Overview {
    shell: Shell,
    facts: OverviewFacts,
}

impl Overview {
    /// Whether merging what waits is offered above all.
    fn merges(&self) -> bool {
        self.shell.decides && self.facts.merges() && !self.shell.offers_merge()
    }

    /// What is to be done first.
    fn first(&self) -> &'static str {
        match () {
            () if self.shell.review > 0 => "review",
            () if self.shell.failed > 0 => "failed",
            () if self.merges() => "merge",
            () if !self.facts.held.is_empty() => "held",
            () => "put_off",
        }
    }
}

/// The content of the overview, which `report` shows too.
pub(crate) struct OverviewFacts {
    pub(crate) well: bool,
    /// What keeps everything from being merged.
    pub(crate) troubles: Vec<String>,
    /// Whether what is wrong is only that no worker came for what waits.
    only_stalled: bool,
    pub(crate) last_run: String,
    pub(crate) rate: f64,
    pub(crate) states: Vec<StateRow>,
    pub(crate) failures: Vec<FailureRow>,
    pub(crate) more_failures: usize,
    pub(crate) documents: Vec<DocumentRow>,
    pub(crate) held: Vec<HeldRow>,
    /// Documents that are nearly full: knowledge base, file, percent.
    pub(crate) full: Vec<(String, String, usize)>,
    pub(crate) picture: Picture,
    /// What a clock said at the picture's beginning, at each quarter of it, and says now.
    pub(crate) hours: Vec<String>,
    pub(crate) day: DayFacts,
}

/// The last day in sums.
pub(crate) struct DayFacts {
    pub(crate) declared: usize,
    pub(crate) merged: usize,
    pub(crate) failed: usize,
    pub(crate) decided: usize,
}

pub(crate) struct StateRow {
    pub(crate) state: State,
    pub(crate) word: &'static str,
    pub(crate) count: usize,
    pub(crate) oldest: String,
    /// Where they are listed; nowhere in a report.
    pub(crate) leads_to: Option<String>,
}

pub(crate) struct FailureRow {
    pub(crate) code: String,
    pub(crate) means: &'static str,
    pub(crate) count: usize,
}

pub(crate) struct DocumentRow {
    pub(crate) path: String,
    pub(crate) waiting: usize,
    pub(crate) oldest: String,
    pub(crate) first: String,
    pub(crate) why: String,
    pub(crate) helps: Option<&'static str>,
    /// Whether its first job was put off, and could be tried before it is due.
    pub(crate) put_off: bool,
    /// Whether it is held, alone or with everything.
    pub(crate) held: bool,
    /// Its name in an address of the page, where it has one.
    pub(crate) named: Option<String>,
}

pub(crate) struct HeldRow {
    /// Its name in a form.
    pub(crate) named: String,
    noted: Hold,
    /// The stamp of what is shown of it: its form sends it along. A report has no forms.
    pub(crate) seen: String,
    pub(crate) what: String,
    pub(crate) by: String,
    /// Whether that is who decides on this page.
    pub(crate) yours: bool,
    pub(crate) since: String,
    pub(crate) why: String,
}

impl OverviewFacts {
    /// What the person just set going waits for the button beside it: that no worker came for it so far is no alarm.
    fn set_going(&mut self) {
        if self.only_stalled {
            self.troubles.clear();
            self.well = true;
        }
    }

    /// How many changes have not ended.
    pub(crate) fn open(&self) -> usize {
        self.states.iter().filter(|row| row.state != State::Done).map(|row| row.count).sum()
    }

    /// Whether something was put off, and could be tried before it is due.
    fn put_off(&self) -> usize {
        self.documents.iter().filter(|document| document.put_off).count()
    }

    /// Whether a run of the worker would merge something now.
    fn merges(&self) -> bool {
        self.documents.iter().any(|document| !document.put_off && !document.held)
    }
}

pub(crate) async fn show(Shared(page): Shared<Arc<Page>>) -> Response {
    answer(page, draw).await
}

/// Merges what waits now, as the worker would at its next run. Where the form says so, also what was put off, before it is due: all
/// of it, or the document of one job.
pub(crate) async fn work(Shared(page): Shared<Arc<Page>>, Extension(fields): Extension<Fields>) -> Response {
    answer(page, move |page| {
        let worker = page.worker()?;
        let all = ApplyScope::new().before_due(true);
        page.say(match (fields.said("job"), fields.said("put_off")) {
            (Some(job), _) => tried(worker.apply(ApplyScope::new().jobs(vec![job.to_owned()]))?),
            (None, Some(_)) => tried(worker.apply(all)?),
            (None, None) => match worker.work()? {
                Turn::Busy => Said::good("The worker is writing already: look again in a moment."),
                Turn::Done(report) => Said::good(ran(&report)),
            },
        });
        match page.queued() {
            0 => {}
            1 => page.say_also("1 still waits: see below for what."),
            n => page.say_also(&format!("{n} still wait: see below for what.")),
        }
        Ok(PageAnswer::Go("/".to_owned()))
    })
    .await
}

/// What a run did, as a sentence.
pub(crate) fn ran(report: &Report) -> String {
    match report.handled() {
        0 => "Nothing could be written now.".to_owned(),
        _ => {
            // In the page's words, not in those of the terminal.
            let said = sentence(report).replace("applied", "written");
            let said = said.replace("deferred", "put off and tried again later");
            format!("Done: {said}.")
        }
    }
}

/// What came of a run by hand.
fn tried(run: RunByHand) -> Said {
    let mut lines = vec![ran(&run.report)];
    lines.extend(run.put_off.iter().map(|fault| format!("Still not: {}", fault.message)));
    lines.extend(run.held.then(|| "Somebody stopped it by hand, and it was left alone.".to_owned()));
    let text = lines.join("\n");
    if lines.len() == 1 { Said::good(text) } else { Said::bad(text) }
}

/// Releases a hold.
pub(crate) async fn release(
    Shared(page): Shared<Arc<Page>>,
    Extension(fields): Extension<Fields>,
) -> Response {
    answer(page, move |page| {
        let held = page.home.holds()?.into_iter().find(|hold| named(&hold.held) == fields.get("held"));
        let held = held.ok_or_else(|| Failure::new("it is held no longer"))?;
        if fields.get("seen") != seen(page, &held) {
            page.say(Said::bad("Nothing was done: it was stopped anew since you looked. See below by whom, and why."));
            return Ok(PageAnswer::Go("/".to_owned()));
        }
        page.home.release(held.held, &page.who(None)?)?;
        let said = Said::good("The stop is taken off. What waits for it is written at the next run of the worker, or now with the button.");
        page.say(said.queued(true));
        Ok(PageAnswer::Go("/".to_owned()))
    })
    .await
}

/// The stamp of a hold.
fn seen(page: &Page, hold: &Hold) -> String {
    let Hold { held, at, by, reason } = hold;
    let seen = page.seen().text(&named(held)).text(&at.millis().to_string()).text(by);
    seen.text(reason.as_deref().unwrap_or_default()).stamp()
}

/// A hold by its name in a form.
fn named(held: &HeldThing) -> String {
    match held {
        HeldThing::Queue => "queue".to_owned(),
        HeldThing::Document(path) => format!("document {}", path.display()),
        HeldThing::Job(id) => format!("job {id}"),
    }
}

fn draw(page: &Page) -> Result<PageAnswer, Failure> {
    let mut shell = Shell::new(page, "Overview");
    shell.live = true;
    let mut journal = page.journal.lock().unwrap_or_else(PoisonError::into_inner);
    let mut facts = facts(&page.home, &page.cwd, &mut journal)?;
    drop(journal);
    if shell.offers_merge() {
        facts.set_going();
    }
    for held in &mut facts.held {
        held.yours = page.person.as_ref() == Some(&held.by);
        held.seen = seen(page, &held.noted);
    }
    for state in facts.states.iter_mut().filter(|row| row.count > 0 && row.state != State::Done) {
        let to = match state.state {
            State::Failed => "failed".to_owned(),
            other => format!("jobs?state={}", other.as_str()),
        };
        state.leads_to = Some(format!("{}/{to}", page.base()));
    }
    screen(&Overview { shell, facts })
}

/// Reads the figures from the home.
pub(crate) fn facts(
    home: &Home,
    cwd: &Path,
    journal: &mut JournalFollower,
) -> Result<OverviewFacts, Failure> {
    let status = home.status(cwd)?;
    let timeline = home.timeline(&status, journal)?;
    let full = home.filling(cwd);
    let troubles = troubles(home, &status);
    let undecided = |row: &engine::output::StateCount| {
        matches!(row.state, State::Failed | State::Review) && row.count > 0
    };
    Ok(OverviewFacts {
        well: !status.needs_somebody,
        only_stalled: status.stalled.is_some() && troubles.len() == 1 && !status.states.iter().any(undecided),
        troubles,
        last_run: last_run(&status),
        rate: status.jobs_per_minute,
        states: states(&status),
        failures: status
            .failures
            .iter()
            .map(|group| FailureRow {
                code: group.code.clone(),
                means: reason(&Code::named(&group.code)),
                count: group.count,
            })
            .collect(),
        more_failures: status.more_failures,
        documents: documents(home, &status),
        held: held(home, &status),
        full: full.iter().map(|full| (full.kb.clone(), home.short(&full.document), full.percent())).collect(),
        picture: Picture::of(&timeline),
        hours: hours(home),
        day: day(&timeline),
    })
}

/// The hours and minutes below the picture of a day.
fn hours(home: &Home) -> Vec<String> {
    const QUARTER_MS: u64 = 6 * 3_600_000;
    let clock = |quarters: u64| {
        let at = home.wall_clock(Timestamp(home.now().millis().saturating_sub(quarters * QUARTER_MS)));
        // Of `2026-11-23 16:44:09`.
        at.get(11..16).unwrap_or_default().to_owned()
    };
    (0..=4).rev().map(clock).collect()
}

fn day(timeline: &Timeline) -> DayFacts {
    let mut sum = DayFacts { declared: 0, merged: 0, failed: 0, decided: 0 };
    for step in &timeline.steps {
        sum.declared += step.declared;
        sum.merged += step.merged;
        sum.failed += step.failed;
        sum.decided += step.decided;
    }
    sum
}

fn last_run(status: &Status) -> String {
    match &status.last_run {
        Some(run) => {
            format!("{}: {}", run.at.ago(status.at), run.message.as_deref().unwrap_or("nothing noted"))
        }
        None => "none yet".to_owned(),
    }
}

fn troubles(home: &Home, status: &Status) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    found.extend(status.configuration.as_ref().map(|why| format!("config.yaml cannot be used: {why}")));
    if let Some(short) = status.shortage {
        let next = home.host().say(&short.next());
        found.push(format!("the disk of the home {}: {next}", short.sentence()));
    }
    if let Some(since) = status.failing_since {
        let why = status.trouble.as_ref().and_then(|trouble| trouble.message.as_deref()).unwrap_or("");
        found.push(format!("every run has failed for {}: {why}", how_long(since, status.at)));
    }
    if let Some(since) = status.stalled {
        let waits = how_long(since, status.at);
        let next = home.host().say(&Advice::RunWorker);
        found.push(format!("a change has waited for {waits} with nothing in its way; {next}"));
    }
    found.extend((status.stuck > 0).then(|| match status.stuck {
        1 => "Nothing can be written into 1 document for now. What is in the way is said below.".to_owned(),
        n => format!(
            "Nothing can be written into {n} documents for now. What is in the way of each is said below."
        ),
    }));
    found.extend(
        status
            .dead
            .iter()
            .map(|worker| format!("{worker} died with jobs in hand; the next run recovers them")),
    );
    found.extend(status.foreign.iter().map(|name| format!("an unknown file in the queue: {name}")));
    found.extend(status.left.iter().map(|path| format!("left in an inbox: {}", home.short(path))));
    found
}

/// How long something has lasted: `22 min`.
fn how_long(since: Timestamp, now: Timestamp) -> String {
    engine::span(now.since_ms(since))
}

fn states(status: &Status) -> Vec<StateRow> {
    let row = |of: &engine::output::StateCount| StateRow {
        state: of.state,
        word: match of.state {
            State::Pending => "wait to be written",
            State::Deferred => "are tried again later",
            State::Processing => "are being written",
            State::Failed => "failed",
            State::Review => "wait for your yes",
            State::Done => "done today",
        },
        count: of.count,
        oldest: of.oldest.filter(|_| of.count > 0).map_or_else(String::new, |at| at.ago(status.at)),
        leads_to: None,
    };
    status.states.iter().map(row).collect()
}

fn documents(home: &Home, status: &Status) -> Vec<DocumentRow> {
    let row = |of: &engine::output::DocumentStatus| DocumentRow {
        path: of.path.as_ref().map_or_else(|| of.doc.to_string(), |path| home.short(path)),
        waiting: of.pending + of.deferred,
        oldest: of.first.declared_at().ago(status.at),
        first: of.first.to_string(),
        put_off: of.due.is_some() && !of.held,
        held: of.held,
        // What is in the way of writing into it is mostly in the way of reading it.
        named: of
            .path
            .as_ref()
            .filter(|_| of.due.is_none())
            .and_then(|path| path.to_str())
            .map(str::to_owned),
        helps: of
            .error
            .as_ref()
            .filter(|_| !of.held)
            .and_then(|error| what_helps(&error.code, &error.message)),
        why: match (&of.error, of.held, of.due) {
            (_, true, _) => "somebody stopped it by hand: see below".to_owned(),
            (Some(error), _, Some(due)) => {
                format!("{}; tried again {}", plain(&error.message), due.ago(status.at))
            }
            _ => "nothing: it is written at the next run".to_owned(),
        },
    };
    status.documents.iter().map(row).collect()
}

fn held(home: &Home, status: &Status) -> Vec<HeldRow> {
    let row = |hold: &Hold| HeldRow {
        named: named(&hold.held),
        noted: hold.clone(),
        seen: String::new(),
        what: match &hold.held {
            HeldThing::Queue => "everything".to_owned(),
            HeldThing::Document(path) => home.short(path),
            HeldThing::Job(id) => id.to_string(),
        },
        by: hold.by.clone(),
        yours: false,
        since: hold.at.ago(status.at),
        why: hold.reason.clone().unwrap_or_default(),
    };
    status.held.iter().map(row).collect()
}
