//! The gate against the sentences of `fixtures/gate/`: precision and recall of its hits, dates rewritten right. Half of the
//! sentences are held out: of those only the numbers are told.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used)]

use declaration::{Meta, Timestamp};
use policy::time_words::{Moment, TimeWord, absolute, hits, hits_by_rules, ids};

/// A sentence and what is marked in it.
struct Sentence {
    text: String,
    /// The marked words, and what they become.
    marks: Vec<(String, Option<String>)>,
    /// Where they stand.
    places: Vec<std::ops::Range<usize>>,
    /// The text with every mark's replacement in it.
    expected: String,
}

fn sentence(line: &str) -> Sentence {
    let mut found =
        Sentence { text: String::new(), marks: Vec::new(), places: Vec::new(), expected: String::new() };
    let mut rest = line;
    while let Some((before, marked)) = rest.split_once("[[") {
        let (mark, after) = marked.split_once("]]").unwrap();
        let (word, becomes) = mark.split_once('>').map_or((mark, None), |(word, new)| (word, Some(new)));
        found.text.push_str(before);
        found.places.push(found.text.len()..found.text.len() + word.len());
        found.text.push_str(word);
        found.expected.push_str(before);
        found.expected.push_str(becomes.unwrap_or(word));
        found.marks.push((word.to_owned(), becomes.map(str::to_owned)));
        rest = after;
    }
    found.text.push_str(rest);
    found.expected.push_str(rest);
    found
}

fn sentences(file: &str) -> Vec<Sentence> {
    let path = format!("{}/../fixtures/gate/{file}.txt", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().filter(|line| !line.starts_with("# ")).map(sentence).collect()
}

/// The second opinion was trained with all of these sentences, so what they show of it is not worth much: the floors hold for the
/// rules without it as well.
const WAYS: [(&str, Way); 2] = [(RULES_ALONE, hits_by_rules), ("with the second opinion", hits)];

const RULES_ALONE: &str = "rules alone";

/// A way to find the hits of a text.
type Way = fn(&str) -> Vec<TimeWord>;

/// The files of sentences the rules were made with, and those nobody looked at meanwhile.
const TUNED: [&str; 15] = [
    "zh",
    "en",
    "zh-subjects",
    "en-subjects",
    "zh-tuned",
    "en-tuned",
    "en-dates-tuned",
    "zh-rules",
    "en-rules",
    "zh-views",
    "en-views",
    "zh-everyday",
    "en-everyday",
    "zh-notes-tuned",
    "en-notes-tuned",
];
const HELD_OUT: [&str; 3] = ["zh-held-out", "en-held-out", "en-dates-held-out"];
/// Minutes, chats, colloquial notes and items of lists. Of the first pair of files and of `*-notes-held-out` the misses were looked at, of no
/// other.
const SPOKEN: [&str; 8] = [
    "zh-chat",
    "en-chat",
    "zh-chat-2",
    "en-chat-2",
    "zh-notes-held-out",
    "en-notes-held-out",
    "zh-notes-last",
    "en-notes-last",
];

/// Wednesday, 2026-03-11, 10:00 in +08:00.
fn moment() -> Moment {
    Moment::new(Timestamp::parse("2026-03-11T02:00:00Z").unwrap(), 8 * 60)
}

/// The same with quarters and months written in one way: `Q2 2026` and 2026 年第二季度 are 2026-Q2, 2025 年十月 is 2025-10.
fn times_of(text: &str) -> Vec<String> {
    let mut text = text.to_owned();
    for (number, quarter) in ["一", "二", "三", "四"].into_iter().enumerate() {
        let number = number + 1;
        for year in 2020..2030 {
            let one = format!("{year}-Q{number}");
            for form in [
                format!("Q{number} {year}"),
                format!("{year} 年第{quarter}季度"),
                format!("{year} 年第 {number} 季度"),
                format!("{year} 年{quarter}季度"),
            ] {
                text = text.replace(&form, &one);
            }
        }
    }
    let months = ["一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二"];
    for (number, month) in months.iter().enumerate() {
        for month in [(*month).to_owned(), (number + 1).to_string()] {
            text = text.replace(&format!(" 年{month}月"), &format!("-{:02}", number + 1));
        }
    }
    let is_part = |c: char| c.is_ascii_digit() || "-:Q".contains(c);
    text.split(|c: char| !is_part(c)).filter(|part| part.len() >= 4).map(str::to_owned).collect()
}

/// The years, days and times of a text.
fn dates_of(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_ascii_digit() && c != '-' && c != ':').filter(|part| part.len() >= 4).collect()
}

#[derive(Default)]
struct Score {
    sentences: usize,
    right: usize,
    wrong: usize,
    missed: usize,
    dates: usize,
    dates_right: usize,
    /// Texts with a date in them that nobody expected.
    dates_wrong: usize,
    /// Marks that a hit touches, wherever it ends; hits that touch no mark; dates that are written in some way; texts with another one.
    touched: usize,
    beside: usize,
    told_dates: usize,
    other_dates: usize,
    told: Vec<String>,
}

impl Score {
    fn by(sentences: &[Sentence], hits: Way) -> Score {
        let mut score = Score { sentences: sentences.len(), ..Score::default() };
        for sentence in sentences {
            score.add(sentence, hits);
        }
        score
    }

    fn add(&mut self, sentence: &Sentence, hits: Way) {
        let found: Vec<String> =
            hits(&sentence.text).into_iter().map(|hit| sentence.text[hit.range].to_owned()).collect();
        let mut left = found.clone();
        for (word, _) in &sentence.marks {
            match left.iter().position(|found| found == word) {
                Some(at) => {
                    left.remove(at);
                    self.right += 1;
                }
                None => self.missed += 1,
            }
        }
        self.wrong += left.len();
        let ranges: Vec<_> = hits(&sentence.text).into_iter().map(|hit| hit.range).collect();
        let touch = |one: &std::ops::Range<usize>, other: &std::ops::Range<usize>| {
            one.start < other.end && other.start < one.end
        };
        self.touched +=
            sentence.places.iter().filter(|place| ranges.iter().any(|hit| touch(hit, place))).count();
        self.beside +=
            ranges.iter().filter(|hit| !sentence.places.iter().any(|place| touch(hit, place))).count();
        let dates = sentence.marks.iter().filter(|(_, becomes)| becomes.is_some()).count();
        self.dates += dates;
        let rewritten = absolute(&sentence.text, &moment(), &Meta::default());
        let (mut told, expected) = (times_of(&rewritten), times_of(&sentence.expected));
        // Times that stand in the sentence itself are no dates of ours.
        let own = times_of(&sentence.text).len();
        let same = expected.iter().filter(|time| {
            let at = told.iter().position(|one| one == *time);
            at.map(|at| told.remove(at)).is_some()
        });
        self.told_dates += same.count().saturating_sub(own).min(dates);
        // Forty minutes ago is a time of the day that is expected; who labels by hand often says the day alone.
        told.retain(|time| time.len() > 6 || !time.contains(':'));
        self.other_dates += usize::from(!told.is_empty());
        if rewritten == sentence.expected {
            self.dates_right += dates;
        } else {
            self.told.push(format!("{rewritten}\n    not {}", sentence.expected));
            let expected = dates_of(&sentence.expected);
            self.dates_wrong += usize::from(dates_of(&rewritten).iter().any(|date| !expected.contains(date)));
        }
        if !left.is_empty() || found.len() != sentence.marks.len() {
            self.told.push(format!("{} found {found:?}", sentence.text));
        }
    }

    #[allow(clippy::cast_precision_loss)]
    fn numbers(&self) -> (f64, f64, f64) {
        let share = |part: usize, rest: usize| part as f64 / (part + rest).max(1) as f64;
        (
            share(self.right, self.wrong),
            share(self.right, self.missed),
            share(self.dates_right, self.dates - self.dates_right),
        )
    }

    /// Precision, recall and dates where it counts neither how a mark is cut (on Friday, Friday) nor how a date is written.
    #[allow(clippy::cast_precision_loss)]
    fn by_meaning(&self, name: &str) -> (f64, f64, f64) {
        let share = |part: usize, all: usize| part as f64 / all.max(1) as f64;
        let marks = self.right + self.missed;
        let hits = self.right + self.wrong;
        let (precision, recall, dates) =
            (share(hits - self.beside, hits), share(self.touched, marks), share(self.told_dates, self.dates));
        println!(
            "{name}, by meaning: precision {precision:.3}, recall {recall:.3}; {} of {} dates {dates:.3}, {} wrong",
            self.told_dates, self.dates, self.other_dates
        );
        (precision, recall, dates)
    }

    fn report(&self, name: &str) -> (f64, f64, f64) {
        let (precision, recall, dates) = self.numbers();
        println!(
            "{name}: {} sentences, {} hits; precision {precision:.3}, recall {recall:.3}; {} dates, {dates:.3} right, {} wrong",
            self.sentences,
            self.right + self.missed,
            self.dates,
            self.dates_wrong
        );
        (precision, recall, dates)
    }
}

/// Of the files that are held out only the numbers are told.
#[test]
fn hits_and_dates_of_the_labelled_sentences() {
    let mut all = 0;
    let mut low = Vec::new();
    let files = TUNED.into_iter().chain(HELD_OUT);
    for (file, (name, way)) in files.flat_map(|file| WAYS.map(|way| (file, way))) {
        let set = sentences(file);
        all += set.len();
        let score = Score::by(&set, way);
        let (precision, recall, dates) = score.report(&format!("{file}, {name}"));
        let held_out = HELD_OUT.contains(&file);
        // The second opinion learned from other hands too, and marks some of what a rule knows to be none.
        let least = if name == RULES_ALONE { 0.97 } else { 0.93 };
        if precision < least || recall < 0.97 || dates < 0.97 || score.dates_wrong > 0 {
            let told = if held_out { String::new() } else { score.told.join("\n  ") };
            low.push(format!("{file}, {name}: {precision:.3} {recall:.3} {dates:.3}\n  {told}"));
        }
    }
    assert!(all >= 2 * 1_300, "{all}");
    assert!(low.is_empty(), "{}", low.join("\n"));
}

/// Of these less is found (docs/GATE.md has the figures); what is written is right all the same.
#[test]
fn what_is_written_of_spoken_language_is_right() {
    for (file, (name, way)) in SPOKEN.into_iter().flat_map(|file| WAYS.map(|way| (file, way))) {
        let score = Score::by(&sentences(file), way);
        let (precision, recall, _) = score.report(&format!("{file}, {name}"));
        assert!(
            precision >= 0.969 && recall >= 0.92 && score.dates_wrong == 0,
            "{file}: {precision:.3} {recall:.3}"
        );
    }
}

/// Written by people who had read only how sentences are labelled, and cut and write some labels in another way: counted by meaning. The
/// rules were mended with these.
#[test]
fn sentences_of_another_hand_that_were_looked_at() {
    let files = [
        "zh-fresh",
        "en-fresh",
        "zh-blind-tuned",
        "en-blind-tuned",
        "zh-blind-tuned-2",
        "en-blind-tuned-2",
        "zh-writers-tuned",
        "en-writers-tuned",
    ];
    for (file, (name, way)) in files.into_iter().flat_map(|file| WAYS.map(|way| (file, way))) {
        let score = Score::by(&sentences(file), way);
        let file = format!("{file}, {name}");
        score.report(&file);
        let (precision, recall, dates) = score.by_meaning(&file);
        let told = score.told.join("\n  ");
        let least = if name == RULES_ALONE { 0.97 } else { 0.96 };
        assert!(
            precision >= 0.98 && recall >= least && dates >= 0.95 && score.other_dates == 0,
            "{file}: {precision:.3} {recall:.3} {dates:.3} {}\n  {told}",
            score.other_dates
        );
    }
}

/// By a hand that had read only how sentences are labelled. No rule was made with them, so these are floors of the rules alone, not bars;
/// the second opinion learned from them, and with it they say only that it says what it was taught.
#[test]
fn sentences_that_no_rule_was_made_with() {
    for file in ["zh-held-tuned", "en-held-tuned"] {
        holds_floors(file, [(0.97, 0.79), (0.97, 0.96)], 0.84, 1);
    }
}

/// Counted by meaning: the least precision and recall of each way, the least share of right dates, the most wrong ones.
fn holds_floors(file: &str, least: [(f64, f64); 2], least_dates: f64, most_wrong: usize) {
    let set = sentences(file);
    for ((name, way), (least_precision, least_recall)) in WAYS.into_iter().zip(least) {
        let score = Score::by(&set, way);
        score.report(file);
        let (precision, recall, dates) = score.by_meaning(&format!("{file}, {name}"));
        assert!(
            precision >= least_precision
                && recall >= least_recall
                && dates >= least_dates
                && score.other_dates <= most_wrong,
            "{file}, {name}: {precision:.3} {recall:.3} {dates:.3} {}",
            score.other_dates
        );
    }
}

/// By two hands that had read only how sentences are labelled, after the rules were made and the second opinion had learned. Totals were
/// looked at once, and are the floors.
#[test]
fn sentences_that_nobody_learned_from() {
    holds_floors("zh-held", [(0.96, 0.61), (0.96, 0.84)], 0.82, 0);
    holds_floors("en-held", [(0.96, 0.50), (0.94, 0.76)], 0.86, 2);
}

#[test]
fn what_is_resolved_is_no_hit_any_more() {
    let changes_again = |sentence: &Sentence| {
        let once = absolute(&sentence.text, &moment(), &Meta::default());
        absolute(&once, &moment(), &Meta::default()) != once
    };
    for sentence in TUNED.into_iter().flat_map(sentences) {
        assert!(!changes_again(&sentence), "{}", sentence.text);
    }
    // Counted only: a message with one of these sentences would make it one that was looked at.
    assert_eq!(
        HELD_OUT.into_iter().flat_map(sentences).filter(changes_again).count(),
        0,
        "held-out sentences"
    );
}

/// What the gate has written is no word for a second opinion: 2026-03-09 那一周, 2026 年第二季度.
#[test]
fn a_date_that_was_written_is_not_marked() {
    let mut dates = 0;
    for sentence in TUNED.into_iter().flat_map(sentences) {
        let (after, written) = policy::time_words::rewritten(&sentence.text, &moment(), &Meta::default());
        dates += written.len();
        let on_a_date = |hits: Vec<TimeWord>| {
            let touches = |hit: &TimeWord, at: &std::ops::Range<usize>| {
                hit.range.start < at.end && at.start < hit.range.end
            };
            hits.iter().filter(|hit| written.iter().any(|(_, at)| touches(hit, at))).count()
        };
        assert!(on_a_date(hits(&after)) <= on_a_date(hits_by_rules(&after)), "{after}");
    }
    assert!(dates >= 600, "{dates}");
}

#[test]
fn persons_and_places_by_what_their_author_says() {
    let meta = Meta {
        speaker: Some("Claude".to_owned()),
        user: Some("Anna".to_owned()),
        place: Some("Basel".to_owned()),
        ..Meta::default()
    };
    for (text, expected) in [
        ("他喜欢这里的天气", "Anna喜欢Basel的天气"),
        ("我认为她的猫叫咪咪", "Claude认为Anna的猫叫咪咪"),
        ("He likes the weather here", "Anna likes the weather in Basel"),
        ("His cat is old; I asked her about it", "Anna's cat is old; Claude asked Anna about it"),
        ("I'm sure", "Claude is sure"),
        ("Her cat", "Her cat"),
        ("I think so", "I think so"),
        ("We met over there", "We met over there"),
        ("其他吉他", "其他吉他"),
        // Two pronouns of two kinds are two people.
        ("She told him that her sister moved here", "She told him that her sister moved in Basel"),
        ("他告诉她这里冷", "他告诉她Basel冷"),
        // What may be a part of a name.
        ("Elizabeth I reigned for long", "Elizabeth I reigned for long"),
        ("He (helium) is a gas", "He (helium) is a gas"),
        ("Yesterday Anna and I talked", "2026-03-10 Anna and Claude talked"),
        // What somebody else said.
        ("张伟:我饿了", "张伟:我饿了"),
        // A place in a text or on a screen, a name of a program's.
        ("Click here", "Click here"),
        ("Here is the list", "Here is the list"),
        ("从这里开始", "从这里开始"),
        ("点击这里", "点击这里"),
        ("The variable my is in Perl", "The variable my is in Perl"),
    ] {
        assert_eq!(absolute(text, &moment(), &meta), expected);
    }
}

/// Times that a calendar would give a wrong date for: written by somebody who attacked the gate. They stay as they are.
#[test]
fn a_time_that_needs_more_than_a_calendar_is_never_rewritten() {
    for text in [
        "Two years and three months ago we moved.",
        "A year and two months ago",
        "3 days and 4 hours ago the disk failed",
        "团队下周三亚团建。",
        "老李下周四平出差。",
        "下周六安出差。",
        "下周天猫大促。",
        "酒店十天后厨装修。",
        "今晚宴取消。",
        "明早市关闭。",
        "下月嫂面试。",
        "两年三个月前搬的家",
        "三年零两个月前",
        "一年零五天前开业",
        "一个月零三天前",
        "三个星期零两天前",
        "Two or three days ago",
        "Three to five days ago",
        "2–3 days ago",
        "3到5天前来的",
        "大上周交的货",
        "大上个月买的车",
        "Two years ago tomorrow",
        "On 2026-11-01 he said it was fixed two days ago.",
        "2026-05-01: yesterday we lost the disk.",
        "会议纪要（2026-05-01）：昨天磁盘坏了",
        "2026年5月1日的邮件说昨天磁盘坏了",
        "他在5月1日说三天前就好了",
        "As of 2026-03-01, last month had 3 outages.",
        "在2019年，去年的数据丢了",
        "1998年，三年前成立的公司倒闭了",
        "When he woke up the next morning, yesterday's code was gone.",
        "昨天的昨天",
        "删除三天前的日志",
        "清理30天前的快照",
        "脚本会删除七天前的备份",
        "如果三天前没有备份就告警",
        "重试3次，3天后放弃",
        "The script deletes logs from three days ago.",
        "A week ago tomorrow",
        "Three weeks ago last Friday",
        "Two weeks ago Monday",
        "下周的今天",
        "三、四天前",
        "1 000 days ago",
        "~3 days ago",
        "Last Tuesday or Wednesday",
        "去年2月29日",
        "100年前夕",
        "本周五六报名",
        "两年前半段",
        "有效期30天，30天后失效",
        "明天会更好是一首歌",
        "明天和意外哪个先来",
        "不要写昨天、今天，要写日期",
    ] {
        assert_eq!(absolute(text, &moment(), &Meta::default()), text);
    }
    // And what a calendar does decide is rewritten, whatever stands near it.
    for (text, expected) in [
        ("The days are long; three days ago it rained", "The days are long; 2026-03-08 it rained"),
        ("合同是去年签的，三天前生效", "合同是2025 年签的，2026-03-08生效"),
        ("版本 1.2.3 昨天发布", "版本 1.2.3 2026-03-10发布"),
        ("用户 1990 年生，去年结婚", "用户 1990 年生，2025 年结婚"),
    ] {
        assert_eq!(absolute(text, &moment(), &Meta::default()), expected);
    }
}

/// Days that another one beside them changes, and names: written by another attacker. They stay as they are.
#[test]
fn a_day_that_is_told_with_another_is_never_rewritten() {
    for text in [
        "昨天11月20号开的会",
        "再下个月上线",
        "下周一、三、五培训",
        "上周二和周四",
        "上周一至周五出差",
        "Last Monday to Wednesday we moved.",
        "函数today()返回今天",
        "他的昵称叫今天",
        "明天又是新的一天",
        "今晚0点上线",
        "再下周一交付",
        "二零二五年的去年",
        "C:\\昨天\\a",
        "昨天.md",
        "昨天@example.com",
        "昨天_备份",
        "On November 20 he said yesterday was bad",
        "next to last week",
        "Monday to Friday last week",
        "date -d yesterday",
        "Last year's plan says next year",
        "In 2025 he moved last year",
        "昨夜三点报警",
        "上个月31号",
    ] {
        assert_eq!(absolute(text, &moment(), &Meta::default()), text);
    }
}

/// Times counted from another moment than now, beside another time, or in a text that can be divided otherwise: written by a third
/// attacker. They stay as they are.
#[test]
fn a_time_that_may_be_another_is_never_rewritten() {
    for text in [
        "Fixed three weeks ago on Tuesday",
        "Monday morning two weeks ago the disk failed",
        "Fixed a week last Friday",
        "By Friday's standup, yesterday's fix had been reverted",
        "On Tuesday the fix from yesterday was reverted",
        "上周五金店关了",
        "下周三点开会",
        "下周一个人去",
        "10 days ago (2026-10-01) it failed",
        "yesterday (Nov 25) it failed",
        "Yesterday (Monday) we met",
        "Today is Monday",
        "Monday, three days ago, he left",
        "Tonight at 1am the backup runs",
        "他看了后天这部电影",
        "今天周四",
        "昨天（周三）来过",
        "以后的今天",
        "> I fixed it yesterday",
        "## 2026-02-20\n\n- The disk failed yesterday",
        "2026年2月20日\n昨天磁盘坏了",
        "The disk failed yesterday (Mei, 2 March)",
        "The disk failed yesterday, Mei wrote on Monday",
        "Day 3: today we fixed it",
        "The dashboard shows last week's numbers",
        "系统自动清理上个月的缓存",
        "上次会上说明天上线",
        "他的公司在上周五一放假",
        "Mei (Nov 12): today we fixed it",
        "This Monday we will meet",
        "In the story, yesterday the king died",
        "They'll say that yesterday was fine",
        "按钮会跳到今天",
        "下周六个人来",
        "昨天夜里两点服务器崩了",
    ] {
        assert_eq!(absolute(text, &moment(), &Meta::default()), text);
    }
    for (text, expected) in [
        ("## 2026-03-11\n\n- The disk failed yesterday", "## 2026-03-11\n\n- The disk failed 2026-03-10"),
        ("Tomorrow, Thursday 12 March, we meet", "2026-03-12, Thursday 12 March, we meet"),
        ("In May last year we moved", "In May 2025 we moved"),
        ("They flew last week on Wednesday", "They flew 2026-03-04"),
        ("Yesterday she said the vendor calls next month", "2026-03-10 she said the vendor calls 2026-04"),
        ("The first Monday of next month is free", "2026-04-06 is free"),
        (
            "The release moves from this Friday to next Monday",
            "The release moves from 2026-03-13 to 2026-03-16",
        ),
        ("下周五放假", "2026-03-20放假"),
        ("下周二十点开会", "2026-03-17十点开会"),
        ("天气预报说明天有雨", "天气预报说2026-03-12有雨"),
        ("上线由本周五改为下周二", "上线由2026-03-13改为2026-03-17"),
        ("昨天他说下个月上线", "2026-03-10他说2026-04上线"),
    ] {
        assert_eq!(absolute(text, &moment(), &Meta::default()), expected);
    }
}

/// Days that are done each week, that stand beside another time, or are told of elsewhere: found while the rules for days of the week and
/// for what is to come were made.
#[test]
fn a_day_that_may_be_each_one_is_never_rewritten() {
    for text in [
        "Trash is collected on Friday",
        "The newsletter is sent on Monday",
        "Backups are made on Sunday",
        "Reports are sent by Friday",
        "The museum is closed on Friday",
        "The letter says the parcel comes on Friday",
        "We moved in March on Friday",
        "She was born on Friday",
        "User's talk is on Monday in two weeks",
        "The weekend before last Christmas he was ill",
        "Timesheets must be in by the end of the month",
        "The session expires in 30 minutes",
        "You will receive the parcel in 3 days",
        "He said he would be back in an hour",
        "Chapter 3 opens with Ilse thinking that the exam is today",
        "In the radio play they land in two days",
        "Mr. Today Okafor signs",
        "Yesterday by the Beatles is in F",
        "WARN today is not a business day",
        "The quotes: Never do tomorrow what is fun today. -- Mark Twain Clemens",
        "LONDON, Jan 12 (PA) - Shares fell today",
        "周五例会",
        "周五晚上跑步",
        "周二晚上的课取消了",
        "信里说周五到",
        "今日事，今日毕",
        "赵明天是财务部的主管",
        "本报北京１月１２日电 总理今天到访",
        "俗话说十年前种树最好",
        "点今天按钮",
        "昨天是个字符串",
        "当今天下大势",
        "Tomorrow is a song from Annie",
        "const today = new Date()",
        "today is shadowed in the outer scope",
        "明日之后是款游戏",
        "明年今日是陈奕迅的歌",
        "合同里的今日指签约日",
        "李明年底结婚",
    ] {
        assert_eq!(absolute(text, &moment(), &Meta::default()), text);
    }
    for (text, expected) in [
        ("The report is due on Friday", "The report is due on 2026-03-13"),
        ("We met on Monday", "We met on 2026-03-09"),
        ("Ends on Sunday week", "Ends on 2026-03-22"),
        ("The exam is a week on Tuesday", "The exam is 2026-03-24"),
        ("Fixed a quarter of an hour ago", "Fixed 2026-03-11 09:45"),
        ("She flew home on the 5th of last month", "She flew home on 2026-02-05"),
        ("Budget is final by the end of the year", "Budget is final by the end of 2026"),
        ("The loan must be repaid in twenty days", "The loan must be repaid on 2026-03-31"),
        ("上周六二比一赢了", "2026-03-07二比一赢了"),
        ("上周周三开会", "2026-03-04开会"),
        ("周六搬家", "2026-03-14搬家"),
        ("租的车一周后还", "租的车2026-03-18还"),
        ("今個禮拜好凍", "2026-03-09 那一周好凍"),
        ("我們後天搬家", "我們2026-03-13搬家"),
        ("4.2 版后天封版", "4.2 版2026-03-13封版"),
    ] {
        assert_eq!(absolute(text, &moment(), &Meta::default()), expected);
    }
}

/// Times that are put together from two are counted as a whole, or stay.
#[test]
fn a_time_of_two_is_one() {
    for (text, expected) in [
        ("Essay due the last day of next month", "Essay due 2026-04-30"),
        ("The second Friday of this month is free", "2026-03-13 is free"),
        ("Passport is valid until May of next year", "Passport is valid until 2027-05"),
        ("It runs out in March of the year after next", "It runs out in 2028-03"),
        ("Meeting on Thursday of the week after next", "Meeting on 2026-03-26"),
        ("Benchmarks are from this time last year", "Benchmarks are from 2025-03"),
        ("He flew three Saturdays ago", "He flew 2026-02-21"),
        ("Starts two weeks from Friday", "Starts 2026-03-27"),
        ("Visa was refused a month ago to the day", "Visa was refused 2026-02-11"),
        ("The pool reopens on the first of next month", "The pool reopens on 2026-04-01"),
        ("Hotel booked through Sunday", "Hotel booked through 2026-03-15"),
        ("读后感交到下个月最后一天", "读后感交到2026-04-30"),
        ("下个月第一个周二教师培训", "2026-04-07教师培训"),
        ("上月今日", "2026-02-11"),
        ("下个月的今天", "2026-04-11"),
        ("两个月后的今天", "2026-05-11"),
        ("手术定在两周后的今天", "手术定在2026-03-25"),
        ("明天这个时候已经在飞机上了", "2026-03-12 10:00已经在飞机上了"),
        ("铁路明后两天罢工", "铁路2026-03-12 和 2026-03-13罢工"),
        ("蜜月是两年前的这个月去的", "蜜月是2024-03去的"),
        ("尾款上月 28 号付清", "尾款2026-02-28付清"),
        // There is no fifth one, nor a 31st of each month; the next Wednesday said on one may be today.
        ("第五个周一", "第五个周一"),
        (
            "The room is free on 31 January, a month ago to the day",
            "The room is free on 31 January, a month ago to the day",
        ),
        ("Starts Wednesday week", "Starts Wednesday week"),
        ("Watched Monday Night Football", "Watched Monday Night Football"),
        ("The second half of the year was weak", "The second half of the year was weak"),
        ("下半年业绩不错", "下半年业绩不错"),
        ("The meeting was moved to Monday and went well", "The meeting was moved to Monday and went well"),
        // Counted from what stands before it.
        ("先跑单测，一小时后再跑端到端", "先跑单测，一小时后再跑端到端"),
        ("清晨出利马，两天后到库斯科", "清晨出利马，两天后到库斯科"),
        ("洗衣机买来两年后第一次漏水", "洗衣机买来两年后第一次漏水"),
        ("2 月 27 日汇率 7.9，十天前是 7.8", "2 月 27 日汇率 7.9，十天前是 7.8"),
        ("客户经理:周正，副手:岳明年", "客户经理:周正，副手:岳明年"),
        ("周日新和他妹妹住在秋浦", "周日新和他妹妹住在秋浦"),
    ] {
        assert_eq!(absolute(text, &moment(), &Meta::default()), expected);
    }
}

/// A date does not run into the digits beside it.
#[test]
fn a_date_and_a_number_beside_it_stay_two() {
    for (text, expected) in [
        ("今天0点上线", "2026-03-11 0点上线"),
        ("昨天22:00", "2026-03-10 22:00"),
        ("后天8点前", "2026-03-13 8点前"),
        ("今天2点和明天3点", "2026-03-11 2点和2026-03-12 3点"),
        ("今晚8点开会", "2026-03-11 晚上8点开会"),
        ("上个月15号换了机房", "2026-02-15换了机房"),
        ("本月10日付款", "2026-03-10付款"),
        ("昨天100多人参加", "2026-03-10 100多人参加"),
        ("前天20%的请求失败", "2026-03-09 20%的请求失败"),
        ("上周二15点开会", "2026-03-03 15点开会"),
        ("上个月3次宕机", "2026-02 3次宕机"),
        ("2小时前3台宕机", "2026-03-11 08:00 3台宕机"),
        ("上周5开会", "2026-03-06开会"),
        ("下周1上线", "2026-03-16上线"),
        ("俩月前搬的家", "2026-01搬的家"),
        ("上周二和三个人吃饭", "2026-03-03和三个人吃饭"),
    ] {
        assert_eq!(absolute(text, &moment(), &Meta::default()), expected);
    }
}

#[test]
fn the_day_is_that_of_the_speakers_own_zone() {
    let late = Timestamp::parse("2026-03-11T23:30:00Z").unwrap();
    let day = |east: i32| absolute("today", &Moment::new(late, east), &Meta::default());
    assert_eq!((day(0), day(60), day(-600)), ("2026-03-11".into(), "2026-03-12".into(), "2026-03-11".into()));
    let new_year = Timestamp::parse("2027-01-01T00:30:00Z").unwrap();
    let say = |text: &str| absolute(text, &Moment::new(new_year, -60), &Meta::default());
    assert_eq!(say("去年 last month 上个月 yesterday"), "2025 年 2026-11 2026-11 2026-12-30");
}

/// A month that has no such day, a leap day, the other weekdays: a week of every day of two years.
#[test]
fn every_day_of_two_years_has_its_weeks_and_months() {
    let start = Timestamp::parse("2027-06-15T12:00:00Z").unwrap();
    for day in 0..730_u64 {
        let moment = Moment::new(start.plus_ms(day * 86_400_000), 0);
        let say = |text: &str| absolute(text, &moment, &Meta::default());
        let today = say("today");
        assert!(say("上周一") < say("本周一") && say("本周一") <= today && today <= say("本周日"), "{today}");
        assert!(say("上周日") < say("本周一") && say("本周日") < say("下周一"), "{today}");
        assert!(say("上个月").as_str() < &today[..7] && &today[..7] < say("下个月").as_str(), "{today}");
        assert_eq!(say("一周前"), say("a week ago"));
    }
}

#[test]
fn ids_are_runs_of_five_to_twelve_digits() {
    assert_eq!(ids("用户 12345 和 1234 和 a123456789012b 1234567890123"), ["12345", "123456789012"]);
}

/// 20 KB of the worst there is: marks that open and never close, terms that look around.
#[test]
fn long_texts_are_read_in_one_pass() {
    for part in ["“", "\"a", "(", "`a ``b ", "后天", "a::", "<!-", "last ", "他“", "~/", "三", "I "] {
        let text = part.repeat(20_000 / part.len());
        let _ = absolute(&text, &moment(), &Meta::default());
    }
}

/// Whatever the text, what is found are its own words, in order and apart, and nothing else changes.
#[test]
fn hits_are_words_of_the_text() {
    use proptest::prelude::*;
    let words = [
        "昨天",
        "他",
        "出现在",
        "last week",
        "I",
        "`",
        "“",
        "”",
        " ",
        "\n",
        "今",
        "天",
        "'s",
        "é",
        "👩‍👧",
        "三天前",
        "/",
        "<!--",
    ];
    let text = proptest::collection::vec(proptest::sample::select(words.to_vec()), 0..30);
    proptest!(|(text in text)| {
        let text = text.concat();
        let mut end = 0;
        for hit in hits(&text) {
            prop_assert!(hit.range.start >= end && text.get(hit.range.clone()).is_some_and(|word| !word.is_empty()));
            end = hit.range.end;
        }
        let _ = absolute(&text, &moment(), &Meta::default());
    });
}

/// Two common words of the dictionary side by side, with a time word across where they meet: 声明 and 日期. Neither is cut, and none
/// of them is rewritten, whichever two they are.
#[test]
fn no_word_is_cut_where_two_meet() {
    let path = format!("{}/words/chinese.txt", env!("CARGO_MANIFEST_DIR"));
    let dictionary = std::fs::read_to_string(path).unwrap();
    let words: Vec<&str> = dictionary
        .lines()
        .filter_map(|line| line.split_once(' '))
        .filter(|(word, count)| word.chars().count() == 2 && count.parse::<u32>().unwrap() >= 500)
        .map(|(word, _)| word)
        .collect();
    let (mut pairs, mut cut) = (0, Vec::new());
    for which in "今明昨前后去上下本".chars() {
        for unit in "天日年月周晚早".chars() {
            let ends = words.iter().filter(|word| word.ends_with(which));
            for left in ends {
                for right in words.iter().filter(|word| word.starts_with(unit)) {
                    // 下下周 and 上上月 are words of their own.
                    let own = left.starts_with(which);
                    let text = format!("{left}{right}");
                    pairs += usize::from(!own);
                    if !own && absolute(&text, &moment(), &Meta::default()) != text {
                        cut.push(text);
                    }
                }
            }
        }
    }
    assert!(pairs > 5_000, "{pairs}");
    assert!(cut.is_empty(), "{} of {pairs}: {}", cut.len(), cut.join(" "));
}

/// The same with times that are put together from two, which begin or end with a part of a word.
#[test]
fn no_word_is_cut_beside_a_time_of_two() {
    for text in
        ["证明后天可以改", "声明后两天有效", "说明后天气转晴", "海上月第一天", "基本月最后一天", "日本地人口"]
    {
        let after = absolute(text, &moment(), &Meta::default());
        let first = text.chars().next().unwrap();
        assert!(!after.starts_with(&format!("{first}2")), "{after}");
    }
}

/// What is not a hit stays byte for byte, whatever is written beside it.
#[test]
fn only_hits_are_replaced() {
    use proptest::prelude::*;
    let file = |name| {
        std::fs::read_to_string(format!("{}/../fixtures/gate/{name}.txt", env!("CARGO_MANIFEST_DIR")))
            .unwrap()
    };
    let lines: Vec<String> = TUNED
        .into_iter()
        .flat_map(|name| file(name).lines().map(|line| sentence(line).text).collect::<Vec<_>>())
        .collect();
    let marks = ["", "\n", "\n- ", "。", " ", "\r\n", "`", "“", "👩‍👧", "\u{feff}"].map(str::to_owned).to_vec();
    let part = (proptest::sample::select(lines), proptest::sample::select(marks));
    let meta = Meta {
        user: Some("Anna".to_owned()),
        speaker: Some("Bo".to_owned()),
        place: Some("Basel".to_owned()),
        ..Meta::default()
    };
    proptest!(|(parts in proptest::collection::vec(part, 0..6))| {
        let text: String = parts.into_iter().map(|(line, mark)| line + &mark).collect();
        let (rewritten, kept) = policy::time_words::rewritten(&text, &moment(), &meta);
        prop_assert_eq!(&rewritten, &absolute(&text, &moment(), &meta));
        let (mut old, mut new) = (0, 0);
        for (of_old, of_new) in kept {
            prop_assert_eq!(&text[old..of_old.start], &rewritten[new..of_new.start]);
            (old, new) = (of_old.end, of_new.end);
        }
        prop_assert_eq!(&text[old..], &rewritten[new..]);
    });
}

/// Each pronoun looks at what stands before it in its sentence: of a text without an end of a sentence that would be all of it.
#[test]
fn a_long_text_without_sentences_is_read_in_bounded_work() {
    let meta = Meta { speaker: Some("Claude".to_owned()), user: Some("Anna".to_owned()), ..Meta::default() };
    for word in ["我", "他，", "my ", "昨天，", "he ", "这里，"] {
        let text = word.repeat(100_000 / word.len());
        // A line of this length is no prose: nothing is looked for in it.
        assert_eq!(absolute(&text, &moment(), &meta), text, "{word}");
        let text = word.repeat(19_000 / word.len());
        assert!(absolute(&text, &moment(), &meta).len() >= text.len() / 2, "{word}");
    }
}
