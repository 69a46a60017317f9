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
    /// The same word without its last part, if that is one as well: 上周 of 上周一, 今年 of 今年底.
    pub shorter: Option<(usize, Relative)>,
    /// Whether no division of the text into words can cut it.
    pub whole: bool,
}

impl Found {
    /// A word that can mean one thing only.
    pub(super) fn certain(bytes: usize, relative: Relative) -> Found {
        Found { bytes, relative, certain: true, stated: true, shorter: None, whole: false }
    }

    /// The same, of which the beginning is a word as well.
    pub(super) fn or(self, bytes: usize, relative: Relative) -> Found {
        Found { shorter: Some((bytes, relative)), ..self }
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
    /// How many clauses; one that only gives a reason belongs to the next one.
    clauses: usize,
    /// Whether it is an item of a list.
    is_item: bool,
    /// Whether it ends without a full stop, as chats and items of a list do and prose does not.
    is_open: bool,
    /// Whether it is spoken to somebody: 吧, 呢, an exclamation.
    is_spoken: bool,
}

impl Line {
    fn of(text: &str, range: Range<usize>) -> Line {
        const SPOKEN: [char; 21] = [
            '！', '？', '!', '?', '…', '~', '～', '吧', '呢', '啊', '哈', '吗', '嘛', '呀', '哦', '啦', '^',
            '呵', '嘿', '哎', '么',
        ];
        let whole = text[range.clone()].trim();
        let line = without_lead(whole).trim_end_matches([' ', '-', '*', '#', '>', '+', '。', '.', '\r']);
        let leads = starts_with(line, &["由于", "因为", "为了", "自从"]).is_some();
        let marks = line.matches(CLAUSE_ENDS).count();
        Line {
            range,
            // Letters are narrower, and a word of them is as long as one of two characters.
            chars: line.chars().filter(|c| !c.is_ascii()).count()
                + line.chars().filter(char::is_ascii).count().div_ceil(2),
            clauses: 1 + marks - usize::from(leads && marks > 0),
            is_open: !whole.ends_with(['。', '.', '！', '？', '；', '，', '：']),
            is_item: whole.starts_with(['-', '*', '+', '[']) || numbered(whole).is_some(),
            // 呢度 is a place.
            is_spoken: line.replace("呢度", "").replace("呢排", "").contains(SPOKEN)
                || line.contains("。。")
                || line.contains(".."),
        }
    }
}

/// The marks that end a clause.
pub(super) const CLAUSE_ENDS: [char; 14] =
    ['，', '。', '；', '：', '！', '？', '\n', ',', ';', '!', '?', '…', '（', '('];
/// The longest line, in characters, that is read as one statement.
const STATEMENT_CHARS_MAX: usize = 28;
/// The longest line of two clauses, in characters, that is read as two statements.
const TWO_CHARS_MAX: usize = 22;
/// The longest name of a thing, in characters.
const NOUN_CHARS_MAX: usize = 8;
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
        let head =
            without_lead(self.clause_before(at)).trim_end_matches([' ', '-', '*', '#', '>', '+', '\t', '　']);
        if head.is_empty()
            || head.ends_with(':')
            || head.ends_with(['.', ')', '）']) && head.chars().count() <= 3
        {
            return true;
        }
        const OPENERS: [&str; 13] = [
            "那", "但", "但是", "而", "所以", "因为", "因此", "由于", "不过", "而且", "并且", "其实", "另外",
        ];
        OPENERS.contains(&head)
            // A word for a time: 去年, 上周三, 三天前, 2026-03-02, 每天早上.
            || head.chars().count() <= 8
                && !head.ends_with('来') | ends_with(head, &["近来", "以来", "后来", "本来", "将来"]).is_some()
                && head.ends_with(['天', '日', '年', '月', '周', '前', '后', '时', '晚', '早', '上', '午', '来', '在', '近', '末', '底', '初', '直', '刚', '才'])
            || head.ends_with(|c: char| c.is_ascii_digit())
    }

    /// Whether a short subject stands before it: 用户最近, 团队目前, 小李上周.
    pub(super) fn after_subject(&self, at: usize) -> bool {
        let head = without_lead(self.clause_before(at)).trim_end_matches([' ', '-', '*', '#', '>', '+']);
        let short = head.chars().count() <= 5;
        let pronoun = head.ends_with(['我', '他', '她', '你', '您', '们']) && self.one_statement(at);
        // 小李上周, 老王这阵子.
        let named = head.chars().count() <= 3 && surname(head) < usize::MAX && self.one_statement(at);
        short && (pronoun || named || SUBJECTS.iter().any(|word| head.ends_with(word)))
    }

    /// Whether nothing but a thing or somebody is named before it in its clause, in a few words: 构建队列|目前.
    pub(super) fn after_noun(&self, at: usize) -> bool {
        const NO_NOUN: [char; 38] = [
            '我', '你', '他', '她', '它', '这', '那', '就', '都', '也', '才', '却', '又', '很', '不', '没',
            '了', '过', '着', '让', '说', '想', '看', '等', '如', '若', '为', '把', '被', '每', '“', '”',
            '"', '该', '某', '示', '用', '留',
        ];
        const NO_END: [char; 20] = [
            '在', '从', '到', '至', '比', '像', '由', '和', '与', '是', '的', '对', '向', '给', '叫', '问',
            '以', '于', '及', '、',
        ];
        let head = without_lead(self.clause_before(at)).trim();
        let count = head.chars().filter(|c| !c.is_ascii()).count()
            + head.chars().filter(char::is_ascii).count().div_ceil(2);
        (1..=NOUN_CHARS_MAX).contains(&count) && !head.contains(NO_NOUN) && !head.ends_with(NO_END)
    }

    /// Whether nothing but marks and a heading stand before it in its clause.
    pub(super) fn begins_clause(&self, at: usize) -> bool {
        without_lead(self.clause_before(at)).trim().is_empty()
    }

    /// Whether nothing but a word or two stands before its clause in its line: 到了,|我在地铁口; 妈,|我到家了.
    pub(super) fn opens_chat(&self, at: usize) -> bool {
        let from = self.line(at).range.start;
        self.text[from..at].trim_end_matches([',', '，', ' ']).chars().count() <= 3 && self.begins_clause(at)
    }

    /// Whether no full stop ends its line.
    pub(super) fn is_note_like(&self, at: usize) -> bool {
        self.line(at).is_open
    }

    /// The text before the clause of a place in its sentence.
    fn sentence_before_clause(&self, at: usize) -> &'t str {
        let before = &self.text[..at - self.clause_before(at).len()];
        let from = before.char_indices().rev().nth(60).map_or(0, |(at, _)| at);
        let near = &before[from..];
        near.rfind(['。', '！', '？', '；', '\n', ';', '!', '?'])
            .map_or(near, |at| &near[at..])
            .trim_matches(['。', '！', '？', '；', '\n', ';', '!', '?', '，', ',', ' '])
    }

    /// Whether a clause before it tells something from which a time that comes later is counted: 先跑单测，|一小时后再跑. 妈，|三天后到 is counted
    /// from now, and so is what stands beside a word for now.
    pub(super) fn goes_on_from_an_event(&self, at: usize) -> bool {
        const NOW: [&str; 10] =
            ["今天", "今早", "现在", "刚", "目前", "昨天", "前天", "今晚", "上周", "今年"];
        let first = without_lead(self.sentence_before_clause(at));
        let ends = self.text[..at - self.clause_before(at).len()].trim_end().ends_with(['，', ',']);
        let said = first.ends_with(['说', '道', '称', '写']);
        ends && !said && first.chars().count() > 3 && !NOW.iter().any(|word| first.contains(word))
    }

    /// Whether a clause before it names the day from which a time is counted: 2 月 27 日汇率 7.9，|十天前是 7.8.
    pub(super) fn goes_on_from_a_date(&self, at: usize) -> bool {
        let first = self.sentence_before_clause(at);
        first.find('月').is_some_and(|at| {
            first[at..].contains(['日', '号'])
                && first[..at].ends_with(|c: char| c.is_ascii_digit() || c == ' ')
        })
    }

    /// Whether nothing but a word for somebody stands before it in its clause: 护士|前几天.
    pub(super) fn after_person(&self, at: usize) -> bool {
        let head = without_lead(self.clause_before(at)).trim();
        let count = head.chars().count();
        // 舅舅, 大姨; not 专家.
        let kin = count <= 3
            && head.ends_with([
                '妈', '爸', '哥', '姐', '弟', '妹', '爷', '奶', '叔', '姨', '舅', '姑', '婆', '公',
            ]);
        (2..=5).contains(&count)
            && (kin || PEOPLE.iter().any(|word| word.chars().count() > 1 && head.ends_with(word)))
    }

    /// Whether nothing but marks, a heading and words that greet stand before it in its line.
    pub(super) fn opens_line(&self, at: usize) -> bool {
        let from = self.line(at).range.start;
        without_lead(&self.text[from..at]).trim().is_empty()
    }

    pub(super) fn opens_or_follows(&self, at: usize) -> bool {
        self.opens(at) || self.after_subject(at)
    }

    /// The line of a place, as text.
    pub(super) fn line_text(&self, at: usize) -> &'t str {
        &self.text[self.line(at).range.clone()]
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
        line.chars <= STATEMENT_CHARS_MAX && line.clauses == 1 && self.is_statement(at)
    }

    /// The same of a line of two clauses, as people chat: 我血型是 AB 型，另外我晕车.
    pub(super) fn two_statements(&self, at: usize) -> bool {
        let line = self.line(at);
        line.is_open && line.chars <= TWO_CHARS_MAX && line.clauses <= 2 && self.is_statement(at)
    }

    /// Whether the line is an item of a list: a note, whatever it says.
    pub(super) fn is_item(&self, at: usize) -> bool {
        self.line(at).is_item
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

/// A line, or the beginning of one, without what only leads to its statement: marks of a list, the kind of an item (`- [fact] `), its
/// number, a heading (`待办：`, `**时间**：`), and a word that greets or agrees (嗯，).
fn without_lead(line: &str) -> &str {
    let mut rest = line;
    loop {
        let bare = rest.trim_start_matches([' ', '-', '*', '#', '>', '+', '\t', '　']);
        let bare = [boxed, numbered, headed, greeted].iter().find_map(|lead| lead(bare)).unwrap_or(bare);
        if bare.len() == rest.len() {
            return rest;
        }
        rest = bare;
    }
}

/// Behind `[x]`, `[fact]`; not behind a link.
fn boxed(text: &str) -> Option<&str> {
    let (kind, rest) = text.strip_prefix('[')?.split_once(']')?;
    (kind.chars().count() <= 12 && !rest.starts_with('(')).then_some(rest)
}

/// Behind `1. `, `2、`.
fn numbered(text: &str) -> Option<&str> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = text[digits..].strip_prefix(['.', '、', ')', '）'])?;
    ((1..=2).contains(&digits) && !rest.starts_with(|c: char| c.is_ascii_digit())).then_some(rest)
}

/// Behind `待办：`.
fn headed(text: &str) -> Option<&str> {
    let at = text.char_indices().take(7).find(|(_, c)| CLAUSE_ENDS.contains(c) || *c == ':')?.0;
    let rest = text[at..].strip_prefix(['：', ':'])?;
    (!text[..at].contains(['我', '你', '他', '她', '说'])).then_some(rest)
}

/// Behind 嗯，, 好的, .
fn greeted(text: &str) -> Option<&str> {
    const WORDS: [&str; 26] = [
        "行啊", "好啊", "嗯嗯", "嗯", "哈哈", "哈", "哎呀", "哎", "唉", "诶", "喂", "哦", "噢", "好的", "好",
        "行吧", "行", "对了", "对", "是的", "收到", "另外", "还有", "顺便", "话说", "兄弟",
    ];
    let word = starts_with(text, &WORDS)?;
    let rest = &text[word.len()..];
    let laughs = matches!(word, "哈哈" | "嗯嗯" | "嗯" | "话说" | "哎" | "唉" | "诶");
    rest.strip_prefix(['，', ',', ' ']).or_else(|| laughs.then_some(rest))
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
const PLACES: [&str; 32] = [
    "酒馆",
    "餐馆",
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

/// Words that begin as a name does and are none.
const COMMON: [&str; 44] = [
    "周一", "周二", "周三", "周四", "周五", "周六", "周日", "周末", "周报", "周会", "周期", "周边", "马上",
    "高中", "高铁", "高考", "高速", "高级", "高度", "任务", "任何", "方案", "方便", "方式", "方法", "方向",
    "文件", "文档", "程序", "曾经", "于是", "范围", "段落", "钱包", "夏天", "白天", "常用", "万一", "金额",
    "马路", "石头", "毛病", "陈述", "邮箱",
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
        // 周报, 马上, 方案.
        let is_common = next.is_some_and(|next| COMMON.iter().any(|word| word.chars().eq([c, next])));
        let opens = opens && !is_common;
        // The 于 of 由于 and 对于 is nobody.
        let opens = opens && !(c == '于' && "由对".contains(before));
        let full = opens && SURNAMES.contains(c) && next.is_some_and(char::is_alphabetic);
        if nick || full {
            return at + c.len_utf8();
        }
        before = c;
    }
    usize::MAX
}
