//! `validate`: every problem of a declaration or a configuration, with file:line:column. Enqueues nothing.

use crate::failure::{self, Failure, problem_lines};
use crate::render;
use crate::world::World;
use declaration::reading::{self, Format, Unplaced};
use engine::defaults;
use engine::output::Checked;
use policy::settings::Settings;

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
    if world.json {
        render::json(&checked)?;
    } else {
        for Checked { file, kind, problems } in &checked {
            if problems.is_empty() {
                render::line(&format!("{file}: a good {kind}"))?;
            }
            problem_lines(file, problems).iter().try_for_each(|line| render::line(line))?;
        }
    }
    Ok(if bad { failure::REFUSED } else { 0 })
}

fn check(file: &str, world: &World) -> Result<Checked, Failure> {
    let bytes = world.read_input(file)?;
    if is_config(file, &bytes) {
        let text = String::from_utf8_lossy(&bytes);
        let problems = Settings::parse(&text, Some(&defaults()?)).err().unwrap_or_default();
        return Ok(Checked { file: file.to_owned(), kind: "configuration", problems });
    }
    let format = (file != "-").then(|| Format::guess(Some(file), &bytes));
    let problems = match reading::read(&bytes, format) {
        Err(problems) => problems,
        Ok(declarations) => reading::placed(&bytes, format, targets(declarations, world)?),
    };
    Ok(Checked { file: file.to_owned(), kind: "declaration", problems })
}

/// Whether the targets belong to knowledge bases, by the configuration this home has.
fn targets(declarations: Vec<declaration::Declaration>, world: &World) -> Result<Vec<Unplaced>, Failure> {
    let settings = world.settings()?;
    let drafts = world.drafts(&world.caller(None, None), "validate", declarations, None, &settings);
    Ok(drafts.err().unwrap_or_default())
}

fn is_config(file: &str, bytes: &[u8]) -> bool {
    let named = std::path::Path::new(file).file_name().is_some_and(|name| name == "config.yaml");
    named || String::from_utf8_lossy(bytes).lines().any(|line| line.starts_with("knowledge_bases:"))
}
