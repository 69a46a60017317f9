//! Decides by its words whether a line states a preference or a fact, for stores that do not say which it is.

use crate::MemoryKind;

/// First words of a line that asks for something.
const ASKS: [&str; 33] = [
    "always", "answer", "answers", "ask", "avoid", "be", "call", "dislikes", "do", "don't", "dont",
    "explain", "give", "hates", "keep", "like", "likes", "never", "no", "please", "prefer", "prefers",
    "reply", "respond", "run", "say", "show", "shows", "speak", "use", "wants", "write", "writes",
];
/// Words anywhere in a line that states a preference.
const LIKES: [&str; 10] = [
    " prefers ",
    " prefer ",
    " likes ",
    " dislikes ",
    " wants ",
    " hates ",
    " thinks ",
    " would rather ",
    " favourite ",
    " favorite ",
];
/// The same in Chinese.
const LIKES_CHINESE: [&str; 17] = [
    "偏好",
    "喜欢",
    "希望",
    "讨厌",
    "不要",
    "请",
    "先看",
    "先给",
    "回答用",
    "用中文",
    "用英文",
    "祈使句",
    "风格",
    "习惯",
    "认为",
    "尽量",
    "别用",
];

/// The kind of a line for which the store names none.
pub(crate) fn kind(text: &str) -> MemoryKind {
    let plain = text.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let first = plain.split(|c: char| !(c.is_alphanumeric() || c == '\'')).next().unwrap_or_default();
    let padded = format!(" {plain} ");
    let asks = ASKS.contains(&first)
        || LIKES.iter().any(|words| padded.contains(words))
        || LIKES_CHINESE.iter().any(|words| plain.contains(words))
        || (padded.contains(" answers in ") && !padded.contains(" ms"));
    if asks { MemoryKind::O } else { MemoryKind::W }
}

#[cfg(test)]
mod tests {
    use super::kind;
    use crate::MemoryKind::{O, W};

    #[test]
    fn manner_and_facts_are_told_apart() {
        let cases = [
            ("Answers in Chinese, code comments in English", O),
            ("No emojis in pull request titles", O),
            ("Mei prefers answers in Chinese", O),
            ("Mei — answers in Chinese", O),
            ("回答用中文，代码注释用英文", O),
            ("Mei 先看失败的测试再看实现", O),
            ("Never push to `main`", O),
            ("`never` push", O),
            ("Laptop: Debian 13, zsh, tmux", W),
            ("Public API answers within 200 ms at p95", W),
            ("The public API must answer within 200 ms at p95", W),
            ("harbour-db 的只读副本端口是 5433", W),
            ("Works from Gothenburg, UTC+1", W),
            ("Timezone: Europe/Stockholm", W),
            ("Noon is 12:00", W),
        ];
        for (text, wanted) in cases {
            assert_eq!(kind(text), wanted, "{text}");
        }
    }
}
