//! An entry by flags whose operation nobody named, where something stands already: what it would replace is shown. A
//! person is asked; a script is told both commands.

use crate::entry::EntryFlags;
use crate::failure::{Exit, Failure};
use crate::world::World;
use declaration::Entry;
use engine::{ReplacedText, quoted};
use std::io::Write;

/// Lines of what would be replaced that are shown.
const LINES_SHOWN: usize = 5;

/// The operation for a text that was given without one: named by the person who is asked, else `None`, when there is
/// nothing to lose. `planned`: what the session said before.
///
/// # Errors
/// Something would be replaced, and nobody can be asked or nobody wants it.
pub fn operation(
    flags: &EntryFlags,
    content: &str,
    planned: &[Entry],
    world: &World,
) -> Result<Option<String>, Failure> {
    let section = flags.to.as_deref().zip(u8::try_from(flags.level).ok());
    let replaced = section.and_then(|(to, level)| {
        world.replaced_text(to, (flags.heading.as_slice(), level), planned, &world.cwd)
    });
    let Some(replaced) = replaced else { return Ok(None) };
    if replaced.text.trim() == content.trim() {
        return Ok(None);
    }
    let message = told(flags, &replaced);
    if !world.interactive()
        || flags.content.as_deref() == Some("-")
        || flags.content_file.as_deref() == Some("-")
    {
        let (add, replace) = (typed("append"), typed(if content.is_empty() { "clear" } else { "update" }));
        let hint = format!("say which with --op\n  to add to it:   {add}\n  to replace it:  {replace}");
        return Err(Failure::new(format!("nothing was enqueued: {message}")).hint(hint).exit(Exit::Refused));
    }
    ask(&message)
}

fn told(flags: &EntryFlags, replaced: &ReplacedText) -> String {
    let lines: Vec<&str> = replaced.text.trim().lines().collect();
    let mut told = format!(
        "without --op, {} of `{}` in {} would be replaced ({}):",
        crate::render::count(lines.len(), "line"),
        flags.heading.join(" > "),
        flags.to.as_deref().unwrap_or_default(),
        if replaced.merged { "in the document" } else { "declared, not merged yet" },
    );
    for line in lines.iter().take(LINES_SHOWN) {
        told.push_str(&format!("\n  {line}"));
    }
    if lines.len() > LINES_SHOWN {
        told.push_str(&format!("\n  … {} more", lines.len() - LINES_SHOWN));
    }
    told
}

/// The same command with an operation.
fn typed(operation: &str) -> String {
    let mut words: Vec<String> =
        std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy())).collect();
    words.insert(0, crate::own_name::program().to_owned());
    format!("{} --op {operation}", words.join(" "))
}

fn ask(message: &str) -> Result<Option<String>, Failure> {
    eprintln!("{}", crate::visible::visible(message));
    loop {
        eprint!("[a]dd to it, [r]eplace it, [n]othing? ");
        std::io::stderr().flush().map_err(crate::failure::unwritable)?;
        let mut answer = String::new();
        let read = std::io::stdin().read_line(&mut answer);
        let read = read.map_err(|e| Failure::new(format!("cannot read the answer: {e}")))?;
        match answer.trim() {
            "a" | "add" => return Ok(Some("append".to_owned())),
            "r" | "replace" => return Ok(Some("update".to_owned())),
            "n" | "nothing" | "q" => return Err(Failure::new("nothing was enqueued").hint("as you wished")),
            _ if read == 0 => return Err(Failure::new("nothing was enqueued: there was no answer")),
            _ => {}
        }
    }
}
