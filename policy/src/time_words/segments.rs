//! Where Chinese words begin and end: the most likely division of a run of characters into dictionary words, by how often
//! each is used. Only the characters around a suspected word are divided, and only when one is suspected. The dictionary is
//! searched in place; nothing is loaded.

use super::chinese::amount;
use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::Range;

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
/// 月底, 前 and 天 at its end go with what follows as well: 十年|前景, 上周|天气.
const LONG_PHRASE: f64 = 1_000.0;
/// The same for a word of the south.
const SOUTHERN: f64 = 5_000.0;
/// The assumed frequency of a number and what it counts, or the hour it names: 三点, 十个, 二十人. They are no words of a dictionary, and
/// begin as a day of the week does: 下周|三点.
const NUMBER: f64 = 20_000.0;
/// How much more likely a division must be than any that cuts the word, so that the word is certain (natural logarithm).
const CLEAR: f64 = 5.0;
/// The same against another word of ours that begins at the same place: 上周一 against 上周, which says less.
const CLEAR_LONGER: f64 = 3.0;
const CLEAR_SHORTER: f64 = 3.0;
/// The same where the last character of the longer one begins a word with what follows, as in 下周三亚团建: how often a character occurs says little of
/// how often it is a word of its own.
const CLEAR_CROSSED: f64 = 6.0;
/// What makes a unit of time that nothing counts less likely to be a word of its own.
const LONE_UNIT: f64 = 5.0;

/// The words of the dictionary in a text, each place of which is looked up once.
pub(super) struct Segments<'t> {
    text: &'t str,
    /// By the byte at which they begin: the costs of the words of one character, of two and so on.
    costs: RefCell<HashMap<usize, [f64; WORD_CHARS_MAX]>>,
}

impl<'t> Segments<'t> {
    pub(super) fn of(text: &'t str) -> Segments<'t> {
        Segments { text, costs: RefCell::default() }
    }

    /// Which of some words that begin at one place stands there, and whether that is certain. `ends`: where they end, the longest first.
    /// A division in which none of them is a word competes with all.
    pub(super) fn stands(&self, start: usize, ends: &[usize]) -> Option<(usize, bool)> {
        let (before, behind) = (&self.text[..start], &self.text[ends[0]..]);
        let head = before.char_indices().rev().take(NEAR).take_while(|(_, c)| is_han(*c)).last();
        let first = head.map_or(start, |(at, _)| at);
        let tail = behind.char_indices().take(NEAR).take_while(|(_, c)| is_han(*c)).last();
        let last = tail.map_or(ends[0], |(at, c)| ends[0] + at + c.len_utf8());
        let chars: Vec<(usize, char)> =
            self.text[first..last].char_indices().map(|(at, c)| (first + at, c)).collect();
        let number_of = |byte: usize| chars.partition_point(|(at, _)| *at < byte);
        let (from, ends) = (number_of(start), ends.iter().map(|end| number_of(*end)).collect::<Vec<_>>());
        let division = Division { from, edges: self.edges(&chars, from, &ends), ends, length: chars.len() };
        let none = division.cost(None);
        let costs: Vec<f64> = (0..division.ends.len()).map(|which| division.cost(Some(which))).collect();
        let best = (0..costs.len()).min_by(|one, other| costs[*one].total_cmp(&costs[*other]))?;
        let others = (0..costs.len()).filter(|which| *which != best).map(|which| costs[which]);
        let second = others.fold(f64::INFINITY, f64::min);
        // 一起, 一再, 一定: what begins with 一 is seldom a name.
        let is_one = chars[..division.ends[0]].last().is_some_and(|(_, c)| *c == '一');
        let is_crossed = || {
            let ends = &division.ends;
            let begins = |edge: &&Edge| edge.phrase.is_none() && Some(&edge.n) == ends.get(1);
            !is_one && division.edges.iter().filter(begins).any(|edge| edge.end > ends[0])
        };
        let clear = match best {
            0 if is_crossed() => CLEAR_CROSSED,
            0 => CLEAR_LONGER,
            _ => CLEAR_SHORTER,
        };
        // 下周六|个人 is 下周|六个|人 as well.
        let counted = division
            .ends
            .get(1)
            .and_then(|end| chars.get(end + 1))
            .is_some_and(|(_, c)| "个次位".contains(*c))
            && division.ends.get(1).is_some_and(|end| number(&chars[*end..]).is_some());
        let is_sure = costs[best] + CLEAR <= none && costs[best] + clear <= second && !counted;
        (costs[best] <= none).then_some((best, is_sure))
    }

    /// Every word among some characters, in the order in which they begin.
    fn edges(&self, chars: &[(usize, char)], from: usize, ends: &[usize]) -> Vec<Edge> {
        let mut edges = Vec::new();
        let shortest = ends[ends.len() - 1];
        let phrase = |end: usize| phrase_cost(chars[from..end].iter().map(|(_, c)| *c));
        // Of two that begin at one place the shorter one is as likely as the longer one, which only says more.
        let longest = phrase(ends[0]);
        for n in 0..chars.len() {
            if n == from {
                let phrases = ends.iter().enumerate();
                edges.extend(phrases.map(|(which, end)| Edge {
                    n,
                    end: *end,
                    cost: if which == 0 { longest } else { phrase(*end).min(longest) },
                    phrase: Some(which),
                }));
            }
            let lone = is_lone_unit(chars, n);
            let known = self.costs_at(chars[n].0).into_iter().enumerate();
            let known = known
                .map(|(more, cost)| (n + more + 1, cost + if more == 0 && lone { LONE_UNIT } else { 0.0 }));
            let counted = (n >= shortest).then(|| number(&chars[n..])).flatten();
            let counted = counted.map(|length| (n + length, -(NUMBER / ALL).ln()));
            let words = known.chain(counted).filter(|(end, cost)| *end <= chars.len() && cost.is_finite());
            edges.extend(words.map(|(end, cost)| Edge { n, end, cost, phrase: None }));
        }
        edges
    }

    fn costs_at(&self, byte: usize) -> [f64; WORD_CHARS_MAX] {
        *self.costs.borrow_mut().entry(byte).or_insert_with(|| {
            let rest = &self.text[byte..];
            let mut costs = [f64::INFINITY; WORD_CHARS_MAX];
            for (n, (at, c)) in rest.char_indices().take(WORD_CHARS_MAX).enumerate() {
                if n > 0 && !is_han(c) {
                    break;
                }
                costs[n] = word_cost(&rest[..at + c.len_utf8()]).unwrap_or(f64::INFINITY);
            }
            costs
        })
    }
}

fn is_han(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}' | '〇')
}

/// 天 or 年 as a word of its own behind a word that ends as 明天 begins: 说明|天|上线. Nothing counts it.
fn is_lone_unit(chars: &[(usize, char)], n: usize) -> bool {
    "天年".contains(chars[n].1) && n.checked_sub(1).is_some_and(|before| chars[before].1 == '明')
}

fn is_numeral(c: char) -> bool {
    c.is_ascii_digit() || "零一二三四五六七八九十百千万两几半".contains(c)
}

/// A word from one character to another one.
struct Edge {
    n: usize,
    end: usize,
    cost: f64,
    /// Which of the suspected words it is.
    phrase: Option<usize>,
}

/// The ways to divide some characters in which words of ours are suspected.
struct Division {
    from: usize,
    /// Where they end, the longest first.
    ends: Vec<usize>,
    edges: Vec<Edge>,
    length: usize,
}

impl Division {
    /// The cost of the most likely division in which this one of them is a word and every longer one is cut, or in which all are cut.
    fn cost(&self, which: Option<usize>) -> f64 {
        let all = (1_usize << self.ends.len()) - 1;
        let needed = which.map_or(all, |which| (1 << which) - 1);
        // best[n][cut]: of the first n characters, with these of the words cut. There are two words at most.
        let mut best = vec![[f64::INFINITY; 4]; self.length + 1];
        best[0][0] = 0.0;
        for Edge { n, end, cost, phrase } in &self.edges {
            let crossed = |at: usize| *n < at && *end > at;
            let is_left = match which {
                Some(_) if *n == self.from => *phrase != which,
                Some(_) => crossed(self.from),
                None => phrase.is_some(),
            };
            if is_left {
                continue;
            }
            let now = if crossed(self.from) {
                all
            } else {
                (0..self.ends.len()).filter(|at| crossed(self.ends[*at])).fold(0, |now, at| now | 1 << at)
            };
            for cut in 0..=all {
                let (so_far, then) = (best[*n][cut] + cost, cut | now);
                best[*end][then] = best[*end][then].min(so_far);
            }
        }
        let cuts = (0..=all).filter(|cut| cut & needed == needed);
        cuts.map(|cut| best[self.length][cut]).fold(f64::INFINITY, f64::min)
    }
}

/// The characters of a number and what it counts: 三点, 二十人, 四分之一.
fn number(chars: &[(usize, char)]) -> Option<usize> {
    const COUNTED: &str = "个次天年月人位条台件点岁元块号楼层页份家种场篇项遍批班节分秒成倍度期轮只头本张辆栋吨斤米名道门里口部路处类线届队股座卷声万";
    let run: String = chars.iter().map(|(_, c)| *c).take_while(|c| !c.is_ascii() && is_numeral(*c)).collect();
    let digits = run.chars().count();
    let (_, counted) = chars.get(digits).filter(|(_, c)| digits > 0 && COUNTED.contains(*c))?;
    // 下周|二十点 names an hour of no day; 三八点 is no number.
    let is_hour = *counted == '点';
    let is_one = amount(&run).is_some_and(|(_, length)| length == run.len() && !run.starts_with("一十"));
    (is_one && (digits == 1 || !is_hour)).then_some(digits + 1)
}

/// A phrase of ours that is not in the dictionary, or rarer there, counts as a rare word.
fn phrase_cost(chars: impl Iterator<Item = char>) -> f64 {
    let word: String = chars.collect();
    let count = word.chars().count();
    let is_long = count > 2 && !word.ends_with(['初', '末', '底', '前', '后', '天']);
    let least = -(if is_long { LONG_PHRASE } else { PHRASE } / ALL).ln();
    // What the dictionary of the north has not.
    if ["听日", "琴日", "寻日", "而家", "依家", "听晚", "琴晚", "呢排", "呢度", "啱啱"]
        .contains(&word.as_str())
    {
        return -(SOUTHERN / ALL).ln();
    }
    let known = word_cost(&word).filter(|_| count < WORD_CHARS_MAX);
    known.map_or(least, |known| if is_long { known.min(least) } else { known })
}

fn word_cost(word: &str) -> Option<f64> {
    match frequency(word) {
        Some(count) => Some(-(f64::from(count) / ALL).ln()),
        None => (word.chars().count() == 1).then_some(UNKNOWN),
    }
}

/// The most likely division of a line into words, by items of one character (or a number, a sign): where each begins and ends.
pub(super) fn division(items: &[&str]) -> Vec<Range<usize>> {
    let mut best = vec![(f64::INFINITY, 0); items.len() + 1];
    best[0].0 = 0.0;
    let mut word = String::new();
    for at in 0..items.len() {
        word.clear();
        for (more, item) in items[at..].iter().take(WORD_CHARS_MAX).enumerate() {
            word.push_str(item);
            let is_known = item.chars().all(is_han);
            let cost = is_known.then(|| word_cost(&word)).flatten().or((more == 0).then_some(UNKNOWN));
            let cost = best[at].0 + cost.unwrap_or(f64::INFINITY);
            if cost < best[at + more + 1].0 {
                best[at + more + 1] = (cost, at);
            }
            if !is_known {
                break;
            }
        }
    }
    let mut words = Vec::new();
    let mut end = items.len();
    while end > 0 {
        words.push(best[end].1..end);
        end = best[end].1;
    }
    words.reverse();
    words
}

/// Whether the dictionary has it.
pub(super) fn is_a_word(word: &str) -> bool {
    frequency(word).is_some()
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
    use super::Segments;

    /// Which of these words stands in a text: the longest one where it is certain, else which one and whether.
    fn which<'w>(text: &str, words: &[&'w str]) -> Option<(&'w str, bool)> {
        let start = text.find(words[0]).unwrap_or_default();
        let ends: Vec<usize> = words.iter().map(|word| start + word.len()).collect();
        Segments::of(text).stands(start, &ends).map(|(which, certain)| (words[which], certain))
    }

    #[test]
    fn a_word_across_two_others_is_none() {
        for (text, word) in [
            ("文件名要注明日期", "明日"),
            ("请标明年龄", "明年"),
            ("当今日本经济", "今日"),
            ("出现在屏幕上", "现在"),
            ("失去年轻的心", "去年"),
            ("一天后勤部门来了", "一天后"),
        ] {
            assert_eq!(which(text, &[word]), None, "{text}");
        }
        for (text, word) in
            [("用户昨天换了手机", "昨天"), ("会议改到明天上午", "明天"), ("三天后勤奋地工作", "三天后")]
        {
            assert_eq!(which(text, &[word]), Some((word, true)), "{text}");
        }
    }

    #[test]
    fn of_two_words_that_begin_at_one_place_one_stands() {
        for (text, long, short, stands) in [
            ("上周五开会", "上周五", "上周", Some(("上周五", true))),
            ("下周二十点开会", "下周二", "下周", Some(("下周二", true))),
            ("上周三番两次催过", "上周三", "上周", Some(("上周", false))),
            ("今年底完成", "今年底", "今年", Some(("今年底", true))),
        ] {
            assert_eq!(which(text, &[long, short]), stands, "{text}");
        }
        for (text, long, short) in [
            ("上周五金店关了", "上周五", "上周"),
            ("下周三点开会", "下周三", "下周"),
            ("上周二十人参加", "上周二", "上周"),
            ("下周一个人去", "下周一", "下周"),
            ("下周六个人来", "下周六", "下周"),
        ] {
            assert!(matches!(which(text, &[long, short]), Some((_, false))), "{text}");
        }
    }
}
