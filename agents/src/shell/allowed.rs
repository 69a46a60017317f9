//! Which command lines an agent may run without asking the person: one simple command of ours that declares or reads, and nothing
//! else. A line with any character that is not understood is not allowed.

/// Our commands that an agent may run without asking the person. What `tidy` takes is a proposal, whatever the policy says.
pub const ALLOWED: [&str; 8] = ["plan", "read", "context", "flush", "recall", "remember", "session", "tidy"];

/// Whether a line is one of those commands alone: no other command, redirect, variable, pattern or substitution, and no other
/// home. `command`: how our commands begin here, quoted for a shell: the program, and the home where it has to be named.
#[must_use]
pub fn is_allowed(line: &str, command: &str) -> bool {
    let (Some(words), Some(command)) = (words(line), words(command)) else { return false };
    let Some([verb, rest @ ..]) = words.strip_prefix(command.as_slice()) else { return false };
    let is_whole = match command.as_slice() {
        [_] => true,
        [_, option, _] => option == "--home",
        _ => false,
    };
    is_whole
        && ALLOWED.contains(&verb.as_str())
        && !rest
            .iter()
            .any(|word| word == "--home" || word.starts_with("--home=") || word.starts_with("--as"))
}

/// The words of a line, where every POSIX shell splits it in the same way; else `None`.
fn words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = line.trim_matches(' ').chars();
    while let Some(c) = rest.next() {
        match c {
            ' ' => words.extend(word.take()),
            '\'' | '"' => {
                let text = word.get_or_insert_default();
                loop {
                    match rest.next()? {
                        end if end == c => break,
                        '$' | '`' | '\\' | '!' if c == '"' => return None,
                        other => text.push(other),
                    }
                }
            }
            // `'\''` is how a quote gets into single quotes.
            '\\' => match rest.next()? {
                quote @ ('\'' | '"') => word.get_or_insert_default().push(quote),
                _ => return None,
            },
            c if c.is_alphanumeric() || "/._-+:@%,".contains(c) => word.get_or_insert_default().push(c),
            // A `=` in the first word would be an assignment.
            '=' if !words.is_empty() => word.get_or_insert_default().push(c),
            _ => return None,
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_simple_command_of_ours_and_nothing_else() {
        for (line, expected) in [
            (
                "/o/last-word plan --to user --heading 'A' --op append --content '- costs `x` $5; it'\\''s; a\nb'",
                true,
            ),
            ("  /o/last-word context  ", true),
            ("/o/last-word recall \"two words\"", true),
            ("/o/last-word plan --content=x --list", true),
            ("/o/last-word tidy user", true),
            ("/o/last-word review --all", false),
            ("/o/last-word", false),
            ("last-word plan --list", false),
            ("/p/last-word plan --list", false),
            ("/o/last-word plan --list; rm -rf x", false),
            ("/o/last-word plan --list\nrm -rf x", false),
            ("/o/last-word plan --list && x", false),
            ("/o/last-word plan --list | sh", false),
            ("/o/last-word plan --list > x", false),
            ("/o/last-word plan --list &", false),
            ("/o/last-word plan --content \"`x`\"", false),
            ("/o/last-word plan --content \"$(x)\"", false),
            ("/o/last-word plan --content $X", false),
            ("/o/last-word plan --content 'x", false),
            ("/o/last-word read ~/x", false),
            ("/o/last-word read *", false),
            ("/o/last-word plan --home /x --list", false),
            ("/o/last-word plan --home=/x --list", false),
            ("A=b /o/last-word plan --list", false),
            ("sudo /o/last-word plan --list", false),
            ("/o/last-word plan {a,b}", false),
            ("/o/last-word plan # x", false),
        ] {
            assert_eq!(is_allowed(line, "/o/last-word"), expected, "{line}");
        }
        assert!(is_allowed("'/my tools/last-word' read user", "'/my tools/last-word'"));
        let named = "/o/last-word --home '/it'\\''s mine'";
        for (line, expected) in [
            ("/o/last-word --home '/it'\\''s mine' read user", true),
            ("/o/last-word --home \"/it's mine\" plan --list", true),
            ("/o/last-word read user", false),
            ("/o/last-word --home /x read user", false),
            ("/o/last-word '--home=/it'\\''s mine' read user", false),
            ("/o/last-word --home '/it'\\''s mine' review", false),
            ("/o/last-word --home '/it'\\''s mine'", false),
            ("/o/last-word --home '/it'\\''s mine' --home /x plan --list", false),
            ("/o/last-word --home '/it'\\''s mine' plan --list --home /x", false),
        ] {
            assert_eq!(is_allowed(line, named), expected, "{line}");
        }
    }
}
