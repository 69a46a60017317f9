//! `plan`: one entry into the session's buffer, checked while the agent still listens, durable at once.

use crate::entry::EntryFlags;
use crate::failure::{self, Failure, chain};
use crate::render;
use crate::speaker::{Speaker, SpeakerFlags, speaker};
use crate::world::{World, random};
use declaration::reading;
use declaration::{Declaration, Entry, Problem};
use markdown_merge::Merger;
use policy::confidence_note::marked;
use policy::judge::{Verdict, judge};
use policy::knowledge_base::KnowledgeBase;
use policy::settings::Settings;
use queue_layout::{Draft, Enqueued, Event, Happened, JobId, Noted, Planned, Queue, QueueError, What, Who};
use serde::Serialize;

/// Put one entry into the session's buffer; it becomes a job when the session ends
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  last-word plan --to user --heading Preferences --op append --content '- prefers tabs'
  last-word plan --list
  last-word plan --drop 01a200aa
The entry is checked at once and is durable when its id is printed. It becomes a job when the session ends, at `flush`,
or when a worker finds the session gone.")]
pub struct Args {
    #[command(flatten)]
    pub entry: EntryFlags,
    /// What this session planned so far
    #[arg(long, conflicts_with_all = ["to", "drop"])]
    pub list: bool,
    /// Take an entry back: its id, or a beginning of it that no other has
    #[arg(long, value_name = "ID", conflicts_with = "to")]
    pub drop: Option<String>,
    #[command(flatten)]
    pub speaker: SpeakerFlags,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    let queue = world.queue()?;
    let speaker = speaker(&args.speaker, world, &queue)?;
    if args.list {
        return list(world, &speaker);
    }
    match &args.drop {
        Some(id) => take_back(world, &queue, &speaker, id),
        None if args.entry.to.is_some() => plan(args, world, &queue, &speaker),
        None => Err(Failure::new("nothing to plan")
            .hint("last-word plan --to KB --heading TEXT --op append --content TEXT; or --list, or --drop ID")
            .code(failure::USAGE)),
    }
}

/// An entry of the buffer, for output.
#[derive(Serialize)]
struct Line {
    id: String,
    kb: String,
    entry: Option<Entry>,
    problem: Option<String>,
}

fn plan(args: &Args, world: &World, queue: &Queue, speaker: &Speaker) -> Result<u8, Failure> {
    let settings = world.settings()?;
    let refuse = |problems: &[Problem]| {
        Failure::refused("the entry", problems).hint("nothing was planned; change it and plan it again")
    };
    let declaration = crate::entry::by_flags(&args.entry, world)?.map_err(|problems| refuse(&problems))?;
    let draft = draft(world, &settings, speaker, declaration).map_err(|problems| {
        match problems.first().and_then(|problem| problem.hint.clone()) {
            Some(hint) => refuse(&problems).hint(hint),
            None => refuse(&problems),
        }
    })?;
    let base = settings.knowledge_base(&draft.document.kb);
    if let Some(problem) =
        base.and_then(|base| unmergeable(world, queue, base, &draft).transpose()).transpose()?
    {
        return Err(match problem.hint.clone() {
            Some(hint) => refuse(&[problem]).hint(hint),
            None => refuse(&[problem]),
        });
    }
    let review = base.is_some_and(|base| matches!(judge(base, &draft.asked()), Verdict::Review(_)));
    if let Some(rejection) = review
        .then(|| queue.rejected_before(&draft.clone().into_job(world.now()), world.now()))
        .transpose()?
        .flatten()
    {
        let problem = Problem::new("rejected_before", rejection.sentence());
        return Err(refuse(&[problem]).hint("a person decided; plan something else"));
    }
    let entry = draft.entries.first().cloned();
    let now = world.now();
    let planned = speaker.place.plan(draft, now, &mut random).map_err(uncertain)?;
    let who = Who {
        agent: speaker.agent.clone(),
        session: speaker.session.clone(),
        cwd: Some(world.cwd.clone()),
        project: world.project(),
    };
    // The entry is durable already; the log only says that something was declared.
    let noted = Noted { at: now, what: What::Planned, detail: Some(planned.id.to_string()), who: Some(who) };
    let _ = speaker.place.note(&[noted]);
    say(world, speaker, &planned, entry.as_ref(), review)
}

fn draft(
    world: &World,
    settings: &Settings,
    speaker: &Speaker,
    declaration: Declaration,
) -> Result<Draft, Vec<Problem>> {
    let project = world.project();
    let producer = world.producer(Some(&speaker.agent), Some(&speaker.session), "plan");
    let drafts = world
        .saying(settings, &producer, project.as_deref(), |said| producer::drafts(vec![declaration], &said))
        .map_err(reading::bare)?;
    drafts.into_iter().next().ok_or_else(|| vec![Problem::new("empty_input", "there is no entry")])
}

/// Why the entry could not be merged as things are: into the document as it is, after everything that waits for it.
fn unmergeable(
    world: &World,
    queue: &Queue,
    base: &KnowledgeBase,
    draft: &Draft,
) -> Result<Option<Problem>, Failure> {
    let documents = world.documents();
    let document = documents.find(&draft.document.path)?;
    let present = documents.read(&document)?;
    let text = match present.stat {
        Some(_) => present.bytes,
        // One that cannot be read is the worker's to say: it may be there by then.
        None => {
            worker::template_text(&*world.disk, &world.user_home, base, &document.path).unwrap_or_default()
        }
    };
    let rules = base.rules();
    let merged = Merger::open(&text).and_then(|mut merger| {
        for waiting in operator::waiting(queue, draft.document.doc).unwrap_or_default() {
            // What cannot be merged is told to whoever said it.
            let _ = merger.apply(&waiting.job.entries, &rules, &|_| None);
        }
        merger.apply(&*marked(base, draft.producer.trust(), &draft.entries), &rules, &|_| None)
    });
    Ok(merged.err().map(|refusal| {
        let over = refusal.code == "over_budget";
        let oldest = over.then(|| worker::longest_ago(&documents, &document)).flatten();
        let hint: Vec<String> = refusal.hint.into_iter().chain(oldest).collect();
        let problem = Problem::new(refusal.code, refusal.message);
        if hint.is_empty() { problem } else { problem.hint(hint.join("; ")) }
    }))
}

/// After a failed fsync nobody can know; in a sandbox the home is read-only.
fn uncertain(e: QueueError) -> Failure {
    match &e {
        QueueError::Disk(disk) if disk.is_sync() => {
            Failure::new(format!("{}; the entry may or may not be planned", chain(&e)))
                .hint("last-word plan --list")
                .code(failure::TRY_AGAIN)
        }
        QueueError::Disk(disk)
            if matches!(
                disk.kind(),
                std::io::ErrorKind::ReadOnlyFilesystem | std::io::ErrorKind::PermissionDenied
            ) =>
        {
            Failure::new(chain(&e)).hint(
                "in an agent's sandbox? ask to run this outside of it, or leave the declaration in the project, as \
                 .agents/NAME.md.yaml (`last-word schema` says how it looks)",
            )
        }
        _ => e.into(),
    }
}

fn say(
    world: &World,
    speaker: &Speaker,
    planned: &Enqueued,
    entry: Option<&Entry>,
    review: bool,
) -> Result<u8, Failure> {
    if world.json {
        render::json(&serde_json::json!({
            "id": planned.id, "document": planned.document.path, "kb": planned.document.kb, "review": review,
            "agent": speaker.agent, "session": speaker.session, "known_by": speaker.known_by,
        }))?;
        return Ok(0);
    }
    render::line(&format!("planned {}  {}", planned.id, entry.map(words).unwrap_or_default()))?;
    let after = if review { ", then waits for a person's yes" } else { "" };
    render::line(&format!(
        "in {} ({}); merged after the session ends{after}",
        whose(speaker),
        speaker.known_by
    ))?;
    Ok(0)
}

pub fn whose(speaker: &Speaker) -> String {
    format!("session {} of {}", speaker.session, speaker.agent)
}

fn words(entry: &Entry) -> String {
    format!("{} {}", entry.operation.as_str(), entry.key)
}

fn list(world: &World, speaker: &Speaker) -> Result<u8, Failure> {
    let lines: Vec<Line> = speaker.place.planned()?.into_iter().map(line).collect();
    if world.json {
        render::json(&serde_json::json!({
            "agent": speaker.agent, "session": speaker.session, "known_by": speaker.known_by, "planned": lines,
        }))?;
        return Ok(0);
    }
    render::line(&format!("{} ({}): {} planned", whose(speaker), speaker.known_by, lines.len()))?;
    for line in lines {
        let says = line.entry.as_ref().map(words).or(line.problem).unwrap_or_default();
        render::line(&format!("{}  {says}", line.id))?;
    }
    Ok(0)
}

fn line(planned: Planned) -> Line {
    let id = planned.id.to_string();
    match planned.job {
        Ok(job) => Line { id, kb: job.document.kb, entry: job.entries.into_iter().next(), problem: None },
        Err(problems) => {
            let problem = problems.first().map(ToString::to_string);
            Line { id, kb: String::new(), entry: None, problem }
        }
    }
}

fn take_back(world: &World, queue: &Queue, speaker: &Speaker, prefix: &str) -> Result<u8, Failure> {
    let planned = speaker.place.planned()?;
    let fits: Vec<JobId> =
        planned.iter().map(|planned| planned.id).filter(|id| id.to_string().starts_with(prefix)).collect();
    let id = match fits.as_slice() {
        [one] => *one,
        [] => {
            return Err(Failure::new(format!(
                "{} has planned nothing with the id `{prefix}`",
                whose(speaker)
            ))
            .hint("last-word plan --list"));
        }
        several => {
            return Err(Failure::new(format!("`{prefix}` fits {} entries", several.len()))
                .hint("give more digits of the id"));
        }
    };
    if !speaker.place.take_back(id)? {
        return Err(Failure::new(format!("{id} is a job already")).hint(format!("last-word show {id}")));
    }
    let mut event = Happened::new(world.now(), Event::TakenBack).by(speaker.place.name());
    event.id = Some(id);
    let _ = queue.journal(&[event]);
    if world.json {
        render::json(&serde_json::json!({ "taken_back": id }))?;
    } else {
        render::line(&format!("taken back {id}"))?;
    }
    Ok(0)
}
