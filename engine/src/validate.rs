//! `validate`: what is wrong with a declaration or a configuration, without enqueuing anything.

use crate::output::Checked;
use crate::{Caller, Failure, Home, defaults};
use declaration::reading::{self, Format};
use policy::settings::Settings;
use std::path::Path;

impl Home {
    /// Every problem of a text with its place: of a configuration, or of a declaration as this home would take it.
    /// `name` is what messages call it; `format` where it is known.
    ///
    /// # Errors
    /// The configuration of this home cannot be used, by which a declaration is checked.
    pub fn validate(
        &self,
        name: &str,
        text: &[u8],
        format: Option<Format>,
        caller: &Caller,
    ) -> Result<Checked, Failure> {
        let checked =
            |kind, problems| Checked { file: name.to_owned(), kind, problems, asks_for: Vec::new() };
        if is_config(name, text) {
            let text = String::from_utf8_lossy(text);
            let problems = Settings::parse(&text, Some(&defaults()?)).err().unwrap_or_default();
            return Ok(checked("configuration", problems));
        }
        let mut asks_for = Vec::new();
        let problems = match reading::read(text, format) {
            Err(problems) => problems,
            Ok(declarations) => {
                let settings = self.settings()?;
                let entries = declarations.iter().flat_map(|declaration| &declaration.entries);
                asks_for.extend(entries.map(|entry| format!("{} {}", entry.operation.as_str(), entry.key)));
                let refused = self.drafts(caller, "validate", declarations, None, &settings).err();
                reading::placed(text, format, refused.unwrap_or_default())
            }
        };
        let asks_for = if problems.is_empty() { asks_for } else { Vec::new() };
        Ok(Checked { asks_for, ..checked("declaration", problems) })
    }
}

/// A file of that name, or one that says which knowledge bases there are.
fn is_config(name: &str, text: &[u8]) -> bool {
    let named = Path::new(name).file_name().is_some_and(|name| name == "config.yaml");
    named || String::from_utf8_lossy(text).lines().any(|line| line.starts_with("knowledge_bases:"))
}
