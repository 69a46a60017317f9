//! The high-water mark of ids, `locks/seq`: every id is above every id taken before.

use crate::error::Result;
use crate::format::id::IdTime;
use crate::layout::Layout;
use declaration::Timestamp;
use durable::Disk;

/// Takes `count` stamps, in order, above every stamp taken before (`locks/seq` is the high-water mark).
pub(crate) fn take_stamps(
    disk: &dyn Disk,
    layout: &Layout,
    now: Timestamp,
    count: usize,
) -> Result<Vec<IdTime>> {
    let mut stamps = Vec::with_capacity(count);
    disk.update_locked(&layout.lock("seq"), &mut |old| {
        stamps.clear();
        let mut last = IdTime::parse(old);
        for _ in 0..count {
            last = last.next(now);
            stamps.push(last);
        }
        last.to_bytes()
    })?;
    Ok(stamps)
}
