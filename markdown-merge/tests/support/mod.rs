//! The laws of a merge as functions that say what they found broken, and the independent eyes they look with: a
//! whole parse by pulldown-cmark, and comrak, another CommonMark implementation.
#![allow(dead_code, reason = "each test binary uses its part")]

use markdown_merge::{Change, ChangeKind, Edit, Merger, Operation, Refusal, Rules, Section};

pub mod generate;
pub mod laws;
mod second_opinion;

pub use second_opinion::{blanked, comrak_headings, comrak_html, comrak_rules};

/// What a law's check ends with: the broken law in words.
pub type Verdict = Result<(), String>;

pub fn entry(heading: &[String], level: u8, operation: Operation, content: Option<&str>) -> Edit<'static> {
    Edit {
        content: content.map(|text| text.to_owned().into()),
        ..Edit::new(heading.to_vec(), level, operation)
    }
}

/// One entry onto a text: the new text, or the refusal.
pub fn apply(text: &str, entry: &Edit<'_>) -> Result<(String, Change), Refusal> {
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
pub fn apply_or_keep(text: &str, entry: &Edit<'_>) -> String {
    apply(text, entry).map_or_else(|_| text.to_owned(), |(text, _)| text)
}

pub fn sections(text: &str) -> Vec<Section> {
    Merger::open(text.as_bytes()).map(|m| m.sections()).unwrap_or_default()
}

/// Whether our parser and comrak see the same headings, raw HTML and thematic breaks at document level (`---` right below a
/// definition is one to us, and the beginning of a paragraph to comrak). A text they read differently as it stands says nothing
/// about what a merge did to it; `two_parsers_agree` counts them.
pub fn read_alike(text: &str) -> bool {
    let levels = sections(text).into_iter().filter(|s| s.level > 0).map(|s| s.level);
    let bom = text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len();
    let line = |at: usize| text[..at].matches('\n').count() + 1;
    let events: Vec<Event> = events(text).into_iter().filter(|(_, depth, ..)| *depth == 0).collect();
    let html = events.iter().filter(|(what, ..)| what == "Start(HtmlBlock)");
    // A second byte order mark is text to one and nothing to the other.
    !text[bom..].starts_with('\u{feff}')
        && comrak_headings(text).iter().map(|(level, _)| *level).eq(levels)
        && comrak_html(text).into_iter().eq(html.map(|(_, _, start, end)| (line(*start), line(*end))))
        && comrak_rules(text) == events.iter().filter(|(what, ..)| what == "Rule").count()
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
