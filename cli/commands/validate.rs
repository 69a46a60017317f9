//! `validate`: every problem of a declaration or a configuration, with file:line:column. Enqueues nothing.

use crate::failure::{self, Failure, problem_lines};
use crate::render;
use crate::world::World;
use declaration::reading::Format;
use engine::output::Checked;

/// Check declarations and configuration: every problem with file:line:column
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Declarations, or a config.yaml; the home's configuration when nothing is named
    #[arg(value_name = "FILE")]
    pub files: Vec<String>,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    if args.files.is_empty() {
        world.check()?;
    }
    let own = [world.layout().config().display().to_string()];
    let files = if args.files.is_empty() { &own[..] } else { &args.files };
    let checked = files.iter().map(|file| check(file, world)).collect::<Result<Vec<_>, _>>()?;
    let bad = checked.iter().any(|checked| !checked.problems.is_empty());
    if args.files.is_empty() && !bad {
        // As a whole it may be less than was saved.
        world.settings()?;
    }
    if world.json {
        render::json(&checked)?;
    } else {
        for Checked { file, kind, problems, asks_for } in &checked {
            if problems.is_empty() {
                let entries = match asks_for.as_slice() {
                    [] => String::new(),
                    some if some.len() > ENTRIES_SHOWN => format!(", {} entries", some.len()),
                    some => {
                        let some: Vec<String> = some.iter().map(|asked| in_words(asked)).collect();
                        format!("; it asks to {}", some.join(", and to "))
                    }
                };
                render::say(&format!("{file}: a good {kind}{entries}"))?;
            }
            problem_lines(file, problems).iter().try_for_each(|line| render::say(line))?;
        }
    }
    Ok(if bad { failure::REFUSED } else { 0 })
}

/// What an entry asks for, its operation as a phrase: `append to …`.
fn in_words(asked: &str) -> String {
    let (operation, what) = asked.split_once(' ').unwrap_or((asked, ""));
    let phrase = match operation {
        "append" | "add" => "append to",
        "prepend" => "prepend to",
        "replace" => "replace a text in",
        "upsert_row" => "put a row into",
        "upsert_item" => "put an item into",
        "insert_before" => "put a section before",
        "insert_after" => "put a section behind",
        "add_value" => "add a value to",
        "remove_value" => "take a value out of",
        "no-op" => "leave as it is",
        other => other,
    };
    format!("{phrase} {what}")
}

/// What more entries ask for is not told of each.
const ENTRIES_SHOWN: usize = 5;

fn check(file: &str, world: &World) -> Result<Checked, Failure> {
    let bytes = world.read_input(file)?;
    let format = (file != "-").then(|| Format::guess(Some(file), &bytes));
    world.validate(file, &bytes, format, &world.caller(None, None))
}
