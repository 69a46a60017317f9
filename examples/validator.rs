//! A validator that is a function of the program instead of a process: it judges the merged text before it is written. What it
//! refuses waits for a person, with its words.

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

/// Reads the merged text as a program would on its standard input, and answers as one: 0 accepts, anything else refuses.
fn no_shouting(program: &Program<'_>) -> Ran {
    if program.argv.first().is_none_or(|name| name != "no-shouting") {
        return Ran::NotStarted("there is no such validator in this program".to_owned());
    }
    let text = String::from_utf8_lossy(program.stdin);
    let loud = text.lines().find(|line| {
        let mut letters = line.chars().filter(|c| c.is_alphabetic()).peekable();
        letters.peek().is_some() && letters.all(char::is_uppercase)
    });
    let stderr = loud.map(|line| format!("please do not shout: {line}")).unwrap_or_default();
    Ran::Ended { code: Some(i32::from(loud.is_some())), stdout: Vec::new(), stderr: stderr.into_bytes() }
}
