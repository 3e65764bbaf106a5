//! Conversions between serial numbers and calendar dates, in Excel's 1900 date system (ECMA-376
//! part 1, 18.17.4.1). For a workbook in the 1904 date system the caller first adds
//! [`DateSystem::offset_from_1900`](quadrille_cell::DateSystem::offset_from_1900) to its serial
//! numbers.
//!
//! Serial 1 is 1 January 1900. Serial 60 is 29 February 1900, which did not exist: Excel counts it
//! for compatibility with Lotus 1-2-3, and so does this module. Serial 0 is displayed as
//! 0 January 1900. The fraction of a serial number is the time of day.
//!
//! The algorithms for days are Howard Hinnant's `days_from_civil` and `civil_from_days`.

/// A calendar date: year, month and day of the proleptic Gregorian calendar.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Civil {
    pub year: i32,
    /// 1 to 12.
    pub month: u32,
    /// 1 to 31; 0 for serial 0.
    pub day: u32,
}

/// English names of the months, January first.
pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Serial number of 31 December 9999, the last date that Excel supports.
pub const SERIAL_MAX: i64 = 2_958_465;

/// Returns the date of a whole serial number, or `None` outside 0 to [`SERIAL_MAX`].
pub fn civil_from_serial(serial: i64) -> Option<Civil> {
    match serial {
        0 => Some(Civil { year: 1900, month: 1, day: 0 }),
        60 => Some(Civil { year: 1900, month: 2, day: 29 }),
        1..60 => Some(civil_from_days(serial + DAYS_1899_12_31)),
        61..=SERIAL_MAX => Some(civil_from_days(serial - 1 + DAYS_1899_12_31)),
        _ => None,
    }
}

/// Returns the serial number of a date from 1900-01-01 to 9999-12-31, 1900-02-29 included, or
/// `None` for dates that do not exist or lie outside that range.
pub fn serial_from_civil(civil: Civil) -> Option<i64> {
    if civil == (Civil { year: 1900, month: 2, day: 29 }) {
        return Some(60);
    }
    if !(1..=12).contains(&civil.month) || civil.day < 1 || civil.day > days_in_month(civil.year, civil.month)
    {
        return None;
    }
    let serial = serial_from_days(days_from_civil(civil.year, civil.month, civil.day));
    (1..=SERIAL_MAX).contains(&serial).then_some(serial)
}

/// Returns the serial number of a date whose month and day may be out of range and then carry
/// over: month 13 is January of the next year, day 0 the last day of the previous month.
///
/// The result may lie outside 0 to [`SERIAL_MAX`]. Returns `None` when the carried year is outside
/// 0 to 10,000 or on overflow.
pub fn serial_with_carry(year: i64, month: i64, day: i64) -> Option<i64> {
    let months = year.checked_mul(12)?.checked_add(month.checked_sub(1)?)?;
    let (year, month) = (i32::try_from(months.div_euclid(12)).ok()?, months.rem_euclid(12) as u32 + 1);
    if !(0..=10_000).contains(&year) {
        return None;
    }
    // Counting serial numbers from the first of the month includes 1900-02-29.
    let first = serial_from_days(days_from_civil(year, month, 1));
    first.checked_add(day.checked_sub(1)?)
}

/// Returns the serial number, time of day included, of an instant in milliseconds since
/// 1970-01-01 00:00 UTC.
pub fn serial_from_unix_ms(time_ms: i64) -> f64 {
    const DAY_MS: i64 = 86_400_000;
    let days = serial_from_days(time_ms.div_euclid(DAY_MS));
    days as f64 + time_ms.rem_euclid(DAY_MS) as f64 / DAY_MS as f64
}

/// Whether a year is a leap year of the Gregorian calendar; 1900 is not.
pub fn is_leap_year(year: i32) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Returns the number of days in a month of the Gregorian calendar; `month` is 1 to 12.
pub fn days_in_month(year: i32, month: u32) -> u32 {
    match month {
        2 if is_leap_year(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Returns the weekday of a serial number, 0 for Sunday to 6 for Saturday. Before March 1900 the
/// result is one day off, as in Excel.
pub fn weekday(serial: i64) -> u32 {
    (serial - 1).rem_euclid(7) as u32
}

/// Serial 0 (1899-12-31) in days since 1970-01-01.
const DAYS_1899_12_31: i64 = -25_568;

fn serial_from_days(days: i64) -> i64 {
    let serial = days - DAYS_1899_12_31;
    // From 1 March 1900 on, the nonexistent 1900-02-29 is counted.
    if serial >= 60 { serial + 1 } else { serial }
}

/// Days from 1970-01-01 to a Gregorian date. Years begin in March here, so that the leap day is
/// the last day of the year.
fn days_from_civil(year: i32, month: u32, day: u32) -> i64 {
    let year = i64::from(year) - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_from_march = i64::from((month + 9) % 12);
    let day_of_year = (153 * month_from_march + 2) / 5 + i64::from(day) - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

fn civil_from_days(days: i64) -> Civil {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = (day_of_year - (153 * month_from_march + 2) / 5 + 1) as u32;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 } as u32;
    let year = (year_of_era + era * 400 + i64::from(month <= 2)) as i32;
    Civil { year, month, day }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serials_include_29_february_1900() {
        for (serial, year, month, day) in [
            (1, 1900, 1, 1),
            (59, 1900, 2, 28),
            (60, 1900, 2, 29),
            (61, 1900, 3, 1),
            (25_569, 1970, 1, 1),
            (36_526, 2000, 1, 1),
            (45_351, 2024, 2, 29),
            (SERIAL_MAX, 9999, 12, 31),
        ] {
            let civil = Civil { year, month, day };
            assert_eq!(civil_from_serial(serial), Some(civil));
            assert_eq!(serial_from_civil(civil), Some(serial));
        }
        assert_eq!(civil_from_serial(-1), None);
        assert_eq!(civil_from_serial(SERIAL_MAX + 1), None);
    }

    #[test]
    fn every_serial_converts_to_a_date_and_back() {
        for serial in 1..=SERIAL_MAX {
            let civil = civil_from_serial(serial).expect("within the calendar");
            assert_eq!(serial_from_civil(civil), Some(serial));
        }
    }

    #[test]
    fn out_of_range_months_and_days_carry_over() {
        assert_eq!(serial_with_carry(2023, 13, 1), serial_with_carry(2024, 1, 1));
        assert_eq!(serial_with_carry(2024, 3, 0), serial_from_civil(Civil { year: 2024, month: 2, day: 29 }));
        assert_eq!(weekday(45_351), 4, "2024-02-29 was a Thursday");
    }
}
