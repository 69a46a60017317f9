//! The part of `status` about sections whose `review_by` has passed.

use crate::render::Tone;
use crate::table::{Cell, table};
use crate::world::World;

/// A table of them, with the command that shows each.
pub fn lines(world: &World) -> Vec<String> {
    let expired = world.expired();
    if expired.is_empty() {
        return Vec::new();
    }
    let rows = expired.iter().map(|section| {
        let document = world.short(&section.document);
        let heading = section.heading.last().map_or("(before the first heading)", String::as_str);
        vec![
            Cell::new(heading, Tone::Warn),
            format!("{document}:{}", section.line).into(),
            section.review_by.as_str().into(),
            crate::commands::history::author(&section.agent).into(),
            format!("last-word blame {document}").into(),
        ]
    });
    vec![
        String::new(),
        table(world.page, &["DOES IT STILL HOLD", "WHERE", "SINCE", "BY", "NEXT"], rows.collect()),
    ]
}
