//! systemd, for the user: a service that merges what waits and ends, started when something is in `pending/` and once a
//! minute; or, with `--watch`, one that stays. It is hardened: it can write to the user's files and to the knowledge bases,
//! and nowhere else.

use super::{FileChange, Plan, read, schedule, tool::ToolRun};
use crate::failure::Failure;
use crate::world::World;
use durable::{Disk, FileKind};
use policy::knowledge_base::{Root, Surroundings};
use std::path::{Path, PathBuf};

const SERVICE: &str = "last-word.service";
const PATH: &str = "last-word.path";
const TIMER: &str = "last-word.timer";

pub fn plan(world: &World, watch: bool, unconfined: bool, install: bool) -> Result<Plan, Failure> {
    let dir = schedule::named_dir(world, "XDG_CONFIG_HOME", ".config").join("systemd/user");
    let units = Units { world, unconfined };
    let wanted = |name: &str| match name {
        _ if !install => Ok(None),
        SERVICE if watch => units.daemon().map(Some),
        SERVICE => units.oneshot().map(Some),
        _ if watch => Ok(None),
        PATH => Ok(Some(units.path())),
        _ => Ok(Some(units.timer())),
    };
    let mut plan = Plan::default();
    for name in [SERVICE, PATH, TIMER] {
        let path = dir.join(name);
        plan.changes.push(FileChange {
            before: read(world, &path)?,
            after: wanted(name)?,
            path,
            mode: 0o644,
        });
    }
    let starts: &[&str] = if watch { &[SERVICE] } else { &[PATH, TIMER] };
    let changed = plan.changes.iter().any(|change| change.before != change.after);
    let there = |name: &&str| plan.changes.iter().any(|c| c.before.is_some() && c.path.ends_with(name));
    let gone: Vec<&str> = [SERVICE, PATH, TIMER]
        .into_iter()
        .filter(|name| there(name) && !(install && starts.contains(name)))
        .filter(|name| !install || *name != SERVICE)
        .collect();
    if !gone.is_empty() {
        plan.first.push(control(&["disable", "--now"], &gone).may_fail());
    }
    if install && (changed || !is_enabled(world, &dir, starts)?) {
        plan.then.push(control(&["daemon-reload"], &[]));
        plan.then.push(control(&["enable"], starts));
        plan.then.push(control(&["restart"], starts));
        if !watch {
            // It is started once at once, which shows now whether it can run here with its restrictions.
            plan.then.push(control(&["start"], &[SERVICE]));
        }
    } else if changed {
        plan.then.push(control(&["daemon-reload"], &[]).may_fail());
    }
    if install {
        plan.afterwards.push(format!("what goes wrong is in: journalctl --user --unit {SERVICE}"));
        plan.afterwards.push("to have it run while you are not logged in: loginctl enable-linger".to_owned());
    }
    Ok(plan)
}

/// How the installed units were made: with `--watch`, with `--unconfined`.
pub fn as_installed(plan: &Plan) -> (bool, bool) {
    let service = plan.changes.iter().find(|change| change.path.ends_with(SERVICE));
    let text = service.and_then(|change| change.before.as_deref()).unwrap_or_default();
    (text.contains("Type=notify"), !text.contains("ProtectSystem="))
}

fn control(verb: &[&str], units: &[&str]) -> ToolRun {
    ToolRun::new(&[&["systemctl", "--user"], verb, units].concat())
}

fn is_enabled(world: &World, dir: &Path, units: &[&str]) -> Result<bool, Failure> {
    for unit in units {
        let link = dir.join("default.target.wants").join(unit);
        if world.disk.stat_link(&link)?.is_none_or(|stat| stat.kind != FileKind::Link) {
            return Ok(false);
        }
    }
    Ok(true)
}

struct Units<'a> {
    world: &'a World,
    unconfined: bool,
}

impl Units<'_> {
    fn oneshot(&self) -> Result<String, Failure> {
        // Stays for a minute where something in pending/ has to wait, or the machine is in trouble: else DirectoryNotEmpty
        // would start it again at once, in a loop.
        let call = exec(&schedule::call(self.world, &["work", "--stay", "55"])?);
        Ok(format!(
            "{HEAD}[Unit]
Description=last-word: merge what was declared
Documentation=man:last-word(1)
# It is started as often as something is declared; it never comes back at once by itself.
StartLimitIntervalSec=0

[Service]
Type=oneshot
ExecStart={call}
{}",
            self.confined()?
        ))
    }

    fn daemon(&self) -> Result<String, Failure> {
        let call = exec(&schedule::call(self.world, &["work", "--watch"])?);
        Ok(format!(
            "{HEAD}[Unit]
Description=last-word: merge what is declared
Documentation=man:last-word(1)
StartLimitIntervalSec=10min
StartLimitBurst=10

[Service]
Type=notify
ExecStart={call}
ExecReload=/bin/kill -HUP $MAINPID
Restart=on-failure
RestartSec=10s
# Longer than it takes to give up by itself (--stuck-after).
WatchdogSec=6min
TimeoutStopSec=10s
{}
[Install]
WantedBy=default.target
",
            self.confined()?
        ))
    }

    fn path(&self) -> String {
        let [pending, ..] = self.world.layout().watched();
        format!(
            "{HEAD}[Unit]
Description=last-word: something was declared

[Path]
DirectoryNotEmpty={}

[Install]
WantedBy=default.target
",
            escaped(&pending.display().to_string())
        )
    }

    fn timer(&self) -> String {
        format!(
            "{HEAD}[Unit]
Description=last-word: retries that are due, and whatever was missed

[Timer]
OnStartupSec=30s
OnUnitInactiveSec=1min
AccuracySec=5s

[Install]
WantedBy=default.target
"
        )
    }

    /// What the service may not do. A user cannot change the kernel's own settings anyway, and the options that hide them
    /// are the first to fail where namespaces are limited. The programs of `validate` run under the same restrictions, so
    /// what such a program may need stays allowed: sockets, and memory that is written and then executed.
    fn confined(&self) -> Result<String, Failure> {
        let mut text = String::from(
            "UMask=0077
NoNewPrivileges=yes
LockPersonality=yes
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
",
        );
        if self.unconfined {
            return Ok(text);
        }
        text.push_str(
            "# What follows needs unprivileged user namespaces; where there are none: last-word install systemd --unconfined
ProtectSystem=strict
",
        );
        for dir in self.writable()? {
            text.push_str(&format!("ReadWritePaths=-{dir}\n"));
        }
        text.push_str("PrivateDevices=yes\n");
        Ok(text)
    }

    /// The user's home directory, and what is managed outside of it: the queue, documents, projects.
    fn writable(&self) -> Result<Vec<String>, Failure> {
        let settings = self.world.settings()?;
        let mut dirs: Vec<PathBuf> = vec![self.world.layout().home().to_owned()];
        let home = self.world.user_home();
        let around = Surroundings { home, project: None, cwd: home, today: None };
        let canonicalise = |path: &Path| self.world.canonicalise(path);
        for (index, kb) in settings.knowledge_bases.iter().enumerate() {
            if kb.root == Root::Project {
                continue;
            }
            // A document that cannot be found now cannot be written either.
            if let Ok(found) = policy::knowledge_base::document(index, kb, &around, &canonicalise) {
                dirs.extend(found.canonical.parent().map(Path::to_owned));
            }
        }
        dirs.extend(settings.projects.iter().map(PathBuf::from).filter(|project| project.is_absolute()));
        dirs.retain(|dir| !dir.starts_with(home));
        dirs.sort();
        dirs.dedup();
        let outside = dirs.iter().map(|dir| quoted(&dir.display().to_string()));
        Ok(std::iter::once("%h".to_owned()).chain(outside).collect())
    }
}

const HEAD: &str = "# Written by `last-word install systemd`; `last-word uninstall systemd` removes it.\n";

/// A command line in systemd's syntax.
fn exec(words: &[String]) -> String {
    words.iter().map(|word| quoted(word).replace('$', "$$")).collect::<Vec<_>>().join(" ")
}

/// A word of a list, quoted where systemd needs it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@,=%".contains(c);
    let word = escaped(word);
    if word.chars().all(plain) {
        return word;
    }
    format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\""))
}

/// systemd expands what begins with `%`.
fn escaped(text: &str) -> String {
    text.replace('%', "%%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_as_systemd_reads_them() {
        assert_eq!(quoted("/usr/bin/last-word"), "/usr/bin/last-word");
        assert_eq!(quoted("/my tools/50%"), "\"/my tools/50%%\"");
        assert_eq!(exec(&["/a".to_owned(), "$b \"c\"".to_owned()]), "/a \"$$b \\\"c\\\"\"");
    }
}
