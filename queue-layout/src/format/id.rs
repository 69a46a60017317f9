//! Job ids: UUIDv7 whose clock part never goes backwards between two enqueues that do not overlap.

use declaration::Timestamp;
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;
use uuid::Uuid;

/// The id of a job. Its order is the order of declaring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct JobId(Uuid);

impl JobId {
    /// Puts an id together: 48 bits of milliseconds, 12 bits of counter, 62 random bits (RFC 9562 §5.7, method 1).
    #[must_use]
    pub fn new(stamp: IdTime, random: u64) -> Self {
        let value = (u128::from(stamp.millis & 0xffff_ffff_ffff) << 80)
            | (0x7u128 << 76)
            | (u128::from(stamp.count & 0xfff) << 64)
            | (0b10u128 << 62)
            | u128::from(random >> 2);
        JobId(Uuid::from_u128(value))
    }

    /// The `n`-th id after this one with the same clock part: the further jobs of a dropped file, which must get the
    /// same ids when a crash makes us read that file again.
    #[must_use]
    pub fn sibling(self, n: u32) -> Self {
        let value = self.0.as_u128();
        let low = value & ((1u128 << 62) - 1);
        let moved = low.wrapping_add(u128::from(n)) & ((1u128 << 62) - 1);
        JobId(Uuid::from_u128((value & !((1u128 << 62) - 1)) | moved))
    }

    /// The id whose stamp is `n` stamps after this one's, with the same random part: the further jobs of a bundle.
    #[must_use]
    pub(crate) fn nth(self, n: u32) -> Self {
        let value = self.0.as_u128();
        let moved = JobId::stamps(value) + u128::from(n);
        let (millis, count) = (moved >> 12, moved & 0xfff);
        let low = value & u128::from(u64::MAX);
        JobId(Uuid::from_u128((millis << 80) | (0x7u128 << 76) | (count << 64) | low))
    }

    /// How many stamps this id is after that one, when both have the same random part: `first.nth(n)` is `n` after.
    pub(crate) fn after(self, first: JobId) -> Option<u32> {
        let (value, first) = (self.0.as_u128(), first.0.as_u128());
        let same = value & u128::from(u64::MAX) == first & u128::from(u64::MAX);
        let moved = JobId::stamps(value).checked_sub(JobId::stamps(first)).filter(|_| same)?;
        u32::try_from(moved).ok()
    }

    /// How many stamps there are before the one of this id.
    fn stamps(value: u128) -> u128 {
        ((value >> 80) << 12) | ((value >> 64) & 0xfff)
    }

    /// The earliest id that begins so; `None` when the text says too little to tell the day, or is no beginning of one.
    pub(crate) fn earliest(prefix: &str) -> Option<Self> {
        const SAYS_THE_HOUR: usize = 6;
        const SHAPE: &str = "00000000-0000-7000-8000-000000000000";
        let whole = format!("{prefix}{}", SHAPE.get(prefix.len()..)?);
        (prefix.len() >= SAYS_THE_HOUR).then(|| whole.parse().ok()).flatten()
    }

    /// When it was declared, by the clock of that machine (or the high-water mark, when the clock went backwards).
    #[must_use]
    pub fn declared_at(self) -> Timestamp {
        Timestamp(u64::try_from(self.0.as_u128() >> 80).unwrap_or(0))
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

impl FromStr for JobId {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let canonical = text.len() == 36 && !text.bytes().any(|b| b.is_ascii_uppercase());
        match Uuid::try_parse(text) {
            Ok(uuid) if canonical && uuid.get_version_num() == 7 => Ok(JobId(uuid)),
            _ => Err(format!("`{text}` is not a job id (a lower-case UUIDv7)")),
        }
    }
}

impl TryFrom<String> for JobId {
    type Error = String;

    fn try_from(text: String) -> std::result::Result<Self, String> {
        text.parse()
    }
}

impl Serialize for JobId {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.hyphenated().encode_lower(&mut Uuid::encode_buffer()))
    }
}

/// The clock part of an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct IdTime {
    /// Milliseconds since the epoch.
    pub millis: u64,
    /// 0–4095 within the millisecond.
    pub count: u64,
}

impl IdTime {
    const COUNT_MAX: u64 = 0xfff;

    /// The first stamp after `self` that is not before `now`.
    #[must_use]
    pub fn next(self, now: Timestamp) -> IdTime {
        if now.millis() > self.millis {
            IdTime { millis: now.millis(), count: 0 }
        } else if self.count < IdTime::COUNT_MAX {
            IdTime { millis: self.millis, count: self.count + 1 }
        } else {
            IdTime { millis: self.millis + 1, count: 0 }
        }
    }

    // A torn or foreign content counts as none: the clock then leads, as on the first day.
    pub(crate) fn parse(bytes: &[u8]) -> IdTime {
        let read = || {
            let (millis, count) = std::str::from_utf8(bytes).ok()?.trim_end().split_once('.')?;
            Some(IdTime { millis: millis.parse().ok()?, count: count.parse().ok()? })
        };
        read().unwrap_or_default()
    }

    pub(crate) fn to_bytes(self) -> Vec<u8> {
        // Fixed width: a newer mark overwrites every byte of an older one.
        format!("{:016}.{:04}\n", self.millis, self.count).into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_as_their_stamps() {
        let mut stamp = IdTime::default();
        let mut last = None;
        for now in [5, 5, 4, 4000, 3, 4001] {
            stamp = stamp.next(Timestamp(now));
            let id = JobId::new(stamp, u64::MAX / 3);
            assert!(last < Some(id), "{id} after a clock of {now}");
            assert_eq!(id.to_string().parse(), Ok(id));
            last = Some(id);
        }
    }

    #[test]
    fn the_counter_overflows_into_the_next_millisecond() {
        let full = IdTime { millis: 7, count: 0xfff };
        assert_eq!(full.next(Timestamp(7)), IdTime { millis: 8, count: 0 });
    }

    #[test]
    fn a_torn_mark_counts_as_none() {
        for torn in [&b""[..], b"\0\0\0", b"0000001", b"\xff\xfe.1"] {
            assert_eq!(IdTime::parse(torn), IdTime::default());
        }
        let stamp = IdTime { millis: 1_790_000_000_000, count: 12 };
        assert_eq!(IdTime::parse(&stamp.to_bytes()), stamp);
    }

    #[test]
    fn the_ids_of_a_bundle_follow_from_the_first() {
        let mut stamp = IdTime { millis: 7, count: 0xffd };
        let first = JobId::new(stamp, u64::MAX);
        for n in 0..5 {
            let id = first.nth(n);
            assert_eq!((id, id.after(first)), (JobId::new(stamp, u64::MAX), Some(n)));
            assert_eq!(JobId::new(stamp, 0).after(first), None, "another's");
            stamp = stamp.next(Timestamp(0));
        }
        assert_eq!(first.after(first.nth(1)), None);
    }

    #[test]
    fn siblings_are_other_ids_of_the_same_moment() {
        let id = JobId::new(IdTime { millis: 9, count: 1 }, u64::MAX);
        let other = id.sibling(3);
        assert_ne!(id, other);
        assert_eq!(id.declared_at(), other.declared_at());
        assert_eq!(other.to_string().parse(), Ok(other));
    }
}
