//! What a text consists of for a search: words with their English stems, identifiers whole and in parts, and the pairs and
//! single characters of scripts that put no blanks between words. Every query and every text is cut by this one function.

use crate::fold::{compatible, is_cjk, push_folded};
use crate::irregular::irregular;
use snowball_stemmers_rs::{Algorithm, Stemmer};
use std::collections::HashMap;

/// What a piece of text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// A run of letters and digits.
    Word,
    /// The stem of an English word, where it differs from the word.
    Stem,
    /// An identifier as it is written, with its dots, dashes and slashes.
    Whole,
    /// Two neighbouring Chinese, Japanese or Korean characters.
    Pair,
    /// One of them.
    Single,
}

/// A piece of a text, in folded spelling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// What it is.
    pub sort: TokenKind,
    /// How it is spelt.
    pub text: String,
    /// Where in the text: words and single characters count one each.
    pub place: u32,
    /// Which chunk of the text it is from. A chunk is what stands between blanks, or a run of Chinese.
    pub chunk: u32,
}

/// A piece as the index stores it: 60 bits of a hash that is the same on every machine and in every version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Token(pub u64);

impl Token {
    /// The token of a piece's text.
    #[must_use]
    pub fn of(text: &str) -> Token {
        let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
        for byte in text.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        hash ^= hash >> 32;
        Token(hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 4)
    }
}

/// The tokens of a text in its order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tokens {
    /// Each with its place.
    pub at: Vec<(Token, u32)>,
    /// How many words the text has.
    pub words: u32,
}

impl Tokens {
    /// Of this text.
    #[must_use]
    pub fn of(text: &str) -> Tokens {
        let mut tokens = Tokens::default();
        let mut visit =
            |_: TokenKind, text: &str, place: u32, _: u32| tokens.at.push((Token::of(text), place));
        tokens.words = Lexer::default().each(text, &mut visit);
        tokens
    }
}

/// The pieces of a text in their order.
#[must_use]
pub fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut visit =
        |sort, text: &str, place, chunk| pieces.push(Piece { sort, text: text.to_owned(), place, chunk });
    Lexer::default().each(text, &mut visit);
    pieces
}

/// Called with each piece: its kind, its spelling, its place, its chunk.
type Visit<'v> = &'v mut dyn FnMut(TokenKind, &str, u32, u32);

/// Cuts texts one after another. It remembers the stems of the words it has seen: most words recur, and making a stem costs
/// more than all the rest.
#[derive(Debug, Default)]
pub struct Lexer {
    stems: HashMap<String, Option<String>>,
    spelt: String,
}

impl Lexer {
    /// Calls `visit` with the pieces of a text in their order; returns how many words it has.
    pub fn each(&mut self, text: &str, visit: Visit<'_>) -> u32 {
        let chars = compatible(text);
        let mut cutter = Cutter { lexer: self, visit, place: 0, chunk: 0 };
        let mut at = 0;
        while let Some(c) = chars.get(at) {
            let script = Script::of(*c);
            let end =
                chars[at..].iter().position(|c| Script::of(*c) != script).map_or(chars.len(), |n| at + n);
            match script {
                Script::Cjk => cutter.run(&chars[at..end]),
                Script::Chunk => cutter.chunk(trimmed(&chars[at..end])),
                Script::Between => {}
            }
            cutter.chunk += 1;
            at = end;
        }
        cutter.place
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    Cjk,
    Chunk,
    Between,
}

impl Script {
    fn of(c: char) -> Script {
        if c.is_ascii() {
            return if c.is_ascii_graphic() && !between(c) { Script::Chunk } else { Script::Between };
        }
        match c {
            _ if is_cjk(c) => Script::Cjk,
            _ if c.is_alphanumeric() || is_mark(c) => Script::Chunk,
            _ => Script::Between,
        }
    }
}

fn is_mark(c: char) -> bool {
    !c.is_ascii() && unicode_normalization::char::is_combining_mark(c)
}

/// ASCII signs that never belong to an identifier.
fn between(c: char) -> bool {
    matches!(
        c,
        ',' | ';' | '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | '"' | '\'' | '`' | '|' | '!' | '?' | '^'
    )
}

/// A chunk without the signs that only stand beside it, such as the full stop of a sentence or stars of emphasis. Signs
/// that begin or end an identifier stay: `.env`, `#42`, `--strict`, `:8787`, `C++`, `C#`.
fn trimmed(chunk: &[char]) -> &[char] {
    let Some(first) = chunk.iter().position(|c| c.is_alphanumeric()) else { return &[] };
    let last = chunk.iter().rposition(|c| c.is_alphanumeric()).unwrap_or(first);
    let ends = chunk[last + 1..].iter().take_while(|c| matches!(c, '+' | '#')).count();
    let opens = |c: &&char| matches!(c, '.' | '#' | '@' | '-' | ':' | '/' | '$' | '~');
    let begins = chunk[..first].iter().rev().take_while(opens).count();
    &chunk[first - begins..=last + ends]
}

struct Cutter<'l, 'v> {
    lexer: &'l mut Lexer,
    visit: Visit<'v>,
    place: u32,
    chunk: u32,
}

impl Cutter<'_, '_> {
    /// Calls `visit` with the piece that these characters spell.
    fn tell(&mut self, sort: TokenKind, chars: &[char], place: u32) {
        let spelt = &mut self.lexer.spelt;
        spelt.clear();
        chars.iter().for_each(|c| push_folded(*c, spelt));
        (self.visit)(sort, spelt, place, self.chunk);
    }

    /// A run without blanks: each of its characters, and each pair of neighbours.
    fn run(&mut self, run: &[char]) {
        for (at, c) in run.iter().enumerate() {
            if at > 0 {
                self.tell(TokenKind::Pair, &run[at - 1..=at], self.place - 1);
            }
            self.tell(TokenKind::Single, &[*c], self.place);
            self.place += 1;
        }
    }

    fn chunk(&mut self, chunk: &[char]) {
        if chunk.is_empty() {
            return;
        }
        let first = self.place;
        let signs = chunk.iter().filter(|c| is_sign(**c)).count();
        for word in chunk.split(|c| is_sign(*c)).filter(|word| !word.is_empty()) {
            self.word(word);
        }
        if signs == 0 {
            return;
        }
        for part in chunk.split(|c| matches!(c, '/' | ':' | '@' | '=' | '\\')) {
            let part = trimmed(part);
            if part.len() < chunk.len() && part.iter().any(|c| is_sign(*c)) {
                self.tell(TokenKind::Whole, part, first);
            }
        }
        // `e-mail` is also found as `email`.
        if signs == 1 && chunk.contains(&'-') && chunk.iter().all(|c| c.is_alphabetic() || *c == '-') {
            let joined: Vec<char> = chunk.iter().copied().filter(|c| *c != '-').collect();
            self.tell(TokenKind::Word, &joined, first);
        }
        self.tell(TokenKind::Whole, chunk, first);
    }

    /// A run of letters and digits, and what a change of case divides it into.
    fn word(&mut self, word: &[char]) {
        self.word_and_stem(word);
        let humps = if word.iter().skip(1).any(|c| c.is_uppercase()) { humps(word) } else { Vec::new() };
        if humps.len() > 1 {
            for hump in humps {
                self.word_and_stem(hump);
                self.place += 1;
            }
        } else {
            self.place += 1;
        }
    }

    fn word_and_stem(&mut self, word: &[char]) {
        self.tell(TokenKind::Word, word, self.place);
        let Lexer { stems, spelt } = &mut *self.lexer;
        if !stems.contains_key(spelt.as_str()) {
            stems.insert(spelt.clone(), stem_of(spelt));
        }
        if let Some(Some(stem)) = stems.get(spelt.as_str()) {
            (self.visit)(TokenKind::Stem, stem, self.place, self.chunk);
        }
    }
}

fn is_sign(c: char) -> bool {
    !c.is_alphanumeric() && !is_mark(c)
}

/// `parseHTTPReply` is `parse`, `HTTP`, `Reply`. A word in one case is one hump.
fn humps(word: &[char]) -> Vec<&[char]> {
    let mut humps = Vec::new();
    let mut start = 0;
    for at in 1..word.len() {
        let (before, here) = (word[at - 1], word[at]);
        let after = word.get(at + 1);
        let begins = here.is_uppercase()
            && (before.is_lowercase() || (before.is_uppercase() && after.is_some_and(|c| c.is_lowercase())));
        if begins && at - start > 1 {
            humps.push(&word[start..at]);
            start = at;
        }
    }
    humps.push(&word[start..]);
    humps
}

/// The stem of an English word, where it is not the word itself: `bought` is `buy`, `routes` is `rout`. What has the plural of an
/// `-ing` word is a thing and no verb: `settings` are each a `setting`, and nothing that was `set`.
pub(crate) fn stem_of(spelt: &str) -> Option<String> {
    if spelt.len() < 3 || !spelt.bytes().all(|b| b.is_ascii_lowercase()) {
        return None;
    }
    if let Some(thing) = spelt.strip_suffix('s').filter(|thing| thing.ends_with("ing")) {
        return Some(thing.to_owned());
    }
    let word = irregular(spelt).unwrap_or(spelt);
    let stemmer = Stemmer::create(Algorithm::English);
    let stem = stemmer.stem(word);
    (stem != spelt).then(|| stem.into_owned())
}

#[cfg(test)]
mod tests {
    use super::{Token, TokenKind, pieces};

    fn of(text: &str, sort: TokenKind) -> Vec<String> {
        pieces(text).into_iter().filter(|piece| piece.sort == sort).map(|piece| piece.text).collect()
    }

    #[test]
    fn identifiers_are_found_whole() {
        let cases: [(&str, &[&str]); 22] = [
            ("in us-east-1.", &["us-east-1"]),
            ("node.js,", &["node.js"]),
            ("snake_case", &["snake_case"]),
            ("see src/auth/mod.rs", &["mod.rs", "src/auth/mod.rs"]),
            ("v1.2.3.", &["v1.2.3"]),
            ("C++ and C#; C.", &["c++", "c#"]),
            ("(C++)", &["c++"]),
            ("bug #42.", &["#42"]),
            ("Copy .env, please", &[".env"]),
            ("with --strict, and", &["--strict"]),
            ("from :8787 in", &[":8787"]),
            ("localhost:8787", &["localhost:8787"]),
            ("172.16.0.0/12,", &["172.16.0.0", "172.16.0.0/12"]),
            ("@heron/units", &["@heron/units"]),
            ("claims@heron.example", &["heron.example", "claims@heron.example"]),
            ("**bold** _it_ `code.rs`", &["code.rs"]),
            ("ERR_GEO_17", &["err_geo_17"]),
            ("std::vec::Vec", &["std::vec::vec"]),
            ("KEY=a.b", &["a.b", "key=a.b"]),
            ("just words", &[]),
            ("... -- / #", &[]),
            ("e.g. this", &["e.g"]),
        ];
        for (text, wholes) in cases {
            assert_eq!(of(text, TokenKind::Whole), wholes, "{text}");
        }
    }

    #[test]
    fn identifiers_are_found_in_parts() {
        let cases: [(&str, &[&str]); 8] = [
            ("us-east-1", &["us", "east", "1"]),
            ("parseHTTPReply", &["parsehttpreply", "parse", "http", "reply"]),
            ("NODE_OPTIONS", &["node", "options"]),
            ("o11y", &["o11y"]),
            ("e-mail", &["e", "mail", "email"]),
            ("don't", &["don", "t"]),
            ("Zoë's", &["zoe", "s"]),
            ("GitHub", &["github", "git", "hub"]),
        ];
        for (text, words) in cases {
            assert_eq!(of(text, TokenKind::Word), words, "{text}");
        }
    }

    #[test]
    fn scripts_without_blanks_are_pairs_and_singles() {
        assert_eq!(of("分拣表更新", TokenKind::Pair), ["分拣", "拣表", "表更", "更新"]);
        assert_eq!(of("狗", TokenKind::Pair), [""; 0]);
        assert_eq!(of("狗", TokenKind::Single), ["狗"]);
        assert_eq!(of("用API调用", TokenKind::Pair), ["调用"]);
        assert_eq!(of("理髮店", TokenKind::Pair), ["理发", "发店"]);
        assert_eq!(of("QRコード", TokenKind::Pair), ["コー", "ード"]);
        assert_eq!(of("한국어", TokenKind::Pair), ["한국", "국어"]);
    }

    #[test]
    fn stems_stand_beside_words() {
        assert_eq!(of("Drivers rejected the prompts", TokenKind::Stem), ["driver", "reject", "prompt"]);
        assert_eq!(of("driver", TokenKind::Stem), [""; 0]);
        assert_eq!(of("settings setting string", TokenKind::Stem), ["setting", "set"]);
    }

    #[test]
    fn places_count_words() {
        let places: Vec<(String, u32)> =
            pieces("a us-east-1 狗叫 z").into_iter().map(|piece| (piece.text, piece.place)).collect();
        let place = |text: &str| places.iter().find(|(piece, _)| piece == text).map(|(_, place)| *place);
        assert_eq!(
            [place("a"), place("us-east-1"), place("1"), place("狗叫"), place("z")],
            [0, 1, 3, 4, 6].map(Some)
        );
    }

    #[test]
    fn tokens_never_change() {
        assert_eq!(Token::of("heron"), Token(938_758_673_905_937_300));
    }
}
