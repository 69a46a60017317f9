//! A document's sections as plain data, for whoever shows, hashes or looks up text without changing it.

use super::address::{Address, Lookup};
use super::body::{self, Body};
use super::document::Document;
use super::{Refusal, Scope, base};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// One section of a document: a heading and the text up to the next heading of any level.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// Ancestors … heading, as shown to a reader; empty for the text before the first heading.
    pub heading: Vec<String>,
    /// 1–6; 0 for the text before the first heading.
    pub level: u8,
    /// 1-based line of the heading.
    pub line: usize,
    /// From the heading to the next one, in bytes of the file.
    pub bytes: Range<usize>,
    /// The section's own text in it: heading and body, without blank lines at the edges. What `base` is the hash of.
    pub own: Range<usize>,
    /// The body in it, without blank lines at its edges; empty when the section says nothing.
    pub body: Range<usize>,
    /// `sha256:<hex>` of the own text.
    pub hash: String,
}

/// All sections in their order. The text before the first heading is one when it says something.
pub(super) fn sections(document: &Document) -> Vec<Section> {
    let mut line = 1;
    let mut counted = 0;
    let mut chain: Vec<(u8, String)> = Vec::new();
    let mut out = Vec::with_capacity(document.sections.len());
    for (i, found) in document.sections.iter().enumerate() {
        line += document.slice(counted..found.start).bytes().filter(|b| *b == b'\n').count();
        counted = found.start;
        let body = body::body(document, i, Scope::Own, None);
        if let Some(head) = &found.head {
            chain.retain(|(level, _)| *level < head.level);
            chain.push((head.level, head.title().to_owned()));
        } else if body.is_empty() {
            continue;
        }
        let own = own_range(document, &body);
        out.push(Section {
            heading: chain.iter().map(|(_, title)| title.clone()).collect(),
            level: document.level(i),
            line,
            bytes: if i == 0 { document.body_of(0) } else { found.start }..document.start_of(i + 1),
            hash: base::hash(document.slice(own.clone())),
            own,
            body: body.core,
        });
    }
    out
}

fn own_range(document: &Document, body: &Body) -> Range<usize> {
    let start =
        if document.head(body.section).is_some() { document.start_of(body.section) } else { body.core.start };
    start..start + body.own_text(document).len()
}

/// The text of the section an address means: heading and body without blank lines at the edges.
pub(super) fn text<'d>(
    document: &'d Document,
    heading: &[String],
    level: u8,
    scope: Scope,
) -> Result<Option<&'d str>, Refusal> {
    Ok(match Address::read(heading, level)?.find(document)? {
        Lookup::Missing => None,
        Lookup::Section(i) => {
            let text = body::body(document, i, scope, None).own_text(document);
            Some(text).filter(|text| level > 0 || !text.is_empty())
        }
    })
}
