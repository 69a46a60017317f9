//! Texts that are to be forgotten, known by their hashes alone: they are found again in any bytes, also by who has never seen
//! them and no longer has them. A record of what is being forgotten would else be one more place that holds it.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// What is written in place of a text that was purged.
pub const FORGOTTEN: &str = markdown_merge::item::PURGED;

/// A shorter text is no more looked for within others, in bytes: it would be found in words that mean something else.
pub const WITHIN_BYTES_MIN: usize = 8;

/// The fields of our files that hold what somebody said: there a short text is forgotten where it is all that is said.
const SAID_IN: [&str; 9] =
    ["content", "old_text", "was", "said", "reason", "base", "current", "wanted", "text"];

/// The one of them that says why.
const REASON: &str = "reason";

/// A multiplier of a rolling hash; any odd number would do, as every window that fits is hashed again.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;

/// A text by its length and hashes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fingerprint {
    /// In bytes.
    pub bytes: usize,
    /// Quickly told from a window of that length.
    rolling: u64,
    /// `sha256:<hex>`.
    hash: String,
}

impl Fingerprint {
    /// The fingerprint of a text; `None` of one that says nothing.
    #[must_use]
    pub fn of(text: &str) -> Option<Fingerprint> {
        let text = text.trim();
        let says = text.chars().any(char::is_alphanumeric) && text != FORGOTTEN;
        says.then(|| Fingerprint {
            bytes: text.len(),
            rolling: rolling(text.as_bytes()),
            hash: hash(text.as_bytes()),
        })
    }

    fn is(&self, window: &[u8], rolling: u64) -> bool {
        self.rolling == rolling && self.hash == hash(window)
    }
}

/// Texts that are to be forgotten.
#[derive(Debug, Clone, Default)]
pub struct Forgetting {
    prints: Vec<Fingerprint>,
    /// Why it was said. Others say such a thing of something else ("the user said so"): they are forgotten only as a whole reason.
    reasons: Vec<Fingerprint>,
}

impl Forgetting {
    /// These.
    #[must_use]
    pub fn new(prints: impl IntoIterator<Item = Fingerprint>) -> Forgetting {
        let mut prints: Vec<Fingerprint> = prints.into_iter().collect();
        prints.sort();
        prints.dedup();
        Forgetting { prints, reasons: Vec::new() }
    }

    /// And these reasons, where one is all that a reason says.
    #[must_use]
    pub fn and_reasons(self, reasons: impl IntoIterator<Item = Fingerprint>) -> Forgetting {
        Forgetting { reasons: reasons.into_iter().collect(), ..self }
    }

    /// The same without the reasons: what only gives the same one says something else.
    #[must_use]
    pub fn texts_alone(&self) -> Forgetting {
        Forgetting { prints: self.prints.clone(), reasons: Vec::new() }
    }

    /// Whether the bytes hold one of them, as they are.
    #[must_use]
    pub fn is_in(&self, bytes: &[u8]) -> bool {
        !self.found_in(bytes).is_empty()
    }

    /// The bytes with the mark in the place of each; `None` where they hold none.
    #[must_use]
    pub fn out_of(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let found = self.found_in(bytes);
        if found.is_empty() {
            return None;
        }
        let mut out = Vec::with_capacity(bytes.len());
        let mut from = 0;
        for (start, len) in found {
            // Of two that overlap the first stands for both.
            if start >= from {
                out.extend_from_slice(bytes.get(from..start).unwrap_or_default());
                out.extend_from_slice(FORGOTTEN.as_bytes());
            }
            from = from.max(start + len);
        }
        out.extend_from_slice(bytes.get(from..).unwrap_or_default());
        Some(out)
    }

    /// The same of lines of JSON, also where a text is written with escapes. A line that is no JSON is read as it is.
    #[must_use]
    pub fn out_of_json(&self, lines: &[u8]) -> Option<Vec<u8>> {
        let mut out = Vec::with_capacity(lines.len());
        let mut changed = false;
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            match self.out_of_line(line) {
                Some(new) => {
                    changed = true;
                    out.extend(new);
                }
                None => out.extend_from_slice(line),
            }
        }
        changed.then_some(out)
    }

    /// Whether a value holds one of them.
    #[must_use]
    pub fn is_in_value(&self, value: &serde_json::Value) -> bool {
        self.clean(&mut value.clone(), "")
    }

    fn out_of_line(&self, line: &[u8]) -> Option<Vec<u8>> {
        let Ok(mut value) = serde_json::from_slice(line) else { return self.out_of(line) };
        if !self.clean(&mut value, "") {
            return None;
        }
        let mut new = serde_json::to_vec(&value).ok()?;
        if line.ends_with(b"\n") {
            new.push(b'\n');
        }
        Some(new)
    }

    /// Takes them out of all strings; true where there was one. `field`: the name of the field that has the value.
    fn clean(&self, value: &mut serde_json::Value, field: &str) -> bool {
        use serde_json::Value;
        match value {
            Value::String(text) => {
                let is_all = SAID_IN.contains(&field) && self.is_one(text);
                let new = if is_all || field == REASON && self.is_reason(text) {
                    Some(FORGOTTEN.to_owned())
                } else {
                    self.out_of(text.as_bytes()).and_then(|bytes| String::from_utf8(bytes).ok())
                };
                let found = new.is_some();
                new.into_iter().for_each(|new| *text = new);
                found
            }
            Value::Array(values) => {
                let mut found = false;
                for value in values {
                    found |= self.clean(value, field);
                }
                found
            }
            Value::Object(fields) => {
                let mut found = false;
                for (name, value) in fields {
                    found |= self.clean(value, name);
                }
                found
            }
            _ => false,
        }
    }

    /// Whether a text is one of them, blanks around it aside; also a short one.
    #[must_use]
    pub fn is_one(&self, text: &str) -> bool {
        Fingerprint::of(text).is_some_and(|print| self.prints.contains(&print))
    }

    fn is_reason(&self, text: &str) -> bool {
        !self.reasons.is_empty() && Fingerprint::of(text).is_some_and(|print| self.reasons.contains(&print))
    }

    /// Where they are in these bytes, and how long each is; in order, of two at one place the longer first.
    fn found_in(&self, bytes: &[u8]) -> Vec<(usize, usize)> {
        let mut by_length: BTreeMap<usize, Vec<&Fingerprint>> = BTreeMap::new();
        for print in self.prints.iter().filter(|print| print.bytes >= WITHIN_BYTES_MIN) {
            by_length.entry(print.bytes).or_default().push(print);
        }
        let mut found = Vec::new();
        for (len, prints) in by_length {
            each_window(bytes, len, &mut |start, rolling, window| {
                if prints.iter().any(|print| print.is(window, rolling)) {
                    found.push((start, len));
                }
            });
        }
        found.sort_by_key(|(start, len)| (*start, std::cmp::Reverse(*len)));
        found
    }
}

/// Every window of a length with its rolling hash.
fn each_window(bytes: &[u8], len: usize, each: &mut dyn FnMut(usize, u64, &[u8])) {
    let Some(first) = bytes.get(..len) else { return };
    let leaves = (1..len).fold(1_u64, |power, _| power.wrapping_mul(BASE));
    let mut now = rolling(first);
    each(0, now, first);
    for (start, (out, into)) in bytes.iter().zip(bytes.get(len..).unwrap_or_default()).enumerate() {
        now = now.wrapping_sub(u64::from(*out).wrapping_add(1).wrapping_mul(leaves));
        now = now.wrapping_mul(BASE).wrapping_add(u64::from(*into) + 1);
        each(start + 1, now, bytes.get(start + 1..start + 1 + len).unwrap_or_default());
    }
}

fn rolling(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |hash, byte| hash.wrapping_mul(BASE).wrapping_add(u64::from(*byte) + 1))
}

fn hash(bytes: &[u8]) -> String {
    format!("sha256:{}", hex(&Sha256::digest(bytes)))
}

/// Bytes in hexadecimal, two lower-case digits each.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(value.into(), 16).unwrap_or('0');
    let mut text = String::with_capacity(2 * bytes.len());
    text.extend(bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 0xf)]));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forgetting(texts: &[&str]) -> Forgetting {
        Forgetting::new(texts.iter().filter_map(|text| Fingerprint::of(text)))
    }

    #[test]
    fn a_text_is_found_wherever_it_stands() {
        let known = forgetting(&["Prefers tabs", "喝茶不加糖", "tea"]);
        for (bytes, without) in [
            ("Prefers tabs", "(purged)"),
            ("- [O] Prefers tabs #editor\n", "- [O] (purged) #editor\n"),
            ("xPrefers tabsPrefers tabs", "x(purged)(purged)"),
            ("他喝茶不加糖。", "他(purged)。"),
        ] {
            let out = known.out_of(bytes.as_bytes()).map(|out| String::from_utf8(out).unwrap());
            assert_eq!(out.as_deref(), Some(without), "{bytes}");
        }
        for other in ["", "prefers tabs", "Prefers  tabs", "tea", "a", "喝茶不加"] {
            assert_eq!(known.out_of(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn of_two_that_overlap_nothing_is_left() {
        let known = forgetting(&["one two three", "two three four", "three four five"]);
        assert_eq!(known.out_of(b"x one two three four five y").unwrap(), b"x (purged) y");
    }

    #[test]
    fn json_is_read_through_its_escapes_and_stays_what_it_is() {
        let known = forgetting(&["say \"tea\" twice", "tea"]);
        let lines = b"{\"content\":\"say \\\"tea\\\" \\u0074wice!\",\"n\":0.9}\n{\"content\":\" tea\",\"name\":\"tea\"}\nno json: say \"tea\" twice\n{\"a\": 1}\n";
        let out = String::from_utf8(known.out_of_json(lines).unwrap()).unwrap();
        assert_eq!(
            out,
            "{\"content\":\"(purged)!\",\"n\":0.9}\n{\"content\":\"(purged)\",\"name\":\"tea\"}\nno json: (purged)\n{\"a\": 1}\n"
        );
        assert_eq!(known.out_of_json(out.as_bytes()), None);
    }

    #[test]
    fn a_reason_is_forgotten_only_where_it_is_the_whole_reason() {
        let reasons = ["Bob said so"].into_iter().filter_map(Fingerprint::of);
        let known = forgetting(&["Prefers tabs"]).and_reasons(reasons);
        let line =
            br#"{"reason":"Bob said so","content":"Bob said so","n":[{"reason":"Bob said so, and Ann"}]}"#;
        let out = String::from_utf8(known.out_of_json(line).unwrap()).unwrap();
        assert_eq!(
            out,
            r#"{"content":"Bob said so","n":[{"reason":"Bob said so, and Ann"}],"reason":"(purged)"}"#
        );
        assert_eq!(known.texts_alone().out_of_json(line), None);
        assert_eq!(known.out_of(b"Bob said so"), None);
    }

    #[test]
    fn what_says_nothing_has_no_fingerprint() {
        for nothing in ["", "  \n", "---", "(purged)"] {
            assert_eq!(Fingerprint::of(nothing), None, "{nothing}");
        }
        let written = serde_json::to_string(&Fingerprint::of("Prefers tabs")).unwrap();
        assert!(!written.contains("tabs"), "{written}");
    }
}
