//! The part of the demo that kills hooks while they declare and workers while they merge, with a person's save in between.

use super::{DECLARATIONS, Stage, cannot_start};
use crate::failure::Failure;
use crate::render;
use durable::{Attributes, Disk};
use queue_layout::{JobId, State};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Stdio};
use std::time::Duration;

/// How many hooks fire at the same time, each in a process of its own.
pub const HOOKS: usize = 8;
/// How many workers are killed before one may finish. A job that kills three workers is set aside as a poison job.
const WORKERS_KILLED: usize = 2;
/// How many workers are started at most to do what the killed ones left.
const TURNS_MAX: usize = 5;
/// How often it looks whether a worker has claimed something, and the wait between two looks.
const LOOKS_MAX: usize = 4000;
const LOOK_EVERY: Duration = Duration::from_micros(500);

/// How many processes were ended by SIGKILL.
#[derive(Debug, Default, Clone, Copy)]
pub struct Killed {
    /// Hooks.
    pub hooks: usize,
    /// Workers.
    pub workers: usize,
}

/// What a hook declares.
pub fn line(n: usize) -> String {
    format!("- hook {n} was here")
}

pub fn run(stage: &Stage<'_>) -> Result<Killed, Failure> {
    let hooks = hooks(stage)?;
    let mut workers = 0;
    for n in 1..=WORKERS_KILLED {
        workers += usize::from(killed_worker(stage, n)?);
    }
    let before = merged(stage)?;
    last_worker(stage)?;
    let after = merged(stage)?;
    let next = after.saturating_sub(before);
    stage.say(
        &format!("   before they were killed the workers had merged {before}; the next one merged {next}"),
        &format!("   被杀死之前，前面的工作进程已合并 {before} 条；下一个又合并了 {next} 条"),
    )?;
    Ok(Killed { hooks, workers })
}

/// How many jobs are merged.
fn merged(stage: &Stage<'_>) -> Result<usize, Failure> {
    Ok(stage.own().jobs_in(State::Done)?.len())
}

/// All hooks at once; every other one is killed as soon as it runs. An agent fires it again, with the same key.
fn hooks(stage: &Stage<'_>) -> Result<usize, Failure> {
    for (name, ..) in DECLARATIONS {
        stage.quietly(&["enqueue", &format!("declarations/{name}"), "--agent", "demo", "--key", name])?;
    }
    let mut running: Vec<(usize, Child)> = Vec::new();
    for n in 1..=HOOKS {
        running.push((n, hook(stage, n)?));
        if let Some((_, child)) = running.last_mut().filter(|(n, _)| n % 2 == 0) {
            child.kill().map_err(cannot_start)?;
        }
    }
    let mut killed = Vec::new();
    for (n, mut child) in running {
        let status = child.wait().map_err(cannot_start)?;
        match status.signal() {
            Some(_) => killed.push(n),
            None if status.success() => {}
            None => return Err(Failure::new(format!("hook {n} ended with {status}"))),
        }
    }
    let names: Vec<String> = killed.iter().map(ToString::to_string).collect();
    let (names, chinese_names) = (names.join(", "), names.join("、"));
    stage.say(
        &format!("   4 files and {HOOKS} hooks declare; SIGKILL for hooks {names} while they do"),
        &format!("   4 个文件和 {HOOKS} 个钩子同时提交声明；钩子 {chinese_names} 在此时被 SIGKILL 杀死"),
    )?;
    for n in &killed {
        let status = hook(stage, *n)?.wait().map_err(cannot_start)?;
        if !status.success() {
            return Err(Failure::new(format!("hook {n}, fired again, ended with {status}")));
        }
    }
    stage.say(
        &format!("   the agent fires hooks {names} again, with the same --key"),
        &format!("   代理用同一个 --key 再次触发钩子 {chinese_names}"),
    )?;
    Ok(killed.len())
}

fn hook(stage: &Stage<'_>, n: usize) -> Result<Child, Failure> {
    let (text, key) = (line(n), format!("hook-{n}"));
    let words =
        ["enqueue", "--to", "log", "--heading", "Hooks", "--op", "append", "--content", &text, "--key", &key];
    stage.command(&words).stdout(Stdio::null()).spawn().map_err(cannot_start)
}

/// Starts a worker and kills it as soon as it has claimed something. False where the worker was faster and ended by itself.
fn killed_worker(stage: &Stage<'_>, n: usize) -> Result<bool, Failure> {
    let before = claims(stage)?;
    let mut worker = worker(stage)?;
    let claimed = claimed(stage, &mut worker, &before)?;
    worker.kill().map_err(cannot_start)?;
    let killed = worker.wait().map_err(cannot_start)?.signal().is_some();
    stage.say(
        &format!("   worker {n} has claimed {}; SIGKILL", render::count(claimed, "change")),
        &format!("   工作进程 {n} 已领取 {claimed} 条更改；SIGKILL"),
    )?;
    Ok(killed)
}

/// Starts a worker that is not killed, while a person saves one of its documents. Whoever looks at a process's open files (as
/// `lsof` does) holds them a moment longer than it lives, its lock with them: then the worker found one at work, and the next
/// one does what waits.
fn last_worker(stage: &Stage<'_>) -> Result<(), Failure> {
    let before = claims(stage)?;
    let mut last = worker(stage)?;
    claimed(stage, &mut last, &before)?;
    save_as_a_person(stage)?;
    stage.say(
        "   the next worker recovers what they had claimed; a person saves LOG.md meanwhile",
        "   下一个工作进程收回它们领取的更改；同时有人保存了 LOG.md",
    )?;
    for _ in 0..TURNS_MAX {
        let output = last.wait_with_output().map_err(cannot_start)?;
        for said in String::from_utf8_lossy(&output.stderr).lines() {
            render::line(&format!("   {said}"))?;
        }
        if !output.status.success() {
            return Err(Failure::new(format!("work ended with {}", output.status)));
        }
        if claims(stage)?.is_empty() {
            break;
        }
        last = worker(stage)?;
    }
    Ok(())
}

fn worker(stage: &Stage<'_>) -> Result<Child, Failure> {
    let mut command = stage.command(&["work"]);
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().map_err(cannot_start)
}

/// Waits until a new worker has claimed something or ended; returns how many jobs it holds. Claims of a killed worker are
/// still there and count as new only when another worker has moved them.
fn claimed(stage: &Stage<'_>, worker: &mut Child, before: &[(JobId, u32)]) -> Result<usize, Failure> {
    for _ in 0..LOOKS_MAX {
        let claims = claims(stage)?;
        let own = claims.iter().filter(|claim| !before.contains(claim)).count();
        if own > 0 || worker.try_wait().map_err(cannot_start)?.is_some() {
            return Ok(own);
        }
        std::thread::sleep(LOOK_EVERY);
    }
    Ok(0)
}

fn claims(stage: &Stage<'_>) -> Result<Vec<(JobId, u32)>, Failure> {
    let jobs = stage.own().jobs_in(State::Processing)?;
    Ok(jobs.iter().map(|listed| (listed.id, listed.rev)).collect())
}

/// Saves as an editor does: the new text is written beside the document and renamed over it.
fn save_as_a_person(stage: &Stage<'_>) -> Result<(), Failure> {
    let disk = &stage.world.disk;
    let path = stage.dir.join("documents/LOG.md");
    let beside = stage.dir.join("documents/.LOG.md.swp");
    let text = format!("{}\n## Mine\n\n- written by a person, meanwhile\n", stage.read("LOG.md")?);
    disk.write_new(&beside, text.as_bytes(), Attributes::PRIVATE)?;
    disk.replace(&beside, &path)?;
    Ok(())
}
