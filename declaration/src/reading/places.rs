//! Places for what is found wrong only after reading: a target that leads nowhere, a policy that refuses. The input is read
//! once more for that, because of what is right nobody keeps places.

use super::limits::PROBLEMS_MAX;
use super::{Format, Source, bounded, input, mistakes};
use crate::problem::{Position, Problem};
use crate::{Code, secrets};

/// A problem of an input that was read, and what it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unplaced {
    /// Which declaration of the input, from 0; `None` for none of them.
    pub declaration: Option<usize>,
    /// What in it, e.g. `entries[2].key`; empty for all of it.
    pub path: String,
    /// What is wrong.
    pub problem: Problem,
}

/// The problems with their lines and columns, in the order of their places, at most `limits::PROBLEMS_MAX`.
#[must_use]
pub fn placed(bytes: &[u8], format: Option<Format>, found: Vec<Unplaced>) -> Vec<Problem> {
    let Ok(text) = input::text(bytes) else { return bare(found) };
    let format = format.unwrap_or_else(|| Format::guess(None, bytes));
    let (nodes, _) = Source { text, format, job: false }.nodes();
    let place = |Unplaced { declaration, path, problem }| match declaration.and_then(|n| nodes.get(n)) {
        Some(root) => {
            let place = root.locate(&path).place(text);
            let secret = problem.code == Code::Secret;
            problem.at(if secret { of_secret(text, place) } else { place })
        }
        None => problem,
    };
    // A place costs a look at the text before it: not for more than are shown.
    bounded(found.into_iter().take(PROBLEMS_MAX + 1).map(place).collect())
}

/// The place of the first secret in the field that begins there: a text may have a hundred lines.
fn of_secret(text: &str, field: Position) -> Position {
    let from = mistakes::offset_of(text, field);
    let found = text.get(from..).and_then(secrets::find);
    found.map_or(field, |secret| match secret.place {
        Position { line: 1, column } => Position { line: field.line, column: field.column + column - 1 },
        Position { line, column } => Position { line: field.line + line - 1, column },
    })
}

/// The problems without places, of what was said in no file.
#[must_use]
pub fn bare(found: Vec<Unplaced>) -> Vec<Problem> {
    found.into_iter().map(|found| found.problem).collect()
}
