//! A copy of another document, kept in the machine block of this one, so that several agents' files say the same. It is made when it
//! is merged, from the text as it is then; one that somebody edited is left as it is, and said.

use crate::Trial;
use crate::stamp::{is_as_written, same, stamped};
use declaration::{Code, Fault, secrets};
use markdown_merge::{Merger, RefusalCode, Rules};
use queue_layout::{Job, Outcome};
use std::path::{Path, PathBuf};

/// What an empty block looks like.
const EMPTY: [&str; 3] = ["<!-- MACHINE_BLOCK_START -->", "", "<!-- MACHINE_BLOCK_END -->"];
/// How the first line of a copy begins: with the hash of the rest.
const STAMP: &str = "<!-- last-word:copy of ";

/// Puts the copy into the merger's document.
pub(crate) fn copied(merger: &mut Merger, trial: &Trial<'_>, of: &str, job: &Job, rules: &Rules) -> Outcome {
    let failed = |code, message: String, hint: &str| Outcome::Failed(Fault::new(code, message).hint(hint));
    let source = source(trial, of, job);
    if trial.leads_out(&source) {
        let message = format!("{} is a link to somewhere else", source.display());
        return failed(Code::SymlinkEscape, message, "name the file itself in `copy_of`, if it is meant");
    }
    // A link to it says what it says: nothing is to be copied.
    if trial.documents.is_same_file(&source, &trial.document.canonical) {
        return Outcome::merged(Vec::new());
    }
    let text = trial.documents.template(&source).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    // A document that is not there leaves the copy as it is; that it says what nobody can change any more is told.
    let Some(text) = text else {
        let has_copy = merger.machine_block().is_ok_and(is_copy);
        let is_gone = has_copy && trial.documents.is_absent(&source);
        let message = format!("{} is not there", source.display());
        let hint =
            "take the copy out by hand, and `copy_of` out of config.yaml, where it is not to come back";
        return if is_gone {
            failed(Code::TargetUnreadable, message, hint)
        } else {
            Outcome::merged(Vec::new())
        };
    };
    if trial.kb.redact
        && let Some(problem) = secrets::problem(&source.display().to_string(), &text)
    {
        return failed(problem.code, problem.message, "take it out of that file");
    }
    let of = name_beside(&job.document.path, &source);
    let copy = copy(&of, &text);
    let mut with_block = None;
    match merger.machine_block().map(|block| is_as_written(block, STAMP, str::to_owned)) {
        Ok(true) => {}
        Ok(false) => {
            let message = format!("the copy of {of} in it was edited by hand");
            let hint = "move what was written there above MACHINE_BLOCK_START or into the other document, and empty the block";
            return failed(Code::Conflict, message, hint);
        }
        Err(refusal) if refusal.code == RefusalCode::MachineBlockMissing => {
            match Merger::open(with_empty_block(merger.text()).as_bytes()) {
                Ok(merger) => with_block = Some(merger),
                Err(refusal) => return Outcome::Failed(refusal.into()),
            }
        }
        Err(refusal) => return Outcome::Failed(refusal.into()),
    }
    let copying = with_block.as_mut().unwrap_or(merger);
    if copying.machine_block().is_ok_and(|now| same(now, &copy)) {
        return Outcome::merged(Vec::new());
    }
    match copying.replace_machine_block(&copy, rules) {
        Ok(changes) => {
            if let Some(with_block) = with_block {
                *merger = with_block;
            }
            Outcome::merged(changes)
        }
        Err(refusal) => Outcome::Failed(refusal.into()),
    }
}

/// A document with an empty block at its end, in its own line ends.
fn with_empty_block(whole: &str) -> String {
    let eol = if whole.contains("\r\n") { "\r\n" } else { "\n" };
    let lines = whole.trim_start_matches('\u{feff}');
    let gap = if lines.is_empty() || whole.ends_with(&eol.repeat(2)) {
        0
    } else if whole.ends_with('\n') {
        1
    } else {
        2
    };
    [whole, &eol.repeat(gap), &EMPTY.join(eol), eol].concat()
}

/// A document without its front matter, which is nothing to read in another document's midst.
fn without_front_matter(text: &str) -> &str {
    let Some(rest) = text
        .strip_prefix("---")
        .and_then(|rest| rest.trim_start_matches([' ', '\t', '\r']).strip_prefix('\n'))
    else {
        return text;
    };
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        at += line.len();
        if matches!(line.trim_end(), "---" | "...") {
            return &rest[at..];
        }
    }
    text
}

fn source(trial: &Trial<'_>, of: &str, job: &Job) -> PathBuf {
    match of.strip_prefix("~/") {
        Some(below) => trial.user_home.join(below),
        None => trial.root_of(job).join(of),
    }
}

/// How the copy calls its source: by its path from the copy's own directory, or by its name where it is elsewhere. Others who
/// share the copy have their home in another place, so no path of this machine is written into it.
fn name_beside(copy: &Path, source: &Path) -> String {
    let beside = copy.parent().and_then(|dir| source.strip_prefix(dir).ok());
    let name = beside.or_else(|| source.file_name().map(Path::new)).unwrap_or(source);
    name.display().to_string()
}

/// The text of a block: a line that says where it is from, and the other document without a machine block's own lines.
fn copy(of: &str, text: &str) -> String {
    let is_marker = |line: &&str| line.contains("MACHINE_BLOCK_") || line.starts_with(STAMP);
    let text = text.trim_start_matches('\u{feff}');
    let lines = without_front_matter(text).lines();
    let lines: Vec<&str> = lines.map(str::trim_end).filter(|line| !is_marker(line)).collect();
    let text = lines.join("\n");
    let text = text.trim();
    stamped(&format!("{STAMP}{of} "), text, str::to_owned)
}

/// Whether the text of a machine block is a copy that was made here, edited by hand or not.
#[must_use]
pub fn is_copy(block: &str) -> bool {
    block.trim_start().starts_with(STAMP)
}

#[cfg(test)]
mod tests {
    use super::{STAMP, copy, is_as_written, name_beside, same};
    use std::path::Path;

    #[test]
    fn a_source_is_called_without_a_path_of_this_machine() {
        let name = |copy, source| name_beside(Path::new(copy), Path::new(source));
        assert_eq!(name("/home/a/app/CLAUDE.md", "/home/a/app/AGENTS.md"), "AGENTS.md");
        assert_eq!(name("/home/a/app/CLAUDE.md", "/home/a/app/docs/AGENTS.md"), "docs/AGENTS.md");
        assert_eq!(name("/home/a/app/.cursor/rules/x.mdc", "/home/a/app/AGENTS.md"), "AGENTS.md");
    }

    #[test]
    fn a_copy_is_known_as_written_until_somebody_edits_it() {
        let text = copy(
            "AGENTS.md",
            "\u{feff}# A\r\n\r\n- one\r\n<!-- MACHINE_BLOCK_START -->\nx\n<!-- MACHINE_BLOCK_END -->\n",
        );
        assert!(
            text.starts_with("<!-- last-word:copy of AGENTS.md ") && text.ends_with("# A\n\n- one\nx"),
            "{text}"
        );
        let is_as_written = |text: &str| is_as_written(text, STAMP, str::to_owned);
        assert!(is_as_written(&text) && is_as_written(&text.replace('\n', "\r\n")) && is_as_written(""));
        assert!(!is_as_written(&text.replace("one", "two")) && !is_as_written("- mine"));
        assert!(same(&text, &format!("\n{text}\n")));
    }
}
