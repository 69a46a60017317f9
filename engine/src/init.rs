//! Makes a home. What is there already is left as it is, so it may be done again.

use crate::settings::CONFIG_BYTES_MAX;
use crate::{Exit, Failure, Home, Host, Soul, defaults};
use durable::Attributes;
use operator::Actor;
use policy::settings::{Settings, with_decider, with_memory, with_memory_bank, with_project};
use queue_layout::{Event, JournalEntry, Layout};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What adds knowledge bases to the text of a configuration, with their names.
type AddBases = fn(&str, &Settings) -> Option<(String, Vec<&'static str>)>;

/// What the document of a memory bank begins with.
const MEMORY_BANK: &str = include_str!("default-memory-bank.md");

impl Home {
    /// Opens the home in this directory, and makes it first where it is not there; `config` is what its `config.yaml` says
    /// then.
    ///
    /// # Errors
    /// As for `make` and `open`.
    pub fn create(
        dir: impl Into<PathBuf>,
        user_home: impl Into<PathBuf>,
        host: Host,
        config: &str,
    ) -> Result<Home, Failure> {
        let home = Home::on(Arc::new(crate::system::disk()), Layout::new(dir), user_home, host);
        home.make(config)?;
        home.check()?;
        Ok(home)
    }

    /// Makes what is missing of the home: its directories, `config.yaml` with this text, `schema.yaml`, and a `SOUL.md` where
    /// the configuration has one. What was made, in that order.
    ///
    /// # Errors
    /// The configuration that is there, or is to be, cannot be used. A disk error.
    pub fn make(&self, config: &str) -> Result<Vec<PathBuf>, Failure> {
        self.make_with(config, &Soul::default())
    }

    /// The same with what a person says of their agent, where there is no `SOUL.md` yet.
    ///
    /// # Errors
    /// As for `make`.
    pub fn make_with(&self, config: &str, soul: &Soul) -> Result<Vec<PathBuf>, Failure> {
        let mut made = self.layout.create(&*self.disk)?;
        // One that is gone comes back as it was.
        let last = self.last_text();
        made.extend(self.write_missing(&self.layout.config(), last.as_deref().unwrap_or(config))?);
        made.extend(self.write_missing(&self.layout.schema(), &schema_text()?)?);
        let settings = self.settings_to_keep()?;
        made.extend(self.first_soul(&settings, soul)?);
        Ok(made)
    }

    /// Lists a project in `config.yaml`, so that its inbox is taken in; false where it is listed already. Every other byte of
    /// the file stays as it is.
    ///
    /// # Errors
    /// The list is written in a way that is not understood, or the file changed meanwhile. A disk error.
    pub fn list_project(&self, project: &Path) -> Result<bool, Failure> {
        let settings = self.settings()?;
        if self.is_listed(&settings, project) {
            return Ok(false);
        }
        let name = self.short(project);
        let config = self.config_name();
        if project.to_str().is_none_or(|path| path.contains(char::is_control)) {
            return Err(Failure::new(format!(
                "{name} cannot be written into {config}: its name is no plain text"
            ))
            .hint("rename the directory"));
        }
        let by_hand = || {
            Failure::new(format!(
                "the list `projects` of {config} is not written in a way that can be added to"
            ))
            .hint(format!("add it yourself: projects: [{name}]"))
        };
        self.edit_config(|text| with_project(text, &name, &defaults().ok()?), by_hand)?;
        Ok(true)
    }

    /// Lets a script or a schedule use these commands as a person would, or none of them any more. Every other byte of `config.yaml`
    /// stays as it is; the journal says who did it.
    ///
    /// # Errors
    /// A name that cannot be one. The deciders are written in a way that is not understood, or the file changed meanwhile. A
    /// disk error.
    pub fn let_decide(&self, name: &str, commands: &[String], who: &Actor) -> Result<(), Failure> {
        let config = self.config_name();
        let by_hand = || {
            let written = format!("deciders: {{ {name}: [{}] }}", commands.join(", "));
            Failure::new(format!("the `deciders` of {config} cannot be changed so that it says `{name}`"))
                .hint(format!(
                    "names are lower case letters, digits, `-` and `_`; or write it yourself: {written}"
                ))
        };
        self.edit_config(|text| with_decider(text, name, commands, &defaults().ok()?), by_hand)?;
        let message = match commands {
            [] => format!("{name} decides nothing any more"),
            commands => format!("{name} may {} ({})", commands.join(", "), who.channel),
        };
        let happened = JournalEntry::new(self.now(), Event::Decider).by(&who.name).saying(None, message);
        // What was said is durable; a journal that cannot be written changes nothing of it.
        let _ = self.queue().journal().write(&[happened]);
        Ok(())
    }

    /// Adds the knowledge bases of facts, sessions, events and profiles to `config.yaml`, those that it lacks; their names. Every
    /// other byte of the file stays as it is.
    ///
    /// # Errors
    /// They are written in a way that is not understood, or the file changed meanwhile. A disk error.
    pub fn add_memory(&self) -> Result<Vec<&'static str>, Failure> {
        self.add_bases(with_memory, "facts: { path: \"~/.config/agents/facts/{month}.md\" }")
    }

    /// Makes the memory bank of a project, what is missing of it: a document with an index and a directory of details; and adds their
    /// knowledge bases to `config.yaml`. The names of those, and what was made.
    ///
    /// # Errors
    /// As for `add_memory`.
    pub fn add_memory_bank(&self, project: &Path) -> Result<(Vec<&'static str>, Vec<PathBuf>), Failure> {
        let example = "memory-bank: { path: memory-bank/MEMORY.md, root: project, index: { of: \"memory-bank/details/**/*.md\" } }";
        let added = self.add_bases(with_memory_bank, example)?;
        let bank = project.join("memory-bank");
        let details = bank.join("details");
        let mut made = Vec::new();
        for dir in [&bank, &details] {
            made.extend(self.disk.make_dir(dir)?.then(|| dir.clone()));
        }
        let memory = bank.join("MEMORY.md");
        // The project's file, for all who work on it.
        let like = Attributes { mode: 0o644, owner: None };
        if self.disk.stat_link(&memory)?.is_none() {
            self.disk.write_new(&memory, MEMORY_BANK.as_bytes(), like)?;
            self.disk.sync_dir(&bank)?;
            made.push(memory);
        }
        Ok((added, made))
    }

    /// Adds knowledge bases to `config.yaml`, those that it lacks; their names. `example` is what is said where that is not possible.
    fn add_bases(&self, added: AddBases, example: &str) -> Result<Vec<&'static str>, Failure> {
        let config = self.config_name();
        let by_hand = || {
            Failure::new(format!(
                "`knowledge_bases` of {config} is not written in a way that can be added to"
            ))
            .hint(format!("add it yourself, on lines of its own: {example}"))
        };
        let added = |text: &str| added(text, &defaults().ok()?);
        let before = self.disk.read(&self.layout.config(), CONFIG_BYTES_MAX)?;
        let missing = std::str::from_utf8(&before).ok().and_then(added).map(|(_, names)| names);
        let missing = missing.ok_or_else(by_hand)?;
        if !missing.is_empty() {
            self.edit_config(|text| added(text).map(|(edited, _)| edited), by_hand)?;
        }
        Ok(missing)
    }

    /// The configuration's file, as it is called to people.
    fn config_name(&self) -> String {
        self.short(&self.layout.config())
    }

    /// Puts an edited text in the place of `config.yaml`, and reads it. `by_hand`: what is said where the edit is not possible.
    pub(crate) fn edit_config(
        &self,
        edit: impl Fn(&str) -> Option<String>,
        by_hand: impl Fn() -> Failure,
    ) -> Result<(), Failure> {
        let before = self.disk.read(&self.layout.config(), CONFIG_BYTES_MAX)?;
        let edited = std::str::from_utf8(&before).ok().and_then(edit).ok_or_else(by_hand)?;
        if !self.layout.replace_config(&*self.disk, &before, edited.as_bytes())? {
            return Err(Failure::new(format!("{} changed meanwhile", self.config_name()))
                .hint("run it again")
                .exit(Exit::TryAgain));
        }
        self.settings_to_keep()?;
        Ok(())
    }

    /// Why no home should be made here: renames, locks and syncs would not keep what they promise. `None` when all is well.
    ///
    /// # Errors
    /// A disk error.
    pub fn unfit(&self) -> Result<Option<String>, Failure> {
        Ok(self.layout.unfit(&*self.disk)?)
    }

    /// Writes a file that is not there yet. A person's file is never replaced.
    fn write_missing(&self, path: &Path, text: &str) -> Result<Option<PathBuf>, Failure> {
        if self.disk.stat_link(path)?.is_some() {
            return Ok(None);
        }
        self.disk.write_new(path, text.as_bytes(), Attributes::PRIVATE)?;
        if let Some(dir) = path.parent() {
            self.disk.sync_dir(dir)?;
        }
        Ok(Some(path.to_owned()))
    }

    /// The first `SOUL.md`, where the configuration has one and it is not there.
    fn first_soul(&self, settings: &Settings, soul: &Soul) -> Result<Option<PathBuf>, Failure> {
        let Some(path) = self.soul_path(settings) else { return Ok(None) };
        match path.parent() {
            Some(dir) if self.disk.stat(dir)?.is_some() => self.write_missing(&path, &soul.text()),
            _ => Ok(None),
        }
    }

    fn soul_path(&self, settings: &Settings) -> Option<PathBuf> {
        let soul = settings.knowledge_base("soul")?;
        soul.path.strip_prefix("~/").map(|rest| self.user_home.join(rest))
    }

    /// Whether `make` would write the first `SOUL.md`.
    ///
    /// # Errors
    /// The configuration that is there cannot be used. A disk error.
    pub fn lacks_soul(&self) -> Result<bool, Failure> {
        let has_config = self.disk.stat_link(&self.layout.config())?.is_some();
        let settings = if has_config { self.settings()? } else { defaults()? };
        match self.soul_path(&settings) {
            Some(path) => Ok(self.disk.stat_link(&path)?.is_none()),
            None => Ok(false),
        }
    }
}

/// The JSON Schema of a declaration.
///
/// # Errors
/// Never, in a build whose tests have passed.
pub fn schema() -> Result<serde_json::Value, Failure> {
    declaration::schema::declaration().map_err(|e| Failure::new(format!("cannot make the schema: {e}")))
}

/// The same as YAML, as `schema.yaml` has it.
///
/// # Errors
/// As for `schema`.
pub fn schema_text() -> Result<String, Failure> {
    let yaml = serde_yaml::to_string(&schema()?)
        .map_err(|e| Failure::new(format!("cannot write the schema: {e}")))?;
    Ok(format!("{}{yaml}", include_str!("schema-header.txt")))
}
