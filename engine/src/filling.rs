//! Which documents are nearly as long as their budget allows: said before a change fails for it.

use crate::Home;
use declaration::Target;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// From so many percent of its budget on a document is said to be nearly full.
const WARN_PERCENT: usize = 80;

/// A document that is nearly full, or over its budget.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Filling {
    /// Its knowledge base.
    pub kb: String,
    /// The document.
    pub document: PathBuf,
    /// How long it is, in characters as a person counts them.
    pub chars: usize,
    /// How long it may get.
    pub budget_chars: usize,
}

impl Filling {
    /// How full it is.
    #[must_use]
    pub fn percent(&self) -> usize {
        self.chars.saturating_mul(100) / self.budget_chars.max(1)
    }
}

impl Home {
    /// The documents that have reached 80 % of `budget_chars`, of those a directory sees. Families are left out: their
    /// members end by themselves. What cannot be read now is said by other verbs.
    #[must_use]
    pub fn filling(&self, cwd: &Path) -> Vec<Filling> {
        let Ok(settings) = self.settings() else { return Vec::new() };
        let mut found = Vec::new();
        for kb in settings.knowledge_bases.iter().filter(|kb| !kb.path.contains('{')) {
            let Some(budget_chars) = kb.budget_chars else { continue };
            let target = Target::Kb(kb.name.clone());
            let Ok(resolved) = self.resolve_target(&target, cwd, &settings) else { continue };
            let Ok(document) = self.documents().find(&resolved.path) else { continue };
            let Ok(read) = self.documents().read(&document) else { continue };
            let chars = markdown_merge::chars(&String::from_utf8_lossy(&read.bytes));
            let filling = Filling { kb: kb.name.clone(), document: document.path, chars, budget_chars };
            found.extend(Some(filling).filter(|filling| filling.percent() >= WARN_PERCENT));
        }
        found
    }
}
