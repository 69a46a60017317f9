//! Lengths of time as people write them, in the settings and on the command line: `500ms 90s 5m 5min 2h 30d 2w`.

/// A hundred years: a longer time is taken for a mistake.
const MS_MAX: u64 = 100 * 365 * DAY;
const DAY: u64 = 24 * 3600 * 1000;
const UNITS: [(&str, u64); 7] =
    [("ms", 1), ("s", 1000), ("m", 60_000), ("min", 60_000), ("h", 3_600_000), ("d", DAY), ("w", 7 * DAY)];

/// A length of time in milliseconds.
///
/// # Errors
/// What to write instead.
pub fn millis(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let count: u64 =
        number.parse().map_err(|_| "write a number and a unit, such as 10s or 30d".to_owned())?;
    if count == 0 && unit.is_empty() {
        return Ok(0);
    }
    let known = UNITS.map(|(name, _)| name);
    let Some((_, ms)) = UNITS.iter().find(|(name, _)| *name == unit.trim()) else {
        return Err(match unit {
            "" => format!("say the unit, such as {count}s"),
            unit if known.contains(&unit.to_lowercase().as_str()) => {
                format!("write {count}{}", unit.to_lowercase())
            }
            _ => "the units are ms, s, m or min, h, d, w".to_owned(),
        });
    };
    count.checked_mul(*ms).filter(|ms| *ms <= MS_MAX).ok_or_else(|| "the longest is 36500d".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_and_slips() {
        for (text, ms) in [
            ("500ms", 500),
            ("1s", 1000),
            ("5m", 300_000),
            ("5min", 300_000),
            ("2h", 7_200_000),
            ("30d", 30 * DAY),
            ("2w", 14 * DAY),
            ("0", 0),
            (" 10 s ", 10_000),
        ] {
            assert_eq!(millis(text), Ok(ms), "{text}");
        }
        for text in
            ["", "s", "10", "1.5s", "-1s", "10 parsecs", "99999999999999999999s", "40000d", "10S", "1s2"]
        {
            assert!(millis(text).is_err(), "{text}");
        }
    }
}
