//! mem0: the log of changes to each memory. Whose memory it is, is recorded in a vector store beside it as Python pickles, which we
//! never open. So every memory needs a person's yes.

use super::{MemoryStore, too_many};
use crate::entry::{FoundMemories, Memory};
use crate::wording;
use std::collections::HashMap;

pub(super) const NAME: &str = "mem0";

const COLUMNS: [&str; 6] = ["memory_id", "new_memory", "event", "created_at", "updated_at", "is_deleted"];

pub(super) fn read(store: &MemoryStore<'_>, found: &mut FoundMemories) {
    let path = store.folder("MEM0_DIR", ".mem0").join("history.db");
    let Some(mut database) = store.database(NAME, &path, found) else { return };
    let Some(mut events) = database.rows("history", &COLUMNS) else {
        return found.leave_out(NAME, path, 0, "", "it has no table `history`");
    };
    too_many(NAME, &path, &mut events, found);
    // Oldest first: by time, and where that is the same, in the order they were written in.
    events.reverse();
    events.sort_by(|a, b| at(a).cmp(at(b)));
    let mut last: HashMap<&str, &Vec<String>> = HashMap::new();
    for event in &events {
        last.insert(&event[0], event);
    }
    for event in events
        .iter()
        .filter(|event| last.get(event[0].as_str()).is_some_and(|last| std::ptr::eq(*last, *event)))
    {
        let [id, said, what, _, _, deleted] = [0, 1, 2, 3, 4, 5].map(|at| event[at].as_str());
        if what == "DELETE" || deleted == "1" {
            continue;
        }
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        found.add(Memory {
            id: Some(id.to_owned()),
            kind: wording::kind(&said),
            date: Some(at(event).to_owned()).filter(|at| !at.is_empty()),
            waits: Some("mem0 does not say whose memory it is"),
            ..Memory::new(NAME, path.as_path(), 0, said)
        });
    }
}

/// When an event was.
fn at(event: &[String]) -> &str {
    let times = [&event[4], &event[3]];
    times.into_iter().find(|at| !at.is_empty()).map_or("", String::as_str)
}
