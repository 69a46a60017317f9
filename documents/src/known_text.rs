//! The hash of a text that begins as one did that was hashed before. A commit looks at a document as it was, as it is, and as it will
//! be, several times each, and those texts differ in a few lines: what they begin with alike goes through SHA-256 once.

use declaration::hex;
use durable::PIECE_BYTES;
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// A longer text is not kept, in bytes: a worker that stays would keep it for as long as it lives.
const KEPT_BYTES_MAX: usize = 4 << 20;

/// A text, its hash, and the states in which that hash was on the way: one at the beginning of each piece, and one at the end.
#[derive(Debug)]
pub(crate) struct KnownText<const PIECE: usize = PIECE_BYTES> {
    text: Arc<Vec<u8>>,
    states: Vec<Sha256>,
}

impl<const PIECE: usize> Default for KnownText<PIECE> {
    fn default() -> Self {
        KnownText { text: Arc::default(), states: vec![Sha256::new()] }
    }
}

impl<const PIECE: usize> KnownText<PIECE> {
    /// This text, where another one is known.
    pub fn after(known: &KnownText<PIECE>, text: Arc<Vec<u8>>) -> Self {
        let mut states = vec![Sha256::new()];
        let mut alike = true;
        for (n, piece) in text.chunks(PIECE).enumerate() {
            alike = alike && known.piece(n) == piece;
            let state = match known.states.get(n + 1).filter(|_| alike) {
                Some(state) => state.clone(),
                None => states.last().cloned().unwrap_or_default().chain_update(piece),
            };
            states.push(state);
        }
        KnownText { text, states }
    }

    pub fn text(&self) -> &Arc<Vec<u8>> {
        &self.text
    }

    pub fn hash(&self) -> String {
        named(self.states.last().cloned().unwrap_or_default())
    }

    /// Whether a text of so many bytes is worth keeping: more than a piece, and not too much to be kept.
    pub fn keeps(bytes: usize) -> bool {
        (PIECE + 1..=KEPT_BYTES_MAX).contains(&bytes)
    }

    /// The hash of another text.
    pub fn hash_of(&self, text: &[u8]) -> String {
        let mut hashing = self.hashing();
        text.chunks(PIECE).for_each(|piece| hashing.add(piece));
        hashing.end()
    }

    /// The same for one that comes piece by piece.
    pub fn hashing(&self) -> Hashing<'_, PIECE> {
        Hashing { known: self, alike: 0, apart: None }
    }

    fn piece(&self, n: usize) -> &[u8] {
        self.text.chunks(PIECE).nth(n).unwrap_or(&[])
    }
}

/// A hash under way of a text that may begin as a known one.
pub(crate) struct Hashing<'k, const PIECE: usize> {
    known: &'k KnownText<PIECE>,
    /// Pieces that were the known text's.
    alike: usize,
    /// What is computed for it alone, since it differs.
    apart: Option<Sha256>,
}

impl<const PIECE: usize> Hashing<'_, PIECE> {
    /// The next `PIECE` bytes, fewer only where the text ends.
    pub fn add(&mut self, piece: &[u8]) {
        if let Some(apart) = &mut self.apart {
            apart.update(piece);
        } else if self.known.piece(self.alike) == piece {
            self.alike += 1;
        } else {
            self.apart = Some(self.state().chain_update(piece));
        }
    }

    pub fn end(self) -> String {
        let state = self.state();
        named(self.apart.unwrap_or(state))
    }

    fn state(&self) -> Sha256 {
        self.known.states.get(self.alike).cloned().unwrap_or_default()
    }
}

fn named(state: Sha256) -> String {
    format!("sha256:{}", hex(&state.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::hash;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4_000) })]
        /// Whatever is known, and whatever a text has in common with it: its hash is its hash.
        #[test]
        fn a_hash_is_the_same_whatever_is_known(
            first in "[ab]{0,40}", second in "[ab]{0,40}", cut in 0_usize..40, more in "[ab]{0,12}",
        ) {
            let grown = format!("{}{more}", &first[..cut.min(first.len())]);
            let mut known = KnownText::<4>::default();
            for text in [&first, &grown, &second, &grown, &first] {
                for other in [&first, &grown, &second] {
                    prop_assert_eq!(known.hash_of(other.as_bytes()), hash(other.as_bytes()));
                }
                known = KnownText::after(&known, Arc::new(text.clone().into_bytes()));
                prop_assert_eq!(known.hash(), hash(text.as_bytes()));
            }
        }
    }
}
