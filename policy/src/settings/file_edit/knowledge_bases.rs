//! Adds knowledge bases to the text of a configuration, as a person would in an editor: those of facts, sessions, events and
//! profiles, those of a memory bank, or others. Every other byte of the file stays as it is.

use super::lines;
use crate::settings::Settings;

/// Names and fields, as they are written below `knowledge_bases:`.
const BASES: [(&str, &str); 4] = [
    (
        "facts",
        "{ path: \"~/.config/agents/facts/{month}.md\", title: Facts about people and projects, policy: auto }",
    ),
    (
        "sessions",
        "{ path: \"~/.config/agents/sessions/{date}.md\", title: What past sessions did and decided, policy: auto }",
    ),
    (
        "events",
        "{ path: \"~/.config/agents/events/{scope}/{date}.md\", title: What happened day by day, policy: auto, gate: absolutize }",
    ),
    (
        "profile",
        "{ path: \"~/.config/agents/profiles/{type}/{id}.md\", title: Pages about people and projects, policy: auto, frontmatter: true, snapshots: 5 }",
    ),
];

/// The memory bank of a project: one document with an index, and the details that it leads to.
const BANK: [(&str, &str); 2] = [
    (
        "memory-bank",
        "{ path: memory-bank/MEMORY.md, root: project, title: 'what holds for all of this project, and which details to read when', policy: auto, index: { of: \"memory-bank/details/**/*.md\", when: read_when } }",
    ),
    (
        "details",
        "{ path: \"memory-bank/details/{name}.md\", root: project, title: 'details of this project, one subject each; read_when in the front matter says when to read it', policy: auto, frontmatter: true }",
    ),
];

/// The text of `config.yaml` with those of the four that it lacks, and their names. `None` where they cannot be added:
/// `knowledge_bases:` is missing or not in lines of its own, or the new text does not parse to what was meant.
#[must_use]
pub fn with_memory(text: &str, defaults: &Settings) -> Option<(String, Vec<&'static str>)> {
    with_missing(text, defaults, &BASES)
}

/// The same for those of a project's memory bank.
#[must_use]
pub fn with_memory_bank(text: &str, defaults: &Settings) -> Option<(String, Vec<&'static str>)> {
    with_missing(text, defaults, &BANK)
}

fn with_missing(
    text: &str,
    defaults: &Settings,
    bases: &'static [(&'static str, &'static str)],
) -> Option<(String, Vec<&'static str>)> {
    let before = Settings::parse(text, Some(defaults)).ok()?;
    let missing = bases.iter().filter(|(name, _)| before.knowledge_base(name).is_none());
    let names: Vec<&str> = missing.clone().map(|(name, _)| *name).collect();
    let missing: Vec<(&str, String)> = missing.map(|(name, fields)| (*name, (*fields).to_owned())).collect();
    with_bases(text, &missing, defaults).map(|edited| (edited, names))
}

/// The text of `config.yaml` with these knowledge bases more, each with its fields as YAML. `None` where they cannot be added: there
/// is one of that name, `knowledge_bases:` is missing or not in lines of its own, or the new text does not parse to what was meant.
#[must_use]
pub fn with_bases(text: &str, bases: &[(&str, String)], defaults: &Settings) -> Option<String> {
    if bases.is_empty() {
        return Some(text.to_owned());
    }
    let before = Settings::parse(text, Some(defaults)).ok()?;
    let (at, indent) = end_of_bases(text)?;
    let eol = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let added: String = bases.iter().map(|(name, fields)| format!("{indent}{name}: {fields}{eol}")).collect();
    let gap = if text.get(..at)?.ends_with('\n') { "" } else { eol };
    let edited = [text.get(..at)?, gap, &added, text.get(at..)?].concat();
    let after = Settings::parse(&edited, Some(defaults)).ok()?;
    let all = before.knowledge_bases.len() + bases.len() == after.knowledge_bases.len();
    let same = before.knowledge_bases.iter().all(|kb| after.knowledge_bases.contains(kb));
    let rest = Settings { knowledge_bases: before.knowledge_bases.clone(), ..after } == before;
    (same && rest && all).then_some(edited)
}

/// The text of `config.yaml` without this knowledge base, where its line still says what was written: `line` without its end. `None`
/// where it does not, or where the rest would read differently. `bare_end`: the text is to end without a line end where it ended
/// with that line.
#[must_use]
pub fn without_base(
    text: &str,
    name: &str,
    line: &str,
    bare_end: bool,
    defaults: &Settings,
) -> Option<String> {
    let before = Settings::parse(text, Some(defaults)).ok()?;
    let mut places = lines(text).filter(|(_, found)| found.trim_end_matches(['\r', '\n']) == line);
    let (at, found) = places.next().filter(|_| places.next().is_none())?;
    let (head, tail) = (text.get(..at)?, text.get(at + found.len()..)?);
    let head = if bare_end && tail.is_empty() { head.trim_end_matches(['\r', '\n']) } else { head };
    let edited = [head, tail].concat();
    let after = Settings::parse(&edited, Some(defaults)).ok()?;
    let knowledge_bases: Vec<_> =
        before.knowledge_bases.iter().filter(|kb| kb.name != name).cloned().collect();
    (after == Settings { knowledge_bases, ..before }).then_some(edited)
}

/// The place after the last line of the mapping `knowledge_bases:`, and how far its names are indented.
fn end_of_bases(text: &str) -> Option<(usize, &str)> {
    let mut at = 0;
    let mut end = None;
    let mut indent = None;
    for line in text.split_inclusive('\n') {
        at += line.len();
        let says = !line.trim().is_empty() && !line.trim_start().starts_with('#');
        let own = line.get(..line.len() - line.trim_start().len())?;
        match end {
            None if line.trim_end() == "knowledge_bases:" => end = Some(at),
            Some(_) if says && own.is_empty() => break,
            Some(_) if says => {
                end = Some(at);
                indent.get_or_insert(own);
            }
            _ => {}
        }
    }
    end.zip(indent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn defaults() -> Settings {
        Settings::parse(include_str!("../../../../engine/src/default-config.yaml"), None).unwrap()
    }

    #[test]
    fn what_is_missing_is_added_below_the_others() {
        let text = "# mine\nversion: 1\nknowledge_bases:\n  user:\n    path: ~/u.md # here\n  # old: x\n\nsession_bootstrap: [user]\n";
        let (edited, names) = with_memory(text, &defaults()).unwrap();
        assert_eq!(names, ["facts", "sessions", "events", "profile"]);
        let (head, tail) = text.split_at(text.find("  # old").unwrap());
        assert!(edited.starts_with(head) && edited.ends_with(tail), "{edited}");
        assert_eq!(with_memory(&edited, &defaults()), Some((edited.clone(), Vec::new())));
    }

    #[test]
    fn a_memory_bank_is_added_once() {
        let (edited, names) =
            with_memory_bank("version: 1\nknowledge_bases:\n  user: { path: ~/u.md }\n", &defaults())
                .unwrap();
        assert_eq!(names, ["memory-bank", "details"]);
        let settings = Settings::parse(&edited, Some(&defaults())).unwrap();
        let index = settings.knowledge_base("memory-bank").unwrap().index.clone().unwrap();
        assert_eq!((index.of.as_str(), index.when.as_str()), ("memory-bank/details/**/*.md", "read_when"));
        assert_eq!(with_memory_bank(&edited, &defaults()), Some((edited.clone(), Vec::new())));
    }

    #[test]
    fn what_was_added_is_taken_out_again_to_the_byte() {
        let first = "# mine\r\nversion: 1\r\nknowledge_bases:\r\n  user: { path: ~/u.md } # here\r\n  # old: x\r\n\r\nprojects: []\r\n";
        for text in [first, "version: 1\nknowledge_bases:\n    user: { path: ~/u.md }"] {
            let (mut edited, names) = with_memory(text, &defaults()).unwrap();
            let bare_end = !text.ends_with('\n');
            for name in names {
                let line = edited.lines().find(|line| line.trim_start().starts_with(&format!("{name}:")));
                let line = line.unwrap().to_owned();
                let other = edited.replace(&line, &format!("{line} # mine"));
                assert_eq!(without_base(&other, name, &line, bare_end, &defaults()), None, "changed since");
                edited = without_base(&edited, name, &line, bare_end, &defaults()).unwrap();
            }
            assert_eq!(edited, text);
        }
        // The rest would not be what it was.
        let used = "version: 1\nknowledge_bases:\n  user: { path: ~/u.md }\n  a: { path: ~/a.md }\nsession_bootstrap: [a]\n";
        let left = without_base(used, "a", "  a: { path: ~/a.md }", false, &defaults());
        assert!(left.is_none_or(|text| Settings::parse(&text, Some(&defaults())).is_ok()));
    }

    #[test]
    fn a_base_of_that_name_stays() {
        let text = "version: 1\nknowledge_bases:\n  facts: { path: ~/mine.md }";
        let (edited, names) = with_memory(text, &defaults()).unwrap();
        assert_eq!(names, ["sessions", "events", "profile"]);
        assert!(edited.starts_with(text), "{edited}");
    }

    #[test]
    fn what_cannot_be_added_to_is_left() {
        for text in [
            "version: 1\n",
            "version: 1\nknowledge_bases: { user: { path: ~/u.md } }\n",
            "version: 1\nknowledge_bases:\n",
        ] {
            assert_eq!(with_memory(text, &defaults()), None, "{text}");
        }
    }
}
