//! The parts of a text whose words are not the author's own: code, quotations, titles, links, comments.

use super::first_bytes;
use std::collections::BTreeMap;
use std::ops::Range;

/// How a quotation begins and ends.
const QUOTES: [(char, char); 9] = [
    ('“', '”'),
    ('‘', '’'),
    ('「', '」'),
    ('『', '』'),
    ('《', '》'),
    ('〈', '〉'),
    ('«', '»'),
    ('„', '“'),
    ('"', '"'),
];

/// The shielded ranges of a text, in bytes, in order.
pub(super) fn of(text: &str) -> Vec<Range<usize>> {
    let mut shield = Vec::new();
    let runs = backticks(text);
    let indented = indented_code(text);
    let mut at = 0;
    let mut line_starts = true;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = indented
            .binary_search_by_key(&at, |range| range.start)
            .ok()
            .map(|found| indented[found].len())
            .or_else(|| fence(rest, line_starts))
            .or_else(|| log_line(rest, line_starts))
            .or_else(|| code(&runs, at, rest))
            .or_else(|| rest.starts_with("<!--").then(|| rest.find("-->").map_or(rest.len(), |end| end + 3)))
            .or_else(|| attributed(rest, line_starts))
            .or_else(|| template(rest))
            .or_else(|| wiki_link(rest))
            .or_else(|| quotation(rest, c))
            .or_else(|| link(text, at));
        line_starts = c == '\n' || (line_starts && c == ' ');
        match length {
            Some(length) => {
                shield.push(at..at + length);
                at += length;
                line_starts = text[..at].ends_with('\n');
            }
            // A run that nothing closes is text, whole.
            None if c == '`' => at += run(rest),
            None => at += c.len_utf8(),
        }
    }
    shield
}

/// A fenced block, to its closing fence or the end.
fn fence(rest: &str, line_starts: bool) -> Option<usize> {
    let mark = rest.chars().next().filter(|c| line_starts && matches!(c, '`' | '~'))?;
    let width = rest.chars().take_while(|c| *c == mark).count();
    if width < 3 {
        return None;
    }
    let fence: String = std::iter::repeat_n(mark, width).collect();
    let mut length = 0;
    for (n, line) in rest.split_inclusive('\n').enumerate() {
        length += line.len();
        if n > 0 && line.trim().starts_with(&fence) {
            return Some(length);
        }
    }
    Some(rest.len())
}

/// The lines of code that their indentation makes code (CommonMark 4.4): four columns more than the text around them, behind an empty
/// line.
fn indented_code(text: &str) -> Vec<Range<usize>> {
    let (mut found, mut at) = (Vec::new(), 0);
    let (mut may_begin, mut content) = (true, 0);
    for line in text.split_inclusive('\n') {
        let range = at..at + line.len();
        at = range.end;
        if line.trim().is_empty() {
            may_begin = true;
            continue;
        }
        let indent: usize =
            line.bytes().take_while(|b| b" \t".contains(b)).map(|b| if b == b'\t' { 4 } else { 1 }).sum();
        if may_begin && indent >= content + 4 {
            found.push(range);
            continue;
        }
        may_begin = false;
        let bare = line.trim_start();
        let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
        let marker = if bare.starts_with(['-', '*', '+']) {
            1
        } else if digits > 0 && bare[digits..].starts_with(['.', ')']) {
            digits + 1
        } else {
            0
        };
        let blanks = bare[marker..].bytes().take_while(|b| *b == b' ').count();
        // Text of a list goes on where its item's text begins.
        content = match marker > 0 && blanks > 0 {
            true => indent + marker + blanks,
            false => content.min(indent),
        };
    }
    found
}

/// A link as wikis write it: `[[yesterday]]`, `[[notes|today]]`.
fn wiki_link(rest: &str) -> Option<usize> {
    let inside = beginning(rest.strip_prefix("[[")?);
    let end = inside.find("]]")?;
    (!inside[..end].contains('\n')).then_some(end + 4)
}

/// A line of a log, to its end: `WARN today is no business day`, `2026-03-10T23:14:07Z ERROR …`, `[INFO] …`.
fn log_line(rest: &str, line_starts: bool) -> Option<usize> {
    const LEVELS: [&str; 8] = ["TRACE", "DEBUG", "INFO", "WARNING", "WARN", "ERROR", "FATAL", "CRITICAL"];
    let first = rest.as_bytes().first().filter(|_| line_starts)?;
    if !(first.is_ascii_uppercase() || first.is_ascii_digit() || *first == b'[') {
        return None;
    }
    let length = rest.find('\n').unwrap_or(rest.len());
    let line = beginning(&rest[..length]);
    let stamp = line.bytes().take_while(|b| b.is_ascii_digit() || b"-:.TZ+, []".contains(b)).count();
    let (stamped, bare) = (line[..stamp].bytes().filter(u8::is_ascii_digit).count() >= 6, &line[stamp..]);
    let behind = LEVELS.iter().find_map(|level| bare.strip_prefix(level))?;
    // "ERROR rates doubled" is prose.
    let ends = if stamped || line.starts_with('[') { [' ', ':', ']'] } else { [':', ':', ']'] };
    let alone = ["WARN ", "INFO ", "DEBUG ", "TRACE ", "FATAL "].iter().any(|level| bare.starts_with(level));
    (behind.starts_with(ends) || alone).then_some(length)
}

/// A line that names at its end whose words it is: `Today is the tomorrow of yesterday. -- Mark Twain`.
fn attributed(rest: &str, line_starts: bool) -> Option<usize> {
    if !line_starts || rest.starts_with(['-', '—', '*']) {
        return None;
    }
    let length = rest.find('\n').unwrap_or(rest.len());
    let line = &rest[..length];
    // Yesterday, all my troubles seemed so far away - sung by the choir.
    if line.contains("sung by ")
        && [" - sung by ", " – sung by ", " — sung by ", ", sung by "].iter().any(|by| line.contains(by))
    {
        return Some(length);
    }
    let (at, dash) = [line.rfind(" -- ").map(|at| (at, 4)), line.rfind(". — ").map(|at| (at, ". — ".len()))]
        .into_iter()
        .flatten()
        .max()?;
    // A signature of one word may be the author's own.
    let name = line[at + dash..].split(',').next().unwrap_or_default().trim_end_matches([' ', '.', '"']);
    let parts: Vec<&str> = name.split(' ').collect();
    let is_name = (2..=4).contains(&parts.len())
        && parts
            .iter()
            .all(|part| part.starts_with(char::is_uppercase) || ["de", "von", "van", "of"].contains(part));
    is_name.then_some(length)
}

/// How many backticks a text begins with.
fn run(text: &str) -> usize {
    text.bytes().take_while(|b| *b == b'`').count()
}

/// Where the runs of backticks begin, by their width. Looked up, so that a text full of runs that nothing closes is read once.
fn backticks(text: &str) -> BTreeMap<usize, Vec<usize>> {
    let mut runs: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut from = 0;
    while let Some(next) = text[from..].find('`') {
        let at = from + next;
        let width = run(&text[at..]);
        runs.entry(width).or_default().push(at);
        from = at + width;
    }
    runs
}

/// A code span: as many backticks at its end as at its beginning.
fn code(runs: &BTreeMap<usize, Vec<usize>>, at: usize, rest: &str) -> Option<usize> {
    let width = Some(run(rest)).filter(|width| *width > 0)?;
    let of_width = runs.get(&width)?;
    let end = of_width.get(of_width.partition_point(|begin| *begin < at + width))?;
    Some(end + width - at)
}

/// The longest quotation or link in bytes. The bound keeps a text full of quotation marks linear.
const BYTES_MAX: usize = 600;

fn beginning(text: &str) -> &str {
    first_bytes(text, BYTES_MAX)
}

/// A placeholder of a template: `{{today}}`, `${now}`.
fn template(rest: &str) -> Option<usize> {
    let close = [("{{", "}}"), ("${", "}")].into_iter().find(|(open, _)| rest.starts_with(open))?.1;
    let line = beginning(rest);
    let end = line.find(close)?;
    (!line[..end].contains('\n')).then_some(end + close.len())
}

/// A quotation that ends on its line.
fn quotation(rest: &str, c: char) -> Option<usize> {
    let (_, closing) = QUOTES.iter().find(|(open, _)| *open == c)?;
    let inside = beginning(&rest[c.len_utf8()..]);
    let line = &inside[..inside.find('\n').unwrap_or(inside.len())];
    // An apostrophe opens no quotation, and a mark of inches closes none.
    Some(c.len_utf8() + line.find(*closing)? + closing.len_utf8())
}

/// A link, a path or an address: everything up to the next blank.
fn link(text: &str, at: usize) -> Option<usize> {
    let begins = at == 0 || text[..at].ends_with(|c: char| c.is_whitespace() || "(<[(::,,".contains(c));
    // Asked first: within words, which is nearly everywhere, nothing is looked for.
    if !begins {
        return None;
    }
    let rest = beginning(&text[at..]);
    let word = &rest[..rest.find(char::is_whitespace).unwrap_or(rest.len())];
    let is_link = word.contains("://") || word.starts_with('/') && word.len() > 1 || word.starts_with("~/");
    is_link.then_some(word.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shielded() {
        for (text, shielded) in [
            ("a `b` c", "`b`"),
            ("a ``b`c`` d", "``b`c``"),
            ("a ` b", ""),
            ("a ``` b `c` d", "`c`"),
            ("a `` b ` c ``` d", ""),
            ("say \"it\" so", "\"it\""),
            ("5\" wide", ""),
            ("at {{ today }} now", "{{ today }}"),
            ("他说“今天”好", "“今天”"),
            ("x <!-- today --> y", "<!-- today -->"),
            ("see https://a.b/today now", "https://a.b/today"),
            ("in /home/me now", "/home/me"),
            ("a\n```\ntoday\n```\nb", "```\ntoday\n```\n"),
            ("```\nnever closed", "```\nnever closed"),
            ("Run:\n\n    rm today\n    ls\n\nx", "    rm today\n    ls\n"),
            ("- step\n\n      rm today\n", "      rm today\n"),
            ("- step\n\n    goes on today\n", ""),
            ("- step\n    - inner today\n\n      goes on\n", ""),
            ("prose\n    goes on today\n", ""),
            ("see [[today]] and ![[x|now]]", "[[today]][[x|now]]"),
            ("WARN today is off\nnow", "WARN today is off"),
            ("a\n2026-03-10T23:14:07Z ERROR gone today", "2026-03-10T23:14:07Z ERROR gone today"),
            ("[INFO] 今天", "[INFO] 今天"),
            ("Today is good. -- Mark Twain", "Today is good. -- Mark Twain"),
            ("Moved to tomorrow -- Mei", ""),
            ("- today -- Mark Twain", ""),
            ("ERROR rates doubled today", ""),
            ("2026-03-10 today", ""),
        ] {
            let found: String = of(text).into_iter().map(|range| &text[range]).collect();
            assert_eq!(found, shielded, "{text}");
        }
    }
}
