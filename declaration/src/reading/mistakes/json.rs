//! Mistakes of JSON: most are another language's way to write the same.

use super::{Mistake, Stop, conflict, fence, lookalike, place_of};
use crate::Code;
use crate::problem::Problem;
use crate::reading::node::shortened;

/// The problem of a JSON text that a parser could not read, where the mistake is one of the common ones.
pub(in crate::reading) fn json(stop: &Stop<'_>) -> Option<Problem> {
    let causes: [fn(&Stop<'_>) -> Option<Mistake>; 10] = [
        fence,
        conflict,
        in_a_text,
        foreign_mark,
        comma_too_many,
        word,
        comma_missing,
        closes_another,
        closes_nothing,
        behind,
    ];
    let mistake = causes.iter().find_map(|cause| cause(stop))?;
    Some(mistake.problem(Code::JsonSyntax))
}

impl Stop<'_> {
    /// The character the parser stopped at.
    fn at(&self) -> Option<char> {
        self.text[self.offset()..].chars().next()
    }

    /// Whether nothing but blanks follows the line end in a text that stopped the parser.
    pub(in crate::reading) fn is_end_of_open_text(&self) -> bool {
        let rest = &self.text[self.offset()..];
        let after = rest.find(char::is_control).map_or("", |at| &rest[at..]);
        self.says.contains("control character") && after.trim().is_empty()
    }

    /// The text before it, without blanks at its end.
    fn before(&self) -> &str {
        self.text[..self.offset()].trim_end()
    }

    fn mistake(&self, message: impl Into<String>, hint: impl Into<String>) -> Option<Mistake> {
        Some(Mistake::new(self.place, message, hint))
    }
}

/// A line end, a tab or a backslash in a text.
fn in_a_text(stop: &Stop<'_>) -> Option<Mistake> {
    if stop.says.contains("control character") {
        let next = stop.text[stop.offset()..].chars().find(|c| c.is_control());
        let (what, write) = if next == Some('\t') { ("a tab", "\\t") } else { ("a line break", "\\n") };
        return stop.mistake(
            format!("{what} stands in a text"),
            format!(
                "write `{write}`; or let a program make the JSON: `jq -n --arg text \"$text\" …`, json.dumps"
            ),
        );
    }
    let escape = stop.says.contains("escape");
    let hint = "write `\\\\` for a backslash; after one, JSON knows only \" \\ / b f n r t u";
    escape.then(|| stop.mistake("a backslash in a text begins an escape, and this is none", hint)).flatten()
}

/// `'`, typographic quotes, full-width colons, comments.
fn foreign_mark(stop: &Stop<'_>) -> Option<Mistake> {
    let found = stop.at()?;
    if let Some((name, meant)) = lookalike(found) {
        let meant = if name.ends_with("quote") { '"' } else { meant };
        return stop
            .mistake(format!("`{found}` is a {name}"), format!("write `{meant}`, here and elsewhere"));
    }
    match found {
        '\'' => stop.mistake(
            "a text stands in single quotes",
            "JSON wants `\"` around texts and names; Python's `json.dumps` writes them, `str` does not",
        ),
        '/' | '#' => {
            stop.mistake("a comment stands in the JSON", "JSON has no comments: take it out, or write YAML")
        }
        _ => None,
    }
}

fn comma_too_many(stop: &Stop<'_>) -> Option<Mistake> {
    let closes = stop.at().filter(|c| matches!(c, '}' | ']'))?;
    let comma = stop.before().strip_suffix(',')?.len();
    let message = format!("a comma stands before `{closes}`, with nothing behind it");
    Some(Mistake::new(place_of(stop.text, comma), message, "take the comma out"))
}

/// A word where a text, a name or a value should be.
fn word(stop: &Stop<'_>) -> Option<Mistake> {
    stop.at().filter(|c| c.is_alphabetic() || *c == '_')?;
    let rest = &stop.text[stop.offset()..];
    let word = &rest[..rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())];
    let shown = shortened(word);
    let before = stop.before();
    if before.ends_with('"') {
        let hint = "write `\\\"` for a quote inside of a text";
        return stop.mistake(format!("`{shown}` stands behind the closing quote of a text"), hint);
    }
    let expects_name = before.ends_with('{') || before.ends_with(',') && stop.says.contains("key");
    if expects_name {
        return stop.mistake(format!("the name `{shown}` has no quotes"), format!("write `\"{shown}\"`"));
    }
    if !before.ends_with([':', ',', '[']) {
        return None;
    }
    let hint = match word {
        "None" | "nil" | "undefined" | "NULL" | "Null" => "write `null`, or leave the field out".to_owned(),
        "True" | "TRUE" => "write `true`".to_owned(),
        "False" | "FALSE" => "write `false`".to_owned(),
        "NaN" | "Infinity" => "JSON has no such number; leave the field out".to_owned(),
        _ => format!("a text needs quotes: `\"{shown}\"`"),
    };
    stop.mistake(format!("`{shown}` is not a value of JSON"), hint)
}

fn comma_missing(stop: &Stop<'_>) -> Option<Mistake> {
    let begins = stop.at().filter(|c| matches!(c, '"' | '{' | '['))?;
    let missing = stop.says.contains("expected `,`") && stop.before().ends_with(['"', '}', ']']);
    let message = format!("a comma is missing before this `{begins}`");
    missing
        .then(|| stop.mistake(message, "put a `,` between them; a quote inside of a text is written `\\\"`"))
        .flatten()
}

/// `}` where a list ends, or `]` where an object does.
fn closes_another(stop: &Stop<'_>) -> Option<Mistake> {
    let closes = stop.at()?;
    let (what, wanted) = match closes {
        '}' if stop.says.contains("or `]`") => ("list", ']'),
        ']' if stop.says.contains("or `}`") => ("object", '}'),
        _ => return None,
    };
    stop.mistake(
        format!("this `{closes}` stands where the {what} ends that is open"),
        format!("put a `{wanted}` before it"),
    )
}

fn closes_nothing(stop: &Stop<'_>) -> Option<Mistake> {
    let closes = stop.at().filter(|c| matches!(c, '}' | ']'))?;
    let over = stop.before().ends_with(['}', ']']) && stop.says.contains("expected value");
    over.then(|| {
        stop.mistake(format!("this `{closes}` closes nothing"), "there is one too many: take it out")
    })
    .flatten()
}

/// Something that is no JSON behind a whole declaration, or before it.
fn behind(stop: &Stop<'_>) -> Option<Mistake> {
    if !stop.says.contains("expected value") && !stop.says.contains("expected ident") {
        return None;
    }
    let before = stop.before();
    let alone = before.is_empty() || before.ends_with('}');
    let rest = stop.text[stop.offset()..].lines().next().unwrap_or_default();
    let where_ = if before.is_empty() { "before" } else { "behind" };
    alone
        .then(|| {
            stop.mistake(
                format!("`{}` stands {where_} the JSON", shortened(rest)),
                "send nothing but the JSON",
            )
        })
        .flatten()
}
