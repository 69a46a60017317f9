//! The files a patch touches: `apply_patch` envelopes, unified and context diffs, and what git says above them. A name may stand in
//! C quotes, as git writes one with other letters than ASCII (`core.quotePath`), and as `patch` and `git apply` read it.

/// The paths that the patch names; for a move both, and of a name that may end earlier, each.
pub(crate) fn paths(patch: &str) -> Vec<String> {
    const ENVELOPE: [&str; 4] = ["*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:"];
    const NAMES: [&str; 7] =
        ["+++ ", "--- ", "Index:", "rename from ", "rename to ", "copy from ", "copy to "];
    let mut found = Vec::new();
    let mut lines = patch.lines().map(str::trim_start).peekable();
    while let Some(line) = lines.next() {
        let behind = |heads: &[&str]| heads.iter().find_map(|head| line.strip_prefix(head));
        if let Some(path) = behind(&ENVELOPE) {
            found.push(unquoted(path.trim()).map_or_else(|| path.trim().to_owned(), |(name, _)| name));
        } else if let Some(both) = behind(&["diff --git "]) {
            let (one, other) = both_names(both.trim());
            found.extend([one, other].into_iter().flat_map(names));
        } else if let Some(name) = behind(&NAMES) {
            found.extend(names(name));
        } else if lines.peek().is_some_and(|next| next.starts_with("--- ")) {
            // The first line of a context diff.
            found.extend(behind(&["*** "]).into_iter().flat_map(names));
        }
    }
    found.retain(|path| !path.is_empty() && path != "/dev/null");
    found
}

/// What the words behind a header can name: with the prefix of git and without, up to a tab, and up to a blank: `patch` takes what
/// follows that for the time.
fn names(words: &str) -> Vec<String> {
    let ends = match unquoted(words.trim_start()) {
        Some((name, _)) => vec![name],
        None => {
            let name = words.split('\t').find(|word| !word.trim().is_empty()).unwrap_or_default().trim();
            let first = name.split_whitespace().next().filter(|first| *first != name);
            first.into_iter().chain([name]).map(str::to_owned).collect()
        }
    };
    let stripped =
        |name: &String| ["a/", "b/"].iter().find_map(|prefix| name.strip_prefix(prefix)).map(str::to_owned);
    let without: Vec<String> = ends.iter().filter_map(stripped).collect();
    without.into_iter().chain(ends).collect()
}

/// The two names of a `diff --git` line. Without quotes a name may have blanks in it; the two are then of one length.
fn both_names(words: &str) -> (&str, &str) {
    if let Some((_, behind)) = unquoted(words) {
        return (words, behind);
    }
    let quoted = words.find(" \"");
    let half = Some(words.len() / 2).filter(|half| words.as_bytes().get(*half) == Some(&b' '));
    let end = quoted.or(half).or_else(|| words.find(' ')).unwrap_or(words.len());
    words.split_at(end)
}

/// The name in C quotes at the beginning of a text, and what follows it; `None` where no such name begins there.
fn unquoted(text: &str) -> Option<(String, &str)> {
    let mut name = Vec::new();
    let mut rest = text.strip_prefix('"')?.bytes().enumerate();
    while let Some((at, byte)) = rest.next() {
        name.push(match byte {
            b'"' => return Some((String::from_utf8_lossy(&name).into_owned(), &text[at + 2..])),
            b'\\' => match rest.next()?.1 {
                b'a' => 0x07,
                b'b' => 0x08,
                b't' => b'\t',
                b'n' => b'\n',
                b'v' => 0x0b,
                b'f' => 0x0c,
                b'r' => b'\r',
                first @ b'0'..=b'3' => {
                    let mut digit = || Some(rest.next()?.1).filter(|byte| (b'0'..=b'7').contains(byte));
                    ((first - b'0') << 6) | ((digit()? - b'0') << 3) | (digit()? - b'0')
                }
                other => other,
            },
            byte => byte,
        });
    }
    None
}

/// Whether a text is a patch of either kind.
pub(crate) fn is_patch(text: &str) -> bool {
    text.contains("*** Begin Patch") || (text.contains("\n+++ ") && text.contains("--- "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_c_quotes_is_read_as_git_writes_it() {
        for (text, read) in [
            ("\"U.md\"", Some(("U.md", ""))),
            ("\"\\125.md\" 2026", Some(("U.md", " 2026"))),
            ("\"\\303\\274 \\\"x\\\"\\\\\\t\"", Some(("ü \"x\"\\\t", ""))),
            ("\"用户.md\"", Some(("用户.md", ""))),
            ("\"a\\a\\b\\n\\v\\f\\r\"", Some(("a\u{7}\u{8}\n\u{b}\u{c}\r", ""))),
            ("U.md", None),
            ("\"open", None),
            ("\"\\19\"", None),
            ("\"\\", None),
        ] {
            let found = unquoted(text);
            assert_eq!(found.as_ref().map(|(name, behind)| (name.as_str(), *behind)), read, "{text}");
        }
    }
}
