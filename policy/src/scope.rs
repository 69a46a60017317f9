//! Which project a line of a shared journal belongs to: it says so itself, in a field of its comment, so that a session in one
//! project is not shown what was said in another. What says nothing is for everybody.

use crate::family;
use crate::knowledge_base::{KnowledgeBase, Root};
use declaration::{Entry, Operation};
use markdown_merge::item::{Item, without_struck, without_struck_blocks};
use std::fmt::Write as _;
use std::path::Path;

/// The field of a comment that names the project.
const FIELD: &str = "in=";

/// The name of a project in documents: its path, `~` for the home directory. A character that could end a field is written
/// as `%` and its bytes, so that two projects never have one name.
#[must_use]
pub fn name(project: &Path, home: &Path) -> String {
    let path = match project.strip_prefix(home) {
        Ok(below) => Path::new("~").join(below),
        Err(_) => project.to_owned(),
    };
    let mut name = String::new();
    for c in path.to_string_lossy().chars() {
        // Two dashes in a row would end a comment.
        let plain =
            c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '~') || c == '-' && !name.ends_with('-');
        if plain {
            name.push(c);
        } else {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                let _ = write!(name, "%{byte:02x}");
            }
        }
    }
    name
}

/// Whether a knowledge base is a journal that all projects write into: one of days or months, and of nothing else.
#[must_use]
pub fn is_shared_journal(kb: &KnowledgeBase) -> bool {
    let by_day = |names: Vec<&str>| names.iter().all(|name| matches!(*name, family::DATE | family::MONTH));
    kb.root != Root::Project && family::is_dated(&kb.path) && family::variables(&kb.path).is_ok_and(by_day)
}

/// Whether what was said in `project` may be shown in the project `here`: both by their names, `None` for no project.
#[must_use]
pub fn is_shown(project: Option<&str>, here: Option<&str>) -> bool {
    project.is_none_or(|project| here == Some(project))
}

/// Writes the project beside each item that an entry appends, and below a text that is no list. Items that are added one by
/// one get it with their other fields.
pub fn mark(entry: &mut Entry, project: &str) {
    if !matches!(entry.operation, Operation::Append | Operation::Prepend | Operation::Update) {
        return;
    }
    if let Some(content) = entry.content.as_mut().filter(|content| !content.trim().is_empty()) {
        *content = marked(content, project);
    }
}

fn marked(content: &str, project: &str) -> String {
    let comment = format!("<!-- lw {FIELD}{project} -->");
    let is_item = |line: &str| {
        !line.starts_with([' ', '\t']) && Item::read(line).is_some_and(|item| !item.text().is_empty())
    };
    let all_items =
        content.lines().filter(|line| !line.trim().is_empty() && !line.starts_with([' ', '\t'])).all(is_item);
    let lines = content.trim_end().lines().map(|line| match Item::read(line) {
        Some(item) if is_item(line) && item.fields().next().is_none() => with_comment(line, item, &comment),
        _ => line.to_owned(),
    });
    let lines = lines.collect::<Vec<_>>().join("\n");
    if all_items { lines } else { format!("{lines}\n\n{comment}") }
}

/// Behind the text, before an id.
fn with_comment(line: &str, item: Item<'_>, comment: &str) -> String {
    let line = line.trim_end();
    match item.id() {
        Some(id) => {
            let text = line.strip_suffix(id).and_then(|text| text.strip_suffix('^')).unwrap_or(line);
            format!("{} {comment} ^{id}", text.trim_end())
        }
        None => format!("{line} {comment}"),
    }
}

/// A journal as a session in the project `here` is shown it: without our comments, without what no longer holds, and without
/// what was said in other projects. A text that is no list is left out with its section's heading when nothing else is there.
#[must_use]
pub fn shown(text: &str, here: Option<&str>) -> String {
    let text = &*without_struck_blocks(text);
    let Ok(sections) = markdown_merge::sections(text) else { return String::new() };
    if sections.is_empty() {
        return items_shown(text, here);
    }
    let mut out = String::new();
    let front = sections.first().map_or(0, |first| first.bytes.start);
    out.push_str(text.get(..front).unwrap_or_default().trim_start_matches('\u{feff}'));
    for section in &sections {
        let own = text.get(section.bytes.clone()).unwrap_or_default();
        let body = text.get(section.body.clone()).unwrap_or_default();
        if is_shown(project_of_text(body), here) {
            let kept = items_shown(own, here);
            let is_left =
                kept.lines().filter(|line| !line.trim().is_empty()).count() > usize::from(section.level > 0);
            if is_left || body.trim().is_empty() {
                out.push_str(&kept);
            }
        }
    }
    out
}

/// The project that a text names in a comment on a line of its own.
#[must_use]
pub fn project_of_text(text: &str) -> Option<&str> {
    text.lines()
        .rev()
        .find_map(|line| note(line)?.split_whitespace().find_map(|word| word.strip_prefix(FIELD)))
}

/// What our comment says that has a line for itself.
fn note(line: &str) -> Option<&str> {
    line.trim().strip_prefix("<!-- lw ")?.strip_suffix("-->")
}

fn items_shown(text: &str, here: Option<&str>) -> String {
    let Ok(merger) = markdown_merge::Merger::open(text.as_bytes()) else { return String::new() };
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for found in merger.items() {
        let between = text.get(from..found.bytes.start).unwrap_or_default();
        out.push_str(&without_struck(between, false));
        from = found.bytes.end;
        if found.item.is_live() && is_shown(found.item.field("in"), here) {
            out.push_str(&found.item.shown());
        } else {
            let rest = text.get(from..).unwrap_or_default();
            from += rest.find('\n').filter(|at| rest[..*at].trim().is_empty()).map_or(0, |at| at + 1);
        }
    }
    out.push_str(&without_struck(text.get(from..).unwrap_or_default(), false));
    let mut kept: String = out.split_inclusive('\n').filter(|line| note(line).is_none()).collect();
    // What stood around something that is left out would leave more than one blank line.
    while kept.contains("\n\n\n") {
        kept = kept.replace("\n\n\n", "\n\n");
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projects_have_names_of_their_own() {
        let named = |path: &str| name(Path::new(path), Path::new("/home/me"));
        assert_eq!(named("/home/me/work/app"), "~/work/app");
        assert_eq!(named("/srv/app"), "/srv/app");
        assert_eq!(named("/home/me/my app"), "~/my%20app");
        assert_ne!(named("/home/me/my app"), named("/home/me/my%20app"));
        assert_eq!(named("/home/me/a--b"), "~/a-%2db");
        assert_eq!(named("/home/me/项目"), "~/项目");
    }

    #[test]
    fn journals_of_all_projects() {
        for (path, expected) in [
            ("~/facts/{month}.md", true),
            ("~/logs/{date}.md", true),
            ("~/events/{scope}/{date}.md", false),
            ("~/profiles/{id}.md", false),
            ("~/USER.md", false),
        ] {
            assert_eq!(is_shared_journal(&KnowledgeBase::plain("x", path)), expected, "{path}");
        }
        let of_project =
            KnowledgeBase { root: Root::Project, ..KnowledgeBase::plain("x", "facts/{month}.md") };
        assert!(!is_shared_journal(&of_project));
    }

    #[test]
    fn what_is_appended_says_where() {
        for (content, expected) in [
            ("- did x", "- did x <!-- lw in=~/a -->"),
            (
                "- x\n  - below\n- y ^abcd1234",
                "- x <!-- lw in=~/a -->\n  - below\n- y <!-- lw in=~/a --> ^abcd1234",
            ),
            ("A sentence.\n", "A sentence.\n\n<!-- lw in=~/a -->"),
            ("Note:\n\n- x", "Note:\n\n- x <!-- lw in=~/a -->\n\n<!-- lw in=~/a -->"),
        ] {
            assert_eq!(marked(content, "~/a"), expected);
        }
    }

    #[test]
    fn a_journal_is_shown_without_other_projects() {
        let day = "# Day\n\n- for all\n- of a <!-- lw in=~/a -->\n- ~~gone~~ <!-- lw del=1 -->\n- of b <!-- lw 14:30 in=~/b --> ^aaaaaaaa\n\n## Work in b\n\nA text.\n\n<!-- lw in=~/b -->\n\n## Work in a\n\nAnother.\n\n<!-- lw in=~/a -->\n";
        assert_eq!(shown(day, Some("~/a")).trim(), "# Day\n\n- for all\n- of a\n\n## Work in a\n\nAnother.");
        assert_eq!(shown(day, None).trim(), "# Day\n\n- for all");
        assert_eq!(shown("plain\n", None), "plain\n");
        assert_eq!(shown("## X\n\n- of b <!-- lw in=~/b -->\n", None).trim(), "");
    }
}
