//! A guess is marked as one where it is written, by a comment in the Markdown: a later reader sees that it is a guess, with
//! or without this program. An entry beside which no mark can stand waits for a person's yes.

use crate::knowledge_base::KnowledgeBase;
use crate::time_words;
use declaration::trust::{Trust, of_entry};
use declaration::{Entry, Meta, Operation};
use markdown_merge::item::{Item, fold};
use std::borrow::Cow;
use std::ops::Range;

/// Why an entry is to be marked: `a guess, 30 % sure, from the web, says today`; `None` when it may stand as it is. A yes (`approved`)
/// answers where it is from, and what the knowledge base asks about such words; it makes no guess sure, and does not say which day
/// was meant.
#[must_use]
pub fn doubt(kb: &KnowledgeBase, who: Trust, entry: &Entry, approved: bool) -> Option<String> {
    Doubt::of(kb, who, entry, approved).said(|_| true)
}

/// What there is to doubt of an entry.
struct Doubt {
    /// Of all of it: how sure it is, and from where.
    of_all: Vec<String>,
    /// Words in it that mean something else to a later reader.
    words: Vec<String>,
}

impl Doubt {
    fn of(kb: &KnowledgeBase, who: Trust, entry: &Entry, approved: bool) -> Doubt {
        // An item's own comment has both as fields.
        let in_fields = entry.operation.is_of_item();
        let sure = entry.meta.confidence.filter(|sure| *sure < kb.mark_below && !in_fields);
        let trust = if in_fields { Trust::User } else { of_entry(who, entry) };
        let guess = sure.map(|sure| format!("a guess, {:.0} % sure", sure * 100.0));
        let origin = (trust < Trust::Agent && !approved).then(|| trust.origin().to_owned());
        let asked = approved && time_words::stops(kb);
        let words = if asked { Vec::new() } else { time_words::left(kb, entry) };
        Doubt { of_all: guess.into_iter().chain(origin).collect(), words }
    }

    /// In the words of a mark, of those of its words that are meant.
    fn said(&self, is_meant: impl Fn(&str) -> bool) -> Option<String> {
        let words: Vec<&str> = self.words.iter().map(String::as_str).filter(|word| is_meant(word)).collect();
        let relative = (!words.is_empty()).then(|| format!("says {}", words.join(", ")));
        let parts: Vec<String> = self.of_all.iter().cloned().chain(relative).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// Whether a mark can stand beside what the entry writes. Text that is put into the middle of another text, or removed, has
/// no place for one.
#[must_use]
pub fn can_be_marked(entry: &Entry) -> bool {
    let of_text = entry.key.level > 0 || entry.key.heading.is_empty();
    entry.operation.writes_item()
        || of_text && matches!(entry.operation, Operation::Update | Operation::Append | Operation::Prepend)
}

/// Our marks that stand beside a text, as comments of their own.
fn marks(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    const BEGINS: [&str; 4] = ["a guess, ", "from a tool", "from the web", "says "];
    comments(text).filter(|at| BEGINS.iter().any(|begin| text[at.start + "<!-- ".len()..].starts_with(begin)))
}

/// The same, and the comments of items that say so in a field.
fn marks_and_fields(text: &str, mark_below: f64) -> impl Iterator<Item = Range<usize>> + '_ {
    let in_fields = move |at: &Range<usize>| {
        let mut words = text[at.clone()].split_whitespace().skip(1).peekable();
        words.next_if_eq(&"lw").is_some() && words.any(|word| is_doubt(word, mark_below))
    };
    let mut marks = marks(text).peekable();
    comments(text).filter(move |at| marks.next_if_eq(at).is_some() || in_fields(at))
}

fn comments(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    text.match_indices("<!-- ").filter_map(|(at, _)| Some(at..at + text[at..].find("-->")? + "-->".len()))
}

/// Whether a field of an item says that it is a guess, or from further away than an agent.
fn is_doubt(field: &str, mark_below: f64) -> bool {
    match field.split_once('=') {
        Some(("c", sure)) => sure.parse::<f64>().is_ok_and(|sure| sure < mark_below),
        Some(("by", who)) => Trust::parse(who).is_some_and(|who| who < Trust::Agent),
        _ => false,
    }
}

/// An entry that says an item anew, with the doubt that the item has: how sure it is where the entry does not say that, and
/// from how far away it comes. A person's own words stand for themselves, and so does what takes an item's place and says
/// something else. `item` finds its text, and is asked only where that matters.
#[must_use]
pub fn with_doubt_of<'i>(
    kb: &KnowledgeBase,
    who: Trust,
    entry: &Entry,
    item: impl FnOnce() -> Option<&'i str>,
) -> Option<Entry> {
    let says_anew = matches!(entry.operation, Operation::Revise | Operation::Supersede);
    if !says_anew || who >= Trust::User {
        return None;
    }
    let item = item()?;
    let old = Item::read(item)?;
    let is_replaced = entry.operation == Operation::Supersede;
    if is_replaced && !bare(entry.content.as_deref()?).contains(&bare(old.text())) {
        return None;
    }
    let said: Vec<&str> = marks(item).map(|at| &item[at]).collect();
    let percent = |mark: &&str| mark.strip_prefix("<!-- a guess, ")?.split_once(" %")?.0.parse::<f64>().ok();
    let marked = said.iter().find_map(percent).map(|percent| percent / 100.0);
    let sure =
        old.field("c").and_then(|sure| sure.parse().ok()).or(marked).filter(|sure| *sure < kb.mark_below);
    let far = |trust: &Trust| {
        old.field("by") == Some(trust.as_str()) || said.iter().any(|mark| mark.contains(trust.origin()))
    };
    let from = Trust::ALL.into_iter().filter(|trust| *trust < Trust::Agent).find(far);
    let confidence = entry.meta.confidence.or(sure);
    let trust = from.filter(|from| *from < of_entry(who, entry)).or(entry.meta.trust);
    let meta = Meta { confidence, trust, ..entry.meta.clone() };
    (meta != entry.meta).then(|| Entry { meta, ..entry.clone() })
}

/// The mark that an entry would remove from a section, or cut, and leave what it stands beside: then a guess would stand there as a
/// fact.
#[must_use]
pub fn mark_taken_out<'s>(kb: &KnowledgeBase, entry: &Entry, section: &'s str) -> Option<&'s str> {
    let all = || marks_and_fields(section, kb.mark_below);
    match entry.operation {
        Operation::Update => {
            let content = entry.content.as_deref()?;
            return mark_left_out(marks_and_fields(content, kb.mark_below), content, all(), section);
        }
        // The fields of the item stay.
        Operation::UpsertItem | Operation::UpsertRow => {
            let content = entry.content.as_deref()?;
            return mark_left_out(marks(content), content, marks(section), section);
        }
        _ => {}
    }
    let old =
        entry.old_text.as_deref().filter(|old| !old.is_empty() && entry.operation == Operation::Replace)?;
    let content = entry.content.as_deref().unwrap_or_default();
    let replaced: Vec<_> = section.match_indices(old).map(|(at, _)| at..at + old.len()).collect();
    let taken = |mark: &Range<usize>| {
        let touched = replaced.iter().any(|old| old.start < mark.end && mark.start < old.end);
        touched && !content.contains(&section[mark.clone()])
    };
    all().find(taken).map(|mark| &section[mark])
}

/// The mark of a section that its new text has not, or has less often than texts beside which it stood.
fn mark_left_out<'s>(
    kept: impl Iterator<Item = Range<usize>>,
    content: &str,
    mut marks: impl Iterator<Item = Range<usize>>,
    section: &'s str,
) -> Option<&'s str> {
    let new = bare(content);
    let mut kept: Vec<&str> = kept.map(|mark| &content[mark]).collect();
    marks.find_map(|at| {
        let mark = &section[at.clone()];
        let beside = bare(beside(section, &at));
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

/// A text's letters and digits: what is said anew with other signs, blanks or capitals is the same words.
fn bare(text: &str) -> String {
    fold(text).chars().filter(|c| c.is_alphanumeric()).collect()
}

/// What a mark stands beside: the text before it on its line, without the sign of a list; else the next line that says something.
fn beside<'s>(section: &'s str, mark: &Range<usize>) -> &'s str {
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
    let doubt = |entry: &Entry| {
        let doubt = can_be_marked(entry).then(|| Doubt::of(kb, who, entry, approved))?;
        Some((doubt.said(|_| true)?, doubt))
    };
    // Once for each: the search for words costs most here.
    let doubts: Vec<Option<(String, Doubt)>> = entries.iter().map(doubt).collect();
    if doubts.iter().all(Option::is_none) {
        return Cow::Borrowed(entries);
    }
    let one = |(entry, doubt): (&Entry, Option<(String, Doubt)>)| match doubt {
        Some((said, doubt)) => Entry {
            content: entry.content.as_deref().map(|text| {
                let mark = as_comment(&said);
                if entry.operation.writes_item() {
                    item_with_mark(text, &mark)
                } else {
                    each_item_with_mark(text, &doubt).unwrap_or_else(|| with_mark(text, &mark))
                }
            }),
            ..entry.clone()
        },
        None => entry.clone(),
    };
    Cow::Owned(entries.iter().zip(doubts).map(one).collect())
}

/// After the first line, which is the text of an item.
fn item_with_mark(text: &str, mark: &str) -> String {
    let text = text.trim();
    let (line, below) = text.split_at(text.find('\n').unwrap_or(text.len()));
    format!("{} {mark}{below}", line.trim_end())
}

fn as_comment(said: &str) -> String {
    format!("<!-- {said} -->")
}

/// Behind each line that there is something to doubt of, where all lines are items of one list: each is found again by itself.
fn each_item_with_mark(text: &str, doubt: &Doubt) -> Option<String> {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let is_item = |line: &&str| ["- ", "* ", "+ "].iter().any(|bullet| line.starts_with(bullet));
    let is_said = |word: &String| lines.iter().any(|line| says(line, word));
    if lines.len() < 2 || !lines.iter().all(is_item) || !doubt.words.iter().all(is_said) {
        return None;
    }
    let marked = lines.iter().map(|line| match doubt.said(|word| says(line, word)) {
        Some(said) => with_mark(line, &as_comment(&said)),
        None => (*line).to_owned(),
    });
    let marked: Vec<String> = marked.collect();
    let fits = marked.iter().all(|line| !line.contains('\n'));
    fits.then(|| [&marked.join("\n"), &text[text.trim_end().len()..]].concat())
}

/// Whether a line has a word, not only within another one (`he` in `the`). Chinese words stand without anything between them.
fn says(line: &str, word: &str) -> bool {
    let is_of_word = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    line.match_indices(word).any(|(at, word)| {
        let (before, behind) = (&line[..at], &line[at + word.len()..]);
        let begins = is_of_word(before.chars().next_back()) && is_of_word(word.chars().next());
        let ends = is_of_word(word.chars().next_back()) && is_of_word(behind.chars().next());
        !begins && !ends
    })
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
            let mark = mark_taken_out(&KnowledgeBase::default(), &replace(old, new), section);
            assert_eq!(mark, Some("<!-- a guess, 20 % sure -->"), "{old}");
        }
        for (old, new) in [
            ("may like jazz", "likes jazz"),
            ("other <!-- mine -->", "other"),
            ("jazz <!-- a guess, 20 % sure -->", "blues <!-- a guess, 20 % sure -->"),
        ] {
            assert_eq!(mark_taken_out(&KnowledgeBase::default(), &replace(old, new), section), None, "{old}");
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
            assert_eq!(
                mark_taken_out(&KnowledgeBase::default(), &update(content), &section),
                Some(mark),
                "{content}"
            );
        }
        for content in [&section, "- other\n", "- plays chess\n", "", &format!("- may like tea {GUESS}")] {
            assert_eq!(
                mark_taken_out(&KnowledgeBase::default(), &update(content), &section),
                None,
                "{content}"
            );
        }
    }

    #[test]
    fn each_item_of_a_list_is_marked_by_itself() {
        let doubt = |of_all: &[&str], words: &[&str]| Doubt {
            of_all: of_all.iter().map(|&part| part.to_owned()).collect(),
            words: words.iter().map(|&word| word.to_owned()).collect(),
        };
        let guess = doubt(&["a guess, 10 % sure"], &["today"]);
        let of = |text, doubt| each_item_with_mark(text, doubt);
        let marked =
            "- one <!-- a guess, 10 % sure -->\n- today two <!-- a guess, 10 % sure, says today -->\n";
        assert_eq!(of("- one\n- today two\n", &guess).as_deref(), Some(marked));
        let words = doubt(&[], &["today"]);
        let he = doubt(&[], &["he"]);
        let marked = "- the first\n- he, again <!-- says he -->";
        assert_eq!(of("- the first\n- he, again", &he).as_deref(), Some(marked));
        assert_eq!(of("* today\n* two", &words).as_deref(), Some("* today <!-- says today -->\n* two"));
        for text in ["- today", "- today\n  more\n- two", "today\n- two", "- one\n- two", "- today\n- `x"] {
            assert_eq!(of(text, &guess), None, "{text}");
        }
    }

    #[test]
    fn a_mark_stands_where_nothing_swallows_it() {
        for (text, marked) in [
            ("- likes tea", "- likes tea <!-- m -->"),
            ("- one\n- two\n", "- one\n- two <!-- m -->\n"),
            ("- one\n  more\n- two\n", "- one\n  more\n- two <!-- m -->\n"),
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
