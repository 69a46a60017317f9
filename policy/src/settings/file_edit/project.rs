//! Adds a project to the list `projects:` of a configuration's text. Every other byte stays as it is, comments too.

use super::lines;
use crate::settings::Settings;

/// The text with one more project in its list; `None` where the list is written in a way that is not understood, so that a
/// person has to add it. The result has been parsed again: nothing but the list has changed.
#[must_use]
pub fn with_project(text: &str, project: &str, defaults: &Settings) -> Option<String> {
    let before = Settings::parse(text, Some(defaults)).ok()?;
    let edited = edited(text, &scalar(project))?;
    let after = Settings::parse(&edited, Some(defaults)).ok()?;
    let mut projects = before.projects.clone();
    projects.push(project.to_owned());
    (after == Settings { projects, ..before }).then_some(edited)
}

/// A text as YAML reads it back, plain where that is possible.
fn scalar(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let rest = text.strip_prefix('~').unwrap_or(text);
    if rest.starts_with('/') && rest.chars().all(plain) {
        return text.to_owned();
    }
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn edited(text: &str, item: &str) -> Option<String> {
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let Some((start, line)) = lines(text).find(|(_, line)| line.starts_with("projects:")) else {
        let gap = if text.is_empty() || text.ends_with('\n') { "" } else { line_end };
        return Some(format!("{text}{gap}projects:{line_end}  - {item}{line_end}"));
    };
    let value_at = start + "projects:".len();
    let value = line["projects:".len()..].trim_start();
    let (at, added) = if value.starts_with('[') {
        in_brackets(text, value_at + text[value_at..].find('[')?, item)?
    } else if value.trim_end().is_empty() || value.starts_with('#') {
        below(text, start, line, item, line_end)
    } else {
        return None;
    };
    Some(format!("{}{added}{}", &text[..at], &text[at..]))
}

/// Where the item goes in `[…]`, and how it is written there.
fn in_brackets(text: &str, open: usize, item: &str) -> Option<(usize, String)> {
    let mut quote = None;
    let mut comment = false;
    // Just behind the last thing in the list, and whether that is a comma.
    let mut last = (open + 1, None);
    for (at, c) in text[open + 1..].char_indices().map(|(at, c)| (open + 1 + at, c)) {
        match (quote, c) {
            _ if comment => comment = c != '\n',
            (Some(q), c) if c == q => quote = None,
            (Some(_), '\\' | '\n') => return None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '#') if text[..at].ends_with([' ', '\n', '\t']) => {
                comment = true;
                continue;
            }
            (None, ']') => {
                let separator = match last.1 {
                    None => "",
                    Some(',') => " ",
                    Some(_) => ", ",
                };
                return Some((last.0, format!("{separator}{item}")));
            }
            (None, '[' | '{') => return None,
            (None, _) => {}
        }
        if !comment && !c.is_whitespace() {
            last = (at + c.len_utf8(), Some(c));
        }
    }
    None
}

/// The same in a list of lines that begin with `-`, or in one that has no line yet.
fn below(text: &str, start: usize, line: &str, item: &str, line_end: &str) -> (usize, String) {
    let after = start + line.len();
    let mut found = (after, "  ");
    for (at, line) in lines(&text[after..]) {
        let words = line.trim_start();
        if words.starts_with("- ") {
            found = (after + at + line.len(), &line[..line.len() - words.len()]);
        } else if !(words.is_empty() || words.starts_with('#')) {
            break;
        }
    }
    let (at, indent) = found;
    let gap = if text[..at].ends_with('\n') { "" } else { line_end };
    (at, format!("{gap}{indent}- {item}{line_end}"))
}
