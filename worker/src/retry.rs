//! When to try again: a pure function of how often it was tried. `min(cap, base·2ⁿ)·U(0.5, 1.5)`, so
//! the cap is before the jitter. Base and cap are settings (`retry`); the jitter is not.

use backon::{BackoffBuilder, ExponentialBuilder};
use std::time::Duration;

/// How often, and after which delays, a job is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    /// Attempts after the first one.
    pub retries: u32,
    /// Before the first retry, in milliseconds.
    pub base_ms: u64,
    /// Never longer than this (before jitter), in milliseconds.
    pub cap_ms: u64,
}

/// Milliseconds until the next attempt after `failed` failed ones (from 1); `None` when there is none.
/// `random` is uniform over all of `u64`.
#[must_use]
pub fn delay_ms(retry: &Backoff, failed: u32, random: u64) -> Option<u64> {
    let schedule = ExponentialBuilder::default()
        .with_factor(2.0)
        .with_min_delay(Duration::from_millis(retry.base_ms))
        .with_max_delay(Duration::from_millis(retry.cap_ms.max(retry.base_ms)))
        .with_max_times(usize::try_from(retry.retries).unwrap_or(usize::MAX))
        .build();
    let step = usize::try_from(failed.checked_sub(1)?).unwrap_or(usize::MAX);
    let plain = u64::try_from({ schedule }.nth(step)?.as_millis()).unwrap_or(u64::MAX);
    // 0.5 to 1.5 in steps of 1/65536: enough to keep two hooks from meeting again.
    let jitter = 32_768 + (random >> 48);
    Some(u64::try_from(u128::from(plain) * u128::from(jitter) / 65_536).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RETRY: Backoff = Backoff { retries: 3, base_ms: 1000, cap_ms: 3000 };
    const MIDDLE: u64 = 1 << 63;

    #[test]
    fn doubles_up_to_the_cap_and_ends() {
        let delays: Vec<_> = (1..=4).map(|failed| delay_ms(&RETRY, failed, MIDDLE)).collect();
        assert_eq!(delays, [Some(1000), Some(2000), Some(3000), None]);
    }

    #[test]
    fn jitter_is_half_to_one_and_a_half() {
        assert_eq!(delay_ms(&RETRY, 1, 0), Some(500));
        assert_eq!(delay_ms(&RETRY, 1, u64::MAX), Some(1499));
    }

    #[test]
    fn no_retries_means_none() {
        assert_eq!(delay_ms(&Backoff { retries: 0, ..RETRY }, 1, MIDDLE), None);
        assert_eq!(delay_ms(&RETRY, 0, MIDDLE), None);
    }

    proptest! {
        #[test]
        fn stays_within_its_bounds(retries in 0u32..20, base in 0u64..1 << 40, cap in 0u64..1 << 40, failed in 0u32..30, random: u64) {
            let retry = Backoff { retries, base_ms: base, cap_ms: cap };
            let delay = delay_ms(&retry, failed, random);
            prop_assert_eq!(delay.is_some(), failed >= 1 && failed <= retries);
            prop_assert!(delay.unwrap_or(0) <= cap.max(base).saturating_mul(3) / 2 + 1);
        }
    }
}
