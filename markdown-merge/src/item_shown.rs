//! A document as an agent is shown it: what no longer holds is left out, and so are our comments. Ids stay: they are how an
//! agent names an item.

use super::Merger;
use super::struck::{may_strike, without_struck, without_struck_blocks};
use super::text::{line_end, part};
use std::borrow::Cow;

/// The text without the comments of its items, and without items that are retired or superseded and what else is struck out.
#[must_use]
pub fn shown(text: &str) -> Cow<'_, str> {
    // Most documents have neither.
    if !text.contains("<!-- lw") && !text.contains("<!--lw") && !may_strike(text) {
        return Cow::Borrowed(text);
    }
    let whole = without_struck_blocks(text);
    let (text, original) = (&*whole, text);
    let Ok(merger) = Merger::open(text.as_bytes()) else { return Cow::Borrowed(original) };
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for found in merger.items() {
        out.push_str(&without_struck(part(text, from..found.bytes.start), false));
        from = found.bytes.end;
        if found.item.is_live() {
            out.push_str(&found.item.shown());
        } else {
            from = line_end(text, from);
        }
    }
    out.push_str(&without_struck(part(text, from..text.len()), false));
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_is_shown_without_its_comment() {
        let text = "# F\n\n## 2026-02-16\n\n- [O] tabs <!-- lw 14:30 c=0.9 --> ^k7m2q9xa\n  - below\n- ~~[W] gone~~ <!-- lw del=2026-03-01 --> ^aaaaaaaa\n  - with it\n- by hand <!-- mine -->\n\n```\n- code <!-- lw 1 -->\n```\n";
        let shown_text = "# F\n\n## 2026-02-16\n\n- [O] tabs ^k7m2q9xa\n  - below\n- by hand <!-- mine -->\n\n```\n- code <!-- lw 1 -->\n```\n";
        assert_eq!(shown(text), shown_text);
        for (item, mark) in [
            ("- tea <!-- lw 14:30 c=0.2 --> ^aaaaaaaa", "- tea <!-- a guess, 20 % sure --> ^aaaaaaaa"),
            ("- tea <!-- lw 14:30 c=0.5 by=agent --> ^aaaaaaaa", "- tea ^aaaaaaaa"),
            ("- tea <!-- lw by=web -->", "- tea <!-- from the web -->"),
            (
                "- tea <!-- lw c=0.1 by=tool -->\n  - below",
                "- tea <!-- a guess, 10 % sure, from a tool -->\n  - below",
            ),
        ] {
            assert_eq!(shown(item), mark);
        }
        assert!(matches!(shown("- plain\n"), Cow::Borrowed("- plain\n")));
        assert_eq!(shown("- ~~a~~"), "");
        let struck = "# F\n\n~~A paragraph.~~\n\nAnother.\n\n- outer\n  - ~~nested~~\n    - below\n  - holds\n- **~~bold~~**\n\n```\n~~code~~\n```\n\n~~Title~~\n===\n";
        let left = "# F\n\nAnother.\n\n- outer\n  - holds\n\n```\n~~code~~\n```\n\n~~Title~~\n===\n";
        assert_eq!(shown(struck), left);
        let block = "# F\n\n- kept\n\n<del class=\"x\">\n\nA paragraph.\n\n- item\n\n</del>\n\n- too\n\n```\n<del>\n```\n\n<s>\n- to the heading\n\n## Next\n\n- holds\n";
        let left = "# F\n\n- kept\n\n- too\n\n```\n<del>\n```\n\n## Next\n\n- holds\n";
        assert_eq!(shown(block), left);
    }
}
