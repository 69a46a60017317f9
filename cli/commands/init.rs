//! `init`: makes the home. Run twice, it changes nothing.

use crate::failure::Failure;
use crate::render;
use crate::world::World;
use durable::Disk;
use engine::{DEFAULT_CONFIG, quoted};
use policy::knowledge_base::Policy;
use policy::settings::Settings;
use std::path::PathBuf;

/// Make the home: directories, a commented config.yaml, schema.yaml
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Also make `.agents/` in this project: what is left there as `NAME.md.yaml` is taken in as a declaration
    #[arg(long)]
    pub project: bool,
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
    let mut made = world.make(DEFAULT_CONFIG)?;
    if args.project {
        made.extend(project_inbox(world)?);
    }
    if world.json {
        let made: Vec<String> = made.iter().map(|path| path.display().to_string()).collect();
        render::json(&serde_json::json!({ "home": world.layout().home(), "made": made }))?;
        return Ok(0);
    }
    say(world, &world.settings()?, &made)?;
    if args.project {
        inbox_words(world)?;
    }
    Ok(0)
}

fn project_inbox(world: &World) -> Result<Option<PathBuf>, Failure> {
    let root = world.project().unwrap_or_else(|| world.cwd.clone());
    let inbox = root.join(".agents");
    Ok(world.disk.make_dir(&inbox)?.then_some(inbox))
}

/// What the project's directory is for, and that the worker must be told of it.
fn inbox_words(world: &World) -> Result<(), Failure> {
    let project = world.project().unwrap_or_else(|| world.cwd.clone());
    let (root, config) = (project.display(), world.short(&world.layout().config()));
    let names = [project.display().to_string(), world.short(&project)];
    let listed = world.settings()?.projects.iter().any(|known| names.contains(known));
    render::line(&format!(
        "\n{root}/.agents is an inbox: the worker takes a declaration in that is left there as NAME.md.yaml"
    ))?;
    if listed {
        return Ok(());
    }
    render::line(&format!(
        "it looks only into projects that {config} lists: add it there\n  projects: [{root}]"
    ))
}

fn say(world: &World, settings: &Settings, made: &[PathBuf]) -> Result<(), Failure> {
    let home = world.short(world.layout().home());
    if made.is_empty() {
        return render::line(&format!("{home} is complete; nothing to do"));
    }
    render::line(&format!("made {home}"))?;
    for base in &settings.knowledge_bases {
        render::line(&format!("  {:<10} {}", base.name, base.path))?;
    }
    let Some(base) = settings.knowledge_bases.iter().find(|base| base.policy == Policy::Auto) else {
        return render::line("\nnext: name a document in config.yaml, under `knowledge_bases:`");
    };
    let program = program(world);
    render::line(&format!(
        "\nnext:\n  which documents agents may write   {}\n  declare a change to one of them    {program} enqueue --to {} --heading Preferences --op append --content '- likes short answers'\n  merge it into the document         {program} work\n  have that done every minute        {program} install cron   (or systemd, launchd)",
        world.short(&world.layout().config()),
        base.name,
    ))
}

/// How this program is called for this home.
fn program(world: &World) -> String {
    match &world.named_home {
        Some(home) => format!("last-word --home {}", quoted(&home.display().to_string())),
        None => "last-word".to_owned(),
    }
}
