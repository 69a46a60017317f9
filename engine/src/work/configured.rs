//! The settings that a worker goes by, and whether the file still says them. A job may have been declared by newer ones, in which
//! a knowledge base has its name: a worker that went on by the old ones would call its target unknown.

use super::Worker;
use crate::{Failure, Home, Notice};
use durable::Stat;
use policy::settings::Settings;
use queue_layout::{Event, JournalEntry};

/// Settings, and which file they were read from.
#[derive(Debug)]
pub(crate) struct Configured {
    pub settings: Settings,
    stamp: Option<Stat>,
}

impl Configured {
    pub fn read(home: &Home) -> Result<Configured, Failure> {
        // Before the text is read: a file that is replaced in between counts as changed.
        let stamp = stamp(home);
        Ok(Configured { settings: home.settings_to_keep()?, stamp })
    }

    /// Whether another file stands there than the one that was read.
    pub fn changed(&self, home: &Home) -> bool {
        stamp(home) != self.stamp
    }

    /// Reads the settings anew when the file changed or somebody asked. Bad ones are said once, and those of before stay:
    /// an editor that is half-way must not stop what works.
    pub fn look(&mut self, worker: &Worker, asked: bool) {
        if !asked && !self.changed(&worker.home) {
            return;
        }
        self.stamp = stamp(&worker.home);
        let at = worker.home.now();
        let event = match worker.home.settings_to_keep() {
            Ok(settings) => {
                self.settings = settings;
                JournalEntry::new(at, Event::SettingsRead)
            }
            Err(failure) => {
                (worker.home.host.tell)(Notice::SettingsUnusable(&failure));
                JournalEntry::new(at, Event::SettingsKept).saying(None, failure.sentence())
            }
        };
        worker.journal(&[event]);
    }
}

fn stamp(home: &Home) -> Option<Stat> {
    home.disk.stat(&home.layout.config()).ok().flatten()
}
