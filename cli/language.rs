//! In which language people are spoken to: English, unless the locale names one of `cli/languages/`. Only what a person reads goes
//! through here; JSON, hooks, `mcp`, `metrics` and documents are as they are, and so is what an agent reads. What a language has no
//! words for is said in English.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::OnceLock;

/// The languages besides English: how a locale of it begins, and its phrases, as PO files have them (`msgid`, `msgstr`): what commands
/// say, and what is wrong with a declaration, a document or a file. `{1}` stands for any text, `{1*}` for a phrase of
/// the files, `{1?}` for either, `{1#}` for a number. Of several that fit, those that begin with words of
/// their own come first, and then those with most of them.
const CATALOGUES: [(&str, &[&str]); 1] =
    [("zh", &[include_str!("languages/zh.po"), include_str!("languages/zh-refusals.po")])];

/// What a person is told, in their language.
pub fn said(english: &str) -> Cow<'_, str> {
    match spoken() {
        None => Cow::Borrowed(english),
        Some(catalogue) => catalogue.text(english).map_or(Cow::Borrowed(english), Cow::Owned),
    }
}

/// The language that is spoken, where it is not English: `zh`.
pub fn code() -> Option<&'static str> {
    spoken().map(|catalogue| catalogue.code)
}

fn spoken() -> Option<&'static Catalogue> {
    static SPOKEN: OnceLock<Option<Catalogue>> = OnceLock::new();
    SPOKEN
        .get_or_init(|| {
            let env = |name: &str| std::env::var(name).ok();
            let (code, phrases) = of_locale(&locale(env)?)?;
            // An agent's shell has its person's locale, and the agent is no reader of theirs.
            agents::mark(std::env::vars_os()).is_none().then(|| Catalogue::parse(code, phrases))
        })
        .as_ref()
}

/// The locale of messages, as POSIX has it: of `LC_ALL`, `LC_MESSAGES` and `LANG` the first that is set and not empty.
fn locale(env: impl Fn(&str) -> Option<String>) -> Option<String> {
    ["LC_ALL", "LC_MESSAGES", "LANG"].iter().find_map(|name| env(name).filter(|value| !value.is_empty()))
}

fn of_locale(locale: &str) -> Option<(&'static str, &'static [&'static str])> {
    let language = locale.split(['_', '.', '@', '-']).next()?;
    CATALOGUES.iter().find(|(code, _)| *code == language).copied()
}

/// The phrases of a language.
#[derive(Debug, Default)]
struct Catalogue {
    code: &'static str,
    /// Those without a hole.
    exact: HashMap<String, String>,
    /// Those with holes, in the order in which they are tried.
    patterns: Vec<(Vec<Part>, Vec<Part>)>,
}

/// A piece of a phrase.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    Words(String),
    Hole(char, HoleKind),
}

impl Part {
    /// How many letters it has of its own.
    fn letters(&self) -> usize {
        if let Part::Words(words) = self { words.len() } else { 0 }
    }
}

/// What stands in a hole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HoleKind {
    Anything,
    Phrase,
    Either,
    Number,
}

impl Catalogue {
    fn parse(code: &'static str, files: &[&str]) -> Catalogue {
        let mut catalogue = Catalogue { code, ..Catalogue::default() };
        let phrases = files.iter().flat_map(|po| phrases(po));
        for (english, other) in phrases.filter(|(english, other)| !english.is_empty() && !other.is_empty()) {
            let parts = parts(&english);
            match parts.iter().any(|part| matches!(part, Part::Hole(..))) {
                true => catalogue.patterns.push((parts, self::parts(&other))),
                false => drop(catalogue.exact.insert(english, other)),
            }
        }
        catalogue.patterns.sort_by_cached_key(|(english, _)| order(english));
        catalogue
    }

    /// A text of one or several lines; `None` where nothing of it is known.
    fn text(&self, english: &str) -> Option<String> {
        if let Some(whole) = self.exact.get(english) {
            return Some(whole.clone());
        }
        let lines: Vec<Option<String>> = english.split('\n').map(|line| self.line(line)).collect();
        lines.iter().any(Option::is_some).then(|| {
            let said =
                english.split('\n').zip(lines).map(|(line, said)| said.unwrap_or_else(|| line.to_owned()));
            said.collect::<Vec<_>>().join("\n")
        })
    }

    /// A line: a phrase, or one behind what is not translated (a flag, a command) and at least two blanks; else several phrases that
    /// stand beside each other.
    fn line(&self, line: &str) -> Option<String> {
        let answers = &mut Answers::new();
        if let Some(said) = self.phrase(line, Joins::No, answers) {
            return Some(said);
        }
        let begin = line.len() - line.trim_start().len();
        let at = line.rfind("  ").map_or(begin, |at| at + 2).max(begin);
        let (before, rest) = line.split_at_checked(at)?;
        Some(format!("{before}{}", self.phrase(rest, Joins::Yes, answers)?))
    }

    fn phrase<'e>(&self, english: &'e str, joins: Joins, answers: &mut Answers<'e>) -> Option<String> {
        if let Some(known) = self.exact.get(english) {
            return Some(known.clone());
        }
        if let Some(known) = answers.get(&(english, joins)) {
            return known.clone();
        }
        let said = self.composed(english, joins, answers);
        answers.insert((english, joins), said.clone());
        said
    }

    /// A phrase with other texts in it.
    fn composed<'e>(&self, english: &'e str, joins: Joins, answers: &mut Answers<'e>) -> Option<String> {
        if let Some((said, code)) = with_code(english) {
            let said = self.phrase(said, joins, answers)?;
            let code =
                code.split(", ").map(|part| self.phrase(part, joins, answers).unwrap_or(part.to_owned()));
            return Some(format!("{said} [{}]", code.collect::<Vec<_>>().join(", ")));
        }
        if let Some((first, more)) = english.rsplit_once(" (and ").filter(|_| english.ends_with(" more)"))
            && let Some(first) = self.phrase(first, joins, answers)
            && let Some(more) = english.get(english.len() - more.len() - 5..)
            && let Some(more) = self.phrase(more, joins, answers)
        {
            return Some(first + &more);
        }
        if let Some((name, place, rest)) = after_place(english)
            && let Some(said) = self.phrase(rest, joins, answers)
        {
            return Some(format!("{}{place}: {said}", self.exact.get(name).map_or(name, String::as_str)));
        }
        let mut patterns =
            self.patterns.iter().filter(|(pattern, _)| joins == Joins::Yes || !is_join(pattern));
        patterns.find_map(|(pattern, other)| {
            let found = matched(pattern, english)?;
            let mut part = |part: &Part| {
                let (name, held) = match part {
                    Part::Words(words) => return Some(words.clone()),
                    Part::Hole(name, held) => (name, held),
                };
                let there = found.iter().find(|(hole, _)| hole == name).map_or("", |(_, there)| *there);
                match held {
                    HoleKind::Anything => Some(there.to_owned()),
                    HoleKind::Phrase => self.phrase(there, Joins::Yes, answers),
                    HoleKind::Number => there.chars().all(|c| c.is_ascii_digit()).then(|| there.to_owned()),
                    HoleKind::Either => {
                        Some(self.phrase(there, Joins::Yes, answers).unwrap_or_else(|| there.to_owned()))
                    }
                }
            };
            other.iter().map(&mut part).collect::<Option<Vec<String>>>().map(|pieces| joined(&pieces))
        })
    }
}

/// The pieces of a phrase as one text: a blank that its translation has beside a hole, for what may stand there in another script, goes
/// where Chinese stands on both sides of it.
fn joined(pieces: &[String]) -> String {
    let is_chinese = |c: Option<char>| c.is_some_and(|c| ('\u{3000}'..='\u{9fff}').contains(&c));
    pieces.iter().fold(String::new(), |mut text, piece| {
        let begun = text.strip_suffix(' ').filter(|text| is_chinese(text.chars().next_back())).map(str::len);
        let goes_on = piece.strip_prefix(' ').filter(|piece| is_chinese(piece.chars().next()));
        match (begun, goes_on) {
            (Some(begun), _) if is_chinese(piece.chars().next()) => text.truncate(begun),
            (_, Some(goes_on)) if is_chinese(text.chars().next_back()) => return text + goes_on,
            _ => {}
        }
        text + piece
    })
}

/// What was found for the parts of a line: several patterns may ask for the same part, and each of its parts in turn.
type Answers<'e> = HashMap<(&'e str, Joins), Option<String>>;

/// Whether phrases count that only join others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Joins {
    No,
    Yes,
}

/// A pattern that has next to nothing of its own: `{1*}, {2*}`.
fn is_join(pattern: &[Part]) -> bool {
    pattern.iter().map(Part::letters).sum::<usize>() < 4
}

/// Which patterns are tried first: those that begin with words of their own, then those with most of them.
fn order(pattern: &[Part]) -> (bool, Reverse<usize>) {
    let is_open = matches!(pattern.first(), Some(Part::Hole(..)));
    (is_open, Reverse(pattern.iter().map(Part::letters).sum()))
}

/// What is said before a code, and the code: `no such thing [unknown_kb]`.
fn with_code(english: &str) -> Option<(&str, &str)> {
    let (said, code) = english.strip_suffix(']')?.rsplit_once(" [")?;
    let is_code = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_, ".contains(c);
    (code.contains('_') || !code.contains(' ')).then_some(())?;
    code.chars().all(is_code).then_some((said, code))
}

/// What a problem of a text begins with, and the problem: the text's name, `:line:column` or nothing, and the rest. A name alone is a path or
/// a file's.
fn after_place(english: &str) -> Option<(&str, &str, &str)> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    english.match_indices(": ").take(PLACE_ENDS_MAX).find_map(|(at, _)| {
        let (before, rest) = (english.get(..at)?, english.get(at + 2..)?);
        let mut parts = before.rsplitn(3, ':');
        if parts.next().is_some_and(is_number) && parts.next().is_some_and(is_number) {
            let name = parts.next().unwrap_or_default();
            // A sentence of its own stands before that one.
            return (!name.contains(": ")).then_some((name, before.get(name.len()..)?, rest));
        }
        let is_file = before.contains(['/', '.']) && !before.contains([' ', '`']);
        is_file.then_some((before, "", rest))
    })
}

/// A place is looked for before so many colons: a name may have some in it.
const PLACE_ENDS_MAX: usize = 4;

/// What stands in the holes of a pattern, each as short as it can be and without two blanks, which stand between columns; `None`
/// where the text is not of that pattern.
fn matched<'t>(pattern: &[Part], text: &'t str) -> Option<Vec<(char, &'t str)>> {
    let mut found = Vec::new();
    let mut rest = text;
    let mut open = None;
    for (at, part) in pattern.iter().enumerate() {
        match (part, open.take()) {
            (Part::Hole(name, _), _) => open = Some(*name),
            (Part::Words(words), None) => rest = rest.strip_prefix(words.as_str())?,
            (Part::Words(words), Some(hole)) => {
                let last = at + 1 == pattern.len();
                let end =
                    if last { rest.len().checked_sub(words.len())? } else { rest.find(words.as_str())? };
                let there = rest.get(..end).filter(|there| !there.is_empty())?;
                rest = rest.get(end..)?.strip_prefix(words.as_str())?;
                found.push((hole, there));
            }
        }
    }
    match open {
        Some(hole) if !rest.is_empty() => found.push((hole, rest)),
        None if rest.is_empty() => {}
        _ => return None,
    }
    found.iter().all(|(_, there)| !there.contains("  ")).then_some(found)
}

fn parts(phrase: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut words = String::new();
    let mut rest = phrase;
    while let Some(at) = rest.find('{') {
        let (before, from) = rest.split_at(at);
        words.push_str(before);
        let hole = from.get(1..).and_then(|inside| inside.split_once('}')).and_then(|(inside, after)| {
            let mut inside = inside.chars();
            let name = inside.next().filter(char::is_ascii_digit)?;
            let held = match inside.as_str() {
                "" => HoleKind::Anything,
                "*" => HoleKind::Phrase,
                "?" => HoleKind::Either,
                "#" => HoleKind::Number,
                _ => return None,
            };
            Some((name, held, after))
        });
        match hole {
            Some((name, held, after)) => {
                parts.extend((!words.is_empty()).then(|| Part::Words(std::mem::take(&mut words))));
                parts.push(Part::Hole(name, held));
                rest = after;
            }
            None => {
                words.push('{');
                rest = &from[1..];
            }
        }
    }
    words.push_str(rest);
    parts.extend((!words.is_empty()).then_some(Part::Words(words)));
    parts
}

/// The pairs of a PO file: `msgid` and `msgstr`, each of one or several quoted strings.
fn phrases(po: &str) -> Vec<(String, String)> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    let mut of_other = false;
    for line in po.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        let quoted = match line.split_once(' ') {
            Some(("msgid", quoted)) => {
                pairs.push(<_>::default());
                of_other = false;
                quoted
            }
            Some(("msgstr", quoted)) => {
                of_other = true;
                quoted
            }
            _ => line,
        };
        let inside = quoted.strip_prefix('"').and_then(|quoted| quoted.strip_suffix('"'));
        if let (Some(inside), Some((english, other))) = (inside, pairs.last_mut()) {
            let text = unescaped(inside);
            if of_other { other.push_str(&text) } else { english.push_str(&text) }
        }
    }
    pairs
}

/// A string of a PO file as it is meant.
fn unescaped(quoted: &str) -> String {
    let mut text = String::with_capacity(quoted.len());
    let mut chars = quoted.chars();
    while let Some(c) = chars.next() {
        match (c, chars.clone().next()) {
            ('\\', Some('n')) => text.push('\n'),
            ('\\', Some(next)) => text.push(next),
            _ => {
                text.push(c);
                continue;
            }
        }
        chars.next();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_that_is_set_names_the_locale() {
        for (set, wanted) in [
            (&[][..], None),
            (&[("LANG", "zh_CN.UTF-8")], Some("zh")),
            (&[("LANG", "zh_TW")], Some("zh")),
            (&[("LANG", "zh-Hans")], Some("zh")),
            (&[("LANG", "zh_CN.UTF-8"), ("LC_MESSAGES", "en_US.UTF-8")], None),
            (&[("LANG", "en_US.UTF-8"), ("LC_MESSAGES", "zh_CN.UTF-8")], Some("zh")),
            (&[("LANG", "zh_CN.UTF-8"), ("LC_MESSAGES", "zh_CN"), ("LC_ALL", "C")], None),
            (&[("LANG", "zh_CN.UTF-8"), ("LC_ALL", "")], Some("zh")),
            (&[("LANG", "zhx")], None),
            (&[("LANG", "de_DE.UTF-8")], None),
        ] {
            let env =
                |name: &str| set.iter().find(|(set, _)| *set == name).map(|(_, value)| (*value).to_owned());
            assert_eq!(
                locale(env).and_then(|locale| of_locale(&locale)).map(|(code, _)| code),
                wanted,
                "{set:?}"
            );
        }
    }

    #[test]
    fn phrases_with_holes_are_found_in_lines() {
        let po = "# a remark\nmsgid \"\"\nmsgstr \"\"\n\"Language: zh\\n\"\n\nmsgid \"{1#} back\"\nmsgstr \"{1#} 回\"\n\nmsgid \"job\"\nmsgstr \"作业\"\n
msgid \"{1*} [default: {2?}]\"\nmsgstr \"{1*}（默认：{2?}）\"\n\nmsgid \"of {x} and {1} to {2}\"\nmsgstr \"{2} {1} {x}\"\n\nmsgid \"{1?} by {2?}\"\nmsgstr \"{2?} 的 {1?}\"\n\nmsgid \"all\"\nmsgstr \"\"\n";
        let catalogue = Catalogue::parse("zh", &[po]);
        for (english, wanted) in [
            ("job", Some("作业")),
            ("2 back", Some("2 回")),
            (" back", None),
            ("2 back again", None),
            ("two back", None),
            ("job [default: 3]", Some("作业（默认：3）")),
            ("job [default: job]", Some("作业（默认：作业）")),
            ("jobs [default: 3]", None),
            ("of {x} and a to b to c", Some("b to c a {x}")),
            ("  -x, --y  job", Some("  -x, --y  作业")),
            ("  -x  job\nother\n2 back", Some("  -x  作业\nother\n2 回")),
            ("of {x} and a to b\njob", Some("b a {x}\n作业")),
            // A place, a code and the number of others are no part of a phrase.
            ("my notes.yaml:3:1: 2 back [no_way, line 4]", Some("my notes.yaml:3:1: 2 回 [no_way, line 4]")),
            ("~/notes.yaml: job", Some("~/notes.yaml: 作业")),
            ("other: notes.yaml:3:1: job", None),
            // No blank stands between two words of Chinese.
            ("job by job", Some("作业的作业")),
            ("ann by job", Some("作业的 ann")),
            ("all", None),
            ("", None),
            ("  ", None),
        ] {
            assert_eq!(catalogue.text(english).as_deref(), wanted, "{english:?}");
        }
    }

    /// A text of an agent's stands in what is said, and each of its signs is a place where phrases may be joined.
    #[test]
    fn a_text_full_of_joins_is_looked_through_once() {
        let catalogue = Catalogue::parse("zh", CATALOGUES[0].1);
        let text = format!("{}zz", "qa: qb; ".repeat(60));
        assert_eq!(catalogue.line(&text), None);
    }

    #[test]
    fn every_catalogue_says_something_and_fills_only_what_there_is() {
        for (code, po) in CATALOGUES {
            let catalogue = Catalogue::parse(code, po);
            assert!(catalogue.exact.len() + catalogue.patterns.len() > 100, "{code}");
            for (english, other) in &catalogue.patterns {
                let hole = |part: &Part| matches!(part, Part::Hole(..));
                let name = |part: &Part| if let Part::Hole(name, _) = part { Some(*name) } else { None };
                for named in other.iter().filter_map(name) {
                    assert!(
                        english.iter().any(|part| name(part) == Some(named)),
                        "{english:?} has no {named}"
                    );
                }
                assert!(
                    !english.windows(2).any(|pair| pair.iter().all(hole)),
                    "{english:?}: two holes beside each other"
                );
                assert!(english.iter().any(|part| !hole(part)), "{english:?} is everything");
            }
        }
    }
}
