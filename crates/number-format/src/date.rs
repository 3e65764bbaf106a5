//! Serial numbers and the calendar, in Excel's 1900 date system. Where a workbook counts from 1904, those who read its
//! numbers add [`DateSystem::offset_from_1900`](quadrille_cell::DateSystem::offset_from_1900) before they come here.
//!
//! Serial 1 is 1 January 1900. Serial 60 is 29 February 1900, a day that never was: Excel keeps it so that sheets of
//! Lotus 1-2-3 count the same, and so do we. Serial 0 shows as 0 January 1900. The fraction is the time of day.

/// A day as a calendar names it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Civil {
    pub year: i32,
    /// 1 to 12.
    pub month: u32,
    /// 1 to 31; 0 for serial 0.
    pub day: u32,
}

/// English names, January first.
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

/// 31 December 9999, the last day that has a serial number.
pub const SERIAL_MAX: i64 = 2_958_465;

/// The day of a whole serial number; `None` outside 0 to [`SERIAL_MAX`].
pub fn civil_from_serial(serial: i64) -> Option<Civil> {
    match serial {
        0 => Some(Civil { year: 1900, month: 1, day: 0 }),
        60 => Some(Civil { year: 1900, month: 2, day: 29 }),
        1..60 => Some(civil_from_days(serial + DAYS_1899_12_31)),
        61..=SERIAL_MAX => Some(civil_from_days(serial - 1 + DAYS_1899_12_31)),
        _ => None,
    }
}

/// The serial number of a real day from 1900-01-01 to 9999-12-31, or of 1900-02-29.
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

/// The serial of a month's day where month and day may lie outside their usual bounds and carry over: month 13 is
/// January of the next year, day 0 the last of the month before. The result may lie outside the serial numbers.
pub fn serial_carrying(year: i64, month: i64, day: i64) -> Option<i64> {
    let months = year.checked_mul(12)?.checked_add(month.checked_sub(1)?)?;
    let (year, month) = (i32::try_from(months.div_euclid(12)).ok()?, months.rem_euclid(12) as u32 + 1);
    if !(0..=10_000).contains(&year) {
        return None;
    }
    // Days are counted from the first of the month by serial, so that 1900-02-29 counts too.
    let first = serial_from_days(days_from_civil(year, month, 1));
    first.checked_add(day.checked_sub(1)?)
}

/// The serial number, time of day included, of an instant.
pub fn serial_from_unix_ms(time_ms: i64) -> f64 {
    const DAY_MS: i64 = 86_400_000;
    let days = serial_from_days(time_ms.div_euclid(DAY_MS));
    days as f64 + time_ms.rem_euclid(DAY_MS) as f64 / DAY_MS as f64
}

pub fn is_leap_year(year: i32) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Of a real month; `month` is 1 to 12.
pub fn days_in_month(year: i32, month: u32) -> u32 {
    match month {
        2 if is_leap_year(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// 0 is Sunday. Before March 1900 Excel's weekdays are one off, and so are these.
pub fn weekday(serial: i64) -> u32 {
    (serial - 1).rem_euclid(7) as u32
}

/// 1899-12-31 in days since 1970-01-01: serial 0.
const DAYS_1899_12_31: i64 = -25_568;

fn serial_from_days(days: i64) -> i64 {
    let serial = days - DAYS_1899_12_31;
    // From 1 March 1900 on, the day that never was is counted.
    if serial >= 60 { serial + 1 } else { serial }
}

/// Days since 1970-01-01 of a Gregorian day. The year is counted from March, so that a leap day is its last.
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
    fn serials_count_a_day_that_never_was() {
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
    fn every_serial_survives_the_calendar() {
        for serial in 1..=SERIAL_MAX {
            let civil = civil_from_serial(serial).expect("within the calendar");
            assert_eq!(serial_from_civil(civil), Some(serial));
        }
    }

    #[test]
    fn months_and_days_carry_over() {
        assert_eq!(serial_carrying(2023, 13, 1), serial_carrying(2024, 1, 1));
        assert_eq!(serial_carrying(2024, 3, 0), serial_from_civil(Civil { year: 2024, month: 2, day: 29 }));
        assert_eq!(weekday(45_351), 4, "2024-02-29 was a Thursday");
    }
}
