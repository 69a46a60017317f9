//! Renders Markdown that an agent wrote. None of the agent's HTML gets into the page: tags are shown as text. Links and images are
//! shown with their address and cannot be followed, so that nothing is loaded from elsewhere.

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};
use std::collections::HashSet;
use std::ops::Range;

/// The text as HTML.
pub(crate) fn rendered(text: &str) -> String {
    drawn(text, None)
}

/// The same, beside another text: each paragraph, item, heading, table and block of code with a line that the other lacks has
/// this class.
pub(crate) fn rendered_beside(text: &str, other: &str, class: &'static str) -> String {
    drawn(text, Some((other, class)))
}

/// What of a text is not in another one, and how that is marked.
struct Beside {
    /// The lines that the other text lacks, in bytes, in order.
    lacking: Vec<Range<usize>>,
    /// Where lines begin that open an item or a quotation.
    items: Vec<usize>,
    class: &'static str,
}

impl Beside {
    /// Each line is compared once: pieces of a text stand in each other, as deep as its author likes.
    fn of(text: &str, other: &str, class: &'static str) -> Beside {
        let known: HashSet<&str> = other.lines().map(without_marker).collect();
        let (mut lacking, mut items, mut at) = (Vec::new(), Vec::new(), 0);
        for line in text.split_inclusive('\n') {
            let (bare, end) = (without_marker(line), at + line.len());
            if !line.trim().is_empty() && !known.contains(bare) {
                lacking.push(at..end);
            }
            if bare != line.trim() {
                items.push(at);
            }
            at = end;
        }
        Beside { lacking, items, class }
    }

    /// The attribute for a piece of the text; empty where the other text has each of its lines. The items below an item are marked
    /// by themselves.
    fn attribute(&self, piece: &Range<usize>, is_item: bool) -> String {
        let next = self.items.get(self.items.partition_point(|at| *at <= piece.start));
        let end = next.filter(|_| is_item).map_or(piece.end, |at| piece.end.min(*at));
        let first = self.lacking.get(self.lacking.partition_point(|line| line.end <= piece.start));
        let lacks = first.is_some_and(|line| line.start < end);
        if lacks { format!(" class=\"{}\"", self.class) } else { String::new() }
    }
}

/// A line without the signs of items and quotations in front of it.
fn without_marker(line: &str) -> &str {
    let mut line = line.trim();
    loop {
        let behind_number = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let ordered = [". ", ") "].iter().find_map(|sign| behind_number.strip_prefix(sign));
        let ordered = ordered.filter(|_| behind_number.len() < line.len());
        let rest = ordered.or(["- ", "* ", "+ ", "> "].iter().find_map(|sign| line.strip_prefix(sign)));
        let Some(rest) = rest else { return line };
        line = rest.trim();
    }
}

fn drawn(text: &str, beside: Option<(&str, &'static str)>) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let (keys, body) = front_matter(text);
    let beside = beside.map(|(other, class)| Beside::of(body, other, class));
    let mut leads_to = Vec::new();
    let events = Parser::new_ext(body, options).into_offset_iter().flat_map(|(event, range)| {
        let is_item = matches!(event, Event::Start(Tag::Item));
        let mark = beside.as_ref().map_or_else(String::new, |beside| beside.attribute(&range, is_item));
        harmless(event, &mark, &mut leads_to)
    });
    let mut out = String::with_capacity(text.len() * 3 / 2);
    if !keys.is_empty() {
        out.push_str(&format!("<pre tabindex=\"0\"><code>{}</code></pre>\n", escaped(keys)));
    }
    html::push_html(&mut out, events);
    out
}

/// Replaces an event whose HTML could do something. `mark` is the attribute of a block.
fn harmless<'t>(event: Event<'t>, mark: &str, leads_to: &mut Vec<CowStr<'t>>) -> Vec<Event<'t>> {
    match event {
        Event::Start(Tag::Paragraph) if !mark.is_empty() => vec![Event::Html(format!("<p{mark}>").into())],
        Event::Start(Tag::Item) if !mark.is_empty() => vec![Event::Html(format!("<li{mark}>").into())],
        Event::Start(Tag::Table(_)) if !mark.is_empty() => {
            vec![Event::Html(format!("<div{mark}>").into()), event]
        }
        Event::End(TagEnd::Table) if !mark.is_empty() => vec![event, Event::Html("</div>\n".into())],
        Event::Html(text) | Event::InlineHtml(text) => vec![as_written(text)],
        Event::Start(Tag::HtmlBlock) => vec![Event::Start(Tag::Paragraph)],
        Event::End(TagEnd::HtmlBlock) => vec![Event::End(TagEnd::Paragraph)],
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
            leads_to.push(dest_url);
            Vec::new()
        }
        Event::End(TagEnd::Link | TagEnd::Image) => {
            let to = leads_to.pop().unwrap_or(CowStr::Borrowed(""));
            vec![Event::Text(" ".into()), Event::Code(format!("→ {to}").into())]
        }
        // Rendered as a paragraph: screen readers would take a heading of the document for one of the page.
        Event::Start(Tag::Heading { level, .. }) => {
            let b = if mark.is_empty() { "<b>".to_owned() } else { format!("<b{mark}>") };
            vec![Event::Html(format!("<p class=\"h h{}\">{b}", level as u8).into())]
        }
        Event::End(TagEnd::Heading(_)) => vec![Event::Html("</b></p>\n".into())],
        Event::TaskListMarker(done) => vec![Event::Text(if done { "☑ " } else { "☐ " }.into())],
        Event::Start(Tag::CodeBlock(_)) => {
            vec![Event::Html(format!("<pre tabindex=\"0\"{mark}><code>").into())]
        }
        Event::End(TagEnd::CodeBlock) => vec![Event::Html("</code></pre>\n".into())],
        other => vec![other],
    }
}

/// A tag as text; our comment beside an item in small letters.
fn as_written(text: CowStr<'_>) -> Event<'_> {
    let stamp = text.trim().strip_prefix("<!-- lw ").and_then(|rest| rest.strip_suffix(" -->"));
    match stamp {
        Some(stamp) => Event::Html(format!("<small>{}</small>", escaped(stamp)).into()),
        None => Event::Text(text),
    }
}

/// A text with its front matter, which is shown as it is written: a yes to the text is a yes to its front matter too.
fn front_matter(text: &str) -> (&str, &str) {
    const END: &str = "\n---\n";
    let begins = text.trim_start_matches('\u{feff}').starts_with("---\n");
    text.find(END).filter(|_| begins).map_or(("", text), |at| text.split_at(at + END.len()))
}

/// Escapes a text for HTML.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_stays_what_it_is() {
        assert_eq!(
            rendered("# a *b*\n\n- c\n"),
            "<p class=\"h h1\"><b>a <em>b</em></b></p>\n<ul>\n<li>c</li>\n</ul>\n"
        );
        assert_eq!(
            rendered("---\nk: <v>\n---\nx"),
            "<pre tabindex=\"0\"><code>---\nk: &lt;v&gt;\n---\n</code></pre>\n<p>x</p>\n"
        );
        assert!(rendered("- a <!-- lw 14:30 c=0.9 --> ^k7").contains("<small>14:30 c=0.9</small>"));
    }

    #[test]
    fn what_the_other_text_lacks_is_marked() {
        let was = "## Never\n\nPlain.\n\n- Guess\n  - 10 s\n\n| a |\n|---|\n| 1 |\n";
        for (text, wanted) in [
            (was, ""),
            ("Plain.\n\nShort.\n", "<p class=\"new\">Short.</p>"),
            ("1. Guess\n2. Promise\n", "<li class=\"new\">Promise</li>"),
            ("- Guess\n  - 20 s\n", "<li class=\"new\">20 s</li>"),
            ("## Ever\n", "<b class=\"new\">Ever</b>"),
            ("```\nx\n```\n", "<pre tabindex=\"0\" class=\"new\"><code>x"),
            ("| a |\n|---|\n| 2 |\n", "<div class=\"new\"><table>"),
        ] {
            let html = rendered_beside(text, was, "new");
            assert_eq!(html.matches("class=\"new\"").count(), usize::from(!wanted.is_empty()), "{html}");
            assert!(html.contains(wanted), "{html}");
            assert_eq!(html.matches("<div").count(), html.matches("</div>").count(), "{html}");
        }
    }

    /// Every tag that rendered Markdown may have.
    const TAGS: [&str; 38] = [
        "<p",
        "</p",
        "<b>",
        "</b>",
        "<em>",
        "</em>",
        "<strong>",
        "</strong>",
        "<ul>",
        "</ul>",
        "<ol",
        "</ol>",
        "<li>",
        "</li>",
        "<code>",
        "</code>",
        "<pre tabindex=\"0\">",
        "</pre>",
        "<small>",
        "</small>",
        "<hr />",
        "<br />",
        "<del>",
        "</del>",
        "<table>",
        "</table>",
        "<thead>",
        "</thead>",
        "<tbody>",
        "</tbody>",
        "<tr>",
        "</tr>",
        "<th",
        "</th>",
        "<td",
        "</td>",
        "<blockquote>",
        "</blockquote>",
    ];

    /// Asserts that a rendered text has no tag and no attribute that does something.
    #[test]
    fn nothing_an_agent_writes_does_anything() {
        for text in [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "<svg onload=alert(1)><animate onbegin=alert(1)></svg>",
            "<svg><style>*{x:url(//evil)}</style></svg>",
            "[a](javascript:alert(1)) ![b](https://evil.example/p.png) <https://evil.example>",
            "[a]: javascript:alert(1)\n\n[a]",
            "![x](x \"\" onerror=alert(1))",
            "<!-- lw \"><script>alert(1)</script> -->",
            "<!-- lw x --><script>alert(1)</script>",
            "a <b onmouseover=alert(1)>c</b>",
            "```<script>\n<script>alert(1)</script>\n```",
            "| a | <iframe src=//evil> |\n|:-:|--|\n| <form action=//evil><button> | c |",
            "# <a href=javascript:alert(1)>x</a> {onclick=alert(1) #id .cls}",
            "&lt;script&gt; &#60;script&#62;",
            "<details open ontoggle=alert(1)>",
            "<style>body{display:none}</style><base href=//evil><meta http-equiv=refresh content=0>",
        ] {
            let html = rendered(text);
            let mut rest = html.as_str();
            while let Some(at) = rest.find('<') {
                rest = &rest[at..];
                assert!(TAGS.iter().any(|tag| rest.starts_with(tag)), "{text}: {html}");
                let tag = rest.split('>').next().unwrap();
                assert!(
                    !tag.contains("href") && !tag.contains("src") && !tag.contains(" on"),
                    "{text}: {html}"
                );
                rest = &rest[1..];
            }
        }
    }
}
