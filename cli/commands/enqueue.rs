//! `enqueue`: declarations become jobs. An id is printed only when its job is durable.

use crate::entry::EntryFlags;
use crate::failure::{self, Exit, Failure};
use crate::progress;
use crate::render;
use crate::replaces::Given;
use crate::world::World;
use declaration::reading::Format;
use engine::Declared;
use engine::output::Acknowledged;
use queue_layout::JobId;
use std::io::IsTerminal;
use std::time::Duration;

/// Put declarations into the queue; each id is printed once that job is durable
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  last-word enqueue declaration.yaml
  printf '%s' \"$json\" | last-word enqueue - --key \"$SESSION-$(printf '%s' \"$json\" | cksum | cut -d' ' -f1)\"
  last-word enqueue --to user --heading Preferences --op append --content '- prefers tabs'")]
pub struct Args {
    /// Declarations in YAML or JSON; `-` is standard input (also when nothing is named). Many: JSON, one on each line
    #[arg(value_name = "FILE")]
    pub files: Vec<String>,
    #[command(flatten)]
    pub entry: EntryFlags,
    /// Enqueued again with the same key it is the same job: repeating is safe. Other words with that key are refused
    #[arg(long, allow_hyphen_values = true)]
    #[arg(value_parser = clap::builder::NonEmptyStringValueParser::new())]
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
    world.check_dirs()?;
    let (given, bytes) = declared(args, world)?;
    let many = bytes > MANY_BYTES;
    // Kept only where a person can be asked: a script may declare a lot.
    let again = (given.leaves_operations_open() && world.interactive()).then(|| given.clone());
    put(args, given, many, world).or_else(|refused| {
        let operation = crate::replaces::meant(refused, how_given(args), world)?;
        put(args, again.unwrap_or_default().meaning(operation), many, world)
    })
}

fn how_given(args: &Args) -> Given {
    if args.entry.is_given() {
        return args.entry.given();
    }
    let on_standard_input = args.files.is_empty() || args.files.iter().any(|file| file == "-");
    Given { on_standard_input, ..Given::default() }
}

fn put(args: &Args, declared: Declared, many: bool, world: &World) -> Result<u8, Failure> {
    let caller = world.caller(args.agent.as_deref(), args.session.as_deref());
    let mut acknowledged: Vec<Acknowledged> = Vec::new();
    let mut printed = Ok(());
    // Jobs without a key all become durable at the same moment.
    let together = args.key.is_none();
    let enqueue = || {
        world.enqueue_telling(&caller, declared, &mut |enqueued| {
            if !world.json && !together && printed.is_ok() {
                printed = render::line(&enqueued.id.to_string());
            }
            acknowledged.push(enqueued.into());
        })
    };
    let result = if many && together { progress::waiting("enqueuing", enqueue) } else { enqueue() };
    if !world.json && together && !acknowledged.is_empty() {
        printed = render::line(&ids(&acknowledged, "\n"));
    }
    result?;
    printed.map_err(|failure| unsaid(failure, &acknowledged))?;
    match args.wait {
        Some(seconds) => wait(world, &acknowledged, seconds),
        None => {
            if world.json {
                render::json(&acknowledged).map_err(|failure| unsaid(failure, &acknowledged))?;
            }
            Ok(0)
        }
    }
}

fn ids(acknowledged: &[Acknowledged], between: &str) -> String {
    let ids: Vec<String> = acknowledged.iter().map(|job| job.id.to_string()).collect();
    ids.join(between)
}

/// The jobs are queued, although their ids could not be printed: to enqueue them again would merge them twice.
fn unsaid(failure: Failure, acknowledged: &[Acknowledged]) -> Failure {
    let ids = ids(acknowledged, ", ");
    let messages = failure.messages.iter().map(|message| format!("{message}; queued all the same: {ids}"));
    Failure { messages: messages.collect(), ..failure }
}

/// Input larger than this may take a second; whether anybody sees the progress is asked of the kernel only then.
const MANY_BYTES: usize = 1 << 20;

/// What is declared, and how many bytes of input that was.
fn declared(args: &Args, world: &World) -> Result<(Declared, usize), Failure> {
    let declared = Declared::new().key(args.key.clone());
    if let Some(file) = misread(args, world) {
        return Err(Failure::new(format!("`{file}` was read as the name of a file"))
            .hint(match file.trim_end_matches('s').parse::<u64>() {
                Ok(seconds) if args.wait.is_some() => {
                    format!("a number for --wait is written `--wait={seconds}`")
                }
                _ => "a text with blanks stands in quotes; an entry by flags takes no FILE".to_owned(),
            })
            .exit(Exit::Usage));
    }
    if args.entry.is_given() {
        let given = crate::entry::by_flags(&args.entry, world)?;
        return Ok((declared.declaration("the command line", given), 0));
    }
    let standard_input = ["-".to_owned()];
    let names = if args.files.is_empty() { &standard_input[..] } else { &args.files };
    names.iter().try_fold((declared, 0), |(declared, before), name| {
        let bytes = world.read_input(name)?;
        let format = (name != "-").then(|| Format::guess(Some(name), &bytes));
        let len = bytes.len();
        let read = || declared.text(shown(name), bytes, format);
        let declared = if len > MANY_BYTES { progress::waiting("reading", read) } else { read() };
        Ok((declared, before + len))
    })
}

/// A word that names no file, beside flags that give the whole entry: most likely the seconds of `--wait`.
fn misread<'a>(args: &'a Args, world: &World) -> Option<&'a String> {
    let seconds = |file: &&String| {
        args.wait.is_some()
            && file.trim_end_matches('s').parse::<u64>().is_ok()
            && world.read_input(file).is_err()
    };
    args.files.iter().find(|file| args.entry.is_given() || seconds(file))
}

fn shown(name: &str) -> &str {
    if name == "-" { "standard input" } else { name }
}

/// What is said where jobs wait for a worker that nobody starts.
const NOBODY_MERGES: &str = "no worker is at work: `last-word work` merges what waits, `last-word install cron` has it done every minute";

/// Whether no worker is at work, and none came in the time in which a schedule starts one.
fn nobody_merges(world: &World) -> bool {
    world.status(&world.cwd).is_ok_and(|status| {
        let lately = |at| status.at.since_ms(at) < 2 * 60_000;
        status.working.is_empty() && !status.last_run.is_some_and(|run| lately(run.at))
    })
}

/// Waits until every job has ended or waits for a person.
fn wait(world: &World, enqueued: &[Acknowledged], seconds: u64) -> Result<u8, Failure> {
    let ids: Vec<JobId> = enqueued.iter().map(|job| job.id).collect();
    if std::io::stderr().is_terminal() {
        // A person would not know why nothing happens; a script asked for it.
        let waits = format!(
            "waiting for a worker, at most {seconds} s (Ctrl-C leaves what was declared in the queue)"
        );
        render::tell(&waits);
        if nobody_merges(world) {
            render::tell(NOBODY_MERGES);
        }
    }
    let verdicts = world.wait_for(&ids, Duration::from_secs(seconds))?;
    let bad = verdicts.iter().any(operator::Verified::needs_somebody);
    super::verify::print(world, &verdicts)?;
    Ok(if bad { failure::SOMEBODY_NEEDED } else { 0 })
}
