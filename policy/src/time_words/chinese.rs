//! The rules for Chinese. There are no blanks between words: `segments` says where a word begins and ends, and a term says
//! which characters around it give it another sense: 项目前端, 今日头条.

use super::segments::{Stands, stands};
use super::{Hit, Moment, Relative};
use Relative::{
    Day, DayPart, Here, Month, Others, Quarter, SameDay, Speaker, There, User, Vague, Week, Year,
};
use declaration::Meta;

/// A term, what it means, and what must not stand right before and right behind it (words, separated by blanks).
struct Term(&'static str, Relative, &'static str, &'static str);

/// Longer terms first: the first that fits is the one.
const TERMS: &[Term] = &[
    Term("去年今日", SameDay(-1), "", ""),
    Term("去年今天", SameDay(-1), "", ""),
    Term("去年的今天", SameDay(-1), "", ""),
    Term("明年今日", SameDay(1), "", ""),
    Term("明年今天", SameDay(1), "", ""),
    Term("今明两天", Vague, "", ""),
    Term("明后天", Vague, "说 声 注 标", ""),
    Term("明后两天", Vague, "", ""),
    Term("昨前两天", Vague, "", ""),
    Term("前两天", Vague, "", ""),
    Term("前几天", Vague, "", ""),
    Term("前些天", Vague, "", ""),
    Term("这两天", Vague, "", ""),
    Term("这几天", Vague, "", ""),
    Term("过两天", Vague, "", ""),
    Term("过几天", Vague, "", ""),
    Term("大前天", Day(-3), "", ""),
    Term("大后天", Day(3), "", ""),
    Term("今天", Day(0), "如", ""),
    Term("今日", Day(0), "如", "头条"),
    Term("今早", DayPart(0, "早上"), "", ""),
    Term("今晚", DayPart(0, "晚上"), "", ""),
    Term("昨天", Day(-1), "", ""),
    Term("昨日", Day(-1), "", "重现"),
    Term("昨晚", DayPart(-1, "晚上"), "", ""),
    Term("昨夜", DayPart(-1, "夜里"), "", ""),
    Term("前天", Day(-2), "之 以 目 年 月 提 从 先 生", "赋 台"),
    Term("明天", Day(1), "证 声", ""),
    Term("明日", Day(1), "说 证 声 表", "方舟 香"),
    Term("明早", DayPart(1, "早上"), "", ""),
    Term("明晚", DayPart(1, "晚上"), "", ""),
    Term("后天", Day(2), "之 然 最 以 今 往 随 背 事 与 和", "性 习 形 努 获 因 免 教 环 养 天"),
    Term("上上个月", Month(-2), "", ""),
    Term("下下个月", Month(2), "", ""),
    Term("上个季度", Quarter(-1), "", ""),
    Term("下个季度", Quarter(1), "", ""),
    Term("这个季度", Quarter(0), "", ""),
    Term("上季度", Quarter(-1), "", ""),
    Term("下季度", Quarter(1), "", ""),
    Term("本季度", Quarter(0), "", ""),
    Term("上半年", Vague, "年", ""),
    Term("下半年", Vague, "年", ""),
    Term("上半月", Vague, "月", ""),
    Term("下半月", Vague, "月", ""),
    Term("半年前", Month(-6), "大 小 前 后 上 下 一 两 近", ""),
    Term("半个月前", Vague, "", ""),
    Term("半小时前", Vague, "", ""),
    Term("半个小时前", Vague, "", ""),
    Term("月底", Vague, "月 每 到 个 逢 一 二 三 四 五 六 七 八 九 十 正 腊", ""),
    Term("月末", Vague, "月 每 个 逢 一 二 三 四 五 六 七 八 九 十 正 腊", ""),
    Term("月初", Vague, "月 每 个 逢 一 二 三 四 五 六 七 八 九 十 正 腊", ""),
    Term("年底", Vague, "年 每 逢 一 二 三 四 五 六 七 八 九 十 正 腊", ""),
    Term("年末", Vague, "年 每 逢 一 二 三 四 五 六 七 八 九 十 正 腊", ""),
    Term("年初", Vague, "年 每 逢 一 二 三 四 五 六 七 八 九 十 正 腊", ""),
    Term("上周末", Vague, "", ""),
    Term("下周末", Vague, "", ""),
    Term("这周末", Vague, "", ""),
    Term("本周末", Vague, "", ""),
    Term("上个周末", Vague, "", ""),
    Term("下个周末", Vague, "", ""),
    Term("这个周末", Vague, "", ""),
    Term("上个月", Month(-1), "以 晚 早", "台"),
    Term("下个月", Month(1), "以", "台"),
    Term("这个月", Month(0), "", "台"),
    Term("上月", Month(-1), "以 晚 早 海 网 线 版", "台 球"),
    Term("下月", Month(1), "以 地 线", "台 球"),
    Term("本月", Month(0), "成 基 版 样 文 资 书 日", "台 报"),
    Term("去年", Year(-1), "失 过 除 减", ""),
    Term("今年", Year(0), "如", ""),
    Term("大前年", Year(-3), "", ""),
    Term("大后年", Year(3), "", ""),
    Term("明年", Year(1), "证 声 说 表", ""),
    Term("前年", Year(-2), "之 以 目 提 年 月 天 周 先 生", "度 份 龄"),
    Term("后年", Year(2), "之 以 今 往 年 月 天 周 先 生 最 然", "度 份 龄"),
    Term("刚才", Day(0), "", "能"),
    Term("刚刚", Day(0), "", "好 够 能"),
    Term("最近", Vague, "", "邻 点 似 公 最 端 距 路 祖 共 匹 一个 整"),
    Term("近来", Vague, "", ""),
    Term("近期", Vague, "远 中", "合约"),
    Term("近日", Vague, "", "点"),
    Term("现在", Vague, "出 体 表 实 发 呈 展 浮 再 涌 兑 重 显", ""),
    Term("目前", Vague, "题 项 节 数 栏 条 科 书 剧 曲 耳 眉 面", ""),
    Term("我们", Others, "", ""),
    Term("咱们", Others, "", ""),
    Term("你们", Others, "", ""),
    Term("他们", Others, "", ""),
    Term("她们", Others, "", ""),
    Term("我", Speaker, "自 忘 本 大 无 唯 小 敌", "国 方"),
    Term("你", User, "", "好 我"),
    Term("您", User, "", "好"),
    Term("他", User, "其 吉 排 利 维 耳 无 由 犹", "人 乡 杀 律 山 物 者 处 国 日 项"),
    Term("她", User, "", "经济"),
    Term("这里", Here, "", ""),
    Term("这儿", Here, "", ""),
    Term("这边", Here, "", ""),
    Term("此处", Here, "", ""),
    Term("此地", Here, "彼 因", ""),
    Term("那里", There, "", ""),
    Term("那儿", There, "", ""),
    Term("那边", There, "", ""),
    Term("当地", Here, "相 适 恰 正 应 妥 稳 得 精 充 每", "时间 毯"),
    Term("本地", Here, "基 根 资 版 成 日 样 文", LOCAL),
];

/// What is "local" in the sense of machines.
const LOCAL: &str = "部署 文件 分支 仓库 化 开发 环境 运行 缓存 存储 模型 变量 数据 服务 测试 构建 路径 目录 时间 磁盘 端口 \
                     主机 机器 安装 调试 编译 修改 提交 代码 副本 网络 优先 推理 执行 配置 图 位 说 备份 账户 回环 计算 \
                     域名 证书 项目 库 版 日志 客户端 电脑 设备 硬盘 脚本 镜像 容器 集群 索引 会话 工具 链接 包";

/// What makes a name of the word before it: 明天集团, 今日头条.
const NAMES: [&str; 22] = [
    "集团", "控股", "公司", "头条", "资本", "科技", "传媒", "广场", "酒店", "杂志", "周刊", "快讯", "之星",
    "出版", "证券", "银行", "基金", "乐队", "剧场", "影视", "学堂", "书店",
];

/// Days of the week, from Monday.
const WEEKDAYS: [char; 8] = ['一', '二', '三', '四', '五', '六', '日', '天'];

/// How far another word may be that decides what one means.
const NEAR_CHARS: usize = 20;

/// What finds a hit that begins at a byte: its bytes, and what it is relative to.
type Rule = fn(&str, usize) -> Option<(usize, Relative)>;

/// Every hit.
pub(super) fn hits(text: &str) -> Vec<Hit> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let word = !c.is_ascii() || c.is_ascii_digit();
        let rules: [Rule; 3] = [week, counted, term];
        let here = rules.iter().filter(|_| word).find_map(|rule| {
            let (length, relative) = rule(text, at)?;
            let how = stands(text, at, at + length);
            let certain = how == Stands::Surely;
            (how != Stands::Not).then_some(Hit { range: at..at + length, relative, certain })
        });
        at = here.as_ref().map_or(at + c.len_utf8(), |hit| hit.range.end);
        found.extend(here);
    }
    found
}

fn term(text: &str, at: usize) -> Option<(usize, Relative)> {
    let (before, rest) = text.split_at(at);
    TERMS.iter().find_map(|Term(word, relative, not_before, not_behind)| {
        let behind = rest.strip_prefix(word)?;
        let stands_alone = !not_before.split_whitespace().any(|part| before.ends_with(part))
            && !not_behind.split_whitespace().any(|part| behind.starts_with(part))
            && !inside_word(before, word, behind)
            && !is_named(*relative, behind)
            && !is_dated(before, word);
        stands_alone.then_some((word.len(), *relative))
    })
}

/// Whether a number says of which year or month an end is: 1997年底.
fn is_dated(before: &str, word: &str) -> bool {
    word.starts_with(['年', '月']) && before.ends_with(char::is_numeric)
}

/// Whether a word for a day begins a name.
fn is_named(relative: Relative, behind: &str) -> bool {
    matches!(relative, Day(_)) && NAMES.iter().any(|name| behind.starts_with(name))
}

/// Two words that share their characters with a term: 说明 + 天气, 先天 and 后天.
fn inside_word(before: &str, word: &str, behind: &str) -> bool {
    let of_sky =
        |behind: &str| ["气", "然", "数", "线", "空", "色"].iter().any(|sky| behind.starts_with(sky));
    match word {
        "明天" => before.ends_with('说') && of_sky(behind),
        "今天" => before.ends_with('如') || before.ends_with("当") && of_sky(behind),
        "后天" => of_sky(behind) || { tail(before).contains("先天") || head(behind).contains("先天") },
        "前天" => of_sky(behind),
        _ => false,
    }
}

fn head(text: &str) -> String {
    text.chars().take(NEAR_CHARS).collect()
}

fn tail(text: &str) -> String {
    let backwards: Vec<char> = text.chars().rev().take(NEAR_CHARS).collect();
    backwards.into_iter().rev().collect()
}

/// 上周, 本周三, 下个星期: weeks and their days.
fn week(text: &str, at: usize) -> Option<(usize, Relative)> {
    let (before, rest) = text.split_at(at);
    const WEEKS: [(&str, i64, &str); 6] = [
        ("上上", -2, ""),
        ("下下", 2, ""),
        ("上", -1, "以 晚 早 网 线 海 上"),
        ("下", 1, "以 地 线 下"),
        ("本", 0, "基 版 样 成 文"),
        ("这", 0, ""),
    ];
    let (which, weeks, not_before) = WEEKS.iter().find(|(which, ..)| rest.starts_with(which))?;
    if not_before.split_whitespace().any(|part| before.ends_with(part)) {
        return None;
    }
    let noun = ["周", "个星期", "星期", "个礼拜", "礼拜"]
        .into_iter()
        .find(|noun| rest[which.len()..].starts_with(noun))?;
    let length = which.len() + noun.len();
    let behind = &rest[length..];
    if noun == "周"
        && ["期", "边", "围", "转", "长", "身", "报", "刊", "年", "岁", "末"]
            .iter()
            .any(|part| behind.starts_with(part))
    {
        return None;
    }
    let day = behind.chars().next().and_then(|c| WEEKDAYS.iter().position(|day| *day == c));
    // 上周天气: the day of the week is 日 then, or none is named.
    let day = day.filter(|day| *day < 7 || !["天气", "天数"].iter().any(|part| behind.starts_with(part)));
    Some(match day {
        Some(day) => {
            let weekday = u32::try_from(day.min(6)).unwrap_or(6);
            (length + WEEKDAYS[day].len_utf8(), Relative::Weekday(*weeks, weekday))
        }
        None => (length, Week(*weeks)),
    })
}

/// What a count of something means.
type OfCount = fn(i64) -> Relative;

/// Units behind a number; the ones a calendar does not count are `Vague`.
const UNITS: [(&str, OfCount); 16] = [
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
    ("个小时", |_| Vague),
    ("小时", |_| Vague),
    ("个钟头", |_| Vague),
    ("分钟", |_| Vague),
    ("个季度", |_| Vague),
];

/// Years back that somebody speaks of as of their own; what is longer ago is history.
const YEARS_MAX: i64 = 200;

/// 三天前, 2 个月之前, 一年半前, and at the beginning of a clause 十天后.
fn counted(text: &str, at: usize) -> Option<(usize, Relative)> {
    let (before, rest) = text.split_at(at);
    let (count, digits) = amount(rest)?;
    let inside_number = before.ends_with(|c: char| {
        c.is_ascii_alphanumeric()
            || c.is_numeric()
            || "零一二两三四五六七八九十百千万亿第每前过半内几数.-".contains(c)
    });
    if inside_number {
        return None;
    }
    let blank = usize::from(rest[digits..].starts_with(' '));
    let of_unit = &rest[digits + blank..];
    let (unit, relative) = UNITS.iter().find(|(unit, _)| of_unit.starts_with(unit))?;
    if *unit == "年" && count.is_some_and(|count| count > YEARS_MAX) {
        return None;
    }
    let mut length = digits + blank + unit.len();
    let mut past = count.map_or(Vague, |count| relative(-count));
    let mut future = count.map_or(Vague, relative);
    for more in ["半", "多"] {
        if rest[length..].starts_with(more) {
            length += more.len();
            (past, future) = match (more, *unit, count) {
                ("半", "年", Some(years)) => (Month(-12 * years - 6), Month(12 * years + 6)),
                _ => (Vague, Vague),
            };
        }
    }
    if about(before) {
        (past, future) = (Vague, Vague);
    }
    let behind = &rest[length..];
    for word in ["之前", "以前", "前"] {
        if let Some(behind) = behind.strip_prefix(word) {
            let part = ["端", "缀", "台", "后"];
            return (!part.iter().any(|part| behind.starts_with(part)))
                .then_some((length + word.len(), past));
        }
    }
    let clause = before.trim_end().is_empty()
        || before.trim_end_matches(' ').ends_with(|c: char| "。,，;；:：!！?？\n-".contains(c));
    let word = ["之后", "以后", "后"].into_iter().find(|word| behind.starts_with(word))?;
    (clause && !behind[word.len()..].starts_with(['端', '台', '缀'])).then_some((length + word.len(), future))
}

/// Words before a number after which it is not exact.
fn about(before: &str) -> bool {
    const ABOUT: [&str; 16] = [
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
    ];
    ABOUT.iter().any(|word| before.trim_end_matches(' ').ends_with(word))
}

/// An amount a text begins with, and its bytes: exact, or `None` for 几, 十几, 两三, 1.5, 二十多.
fn amount(text: &str) -> Option<(Option<i64>, usize)> {
    let (mut count, mut length) = match number(text) {
        Some((count, length)) => (Some(count), length),
        None => (None, 0),
    };
    // Two digits side by side are one or the other: 两三天.
    let second =
        number(&text[length..]).filter(|_| length > 0 && !text.starts_with(|c: char| c.is_ascii_digit()));
    if let Some((_, more)) = second {
        (count, length) = (None, length + more);
    }
    if let Some(fraction) = text[length..].strip_prefix('.').filter(|_| length > 0) {
        let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
        (count, length) = (None, length + 1 + digits);
    }
    for vague in ["好几十", "好几", "几十", "几", "数十", "数", "多", "来", "余"] {
        if text[length..].starts_with(vague) {
            (count, length) = (None, length + vague.len());
            break;
        }
    }
    (length > 0).then_some((count, length))
}

/// A number a text begins with, and its bytes.
fn number(text: &str) -> Option<(i64, usize)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 {
        return text[..digits].parse().ok().filter(|n| *n <= 10_000).map(|n| (n, digits));
    }
    let (mut sum, mut ones, mut length, mut last_unit) = (0, None, 0, i64::MAX);
    for c in text.chars() {
        let digit = "零一二三四五六七八九".chars().position(|d| d == c).or((c == '两').then_some(2));
        if let Some(digit) = digit.and_then(|digit| i64::try_from(digit).ok()) {
            if ones.is_some_and(|ones| ones > 0) {
                break;
            }
            ones = Some(digit);
        } else {
            let unit = [('十', 10), ('百', 100), ('千', 1000)].into_iter().find(|(unit, _)| *unit == c);
            let Some((_, unit)) = unit.filter(|(_, unit)| *unit < last_unit) else { break };
            sum += ones.take().unwrap_or(1) * unit;
            last_unit = unit;
        }
        length += c.len_utf8();
    }
    let all = sum + ones.unwrap_or(0);
    (length > 0 && all > 0).then_some((all, length))
}

/// What is put in a word's place.
pub(super) fn resolved(_said: &str, relative: Relative, moment: &Moment, meta: &Meta) -> Option<String> {
    match relative {
        DayPart(days, part) => Some(format!("{} {part}", moment.days(days)?)),
        Week(weeks) => Some(format!("{} 那一周", moment.week(weeks)?)),
        Month(months) => moment.month(months),
        Year(years) => Some(format!("{} 年", moment.year(years))),
        Day(_) | Relative::Weekday(..) => moment.date(relative).map(|day| day.to_string()),
        Speaker => meta.speaker.clone(),
        User => meta.user.clone(),
        Here => meta.place.clone(),
        Quarter(quarters) => {
            let (year, quarter) = moment.quarter(quarters)?;
            Some(format!("{year} 年第 {quarter} 季度"))
        }
        SameDay(years) => Some(moment.same_day(years)?.to_string()),
        _ => None,
    }
}
