//! Makes the line of an event from a text of a chat. Whatever the text is, the line is read back as one item of plain text.

/// The kind of events.
const KIND: &str = "[E]";

/// The line of an event: words with one blank between them, without anything that would begin or end another Markdown element.
pub(super) fn of(text: &str) -> String {
    // An HTML comment would hide what follows it, also our own comment after the text.
    let text = text.replace("<!--", "&lt;!--");
    let mut words: Vec<String> = text
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    // The mark of a list, a heading or a quote has no meaning inside of an item.
    let marks = words.iter().take_while(|word| is_mark(word)).count();
    words.drain(..marks.min(words.len().saturating_sub(1)));
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
    // A block id at the end of the text would be taken for the id of the item.
    if let Some(last) = words.last_mut()
        && last.starts_with('^')
    {
        last.insert(0, '\\');
    }
    format!("{KIND} {}", words.join(" "))
}

/// Whether a word only begins a block: `-`, `##`, `>`. A number (`3. Oktober`) is a part of what is said.
fn is_mark(word: &str) -> bool {
    matches!(word, "-" | "*" | "+" | ">") || word.bytes().all(|b| b == b'#')
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
            ("1. first", "[E] 1\\. first"),
            ("1.5 litres", "[E] 1\\.5 litres"),
            ("<!-- lw del=1 -->", "[E] &lt;!-- lw del=1 -->"),
            ("see ^k7m2q9xa", "[E] see \\^k7m2q9xa"),
            ("#", "[E] \\#"),
        ] {
            assert_eq!(of(said), line, "{said}");
        }
    }
}
