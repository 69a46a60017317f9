//! `doctor`: whether everything is in place for declarations to come in and be merged, as far as a home can tell. What is
//! wired and scheduled outside of it, a surface looks at. Looks, and changes nothing; `mend` does.

mod documents;
mod mend;

use crate::output::{Finding, Health};
use crate::{Failure, Home, HooksOff};
use declaration::advice::HomeAdvice;
use declaration::{Advice, Timestamp, span};
use durable::FileKind;
use operator::{SPACE_LOW, Unlisted, is_below, shortage};
use policy::settings::Settings;
use queue_layout::{HOME_DIRS, LATER_DIRS, QueueError, State};
use std::collections::BTreeMap;
use std::path::Path;

/// What to do about a file in a directory of the queue that is no job and is not taken in.
pub const UNKNOWN_FILE_HINT: &str = "move it away; a declaration is taken in under a name in UTF-8 that ends in .yaml or .json and begins with no dot";

/// How far ids may be ahead of the clock before it is worth a word.
const AHEAD_MS: u64 = 60_000;

/// Whether agents' hooks do anything, as seen from a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HooksState {
    /// They work.
    On,
    /// They only keep agents from writing the documents by hand; sessions are shown nothing.
    GuardOnly,
    /// They do nothing.
    Off,
}

impl HooksState {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            HooksState::On => "on",
            HooksState::GuardOnly => "guard only",
            HooksState::Off => "off",
        }
    }
}

/// What `doctor` says of a configuration that is not there.
pub const NO_CONFIG: &str = "there is none: every setting has its default";

impl Home {
    /// What is as it should be and what is not, as seen from this directory. `switched_off`: whether the surface's environment
    /// switches the hooks off.
    ///
    /// # Errors
    /// A disk error. What is wrong with the home or its configuration is part of the answer.
    pub fn doctor(&self, cwd: &Path, switched_off: bool) -> Result<Vec<Finding>, Failure> {
        let mut findings = vec![
            self.look_at_home(),
            self.look_at_place()?,
            self.look_at_space()?,
            self.look_at_config_file(),
            self.look_at_configuration(),
        ];
        // Without a whole home there is nothing more to look at.
        if self.check().is_err() {
            return Ok(findings);
        }
        findings.push(self.look_at_permissions()?);
        findings.push(self.look_at_clock()?);
        findings.push(self.look_at_temp_files()?);
        findings.push(self.look_at_worker()?);
        findings.push(self.look_at_claims()?);
        findings.push(self.look_at_unknown_files()?);
        findings.extend(self.look_at_purges()?);
        findings.push(self.look_at_hooks(cwd, switched_off));
        if let Ok(settings) = self.settings() {
            findings.push(self.look_at_documents(&settings)?);
            findings.push(self.look_at_litter(&settings)?);
            findings.extend(self.look_at_days(&settings));
            findings.push(self.look_at_inboxes(&settings, cwd)?);
            findings.push(self.look_at_buffers()?);
        }
        Ok(findings)
    }

    /// What agents' hooks do, as seen from this directory.
    #[must_use]
    pub fn hooks(&self, cwd: &Path, switched_off: bool) -> HooksState {
        let by_config = self.settings().is_ok_and(|settings| !settings.enabled);
        match self.hooks_off(cwd, switched_off).unwrap_or(HooksOff::No) {
            _ if by_config => HooksState::Off,
            HooksOff::All => HooksState::Off,
            HooksOff::Context => HooksState::GuardOnly,
            HooksOff::No => HooksState::On,
        }
    }

    fn advise(&self, advice: HomeAdvice) -> String {
        self.host.say(&Advice::Home(advice))
    }

    fn look_at_home(&self) -> Finding {
        match self.layout.check(&*self.disk) {
            Ok(()) => Finding::new("home", Health::Ok, self.short(self.layout.home())),
            Err(e) => {
                let finding = Finding::new("home", Health::Bad, e.to_string());
                match e.advice() {
                    Some(advice) => finding.hint(self.host.say(&advice)),
                    None => finding,
                }
            }
        }
    }

    fn look_at_place(&self) -> Result<Finding, Failure> {
        Ok(match self.layout.unfit(&*self.disk)? {
            None => {
                let health = if self.is_kept()? { Health::Ok } else { Health::Note };
                Finding::new("place", health, self.words_of_place()?)
            }
            Some(why) => Finding::new("place", Health::Bad, why).hint(self.advise(HomeAdvice::MoveHome)),
        })
    }

    fn look_at_space(&self) -> Result<Finding, Failure> {
        let there =
            self.layout.home().ancestors().find(|dir| self.disk.stat(dir).is_ok_and(|stat| stat.is_some()));
        let Some(dir) = there else { return Ok(Finding::new("space", Health::Ok, "nothing is there yet")) };
        let space = self.disk.space(dir)?;
        let files = space.files.map_or(String::new(), |files| format!(" and {files} files"));
        let left = format!("{} MiB{files} are left", space.bytes >> 20);
        Ok(match shortage(space) {
            Some(short) => {
                let said = format!("the disk {}; {left}", short.sentence());
                Finding::new("space", Health::Bad, said).hint(self.host.say(&short.next()))
            }
            None if is_below(space, SPACE_LOW) => {
                Finding::new("space", Health::Note, left).hint(self.advise(HomeAdvice::SeeWhatIsOld))
            }
            None => Finding::new("space", Health::Ok, left),
        })
    }

    /// Another user who can write the configuration can have any file written, and programs started.
    fn look_at_config_file(&self) -> Finding {
        if self.disk.stat(&self.layout.config()).is_ok_and(|stat| stat.is_none()) {
            // One that should be there is said with the settings.
            let (health, found) = if self.settings().is_ok() {
                (Health::Ok, NO_CONFIG)
            } else {
                (Health::Bad, "it is not there")
            };
            return Finding::new("config.yaml", health, found);
        }
        let Err(e) = self.layout.check_config(&*self.disk) else {
            return Finding::new("config.yaml", Health::Ok, "yours alone to change");
        };
        let found = match &e {
            QueueError::OpenToOthers { path, mode, .. } => {
                format!("others can change {} (mode {:03o})", self.short(path), mode & 0o777)
            }
            other => other.to_string(),
        };
        Finding::new("config.yaml", Health::Bad, found)
            .hint(e.advice().map_or_else(String::new, |advice| self.host.say(&advice)))
    }

    fn look_at_configuration(&self) -> Finding {
        match self.settings() {
            Ok(settings) => {
                let kbs = settings.knowledge_bases.len();
                Finding::new("configuration", Health::Ok, format!("{kbs} knowledge bases"))
            }
            Err(e) => {
                let hint = e.hint.clone().filter(|_| e.problems.is_empty());
                let hint = hint.unwrap_or(Advice::Home(HomeAdvice::SeeEveryProblem));
                Finding::new("configuration", Health::Bad, e.first()).hint(self.host.say(&hint))
            }
        }
    }

    fn look_at_permissions(&self) -> Result<Finding, Failure> {
        let mut open = Vec::new();
        let home = self.layout.home();
        let names = HOME_DIRS.iter().chain(&LATER_DIRS);
        for dir in std::iter::once(home.to_owned()).chain(names.map(|name| home.join(name))) {
            if self.disk.stat(&dir)?.is_some_and(|stat| stat.mode & 0o077 != 0) {
                open.push(self.short(&dir));
            }
        }
        // In a directory above it that everybody can write to (and that is not like /tmp), the home can be moved away.
        let home = self.canonicalise(home).unwrap_or_else(|_| home.to_owned());
        let is_open = |dir: &&Path| {
            let stat = self.disk.stat(dir).ok().flatten();
            stat.is_some_and(|stat| stat.mode & 0o002 != 0 && stat.mode & 0o1000 == 0)
        };
        if let Some(above) = home.ancestors().skip(1).find(is_open) {
            let above = self.short(above);
            let said =
                format!("everybody can write to {above}, and so put another home in the place of this one");
            return Ok(Finding::new("permissions", Health::Bad, said));
        }
        Ok(match open.as_slice() {
            [] => Finding::new("permissions", Health::Ok, "the directories are yours alone"),
            [first, ..] => {
                Finding::new("permissions", Health::Note, format!("others may look into {}", open.join(", ")))
                    .hint(self.advise(HomeAdvice::CloseDirectory(first.clone())))
            }
        })
    }

    fn look_at_clock(&self) -> Result<Finding, Failure> {
        let ahead_ms = self.queue().operator().ids_ahead_ms(self.now())?;
        Ok(if ahead_ms < AHEAD_MS {
            Finding::new("clock", Health::Ok, "it has not been set back")
        } else {
            let said = format!("it was {} ahead, and set back", span(ahead_ms));
            Finding::new("clock", Health::Note, said)
                .hint("nothing to do: order is kept; until it has caught up, ages are shown too short")
        })
    }

    /// What is being forgotten, where it has not ended.
    fn look_at_purges(&self) -> Result<Option<Finding>, Failure> {
        let items = match self.purging() {
            Ok(items) => items,
            Err(failure) => {
                let said = format!("nobody knows what is still to be forgotten: {}", failure.sentence());
                let hint = "move that file away, and purge the item again";
                return Ok(Some(Finding::new("purges", Health::Bad, said).hint(hint)));
            }
        };
        Ok((!items.is_empty()).then(|| {
            let said =
                format!("not ended, because something that waits holds their texts: {}", items.join(", "));
            Finding::new("purges", Health::Note, said).hint(self.advise(HomeAdvice::RunWorkerToClean))
        }))
    }

    fn look_at_temp_files(&self) -> Result<Finding, Failure> {
        Ok(match self.queue().operator().abandoned(self.now())?.len() {
            0 => Finding::new("temp files", Health::Ok, "none is abandoned"),
            n => Finding::new(
                "temp files",
                Health::Note,
                format!("{} left by workers that died", declaration::counted(n, "file")),
            )
            .hint(self.advise(HomeAdvice::RunWorkerToClean)),
        })
    }

    fn look_at_worker(&self) -> Result<Finding, Failure> {
        let now = self.now();
        let health = operator::worker_health(self.queue(), now)?;
        let schedule = self.advise(HomeAdvice::ScheduleWorker);
        if let Some(since) = health.failing_since {
            let words = health.trouble.as_ref().and_then(|trouble| trouble.message.as_deref());
            let why = words.map_or_else(String::new, |words| format!(" ({words})"));
            let said = format!("every run has failed for {}{why}", span(now.since_ms(since)));
            return Ok(
                Finding::new("worker", Health::Bad, said).hint(self.advise(HomeAdvice::RunWorkerToSeeWhy))
            );
        }
        Ok(match (&health.last_run, health.stalled) {
            (_, Some(since)) => {
                let waits = span(now.since_ms(since));
                Finding::new(
                    "worker",
                    Health::Bad,
                    format!("jobs have waited since {waits}, and nothing merges them"),
                )
                .hint(schedule)
            }
            (Some(run), None) => {
                let watching = self.is_watched()?;
                let watching = if watching { ", one watches" } else { "" };
                Finding::new("worker", Health::Ok, format!("last run {}{watching}", run.at.ago(now)))
            }
            (None, None) => Finding::new("worker", Health::Note, "no worker has run yet").hint(schedule),
        })
    }

    fn look_at_claims(&self) -> Result<Finding, Failure> {
        let dead = self.dead_workers()?;
        Ok(match dead.as_slice() {
            [] => Finding::new("dead workers", Health::Ok, "none left a job behind"),
            _ => Finding::new(
                "dead workers",
                Health::Note,
                format!("{} died with jobs in hand", dead.join(", ")),
            )
            .hint(self.advise(HomeAdvice::RecoverClaims)),
        })
    }

    /// The workers and operators that died with jobs in hand.
    fn dead_workers(&self) -> Result<Vec<String>, Failure> {
        let mut dead = Vec::new();
        for worker in self.queue().claimants()? {
            if !self.queue().is_alive(&worker)? {
                dead.push(worker);
            }
        }
        Ok(dead)
    }

    /// Files in the queue's directories that nobody takes.
    fn look_at_unknown_files(&self) -> Result<Finding, Failure> {
        let mut names = Vec::new();
        for state in State::ALL.into_iter().filter(|state| *state != State::Done) {
            let scan = self.queue().scan(state)?;
            names.extend(scan.foreign.iter().map(|name| format!("{}/{name}", state.as_str())));
        }
        Ok(if names.is_empty() {
            Finding::new("queue", Health::Ok, "no unknown files")
        } else {
            let shown = names.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
            let more = names.len().saturating_sub(5);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            Finding::new("queue", Health::Bad, format!("not ours, and not taken in: {shown}{more}"))
                .hint(UNKNOWN_FILE_HINT)
        })
    }

    fn look_at_hooks(&self, cwd: &Path, switched_off: bool) -> Finding {
        match self.hooks(cwd, switched_off) {
            HooksState::Off => {
                Finding::new("hooks", Health::Note, "switched off: every agent is told nothing")
                    .hint(self.advise(HomeAdvice::SwitchHooksOn))
            }
            HooksState::GuardOnly => {
                let (found, hint) = if switched_off {
                    ("sessions are shown nothing (LAST_WORD_DISABLE)", "unset LAST_WORD_DISABLE")
                } else {
                    ("sessions are shown nothing in this project", "remove .agents/disabled")
                };
                Finding::new("hooks", Health::Note, found).hint(format!("{hint} to have them shown it again"))
            }
            HooksState::On => Finding::new("hooks", Health::Ok, "switched on"),
        }
    }

    /// What was left in an inbox, and nobody took.
    fn look_at_inboxes(&self, settings: &Settings, cwd: &Path) -> Result<Finding, Failure> {
        let left = self.left_in_inboxes(settings)?;
        let Some(first) = left.first() else {
            return Ok(match self.unlisted_inbox(settings, cwd)? {
                Some(unlisted) => {
                    let said = self.unlisted_sentence(&unlisted);
                    Finding::new("inboxes", Health::Note, said).hint(self.advise(HomeAdvice::ListProject))
                }
                None => Finding::new("inboxes", Health::Ok, "no old files in them"),
            });
        };
        let names: Vec<String> = left.iter().map(|path| self.short(path)).collect();
        let is_file =
            self.disk.stat(first).is_ok_and(|stat| stat.is_some_and(|stat| stat.kind == FileKind::File));
        let dir = if is_file { first.parent() } else { None };
        let dir = self.short(dir.unwrap_or(first));
        let said = format!("nobody takes in {}", names.join(", "));
        Ok(Finding::new("inboxes", Health::Bad, said).hint(self.advise(HomeAdvice::LookAtInbox(dir))))
    }

    /// What lies in the inbox of a project that is not listed, and how to list it.
    #[must_use]
    pub fn unlisted_sentence(&self, unlisted: &Unlisted) -> String {
        let declarations = match unlisted.files {
            1 => "1 declaration".to_owned(),
            n => format!("{n} declarations"),
        };
        format!(
            "{declarations} in {}/.agents: not taken in, because this project is not listed in config.yaml; to list it, if you trust what is in it: {}",
            self.short(&unlisted.project),
            self.advise(HomeAdvice::ListProject)
        )
    }

    /// What somebody else began in our home: it cannot be flushed.
    fn look_at_buffers(&self) -> Result<Finding, Failure> {
        let closed = self.queue().sessions().closed()?;
        let Some(first) = closed.first() else {
            return Ok(Finding::new("planned entries", Health::Ok, "those of every session can be read"));
        };
        let names: Vec<String> = closed.iter().map(|path| self.short(path)).collect();
        Ok(Finding::new(
            "planned entries",
            Health::Bad,
            format!("not ours to look into: {}", names.join(", ")),
        )
        .hint(format!("give it back to your user: sudo chown -R \"$USER\" {}", self.short(first))))
    }

    /// When each agent was last heard of, by the sessions that are known.
    ///
    /// # Errors
    /// A disk error.
    pub fn last_called(&self) -> Result<BTreeMap<String, Timestamp>, Failure> {
        let mut called: BTreeMap<String, Timestamp> = BTreeMap::new();
        let mut heard = |agent: &str, at: Timestamp| {
            let last = called.entry(agent.replace('-', "_")).or_insert(at);
            *last = (*last).max(at);
        };
        for ended in self.queue().sessions().ended()? {
            heard(&ended.who.agent, ended.ended_at);
        }
        for session in self.queue().sessions().all()? {
            let log = match session.log() {
                // One that is not ours to look into is named among the sessions.
                Err(e) if !e.is_machine_trouble() => continue,
                other => other?,
            };
            if let Some(who) = log.iter().find_map(|noted| noted.who.as_ref()) {
                heard(&who.agent, session.last_heard(&log)?);
            }
        }
        Ok(called)
    }
}
