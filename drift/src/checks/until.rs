//! Items whose `until=2026-03-01` has passed: by that day somebody should have checked that they still hold.

use crate::{DriftCheck, DriftFinding, Look};

pub(crate) fn find(look: &Look<'_>) -> Vec<DriftFinding> {
    let lines = look.document.text.lines().enumerate();
    let found = lines.filter_map(|(at, line)| {
        let (_, comment) = line.split_once("<!-- lw ")?;
        let comment = comment.split("-->").next()?;
        let field = |name: &str| comment.split_whitespace().find_map(|word| word.strip_prefix(name));
        let day = field("until=")?;
        let is_day = day.len() == 10
            && day
                .bytes()
                .enumerate()
                .all(|(n, b)| if n == 4 || n == 7 { b == b'-' } else { b.is_ascii_digit() });
        let holds = field("del=").is_none() && field("sup=").is_none();
        (is_day && holds && day < look.today).then(|| DriftFinding {
            line: at + 1,
            check: DriftCheck::Until,
            says: format!("until={day}"),
            why: "somebody was to look by then whether it still holds".to_owned(),
            now: None,
        })
    });
    found.collect()
}
