//! `demo`: the main job on sample data, with real processes, in a directory that is left for inspection.

mod broken;

use crate::failure::Failure;
use crate::render;
use crate::world::World;
use durable::{Attributes, Disk};
use operator::unified_diff;
use queue_layout::{Layout, Queue};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Show it all at work on sample data, in a directory of its own that is left for inspection
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Where; made new, and left for inspection
    #[arg(long, value_name = "DIR", default_value = "demo-home")]
    pub dir: PathBuf,
    /// A home in trouble instead, to practise on: 300 failures, two stuck documents, one proposal
    #[arg(long)]
    pub broken: bool,
}

/// The sample documents: name, text.
const DOCUMENTS: [(&str, &str); 4] = [
    ("AGENTS.md", include_str!("../../fixtures/demo/documents/AGENTS.md")),
    ("USER.md", include_str!("../../fixtures/demo/documents/USER.md")),
    ("runbook.md", include_str!("../../fixtures/demo/documents/runbook.md")),
    ("笔记.md", include_str!("../../fixtures/demo/documents/笔记.md")),
];

/// What the sample hooks declare: name, text.
const DECLARATIONS: [(&str, &str); 4] = [
    ("1-interests.yaml", include_str!("../../fixtures/demo/declarations/1-interests.yaml")),
    ("2-project.yaml", include_str!("../../fixtures/demo/declarations/2-project.yaml")),
    ("3-notes.json", include_str!("../../fixtures/demo/declarations/3-notes.json")),
    ("4-wrong-level.yaml", include_str!("../../fixtures/demo/declarations/4-wrong-level.yaml")),
];

/// Hooks that fire at the same time, each in a process of its own.
const HOOKS: usize = 8;

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    let stage = Stage::empty(&world.cwd.join(&args.dir), world)?;
    if args.broken {
        stage.home_with(broken::CONFIG)?;
        return broken::run(&stage).map(|()| 0);
    }
    stage.samples()?;
    render::line(&format!("a home of its own: {}", stage.shown))?;
    stage.enqueue()?;
    render::line("\n$ last-word status")?;
    stage.run(&["status"])?;
    render::line("\n$ last-word work -v")?;
    stage.run(&["work", "-v"])?;
    for (name, before) in DOCUMENTS {
        let after = stage.read(name)?;
        render::line(&format!("\n{}", unified_diff(before, &after, name).trim_end()))?;
    }
    stage.failure()?;
    stage.next_steps()?;
    Ok(0)
}

/// The demo's directory and the commands run in it.
struct Stage<'w> {
    world: &'w World,
    dir: PathBuf,
    /// The directory as the user would type it.
    shown: String,
    program: PathBuf,
}

impl<'w> Stage<'w> {
    fn empty(wanted: &Path, world: &'w World) -> Result<Stage<'w>, Failure> {
        let dir = free(wanted, &*world.disk)?;
        let program =
            std::env::current_exe().map_err(|e| Failure::new(format!("cannot find this program: {e}")))?;
        let shown = dir.strip_prefix(&world.cwd).unwrap_or(&dir).display().to_string();
        let stage = Stage { world, dir, shown, program };
        for sub in ["", "declarations", "documents"] {
            world.disk.make_dir(&stage.dir.join(sub))?;
        }
        Ok(stage)
    }

    fn samples(&self) -> Result<(), Failure> {
        for (name, text) in DOCUMENTS {
            self.write(&format!("documents/{name}"), text)?;
        }
        for (name, text) in DECLARATIONS {
            self.write(&format!("declarations/{name}"), text)?;
        }
        self.home_with(&config())
    }

    fn home_with(&self, config: &str) -> Result<(), Failure> {
        Layout::new(self.home()).create(&*self.world.disk)?;
        self.write("home/config.yaml", config)?;
        self.quietly(&["init"])
    }

    fn home(&self) -> PathBuf {
        self.dir.join("home")
    }

    fn write(&self, name: &str, text: &str) -> Result<(), Failure> {
        self.world.disk.write_new(&self.dir.join(name), text.as_bytes(), Attributes::PRIVATE)?;
        Ok(())
    }

    fn read(&self, name: &str) -> Result<String, Failure> {
        let bytes = self.world.disk.read(&self.dir.join("documents").join(name), 16 << 20)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(args).env("HOME", &self.dir).env("LAST_WORD_HOME", self.home()).current_dir(&self.dir);
        command
    }

    fn run(&self, args: &[&str]) -> Result<(), Failure> {
        self.command(args).status().map(|_| ()).map_err(cannot_start)
    }

    fn quietly(&self, args: &[&str]) -> Result<(), Failure> {
        self.command(args).stdout(Stdio::null()).status().map(|_| ()).map_err(cannot_start)
    }

    /// As hooks would: several processes at once, each gone as soon as its declaration is durable.
    fn enqueue(&self) -> Result<(), Failure> {
        render::line(&format!(
            "{} declarations from files and {HOOKS} hooks, all at once:",
            DECLARATIONS.len()
        ))?;
        let mut hooks: Vec<Child> = Vec::new();
        for (name, _) in DECLARATIONS {
            let file = format!("declarations/{name}");
            hooks.push(
                self.command(&["enqueue", &file, "--agent", "demo", "--key", name])
                    .spawn()
                    .map_err(cannot_start)?,
            );
        }
        for n in 1..=HOOKS {
            let line = format!("- hook {n} was here");
            let entry =
                ["enqueue", "--to", "log", "--heading", "Hooks", "--op", "append", "--content", &line];
            hooks.push(self.command(&entry).spawn().map_err(cannot_start)?);
        }
        for mut hook in hooks {
            let status = hook.wait().map_err(cannot_start)?;
            if !status.success() {
                return Err(Failure::new(format!("a hook ended with {status}")));
            }
        }
        Ok(())
    }

    /// The one that failed, as an operator sees it.
    fn failure(&self) -> Result<(), Failure> {
        let layout = Layout::new(self.home());
        let queue = Queue::new(self.world.disk.clone(), layout);
        let failed = queue.list(queue_layout::State::Failed)?.jobs;
        let Some(first) = failed.first() else {
            return Err(Failure::new("nothing failed, though one job was to"));
        };
        render::line(&format!("\n$ last-word show {}", first.id))?;
        self.run(&["show", &first.id.to_string()])
    }

    fn next_steps(&self) -> Result<(), Failure> {
        let home = format!("{}/home", self.shown);
        render::line(&format!(
            "\ngo on with (every file is left in {shown}/ for you to look at):\n  export LAST_WORD_HOME=\"$PWD/{home}\" HOME=\"$PWD/{shown}\"\n  last-word resolve                     # retry, edit or discard what failed\n  last-word list done                   # what became of each job\n  last-word enqueue --to log --heading Hooks --op append --content '- me too' && last-word work\n  ls -R {home}                     # the whole queue is files",
            shown = self.shown,
        ))
    }
}

/// The configuration of the demo: its documents, and a log that the hooks create.
fn config() -> String {
    let mut text = "# The knowledge bases of the demo.\nversion: 1\nknowledge_bases:\n".to_owned();
    for (name, file) in [
        ("project", "AGENTS.md"),
        ("user", "USER.md"),
        ("runbook", "runbook.md"),
        ("notes", "笔记.md"),
        ("log", "LOG.md"),
    ] {
        text.push_str(&format!("  {name}: {{ path: ~/documents/{file} }}\n"));
    }
    text.push_str("session_bootstrap: [user, project]\n");
    text
}

/// The directory, or the next free name: what an earlier demo left is never touched.
fn free(wanted: &Path, disk: &dyn Disk) -> Result<PathBuf, Failure> {
    for n in 1..1000 {
        let dir = if n == 1 { wanted.to_owned() } else { PathBuf::from(format!("{}-{n}", wanted.display())) };
        if disk.stat_link(&dir)?.is_none() {
            return Ok(dir);
        }
    }
    Err(Failure::new(format!("{} and 999 names after it are taken", wanted.display()))
        .hint("name another with --dir"))
}

fn cannot_start(e: std::io::Error) -> Failure {
    Failure::new(format!("cannot start a process: {e}"))
}
