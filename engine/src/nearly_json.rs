//! Reads what agents send that is not quite JSON, because the guard must not fail open over a byte, and no words be lost over one: they
//! are programs of Node, which write half of a surrogate pair as it is, and put any text of a model into an event or a call.

use serde_json::Value;

/// Deeper values are left out. The parser's own limit is 128.
const DEPTH_MAX: usize = 100;

/// The value; what no JSON allows is replaced (half of a surrogate pair by U+FFFD), and what is too deep is left out.
///
/// # Errors
/// It is not JSON in another way.
pub fn parse(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    serde_json::from_slice(bytes).or_else(|_| serde_json::from_str(&mended(&String::from_utf8_lossy(bytes))))
}

/// The text with everything in it replaced that a parser refuses within a value: surrogates that stand alone, unknown escapes, control
/// characters, numbers without end; and with its end, where it was cut off.
fn mended(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut open: Vec<char> = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let mut used = c.len_utf8();
        let shown = open.len() <= DEPTH_MAX;
        match c {
            '"' => {
                let (mended, length) = text_literal(&rest[1..]);
                used += length;
                if shown {
                    out.push_str(&mended);
                }
            }
            '{' | '[' => {
                open.push(if c == '{' { '}' } else { ']' });
                match open.len() {
                    depth if depth <= DEPTH_MAX => out.push(c),
                    depth if depth == DEPTH_MAX + 1 => out.push_str("null"),
                    _ => {}
                }
            }
            '}' | ']' => {
                if open.len() <= DEPTH_MAX {
                    out.push(c);
                }
                open.pop();
            }
            '0'..='9' | '-' => {
                let end = rest
                    .find(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c))
                    .unwrap_or(rest.len());
                used = end.max(1);
                let number = &rest[..used];
                let is_finite = number.parse::<f64>().is_ok_and(f64::is_finite);
                if shown {
                    out.push_str(if is_finite { number } else { "0" });
                }
            }
            _ if shown => out.push(c),
            _ => {}
        }
        rest = &rest[used..];
    }
    let deep = open.len().saturating_sub(DEPTH_MAX);
    out.extend(open.into_iter().rev().skip(deep));
    out
}

/// A text of JSON, from behind its quote: as a parser takes it, and how many bytes of the input it is.
fn text_literal(inside: &str) -> (String, usize) {
    let mut out = String::from("\"");
    let mut rest = inside;
    while let Some(c) = rest.chars().next() {
        let mut used = c.len_utf8();
        match c {
            '"' => return (out + "\"", inside.len() - rest.len() + 1),
            '\\' => {
                let (escape, length) = escape(rest);
                out.push_str(&escape);
                used = length;
            }
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
        rest = &rest[used..];
    }
    (out + "\"", inside.len())
}

/// The escape at the beginning of a text, as a parser takes it, and its length.
fn escape(text: &str) -> (String, usize) {
    const REPLACED: &str = "\\ufffd";
    let code = |text: &str| {
        let digits = text.strip_prefix("\\u")?.get(..4)?;
        u32::from_str_radix(digits, 16).ok()
    };
    match text[1..].chars().next() {
        Some('u') => match (code(text), text.get(6..).and_then(code)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => (text[..12].to_owned(), 12),
            (Some(0xd800..=0xdfff), _) => (REPLACED.to_owned(), 6),
            (Some(_), _) => (text[..6].to_owned(), 6),
            (None, _) => ("\\\\u".to_owned(), 2),
        },
        Some(c @ ('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't')) => (format!("\\{c}"), 2),
        Some(_) | None => ("\\\\".to_owned(), 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_read_whatever_stands_in_its_texts() {
        let deep = format!(r#"{{"a":{}1{},"b":"x"}}"#, "[".repeat(500), "]".repeat(500));
        for (event, field, expected) in [
            (r#"{"a":"abc \ud83d","b":"x"}"#, "b", "x"),
            (r#"{"a":"abc \ud83d","b":"x"}"#, "a", "abc \u{fffd}"),
            (r#"{"a":"\ud83d\ude00 \ude00","b":"x"}"#, "a", "\u{1f600} \u{fffd}"),
            (r#"{"a":"\q \u12","b":"x"}"#, "a", "\\q \\u12"),
            (r#"{"a":1e999,"b":"x"}"#, "b", "x"),
            (r#"{"n":-1.5e3,"a":1e999,"b":"x\\"}"#, "b", "x\\"),
            ("{\"a\":\"line\nend\",\"b\":\"x\"}", "a", "line end"),
            (deep.as_str(), "b", "x"),
            (r#"{"b":"x","a":{"c":["cut of"#, "b", "x"),
        ] {
            let read = parse(event.as_bytes()).unwrap_or_else(|e| panic!("{event}: {e}"));
            assert_eq!(read[field], expected, "{event}");
        }
        assert!(parse(b"no event").is_err() && parse(b"").is_err());
    }
}
