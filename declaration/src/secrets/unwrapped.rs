//! What hides a token from a reader of bytes, taken away: characters without width, Markdown's escapes, entities, percent
//! signs, full-width letters, a break in its middle; and what base64 says.

use std::borrow::Cow;

/// A text without what hides, and where its parts stand in the text that was read.
pub(super) struct Unwrapped {
    pub bytes: Vec<u8>,
    /// From which byte on, and where that byte is in the original.
    from: Vec<(usize, usize)>,
}

impl Unwrapped {
    /// Where a byte stands in the original.
    pub fn original(&self, at: usize) -> usize {
        let part = self.from.partition_point(|(here, _)| *here <= at);
        part.checked_sub(1).map_or(at, |part| self.from[part].1 + (at - self.from[part].0))
    }

    fn copied(&mut self, part: &[u8], origin: usize) {
        self.from.push((self.bytes.len(), origin));
        self.bytes.extend_from_slice(part);
    }
}

/// The text without what hides; `None` where nothing does.
pub(super) fn unwrapped(text: &str) -> Option<Unwrapped> {
    let mut found = Unwrapped { bytes: Vec::new(), from: Vec::new() };
    let bytes = text.as_bytes();
    let (mut at, mut kept) = (0, 0);
    while at < bytes.len() {
        let hides = matches!(bytes[at], b'\\' | b'&' | b'%' | b'\r' | b'\n' | b'*') || !bytes[at].is_ascii();
        match if hides { instead(text, at) } else { None } {
            Some((length, put)) => {
                found.copied(&bytes[kept..at], kept);
                found.copied(&put, at);
                at += length;
                kept = at;
            }
            None => at += 1,
        }
    }
    (kept > 0).then(|| {
        found.copied(&bytes[kept..], kept);
        found
    })
}

/// How much of a text hides something, and what is put in its place.
fn instead(text: &str, at: usize) -> Option<(usize, Cow<'static, [u8]>)> {
    let bytes = text.as_bytes();
    let none = |length| Some((length, Cow::Borrowed(&[][..])));
    match bytes[at] {
        // A line that goes on in the next one, and a letter by its number: `\u005f`, `\x5f`.
        b'\\' if bytes.get(at + 1) == Some(&b'\n') => line_break(bytes, at, at + 1),
        b'\\' if matches!(bytes.get(at + 1), Some(b'u' | b'x')) => {
            let digits = if bytes[at + 1] == b'u' { 4 } else { 2 };
            let hex = text.get(at + 2..at + 2 + digits)?;
            let byte = u8::from_str_radix(hex, 16).ok().filter(u8::is_ascii_graphic)?;
            Some((2 + digits, Cow::Owned(vec![byte])))
        }
        b'\\' if bytes.get(at + 1).is_some_and(u8::is_ascii_punctuation) => none(1),
        b'&' => entity(&bytes[at..]),
        b'%' => {
            let hex = bytes.get(at + 1..at + 3).and_then(|hex| std::str::from_utf8(hex).ok());
            let byte = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(u8::is_ascii_graphic)?;
            Some((3, Cow::Owned(vec![byte])))
        }
        // Emphasis in the middle of a token: `gh**p_**…`.
        b'*' => {
            let stars = bytes[at..].iter().take_while(|byte| **byte == b'*').count();
            let inside =
                at > 0 && is_token(bytes[at - 1]) && bytes.get(at + stars).copied().is_some_and(is_token);
            inside.then(|| (stars, Cow::Borrowed(&[][..])))
        }
        b'\r' if bytes.get(at + 1) == Some(&b'\n') => line_break(bytes, at, at + 1),
        b'\n' => line_break(bytes, at, at),
        b'\r' => None,
        _ => wide(text, at),
    }
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'/' | b'=' | b'.')
}

/// A break between two runs of a token's letters, with the next line's indentation or quotation mark. It begins at `start`, and
/// its newline is at `at`.
fn line_break(bytes: &[u8], start: usize, at: usize) -> Option<(usize, Cow<'static, [u8]>)> {
    let before = bytes[..start].iter().rev().take(RUN).take_while(|byte| is_token(**byte)).count();
    let blank =
        bytes[at + 1..].iter().take(RUN).take_while(|byte| matches!(byte, b' ' | b'\t' | b'>')).count();
    let next = bytes[at + 1 + blank..].iter().take(RUN).take_while(|byte| is_token(**byte)).count();
    (before >= 3 && next >= 4).then(|| (at + 1 - start + blank, Cow::Borrowed(&[][..])))
}

/// Letters looked at on each side of a break.
const RUN: usize = 16;

fn entity(rest: &[u8]) -> Option<(usize, Cow<'static, [u8]>)> {
    let end = rest.iter().take(12).position(|byte| *byte == b';')?;
    let name = std::str::from_utf8(&rest[1..end]).ok()?;
    let code = match name.strip_prefix('#') {
        Some(number) => match number.strip_prefix(['x', 'X']) {
            Some(hex) => u8::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        },
        None => match name {
            "lowbar" | "UnderBar" => b'_',
            "hyphen" | "dash" => b'-',
            "period" => b'.',
            "equals" => b'=',
            "colon" => b':',
            "sol" => b'/',
            "plus" => b'+',
            "amp" => b'&',
            _ => return None,
        },
    };
    code.is_ascii().then(|| (end + 1, Cow::Owned(vec![code])))
}

/// Characters without width, and full-width forms of ASCII.
fn wide(text: &str, at: usize) -> Option<(usize, Cow<'static, [u8]>)> {
    let c = text.get(at..)?.chars().next()?;
    let no_width = matches!(c,
        '\u{ad}' | '\u{300}'..='\u{36f}' | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' | '\u{e0100}'..='\u{e01ef}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
    if no_width {
        return Some((c.len_utf8(), Cow::Borrowed(&[][..])));
    }
    let plain = match c {
        '\u{ff01}'..='\u{ff5e}' => u8::try_from(u32::from(c) - 0xff01 + 0x21).ok()?,
        '\u{2010}'..='\u{2015}' | '\u{2212}' => b'-',
        _ => return None,
    };
    Some((c.len_utf8(), Cow::Owned(vec![plain])))
}

/// Letters of base64 in a row that may hide a token.
const BASE64_MIN: usize = 24;
/// The same, at most: a bound on what is decoded.
const BASE64_MAX: usize = 64 << 10;

/// Every readable text that stands in a text as base64, with its place.
pub(super) fn decoded(text: &[u8]) -> impl Iterator<Item = (usize, Vec<u8>)> + '_ {
    let belongs =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_');
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < text.len() {
            let length = text[at..].iter().take_while(|byte| belongs(byte)).count();
            let start = at;
            at += length + 1;
            if (BASE64_MIN..=BASE64_MAX).contains(&length)
                && let Some(said) = base64(&text[start..start + length]).filter(|said| is_readable(said))
            {
                return Some((start, said));
            }
        }
        None
    })
}

/// Bytes that most of a text must be for it to be one.
fn is_readable(bytes: &[u8]) -> bool {
    bytes
        .iter()
        .filter(|byte| byte.is_ascii_graphic() || matches!(byte, b' ' | b'\n' | b'\t' | b'\r'))
        .count()
        * 20
        >= bytes.len() * 19
}

/// What base64 says, in either alphabet; `None` where it is none, or where its beginning is no text.
pub(super) fn base64(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() * 3 / 4);
    let (mut bits, mut held) = (0_u32, 0_u32);
    let end = text.iter().rposition(|byte| *byte != b'=')? + 1;
    for byte in &text[..end] {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push(u8::try_from((bits >> held) & 0xff).unwrap_or(0));
        }
        if out.len() == 12 && !is_readable(&out) {
            return None;
        }
    }
    Some(out)
}
