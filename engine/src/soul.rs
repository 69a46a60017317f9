//! How the agent is and speaks, as a person says it at the beginning: the first text of `SOUL.md`.

use crate::DEFAULT_SOUL;

/// What a person says of their agent; what they leave out stays out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Soul {
    /// How it is called.
    pub name: Option<String>,
    /// How it is.
    pub character: Option<String>,
    /// How it speaks.
    pub speaking: Option<String>,
}

impl Soul {
    /// The text of `SOUL.md`: the usual head, and a section for each thing that was said.
    #[must_use]
    pub fn text(&self) -> String {
        let sections =
            [("Name", &self.name), ("Character", &self.character), ("Way of speaking", &self.speaking)];
        let mut text = DEFAULT_SOUL.to_owned();
        for (heading, said) in sections {
            let said: String =
                said.iter().flat_map(|said| said.chars()).filter(|c| !c.is_control()).collect();
            // One paragraph: nothing of it is a heading, a list or a comment.
            let said = said
                .trim()
                .trim_start_matches(['#', '-', '*', '+', '>', '|', '`', '~', ' '])
                .replace("<!--", "<! --");
            if !said.is_empty() {
                text.push_str(&format!("\n## {heading}\n\n{said}\n"));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::Soul;
    use crate::DEFAULT_SOUL;

    #[test]
    fn a_soul_says_what_was_said_and_no_more() {
        let some = |text: &str| Some(text.to_owned());
        let soul = Soul { name: some("Ada"), character: some("## calm\u{1b}[2J"), speaking: some(" - ") };
        let wanted = format!("{DEFAULT_SOUL}\n## Name\n\nAda\n\n## Character\n\ncalm[2J\n");
        assert_eq!(soul.text(), wanted);
        assert_eq!(Soul::default().text(), DEFAULT_SOUL);
    }
}
