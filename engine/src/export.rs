//! `export`: writes the live items as files that other programs read, so that nobody is bound to this one.

use crate::item_list::ItemFilter;
use crate::output::{Exported, ListedItem};
use crate::{Exit, Failure, Home};
use ::adopt::{ExportFormat, ExportedItem, export};
use durable::Attributes;
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
        let items = self.items(&ItemFilter::default(), cwd)?;
        let written = items.iter().filter(|item| item.waits.is_none() && !item.text.trim().is_empty());
        let (tasks, items): (Vec<_>, Vec<_>) = written.partition(|item| item.done.is_some());
        let exported: Vec<ExportedItem> = items.into_iter().map(exported).collect();
        Ok(Exportable { items: exported.len(), tasks: tasks.len(), files: export(&exported, format) })
    }

    /// Writes an export into a folder, which is created if it is missing. No file is overwritten: if one has another text, nothing is
    /// written.
    ///
    /// # Errors
    /// A file of that name has another text; a disk error.
    pub fn export(&self, exportable: &Exportable, folder: &Path) -> Result<Exported, Failure> {
        let paths = || exportable.files.iter().map(|(name, text)| (folder.join(name), text.as_bytes()));
        let mut missing = Vec::new();
        for (path, bytes) in paths() {
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
}

fn exported(item: &ListedItem) -> ExportedItem {
    let date = match (&item.day, &item.at) {
        (_, Some(at)) if at.contains('T') => Some(at.clone()),
        (Some(day), Some(at)) => Some(format!("{day}T{at}")),
        (day, _) => day.clone(),
    };
    ExportedItem {
        id: item.id.clone(),
        kb: item.kb.clone(),
        kind: item.kind.clone(),
        text: item.text.clone(),
        date,
        confidence: item.confidence,
        by: item.by.clone(),
    }
}
