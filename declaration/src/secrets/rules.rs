//! The rules of `rules/*.txt` against a text: a regular expression is compiled only where a keyword of its rule stands near
//! letters that look like chance, and is then kept for the life of the process.

use super::index::{self, Hit, RULES};
use super::{chance, setting};
use regex::bytes::{Regex, RegexBuilder};
use std::ops::Range;
use std::sync::OnceLock;

/// Bytes before and behind a keyword that its rule may use.
const BEFORE: usize = 128;
const BEHIND: usize = 1024;
/// Bytes of what a rule found in one window and what is no secret, before it is given up there: in a run of one letter each of
/// them begins another find, as long as the window.
const REFUSED_BYTES_MAX: usize = 32 * BEHIND;
/// Bytes a compiled rule may take.
const COMPILED_BYTES_MAX: usize = 4 << 20;

static COMPILED: [OnceLock<Option<Regex>>; RULES] = [const { OnceLock::new() }; RULES];

/// A line of the rules.
struct Rule {
    what: &'static str,
    entropy: f64,
    digits: usize,
    group: usize,
    pattern: &'static str,
}

/// The first secret that a rule knows: where it begins, and what it is.
pub(super) fn first(text: &[u8]) -> Option<(usize, &'static str)> {
    let hits = index::hits(text);
    let mut found: Option<(usize, &'static str)> = None;
    for of_rule in hits.chunk_by(|a, b| a.rule == b.rule) {
        let Some(rule) = rule(index::line(of_rule[0].rule)) else { continue };
        let here = match rule.pattern.strip_prefix('=') {
            Some(kind) => of_rule.iter().find_map(|hit| setting::value(kind, text, hit)),
            None => in_windows(text, &rule, of_rule),
        };
        // The first rule that finds a place names it: our own come first.
        if let Some(at) = here
            && found.is_none_or(|(before, _)| at < before)
        {
            found = Some((at, rule.what));
        }
    }
    found
}

fn rule(line: &'static str) -> Option<Rule> {
    let mut columns = line.splitn(6, '\t');
    let what = columns.next()?;
    let _keywords = columns.next()?;
    let entropy = columns.next()?.parse().ok()?;
    let digits = columns.next()?.parse().ok()?;
    let group = columns.next()?.parse().ok()?;
    Some(Rule { what, entropy, digits, group, pattern: columns.next()? })
}

fn in_windows(text: &[u8], rule: &Rule, hits: &[Hit]) -> Option<usize> {
    let number = usize::from(hits.first()?.rule);
    // Whatever begins before has been tried, with all that stands behind it.
    let mut tried_to = 0;
    let mut runs = chance::Runs::of(text);
    for hit in hits {
        let start = hit.at.saturating_sub(BEFORE).max(tried_to);
        if hit.at < tried_to || !runs.has_one(start, text.len().min(hit.at + BEHIND)) {
            continue;
        }
        // A window goes on behind what this keyword needs: keywords that follow each other closely are looked at together.
        let end = text.len().min(hit.at + 2 * BEHIND);
        tried_to = hit.at + BEHIND;
        let regex = COMPILED[number].get_or_init(|| compiled(rule.pattern)).as_ref()?;
        if let Some(found) = in_window(&text[..end], start, rule, regex) {
            return Some(found.start);
        }
    }
    None
}

fn in_window(text: &[u8], start: usize, rule: &Rule, regex: &Regex) -> Option<Range<usize>> {
    let mut from = start;
    let mut refused_bytes = 0;
    while let Some(captures) = regex.captures_at(text, from) {
        let group = if rule.group > 0 { captures.get(rule.group) } else { None };
        let value = group.or_else(|| captures.iter().skip(1).flatten().next()).or_else(|| captures.get(0))?;
        if is_secret(text, value.range(), rule) {
            return Some(value.range());
        }
        let all = captures.get(0)?;
        refused_bytes += all.len();
        if refused_bytes > REFUSED_BYTES_MAX {
            return None;
        }
        from = all.start() + 1;
    }
    None
}

fn compiled(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(pattern).unicode(false).size_limit(COMPILED_BYTES_MAX).build().ok()
}

fn is_secret(text: &[u8], at: Range<usize>, rule: &Rule) -> bool {
    let value = &text[at.clone()];
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    chance::entropy(value) >= rule.entropy
        && digits >= rule.digits
        && !chance::is_placeholder(value)
        && !chance::is_words(value)
        && !within_word(text, at)
}

/// One letter that is glued in front hides nothing; a whole word does, where what follows could be its end: `task-…`.
fn within_word(text: &[u8], at: Range<usize>) -> bool {
    let value = &text[at.clone()];
    if !value[0].is_ascii_alphanumeric() {
        return false;
    }
    let glued = text[..at.start].iter().rev().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    glued >= 2 && !(value.len() >= 30 && chance::has_all_kinds(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    const _: () = assert!(RULES > 400);

    /// 20,000 letters took a minute: each of them is where a keyword begins (`aaaa`), and each find was as long as the window.
    #[test]
    fn a_run_of_one_letter_is_read_in_bounded_work() {
        for text in ["A".repeat(200_000), "AKIA".repeat(50_000), "fm1_fm2_".repeat(1_000)] {
            assert_eq!(first(text.as_bytes()), None, "{}", &text[..8]);
        }
        let token = ["sq0atp-", "Xy7_kQ2mZ9vB4nT1wR8pLc"].concat();
        for run in ["A".repeat(5_000), "AKIA".repeat(1_000), "sq0atp-".repeat(300)] {
            let text = format!("{run} {token} {run}");
            assert!(first(text.as_bytes()).is_some(), "a secret beside a run is found");
        }
    }

    #[test]
    fn every_rule_is_read_and_compiles() {
        for number in 0..RULES {
            let line = index::line(u16::try_from(number).unwrap_or(u16::MAX));
            let rule = rule(line);
            assert!(
                rule.as_ref()
                    .is_some_and(|rule| rule.pattern.starts_with('=') || compiled(rule.pattern).is_some()),
                "{line}"
            );
        }
    }
}
