//! `show`: one job whole, and the diff it would make now.

use crate::failure::Failure;
use crate::language::said;
use crate::progress;
use crate::render::{self, Page, Tone};
use crate::world::World;
use crate::wrap::wrapped_lines;
use declaration::code::CodeKind;
use declaration::{Code, Fault, Remedy, Timestamp};
use engine::output::ShownJob;
use operator::Preview;
use queue_layout::{Job, KeptBytes, LocatedJob, State};

/// One job whole: where it is from, what was tried, the diff it would make now
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The job: its id, or a beginning of it that no other has
    pub id: String,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    world.check()?;
    let view = world.show(&args.id).map_err(|failure| match item(world, &args.id) {
        Some(id) => failure.hint(format!("that is the id of an item: last-word item show {id}")),
        None => failure,
    })?;
    if world.json {
        render::json(&ShownJob::from(view))?;
        return Ok(0);
    }
    people(world, &view.found, view.preview.as_ref())?;
    match (view.text(), &view.kept) {
        (Some(text), _) => render::line(&format!("\n{}", text.trim_end_matches('\n')))?,
        (None, Some(kept)) => render::line(&kept_where(world, kept))?,
        (None, None) => {}
    }
    Ok(0)
}

/// The id, where an item has it, as `recall` writes it or without the mark.
fn item<'i>(world: &World, id: &'i str) -> Option<&'i str> {
    let id = id.trim_start_matches('^');
    let found = progress::waiting("looking for an item of that id", || world.item(id, &world.cwd));
    found.is_ok().then_some(id)
}

/// The line about what is not shown: how much, and what shows it.
pub fn kept_where(world: &World, kept: &KeptBytes) -> String {
    let why =
        kept.bytes.as_ref().err().map_or_else(String::new, |why| format!("; not shown: {}", why.message));
    said(&format!("file      {} ({} bytes{why})", world.short(&kept.path), kept.len)).into_owned()
}

/// A job as a person reads it, in parts, the last of which a small screen can leave out.
#[derive(Debug, Default)]
pub struct Told {
    /// Which job, and of which document.
    pub what: Vec<String>,
    /// Who declared it, and what was tried.
    pub from: Vec<String>,
    /// Why it waits, and what can be done.
    pub why: Vec<String>,
    /// What it says, and what it would do now.
    pub text: Vec<String>,
}

impl Told {
    /// All of it, in this order.
    pub fn lines(&self) -> impl Iterator<Item = &String> {
        [&self.what, &self.from, &self.why, &self.text].into_iter().flatten()
    }

    /// The sentences broken to the page. The texts stay as they are: a line that goes on would look like one of theirs.
    fn wrapped(mut self, page: Page) -> Told {
        for part in [&mut self.what, &mut self.from, &mut self.why] {
            *part = part.iter().flat_map(|line| wrapped_lines(page, &said(line))).collect();
        }
        self
    }
}

/// A job as a person reads it.
pub fn people(world: &World, found: &LocatedJob, preview: Option<&Preview>) -> Result<(), Failure> {
    told(world, found, preview).lines().try_for_each(|line| render::line(line))
}

/// The sentences about a job.
pub fn told(world: &World, found: &LocatedJob, preview: Option<&Preview>) -> Told {
    let now = world.now();
    let id = found.listed.id;
    let mut told = Told::default();
    told.what.push(format!(
        "{id}  {}  declared {}",
        found.listed.state.as_str(),
        render::ago(now, id.declared_at())
    ));
    if let Some(error) = &found.unreadable {
        told.why.extend(error_lines(error));
    }
    let Some(job) = &found.job else {
        told.text.extend(ended(now, found));
        return told.wrapped(world.page);
    };
    told.what.push(format!(
        "document  {} (knowledge base {})",
        world.short(&job.document.path),
        job.document.kb
    ));
    told.from.push(format!("from      {}", origin(world, job)));
    told.from.extend(job.edited_by().map(|who| format!("edited    by {who}")));
    for attempt in &job.attempts {
        let (at, error) = (render::ago(now, attempt.at), &attempt.error);
        told.from.push(format!("tried     {at} by {}: {} [{}]", attempt.worker, error.message, error.code));
    }
    if let Some(due) = found.listed.due {
        told.from.push(format!("due       {}", render::ago(now, due)));
    }
    match &job.error {
        Some(error) if found.listed.state == State::Review => {
            told.why.push(format!("waits     {} [{}]", error.message, error.code));
        }
        // A job that has ended needs no advice.
        Some(error) if found.receipt.is_some() => {
            told.why.push(format!("had       {} [{}]", error.message, error.code));
        }
        Some(error) => {
            told.why.extend(error_lines(error));
            let hint = operator_hint(world, job, error);
            told.why.extend(hint.map(|hint| format!("or        {hint}")));
        }
        None => {}
    }
    match &job.restore {
        Some(restore) => {
            told.text.extend(block(&said(&format!("\nrollback to version {}", restore.version))))
        }
        None => told.text.extend(entries(job)),
    }
    told.text.extend(ended(now, found));
    let failed = job.error.as_ref().filter(|_| found.listed.state != State::Review);
    let waits_with = failed.map(|error| &error.message);
    told.text.extend(preview.map(|preview| preview_lines(world, preview, waits_with)).unwrap_or_default());
    told.wrapped(world.page)
}

/// A text's lines.
fn block(text: &str) -> impl Iterator<Item = String> {
    text.lines().map(str::to_owned)
}

/// How it ended, by whom and why.
fn ended(now: Timestamp, found: &LocatedJob) -> Vec<String> {
    let Some(receipt) = &found.receipt else { return Vec::new() };
    let version = receipt.version.map_or_else(String::new, |version| format!(", version {version}"));
    let why = receipt.reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
    let (how, when) = (receipt.outcome.as_str(), render::ago(now, receipt.at));
    let channel = receipt.channel.as_ref().map_or_else(String::new, |channel| format!(" ({channel})"));
    let ended = format!("{how} {when} by {}{channel}{version}{why}", receipt.by);
    let mut lines = vec![String::new(), said(&ended).into_owned()];
    lines.extend(receipt.approval.as_ref().map(|yes| {
        let approved = format!("approved by {} ({}) {}", yes.by, yes.channel, render::ago(now, yes.at));
        said(&approved).into_owned()
    }));
    lines
}

fn origin(world: &World, job: &Job) -> String {
    let producer = &job.producer;
    let named = |label: &str, value: &str| {
        (!value.is_empty()).then(|| format!("{}{value}", said(&format!("{label} "))))
    };
    let cwd = producer.cwd.as_ref().and_then(|cwd| named("in", &world.short(cwd)));
    let pid = producer.pid.and_then(|pid| named("pid", &pid.to_string()));
    let parts = [
        named("agent", &producer.agent),
        named("session", &producer.session),
        named("event", &producer.event),
        named("host", &producer.host),
        pid,
        cwd,
        named("source", &job.source),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(&said(", "))
}

/// What a person can do about a job that failed, beside the hint of its error.
pub fn ways_out(world: &World, found: &LocatedJob) -> Vec<String> {
    let id = found.listed.id;
    let resolve = match &found.unreadable {
        Some(error) if error.code.kind() == CodeKind::PersonsText => {
            format!("put into the document what should be there, then last-word resolve {id} --discard")
        }
        Some(error) if error.code.kind() == CodeKind::ClosedFile => {
            format!("make it readable, then last-word resolve {id} --retry, or --discard")
        }
        Some(error) if error.code.actions() == [Remedy::Discard] => {
            format!("last-word resolve {id} --discard")
        }
        // Without a change it could only fail again.
        Some(error) if !error.code.may_read_later() => {
            format!("last-word resolve {id} --edit, or --discard")
        }
        _ => format!("last-word resolve {id}"),
    };
    let error = found.job.as_ref().and_then(|job| job.error.as_ref().map(|error| (job, error)));
    let theirs = error.and_then(|(job, error)| operator_hint(world, job, error));
    theirs.into_iter().chain([resolve]).collect()
}

/// What a person can change that its author cannot: the document and the configuration.
fn operator_hint(world: &World, job: &Job, error: &Fault) -> Option<String> {
    let (document, kb) = (world.short(&job.document.path), &job.document.kb);
    let config = world.short(&world.layout().config());
    Some(match error.code {
        Code::Ambiguous => format!("rename one of the headings in {document}, then retry"),
        Code::SectionMissing => {
            format!("correct the heading (edit), or take `create: false` from `{kb}` in {config}, then retry")
        }
        Code::OverBudget => {
            format!("shorten {document}, or raise `budget_chars` of `{kb}` in {config}, then retry")
        }
        Code::DocumentUnreachable => format!("mend the path, then last-word apply --file {document}"),
        Code::UnknownTarget => format!("add the document to {config}, then retry"),
        _ => return None,
    })
}

fn error_lines(error: &Fault) -> Vec<String> {
    let at = match error.lines.as_slice() {
        [] => String::new(),
        [line] => format!(", line {line}"),
        [before @ .., last] => {
            let before: Vec<String> = before.iter().map(ToString::to_string).collect();
            format!(", lines {} and {last}", before.join(", "))
        }
    };
    let mut lines = vec![format!("error     {} [{}{at}]", error.message, error.code)];
    lines.extend(error.hint.as_ref().map(|hint| format!("hint      {hint}")));
    lines
}

fn entries(job: &Job) -> Vec<String> {
    let mut lines = Vec::new();
    for entry in &job.entries {
        let key = &entry.key;
        let heading = format!("{} {}", "#".repeat(usize::from(key.level)), key.heading.join(" > "));
        let times = entry.expect.map_or_else(String::new, |times| format!(" ({times} times)"));
        lines.extend([String::new(), format!("{} {heading}{times}", entry.operation.as_str())]);
        // Whoever decides about it wants to know where it is from.
        let because = |reason| said(&format!("because: {reason}")).into_owned();
        lines.extend(entry.meta.reason.as_ref().map(|reason| format!("  {}", because(reason))));
        let text = |text: &Option<String>, mark: &str| -> Vec<String> {
            text.iter().flat_map(|text| text.lines()).map(|line| format!("  {mark} {line}")).collect()
        };
        lines.extend(text(&entry.old_text, "-"));
        lines.extend(text(&entry.content, "|"));
        if entry.meta.said.is_some() {
            lines.push(said("  which its author said so:").into_owned());
            lines.extend(text(&entry.meta.said, ">"));
        }
    }
    lines
}

fn preview_lines(world: &World, preview: &Preview, waits_with: Option<&String>) -> Vec<String> {
    let mut lines = Vec::new();
    for heading in preview.moved.iter().filter(|_| preview.refused.is_none()) {
        let text = format!("`{heading}` changed since its author saw it; what follows takes that change in");
        lines.push(String::new());
        lines.extend(wrapped_lines(world.page, &world.page.paint(Tone::Warn, &said(&text))));
    }
    lines.push(String::new());
    match (&preview.refused, preview.diff.is_empty()) {
        (Some(error), _) if Some(&error.message) == waits_with => {
            lines.push(said("trying again now would fail the same way").into_owned());
        }
        (Some(error), _) => {
            let text = format!("merged now, it would fail: {} [{}]", error.message, error.code);
            lines.extend(wrapped_lines(world.page, &said(&text)));
        }
        (None, true) => lines.push(said("merged now, it would change nothing").into_owned()),
        (None, false) => {
            let needs_yes = preview.review.as_ref().map_or_else(String::new, |why| {
                format!("would wait for a person's yes: {} [{}]; with it, it ", why.message, why.code)
            });
            let gone = if waits_with.is_some() { "what was in its way is gone: " } else { "" };
            let text = format!("{gone}merged now, it {needs_yes}would make this change:");
            lines.extend(wrapped_lines(world.page, &said(&text)));
            lines.extend(render::diff_lines(world.page, &preview.diff));
        }
    }
    lines
}
