//! What stands in a section already: the text that an entry without an operation would replace. Whoever declares is shown it,
//! or refused, because a text that nobody meant to take out is lost to them.

use crate::{Home, SectionNamed};
use declaration::{Entry, Operation};
use std::path::Path;

/// The text that an update would take out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplacedText {
    /// The text, without the section's heading.
    pub text: String,
    /// Whether it is in the document; else it is declared and not merged yet.
    pub merged: bool,
}

impl Home {
    /// The text that an update of this section would take out: what the session planned, what waits, or what the document
    /// says. `None` where there is nothing to lose, or where it cannot be read: the enqueue itself refuses that.
    #[must_use]
    pub fn replaced_text(
        &self,
        named: &str,
        (heading, level): (&[String], u8),
        planned: &[Entry],
        cwd: &Path,
    ) -> Option<ReplacedText> {
        let section = SectionNamed { heading: heading.to_vec(), level: Some(level), subtree: false };
        let read = self.read(named, &section, cwd).ok()?;
        let writes = |entry: &&Entry| {
            entry.key.heading == heading
                && entry.key.level == level
                && matches!(entry.operation, Operation::Update | Operation::Append | Operation::Replace)
        };
        let waiting = read.waiting.iter().flat_map(|waiting| &waiting.entries);
        let last = waiting.chain(planned).rfind(writes).and_then(|entry| entry.content.clone());
        if let Some(text) = last {
            return Some(ReplacedText { text, merged: false });
        }
        // Without its heading line, and the line below it that makes a text a heading.
        let text = read.text?;
        let body = text.lines().skip(1).skip_while(|line| is_underline(line));
        let body = body.collect::<Vec<_>>().join("\n");
        (!body.trim().is_empty()).then_some(ReplacedText { text: body, merged: true })
    }
}

fn is_underline(line: &str) -> bool {
    let line = line.trim_end();
    !line.is_empty() && (line.bytes().all(|b| b == b'=') || line.bytes().all(|b| b == b'-'))
}
