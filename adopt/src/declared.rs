//! A proposal as an item of ours: its line, and its time as far as the store knew it.

use crate::Proposal;
use crate::markdown::code_span;
use declaration::time::is_day;

/// Tags of one item.
const TAGS_MAX: usize = 4;
/// Characters of a tag.
const TAG_CHARS_MAX: usize = 40;

impl Proposal {
    /// The item's line without its bullet: kind, text, and as tags the projects and what it names. Of an item that we exported also
    /// the lines below.
    #[must_use]
    pub fn line(&self) -> String {
        let (line, below) = match self.entry.text.split_once('\n') {
            Some((line, below)) if self.entry.exported => (line, below),
            _ => (self.entry.text.as_str(), ""),
        };
        let words = line.split_whitespace().collect::<Vec<_>>().join(" ");
        let text = without_open_comments(without_bullets(&words));
        let mut line = match self.entry.word.as_deref().unwrap_or(self.entry.kind.letter()) {
            "" => text,
            word => format!("[{word}] {text}"),
        };
        for tag in self.tags() {
            line.push_str(" #");
            line.push_str(&tag);
        }
        for below in below.lines().filter(|line| !line.trim().is_empty()) {
            line.push('\n');
            line.push_str(&without_open_comments(below));
        }
        line
    }

    fn tags(&self) -> Vec<String> {
        let projects = self.projects.iter().filter_map(|project| project.file_name());
        let projects = projects.map(|name| name.to_string_lossy().into_owned());
        let mut tags: Vec<String> = Vec::new();
        for name in projects.chain(self.entry.entities.iter().cloned()) {
            let tag = tag(&name);
            let same = |other: &str| other.to_lowercase() == tag.to_lowercase();
            let said = || tags.iter().any(|known| same(known));
            let in_text =
                || self.entry.text.split_whitespace().any(|w| w.strip_prefix('#').is_some_and(same));
            if tag.chars().any(char::is_alphabetic)
                && tag.chars().count() <= TAG_CHARS_MAX
                && !said()
                && !in_text()
            {
                tags.push(tag);
            }
        }
        tags.truncate(TAGS_MAX);
        tags
    }

    /// When it was said: a minute with its zone, a day, or an empty text.
    #[must_use]
    pub fn said_at(&self) -> String {
        self.entry.date.as_deref().map(moment).unwrap_or_default()
    }

    /// The keys of all its origins, in the form that an item keeps them in.
    #[must_use]
    pub fn keys(&self) -> String {
        let mut keys: Vec<&str> = self.origins.iter().map(|origin| origin.key.as_str()).collect();
        keys.dedup();
        keys.join(",")
    }
}

/// A text without what would begin a list, a heading or a quotation in it.
fn without_bullets(text: &str) -> &str {
    let mut rest = text;
    loop {
        let marks = rest.trim_start_matches('#');
        let behind =
            if marks.len() < rest.len() { Some(marks) } else { rest.strip_prefix(['-', '*', '+', '>']) };
        let quoted = rest.starts_with('>');
        match behind.filter(|behind| quoted || behind.is_empty() || behind.starts_with(' ')) {
            Some(behind) => rest = behind.trim_start(),
            None => return rest,
        }
    }
}

/// A text without comments that would be taken for ours, or would not end. One in code is none.
fn without_open_comments(text: &str) -> String {
    let (mut kept, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find(['`', '<']) {
        kept.push_str(&rest[..at]);
        rest = &rest[at..];
        let comment = rest.strip_prefix("<!--");
        let (sign, taken) = match comment {
            Some(said) if said.trim_start().starts_with("lw") || !said.contains("-->") => ("<! --", 4),
            _ => {
                let taken = code_span(rest).unwrap_or(1);
                (&rest[..taken], taken)
            }
        };
        kept.push_str(sign);
        rest = &rest[taken..];
    }
    kept.push_str(rest);
    kept
}

/// Makes a tag of a name: characters that would end a tag become `-`.
fn tag(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|c| if c.is_alphanumeric() || matches!(c, '_' | '/' | '.') { c } else { '-' })
        .collect();
    plain.trim_matches(['-', '.', '/']).to_owned()
}

/// A date of a store, to the minute if its zone is known, else the day.
fn moment(date: &str) -> String {
    let Some(day) = date.get(..10).filter(|day| is_day(day)) else { return String::new() };
    let minute = date.get(11..16).filter(|minute| {
        minute
            .bytes()
            .enumerate()
            .all(|(at, byte)| if at == 2 { byte == b':' } else { byte.is_ascii_digit() })
    });
    let rest = date.get(16..).unwrap_or_default();
    let zone = match rest.rfind(['+', '-']).and_then(|at| rest.get(at..)) {
        Some(zone) if zone.len() == 6 => Some(zone),
        _ => rest.ends_with('Z').then_some("+00:00"),
    };
    match (minute, zone) {
        (Some(minute), Some(zone)) => format!("{day}T{minute}{zone}"),
        _ => day.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{moment, tag};
    use crate::{FoundMemories, Memory, MemoryKind, fold};
    use std::path::PathBuf;

    #[test]
    fn a_date_is_as_exact_as_the_store_says() {
        let cases = [
            ("2026-11-22T16:06:51.660Z", "2026-11-22T16:06+00:00"),
            ("2026-11-22T10:36:36+01:00", "2026-11-22T10:36+01:00"),
            ("2026-11-22 16:01:24.753444", "2026-11-22"),
            ("2026-11-22", "2026-11-22"),
            ("2026-13-01", ""),
            ("yesterday", ""),
            ("", ""),
        ];
        for (date, wanted) in cases {
            assert_eq!(moment(date), wanted, "{date}");
        }
    }

    #[test]
    fn a_line_is_kind_text_and_tags() {
        let entry = Memory {
            kind: MemoryKind::O,
            entities: ["Harbour DB", "42", "tidepool", "X", "y", "z"].map(str::to_owned).to_vec(),
            project: Some(PathBuf::from("/home/mei/src/tidepool")),
            ..Memory::new("a", "/a.md", 1, "- likes\n<!-- tea --> #x")
        };
        let folded = fold(vec![FoundMemories { entries: vec![entry], left_out: Vec::new() }]);
        assert_eq!(folded.proposals[0].line(), "[O] likes <!-- tea --> #x #tidepool #Harbour-DB #y #z");
        let lines = [
            ("**Bold** stays", "**Bold** stays"),
            ("-5 degrees, +1, #tag", "-5 degrees, +1, #tag"),
            ("> - ## quoted", "quoted"),
            ("x <!-- lw by=user --> y <!-- open", "x <! -- lw by=user --> y <! -- open"),
            ("`<!-- lw by=user -->` in code", "`<!-- lw by=user -->` in code"),
        ];
        for (text, wanted) in lines {
            let entries = vec![Memory::new("a", "/a.md", 1, text)];
            let folded = fold(vec![FoundMemories { entries, left_out: Vec::new() }]);
            assert_eq!(folded.proposals[0].line(), format!("[W] {wanted}"));
        }
        assert_eq!(tag("潮汐表导入"), "潮汐表导入");
    }
}
