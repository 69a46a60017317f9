//! Edits of the text of `config.yaml`, as a person would make them: what is not meant stays as it is, to the byte. Nothing here
//! reads a setting to go by it.

mod budget;
mod decider;
mod knowledge_bases;
mod project;

pub use budget::with_budget;
pub use decider::with_decider;
pub use knowledge_bases::{with_bases, with_memory, with_memory_bank, without_base};
pub use project::with_project;

/// The lines with their line ends, each with where it begins.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_inclusive('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some((start, line))
    })
}
