//! The order of arrival, seen through listings that are no moments: on ext4 and others a file that is renamed in while a
//! directory is read may be missed while a later one is seen. Taken at its word, such a listing would have job n + 1
//! merged before job n.
//!
//! Two rules make up for it. Whoever brings files whose order counts changes `locks/seq` between one and the next: taking
//! an id does, and `Arrivals` does for who brings several. So when the mark is the same after a listing as before it,
//! nothing can have been missed that came before something seen. When it is not, the directory is listed a second time:
//! what came before a file that the first listing saw was there when the second one began. Of each document only jobs
//! before the first one that is not in both are taken.

use crate::Queue;
use crate::error::Result;
use crate::format::id::JobId;
use crate::format::name::DocKey;
use crate::moves::seq::take_stamps;
use declaration::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// Files one process moves to where they are waited for, one after another.
pub(crate) struct Arrivals<'q> {
    queue: &'q Queue,
    /// Documents that got a file since the mark changed.
    since: BTreeSet<DocKey>,
}

impl Arrivals<'_> {
    /// To be called before each move: changes the mark where an earlier file of the same document has been moved since it
    /// changed last.
    pub(crate) fn next(&mut self, doc: DocKey) -> Result<()> {
        if !self.since.insert(doc) {
            self.queue.change_mark()?;
            self.since = BTreeSet::from([doc]);
        }
        Ok(())
    }
}

impl Queue {
    /// For files that are about to be moved to where they are waited for.
    pub(crate) fn arrivals(&self) -> Arrivals<'_> {
        Arrivals { queue: self, since: BTreeSet::new() }
    }

    /// What `locks/seq` says.
    pub(crate) fn mark(&self) -> Result<Vec<u8>> {
        match self.disk.read(&self.layout.lock("seq"), 64) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            other => Ok(other?),
        }
    }

    /// Takes an id and gives it to no job: so the mark changes.
    pub(crate) fn change_mark(&self) -> Result<()> {
        take_stamps(&*self.disk, &self.layout, Timestamp(0), 1).map(drop)
    }
}

/// Of each document the first job that only one of two listings has; both in the order of ids.
pub(crate) fn first_differences(
    first: &[(JobId, DocKey)],
    second: &[(JobId, DocKey)],
) -> BTreeMap<DocKey, JobId> {
    let mut differ = BTreeMap::new();
    let (mut first, mut second) = (first.iter().peekable(), second.iter().peekable());
    loop {
        let (only, doc) = match (first.peek(), second.peek()) {
            (None, None) => return differ,
            (Some(a), Some(b)) if a.0 == b.0 => {
                first.next();
                second.next();
                continue;
            }
            (Some(a), Some(b)) if a.0 < b.0 => **a,
            (Some(a), None) => **a,
            (_, Some(b)) => **b,
        };
        let side = if first.peek().is_some_and(|next| next.0 == only) { &mut first } else { &mut second };
        side.next();
        differ.entry(doc).or_insert(only);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::id::IdTime;

    fn id(n: u64) -> JobId {
        JobId::new(IdTime { millis: n, count: 0 }, 7)
    }

    #[test]
    fn the_first_that_only_one_listing_has() {
        let [a, b] = ["a", "b"].map(|name| DocKey::of(std::path::Path::new(name)));
        let first = [(id(1), a), (id(3), a), (id(4), b), (id(9), b)];
        let second = [(id(1), a), (id(2), a), (id(3), a), (id(4), b)];
        assert_eq!(first_differences(&first, &second), BTreeMap::from([(a, id(2)), (b, id(9))]));
        assert_eq!(first_differences(&second, &first), BTreeMap::from([(a, id(2)), (b, id(9))]));
        assert!(first_differences(&first, &first).is_empty());
        assert_eq!(first_differences(&[], &second), BTreeMap::from([(a, id(1)), (b, id(4))]));
    }
}
