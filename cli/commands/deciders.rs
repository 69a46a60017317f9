//! `deciders`: scripts and schedules that decide in a person's name. Only a person adds or removes one; no agent and no
//! decider can.

use crate::failure::{Exit, Failure};
use crate::render;
use crate::table::table;
use crate::world::World;
use engine::output::ListedDecider;
use policy::settings::DECIDABLE;

/// Let a script or a schedule decide; alone it lists which may
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A decider names itself with --as NAME, and receipts name it. An agent is refused with it, too. Naming one again replaces what it
may do. They stand in config.yaml, under `deciders`.

Examples:
  last-word deciders nightly resolve prune       # let it use these two
  last-word resolve --all --retry --as nightly   # what the script then says
  last-word deciders nightly --remove"
)]
pub struct Args {
    /// What the script or schedule calls itself
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// The commands it may use as you would; `enqueue`: what it declares is yours
    #[arg(value_name = "COMMAND", value_parser = clap::builder::PossibleValuesParser::new(DECIDABLE))]
    pub commands: Vec<String>,
    /// It decides nothing any more
    #[arg(long, conflicts_with = "commands", requires = "name")]
    pub remove: bool,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    world.check()?;
    let Some(name) = &args.name else { return list(world).map(|()| 0) };
    if args.commands.is_empty() && !args.remove {
        return Err(Failure::new(format!("which commands may `{name}` use?"))
            .hint(format!("name them: {}; or --remove", DECIDABLE.join(", ")))
            .exit(Exit::Usage));
    }
    let settings = world.settings()?;
    let known = settings.deciders.iter().any(|decider| decider.name == *name);
    if args.remove && !known {
        return Err(
            Failure::new(format!("there is no decider `{name}`")).hint("`last-word deciders` lists them")
        );
    }
    let who = world.who("deciders", None)?;
    let mut commands: Vec<String> = Vec::new();
    for command in &args.commands {
        if !commands.contains(command) {
            commands.push(command.clone());
        }
    }
    world.let_decide(name, &commands, &who)?;
    if world.json {
        return render::json(&ListedDecider { name: name.clone(), commands }).map(|()| 0);
    }
    render::say(&match commands.as_slice() {
        [] => format!("{name} decides nothing any more"),
        [first, ..] => format!(
            "{name} may now {}; it says so: last-word {first} --as {name} ...\nwhoever runs as you can say that name, but not an agent that is known",
            commands.join(", ")
        ),
    })?;
    Ok(0)
}

fn list(world: &World) -> Result<(), Failure> {
    let deciders: Vec<ListedDecider> = world
        .settings()?
        .deciders
        .into_iter()
        .map(|decider| ListedDecider { name: decider.name, commands: decider.commands })
        .collect();
    if world.json {
        return render::json(&deciders);
    }
    if deciders.is_empty() {
        return render::say("nobody but a person at a terminal decides");
    }
    let rows =
        deciders.iter().map(|decider| vec![decider.name.as_str().into(), decider.commands.join(", ").into()]);
    render::line(&table(world.page, &["NAME", "MAY"], rows.collect()))
}
