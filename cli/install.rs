//! What `install` and `uninstall` share, whatever is wired: changes of files as values, which are shown as a diff and
//! written whole. A new thing to install is one file that makes a `Plan`.

pub mod agent;
mod cron;
mod launchd;
mod originals;
pub mod schedule;
pub mod server;
mod systemd;
mod tool;

use crate::failure::{self, Failure};
use crate::question;
use crate::render;
use crate::world::World;
use durable::{Attributes, Disk};
use engine::output::Installed;
use std::path::{Path, PathBuf};
use tool::ToolRun;

/// What would be done.
#[derive(Debug, Default)]
pub struct Plan {
    /// The files that would change.
    pub changes: Vec<FileChange>,
    /// The user's crontab, before and after.
    pub crontab: Option<(Option<String>, String)>,
    /// Commands to run before the files change, such as stopping a service.
    pub first: Vec<ToolRun>,
    /// Commands to run after that.
    pub then: Vec<ToolRun>,
    /// Other homes whose hooks would be taken out, as a person names them.
    pub leaves: Vec<String>,
    /// What a person must know or do afterwards.
    pub afterwards: Vec<String>,
    /// What to do with the record of what the files said before, which `uninstall` needs.
    pub originals: Originals,
}

/// What becomes of the record of what files said before they were changed.
#[derive(Debug, Default)]
pub enum Originals {
    /// There is none.
    #[default]
    None,
    /// It is kept. The function tells whether a text has something of ours already.
    Keep(String),
    /// It is removed.
    Forget,
}

/// One file's change.
#[derive(Debug)]
pub struct FileChange {
    /// The file as it is named; if it is a link, the link stays.
    pub path: PathBuf,
    /// Its text now; `None` when it is not there.
    pub before: Option<String>,
    /// Its new text; `None` to remove it.
    pub after: Option<String>,
    /// The mode of a new file.
    pub mode: u32,
}

/// Largest configuration that is edited, in bytes.
const FILE_BYTES_MAX: u64 = 4 << 20;

/// What a file says; `None` when it is not there.
pub fn read(world: &World, path: &Path) -> Result<Option<String>, Failure> {
    match world.disk.read(path, FILE_BYTES_MAX) {
        Ok(bytes) => {
            String::from_utf8(bytes).map(Some).map_err(|_| refused(world, path, "it is not UTF-8 text"))
        }
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e.into()),
    }
}

/// The error for a file that we do not understand and therefore do not change.
pub fn refused(world: &World, path: &Path, why: &str) -> Failure {
    Failure::new(format!("{} cannot be edited: {why}", world.short(path)))
        .hint("mend it and run this again; nothing was written")
}

impl Plan {
    /// The file changes that really change something.
    fn changing(&self) -> Vec<&FileChange> {
        self.changes.iter().filter(|change| change.before != change.after).collect()
    }

    /// The new crontab, if it differs from the present one.
    fn new_crontab(&self) -> Option<(&str, &str)> {
        let (before, after) = self.crontab.as_ref()?;
        let before = before.as_deref().unwrap_or_default();
        (before != after).then_some((before, after.as_str()))
    }

    /// Whether everything is as it should be already.
    pub fn is_done(&self) -> bool {
        self.changing().is_empty()
            && self.new_crontab().is_none()
            && self.first.is_empty()
            && self.then.is_empty()
    }

    /// The question below the diffs, which may have scrolled the names of the files off the screen.
    fn question(&self, world: &World) -> String {
        let said = |change: &FileChange| {
            let name = world.short(&change.path);
            match (&change.before, &change.after) {
                (_, None) => format!("{name} goes"),
                (None, _) => format!("{name} is new"),
                _ => format!("{name} changes"),
            }
        };
        let changing = self.changing();
        let mut parts: Vec<String> = changing.iter().copied().map(said).collect();
        parts.extend(self.new_crontab().map(|_| "your crontab changes".to_owned()));
        parts.extend(self.leaves.iter().map(|home| format!("the hooks of {home} go")));
        let only_goes = self.new_crontab().is_none() && changing.iter().all(|change| change.after.is_none());
        let does = match parts.as_slice() {
            [] => return "run this?".to_owned(),
            [_] if only_goes => "remove this?",
            _ if only_goes => "remove these?",
            _ => "write this?",
        };
        format!("{}: {does}", parts.join(", "))
    }

    /// Whether some of it is there, in whatever state.
    pub fn is_begun(&self, mark: &str) -> bool {
        let texts = self.changes.iter().map(|change| change.before.as_deref());
        let crontab = self.crontab.as_ref().map(|(before, _)| before.as_deref());
        texts.chain(crontab).flatten().any(|text| text.contains(mark))
    }

    /// Shows what would be written, as diffs, and which programs would be run.
    pub fn show(&self, world: &World) -> Result<(), Failure> {
        let files = self.changing().into_iter().map(|change| {
            let (before, after) = (change.before.as_deref(), change.after.as_deref());
            (before.unwrap_or_default(), after.unwrap_or_default(), world.short(&change.path))
        });
        let crontab = self.new_crontab().map(|(before, after)| (before, after, "your crontab".to_owned()));
        for (before, after, name) in files.chain(crontab) {
            let diff = operator::diff_of(before, after, &name, &format!("{name} (after)"));
            diff.trim_end_matches('\n').lines().try_for_each(render::line)?;
            render::line("")?;
        }
        let calls = self.first.iter().chain(&self.then);
        calls.into_iter().try_for_each(|call| render::say(&format!("$ {}", call.typed())))
    }
}

/// Shows a plan, asks, and carries it out.
pub fn carry_out(world: &World, plan: &Plan, yes: bool) -> Result<u8, Failure> {
    if plan.is_done() {
        return done(world, plan, "nothing to do: it is as it should be");
    }
    if !world.json {
        plan.show(world)?;
    }
    let agreed = yes || world.interactive() && question::agreed(&plan.question(world), false)?;
    if !agreed {
        return Err(Failure::new("nothing was written").hint("--yes writes it without asking"));
    }
    write_all(world, plan)
}

/// Carries a plan out that somebody agreed to.
pub fn write_all(world: &World, plan: &Plan) -> Result<u8, Failure> {
    plan.first.iter().try_for_each(ToolRun::run)?;
    let mut made = Vec::new();
    for change in plan.changing() {
        let missing = missing_dirs(world, &change.path)?;
        write(world, change)?;
        match &plan.originals {
            Originals::None => {}
            Originals::Forget => {
                made.extend(originals::made(world, &change.path));
                originals::forget(world, &change.path)?;
            }
            Originals::Keep(mark) => {
                let ours = |text: &str| text.contains(mark.as_str()) || text.contains("last-word:begin");
                let has_ours = change.before.as_deref().is_some_and(ours);
                originals::keep(world, change, has_ours, missing)?;
            }
        }
    }
    // If something else was put there since, that and its directory stay.
    made.sort_by_key(|dir| std::cmp::Reverse(dir.components().count()));
    made.iter().try_for_each(|dir| world.disk.remove_dir(dir).map(drop))?;
    if let Some((_, crontab)) = plan.new_crontab() {
        tool::replace_crontab(crontab)?;
    }
    plan.then.iter().try_for_each(ToolRun::run)?;
    done(world, plan, "")
}

fn done(world: &World, plan: &Plan, nothing: &str) -> Result<u8, Failure> {
    let changes = plan.changing();
    if world.json {
        let paths = |removed: bool| -> Vec<PathBuf> {
            let of = changes.iter().filter(|change| change.after.is_none() == removed);
            of.map(|change| change.path.clone()).collect()
        };
        render::json(&Installed {
            afterwards: plan.afterwards.clone(),
            crontab: plan.new_crontab().is_some(),
            removed: paths(true),
            written: paths(false),
        })?;
        return Ok(0);
    }
    if !nothing.is_empty() {
        return render::say(nothing).map(|()| 0);
    }
    for change in changes {
        let did = if change.after.is_some() { "wrote" } else { "removed" };
        render::say(&format!("{did} {}", world.short(&change.path)))?;
    }
    if plan.new_crontab().is_some() {
        render::say("wrote your crontab")?;
    }
    for line in &plan.afterwards {
        render::say(line)?;
    }
    Ok(0)
}

/// Written whole or not at all, through a link to its target, and only if the file still says what was read.
fn write(world: &World, change: &FileChange) -> Result<(), Failure> {
    let path = world.canonicalise(&change.path).unwrap_or_else(|_| change.path.clone());
    let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(refused(world, &change.path, "it has no directory"));
    };
    make_dirs(world, dir)?;
    if read(world, &path)? != change.before {
        return Err(Failure::new(format!("{} changed meanwhile", world.short(&path)))
            .hint("run it again")
            .exit(failure::Exit::TryAgain));
    }
    let Some(after) = &change.after else {
        world.disk.remove(&path)?;
        return Ok(world.disk.sync_dir(dir)?);
    };
    let tmp = dir.join(format!(".{}.last-word-install", name.to_string_lossy()));
    // An earlier process that was killed may have left this file.
    world.disk.remove(&tmp)?;
    match world.disk.stat(&path)? {
        Some(stat) => {
            let attributes = Attributes { mode: stat.mode, owner: Some((stat.uid, stat.gid)) };
            world.disk.write_in_place_of(&path, &tmp, after.as_bytes(), attributes)?;
        }
        None => {
            let attributes = Attributes { mode: change.mode, owner: None };
            world.disk.write_new(&tmp, after.as_bytes(), attributes)?;
        }
    }
    world.disk.replace(&tmp, &path)?;
    Ok(world.disk.sync_dir(dir)?)
}

/// Makes a directory and those above it.
pub fn make_dirs(world: &World, dir: &Path) -> Result<(), Failure> {
    for dir in missing_dirs(world, &dir.join("x"))?.iter().rev() {
        world.disk.make_dir(dir)?;
    }
    Ok(())
}

/// The directories above a path that are not there, the deepest first.
fn missing_dirs(world: &World, path: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut missing = Vec::new();
    for dir in path.ancestors().skip(1) {
        if world.disk.stat(dir)?.is_some() {
            break;
        }
        missing.push(dir.to_owned());
    }
    Ok(missing)
}
