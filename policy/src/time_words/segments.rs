//! Where Chinese words begin and end: the most likely division of a run of characters into dictionary words, by how often
//! each is used. Only the characters around a suspected word are divided, and only when one is suspected. The dictionary is
//! searched in place; nothing is loaded.

use std::cmp::Ordering;

/// `word frequency` by line, in the order of bytes. From jieba's dictionary (`words/update`).
const WORDS: &str = include_str!("../../words/chinese.txt");
/// The sum of all frequencies of the dictionary.
const ALL: f64 = 60_101_967.0;
/// Characters of the longest word.
const WORD_CHARS_MAX: usize = 4;
/// Characters on each side of a suspected word that are divided with it.
const NEAR: usize = 8;
/// A character that is no word of the dictionary.
const UNKNOWN: f64 = 20.0;
/// The assumed frequency of a phrase of our own grammar: low enough that two dictionary words which it would cut are
/// preferred.
const PHRASE: f64 = 100.0;
/// The same for a phrase of three characters and more: 下个月, 俩月前. Its parts fit together, so it seldom is one by chance; but 年初,
/// 月底 and 前 at its end go with what follows as well: 十年|前景.
const LONG_PHRASE: f64 = 1_000.0;
/// How much more likely a division must be than one that cuts the suspected word, so that the word is certain (natural
/// logarithm).
const CLEAR: f64 = 5.0;

/// Whether what is suspected is a word where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stands {
    /// It is.
    Surely,
    /// It may be, or be parts of two others.
    Perhaps,
    /// It is parts of other words.
    Not,
}

/// Whether `text[start..end]` is a word among its neighbours.
pub(super) fn stands(text: &str, start: usize, end: usize) -> Stands {
    let head: Vec<char> = text[..start].chars().rev().take(NEAR).take_while(|c| is_han(*c)).collect();
    let mut chars: Vec<char> = head.into_iter().rev().collect();
    let from = chars.len();
    chars.extend(text[start..end].chars());
    let to = chars.len();
    chars.extend(text[end..].chars().take(NEAR).take_while(|c| is_han(*c)));
    let phrase = (from, to);
    let with = cost(&chars, phrase, true);
    let without = cost(&chars, phrase, false);
    if with + CLEAR <= without {
        Stands::Surely
    } else if with <= without {
        Stands::Perhaps
    } else {
        Stands::Not
    }
}

fn is_han(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}' | '〇')
}

/// The cost of the most likely division: with the phrase as one word, or with a word that crosses one of its ends.
fn cost(chars: &[char], (from, to): (usize, usize), whole: bool) -> f64 {
    // best[n][crossed]: of the first n characters.
    let mut best = vec![[f64::INFINITY; 2]; chars.len() + 1];
    best[0][0] = 0.0;
    for n in 0..chars.len() {
        for crossed in 0..2 {
            let so_far = best[n][crossed];
            if so_far.is_infinite() {
                continue;
            }
            let mut to_end = |end: usize, cost: f64, crosses: bool| {
                let state = usize::from(crossed == 1 || crosses);
                best[end][state] = best[end][state].min(so_far + cost);
            };
            if whole && n == from {
                to_end(to, phrase_cost(&chars[from..to]), false);
                continue;
            }
            for end in n + 1..=chars.len().min(n + WORD_CHARS_MAX) {
                let crosses = (n < from && end > from) || (n < to && end > to);
                if whole && crosses {
                    break;
                }
                if let Some(cost) = word_cost(&chars[n..end]) {
                    to_end(end, cost, crosses);
                }
            }
        }
    }
    best[chars.len()][usize::from(!whole)]
}

/// A phrase of ours that is not in the dictionary, or rarer there, counts as a rare word.
fn phrase_cost(chars: &[char]) -> f64 {
    let is_long = chars.len() > 2 && !chars.last().is_some_and(|last| "初末底前后".contains(*last));
    let least = -(if is_long { LONG_PHRASE } else { PHRASE } / ALL).ln();
    let known = word_cost(chars).filter(|_| chars.len() < WORD_CHARS_MAX);
    known.map_or(least, |known| if is_long { known.min(least) } else { known })
}

fn word_cost(chars: &[char]) -> Option<f64> {
    let word: String = chars.iter().collect();
    match frequency(&word) {
        Some(count) => Some(-(f64::from(count) / ALL).ln()),
        None => (chars.len() == 1).then_some(UNKNOWN),
    }
}

/// How often a word occurs, if the dictionary has it.
fn frequency(word: &str) -> Option<u32> {
    let bytes = WORDS.as_bytes();
    let (mut low, mut high) = (0, bytes.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let start = bytes[..middle].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let end = start + bytes[start..].iter().position(|byte| *byte == b'\n')?;
        let (known, count) = WORDS.get(start..end)?.split_once(' ')?;
        match known.cmp(word) {
            Ordering::Equal => return count.parse().ok(),
            Ordering::Less => low = end + 1,
            Ordering::Greater => high = start,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_across_two_others_is_none() {
        for (text, word, stands) in [
            ("文件名要注明日期", "明日", Stands::Not),
            ("请标明年龄", "明年", Stands::Not),
            ("当今日本经济", "今日", Stands::Not),
            ("出现在屏幕上", "现在", Stands::Not),
            ("失去年轻的心", "去年", Stands::Not),
            ("用户昨天换了手机", "昨天", Stands::Surely),
            ("会议改到明天上午", "明天", Stands::Surely),
            ("一天后勤部门来了", "一天后", Stands::Not),
            ("三天后勤奋地工作", "三天后", Stands::Surely),
        ] {
            let at = text.find(word).unwrap_or(0);
            assert_eq!(super::stands(text, at, at + word.len()), stands, "{text}");
        }
    }
}
