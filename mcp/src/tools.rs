//! The tools, one file each: what a model is told of it, what it takes and answers, and what it does.

mod outcome;
mod read;
mod recall;
mod remember;
mod revise;
mod s4;

use crate::ToolSet;
use crate::call::{Call, ToolAnswer};
use engine::Failure;
use rmcp::model::{JsonObject, ToolAnnotations};
use std::sync::Arc;

/// One tool.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    /// What a model is told of it.
    description: &'static str,
    /// Whether it changes something.
    pub(crate) changes: bool,
    takes: fn() -> JsonObject,
    answers: fn() -> JsonObject,
    pub(crate) run: fn(&Call, JsonObject) -> Result<ToolAnswer, Failure>,
}

/// The five, in the order they are listed.
static FIVE: [Tool; 5] = [recall::TOOL, read::TOOL, remember::TOOL, revise::TOOL, outcome::TOOL];
/// The five, and those of S4.
static WITH_S4: [Tool; 9] = [
    recall::APART,
    read::TOOL,
    remember::TOOL,
    revise::TOOL,
    outcome::TOOL,
    s4::END,
    s4::SEARCH_EVENTS,
    s4::GET_PROFILE,
    s4::SEARCH_PROFILES,
];

/// All of a set.
pub(crate) fn all(set: ToolSet) -> &'static [Tool] {
    match set {
        ToolSet::Five => &FIVE,
        ToolSet::S4 => &WITH_S4,
    }
}

impl Tool {
    /// As the protocol lists it.
    pub(crate) fn listed(&self) -> rmcp::model::Tool {
        // A change loses nothing: every version is kept, and a person can go back.
        let hints = ToolAnnotations::new().read_only(!self.changes);
        let hints = if self.changes { hints.destructive(false) } else { hints };
        rmcp::model::Tool::new(self.name, self.description, Arc::new((self.takes)()))
            .with_raw_output_schema(Arc::new((self.answers)()))
            .with_annotations(hints.open_world(false))
    }
}
