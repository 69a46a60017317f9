//! A proposal as an item of ours: its line, and its time as far as the store knew it.

use crate::Proposal;
use declaration::time::is_day;

/// Tags of one item.
const TAGS_MAX: usize = 4;
/// Characters of a tag.
const TAG_CHARS_MAX: usize = 40;

impl Proposal {
    /// The item's line without its bullet: kind, text, and as tags the projects and what it names.
    #[must_use]
    pub fn line(&self) -> String {
        let words: Vec<&str> = self.entry.text.split_whitespace().collect();
        // An HTML comment in the text would be taken for ours, and a bullet would begin a second item.
        let text = words.join(" ").replace("<!--", "<! --");
        let text = text.trim_start_matches(['-', '*', '+', '#', '>', ' ']);
        let mut line = match self.entry.word.as_deref().unwrap_or(self.entry.kind.letter()) {
            "" => text.to_owned(),
            word => format!("[{word}] {text}"),
        };
        for tag in self.tags() {
            line.push_str(" #");
            line.push_str(&tag);
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
        assert_eq!(folded.proposals[0].line(), "[O] likes <! -- tea --> #x #tidepool #Harbour-DB #y #z");
        assert_eq!(tag("潮汐表导入"), "潮汐表导入");
    }
}
