//! The moment of a declaration in its author's own calendar, and the absolute dates of what is relative to it.

use super::{Period, Relative};
use chrono::{DateTime, Datelike, Duration, FixedOffset, Months, NaiveDate, NaiveDateTime};
use declaration::time::Timestamp;

/// A moment in the speaker's own zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    at: DateTime<FixedOffset>,
    now: NaiveDateTime,
    today: NaiveDate,
}

impl Moment {
    /// A time in a zone so many minutes east of UTC.
    #[must_use]
    pub fn new(said_at: Timestamp, minutes_east: i32) -> Moment {
        let millis = i64::try_from(said_at.millis()).unwrap_or(i64::MAX);
        let zone = FixedOffset::east_opt(minutes_east.saturating_mul(60));
        let utc = DateTime::from_timestamp_millis(millis).unwrap_or_default();
        let at = zone.map_or_else(|| utc.fixed_offset(), |zone| utc.with_timezone(&zone));
        let now = at.naive_local();
        Moment { at, now, today: now.date() }
    }

    /// A moment as RFC 3339 writes it, in the zone that stands there.
    #[must_use]
    pub fn read(text: &str) -> Option<Moment> {
        let at = DateTime::parse_from_rfc3339(text).ok()?;
        let millis = u64::try_from(at.timestamp_millis()).ok()?;
        Some(Moment::new(Timestamp(millis), at.offset().local_minus_utc() / 60))
    }

    /// The same moment as the rest of the program has it.
    #[must_use]
    pub fn timestamp(&self) -> Timestamp {
        Timestamp(u64::try_from(self.at.timestamp_millis()).unwrap_or_default())
    }

    /// The minute with its zone: `2026-02-16T14:30+08:00`.
    #[must_use]
    pub fn minute(&self) -> String {
        self.at.format("%Y-%m-%dT%H:%M%:z").to_string()
    }

    /// The day, `YYYY-MM-DD`.
    #[must_use]
    pub fn day(&self) -> String {
        self.today.to_string()
    }

    /// The same day as a date.
    pub(crate) fn date(&self) -> NaiveDate {
        self.today
    }

    /// Another moment, by the clock on the wall here.
    pub(crate) fn here(&self, at: DateTime<FixedOffset>) -> NaiveDateTime {
        at.with_timezone(self.at.offset()).naive_local()
    }

    /// The day so many days from this one.
    pub(super) fn days(&self, days: i64) -> Option<NaiveDate> {
        self.today.checked_add_signed(Duration::try_days(days)?)
    }

    /// `YYYY-MM-DD HH:MM` so many minutes from this time.
    pub(super) fn minutes(&self, minutes: i64) -> Option<String> {
        let then = self.now.checked_add_signed(Duration::try_minutes(minutes)?)?;
        Some(then.format("%Y-%m-%d %H:%M").to_string())
    }

    /// The Monday of the week so many weeks from this one.
    pub(super) fn week(&self, weeks: i64) -> Option<NaiveDate> {
        self.days(weeks.checked_mul(7)? - i64::from(self.today.weekday().num_days_from_monday()))
    }

    /// The first day of the month so many months from this one.
    fn first_of_month(&self, months: i64) -> Option<NaiveDate> {
        let by = Months::new(u32::try_from(months.unsigned_abs()).ok()?);
        let first = self.today.with_day(1)?;
        if months < 0 { first.checked_sub_months(by) } else { first.checked_add_months(by) }
    }

    /// `YYYY-MM` of the month so many months from this one.
    pub(super) fn month(&self, months: i64) -> Option<String> {
        Some(self.first_of_month(months)?.format("%Y-%m").to_string())
    }

    /// A day of the month so many months from this one; none that such a month does not have.
    pub(super) fn day_of_month(&self, months: i64, day: u32) -> Option<NaiveDate> {
        self.first_of_month(months)?.with_day(day)
    }

    /// A day of the week in the month so many months from this one, by its number from 1; -1 is the last one.
    fn nth_weekday(&self, months: i64, nth: i64, weekday: u32) -> Option<NaiveDate> {
        let first = self.first_of_month(if nth < 0 { months + 1 } else { months })?;
        let ahead = (i64::from(weekday) - i64::from(first.weekday().num_days_from_monday())).rem_euclid(7);
        let weeks = if nth < 0 { nth } else { nth - 1 };
        let day = first.checked_add_signed(Duration::try_days(ahead + 7 * weeks)?)?;
        (nth < 0 || day.month() == first.month()).then_some(day)
    }

    /// `YYYY-MM` of a month, from January, 0, of the year so many years from this one.
    pub(super) fn month_of_year(&self, years: i64, month: u32) -> String {
        format!("{}-{:02}", self.year(years), month + 1)
    }

    /// `YYYY-MM` of this month so many years from now.
    pub(super) fn same_month(&self, years: i64) -> String {
        self.month_of_year(years, self.today.month0())
    }

    /// The year of the last season of this name (-1), or of one so many before, or of the one to come (0). Only of the first months of a
    /// year it is certain.
    pub(super) fn season(&self, by: i64, name: &str) -> Option<i64> {
        let last = match name {
            "Christmas" => 11,
            "spring" => 3,
            _ if by < 0 => 3,
            _ => 5,
        };
        (by <= 0 && self.today.month() <= last).then(|| self.year(by))
    }

    /// Which day of its week, from 0, or of its month, or which month of its quarter or year, from 1, this is.
    pub(super) fn place_in(&self, period: Period) -> u32 {
        match period {
            Period::Week => self.today.weekday().num_days_from_monday(),
            Period::Month => self.today.day(),
            Period::Quarter => self.today.month0() % 3 + 1,
            Period::Year => self.today.month(),
        }
    }

    /// The year so many years from this one.
    pub(super) fn year(&self, years: i64) -> i64 {
        i64::from(self.today.year()) + years
    }

    /// The year and the number of the quarter so many quarters from this one.
    pub(super) fn quarter(&self, quarters: i64) -> Option<(i64, i64)> {
        let now = i64::from(self.today.year()) * 4 + i64::from(self.today.month0() / 3);
        let then = now.checked_add(quarters)?;
        Some((then.div_euclid(4), then.rem_euclid(4) + 1))
    }

    /// The same day so many years from now; none of 29 February.
    pub(super) fn same_day(&self, years: i64) -> Option<NaiveDate> {
        self.today.with_year(i32::try_from(self.year(years)).ok()?)
    }

    /// The day that a weekday means. "Last" and "next" mean the week before and after; of a day that lies in the current
    /// week nobody can tell whether it is meant.
    pub(super) fn weekday(&self, weeks: i64, weekday: u32) -> Option<NaiveDate> {
        self.week(weeks)?.checked_add_signed(Duration::try_days(i64::from(weekday))?)
    }

    /// The first and the last day of what is relative to this moment.
    pub(super) fn span(&self, relative: Relative) -> Option<(NaiveDate, NaiveDate)> {
        use super::Period;
        let months = |first: NaiveDate, count: u32| {
            Some((first, first.checked_add_months(Months::new(count))?.pred_opt()?))
        };
        match relative {
            Relative::EndOf(period, part) => self.span(Relative::Part(period, 0, part)),
            Relative::Week(by) | Relative::Part(Period::Week, by, _) => {
                let first = self.week(by)?;
                Some((first, first.checked_add_signed(Duration::days(6))?))
            }
            Relative::Month(by) | Relative::Part(Period::Month, by, _) => months(self.first_of_month(by)?, 1),
            Relative::NamedMonth(by, month) => {
                months(NaiveDate::from_ymd_opt(self.year_of(by, month)?, month + 1, 1)?, 1)
            }
            Relative::Quarter(by) | Relative::Part(Period::Quarter, by, _) => {
                let (year, quarter) = self.quarter(by)?;
                let month = u32::try_from(quarter * 3 - 2).ok()?;
                months(NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, 1)?, 3)
            }
            Relative::Year(by) | Relative::Part(Period::Year, by, _) => {
                months(NaiveDate::from_ymd_opt(i32::try_from(self.year(by)).ok()?, 1, 1)?, 12)
            }
            Relative::Weekend(weeks) => self.weekend(weeks).and_then(|day| Some((day, day.succ_opt()?))),
            Relative::SameDay(years) => self.same_day(years).map(|day| (day, day)),
            Relative::MonthOfYear(years, month) => {
                months(NaiveDate::from_ymd_opt(i32::try_from(self.year(years)).ok()?, month + 1, 1)?, 1)
            }
            Relative::SameMonth(years) => self.span(Relative::MonthOfYear(years, self.today.month0())),
            Relative::Season(by, _) => self.span(Relative::Year(by)),
            Relative::Minutes(minutes) => {
                let day = self.now.checked_add_signed(Duration::try_minutes(minutes)?)?.date();
                Some((day, day))
            }
            _ => self.date_of(relative).map(|day| (day, day)),
        }
    }

    /// The same time of another day.
    pub(super) fn on(&self, day: NaiveDate) -> Moment {
        Moment { today: day, now: day.and_time(self.now.time()), ..*self }
    }

    /// Whether neither the year before nor the next one is near.
    pub(super) fn is_amid_the_year(&self) -> bool {
        (3..=10).contains(&self.today.month())
    }

    /// Whether the end of this month, quarter or year is so far away that no other one can be meant.
    pub(super) fn is_early(&self, period: Period) -> bool {
        let month = self.today.month0();
        match period {
            Period::Week => self.today.weekday().num_days_from_monday() < 4,
            Period::Month => self.today.day() <= 20,
            Period::Quarter => month % 3 < 2 || self.today.day() <= 15,
            Period::Year => month < 10,
        }
    }

    /// The next (1), the second next (2), the last (-1), the one but last (-2) day of this name and so on. None where it is the name of this day.
    fn nearest(&self, by: i64, weekday: u32) -> Option<NaiveDate> {
        let today = i64::from(self.today.weekday().num_days_from_monday());
        let ahead = (i64::from(weekday) - today).rem_euclid(7);
        let days = match by {
            // On a Saturday the Friday before last may be the one of eight days ago, and of fifteen.
            -2 if i64::from(weekday) <= today => return None,
            1.. => ahead + 7 * (by - 1),
            _ => ahead + 7 * by,
        };
        (ahead != 0).then(|| self.days(days)).flatten()
    }

    /// The same, where it is a day of this week.
    pub(super) fn nearest_in_week(&self, by: i64, weekday: u32) -> Option<NaiveDate> {
        let monday = self.week(0)?;
        self.nearest(by, weekday).filter(|day| (0..7).contains(&(*day - monday).num_days()))
    }

    /// The Saturday of a weekend. On a weekend nobody can tell which one is the last or the next one.
    pub(super) fn weekend(&self, weeks: i64) -> Option<NaiveDate> {
        let is_one = self.today.weekday().num_days_from_monday() > 4;
        if is_one && weeks != 0 { None } else { self.weekday(weeks, 5) }
    }

    /// Whether, in English, "last Friday" or "next Monday" can mean one day only.
    pub(super) fn is_clear(&self, weeks: i64, weekday: u32) -> bool {
        let today = self.today.weekday().num_days_from_monday();
        match weeks {
            ..0 => weekday >= today,
            0 => weekday != today,
            _ => weekday <= today,
        }
    }

    /// `YYYY-MM` of a month by its name. "Last March" in May and "next May" in March can mean two: none of those.
    pub(super) fn named_month(&self, which: i64, month: u32) -> Option<String> {
        Some(format!("{}-{:02}", self.year_of(which, month)?, month + 1))
    }

    fn year_of(&self, which: i64, month: u32) -> Option<i32> {
        let now = self.today.month0();
        match which {
            0 => Some(self.today.year()),
            ..0 if month >= now => Some(self.today.year() - 1),
            1.. if month <= now => Some(self.today.year() + 1),
            _ => None,
        }
    }

    /// The plain date of what is relative to this day, where it is one day.
    pub(super) fn date_of(&self, relative: Relative) -> Option<NaiveDate> {
        match relative {
            Relative::Day(days) | Relative::DayPart(days, _) => self.days(days),
            Relative::Weekday(weeks, weekday) | Relative::DayOfWeek(weeks, weekday) => {
                self.weekday(weeks, weekday)
            }
            Relative::DayOfMonth(months, day) => self.day_of_month(months, day),
            Relative::LastOfMonth(months) => self.first_of_month(months + 1)?.pred_opt(),
            Relative::NthWeekday(months, nth, weekday) => self.nth_weekday(months, nth, weekday),
            Relative::SameDayOfMonth(months) => self.day_of_month(months, self.today.day()),
            Relative::Nearest(by, weekday) => self.nearest(by, weekday),
            _ => None,
        }
    }
}
