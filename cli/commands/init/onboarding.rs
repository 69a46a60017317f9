//! What `init` offers whoever sits at a terminal: how the agent is to be, the agents that can be wired, what they know already.
//! Each has a usual answer and can be left out.

use crate::commands::adopt;
use crate::failure::Failure;
use crate::install::{agent, write_all};
use crate::language::said;
use crate::question;
use crate::render;
use crate::world::World;
use engine::Soul;

/// How an agent is, where nobody says it otherwise.
const CHARACTER: &str = "careful, and honest about what it does not know";
const SPEAKING: &str = "plain and short, the result first";

/// What the agent's document is to say; `None` where there is one, or nothing is said.
pub fn soul(world: &World, yes: bool) -> Result<Option<Soul>, Failure> {
    if !world.lacks_soul()? {
        return Ok(None);
    }
    if yes {
        let usual = |text| Some(said(text).into_owned());
        return Ok(Some(Soul { name: None, character: usual(CHARACTER), speaking: usual(SPEAKING) }));
    }
    render::say(
        "Three questions about your agent, for SOUL.md, which its sessions are shown (Enter takes what is offered; you can change it at any time).",
    )?;
    let name = question::line("What is it called?", "")?;
    // What was offered is what is written, in the language it was offered in.
    let as_offered = |answer: Option<String>, offered: &str| {
        answer.map(|it| if it == offered { said(offered).into_owned() } else { it })
    };
    let character = as_offered(question::line("What is its character?", CHARACTER)?, CHARACTER);
    let speaking = as_offered(question::line("How does it speak?", SPEAKING)?, SPEAKING);
    Ok(Some(Soul { name, character, speaking }))
}

/// Offers to wire the agents that are here, and to take over what they know. What does not work is said, and the rest goes on.
pub fn offer(world: &World, yes: bool) -> Result<(), Failure> {
    let found = agent::unwired(world);
    if !found.is_empty() {
        let titles: Vec<&str> = found.iter().map(|(title, _)| *title).collect();
        render::say(&format!("\nfound, and not wired yet: {}", titles.join(", ")))?;
        let names: Vec<&str> = found.iter().map(|(_, name)| *name).collect();
        if yes || wired_after_all(world, &names)? {
            for name in &names {
                let wired = agent::plan(world, name, false, true).and_then(|plan| write_all(world, &plan));
                wired.map_or_else(|failure| print_failure(&failure), |_| Ok(()))?;
            }
        } else {
            render::say(&format!("later: last-word install {}", names.first().unwrap_or(&"AGENT")))?;
        }
    }
    adopt::offer(world, yes).map_or_else(|failure| print_failure(&failure), |()| Ok(()))
}

/// Whether the agents that were found are to call us; who wants to sees before what would be written.
fn wired_after_all(world: &World, names: &[&str]) -> Result<bool, Failure> {
    let (them, name) = match names {
        [one] => ("it", *one),
        _ => ("them", "AGENT"),
    };
    let question = format!(
        "have {them} call last-word when a session starts and ends? `last-word uninstall {name}` takes it out again; d shows what is written"
    );
    let question = format!("{} [Y/n] ", said(&question));
    loop {
        match question::answer(&question)?.as_deref() {
            Some("d" | "D") => {
                for name in names {
                    agent::plan(world, name, false, true).and_then(|plan| plan.show(world))?;
                }
            }
            Some(answer) if answer.is_empty() || question::is_yes(answer) => return Ok(true),
            _ => return Ok(false),
        }
    }
}

/// Prints what did not work; the onboarding goes on.
fn print_failure(failure: &Failure) -> Result<(), Failure> {
    render::say(&format!("not done: {}", failure.sentence()))
}
