//! Years, months, days and shorter spans of time by which a filter shows dates.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_cell::{DateSystem, Value};
use quadrille_number_format::NumberFormat;
use quadrille_number_format::date::serial_with_carry;
use quadrille_workbook::Format;

use crate::cell_text::with_number_format;

const DAY_SECONDS: i64 = 86_400;

/// Groups of dates, each written as the beginning of an ISO 8601 date and time: `2026`, `2026-11`,
/// `2026-11-28`, `2026-11-28T16`, `2026-11-28T16:30` or `2026-11-28T16:30:05`.
pub(super) struct DateGroups {
    /// Spans in seconds since day 0 of the date system, without the ends; sorted, and none overlap.
    spans: Vec<(i64, i64)>,
    dates: DateSystem,
}

impl DateGroups {
    /// Reads the groups. Those that are not dates are ignored.
    pub fn new(groups: &[&str], dates: DateSystem) -> DateGroups {
        let mut spans: Vec<(i64, i64)> = Vec::new();
        for group in groups {
            let Some((mut first, mut end)) = span(group, dates) else { continue };
            // One span with those that it overlaps or touches.
            spans.retain(|(other, last)| {
                let touches = *other <= end && first <= *last;
                if touches {
                    (first, end) = (first.min(*other), end.max(*last));
                }
                !touches
            });
            let at = spans.partition_point(|(other, _)| *other < first);
            spans.insert(at, (first, end));
        }
        DateGroups { spans, dates }
    }

    /// Whether a cell has a number of one of the groups and a format that shows a day.
    pub fn contains(
        &self,
        value: &Value,
        format: &Format,
        formats: &RefCell<BTreeMap<Arc<str>, NumberFormat>>,
    ) -> bool {
        let (Value::Number(number), Some(code)) = (value, &format.number_format) else { return false };
        // Fractions of seconds are rounded as they are displayed.
        let seconds = (number * DAY_SECONDS as f64).round() as i64;
        let at = self.spans.partition_point(|(first, _)| *first <= seconds);
        let is_within = at.checked_sub(1).is_some_and(|at| seconds < self.spans[at].1);
        is_within && with_number_format(formats, code, self.dates, NumberFormat::shows_day)
    }
}

/// First second and end of a group; `None` if it is not a date.
fn span(group: &str, dates: DateSystem) -> Option<(i64, i64)> {
    let mut parts = group.split(|c: char| !c.is_ascii_digit()).map(|part| part.parse::<u32>().ok());
    let mut part = || parts.next().map(|number| number.filter(|number| *number < 10_000).map(i64::from));
    let (year, month, day) = (part()??, part(), part());
    let start = |year: i64, month: i64, day: i64| {
        Some((serial_with_carry(year, month, day)? - dates.offset_from_1900()) * DAY_SECONDS)
    };
    let Some(month) = month else { return Some((start(year, 1, 1)?, start(year + 1, 1, 1)?)) };
    let month = month?;
    let Some(day) = day else { return Some((start(year, month, 1)?, start(year, month + 1, 1)?)) };
    let mut first = start(year, month, day?)?;
    let mut length = DAY_SECONDS;
    for unit in [3_600, 60, 1] {
        if let Some(count) = part() {
            first += count? * unit;
            length = unit;
        }
    }
    Some((first, first + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Serial numbers as LibreOffice 7.4 displays them: 45292 is 2024-01-01, 45352 is 2024-03-01, 45351.3
    /// is 07:12 on the day before, 45658 is 2025-01-01.
    #[test]
    fn groups_are_spans_of_time() {
        let format = Format { number_format: Some("yyyy-mm-dd".into()), ..Format::default() };
        let formats = RefCell::default();
        for (groups, number, expected) in [
            (&["2024"][..], 45_292.0, true),
            (&["2024"], 45_291.999, false),
            (&["2024"], 45_657.9, true),
            (&["2024"], 45_658.0, false),
            (&["2024-03"], 45_352.0, true),
            (&["2024-03"], 45_351.0, false),
            (&["2024-12"], 45_657.0, true),
            (&["2024-02-29"], 45_351.3, true),
            (&["2024-02-29T07"], 45_351.3, true),
            (&["2024-02-29T08"], 45_351.3, false),
            (&["2024-02-29T07:12"], 45_351.3, true),
            (&["2024-02-29T07:12:00"], 45_351.3, true),
            (&["2024-02-29T07:12:01"], 45_351.3, false),
            (&["2026", "2024-01", "2024-03"], 45_352.0, true),
            (&["2026", "2024-01", "2024-03"], 45_351.0, false),
            (&["2024", "2024-03"], 45_400.0, true),
            (&["March", "", "-3"], 45_352.0, false),
            (&[], 45_352.0, false),
        ] {
            let groups_read = DateGroups::new(groups, DateSystem::From1900);
            let found = groups_read.contains(&Value::Number(number), &format, &formats);
            assert_eq!(found, expected, "{groups:?} {number}");
        }
        let year = DateGroups::new(&["2024"], DateSystem::From1900);
        assert!(!year.contains(&Value::Number(45_292.0), &Format::default(), &formats), "not a date");
        assert!(!year.contains(&Value::Text("2024".into()), &format, &formats));
        // 1904 begins with day 0 instead of 1462.
        let year = DateGroups::new(&["1904"], DateSystem::From1904);
        assert!(year.contains(&Value::Number(0.0), &format, &formats));
        assert!(!year.contains(&Value::Number(366.0), &format, &formats));
    }
}
