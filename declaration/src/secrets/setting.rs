//! Values that only what stands before them makes a secret: `DB_PASSWORD=…`, `密码：…`, `Authorization: Bearer …`, `curl -u`.

use super::chance;
use super::index::Hit;
use super::unwrapped::base64;

/// Letters that may stand between a word and what is assigned to it: the rest of a name, its closing quote, blanks.
const NAME_MAX: usize = 40;
/// Bytes of a value that are looked at.
const VALUE_MAX: usize = 600;

/// Parts of a name that say that its value is no secret: `password_hash`, `token_file`, `secretName`.
const NOT_ITS_VALUE: [&[u8]; 24] = [
    b"hash", b"file", b"path", b"polic", b"length", b"url", b"uri", b"name", b"digest", b"expir", b"ttl",
    b"type", b"manager", b"reset", b"field", b"rule", b"count", b"limit", b"public", b"_id", b"-id", b"ref",
    b"arn", b"version",
];

/// Where the secret begins that a word makes one, by the kind of the word's rule.
pub(super) fn value(kind: &str, text: &[u8], hit: &Hit) -> Option<usize> {
    let end = hit.at + usize::from(hit.length);
    match kind {
        "assigned" => assigned(text, hit.at, end),
        "short" => short(text, hit.at, end),
        "bearer" => bearer(text, end),
        "basic" => basic(text, hit.at, end),
        "user" => user(text, end),
        // The head of a key's file: a digit and a colon stand behind it.
        "putty" => (text.get(end).is_some_and(u8::is_ascii_digit) && text[end + 1..].starts_with(b": "))
            .then_some(hit.at),
        _ => None,
    }
}

fn assigned(text: &[u8], word: usize, end: usize) -> Option<usize> {
    let rest = &text[end..text.len().min(end + NAME_MAX)];
    let name = rest
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
        .count();
    let says = |part: &&[u8]| rest[..name].windows(part.len()).any(|here| here.eq_ignore_ascii_case(part));
    // Neither `tokenizer` nor `PUBLIC_KEY` names a secret.
    let goes_on = rest.first().is_some_and(u8::is_ascii_lowercase) && !rest.starts_with(b"s");
    if NOT_ITS_VALUE.iter().any(says) || goes_on || is_open(&text[..word]) {
        return None;
    }
    let closing = |byte: &u8| matches!(byte, b'"' | b'\'' | b'`' | b'*' | b']' | b')' | b' ' | b'\t');
    let blank = rest[name..].iter().take_while(|byte| closing(byte)).count();
    let at = end + name + blank;
    if let Some(sign) = sign(&text[at..]) {
        // The value can stand in the next line, as lists of names and passwords are written.
        let behind = &text[at + sign..];
        let blank = behind.iter().take_while(|byte| matches!(byte, b' ' | b'\r')).count();
        if behind.get(blank) == Some(&b'\n') {
            let start = random(text, at + sign + blank + 1)?;
            let value = run(text, start);
            return (chance::has_all_kinds(value) && value.len() >= 10).then_some(start);
        }
        let setting = text[at..].starts_with(b"=") && !text[word..end].iter().any(u8::is_ascii_lowercase);
        return random(text, at + sign).filter(|at| setting || !chance::is_uuid(run(text, *at)));
    }
    // The password for root: x, the password of the office is x.
    if let Some(start) = told_of(text, at) {
        return Some(start);
    }
    // `--password x`, and `password x` in a line of .netrc: only behind a blank, and only letters that are no word.
    let option = word >= 2 && text[..word].ends_with(b"-") || text[..word].ends_with(b"sshpass -");
    let alone = blank == 1 && name == 0 && text.get(at - 1) == Some(&b' ');
    let start = random(text, at).filter(|_| alone || option)?;
    let value = run(text, start);
    let sure = option || chance::has_all_kinds(value) && value.len() >= 12;
    sure.then_some(start)
}

/// What is assigned behind whose password it is, in the same line: only a value with small and capital letters and digits.
fn told_of(text: &[u8], at: usize) -> Option<usize> {
    let rest = &text[at..text.len().min(at + NAME_MAX)];
    let of = [&b"for "[..], b"of ", b"on ", b"to ", b"at "].iter().find(|of| rest.starts_with(of))?.len();
    let line = &rest[of..rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())];
    let assigns = (0..line.len()).find_map(|from| {
        let sign = [&b":"[..], "：".as_bytes(), b"=", b" is "]
            .into_iter()
            .find(|sign| line[from..].starts_with(sign));
        Some(at + of + from + sign?.len())
    })?;
    random(text, assigns).filter(|start| {
        let value = run(text, *start);
        chance::has_all_kinds(value) && value.len() >= 8
    })
}

/// `pass: …`, `PW=…`: such a short word is the end of many others, so it has to stand alone, and the value has to have small
/// and capital letters and digits. The sign is part of the keyword.
fn short(text: &[u8], word: usize, end: usize) -> Option<usize> {
    let is_alone = word == 0 || !text[word - 1].is_ascii_alphanumeric();
    random(text, end).filter(|start| is_alone && chance::has_all_kinds(run(text, *start)))
}

/// Names of keys that everybody may know.
fn is_open(before: &[u8]) -> bool {
    let names = [
        &b"public"[..],
        b"primary",
        b"foreign",
        b"cache",
        b"partition",
        b"sort",
        b"host",
        b"site",
        b"publishable",
        b"idempotency",
    ];
    let last = before.iter().rev().take(NAME_MAX).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    names.iter().any(|name| before[before.len() - last..].eq_ignore_ascii_case(name))
}

/// What assigns, and its bytes: `=`, `:`, `：`, `:=`, `=>`, 是, 为, `is`, the `|` between two cells, the `,` between two
/// arguments.
fn sign(rest: &[u8]) -> Option<usize> {
    const SIGNS: [&str; 26] = [
        ":=", "->", "→", "=>", "==", "=", ":", "：", "＝", "是：", "是", "为：", "为", "為", "is:", "is ",
        "|", ", '", ", \"", "é:", "é ", "es:", "es ", "ist:", "ist ", "lautet ",
    ];
    SIGNS.iter().find(|sign| rest.starts_with(sign.as_bytes())).map(|sign| sign.len())
}

/// Where the value begins, if it looks like a password.
fn random(text: &[u8], at: usize) -> Option<usize> {
    let opening = |byte: &&u8| matches!(**byte, b' ' | b'\t' | b'"' | b'\'' | b'`' | b'*' | b'=');
    let rest = text.get(at..)?;
    let mut start = at + rest.iter().take(8).take_while(opening).count();
    for quote in ["“", "「", "‘", "《"] {
        start += if text[start..].starts_with(quote.as_bytes()) { quote.len() } else { 0 };
    }
    chance::is_password(run(text, start)).then_some(start)
}

/// The value that begins somewhere: up to a blank or a quote, without the sentence's punctuation.
fn run(text: &[u8], at: usize) -> &[u8] {
    let rest = &text[at..text.len().min(at + VALUE_MAX)];
    let ends =
        |byte: &u8| !byte.is_ascii_graphic() || matches!(byte, b'"' | b'\'' | b'`' | b'|' | b',' | b';');
    let mut value = &rest[..rest.iter().position(ends).unwrap_or(rest.len())];
    while let [
        head @ ..,
        b'.' | b',' | b';' | b':' | b'!' | b'?' | b')' | b']' | b'}' | b'*' | b'>' | b'\\',
    ] = value
    {
        value = head;
    }
    value
}

/// Behind `Bearer`, `Authorization: token` and the like.
fn bearer(text: &[u8], end: usize) -> Option<usize> {
    let rest = &text[end..text.len().min(end + NAME_MAX)];
    let skipped = rest
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t' | b':' | b'=' | b'"' | b'\'' | b'`'))
        .count();
    let mut at = end + skipped;
    for scheme in [
        "Bearer ",
        "bearer ",
        "token ",
        "Token ",
        "ApiKey ",
        "Key ",
        "Api-Key ",
        "Basic ",
        "basic ",
        "Splunk ",
        "GenieKey ",
        "SSWS ",
        "Bot ",
        "ApiToken ",
        "PVEAPIToken=",
        "Token token=",
    ] {
        at += if text[at..].starts_with(scheme.as_bytes()) { scheme.len() } else { 0 };
    }
    let value = run(text, at);
    (skipped > 0 && value.len() >= 12 && chance::is_password(value)).then_some(at)
}

/// `Basic` and base64 of `name:password`.
fn basic(text: &[u8], word: usize, end: usize) -> Option<usize> {
    let apart = word == 0 || !text[word - 1].is_ascii_alphanumeric();
    let at = end + usize::from(text.get(end) == Some(&b' '));
    let value = run(text, at);
    if !apart || at == end || value.len() < 8 || chance::is_placeholder(value) {
        return None;
    }
    let decoded = base64(value)?;
    let colon = decoded.iter().position(|byte| *byte == b':')?;
    let password = &decoded[colon + 1..];
    let readable = decoded.iter().all(u8::is_ascii_graphic);
    (readable && !password.is_empty() && !super::is_placeholder(password)).then_some(at)
}

/// Options that a password, or a name and a password, stands behind.
const OPTIONS: [&[u8]; 12] = [
    b" -u ",
    b" -u",
    b" -U ",
    b" --user ",
    b" --user=",
    b" -p ",
    b" -p",
    b" -a ",
    b" -w ",
    b" --http-password=",
    b" --password ",
    b" --password=",
];

/// `-u name:password`, `-ppassword` on the line of a command.
fn user(text: &[u8], end: usize) -> Option<usize> {
    let rest = &text[end..text.len().min(end + VALUE_MAX)];
    let line = &rest[..rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())];
    OPTIONS.iter().find_map(|option| {
        let at = line.windows(option.len()).position(|part| part == *option)? + option.len();
        let quoted = usize::from(matches!(line.get(at), Some(b'"' | b'\'')));
        let start = end + at + quoted;
        let value = run(text, start);
        let is_name = option.starts_with(b" -u") || option.starts_with(b" -U");
        let between = |byte: &u8| *byte == b':' || is_name && *byte == b'%';
        let password = match value.iter().position(between) {
            Some(at) => &value[at + 1..],
            None if !is_name => value,
            None if text.get(start + value.len()) == Some(&b',') => run(text, start + value.len() + 1),
            None => return None,
        };
        chance::is_password(password).then_some(start)
    })
}
