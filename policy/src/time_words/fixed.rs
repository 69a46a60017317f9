//! Times that are said of no day: a part of a saying, of a name or a title, or the word itself that is spoken of.

use super::english::{MONTHS, WEEKDAYS};

/// How far behind a word the text counts, in characters.
const NEAR_CHARS: usize = 40;

/// Whether a time is a part of a saying, a name or a title, or is only mentioned. `before` and `behind` are the text around it, from the
/// beginning of its sentence.
pub(super) fn is_fixed(before: &str, word: &str, behind: &str) -> bool {
    let near = behind.char_indices().nth(NEAR_CHARS).map_or(behind, |(at, _)| &behind[..at]);
    let near = near.split(['\n', '。', '！']).next().unwrap_or_default();
    if word.is_ascii() { in_english(before, word, near) } else { in_chinese(before, word, near) }
}

/// What leads to a saying.
const SAYINGS: [&str; 21] = [
    "常说",
    "总说",
    "老说",
    "爱说",
    "挂在嘴边",
    "俗话说",
    "俗话讲",
    "俗话这么",
    "俗话是",
    "常言",
    "老话说",
    "老话讲",
    "谚语",
    "俗语",
    "古人云",
    "古话",
    "格言",
    "座右铭",
    "口头禅",
    "歌词",
    "台词",
];
/// What is said of a word.
const MENTIONED: [&str; 10] =
    ["的拼音", "的意思", "的英文", "的英语", "的写法", "的读音", "的发音", "的词义", "的反义词", "的近义词"];
/// 昨天是个字符串; 点|今天|按钮, 筛选|上周: what stands on a screen.
const KINDS: [&str; 8] = ["字符串", "变量", "关键字", "占位符", "单词", "词", "参数", "按钮"];
/// What somebody does on a screen.
const PICKS: [&str; 12] =
    ["点", "点击", "选择", "选中", "勾选", "筛选", "切换到", "切到", "显示", "默认", "按下", "单击"];

fn in_chinese(before: &str, word: &str, near: &str) -> bool {
    // 明日复明日，明日何其多; 今日事，今日毕; 十年前种树.
    let again = format!("{word}复{word}");
    let repeats = before.contains(&again)
        || before.ends_with(&again[..again.len() - word.len()])
        || near.starts_with(&again[word.len()..]);
    let done = near.starts_with('事') && near.contains(&format!("{word}毕"))
        || near.starts_with('毕') && before.contains(&format!("{word}事"));
    // 昨日种种，譬如昨日死; 昨夜西风凋碧树; 本年利润 is the name of an account.
    let verse = ["种种", "西风", "星辰", "雨疏"].iter().any(|rest| near.starts_with(rest))
        || before.contains("种种，譬如")
        || word == "本年" && near.starts_with("利润")
        || word.starts_with("年") && before.contains("本年利润");
    let tree = |text: &str| text.contains("种树") || text.contains("棵树");
    let planted = word.contains("年前")
        && (tree(before) || tree(near))
        && (before.contains("最好的") || near.contains("最好的"));
    let bare = near.trim_start();
    let called = ["是个", "是一个", "是"].iter().find_map(|is| bare.strip_prefix(is)).unwrap_or_default();
    let is_kind = KINDS.iter().any(|kind| called.starts_with(kind));
    let ends = near.is_empty()
        || near.starts_with(['，', ',', '。', '、', '）', ')'])
        || ["按钮", "选项", "标签"].iter().any(|kind| near.starts_with(kind));
    let picked = ends
        && PICKS.iter().any(|pick| {
            before.trim_start_matches([' ', '-', '*']) == *pick
                || before.ends_with(pick) && pick.chars().count() > 1
        });
    let usual = ["是默认", "是惯例"].iter().any(|words| near.contains(words));
    // 明日之后是款游戏, 明年今日是陈奕迅的歌.
    const WORKS: [&str; 9] =
        ["是首", "是部", "是本", "是款", "是个小程序", "是一个小程序", "是个游戏", "是漫画", "是小说"];
    let work = WORKS.iter().any(|work| near.contains(work)) || near.contains('是') && near.ends_with("的歌");
    // 原文写的是|明天; 今日|指签约日.
    let meant =
        near.strip_prefix('指').is_some_and(|rest| !rest.starts_with(['标', '数', '挥', '导', '出', '派']));
    let quoted = (near.is_empty() || near.starts_with(['，', ',']))
        && ["写的是", "原文是", "说的是", "填的是"].iter().any(|words| before.ends_with(words));
    // 今日份的快乐; 明天见是个群名.
    let named = near.starts_with("份")
        || ["群名", "网名", "歌名", "片名", "书名", "店名", "网店", "昵称"]
            .iter()
            .any(|name| near.contains(name))
            && near.contains('是');
    let unknown =
        before.ends_with("知道") && ["会怎", "会发生", "会如何"].iter().any(|words| near.starts_with(words));
    repeats
        || unknown
        || verse
        || named
        || is_kind
        || picked
        || usual
        || work
        || meant
        || quoted
        || done
        || planted
        || SAYINGS.iter().any(|saying| before.contains(saying) || near.contains(saying))
        || MENTIONED.iter().any(|mentioned| is_asked_of(near, mentioned))
        || word == "明天" && follows_a_surname(before)
}

/// Whether a word itself is spoken of: 后天|的英语怎么说; not 今天|的英语课.
fn is_asked_of(near: &str, mentioned: &str) -> bool {
    near.strip_prefix(mentioned)
        .is_some_and(|rest| !rest.starts_with(['课', '考', '作', '老', '测', '角', '书', '卷', '培']))
}

/// Whether a clause is nothing but a surname, so that 明天 behind it is a given name: 赵|明天是主管. 小赵|明天 and 钱|明天 are none.
pub(super) fn follows_a_surname(before: &str) -> bool {
    let mut chars = before.chars().rev();
    let is_one = chars.next().is_some_and(is_surname);
    is_one && chars.next().is_none_or(|before| !before.is_alphanumeric())
}

/// Whether it is one of the usual Chinese surnames.
pub(super) fn is_surname(c: char) -> bool {
    const SURNAMES: &str = "王李张刘陈杨赵吴徐孙胡朱何郭罗梁宋郑谢韩唐冯董萧程曹袁邓傅沈苏卢蒋蔡贾丁魏薛叶阎余潘杜戴姜范姚谭廖邹熊郝崔康邱秦侯邵孟龙雷尹黎乔赖龚林";
    SURNAMES.contains(c)
}

fn in_english(before: &str, word: &str, near: &str) -> bool {
    const SAYINGS: [&str; 8] = [
        "the saying",
        "proverb",
        "old adage",
        "as they say",
        "his motto",
        "her motto",
        "the motto",
        "slogan",
    ];
    const TITLES: [&str; 8] = ["Mr", "Mrs", "Ms", "Miss", "Dr", "Prof", "Sir", "Madame"];
    let lower = before.to_ascii_lowercase();
    let gone = match word.to_ascii_lowercase().as_str() {
        "today" => lower.ends_with("here ") && near.starts_with(", gone tomorrow"),
        "tomorrow" => {
            lower.ends_with("here today, gone ")
                || [" is another day", " never "].iter().any(|rest| near.starts_with(rest))
        }
        _ => false,
    };
    const WORKS: [&str; 16] = [
        " is a song",
        " is a film",
        " is a novel",
        " is a band",
        " is a play",
        " is a poem",
        " is an album",
        " is a game",
        " is a show",
        " is a magazine",
        " is the name of",
        " is the title of",
        " is a book",
        " is a track",
        " is a series",
        " is a radio",
    ];
    let chinese = near.contains('是') && (near.ends_with("的歌") || near.contains("歌名"));
    let work = chinese || WORKS.iter().any(|work| near.starts_with(work));
    // const today = …; day = today; today is shadowed.
    let code = ["const ", "let ", "var ", "= "].iter().any(|code| before.ends_with(code))
        || near.starts_with(" = ")
        || [" is shadowed", " is undefined", " is not defined"].iter().any(|code| near.starts_with(code));
    // Jam tomorrow and jam yesterday, but never jam today; better an egg today than a hen tomorrow.
    let proverb = lower.ends_with("live for ")
        || lower.trim_start() == "jam "
        || lower.contains("jam tomorrow")
        || near.starts_with(" and jam ")
        || near.starts_with(" than a hen ")
        || lower.ends_with("egg today than a hen ");
    let is_capital = |word: &str| word.starts_with(|c: char| c.is_ascii_uppercase());
    let last = before.trim_end().trim_end_matches('.').rsplit(' ').next().unwrap_or_default();
    gone || work
        || code
        || proverb
        || is_capital(word) && TITLES.contains(&last)
        || is_capital(word) && before.trim().is_empty() && is_by_somebody(near)
        || SAYINGS.iter().any(|saying| lower.contains(saying) || near.contains(saying))
}

/// Whether a title and who made it stand at the beginning of a sentence: Yesterday| by the Beatles is in F.
fn is_by_somebody(behind: &str) -> bool {
    let Some(rest) = behind.strip_prefix(" by ") else { return false };
    let rest = rest.strip_prefix("the ").unwrap_or(rest);
    let name = rest.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    let is_time = WEEKDAYS.iter().any(|day| name.eq_ignore_ascii_case(day)) || MONTHS.contains(&name);
    name.len() > 2 && name.starts_with(char::is_uppercase) && !is_time
}

#[cfg(test)]
mod tests {
    use super::is_fixed;

    #[test]
    fn a_saying_a_name_and_a_title_have_no_day() {
        for (before, word, behind) in [
            ("", "今日", "事，今日毕"),
            ("今日事，", "今日", "毕"),
            ("明日复", "明日", "，万事成蹉跎"),
            ("", "昨日", "种种，譬如昨日死"),
            ("昨日种种，譬如", "昨日", "死"),
            ("", "昨夜", "西风凋碧树是第二幕的起句"),
            ("“", "本年", "利润”科目年末要结平"),
            ("“本年利润”科目", "年末", "要结平"),
            ("", "十年前", "种树是最好的时机，俗话这么说"),
            ("种一棵树最好的时间是", "十年前", ""),
            ("", "后天", "的拼音是 houtian"),
            ("", "昨天", "是个字符串"),
            ("点", "今天", "按钮"),
            ("筛选", "上周", ""),
            ("赵", "明天", "是财务部的主管"),
            ("Mr. ", "Today", " Okafor signs"),
            ("", "Yesterday", " by the Beatles is in F major"),
            ("here today, gone ", "tomorrow", ""),
            ("Jam tomorrow and jam ", "yesterday", ", but never jam today"),
            ("Better an egg ", "today", " than a hen tomorrow"),
            ("Better an egg today than a hen ", "tomorrow", ""),
        ] {
            assert!(is_fixed(before, word, behind), "{before}|{word}|{behind}");
        }
        for (before, word, behind) in [
            ("小赵", "明天", "请假"),
            ("钱", "明天", "到账"),
            ("", "本年", "的利润还没算"),
            ("", "今日", "事情很多"),
            ("", "十年前", "种的树死了"),
            ("", "后天", "的会议取消"),
            ("", "Yesterday", " by noon the server was up"),
            ("", "Tomorrow", " by Friday's standards is calm"),
            ("Mr. Lee called ", "yesterday", ""),
        ] {
            assert!(!is_fixed(before, word, behind), "{before}|{word}|{behind}");
        }
    }
}
