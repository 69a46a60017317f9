//! Times in a sentence that says what is done again and again, or what holds under a condition: "checks yesterday's numbers each
//! morning", 每晚删除昨天的分区, "if today is a weekend". Such a time is relative to another day each time; the day on which the
//! sentence was said would make it false.

use super::english::WEEKDAYS;
use super::first_bytes;

/// How a time in such a sentence is treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// It has no day at all, and nobody must be asked for one.
    Habit,
    /// It may have none: only marked.
    Perhaps,
}

/// The part of a sentence in which a time stands.
pub(super) struct Clause<'t> {
    /// What stands before the time in its sentence.
    sentence: &'t str,
    /// What stands before the time.
    before: &'t str,
    word: &'t str,
    /// What stands behind it.
    behind: &'t str,
}

/// Where one statement ends and another one begins.
const ENDS: &str = "，。！？；：,;:!?\n()（）";
/// A longer clause is not looked at further than this, in bytes: text without punctuation stays linear.
const BYTES_MAX: usize = 400;

impl<'t> Clause<'t> {
    /// The clause around a word; `sentence` is what stands before it in its sentence.
    pub(super) fn of(sentence: &'t str, word: &'t str, behind: &'t str) -> Clause<'t> {
        let from = sentence.char_indices().rev().find(|(_, c)| ENDS.contains(*c));
        let from = from.map_or(0, |(at, c)| at + c.len_utf8());
        let near = first_bytes(behind, BYTES_MAX);
        let stops = |at: usize, c: char| {
            ENDS.contains(c) || c == '.' && near[at + 1..].chars().next().is_none_or(char::is_whitespace)
        };
        let to = near.char_indices().find(|(at, c)| stops(*at, *c)).map_or(near.len(), |(at, _)| at);
        let mut before = sentence[from..].trim_start();
        while let Some(rest) =
            ["- ", "* ", "+ ", "> ", "# "].iter().find_map(|mark| before.strip_prefix(mark))
        {
            before = rest.trim_start();
        }
        Clause { sentence, before, word, behind: &near[..to] }
    }

    /// Whether the clause makes the day of its time doubtful. `counted` is whether it is so many units from now.
    pub(super) fn standing(&self, counted: bool) -> Option<Standing> {
        if is_named(self.before, self.behind) || counted && is_done_to_what_is_old(self.sentence, self.behind)
        {
            return Some(Standing::Habit);
        }
        if self.word.is_ascii() { self.english(counted) } else { self.chinese(counted) }
    }

    fn english(&self, counted: bool) -> Option<Standing> {
        let (before, behind) = (words(self.before), words(self.behind));
        let starts = |with: &[&str]| before.first().is_some_and(|word| with.contains(&word.as_str()));
        let says = |before: &[String], any: &[&str]| before.iter().any(|word| any.contains(&word.as_str()));
        if says(&before, &["default", "defaults"]) {
            return Some(Standing::Habit);
        }
        // "Yesterday it failed every hour": what opens a clause dates all of it.
        let in_either = |is: fn(&[String]) -> bool| is(&before) || is(&behind);
        // Its possessive dates nothing: today's special changes every day.
        let dates_all = before.is_empty() && !self.word.ends_with("'s") && !self.word.ends_with("’s");
        if !dates_all && in_either(is_again) && !in_either(is_told) {
            return Some(Standing::Habit);
        }
        let whoever =
            starts(&["a", "an", "any", "all", "everything", "anything", "everyone", "anyone", "whoever"])
                || plural(before.first());
        let related = says(&before, &["who", "that", "which"]);
        let ends = |with: &[&str]| before.last().is_some_and(|word| with.contains(&word.as_str()));
        let side = ends(&["before", "after", "since", "than"]);
        let supposed = says(
            &before,
            &["if", "unless", "whenever", "provided", "assuming", "suppose", "imagine", "case"],
        ) && !says(&before, &["asked", "asks", "wonders"]);
        let lower = self.word.to_ascii_lowercase();
        let is_past =
            ["yesterday", "last "].iter().any(|time| lower.starts_with(time)) || lower.ends_with("ago");
        let shown = is_always_so(&before, is_past) && !in_either(is_told) && !is_set_ahead(&before, &lower);
        let forbidden = starts(&["never", "don", "don't", "do", "must"])
            && says(&before, &["never", "not", "don", "don't"]);
        let compared = says(&before, &["compares", "compare", "comparing"]);
        let older = before.len() > 1 && ends(&["than"]);
        let done_to = counted
            && behind.len() > 1
            && ["are", "get"].contains(&behind[0].as_str())
            && [
                "removed",
                "deleted",
                "archived",
                "purged",
                "dropped",
                "rotated",
                "kept",
                "retained",
                "compacted",
            ]
            .contains(&behind[1].as_str());
        let doubtful = supposed
            || shown
            || forbidden
            || compared
            || older
            || done_to
            || whoever
                && (related
                    || side
                    || ends(&["from", "hired", "bought", "created"])
                        && behind.first().is_some_and(|word| {
                            ["get", "gets", "need", "needs", "must", "can", "keep", "have"]
                                .contains(&word.as_str())
                        }))
            || starts(&["whoever"])
            || ends(&["on"]) && self.word == "today";
        doubtful.then_some(Standing::Perhaps)
    }

    fn chinese(&self, counted: bool) -> Option<Standing> {
        let says = |text: &str, any: &[&str]| any.iter().any(|word| text.contains(word));
        let is_done = self.before.contains('了') || self.behind.contains('了') || self.behind.contains('过');
        if self.before.contains("默认") {
            return Some(Standing::Habit);
        }
        // 定期|明年三月到期 is a deposit.
        let again = self.before.strip_suffix("定期").unwrap_or(self.before);
        if says(again, &AGAIN) || self.before.contains("习惯") {
            return Some(if is_done { Standing::Perhaps } else { Standing::Habit });
        }
        // 系统自动清理|上个月的缓存.
        let done_by_itself = self.before.contains("自动") && self.behind.starts_with('的') && !is_done;
        if done_by_itself || counted && (self.behind.contains("自动") || self.behind.contains("会被")) {
            return Some(Standing::Habit);
        }
        let and = ['和', '与', '跟'];
        let compared = says(self.before, &["对比", "比较"])
            && (self.behind.starts_with(and) || self.before.ends_with(and));
        let retried = counted && self.word.ends_with('后') && self.behind.trim_start().starts_with("重试");
        let doubtful = says(self.before, &SUPPOSED)
            || says(self.before, &FORBIDDEN)
            || compared
            || retried
            || !is_done
                && (self.behind.starts_with('的') || self.before.ends_with("跳到"))
                && says(self.before, &CHINESE_TOOLS)
                && says(self.before, &SHOWS)
            || self.behind.starts_with("的话")
            || says_of_each(self.behind)
            || self.behind.strip_prefix('之').is_some_and(|rest| !rest.starts_with(['内', '前', '后', '间']));
        doubtful.then_some(Standing::Perhaps)
    }
}

/// Words for what is done again and again.
const AGAIN: [&str; 28] = [
    "每天",
    "每日",
    "每晚",
    "每早",
    "每周",
    "每月",
    "每年",
    "每次",
    "每小时",
    "每分钟",
    "每季",
    "每个月",
    "每个星期",
    "每星期",
    "每礼拜",
    "每当",
    "每逢",
    "每到",
    "每隔",
    "总是",
    "总会",
    "通常",
    "往往",
    "定期",
    "总说",
    "老是",
    "老说",
    "天天",
];
/// Words that suppose something.
const SUPPOSED: [&str; 15] = [
    "如果",
    "假如",
    "一旦",
    "要是",
    "除非",
    "无论",
    "不管",
    "凡",
    "任何",
    "万一",
    "倘若",
    "若是",
    "只要",
    "假设",
    "早知道",
];
/// The same as `TOOLS`.
const CHINESE_TOOLS: [&str; 25] = [
    "脚本",
    "报表",
    "看板",
    "仪表盘",
    "面板",
    "定时任务",
    "系统",
    "接口",
    "程序",
    "查询",
    "命令",
    "图表",
    "页面",
    "大屏",
    "缓存",
    "按钮",
    "过滤器",
    "筛选器",
    "列表",
    "日历",
    "字段",
    "服务",
    "触发器",
    "规则",
    "日志",
];
/// What they do.
const SHOWS: [&str; 26] = [
    "显示",
    "统计",
    "展示",
    "汇总",
    "拉取",
    "清理",
    "删除",
    "发送",
    "生成",
    "导出",
    "归档",
    "读取",
    "备份",
    "推送",
    "对比",
    "返回",
    "保存",
    "存放",
    "跳到",
    "跳转到",
    "包含",
    "查看",
    "记录",
    "保留",
    "存的",
    "放的",
];
/// Words that forbid.
const FORBIDDEN: [&str; 7] = ["不要", "禁止", "请勿", "切勿", "不得", "不许", "不准"];

/// Whether something is set for a time that comes: The API freeze starts |tomorrow.
fn is_set_ahead(before: &[String], word: &str) -> bool {
    const SET: [&str; 15] = [
        "dies", "stops", "retires", "returns", "starts", "begins", "ends", "expires", "opens", "closes",
        "moves", "launches", "ships", "arrives", "leaves",
    ];
    let ahead = ["tomorrow", "next ", "the day after", "in "].iter().any(|time| word.starts_with(time));
    ahead && before.last().is_some_and(|last| SET.contains(&last.as_str()))
}

/// The words of a clause in small letters.
fn words(text: &str) -> Vec<String> {
    let ends = |c: char| !(c.is_alphanumeric() || c == '\'' || c == '’');
    text.split(ends).filter(|word| !word.is_empty()).map(str::to_ascii_lowercase).collect()
}

/// Whether a word is the name of many things of a kind, at the beginning of a clause: Users who …
fn plural(word: Option<&String>) -> bool {
    const KINDS: [&str; 14] = [
        "users",
        "customers",
        "people",
        "members",
        "files",
        "accounts",
        "items",
        "orders",
        "backups",
        "logs",
        "records",
        "messages",
        "tickets",
        "sessions",
    ];
    word.is_some_and(|word| KINDS.contains(&word.as_str()))
}

/// Whether the clause tells of what has happened.
fn is_told(words: &[String]) -> bool {
    let past = |word: &String| {
        [
            "was", "were", "had", "did", "went", "came", "got", "ran", "broke", "left", "paid", "said",
            "sent", "met", "took", "gave", "told", "saw", "made", "lost", "began", "wrote", "held", "fell",
            "bought",
        ]
        .contains(&word.as_str())
            || word.len() > 4
                && word.ends_with("ed")
                && !["need", "speed", "based", "named"].contains(&word.as_str())
    };
    words.iter().any(past)
}

/// each morning, every night, always, as a rule, by default, automatically.
fn is_again(words: &[String]) -> bool {
    const TIMES: [&str; 19] = [
        "time",
        "day",
        "morning",
        "afternoon",
        "evening",
        "night",
        "week",
        "month",
        "quarter",
        "year",
        "hour",
        "minute",
        "run",
        "release",
        "sprint",
        "start",
        "weekday",
        "single",
        "other",
    ];
    const ALWAYS: [&str; 8] =
        ["always", "usually", "normally", "typically", "generally", "automatically", "whenever", "regularly"];
    let pair = |pair: &[String]| {
        let of_time = [&TIMES[..], &WEEKDAYS].iter().any(|times| times.contains(&pair[1].as_str()));
        ["each", "every"].contains(&pair[0].as_str()) && of_time || pair[0] == "by" && pair[1] == "default"
    };
    let rule = |three: &[String]| three[0] == "as" && three[1] == "a" && three[2] == "rule";
    const AT_TIMES: [&str; 4] = ["nightly", "daily", "weekly", "hourly"];
    // On Fridays, nightly.
    let at_times = |word: &String| {
        AT_TIMES.contains(&word.as_str()) || word.strip_suffix('s').is_some_and(|day| WEEKDAYS.contains(&day))
    };
    words.iter().any(at_times)
        || words.windows(2).any(pair)
        || words.windows(3).any(rule)
        || words.iter().any(|word| ALWAYS.contains(&word.as_str()))
}

/// What shows, keeps or does something as often as it is asked, and no person.
const TOOLS: [&str; 46] = [
    "script",
    "job",
    "dashboard",
    "report",
    "cron",
    "panel",
    "query",
    "page",
    "command",
    "function",
    "chart",
    "graph",
    "table",
    "widget",
    "digest",
    "bot",
    "task",
    "pipeline",
    "view",
    "newsletter",
    "cache",
    "filter",
    "button",
    "field",
    "list",
    "menu",
    "tab",
    "cell",
    "service",
    "server",
    "api",
    "endpoint",
    "calendar",
    "index",
    "log",
    "rule",
    "alert",
    "test",
    "timer",
    "hook",
    "trigger",
    "variable",
    "screen",
    "app",
    "tool",
    "counter",
];

/// Whether a program or a table does something each time, or a thing is told of in the present with a time that is past: The script mails
/// |yesterday's totals; The button jumps to |today; The plan keeps |last year's rate.
fn is_always_so(before: &[String], is_past: bool) -> bool {
    let is_verb = |at: usize| {
        let word = &before[at];
        let noun =
            before.get(at + 1).is_some_and(|next| ["from", "of", "in", "on", "for"].contains(&next.as_str()));
        word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("'s") && !noun
    };
    let opens = before.first().is_some_and(|word| ["the", "a", "an", "this", "its"].contains(&word.as_str()));
    let verb = (2..before.len().min(5)).find(|at| is_verb(*at));
    let tool = before.iter().take(4).any(|word| TOOLS.contains(&word.as_str()));
    opens && verb.is_some() && (tool || is_past) && before.last().is_some_and(|word| word != "since")
}

/// Whether the word is the name of something, or the value of an option: the variable |today, 字段 |today, -newermt |yesterday,
/// HEAD@{|yesterday}.
pub(super) fn is_named(before: &str, behind: &str) -> bool {
    const KINDS: [&str; 14] = [
        "variable",
        "parameter",
        "field",
        "column",
        "option",
        "flag",
        "argument",
        "keyword",
        "constant",
        "function",
        "attribute",
        "property",
        "placeholder",
        "macro",
    ];
    let bare = before.trim_end();
    let last = bare.rsplit(' ').next().unwrap_or_default();
    let is_kind = |word: &str| KINDS.iter().any(|kind| word.eq_ignore_ascii_case(kind));
    let option = last.len() > 2
        && last
            .strip_prefix('-')
            .is_some_and(|name| name.trim_start_matches('-').starts_with(|c: char| c.is_ascii_alphabetic()));
    let next = behind.trim_start().split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    before.ends_with("@{")
        || is_kind(last)
        || is_kind(next) && behind.starts_with(' ')
        || option
        || ["字段", "变量", "参数", "选项", "关键字", "列名", "函数", "属性"]
            .iter()
            .any(|kind| bare.ends_with(kind))
}

/// Whether the sentence says what is done again and again with what is so old: 删除三天前的日志, deletes logs from three days ago.
/// What was done once (删除了) is no rule.
fn is_done_to_what_is_old(before: &str, behind: &str) -> bool {
    const VERBS: [&str; 13] = [
        "删除", "清理", "清除", "清空", "保留", "归档", "轮换", "删掉", "移除", "淘汰", "备份", "压缩",
        "超过",
    ];
    const ENGLISH: [&str; 9] =
        ["deletes", "delete", "removes", "remove", "purges", "prunes", "keeps", "keep", "archives"];
    let of_old = behind.starts_with('的') && VERBS.iter().any(|verb| before.trim_end().ends_with(verb));
    let from = before.trim_end().strip_suffix("from").is_some_and(|rest| {
        rest.split(' ').any(|word| ENGLISH.iter().any(|verb| word.eq_ignore_ascii_case(verb)))
    });
    of_old || from
}

/// Whether a rule for all of a kind stands behind a time: 今天|登录过的用户算活跃用户.
fn says_of_each(behind: &str) -> bool {
    const KINDS: [&str; 14] = [
        "用户", "客户", "会员", "文件", "记录", "订单", "备份", "日志", "消息", "数据", "账号", "会话",
        "请求", "缓存",
    ];
    const RULES: [&str; 15] = [
        "算", "视为", "计为", "一律", "需要", "需", "须", "必须", "要", "会被", "不能", "可以", "可", "能",
        "都",
    ];
    KINDS.iter().any(|kind| {
        let Some((_, rest)) = behind.split_once(&format!("的{kind}")) else { return false };
        RULES.iter().any(|rule| rest.starts_with(rule))
    })
}

#[cfg(test)]
mod tests {
    use super::{Clause, Standing, is_done_to_what_is_old};

    fn standing(before: &str, word: &str, behind: &str) -> Option<Standing> {
        Clause::of(before, word, behind).standing(word.contains("ago") || word.ends_with(['前', '后']))
    }

    #[test]
    fn a_habit_has_no_day() {
        for (before, word, behind) in [
            ("The user checks ", "yesterday's", " numbers each morning."),
            ("- The job deletes ", "yesterday's", " partition every night"),
            ("The default is ", "today", ""),
            ("", "Today's", " special changes every day"),
            ("the customer pays ", "in two weeks", " as a rule"),
            ("The variable ", "today", " holds a UTC date"),
            ("find . -newermt ", "yesterday", ""),
            ("HEAD@{", "yesterday", "}"),
            ("用户习惯在早上看", "昨天", "的邮件"),
            ("任务每晚删除", "昨天", "的分区"),
            ("", "三天前", "的备份会被删除"),
            ("", "七天后", "自动确认收货"),
            ("默认值为", "今天", ""),
            ("字段 ", "today", " 保存 UTC 日期"),
        ] {
            assert_eq!(standing(before, word, behind), Some(Standing::Habit), "{before}|{word}|{behind}");
        }
    }

    #[test]
    fn what_is_done_to_what_is_so_old_is_a_habit() {
        for (before, behind) in
            [("删除", "的日志"), ("脚本会删除", "的备份"), ("The script deletes logs from ", ".")]
        {
            assert!(is_done_to_what_is_old(before, behind), "{before}");
        }
        assert!(!is_done_to_what_is_old("删除了", "的日志") && !is_done_to_what_is_old("恢复", "的备份"));
    }

    #[test]
    fn a_condition_may_have_none() {
        for (before, word, behind) in [
            ("If ", "today", " is a weekend the script exits"),
            ("Everything created before ", "today", " is legacy"),
            ("Never deploy what was merged ", "today", "."),
            ("Users who signed up ", "last month", " get a mail"),
            ("Delete the file if it is older than ", "yesterday", ""),
            ("The panel compares ", "this week", " to last week"),
            ("Backups from ", "three days ago", " are removed"),
            ("如果", "今天", "是周末，脚本会直接退出"),
            ("不要部署", "今天", "刚合并的代码"),
            ("", "今天", "登录过的用户算活跃用户"),
            ("", "两小时后", "重试，最多五次"),
            ("仪表盘对比", "本周", "和上周"),
            ("The script mails ", "yesterday's", " totals"),
            ("The button jumps to ", "today", ""),
            ("The plan keeps ", "last year's", " rate"),
            ("缓存保存", "昨天", "的结果"),
        ] {
            assert_eq!(standing(before, word, behind), Some(Standing::Perhaps), "{before}|{word}|{behind}");
        }
    }

    #[test]
    fn what_happened_once_has_its_day() {
        for (before, word, behind) in [
            ("", "Yesterday", " the job failed every hour"),
            ("The user moved to Berlin ", "last month", "."),
            ("The daily job failed ", "yesterday", ""),
            ("Every server was restarted ", "yesterday", ""),
            ("The user always paid in cash ", "last year", ""),
            ("every night it rains, but ", "today", " it snowed"),
            ("每个人", "今天", "都到了"),
            ("", "昨天", "每小时失败一次"),
            ("用户每天跑步，", "昨天", "没有跑"),
            ("", "三天后", "交房"),
            ("", "昨天", "入职的同事叫李雷"),
            ("Send the meeting notes from ", "yesterday", " to Lee"),
            ("The lease ends ", "next month", ""),
            ("The user works from home ", "today", ""),
            ("The report from ", "last month", " is missing"),
            ("The log shows that it stopped ", "yesterday", ""),
        ] {
            assert_eq!(standing(before, word, behind), None, "{before}|{word}|{behind}");
        }
    }
}
