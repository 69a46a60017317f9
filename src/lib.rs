//! `last-word` as a library: the durable write path for what agents learn, inside another program. A change to a Markdown
//! document is declared, is on stable storage before the call returns, and is merged exactly once; what cannot be merged
//! waits for a person.
//!
//! Everything is a method of a [`Home`]: the directory with queue, history and configuration. It is an owned value that can be
//! kept and shared between threads. What it needs of the machine it is handed once, as a [`Host`]; what it answers is plain
//! data ([`output`]), the same that the command line prints with `--json`.
//!
//! ```
//! use last_word::{Caller, Declared, EntryFields, Home, Host, SectionNamed, Turn};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let dir = tempfile::tempdir()?;
//! # let user = dir.path();
//! let config = "version: 1\nknowledge_bases:\n  notes: { path: ~/NOTES.md }\n";
//! let home = Home::create(user.join("last-word"), user, Host::system(), config)?;
//! let caller = Caller::agent(user, "my_agent", "session-1");
//!
//! let entry = EntryFields {
//!     to: "notes".to_owned(),
//!     heading: vec!["Decisions".to_owned()],
//!     content: Some("- errors are values".to_owned()),
//!     ..EntryFields::default()
//! };
//! let declared = Declared::new().declaration("the entry", entry.declaration()?);
//! let jobs = home.enqueue(&caller, declared)?; // durable from here on
//! assert_eq!(jobs.len(), 1);
//!
//! let Turn::Done(report) = home.worker(caller, "ada").work()? else { unreachable!() };
//! assert_eq!(report.applied, 1);
//! let notes = home.read("notes", &SectionNamed::default(), user)?;
//! assert_eq!(notes.text.as_deref(), Some("## Decisions\n\n- errors are values\n"));
//! # Ok(())
//! # }
//! ```
//!
//! A [`Failure`] has the exit code that the command line would end with, a message and what to do about it. What happened to a
//! job (applied, failed, waiting for a yes) is never a failure: it is an answer. `examples/` has a worker, a validator that is a
//! function, and how history is read.

pub use engine::*;
