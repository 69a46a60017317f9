//! Questions on a terminal: yes or no, or a line. The only place that reads an answer, but for the digits that show that a
//! person decides (`asking`).

use crate::failure::{self, Failure};
use crate::language::said;
use crate::render::{self, Tone};
use crate::world::World;
use crate::wrap::{for_stderr, wrapped};
use std::io::{BufRead, Write};

/// Whether somebody agrees. Enter alone is `usual`.
pub fn agreed(question: &str, usual: bool) -> Result<bool, Failure> {
    let marks = if usual { "[Y/n]" } else { "[y/N]" };
    Ok(match answer(&format!("{} {marks} ", said(question)))?.as_deref() {
        Some("") => usual,
        Some(answer) => is_yes(answer),
        // The end of what is typed is no yes.
        None => false,
    })
}

/// Whether that is a yes.
pub fn is_yes(answer: &str) -> bool {
    matches!(answer, "y" | "Y" | "yes" | "是")
}

/// A line. Enter alone is `usual`; `-` is nothing.
pub fn line(question: &str, usual: &str) -> Result<Option<String>, Failure> {
    let marks =
        if usual.is_empty() { "Enter: none".to_owned() } else { format!("Enter: {usual}; type - for none") };
    Ok(match answer(&format!("{} ({})\n> ", said(question), said(&marks)))?.as_deref() {
        Some("") => Some(usual.to_owned()),
        Some("-") | None => None,
        Some(answer) => Some(answer.to_owned()),
    }
    .filter(|answer| !answer.is_empty()))
}

/// What is typed after a prompt on standard error, as `typed` reads it.
pub fn answer(prompt: &str) -> Result<Option<String>, Failure> {
    crate::render::tell_part(for_stderr(prompt));
    std::io::stderr().flush().map_err(failure::unwritable)?;
    typed()
}

/// The first letter of the answer, in lower case, and `\n` for an empty one; `None` at the end of input. The question goes to
/// standard output, like the listing that it stands below.
pub fn letter(world: &World, question: &str) -> Result<Option<char>, Failure> {
    Ok(word(world, question)?.map(|line| line.chars().next().unwrap_or('\n')))
}

/// The same for the whole answer, in lower case.
pub fn word(world: &World, question: &str) -> Result<Option<String>, Failure> {
    render::write(&wrapped(world.page, &world.page.paint(Tone::Strong, question)))?;
    Ok(typed()?.map(|line| line.to_lowercase()))
}

/// A line of standard input, without blanks around it; `None` at the end of input.
fn typed() -> Result<Option<String>, Failure> {
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    let read = read.map_err(|e| Failure::new(format!("cannot read the answer: {e}")))?;
    Ok((read > 0).then(|| line.trim().to_owned()))
}
