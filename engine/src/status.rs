//! `status` and `metrics`: the state of the queue, and what only the configuration tells of it.

use crate::output::{Metrics, StatusReport};
use crate::{Failure, Home};
use durable::Attributes;
use operator::{Expired, FailureGroup, Measured, Status};
use policy::settings::Settings;
use std::path::Path;

/// Others read it: node_exporter runs as a user of its own.
const TEXTFILE: Attributes = Attributes { mode: 0o644, owner: None };

impl Home {
    /// Whether it works, and what needs somebody. Where `cwd` is in a project that is not listed, what lies in its inbox is
    /// named beside it.
    ///
    /// # Errors
    /// The home cannot be used, or a disk error. A configuration that cannot be used is part of the answer.
    pub fn status(&self, cwd: &Path) -> Result<Status, Failure> {
        let status = operator::status(self.queue(), self.now())?;
        Ok(match self.settings() {
            Ok(settings) => {
                let unlisted = self.unlisted_inbox(&settings, cwd)?;
                Status { unlisted, ..status.left_in_inboxes(self.left_in_inboxes(&settings)?) }
            }
            Err(failure) => status.misconfigured(failure.first()),
        })
    }

    /// What failed, by error code, most first; and how many of the oldest failed jobs were not looked into.
    ///
    /// # Errors
    /// A disk error.
    pub fn failures(&self) -> Result<(Vec<FailureGroup>, usize), Failure> {
        Ok(operator::failure_groups(self.queue())?)
    }

    /// The same with what is around the queue, for machines. `switched_off`: whether the surface's environment switches the
    /// hooks off.
    ///
    /// # Errors
    /// As for `status`.
    pub fn status_report(&self, cwd: &Path, switched_off: bool) -> Result<StatusReport, Failure> {
        let status = self.status(cwd)?;
        let (expired, filling) = (self.expired(), self.filling(cwd));
        let (hooks, drifted) = (self.hooks(cwd, switched_off).as_str(), self.drifted(cwd));
        Ok(StatusReport { status, hooks, expired, filling, drifted })
    }

    /// The same in numbers, with what was counted since the home was made.
    ///
    /// # Errors
    /// As for `status`.
    pub fn metrics(&self, cwd: &Path) -> Result<Metrics, Failure> {
        let (status, Measured { counters, blocked_documents, watching }) = self.measure(cwd)?;
        Ok(Metrics { blocked_documents, counters, status, watching })
    }

    /// The same numbers as text for Prometheus.
    ///
    /// # Errors
    /// As for `status`.
    pub fn metrics_text(&self, cwd: &Path) -> Result<String, Failure> {
        let (status, measured) = self.measure(cwd)?;
        Ok(operator::metrics(&status, &measured))
    }

    fn measure(&self, cwd: &Path) -> Result<(Status, Measured), Failure> {
        let watching = self.is_watched()?;
        let queue = self.queue();
        let blocked_documents = operator::blocked_documents(queue)?;
        let measured = Measured { counters: queue.counters()?, blocked_documents, watching };
        Ok((self.status(cwd)?, measured))
    }

    /// Every section whose author wanted it looked at again by now, over all documents with a history. What cannot be read
    /// now is said by other verbs.
    #[must_use]
    pub fn expired(&self) -> Vec<Expired> {
        let known = self.documents().changed_since(declaration::Timestamp(0)).unwrap_or_default();
        let now = self.now();
        let found =
            known.iter().filter_map(|document| operator::expired(self.documents(), document, now).ok());
        found.flatten().collect()
    }

    /// Writes the file that `metrics.textfile` names, whole or not at all.
    pub(crate) fn write_metrics_textfile(&self, settings: &Settings, cwd: &Path) -> Result<(), Failure> {
        let Some(name) = &settings.metrics_textfile else { return Ok(()) };
        let path = self.expand(name);
        let text = self.metrics_text(cwd)?;
        // Not `*.prom`: half of it is never read. One run at a time writes, and a torn one is written over.
        let tmp = path.with_extension("prom.last-word-new");
        self.disk.remove(&tmp)?;
        self.disk.write_new(&tmp, text.as_bytes(), TEXTFILE)?;
        Ok(self.disk.replace(&tmp, &path)?)
    }
}
