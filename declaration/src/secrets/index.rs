//! Where a text has a keyword of a rule. The table is made when we compile and holds numbers only, so that a process that
//! looks at one short text neither parses the rules nor relocates pointers.

/// All rules, one a line: our own first, so that they name what both know.
const TEXT: &str = concat!(include_str!("../../rules/own.txt"), include_str!("../../rules/vendored.txt"));

/// Tab-separated columns of a rule; the keywords are the second.
const KEYWORDS_COLUMN: usize = 1;
/// Bytes of a keyword that its bucket is computed from; no keyword is shorter.
const HASHED: usize = 3;
const BUCKET_BITS: u32 = 12;
const BUCKETS: usize = 1 << BUCKET_BITS;

/// How many rules there are.
pub(super) const RULES: usize = sizes().0;
const KEYWORDS: usize = sizes().1;

/// A keyword: where it stands in `TEXT`, and whose it is.
#[derive(Clone, Copy)]
struct Keyword {
    at: u32,
    length: u16,
    rule: u16,
}

struct Index {
    /// Where each rule's line begins.
    lines: [u32; RULES],
    /// The keywords of bucket `n` are `keywords[starts[n]..starts[n + 1]]`.
    starts: [u16; BUCKETS + 1],
    keywords: [Keyword; KEYWORDS],
}

static INDEX: Index = index();

/// A keyword of a rule, found in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Hit {
    /// Whose keyword it is.
    pub rule: u16,
    /// Where it begins.
    pub at: usize,
    /// Its bytes.
    pub length: u16,
}

/// The line of a rule.
pub(super) fn line(rule: u16) -> &'static str {
    let rest = &TEXT[INDEX.lines[usize::from(rule)] as usize..];
    &rest[..rest.find('\n').unwrap_or(rest.len())]
}

/// Every keyword in a text, by rule and place.
pub(super) fn hits(text: &[u8]) -> Vec<Hit> {
    let mut found = Vec::new();
    let low = |byte: u8| u32::from(byte.to_ascii_lowercase());
    let [a, b, ..] = text else { return found };
    let mut letters = (low(*a) << 8) | (low(*b) << 16);
    for (at, byte) in text[2..].iter().enumerate() {
        letters = (letters >> 8) | (low(*byte) << 16);
        let bucket = bucket(letters);
        let keywords = usize::from(INDEX.starts[bucket])..usize::from(INDEX.starts[bucket + 1]);
        for keyword in &INDEX.keywords[keywords] {
            let known = &TEXT.as_bytes()[keyword.at as usize..][..usize::from(keyword.length)];
            let here = text.get(at..at + known.len());
            if here.is_some_and(|here| here.eq_ignore_ascii_case(known)) {
                found.push(Hit { rule: keyword.rule, at, length: keyword.length });
            }
        }
    }
    found.sort_unstable();
    found
}

const fn bucket(letters: u32) -> usize {
    (letters.wrapping_mul(0x9E37_79B1) >> (u32::BITS - BUCKET_BITS)) as usize
}

/// Where the line that begins at `at` ends.
const fn line_end(mut at: usize) -> usize {
    let text = TEXT.as_bytes();
    while at < text.len() && text[at] != b'\n' {
        at += 1;
    }
    at
}

/// Where the keywords of the line that begins at `at` stand.
const fn keywords_of(mut at: usize) -> (usize, usize) {
    let text = TEXT.as_bytes();
    let mut column = 0;
    while column < KEYWORDS_COLUMN {
        column += (text[at] == b'\t') as usize;
        at += 1;
    }
    let start = at;
    while text[at] != b'\t' {
        at += 1;
    }
    (start, at)
}

const fn sizes() -> (usize, usize) {
    let text = TEXT.as_bytes();
    let (mut rules, mut keywords, mut at) = (0, 0, 0);
    while at < text.len() {
        if text[at] != b'#' {
            rules += 1;
            let (mut from, end) = keywords_of(at);
            keywords += 1;
            while from < end {
                keywords += (text[from] == b',') as usize;
                from += 1;
            }
        }
        at = line_end(at) + 1;
    }
    (rules, keywords)
}

const fn bucket_at(at: usize) -> usize {
    let text = TEXT.as_bytes();
    bucket(text[at] as u32 | (text[at + 1] as u32) << 8 | (text[at + 2] as u32) << 16)
}

const fn index() -> Index {
    let text = TEXT.as_bytes();
    let mut lines = [0; RULES];
    let mut listed = [Keyword { at: 0, length: 0, rule: 0 }; KEYWORDS];
    let mut starts = [0; BUCKETS + 1];
    let (mut rule, mut count, mut at) = (0, 0, 0);
    while at < text.len() {
        if text[at] != b'#' {
            lines[rule] = at as u32;
            let (mut from, end) = keywords_of(at);
            let mut to = from;
            while to <= end {
                if to == end || text[to] == b',' {
                    assert!(to - from >= HASHED, "a keyword is too short");
                    listed[count] =
                        Keyword { at: from as u32, length: (to - from) as u16, rule: rule as u16 };
                    starts[bucket_at(from) + 1] += 1;
                    count += 1;
                    from = to + 1;
                }
                to += 1;
            }
            rule += 1;
        }
        at = line_end(at) + 1;
    }
    let mut n = 0;
    while n < BUCKETS {
        starts[n + 1] += starts[n];
        n += 1;
    }
    Index { lines, starts, keywords: in_buckets(&listed, &starts) }
}

const fn in_buckets(listed: &[Keyword; KEYWORDS], starts: &[u16; BUCKETS + 1]) -> [Keyword; KEYWORDS] {
    let mut next = *starts;
    let mut sorted = *listed;
    let mut n = 0;
    while n < KEYWORDS {
        let bucket = bucket_at(listed[n].at as usize);
        sorted[next[bucket] as usize] = listed[n];
        next[bucket] += 1;
        n += 1;
    }
    sorted
}
