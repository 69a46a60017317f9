//! A worker inside a program: it merges what was declared, until nothing waits. `watch` instead of `work` would stay, in a
//! thread of its own, until its `Control` stops it.

use last_word::{Caller, Control, Declared, EntryFields, Home, Host, Notice, Turn};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const CONFIG: &str = "version: 1\nknowledge_bases:\n  notes: { path: ~/NOTES.md }\n";

/// The example.
pub fn main() -> Result<(), Box<dyn Error>> {
    let user = tempfile::tempdir()?;
    println!("{} applied", merge(user.path())?);
    Ok(())
}

/// Declares a change in a new home of this user and merges it; how many jobs changed their document.
pub fn merge(user: &Path) -> Result<u64, Box<dyn Error>> {
    // Whoever runs a worker hears what happens, as it happens.
    let heard = Arc::new(AtomicUsize::new(0));
    let events = Arc::clone(&heard);
    let host = Host::system().with_notices(move |notice| match notice {
        Notice::JournalEntry(_) => drop(events.fetch_add(1, Ordering::Relaxed)),
        Notice::Warning(text) => eprintln!("warning: {text}"),
        _ => {}
    });
    let home = Home::create(user.join("last-word"), user, host, CONFIG)?;
    let caller = Caller::program(user);
    let entry = EntryFields {
        to: "notes".to_owned(),
        heading: vec!["Build".to_owned()],
        content: Some("- cargo test".to_owned()),
        ..EntryFields::default()
    };
    home.enqueue(&caller, Declared::new().declaration("the entry", entry.declaration()?))?;

    // A clone of the control, in another thread or a signal handler, ends the worker after the batch in hand.
    let worker = home.worker(caller, "ada").threads(Some(2)).control(Control::new());
    let Turn::Done(report) = worker.work()? else { return Err("another worker runs".into()) };
    assert!(heard.load(Ordering::Relaxed) > 0, "the journal's events were told");
    Ok(report.applied)
}
