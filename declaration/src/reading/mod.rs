//! From bytes to checked declarations. What is wrong is said all at once, with line and column; what is right is read
//! the fast way. Refuses whatever it does not understand: an unknown field is a spelling mistake, never ignored.

pub mod input;
mod json;
pub mod limits;
mod mistakes;
pub mod near;
pub mod node;
mod places;
pub mod rules;
pub mod schema;
pub mod written;
pub mod yaml;

pub use places::{Unplaced, bare, placed};
pub use rules::{check, same_sections};

use crate::problem::Problem;
use crate::secrets;
use crate::{Code, Declaration};
use limits::{JOB_BYTES_MAX, JSON_BYTES_MAX, PROBLEMS_MAX, YAML_BYTES_MAX};
use node::{Node, Value};
use rules::PathProblem;
use schema::{Misfit, Schema};
use serde::de::DeserializeOwned;

/// The two ways a declaration is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// JSON, JSON Lines, or objects in a row.
    Json,
    /// YAML, one or several documents.
    Yaml,
}

impl Format {
    /// By the file's name where it says, else by how the text begins.
    #[must_use]
    pub fn guess(file_name: Option<&str>, bytes: &[u8]) -> Format {
        let extension =
            file_name.and_then(|name| name.rsplit_once('.')).map(|(_, end)| end.to_ascii_lowercase());
        match extension.as_deref() {
            Some("json" | "jsonl" | "ndjson") => Format::Json,
            Some("yaml" | "yml") => Format::Yaml,
            _ => Format::of_text(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)),
        }
    }

    /// JSON begins with `{"`, `{}` or `[{`; a flow mapping of YAML has a bare word there.
    fn of_text(bytes: &[u8]) -> Format {
        let mut marks = bytes.iter().filter(|byte| !byte.is_ascii_whitespace());
        match (marks.next(), marks.next()) {
            (Some(b'{'), Some(b'"' | b'}') | None) | (Some(b'['), Some(b'{')) => Format::Json,
            _ => Format::Yaml,
        }
    }
}

/// Reads every declaration of an input. One bad declaration refuses the whole input.
///
/// # Errors
/// All problems found, in the order of their places, at most `limits::PROBLEMS_MAX`.
pub fn read(bytes: &[u8], format: Option<Format>) -> Result<Vec<Declaration>, Vec<Problem>> {
    let text = input::text(bytes).map_err(|problem| vec![problem])?;
    let source = Source { text, format: format.unwrap_or_else(|| Format::guess(None, bytes)), job: false };
    let unread = match source.typed::<written::Declaration>() {
        Ok(declarations) => {
            let (good, found) = checked(declarations);
            // Known without a look at what they say: nothing is searched in them.
            if found.iter().any(|found| found.problem.is_of_size()) {
                let of_size = found.into_iter().filter(|found| found.problem.is_of_size()).collect();
                return Err(placed(bytes, Some(source.format), of_size));
            }
            match (found.is_empty(), good.is_empty()) {
                (true, false) => return Ok(good),
                (true, true) => vec![
                    Problem::new(Code::EmptyInput, "the input holds no declaration").hint(input::EMPTY_HINT),
                ],
                (false, _) => bare(found),
            }
        }
        Err(problem) => vec![problem],
    };
    Err(source.explain(unread))
}

/// The declarations that keep the rules, and what is wrong with the others.
fn checked(declarations: Vec<written::Declaration>) -> (Vec<Declaration>, Vec<Unplaced>) {
    let (mut good, mut found) = (Vec::new(), Vec::new());
    for (n, said) in declarations.into_iter().enumerate() {
        match rules::checked(&said.version, said.source, said.entries) {
            Ok(declaration) => good.push(declaration),
            Err(problems) => {
                found.extend(problems.into_iter().map(|PathProblem { path, problem, .. }| Unplaced {
                    declaration: Some(n),
                    path,
                    problem,
                }))
            }
        }
    }
    (good, found)
}

/// Reads a job: one declaration, and the pipeline's `job` block beside it where there is one.
///
/// # Errors
/// All problems found; `several_jobs` when the input holds more than one document.
pub fn read_job<J: DeserializeOwned>(
    bytes: &[u8],
    format: Option<Format>,
) -> Result<(Declaration, Option<J>), Vec<Problem>> {
    let text = input::text(bytes).map_err(|problem| vec![problem])?;
    let source = Source { text, format: format.unwrap_or_else(|| Format::guess(None, bytes)), job: true };
    let mut jobs = source.typed::<written::Job<J>>().map_err(|problem| source.explain(vec![problem]))?;
    match (jobs.pop(), jobs.len()) {
        (Some(job), 0) => match rules::checked(&job.version, job.source, job.entries) {
            Ok(declaration) => Ok((declaration, job.job)),
            Err(found) => Err(source.explain(found.into_iter().map(|finding| finding.problem).collect())),
        },
        (None, _) => Err(vec![Problem::new(Code::EmptyInput, "the input holds no job")]),
        (Some(_), more) => {
            Err(vec![Problem::new(Code::SeveralJobs, format!("the input holds {} jobs, not one", more + 1))])
        }
    }
}

/// A text and how it is to be read.
struct Source<'a> {
    text: &'a str,
    format: Format,
    job: bool,
}

impl Source<'_> {
    fn bytes_max(&self) -> usize {
        match (self.job, self.format) {
            (true, _) => JOB_BYTES_MAX,
            (false, Format::Json) => JSON_BYTES_MAX,
            (false, Format::Yaml) => YAML_BYTES_MAX,
        }
    }

    fn typed<T: DeserializeOwned>(&self) -> Result<Vec<T>, Problem> {
        match self.format {
            Format::Json => json::typed(self.text, self.bytes_max()),
            Format::Yaml => yaml::typed(self.text, self.bytes_max()),
        }
    }

    /// What is said, with places; and what could not be read.
    fn nodes(&self) -> (Vec<Node>, Vec<Problem>) {
        match self.format {
            Format::Json => json::nodes(self.text, self.bytes_max()),
            Format::Yaml => match yaml::nodes(self.text, self.bytes_max()) {
                Ok(nodes) => (nodes, Vec::new()),
                Err(problem) => (Vec::new(), vec![problem]),
            },
        }
    }

    /// Says everything that is wrong, with places. `unread` is what the fast way met, for when nothing is found.
    fn explain(&self, unread: Vec<Problem>) -> Vec<Problem> {
        if unread.iter().any(|problem| problem.code == Code::TooLarge) {
            return unread;
        }
        // A message quotes what it is about: of a text with a secret in it, nothing else is said.
        if let Some(secret) = secrets::in_input(self.text) {
            return vec![secret];
        }
        let (nodes, mut problems) = self.nodes();
        let schema = if self.job { &schema::JOB } else { &schema::DECLARATION };
        for mut node in nodes {
            if problems.len() > PROBLEMS_MAX {
                break;
            }
            problems.extend(explain_one(self.text, &mut node, schema));
        }
        if problems.is_empty() {
            return unread;
        }
        bounded(problems)
    }
}

/// Everything wrong with one declaration. In a version that is not supported, nothing else can be checked.
fn explain_one(text: &str, root: &mut Node, schema: &Schema) -> Vec<Problem> {
    let mut misfits = Vec::new();
    schema::misfits(root, schema, "", &mut misfits);
    let mut found: Vec<PathProblem> = Vec::new();
    if let Some(Value::Text(version)) = root.get("version").map(|node| &node.value)
        && let Err(problem) = rules::version_spoken(version)
    {
        return located(text, root, Vec::new(), vec![PathProblem::new("version", problem)]);
    }
    if let Some(Value::Text(source)) = root.get("source").map(|node| &node.value) {
        found.extend(rules::source_text(Some(source)));
    }
    explain_entries(root, &mut misfits, &mut found);
    located(text, root, misfits, found)
}

/// Holds each entry to its shape, then each well-shaped one to the rules, then all of those to one another.
fn explain_entries(root: &mut Node, misfits: &mut Vec<Misfit>, found: &mut Vec<PathProblem>) {
    let Value::Map(pairs) = &mut root.value else { return };
    let Some(entries) = pairs.iter_mut().find(|pair| pair.name == "entries") else { return };
    let Value::List(items) = &mut entries.value.value else { return };
    found.extend(rules::count(items.len()));
    let mut good = Vec::new();
    for (index, item) in items.iter_mut().enumerate().take(limits::ENTRIES_MAX) {
        let before = misfits.len();
        schema::misfits(item, &schema::ENTRY, &format!("entries[{index}]"), misfits);
        if misfits.len() > before {
            continue;
        }
        let Ok(entry) = serde_json::from_value::<written::Entry>(item.to_json()) else { continue };
        match rules::check_entry(index, entry) {
            Ok(entry) => good.push((index, entry.key)),
            Err(problems) => found.extend(problems),
        }
    }
    found.extend(rules::duplicates(good.iter().map(|(index, key)| (*index, &key.target, key))));
}

/// Gives every problem its line and column.
pub fn located(text: &str, root: &Node, misfits: Vec<Misfit>, found: Vec<PathProblem>) -> Vec<Problem> {
    let misfits = misfits.into_iter().map(|misfit| (misfit.at, misfit.other, misfit.problem));
    let found = found.into_iter().map(|finding| {
        (root.locate(&finding.path), finding.other.map(|path| root.locate(&path)), finding.problem)
    });
    let mut problems: Vec<Problem> = Vec::new();
    for (at, other, mut problem) in misfits.chain(found).take(PROBLEMS_MAX + 1) {
        if let Some(first) = other.map(|other| other.place(text)) {
            problem.message = format!("{} (first at {}:{})", problem.message, first.line, first.column);
        }
        problems.push(problem.at(at.place(text)));
    }
    problems
}

/// In the order of their places, and not more than a person reads.
pub fn bounded(mut problems: Vec<Problem>) -> Vec<Problem> {
    problems.sort_by_key(|problem| problem.place);
    if problems.len() > PROBLEMS_MAX {
        problems.truncate(PROBLEMS_MAX);
        problems.push(Problem::new(
            Code::MoreProblems,
            format!("and more; only the first {PROBLEMS_MAX} are counted"),
        ));
    }
    problems
}
