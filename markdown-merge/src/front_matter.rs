//! Where a document's front matter ends. Section operations never touch it.

use super::text::{is_blank, lines};

/// Bytes of front matter `text` (without byte order mark) begins with, up to the line end of its closing line; 0 when
/// there is none. The line end is left to the body: what is put behind front matter without one brings its own.
///
/// Line 1 is `---` or `+++`, line 2 is not blank (else it is a thematic break), and a closing line follows. The
/// parser's own option is not used: it also takes `---` … `---` in mid-document for metadata.
pub(super) fn len(text: &str) -> usize {
    let mut lines = lines(text);
    let Some(opener) = lines.next().map(|(_, line)| line.trim_end_matches([' ', '\t'])) else { return 0 };
    if !matches!(opener, "---" | "+++") {
        return 0;
    }
    for (number, (start, line)) in lines.enumerate() {
        if number == 0 && is_blank(line) {
            return 0;
        }
        if closes(opener, line) {
            return start + line.len();
        }
    }
    0
}

fn closes(opener: &str, line: &str) -> bool {
    let line = line.trim_end_matches([' ', '\t']);
    line == opener || (opener == "---" && line == "...")
}
