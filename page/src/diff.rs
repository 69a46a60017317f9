//! The lines of a unified diff, each with its colour. The sign in front of a line says the same without colours.

/// A line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DiffLine {
    pub(crate) class: &'static str,
    pub(crate) text: String,
}

impl DiffLine {
    /// Whether it comes or goes: neither a place, which is another one after a change above it, nor what stays around it.
    pub(crate) fn is_change(&self) -> bool {
        matches!(self.class, "add" | "del")
    }
}

/// The lines of a diff, without the names of its two files.
pub(crate) fn lines(diff: &str) -> Vec<DiffLine> {
    let mut in_hunk = false;
    let mut lines = Vec::new();
    for line in diff.lines() {
        in_hunk |= line.starts_with("@@");
        let class = match line.as_bytes().first() {
            _ if !in_hunk => continue,
            Some(b'@') => "at",
            Some(b'+') => "add",
            Some(b'-') => "del",
            _ => "same",
        };
        lines.push(DiffLine { class, text: line.to_owned() });
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn each_line_has_its_class() {
        let diff = "--- a\n+++ b\n@@ -1,2 +1,2 @@\n same\n--- old\n+++ new\n";
        let found: Vec<_> = lines(diff).into_iter().map(|line| (line.class, line.text)).collect();
        let wanted = [("at", "@@ -1,2 +1,2 @@"), ("same", " same"), ("del", "--- old"), ("add", "+++ new")];
        assert_eq!(found, wanted.map(|(class, text)| (class, text.to_owned())));
    }
}
