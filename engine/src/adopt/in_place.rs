//! Documents that agents read already, managed where they are: a knowledge base more that points at them. Nothing is copied, and
//! nothing in them changes.

use crate::output::ManagedInPlace;
use crate::{Caller, Failure, Home, defaults};
use declaration::Target;
use durable::FileKind;
use policy::knowledge_base;
use policy::settings::{Settings, with_bases};
use std::path::{Path, PathBuf};

/// Characters of a knowledge base's name that are taken from its document's.
const NAME_CHARS_MAX: usize = 30;

impl Home {
    /// Adds a knowledge base to the configuration for each of these documents that none has. One of the project is then one of every
    /// project that has a document of that name. With `copy_of` each keeps a copy of that document.
    ///
    /// # Errors
    /// An agent asks; a document is not there or no Markdown; the configuration cannot be added to; a disk error.
    pub fn manage_in_place(
        &self,
        caller: &Caller,
        paths: &[PathBuf],
        copy_of: Option<&Path>,
    ) -> Result<Vec<ManagedInPlace>, Failure> {
        caller.refuse_agents("say which documents are managed")?;
        let settings = self.settings()?;
        let mut managed: Vec<ManagedInPlace> = Vec::new();
        let mut bases: Vec<(String, String)> = Vec::new();
        for path in paths {
            let path = self.document_there(&caller.cwd.join(path))?;
            let (kb, new) = match self.kb_of(&path, &caller.cwd, &settings) {
                Some(kb)
                    if copy_of.is_some()
                        && settings.knowledge_base(&kb).is_some_and(|kb| kb.copy_of.is_none()) =>
                {
                    let document = self.short(&path);
                    return Err(Failure::new(format!(
                        "{document} is managed already, as `{kb}`; nothing was changed"
                    ))
                    .hint(format!("add `copy_of` to `{kb}` in config.yaml")));
                }
                Some(kb) => (kb, false),
                None => {
                    let taken = |name: &str| {
                        settings.knowledge_base(name).is_some()
                            || bases.iter().any(|(known, _)| known == name)
                    };
                    let (name, fields) = self.base_of(&path, copy_of, &caller.cwd, &taken)?;
                    bases.push((name.clone(), fields));
                    (name, true)
                }
            };
            managed.push(ManagedInPlace { kb, path, new });
        }
        let written: Vec<(&str, String)> =
            bases.iter().map(|(name, fields)| (name.as_str(), fields.clone())).collect();
        if !written.is_empty() {
            let by_hand = || {
                let lines: Vec<String> =
                    bases.iter().map(|(name, fields)| format!("{name}: {fields}")).collect();
                Failure::new("`knowledge_bases` of config.yaml is not written in a way that can be added to")
                    .hint(format!("add it yourself, on lines of its own: {}", lines.join("; ")))
            };
            self.edit_config(|text| with_bases(text, &written, &defaults().ok()?), by_hand)?;
        }
        Ok(managed)
    }

    fn document_there(&self, path: &Path) -> Result<PathBuf, Failure> {
        let is_markdown = path.extension().is_some_and(|end| end == "md" || end == "mdc");
        let is_file = self.disk.stat(path)?.is_some_and(|stat| stat.kind == FileKind::File);
        match (is_file, is_markdown && path.to_str().is_some_and(|path| !path.contains(char::is_control))) {
            (true, true) => Ok(path.to_owned()),
            (false, _) => {
                Err(Failure::new(format!("{} is no file", self.short(path))).hint("check the path"))
            }
            _ => Err(Failure::new(format!("{} is no Markdown", self.short(path)))
                .hint("its name ends in .md or .mdc")),
        }
    }

    /// The knowledge base that has this document.
    fn kb_of(&self, path: &Path, cwd: &Path, settings: &Settings) -> Option<String> {
        let project = self.project(cwd);
        let target = Target::Path(path.to_str()?.to_owned());
        let canonicalise = |path: &Path| self.canonicalise(path);
        let around = self.around(cwd, project.as_deref());
        let resolved = knowledge_base::resolve(&target, &settings.knowledge_bases, &around, &canonicalise);
        resolved.ok().map(|resolved| resolved.name)
    }

    /// Name and fields of the knowledge base for a document.
    fn base_of(
        &self,
        path: &Path,
        copy_of: Option<&Path>,
        cwd: &Path,
        taken: &dyn Fn(&str) -> bool,
    ) -> Result<(String, String), Failure> {
        let project = self.project(cwd);
        let below = project.as_deref().and_then(|project| path.strip_prefix(project).ok());
        let copied =
            copy_of.map(|of| self.document_there(&cwd.join(of)).map(|of| self.short(&of))).transpose()?;
        // A copy is for these two files, and for no other project's.
        let (written, root) = match below.filter(|_| copied.is_none()) {
            Some(below) => (below.display().to_string(), "root: project, "),
            None => (self.short(path), ""),
        };
        let title =
            format!("What agents are told in {}", path.file_name().unwrap_or_default().to_string_lossy());
        let plain = name_of(below.unwrap_or(path));
        let numbered = (2..100).map(|n| format!("{plain}_{n}"));
        let name = [plain.clone()].into_iter().chain(numbered).find(|name| !taken(name));
        let name =
            name.ok_or_else(|| Failure::new(format!("there are too many knowledge bases like `{plain}`")))?;
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let copied = copied.map_or_else(String::new, |of| format!(", copy_of: {}", quoted(&of)));
        let (path, title) = (quoted(&written), quoted(&title));
        let fields = format!("{{ path: {path}, {root}title: {title}, policy: auto, create: false{copied} }}");
        Ok((name, fields))
    }
}

/// A name for a document's knowledge base: its own, and that of the tool whose folder it is in.
fn name_of(path: &Path) -> String {
    let parts = path.components().filter_map(|part| part.as_os_str().to_str());
    let tool =
        parts.filter_map(|part| part.strip_prefix('.')).find(|part| !part.is_empty() && *part != "config");
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    let name = match tool {
        Some(tool) if !stem.starts_with(tool) => format!("{tool}_{stem}"),
        Some(_) => format!("{stem}_user"),
        None => stem,
    };
    let name = name.chars().map(|c| if c.is_ascii_lowercase() || c.is_ascii_digit() { c } else { '_' });
    let name: String = name.take(NAME_CHARS_MAX).collect();
    let name = name.trim_matches('_');
    if name.is_empty() { "document".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::name_of;
    use std::path::Path;

    #[test]
    fn a_name_says_whose_document_it_is() {
        for (path, name) in [
            ("CLAUDE.md", "claude"),
            ("GEMINI.md", "gemini"),
            (".cursor/rules/Rust Style.mdc", "cursor_rust_style"),
            (".github/copilot-instructions.md", "github_copilot_instructions"),
            ("/home/mei/.claude/CLAUDE.md", "claude_user"),
            ("/home/mei/.codex/AGENTS.md", "codex_agents"),
            ("潮汐.md", "document"),
        ] {
            assert_eq!(name_of(Path::new(path)), name, "{path}");
        }
    }
}
