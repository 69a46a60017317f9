//! Time words that a sentence speaks about, and does not say: the word "tomorrow", a pub that is called Tomorrow, 我女儿叫王明天. There is no
//! day to write for them; they are only marked.

use super::fixed;

/// Behind these a word is one that is spoken about.
const NOUNS: [&str; 17] = [
    "word",
    "words",
    "term",
    "phrase",
    "expression",
    "syntax",
    "values",
    "value",
    "label",
    "labelled",
    "labeled",
    "titled",
    "entitled",
    "named",
    "bucket",
    "branch",
    "tag",
];
/// What a word or a program does with it, and nothing stands behind it.
const SAYS: [&str; 12] = [
    "means",
    "equals",
    "returns",
    "prints",
    "understands",
    "accepts",
    "matches",
    "reads",
    "is",
    "defaults to",
    "set to",
    "for",
];
/// What programs do with the things of a day: returns yesterday's date.
const HANDLES: [&str; 21] = [
    "returns",
    "prints",
    "archives",
    "loads",
    "shows",
    "lists",
    "displays",
    "reads",
    "outputs",
    "computes",
    "exports",
    "imports",
    "fetches",
    "deletes",
    "purges",
    "rotates",
    "emits",
    "parses",
    "with",
    "renders",
    "processes",
];
/// The same in Chinese: what stands before a name, or before a word that is explained.
const CHINESE: [&str; 12] =
    ["叫", "叫做", "叫作", "名为", "意为", "意思是", "写着", "名是", "选项有", "可填", "可选", "取值为"];
/// Before a surname and a name.
const CALLED: [&str; 6] = ["叫", "署名", "名是", "名为", "姓名：", "联系人："];
/// What is always so, and what is the same word.
const ALWAYS: [&str; 3] = ["一般", "就是", "等于"];
/// What has a day as its condition: a certificate that expires then.
const RELATED: [&str; 6] = ["that expire", "that expires", "issued", "dated", "older than", "who signed up"];
/// Of these each is a value.
const LISTS: [&str; 6] = ["选项", "参数", "可填", "取值", "枚举", "单选"];

/// Whether a time word is spoken about. `before` and `behind`: the rest of its sentence, as far as it is near.
pub(super) fn is_mentioned(before: &str, word: &str, behind: &str) -> bool {
    if word.is_ascii() { in_english(before, word, behind) } else { in_chinese(before, behind) }
}

fn in_english(before: &str, word: &str, behind: &str) -> bool {
    let bare = before.trim_end();
    let said = bare.to_ascii_lowercase();
    let ends = |with: &str| {
        said.strip_suffix(with).is_some_and(|rest| !rest.ends_with(|c: char| c.is_ascii_alphanumeric()))
    };
    let is_last =
        behind.trim_start_matches(['"', '”', '`', '\'']).trim_end_matches(['.', '!', ' ', '\n']).is_empty();
    let next = behind.trim_start().split(' ').next().unwrap_or_default();
    let of_it = word.ends_with("'s")
        || word.ends_with("’s")
        || behind.starts_with("'s ")
        || behind.starts_with("’s ");
    is_a_title(bare, word)
        || NOUNS.iter().any(|noun| ends(noun))
        || ends("called") && ["was", "is", "has", "are"].contains(&next)
        || is_last
            && SAYS.iter().any(|verb| ends(verb))
            && said.split(' ').count() > 1
            && !is_of_somebody(&said)
        || ends("means") && behind.starts_with(" in ")
        || behind.starts_with(" as a value")
        || of_it
            && HANDLES.iter().any(|verb| ends(verb))
            && ["the ", "`", "a ", "this "]
                .iter()
                .any(|first| said.trim_start_matches(['-', ' ']).starts_with(first))
        || RELATED.iter().any(|what| ends(what))
            && ["are", "is", "raise", "raises", "get", "gets", "sees", "see"].contains(&next)
}

/// The plan is for |tomorrow: what people are busy with has a day.
fn is_of_somebody(said: &str) -> bool {
    let last = said.rsplit(' ').next().unwrap_or_default();
    let is_of = matches!(last, "is" | "for" | "to");
    is_of
        && !["german", "french", "spanish", "in sql", "in pandas", "jira", "cron"]
            .iter()
            .any(|of| said.contains(of))
        && !said.ends_with("defaults to")
}

/// A capital in the middle of a sentence makes it the name of something: the pub Tomorrow, This Week in Rust.
fn is_a_title(bare: &str, word: &str) -> bool {
    let mut letters = word.chars();
    let is_capital = letters.next().is_some_and(|c| c.is_ascii_uppercase())
        && letters.next().is_some_and(|c| c.is_ascii_lowercase());
    let first = word.split(' ').next().unwrap_or_default();
    let is_usual = ["Today", "Tomorrow", "Yesterday", "Tonight", "This", "Last", "Next", "Day"]
        .contains(&first.trim_end_matches("'s"));
    let goes_on = bare.ends_with(|c: char| c.is_alphanumeric() || c == ',');
    is_capital && is_usual && goes_on && bare.chars().any(|c| c.is_ascii_lowercase())
}

fn in_chinese(before: &str, behind: &str) -> bool {
    let name = before.strip_suffix(fixed::is_surname);
    CHINESE.iter().chain(&ALWAYS).any(|word| before.ends_with(word))
        || name.is_some_and(|bare| CALLED.iter().any(|word| bare.ends_with(word)))
        || LISTS.iter().any(|word| before.contains(word))
            && (behind.starts_with(['、', '或', '和']) || before.ends_with(['、', '或', '和']))
        || ["的意思", " 的意思", " 意为", "一词", "这个词", "二字"].iter().any(|of| behind.starts_with(of))
}

#[cfg(test)]
mod tests {
    use super::super::parted;
    use super::*;

    #[test]
    fn what_is_spoken_about_is_not_said() {
        for sentence in [
            "The word |tomorrow| has eight letters.",
            "The branch called |yesterday| was deleted.",
            "The pub is called |Tomorrow|.",
            "I read |This Week| in Rust every week.",
            "German \"morgen\" means |tomorrow|.",
            "The function returns |yesterday|'s date.",
            "The mock returns |yesterday|.",
            "Certificates that expire |tomorrow| raise an alert.",
            "The enum has the values |today|, tomorrow and later.",
            "我女儿叫王|明天|。",
            "联系人：赵|今天|。",
            "变量名叫|昨天|。",
            "选项有|今天|、明天和后天。",
            "选项有今天、|明天|和后天。",
            "tomorrow 的意思是|明天|。",
            "快递一般|后天|到。",
        ] {
            assert!(mentioned(sentence), "{sentence}");
        }
        for sentence in [
            "She called |yesterday| and was glad.",
            "The train leaves |tomorrow|.",
            "The deadline is |tomorrow|.",
            "- |Tomorrow| we meet.",
            "Note: |Tomorrow| we meet.",
            "The release is planned for |tomorrow|.",
            "MEETING |TOMORROW| at nine",
            "That means |tomorrow| we have to be early.",
            "He read |yesterday|'s report.",
            "老张|昨天|来了。",
            "截止日期是|明天|。",
            "他|今天|负责前端。",
        ] {
            assert!(!mentioned(sentence), "{sentence}");
        }
    }

    fn mentioned(sentence: &str) -> bool {
        let [before, word, behind] = parted(sentence);
        is_mentioned(before, word, behind)
    }
}
