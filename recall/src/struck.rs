//! Whether all that a text says is struck out by hand, in whatever form a person struck it. `markdown-merge` has the
//! same reader; `fixtures/items/struck.json` holds both to it.

/// The elements of HTML that strike out.
const ELEMENTS: [(&str, &str); 3] = [("<del", "</del"), ("<s", "</s"), ("<strike", "</strike")];

/// Whether a text may have something struck out; most have nothing.
pub(crate) fn may_strike(text: &str) -> bool {
    let begins_tag = |(at, _)| ELEMENTS.iter().any(|(open, _)| begins(&text[at..], open));
    text.contains('~') || text.match_indices('<').any(begins_tag)
}

/// Whether an item is struck out, by its text without the bullet: its first line, or its first paragraph.
pub(crate) fn is_struck_item(text: &str) -> bool {
    if !may_strike(text) {
        return false;
    }
    let lines: Vec<&str> = text.lines().collect();
    let Some(first) = lines.first() else { return false };
    is_struck(first) || is_struck(&lines[..paragraph_end(&lines, 0)].join("\n"))
}

/// Whether a text is struck out, but for tags, an id, marks of emphasis, punctuation, comments, and a remark in parentheses.
pub(crate) fn is_struck(text: &str) -> bool {
    if !may_strike(text) {
        return false;
    }
    let (mut rest, mut left, mut struck) = (without_label(text), String::new(), false);
    let mut unclosed = Vec::new();
    while let Some(first) = rest.chars().next() {
        if let Some(behind) = behind(rest, "<!--", "-->") {
            rest = behind;
        } else if let Some((inner, behind)) = stroke(rest, &mut unclosed) {
            struck |= !inner.trim().is_empty();
            rest = behind;
        } else if matches!(first, '`' | '~') {
            let run = rest.len() - rest.trim_start_matches(first).len();
            let (marks, behind) = rest.split_at(run);
            // What stands in code is not struck out, and says something.
            let code = behind.find(marks).filter(|_| first == '`');
            left.push_str(if code.is_some() { "x" } else { marks });
            rest = code.map_or(behind, |at| &behind[at + run..]);
        } else {
            // A sign behind a backslash strikes nothing out.
            let taken = rest.chars().take(if first == '\\' { 2 } else { 1 });
            let (one, behind) = rest.split_at(taken.map(char::len_utf8).sum());
            left.push_str(one);
            rest = behind;
        }
    }
    struck && !says_something(&left)
}

/// What is struck out at the beginning of a text, and what stands behind it. `unclosed` has the signs that end nothing any
/// more, so that a text in which nothing is closed is searched once.
fn stroke<'t>(text: &'t str, unclosed: &mut Vec<&'static str>) -> Option<(&'t str, &'t str)> {
    let run = text.len() - text.trim_start_matches('~').len();
    let found = match run {
        0 => {
            let (inner, close) = ELEMENTS
                .iter()
                .find_map(|(open, close)| Some((behind_tag(text, open)?, *close)))
                .filter(|(_, close)| !unclosed.contains(close))?;
            let end = find(inner, close).and_then(|at| Some((at, behind_tag(&inner[at..], close)?)));
            end.map(|(at, behind)| (&inner[..at], behind)).ok_or(close)
        }
        1 if unclosed.contains(&"~") || text[1..].starts_with(char::is_whitespace) => return None,
        1 => single(&text[1..]).ok_or("~"),
        2 => {
            let (inner, behind) = text[2..].split_once("~~")?;
            return (!behind.starts_with('~')).then_some((inner, behind));
        }
        _ => return None,
    };
    found.map_err(|close| unclosed.push(close)).ok()
}

/// A text up to the single `~` that ends what one has struck out, and what stands behind it. One behind a blank or a backslash ends
/// nothing: it may begin a path.
fn single(text: &str) -> Option<(&str, &str)> {
    let ends = |at: &usize| {
        let (inner, behind) = (&text[..*at], &text[at + 1..]);
        let blank = inner.ends_with(|c: char| c.is_whitespace() || matches!(c, '~' | '\\'));
        !blank && !inner.is_empty() && !behind.starts_with(|c: char| c == '~' || c.is_alphanumeric())
    };
    let at = text.match_indices('~').map(|(at, _)| at).find(ends)?;
    Some((&text[..at], &text[at + 1..]))
}

/// What stands behind a tag at the beginning of a text, whatever attributes it has.
fn behind_tag<'t>(text: &'t str, sign: &str) -> Option<&'t str> {
    let rest = text.get(sign.len()..).filter(|_| begins(text, sign))?;
    let (inside, behind) = rest.split_at(rest.find(['<', '>'])?);
    let behind = behind.strip_prefix('>')?;
    (inside.is_empty() || inside.starts_with(char::is_whitespace)).then_some(behind)
}

fn begins(text: &str, with: &str) -> bool {
    text.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with))
}

/// Where a tag begins.
fn find(text: &str, sign: &str) -> Option<usize> {
    let mut tags = text.match_indices('<').map(|(at, _)| at);
    tags.find(|at| behind_tag(&text[*at..], sign).is_some())
}

/// What closes the block that a line opens with nothing but the tag of an element.
pub(crate) fn opened(line: &str) -> Option<&'static str> {
    let of =
        |(open, close): &(&str, &'static str)| behind_tag(line, open)?.trim().is_empty().then_some(*close);
    ELEMENTS.iter().find_map(of)
}

/// Whether a line closes such a block.
pub(crate) fn closes(line: &str, close: &str) -> bool {
    find(line, close).is_some()
}

/// Whether a line begins a footnote.
pub(crate) fn is_footnote(line: &str) -> bool {
    without_label(line).len() < line.len()
}

/// A text without the label of a footnote.
fn without_label(text: &str) -> &str {
    let label = text.trim_start().strip_prefix("[^").and_then(|rest| rest.split_once("]:"));
    label.filter(|(name, _)| !name.contains([' ', ']', '\n'])).map_or(text, |(_, behind)| behind)
}

fn behind<'t>(text: &'t str, open: &str, close: &str) -> Option<&'t str> {
    text.strip_prefix(open)?.split_once(close).map(|(_, behind)| behind)
}

/// Whether what is left has a word that is no tag, no id and no remark.
fn says_something(left: &str) -> bool {
    let mut plain = left.to_owned();
    for (open, close) in [('(', ')'), ('（', '）')] {
        while let Some(at) = plain.find(open)
            && let Some(end) = plain[at..].find(close)
        {
            plain.replace_range(at..at + end + close.len_utf8(), " ");
        }
    }
    let mut words = plain.split_whitespace().filter(|word| !word.starts_with(['#', '^']));
    words.any(|word| word.chars().any(char::is_alphanumeric))
}

/// Which of these lines belong to an item or a paragraph that is struck out, with what stands below that item. `inside`: they
/// stand below an item, where what is indented is no code.
pub(crate) fn struck_lines(lines: &[&str], inside: bool) -> Vec<bool> {
    let mut struck = vec![false; lines.len()];
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let (bullet, indent) = (content(line), indent(line));
        if let Some(fence) = fence(line) {
            let closes = |line: &&str| line.trim_start().starts_with(fence);
            at += 1 + lines[at + 1..].iter().take_while(|line| !closes(line)).count() + 1;
            continue;
        }
        if let Some(close) = opened(line) {
            let until = block_end(lines, at, close);
            struck[at..until].fill(true);
            at = until;
            continue;
        }
        let end = paragraph_end(lines, at);
        if line.trim().is_empty() || is_heading(line) || (bullet.is_none() && indent > 3 && !inside) {
            at += 1;
            continue;
        }
        let head = [&[bullet.unwrap_or(line)], &lines[at + 1..end]].concat();
        let underlined = head.iter().any(|line| line.trim().trim_matches(['=', '-']).is_empty());
        let is_struck = !underlined
            && match bullet {
                Some(_) => is_struck_item(&head.join("\n")),
                None => is_struck(&head.join("\n")),
            };
        let deeper = |line: &&&str| line.trim().is_empty() || self::indent(line) > indent;
        let until = match bullet {
            Some(_) if is_struck => end + lines[end..].iter().take_while(deeper).count(),
            _ => end,
        };
        let last = lines[at..until].iter().rposition(|line| !line.trim().is_empty()).unwrap_or(0);
        struck[at..=at + last].fill(is_struck);
        at = until;
    }
    struck
}

/// Where the block ends that this line opens: behind the line that closes it, or before the next heading.
fn block_end(lines: &[&str], at: usize, close: &str) -> usize {
    let below = lines[at + 1..].iter();
    let held = below.take_while(|line| !closes(line, close) && !is_heading(line)).count();
    let end = at + 1 + held;
    end + usize::from(lines.get(end).is_some_and(|line| closes(line, close)))
}

/// Where the paragraph ends that begins with this line.
fn paragraph_end(lines: &[&str], at: usize) -> usize {
    let goes_on = |line: &&&str| {
        let begins_new =
            content(line).is_some() || fence(line).is_some() || is_heading(line) || is_footnote(line);
        !line.trim().is_empty() && !begins_new
    };
    at + 1 + lines[at + 1..].iter().take_while(goes_on).count()
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn is_heading(line: &str) -> bool {
    let bare = line.trim_start();
    let behind = bare.trim_start_matches('#');
    behind.len() < bare.len() && (behind.is_empty() || behind.starts_with([' ', '\t']))
}

fn fence(line: &str) -> Option<&'static str> {
    let bare = content(line).unwrap_or(line).trim_start();
    ["```", "~~~"].into_iter().find(|fence| bare.starts_with(fence))
}

/// What stands behind a bullet or number, and behind a check box or kind.
fn content(line: &str) -> Option<&str> {
    let bare = line.trim_start();
    let behind = bare.trim_start_matches(|c: char| c.is_ascii_digit());
    let marks: &[char] = if behind.len() < bare.len() { &['.', ')'] } else { &['-', '*', '+'] };
    let mut text = behind.strip_prefix(marks).filter(|text| text.starts_with([' ', '\t']))?.trim_start();
    while let Some((_, behind)) = text.strip_prefix('[').and_then(|text| text.split_once("] ")) {
        text = behind.trim_start();
    }
    Some(text)
}
