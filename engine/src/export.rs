//! `export`: writes the live items as files that other programs read, so that nobody is bound to this one.

use crate::item_list::ItemFilter;
use crate::output::{Exported, ListedItem};
use crate::{Exit, Failure, Home};
use ::adopt::{ExportFormat, ExportedItem, export};
use declaration::Trust;
use durable::Attributes;
use markdown_merge::item::without_struck;
use policy::confidence_note;
use policy::settings::Settings;
use std::path::{Path, PathBuf};

/// An export before it is written.
#[derive(Debug, Clone)]
pub struct Exportable {
    /// The files: names relative to its folder, and texts.
    pub files: Vec<(String, String)>,
    /// How many items they have.
    pub items: usize,
    /// How many tasks were left out, because no format has them.
    pub tasks: usize,
    /// Which documents could not be read, so that their items are not among them; each with the reason.
    pub unread: Vec<String>,
}

impl Home {
    /// The live items of all documents in the format of that name, without those that wait in the queue.
    ///
    /// # Errors
    /// An unknown format; a configuration that cannot be used; a disk error.
    pub fn exportable(&self, format: &str, cwd: &Path) -> Result<Exportable, Failure> {
        let Some(format) = ExportFormat::named(format) else {
            return Err(Failure::new(format!("there is no format `{format}`"))
                .hint(ExportFormat::NAMES.map(|(name, _)| name).join(", "))
                .exit(Exit::Usage));
        };
        let (items, unread) = self.items_and_unread(&ItemFilter::default(), cwd)?;
        let written = items.iter().filter(|item| item.waits.is_none() && !item.text.trim().is_empty());
        let (tasks, items): (Vec<_>, Vec<_>) = written.partition(|item| item.done.is_some());
        let settings = self.settings()?;
        let exported: Vec<ExportedItem> = items.into_iter().map(|item| exported(item, &settings)).collect();
        let (items, files) = (exported.len(), export(&exported, format));
        Ok(Exportable { files, items, tasks: tasks.len(), unread })
    }

    /// Writes an export into a folder, which is created if it is missing. No file is overwritten: if one has another text, nothing is
    /// written; nor if one would lie in the home or be a managed document.
    ///
    /// # Errors
    /// A file of that name has another text, or may not be written; a disk error.
    pub fn export(&self, exportable: &Exportable, folder: &Path) -> Result<Exported, Failure> {
        let folder = &self.documents().find(folder)?.canonical;
        let paths = || exportable.files.iter().map(|(name, text)| (folder.join(name), text.as_bytes()));
        let mut missing = Vec::new();
        for (path, bytes) in paths() {
            self.check_written(&path, "name a new folder with --to")?;
            match self.disk.stat_link(&path)? {
                None => missing.push((path, bytes)),
                Some(stat) if self.disk.read(&path, stat.len)? == bytes => {}
                Some(_) => {
                    let taken = format!("{} is there already and says something else", self.short(&path));
                    return Err(Failure::new(format!("{taken}; nothing was written"))
                        .hint("name a new folder with --to"));
                }
            }
        }
        for (path, bytes) in missing {
            let parent = path.parent().unwrap_or(folder);
            self.documents().make_parents(parent)?;
            self.disk.write_new(&path, bytes, Attributes::PRIVATE)?;
            self.disk.sync_dir(parent)?;
        }
        let files: Vec<PathBuf> = paths().map(|(path, _)| path).collect();
        Ok(Exported { files, items: exportable.items, tasks: exportable.tasks })
    }

    /// Refuses a file that a command of ours would write for other programs, where it would lie in the home, or would be the document of
    /// a knowledge base: that is changed through the queue alone. An agent may call such commands. `hint`: what to do instead.
    ///
    /// # Errors
    /// As it says; a configuration that cannot be used; a disk error.
    pub fn check_written(&self, path: &Path, hint: &str) -> Result<(), Failure> {
        let settings = self.settings()?;
        let path = &self.documents().find(path)?.canonical;
        let refused = |why: String| {
            let message = format!("{} {why}; nothing was written", self.short(path));
            Err(Failure::new(message).hint(hint).exit(Exit::Usage))
        };
        if path.starts_with(&self.documents().find(self.layout().home())?.canonical) {
            return refused("is in the home, where no such file belongs".to_owned());
        }
        let folder = path.parent().unwrap_or(path);
        match path.to_str().map(|path| self.document(path, folder, &settings)) {
            Some(Ok(found)) => refused(format!("is the document of the knowledge base `{}`", found.name)),
            _ => Ok(()),
        }
    }
}

fn exported(item: &ListedItem, settings: &Settings) -> ExportedItem {
    let kb = item.kb.split(':').next().and_then(|name| settings.knowledge_base(name)).cloned();
    let who = item.by.as_deref().and_then(Trust::parse);
    let doubt = confidence_note::doubt_of_item(&kb.unwrap_or_default(), item.confidence, who);
    let date = match (&item.day, &item.at) {
        (_, Some(at)) if at.contains('T') => Some(at.clone()),
        (Some(day), Some(at)) => Some(format!("{day}T{at}")),
        (day, _) => day.clone(),
    };
    ExportedItem {
        id: item.id.clone(),
        kb: item.kb.clone(),
        kind: item.kind.clone(),
        text: [item.text.as_str(), &below(item)].concat(),
        doubt,
        date,
        confidence: item.confidence,
        by: item.by.clone(),
    }
}

/// What holds of the lines below an item, each indented by two blanks more than the item.
fn below(item: &ListedItem) -> String {
    let kept = without_struck(&item.below, true);
    let said = kept.lines().filter(|line| !line.trim().is_empty());
    let indent = said.clone().map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    said.map(|line| format!("\n  {}", line.get(indent..).unwrap_or(line).trim_end())).collect()
}
