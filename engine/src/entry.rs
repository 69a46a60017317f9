//! One entry given by its fields instead of a file: on a command line, in a request. Held to the same rules.

use crate::{Exit, Failure};
use declaration::reading::{self, input, limits, written};
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
    /// `sha256:<hex>` of the section as its author saw it.
    pub base: Option<String>,
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
        if let Some(problem) = self.too_large() {
            return Ok(Err(vec![problem]));
        }
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
            base: self.base.clone(),
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
        Ok(checked.map_err(|problems| {
            if problems.iter().any(Problem::is_of_size) {
                return problems.into_iter().filter(Problem::is_of_size).collect();
            }
            // A message quotes what it is about.
            self.secret().map_or(problems, |secret| vec![secret])
        }))
    }

    /// Said before anything is built of it. Its content has a limit of its own.
    fn too_large(&self) -> Option<Problem> {
        let texts = [self.item.as_ref(), self.reason.as_ref(), self.review_by.as_ref()].into_iter().flatten();
        let bytes = texts.chain(&self.heading).chain([&self.to]).map(String::len).sum();
        (bytes > limits::JSON_BYTES_MAX).then(|| {
            input::too_large("what stands beside its content", bytes, limits::JSON_BYTES_MAX).hint("say less")
        })
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A secret that is not named shows that nothing was searched.
    #[test]
    fn what_is_too_large_is_refused_before_anything_is_searched_in_it() {
        let token = format!("ghp_{}", "Ab12Cd34Ef56Gh78Ij90Kl12Mn34Op56Qr78");
        let with = |bytes: usize| format!("{token} {}", "x".repeat(bytes));
        let codes = |fields: EntryFields| {
            let problems = fields.declaration().unwrap().unwrap_err();
            problems.iter().map(|problem| problem.code.to_string()).collect::<Vec<_>>()
        };
        let fields = EntryFields { to: "user".into(), heading: vec!["H".into()], ..EntryFields::default() };
        let content = |bytes| EntryFields { content: Some(with(bytes)), level: Some(9), ..fields.clone() };
        assert_eq!(codes(content(10)), ["secret"]);
        assert_eq!(codes(content(limits::CONTENT_BYTES_MAX)), ["content_too_large"]);
        let reason =
            EntryFields { reason: Some(with(limits::JSON_BYTES_MAX)), level: Some(9), ..fields.clone() };
        assert_eq!(codes(reason), ["too_large"]);
    }
}
