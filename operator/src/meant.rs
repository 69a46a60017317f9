//! "Did you mean …?": the heading of the document that a job's author most likely meant. Pure.

use declaration::Code;
use declaration::reading::near::nearest;
use markdown_merge::{Section, is_same_heading};
use queue_layout::Job;

/// A job with the heading that was meant.
#[derive(Debug, Clone, PartialEq)]
pub struct Meant {
    /// The same job, about that heading.
    pub job: Job,
    /// The heading as the document has it, e.g. `## Restart`.
    pub heading: String,
    /// Its line, counted from 1.
    pub line: usize,
}

/// What a job meant whose heading is not there, or at another level: the one section of the document (`text`) whose heading
/// is the same or nearly so. `None` where there is no such section, or more than one.
#[must_use]
pub fn meant(job: &Job, text: &str) -> Option<Meant> {
    let fault = job.error.as_ref()?;
    if !matches!(
        fault.code,
        Code::SectionMissing | Code::HeadingNotFound | Code::LevelMismatch | Code::NearMatch
    ) {
        return None;
    }
    let at = fault.entry.unwrap_or(0);
    let wanted = job.entries.get(at)?.key.heading.last()?;
    let sections = markdown_merge::sections(text).ok()?;
    let section = only(&sections, |title| is_same_heading(title, wanted)).or_else(|| {
        let titles = sections.iter().filter_map(|section| section.heading.last());
        let near = nearest(wanted, titles.map(String::as_str))?;
        only(&sections, |title| title == near)
    })?;
    let mut job = job.clone();
    let key = &mut job.entries.get_mut(at)?.key;
    let heading = section.heading.last()?.clone();
    (key.level, key.heading) = (section.level, vec![heading.clone()]);
    let heading = format!("{} {heading}", "#".repeat(usize::from(section.level)));
    Some(Meant { job, heading, line: section.line })
}

/// The section with such a heading, where it is the only one.
fn only(sections: &[Section], fits: impl Fn(&str) -> bool) -> Option<&Section> {
    let mut found = sections.iter().filter(|section| section.heading.last().is_some_and(|title| fits(title)));
    found.next().filter(|_| found.next().is_none())
}
