//! One entry given by its fields instead of a file: on a command line, in a request. Held to the same rules.

use crate::{Exit, Failure};
use declaration::reading::{self, written};
use declaration::secrets;
use declaration::{Create, Declaration, Meta, Operation, Problem, Trust};

/// One change, field by field.
#[derive(Debug, Clone, Default)]
pub struct EntryFields {
    /// A knowledge base, or the path of its document.
    pub to: String,
    /// An item by its id, in place of a heading; then `to` may be empty.
    pub item: Option<String>,
    /// The section's heading, below the headings it is in.
    pub heading: Vec<String>,
    /// Its level; 2 where it is not said.
    pub level: Option<i64>,
    /// The operation's name; by the content where it is not said.
    pub op: Option<String>,
    /// The text.
    pub content: Option<String>,
    /// What `replace` replaces.
    pub old_text: Option<String>,
    /// How often the section holds it, where that is not once; all of them are replaced.
    pub expect: Option<i64>,
    /// Whether a missing section is created, with the missing ones above it or not at all.
    pub create: Option<Create>,
    /// How sure its author is, 0 to 1.
    pub confidence: Option<f64>,
    /// Why.
    pub reason: Option<String>,
    /// Whose word it is, where it is less than the caller's.
    pub trust: Option<Trust>,
    /// The day on which somebody should look whether it still holds.
    pub review_by: Option<String>,
}

impl EntryFields {
    /// The declaration that says it.
    ///
    /// # Errors
    /// There is no such operation; or, inside, the problems of the entry.
    pub fn declaration(&self) -> Result<Result<Declaration, Vec<Problem>>, Failure> {
        let to = self.to.clone();
        let is_path = to.contains('/') || to.starts_with('~') || to.ends_with(".md");
        let (path, kb) = if is_path { (Some(to), None) } else { (None, Some(to)) };
        let kb = kb.filter(|kb| self.item.is_none() || !kb.is_empty());
        let entry = written::Entry {
            key: written::Key {
                path,
                kb,
                url: None,
                item: self.item.clone(),
                heading: Some(written::Heading(self.heading.clone())).filter(|heading| !heading.0.is_empty()),
                level: self.level.filter(|_| self.item.is_none()),
            },
            operation: self.op.as_deref().map(operation).transpose()?,
            content: self.content.clone(),
            old_text: self.old_text.clone(),
            expect: self.expect,
            scope: None,
            create: self.create,
            base: None,
            meta: Some(Meta {
                confidence: self.confidence,
                reason: self.reason.clone(),
                trust: self.trust,
                review_by: self.review_by.clone(),
                ..Meta::default()
            }),
        };
        let version = declaration::VERSION.to_owned();
        let checked = reading::check(written::Declaration { version, source: None, entries: vec![entry] });
        // A message quotes what it is about.
        Ok(checked.map_err(|problems| self.secret().map_or(problems, |secret| vec![secret])))
    }

    fn secret(&self) -> Option<Problem> {
        let to = Some(&self.to);
        let texts = [
            ("--to", to),
            ("--content", self.content.as_ref()),
            ("--old-text", self.old_text.as_ref()),
            ("--reason", self.reason.as_ref()),
        ];
        let texts = texts.into_iter().filter_map(|(flag, text)| Some((flag, text?.as_str())));
        let headings = self.heading.iter().map(|heading| ("--heading", heading.as_str()));
        texts.chain(headings).find_map(|(flag, text)| secrets::problem(flag, text))
    }
}

fn operation(name: &str) -> Result<Operation, Failure> {
    Operation::ALL.into_iter().find(|operation| operation.as_str() == name).ok_or_else(|| {
        Failure::new(format!("there is no operation `{name}`"))
            .hint(Operation::ALL.map(Operation::as_str).join(", "))
            .exit(Exit::Usage)
    })
}
