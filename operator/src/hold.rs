//! Holding and releasing: what is held is not merged until somebody lets it go. Both are in the journal.

use crate::Actor;
use declaration::Timestamp;
use queue_layout::{Event, HeldThing, Hold, JournalEntry, Queue, Result};

/// Holds a thing; false when it was held already.
///
/// # Errors
/// A disk error.
pub fn hold(queue: &Queue, held: HeldThing, who: &Actor, now: Timestamp) -> Result<bool> {
    let hold = Hold { held, at: now, by: who.name.clone(), reason: who.reason.clone() };
    let new = queue.operator().hold(&hold)?;
    if new {
        journal(queue, Event::Held, &hold.held, who, now);
    }
    Ok(new)
}

/// Releases a thing; false when it was not held.
///
/// # Errors
/// A disk error.
pub fn release(queue: &Queue, held: &HeldThing, who: &Actor, now: Timestamp) -> Result<bool> {
    let was = queue.operator().unhold(held)?;
    if was {
        journal(queue, Event::Released, held, who, now);
    }
    Ok(was)
}

fn journal(queue: &Queue, event: Event, held: &HeldThing, who: &Actor, now: Timestamp) {
    let mut happened = JournalEntry::new(now, event).by(&who.name);
    match held {
        HeldThing::Queue => {}
        HeldThing::Document(path) => happened.document = Some(path.display().to_string()),
        HeldThing::Job(id) => happened.id = Some(*id),
    }
    happened.message.clone_from(&who.reason);
    // The hold is durable already. Failing to write the journal does not undo it.
    let _ = queue.journal().write(&[happened]);
}
