//! Takes texts that are to be forgotten out of the history of a document: out of every earlier text that is kept, and out of
//! the log. The hashes by which the log knows those texts follow, so that nobody takes the change for an editor's.

use crate::during::mark_of_copy;
use crate::history::{HistoryOf, LOG, mark_of, watched};
use crate::interim::marked;
use crate::{DOCUMENT_BYTES_MAX, Documents, Result, hash};
use declaration::Forgetting;
use durable::Attributes;
use markdown_merge::Merger;
use markdown_merge::item::PURGED;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The largest log that is read, in bytes.
const LOG_MAX: u64 = 1 << 30;

impl Documents {
    /// Takes the texts, and the item with this id, out of a history. Answers how many files were changed; `None` where
    /// somebody commits to that document now: then it is to be tried again. After a crash it is done again, and ends the same.
    ///
    /// # Errors
    /// A disk error.
    pub fn forget(&self, history: &HistoryOf, item: &str, forgetting: &Forgetting) -> Result<Option<usize>> {
        let Some(_only_writer) = self.disk.try_lock(&self.locks.join(format!("doc-{}", history.key)))? else {
            return Ok(None);
        };
        let dir = self.history.join(&history.name);
        let mut changes = Vec::new();
        // By the text that each had, the hash of what it gets.
        let mut hashes = BTreeMap::new();
        let names = self.disk.list(&dir)?.into_iter().filter_map(|name| name.into_string().ok());
        for name in names.filter(|name| name != LOG) {
            let bytes = self.read_kept(&dir.join(&name))?.unwrap_or_default();
            let Some(new) = without(&bytes, item, forgetting) else { continue };
            if name.ends_with(".part") || name.ends_with(".new") {
                // Left by somebody who died before it had a name of its own.
                self.disk.remove(&dir.join(&name))?;
                continue;
            }
            let mark = mark_of(&hash(&bytes)).to_owned();
            hashes.insert(hash(&bytes), hash(&new));
            changes.push((name, mark, new));
        }
        let logged = self.forget_in_log(&dir, &hashes, forgetting)?;
        self.disk.point("purge.logged");
        for (name, was, new) in &changes {
            // A text that was kept aside has a mark of its hash in its name: one that somebody wrote into since keeps that, and is told.
            let mark = watched(name)
                .and_then(|(_, mark)| mark)
                .or_else(|| marked(name))
                .or_else(|| mark_of_copy(name));
            let mark = mark.filter(|mark| mark == was);
            let new_name = mark.map_or_else(|| name.clone(), |mark| name.replace(mark, mark_of(&hash(new))));
            self.put(&dir, &new_name, new)?;
            if new_name != *name {
                self.disk.remove(&dir.join(name))?;
            }
            self.disk.point("purge.text");
        }
        if logged || !changes.is_empty() {
            self.disk.sync_dir(&dir)?;
        }
        Ok(Some(changes.len() + usize::from(logged)))
    }

    /// The texts that earlier texts of any document hold of an item, and the reasons that its log gives for it.
    ///
    /// # Errors
    /// A disk error.
    pub fn item_texts(&self, item: &str) -> Result<(Vec<String>, Vec<String>)> {
        let (mut said, mut reasons) = (Vec::new(), Vec::new());
        for history in self.histories()? {
            let dir = self.history.join(&history.name);
            for name in self.disk.list(&dir)? {
                let bytes = match name == LOG {
                    true => self.disk.read(&dir.join(name), LOG_MAX)?,
                    false => self.disk.read(&dir.join(name), DOCUMENT_BYTES_MAX)?,
                };
                if bytes.starts_with(b"{") {
                    logged_of(&bytes, item, &mut said, &mut reasons);
                } else if let Ok(merger) = Merger::open(&bytes) {
                    said.extend(merger.item_text(item).map(str::to_owned));
                }
            }
        }
        Ok((said, reasons))
    }

    /// Every earlier text of every document, with the document as its log names it, or with the name of its history.
    ///
    /// # Errors
    /// A disk error.
    pub fn kept_texts(&self) -> Result<Vec<(PathBuf, Vec<u8>)>> {
        let mut texts = Vec::new();
        for history in self.histories()? {
            let dir = self.history.join(&history.name);
            let last = self.recent_in(&dir).ok().and_then(|mut versions| versions.pop());
            let of = last.and_then(|last| last.document).unwrap_or_else(|| PathBuf::from(&history.name));
            for name in self.disk.list(&dir)?.into_iter().filter(|name| name != LOG) {
                texts.extend(self.read_kept(&dir.join(name))?.map(|text| (of.clone(), text)));
            }
        }
        Ok(texts)
    }

    /// The log with what it says of the texts forgotten, and the hashes of the texts as they will be.
    fn forget_in_log(
        &self,
        dir: &Path,
        hashes: &BTreeMap<String, String>,
        forgetting: &Forgetting,
    ) -> Result<bool> {
        let log = match self.disk.read(&dir.join(LOG), LOG_MAX) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(false),
            other => other?,
        };
        let cleaned = forgetting.out_of_json(&log);
        let mut text = String::from_utf8_lossy(cleaned.as_deref().unwrap_or(&log)).into_owned();
        for (old, new) in hashes {
            text = text.replace(old, new);
        }
        if text.as_bytes() == log {
            return Ok(false);
        }
        self.put(dir, LOG, text.as_bytes())?;
        self.disk.sync_dir(dir)?;
        Ok(true)
    }

    /// Puts bytes in the place of a file, whole or not at all.
    fn put(&self, dir: &Path, name: &str, bytes: &[u8]) -> Result<()> {
        let part = dir.join("purge.part");
        self.disk.remove(&part)?;
        self.disk.write_new(&part, bytes, Attributes::PRIVATE)?;
        Ok(self.disk.replace(&part, &dir.join(name))?)
    }
}

/// What a log says that an item said before, and why; not why it was purged.
fn logged_of(log: &[u8], item: &str, said: &mut Vec<String>, reasons: &mut Vec<String>) {
    let lines = log.split(|byte| *byte == b'\n');
    let values = lines.filter_map(|line| serde_json::from_slice::<serde_json::Value>(line).ok());
    for value in values {
        for job in value["jobs"].as_array().into_iter().flatten() {
            for (n, change) in job["changes"].as_array().into_iter().flatten().enumerate() {
                if change["item"]["id"] == item {
                    let note = &job["notes"][n];
                    let texts = [&change["item"]["was"], &note["said"]];
                    said.extend(texts.into_iter().filter_map(|text| text.as_str()).map(str::to_owned));
                    let reason = note["reason"].as_str().filter(|_| note["operation"] != "purge");
                    reasons.extend(reason.map(str::to_owned));
                }
            }
        }
    }
}

/// A text without the texts, and with nothing of the item but its id; `None` where it has none of them.
fn without(bytes: &[u8], item: &str, forgetting: &Forgetting) -> Option<Vec<u8>> {
    let cleaned = forgetting.out_of(bytes);
    let now = cleaned.as_deref().unwrap_or(bytes);
    let Ok(merger) = Merger::open(now) else { return cleaned };
    let found = merger.items().into_iter().find(|found| found.item.known_as() == item);
    let Some(found) = found.filter(|found| !found.item.text().contains(PURGED)) else { return cleaned };
    // Too short to be searched for in other texts: it is found by its id.
    let line_end = now.get(found.bytes.clone())?.ends_with(b"\n");
    let indent = found.item.to_string();
    let indent = &indent[..indent.len() - indent.trim_start().len()];
    let left = format!("{indent}- {PURGED} ^{item}{}", if line_end { "\n" } else { "" });
    Some([now.get(..found.bytes.start)?, left.as_bytes(), now.get(found.bytes.end..)?].concat())
}
