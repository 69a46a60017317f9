//! The schedules, which run `work` when nobody types it. Each is one file that makes a `Plan`; this is their list, and what
//! they share.

use super::{Plan, cron, launchd, systemd};
use crate::commands::install;
use crate::failure::{self, Failure};
use crate::own_name;
use crate::world::World;
use durable::Disk;
use std::path::{Path, PathBuf};

/// A schedule that can be installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schedule {
    Cron,
    Systemd,
    Launchd,
}

/// What this system has besides cron: a hint names nothing that is another one's.
pub const BESIDE_CRON: &str = if cfg!(target_os = "macos") { "launchd" } else { "systemd" };

impl Schedule {
    /// All of them, as the command line names them.
    pub const ALL: [(&'static str, Schedule); 3] =
        [("cron", Schedule::Cron), ("systemd", Schedule::Systemd), ("launchd", Schedule::Launchd)];

    /// The one of that name.
    pub fn find(name: &str) -> Option<Schedule> {
        Schedule::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, schedule)| schedule)
    }

    /// What would change if it were installed again in the same way; `None` when it is not installed.
    pub fn installed(self, world: &World) -> Option<Result<Plan, Failure>> {
        let again = |watch, unconfined| match self {
            // Without a `crontab` command there is no crontab.
            Schedule::Cron => cron::plan(world, true).or_else(|_| Ok(Plan::default())),
            Schedule::Systemd => systemd::plan(world, watch, unconfined, true),
            Schedule::Launchd => launchd::plan(world, true),
        };
        let mark = match self {
            Schedule::Cron => cron::BEGIN,
            Schedule::Systemd | Schedule::Launchd => "last-word install",
        };
        match again(false, false) {
            Ok(plan) if self == Schedule::Cron && !cron::is_begun(world, &plan) => None,
            Ok(plan) if !plan.is_begun(mark) => None,
            Ok(plan) if self == Schedule::Systemd => {
                let (watch, unconfined) = systemd::as_installed(&plan);
                Some(again(watch, unconfined))
            }
            other => Some(other),
        }
    }

    /// Installs or removes a schedule.
    pub fn plan(self, world: &World, args: &install::Args, install: bool) -> Result<Plan, Failure> {
        if args.project {
            return Err(Failure::new("a schedule is for all projects, not for one")
                .hint("leave --project away")
                .exit(failure::Exit::Usage));
        }
        if (args.watch || args.unconfined) && self != Schedule::Systemd {
            return Err(Failure::new("--watch and --unconfined are for systemd").exit(failure::Exit::Usage));
        }
        match self {
            Schedule::Cron => cron::plan(world, install),
            Schedule::Systemd => systemd::plan(world, args.watch, args.unconfined, install),
            Schedule::Launchd if install && !has_program(world, "launchctl") => {
                Err(Failure::new("there is no `launchctl` on this system: launchd is part of macOS")
                    .hint("last-word install cron, or systemd")
                    .exit(failure::Exit::Usage))
            }
            Schedule::Launchd => launchd::plan(world, install),
        }
    }
}

/// Whether a program is in the path.
fn has_program(world: &World, name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| world.disk.stat(&dir.join(name)).is_ok_and(|stat| stat.is_some()))
}

/// The texts of the installed schedules, ours or not.
pub fn texts(world: &World) -> Vec<String> {
    let plans =
        [cron::plan(world, true), systemd::plan(world, false, false, true), launchd::plan(world, true)];
    let of = |plan: Plan| {
        let files = plan.changes.into_iter().filter_map(|change| change.before);
        files.chain(plan.crontab.and_then(|(before, _)| before)).collect::<Vec<_>>()
    };
    plans.into_iter().filter_map(Result::ok).flat_map(of).collect()
}

/// The command line that runs this program from any environment: by its path, and with the home where that is not in its
/// usual place.
pub fn call(world: &World, rest: &[&str]) -> Result<Vec<String>, Failure> {
    let mut words = vec![own_name::known_path()?.display().to_string()];
    if !is_usual_home(world) {
        words.extend(["--home".to_owned(), world.layout().home().display().to_string()]);
    }
    words.extend(rest.iter().map(|&word| word.to_owned()));
    Ok(words)
}

/// Whether the home is in its usual place.
pub fn is_usual_home(world: &World) -> bool {
    world.layout().home() == world.user_home().join(".config/agents/last-word")
}

/// A directory the environment may name, else below the user's home directory.
pub fn named_dir(world: &World, variable: &str, usual: &str) -> PathBuf {
    let named = std::env::var_os(variable).map(PathBuf::from).filter(|dir| dir.is_absolute());
    named.unwrap_or_else(|| world.user_home().join(Path::new(usual)))
}
