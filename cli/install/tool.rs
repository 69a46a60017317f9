//! The programs of the system that keep a schedule: crontab, systemctl, launchctl. They are called by argument list, never
//! through a shell.

use crate::failure::{Failure, chain};
use crate::render;
use engine::system::command;
use std::io::Write;
use std::process::{Output, Stdio};

/// A call of such a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolRun {
    /// Program and arguments.
    pub words: Vec<String>,
    /// A failure is only mentioned: what the call would undo may never have been done.
    pub may_fail: bool,
}

impl ToolRun {
    /// A call that must succeed.
    pub fn new(words: &[&str]) -> ToolRun {
        ToolRun { words: words.iter().map(|&word| word.to_owned()).collect(), may_fail: false }
    }

    /// A call that undoes something which may not be there.
    #[must_use]
    pub fn may_fail(self) -> ToolRun {
        ToolRun { may_fail: true, ..self }
    }

    /// As a person types it.
    pub fn typed(&self) -> String {
        self.words.iter().map(|word| engine::quoted(word)).collect::<Vec<_>>().join(" ")
    }

    /// Makes the call.
    pub fn run(&self) -> Result<(), Failure> {
        let Some((program, args)) = self.words.split_first() else { return Ok(()) };
        let failed = |why: String| {
            Failure::new(format!("{} failed: {why}", self.typed()))
                .hint(if program == "systemctl" {
                    "the files are written; once that is mended, run this again; where there is no systemd for you: last-word uninstall systemd, then last-word install cron; where there is neither: last-word work --watch"
                } else {
                    "the files are written; once that is mended, run this again"
                })
        };
        let done = command(program).args(args).stdin(Stdio::null()).output();
        match done.map_err(|e| chain(&e)).and_then(|done| output_of(&done)) {
            Err(why) if self.may_fail => {
                render::tell(&format!("warning: {} failed: {why}", self.typed()));
                Ok(())
            }
            other => other.map(drop).map_err(failed),
        }
    }
}

/// The user's crontab; `None` when there is none.
pub fn crontab() -> Result<Option<String>, Failure> {
    let done = command("crontab").arg("-l").env("LC_ALL", "C").stdin(Stdio::null()).output();
    let done = done.map_err(|e| no_crontab(&chain(&e)))?;
    match output_of(&done) {
        Ok(text) => Ok(Some(text)),
        Err(why) if why.contains("no crontab for") => Ok(None),
        Err(why) => Err(no_crontab(&why)),
    }
}

/// Replaces the user's crontab.
pub fn replace_crontab(text: &str) -> Result<(), Failure> {
    let child = command("crontab")
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child.map_err(|e| no_crontab(&chain(&e)))?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(text.as_bytes()).map_err(|e| no_crontab(&chain(&e)))?;
    }
    let done = child.wait_with_output().map_err(|e| no_crontab(&chain(&e)))?;
    output_of(&done).map(drop).map_err(|why| no_crontab(&why))
}

fn no_crontab(why: &str) -> Failure {
    let message = match why.starts_with("No such file") {
        true => "there is no `crontab` on this system".to_owned(),
        false => format!("your crontab cannot be read: {why}"),
    };
    Failure::new(message)
        .hint(format!("is cron installed? instead of it: last-word install {}; where there is neither: last-word work --watch", super::schedule::BESIDE_CRON))
}

fn output_of(done: &Output) -> Result<String, String> {
    if done.status.success() {
        return String::from_utf8(done.stdout.clone())
            .map_err(|_| "what it said is not UTF-8 text".to_owned());
    }
    let stderr = String::from_utf8_lossy(&done.stderr);
    let words = stderr.trim();
    Err(if words.is_empty() { done.status.to_string() } else { words.replace('\n', "; ") })
}
