//! Plain questions on a terminal: yes or no, and a line. Who may decide is another matter (`asking`).

use crate::failure::{self, Failure};
use std::io::{BufRead, Write};

/// Whether somebody agrees. Enter alone is `usual`.
pub fn agreed(question: &str, usual: bool) -> Result<bool, Failure> {
    let marks = if usual { "[Y/n]" } else { "[y/N]" };
    Ok(match answer(&format!("{question} {marks} "))?.as_deref() {
        Some("") => usual,
        Some(said) => matches!(said, "y" | "Y" | "yes"),
        // The end of what is typed is no yes.
        None => false,
    })
}

/// A line. Enter alone is `usual`; `-` is nothing.
pub fn line(question: &str, usual: &str) -> Result<Option<String>, Failure> {
    let marks = if usual.is_empty() { "Enter: none".to_owned() } else { format!("Enter: {usual}; -: none") };
    Ok(match answer(&format!("{question} ({marks})\n> "))?.as_deref() {
        Some("") => Some(usual.to_owned()),
        Some("-") | None => None,
        Some(said) => Some(said.to_owned()),
    }
    .filter(|said| !said.is_empty()))
}

/// What is typed, without blanks around it; `None` at the end.
pub fn answer(prompt: &str) -> Result<Option<String>, Failure> {
    eprint!("{prompt}");
    std::io::stderr().flush().map_err(failure::unwritable)?;
    let mut typed = String::new();
    let read = std::io::stdin().lock().read_line(&mut typed).map_err(failure::unwritable)?;
    Ok((read > 0).then(|| typed.trim().to_owned()))
}
