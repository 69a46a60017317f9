//! A moment, as this product writes it: milliseconds since the Unix epoch in names, RFC 3339 in texts.
//! The clock itself is read only by `cli`; everything below is handed a `Timestamp`.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

/// Whether a text is a day of the calendar, `YYYY-MM-DD`.
#[must_use]
pub fn is_day(text: &str) -> bool {
    text.len() == 10 && chrono::NaiveDate::parse_from_str(text, "%Y-%m-%d").is_ok()
}

/// The day so many days before another one.
#[must_use]
pub fn day_before(day: &str, days: u32) -> Option<String> {
    let day = chrono::NaiveDate::parse_from_str(day, "%Y-%m-%d").ok()?;
    Some(day.checked_sub_days(chrono::Days::new(u64::from(days)))?.to_string())
}

/// A length of time in its largest unit: `3 min`.
#[must_use]
pub fn span(ms: u64) -> String {
    let seconds = ms / 1000;
    match seconds {
        0 => format!("{ms} ms"),
        1..=119 => format!("{seconds} s"),
        120..=7199 => format!("{} min", seconds / 60),
        7200..=172_799 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86_400),
    }
}

/// Milliseconds since 1970-01-01T00:00:00Z. Serialised as RFC 3339 with milliseconds, in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(pub u64);

impl Timestamp {
    /// Milliseconds since the epoch.
    #[must_use]
    pub fn millis(self) -> u64 {
        self.0
    }

    /// How long before `now` this moment was, in its largest unit: `3 min ago`; of one that is still to come, `in 3 min`.
    #[must_use]
    pub fn ago(self, now: Timestamp) -> String {
        if self > now {
            format!("in {}", span(self.since_ms(now)))
        } else if now.since_ms(self) < 1000 {
            "just now".to_owned()
        } else {
            format!("{} ago", span(now.since_ms(self)))
        }
    }

    /// This moment plus `ms` milliseconds, saturating.
    #[must_use]
    pub fn plus_ms(self, ms: u64) -> Self {
        Timestamp(self.0.saturating_add(ms))
    }

    /// Milliseconds from `earlier` to this moment; 0 when the clock went backwards in between.
    #[must_use]
    pub fn since_ms(self, earlier: Timestamp) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// The UTC day, `YYYY-MM-DD`: the name of a day directory.
    #[must_use]
    pub fn day(self) -> String {
        self.utc().format("%Y-%m-%d").to_string()
    }

    /// `2026-02-16T06:30+00:00`: the minute in UTC, with its zone.
    #[must_use]
    pub fn minute(self) -> String {
        self.utc().format("%Y-%m-%dT%H:%M+00:00").to_string()
    }

    /// `YYYYMMDD-HHMMSS` in UTC: the head of a name in `staging/`.
    #[must_use]
    pub fn compact(self) -> String {
        self.utc().format("%Y%m%d-%H%M%S").to_string()
    }

    /// Reads an RFC 3339 text; `None` when it is not one or lies before the epoch.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let moment = DateTime::parse_from_rfc3339(text).ok()?;
        u64::try_from(moment.timestamp_millis()).ok().map(Timestamp)
    }

    fn utc(self) -> DateTime<Utc> {
        i64::try_from(self.0)
            .ok()
            .and_then(DateTime::from_timestamp_millis)
            .unwrap_or(DateTime::<Utc>::MAX_UTC)
    }
}

impl std::fmt::Display for Timestamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.utc().to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Timestamp::parse(&text).ok_or_else(|| {
            D::Error::custom(format!("`{text}` is not an RFC 3339 time such as 2026-11-21T10:00:00Z"))
        })
    }
}
