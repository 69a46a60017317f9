//! `init`: makes the home. Run twice, it changes nothing.

mod onboarding;

use crate::failure::Failure;
use crate::install::schedule::BESIDE_CRON;
use crate::render;
use crate::world::World;
use durable::Disk;
use engine::output::Made;
use engine::{DEFAULT_CONFIG, quoted};
use policy::knowledge_base::{Policy, Root};
use policy::settings::Settings;
use std::path::PathBuf;

/// Make the home: directories, a commented config.yaml, schema.yaml; on a terminal also offer what can be wired and taken over
#[derive(Debug, clap::Args)]
#[command(
    after_help = "On a terminal it asks how your agent is to be (SOUL.md), and offers to wire the agents that it finds and to take over what they
know. Each has a usual answer and can be left out. Without a terminal it asks nothing. Run again it changes nothing that is there."
)]
pub struct Args {
    /// Also make `.agents/` in this project and list the project in config.yaml: what is left there as `NAME.md.yaml` is taken
    /// in as a declaration
    #[arg(long)]
    pub project: bool,
    /// Also make `memory-bank/` in this project: MEMORY.md with an index that is kept, and `details/`
    #[arg(long, requires = "project")]
    pub memory_bank: bool,
    /// Also add the knowledge bases of facts, sessions, events and profiles to config.yaml
    #[arg(long)]
    pub memory: bool,
    /// Take the usual answer to everything that is offered, without asking
    #[arg(long, short, conflicts_with_all = ["project", "memory"])]
    pub yes: bool,
    /// Make it also on a network file system or in a synchronised folder, where its promises do not hold
    #[arg(long)]
    pub force: bool,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    if let Some(unfit) = world.unfit()?.filter(|_| !args.force) {
        let hint = "choose a local directory with --home (documents may live anywhere); --force makes it here all the same";
        return Err(Failure::new(format!(
            "{unfit}: renames, locks and syncs there do not keep what they promise"
        ))
        .hint(hint));
    }
    if args.project {
        // What is left in its inbox is taken in from then on, so a program does not list it by leaving its parents behind.
        world.who("init", None)?;
    }
    if args.memory {
        world.refuse_agents("add knowledge bases that agents may write to")?;
    }
    let asks = args.yes || world.interactive() && !world.json && !args.project && !args.memory;
    let guided = asks && world.refuse_agents("be asked").is_ok();
    let soul = if guided { onboarding::soul(world, args.yes)? } else { None };
    let mut made = world.make_with(DEFAULT_CONFIG, &soul.unwrap_or_default())?;
    let mut added = if args.memory || guided { world.add_memory()? } else { Vec::new() };
    let home = made.len();
    let listed = if args.project { Some(list_project(world, &mut made)?) } else { None };
    if args.memory_bank {
        let project = world.project().unwrap_or_else(|| world.cwd.clone());
        let (bases, files) = world.add_memory_bank(&project)?;
        added.extend(bases);
        made.extend(files);
    }
    if world.json {
        let made: Vec<String> = made.iter().map(|path| path.display().to_string()).collect();
        let listed = listed.filter(|listed| listed.new).map(|listed| listed.project);
        render::json(&Made { home: world.layout().home().to_owned(), listed, added, made })?;
        return Ok(0);
    }
    let (home, others) = made.split_at(home);
    for path in others {
        render::say(&format!("made {}", world.short(path)))?;
    }
    if others.is_empty() || !home.is_empty() {
        say(world, &world.settings()?, home, guided)?;
    }
    if guided {
        onboarding::offer(world, args.yes)?;
        return say_last(world).map(|()| 0);
    }
    if !added.is_empty() {
        render::say(&format!(
            "\nadded to config.yaml: {}{}",
            added.join(", "),
            if args.memory { "; now `last-word remember TEXT` has a place" } else { "" }
        ))?;
    }
    listed.map_or(Ok(()), |listed| say_listed(world, &listed))?;
    Ok(0)
}

/// A project whose inbox is taken in.
struct ListedProject {
    project: PathBuf,
    /// It was not listed before.
    new: bool,
    /// Why nothing is taken in from it all the same, and what to type.
    refused: Option<(String, Option<String>)>,
}

/// Makes the inbox of the project we are in, and lists the project in config.yaml.
fn list_project(world: &World, made: &mut Vec<PathBuf>) -> Result<ListedProject, Failure> {
    // Listing it is how a project of another user comes to count.
    let of_others = world.project_of_others(&world.cwd).map(|(dir, _)| dir);
    let project = of_others.or_else(|| world.project()).unwrap_or_else(|| world.cwd.clone());
    let inbox = project.join(".agents");
    made.extend(world.disk.make_dir(&inbox)?.then(|| inbox.clone()));
    let new = world.list_project(&project)?;
    let refused = world.layout().check_inbox(&*world.disk, &project, &inbox).err();
    let refused = refused.map(|e| (e.to_string(), e.advice().as_ref().map(crate::advice::sentence)));
    Ok(ListedProject { project, new, refused })
}

fn say_listed(world: &World, listed: &ListedProject) -> Result<(), Failure> {
    let project = world.short(&listed.project);
    render::say(&match listed.new {
        true => format!(
            "\nlisted {project} in config.yaml: declarations in its .agents/ are taken in for its own documents"
        ),
        false => format!("{project} is listed in config.yaml already"),
    })?;
    // Here and now: the first declaration for it fails otherwise, when nobody looks any more.
    for kb in world.settings()?.knowledge_bases.iter().filter(|kb| kb.root == Root::Project && !kb.create) {
        if !policy::family::is_family(&kb.path) && world.disk.stat(&listed.project.join(&kb.path))?.is_none()
        {
            render::say(&format!(
                "{} is not there, and agents make no sections in `{}` (create: false in config.yaml): write its first heading yourself",
                kb.path, kb.name
            ))?;
        }
    }
    let Some((why, hint)) = &listed.refused else { return Ok(()) };
    render::say(&format!("nothing is taken in from it yet: {why}"))?;
    hint.as_ref().map_or(Ok(()), |hint| render::say(&format!("hint: {hint}")))
}

/// The commands that matter.
fn say_last(world: &World) -> Result<(), Failure> {
    let program = program(world);
    render::say(&format!(
        "\nfour commands that matter:\n  {program} remember 'likes short answers'   keep something\n  {program} work                             merge what waits\n  {program} recall short answers             find it again\n  {program} install cron                     merge every minute"
    ))
}

fn say(world: &World, settings: &Settings, made: &[PathBuf], guided: bool) -> Result<(), Failure> {
    let home = world.short(world.layout().home());
    if made.is_empty() {
        return render::say(&format!("{home} is complete; nothing to do"));
    }
    render::say(&format!("made {home}"))?;
    for kb in &settings.knowledge_bases {
        let about = if kb.title == kb.name { String::new() } else { format!(": {}", kb.title) };
        render::say(&format!("  {:<10} {}{about}", kb.name, kb.path))?;
    }
    if guided {
        return Ok(());
    }
    let Some(kb) = settings.knowledge_bases.iter().find(|kb| kb.policy == Policy::Auto) else {
        return render::say("\nnext: name a document in config.yaml, under `knowledge_bases:`");
    };
    let program = program(world);
    let config = world.short(&world.layout().config());
    let mut lines = vec![
        format!("\nnext ({config} says which documents agents may write):"),
        format!(
            "  declare a change         {program} enqueue --to {} --heading Preferences --op append --content '- likes short answers'",
            kb.name
        ),
        format!("  merge it                 {program} work"),
        format!("  the same every minute    {program} install cron   (or {BESIDE_CRON})"),
    ];
    // On a terminal `init` makes them without being told.
    if settings.knowledge_base("facts").is_none() {
        lines.push(format!("  places for single facts  {program} init --memory"));
    }
    lines.iter().try_for_each(|line| render::say(line))
}

/// How this program is called for this home.
fn program(world: &World) -> String {
    match &world.named_home {
        Some(home) => format!("last-word --home {}", quoted(&home.display().to_string())),
        None => "last-word".to_owned(),
    }
}
