//! `init`: makes the home. Run twice, it changes nothing.

use crate::failure::Failure;
use crate::render;
use crate::world::World;
use durable::Disk;
use engine::DEFAULT_CONFIG;
use policy::settings::Settings;
use std::path::PathBuf;

/// Make the home: directories, a commented config.yaml, schema.yaml
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Also make `.agents/` in this project, an inbox for `*.md.yaml` declarations
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
    Ok(0)
}

fn project_inbox(world: &World) -> Result<Option<PathBuf>, Failure> {
    let root = world.project().unwrap_or_else(|| world.cwd.clone());
    let inbox = root.join(".agents");
    Ok(world.disk.make_dir(&inbox)?.then_some(inbox))
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
    render::line(&format!(
        "\nnext:\n  edit the knowledge bases   {}\n  declare something          last-word enqueue --to user --heading Preferences --content '- likes short answers'\n  merge it                   last-word work\n  every minute, by itself    last-word install cron   (or systemd, launchd)",
        world.short(&world.layout().config())
    ))
}
