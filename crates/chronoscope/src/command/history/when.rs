//! A moment in words, in local time.

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

/// `when` as somebody would say it at `now`: `today 09:15`, `yesterday 22:31`, `Tue 22:31`, `21 Nov 22:31`, `2025-11-21 22:31`.
pub fn when(when: Timestamp, now: Timestamp, zone: &TimeZone) -> String {
    let [when, now] = [when, now].map(|moment| moment.to_zoned_datetime(zone.clone()));
    let (day, today) = (when.date(), now.date());
    let is_after = |days: i64| today.checked_sub(days.days()).is_ok_and(|first| day > first);
    let form = match () {
        () if day > today => "%Y-%m-%d %H:%M",
        () if day == today => "today %H:%M",
        () if is_after(2) => "yesterday %H:%M",
        // A week ago, the name of the day is that of today.
        () if is_after(7) => "%a %H:%M",
        () if day.year() == today.year() => "%-d %b %H:%M",
        () => "%Y-%m-%d %H:%M",
    };
    when.strftime(form).to_string()
}

/// The machine's time zone; UTC if it has none.
pub fn local() -> TimeZone {
    TimeZone::try_system().unwrap_or(TimeZone::UTC)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(then: &str, now: &str, zone: &str) -> String {
        when(then.parse().unwrap(), now.parse().unwrap(), &TimeZone::get(zone).unwrap())
    }

    #[test]
    fn days_are_those_of_the_time_zone() {
        let then = "2026-11-23T21:31:00Z";
        assert_eq!(said(then, "2026-11-24T08:00:00Z", "Europe/Berlin"), "yesterday 22:31");
        assert_eq!(said(then, "2026-11-24T08:00:00Z", "Asia/Tokyo"), "today 06:31");
        assert_eq!(said(then, "2026-11-23T22:00:00Z", "UTC"), "today 21:31");
        assert_eq!(said(then, "2026-11-23T23:30:00Z", "Europe/Berlin"), "yesterday 22:31");
    }

    #[test]
    fn the_longer_ago_the_more_is_said() {
        let of = |then: &str| said(then, "2026-11-24T12:00:00Z", "UTC");
        assert_eq!(of("2026-11-22T12:00:00Z"), "Sun 12:00");
        assert_eq!(of("2026-11-18T12:00:00Z"), "Wed 12:00");
        assert_eq!(of("2026-11-17T12:00:00Z"), "17 Nov 12:00");
        assert_eq!(of("2025-11-24T12:00:00Z"), "2025-11-24 12:00");
        assert_eq!(of("2026-11-25T12:00:00Z"), "2026-11-25 12:00");
        assert_eq!(said("2025-12-31T23:00:00Z", "2026-01-01T01:00:00Z", "UTC"), "yesterday 23:00");
    }

    #[test]
    fn daylight_saving_time_changes_no_day() {
        // On 29 March 2026 an hour is missing in Berlin.
        assert_eq!(said("2026-03-28T22:30:00Z", "2026-03-29T21:59:00Z", "Europe/Berlin"), "yesterday 23:30");
    }

    #[test]
    fn no_moment_panics() {
        for (then, now) in
            [(Timestamp::MIN, Timestamp::MAX), (Timestamp::MAX, Timestamp::MIN), (Timestamp::MIN, Timestamp::MIN)]
        {
            assert!(!when(then, now, &TimeZone::UTC).is_empty());
        }
    }
}
