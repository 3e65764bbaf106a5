//! From the number in a cell to the group it belongs to.

use quadrille_cell::{DateSystem, Value, canonical_number};
use quadrille_number_format::date::{Civil, civil_from_serial, serial_from_civil, weekday};

use crate::definition::Grouping;

impl Grouping {
    /// The number that stands for the group of a number, by which groups are ordered: a year, a
    /// serial number of a date, the start of an interval. `None` for numbers that are no dates.
    pub(crate) fn group_of(self, number: f64, dates: DateSystem) -> Option<f64> {
        if self == Grouping::Values {
            return Some(number);
        }
        if let Grouping::Step { start, step } = self {
            return canonical_number(start + ((number - start) / step).floor() * step);
        }
        let serial = number + dates.offset_from_1900() as f64;
        if self == Grouping::Hour {
            // Half a millisecond, so that a time such as 07:00 is not part of the hour before.
            return Some(((serial.rem_euclid(1.0) * 86_400_000.0 + 0.5) / 3_600_000.0).floor() % 24.0);
        }
        let day = serial.floor();
        let civil = civil_from_serial(if day.abs() < 1e9 { day as i64 } else { -1 })?;
        let first_of = |month: u32| {
            let serial = serial_from_civil(Civil { year: civil.year, month, day: 1 })?;
            Some((serial - dates.offset_from_1900()) as f64)
        };
        match self {
            Grouping::Year => Some(f64::from(civil.year)),
            Grouping::Quarter => Some(f64::from(quarter(civil))),
            Grouping::Month => Some(f64::from(civil.month)),
            Grouping::Day => Some(f64::from(civil.day)),
            Grouping::Weekday => Some(f64::from(weekday(day as i64)) + 1.0),
            Grouping::YearQuarter => first_of(quarter(civil) * 3 - 2),
            Grouping::YearMonth => first_of(civil.month),
            _ => Some(number.floor()),
        }
    }

    /// The value that labels a group, given its number. A month or weekday is a date with that
    /// month or weekday, whose number format shows its name in the reader's language.
    pub(crate) fn label_of(self, group: f64, dates: DateSystem) -> Value {
        match self {
            // Days of January to December 1900, or of their counterparts from 1904.
            Grouping::Month => {
                let first = serial_from_civil(Civil { year: 1904, month: group as u32, day: 1 });
                first.map_or(Value::Blank, |serial| Value::Number((serial - dates.offset_from_1900()) as f64))
            }
            // 1904-01-03 was a Sunday.
            Grouping::Weekday => {
                let sunday = serial_from_civil(Civil { year: 1904, month: 1, day: 3 }).unwrap_or_default();
                Value::Number((sunday - dates.offset_from_1900()) as f64 + group - 1.0)
            }
            Grouping::YearQuarter => {
                let serial = group as i64 + dates.offset_from_1900();
                match civil_from_serial(serial) {
                    Some(civil) => Value::text(format!("{}-Q{}", civil.year, quarter(civil))),
                    None => Value::Number(group),
                }
            }
            Grouping::Step { start, step } => {
                let is_whole = start.fract() == 0.0 && step.fract() == 0.0;
                // Whole numbers read as 0–9, 10–19, so that no number seems to be in two groups.
                let end = if is_whole { group + step - 1.0 } else { group + step };
                match is_whole && step == 1.0 {
                    true => Value::Number(group),
                    false => Value::text(format!("{group} – {end}")),
                }
            }
            _ => Value::Number(group),
        }
    }

    /// The number format of the labels; `None` for the format of the source's cells.
    pub(crate) fn number_format(self) -> Option<&'static str> {
        match self {
            Grouping::Values | Grouping::Date => None,
            Grouping::Quarter => Some("\"Q\"0"),
            Grouping::Month => Some("mmmm"),
            Grouping::Weekday => Some("dddd"),
            Grouping::YearMonth => Some("mmm yyyy"),
            Grouping::Year
            | Grouping::Day
            | Grouping::Hour
            | Grouping::YearQuarter
            | Grouping::Step { .. } => Some("General"),
        }
    }
}

fn quarter(civil: Civil) -> u32 {
    civil.month.div_ceil(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Serial number of a date; 45000 is 15 March 2023 in every spreadsheet program.
    const DAY: f64 = 45_000.0;

    fn label(grouping: Grouping, number: f64) -> Value {
        let group = grouping.group_of(number, DateSystem::From1900).expect("a date");
        grouping.label_of(group, DateSystem::From1900)
    }

    #[test]
    fn dates_are_grouped_by_their_parts() {
        assert_eq!(label(Grouping::Year, DAY + 0.5), Value::Number(2023.0));
        assert_eq!(label(Grouping::Quarter, DAY), Value::Number(1.0));
        assert_eq!(label(Grouping::YearQuarter, DAY), Value::text("2023-Q1"));
        // 1 March 2023 and 1 March 1904.
        assert_eq!(label(Grouping::YearMonth, DAY), Value::Number(44_986.0));
        assert_eq!(label(Grouping::Month, DAY), Value::Number(1_522.0));
        assert_eq!(label(Grouping::Day, DAY), Value::Number(15.0));
        assert_eq!(label(Grouping::Hour, DAY + 7.0 / 24.0), Value::Number(7.0));
        // A Wednesday, as 6 January 1904 was.
        assert_eq!(label(Grouping::Weekday, DAY), Value::Number(1_467.0));
        assert_eq!(label(Grouping::Date, DAY + 0.75), Value::Number(DAY));
        assert_eq!(Grouping::Year.group_of(-5.0, DateSystem::From1900), None);
    }

    #[test]
    fn numbers_are_grouped_by_steps_in_both_directions() {
        let tens = Grouping::Step { start: 5.0, step: 10.0 };
        assert_eq!(label(tens, 5.0), Value::text("5 – 14"));
        assert_eq!(label(tens, 14.9), Value::text("5 – 14"));
        assert_eq!(label(tens, 4.0), Value::text("-5 – 4"));
        assert_eq!(label(Grouping::Step { start: 0.0, step: 0.5 }, 0.7), Value::text("0.5 – 1"));
    }
}
