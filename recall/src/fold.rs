//! Brings text into one spelling: width, case, accents, ligatures, and Traditional characters as Simplified ones. Documents
//! and questions both pass through it, so that they match whatever keyboard they were typed on.

use std::sync::OnceLock;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Pairs of characters, Traditional then Simplified, from OpenCC (the file's first line names it).
const PAIRS: &str = include_str!("../data/traditional-simplified.txt");

/// First and last character that a pair can begin with: the Basic Multilingual Plane's ideographs.
const FIRST: u32 = 0x3400;
const LAST: u32 = 0x9fff;

/// The text in compatibility form, case and accents still there: full width becomes half width, `ﬁ` becomes `fi`.
pub(crate) fn compatible(text: &str) -> Vec<char> {
    if text.is_ascii() { text.chars().collect() } else { text.nfkc().collect() }
}

/// A text in folded spelling.
#[must_use]
pub fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in compatible(text) {
        push_folded(c, &mut out);
    }
    out
}

/// Adds the folded spelling of a character that is in compatibility form.
pub(crate) fn push_folded(c: char, out: &mut String) {
    if c.is_ascii() {
        out.push(c.to_ascii_lowercase());
    } else if is_ideograph(c) {
        out.push(simplified(c));
    } else {
        for lower in c.to_lowercase() {
            push_bare(lower, out);
        }
    }
}

/// A lower-case character without its accents. Marks that make a kana another sound stay: が is not か.
fn push_bare(c: char, out: &mut String) {
    match c {
        'ß' => out.push_str("ss"),
        'æ' => out.push_str("ae"),
        'œ' => out.push_str("oe"),
        'þ' => out.push_str("th"),
        'ø' => out.push('o'),
        'ł' => out.push('l'),
        'đ' | 'ð' => out.push('d'),
        'ħ' => out.push('h'),
        'ı' => out.push('i'),
        'ς' => out.push('σ'),
        _ if is_kana(c) || is_hangul(c) => out.push(c),
        _ => out.extend(std::iter::once(c).nfd().filter(|c| !is_combining_mark(*c))),
    }
}

/// Chinese, Japanese and Korean: written without blanks between words.
pub(crate) fn is_cjk(c: char) -> bool {
    is_ideograph(c) || is_kana(c) || is_hangul(c) || matches!(c, '\u{3105}'..='\u{312f}')
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}' | '々' | '〇')
}

fn is_kana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{309a}' | '\u{309d}'..='\u{309f}' | '\u{30a1}'..='\u{30fa}' | 'ー'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}')
}

fn is_hangul(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7af}')
}

fn simplified(c: char) -> char {
    let at = u32::from(c);
    if !(FIRST..=LAST).contains(&at) {
        return c;
    }
    let found = table().get((at - FIRST) as usize).copied().unwrap_or(0);
    char::from_u32(u32::from(found)).filter(|_| found != 0).unwrap_or(c)
}

/// For each character its Simplified form, 0 where it is its own. 56 KB, made when the first ideograph is folded.
fn table() -> &'static [u16] {
    static TABLE: OnceLock<Vec<u16>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = vec![0; (LAST - FIRST + 1) as usize];
        let pairs = PAIRS.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace);
        for pair in pairs {
            let mut chars = pair.chars();
            if let (Some(from), Some(to)) = (chars.next(), chars.next())
                && let Some(place) =
                    u32::from(from).checked_sub(FIRST).and_then(|at| table.get_mut(at as usize))
            {
                *place = u16::try_from(u32::from(to)).unwrap_or(0);
            }
        }
        table
    })
}

#[cfg(test)]
mod tests {
    use super::fold;

    #[test]
    fn many_spellings_are_one() {
        let cases = [
            ("Café Müller", "cafe muller"),
            ("Gdańsk, Łódź, Malmø", "gdansk, lodz, malmo"),
            ("Großkunden", "grosskunden"),
            ("ＱＲ コード", "qr コード"),
            ("ﾗﾍﾞﾙ", "ラベル"),
            ("cm³ ﬁle ①", "cm3 file 1"),
            ("溫度記錄", "温度记录"),
            ("İstanbul ısı", "istanbul isi"),
            ("ガ と か", "ガ と か"),
            ("한국어", "한국어"),
            ("ΣΊΣΥΦΟΣ", "σισυφοσ"),
        ];
        for (written, folded) in cases {
            assert_eq!(fold(written), folded, "{written}");
            assert_eq!(fold(folded), folded, "{written} twice");
        }
    }
}
