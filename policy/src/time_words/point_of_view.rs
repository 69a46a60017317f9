//! Whose now a time is counted from. Where a sentence tells what somebody said or thought on another day, sets itself on another day, or
//! stands under the day of a heading, "yesterday" is not the day before this moment: such times are only marked.

use super::doubt::{has_a_date, is_digit, sentence_before};
use super::english::{MONTHS, WEEKDAYS};
use super::last_bytes;
use std::ops::Range;

/// Words of saying and thinking, and of texts that say something: On Monday she said |yesterday was fine; the plan from last year.
const SAID: &str = "said says say saying wrote writes write writing written told tell tells mail email mails emails emailed mailed called \
    announced announces announcing reported reports report decided decides promised promises promising asked asks claimed claims \
    thought hoped expected assumed believed planned plan plans forecast predicted predicts estimated estimates letter \
    agreed confirmed warned mentioned suggested scheduled roadmap answered replied texted posted stated added \
    insisted noted guessed feared swore knew heard learned expects hopes hope expect foresees envisages \
    believes assumes announcement noting thinking message messages newsletter newsletters memo memos minutes notes todo \
    changelog ticket tickets voicemail transcript comment comments invitation";
const SAID_IN_CHINESE: [&str; 51] = [
    "说",
    "讲",
    "写",
    "提到",
    "提过",
    "告诉",
    "答应",
    "承诺",
    "宣布",
    "报告",
    "通知",
    "会上",
    "邮件",
    "日报",
    "周报",
    "月报",
    "计划",
    "群里",
    "纪要",
    "约好",
    "约定",
    "定好",
    "决定",
    "要求",
    "预计",
    "预测",
    "估计",
    "以为",
    "认为",
    "觉得",
    "打算",
    "保证",
    "来信",
    "来电",
    "转述",
    "表示",
    "回复",
    "公告",
    "定了",
    "商定",
    "谈好",
    "谈妥",
    "消息",
    "路线图",
    "留言",
    "短信",
    "工单",
    "备忘",
    "笔记",
    "评论",
    "帖子",
];
/// Times of another moment that are no hits themselves, in small letters.
const ANOTHER_TIME: [&str; 11] = [
    "back in ",
    "at the time of",
    "at that time",
    "back then",
    "last ",
    " ago",
    "上次",
    "上回",
    "那次",
    "当时",
    "那时",
];
/// What makes an event or a span of the day that it opens with: On Tuesday …, By Friday's standup, …
const FRAMES: &str =
    "on by when after before as of since until till in at during once while from over for around throughout";
/// How far the head of a line counts, in bytes. The bound keeps a long line full of times linear.
const LINE_BYTES_MAX: usize = 600;
const WEEK: [&str; 3] = ["周", "星期", "礼拜"];
const DAYS: [char; 8] = ['一', '二', '三', '四', '五', '六', '日', '天'];
/// Where a clause ends.
const CLAUSE_ENDS: [char; 9] = [',', '，', ':', '：', '(', '（', ')', '）', '—'];

/// Whether a time at this place is counted from somebody else's moment. `before`: what stands before it in its sentence.
pub(super) fn is_anothers(text: &str, at: usize, before: &str) -> bool {
    line_before(text, at).is_some_and(|line| is_headed_by_its_day(line) || line.starts_with('>'))
        || is_said(before) && names_another_time(before)
        || is_said(before) && words(before).any(|word| says_one_of("will ll", word))
        || is_told_in_a_tale(before)
        || is_set_on_another_day(before)
        || is_in_single_quotes(before)
}

/// What stands before a place in its line; `None` where the line begins too far away for its head to be meant.
fn line_before(text: &str, at: usize) -> Option<&str> {
    let near = last_bytes(&text[..at], LINE_BYTES_MAX);
    match near.rfind('\n') {
        Some(end) => Some(&near[end + 1..]),
        None => (near.len() == at).then_some(near),
    }
}

/// Where a dateline ends with which the line of a place begins, if it ends before that place. What a report says behind it is told on
/// the day that stands there, as everybody sees who reads the line.
pub(super) fn dateline_ends(text: &str, at: usize) -> Option<usize> {
    dateline(line_before(text, at)?)
}

/// The bytes of a dateline: 本报北京１月１２日电, 新华社２０日讯, LONDON, Jan 12 (PA).
pub(super) fn dateline(line: &str) -> Option<usize> {
    let head = line.char_indices().nth(40).map_or(line, |(at, _)| &line[..at]);
    let chinese = ["日电", "日讯"].iter().find_map(|end| {
        let at = head.find(end)?;
        let day = head[..at].ends_with(|c: char| is_digit(c) || "一二三四五六七八九十".contains(c));
        // 昨日电话 is no dateline.
        (day && !head[at + end.len()..].starts_with(['话', '脑', '影', '池', '视', '费', '问', '息']))
            .then_some(at + end.len())
    });
    let town = head.bytes().take_while(u8::is_ascii_uppercase).count();
    let english = head
        .find([')', '—', '–'])
        .filter(|end| town > 2 && head[town..].starts_with(", ") && has_a_date(&head[..*end]));
    chinese.or(english)
}

/// `10/02 the disk failed`, `【11-20】昨天`, `Mon: today we …`, `周一：今天`, `Mei (Tuesday): …`.
fn is_headed_by_its_day(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '-', '*', '>', '#', '[', '【', '(', '（']);
    let near: String = line.chars().take(40).collect();
    let digits = near.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &near[digits..];
    // 4.2 is a version, 10.02. a day.
    let dot = rest.strip_prefix('.').filter(|rest| rest.bytes().take_while(u8::is_ascii_digit).count() == 2);
    let second =
        rest.strip_prefix(['/', '-']).or(dot).map(|rest| rest.bytes().take_while(u8::is_ascii_digit).count());
    if (1..=2).contains(&digits) && second.is_some_and(|digits| (1..=2).contains(&digits)) {
        let after = &rest[1 + second.unwrap_or_default()..];
        // 3/4 of the disks is no day.
        return !after.starts_with(|c: char| c.is_ascii_digit() || ".%/".contains(c))
            && !after.starts_with(" of ");
    }
    let Some((head, _)) = near.split_once([':', '：', '】', '—', '–']).or_else(|| near.split_once(" - "))
    else {
        return false;
    };
    has_a_date(head)
        || head.split([' ', '(', '（', ')', '）', '，', ',']).any(is_a_day_by_numbers)
        || is_counted(head)
        || head.split(|c: char| !c.is_ascii_alphabetic()).any(is_a_weekday)
        || names_a_weekday(head)
}

/// 11-20, 11/20.
fn is_a_day_by_numbers(word: &str) -> bool {
    word.split_once(['-', '/']).is_some_and(|(month, day)| {
        let is_number = |part: &str, max: u32| {
            part.len() <= 2 && matches!(part.parse(), Ok(number) if (1..=max).contains(&number))
        };
        is_number(month, 31) && is_number(day, 31)
    })
}

/// Day 3, week 46, 第三天: the head of a diary, a report or a tale.
fn is_counted(head: &str) -> bool {
    let parts: Vec<&str> = head.split_ascii_whitespace().collect();
    let is_number = |c: char| c.is_ascii_digit() || "一二三四五六七八九十".contains(c);
    let english = parts.windows(2).any(|pair| {
        says_one_of("day week kw sprint chapter", pair[0])
            && pair[1].starts_with(|c: char| c.is_ascii_digit())
    });
    // 第三天, 第 46 周; not 第二项.
    let chinese = head.strip_prefix('第').map(str::trim_start).filter(|rest| rest.starts_with(is_number));
    english
        || chinese.is_some_and(|rest| {
            rest.trim_start_matches(is_number)
                .trim_start()
                .starts_with(['天', '日', '周', '月', '年', '夜', '晚', '章', '幕', '回', '集', '话'])
        })
}

/// 第三章, 第二幕: a part of a tale.
fn is_counted_part(before: &str) -> bool {
    let rest = before.trim_start_matches([' ', '-', '*', '#']).strip_prefix('第');
    let counted = rest
        .map(|rest| rest.trim_start_matches(|c: char| is_digit(c) || " 一二三四五六七八九十百".contains(c)));
    counted.is_some_and(|rest| rest.starts_with(['章', '幕', '回', '集', '话']))
}

fn words(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty())
}

fn says_one_of(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|one| one.eq_ignore_ascii_case(word))
}

/// Whether somebody speaks or thinks in it, or a text that says something is named; a head without a time (会议纪要：) is no such text.
pub(super) fn is_said(before: &str) -> bool {
    const TIMES: [&str; 9] = ["昨", "前", "去年", "上", "天", "yesterday", "Yesterday", "Last", "last"];
    let is_label = |head: &str| {
        head.chars().count() <= 12
            && !TIMES.iter().any(|time| head.contains(time))
            && !names_another_time(head)
    };
    let head = before.split_once(['：', ':']).filter(|(head, _)| is_label(head));
    let before = head.map_or(before, |(_, rest)| rest);
    words(before).any(|word| says_one_of(SAID, word))
        || SAID_IN_CHINESE.iter().any(|said| before.contains(said))
}

/// Whether what somebody says is told in it: The letter says the parcel comes on |Friday; 信里说|周五到.
pub(super) fn says_that(before: &str) -> bool {
    const SAYS: &str = "says said say saying wrote writes written told tells promised promises claims claimed announced announces";
    words(before).any(|word| says_one_of(SAYS, word)) || before.contains(['说', '写'])
}

/// Whether it names another time than that of a word of ours: on Tuesday, in 2024, 二月的, 上次.
fn names_another_time(before: &str) -> bool {
    let lower = before.to_ascii_lowercase();
    ANOTHER_TIME.iter().any(|time| lower.contains(time))
        || words(before).any(|word| is_a_weekday(word) || is_a_month(word))
        || names_a_weekday(before)
        || names_a_month(before)
        || has_a_year(before)
}

/// In the story, |yesterday the king died; 小说里|昨天.
fn is_told_in_a_tale(before: &str) -> bool {
    const TALES: [&str; 16] = [
        "小说里",
        "小说中",
        "故事里",
        "故事中",
        "电影里",
        "片中",
        "剧中",
        "剧里",
        "梦里",
        "梦见",
        "漫画里",
        "书里",
        "书中",
        "童话里",
        "寓言里",
        "剧本里",
    ];
    let all: Vec<&str> = words(before).collect();
    // In the film; in the radio play.
    let tale = |at: usize| {
        all[at].eq_ignore_ascii_case("in")
            && all[at + 1..].iter().skip(1).take(3).any(|word| {
                says_one_of(
                    "story film movie novel book tale dream game song play opera musical legend fable",
                    word,
                )
            })
    };
    (0..all.len()).any(tale)
        || all.first().is_some_and(|word| says_one_of("chapter act scene episode", word))
        || is_counted_part(before)
        || all.iter().any(|word| says_one_of("dreamed dreamt", word))
        || TALES.iter().any(|tale| before.contains(tale))
}

/// Whether the sentence, or the clause of the time, is set on a day or in a month: On Tuesday the fix from |yesterday was reverted; By
/// Friday's standup, |yesterday's fix was gone; As of the May report, |last month.
fn is_set_on_another_day(before: &str) -> bool {
    let lower = before.to_ascii_lowercase();
    let pairs: Vec<&str> = words(before).collect();
    let framed =
        pairs.first().is_some_and(|word| says_one_of(FRAMES, word) || word.eq_ignore_ascii_case("back"));
    let of_a_month = framed
        && pairs.windows(2).any(|pair| {
            let leads = says_one_of("in the of since by from", pair[0]);
            leads && is_a_month(pair[1])
        });
    let own = before.rfind(CLAUSE_ENDS).map_or(before, |at| before[at..].trim_start_matches(CLAUSE_ENDS));
    let first =
        before.trim_start_matches([' ', '-', '*', '#', '+']).split(CLAUSE_ENDS).next().unwrap_or_default();
    let opens = words(first).next().is_some_and(|word| says_one_of(FRAMES, word));
    of_a_month
        || lower.contains("at the time of")
        || lower.contains("back then")
        || is_of_a_weekday(own)
        || opens && words(first).any(is_a_weekday)
        || first.ends_with(['时', '候', '后']) && names_a_weekday(first)
}

/// Whether a weekday in a clause says when all of it is, up to the time behind it. Days that are joined are two: moved from Monday to
/// |tomorrow; what is due by a day is asked for now: 周五前把|昨天.
fn is_of_a_weekday(clause: &str) -> bool {
    // The first Monday of |next month.
    if clause.trim_end().ends_with(" of") {
        return false;
    }
    let all: Vec<&str> = words(clause).collect();
    let joins = |word: &str| says_one_of("and to or but then until till not", word);
    let last = all.iter().rposition(|word| is_a_weekday(word) || joins(word));
    // This Friday is a word of ours.
    let alone = |at: usize| {
        !at.checked_sub(1).is_some_and(|before| says_one_of("last next this every each", all[before]))
    };
    let english = last.is_some_and(|at| is_a_weekday(all[at]) && alone(at));
    let week = WEEK.iter().filter_map(|week| Some((clause.rfind(week)?, week.len()))).max();
    const DUE: [&str; 9] = ["前", "之前", "以前", "和", "、", "到", "至", "或", "与"];
    let chinese = week.is_some_and(|(at, length)| {
        let rest = clause[at + length..].strip_prefix(DAYS);
        !clause[..at].ends_with(['上', '下', '本', '这', '个', '每'])
            && rest.is_some_and(|rest| {
                !DUE.iter().any(|word| rest.starts_with(word))
                    && !rest.contains(['和', '或', '到', '至', '、'])
            })
    });
    english || chinese
}

fn is_a_weekday(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    let whole = WEEKDAYS.contains(&lower.as_str());
    whole
        || word.len() == 3
            && word.starts_with(char::is_uppercase)
            && WEEKDAYS.iter().any(|day| day.starts_with(&lower))
}

fn is_a_month(word: &str) -> bool {
    word.starts_with(char::is_uppercase) && MONTHS.iter().any(|month| word.eq_ignore_ascii_case(month))
}

/// 周一, 星期三.
fn names_a_weekday(text: &str) -> bool {
    let day =
        |week: &&str| text.match_indices(*week).any(|(at, week)| text[at + week.len()..].starts_with(DAYS));
    WEEK.iter().any(day)
}

/// 二月, 12月.
fn names_a_month(text: &str) -> bool {
    text.match_indices('月').any(|(at, _)| {
        text[..at].trim_end().ends_with(|c: char| is_digit(c) || "一二三四五六七八九十".contains(c))
    })
}

/// A year by its four digits.
fn has_a_year(text: &str) -> bool {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit());
    numbers.any(|number| number.len() == 4 && (number.starts_with("19") || number.starts_with("20")))
}

/// Whether a shielded range is a quotation of what somebody said or wrote on a day that stands before it.
pub(super) fn is_quoted(text: &str, range: &Range<usize>) -> bool {
    const DAYS: [&str; 9] = ["yesterday", "last ", " ago", "昨天", "昨晚", "前天", "上周", "去年", "上个月"];
    const OPENS: [&str; 7] =
        ["with the words", "begins with", "began with", "reads", "原文是", "开头是", "写的是"];
    if !text[range.clone()].starts_with(['"', '“', '「', '『']) {
        return false;
    }
    let before = sentence_before(text, range.start);
    let then = has_a_date(before) || DAYS.iter().any(|day| before.contains(day));
    let told = before.trim_end().ends_with([':', '：', ',', '，', '道', '说', '写'])
        && is_said(before.trim_end().trim_end_matches([':', '：', ',', '，']))
        || OPENS.iter().any(|words| before.trim_end().ends_with(words));
    then && told
}

/// Whether the end of the sentence says who said it, and when: the disk failed |yesterday, Mei wrote on Monday; (Mei, 2 March).
pub(super) fn is_told_behind(behind: &str) -> bool {
    let mut clauses = behind.split([',', '，', '(', '（', '—', '–']).skip(1);
    clauses.any(|clause| {
        let is_short = clause.chars().count() <= if clause.is_ascii() { 32 } else { 10 };
        let speaks = words(clause).take(3).any(|word| {
            says_one_of(
                "said says wrote writes told reported announced decided agreed planned promised",
                word,
            )
        }) || clause.contains(['说', '写']);
        let then = names_another_time(clause)
            || has_a_date(clause)
            || ["yesterday", "昨", "前天"].iter().any(|time| clause.contains(time));
        is_short && speaks && then
    })
}

/// Yesterday she said 'I'll call |tomorrow'.
fn is_in_single_quotes(before: &str) -> bool {
    let mut open = false;
    let mut last = ' ';
    for (at, c) in before.char_indices() {
        if matches!(c, '\'' | '‘' | '’') {
            let next = before[at + c.len_utf8()..].chars().next().unwrap_or(' ');
            if !open && !last.is_alphanumeric() && next.is_alphanumeric() {
                open = true;
            } else if open && !next.is_alphanumeric() {
                open = false;
            }
        }
        last = c;
    }
    open
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_end(before: &str) -> bool {
        is_anothers(before, before.len(), before)
    }

    #[test]
    fn what_is_told_on_another_day_is_counted_from_there() {
        for before in [
            "周一他说",
            "On Monday she said ",
            "Mei wrote on Tuesday: the disk failed ",
            "The 2024 plan says ",
            "Back in March we decided that the launch is ",
            "At the time of the incident, ",
            "10/02 the disk failed ",
            "【11-20】",
            "- Mon: ",
            "周一：",
            "Mei (Tuesday): the disk failed ",
            "Standup 11-20: ",
            "Mei (Nov 12): ",
            "Release notes, week 46: ",
            "In the story, ",
            "They will say that ",
            "Yesterday she said 'I'll call ",
            "> I fixed it ",
            "On Tuesday the fix from ",
            "By Friday's standup, ",
            "据二月的报告，",
            "上次会议说",
            "周二开会时，",
            "Back in May she thought the move was ",
            "The October release notes promise a fix ",
            "In her March newsletter she announced a launch ",
            "The TODO from 2024: remove it ",
        ] {
            assert!(at_end(before), "{before}");
        }
        assert!(is_told_behind(", as decided last week") && is_said("Alice's message from yesterday: "));
        assert!(is_told_behind(", Mei wrote on Monday") && is_told_behind("修好了，老王周一说"));
        assert!(!is_told_behind(" Lee said the cable comes on Monday") && !is_told_behind(", Lee said"));
    }

    #[test]
    fn what_is_told_now_is_counted_from_now() {
        for before in [
            "他说",
            "She said ",
            "I don't know what happened ",
            "We meet on Monday, after the release of ",
            "Note: ",
            "3/4 of the disks failed ",
            "It's John's, since ",
            "moved from Monday to ",
            "QA signs off by Friday, rollout ",
            "周五前把",
            "备注：",
        ] {
            assert!(!at_end(before), "{before}");
        }
    }
}
