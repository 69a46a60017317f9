//! A document's headings and raw HTML as comrak sees them, another CommonMark implementation. Shared with `fuzz/`.

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
    blocks(text, |node| match &node.data.borrow().value {
        NodeValue::Heading(heading) => {
            let mut title = String::new();
            collect_text(node, &mut title);
            Some((heading.level, squeeze(&title)))
        }
        _ => None,
    })
}

/// The lines (from 1) at which raw HTML at document level begins and ends, as comrak sees it.
#[allow(dead_code, reason = "the fuzz targets look at headings only")]
pub fn comrak_html(text: &str) -> Vec<(usize, usize)> {
    use comrak::nodes::NodeValue;
    blocks(text, |node| {
        let data = node.data.borrow();
        let NodeValue::HtmlBlock(html) = &data.value else { return None };
        let start = data.sourcepos.start.line;
        Some((start, start + html.literal.trim_end().matches('\n').count()))
    })
}

/// How many thematic breaks comrak sees at document level.
#[allow(dead_code, reason = "the fuzz targets look at headings only")]
pub fn comrak_rules(text: &str) -> usize {
    let is_rule =
        |node: comrak::Node<'_>| node.data.borrow().value == comrak::nodes::NodeValue::ThematicBreak;
    blocks(text, |node| is_rule(node).then_some(())).len()
}

/// What `found` makes of each block at document level.
fn blocks<T>(text: &str, found: impl for<'a> Fn(comrak::Node<'a>) -> Option<T>) -> Vec<T> {
    let text = blanked(text);
    let arena = comrak::Arena::new();
    let mut options = comrak::Options::default();
    options.extension.table = true;
    options.extension.footnotes = true;
    options.extension.strikethrough = true;
    options.extension.tasklist = true;
    let root = comrak::parse_document(&arena, &text, &options);
    root.children().filter_map(found).collect()
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
