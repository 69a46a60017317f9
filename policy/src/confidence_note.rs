//! A guess is marked as one where it is written, by a comment in the Markdown: a later reader sees that it is a guess, with
//! or without this program. An entry beside which no mark can stand waits for a person's yes.

use crate::knowledge_base::KnowledgeBase;
use crate::time_words;
use declaration::trust::{Trust, of_entry};
use declaration::{Entry, Operation};
use std::borrow::Cow;

/// Why an entry is to be marked: `a guess, 30 % sure, from the web, says today`; `None` when it may stand as it is. A yes (`approved`)
/// answers where it is from, and what the knowledge base asks about such words; it makes no guess sure, and does not say which day
/// was meant.
#[must_use]
pub fn doubt(kb: &KnowledgeBase, who: Trust, entry: &Entry, approved: bool) -> Option<String> {
    // An item's own comment has both as fields.
    let in_fields = entry.operation.is_of_item();
    let sure = entry.meta.confidence.filter(|sure| *sure < kb.mark_below && !in_fields);
    let trust = if in_fields { Trust::User } else { of_entry(who, entry) };
    let guess = sure.map(|sure| format!("a guess, {:.0} % sure", sure * 100.0));
    let origin = (trust < Trust::Agent && !approved).then(|| trust.origin().to_owned());
    let asked = approved && time_words::stops(kb);
    let words = if asked { Vec::new() } else { time_words::left(kb, entry) };
    let relative = (!words.is_empty()).then(|| format!("says {}", words.join(", ")));
    let parts: Vec<String> = guess.into_iter().chain(origin).chain(relative).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Whether a mark can stand beside what the entry writes. Text that is put into the middle of another text, or removed, has
/// no place for one.
#[must_use]
pub fn can_be_marked(entry: &Entry) -> bool {
    let of_text = entry.key.level > 0 || entry.key.heading.is_empty();
    entry.operation.writes_item()
        || of_text && matches!(entry.operation, Operation::Update | Operation::Append | Operation::Prepend)
}

/// Where our marks stand in a text.
fn marks(text: &str) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
    const BEGINS: [&str; 4] = ["a guess, ", "from a tool", "from the web", "says "];
    text.match_indices("<!-- ").filter_map(|(at, _)| {
        let rest = &text[at..];
        let end = rest.find("-->")? + "-->".len();
        BEGINS.iter().any(|begin| rest["<!-- ".len()..].starts_with(begin)).then(|| at..at + end)
    })
}

/// The mark that an entry would remove from a section, or cut, and leave what it stands beside: then a guess would stand there as a
/// fact.
#[must_use]
pub fn mark_taken_out<'s>(entry: &Entry, section: &'s str) -> Option<&'s str> {
    if entry.operation == Operation::Update {
        return mark_left_out(entry.content.as_deref()?, section);
    }
    let old =
        entry.old_text.as_deref().filter(|old| !old.is_empty() && entry.operation == Operation::Replace)?;
    let content = entry.content.as_deref().unwrap_or_default();
    let replaced: Vec<_> = section.match_indices(old).map(|(at, _)| at..at + old.len()).collect();
    let taken = |mark: &std::ops::Range<usize>| {
        let touched = replaced.iter().any(|old| old.start < mark.end && mark.start < old.end);
        touched && !content.contains(&section[mark.clone()])
    };
    marks(section).find(taken).map(|mark| &section[mark])
}

/// The mark of a section that its new text has not, or has less often than texts beside which it stood.
fn mark_left_out<'s>(content: &str, section: &'s str) -> Option<&'s str> {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let new = words(content);
    let mut kept: Vec<&str> = marks(content).map(|mark| &content[mark]).collect();
    marks(section).find_map(|at| {
        let mark = &section[at.clone()];
        let beside = words(beside(section, &at));
        if beside.is_empty() || !new.contains(&beside) {
            return None;
        }
        match kept.iter().position(|one| *one == mark) {
            Some(one) => {
                kept.swap_remove(one);
                None
            }
            None => Some(mark),
        }
    })
}

/// What a mark stands beside: the text before it on its line, without the sign of a list; else the next line that says something.
fn beside<'s>(section: &'s str, mark: &std::ops::Range<usize>) -> &'s str {
    let line = section[..mark.start].rsplit('\n').next().unwrap_or_default();
    let before = line.trim_start_matches(['-', '*', '+', ' ', '\t', '>']).trim_end();
    if !before.is_empty() {
        return before;
    }
    section[mark.end..].lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
}

/// The entries, with marks where they need one, also those that a person said yes to (`approved`): what was shown to them was
/// marked as well.
#[must_use]
pub fn marked<'e>(kb: &KnowledgeBase, who: Trust, entries: &'e [Entry], approved: bool) -> Cow<'e, [Entry]> {
    let doubts = |entry: &Entry| doubt(kb, who, entry, approved).filter(|_| can_be_marked(entry));
    if entries.iter().all(|entry| doubts(entry).is_none()) {
        return Cow::Borrowed(entries);
    }
    let one = |entry: &Entry| match doubts(entry) {
        Some(doubt) => Entry {
            content: entry.content.as_deref().map(|text| {
                let mark = format!("<!-- {doubt} -->");
                if entry.operation.writes_item() {
                    item_with_mark(text, &mark)
                } else {
                    with_mark(text, &mark)
                }
            }),
            ..entry.clone()
        },
        None => entry.clone(),
    };
    Cow::Owned(entries.iter().map(one).collect())
}

/// After the first line, which is the text of an item.
fn item_with_mark(text: &str, mark: &str) -> String {
    let text = text.trim();
    let (line, below) = text.split_at(text.find('\n').unwrap_or(text.len()));
    format!("{} {mark}{below}", line.trim_end())
}

/// After the last line where that is plain text. Else on a line of its own above, where it cannot become part of a table,
/// code or raw HTML.
fn with_mark(text: &str, mark: &str) -> String {
    let body = text.trim_end();
    let end = &text[body.len()..];
    let last = body.lines().next_back().unwrap_or("");
    let plain = |line: &str| {
        let line = line.trim_start_matches(['-', '*', '+', ' ']);
        line.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '"' | '\'' | '(' | '“' | '「' | '《'))
    };
    let in_code = body.lines().any(|line| line.trim_start().starts_with(['`', '~', '<', '|', '\t', '$']))
        || body.lines().any(|line| line.starts_with("    ") || line.contains(" | "));
    let doubtful = in_code || last.contains('`') || last.contains('|') || last.ends_with(['\\', '-', '=']);
    if plain(last) && !doubtful { format!("{body} {mark}{end}") } else { format!("{mark}\n\n{text}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replacement_that_takes_out_a_mark_is_seen() {
        let section = "- may like jazz <!-- a guess, 20 % sure -->\n- other <!-- mine -->\n";
        let key = declaration::Key {
            target: declaration::Target::Kb("g".into()),
            heading: vec!["H".into()],
            level: 2,
        };
        let replace = |old: &str, new: &str| Entry {
            operation: Operation::Replace,
            old_text: Some(old.to_owned()),
            content: Some(new.to_owned()),
            ..Entry::no_op(key.clone())
        };
        for (old, new) in [
            (" <!-- a guess, 20 % sure -->", ""),
            ("jazz <!-- a guess, 20 % sure -->", "jazz"),
            ("20 % sure", "99 % sure"),
            ("<!-- a", "<!-- no"),
            ("jazz <", "jazz"),
        ] {
            let mark = mark_taken_out(&replace(old, new), section);
            assert_eq!(mark, Some("<!-- a guess, 20 % sure -->"), "{old}");
        }
        for (old, new) in [
            ("may like jazz", "likes jazz"),
            ("other <!-- mine -->", "other"),
            ("jazz <!-- a guess, 20 % sure -->", "blues <!-- a guess, 20 % sure -->"),
        ] {
            assert_eq!(mark_taken_out(&replace(old, new), section), None, "{old}");
        }
    }

    #[test]
    fn an_update_that_keeps_a_guess_and_leaves_out_its_mark_is_seen() {
        const GUESS: &str = "<!-- a guess, 20 % sure -->";
        let section = format!(
            "- may like jazz {GUESS}\n- other <!-- mine -->\n- may like tea {GUESS}\n\n<!-- says today -->\n\n    code\n"
        );
        let key = declaration::Key {
            target: declaration::Target::Kb("g".into()),
            heading: vec!["H".into()],
            level: 2,
        };
        let update = |content: &str| Entry {
            operation: Operation::Update,
            content: Some(content.to_owned()),
            ..Entry::no_op(key.clone())
        };
        for (content, mark) in [
            ("- may like jazz", GUESS),
            ("* may  like jazz\n", GUESS),
            ("- may like jazz, and more", GUESS),
            (&format!("- may like jazz {GUESS}\n- may like tea"), GUESS),
            (&format!("- may like tea {GUESS}\n\n    code\n"), "<!-- says today -->"),
        ] {
            assert_eq!(mark_taken_out(&update(content), &section), Some(mark), "{content}");
        }
        for content in [&section, "- other\n", "- plays chess\n", "", &format!("- may like tea {GUESS}")] {
            assert_eq!(mark_taken_out(&update(content), &section), None, "{content}");
        }
    }

    #[test]
    fn a_mark_stands_where_nothing_swallows_it() {
        for (text, marked) in [
            ("- likes tea", "- likes tea <!-- m -->"),
            ("- one\n- two\n", "- one\n- two <!-- m -->\n"),
            ("plain words.", "plain words. <!-- m -->"),
            ("用户喜欢简短的回答", "用户喜欢简短的回答 <!-- m -->"),
            ("```\ncode\n```", "<!-- m -->\n\n```\ncode\n```"),
            ("a | b\n--|--\n1 | 2", "<!-- m -->\n\na | b\n--|--\n1 | 2"),
            ("see\n\n    indented", "<!-- m -->\n\nsee\n\n    indented"),
            ("use `x", "<!-- m -->\n\nuse `x"),
            ("Title\n---", "<!-- m -->\n\nTitle\n---"),
        ] {
            assert_eq!(with_mark(text, "<!-- m -->"), marked);
        }
    }
}
