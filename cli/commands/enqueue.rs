//! `enqueue`: declarations become jobs. All of the input is checked before any of it is enqueued; an id is printed only
//! when its job is durable.

use crate::entry::EntryFlags;
use crate::failure::{self, Failure, chain};
use crate::render;
use crate::world::{World, random};
use declaration::reading::{self, Format, Unplaced};
use declaration::{Declaration, Problem};
use operator::Fate;
use producer::Said;
use queue_layout::{Counters, Draft, Enqueued, Queue, QueueError};
use serde::Serialize;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Put declarations into the queue; each id is printed once that job is durable
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  last-word enqueue declaration.yaml
  printf '%s' \"$json\" | last-word enqueue - --key \"$SESSION-$(printf '%s' \"$json\" | cksum | cut -d' ' -f1)\"
  last-word enqueue --to user --heading Preferences --op append --content '- prefers tabs'")]
pub struct Args {
    /// Declarations in YAML or JSON; `-` is standard input (also when nothing is named)
    #[arg(value_name = "FILE", conflicts_with = "to")]
    pub files: Vec<String>,
    #[command(flatten)]
    pub entry: EntryFlags,
    /// Enqueued again with the same key it is the same job: repeating is safe. Other words with that key are refused
    #[arg(long, allow_hyphen_values = true)]
    pub key: Option<String>,
    /// Return with the outcome; at most so many seconds [default: 60]
    #[arg(long, value_name = "SECS", num_args = 0..=1, default_missing_value = "60", require_equals = true)]
    pub wait: Option<u64>,
    /// The agent that says it [default: $LAST_WORD_AGENT]
    #[arg(long)]
    pub agent: Option<String>,
    /// Its session [default: $LAST_WORD_SESSION]
    #[arg(long)]
    pub session: Option<String>,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    let queue = world.queue()?;
    let drafts = drafts(args, world)?;
    let mut acknowledged: Vec<Enqueued> = Vec::new();
    let mut printed = Ok(());
    // Jobs without a key become durable at the same moment.
    let together = args.key.is_none();
    let result = queue.enqueue(drafts, world.now(), &mut random, &mut |enqueued| {
        if !world.json && !together && printed.is_ok() {
            printed = render::line(&enqueued.id.to_string());
        }
        acknowledged.push(enqueued.clone());
    });
    if !world.json && together && !acknowledged.is_empty() {
        let ids: Vec<String> = acknowledged.iter().map(|enqueued| enqueued.id.to_string()).collect();
        printed = render::line(&ids.join("\n"));
    }
    let known = acknowledged.iter().filter(|enqueued| !enqueued.new).count() as u64;
    if known > 0 {
        // Only for curves: that it cannot be counted changes nothing of what was promised.
        let _ = queue.count(&Counters { duplicates: known, ..Counters::default() });
    }
    result.map_err(|e| uncertain(e, acknowledged.len()))?;
    printed.map_err(|failure| unsaid(failure, &acknowledged))?;
    match args.wait {
        Some(seconds) => wait(world, &queue, &acknowledged, seconds),
        None => {
            if world.json {
                let lines: Vec<Line> = acknowledged.iter().map(Line::of).collect();
                render::json(&lines).map_err(|failure| unsaid(failure, &acknowledged))?;
            }
            Ok(0)
        }
    }
}

#[derive(Serialize)]
struct Line<'a> {
    id: String,
    document: &'a std::path::Path,
    kb: &'a str,
    new: bool,
}

impl<'a> Line<'a> {
    fn of(enqueued: &'a Enqueued) -> Self {
        let Enqueued { id, document, new } = enqueued;
        Line { id: id.to_string(), document: &document.path, kb: &document.kb, new: *new }
    }
}

/// After a failed fsync nobody can know: say so, and that repeating with the same key is safe.
fn uncertain(e: QueueError, acknowledged: usize) -> Failure {
    match &e {
        QueueError::Disk(disk) if disk.is_sync() => Failure::new(format!(
            "{}; {acknowledged} jobs are queued, the others may or may not be",
            chain(&e)
        ))
        .hint("enqueue it again with the same --key: then it takes effect once, whatever happened")
        .code(failure::TRY_AGAIN),
        _ => e.into(),
    }
}

/// The jobs are queued, though nobody could be told on standard output: to enqueue them again would do it twice.
fn unsaid(failure: Failure, acknowledged: &[Enqueued]) -> Failure {
    let ids: Vec<String> = acknowledged.iter().map(|enqueued| enqueued.id.to_string()).collect();
    let messages =
        failure.messages.iter().map(|message| format!("{message}; queued all the same: {}", ids.join(", ")));
    Failure { messages: messages.collect(), ..failure }
}

fn drafts(args: &Args, world: &World) -> Result<Vec<Draft>, Failure> {
    let settings = world.settings()?;
    let mut declarations = Vec::new();
    let mut messages = Vec::new();
    let mut inputs = inputs(args, world)?;
    for input in &mut inputs {
        match std::mem::replace(&mut input.read, Ok(Vec::new())) {
            Ok(read) => {
                input.declarations = declarations.len()..declarations.len() + read.len();
                declarations.extend(read);
            }
            Err(problems) => messages.extend(failure::problem_lines(&input.name, &problems)),
        }
    }
    if messages.is_empty() {
        let project = world.project_of(&declarations, &settings);
        let producer = world.producer(args.agent.as_deref(), args.session.as_deref(), "enqueue");
        let drafts = world.saying(&settings, &producer, project.as_deref(), |said| {
            producer::drafts(declarations, &Said { key: args.key.as_deref(), ..said })
        });
        match drafts {
            Ok(drafts) => return Ok(drafts),
            Err(found) => messages = inputs.iter().flat_map(|input| input.messages(&found)).collect(),
        }
    }
    let hint =
        Some("nothing was enqueued; `last-word validate FILE` checks a file without enqueuing it".to_owned());
    Err(Failure { code: failure::REFUSED, messages, hint })
}

/// Where declarations came from.
struct Input {
    name: String,
    /// Kept for the places of what is found wrong later; `None` for what was said in flags.
    bytes: Option<Vec<u8>>,
    format: Option<Format>,
    read: Result<Vec<Declaration>, Vec<Problem>>,
    /// Which of all declarations are from here.
    declarations: Range<usize>,
}

impl Input {
    /// What of all that was found is about this input.
    fn messages(&self, found: &[Unplaced]) -> Vec<String> {
        let first = self.declarations.start;
        let here = |n: usize| self.declarations.contains(&n).then(|| n - first);
        let of_it = found.iter().filter_map(|found| match found.declaration {
            Some(n) => here(n).map(|n| Unplaced { declaration: Some(n), ..found.clone() }),
            // Of the whole command: said once.
            None => (first == 0).then(|| found.clone()),
        });
        let of_it: Vec<Unplaced> = of_it.collect();
        let problems = match &self.bytes {
            Some(bytes) => reading::placed(bytes, self.format, of_it),
            None => reading::bare(of_it),
        };
        failure::problem_lines(&self.name, &problems)
    }
}

fn inputs(args: &Args, world: &World) -> Result<Vec<Input>, Failure> {
    if args.entry.to.is_some() {
        let read = crate::entry::by_flags(&args.entry, world)?.map(|one| vec![one]);
        let name = "the command line".to_owned();
        return Ok(vec![Input { name, bytes: None, format: None, read, declarations: 0..0 }]);
    }
    let standard_input = ["-".to_owned()];
    let names = if args.files.is_empty() { &standard_input[..] } else { &args.files };
    let read = |name: &String| {
        let bytes = world.read_input(name)?;
        let format = (name != "-").then(|| Format::guess(Some(name), &bytes));
        let read = reading::read(&bytes, format);
        Ok(Input { name: shown(name), bytes: Some(bytes), format, read, declarations: 0..0 })
    };
    names.iter().map(read).collect()
}

fn shown(name: &str) -> String {
    if name == "-" { "standard input".to_owned() } else { name.to_owned() }
}

/// Waits until every job ended or waits for somebody. A worker must be running: this command merges nothing itself.
fn wait(world: &World, queue: &Queue, enqueued: &[Enqueued], seconds: u64) -> Result<u8, Failure> {
    let deadline = Instant::now() + Duration::from_secs(seconds);
    let mut verdicts = Vec::new();
    for job in enqueued {
        let verdict = loop {
            let verdict = operator::verify(queue, &job.id.to_string());
            match verdict {
                Ok(verdict) if verdict.fate != Fate::Waiting => break verdict,
                // Between two states for a moment.
                Ok(_) | Err(QueueError::NoSuchJob(_) | QueueError::TakenMeanwhile(_)) => {}
                Err(e) => return Err(e.into()),
            }
            if Instant::now() >= deadline {
                return Err(Failure::new(format!(
                    "job {} is queued, but still waiting after {seconds} s",
                    job.id
                ))
                .hint("is a worker running? `last-word work` merges what waits")
                .code(failure::TRY_AGAIN));
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        verdicts.push(verdict);
    }
    let bad = verdicts.iter().any(|verdict| matches!(verdict.fate, Fate::Failed | Fate::Review));
    super::verify::print(world, &verdicts)?;
    Ok(if bad { failure::SOMEBODY_NEEDED } else { 0 })
}
