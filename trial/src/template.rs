//! What a document begins with that is not there yet: its knowledge base's template, with the family's variables filled; without one,
//! an empty front matter where keys of it may be written.

use crate::Trial;
use declaration::{Code, Fault};
use policy::family::from_template;
use policy::knowledge_base::member_values;
use std::path::PathBuf;

/// Front matter without a key.
const FRONT_MATTER: &str = "---\n---\n";

/// The text; without a template nothing, or room for front matter.
pub(crate) fn text(trial: &Trial<'_>) -> Result<Vec<u8>, Fault> {
    let (kb, home) = (trial.kb, trial.user_home);
    let Some(template) = &kb.template else {
        return Ok(if kb.front_matter { FRONT_MATTER.into() } else { Vec::new() });
    };
    let path = match template.strip_prefix("~/") {
        Some(rest) => home.join(rest),
        None => PathBuf::from(template),
    };
    let unreadable = |why: String| {
        Fault::new(Code::TemplateUnreadable, format!("the template {} cannot be read: {why}", path.display()))
            .hint(format!("write it, or take `template` of `{}` out of config.yaml", kb.name))
    };
    let bytes = trial.documents.template(&path).map_err(|e| unreadable(e.source.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8 text".to_owned()))?;
    let values = member_values(kb, &trial.document.path, home).unwrap_or_default();
    Ok(from_template(&text, &kb.path, &values).into_bytes())
}
