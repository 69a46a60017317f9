//! Which language a piece of text is in, as far as its letters say so: a screen reader takes the voice for it, and a browser the
//! forms of the characters. The page itself is in English; each run of another script says what it is. Pure.

/// Elements whose text may hold no element: nothing is put into these.
const WHOLE: [&str; 6] = ["title", "textarea", "option", "style", "script", "svg"];

/// The page with the language of each run of Chinese, Japanese or Korean in its texts. `html` is of our own templates, where `<` and
/// `>` stand for tags alone.
pub(crate) fn marked(html: String) -> String {
    if !html.chars().any(is_east_asian) {
        return html;
    }
    let mut out = String::with_capacity(html.len() + html.len() / 8);
    let mut rest = html.as_str();
    while let Some(at) = rest.find('<') {
        let (text, from_tag) = rest.split_at(at);
        mark_runs(text, &mut out);
        let end = from_tag.find('>').map_or(from_tag.len(), |end| end + 1);
        let (tag, behind) = from_tag.split_at(end);
        let name = tag.trim_start_matches('<').split([' ', '>', '/', '\n']).next().unwrap_or_default();
        let content = match WHOLE.contains(&name) {
            true => behind.find(&format!("</{name}>")).unwrap_or(behind.len()),
            false => 0,
        };
        let (content, behind) = behind.split_at(content);
        let says = if name == "textarea" { content } else { tag };
        match language(says).filter(|_| matches!(name, "textarea" | "input")) {
            Some(language) => {
                out.push_str(&format!("<{name} lang=\"{language}\"{}", &tag[name.len() + 1..]));
            }
            None => out.push_str(tag),
        }
        out.push_str(content);
        rest = behind;
    }
    mark_runs(rest, &mut out);
    out
}

/// Puts each run of East Asian characters into an element that says its language.
fn mark_runs(text: &str, out: &mut String) {
    let Some(language) = language(text) else { return out.push_str(text) };
    let mut rest = text;
    while let Some(from) = rest.find(is_east_asian) {
        let (before, run) = rest.split_at(from);
        let run = &run[..length_of_run(run)];
        out.push_str(&format!("{before}<span lang=\"{language}\">{run}</span>"));
        rest = &rest[from + run.len()..];
    }
    out.push_str(rest);
}

/// How long the run is that begins here, in bytes: up to the last character of these scripts before a Latin letter or an entity.
fn length_of_run(text: &str) -> usize {
    let mut end = 0;
    for (at, c) in text.char_indices() {
        match c {
            c if is_east_asian(c) || is_their_punctuation(c) => end = at + c.len_utf8(),
            c if c.is_alphabetic() || c == '&' => break,
            _ => {}
        }
    }
    end
}

/// The language that the scripts of a text tell; `None` where it has none of these.
fn language(text: &str) -> Option<&'static str> {
    let has = |is: fn(char) -> bool| text.chars().any(is);
    match () {
        () if has(is_kana) => Some("ja"),
        () if has(is_hangul) => Some("ko"),
        () if has(is_han) => Some("zh"),
        () => None,
    }
}

fn is_east_asian(c: char) -> bool {
    is_han(c) || is_kana(c) || is_hangul(c)
}

fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

fn is_kana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}')
}

fn is_hangul(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7a3}')
}

fn is_their_punctuation(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ffef}' | '\u{30fb}'..='\u{30ff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_say_their_language() {
        for (html, wanted) in [
            ("<p>plain</p>", "<p>plain</p>"),
            ("<p>早上写代码</p>", "<p><span lang=\"zh\">早上写代码</span></p>"),
            ("<p>in Chinese（像这样）, too</p>", "<p>in Chinese（<span lang=\"zh\">像这样）</span>, too</p>"),
            ("<li>早上 9 点开会。</li>", "<li><span lang=\"zh\">早上 9 点开会。</span></li>"),
            ("用 SQLite 缓存", "<span lang=\"zh\">用</span> SQLite <span lang=\"zh\">缓存</span>"),
            ("<td>東京へ行く</td>", "<td><span lang=\"ja\">東京へ行く</span></td>"),
            ("<b>한국어</b>", "<b><span lang=\"ko\">한국어</span></b>"),
            ("<p>文&lt;b&gt;</p>", "<p><span lang=\"zh\">文</span>&lt;b&gt;</p>"),
            ("<a href=\"/?of=笔记\">notes</a>", "<a href=\"/?of=笔记\">notes</a>"),
            ("<title>笔记</title>", "<title>笔记</title>"),
            ("<option>笔记</option>", "<option>笔记</option>"),
            ("<svg><text>笔记</text></svg>", "<svg><text>笔记</text></svg>"),
            ("<textarea rows=\"3\">笔记</textarea>", "<textarea lang=\"zh\" rows=\"3\">笔记</textarea>"),
            (
                "<textarea>notes</textarea><p>笔</p>",
                "<textarea>notes</textarea><p><span lang=\"zh\">笔</span></p>",
            ),
            ("<input value=\"笔记\">", "<input lang=\"zh\" value=\"笔记\">"),
            ("<p>不 <", "<p><span lang=\"zh\">不</span> <"),
        ] {
            assert_eq!(marked(html.to_owned()), wanted);
        }
    }

    #[test]
    fn marking_adds_elements_and_changes_no_text() {
        let html = "<ul><li>一 <b>二</b>三 &amp; 四</li></ul>";
        let plain = marked(html.to_owned()).replace("<span lang=\"zh\">", "").replace("</span>", "");
        assert_eq!(plain, html);
    }
}
