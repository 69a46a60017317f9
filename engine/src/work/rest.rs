//! When a worker that stays looks again: a function of what it found, of what it heard, and of the time. The scan every
//! minute is the truth; signs and due times only make it come sooner.

use declaration::Timestamp;
use queue_layout::Sign;

/// Between two scans, in milliseconds.
const SCAN_MS: u64 = 60_000;

/// A file in the inbox is taken in once it has rested for two seconds; a little later it surely has.
const INBOX_MS: u64 = 2_100;

/// When to look next. Times are milliseconds of a clock that is never set.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rest {
    scan_at: u64,
    look_at: Option<u64>,
    /// The machine was in trouble: no sign makes that better, so signs are ignored until the next scan.
    deaf: bool,
}

impl Rest {
    /// After a run: `next_due` is when the next deferred job is due, by the clock on the wall.
    pub(crate) fn after_run(at: u64, now: Timestamp, next_due: Option<Timestamp>) -> Rest {
        Rest { scan_at: at + SCAN_MS, look_at: next_due.map(|due| at + due.since_ms(now)), deaf: false }
    }

    /// After a run that trouble of the machine ended.
    pub(crate) fn after_trouble(at: u64) -> Rest {
        Rest { scan_at: at + SCAN_MS, look_at: None, deaf: true }
    }

    /// Something was heard. Signs while we looked count as well: what they tell of may have come behind our back.
    #[must_use]
    pub(crate) fn hearing(mut self, at: u64, sign: Sign) -> Rest {
        let look_at = match sign {
            Sign::Job => at,
            Sign::Inbox => at + INBOX_MS,
            Sign::Settings => return self,
        };
        if !self.deaf {
            self.look_at = Some(self.look_at.map_or(look_at, |known| known.min(look_at)));
        }
        self
    }

    /// Whether it is time for the scan.
    pub(crate) fn is_scan(&self, at: u64) -> bool {
        at >= self.scan_at
    }

    /// Whether something is to be looked at before so much time is over, apart from the scan.
    pub(crate) fn expects(&self, at: u64, within_ms: u64) -> bool {
        self.look_at.is_some_and(|look_at| look_at <= at.saturating_add(within_ms))
    }

    /// How long there is nothing to do, 0 when there is.
    pub(crate) fn left_ms(&self, at: u64) -> u64 {
        self.look_at.map_or(self.scan_at, |look_at| look_at.min(self.scan_at)).saturating_sub(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: Timestamp = Timestamp(1_800_000_000_000);

    #[test]
    fn a_fresh_worker_looks_at_once_and_then_once_a_minute() {
        assert_eq!(Rest::default().left_ms(0), 0);
        let rest = Rest::after_run(5, NOON, None);
        assert_eq!((rest.left_ms(5), rest.left_ms(60_004), rest.left_ms(60_005)), (60_000, 1, 0));
        assert!(!rest.is_scan(60_004) && rest.is_scan(60_005) && rest.is_scan(1_000_000));
    }

    #[test]
    fn a_retry_that_is_due_sooner_is_the_timer() {
        assert_eq!(Rest::after_run(100, NOON, Some(NOON.plus_ms(250))).left_ms(100), 250);
        assert_eq!(Rest::after_run(100, NOON, Some(NOON.plus_ms(900_000))).left_ms(100), 60_000);
        assert!(Rest::after_run(100, NOON, Some(NOON.plus_ms(250))).expects(100, 250));
        assert!(!Rest::after_run(100, NOON, Some(NOON.plus_ms(251))).expects(100, 250));
        assert!(!Rest::after_run(100, NOON, None).expects(100, 250));
        // Due already, or the clock was set forward: at once.
        assert_eq!(Rest::after_run(100, NOON.plus_ms(10), Some(NOON)).left_ms(100), 0);
    }

    #[test]
    fn signs_make_it_look_and_the_soonest_counts() {
        let rest = Rest::after_run(0, NOON, None);
        assert_eq!(rest.hearing(10, Sign::Job).left_ms(10), 0);
        assert_eq!(rest.hearing(10, Sign::Settings), rest);
        let inbox = rest.hearing(10, Sign::Inbox);
        assert_eq!(inbox.left_ms(10), 2_100);
        assert_eq!(inbox.hearing(20, Sign::Job).left_ms(20), 0);
        assert_eq!(
            inbox.hearing(20, Sign::Inbox).left_ms(20),
            2_090,
            "a second one does not put off the first"
        );
    }

    #[test]
    fn in_trouble_nothing_is_heeded_until_the_next_scan() {
        let rest = Rest::after_trouble(0).hearing(1, Sign::Job).hearing(2, Sign::Inbox);
        assert_eq!(rest.left_ms(2), 59_998);
        assert_eq!(Rest::after_run(60_000, NOON, None).hearing(60_001, Sign::Job).left_ms(60_001), 0);
    }
}
