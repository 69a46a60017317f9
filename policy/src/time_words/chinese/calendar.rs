//! Words for times: which one (去, 上上, 大后) and which unit (年, 个月, 周) are put together by rules, so that no
//! combination is a case of its own; then counts of units (三天前), parts of periods (月底) and the present (目前).

use super::super::{Period, Relative};
use super::numbers::{amount, number};
use super::reading::{CLAUSE_ENDS, Found, Reading, ends_with, starts_with};
use Relative::{
    Day, DayOfMonth, DayPart, EndOf, Minutes, Month, Nearest, Part, PartOfYear, Quarter, SameDay, Vague,
    Week, Weekday, Weekend, Year,
};

/// Words that `day_or_year` looks for.
const WHICH_DAY: [(&str, i64); 10] = [
    ("大大前", -4),
    ("大大后", 4),
    ("大前", -3),
    ("大后", 3),
    ("前", -2),
    ("昨", -1),
    ("去", -1),
    ("今", 0),
    ("明", 1),
    ("后", 2),
];
/// Words that `day_or_year` looks for.
const ALL_UNDER_HEAVEN: [&str; 7] = ["下大势", "下太平", "下三分", "下苍生", "下英雄", "下之", "下无敌"];

/// 今天, 大前年, 昨晚: a word for the day or the year, counted from the one it is said in.
pub(super) fn day_or_year(reading: &Reading<'_>, at: usize) -> Option<Found> {
    let (before, rest) = reading.split(at);
    let (which, by) = WHICH_DAY.into_iter().find(|(which, _)| rest.starts_with(which))?;
    let of_unit = &rest[which.len()..];
    let unit = of_unit.chars().next()?;
    let length = which.len() + unit.len_utf8();
    let behind = &rest[length..];
    // 而今|年近花甲.
    let of_an_age = ends_with(before, &["而", "如", "现", "当"]).is_some();
    if (which, unit) == ("今", '年') && of_an_age && behind.starts_with(['近', '过', '届', '逾', '已'])
    {
        return None;
    }
    if which == "明" && is_a_given_name(reading, at, behind) {
        return None;
    }
    // 当|今天下大势, not 今天|下.
    let heaven = unit == '天' && starts_with(behind, &ALL_UNDER_HEAVEN).is_some();
    if heaven || is_a_name(behind) || is_a_word(before, behind) || unit != '年' && is_an_age(before, behind)
    {
        return None;
    }
    // 从|今年|起: 从今 is no word there.
    if let Some(relative) = from_then_on(before, which, unit, behind).then_some(by) {
        let relative = if unit == '年' { Year(relative) } else { Day(relative) };
        return Some(Found { whole: true, ..Found::certain(length, relative) });
    }
    if let Some(same) = same_day(which, by, unit, behind) {
        return Some(Found::certain(length + same.1, same.0));
    }
    let relative = match (which, unit) {
        ("去", '年') | ("大前" | "前" | "今" | "明" | "后" | "大后", '年') => {
            let part = starts_with(behind, &["底", "末", "初", "年底", "年末", "年初", "年中"])
                .filter(|part| !behind[part.len()..].starts_with(['级', '国', '学', '春', '夏', '秋', '冬']));
            return Some(match part {
                Some(part) => {
                    Found::certain(length + part.len(), Part(Period::Year, by, part)).or(length, Year(by))
                }
                None => Found::certain(length, Year(by)),
            });
        }
        ("去", _) => return None,
        ("大前" | "前" | "后" | "大后", '儿') if !is_a_child(before, behind) => Day(by),
        // 昨个, and 昨个儿; not 至今|个人.
        ("昨" | "今" | "明", '个')
            if !is_each(before, behind) && !behind.starts_with("礼拜") && !behind.starts_with("星期") =>
        {
            let more = if behind.starts_with('儿') { "儿".len() } else { 0 };
            return Some(Found::certain(length + more, Day(by)));
        }
        (_, '天') | ("昨" | "今" | "明", '日' | '儿') => Day(by),
        ("昨" | "今" | "明" | "前", '晚') => DayPart(by, "晚上"),
        ("昨" | "今", '夜') => DayPart(by, "夜里"),
        ("今" | "明", '早' | '晨') => DayPart(by, "早上"),
        ("昨", '晨') => DayPart(by, "早上"),
        _ => return None,
    };
    if unit == '儿' && behind.starts_with("们") {
        return None;
    }
    if unit == '天' && is_no_genius(before, which, behind) {
        return Some(Found { whole: true, ..Found::certain(length, relative) });
    }
    // 今儿个 is 今儿.
    if unit == '儿' && behind.starts_with('个') {
        return Some(Found::certain(length + "个".len(), relative));
    }
    let born = (which, unit) == ("后", '天') && later_in_life(before, behind);
    (!born).then(|| Found::certain(length, relative))
}

/// 旅行社|今天|才发: nobody is 今 and a genius.
fn is_no_genius(before: &str, which: &str, behind: &str) -> bool {
    behind.starts_with('才')
        && matches!(which, "昨" | "今")
        && ends_with(before, &["当", "如", "至", "古", "迄", "现", "而"]).is_none()
}

/// 从今年起, 自今天开始.
fn from_then_on(before: &str, which: &str, unit: char, behind: &str) -> bool {
    matches!(which, "今" | "明" | "昨" | "去")
        && matches!((which, unit), (_, '年') | ("今" | "明" | "昨", '天' | '日'))
        && before.ends_with(['从', '自'])
        && (behind.starts_with('起') || behind.starts_with("开始"))
}

/// 听日, 琴晚: days as they are called in the south.
pub(super) fn southern_day(reading: &Reading<'_>, at: usize) -> Option<Found> {
    const DAYS: [(&str, Relative); 19] = [
        ("大后日", Day(3)),
        ("大前日", Day(-3)),
        ("今个礼拜", Week(0)),
        ("今个星期", Week(0)),
        ("今个月", Month(0)),
        ("旧年", Year(-1)),
        ("出年", Year(1)),
        ("头先", Day(0)),
        ("啱啱", Day(0)),
        ("听日", Day(1)),
        ("琴日", Day(-1)),
        ("寻日", Day(-1)),
        ("后日", Day(2)),
        ("前日", Day(-2)),
        ("听晚", DayPart(1, "晚上")),
        ("琴晚", DayPart(-1, "晚上")),
        ("寻晚", DayPart(-1, "晚上")),
        ("听朝", DayPart(1, "早上")),
        ("今朝", DayPart(0, "早上")),
    ];
    let (before, rest) = reading.split(at);
    let (word, relative) = DAYS.into_iter().find(|(word, _)| rest.starts_with(word))?;
    // 今朝 is an age in verse, and 前日, 后日 are a part of other words: 先前日子, 此后日渐.
    let doubtful = matches!(word, "今朝" | "前日" | "后日" | "旧年" | "出年" | "头先");
    let southern = ["佢", "哋", "咗", "唔", "嘅", "冇", "喺", "啲", "嚟", "睇", "嗰", "係"]
        .iter()
        .any(|word| reading.line_text(at).contains(word));
    let other = before.ends_with(|c: char| c.is_numeric())
        || rest[word.len()..].starts_with(['语', '本', '子', '期', '渐', '益', '常', '报', '照']);
    // 听日|落雨: there is no other word for it at the beginning of a clause.
    let opens = reading.begins_clause(at) && !word.starts_with('今');
    let alone = opens && (!doubtful || word == "后日" || southern);
    (!other && (!doubtful || southern || alone))
        .then(|| Found { whole: alone, ..Found::certain(word.len(), relative) })
}

/// 以前|儿子, 前|儿媳.
fn is_a_child(before: &str, behind: &str) -> bool {
    starts_with(behind, &["子", "女", "媳", "童", "孙", "科", "们", "歌", "时", "园"]).is_some()
        || ends_with(before, &["以", "之", "从", "目", "然", "最", "先", "今", "向", "往"]).is_some()
}

/// 至今|个别, 如今|个人.
fn is_each(before: &str, behind: &str) -> bool {
    starts_with(behind, &["人", "别", "体", "性", "个", "月", "税", "股", "案", "位"]).is_some()
        || ends_with(before, &["至", "如", "当", "现", "而", "说", "表", "证", "声", "透", "注", "标"])
            .is_some()
}

/// 去年今天: the same day of another year.
fn same_day(which: &str, by: i64, unit: char, behind: &str) -> Option<(Relative, usize)> {
    let word = ["今天", "今日", "的今天", "的今日"].into_iter().find(|word| behind.starts_with(word))?;
    (unit == '年' && matches!(which, "去" | "前" | "明")).then_some((SameDay(by), word.len()))
}

/// 后天 as what comes after birth: 后天努力, 先天不足后天补.
fn later_in_life(before: &str, behind: &str) -> bool {
    const MADE: &[&str] = &[
        "性",
        "习",
        "形",
        "努",
        "获",
        "因",
        "免",
        "教",
        "环",
        "养",
        "培",
        "训",
        "苦",
        "勤",
        "塑",
        "补",
        "失",
        "学",
        "修",
        "影响",
        "的努力",
        "的培养",
        "的教育",
        "的学习",
        "的训练",
        "的环境",
        "的影响",
        "的因素",
        "的修",
        "的勤",
        "的补",
    ];
    starts_with(behind, MADE).is_some()
        || ends_with(before, &["先天与", "先天和", "先天、"]).is_some()
        || ["先天", "天赋", "天生", "遗传"].iter().any(|born| clause_tail(before).contains(born))
        || ["先天", "遗传", "天生", "基因"]
            .iter()
            .any(|born| behind.chars().take(12).collect::<String>().contains(born))
}

fn clause_tail(before: &str) -> &str {
    let start = before.char_indices().rev().nth(15).map_or(0, |(at, _)| at);
    &before[start..]
}

/// 今天的年轻人, 昨天今天明天: an age is meant, not a day.
fn is_an_age(before: &str, behind: &str) -> bool {
    const DAYS: &[&str] = &["昨天", "今天", "明天"];
    const OF_AN_AGE: &[&str] = &[
        "年轻人",
        "孩子",
        "青年",
        "少年",
        "学生",
        "大学",
        "父母",
        "我们",
        "人们",
        "社会",
        "世界",
        "中国",
        "互联网",
        "时代",
        "生活",
        "城市",
        "农村",
        "科技",
        "技术",
        "教育",
        "市场",
        "读者",
        "成就",
        "成功",
        "幸福",
    ];
    // 昨天与今天的中国 are two ages as well.
    let next =
        behind.strip_prefix(['与', '和']).and_then(|next| Some(&next[starts_with(next, DAYS)?.len()..]));
    let of_an_age =
        next.unwrap_or(behind).strip_prefix('的').is_some_and(|noun| starts_with(noun, OF_AN_AGE).is_some());
    of_an_age || ends_with(before, DAYS).is_some() || starts_with(behind, DAYS).is_some()
}

/// Words that make a name of the word before them: 明天集团, 今日头条.
fn is_a_name(behind: &str) -> bool {
    const NAMES: &[&str] = &[
        "集团",
        "控股",
        "公司",
        "头条",
        "推荐",
        "热搜",
        "资本",
        "科技",
        "传媒",
        "广场",
        "酒店",
        "杂志",
        "周刊",
        "快讯",
        "之星",
        "之子",
        "出版",
        "证券",
        "银行",
        "基金",
        "乐队",
        "剧场",
        "影视",
        "学堂",
        "书店",
        "说法",
        "会更好",
        "又是新的一天",
        "和意外",
        "重现",
        "方舟",
        "报社",
        "系的",
        "复明日",
        "今日此",
        "此门中",
        "黄花",
        "之后遗",
        "香",
        "非昔",
    ];
    // 明天启航文化公司法人是赵某.
    const VERBS: [char; 24] = [
        '去', '来', '到', '和', '在', '给', '向', '访', '见', '联', '找', '换', '有', '是', '跟', '对', '让',
        '请', '把', '的', '由', '与', '，', '问',
    ];
    let head: String = behind.chars().take(10).collect();
    let company = head.split_once("公司").is_some_and(|(name, rest)| {
        !name.is_empty()
            && !name.contains(VERBS)
            && starts_with(rest, &["法人", "是", "成立", "注册", "有限", "董事", "总部"]).is_some()
    });
    if company {
        return true;
    }
    // 今天是个好日子是一首歌: what is called a song is its name.
    let near = behind.char_indices().nth(30).map_or(behind, |(at, _)| &behind[..at]);
    let clause = near.split(['，', '。', '\n']).next().unwrap_or_default();
    let works = ["是一首", "是一部", "是一本", "是一档", "是一款", "是一个节目", "是一句"];
    starts_with(behind, NAMES).is_some() || works.iter().any(|work| clause.contains(work))
}

/// 副手:岳|明年, 赵|明天、: nothing but a surname stands before it, and a list or a label ends behind it.
fn is_a_given_name(reading: &Reading<'_>, at: usize, behind: &str) -> bool {
    const SURNAMES: &str = "王李张刘陈杨赵黄吴徐孙胡朱郭何罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴汪田任姜范石姚谭廖邹熊陆郝孔崔康毛邱秦江史顾侯邵孟龙段汤尹黎易常武乔贺赖龚岳";
    let head = reading.clause_before(at);
    let head = head.rsplit([':', '、', ' ']).next().unwrap_or_default();
    let mut chars = head.chars();
    let is_one = chars.next().is_some_and(|c| SURNAMES.contains(c)) && chars.next().is_none();
    is_one
        && (behind.is_empty()
            || behind.starts_with(['、', '，', ',', '。', ';', '；', '\n', '）', ')', '和', '与', '是']))
}

/// 不要写昨天: the word itself is meant.
fn is_a_word(before: &str, behind: &str) -> bool {
    // 他弟弟叫|明天.
    if before.ends_with('叫') && !behind.starts_with(char::is_alphanumeric) {
        return true;
    }
    ends_with(
        before,
        &[
            "昵称叫",
            "名字叫",
            "名叫",
            "名为",
            "叫作",
            "叫做",
            "返回",
            "不要写",
            "别写",
            "不写",
            "写成",
            "写作",
            "说成",
            "改成",
            "翻译成",
        ],
    )
    .is_some()
        || ["昨天、", "今天、", "明天、"]
            .iter()
            .any(|word| before.strip_suffix(word).is_some_and(|before| is_a_word(before, "")))
}

/// 上个月, 下下周二, 本季度, 上周末: one of the periods around the one it is said in.
pub(super) fn period(reading: &Reading<'_>, at: usize) -> Option<Found> {
    const WHICH: [(&str, i64); 6] = [("上上", -2), ("下下", 2), ("上", -1), ("下", 1), ("本", 0), ("这", 0)];
    let (before, rest) = reading.split(at);
    let (which, by) = WHICH.into_iter().find(|(which, _)| rest.starts_with(which))?;
    // The second 上 of 上上 is not the beginning of a word.
    if before.ends_with(which) {
        return None;
    }
    let of_unit = &rest[which.len()..];
    let measures = [("一个", "一个"), ("个", "个"), ("一", "一周"), ("一", "一星期"), ("一", "一季度")];
    let measure =
        measures.into_iter().find(|(_, start)| of_unit.starts_with(start)).map_or("", |(measure, _)| measure);
    let unit = &of_unit[measure.len()..];
    // 上一周, 下一个月; 这一周 of a tale.
    if measure.starts_with('一') && (by == 0 || !reading.opens_or_follows(at)) {
        return None;
    }
    let from = which.len() + measure.len();
    if let Some(weekend) = starts_with(unit, &["周末", "星期末", "礼拜末"]) {
        // The 下 of 乡下周末, the 上 of 早上周末 are parts of other words.
        let other = ends_with(before, &["乡", "早", "晚", "线", "手", "天", "以", "地"]).is_some()
            && measure.is_empty()
            && which != "本";
        return (!other).then(|| Found::certain(from + weekend.len(), Weekend(by)));
    }
    if unit.starts_with("季度")
        || measure.is_empty() && (unit.starts_with("季末") || unit.starts_with("季初"))
    {
        let noun = if unit.starts_with("季度") { "季度" } else { "季" };
        return Some(Found::certain(from + noun.len(), Quarter(by)));
    }
    // 大上周 is the week before last.
    let certain = !before.ends_with('大');
    let singles = measure.ends_with('个') || measure.is_empty() && which != "这";
    if unit.starts_with('月') && singles {
        // 这个月|工资 is of this month, however often 月工资 is one word.
        let pay = measure == "个"
            && (by.abs() == 2 || unit["月".len()..].starts_with(['工', '薪', '租', '供', '费']));
        return month(unit, from, by).map(|found| Found { certain, whole: pay, ..found });
    }
    if measure.is_empty() && which != "这" && unit.starts_with("半年") {
        return matches!(which, "上" | "下")
            .then(|| {
                let word = if which == "上" { "上半年" } else { "下半年" };
                Found::certain(from + "半年".len(), of_this_year(word, &unit["半年".len()..]))
            })
            .filter(|_| !before.ends_with('年'));
    }
    // 上个迭代, 下个赛季: how long one is nobody knows.
    if measure.ends_with('个')
        && let Some(noun) = starts_with(unit, &["迭代", "学期", "赛季", "财年", "冲刺"])
    {
        return (by != 0
            && (reading.opens_or_follows(at) || reading.after_noun(at) && reading.is_note_like(at)))
        .then(|| Found::certain(from + noun.len(), Vague));
    }
    week(unit, from, by, measure).map(|found| Found { certain: certain && found.certain, ..found })
}

fn month(unit: &str, from: usize, by: i64) -> Option<Found> {
    let behind = &unit["月".len()..];
    let part = starts_with(behind, &["底", "末", "尾", "初", "中旬", "上旬", "下旬", "月底", "月末", "月初"]);
    let length = from + "月".len();
    let blank = usize::from(behind.starts_with(' '));
    let bare = &behind[blank..];
    if let Some((day @ 1..=31, digits)) = number(bare)
        && let Some(unit) = starts_with(&bare[digits..], &["号", "日", " 号", " 日"])
        && !bare[digits + unit.len()..]
            .starts_with(['楼', '线', '馆', '院', '厅', '机', '库', '门', '店', '员', '游'])
    {
        let day = u32::try_from(day).ok()?;
        return Some(Found::certain(length + blank + digits + unit.len(), DayOfMonth(by, day)));
    }
    Some(match part {
        Some(part) => {
            Found::certain(length + part.len(), Part(Period::Month, by, part)).or(length, Month(by))
        }
        None => Found::certain(length, Month(by)),
    })
}

/// Days of the week, from Monday.
const WEEKDAYS: [char; 8] = ['一', '二', '三', '四', '五', '六', '日', '天'];

fn week(unit: &str, from: usize, by: i64, measure: &str) -> Option<Found> {
    // 下个周三; 下个周 is nothing.
    let of_week = unit.strip_prefix('周').is_some_and(|day| day.starts_with(WEEKDAYS));
    let noun = if matches!(measure, "" | "一") || of_week {
        starts_with(unit, &["周", "星期", "礼拜"])?
    } else {
        starts_with(unit, &["星期", "礼拜"])?
    };
    // 上周周三, 下周的周五.
    let doubled = |behind: &str| {
        let of = if behind.starts_with('的') { "的".len() } else { 0 };
        let again = starts_with(&behind[of..], &["周", "星期", "礼拜"])?;
        behind[of + again.len()..].starts_with(WEEKDAYS).then_some(of + again.len())
    };
    let more = if measure.is_empty() { doubled(&unit[noun.len()..]).unwrap_or_default() } else { 0 };
    let week_length = from + noun.len();
    let length = week_length + more;
    let behind = &unit[noun.len() + more..];
    // 上周5 is 上周五, if it does not count anything.
    if let Some(number) = behind.chars().next().and_then(|c| c.to_digit(10)).filter(|n| (1..=7).contains(n)) {
        let next = &behind[1..];
        let counts = next.starts_with(|c: char| {
            c.is_ascii_alphanumeric()
                || "个次天场篇条项份家位种号日月年台人件万千百十点:：.%-~、/～到至".contains(c)
        });
        return (!counts).then(|| Found::certain(length + 1, Weekday(by, number - 1)));
    }
    // 上周|天气.
    let sky = ["天气", "天空", "天文", "天线", "天然", "天津", "天数"];
    let day = behind.chars().next().filter(|_| starts_with(behind, &sky).is_none());
    let day = day.and_then(|c| WEEKDAYS.iter().position(|day| *day == c));
    Some(match day {
        Some(day) => {
            let weekday = u32::try_from(day.min(6)).unwrap_or(6);
            let end = WEEKDAYS[day].len_utf8();
            // 本周五六 are two days.
            let next = &behind[end..];
            // 上周六|二比一赢了 is one, and a score.
            let score = number(next).is_some_and(|(_, length)| next[length..].starts_with('比'));
            let is_one = !next.starts_with(WEEKDAYS) || score;
            Found { certain: is_one, ..Found::certain(length + end, Weekday(by, weekday)) }
                .or(week_length, Week(by))
        }
        None => Found::certain(week_length, Week(by)),
    })
}

/// What a number of units refers to.
type OfCount = fn(i64) -> Relative;

/// Units behind a number; the ones a calendar does not count are `Vague`.
const UNITS: [(&str, OfCount); 23] = [
    ("天", Day),
    ("日", Day),
    ("个星期", |n| Day(n * 7)),
    ("星期", |n| Day(n * 7)),
    ("周", |n| Day(n * 7)),
    ("个礼拜", |n| Day(n * 7)),
    ("礼拜", |n| Day(n * 7)),
    ("个半月", |_| Vague),
    ("个多月", |_| Vague),
    ("个月", Month),
    ("年", Year),
    ("个半小时", |n| Minutes(60 * n + 30 * n.signum())),
    ("个半钟头", |n| Minutes(60 * n + 30 * n.signum())),
    ("个多小时", |_| Vague),
    ("个小时", |n| Minutes(60 * n)),
    ("小时", |n| Minutes(60 * n)),
    ("个钟头", |n| Minutes(60 * n)),
    ("刻钟", |n| Minutes(15 * n)),
    ("分钟", Minutes),
    ("个季度", Quarter),
    ("个工作日", |_| Vague),
    ("个交易日", |_| Vague),
    ("个晚上", |_| Vague),
];

/// 俩月 is 两个月; 三月 is March.
const MONTH_OF_TWO: (&str, OfCount) = ("月", Month);

/// So many years back people speak of their own life; a longer time ago is history.
const YEARS_MAX: i64 = 200;

/// 三天前, 2 个月之前, 一年半前, 半小时前, and at the beginning of a clause 十天后.
pub(super) fn counted(reading: &Reading<'_>, at: usize) -> Option<Found> {
    let (before, rest) = reading.split(at);
    if before.ends_with(|c: char| {
        c.is_ascii_alphanumeric()
            || c.is_numeric()
            || "零一二两三四五六七八九十百千万亿第每前后过半内几数近.-/".contains(c)
    }) || before.strip_suffix(':').is_some_and(|head| head.ends_with(|c: char| c.is_numeric()))
    {
        return None;
    }
    let (mut length, past, future) = half(rest).or_else(|| whole(rest))?;
    let (past, future) = if about(before) { (Vague, Vague) } else { (past, future) };
    let word = starts_with(&rest[length..], &["之前", "以前", "前", "之后", "以后", "后"])?;
    length += word.len();
    let behind = &rest[length..];
    let both = ["端", "缀", "台", "后", "置", "排", "期", "半段", "半场", "半程", "半部", "线", "方"];
    let own: &[&str] = if word.ends_with('前') {
        &["提是", "提下", "提条", "往", "卫", "沿", "夕"]
    } else {
        &["勤", "续", "卫"]
    };
    if starts_with(behind, &both).or_else(|| starts_with(behind, own)).is_some() {
        return None;
    }
    if word.ends_with('前') {
        // 五年前|来到上海: a number leads to no 前来.
        let whole = word == "前" && behind.starts_with(['来', '去']);
        return (!reading.goes_on_from_a_date(at)).then(|| Found { whole, ..Found::certain(length, past) });
    }
    let head = reading.clause_before(at);
    let follows = reading.goes_on_from_an_event(at) && !is_announced(head);
    // 请在|十五分钟后|重试.
    let asked = matches!(future, Minutes(_)) && head.trim_start().starts_with('请');
    if behind.starts_with('的') || is_narrated(behind) || follows || asked {
        return None;
    }
    let ahead = reading.opens(at)
        || !matches!(future, Minutes(_)) && is_a_term(head, behind)
        || reading.after_subject(at) && reading.one_statement(at) && !is_a_rule(behind);
    let coming = is_to_come(reading, at, behind)
        || is_announced(head)
        || begins_itself(reading, at, behind)
        || begins_or_is_inexact(reading, at, future, behind) && !names_an_event(head);
    let certain = ahead || is_a_thing(head) || begins_then(head, behind);
    // 三小时后|起飞: no word of the dictionary begins with that 后.
    let next: String = behind.chars().take(2).collect();
    let whole = next.chars().count() == 2 && super::super::segments::is_a_word(&next) && word == "后";
    (ahead || coming).then(|| Found { certain, whole, ..Found::certain(length, future) })
}

/// 发布|三小时后|开始, and nothing else behind it.
fn begins_itself(reading: &Reading<'_>, at: usize, behind: &str) -> bool {
    let begins = starts_with(behind, &["开始", "开幕", "开考", "开庭", "开赛", "举行", "开演", "开播"]);
    let ends = begins.is_some_and(|word| !behind[word.len()..].starts_with(char::is_alphanumeric));
    ends && reading.after_noun(at) && reading.two_statements(at) && !names_a_kind(reading.clause_before(at))
}

/// 联赛|两天后|开幕; 土豆|个把月后|下地, which is only marked, whatever happens before it.
fn begins_or_is_inexact(reading: &Reading<'_>, at: usize, future: Relative, behind: &str) -> bool {
    let noted = reading.after_noun(at) && reading.is_note_like(at) && reading.two_statements(at);
    noted && (begins_then(reading.clause_before(at), behind) || future == Vague && !behind.is_empty())
}

/// Whether a short note tells what becomes of one thing: 租的车|一周后还. Behind an event (签约|三年后) it is counted from there.
fn is_to_come(reading: &Reading<'_>, at: usize, behind: &str) -> bool {
    let head = reading.clause_before(at);
    let bare = head.trim_start_matches([' ', '-', '*']);
    let happens =
        !behind.is_empty() && !behind.starts_with(['，', ',', '。', '内', '仍', '再', '起', '、', '）', ')']);
    let noted = reading.one_statement(at) || reading.two_statements(at);
    // 出生|三天后: what is that short may be an event.
    let is_name = bare.chars().count() == 2 && !super::super::segments::is_a_word(bare);
    let is_named = bare.chars().count() > 2
        || is_name
        || is_a_thing(bare)
        || ends_with(bare, &["比赛", "会议", "考试", "展览", "航班", "手机"]).is_some();
    noted
        && is_named
        && happens
        && !names_an_event(bare)
        && !names_a_kind(bare)
        && (!is_a_rule(behind) || is_a_thing(bare))
        && (reading.after_noun(at) || is_a_thing(bare))
}

/// Whether an event or a journey begins then: 半决赛|七天后开打.
fn begins_then(head: &str, behind: &str) -> bool {
    const BEGINS: [&str; 19] = [
        "停掉", "停用", "下线", "关停", "停服", "转正", "开打", "开始", "开幕", "开考", "开庭", "开赛",
        "举行", "开演", "开播", "起飞", "出发", "发车", "开工",
    ];
    (starts_with(behind, &BEGINS).is_some() || behind == "出") && !names_a_kind(head)
}

/// Whether somebody says or writes what will be: 船长宣布|两天后靠岸.
fn is_announced(head: &str) -> bool {
    const SAYS: [&str; 16] = [
        "宣布",
        "写着",
        "写道",
        "写明",
        "上说",
        "说明",
        "客户说",
        "他说",
        "她说",
        "表示",
        "通知",
        "预计",
        "答应",
        "承诺",
        "约定",
        "定于",
    ];
    let last = ends_with(head, &SAYS).is_some();
    last || SAYS.iter().any(|says| head.contains(says)) && !names_an_event(head) && !names_a_kind(head)
}

/// Whether the text ends with a thing of which only one is meant, and which is no event: 京都的酒店, 租的车.
fn is_a_thing(head: &str) -> bool {
    const THINGS: [&str; 57] = [
        "航班",
        "火车",
        "高铁",
        "飞机",
        "轮船",
        "大巴",
        "工牌",
        "门禁卡",
        "驾照",
        "居住证",
        "疫苗本",
        "任务",
        "酒店",
        "宾馆",
        "车",
        "借款",
        "贷款",
        "尾款",
        "货款",
        "余款",
        "房租",
        "租金",
        "押金",
        "定金",
        "学费",
        "证书",
        "护照",
        "签证",
        "合同",
        "租约",
        "保险",
        "保单",
        "机票",
        "车票",
        "门票",
        "船票",
        "办公室",
        "新房",
        "房子",
        "仓库",
        "机房",
        "店",
        "餐厅",
        "展馆",
        "服务器",
        "域名",
        "机器",
        "设备",
        "新版",
        "版本",
        "书",
        "包裹",
        "快递",
        "牙套",
        "石膏",
        "电梯",
        "路",
    ];
    ends_with(head.trim_end(), &THINGS).is_some()
}

/// Whether it says what becomes of each of a kind: 用户三十天后|自动退出.
fn is_a_rule(behind: &str) -> bool {
    const RULES: [&str; 16] = [
        "自动", "会被", "将被", "被", "则", "未", "可", "需", "才", "仍", "即", "无法", "不能", "失效",
        "过期", "必须",
    ];
    RULES.iter().any(|word| behind.contains(word))
}

/// Whether something runs out then that runs now: 贷款|十二年后还清. Behind an event (签约|三年后到期) and for each of a kind (令牌|三天后过期)
/// the time is counted from another day.
fn is_a_term(head: &str, behind: &str) -> bool {
    const ENDS: [&str; 14] = [
        "到期",
        "过期",
        "失效",
        "还清",
        "结清",
        "结束",
        "毕业",
        "截止",
        "届满",
        "退休",
        "开学",
        "出结果",
        "开业",
        "收官",
    ];
    let sure = ["就要", "即将", "就", "将", "要", "会"];
    let behind = starts_with(behind, &sure).map_or(behind, |word| &behind[word.len()..]);
    let is_short = (1..=8).contains(&head.chars().count());
    starts_with(behind, &ENDS).is_some() && is_short && !names_an_event(head) && !names_a_kind(head)
}

/// Words that `names_an_event` looks for.
const EVENTS: [&str; 90] = [
    "买来",
    "买回",
    "还车",
    "提车",
    "退房",
    "播种",
    "定植",
    "移栽",
    "施肥",
    "接种",
    "拆线",
    "孵化",
    "抽血",
    "入手",
    "入职",
    "下单",
    "付",
    "签",
    "完成",
    "注册",
    "发布",
    "上线",
    "手术",
    "购买",
    "激活",
    "生效",
    "创建",
    "登录",
    "收",
    "提交",
    "申请",
    "交付",
    "开通",
    "发货",
    "续",
    "结婚",
    "开始",
    "领取",
    "生成",
    "打开",
    "使用",
    "安装",
    "更新",
    "投递",
    "起",
    "后",
    "了",
    "时",
    "均",
    "默认",
    "出院",
    "入院",
    "住院",
    "离开",
    "到达",
    "抵达",
    "到货",
    "到账",
    "毕业",
    "开学",
    "开工",
    "竣工",
    "离职",
    "转正",
    "接种",
    "服药",
    "停药",
    "通过",
    "验收",
    "归还",
    "交房",
    "入住",
    "退房",
    "受伤",
    "分手",
    "拿到",
    "立项",
    "投产",
    "试运行",
    "培训",
    "确诊",
    "发烧",
    "出生",
    "上班",
    "下班",
    "订立",
    "写入",
    "感染",
    "截止",
    "修改",
];

/// Whether something happens before a time, from which it may be counted.
fn names_an_event(head: &str) -> bool {
    EVENTS.iter().any(|word| head.contains(word))
}

/// Whether each thing of a kind is meant.
fn names_a_kind(head: &str) -> bool {
    const KINDS: [&str; 18] = [
        "密码",
        "缓存",
        "令牌",
        "会话",
        "链接",
        "验证码",
        "口令",
        "密钥",
        "券",
        "记录",
        "消息",
        "邮件",
        "文件",
        "备份",
        "日志",
        "任务",
        "请求",
        "订单",
    ];
    KINDS.iter().any(|word| head.contains(word))
}

/// 再过三天: so many units from now.
pub(super) fn passing(reading: &Reading<'_>, at: usize) -> Option<Found> {
    if let Some(found) = left(reading, at) {
        return Some(found);
    }
    let rest = reading.split(at).1;
    let rest = rest.strip_prefix("再过").or_else(|| rest.strip_prefix("再有"))?;
    let (length, _, future) = half(rest).or_else(|| whole(rest))?;
    let behind = &rest[length..];
    // 再过三天就满四十了 is no tale.
    let soon = behind.starts_with(['就', '才'])
        && reading.is_statement(at)
        && reading.clause_before(at).chars().count() <= 6;
    let said = soon
        || (reading.opens_or_follows(at)
            || reading.after_noun(at) && reading.is_note_like(at) && !behind.is_empty())
            && !behind.starts_with('的')
            && !reading.clause_from(at).contains('了');
    said.then(|| Found::certain("再过".len() + length, future))
}

/// 还有三天就得交, 还剩两周到期: so many units are left until something happens.
fn left(reading: &Reading<'_>, at: usize) -> Option<Found> {
    let (_, rest) = reading.split(at);
    let word = starts_with(rest, &["还有", "还剩"])?;
    let (length, _, future) = whole(&rest[word.len()..])?;
    let behind = &rest[word.len() + length..];
    let until = starts_with(behind, &["就", "到期", "截止", "开考", "开学", "开庭", "过期"]).is_some();
    let noted = (reading.one_statement(at) || reading.two_statements(at))
        && (reading.opens_or_follows(at) || reading.after_noun(at));
    let long = matches!(future, Day(_) | Month(_)) && !rest.contains('了');
    (until && noted && long).then(|| Found { whole: true, ..Found::certain(word.len() + length, future) })
}

/// Whether the text after it narrates: in 三天后，他走了 three days are counted from another event, not from now.
fn is_narrated(behind: &str) -> bool {
    let clause: String =
        behind.trim_start_matches(['，', ',']).chars().take_while(|c| !"，。！？；\n".contains(*c)).collect();
    behind.starts_with(['，', ',']) || clause.ends_with('了') || clause.contains('了')
}

fn half(rest: &str) -> Option<(usize, Relative, Relative)> {
    const HALVES: [(&str, Relative, Relative); 6] = [
        ("半个钟头", Minutes(-30), Minutes(30)),
        ("半年", Month(-6), Month(6)),
        ("半小时", Minutes(-30), Minutes(30)),
        ("半个小时", Minutes(-30), Minutes(30)),
        ("半个月", Vague, Vague),
        ("半天", Vague, Vague),
    ];
    HALVES
        .into_iter()
        .find(|(word, ..)| rest.starts_with(word))
        .map(|(word, past, future)| (word.len(), past, future))
}

fn whole(rest: &str) -> Option<(usize, Relative, Relative)> {
    // 百年前: very long ago.
    if rest.starts_with(['百', '千']) {
        return None;
    }
    // 个把月 is about one.
    let (count, digits) = if rest.starts_with("个把") { (None, "个把".len()) } else { amount(rest)? };
    let blank = usize::from(rest[digits..].starts_with(' '));
    let of_unit = &rest[digits + blank..];
    let of_two = rest[..digits].ends_with(['俩', '仨']);
    let of_two = of_two || rest.starts_with("个把");
    let months = (of_two && of_unit.starts_with("月")).then_some(&MONTH_OF_TWO);
    let (unit, relative) = months.or_else(|| UNITS.iter().find(|(unit, _)| of_unit.starts_with(unit)))?;
    if *unit == "年" && count.is_some_and(|count| count > YEARS_MAX) {
        return None;
    }
    let mut length = digits + blank + unit.len();
    let (mut past, mut future) = count.map_or((Vague, Vague), |count| (relative(-count), relative(count)));
    for more in ["半", "多"] {
        if rest[length..].starts_with(more) {
            length += more.len();
            (past, future) = match (more, *unit, count) {
                ("半", "年", Some(years)) => (Month(-12 * years - 6), Month(12 * years + 6)),
                _ => (Vague, Vague),
            };
        }
    }
    Some((length, past, future))
}

/// Words before a number after which it is not exact.
fn about(before: &str) -> bool {
    const ABOUT: &[&str] = &[
        "约",
        "大概",
        "大约",
        "差不多",
        "将近",
        "近",
        "快",
        "超过",
        "不到",
        "不足",
        "至少",
        "最多",
        "多于",
        "少于",
        "起码",
        "好像",
        "可能",
        "也许",
    ];
    // The 约 of 合约 is no "about".
    let bare = before.trim_end_matches(' ');
    let treaty = ends_with(bare, &["合约", "租约", "预约", "签约", "条约", "婚约", "续约", "契约"]).is_some();
    ends_with(bare, ABOUT).is_some() && !treaty
}

/// Words that `part` looks for.
const PARTS: [&str; 32] = [
    "月尾",
    "月头",
    "年尾",
    "上学期",
    "下学期",
    "本学期",
    "这学期",
    "季度内",
    "年前",
    "年后",
    "节前",
    "节后",
    "月中",
    "年内",
    "月内",
    "季度末",
    "季度初",
    "上半年",
    "下半年",
    "上半月",
    "下半月",
    "后半年",
    "月底",
    "月末",
    "月初",
    "年底",
    "年末",
    "年初",
    "年中",
    "季末",
    "季初",
    "周末",
];
/// 月底送到 is done once; 月底盘点 may be done each month.
const ONCE: [&str; 30] = [
    "前", "之前", "以前", "要", "打算", "准备", "得", "将", "会", "必须", "送", "到期", "到货", "搬", "结清",
    "交付", "完成", "上线", "开业", "开工", "装修", "结婚", "毕业", "退休", "离职", "入职", "回国", "出国",
    "竣工", "关闭",
];

/// 月底, 下半年, 年初, 周末: a part of a period that is not named.
pub(super) fn part(reading: &Reading<'_>, at: usize) -> Option<Found> {
    let (before, rest) = reading.split(at);
    let word = starts_with(rest, &PARTS)?;
    let named = before.trim_end().ends_with(|c: char| {
        c.is_numeric()
            || "年月度个每逢各到至当同次全整第一二三四五六七八九十正百腊两几多半数是前后近去今明本该日岁"
                .contains(c)
    });
    // It happens at the end of every such period: 月底为止, 周末不, 工资月初发.
    let again = [
        "为止", "都", "通常", "一般", "经常", "总", "愉快", "版", "效应", "游", "档", "婚礼", "夫妻", "旬",
        "国", "学",
    ];
    let behind = &rest[word.len()..];
    // 周末的集市 is there each time.
    if word == "周末" && (behind.starts_with('的') || before.ends_with('下')) {
        return None;
    }
    let around = word.ends_with(['前', '后']);
    let due =
        reading.opens(at) && (!around || reading.one_statement(at)) || !around && reading.one_statement(at);
    // 弟弟|年底|结婚，彩礼谈好了.
    let due = due
        || !around && (reading.after_person(at) || reading.after_subject(at)) && reading.two_statements(at);
    // 家访安排在|月底.
    let set = ends_with(before, &["安排在", "定在", "约在", "排在", "改到", "推迟到"]).is_some()
        && !behind.starts_with(char::is_alphanumeric)
        && !before.contains(['每', '例']);
    // 周末不加班 is a habit; 年内不再涨租 is said of this year.
    let never = word == "周末" && behind.starts_with('不');
    let ends = [
        ("月底", Period::Month, "底"),
        ("月末", Period::Month, "末"),
        ("年底", Period::Year, "底"),
        ("年末", Period::Year, "末"),
        ("季度末", Period::Quarter, "末"),
    ];
    let end = ends.into_iter().find(|(end, ..)| {
        *end == word && (set || starts_with(behind, &ONCE).is_some()) && !behind.contains(['了', '每', '盘'])
    });
    let relative = end.map_or_else(|| of_this_year(word, behind), |(_, period, part)| EndOf(period, part));
    (due && !named && !never && starts_with(behind, &again).is_none())
        .then(|| Found::certain(word.len(), relative))
}

/// 年初涨了, 下半年推新款: the part of this year, where what the sentence tells has come or is to come. On its last days it may be one of
/// another year, which the moment decides.
fn of_this_year(word: &str, behind: &str) -> Relative {
    const HABITS: [char; 4] = ['每', '都', '总', '常'];
    const PLANS: [&str; 20] = [
        "准备", "打算", "计划", "要", "将", "会", "推", "搬", "换", "开", "招", "预算", "预计", "拟", "启动",
        "考", "去", "买", "装", "上线",
    ];
    let clause = behind.split(CLAUSE_ENDS).next().unwrap_or_default();
    let over = clause.replace("通过", "").contains(['了', '过'])
        || clause.contains("定的")
        || clause.contains("买的");
    match word {
        _ if clause.contains(HABITS) => Vague,
        "年初" if over => PartOfYear("初"),
        // 下半年业绩不错 is of the year before.
        "下半年" if !over && (clause.is_empty() || PLANS.iter().any(|plan| clause.contains(plan))) => {
            PartOfYear("下半年")
        }
        "上半年" if over => PartOfYear("上半年"),
        _ => Vague,
    }
}

/// 上次会议, 下次复查: one of a row of events that happen now and then.
pub(super) fn time_of_a_row(reading: &Reading<'_>, at: usize) -> Option<Found> {
    const EVENTS: [&str; 21] = [
        "会议",
        "会上",
        "例会",
        "评审",
        "体检",
        "复查",
        "复诊",
        "检查",
        "培训",
        "考试",
        "聚会",
        "见面",
        "开会",
        "的会",
        "家长会",
        "周会",
        "门诊",
        "化验",
        "来访",
        "通话",
        "的方案",
    ];
    let word = starts_with(reading.split(at).1, &["上次", "下次", "上回", "下回"])?;
    let behind = &reading.split(at).1[word.len()..];
    let set = ["定在", "改到", "改在", "推迟", "是"].iter().any(|word| behind.contains(word));
    (starts_with(behind, &EVENTS).is_some() && !set && reading.opens(at) && reading.one_statement(at))
        .then(|| Found::certain(word.len(), Vague))
}

/// Words that `bare_weekday` looks for.
const OPEN: [&str; 36] = [
    "版",
    "档",
    "晚高峰",
    "早高峰",
    "跑步",
    "打球",
    "健身",
    "游泳",
    "练",
    "值班",
    "加班",
    "例会",
    "大扫除",
    "发",
    "上学",
    "停运",
    "学",
    "做家务",
    "收",
    "开放",
    "开门",
    "关门",
    "出诊",
    "开班",
    "上课",
    "开课",
    "打折",
    "发车",
    "有",
    "不",
    "周",
    "星期",
    "礼拜",
    "上班",
    "休息",
    "例",
];
/// Words that `bare_weekday` looks for.
const MOVED: [&str; 14] = [
    "改到",
    "改在",
    "推迟到",
    "推到",
    "挪到",
    "提前到",
    "延期到",
    "延到",
    "定在",
    "约在",
    "改成",
    "等到",
    "拖到",
    "放在",
];

/// Words that `bare_weekday` looks for.
const UNTIL: [&str; 15] = [
    "约了",
    "订了",
    "订到",
    "住到",
    "租到",
    "休到",
    "请到",
    "请假到",
    "放到",
    "开到",
    "延长到",
    "持续到",
    "停到",
    "关到",
    "休息到",
];
/// Words that `bare_weekday` looks for.
const RIDES: [&str; 8] = ["的飞机", "的航班", "的火车", "的高铁", "的车票", "的机票", "的船", "的动车"];

/// What stands behind a weekday of each week, or behind the first one of several.
const OF_EACH: [&str; 31] = [
    "、",
    "至",
    "和",
    "与",
    "或",
    "—",
    "-",
    "～",
    "~",
    "/",
    "都",
    "可",
    "一般",
    "通常",
    "休",
    "闭",
    "营业",
    "不营业",
    "是",
    "的",
    "例",
    "双休",
    "放假",
    "有空",
    "定",
    "会",
    "总",
    "也",
    "周",
    "星期",
    "礼拜",
];

/// 周五之前, 礼拜四截止: a weekday without a week, for something that happens once.
pub(super) fn bare_weekday(reading: &Reading<'_>, at: usize) -> Option<Found> {
    let (before, rest) = reading.split(at);
    let noun = starts_with(rest, &["周", "星期", "礼拜"])?;
    let day = rest[noun.len()..].chars().next().filter(|c| WEEKDAYS.contains(c))?;
    let length = noun.len() + day.len_utf8();
    let behind = &rest[length..];
    let named = before.ends_with(|c: char| {
        c.is_alphanumeric() && "每逢上下本这到至第一两个，、".contains(c) || "/-、）)（(".contains(c)
    });
    let before_it = starts_with(behind, &["之前", "以前", "前"]).is_some();
    let part = starts_with(behind, &["早上", "上午", "中午", "下午", "晚上", "傍晚"]).unwrap_or_default();
    let is_habit = starts_with(&behind[part.len()..], &OPEN).is_some();
    // 周四到货 is no span; 周四到周五 is.
    let spans = behind.strip_prefix('到').is_some_and(|rest| {
        rest.starts_with(WEEKDAYS) || starts_with(rest, &["周", "星期", "礼拜", "下", "本"]).is_some()
    });
    let again = spans || starts_with(behind, &OF_EACH).is_some();
    let once =
        before_it || reading.two_statements(at) && !again || reading.one_statement(at) && !again && !is_habit;
    let moved = ends_with(before, &MOVED).is_some() && reading.two_statements(at);
    // 测试|周四|之前要跑完.
    let due =
        before_it && ["要", "得", "必须", "须", "交", "完", "定"].iter().any(|word| behind.contains(word));
    let follows = reading.after_noun(at) && !is_habit && (!before_it || due);
    // 酒店订到|周日.
    let until = ends_with(before, &UNTIL).is_some()
        && (!behind.starts_with(char::is_alphanumeric) || before.ends_with('了') && !is_habit)
        && !before.contains('每')
        && reading.two_statements(at);
    let told = reading.clause_from(at);
    let since = since_then(reading, at, behind);
    let rides = starts_with(behind, &RIDES).is_some()
        && !named
        && (reading.after_noun(at) || reading.opens(at))
        && reading.two_statements(at)
        && !told.contains(['了', '过']);
    // 双周会固定在|周四.
    if is_a_full_name(noun, behind) || before.ends_with("固定在") {
        return None;
    }
    let is_one = moved || until || since || rides || once && !named && (reading.opens(at) || follows);
    let weekday = u32::try_from(WEEKDAYS.iter().position(|c| *c == day)?.min(6)).ok()?;
    // It has happened, or will; a day to which something was moved may be either.
    let past = told.contains('了') && !told.contains(['别', '不']) || told.contains('过') || since;
    // 周二晚上的课取消了 is told of either.
    let changed = ["取消", "改期", "推迟", "定了", "约了", "订了", "排了", "延期"]
        .iter()
        .any(|word| told.contains(word));
    let either = changed || behind[part.len()..].starts_with('的') && !rides;
    let relative = Nearest(if past { -1 } else { 1 }, weekday);
    // 例会改到|周四: from then on.
    let settled = !moved || !before.contains(['例', '每', '双']) && reading.is_note_like(at);
    is_one.then(|| Found { certain: settled && !is_habit && !either, ..Found::certain(length, relative) })
}

/// 积压从|周一|开始就没下来过.
fn since_then(reading: &Reading<'_>, at: usize, behind: &str) -> bool {
    reading.clause_before(at).ends_with(['从', '自'])
        && (behind.starts_with("开始") || behind.starts_with('起'))
        && reading.clause_from(at).contains(['没', '了', '过'])
        && reading.is_statement(at)
}

/// 周日新和他妹妹: somebody is called so.
fn is_a_full_name(noun: &str, behind: &str) -> bool {
    const GIVEN: &str = "新凡平明华强军伟杰涛斌鹏辉宇浩晨然萱怡婷琳雪梅兰芳敏静丽娜磊洋桂泽立元建秀英玉";
    let mut chars = behind.chars();
    let given = noun == "周" && chars.next().is_some_and(|c| GIVEN.contains(c));
    given && chars.next().is_none_or(|c| "和与跟、，,住在是说的。".contains(c))
}

/// 最近, 前几天, 目前: about the time it is said, where the sentence states how things are then.
pub(super) fn present(reading: &Reading<'_>, at: usize) -> Option<Found> {
    let (before, rest) = reading.split(at);
    if let Some(found) = just_now(before, rest).or_else(|| some_days(reading, at)) {
        return Some(found);
    }
    const NOW: [&str; 14] = [
        "现如今",
        "最近",
        "近来",
        "近期",
        "近日",
        "目前",
        "现在",
        "而家",
        "依家",
        "呢排",
        "近排",
        "眼下",
        "如今",
        "当前",
    ];
    let word = starts_with(rest, &NOW)?;
    let behind = &rest[word.len()..];
    let stated = match word {
        // 最近的医院 is a place.
        "最近" if behind.starts_with('的') && reading.clause_from(at).contains(['离', '距', '米', '里']) => {
            false
        }
        // 最近七天的日志 are those of each day.
        "最近" => {
            ends_with(before, &["距离", "的", "离", "到"]).is_none()
                && recent_events(behind)
                && (amount(behind).is_none() || reading.opens(at))
        }
        "近期" | "近日" => {
            let told = starts_with(behind, &["公布", "公开", "公告", "发布"]).is_some();
            (told || recent_events(behind)) && ends_with(before, &["中", "远", "按", "的"]).is_none()
        }
        "当前" => {
            starts_with(behind, &["在", "正", "还", "没", "有", "处于", "负责", "住"]).is_some()
                && ends_with(before, &["的", "至", "到"]).is_none()
        }
        "现在" if behind.starts_with('时') => false,
        "如今" if starts_with(behind, &["天", "年轻", "的", "人", "日"]).is_some() => false,
        _ => {
            ends_with(
                before,
                &[
                    "题", "从", "到", "至", "由", "比", "的", "像", "直到", "截至", "截止", "如同", "和",
                    "与", "是",
                ],
            )
            .is_none()
                && states(behind)
        }
    };
    // 显示|最近打开的文件: the last ones, whenever that is.
    let latest = word == "最近" && reading.clause_from(at).contains('的');
    let follows = reading.after_noun(at) && !latest;
    let noted = reading.one_statement(at) && (reading.opens(at) || follows)
        || reading.is_statement(at) && reading.after_subject(at)
        || reading.two_statements(at) && (reading.opens(at) || follows) && !behind.starts_with(['，', ',']);
    Some(Found { stated: stated && noted, ..Found::certain(word.len(), Vague) })
}

/// Whether what follows 目前 is a state of somebody or something, not a remark or an instruction.
fn states(behind: &str) -> bool {
    let behind = behind.trim_start_matches(['，', ',']);
    // 现在|还有三张工单 is a state, 现在还是 a remark.
    if starts_with(behind, &["分词", "完成时", "进行时"]).is_some() {
        return false;
    }
    if starts_with(behind, &["还有", "还没", "还在", "还欠", "还剩", "还缺", "没有货", "没货"]).is_some()
    {
        return true;
    }
    const REMARK: &[&str] = &[
        "来说",
        "看来",
        "来看",
        "为止",
        "我们来",
        "让我们",
        "可以",
        "能",
        "才",
        "想",
        "看",
        "想起",
        "回想",
        "的",
        "可",
        "就",
        "请",
        "你",
        "大家",
        "人",
        "支持",
        "只支持",
        "可用",
        "尚",
        "已经支持",
        "还",
        "终于",
        "开始",
        "了",
        "很多",
        "有些",
        "许多",
        "流行",
        "又",
        "也",
        "只觉得",
        "觉得",
        "大概",
        "很",
        "如愿",
    ];
    starts_with(behind, REMARK).is_none()
}

fn recent_events(behind: &str) -> bool {
    const OTHER: &[&str] = &[
        "邻", "点", "似", "公", "最", "端", "距", "路", "祖", "共", "匹", "一个", "一次", "整", "的一",
        "使用", "访问", "一条", "一段", "合约", "发表", "几年", "一期", "出版", "更新", "修改", "不", "火",
        "流行",
    ];
    starts_with(behind, OTHER).is_none() || starts_with(behind, &["不喝", "不吃", "不想", "不在"]).is_some()
}

/// 刚才: certainly that day.
fn just_now(before: &str, rest: &str) -> Option<Found> {
    let word = starts_with(rest, &["刚才", "刚刚", "方才"])?;
    let behind = &rest[word.len()..];
    let other = starts_with(behind, &["能", "好", "够", "的", "还", "开始", "接触", "会", "到"]).is_some();
    let said = ends_with(before, &["才", "的", "在", "像"]).is_some();
    // 刚刚 may also be "only just": of 刚刚 only what ended is of the same day.
    let ended = word != "刚刚"
        || starts_with(
            behind,
            &[
                "停电", "断电", "断网", "来电", "提交", "发布", "重启", "付", "改", "说", "确认", "收到",
                "合并", "修", "上线", "完成", "部署", "决定", "把", "重跑", "跑完", "地震", "回滚", "告警",
                "报警", "下单", "签收", "送到", "打来", "打过", "挂", "崩", "宕", "推", "拿到", "抢到",
                "买到", "接到",
            ],
        )
        .is_some();
    // 刚刚物业来过.
    let clause = behind.split(['，', ',', '。', '\n']).next().unwrap_or_default();
    let over = word == "刚刚" && clause.chars().count() <= 8 && clause.ends_with("来过");
    (!other && !said && (ended || over)).then(|| Found::certain(word.len(), Day(0)))
}

/// 前几天, 这两天, 过两天, 未来几天, 前段时间.
fn some_days(reading: &Reading<'_>, at: usize) -> Option<Found> {
    let (before, rest) = reading.split(at);
    // 改天再约, 待会儿打给你.
    if let Some(word) = starts_with(rest, &["改天", "待会儿", "待会", "等会儿"]) {
        let noted = reading.opens(at)
            && (reading.one_statement(at) || reading.two_statements(at))
            && !rest.starts_with("改天换");
        return noted.then(|| Found::certain(word.len(), Vague));
    }
    let length = some(rest)?;
    const OTHERS: [&str; 15] =
        ["声", "注", "标", "的", "提", "以", "之", "通", "经", "在", "最", "将", "附", "接", "走"];
    // 用户说|近一个月都睡不好; not 小说|前几天.
    let says = reading.clause_before(at);
    let told = says.ends_with('说')
        && says.chars().count() <= 5
        && !says.ends_with("小说")
        && !says.ends_with("据说");
    let other = ends_with(before, &OTHERS).is_some() || before.ends_with('说') && !told;
    // 前两天: the first two days of something; 近三年: mostly figures of a report.
    let first = before.ends_with(|c: char| c.is_alphanumeric())
        && rest.starts_with('前')
        && !reading.after_subject(at)
        && !(reading.after_person(at) && reading.one_statement(at))
        // 密码|前两天|改过了 is over.
        && !(reading.after_noun(at)
            && reading.one_statement(at)
            && reading.clause_from(at).ends_with(['了', '过'])
            && !rest.starts_with("前一"));
    let report = (rest.starts_with(['近', '这', '未', '今']) || rest.starts_with("过去"))
        && !reading.one_statement(at)
        && !is_a_while(&rest[..length]);
    let behind = &rest[length..];
    let of_it = rest.starts_with(['近', '过']) && behind.starts_with(['的', '内', '来', '后']);
    (!other
        && !first
        && !report
        && !of_it
        && reading.is_statement(at)
        && (reading.opens_or_follows(at)
            || (told || reading.after_noun(at) || reading.after_person(at)) && reading.one_statement(at)))
    .then(|| Found::certain(length, Vague))
}

fn is_a_while(word: &str) -> bool {
    ["天", "会儿", "阵子", "时间", "日子", "周", "个月"].iter().any(|unit| word.ends_with(unit))
}

/// The bytes of a span around now that nobody counted, put together from where it lies, how long it is and its unit.
fn some(rest: &str) -> Option<usize> {
    const WORDS: [&str; 3] = ["不久前", "前不久", "昨前两天"];
    const LIES: [&str; 9] = ["前", "这", "过去", "过", "近", "未来", "接下来", "今后", "往后"];
    // A while needs no number.
    const WHILES: [&str; 5] = ["阵子", "段时间", "段日子", "会儿", "阵"];
    const UNITS: [&str; 10] = ["晚", "天", "日子", "周", "星期", "礼拜", "个星期", "个礼拜", "个月", "年"];
    if let Some(word) = starts_with(rest, &WORDS) {
        return Some(word.len());
    }
    let lies = starts_with(rest, &LIES)?;
    let of_amount = &rest[lies.len()..];
    let one = if of_amount.starts_with('一') { "一".len() } else { 0 };
    if matches!(lies, "前" | "这" | "近" | "过")
        && let Some(word) = starts_with(&of_amount[one..], &WHILES)
        && (word != "会儿" || lies == "这")
    {
        return Some(lies.len() + one + word.len());
    }
    let counted = matches!(lies, "近" | "过去" | "未来" | "接下来" | "今后");
    if lies == "近" && of_amount.starts_with("半年") {
        return Some(lies.len() + "半年".len());
    }
    if lies == "这"
        && let Some(span) = starts_with(of_amount, &["俩月", "仨月", "半个月", "半年", "俩礼拜"])
    {
        return Some(lies.len() + span.len());
    }
    let amount = starts_with(of_amount, &["几", "两", "些"])
        .map(str::len)
        .or_else(|| amount(of_amount).filter(|_| counted).map(|(_, length)| length))?;
    let unit = starts_with(&of_amount[amount..], &UNITS)?;
    // 前几年 and 前两年 are told of as long ago.
    let long =
        lies == "前" && unit == "年" || of_amount.starts_with('些') && !matches!(unit, "天" | "日子" | "年");
    (!long).then_some(lies.len() + amount + unit.len())
}
