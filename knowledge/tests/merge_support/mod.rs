//! The laws of a merge as functions that say what they found broken, and the independent eyes they look with: a
//! whole parse by pulldown-cmark, and comrak, another CommonMark implementation.
#![allow(dead_code, reason = "each test binary uses its part")]

use knowledge::declaration::{Entry, Key, Operation, Scope, Target};
use knowledge::merge::{Change, ChangeKind, Merger, Refusal, Rules, Section};

pub mod generate;
pub mod laws;

/// What a law's check ends with: the broken law in words.
pub type Verdict = Result<(), String>;

pub fn entry(heading: &[String], level: u8, operation: Operation, content: Option<&str>) -> Entry {
    Entry {
        key: Key { target: Target::Path("x.md".into()), heading: heading.to_vec(), level },
        operation,
        content: content.map(str::to_owned),
        old_text: None,
        scope: Scope::Own,
        create: true,
        base: None,
        meta: Default::default(),
    }
}

/// One entry onto a text: the new text, or the refusal.
pub fn apply(text: &str, entry: &Entry) -> Result<(String, Change), Refusal> {
    let mut merger = Merger::open(text.as_bytes())?;
    let before = merger.text().to_owned();
    match merger.apply(std::slice::from_ref(entry), &Rules::default(), &|_| None) {
        Ok(mut changes) => {
            merger
                .verify()
                .unwrap_or_else(|r| panic!("{}\n{before:?}\n{entry:?}\n{:?}", r.message, merger.text()));
            let unchanged = changes[0].kind == ChangeKind::Unchanged;
            assert_eq!(unchanged, before == merger.text(), "kind and bytes disagree: {before:?} {entry:?}");
            Ok((merger.text().to_owned(), changes.remove(0)))
        }
        Err(refusal) => {
            assert_eq!(before, merger.text(), "P11: a refusal changed the document: {entry:?}");
            merger
                .verify()
                .unwrap_or_else(|r| panic!("after a refusal: {}\n{before:?}\n{entry:?}", r.message));
            Err(refusal)
        }
    }
}

/// A refused entry leaves the text.
pub fn apply_or_keep(text: &str, entry: &Entry) -> String {
    apply(text, entry).map_or_else(|_| text.to_owned(), |(text, _)| text)
}

pub fn sections(text: &str) -> Vec<Section> {
    Merger::open(text.as_bytes()).map(|m| m.sections()).unwrap_or_default()
}

/// The text with front matter and byte order mark blanked out, for parsers that would stumble over them. Written
/// again here, so that a mistake in the engine's own detection shows.
pub fn blanked(text: &str) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.split_inclusive('\n');
    let opener = lines.next().unwrap_or("").trim_end();
    let second = lines.clone().next().unwrap_or("");
    if !matches!(opener, "---" | "+++") || second.trim_matches([' ', '\t', '\r', '\n']).is_empty() {
        return text.to_owned();
    }
    let closes = |line: &&str| {
        let line = line.trim_end_matches([' ', '\t', '\r', '\n']);
        line == opener || (opener == "---" && line == "...")
    };
    match lines.clone().position(|line| closes(&line)) {
        None => text.to_owned(),
        Some(n) => {
            let front: usize = text.split_inclusive('\n').take(n + 2).map(str::len).sum();
            let blank =
                |c: char| if matches!(c, '\n' | '\r') { c.to_string() } else { " ".repeat(c.len_utf8()) };
            text[..front].chars().map(blank).collect::<String>() + &text[front..]
        }
    }
}

/// Headings at document level as comrak sees them: level and source line texts joined.
pub fn comrak_headings(text: &str) -> Vec<(u8, String)> {
    use comrak::nodes::NodeValue;
    let text = blanked(text);
    let arena = comrak::Arena::new();
    let mut options = comrak::Options::default();
    options.extension.table = true;
    options.extension.footnotes = true;
    options.extension.strikethrough = true;
    options.extension.tasklist = true;
    let root = comrak::parse_document(&arena, &text, &options);
    let mut found = Vec::new();
    for node in root.children() {
        let data = node.data.borrow();
        if let NodeValue::Heading(heading) = &data.value {
            let mut title = String::new();
            collect_text(node, &mut title);
            found.push((heading.level, squeeze(&title)));
        }
    }
    found
}

fn collect_text<'a>(node: comrak::Node<'a>, out: &mut String) {
    use comrak::nodes::NodeValue;
    match &node.data.borrow().value {
        NodeValue::Text(text) => out.push_str(text),
        NodeValue::Code(code) => out.push_str(&code.literal),
        NodeValue::SoftBreak | NodeValue::LineBreak => out.push(' '),
        _ => {}
    }
    for child in node.children() {
        collect_text(child, out);
    }
}

fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// One event of a whole parse: what, how deep, from where to where (blank lines at the end left out).
pub type Event = (String, usize, usize, usize);

/// Every event of the document by a whole parse with pulldown-cmark, nothing of the engine in between.
pub fn events(text: &str) -> Vec<Event> {
    use pulldown_cmark::{Event as E, Options, Parser};
    let bom = text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len();
    let text = blanked(text).replace(['\u{b}', '\u{c}'], "\u{1}");
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS;
    let (mut depth, mut out) = (0, Vec::new());
    for (event, range) in Parser::new_ext(&text, options).into_offset_iter() {
        if let E::End(_) = event {
            depth -= 1;
            continue;
        }
        // The cells a short row lacks are made up, without a place of their own; the last row's behind the text.
        if range.start >= text.len() {
            depth += usize::from(matches!(event, E::Start(_)));
            continue;
        }
        let blank = |c: char| matches!(c, ' ' | '\t' | '\r' | '\n');
        let end = range.start + text[range.clone()].trim_end_matches(blank).len();
        // The last line of a block has its line end in the text, unless the file ends there.
        let what = match &event {
            E::Text(text) | E::Html(text) => format!("text {:?}", text.trim_end_matches(['\r', '\n'])),
            _ => format!("{event:?}"),
        };
        out.push((what, depth, range.start + bom, end + bom));
        depth += usize::from(matches!(event, E::Start(_)));
    }
    out
}
