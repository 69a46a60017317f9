//! `recall`: what the managed documents say about something, and where that stands.

use crate::failure::{self, Failure};
use crate::language::said;
use crate::progress;
use crate::render::{self, Tone};
use crate::visible::in_a_line;
use crate::world::World;
use engine::Question;
use engine::output::{RecallHit, Recalled, Tier};

/// What the documents say about something, the best answer first
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 something was found, 1 nothing was, 2 usage.")]
pub struct Args {
    /// What to look for: words in any language, an identifier, a phrase
    #[arg(required = true, value_name = "QUERY")]
    pub query: Vec<String>,
    /// Only items of this kind: W, B, O, E, or a word of your own
    #[arg(long, value_name = "KIND")]
    pub kind: Vec<String>,
    /// Only items with this #tag
    #[arg(long, value_name = "TAG")]
    pub entity: Vec<String>,
    /// Only this knowledge base, member of a family (people:paulo) or path
    #[arg(long, value_name = "KB|PATH")]
    pub document: Vec<String>,
    /// Only what is from this day or later
    #[arg(long, value_name = "DAY")]
    pub from: Option<String>,
    /// Only what is from this day or earlier
    #[arg(long, value_name = "DAY")]
    pub to: Option<String>,
    /// Only documents of this scope: a variable of a family's path and its value
    #[arg(long, value_name = "NAME=VALUE", value_parser = scope)]
    pub scope: Vec<(String, String)>,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub limit: usize,
    /// Also what is retired or superseded
    #[arg(long)]
    pub all: bool,
    /// Which words matched, and how each hit was scored
    #[arg(long)]
    pub why: bool,
}

fn scope_of(args: &Args) -> Vec<(String, String)> {
    let said =
        |(name, value): &(String, String)| (name.clone(), engine::scope_said(name, value, &args.document));
    args.scope.iter().map(said).collect()
}

fn scope(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("a scope is written NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    world.check()?;
    let question = Question {
        text: args.query.join(" "),
        kinds: args.kind.clone(),
        entities: args.entity.clone(),
        documents: args.document.clone(),
        from: args.from.clone(),
        to: args.to.clone(),
        scope: scope_of(args),
        apart: false,
        limit: args.limit,
        all: args.all,
        standing: false,
    };
    let recalled =
        progress::waiting("looking through the documents", || world.recall(&question, &world.cwd))?;
    if world.json {
        render::json(&recalled)?;
    } else {
        print(args, &recalled, world)?;
    }
    Ok(if recalled.hits.is_empty() { failure::COULD_NOT } else { 0 })
}

fn print(args: &Args, recalled: &Recalled, world: &World) -> Result<(), Failure> {
    render::tell_unread(&recalled.searched.unread);
    if let Some(why) = &recalled.searched.index_trouble {
        render::tell(&format!("warning: every document was read, as the index could not be used: {why}"));
    }
    if let Some(why) = recalled.searched.meaning.as_ref().and_then(|meaning| meaning.trouble.as_ref()) {
        render::tell(&format!("warning: words alone answered, not meaning: {why}"));
    }
    if recalled.hits.is_empty() && recalled.searched.documents == 0 && !args.document.is_empty() {
        let named = args.document.join("` or `");
        render::tell(&format!(
            "no knowledge base and no document is called `{named}`, or nothing was written there yet"
        ));
    } else if recalled.hits.is_empty() {
        let documents = render::count(recalled.searched.documents, "document");
        let fewer = if args.query.len() > 1 { "; fewer words find more" } else { "" };
        render::tell(&format!("no match in {documents}{fewer}; --all searches what is retired as well"));
    }
    for hit in &recalled.hits {
        let place = hit.line.map_or_else(|| hit.path.clone(), |line| format!("{}:{line}", hit.path));
        let note = note(hit);
        let note = if note.is_empty() { note } else { format!("  ({note})") };
        render::line(&format!(
            "{}{}",
            world.page.paint(Tone::Strong, &in_a_line(&place)),
            world.page.paint(Tone::Dim, &note)
        ))?;
        for line in hit.text.lines() {
            render::line(&format!("  {line}"))?;
        }
        if args.why {
            render::line(&format!("  {}", world.page.paint(Tone::Dim, &said(&why(hit)))))?;
        }
    }
    Ok(())
}

/// What one should know of a hit beside its text.
fn note(hit: &RecallHit) -> String {
    let heading = hit.heading.last().filter(|last| **last != hit.text).cloned();
    let retired = (!hit.live).then(|| match &hit.superseded_by {
        Some(id) => format!("superseded by ^{id}"),
        None => "retired".to_owned(),
    });
    let said = hit.kb.strip_prefix("transcript:").filter(|_| hit.by.as_deref() == Some("transcript"));
    let said = said.map(|agent| format!("said in a session of {agent}, in no document"));
    let parts = [
        said,
        hit.kind.clone(),
        heading,
        hit.id.as_ref().map(|id| format!("^{id}")),
        hit.doubt.as_ref().map(|doubt| crate::language::said(doubt).into_owned()),
        retired,
        hit.waits.clone(),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn why(hit: &RecallHit) -> String {
    let tier = match hit.tier {
        Tier::Exact => "word for word",
        Tier::Words => "by words",
        Tier::Meaning => "by meaning",
        Tier::Letters => "by letters",
    };
    let parts = &hit.parts;
    let meaning = match (parts.near, parts.stands_out) {
        (Some(near), Some(out)) => format!(
            "; meaning {near:.3}, {} chance by {:.1} deviations",
            if out >= 0.0 { "above" } else { "below" },
            out.abs()
        ),
        _ => String::new(),
    };
    format!(
        "{tier}: {}; score {:.2} = (covered {:.2}, often {:.2}, together {:.2}, in order {:.2}) x {:.2} for kind, trust and age{meaning}",
        hit.matched.join(" "),
        hit.score,
        parts.covered,
        parts.frequency,
        parts.window,
        parts.close,
        parts.worth,
    )
}
