//! [`InputContext`]: locale, date system and date on which the parsing of cell input depends.

use crate::date::serial_from_unix_ms;
use crate::locale::Locale;
use quadrille_cell::DateSystem;

/// Locale, date system, date and notation of cell input. The default is the invariant context.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct InputContext {
    pub locale: Locale,
    /// Date system of the workbook.
    pub dates: DateSystem,
    /// Serial number, in the 1900 date system, of the current date in the user's time zone. It
    /// completes dates without a year; with `None` such input is text.
    pub today: Option<i64>,
    /// Whether formulas are typed in R1C1 notation. Not used by this crate.
    pub is_r1c1: bool,
}

impl InputContext {
    /// Returns the context of a user. `local_ms` is the local time of the user in milliseconds
    /// since 1970-01-01 00:00.
    pub fn at(locale: Locale, local_ms: i64) -> InputContext {
        let today = Some(serial_from_unix_ms(local_ms).floor() as i64);
        InputContext { locale, today, ..InputContext::default() }
    }

    /// Returns the context of files and formulas: the invariant locale and no current date.
    pub fn invariant(dates: DateSystem) -> InputContext {
        InputContext { dates, ..InputContext::default() }
    }
}
