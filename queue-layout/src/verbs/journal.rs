//! What happened, one event a line, in `journal/<day>.jsonl`, for people and for `log`. Nothing is decided by it, so it is
//! not synced, and failing to write a line never fails the work that the line is about.

use super::Journal;
use crate::error::Result;
use crate::format::id::JobId;
use declaration::Timestamp;
use serde::{Deserialize, Serialize};

/// Kinds of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A job was enqueued.
    Enqueued,
    /// A dropped file became jobs.
    TakenIn,
    /// A session's buffer became a job.
    Flushed,
    /// A session took an entry back before it was a job.
    TakenBack,
    /// A hook failed, and answered its agent as if nothing had happened.
    HookFailed,
    /// A job changed its document.
    Applied,
    /// A job changed nothing: its document had the text already.
    Unchanged,
    /// A job failed, and is retried later.
    Deferred,
    /// A job waits for `resolve`.
    Failed,
    /// A job waits for `review`.
    Review,
    /// A job of a dead worker was given back.
    Recovered,
    /// A job killed too many workers.
    Poisoned,
    /// An operator put a job back to `pending`.
    Retried,
    /// An operator changed a job and put it back.
    Edited,
    /// An operator let the document's side of a conflict stand.
    TookOurs,
    /// An operator let the job's side of a conflict stand.
    TookTheirs,
    /// An operator threw a job away.
    Discarded,
    /// A reviewer said yes.
    Approved,
    /// A reviewer said no.
    Rejected,
    /// An operator held the queue, a document or a job.
    Held,
    /// An operator released it.
    Released,
    /// A person said what a script may decide.
    Decider,
    /// A person said how long a document may get.
    Budget,
    /// What was old was cleared away.
    Pruned,
    /// The text of an item was forgotten, as a person wanted.
    Purged,
    /// What an adoption made is gone again, as a person wanted.
    AdoptionUndone,
    /// A daily log that is old was moved to `archive/`.
    Archived,
    /// A day that was in `archive/` is in its place again, because an entry for it came late.
    BroughtBack,
    /// A person's edit came between our read and our exchange; both are in the document.
    PersonSaved,
    /// A person's editor wrote into a version that had been displaced.
    LateWrite,
    /// A person saved twice during a commit, and the second text could not be merged with the first.
    LeftOut,
    /// What a job changed is gone from the document again.
    Reverted,
    /// A document, or the configuration, was changed past the queue while a command of an agent ran.
    ChangedInCommand,
    /// A worker that stays read changed settings.
    SettingsRead,
    /// The settings changed and are bad; a worker that stays goes on with those of before.
    SettingsKept,
    /// A worker's run ended.
    RunEnded,
    /// The machine was in trouble and a run stopped.
    Trouble,
}

impl Event {
    /// All of them.
    pub const ALL: &[Event] = &[
        Event::Enqueued,
        Event::TakenIn,
        Event::Flushed,
        Event::TakenBack,
        Event::HookFailed,
        Event::Applied,
        Event::Unchanged,
        Event::Deferred,
        Event::Failed,
        Event::Review,
        Event::Recovered,
        Event::Poisoned,
        Event::Retried,
        Event::Edited,
        Event::TookOurs,
        Event::TookTheirs,
        Event::Discarded,
        Event::Approved,
        Event::Rejected,
        Event::Held,
        Event::Released,
        Event::Decider,
        Event::Budget,
        Event::Pruned,
        Event::Purged,
        Event::AdoptionUndone,
        Event::Archived,
        Event::BroughtBack,
        Event::PersonSaved,
        Event::LateWrite,
        Event::LeftOut,
        Event::Reverted,
        Event::ChangedInCommand,
        Event::SettingsRead,
        Event::SettingsKept,
        Event::RunEnded,
        Event::Trouble,
    ];

    /// The words for it, for people.
    #[must_use]
    pub fn in_words(self) -> &'static str {
        match self {
            Event::TakenIn => "taken in",
            Event::TakenBack => "taken back",
            Event::HookFailed => "hook failed",
            Event::TookOurs => "took ours",
            Event::TookTheirs => "took theirs",
            Event::AdoptionUndone => "adoption undone",
            Event::PersonSaved => "person saved",
            Event::LateWrite => "late save",
            Event::LeftOut => "save left out",
            Event::ChangedInCommand => "in a command",
            Event::SettingsRead => "settings read",
            Event::SettingsKept => "settings bad",
            Event::RunEnded => "run ended",
            other => other.as_str(),
        }
    }

    /// The word for it, as in the journal.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Event::Enqueued => "enqueued",
            Event::TakenIn => "taken_in",
            Event::Flushed => "flushed",
            Event::TakenBack => "taken_back",
            Event::HookFailed => "hook_failed",
            Event::Applied => "applied",
            Event::Unchanged => "unchanged",
            Event::Deferred => "deferred",
            Event::Failed => "failed",
            Event::Review => "review",
            Event::Recovered => "recovered",
            Event::Poisoned => "poisoned",
            Event::Retried => "retried",
            Event::Edited => "edited",
            Event::TookOurs => "took_ours",
            Event::TookTheirs => "took_theirs",
            Event::Discarded => "discarded",
            Event::Approved => "approved",
            Event::Rejected => "rejected",
            Event::Held => "held",
            Event::Released => "released",
            Event::Decider => "decider",
            Event::Budget => "budget",
            Event::Pruned => "pruned",
            Event::Purged => "purged",
            Event::AdoptionUndone => "adoption_undone",
            Event::Archived => "archived",
            Event::BroughtBack => "brought_back",
            Event::PersonSaved => "person_saved",
            Event::LateWrite => "late_write",
            Event::LeftOut => "left_out",
            Event::Reverted => "reverted",
            Event::ChangedInCommand => "changed_in_command",
            Event::SettingsRead => "settings_read",
            Event::SettingsKept => "settings_kept",
            Event::RunEnded => "run_ended",
            Event::Trouble => "trouble",
        }
    }
}

/// One line of the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalEntry {
    /// When.
    pub at: Timestamp,
    /// What.
    pub event: Event,
    /// To which job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<JobId>,
    /// To which document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// By which worker or person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// An error's code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// In words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl JournalEntry {
    /// An event at a moment.
    #[must_use]
    pub fn new(at: Timestamp, event: Event) -> Self {
        JournalEntry { at, event, id: None, document: None, by: None, code: None, message: None }
    }

    /// The same, of a job.
    #[must_use]
    pub fn job(mut self, id: JobId, document: &std::path::Path) -> Self {
        self.id = Some(id);
        self.document = Some(document.to_string_lossy().into_owned());
        self
    }

    /// The same, by somebody.
    #[must_use]
    pub fn by(mut self, who: &str) -> Self {
        self.by = Some(who.to_owned());
        self
    }

    /// The same, in words.
    #[must_use]
    pub fn saying(mut self, code: Option<&str>, message: impl Into<String>) -> Self {
        self.code = code.map(str::to_owned);
        self.message = Some(message.into());
        self
    }
}

/// About how many bytes a line takes.
const LINE_BYTES: usize = 256;
/// How far from the end of a journal its last line end is looked for: no message is as long.
const LINE_BYTES_MAX: u64 = 64 << 10;

impl Journal<'_> {
    /// Writes events down, in one write per day.
    ///
    /// # Errors
    /// A disk error; callers report it and go on.
    pub fn write(&self, happened: &[JournalEntry]) -> Result<()> {
        let mut rest = happened;
        while let Some(first) = rest.first() {
            let day = first.at.day();
            // All events of a batch have one time, so the day is computed once.
            let same_day = |happened: &&JournalEntry| happened.at == first.at || happened.at.day() == day;
            let (today, later) = rest.split_at(rest.iter().take_while(same_day).count());
            let mut lines = Vec::with_capacity(today.len() * LINE_BYTES);
            for event in today {
                let whole = lines.len();
                match serde_json::to_writer(&mut lines, event) {
                    Ok(()) => lines.push(b'\n'),
                    Err(_) => lines.truncate(whole),
                }
            }
            self.queue.disk.append(&self.queue.layout.journal(&day), &lines)?;
            rest = later;
        }
        Ok(())
    }

    /// The last events of a day, oldest first: what fits into the last 64 KiB.
    ///
    /// # Errors
    /// A disk error.
    pub fn tail(&self, day: &str) -> Result<Vec<JournalEntry>> {
        match self.queue.disk.read_tail(&self.queue.layout.journal(day), 64 << 10) {
            Ok((bytes, _)) => Ok(bytes
                .split(|b| *b == b'\n')
                .filter_map(|line| serde_json::from_slice(line).ok())
                .collect()),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(e) => Err(e.into()),
        }
    }

    /// Whole lines of a day's journal from an offset on, about 1 MiB of them at most, and the offset behind them: the same one
    /// when there is nothing more. A line that cannot be read is left out.
    ///
    /// # Errors
    /// A disk error.
    pub fn lines_from(&self, day: &str, offset: u64) -> Result<(Vec<JournalEntry>, u64)> {
        const PIECE_BYTES: u64 = 1 << 20;
        let left = self.bytes(day)?.saturating_sub(offset);
        if left == 0 {
            return Ok((Vec::new(), offset));
        }
        let path = self.queue.layout.journal(day);
        let bytes = self.queue.disk.read_at(&path, offset, left.min(PIECE_BYTES))?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let lines = bytes[..whole].split(|byte| *byte == b'\n');
        let events = lines.filter_map(|line| serde_json::from_slice(line).ok()).collect();
        Ok((events, offset + whole as u64))
    }

    /// The newest events of a day that are wanted, newest first, at most `limit`, of the lines before the offset `end`. The file is
    /// read from there backwards, in pieces; a piece, and a line, that has not all of these texts is not taken apart.
    ///
    /// # Errors
    /// A disk error.
    pub fn newest(
        &self,
        day: &str,
        mut end: u64,
        texts: &[&str],
        limit: usize,
        wants: &dyn Fn(&JournalEntry) -> bool,
    ) -> Result<Vec<JournalEntry>> {
        const PIECE_BYTES: u64 = 256 << 10;
        let path = self.queue.layout.journal(day);
        let has_all = |text: &str| texts.iter().all(|wanted| text.contains(wanted));
        let (mut found, mut rest) = (Vec::new(), Vec::new());
        while end > 0 && found.len() < limit {
            let start = end.saturating_sub(PIECE_BYTES);
            let mut piece = self.queue.disk.read_at(&path, start, end - start)?;
            piece.append(&mut rest);
            // What stands before the first line end belongs to a line that began earlier.
            let whole = if start == 0 {
                0
            } else {
                piece.iter().position(|b| *b == b'\n').map_or(piece.len(), |at| at + 1)
            };
            // Bytes that are no text (torn by a power cut) hide no line but their own.
            if std::str::from_utf8(&piece[whole..]).map_or(true, &has_all) {
                let lines = piece[whole..].split(|byte| *byte == b'\n').rev();
                let lines = lines.filter_map(|line| std::str::from_utf8(line).ok());
                let events = lines
                    .filter(|line| has_all(line))
                    .filter_map(|line| serde_json::from_str(line).ok())
                    .filter(|event| wants(event));
                found.extend(events.take(limit - found.len()));
            }
            piece.truncate(whole);
            (rest, end) = (piece, start);
        }
        Ok(found)
    }

    /// Where the last whole line of a day ends, in bytes; 0 when there is none. What somebody is about to write comes behind it.
    ///
    /// # Errors
    /// A disk error.
    pub fn end(&self, day: &str) -> Result<u64> {
        let len = self.bytes(day)?;
        let start = len.saturating_sub(LINE_BYTES_MAX);
        if len == 0 {
            return Ok(0);
        }
        let tail = self.queue.disk.read_at(&self.queue.layout.journal(day), start, len - start)?;
        Ok(tail.iter().rposition(|byte| *byte == b'\n').map_or(start, |at| start + at as u64 + 1))
    }

    /// The size of a day's journal, 0 when there is none.
    ///
    /// # Errors
    /// A disk error.
    fn bytes(&self, day: &str) -> Result<u64> {
        Ok(self.queue.disk.stat(&self.queue.layout.journal(day))?.map_or(0, |stat| stat.len))
    }

    /// The days that have a journal, oldest first.
    ///
    /// # Errors
    /// A disk error.
    pub fn days(&self) -> Result<Vec<String>> {
        let mut days: Vec<String> = self
            .queue
            .list_or_gone(&self.queue.layout.home().join("journal"))?
            .into_iter()
            .filter_map(|name| name.strip_suffix(".jsonl").map(str::to_owned))
            .collect();
        days.sort();
        Ok(days)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_is_the_one_in_the_file() {
        for event in [Event::Enqueued, Event::TakenIn, Event::PersonSaved, Event::Pruned, Event::Held] {
            assert_eq!(serde_json::to_value(event).unwrap(), event.as_str());
        }
    }
}
