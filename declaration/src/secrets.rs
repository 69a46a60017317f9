//! Secrets that must not become knowledge: private keys, the tokens of well-known services, passwords in URLs. Found by
//! their own marks, by hand and in one pass: a hook waits for this. What is found is named, never repeated.

use crate::Entry;
use crate::problem::{Place, Problem};
use memchr::memchr2_iter;

/// Something that looks like a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Secret {
    /// What it looks like: `a GitHub token`.
    pub what: &'static str,
    /// Where it begins, 1-based, in characters.
    pub place: Place,
}

/// The code of what is refused for it.
pub const CODE: &str = "secret";

/// The first secret in a text.
#[must_use]
pub fn find(text: &str) -> Option<Secret> {
    let bytes = text.as_bytes();
    let (_, what, start) = [marked(bytes), worded(bytes)].into_iter().flatten().min_by_key(|(at, ..)| *at)?;
    Some(Secret { what, place: place_of(bytes, start) })
}

/// Where something was found, what it is, and where that begins.
type Found = (usize, &'static str, usize);

/// The first private key or password in a URL: found by bytes that texts have few of.
fn marked(bytes: &[u8]) -> Option<Found> {
    memchr2_iter(b':', b'B', bytes).find_map(|at| {
        let found = if bytes[at] == b':' { url_password(bytes, at) } else { private_key(bytes, at) };
        found.map(|(what, start)| (at, what, start))
    })
}

/// Letters of a name that every token has in a row, or right behind `xoxe.`, and that few words have.
const RUN_MIN: usize = 10;

/// The first token, looked for only where so many letters stand in a row.
fn worded(bytes: &[u8]) -> Option<Found> {
    let mut start = 0;
    while let Some(letters) = bytes.get(start..start + RUN_MIN) {
        // From behind: what is no letter there says that nothing before it is long enough.
        if let Some(gap) = letters.iter().rposition(|byte| !is_name(byte)) {
            start += gap + 1;
            continue;
        }
        let more = bytes[start + RUN_MIN..].iter().take_while(|byte| is_name(byte)).count();
        let end = start + RUN_MIN + more;
        let dotted = start.checked_sub(DOTTED.len()).filter(|at| bytes[*at..].starts_with(DOTTED));
        if let Some((what, at)) = dotted.into_iter().chain(start..end).find_map(|at| begun(bytes, at)) {
            return Some((at, what, at));
        }
        start = end + 1;
    }
    None
}

/// The one token whose beginning has what is no letter of a name.
const DOTTED: &[u8] = b"xoxe.";

/// A token that begins here: behind `_` or `=`, but never in the middle of a word.
fn begun(bytes: &[u8], at: usize) -> Option<(&'static str, usize)> {
    let role = |at: usize| ROLES[usize::from(bytes[at])];
    let begins = role(at) & FIRST != 0 && (at == 0 || role(at - 1) & WORD == 0);
    if begins && may_go_on(bytes, at) { token(bytes, at) } else { None }
}

fn is_name(byte: &u8) -> bool {
    ROLES[usize::from(*byte)] & NAME != 0
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
    Problem::new(CODE, message).hint("nothing of it was kept; say where the secret is stored, not what it is")
}

/// The problem of the first secret in one entry, by its index.
#[must_use]
pub fn in_entry(index: usize, entry: &Entry) -> Option<Problem> {
    let heading = entry.key.heading.iter().map(|part| ("key.heading", part.as_str()));
    let (crate::Target::Path(target) | crate::Target::Kb(target) | crate::Target::Url(target)) =
        &entry.key.target;
    let texts = [
        ("content", entry.content.as_deref()),
        ("old_text", entry.old_text.as_deref()),
        ("meta.reason", entry.meta.reason.as_deref()),
        ("meta.speaker", entry.meta.speaker.as_deref()),
        ("meta.user", entry.meta.user.as_deref()),
        ("meta.place", entry.meta.place.as_deref()),
        ("key", Some(target.as_str())),
    ];
    let texts = texts.into_iter().filter_map(|(name, text)| Some((name, text?)));
    let (name, text) = texts.chain(heading).find(|(_, text)| find(text).is_some())?;
    problem(&format!("entries[{index}].{name}"), text)
}

/// Which characters the rest of a token has.
#[derive(Clone, Copy)]
enum Letters {
    /// `A-Z 0-9`
    Upper,
    /// `A-Z a-z 0-9`
    Word,
    /// the same, `_` and `-`
    Name,
}

/// How a token begins, which letters follow, how many at least, and what it is.
const TOKENS: &[(&[u8], Letters, usize, &str)] = &[
    (b"AKIA", Letters::Upper, 16, "an AWS access key"),
    (b"ASIA", Letters::Upper, 16, "an AWS access key"),
    (b"AIza", Letters::Name, 35, "a Google API key"),
    (b"ghp_", Letters::Word, 36, "a GitHub token"),
    (b"gho_", Letters::Word, 36, "a GitHub token"),
    (b"ghu_", Letters::Word, 36, "a GitHub token"),
    (b"ghs_", Letters::Word, 36, "a GitHub token"),
    (b"ghr_", Letters::Word, 36, "a GitHub token"),
    (b"github_pat_", Letters::Name, 40, "a GitHub token"),
    (b"glpat-", Letters::Name, 20, "a GitLab token"),
    (b"hf_", Letters::Word, 34, "a Hugging Face token"),
    (b"npm_", Letters::Word, 36, "an npm token"),
    (b"pypi-AgE", Letters::Name, 50, "a PyPI token"),
    (b"rk_live_", Letters::Word, 16, "a Stripe key"),
    (b"sk_live_", Letters::Word, 16, "a Stripe key"),
    (b"sk-ant-", Letters::Name, 20, "an Anthropic key"),
    (b"sk-proj-", Letters::Name, 20, "an OpenAI key"),
    (b"sk-svcacct-", Letters::Name, 20, "an OpenAI key"),
    (b"sk-admin-", Letters::Name, 20, "an OpenAI key"),
    (b"sk-or-v1-", Letters::Word, 32, "an OpenRouter key"),
    (b"sk-", Letters::Word, 32, "an OpenAI key"),
    (b"xapp-", Letters::Name, 20, "a Slack token"),
    (b"xoxa-", Letters::Name, 10, "a Slack token"),
    (b"xoxb-", Letters::Name, 10, "a Slack token"),
    (b"xoxe-", Letters::Name, 10, "a Slack token"),
    (b"xoxe.", Letters::Name, 10, "a Slack token"),
    (b"xoxo-", Letters::Name, 10, "a Slack token"),
    (b"xoxp-", Letters::Name, 10, "a Slack token"),
    (b"xoxr-", Letters::Name, 10, "a Slack token"),
    (b"xoxs-", Letters::Name, 10, "a Slack token"),
];

/// What else than a listed token is found by how a word begins (case aside): `aws_secret` and `json_web_token`.
const OTHERS: [&[u8]; 3] = [b"aws_secret", b"secretaccesskey", b"eyJ"];

/// Which bytes stand at a place in the beginning of anything that is looked for.
const fn begins(place: usize) -> [bool; 256] {
    let mut known = [false; 256];
    let mut i = 0;
    while i < TOKENS.len() {
        known[TOKENS[i].0[place] as usize] = true;
        i += 1;
    }
    i = 0;
    while i < OTHERS.len() {
        known[OTHERS[i][place].to_ascii_lowercase() as usize] = true;
        known[OTHERS[i][place].to_ascii_uppercase() as usize] = true;
        i += 1;
    }
    known
}

/// A byte that words have, or a `-` between them.
const WORD: u8 = 1;
/// A byte that a token may begin with.
const FIRST: u8 = 2;
/// A letter of a name.
const NAME: u8 = 4;

/// What each byte can be.
const ROLES: [u8; 256] = roles();
const SECOND: [bool; 256] = begins(1);

const fn roles() -> [u8; 256] {
    let first = begins(0);
    let mut roles = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        if (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'-' {
            roles[byte] |= WORD | NAME;
        }
        if first[byte] {
            roles[byte] |= FIRST;
        }
        byte += 1;
    }
    roles[b'_' as usize] |= NAME;
    roles
}

/// Whether a word that begins here could be a token, by its second letter.
fn may_go_on(bytes: &[u8], at: usize) -> bool {
    bytes.get(at + 1).is_some_and(|byte| SECOND[usize::from(*byte)])
}

fn token(bytes: &[u8], at: usize) -> Option<(&'static str, usize)> {
    let here = bytes.get(at..)?;
    // Most words begin none of them: one look at a byte is enough for those.
    let mut begun = TOKENS.iter().filter(|(begin, ..)| begin.first() == here.first());
    let listed = begun.find_map(|(begin, letters, least, what)| {
        let rest = here.strip_prefix(*begin)?;
        let length = run(rest, *letters);
        (length >= *least && is_random(&rest[..length])).then_some(*what)
    });
    let what = listed.or_else(|| aws_secret(here)).or_else(|| json_web_token(here))?;
    Some((what, at))
}

/// Bytes that are looked at behind a mark: a bound, so that a text full of marks is still read in one pass.
const RUN_MAX: usize = 512;

fn run(bytes: &[u8], letters: Letters) -> usize {
    let belongs = |byte: &u8| match letters {
        Letters::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
        Letters::Word => byte.is_ascii_alphanumeric(),
        Letters::Name => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
    };
    bytes.iter().take(RUN_MAX).take_while(|byte| belongs(byte)).count()
}

/// Not a placeholder: several different characters, a digit among them, and no word that says "example".
fn is_random(rest: &[u8]) -> bool {
    let mut seen = [false; 256];
    rest.iter().for_each(|byte| seen[usize::from(*byte)] = true);
    let different = seen.iter().filter(|seen| **seen).count();
    let says = |word: &[u8]| rest.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word));
    different >= 6
        && rest.iter().any(u8::is_ascii_digit)
        && !says(b"example")
        && !says(b"placeholder")
        && !says(b"xxxx")
}

/// `aws_secret_access_key = ` and forty characters.
fn aws_secret(here: &[u8]) -> Option<&'static str> {
    const NAMES: [&[u8]; 3] = [b"aws_secret_access_key", b"secretaccesskey", b"aws_secret_key"];
    let name = NAMES
        .iter()
        .find(|name| here.get(..name.len()).is_some_and(|word| word.eq_ignore_ascii_case(name)))?;
    let rest = &here[name.len()..];
    let skipped =
        rest.iter().take_while(|byte| matches!(byte, b' ' | b'=' | b':' | b'"' | b'\'' | b'`')).count();
    let value = &rest[skipped..];
    let length = value.iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'+')).count();
    (skipped > 0 && length == 40 && is_random(&value[..length])).then_some("an AWS secret key")
}

/// Two parts that begin like JSON in base64, and a signature.
fn json_web_token(here: &[u8]) -> Option<&'static str> {
    let part = |bytes: &[u8]| run(bytes, Letters::Name);
    let first = here.starts_with(b"eyJ").then(|| part(here)).filter(|length| *length >= 16)?;
    let second = here.get(first..)?.strip_prefix(b".").filter(|rest| rest.starts_with(b"eyJ"))?;
    let length = part(second);
    let third = second.get(length..)?.strip_prefix(b".")?;
    (length >= 10 && part(third) >= 20).then_some("a JSON web token")
}

/// `-----BEGIN RSA PRIVATE KEY-----`, seen from its `B`.
fn private_key(bytes: &[u8], at: usize) -> Option<(&'static str, usize)> {
    let start = at.checked_sub(5)?;
    let rest = bytes[start..].strip_prefix(b"-----BEGIN ")?;
    let length =
        rest.iter().take_while(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || **b == b' ').count();
    let name = &rest[..length];
    let is_private = name.ends_with(b"PRIVATE KEY") || name.ends_with(b"PRIVATE KEY BLOCK");
    (is_private && rest[length..].starts_with(b"-----")).then_some(("a private key", start))
}

/// `scheme://name:password@host`, seen from its first colon.
fn url_password(bytes: &[u8], at: usize) -> Option<(&'static str, usize)> {
    let rest = bytes.get(at..)?.strip_prefix(b"://")?;
    let letters = bytes[..at].iter().rev().take(RUN_MAX);
    let scheme = letters.take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'.' | b'-')).count();
    let length = rest
        .iter()
        .take(RUN_MAX)
        .take_while(|b| {
            b.is_ascii_graphic() && !matches!(b, b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b')' | b']')
        })
        .count();
    let end = rest[..length].iter().rposition(|b| *b == b'@')?;
    let colon = rest[..end].iter().position(|b| *b == b':')?;
    let password = &rest[colon + 1..end];
    (scheme > 0 && !is_placeholder(password)).then_some(("a password in a URL", at - scheme))
}

fn is_placeholder(password: &[u8]) -> bool {
    const WORDS: [&[u8]; 8] =
        [b"password", b"passwd", b"pass", b"pwd", b"secret", b"token", b"your-password", b"pw"];
    let same = password.iter().all(|byte| Some(byte) == password.first());
    let filled_in =
        password.iter().any(|byte| matches!(byte, b'<' | b'>' | b'{' | b'}' | b'$' | b'*' | b'%'))
            && !password.iter().any(u8::is_ascii_digit);
    same || filled_in || WORDS.iter().any(|word| password.eq_ignore_ascii_case(word))
}

fn place_of(bytes: &[u8], at: usize) -> Place {
    let before = &bytes[..at];
    let line_start = before.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
    // Continuation bytes do not begin a character.
    let column = before[line_start..].iter().filter(|b| **b & 0xc0 != 0x80).count();
    let count = |n: usize| u32::try_from(n + 1).unwrap_or(u32::MAX);
    Place { line: count(before.iter().filter(|b| **b == b'\n').count()), column: count(column) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same without a short cut: everything is looked for at every byte.
    fn plainly(text: &str) -> Option<Secret> {
        let bytes = text.as_bytes();
        let mut within_word = false;
        for at in 0..bytes.len() {
            let token = if within_word { None } else { token(bytes, at) };
            let found = private_key(bytes, at + 5).or_else(|| url_password(bytes, at)).or(token);
            if let Some((what, start)) = found {
                return Some(Secret { what, place: place_of(bytes, start) });
            }
            within_word = bytes[at].is_ascii_alphanumeric() || bytes[at] == b'-';
        }
        None
    }

    proptest! {
        #[test]
        fn nothing_is_missed_by_a_short_cut(
            pieces in prop::collection::vec(
                prop_oneof![
                    (0..TOKENS.len()).prop_map(|n| String::from_utf8_lossy(TOKENS[n].0).into_owned()),
                    "[A-Za-z0-9]{40}",
                    "[A-Z0-9]{16}",
                    "[a-z0-9_]{10,20}",
                    "(-----BEGIN (RSA )?PRIVATE KEY-----|[a-z]{1,5}://[a-z]{1,4}:[a-z0-9]{6}@h|AWS_secret_access_key = |eyJ[a-z0-9]{20}\\.)",
                    "[-_=:. \n字a-z]{1,4}",
                ],
                1..6,
            )
        ) {
            let text = pieces.concat();
            prop_assert_eq!(find(&text), plainly(&text), "{}", text);
        }
    }
}
