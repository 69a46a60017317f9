//! What `status` says of sections whose author wanted them looked at again by now.

use crate::render::Tone;
use crate::table::{Cell, table};
use crate::world::World;
use declaration::Timestamp;
use operator::Expired;

/// Every section whose day has come, over all documents with a history. What cannot be read now is said by other
/// commands.
pub fn look(world: &World) -> Vec<Expired> {
    let documents = world.documents();
    let changed = documents.changed_since(Timestamp(0)).unwrap_or_default();
    let found =
        changed.iter().filter_map(|document| operator::expired(&documents, document, world.now()).ok());
    found.flatten().collect()
}

/// As a table, with what shows each.
pub fn lines(world: &World) -> Vec<String> {
    let expired = look(world);
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
