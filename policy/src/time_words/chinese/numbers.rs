//! Amounts as Chinese texts write them: 三, 四十五, 一百二, 10, and those that are not exact: 几, 两三, 十几, 1.5, 二十多.

/// An amount a text begins with, and its bytes: `None` for one that is not exact.
pub(in crate::time_words) fn amount(text: &str) -> Option<(Option<i64>, usize)> {
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
    for vague in ["好几十", "好几", "几十", "几", "数十", "数", "若干", "多", "来", "余"] {
        if text[length..].starts_with(vague) {
            (count, length) = (None, length + vague.len());
            break;
        }
    }
    (length > 0).then_some((count, length))
}

/// A number a text begins with, and its bytes.
pub(in crate::time_words) fn number(text: &str) -> Option<(i64, usize)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 {
        return text[..digits].parse().ok().filter(|n| *n <= 10_000).map(|n| (n, digits));
    }
    let (mut sum, mut ones, mut length, mut last_unit) = (0, None, 0, i64::MAX);
    for c in text.chars() {
        let digit = "零一二三四五六七八九"
            .chars()
            .position(|d| d == c)
            .or(matches!(c, '两' | '俩').then_some(2))
            .or((c == '仨').then_some(3));
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
