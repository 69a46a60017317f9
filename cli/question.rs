//! Plain questions on a terminal: yes or no, and a line. Who may decide is another matter (`asking`).

use crate::failure::{self, Failure};
use std::io::{BufRead, Write};

/// Whether somebody agrees. Enter alone is `usual`.
pub fn agreed(question: &str, usual: bool) -> Result<bool, Failure> {
    let marks = if usual { "[Y/n]" } else { "[y/N]" };
    Ok(match asked(&format!("{question} {marks} "))?.as_deref() {
        Some("") => usual,
        Some(answer) => matches!(answer, "y" | "Y" | "yes"),
        // The end of what is typed is no yes.
        None => false,
    })
}

/// A line. Enter alone is `usual`; `-` is nothing.
pub fn line(question: &str, usual: &str) -> Result<Option<String>, Failure> {
    let shown = if usual.is_empty() { "nothing" } else { usual };
    Ok(match asked(&format!("{question} (Enter: {shown}; -: nothing)\n> "))?.as_deref() {
        Some("") => Some(usual.to_owned()),
        Some("-") | None => None,
        Some(answer) => Some(answer.to_owned()),
    }
    .filter(|answer| !answer.is_empty()))
}

/// What is typed, without blanks around it; `None` at the end.
fn asked(prompt: &str) -> Result<Option<String>, Failure> {
    eprint!("{prompt}");
    std::io::stderr().flush().map_err(failure::unwritable)?;
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer).map_err(failure::unwritable)?;
    Ok((read > 0).then(|| answer.trim().to_owned()))
}
