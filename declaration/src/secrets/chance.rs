//! Whether letters look as if chance had chosen them: how a token differs from a word, an identifier, a placeholder.

use sha2::{Digest, Sha256};

/// Bits of information a byte, by how often each byte occurs.
pub(super) fn entropy(value: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    value.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    let length = f64::from(u32::try_from(value.len()).unwrap_or(u32::MAX));
    let share = |count: &u32| f64::from(*count) / length;
    counts.iter().filter(|count| **count > 0).map(|count| -share(count) * share(count).log2()).sum()
}

/// Letters of a token in a row, at least.
const RUN_MIN: usize = 15;

/// Where a text has so many letters of a token in a row, not all of them small: prose has none. It is asked about one window
/// after the other, and reads each byte once, however much the windows overlap.
pub(super) struct Runs<'t> {
    text: &'t [u8],
    /// Up to here it was read.
    read_to: usize,
    /// Where the run that is being read begins.
    start: usize,
    /// Behind the last letter of a token that is not small.
    behind_marked: usize,
    /// Bytes that were read.
    #[cfg(test)]
    pub read: usize,
}

impl<'t> Runs<'t> {
    pub fn of(text: &'t [u8]) -> Runs<'t> {
        Runs {
            text,
            read_to: 0,
            start: 0,
            behind_marked: 0,
            #[cfg(test)]
            read: 0,
        }
    }

    /// Whether one stands between these two places. Neither may lie before the one of the question before, and where the answer was
    /// yes, the next window begins behind this one.
    pub fn has_one(&mut self, from: usize, to: usize) -> bool {
        if from > self.read_to {
            (self.read_to, self.start) = (from, from);
        }
        // What was read has none that ends before here: one in this window ends in what is read now.
        while self.read_to < to {
            let byte = self.text[self.read_to];
            self.read_to += 1;
            #[cfg(test)]
            (self.read += 1);
            if !is_of_token(byte) {
                self.start = self.read_to;
            } else if !byte.is_ascii_lowercase() && !byte.is_ascii_punctuation() {
                self.behind_marked = self.read_to;
            }
            let start = self.start.max(from);
            if self.read_to >= start + RUN_MIN && self.behind_marked > start {
                return true;
            }
        }
        false
    }
}

fn is_of_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'_' | b'-' | b'+' | b'/' | b'=' | b'.' | b'%' | b':' | b'~')
}

/// Whether a value of this length looks as if nobody had thought of it.
pub(super) fn is_chosen(value: &[u8]) -> bool {
    has_all_kinds(value) && entropy(value) >= 3.5 && !is_placeholder(value)
}

/// Small and capital letters and digits.
pub(super) fn has_all_kinds(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_digit)
        && value.iter().any(u8::is_ascii_lowercase)
        && value.iter().any(u8::is_ascii_uppercase)
}

/// Words in a value that say that it is no secret.
const SAYS_SO: [&[u8]; 20] = [
    b"example",
    b"placeholder",
    b"xxxx",
    b"your",
    b"changeme",
    b"change_me",
    b"change-me",
    b"replace",
    b"dummy",
    b"redacted",
    b"insert",
    b"sample",
    b"12345678",
    b"abcdef",
    b"qwerty",
    b"****",
    b"....",
    b"----",
    b"____",
    b"deadbeef",
];

/// The beginnings of SHA-256 of values that are published as examples: of jwt.io, Stripe, Telegram, Azurite, RFC 7617.
const PUBLISHED: [&str; 7] = [
    "7f75367e78812551",
    "2cafc0970149a84f",
    "f2d6ca16515033e5",
    "511c2249afed266e",
    "0011cc25eb432071",
    "cf4d418ed3de92d7",
    "e4da07ad200089ce",
];

/// Whether a value is a placeholder or a published example.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    let mut seen = [false; 256];
    value.iter().for_each(|byte| seen[usize::from(*byte)] = true);
    let different = seen.iter().filter(|seen| **seen).count();
    let says = |word: &[u8]| value.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word));
    let filled_in =
        says(b"${") || says(b"{{") || says(b"$(") || value.contains(&b'<') || value.contains(&b'>');
    let published = || {
        let hash = crate::hex(&Sha256::digest(value)[..8]);
        PUBLISHED.contains(&hash.as_str())
    };
    different < 6 || filled_in || SAYS_SO.iter().any(|word| says(word)) || published()
}

/// Digits a word of an identifier ends with, at most: `v2`, `utf16`.
const WORD_DIGITS_MAX: usize = 3;

/// Letters of a word that is all capitals, below this.
const ACRONYM_MAX: usize = 18;

/// Whether a value is words: `next_page_token`, `getTokenFromVault`, `clip-model-v2`.
pub(super) fn is_words(value: &[u8]) -> bool {
    value.split(|byte| !byte.is_ascii_alphanumeric()).filter(|part| !part.is_empty()).all(is_word)
}

fn is_word(part: &[u8]) -> bool {
    let letters = part.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let digits = part.len() - letters;
    if letters == 0 {
        return digits <= 4 && part.iter().all(u8::is_ascii_digit);
    }
    let capitals = letters >= ACRONYM_MAX && part[..letters].iter().all(u8::is_ascii_uppercase);
    !capitals
        && digits <= WORD_DIGITS_MAX
        && part[letters..].iter().all(u8::is_ascii_digit)
        && !is_mixed(&part[..letters])
}

/// Whether capital and small letters change more often than between the words of `CamelCase`.
fn is_mixed(letters: &[u8]) -> bool {
    let changes =
        letters.windows(2).filter(|two| two[0].is_ascii_lowercase() != two[1].is_ascii_lowercase()).count();
    let capitals = letters.iter().filter(|byte| byte.is_ascii_uppercase()).count();
    let small = letters.len() - capitals;
    changes * 3 > letters.len() + 2 || (capitals * 3 > letters.len() && small * 4 > letters.len())
}

/// Whether a value that is called a password looks like one.
pub(super) fn is_password(value: &[u8]) -> bool {
    (8..=512).contains(&value.len())
        && !is_placeholder(value)
        && !is_words(value)
        && !is_reference(value)
        && entropy(value) >= 2.7
}

/// Eight, four, four, four and twelve hexadecimal digits: an id, but for where a setting's name says otherwise.
pub(super) fn is_uuid(value: &[u8]) -> bool {
    let parts: Vec<&[u8]> = value.split(|byte| *byte == b'-').collect();
    parts.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12])
        && parts.iter().all(|part| part.iter().all(u8::is_ascii_hexdigit))
}

/// A path, an address, a variable, a call, a digest: it says where a value is, or proves one.
fn is_reference(value: &[u8]) -> bool {
    let begins = |with: &[u8]| value.get(..with.len()).is_some_and(|head| head.eq_ignore_ascii_case(with));
    let digest = [
        &b"sha"[..],
        b"md5",
        b"blake",
        b"argon",
        b"pbkdf",
        b"bcrypt",
        b"scrypt",
        b"utf",
        b"rsa",
        b"hmac",
        b"aes",
    ];
    let place = [
        &b"/"[..],
        b"./",
        b"../",
        b"~/",
        b"$",
        b"%",
        b"@",
        b"&",
        b"#",
        b"(",
        b"[",
        b"{",
        b"\\",
        b"vault:",
        b"op:",
        b"env:",
        b"arn:",
        b"c:",
    ];
    digest.iter().chain(&place).any(|with| begins(with))
        || value.windows(3).any(|part| part == b"://")
        || value.contains(&b'(')
        || value.windows(2).any(|part| part == b"::" || part == b"->")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As it is told: the letters of each run, one after the other.
    fn has_a_run(text: &[u8]) -> bool {
        let small = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_punctuation();
        text.split(|byte| !is_of_token(*byte)).any(|run| run.len() >= RUN_MIN && !run.iter().all(small))
    }

    #[test]
    fn windows_that_overlap_are_read_once_and_have_what_stands_in_them() {
        let runs = ["a".repeat(40), "A".repeat(14), format!("{}A{}", "a".repeat(20), "b".repeat(20))];
        let mut seed = 7_usize;
        for _ in 0..400 {
            let mut text = String::new();
            while text.len() < 300 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.push_str(&runs[(seed >> 33) % runs.len()][..1 + (seed >> 40) % 14]);
                text.push_str(["", " ", "9", "Zq", "\u{4eba}", "-"][(seed >> 50) % 6]);
            }
            let text = text.as_bytes();
            let (mut known, mut tried_to) = (Runs::of(text), 0);
            for at in (0..text.len()).step_by(1 + (seed >> 45) % 30) {
                let (from, to) = (at.saturating_sub(10).max(tried_to), text.len().min(at + 60));
                if at < tried_to {
                    continue;
                }
                let has_one = has_a_run(&text[from..to]);
                assert_eq!(
                    known.has_one(from, to),
                    has_one,
                    "{from}..{to} of {}",
                    String::from_utf8_lossy(text)
                );
                if has_one {
                    tried_to = to;
                }
            }
            assert!(known.read <= text.len());
        }
    }
}
