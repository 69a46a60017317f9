//! Reads what became of a document: its versions, who wrote which section and why, what changed, and back again.

use last_word::{Actor, Caller, Declared, EntryFields, Home, Host};
use std::error::Error;
use std::path::Path;

const CONFIG: &str = "version: 1\nknowledge_bases:\n  notes: { path: ~/NOTES.md }\n";

/// The example.
pub fn main() -> Result<(), Box<dyn Error>> {
    let user = tempfile::tempdir()?;
    for line in told(user.path())? {
        println!("{line}");
    }
    Ok(())
}

/// Writes a section twice and takes the second time back; what the history says of it, a line each.
pub fn told(user: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let home = Home::create(user.join("last-word"), user, Host::system(), CONFIG)?;
    let caller = Caller::agent(user, "my_agent", "session-1");
    for content in ["- in March", "- in May"] {
        let entry = EntryFields {
            to: "notes".to_owned(),
            heading: vec!["Release".to_owned()],
            op: Some("update".to_owned()),
            content: Some(content.to_owned()),
            reason: Some("the meeting said so".to_owned()),
            ..EntryFields::default()
        };
        home.enqueue(&caller, Declared::new().declaration("the entry", entry.declaration()?))?;
        home.worker(caller.clone(), "ada").work()?;
    }

    let mut lines = Vec::new();
    for version in home.history("notes", user)?.versions {
        lines.push(format!("version {}, {} jobs", version.version, version.jobs.len()));
    }
    for section in home.blame("notes", user)?.sections {
        if let Some(last) = section.last {
            let why = last.meta.reason.unwrap_or_default();
            lines.push(format!("{}: {} in {}: {why}", section.heading.join(" > "), last.agent, last.session));
        }
    }

    // An agent proposes, a person decides: `caller` may not do this. A rollback is a job like any other.
    let person = Actor {
        name: "ada".to_owned(),
        channel: "program".to_owned(),
        reason: Some("it is March after all".to_owned()),
    };
    let back = home.rollback(&Caller::program(user), &person, "notes", None, false)?;
    home.worker(Caller::program(user), "ada").work()?;
    lines.push(format!("back to version {}", back.to));
    lines.extend(home.read("notes", &last_word::SectionNamed::default(), user)?.text);
    Ok(lines)
}
