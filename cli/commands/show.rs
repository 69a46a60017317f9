//! `show`: one job whole, and the diff it would make now.

use crate::failure::Failure;
use crate::render::{self, Tone};
use crate::world::World;
use declaration::code::CodeKind;
use declaration::{Code, Fault, Remedy, Timestamp};
use engine::output::Shown;
use operator::Preview;
use queue_layout::{Found, Job, Kept, State};

/// One job whole: where it is from, what was tried, the diff it would make now
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The job: its id, or a beginning of it that no other has
    pub id: String,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    world.check()?;
    let view = world.show(&args.id)?;
    if world.json {
        render::json(&Shown::from(view))?;
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

/// Of what is not shown: how much it is, and where.
pub fn kept_where(world: &World, kept: &Kept) -> String {
    let why =
        kept.bytes.as_ref().err().map_or_else(String::new, |why| format!("; not shown: {}", why.message));
    format!("file      {} ({} bytes{why})", world.short(&kept.path), kept.len)
}

/// A job as a person reads it.
pub fn people(world: &World, found: &Found, preview: Option<&Preview>) -> Result<(), Failure> {
    let now = world.now();
    let id = found.listed.id;
    render::line(&format!(
        "{id}  {}  declared {}",
        found.listed.state.as_str(),
        render::ago(now, id.declared_at())
    ))?;
    if let Some(error) = &found.unreadable {
        error_lines(error)?;
    }
    let Some(job) = &found.job else { return ended(now, found) };
    render::line(&format!(
        "document  {} (knowledge base {})",
        world.short(&job.document.path),
        job.document.kb
    ))?;
    render::line(&format!("from      {}", origin(world, job)))?;
    for attempt in &job.attempts {
        let (at, error) = (render::ago(now, attempt.at), &attempt.error);
        render::line(&format!("tried     {at} by {}: {} [{}]", attempt.worker, error.message, error.code))?;
    }
    if let Some(due) = found.listed.due {
        render::line(&format!("due       {}", render::ago(now, due)))?;
    }
    match &job.error {
        Some(error) if found.listed.state == State::Review => {
            render::line(&format!("waits     {} [{}]", error.message, error.code))?;
        }
        // What could have been done about it is nobody's question any more.
        Some(error) if found.receipt.is_some() => {
            render::line(&format!("had       {} [{}]", error.message, error.code))?;
        }
        Some(error) => {
            error_lines(error)?;
            if let Some(hint) = operator_hint(world, job, error) {
                render::line(&format!("or        {hint}"))?;
            }
        }
        None => {}
    }
    match &job.restore {
        Some(restore) => render::line(&format!("\nrollback to version {}", restore.version))?,
        None => entries(job)?,
    }
    ended(now, found)?;
    let waits_with = job.error.as_ref().map(|error| &error.message);
    preview.map_or(Ok(()), |preview| preview_lines(world, preview, waits_with))
}

/// How it ended, by whom and why.
fn ended(now: Timestamp, found: &Found) -> Result<(), Failure> {
    let Some(receipt) = &found.receipt else { return Ok(()) };
    let version = receipt.version.map_or_else(String::new, |version| format!(", version {version}"));
    let why = receipt.reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
    let (how, when) = (receipt.outcome.as_str(), render::ago(now, receipt.at));
    let channel = receipt.channel.as_ref().map_or_else(String::new, |channel| format!(" ({channel})"));
    render::line(&format!("\n{how} {when} by {}{channel}{version}{why}", receipt.by))?;
    let Some(yes) = &receipt.approval else { return Ok(()) };
    render::line(&format!("approved by {} ({}) {}", yes.by, yes.channel, render::ago(now, yes.at)))
}

fn origin(world: &World, job: &Job) -> String {
    let producer = &job.producer;
    let named = |label: &str, value: &str| (!value.is_empty()).then(|| format!("{label} {value}"));
    let cwd = producer.cwd.as_ref().map(|cwd| format!("in {}", world.short(cwd)));
    let pid = producer.pid.map(|pid| format!("pid {pid}"));
    let parts = [
        named("agent", &producer.agent),
        named("session", &producer.session),
        named("event", &producer.event),
        named("host", &producer.host),
        pid,
        cwd,
        named("source", &job.source),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// What can be done about a job that failed, besides what its author could have done better.
pub fn ways_out(world: &World, found: &Found) -> Vec<String> {
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
        // As it is it could only fail again.
        Some(error) if !error.code.may_read_later() => {
            format!("last-word resolve {id} --edit, or --discard")
        }
        _ => format!("last-word resolve {id}"),
    };
    let error = found.job.as_ref().and_then(|job| job.error.as_ref().map(|error| (job, error)));
    let theirs = error.and_then(|(job, error)| operator_hint(world, job, error));
    theirs.into_iter().chain([resolve]).collect()
}

/// What a person can do besides what its author can: the document and the configuration are theirs.
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

fn error_lines(error: &Fault) -> Result<(), Failure> {
    let lines = match error.lines.as_slice() {
        [] => String::new(),
        lines => format!(", line {}", lines.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
    };
    render::line(&format!("error     {} [{}{lines}]", error.message, error.code))?;
    error.hint.as_ref().map_or(Ok(()), |hint| render::line(&format!("hint      {hint}")))
}

fn entries(job: &Job) -> Result<(), Failure> {
    for entry in &job.entries {
        let key = &entry.key;
        let heading = format!("{} {}", "#".repeat(usize::from(key.level)), key.heading.join(" > "));
        render::line(&format!("\n{} {heading}", entry.operation.as_str()))?;
        if let Some(old) = &entry.old_text {
            old.lines().try_for_each(|line| render::line(&format!("  - {line}")))?;
        }
        if let Some(content) = &entry.content {
            content.lines().try_for_each(|line| render::line(&format!("  | {line}")))?;
        }
        if let Some(said) = &entry.meta.said {
            render::line("  which its author said so:")?;
            said.lines().try_for_each(|line| render::line(&format!("  > {line}")))?;
        }
    }
    Ok(())
}

fn preview_lines(world: &World, preview: &Preview, waits_with: Option<&String>) -> Result<(), Failure> {
    for heading in preview.moved.iter().filter(|_| preview.refused.is_none()) {
        let text =
            format!("\n`{heading}` changed since its author saw it; what follows takes that change in");
        render::line(&world.page.paint(Tone::Warn, &text))?;
    }
    match (&preview.refused, preview.diff.is_empty()) {
        (Some(error), _) if Some(&error.message) == waits_with => {
            render::line("\nmerged now, it would fail the same way")
        }
        (Some(error), _) => {
            render::line(&format!("\nmerged now, it would fail: {} [{}]", error.message, error.code))
        }
        (None, true) => render::line("\nmerged now, it would change nothing"),
        (None, false) => {
            let needs_yes = preview.review.as_ref().map_or_else(String::new, |why| {
                format!("would wait for a person's yes: {} [{}]; with it, it ", why.message, why.code)
            });
            render::line(&format!("\nmerged now, it {needs_yes}would make this change:"))?;
            render::diff(world.page, &preview.diff)
        }
    }
}
