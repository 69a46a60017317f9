//! What this home knows already, as far as an adoption asks: by the keys that items keep of where they are from, and by what they
//! say. Retired items count: what somebody struck out is not offered again.

use crate::item_list::ItemFilter;
use crate::output::ListedItem;
use crate::{Failure, Home};
use ::adopt::{IDENTITY, Proposal, plain, text_hash};
use markdown_merge::item::fold;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// What there is of a proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Standing {
    /// Nothing.
    New,
    /// All of it, or somebody decided about it.
    Known,
    /// An item that says what its origin said before.
    Changed { item: String },
}

/// The items of a home, by what an adoption asks of them.
#[derive(Debug, Default)]
pub(super) struct Known {
    items: Vec<ListedItem>,
    /// Whole keys, to the item.
    keys: HashMap<String, usize>,
    /// The part of them that stays, to the item.
    identities: HashMap<String, usize>,
    /// What live items say, to the items.
    texts: HashMap<String, Vec<usize>>,
}

impl Known {
    pub(super) fn of(home: &Home, cwd: &Path) -> Result<Known, Failure> {
        let items = home.items(&ItemFilter { all: true, ..ItemFilter::default() }, cwd)?;
        let mut known = Known::default();
        for (at, item) in items.iter().enumerate() {
            for key in item.of.iter().flat_map(|of| of.split(',')) {
                known.keys.insert(key.to_owned(), at);
                let identity = key.get(..IDENTITY).unwrap_or(key).to_owned();
                // A job that waits and will change an item stands behind it.
                known.identities.entry(identity).or_insert(at);
            }
            if item.live {
                let said = [without_tags(item), item.text.clone(), whole(item)];
                for text in said.map(|text| plain(&text)).into_iter().collect::<BTreeSet<_>>() {
                    known.texts.entry(text).or_default().push(at);
                }
            }
        }
        known.items = items;
        Ok(known)
    }

    pub(super) fn standing(&self, proposal: &Proposal) -> Standing {
        if proposal.origins.iter().any(|origin| self.keys.contains_key(&origin.key)) {
            return Standing::Known;
        }
        let of_it = proposal.origins.iter().filter_map(|origin| origin.key.get(..IDENTITY));
        let changed = of_it.filter_map(|identity| self.identities.get(identity)).next();
        if let Some(item) = changed.and_then(|at| self.items.get(*at)) {
            let can = item.live && item.waits.is_none();
            return if can { Standing::Changed { item: item.id.clone() } } else { Standing::Known };
        }
        match self.texts.contains_key(&plain(&proposal.entry.text)) {
            true => Standing::Known,
            false => Standing::New,
        }
    }

    /// The item that says the same as one of an export, where no item is of its kind and has its tags.
    pub(super) fn otherwise(&self, proposal: &Proposal) -> Option<&str> {
        let entry = &proposal.entry;
        let is_taken = |origin: &::adopt::Origin| self.keys.contains_key(&origin.key);
        if !entry.exported || proposal.origins.iter().any(is_taken) {
            return None;
        }
        let line = entry.text.lines().next().unwrap_or_default();
        let kind = entry.word.as_deref().filter(|word| !word.is_empty());
        let is_same = |item: &&ListedItem| item.kind.as_deref() == kind && fold(&item.text) == fold(line);
        let says = self.texts.get(&plain(&entry.text))?.iter().filter_map(|at| self.items.get(*at));
        let other = says.clone().next()?;
        says.clone().find(is_same).is_none().then_some(other.id.as_str())
    }

    /// Whether an item says something else than what was adopted.
    pub(super) fn is_edited(&self, id: &str) -> bool {
        self.items.iter().find(|item| item.id == id).is_some_and(is_edited)
    }

    /// The keys an item is to have: its own, and of each origin the new one.
    pub(super) fn keys(&self, proposal: &Proposal, standing: &Standing) -> String {
        let Standing::Changed { item } = standing else { return proposal.keys() };
        let of = self.items.iter().find(|known| known.id == *item).and_then(|item| item.of.as_deref());
        let new = |key: &&str| {
            !proposal.origins.iter().any(|origin| origin.key.get(..IDENTITY) == key.get(..IDENTITY))
        };
        let kept = of.unwrap_or_default().split(',').filter(|key| !key.is_empty()).filter(new);
        kept.chain([proposal.keys().as_str()]).collect::<Vec<_>>().join(",")
    }
}

/// Whether an adopted item says something else than any of its origins did.
pub(super) fn is_edited(item: &ListedItem) -> bool {
    let hashes =
        [[without_tags(item), item.below.clone()].concat(), whole(item)].map(|text| text_hash(&text));
    let keys = item.of.iter().flat_map(|of| of.split(','));
    let said = |key: &str| key.get(IDENTITY..).is_some_and(|hash| hashes.iter().any(|known| known == hash));
    !keys.into_iter().any(said)
}

/// What an item says, with what stands below its line.
fn whole(item: &ListedItem) -> String {
    [item.text.as_str(), &item.below].concat()
}

/// What an item says without the tags at its end, which are ours.
fn without_tags(item: &ListedItem) -> String {
    let mut words: Vec<&str> = item.text.split_whitespace().collect();
    while words.last().is_some_and(|word| word.starts_with('#')) {
        words.pop();
    }
    words.join(" ")
}
