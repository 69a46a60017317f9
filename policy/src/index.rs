//! The generated index of a directory of documents: a table that says for which purpose to read which of them. Made from what the
//! documents say of themselves, so that the same documents always make the same table.

use declaration::secrets;
use declaration::terminal::not_shown;
use serde::{Deserialize, Serialize};

/// Most lines of an index, and most bytes.
const LINES_MAX: usize = 200;
const BYTES_MAX: usize = 25 << 10;
/// Most characters of a cell.
const CELL_CHARS_MAX: usize = 160;
/// Keys of front matter that say when a document was changed, the first of them that is there.
const CHANGED: [&str; 5] = ["updated", "last_updated", "modified", "last_modified", "date"];
/// Front matter is looked for in so many lines.
const FRONT_LINES_MAX: usize = 100;

/// Which documents a knowledge base keeps an index of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeneratedIndex {
    /// Their paths, relative to what the knowledge base's own path is: `*` is anything within a name, `**` any directories.
    pub of: String,
    /// The key of their front matter that says when to read them.
    pub when: String,
}

/// A document that an index is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexedDocument {
    /// Its path as the index cites it: relative to the document that has the index.
    pub path: String,
    /// What it says.
    pub text: String,
}

/// The first lines of the table.
const HEAD: &str = "| when you want to … | read | changed |";
const RULE: &str = "|---|---|---|";

/// The table, from documents in any order.
#[must_use]
pub fn table(documents: &[IndexedDocument], index: &GeneratedIndex) -> String {
    let mut documents: Vec<&IndexedDocument> = documents.iter().collect();
    documents.sort_by(|a, b| a.path.cmp(&b.path));
    let mut table = format!("{HEAD}\n{RULE}\n");
    let mut lines = 2;
    // Room for the line that says how many are left.
    let most = BYTES_MAX - 200;
    for (at, document) in documents.iter().enumerate() {
        let rows = rows(document, &index.when);
        let bytes: usize = rows.iter().map(String::len).sum();
        if lines + rows.len() > LINES_MAX - 2 || table.len() + bytes > most {
            let left = documents.len() - at;
            let noun = if left == 1 { "document" } else { "documents" };
            table.push_str(&format!(
                "\n{left} more {noun}: `{}`\n",
                index.of.chars().take(100).collect::<String>()
            ));
            break;
        }
        lines += rows.len();
        table.extend(rows);
    }
    table
}

/// Whether a line may be one of the table, or below it: any other in its place was written by a person.
#[must_use]
pub fn is_made(line: &str) -> bool {
    let line = line.trim();
    let is_rest = || {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        rest.len() < line.len()
            && [" more document: `", " more documents: `"].iter().any(|said| rest.starts_with(said))
    };
    let is_row = || {
        let cells = line.strip_prefix('|').and_then(|line| line.strip_suffix('|'));
        // However a formatter sets them.
        let squeezed = |line: &str| line.split_whitespace().collect::<String>();
        let is_head = || squeezed(line) == squeezed(HEAD) || line.chars().all(|c| "|-: ".contains(c));
        cells.is_some_and(|cells| cells.contains("](") || is_head())
    };
    line.is_empty() || line.starts_with("<!--") && line.ends_with("-->") || is_row() || is_rest()
}

/// The rows of one document: one for each purpose it names.
fn rows(document: &IndexedDocument, when: &str) -> Vec<String> {
    let text = document.text.strip_prefix('\u{feff}').unwrap_or(&document.text);
    let (front, body_line) = front_matter(text);
    let mut purposes =
        front.iter().find(|(key, _)| key == when).map(|(_, values)| values.clone()).unwrap_or_default();
    purposes.retain(|purpose| !purpose.trim().is_empty());
    let lines: Vec<&str> = text.lines().collect();
    let title_at = title_line(&lines, body_line);
    if purposes.is_empty() {
        purposes.push(introduction(&lines, title_at, body_line));
    }
    let line = title_at.unwrap_or(body_line) + 1;
    let changed = changed(&front, &lines).unwrap_or_else(|| "–".to_owned());
    let name = cell(&document.path);
    let target: String = document.path.chars().map(encoded).collect();
    purposes
        .iter()
        .map(|purpose| format!("| {} | [{name}:{line}]({target}) | {changed} |\n", cell(purpose)))
        .collect()
}

/// A character of a path as the destination of a link in a table has it.
fn encoded(c: char) -> String {
    match c {
        ' ' | '(' | ')' | '<' | '>' | '|' | '\\' | '%' => format!("%{:02X}", u32::from(c)),
        _ => c.to_string(),
    }
}

/// The keys of YAML front matter with their values, and the line behind it, from 0. Lists are read as they are mostly written.
fn front_matter(text: &str) -> (Vec<(String, Vec<String>)>, usize) {
    let mut lines = text.lines().enumerate();
    if lines.next().is_none_or(|(_, line)| line.trim_end() != "---") {
        return (Vec::new(), 0);
    }
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    for (at, line) in lines.take(FRONT_LINES_MAX) {
        if matches!(line.trim_end(), "---" | "...") {
            return (found, at + 1);
        }
        let bare = line.trim();
        match (bare.strip_prefix("- "), found.last_mut()) {
            (Some(value), Some((_, values))) => values.push(unquoted(value).to_owned()),
            _ if line.starts_with([' ', '\t']) => {
                // A text that goes on in the next line.
                if let Some(value) = found.last_mut().and_then(|(_, values)| values.last_mut()) {
                    value.push(' ');
                    value.push_str(bare);
                }
            }
            _ => {
                if let Some((key, value)) = bare.split_once(':') {
                    found.push((key.trim().to_owned(), values(value.trim())));
                }
            }
        }
    }
    // It never ended: it is no front matter.
    (Vec::new(), 0)
}

fn values(value: &str) -> Vec<String> {
    if let Some(list) = value.strip_prefix('[').and_then(|list| list.strip_suffix(']')) {
        return list.split(',').map(|value| unquoted(value).to_owned()).collect();
    }
    let text = unquoted(value);
    if text.is_empty() || matches!(text, ">" | "|" | ">-" | "|-") {
        Vec::new()
    } else {
        vec![text.to_owned()]
    }
}

fn unquoted(value: &str) -> &str {
    let value = value.trim();
    let of = |quote: char| value.strip_prefix(quote).and_then(|value| value.strip_suffix(quote));
    of('"').or_else(|| of('\'')).unwrap_or(value)
}

/// The first heading.
fn title_line(lines: &[&str], from: usize) -> Option<usize> {
    let is_heading = |line: &&str| {
        let bare = line.trim_start_matches('#');
        (1..=6).contains(&(line.len() - bare.len())) && bare.starts_with(' ')
    };
    lines.iter().skip(from).position(is_heading).map(|at| at + from)
}

/// The title and the first sentence below it.
fn introduction(lines: &[&str], title_at: Option<usize>, body_line: usize) -> String {
    let title = title_at.and_then(|at| lines.get(at)).map(|line| line.trim_matches(['#', ' ']).to_owned());
    let is_text = |line: &&&str| {
        !line.trim().is_empty()
            && !line.starts_with(['#', '|', '<', '>', '`', '-', '*', '!', '[', '=', ' ', '\t'])
    };
    let below = lines.iter().skip(title_at.map_or(body_line, |at| at + 1));
    let first = below.clone().find(is_text).map(|line| first_sentence(line));
    match (title, first) {
        (Some(title), Some(first)) => format!("{title}: {first}"),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => "(it says nothing of itself)".to_owned(),
    }
}

fn first_sentence(line: &str) -> String {
    let end = line.find(". ").map(|at| at + 1);
    let end = end.or_else(|| line.find('。').map(|at| at + '。'.len_utf8()));
    line[..end.unwrap_or(line.len())].trim().to_owned()
}

/// The day of the newest change that the document tells of itself: its front matter, else the newest day it has.
fn changed(front: &[(String, Vec<String>)], lines: &[&str]) -> Option<String> {
    let of =
        |key: &&str| front.iter().find(|(name, _)| name == key).and_then(|(_, values)| day(values.first()?));
    let headed = || {
        let days = lines.iter().filter_map(|line| match line.strip_prefix("## ") {
            Some(title) => day(title),
            None => line.split_once("<!-- lw ").and_then(|(_, fields)| day(fields)),
        });
        days.max()
    };
    CHANGED.iter().find_map(of).or_else(headed)
}

/// The day a text begins with.
fn day(text: &str) -> Option<String> {
    text.trim().get(..10).filter(|day| declaration::time::is_day(day)).map(str::to_owned)
}

/// A text as a cell of a table: one line, nothing that ends the cell, opens a comment or looks like a secret.
fn cell(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    if secrets::problem("index", &line).is_some() {
        return "(not shown: it looks like a secret)".to_owned();
    }
    let mut cell = String::new();
    for c in line.chars().filter(|c| !c.is_control() && not_shown(*c).is_none()).take(CELL_CHARS_MAX) {
        match c {
            '|' | '\\' | '`' | '[' | ']' => cell.extend(['\\', c]),
            '<' => cell.push_str("&lt;"),
            c => cell.push(c),
        }
    }
    if line.chars().count() > CELL_CHARS_MAX {
        cell.push('…');
    }
    cell
}

/// The directory above the first wildcard of a pattern.
#[must_use]
pub fn fixed_directory(pattern: &str) -> &str {
    let wild = pattern.find(['*', '?']).unwrap_or(pattern.len());
    pattern[..wild].rsplit_once('/').map_or("", |(dir, _)| dir)
}

/// Whether a path is of a pattern: `*` is anything within a name, `?` one character, `**` any directories.
#[must_use]
pub fn is_of(pattern: &str, path: &str) -> bool {
    let (patterns, parts): (Vec<&str>, Vec<&str>) = (pattern.split('/').collect(), path.split('/').collect());
    parts_fit(&patterns, &parts)
}

fn parts_fit(patterns: &[&str], parts: &[&str]) -> bool {
    match patterns {
        [] => parts.is_empty(),
        ["**", rest @ ..] => (0..=parts.len()).any(|at| parts_fit(rest, &parts[at..])),
        [pattern, rest @ ..] => parts.split_first().is_some_and(|(part, parts)| {
            let (pattern, part): (Vec<char>, Vec<char>) = (pattern.chars().collect(), part.chars().collect());
            name_fits(&pattern, &part) && parts_fit(rest, parts)
        }),
    }
}

fn name_fits(pattern: &[char], name: &[char]) -> bool {
    match pattern {
        [] => name.is_empty(),
        // Names that begin with a dot are left out.
        ['*', rest @ ..] => {
            name.first() != Some(&'.') && (0..=name.len()).any(|at| name_fits(rest, &name[at..]))
        }
        [first, rest @ ..] => {
            name.split_first().is_some_and(|(c, name)| (c == first || *first == '?') && name_fits(rest, name))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index() -> GeneratedIndex {
        GeneratedIndex { of: "memory-bank/details/**/*.md".into(), when: "read_when".into() }
    }

    fn rows_of(text: &str) -> String {
        let document = IndexedDocument { path: "details/x.md".into(), text: text.into() };
        table(&[document], &index()).lines().skip(2).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn patterns() {
        for (path, expected) in [
            ("memory-bank/details/a.md", true),
            ("memory-bank/details/b/c.md", true),
            ("memory-bank/details/.a.md", false),
            ("memory-bank/MEMORY.md", false),
            ("memory-bank/details/a.txt", false),
        ] {
            assert_eq!(is_of("memory-bank/details/**/*.md", path), expected, "{path}");
        }
        assert!(is_of("a/?.md", "a/b.md") && !is_of("a/?.md", "a/bc.md") && is_of("**/x*y.md", "p/q/x1y.md"));
        assert_eq!(fixed_directory("memory-bank/details/**/*.md"), "memory-bank/details");
        assert_eq!((fixed_directory("*.md"), fixed_directory("a/b.md")), ("", "a"));
    }

    #[test]
    fn a_name_of_any_kind_is_a_destination() {
        let document = IndexedDocument { path: "a b/x|(<y>)%.md".into(), text: "# T\n".into() };
        let row = table(&[document], &index()).lines().nth(2).unwrap().to_owned();
        assert!(row.ends_with("](a%20b/x%7C%28%3Cy%3E%29%25.md) | – |"), "{row}");
    }

    #[test]
    fn what_a_document_says_of_itself() {
        for (text, expected) in [
            (
                "---\nread_when: change how errors are shown\nupdated: 2026-02-03T10:00\n---\n\n# Errors\n",
                "| change how errors are shown | [details/x.md:6](details/x.md) | 2026-02-03 |",
            ),
            (
                "---\nread_when:\n  - 'add a command'\n  - \"rename: one\"\n---\n# C\n\n## 2026-01-02\n\n## 2026-01-01\n",
                "| add a command | [details/x.md:6](details/x.md) | 2026-01-02 |\n| rename: one | [details/x.md:6](details/x.md) | 2026-01-02 |",
            ),
            (
                "---\nread_when: [a, b]\n---\ntext\n",
                "| a | [details/x.md:4](details/x.md) | – |\n| b | [details/x.md:4](details/x.md) | – |",
            ),
            (
                "# Wire\n\nHow bytes go. And come.\n",
                "| Wire: How bytes go. | [details/x.md:1](details/x.md) | – |",
            ),
            ("no heading here", "| no heading here | [details/x.md:1](details/x.md) | – |"),
            ("", "| (it says nothing of itself) | [details/x.md:1](details/x.md) | – |"),
            ("# A | `b` <!-- MACHINE_BLOCK_END -->\n", "| A \\| \\`b\\` &lt;!-- MACHINE\\_BLOCK"),
            ("---\nnot ended\n# T\n", "| T | [details/x.md:3](details/x.md) | – |"),
        ] {
            let found = rows_of(text);
            let expected = expected.replace("\\_", "_");
            assert!(
                found == expected || found.starts_with(&expected) && !expected.ends_with("– |"),
                "{found}\n{expected}"
            );
        }
    }

    #[test]
    fn a_secret_is_not_copied() {
        let token = ["ghp_", "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3gH6"].concat();
        let rows = rows_of(&format!("# K\n\nThe token is {token} here.\n"));
        assert!(rows.starts_with("| (not shown: it looks like a secret) | [details/x.md:1]"), "{rows}");
    }

    #[test]
    fn in_order_and_within_limits() {
        let documents: Vec<IndexedDocument> = (0..500)
            .rev()
            .map(|n| IndexedDocument {
                path: format!("details/{n:03}.md"),
                text: format!("# Title {n}\n\nSays {}.\n", "x ".repeat(60)),
            })
            .collect();
        let table = table(&documents, &index());
        assert!(
            table.len() <= BYTES_MAX && table.lines().count() <= LINES_MAX,
            "{} {}",
            table.len(),
            table.lines().count()
        );
        let first = table.lines().nth(2).unwrap();
        assert!(first.contains("details/000.md"), "{first}");
        let shown = table.matches("](details/").count();
        assert!(
            table.ends_with(&format!("\n{} more documents: `memory-bank/details/**/*.md`\n", 500 - shown)),
            "{table}"
        );
        let short: Vec<IndexedDocument> =
            (0..500).map(|n| IndexedDocument { path: format!("{n:03}.md"), text: "# T\n".into() }).collect();
        assert_eq!(super::table(&short, &index()).lines().count(), LINES_MAX);
    }
}
