//! `tidy`: asks whoever reads it, an agent or a person, for a shorter section of a document that is nearly full, and takes it
//! as a proposal.

use crate::failure::Failure;
use crate::progress;
use crate::render::{self, Tone};
use crate::world::World;
use engine::output::{Proposed, Tidy};

/// Ask for a shorter section of a document that is nearly full; what comes back waits for your yes
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  last-word tidy                        which documents are nearly full
  last-word tidy user | claude -p       an agent reads what is asked, and answers with the command it is told
  last-word tidy user --heading Preferences --with shorter.md")]
pub struct Args {
    /// The knowledge base, or the document's path
    #[arg(value_name = "KB|PATH")]
    pub what: Option<String>,
    /// The section [default: the longest; has to be named with --with]; with the headings above it: `A > B`
    #[arg(long, value_name = "TEXT", requires = "what")]
    pub heading: Option<String>,
    /// Its shorter text, as a proposal; `-` is standard input
    #[arg(long, value_name = "FILE", requires = "heading")]
    pub with: Option<String>,
    /// The agent that says it [default: $LAST_WORD_AGENT]
    #[arg(long, requires = "with")]
    pub agent: Option<String>,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    world.check()?;
    let Some(what) = &args.what else { return full(world) };
    if let (Some(file), Some(heading)) = (&args.with, &args.heading) {
        let text = String::from_utf8(world.read_given(file)?)
            .map_err(|_| Failure::new(format!("{file} is not UTF-8 text")))?;
        let caller = world.caller(args.agent.as_deref(), None);
        let propose = || world.propose_shorter(&caller, what, heading, &text, &world.cwd);
        return proposed(world, &progress::waiting("comparing the texts", propose)?);
    }
    let tidy = progress::waiting("looking for long sections", || world.tidy(what, &world.cwd))?;
    if world.json {
        return render::json(&tidy).map(|()| 0);
    }
    ask(world, what, &tidy, args.heading.as_deref())
}

/// Which documents are nearly full.
fn full(world: &World) -> Result<u8, Failure> {
    let filling = progress::waiting("looking through the documents", || world.filling(&world.cwd));
    if world.json {
        return render::json(&filling).map(|()| 0);
    }
    for full in &filling {
        let (document, percent) = (world.short(&full.document), full.percent());
        render::say(&format!("{document} is {percent} % full: last-word tidy {}", full.kb))?;
    }
    if filling.is_empty() {
        render::say("no document is nearly full")?;
    }
    Ok(0)
}

/// The request, so that an agent can fulfil it: how long the text may be, what to keep, and the command that takes the
/// answer.
fn ask(world: &World, what: &str, tidy: &Tidy, heading: Option<&str>) -> Result<u8, Failure> {
    let called = |section: &&operator::LongSection| {
        heading.is_none_or(|heading| {
            section.heading.join(" > ") == heading
                || section.heading.last().is_some_and(|last| last == heading)
        })
    };
    let Some(section) = tidy.sections.iter().find(called) else {
        return Err(match tidy.chars {
            0 => Failure::new(format!("nothing stands in `{what}` yet")),
            _ => Failure::new(format!("`{what}` has no section that could be shorter"))
                .hint(format!("last-word read {what}")),
        });
    };
    let budget = tidy.budget_chars.map_or_else(String::new, |most| format!(" of at most {most}"));
    let name = section.heading.join(" > ");
    let aim = (section.chars * 2 / 3).max(1);
    if world.interactive() {
        let agent = format!(
            "for your agent (for example: last-word tidy {what} | claude -p), or write it yourself:\n"
        );
        render::say(&agent)?;
    }
    render::line(&format!(
        "`{what}` ({}) has {} characters{budget}. Its longest section, `{name}`, has {}.\n\n\
         Please write that section again in at most {aim} characters. Keep every fact that still holds, in its author's\n\
         words where they are short; say once what is said twice; leave out what is out of date. Add nothing.\n\
         Give it back so (it waits for a person, who is shown what is gone):\n\n\
         {program} tidy {to} --heading {heading} --with - <<'END'\nthe shorter text\nEND\n\n\
         The section now:\n\n{text}",
        world.short(&tidy.document),
        tidy.chars,
        section.chars,
        program = crate::own_name::program(),
        to = engine::quoted(what),
        heading = engine::quoted(&name),
        text = section.text
    ))?;
    Ok(0)
}

fn proposed(world: &World, proposed: &Proposed) -> Result<u8, Failure> {
    if world.json {
        return render::json(proposed).map(|()| 0);
    }
    let ids: Vec<String> = proposed.jobs.iter().map(|job| job.id.to_string()).collect();
    let (before, after) = (proposed.chars_before, proposed.chars_after);
    render::say(&format!("{}: {before} characters become {after}", ids.join(", ")))?;
    if !proposed.lost.is_empty() {
        render::say(&format!("{} not in it word for word:", render::count(proposed.lost.len(), "line")))?;
    }
    for line in &proposed.lost {
        render::line(&world.page.paint(Tone::Bad, &format!("- {line}")))?;
    }
    render::say("`last-word work` puts it up for a yes; `last-word review` shows the change and asks")?;
    Ok(0)
}
