//! A generated index: the machine block of a document says which documents to read for which purpose. It is made when it is merged,
//! from the documents as they are then: a job that asks for it says nothing itself, and done again it makes the same.

use crate::Trial;
use crate::stamp::{is_as_written, stamped, unstamped};
use declaration::terminal::not_shown;
use declaration::{Code, Fault};
use markdown_merge::{Merger, Rules};
use policy::index::{GeneratedIndex, IndexedDocument, fixed_directory, is_made, is_of, table};
use queue_layout::{Job, Outcome};
use std::path::Path;

/// How the first line of an index begins: with the hash of the rest.
const STAMP: &str = "<!-- last-word:index ";
/// Documents that are looked at for one index, at most.
const DOCUMENTS_MAX: usize = 2_000;

/// Puts the index into the merger's document.
pub(crate) fn indexed(
    merger: &mut Merger,
    trial: &Trial<'_>,
    index: &GeneratedIndex,
    job: &Job,
    rules: &Rules,
) -> Outcome {
    let (root, of) = (trial.root_of(job), below_root(trial, index));
    let directory = root.join(fixed_directory(&of));
    if trial.leads_out(&directory) {
        let message = format!("{} is a link to somewhere else", directory.display());
        let hint = "name the directory itself in `index.of`, if it is meant";
        return Outcome::Failed(Fault::new(Code::SymlinkEscape, message).hint(hint));
    }
    let table = table(&documents(trial, &root, &of), index);
    let now = match merger.machine_block() {
        Ok(now) => now.to_owned(),
        Err(refusal) => return Outcome::Failed(refusal.into()),
    };
    if plain(index_of(&now)) == plain(&table) {
        return Outcome::merged(Vec::new());
    }
    if let Some(message) = written_by_hand(&now, &table) {
        let hint =
            "move what is yours above MACHINE_BLOCK_START or below MACHINE_BLOCK_END, and empty the block";
        return Outcome::Failed(Fault::new(Code::Conflict, message).hint(hint));
    }
    match merger.replace_machine_block(&stamped(STAMP, &table, plain), rules) {
        Ok(changes) => Outcome::merged(changes),
        Err(refusal) => Outcome::Failed(refusal.into()),
    }
}

/// The index in a machine block, without its stamp.
#[must_use]
pub fn index_of(block: &str) -> &str {
    unstamped(block, STAMP).unwrap_or(block).trim()
}

/// Why an index is left as it is: somebody wrote there. An older build put no stamp above its table, and then only a line that is in no
/// index tells; where every line is one of the new index, nothing would be lost.
fn written_by_hand(now: &str, table: &str) -> Option<String> {
    let said = index_of(now);
    if let Some(line) = said.lines().find(|line| !is_made(line)) {
        return Some(format!("somebody wrote `{}` between the lines of the index", line.trim()));
    }
    let table = plain(table);
    let is_known = |line: &str| table.lines().any(|of| of == line);
    let is_edited = unstamped(now, STAMP).is_some()
        && !is_as_written(now, STAMP, plain)
        && !plain(said).lines().all(is_known);
    is_edited.then(|| "somebody edited the index".to_owned())
}

/// What a table says, however a formatter pads its cells.
fn plain(table: &str) -> String {
    let lines = table.lines().filter(|line| !line.trim().is_empty());
    let cells = lines.map(|line| {
        let is_rule = |cell: &str| !cell.is_empty() && cell.chars().all(|c| "-:".contains(c));
        let cells = line.trim().split('|').map(str::trim).map(|cell| if is_rule(cell) { "-" } else { cell });
        cells.collect::<Vec<&str>>().join("|")
    });
    cells.collect::<Vec<String>>().join("\n")
}

/// The documents of the pattern, cited from the document that has their index; that one itself is none of them.
fn documents(trial: &Trial<'_>, root: &Path, of: &str) -> Vec<IndexedDocument> {
    let from = trial.document.path.parent().unwrap_or(Path::new("/"));
    let found = trial.documents.files_below(&root.join(fixed_directory(of)), DOCUMENTS_MAX);
    let indexed = found.into_iter().filter_map(|path| {
        let below = path.strip_prefix(root).ok()?.to_str()?;
        // A name can hold what a terminal obeys, and a line's end would be a line of its own in the table.
        if below.contains(|c: char| c.is_control() || not_shown(c).is_some()) {
            return None;
        }
        if !is_of(of, below) || path == trial.document.path || path == trial.document.canonical {
            return None;
        }
        let bytes = trial.documents.template(&path).ok()?;
        Some(IndexedDocument { path: cited(from, &path)?, text: String::from_utf8(bytes).ok()? })
    });
    indexed.collect()
}

/// The pattern, from the root.
fn below_root(trial: &Trial<'_>, index: &GeneratedIndex) -> String {
    match index.of.strip_prefix("~/") {
        Some(below) => trial.user_home.join(below).to_string_lossy().trim_start_matches('/').to_owned(),
        None => index.of.trim_start_matches('/').to_owned(),
    }
}

/// A path as a link from a directory has it.
fn cited(from: &Path, path: &Path) -> Option<String> {
    let mut up = String::new();
    for above in from.ancestors() {
        if let Ok(below) = path.strip_prefix(above) {
            return Some(format!("{up}{}", below.to_str()?));
        }
        up.push_str("../");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_how_cells_are_padded_is_nothing_said() {
        let table = "| when | read |\n|---|---|\n| do a | [a_b.md:1](a_b.md) |\n";
        assert_eq!(
            plain(table),
            plain("\n| when  | read |\n| :--- | --- |\n| do a   | [a_b.md:1](a_b.md) |")
        );
        for other in
            [table.replace("a_b", "ab"), table.replace("do a", "doa"), table.replace("do a", "*do a*")]
        {
            assert_ne!(plain(table), plain(&other));
        }
    }

    #[test]
    fn citations_lead_there() {
        let from = Path::new("/p/memory-bank");
        for (path, expected) in [
            ("/p/memory-bank/details/a.md", "details/a.md"),
            ("/p/docs/b.md", "../docs/b.md"),
            ("/q/c.md", "../../q/c.md"),
        ] {
            assert_eq!(cited(from, Path::new(path)).as_deref(), Some(expected));
        }
    }
}
