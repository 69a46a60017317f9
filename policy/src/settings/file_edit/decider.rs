//! Adds a decider to the `deciders:` of a configuration's text, changes or removes it. Every other byte stays as it is.

use super::lines;
use crate::settings::{Decider, Settings};

/// The key in the file.
const KEY: &str = "deciders:";

/// The text in which this decider may use these commands; without commands, the text without this decider. `None` where a
/// person has to edit the file: the deciders are written in a way that is not understood, or the name is not allowed. The
/// result has been parsed again: nothing but this decider has changed.
#[must_use]
pub fn with_decider(text: &str, name: &str, commands: &[String], defaults: &Settings) -> Option<String> {
    let before = Settings::parse(text, Some(defaults)).ok()?;
    let mut deciders = before.deciders.clone();
    let decider = Decider { name: name.to_owned(), commands: commands.to_vec() };
    match deciders.iter().position(|known| known.name == name) {
        Some(at) if commands.is_empty() => drop(deciders.remove(at)),
        Some(at) => deciders[at] = decider,
        None if commands.is_empty() => {}
        None => deciders.push(decider),
    }
    let edited = edited(text, name, &deciders)?;
    let after = Settings::parse(&edited, Some(defaults)).ok()?;
    (after == Settings { deciders, ..before }).then_some(edited)
}

fn edited(text: &str, name: &str, deciders: &[Decider]) -> Option<String> {
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let wanted = deciders.iter().find(|decider| decider.name == name).map(written_as);
    let Some((start, line)) = lines(text).find(|(_, line)| line.starts_with(KEY)) else {
        let Some(wanted) = wanted else { return Some(text.to_owned()) };
        let gap = if text.is_empty() || text.ends_with('\n') { "" } else { line_end };
        return Some(format!("{text}{gap}{KEY}{line_end}  {wanted}{line_end}"));
    };
    let after = start + line.len();
    let value = line[KEY.len()..].trim_start();
    if value.starts_with('{') {
        let rest = &value[value.find('}')? + 1..];
        let all: Vec<String> = deciders.iter().map(written_as).collect();
        let all = if all.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", all.join(", ")) };
        return Some(format!("{}{KEY} {all}{rest}{}", &text[..start], &text[after..]));
    }
    if !(value.trim_end().is_empty() || value.starts_with('#')) {
        return None;
    }
    if deciders.is_empty() {
        let empty = line.replacen(KEY, "deciders: {}", 1);
        let own = own_line(&text[after..], name)?;
        return Some(format!("{}{empty}{}", &text[..start], without(&text[after..], own)));
    }
    let below = &text[after..];
    let block = match (own_line(below, name), wanted) {
        (Some((at, line, indent)), Some(wanted)) => {
            let comment = line.find(" #").map_or("", |at| line[at..].trim_end());
            format!("{}{indent}{wanted}{comment}{line_end}{}", &below[..at], &below[at + line.len()..])
        }
        (Some(own), None) => without(below, own),
        (None, Some(wanted)) => {
            let (at, indent) = end_of_block(below);
            let gap = if at == 0 || below[..at].ends_with('\n') { "" } else { line_end };
            format!("{}{gap}{indent}{wanted}{line_end}{}", &below[..at], &below[at..])
        }
        (None, None) => below.to_owned(),
    };
    Some(format!("{}{block}", &text[..after]))
}

fn written_as(decider: &Decider) -> String {
    format!("{}: [{}]", decider.name, decider.commands.join(", "))
}

/// The lines of the block below the key, which are indented, empty or comments: each with where it begins.
fn block(below: &str) -> impl Iterator<Item = (usize, &str)> {
    lines(below).take_while(|(_, line)| line.starts_with([' ', '#', '\r', '\n']))
}

/// The line of a decider in the block: where, the line, and its indent.
fn own_line<'a>(below: &'a str, name: &str) -> Option<(usize, &'a str, &'a str)> {
    block(below).find_map(|(at, line)| {
        let words = line.trim_start();
        let is_own = words.strip_prefix(name).is_some_and(|rest| rest.starts_with(':'));
        is_own.then(|| (at, line, &line[..line.len() - words.len()]))
    })
}

fn without(below: &str, (at, line, _): (usize, &str, &str)) -> String {
    format!("{}{}", &below[..at], &below[at + line.len()..])
}

/// The place after the last decider of the block, and how deciders are indented.
fn end_of_block(below: &str) -> (usize, &str) {
    let mut found = (0, None);
    for (at, line) in block(below) {
        let words = line.trim_start();
        if !(words.is_empty() || words.starts_with('#')) {
            // A line that is indented further belongs to one of them.
            found = (at + line.len(), found.1.or(Some(&line[..line.len() - words.len()])));
        }
    }
    (found.0, found.1.unwrap_or("  "))
}
