//! What is on the screen while somebody decides: which job of how many, of which document, why it waits, and as much of its
//! texts as fits, with a count of the rest.

use crate::commands::show::Told;
use crate::failure::Failure;
use crate::language::said;
use crate::render::{self, Page, Tone};
use crate::screen::{all_rows, fitting};
use crate::world::World;
use crate::wrap::wrapped_lines;
use queue_layout::LocatedJob;

/// Which job of how many, and of which document.
pub struct JobHeader {
    number: usize,
    of: usize,
    document: String,
    /// Why it waits, by its code.
    code: String,
}

impl JobHeader {
    /// The number counts from 1.
    pub fn of(world: &World, found: &LocatedJob, number: usize, of: usize) -> JobHeader {
        let path = found.job.as_ref().map(|job| job.document.path.as_path());
        let called = path.map(|path| world.called(path, &world.cwd).unwrap_or_else(|| world.short(path)));
        let document = called.unwrap_or_else(|| "a file that is no job".to_owned());
        let error = found.job.as_ref().and_then(|job| job.error.as_ref()).or(found.unreadable.as_ref());
        let code = error.map_or_else(String::new, |error| format!(": {}", error.code));
        JobHeader { number, of, document, code }
    }

    /// The line above a question.
    pub fn short(&self) -> String {
        said(&format!("{} of {}, {}", self.number, self.of, self.document)).into_owned()
    }
}

/// The key that shows the rest.
const VIEW: &str = "[v]iew shows all";

/// Prints as much as fits above the question. True when that is all of it.
pub fn show(page: Page, place: &JobHeader, told: &Told, question: &str) -> Result<bool, Failure> {
    let title = format!("── {} of {}{} ──", place.number, place.of, place.code);
    let title = page.paint(Tone::Strong, &said(&title));
    let asked = wrapped_lines(page, question);
    let left = page.height.map(|height| height.saturating_sub(all_rows(page, &asked)));
    let (lines, all) = fitted(page, title, told, left);
    lines.iter().try_for_each(|line| render::line(line))?;
    Ok(all)
}

/// The lines that fit. Where there is too little room, what was tried before goes first, then the end of the texts; what is
/// the matter never takes more than half.
fn fitted(page: Page, title: String, told: &Told, rows: Option<usize>) -> (Vec<String>, bool) {
    let whole: Vec<String> =
        [String::new(), title.clone()].into_iter().chain(told.lines().cloned()).collect();
    let Some(rows) = rows.filter(|rows| all_rows(page, &whole) > *rows) else { return (whole, true) };
    let mut lines = vec![title];
    lines.extend(told.what.iter().cloned());
    let half = (rows / 2).saturating_sub(all_rows(page, &lines));
    lines.extend(fitting(page, told.why.clone(), Some(half), VIEW));
    let rest = rows.saturating_sub(all_rows(page, &lines));
    let text = told.text.iter().cloned().skip_while(String::is_empty).collect();
    lines.extend(fitting(page, text, Some(rest), VIEW));
    (lines, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_matters_stays_in_sight() {
        let lines = |what: &str, count: usize| (0..count).map(|n| format!("{what} {n}")).collect();
        let told = Told {
            what: lines("what", 2),
            from: lines("from", 9),
            why: lines("why", 3),
            text: lines("text", 50),
        };
        let page = Page { width: Some(80), height: Some(24), colour: false };
        let (all, seen) = fitted(page, "title".to_owned(), &told, Some(66));
        assert!(seen && all.len() == 66);
        for rows in 12..55 {
            let (lines, seen) = fitted(page, "title".to_owned(), &told, Some(rows));
            let text = lines.join("\n");
            assert!(!seen && lines.len() <= rows, "{rows}: {text}");
            assert!(text.starts_with("title\nwhat 0\nwhat 1\nwhy 0"), "{rows}: {text}");
            assert!(
                text.contains("more lines: [v]iew shows all") && !text.contains("from"),
                "{rows}: {text}"
            );
        }
    }
}
