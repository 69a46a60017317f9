//! Numbers of things, as people read them.

/// `1 line`, `3 lines`; `1 entry`, `3 entries`.
#[must_use]
pub fn counted(number: usize, one: &str) -> String {
    match (number, one.strip_suffix('y')) {
        (1, _) => format!("1 {one}"),
        (_, Some(stem)) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{number} {stem}ies"),
        _ => format!("{number} {one}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn one_thing_is_one_thing() {
        let cases = [
            (0, "day", "0 days"),
            (1, "entry", "1 entry"),
            (2, "entry", "2 entries"),
            (1, "line", "1 line"),
            (2, "line", "2 lines"),
        ];
        for (number, one, said) in cases {
            assert_eq!(counted(number, one), said);
        }
    }
}
