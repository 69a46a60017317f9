//! A validator that is a function of the program instead of a process: it judges the merged text before it is written. What it
//! refuses waits for a person, with its words.
// A program of its own reads its files itself.
#![allow(clippy::disallowed_methods)]

use last_word::{Caller, Declared, EntryFields, Home, Host, Program, Ran, Turn};
use std::error::Error;
use std::path::Path;

/// The configuration names it, as it would name a program.
const CONFIG: &str = "version: 1\nknowledge_bases:\n  notes: { path: ~/NOTES.md, validate: [[no-shouting, \"{candidate}\"]] }\n";

/// The example.
pub fn main() -> Result<(), Box<dyn Error>> {
    let user = tempfile::tempdir()?;
    println!("{}", judged(user.path())?);
    Ok(())
}

/// Declares two changes of which one is refused; why.
pub fn judged(user: &Path) -> Result<String, Box<dyn Error>> {
    let host = Host::system().with_programs(no_shouting);
    let home = Home::create(user.join("last-word"), user, host, CONFIG)?;
    let caller = Caller::program(user);
    for (heading, content) in [("Quiet", "- a plain sentence"), ("Loud", "- LISTEN TO ME")] {
        let entry = EntryFields {
            to: "notes".to_owned(),
            heading: vec![heading.to_owned()],
            content: Some(content.to_owned()),
            ..EntryFields::default()
        };
        home.enqueue(&caller, Declared::new().declaration(heading, entry.declaration()?))?;
    }
    let Turn::Done(report) = home.worker(caller, "ada").work()? else { return Err("busy".into()) };
    assert_eq!((report.applied, report.failed), (1, 1));
    let failed = home.list(&last_word::Filter::default())?;
    Ok(failed.iter().find_map(|row| row.message.clone()).unwrap_or_default())
}

/// Answers as a program would: 0 accepts, anything else refuses with what it says. The merged text is in the file that its
/// argument names; the document is not written yet.
fn no_shouting(program: &Program<'_>) -> Ran {
    let [name, candidate] = program.argv else { return Ran::NotStarted("it takes one argument".to_owned()) };
    if name != "no-shouting" {
        return Ran::NotStarted(format!("this program has no validator `{name}`"));
    }
    let text = match std::fs::read_to_string(candidate) {
        Ok(text) => text,
        Err(e) => return Ran::NotStarted(format!("cannot read {candidate}: {e}")),
    };
    let loud = text.lines().find(|line| {
        let mut letters = line.chars().filter(|c| c.is_alphabetic()).peekable();
        letters.peek().is_some() && letters.all(char::is_uppercase)
    });
    let stderr = loud.map(|line| format!("please do not shout: {line}")).unwrap_or_default();
    Ran::Ended { code: Some(i32::from(loud.is_some())), stdout: Vec::new(), stderr: stderr.into_bytes() }
}
