//! Pronouns and places that need not be those which `meta` names: two people in one sentence (she told him), what somebody else
//! said (张伟：我今天迟到), a place in a text or on a screen (click here).

use super::doubt::sentence_before;
use super::rule::is_named;
use super::{Relative, TimeWord};
use std::ops::Range;

/// Marks hits as uncertain that the text beside them makes doubtful, and as none where they are no person or place at all. They
/// come in the order of the text.
pub(super) fn doubt<L>(text: &str, hits: &mut [(TimeWord, L)]) {
    let ends: Vec<usize> =
        text.match_indices(['。', '！', '？', '!', '?', '\n', '；', ';', '.']).map(|(at, _)| at).collect();
    let sentence = |range: &Range<usize>| ends.partition_point(|end| *end < range.start);
    let mut from = 0;
    while from < hits.len() {
        let number = sentence(&hits[from].0.range);
        let count = hits[from..].iter().take_while(|(hit, _)| sentence(&hit.range) == number).count();
        let of_sentence = &mut hits[from..from + count];
        let mut kinds: Vec<char> =
            of_sentence.iter().filter_map(|(hit, _)| kind(hit.relative, &text[hit.range.clone()])).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let start = number.checked_sub(1).map_or(0, |at| ends[at]);
        let said_from = said_by_name(&text[start..]).map(|length| start + length);
        for (hit, _) in of_sentence {
            let (before, behind) = (sentence_before(text, hit.range.start), &text[hit.range.end..]);
            let is_person = is_person(hit.relative);
            if is_person
                && (kinds.len() > 1 && kind(hit.relative, &text[hit.range.clone()]).is_some()
                    || said_from.is_some_and(|from| from <= hit.range.start)
                    || is_of_a_name(&text[hit.range.clone()], before, behind))
            {
                hit.certain = false;
            }
            if is_person && is_named(before, behind)
                || hit.relative == Relative::Here && is_shown(before, behind)
            {
                hit.certain = false;
                hit.stated = false;
            }
        }
        from += count;
    }
}

fn is_person(relative: Relative) -> bool {
    use Relative::{Speaker, SpeakersOwn, User, UsersOwn};
    matches!(relative, Speaker | SpeakersOwn | User | UsersOwn)
}

/// Whom a pronoun for the user can mean: pronouns of two kinds in one sentence are two people.
fn kind(relative: Relative, word: &str) -> Option<char> {
    if !matches!(relative, Relative::User | Relative::UsersOwn) {
        return None;
    }
    let lower = word.to_ascii_lowercase();
    let first = lower.split(['\'', '’']).next().unwrap_or_default();
    match first {
        "he" | "him" | "his" | "himself" => Some('h'),
        "she" | "her" | "hers" | "herself" => Some('s'),
        "you" | "your" | "yours" | "yourself" => Some('y'),
        _ if word.starts_with('他') => Some('h'),
        _ if word.starts_with('她') => Some('s'),
        _ if word.starts_with(['你', '您']) => Some('y'),
        _ => None,
    }
}

/// Whether a pronoun may be a part of a name: `Elizabeth I reigned`, `World War I`, `He (helium)`.
fn is_of_a_name(word: &str, before: &str, behind: &str) -> bool {
    // Words with a capital that stand before a pronoun: they open a sentence, or say when.
    const OPENERS: [&str; 52] = [
        "After",
        "Also",
        "Although",
        "And",
        "As",
        "Because",
        "Before",
        "But",
        "Can",
        "Did",
        "Do",
        "For",
        "How",
        "However",
        "If",
        "In",
        "Later",
        "May",
        "Maybe",
        "Must",
        "Now",
        "Once",
        "Or",
        "Perhaps",
        "Should",
        "Since",
        "So",
        "Sometimes",
        "Still",
        "That",
        "Then",
        "Though",
        "Today",
        "Tomorrow",
        "Tonight",
        "Until",
        "Usually",
        "What",
        "When",
        "Where",
        "While",
        "Why",
        "Yesterday",
        "Monday",
        "Tuesday",
        "Wednesday",
        "Thursday",
        "Friday",
        "Saturday",
        "Sunday",
        "Whenever",
        "Wherever",
    ];
    if word == "He" && behind.trim_start().starts_with('(') {
        return true;
    }
    let last = before.strip_suffix(' ').unwrap_or_default();
    let last = last.rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    word == "I" && last.len() > 1 && last.starts_with(char::is_uppercase) && !OPENERS.contains(&last)
}

/// The most characters that a name before a colon has.
const NAME_CHARS_MAX: usize = 20;

/// Where, in bytes, what somebody else said begins, if the sentence begins with the name of who said it: `张伟：`, `Tom: `.
fn said_by_name(sentence: &str) -> Option<usize> {
    let line = sentence
        .trim_start_matches(['。', '！', '？', '!', '?', '\n', '；', ';', '.', ' ', '-', '*', '>', '#']);
    let (at, colon) = line.char_indices().take(NAME_CHARS_MAX + 1).find(|(_, c)| matches!(c, '：' | ':'))?;
    let name = &line[..at];
    let count = name.chars().count();
    // `注意：我…` and `Note: I …` are headings; a name is short, and capital or Chinese.
    const HEADINGS: [&str; 14] = [
        "注意", "备注", "说明", "结论", "总结", "原因", "例如", "待办", "Note", "Notes", "TODO", "Reason",
        "Summary", "Result",
    ];
    let chinese = !name.is_ascii() && (2..=4).contains(&count) && !name.contains(' ');
    let english = name.is_ascii()
        && !name.is_empty()
        && name.split(' ').all(|word| word.starts_with(|c: char| c.is_ascii_uppercase()));
    let is_one = (chinese || english) && !HEADINGS.contains(&name);
    is_one.then_some(sentence.len() - line.len() + at + colon.len_utf8())
}

/// Whether `here` is a place in a text or on a screen: click here, 点击这里, here is the list, 从这里开始.
fn is_shown(before: &str, behind: &str) -> bool {
    const SHOWN: [&str; 22] = [
        "click",
        "tap",
        "press",
        "see",
        "look",
        "read",
        "type",
        "write",
        "enter",
        "insert",
        "paste",
        "drag",
        "drop",
        "start",
        "listed",
        "shown",
        "described",
        "documented",
        "explained",
        "defined",
        "pick",
        "choose",
    ];
    const VERBS: [&str; 10] = ["点击", "单击", "点", "按", "查看", "参见", "参考", "见", "拖到", "填在"];
    let bare = before.trim_end();
    let last =
        bare.rsplit(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default().to_ascii_lowercase();
    let opens = bare.trim_end_matches(['-', '*', '#', '>', ' ', '\n', '.', '。', '!', '?']).is_empty();
    let next = behind.trim_start();
    let is = ["is ", "are ", "comes ", "'s "].iter().any(|verb| next.starts_with(verb));
    SHOWN.contains(&last.as_str())
        || opens && is && behind.is_ascii()
        || VERBS.iter().any(|verb| bare.ends_with(verb))
        || bare.ends_with('从') && behind.starts_with("开始")
        || opens && ["是说明", "是列表", "是示例", "是目录"].iter().any(|text| behind.starts_with(text))
}

#[cfg(test)]
mod tests {
    use super::{is_shown, said_by_name};

    #[test]
    fn what_somebody_else_said() {
        for before in ["张伟:", "李四：昨天", "- Tom: ", "Mary Ann: "] {
            assert!(said_by_name(before).is_some(), "{before}");
        }
        for before in ["", "注意：", "the plan: ", "Note: ", "我觉得这个方案不错："] {
            assert!(said_by_name(before).is_none(), "{before}");
        }
    }

    #[test]
    fn a_place_on_a_screen() {
        for (before, behind) in [
            ("Click ", ""),
            ("- See ", ""),
            ("", " is the list"),
            ("点击", ""),
            ("从", "开始"),
            ("", "是说明"),
        ] {
            assert!(is_shown(before, behind), "{before}|{behind}");
        }
        for (before, behind) in
            [("The user lives ", ""), ("我住在", ""), ("", "很冷"), ("It is cold ", " in winter")]
        {
            assert!(!is_shown(before, behind), "{before}|{behind}");
        }
    }
}
