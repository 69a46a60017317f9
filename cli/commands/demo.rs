//! `demo`: the main job on sample data, with real processes that are killed before the user's eyes, in a directory that
//! stays for inspection. The numbers it prints are counted in that directory, not assumed.

mod broken;
mod storm;

use crate::failure::Failure;
use crate::language;
use crate::render::{self, Tone};
use crate::world::World;
use declaration::reading;
use durable::{Attributes, Disk};
use engine::{Home, quoted};
use operator::unified_diff;
use queue_layout::{Layout, State};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use unicode_width::UnicodeWidthStr;

/// Show it all at work on sample data: hooks and workers are killed, and nothing is lost or done twice
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Where; made new, and left for inspection
    #[arg(long, value_name = "DIR", default_value = "demo-home")]
    pub dir: PathBuf,
    /// A home in trouble instead, to practise on: 300 failures, two stuck documents, one proposal
    #[arg(long)]
    pub broken: bool,
    /// The language it speaks: en (English) or zh (Chinese) [default: that of the locale]
    #[arg(long, value_enum, hide_possible_values = true)]
    pub lang: Option<Lang>,
}

/// A language of the demo.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Lang {
    /// English.
    En,
    /// Chinese.
    Zh,
}

impl Lang {
    /// That of the locale.
    fn of_locale() -> Lang {
        if language::code() == Some("zh") { Lang::Zh } else { Lang::En }
    }

    /// What the commands that are shown are called with, so that they speak the same language.
    fn locale(self) -> &'static str {
        match self {
            Lang::En => "C",
            Lang::Zh => "zh_CN.UTF-8",
        }
    }

    /// One of two texts that say the same.
    fn say<'a>(self, english: &'a str, chinese: &'a str) -> &'a str {
        if self == Lang::En { english } else { chinese }
    }
}

/// The sample documents: name, text.
const DOCUMENTS: [(&str, &str); 5] = [
    ("AGENTS.md", include_str!("../../fixtures/demo/documents/AGENTS.md")),
    ("USER.md", include_str!("../../fixtures/demo/documents/USER.md")),
    ("runbook.md", include_str!("../../fixtures/demo/documents/runbook.md")),
    ("笔记.md", include_str!("../../fixtures/demo/documents/笔记.md")),
    ("LOG.md", "# Log\n\n## Hooks\n"),
];

/// What the sample hooks declare: name, text, and the documents it is for.
const DECLARATIONS: [(&str, &str, &[&str]); 4] = [
    ("1-interests.yaml", include_str!("../../fixtures/demo/declarations/1-interests.yaml"), &["USER.md"]),
    (
        "2-project.yaml",
        include_str!("../../fixtures/demo/declarations/2-project.yaml"),
        &["AGENTS.md", "runbook.md"],
    ),
    ("3-notes.json", include_str!("../../fixtures/demo/declarations/3-notes.json"), &["笔记.md"]),
    ("4-wrong-level.yaml", include_str!("../../fixtures/demo/declarations/4-wrong-level.yaml"), &[]),
];

/// Declarations in those files, each for one document.
const JOBS_OF_FILES: usize = 5;

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    let stage = Stage::empty(&world.cwd.join(&args.dir), world, args.lang.unwrap_or_else(Lang::of_locale))?;
    if args.broken {
        stage.home_with(&stage.configured(broken::CONFIG))?;
        return broken::run(&stage).map(|()| 0);
    }
    stage.samples()?;
    stage.title(
        "An agent's hooks declare, a worker merges, both are killed, a person saves meanwhile.",
        "代理（agent，智能体）的钩子提交声明，工作进程负责合并；两者都会被杀死，同时还有人在保存文件。",
    )?;
    let killed = storm::run(&stage)?;
    stage.account(killed)?;
    stage.documents()?;
    stage.failure()?;
    stage.title("last-word status", "last-word status")?;
    // What it says to type is to be typed from anywhere.
    stage.run(&["--home", &stage.home().display().to_string(), "status"])?;
    stage.next_steps()?;
    Ok(0)
}

/// The demo's directory, and the commands that are run in it.
struct Stage<'w> {
    world: &'w World,
    dir: PathBuf,
    /// The directory as the user would type it.
    shown: String,
    program: PathBuf,
    lang: Lang,
}

impl<'w> Stage<'w> {
    fn empty(wanted: &Path, world: &'w World, lang: Lang) -> Result<Stage<'w>, Failure> {
        let dir = free(wanted, &*world.disk)?;
        let program =
            std::env::current_exe().map_err(|e| Failure::new(format!("cannot find this program: {e}")))?;
        let shown = dir.strip_prefix(&world.cwd).unwrap_or(&dir).display().to_string();
        let stage = Stage { world, dir, shown, program, lang };
        for sub in ["", "declarations", "documents"] {
            world.disk.make_dir(&stage.dir.join(sub))?;
        }
        Ok(stage)
    }

    fn samples(&self) -> Result<(), Failure> {
        for (name, text) in DOCUMENTS {
            self.write(&format!("documents/{name}"), text)?;
        }
        for (name, text, _) in DECLARATIONS {
            self.write(&format!("declarations/{name}"), text)?;
        }
        self.home_with(&self.configured(CONFIG))
    }

    /// A configuration with the demo's own directory in its paths, so that commands can be typed without another HOME.
    fn configured(&self, config: &str) -> String {
        let documents = self.dir.join("documents").display().to_string();
        config.replace("~/documents", &documents)
    }

    fn home_with(&self, config: &str) -> Result<(), Failure> {
        Layout::new(self.home()).create(&*self.world.disk)?;
        self.write("home/config.yaml", config)?;
        self.quietly(&["init"])
    }

    fn home(&self) -> PathBuf {
        self.dir.join("home")
    }

    /// The demo's own home, to look into.
    fn own(&self) -> Home {
        self.world.another(&self.home())
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
        command.args(args).env("LAST_WORD_HOME", self.home()).current_dir(&self.dir);
        command.env("LC_ALL", self.lang.locale());
        command
    }

    fn run(&self, args: &[&str]) -> Result<(), Failure> {
        self.command(args).status().map(|_| ()).map_err(cannot_start)
    }

    fn quietly(&self, args: &[&str]) -> Result<(), Failure> {
        self.command(args).stdout(Stdio::null()).status().map(|_| ()).map_err(cannot_start)
    }

    /// A line in the demo's language.
    fn say(&self, english: &str, chinese: &str) -> Result<(), Failure> {
        render::say(self.lang.say(english, chinese))
    }

    /// A heading above lines that belong together.
    fn title(&self, english: &str, chinese: &str) -> Result<(), Failure> {
        let text = self.lang.say(english, chinese);
        render::say(&format!("\n{}", self.world.page.paint(Tone::Strong, &format!("== {text}"))))
    }

    /// What became of all jobs, counted in the queue and in the documents.
    fn account(&self, killed: storm::Killed) -> Result<(), Failure> {
        let count = |state| self.own().jobs_in(state).map(|jobs| jobs.len());
        let (done, failed) = (count(State::Done)?, count(State::Failed)?);
        let declared = JOBS_OF_FILES + storm::HOOKS;
        self.title("The account", "清点")?;
        let lang = self.lang;
        let rows = [
            (lang.say("declared", "已声明"), declared, lang.say("changes", "条更改").to_owned()),
            (
                lang.say("killed", "被杀死"),
                killed.hooks + killed.workers,
                match lang {
                    Lang::En => format!(
                        "{} hooks, fired again with the same --key; {} workers",
                        killed.hooks, killed.workers
                    ),
                    Lang::Zh => {
                        format!(
                            "{} 个钩子（用同一个 --key 再次触发），{} 个工作进程",
                            killed.hooks, killed.workers
                        )
                    }
                },
            ),
            (lang.say("merged", "已合并"), done, lang.say("each exactly once", "每条恰好一次").to_owned()),
            (
                lang.say("wait for you", "等待您决定"),
                failed,
                lang.say("with the reason, below", "原因见下").to_owned(),
            ),
        ];
        for (name, number, about) in rows {
            let name = format!("{name}{}", " ".repeat(14_usize.saturating_sub(name.width())));
            render::line(&format!("   {name}{number:>3}  {about}"))?;
        }
        let log = self.read("LOG.md")?;
        let lines = |n: usize| log.lines().filter(|line| *line == storm::line(n)).count();
        if done + failed != declared || (1..=storm::HOOKS).any(|n| lines(n) != 1) {
            let message = format!("{done} merged and {failed} waiting are not {declared}, each once");
            return Err(Failure::new(message).hint(format!("look at {}", self.shown)));
        }
        Ok(())
    }

    /// The changed lines of each document, below the commands that made them.
    fn documents(&self) -> Result<(), Failure> {
        for (file, text, documents) in DECLARATIONS.iter().filter(|(.., documents)| !documents.is_empty()) {
            self.title(file, file)?;
            for declaration in reading::read(text.as_bytes(), None).unwrap_or_default() {
                for entry in declaration.entries {
                    let heading = entry.key.heading.join(" > ");
                    render::line(&format!("   {} `{heading}`", entry.operation.as_str()))?;
                }
            }
            documents.iter().try_for_each(|name| self.changed(name))?;
        }
        let heading = format!("enqueue --to log --op append × {}", storm::HOOKS);
        self.title(&heading, &heading)?;
        self.changed("LOG.md")
    }

    /// The changed lines of a document.
    fn changed(&self, name: &str) -> Result<(), Failure> {
        let before = DOCUMENTS.iter().find(|(known, _)| *known == name).map_or("", |(_, text)| *text);
        let diff = unified_diff(before, &self.read(name)?, name);
        let changed = diff.lines().skip(2).filter(|line| line.starts_with(['+', '-']));
        let changed: Vec<&str> = changed.collect();
        let untouched = before.lines().count() - changed.iter().filter(|line| line.starts_with('-')).count();
        let bytes = match self.lang {
            Lang::En => format!("-> {name}: {untouched} other lines are as they were, byte for byte"),
            Lang::Zh => format!("-> {name}：其余 {untouched} 行逐字节未变"),
        };
        render::line(&bytes)?;
        render::diff(self.world.page, &changed.join("\n"))
    }

    /// The job that failed, as an operator sees it.
    fn failure(&self) -> Result<(), Failure> {
        let failed = self.own().jobs_in(State::Failed)?;
        let Some(first) = failed.first() else {
            return Err(Failure::new("nothing failed, though one job was to"));
        };
        let heading = format!("last-word show {}", &first.id.to_string()[..13]);
        let english = format!("4-wrong-level.yaml, which failed: {heading}");
        self.title(&english, &format!("4-wrong-level.yaml，它失败了：{heading}"))?;
        self.run(&["show", &first.id.to_string()])
    }

    fn next_steps(&self) -> Result<(), Failure> {
        self.title(
            "Go on with (every file is left for you to look at)",
            "接下来可以试试（所有文件都留着供您查看）",
        )?;
        let typed = |words: &str| render::line(&format!("  {} {words}", self.typed()));
        typed("resolve")?;
        typed("blame user")?;
        typed("enqueue --to log --heading Hooks --op append --content '- me too'")?;
        typed("work -v")?;
        render::line(&format!("  ls -R {}", quoted(&self.home().display().to_string())))
    }

    /// How to call this program for this home from any directory.
    fn typed(&self) -> String {
        let word = |path: &Path| quoted(&path.display().to_string());
        format!("{} --home {}", word(&self.program), word(&self.home()))
    }
}

/// The configuration of the demo. A slow validator judges each merge of LOG.md: meanwhile the workers are killed and the
/// person saves.
const CONFIG: &str = "# The knowledge bases of the demo.
version: 1
knowledge_bases:
  project: { path: \"~/documents/AGENTS.md\" }
  user: { path: \"~/documents/USER.md\" }
  runbook: { path: \"~/documents/runbook.md\" }
  notes: { path: \"~/documents/笔记.md\" }
  log: { path: \"~/documents/LOG.md\", validate: [[sh, -c, sleep 0.3, \"{candidate}\"]] }
session_bootstrap: [user, project]
";

/// The directory, or the next free name: the result of an earlier demo is never touched.
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
