//! How much room the disk of a home must have, and what is short of it; the numbers are `queue_layout::Space`.

use declaration::Advice;
use queue_layout::Space;
use serde::Serialize;

/// Below this nothing more can be written soon: twice the largest declaration (16 MiB), which is written to the queue and
/// to the document, and a thousand files.
pub const SPACE_NEEDED: Space = Space { bytes: 32 << 20, files: Some(1_000), read_only: false };
/// Below this it is time to think of it.
pub const SPACE_LOW: Space = Space { bytes: 512 << 20, files: Some(20_000), read_only: false };

/// What a file system is short of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "short_of")]
pub enum Shortage {
    /// Bytes; so many are left.
    Bytes {
        /// Bytes.
        left: u64,
    },
    /// Inodes; so many are left.
    Files {
        /// Files.
        left: u64,
    },
    /// It is mounted read-only.
    Writing,
}

impl Shortage {
    /// What is wrong, to be read after "the disk of the home".
    #[must_use]
    pub fn sentence(self) -> String {
        match self {
            Shortage::Bytes { left } if left < 1 << 20 => format!("is full: {} KiB are left", left >> 10),
            Shortage::Bytes { left } => format!("is nearly full: {} MiB are left", left >> 20),
            Shortage::Files { left } => {
                format!("has room for {left} more files only (its inodes are used up)")
            }
            Shortage::Writing => "is mounted read-only".to_owned(),
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn next(self) -> Advice {
        match self {
            Shortage::Bytes { .. } | Shortage::Files { .. } => Advice::FreeSpace,
            Shortage::Writing => "remount it writable; the kernel's log (dmesg) says why it is not".into(),
        }
    }
}

/// Whether less is left than the bound says, of bytes or of files.
#[must_use]
pub fn is_below(space: Space, bound: Space) -> bool {
    space.bytes < bound.bytes || space.files.zip(bound.files).is_some_and(|(left, bound)| left < bound)
}

/// What is short of `SPACE_NEEDED`.
#[must_use]
pub fn shortage(space: Space) -> Option<Shortage> {
    let files = space.files.zip(SPACE_NEEDED.files).filter(|(left, needed)| left < needed);
    match files {
        _ if space.read_only => Some(Shortage::Writing),
        _ if space.bytes < SPACE_NEEDED.bytes => Some(Shortage::Bytes { left: space.bytes }),
        Some((left, _)) => Some(Shortage::Files { left }),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_is_what_is_below_what_is_needed() {
        let of = |bytes, files, read_only| shortage(Space { bytes, files, read_only });
        assert_eq!(of(32 << 20, Some(1_000), false), None);
        assert_eq!(of(32 << 20, None, false), None, "no limit on files");
        assert_eq!(of((32 << 20) - 1, None, false), Some(Shortage::Bytes { left: (32 << 20) - 1 }));
        assert_eq!(of(u64::MAX, Some(999), false), Some(Shortage::Files { left: 999 }));
        assert_eq!(of(u64::MAX, None, true), Some(Shortage::Writing));
        assert!(of(0, None, false).unwrap().sentence().contains("is full"));
        for short in [Shortage::Bytes { left: 1 }, Shortage::Files { left: 0 }, Shortage::Writing] {
            assert!(!short.next().in_words().is_empty());
        }
    }
}
