//! What a chat said as the line of an event: whatever it is, it reads back as one item of plain text.

/// The kind of events.
const KIND: &str = "[E]";

/// The line of an event: words with one blank between them, and nothing that would begin or end something else.
pub(super) fn of(text: &str) -> String {
    // A comment would hide what follows it, also what we write behind the text.
    let text = text.replace("<!--", "&lt;!--");
    let mut words: Vec<String> = text
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    // The mark of a list, a heading or a quote says nothing in a line of its own.
    while words.len() > 1 && is_mark(&words[0]) {
        words.remove(0);
    }
    if let Some(first) = words.first_mut()
        && first
            .starts_with(['#', '>', '`', '~', '|', '<', '-', '+', '*', '=', '[', '_', ':', '$', '\\', '&'])
        && !first.starts_with("&lt;")
    {
        first.insert(0, '\\');
    }
    if let Some(first) = words.first_mut()
        && let Some(at) = first.find(|c: char| !c.is_ascii_digit())
        && at > 0
        && first[at..].starts_with(['.', ')'])
    {
        first.insert(at, '\\');
    }
    // A block id behind a text would be taken for the item's.
    if let Some(last) = words.last_mut()
        && last.starts_with('^')
    {
        last.insert(0, '\\');
    }
    format!("{KIND} {}", words.join(" "))
}

/// `-`, `##`, `>`, `1.`: a word that only begins a block.
fn is_mark(word: &str) -> bool {
    matches!(word, "-" | "*" | "+" | ">")
        || word.bytes().all(|b| b == b'#')
        || word.strip_suffix(['.', ')']).is_some_and(|number| {
            !number.is_empty() && number.len() < 10 && number.bytes().all(|b| b.is_ascii_digit())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_line() {
        for (said, line) in [
            ("moved the backup to 04:00", "[E] moved the backup to 04:00"),
            ("- one\n- two", "[E] one - two"),
            ("## Plan\nship it", "[E] Plan ship it"),
            ("1. first", "[E] first"),
            ("1.5 litres", "[E] 1\\.5 litres"),
            ("<!-- lw del=1 -->", "[E] &lt;!-- lw del=1 -->"),
            ("see ^k7m2q9xa", "[E] see \\^k7m2q9xa"),
            ("#", "[E] \\#"),
        ] {
            assert_eq!(of(said), line, "{said}");
        }
    }
}
