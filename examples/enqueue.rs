//! Declares a change from a Rust program. The job is on stable storage when `enqueue` returns; a worker, in this process or
//! in any other, merges it later.

use last_word::{Caller, Declared, EntryFields, Home, Host};
use std::error::Error;
use std::path::Path;

const CONFIG: &str = "version: 1\nknowledge_bases:\n  notes: { path: ~/NOTES.md }\n";

/// The example.
pub fn main() -> Result<(), Box<dyn Error>> {
    let user = tempfile::tempdir()?;
    println!("{}", declare(user.path())?);
    Ok(())
}

/// Makes a home for this user and declares two changes; the ids of the jobs.
pub fn declare(user: &Path) -> Result<String, Box<dyn Error>> {
    let home = Home::create(user.join("last-word"), user, Host::system(), CONFIG)?;
    let caller = Caller::agent(user, "my_agent", "session-1");

    // By its fields ...
    let entry = EntryFields {
        to: "notes".to_owned(),
        heading: vec!["Decisions".to_owned()],
        content: Some("- errors are values".to_owned()),
        ..EntryFields::default()
    };
    // ... or as a text, YAML or JSON.
    let text = r#"{"version": "1.0.0", "entries": [
        {"key": {"kb": "notes", "heading": "People"}, "operation": "append", "content": "- Ada leads"}]}"#;
    let declared = Declared::new()
        .declaration("the entry", entry.declaration()?)
        .text("people.json", text.into(), None)
        .key(Some("session-1/end".to_owned()));

    let jobs = home.enqueue(&caller, declared.clone())?;
    // With a key it takes effect once, however often it is repeated.
    assert_eq!(home.enqueue(&caller, declared)?.iter().filter(|job| job.new).count(), 0);
    Ok(jobs.iter().map(|job| job.id.to_string()).collect::<Vec<_>>().join("\n"))
}
