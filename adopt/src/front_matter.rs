//! Front matter: the lines between `---` at the beginning of a note. They are read line by line and not as YAML, because several
//! systems write lines that YAML refuses (`globs: **/*.rs,*.ts`), and the note must not be lost for one such line.

/// The front matter of a text, and the rest.
pub(crate) struct Note<'t> {
    fields: Vec<(String, String)>,
    /// The text after it.
    pub body: &'t str,
    /// The number of the body's first line, 1-based.
    pub first_line: usize,
}

impl Note<'_> {
    /// The value of a key at any depth; the values of a list with commas between them. An empty value counts as none.
    pub fn get(&self, key: &str) -> Option<&str> {
        let found = self.fields.iter().find(|(name, value)| name == key && !value.is_empty());
        found.map(|(_, value)| value.as_str())
    }

    /// The values of a list.
    pub fn list(&self, key: &str) -> Vec<String> {
        let values = self.get(key).unwrap_or_default().split(',');
        values.map(|value| value.trim().to_owned()).filter(|value| !value.is_empty()).collect()
    }
}

/// Splits a note into front matter and body. A text without front matter, or with one that never ends, is all body.
pub(crate) fn note(text: &str) -> Note<'_> {
    let none = Note { fields: Vec::new(), body: text, first_line: 1 };
    let Some(rest) = text.strip_prefix("---\n") else { return none };
    let mut fields: Vec<(String, String)> = Vec::new();
    let mut at = "---\n".len();
    for (n, line) in rest.split_inclusive('\n').enumerate() {
        at += line.len();
        let line = line.trim_end();
        if line == "---" || line == "..." {
            return Note { fields, body: text.get(at..).unwrap_or_default(), first_line: n + 3 };
        }
        let bare = line.trim_start();
        match (bare.strip_prefix("- "), bare.split_once(':'), fields.last_mut()) {
            (Some(value), _, Some((_, list))) => {
                let comma = if list.is_empty() { "" } else { "," };
                list.push_str(comma);
                list.push_str(unquoted(value));
            }
            (None, Some((key, value)), _) => {
                let value = value.trim();
                let inline = value.strip_prefix('[').and_then(|value| value.strip_suffix(']'));
                fields.push((key.trim().to_owned(), unquoted(inline.unwrap_or(value)).to_owned()));
            }
            _ => {}
        }
    }
    none
}

fn unquoted(value: &str) -> &str {
    let value = value.trim();
    let inner = ['"', '\''].iter().find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote));
    inner.unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::note;

    #[test]
    fn a_note_is_read_line_by_line() {
        let text = "---\nname: a\nglobs: **/*.rs,*.ts\nempty:\nmetadata:\n  type: user\n  modified: 2026-11-22T16:06:51.660Z\npaths:\n  - \"src/**\"\n  - 'x'\ntags: [a, b]\n---\n\nbody\n";
        let read = note(text);
        let got = ["name", "globs", "empty", "type", "modified", "paths", "tags"].map(|key| read.get(key));
        let wanted = [
            Some("a"),
            Some("**/*.rs,*.ts"),
            None,
            Some("user"),
            Some("2026-11-22T16:06:51.660Z"),
            Some("src/**,x"),
            Some("a, b"),
        ];
        assert_eq!(got, wanted);
        assert_eq!((read.body, read.first_line), ("\nbody\n", 13));
        assert_eq!(read.list("tags"), ["a", "b"]);
    }

    #[test]
    fn what_is_no_front_matter_is_body() {
        for text in ["", "---\nname: a\nno end\n", "# a\n---\nb\n---\n", "----\na: b\n----\n"] {
            let read = note(text);
            assert_eq!((read.body, read.first_line, read.get("name")), (text, 1, None), "{text:?}");
        }
    }
}
