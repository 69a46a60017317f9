//! Persons and places: 他 if no person was named before, 我 and 你 if the sentence states a fact about them, 这里 if somebody
//! lives there. Where `meta` names the person or place, the other cases are replaced too.

use super::super::Relative;
use super::reading::{Found, Reading, ends_with, starts_with};
use Relative::{Here, Others, Speaker, There, User};

/// A pronoun.
pub(super) fn person(reading: &Reading<'_>, at: usize) -> Option<Found> {
    let (before, rest) = reading.split(at);
    if !rest.starts_with(['我', '你', '您', '他', '她', '佢', '俺', '咱', '人']) {
        return None;
    }
    const PRONOUNS: [(&str, Relative); 24] = [
        ("我俩", Others),
        ("咱俩", Others),
        ("你俩", Others),
        ("人家", Others),
        ("我哋", Others),
        ("你哋", Others),
        ("佢哋", Others),
        ("佢", User),
        ("俺们", Others),
        ("俺", Speaker),
        ("我们", Others),
        ("咱们", Others),
        ("你们", Others),
        ("您们", Others),
        ("他们", Others),
        ("她们", Others),
        ("他俩", Others),
        ("她俩", Others),
        ("咱", Others),
        ("我", Speaker),
        ("你", User),
        ("您", User),
        ("他", User),
        ("她", User),
    ];
    let (word, relative) = PRONOUNS.into_iter().find(|(word, _)| rest.starts_with(word))?;
    let behind = &rest[word.len()..];
    if is_part_of_a_word(before, word, behind) {
        return None;
    }
    let stated = match word.chars().next()? {
        '他' | '她' | '佢' => {
            // A pronoun refers to a person named before it; whether that is the one in `meta`, nobody can tell.
            if reading.names_somebody(at) {
                return None;
            }
            (reading.one_statement(at) || reading.two_statements(at) && reading.opens_line(at))
                && is_subject_or_told(reading, at)
        }
        '人' => {
            // 别|人家, 女|人家; what somebody is or does not do is a fact.
            if !reading.begins_clause(at) || reading.names_somebody(at) {
                return None;
            }
            reading.is_statement(at)
                && reading.two_statements(at)
                && states(behind)
                && !behind.starts_with('的')
        }
        '我' | '咱' | '俺' => of_the_speaker(reading, at, behind),
        _ => of_the_reader(reading, at, behind),
    };
    // 人家, not 人|家庭.
    let whole = word == "人家"
        && !behind.starts_with(['庭', '里', '长', '属', '人', '务', '教', '乡', '园', '具', '电', '常']);
    Some(Found { stated, whole, ..Found::certain(word.len(), relative) })
}

/// Words that `is_subject_or_told` looks for.
const TOLD: [&str; 62] = [
    "希望",
    "还对",
    "还将",
    "还第一",
    "曾",
    "点点头",
    "点头",
    "以为",
    "居然",
    "终于",
    "便",
    "却",
    "才",
    "越",
    "默默",
    "确实",
    "只不过",
    "大大",
    "广泛",
    "正以",
    "打心",
    "分别",
    "一边",
    "故作",
    "拉着",
    "宁",
    "让我",
    "说太",
    "说“",
    "说：",
    "向",
    "呼吁",
    "感谢",
    "强烈",
    "保证",
    "同时",
    "敦促",
    "扬言",
    "好像",
    "也",
    "所",
    "冒着",
    "强调",
    "指出",
    "表示",
    "认为",
    "要以",
    "当年",
    "的一",
    "的作品",
    "当中",
    "派",
    "率先",
    "几乎",
    "常常",
    "将于",
    "这时",
    "为孩子",
    "传递",
    "的做法",
    "执",
    "超",
];
/// What goes on from another sentence: 但她, 原来他, 那天他.
const GOES_ON: [&str; 16] = [
    "但",
    "而",
    "因为",
    "所以",
    "其实",
    "原来",
    "为了",
    "那天",
    "第二天",
    "也是",
    "后来",
    "于是",
    "然而",
    "结果",
    "从此",
    "不过",
];
/// What is told of somebody in public, or in a tale.
const PUBLIC: [&str; 30] = [
    "表示",
    "给予",
    "掌声",
    "成就",
    "会谈",
    "访问",
    "访华",
    "贡献",
    "总统",
    "作品",
    "作家",
    "人民",
    "国际",
    "美方",
    "冠军",
    "纪录",
    "任期",
    "讲话",
    "逝世",
    "祝愿",
    "重申",
    "呼吁",
    "评价",
    "责令",
    "组委会",
    "演唱",
    "拜年",
    "敬佩",
    "观点",
    "成果",
];

/// Whether the person acts or is spoken to: the pronoun is at the head of the clause, or after 给, 问, 通知; and the text is
/// not told in the first person.
fn is_subject_or_told(reading: &Reading<'_>, at: usize) -> bool {
    let before = reading.clause_before(at);
    let waits = before.ends_with('等') && reading.one_statement(at) && reading.is_note_like(at) && {
        let rest = reading.split(at).1.trim_start_matches(['他', '她', '们', '俩']);
        !rest.starts_with(char::is_alphanumeric)
    };
    let told = [
        "给",
        "问",
        "问下",
        "问问",
        "问一下",
        "催",
        "催一下",
        "叫",
        "请",
        "找",
        "告诉",
        "通知",
        "提醒",
        "联系",
        "发给",
        "抄送",
        "替",
        "由",
        "帮",
        "和",
        "与",
        "向",
    ];
    let line = reading.line_text(at);
    if GOES_ON.iter().any(|word| before.trim_start().starts_with(word))
        || !reading.is_short(at) && PUBLIC.iter().any(|word| line.contains(word))
    {
        return false;
    }
    let pronoun = reading.split(at).1.trim_start_matches(['他', '她', '佢', '们', '哋', '俩']);
    let wish = pronoun.starts_with("希望") && reading.is_short(at);
    let tale = starts_with(pronoun, &TOLD).is_some() && !wish;
    !tale && !before.contains('我') && (waits || reading.opens(at) || ends_with(before, &told).is_some())
}

/// 其他, 自我, 他人, 你好: no person is meant.
fn is_part_of_a_word(before: &str, word: &str, behind: &str) -> bool {
    let (not_before, not_behind): (&[&str], &[&str]) = match word {
        "我" => (
            &["自", "忘", "本", "大", "无", "唯", "小", "敌", "非", "真", "超"],
            &[
                "国",
                "方",
                "行我素",
                "党",
                "军",
                "省",
                "市",
                "县",
                "厂",
                "院",
                "校",
                "区",
                "队",
                "团",
                "军",
                "会",
                "部",
                "司",
                "社",
                "馆",
                "所",
            ],
        ),
        "你" => {
            (&["为", "追", "和", "死"], &["好", "我", "追我", "来我", "死我", "争我", "情我", "一言", "方"])
        }
        "您" => (&[], &["好"]),
        "他" => (
            &["其", "吉", "排", "利", "维", "耳", "无", "由", "犹", "为", "马耳", "结", "及其"],
            &["人", "乡", "杀", "律", "山", "物", "者", "处", "国", "日", "项", "方", "年", "用", "指"],
        ),
        "她" => (&[], &["经济", "力量"]),
        _ => (&[], &[]),
    };
    // 你追我赶, 你推我让: an idiom has both pronouns, and four characters.
    let four: Vec<char> = behind.chars().take(4).collect();
    let idiom = word == "你"
        && four.get(1) == Some(&'我')
        && !four.get(3).is_some_and(|c| c.is_alphabetic() && !"的地得".contains(*c));
    idiom
        || ends_with(before, not_before).is_some() && !(word == "你" && before.ends_with('和'))
        || starts_with(behind, not_behind).is_some()
}

/// Words with which notes state a fact about a person.
const STATED: [&str; 96] = [
    "属鼠",
    "属牛",
    "属虎",
    "属兔",
    "属龙",
    "属蛇",
    "属马",
    "属羊",
    "属猴",
    "属鸡",
    "属狗",
    "属猪",
    "喜欢",
    "讨厌",
    "偏好",
    "习惯",
    "偏爱",
    "爱吃",
    "爱喝",
    "吃素",
    "吃辣",
    "吃香",
    "住",
    "来自",
    "叫",
    "姓",
    "毕业",
    "负责",
    "打算",
    "计划",
    "决定",
    "约定",
    "养了",
    "工作",
    "上班",
    "结婚",
    "离婚",
    "搬",
    "辞",
    "用 ",
    "用的",
    "要求",
    "出生",
    "生于",
    "过敏",
    "对花",
    "对海",
    "在准备",
    "在做",
    "在学",
    "不吃",
    "不喝",
    "喝酒",
    "抽烟",
    "戒",
    "生日",
    "怕",
    "擅长",
    "会说",
    "会弹",
    "说过",
    "提到",
    "说不",
    "说要",
    "采用",
    "改用",
    "统一",
    "每周",
    "每天",
    "每月",
    "担任",
    "管理",
    "维护",
    "签",
    "租",
    "续",
    "入职",
    "离职",
    "请假",
    "值班",
    "出差",
    "忌口",
    "晕船",
    "晕车",
    "晕机",
    "哮喘",
    "高血压",
    "糖尿病",
    "低血糖",
    "近视",
    "色盲",
    "鼻炎",
    "痛风",
    "心脏病",
    "失眠",
    "骑车",
];

/// Things that belong to a person, so that a note about them is a note about the person.
const OWN: [&str; 42] = [
    "生日",
    "航班",
    "妻子",
    "丈夫",
    "老婆",
    "老公",
    "女朋友",
    "男朋友",
    "电话",
    "手机",
    "护照",
    "邮箱",
    "地址",
    "猫",
    "狗",
    "车",
    "家",
    "老板",
    "经理",
    "同事",
    "妈",
    "爸",
    "母亲",
    "父亲",
    "姐",
    "哥",
    "弟",
    "妹",
    "儿子",
    "女儿",
    "孩子",
    "名字",
    "工号",
    "职位",
    "工资",
    "会员",
    "体重",
    "身高",
    "血型",
    "编辑器",
    "习惯",
    "房东",
];

/// 提醒|我交房租, 别给|我排早会.
const ASKED: [&str; 10] =
    ["提醒", "记得提醒", "别给", "不要给", "通知", "发给", "转给", "抄送给", "别叫", "到时候叫"];
/// Words that `of_the_speaker` looks for.
const OURS: [&str; 20] = [
    "公司",
    "组",
    "部门",
    "团队",
    "家",
    "办公室",
    "老板",
    "学校",
    "这里",
    "这儿",
    "这边",
    "那边",
    "这附近",
    "小区",
    "宿舍",
    "班",
    "店",
    "单位",
    "工厂",
    "项目",
];
/// 我刚才在开车: what somebody did at a time is a fact.
const TIMES: [&str; 19] = [
    "大后天",
    "大前天",
    "最近",
    "刚才",
    "昨天",
    "今天",
    "明天",
    "前天",
    "后天",
    "昨晚",
    "今晚",
    "今早",
    "上周",
    "下周",
    "上个月",
    "下个月",
    "去年",
    "今年",
    "明年",
];

/// Whether the clause states a fact about the speaker and is no remark such as 我觉得, 让我.
fn of_the_speaker(reading: &Reading<'_>, at: usize, behind: &str) -> bool {
    let head = reading.clause_before(at);
    let is_last = !behind.starts_with(|c: char| c.is_alphanumeric());
    let sent = is_last
        && ends_with(head, &["发给", "转给", "转发给", "抄送给", "交给"]).is_some()
        && !head.contains(['没', '不', '了', '是', '会']);
    let asked = sent || ASKED.contains(&head.trim_start_matches([' ', '-', '*']));
    if asked && reading.is_statement(at) && reading.two_statements(at) {
        return true;
    }
    if !reading.is_statement(at) || !reading.opens(at) {
        return false;
    }
    let own = behind.strip_prefix('的').is_some_and(|noun| starts_with(noun, &OWN).is_some())
        || starts_with(behind, &NEAR).is_some();
    let rest = reading.split(at).1;
    let plural = (rest.starts_with('咱') || rest.starts_with("我们")).then_some(behind);
    let ours = plural.is_some_and(|noun| starts_with(noun, &OURS).is_some());
    let remark = is_remark(behind);
    let short = is_note(reading, at) && !remark && !points(behind);
    // One more fact is told of somebody: …，另外我晕车.
    let more = !remark && ["另外", "而且", "还有"].contains(&reading.clause_before(at).trim());
    // 我在地铁上，信号差: a note of two short clauses, told as people chat.
    let first = reading.clause_from(at).chars().count();
    let chatted = !remark
        && !points(behind)
        && first <= 10
        && (reading.opens_line(at) || reading.opens_chat(at))
        && reading.two_statements(at);
    // 我没有信用卡, 我只有只读权限; not 我没有办法.
    const NO_THINGS: [&str; 16] = [
        "想", "办法", "意见", "必要", "理由", "关系", "觉", "看", "见", "什么", "一", "任何", "说", "时间",
        "兴趣", "遗憾",
    ];
    let lacks = starts_with(behind, &["没有", "只有"])
        .is_some_and(|word| starts_with(&behind[word.len()..], &NO_THINGS).is_none())
        && reading.is_short(at)
        && is_note_like(reading, at)
        && reading.opens_line(at)
        && reading.one_statement(at);
    // 我在上海一家小公司写后端.
    let clause = reading.clause_from(at);
    let at_work = behind.starts_with('在')
        && ["公司", "医院", "学校", "工厂", "单位", "银行"].iter().any(|place| clause.contains(place))
        && ["写", "当", "教", "上班", "任职", "实习"].iter().any(|work| clause.contains(work))
        && reading.opens_line(at)
        && is_note_like(reading, at);
    if lacks || at_work {
        return true;
    }
    let more_of_it = starts_with(behind, &["还欠", "还有", "还没", "还在", "这台", "这会儿"]).is_some()
        && (reading.one_statement(at) || reading.two_statements(at))
        && is_note_like(reading, at);
    if chatted || more_of_it {
        return true;
    }
    let dated = starts_with(behind, &TIMES).is_some() && !reading.line_text(at).trim_end().ends_with('。');
    reading.one_statement(at) && (own || ours || short || dated || states(behind))
        || reading.two_statements(at) && dated
        || reading.two_statements(at) && (own || ours || more || states(behind)) && !points(behind)
}

/// Whether the clause points at something that its text does not name: 我买这本是为了自学 is a remark on it, and no note.
fn points(behind: &str) -> bool {
    let near = behind.char_indices().nth(30).map_or(behind, |(at, _)| &behind[..at]);
    let clause = near.split(['，', '。', ',', '；']).next().unwrap_or_default();
    ["这", "此", "那", "它", "该"].iter().any(|word| clause.contains(word))
}

/// Whether no full stop ends the line.
fn is_note_like(reading: &Reading<'_>, at: usize) -> bool {
    !reading.line_text(at).trim_end().ends_with(['。', '.', '！', '？'])
}

/// Whether the line is short as a note of one fact is, or an item of a list.
fn is_note(reading: &Reading<'_>, at: usize) -> bool {
    reading.is_short(at) || reading.is_item(at)
}

/// Who and what belongs to a person without a 的 between the two: 我妈, 我老家, 你血型.
const NEAR: [&str; 37] = [
    "妈",
    "爸",
    "姐",
    "哥",
    "弟",
    "妹",
    "老婆",
    "老公",
    "妻子",
    "丈夫",
    "爱人",
    "女儿",
    "儿子",
    "奶奶",
    "爷爷",
    "外婆",
    "外公",
    "岳父",
    "岳母",
    "丈母娘",
    "老家",
    "血型",
    "身高",
    "体重",
    "生日",
    "邮箱",
    "手机号",
    "信用卡",
    "胃",
    "腰",
    "膝盖",
    "血压",
    "血糖",
    "嗓子",
    "眼睛",
    "皮肤",
    "牙",
];

/// Whether the clause states a fact about the person spoken to; the 你可以 of a manual does not.
fn of_the_reader(reading: &Reading<'_>, at: usize, behind: &str) -> bool {
    if !reading.is_statement(at) || !reading.opens(at) {
        return false;
    }
    let own = behind.strip_prefix('的').is_some_and(|noun| starts_with(noun, &OWN).is_some())
        || starts_with(behind, &NEAR).is_some();
    let theirs = behind.trim_start_matches('们').starts_with('的');
    const TOLD: [&str; 12] =
        ["可以", "需要", "应该", "将", "会", "必须", "能", "请", "如果", "确保", "想", "应当"];
    // The 会 of 会员 and 机会 tells nobody anything.
    let clause = ["会员", "会议", "机会", "社会", "开会", "例会", "会费", "聚会", "约会", "晚会"]
        .iter()
        .fold(reading.clause_from(at).to_owned(), |clause, word| clause.replace(word, ""));
    let instructs = TOLD.iter().any(|word| clause.contains(word));
    let short = is_note(reading, at) && !is_remark(behind);
    let near = starts_with(behind, &NEAR).is_some() && reading.two_statements(at) && reading.opens_line(at);
    let prefers = reading.two_statements(at) && reading.opens_line(at) && states(behind) && !points(behind);
    let owes = behind.trim_start_matches('们').starts_with("还欠") && reading.two_statements(at);
    owes || (near || prefers) && !instructs
        || reading.one_statement(at) && (own || short || states(behind) || theirs) && !instructs
}

/// Whether the text after a pronoun states a fact as notes do, possibly after an adverb or a place: 一直住, 在南京工作.
fn states(behind: &str) -> bool {
    let end = behind.char_indices().nth(STATED_WITHIN_CHARS).map_or(behind.len(), |(at, _)| at);
    let head = &behind[..end];
    // 我把编辑器换成了 Helix: something is settled.
    let settled = head.starts_with('把') && ["成了", "到了", "为了"].iter().any(|word| head.contains(word));
    settled || !is_remark(head) && STATED.iter().any(|word| head.contains(word))
}

fn is_remark(behind: &str) -> bool {
    starts_with(behind, &REMARKS).is_some() && !behind.starts_with("太太")
}

/// How a remark begins: what somebody thinks is no fact about them.
const REMARKS: [&str; 58] = [
    "想",
    "个人",
    "主要",
    "无",
    "没想到",
    "没有",
    "的确",
    "第",
    "拿着",
    "发现",
    "入住",
    "住的",
    "在也",
    "倒",
    "笑",
    "平常",
    "感到",
    "指的",
    "从来没",
    "默然",
    "勉强",
    "较",
    "尚未",
    "是不小心",
    "是为了",
    "是抱",
    "是这",
    "悔",
    "觉得",
    "认为",
    "感觉",
    "以为",
    "估计",
    "希望",
    "知道",
    "看",
    "很",
    "非常",
    "真",
    "太",
    "都",
    "也",
    "就",
    "还",
    "才",
    "却",
    "又",
    "再",
    "只",
    "更",
    "一直",
    "特",
    "最",
    "来",
    "同意",
    "建议",
    "相信",
    "猜",
];

/// How near to a pronoun the stated fact must be.
const STATED_WITHIN_CHARS: usize = 9;

/// Words that `place` looks for.
const WORDS: [(&str, Relative); 30] = [
    ("这个厂", Here),
    ("这个村", Here),
    ("这个镇", Here),
    ("这座楼", Here),
    ("这条街", Here),
    ("这间办公室", Here),
    ("这个办公室", Here),
    ("这片儿", Here),
    ("这一片", Here),
    ("这栋楼", Here),
    ("这幢楼", Here),
    ("这层楼", Here),
    ("这头", Here),
    ("那头", There),
    ("呢度", Here),
    ("嗰度", There),
    ("这附近", Here),
    ("这一带", Here),
    ("这里", Here),
    ("这儿", Here),
    ("这边", Here),
    ("此地", Here),
    ("此处", Here),
    ("当地", Here),
    ("本地", Here),
    ("那附近", There),
    ("那里", There),
    ("那儿", There),
    ("那边", There),
    ("那一带", There),
];

/// What is done with a thing that is kept somewhere.
const KEPT: [&str; 14] = [
    "放在",
    "写在",
    "记在",
    "藏在",
    "存在",
    "存放在",
    "保存在",
    "收在",
    "挂在",
    "停在",
    "租在",
    "埋在",
    "寄到",
    "送到",
];

/// 这里, 那边, 当地: where somebody is, and not a place in a text or on a screen.
pub(super) fn place(reading: &Reading<'_>, at: usize) -> Option<Found> {
    let rest = reading.split(at).1;
    if !rest.starts_with(['这', '那', '此', '当', '本', '呢', '嗰']) {
        return None;
    }
    let (word, relative) = WORDS.into_iter().find(|(word, _)| rest.starts_with(word))?;
    let behind = &rest[word.len()..];
    if reading.names_a_place(at) {
        return None;
    }
    let clause = reading.clause_before(at);
    // A remark of a guest: next time I stay here again.
    let remark =
        ["下次", "再", "以后", "强烈", "坚决", "还是", "还会"].iter().any(|word| clause.contains(word));
    let lives =
        clause.contains("住") || ends_with(clause, &["来", "到", "搬到", "回", "去", "在", "离开"]).is_some();
    let of_place = of_a_place(behind) || behind.starts_with('的') && of_a_place(&behind["的".len()..]);
    let stated = match word {
        "当地" | "本地" => {
            of_place
                && (behind.starts_with('的')
                    || starts_with(behind, &["人", "菜", "医保", "社保", "房价", "天气", "口音", "方言"])
                        .is_some())
        }
        "呢度" | "嗰度" => reading.opens(at),
        _ if is_in_a_note(reading, at, word) => true,
        "此地" | "此处" => reading.opens(at) && of_place,
        "这附近" | "这一带" if reading.opens(at) && behind.starts_with(['有', '没']) => true,
        "这边" | "那边" | "这儿" | "那儿" if reading.opens(at) && !behind.starts_with(['是', '有']) => {
            true
        }
        _ => {
            of_place
                || ends_with(clause, &KEPT).is_some() && !behind.starts_with(char::is_alphanumeric)
                || lives
                    && starts_with(
                        behind,
                        &["的", "住", "吃", "工作", "上班", "是因为", "了", "定居", "生活", "出差"],
                    )
                    .is_some()
                || clause.contains("住在")
                || ends_with(clause, &["搬到", "住在", "搬来"]).is_some()
                || clause.ends_with("在") && behind.is_empty() && clause.contains("住")
        }
    };
    if matches!(word, "当地" | "本地") && !stated {
        return None;
    }
    let noted = reading.one_statement(at) || reading.opens(at) && reading.two_statements(at);
    let stated = stated && !remark && reading.is_statement(at) && noted;
    Some(Found { stated, ..Found::certain(word.len(), relative) })
}

/// Whether a note without a full stop tells of the place where it is written or of another one: 这栋楼谁都没有钥匙, 此地装灯要报批, 钥匙挂在那边冰柜后头.
fn is_in_a_note(reading: &Reading<'_>, at: usize, word: &str) -> bool {
    const NOT_HERE: [&str; 9] =
        ["只有两", "只有一条", "只有一趟", "不能刷", "不收", "只收", "不让", "不准", "不许"];
    let behind = &reading.split(at).1[word.len()..];
    let opens = reading.opens_line(at) && is_note_like(reading, at);
    let of_word = match word {
        "此地" => opens && !behind.starts_with(['无', '不']),
        "这附近" | "这一带" => opens && !behind.starts_with('的'),
        "这头" | "那头" => opens && !is_of_a_herd(behind),
        "那边" | "这边" | "这儿" | "那儿" => {
            is_kept(reading.clause_before(at)) && is_note_like(reading, at)
        }
        "这里" | "那里" | "此处" | "当地" | "本地" | "呢度" | "嗰度" | "那附近" | "那一带" => {
            false
        }
        _ => opens,
    };
    of_word || reading.opens(at) && starts_with(behind, &NOT_HERE).is_some()
}

/// 这头|猪: a head of cattle.
fn is_of_a_herd(behind: &str) -> bool {
    behind.starts_with([
        '猪', '牛', '羊', '驴', '象', '熊', '狼', '狮', '虎', '鹿', '骡', '大', '小', '母', '公', '老', '蒜',
        '发', '的', '野',
    ])
}

/// Whether something is kept at the place: 挂在|那边.
fn is_kept(clause: &str) -> bool {
    ends_with(clause, &["挂在", "放在", "就在", "收在", "藏在", "停在", "存在", "锁在"]).is_some()
}

/// Words said of a place where people are.
const OF_PLACES: [&str; 161] = [
    "天气",
    "空气",
    "气候",
    "冬",
    "夏",
    "春天",
    "秋天",
    "很冷",
    "很热",
    "冷",
    "热",
    "比",
    "房",
    "租",
    "物价",
    "人",
    "同事",
    "同学",
    "邻居",
    "学校",
    "医院",
    "超市",
    "餐厅",
    "咖啡",
    "博物",
    "海鲜",
    "菜",
    "交通",
    "环境",
    "风景",
    "水",
    "网络",
    "电",
    "习惯",
    "方言",
    "没有",
    "不下雨",
    "常",
    "下雪",
    "下雨",
    "经常",
    "只有一",
    "说",
    "时差",
    "医保",
    "社保",
    "口音",
    "停电",
    "晚上",
    "白天",
    "早上",
    "很吵",
    "吵",
    "安静",
    "停水",
    "刮风",
    "暴雨",
    "一月",
    "二月",
    "三月",
    "四月",
    "五月",
    "六月",
    "七月",
    "八月",
    "九月",
    "十月",
    "十一月",
    "十二月",
    "治安",
    "夜",
    "周末",
    "到机场",
    "离",
    "海拔",
    "小吃",
    "特产",
    "语言",
    "习俗",
    "政策",
    "商店",
    "快递",
    "地铁",
    "朋友",
    "工资",
    "税",
    "暖气",
    "自来水",
    "信号",
    "停车",
    "蚊子",
    "供暖",
    "日出",
    "路",
    "楼",
    "街",
    "电梯",
    "餐",
    "店",
    "米饭",
    "面馆",
    "啤酒",
    "酒吧",
    "牛奶",
    "充电",
    "洗手间",
    "厕所",
    "空调",
    "公交",
    "巴士",
    "出租车",
    "打车",
    "外卖",
    "银行",
    "药店",
    "集市",
    "夜市",
    "海滩",
    "温泉",
    "门票",
    "价格",
    "物业",
    "居民",
    "房东",
    "保安",
    "老师",
    "孩子",
    "医生",
    "车位",
    "早餐",
    "停车场",
    "游客",
    "出行",
    "消费",
    "生活",
    "手机",
    "雨",
    "太阳",
    "下午",
    "中午",
    "傍晚",
    "节日",
    "宗教",
    "签证",
    "昼夜",
    "温差",
    "早晚",
    "紫外线",
    "湿",
    "干燥",
    "风大",
    "雾",
    "沙尘",
    "虫",
    "蚂蚁",
    "有暖气",
    "有空调",
    "有地铁",
    "有超市",
    "有医院",
    "讲",
];

/// Whether one of them, with 的 or without it, follows a place.
fn of_a_place(behind: &str) -> bool {
    starts_with(behind, &OF_PLACES).is_some()
        || behind.strip_prefix('的').is_some_and(|behind| starts_with(behind, &OF_PLACES).is_some())
}
