//! Secrets that must not become knowledge: private keys, tokens, passwords. Most are found by the rules of `rules/*.txt`,
//! which others maintain; what has no keyword is looked for by hand. What is found is named, never repeated.

mod chance;
mod index;
mod rules;
mod setting;
mod unwrapped;

use crate::Code;
use crate::Entry;
use crate::problem::{Position, Problem};
use memchr::memchr3_iter;
use std::borrow::Cow;

/// Something that looks like a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Secret {
    /// What it looks like: `a GitHub token`.
    pub what: &'static str,
    /// Where it begins, 1-based, in characters.
    pub place: Position,
}

/// The first secret in a text.
#[must_use]
pub fn find(text: &str) -> Option<Secret> {
    let (start, what) = in_bytes(text.as_bytes()).or_else(|| {
        let plain = unwrapped::unwrapped(text)?;
        let (at, what) = in_bytes(&plain.bytes)?;
        Some((plain.original(at), what))
    })?;
    Some(Secret { what, place: place_of(text.as_bytes(), start) })
}

/// The text without words that look like secrets: a message names what was wrong in the words of who said it.
#[must_use]
pub fn unrepeated(text: &str) -> Cow<'_, str> {
    if find(text).is_none() {
        return Cow::Borrowed(text);
    }
    let word = |word| if find(word).is_some() { "(not repeated)" } else { word };
    let words: Vec<&str> = text.split(' ').map(word).collect();
    let shown = words.join(" ");
    // One that several words make up.
    Cow::Owned(if find(&shown).is_some() { "what it says looks like a secret".to_owned() } else { shown })
}

/// Where something was found, and what it is.
type SecretAt = (usize, &'static str);

fn in_bytes(bytes: &[u8]) -> Option<SecretAt> {
    let plain = |bytes: &[u8]| {
        let known = rules::first(bytes);
        let marked = marked(bytes).filter(|(_, what)| *what != TOKEN_IN_URL || known.is_none());
        [marked, known].into_iter().flatten().min_by_key(|(at, _)| *at)
    };
    plain(bytes).or_else(|| {
        let mut encoded = unwrapped::decoded(bytes);
        encoded.find_map(|(at, said)| plain(&said).map(|(_, what)| (at, what)))
    })
}

/// The first secret that no keyword announces: found by bytes that texts have few of.
fn marked(bytes: &[u8]) -> Option<SecretAt> {
    memchr3_iter(b':', b'.', b'-', bytes).find_map(|at| match bytes[at] {
        b':' => url_password(bytes, at),
        b'.' => dotted(bytes, at),
        _ => private_key(bytes, at),
    })
}

/// The problem of the first secret in what an author wrote, naming the field and the line.
#[must_use]
pub fn in_entries(entries: &[Entry]) -> Option<Problem> {
    entries.iter().enumerate().find_map(|(index, entry)| in_entry(index, entry))
}

/// The problem of a secret in a text, by the name of the field it is in.
#[must_use]
pub fn problem(field: &str, text: &str) -> Option<Problem> {
    let secret = find(text)?;
    let line = if text.contains('\n') { format!(" line {}", secret.place.line) } else { String::new() };
    Some(refused(format!("{field}{line} has what looks like {}", secret.what)))
}

/// The problem of a secret in an input that was not understood, at its place.
#[must_use]
pub fn in_input(text: &str) -> Option<Problem> {
    let secret = find(text)?;
    let problem = refused(format!("the input has what looks like {}", secret.what));
    Some(problem.at(secret.place))
}

fn refused(message: String) -> Problem {
    Problem::new(Code::Secret, message)
        .hint("nothing of it was kept; say where the secret is stored, not what it is")
}

/// The problem of the first secret in one entry, by its index.
#[must_use]
pub fn in_entry(index: usize, entry: &Entry) -> Option<Problem> {
    let (name, text) = field_with_secret(entry)?;
    problem(&format!("entry {}: {name}", index + 1), text)
}

/// The first field of an entry that has a secret in it, and its text.
#[must_use]
pub fn field_with_secret(entry: &Entry) -> Option<(&'static str, &str)> {
    let heading = entry.key.heading.iter().map(|part| ("key.heading", part.as_str()));
    let (crate::Target::Path(target)
    | crate::Target::Kb(target)
    | crate::Target::Url(target)
    | crate::Target::Item(target)) = &entry.key.target;
    let texts = [
        ("content", entry.content.as_deref()),
        ("old_text", entry.old_text.as_deref()),
        ("meta.reason", entry.meta.reason.as_deref()),
        ("meta.speaker", entry.meta.speaker.as_deref()),
        ("meta.user", entry.meta.user.as_deref()),
        ("meta.place", entry.meta.place.as_deref()),
        ("meta.said", entry.meta.said.as_deref()),
        ("key", Some(target.as_str())),
    ];
    let texts = texts.into_iter().filter_map(|(name, text)| Some((name, text?)));
    texts.chain(heading).find(|(_, text)| find(text).is_some())
}

/// Bytes that are looked at around a mark: a bound, so that a text full of marks is still read in one pass.
const RUN_MAX: usize = 512;

/// `-----BEGIN RSA PRIVATE KEY-----`, seen from its first dash.
fn private_key(bytes: &[u8], at: usize) -> Option<SecretAt> {
    let rest =
        bytes[at..].strip_prefix(b"-----BEGIN ").or_else(|| bytes[at..].strip_prefix(b"---- BEGIN "))?;
    let name = &rest[..rest.iter().take(RUN_MAX).position(|byte| *byte == b'-')?];
    // Copied by hand, its words may stand apart by more than a blank.
    let words = name.split(|byte| *byte == b' ' || *byte == b'\t').filter(|word| !word.is_empty());
    let name = words.collect::<Vec<_>>().join(&b' ');
    let says = |word: &[u8]| name.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word));
    // OpenVPN's key for everybody says `Static key`.
    (says(b"PRIVATE KEY") || says(b"STATIC KEY")).then_some((at, "a private key"))
}

fn run_before(bytes: &[u8], at: usize) -> usize {
    bytes[..at].iter().rev().take(RUN_MAX).take_while(|byte| is_name(byte)).count()
}

fn run_behind(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().take(RUN_MAX).take_while(|byte| is_name(byte)).count()
}

fn is_name(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// Tokens whose only mark is where their dots are, seen from the first of them.
fn dotted(bytes: &[u8], at: usize) -> Option<SecretAt> {
    let (before, behind) = (run_before(bytes, at), run_behind(bytes, at + 1));
    let end = at + 1 + behind;
    let chosen = |from: usize, to: usize| chance::is_chosen(&bytes[from..to]);
    let start = at - before;
    // The number of a bot in base64, a time, a signature.
    if behind == 6 && (23..=29).contains(&before) && bytes.get(end) == Some(&b'.') {
        let third = run_behind(bytes, end + 1);
        if (27..=45).contains(&third) && matches!(bytes[start], b'M' | b'N' | b'O' | b'-' | b'x')
            || (27..=45).contains(&third) && before == 24
        {
            return chosen(start, end + 1 + third).then_some((start, "a Discord token"));
        }
    }
    if before == 1 && bytes[start] == b's' && behind == 24 {
        return chosen(start, end).then_some((start, "a Vault token"));
    }
    // Z.ai: 32 hexadecimal digits and 16 letters.
    let hex = bytes[start..at].iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'));
    (before == 32 && behind == 16 && hex && chosen(start, end))
        .then_some((start, "a key of a model's service"))
}

/// `scheme://name:password@host`, seen from its first colon.
fn url_password(bytes: &[u8], at: usize) -> Option<SecretAt> {
    let rest = bytes.get(at..)?.strip_prefix(b"://")?;
    let letters = bytes[..at].iter().rev().take(RUN_MAX);
    let scheme = letters.take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'.' | b'-')).count();
    if scheme == 0 {
        return None;
    }
    let length = rest
        .iter()
        .take(RUN_MAX)
        .take_while(|b| {
            (b.is_ascii_graphic() || !b.is_ascii())
                && !matches!(b, b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b')' | b']')
        })
        .count();
    let Some(end) = rest[..length].iter().rposition(|b| *b == b'@') else {
        return odd_password(&bytes[at - scheme..at], rest, length).then_some((at - scheme, PASSWORD_IN_URL));
    };
    let Some(colon) = rest[..end].iter().position(|b| *b == b':') else {
        let token = &rest[..end];
        let chosen = token.len() >= TOKEN_MIN && chance::is_chosen(token) && !chance::is_words(token);
        return chosen.then_some((at - scheme, TOKEN_IN_URL));
    };
    let password = &rest[colon + 1..end];
    // Behind a port and other letters than ASCII's stands a sentence: `http://host:8080，写信给me@example.com`.
    if !rest[..end].is_ascii() && (password.first().is_some_and(u8::is_ascii_digit) || !is_said(password)) {
        return None;
    }
    (!is_placeholder(password)).then_some((at - scheme, PASSWORD_IN_URL))
}

const PASSWORD_IN_URL: &str = "a password in a URL";
/// What a token in a URL is called, where no rule knows whose it is.
const TOKEN_IN_URL: &str = "a token in a URL";
/// Bytes of a token that stands alone before the host of a URL, at least.
const TOKEN_MIN: usize = 20;

/// Schemes of servers that one logs in to, and that show no pages.
const SERVERS: [&[u8]; 14] = [
    b"amqp",
    b"amqps",
    b"clickhouse",
    b"ldap",
    b"ldaps",
    b"mariadb",
    b"mongodb",
    b"mongodb+srv",
    b"mssql",
    b"mysql",
    b"postgres",
    b"postgresql",
    b"redis",
    b"rediss",
];

/// A password with a `/`, `?` or `#` in it, as people write them although a URL wants them escaped: `name:pa/ss@host`.
/// `length`: up to the first of these. A port is no password.
/// Before a server's address alone, which has no page and no fragment, it may be short and of words: `mysql://root:pa#ss@db`.
fn odd_password(scheme: &[u8], rest: &[u8], length: usize) -> bool {
    let is_server = SERVERS.iter().any(|server| scheme.eq_ignore_ascii_case(server));
    let Some(colon) = rest[..length].iter().position(|b| *b == b':') else { return false };
    let blank = |b: &u8| !b.is_ascii_graphic();
    let all = rest.iter().take(RUN_MAX).take_while(|b| !blank(b)).count();
    let Some(end) = rest[..all].iter().rposition(|b| *b == b'@') else { return false };
    let (password, host) = (&rest[colon + 1..end], &rest[end + 1..all]);
    let is_port = rest[colon + 1..length].iter().all(u8::is_ascii_digit);
    let host =
        &host[..host.iter().position(|b| matches!(b, b':' | b'/' | b'?' | b',')).unwrap_or(host.len())];
    let is_host = host.first().is_some_and(u8::is_ascii_alphanumeric)
        && host.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_'));
    !is_port
        && is_host
        && password.len() >= if is_server { 4 } else { 6 }
        && !ends_something(password)
        && (is_server || !chance::is_words(password))
        && !is_placeholder(password)
}

/// Whether a quote or bracket in a text ends what it stands in: `","`, `](`, `).`.
fn ends_something(text: &[u8]) -> bool {
    let closes = |b: u8| matches!(b, b'"' | b'\'' | b'`' | b')' | b']');
    let goes_on = |b: u8| b.is_ascii_alphanumeric();
    let ends = |pair: &[u8]| {
        closes(pair[0]) && !goes_on(pair[1])
            || closes(pair[1]) && matches!(pair[0], b'(' | b'[' | b',' | b'=')
    };
    text.windows(2).any(ends)
        || text.first().is_some_and(|b| closes(*b))
        || text.last().is_some_and(|b| closes(*b))
}

/// Whether a text has letters only of those alphabets in which passwords are written, and no punctuation of others.
fn is_said(text: &[u8]) -> bool {
    std::str::from_utf8(text)
        .is_ok_and(|text| text.chars().all(|c| c.is_ascii_graphic() || c.is_alphanumeric()))
}

/// Whether what stands for a password is told to be filled in: `<password>`, `$PASS`, `${PASS}`, `{{ pass }}`, `%s`, `***`.
fn is_placeholder(password: &[u8]) -> bool {
    const WORDS: [&[u8]; 8] =
        [b"password", b"passwd", b"pass", b"pwd", b"secret", b"token", b"your-password", b"pw"];
    let same = password.iter().all(|byte| Some(byte) == password.first());
    let encloses = |open: u8, close: u8| password.first() == Some(&open) && password.last() == Some(&close);
    let is_name = |rest: &[u8]| {
        !rest.is_empty() && rest.iter().all(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'.'))
    };
    let variable = password.strip_prefix(b"$").is_some_and(|rest| {
        is_name(rest)
            || rest.starts_with(b"{") && rest.ends_with(b"}")
            || rest.starts_with(b"(") && rest.ends_with(b")")
    });
    let filled_in = variable
        || encloses(b'<', b'>')
        || encloses(b'{', b'}')
        || encloses(b'%', b'%')
        || encloses(b'[', b']')
        || password
            .strip_prefix(b"%")
            .is_some_and(|rest| is_name(rest) && rest.len() <= 2 || rest.starts_with(b"("))
        || password.iter().all(|b| matches!(b, b'*' | b'x' | b'X' | b'.'));
    same || filled_in || WORDS.iter().any(|word| password.eq_ignore_ascii_case(word))
}

fn place_of(bytes: &[u8], at: usize) -> Position {
    let before = &bytes[..at];
    let line_start = before.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
    // Continuation bytes do not begin a character.
    let column = before[line_start..].iter().filter(|b| **b & 0xc0 != 0x80).count();
    let count = |n: usize| u32::try_from(n + 1).unwrap_or(u32::MAX);
    Position { line: count(before.iter().filter(|b| **b == b'\n').count()), column: count(column) }
}
