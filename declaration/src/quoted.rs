//! A word as a POSIX shell takes it, for commands that are shown to be typed.

/// The word itself where no shell changes it, else in single quotes.
#[must_use]
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%,=".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_a_shell() {
        assert_eq!(quoted("/usr/bin/last-word"), "/usr/bin/last-word");
        assert_eq!(quoted("/my tools/it's"), r"'/my tools/it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
