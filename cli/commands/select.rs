//! Which jobs a command is about: ids and their beginnings, staged files, filters.

use crate::failure::Failure;
use crate::render::parse_span;
use crate::world::World;
use operator::Filter;
use queue_layout::{JobId, Listed, Queue, QueueError, State};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The heading of the flags that choose jobs.
pub const WHICH: &str = "Which jobs";

/// Filters over jobs.
#[derive(Debug, Default, clap::Args)]
pub struct Selection {
    /// Only jobs of this document (part of its path, or a knowledge base)
    #[arg(long, value_name = "DOC", help_heading = WHICH)]
    pub document: Option<String>,
    /// Only of this agent
    #[arg(long, help_heading = WHICH)]
    pub agent: Option<String>,
    /// Only of this session
    #[arg(long, help_heading = WHICH)]
    pub session: Option<String>,
    /// Only with this error code
    #[arg(long, value_name = "CODE", help_heading = WHICH)]
    pub error: Option<String>,
    /// Only declared longer ago than this, e.g. 90s, 10m, 2h, 3d
    #[arg(long, value_name = "AGE", help_heading = WHICH)]
    pub older: Option<String>,
    /// Only declared since then
    #[arg(long, value_name = "AGE", help_heading = WHICH)]
    pub newer: Option<String>,
    /// Only with this text in a heading or content
    #[arg(long, allow_hyphen_values = true, help_heading = WHICH)]
    pub text: Option<String>,
}

/// A filter as the command line says it.
pub fn filter(selection: &Selection, world: &World) -> Result<Filter, Failure> {
    let since = |age: &Option<String>| {
        let ms = age.as_deref().map(parse_span).transpose()?;
        Ok::<_, Failure>(ms.map(|ms| declaration::Timestamp(world.now().millis().saturating_sub(ms))))
    };
    Ok(Filter {
        state: None,
        document: selection.document.clone(),
        agent: selection.agent.clone(),
        session: selection.session.clone(),
        error: selection.error.clone(),
        older: since(&selection.older)?,
        newer: since(&selection.newer)?,
        text: selection.text.clone(),
        sort: None,
        limit: None,
    })
}

/// Whether a selection selects anything in particular.
pub fn is_empty(selection: &Selection) -> bool {
    let Selection { document, agent, session, error, older, newer, text } = selection;
    [document, agent, session, error, older, newer, text].iter().all(|field| field.is_none())
}

/// The staged jobs that ids name, each once, in the order of their ids.
pub fn staged(queue: &Queue, world: &World, ids: &[String], state: State) -> Result<Vec<Listed>, Failure> {
    let mut wanted = Vec::new();
    for id in ids {
        if id == "-" {
            let text = String::from_utf8_lossy(&world.read_input("-")?).into_owned();
            wanted.extend(text.split_whitespace().map(str::to_owned));
        } else {
            wanted.push(id_of_file(id).unwrap_or_else(|| id.clone()));
        }
    }
    // Thousands may come from a listing: each whole id is found without a look at the directories.
    let there = queue.list(state)?.jobs.into_iter();
    let there: BTreeMap<String, Listed> = there.map(|listed| (listed.id.to_string(), listed)).collect();
    let (mut found, mut elsewhere) = (Vec::new(), Vec::new());
    for id in wanted {
        let listed = there.get(&id).cloned().map_or_else(|| queue.find(&id), Ok)?;
        if listed.state == state { found.push(listed) } else { elsewhere.push(listed) }
    }
    if let Some(first) = elsewhere.first() {
        if found.is_empty() {
            let (id, state) = (first.id.to_string(), first.state.as_str());
            return Err(QueueError::NotInStaging { id, state }.into());
        }
        // Whoever was stopped in the middle says the same again.
        eprintln!("last-word: {} of the jobs that are named do not wait there (any more)", elsewhere.len());
    }
    found.sort_by_key(|listed| listed.id);
    found.dedup_by_key(|listed| listed.id);
    Ok(found)
}

/// All staged jobs a filter lets through, in the order of their ids.
pub fn filtered(queue: &Queue, filter: &Filter, state: State) -> Result<Vec<Listed>, Failure> {
    let filter = Filter { state: Some(state), ..filter.clone() };
    let chosen: BTreeSet<JobId> = operator::list(queue, &filter)?.into_iter().map(|row| row.id).collect();
    Ok(queue.list(state)?.jobs.into_iter().filter(|listed| chosen.contains(&listed.id)).collect())
}

/// The id in the name of a file in `staging/`.
fn id_of_file(name: &str) -> Option<String> {
    let stem = Path::new(name).file_name()?.to_str()?;
    let stem = stem.strip_suffix(".yaml").or_else(|| stem.strip_suffix(".original"))?;
    stem.get(16..).map(str::to_owned)
}
