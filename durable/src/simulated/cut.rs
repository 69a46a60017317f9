//! Which power cuts there are at a moment: which of the names that are not durable survive, and how much of the bytes.

use super::tree::{Change, Data, InodeId, Tree};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt;

/// One power cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    pub(super) kept: BTreeSet<u64>,
    /// How much of the unsynced bytes.
    pub data: Data,
    /// The names that survive, to say in a report.
    pub names: Vec<String>,
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "power cut, {:?} of the unsynced bytes and of the names {:?}", self.data, self.names)
    }
}

/// The power cuts of a moment.
#[derive(Debug, Clone)]
pub struct Cuts {
    /// Each of them.
    pub cuts: Vec<Cut>,
    /// Whether that is every combination of names, or (there were too many) none, all, each alone, all but each one, and
    /// (up to 16 names) each pair.
    pub complete: bool,
}

/// The changes of one name, oldest first: any number of them from the front may survive.
type History = Vec<u64>;

pub(super) fn cuts(tree: &Tree, subsets_max: usize) -> Cuts {
    let histories = histories(tree);
    let combinations =
        histories.iter().fold(1usize, |product, history| product.saturating_mul(history.len() + 1));
    let complete = combinations <= subsets_max;
    let mut subsets: BTreeSet<BTreeSet<u64>> = BTreeSet::new();
    if complete {
        let mut chosen = vec![BTreeSet::new()];
        for history in &histories {
            let longer = chosen.iter().flat_map(|set: &BTreeSet<u64>| {
                (0..=history.len()).map(|n| set.iter().chain(&history[..n]).copied().collect())
            });
            chosen = longer.collect();
        }
        subsets.extend(chosen.into_iter().map(|set| tree.closed(set)));
    } else {
        subsets = a_few(tree, &histories);
    }
    let path = |change: &Change| tree.path_of_dir(change.dir).join(&change.name).display().to_string();
    let paths: Vec<(u64, String)> = tree.unsynced().iter().map(|change| (change.id, path(change))).collect();
    let named = |kept: &BTreeSet<u64>| {
        let survive = paths.iter().filter(|(id, _)| kept.contains(id));
        survive.map(|(_, path)| path.clone()).collect::<Vec<_>>()
    };
    let each = subsets.iter().flat_map(|kept| {
        let names = named(kept);
        Data::ALL.map(|data| Cut { kept: kept.clone(), data, names: names.clone() })
    });
    Cuts { cuts: each.collect(), complete }
}

/// Pairs are tried of this many names at most.
const PAIRED_MAX: usize = 16;

fn a_few(tree: &Tree, histories: &[History]) -> BTreeSet<BTreeSet<u64>> {
    let all: BTreeSet<u64> = histories.iter().flatten().copied().collect();
    let mut subsets = BTreeSet::from([BTreeSet::new(), all.clone()]);
    for (at, history) in histories.iter().enumerate() {
        for n in 1..=history.len() {
            subsets.insert(tree.closed(history[..n].iter().copied().collect()));
        }
        let others = histories.iter().skip(at + 1).filter(|_| histories.len() <= PAIRED_MAX);
        for other in others {
            subsets.insert(tree.closed(history.iter().chain(other).copied().collect()));
        }
        // All but this name, and but what needs it.
        let without = all.iter().copied().filter(|id| {
            let needed = tree.closed(BTreeSet::from([*id]));
            !history.iter().any(|gone| needed.contains(gone))
        });
        subsets.insert(without.collect());
    }
    subsets
}

fn histories(tree: &Tree) -> Vec<History> {
    let mut names: Vec<((InodeId, OsString), History)> = Vec::new();
    for change in tree.unsynced() {
        let key = (change.dir, change.name.clone());
        match names.iter_mut().find(|(known, _)| *known == key) {
            Some((_, history)) => history.push(change.id),
            None => names.push((key, vec![change.id])),
        }
    }
    names.into_iter().map(|(_, history)| history).collect()
}
