//! Which jobs a command is about: ids and their beginnings, staged files, filters.

use crate::failure::Failure;
use crate::render::{self, parse_span};
use crate::world::World;
use engine::{StagedJobs, Which};
use operator::Filter;
use queue_layout::{Listed, State};

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

/// The filter that the flags give.
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
        after: None,
        text: selection.text.clone(),
        sort: None,
        limit: None,
    })
}

/// Whether any flag chooses jobs.
pub fn is_empty(selection: &Selection) -> bool {
    let Selection { document, agent, session, error, older, newer, text } = selection;
    [document, agent, session, error, older, newer, text].iter().all(|field| field.is_none())
}

/// The names of jobs; `-` reads them from standard input.
pub fn names(world: &World, names: &[String]) -> Result<Vec<String>, Failure> {
    let mut wanted = Vec::new();
    for name in names {
        if name == "-" {
            let text = String::from_utf8_lossy(&world.read_input("-")?).into_owned();
            wanted.extend(text.split_whitespace().map(str::to_owned));
        } else {
            wanted.push(name.clone());
        }
    }
    Ok(wanted)
}

/// The staged jobs that are named, each once, in the order of their ids; `-` reads names from standard input.
pub fn named(world: &World, names: &[String], state: State) -> Result<Vec<Listed>, Failure> {
    let wanted = self::names(world, names)?;
    let StagedJobs { jobs, elsewhere } = world.staged(state, &Which::Named(wanted))?;
    if elsewhere > 0 {
        render::tell(&format!("{elsewhere} of the jobs that are named do not wait there (any more)"));
    }
    Ok(jobs)
}
