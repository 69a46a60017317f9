//! What a rule can ask of the text around a word: whether the word opens its clause, whether its line is one statement, and
//! whether a person was named before it.

use super::super::Relative;
use std::cell::OnceCell;
use std::ops::Range;

/// What a rule found.
pub(super) struct Found {
    /// Its bytes.
    pub bytes: usize,
    /// What it is relative to.
    pub relative: Relative,
    /// Whether it is certain.
    pub certain: bool,
    /// Whether the sentence states a fact with it; see `Hit::stated`.
    pub stated: bool,
}

impl Found {
    /// A word that can mean one thing only.
    pub(super) fn certain(bytes: usize, relative: Relative) -> Found {
        Found { bytes, relative, certain: true, stated: true }
    }
}

/// A text, and what is known of the whole of it.
pub(super) struct Reading<'t> {
    text: &'t str,
    /// Where the first word for a person or a group ends.
    person_end: usize,
    /// Where the first word for a place ends.
    place_end: usize,
    /// Its lines, which rules ask for at each word: a text may be one line.
    lines: OnceCell<Vec<Line>>,
}

/// What is known of a line, without the marks around it.
struct Line {
    /// All of it.
    range: Range<usize>,
    /// How many characters it has.
    chars: usize,
    /// Whether no mark ends a clause in it.
    is_one_clause: bool,
    /// Whether it is spoken to somebody: 吧, 呢, an exclamation.
    is_spoken: bool,
}

impl Line {
    fn of(text: &str, range: Range<usize>) -> Line {
        const SPOKEN: [char; 21] = [
            '！', '？', '!', '?', '…', '~', '～', '吧', '呢', '啊', '哈', '吗', '嘛', '呀', '哦', '啦', '^',
            '呵', '嘿', '哎', '么',
        ];
        let line = text[range.clone()].trim_matches([' ', '-', '*', '#', '>', '+', '。', '.', '\r']);
        Line {
            range,
            chars: line.chars().count(),
            is_one_clause: !line.contains(CLAUSE_ENDS),
            is_spoken: line.contains(SPOKEN) || line.contains("。。") || line.contains(".."),
        }
    }
}

/// The marks that end a clause.
const CLAUSE_ENDS: [char; 14] =
    ['，', '。', '；', '：', '！', '？', '\n', ',', ';', '!', '?', '…', '（', '('];
/// The longest line, in characters, that is read as one statement.
const STATEMENT_CHARS_MAX: usize = 28;
/// The longest line, in characters, that is certainly a note.
const SHORT_CHARS_MAX: usize = 14;

impl<'t> Reading<'t> {
    pub(super) fn of(text: &'t str) -> Reading<'t> {
        let first = |words: &[&str]| {
            words.iter().filter_map(|word| Some(text.find(word)? + word.len())).min().unwrap_or(usize::MAX)
        };
        let latin =
            text.match_indices(|c: char| c.is_ascii_uppercase()).next().map_or(usize::MAX, |(at, _)| at + 1);
        let person_end = first(&PEOPLE).min(latin).min(surname(text));
        Reading { text, person_end, place_end: first(&PLACES), lines: OnceCell::new() }
    }

    pub(super) fn split(&self, at: usize) -> (&'t str, &'t str) {
        self.text.split_at(at)
    }

    /// Whether a person is named before this place, so that a pronoun there can refer to them.
    pub(super) fn names_somebody(&self, at: usize) -> bool {
        self.person_end <= at
    }

    /// Whether a place is named before it, so that 那里 can refer to that.
    pub(super) fn names_a_place(&self, at: usize) -> bool {
        self.place_end <= at
    }

    /// The text before a place in its clause.
    pub(super) fn clause_before(&self, at: usize) -> &'t str {
        let before = &self.text[..at];
        // No clause that matters is longer. The bound keeps a text without punctuation linear.
        let from = before.char_indices().rev().nth(60).map_or(0, |(at, _)| at);
        let near = &before[from..];
        near.rfind(CLAUSE_ENDS).map_or(near, |at| {
            let mark = near[at..].chars().next().map_or(0, char::len_utf8);
            &near[at + mark..]
        })
    }

    /// The text from a place to the end of its clause.
    pub(super) fn clause_from(&self, at: usize) -> &'t str {
        let rest = &self.text[at..];
        let end = rest.char_indices().nth(60).map_or(rest.len(), |(at, _)| at);
        let near = &rest[..end];
        &near[..near.find(CLAUSE_ENDS).unwrap_or(near.len())]
    }

    /// Whether a clause begins here, apart from list marks and words that open one.
    pub(super) fn opens(&self, at: usize) -> bool {
        let head = self.clause_before(at).trim_matches([' ', '-', '*', '#', '>', '+', '\t', '　']);
        if head.is_empty() || head.ends_with(['.', ')', '）']) && head.chars().count() <= 3 {
            return true;
        }
        const OPENERS: [&str; 12] =
            ["但", "但是", "而", "所以", "因为", "因此", "由于", "不过", "而且", "并且", "其实", "另外"];
        OPENERS.contains(&head)
            // A word for a time: 去年, 上周三, 三天前, 2026-03-02, 每天早上.
            || head.chars().count() <= 8
                && head.ends_with(['天', '日', '年', '月', '周', '前', '后', '时', '晚', '早', '上', '午', '来', '在', '近', '末', '底', '初', '直', '刚', '才'])
            || head.ends_with(|c: char| c.is_ascii_digit())
    }

    /// Whether a short subject stands before it: 用户最近, 团队目前, 小李上周.
    pub(super) fn after_subject(&self, at: usize) -> bool {
        let head = self.clause_before(at).trim_matches([' ', '-', '*', '#', '>', '+']);
        let short = head.chars().count() <= 5;
        let pronoun = head.ends_with(['我', '他', '她', '你', '您', '们']) && self.one_statement(at);
        short && (pronoun || SUBJECTS.iter().any(|word| head.ends_with(word)))
    }

    pub(super) fn opens_or_follows(&self, at: usize) -> bool {
        self.opens(at) || self.after_subject(at)
    }

    /// The line of a place.
    fn line(&self, at: usize) -> &Line {
        let lines = self.lines.get_or_init(|| {
            let mut start = 0;
            let mut line = |line: &str| {
                let range = start..start + line.len();
                start = range.end + 1;
                Line::of(self.text, range)
            };
            self.text.split('\n').map(&mut line).collect()
        });
        &lines[lines.partition_point(|line| line.range.end < at).min(lines.len() - 1)]
    }

    /// Whether the line is a short plain statement of one clause, as in a note: no story, question or exclamation.
    pub(super) fn one_statement(&self, at: usize) -> bool {
        let line = self.line(at);
        line.chars <= STATEMENT_CHARS_MAX && line.is_one_clause && self.is_statement(at)
    }

    /// Whether the line has the length of a note that is one fact.
    pub(super) fn is_short(&self, at: usize) -> bool {
        self.line(at).chars <= SHORT_CHARS_MAX
    }

    /// Whether the clause is a plain statement.
    pub(super) fn is_statement(&self, at: usize) -> bool {
        let behind = &self.text[at + self.clause_from(at).len()..];
        !behind.starts_with(['！', '？', '!', '?', '…']) && !self.line(at).is_spoken
    }
}

/// The one of these words that a text begins with.
pub(super) fn starts_with<'w>(text: &str, words: &[&'w str]) -> Option<&'w str> {
    words.iter().copied().find(|word| text.starts_with(word))
}

/// The one of these words that a text ends with.
pub(super) fn ends_with<'w>(text: &str, words: &[&'w str]) -> Option<&'w str> {
    words.iter().copied().find(|word| text.ends_with(word))
}

/// Whom notes are about, as the subject of a clause.
const SUBJECTS: [&str; 16] = [
    "用户", "客户", "团队", "公司", "部门", "同事", "老板", "经理", "孩子", "女儿", "儿子", "妻子", "丈夫",
    "父亲", "母亲", "项目",
];

/// Words that name a person or a group, or are part of one that does.
const PEOPLE: [&str; 66] = [
    "用户",
    "客户",
    "团队",
    "公司",
    "部门",
    "同事",
    "老板",
    "经理",
    "老师",
    "医生",
    "护士",
    "律师",
    "司机",
    "房东",
    "室友",
    "邻居",
    "朋友",
    "同学",
    "学生",
    "孩子",
    "小孩",
    "妈",
    "母亲",
    "爸",
    "父",
    "妻",
    "丈夫",
    "老公",
    "老婆",
    "儿子",
    "女儿",
    "哥",
    "姐",
    "弟",
    "妹",
    "爷",
    "奶",
    "叔",
    "姨",
    "舅",
    "姑",
    "人",
    "者",
    "员",
    "师",
    "家",
    "们",
    "先生",
    "女士",
    "小姐",
    "主席",
    "总统",
    "部长",
    "书记",
    "主任",
    "教授",
    "博士",
    "作家",
    "导演",
    "谁",
    "男",
    "女",
    "供应商",
    "厂商",
    "伙伴",
    "对方",
];

/// Words that name a place.
const PLACES: [&str; 30] = [
    "市",
    "省",
    "县",
    "镇",
    "村",
    "国",
    "州",
    "北京",
    "上海",
    "广州",
    "深圳",
    "杭州",
    "成都",
    "武汉",
    "南京",
    "苏州",
    "重庆",
    "天津",
    "西安",
    "青岛",
    "香港",
    "台湾",
    "公司",
    "办公室",
    "学校",
    "酒店",
    "宾馆",
    "医院",
    "工厂",
    "岛",
];

/// Where the first name like 小王, 老李, 李雷 ends that begins a clause or follows a word after which names stand.
fn surname(text: &str) -> usize {
    const SURNAMES: &str = "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文";
    let mut before = '\n';
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let opens = !before.is_alphanumeric() || "和与跟给是叫向对由请让被问找、".contains(before);
        let nick = matches!(c, '小' | '老' | '阿') && next.is_some_and(|next| SURNAMES.contains(next));
        let full = opens && SURNAMES.contains(c) && next.is_some_and(char::is_alphabetic);
        if nick || full {
            return at + c.len_utf8();
        }
        before = c;
    }
    usize::MAX
}
