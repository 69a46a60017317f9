//! A document that is nearly full: what somebody is asked who could make it shorter, and their shorter section as a proposal.
//! It is never merged unseen: it is declared as from a tool, and waits for a person's yes.

use crate::output::{Acknowledged, Proposed, Tidy};
use crate::{Caller, Declared, EntryFields, Exit, Failure, Home, SectionNamed};
use declaration::Trust;
use std::path::Path;

impl Home {
    /// How full a document is, and its sections, the longest first.
    ///
    /// # Errors
    /// No knowledge base has it, or it cannot be read as Markdown.
    pub fn tidy(&self, named: &str, cwd: &Path) -> Result<Tidy, Failure> {
        let read = self.read(named, &SectionNamed::default(), cwd)?;
        let text = read.text.unwrap_or_default();
        let settings = self.settings()?;
        let kb = settings.knowledge_base(policy::family::split(&read.kb).0);
        let sections = markdown_merge::sections(&text).map_err(|refusal| Failure::new(refusal.message))?;
        Ok(Tidy {
            document: read.document,
            kb: read.kb,
            chars: markdown_merge::chars(&text),
            budget_chars: kb.and_then(|kb| kb.budget_chars),
            sections: operator::longest_first(&text, sections),
        })
    }

    /// Proposes a shorter text for one section of a document.
    ///
    /// # Errors
    /// There is no such section, the text is not shorter, or it cannot be declared.
    pub fn propose_shorter(
        &self,
        caller: &Caller,
        named: &str,
        heading: &str,
        text: &str,
        cwd: &Path,
    ) -> Result<Proposed, Failure> {
        let tidy = self.tidy(named, cwd)?;
        let called = |found: &&operator::LongSection| {
            found.heading.join(" > ") == heading || found.heading.last().is_some_and(|last| last == heading)
        };
        let mut found = tidy.sections.iter().filter(called);
        let (Some(section), None) = (found.next(), found.next()) else {
            return Err(Failure::new(format!("`{}` has no section `{heading}`, or several", tidy.kb))
                .hint("say it as it was asked for, with the headings above it"));
        };
        let text = without_heading(text, section.heading.last().map_or("", String::as_str));
        let chars = markdown_merge::chars(text);
        if chars >= section.chars {
            let message = format!("it has {chars} characters, and the section has {}", section.chars);
            return Err(Failure::new(message).hint("make it shorter").exit(Exit::Refused));
        }
        let fields = EntryFields {
            to: tidy.kb.clone(),
            heading: section.heading.clone(),
            level: Some(i64::from(section.level)),
            op: Some("update".to_owned()),
            content: Some(text.to_owned()),
            reason: Some(format!("tidied: {} characters became {chars}", section.chars)),
            trust: Some(Trust::Tool),
            ..EntryFields::default()
        };
        let mut declaration = fields.declaration()?;
        if let Some(entry) = declaration.as_mut().ok().and_then(|said| said.entries.first_mut()) {
            entry.base = Some(section.base.clone());
        }
        let declared = Declared::new().declaration("the shorter section", declaration);
        let jobs: Vec<Acknowledged> = self.enqueue(caller, declared)?;
        let lost = operator::lost(&section.text, text);
        Ok(Proposed { jobs, chars_before: section.chars, chars_after: chars, lost })
    }
}

/// The text without the section's own heading: who was shown a section gives back a section.
fn without_heading<'t>(text: &'t str, heading: &str) -> &'t str {
    let text = text.trim();
    match text.split_once('\n') {
        Some((first, rest)) if first.starts_with('#') && first.trim_start_matches('#').trim() == heading => {
            rest.trim()
        }
        _ => text,
    }
}
