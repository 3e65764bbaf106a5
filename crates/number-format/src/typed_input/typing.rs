//! Who types, where and when: what the reading of a typed text depends on.

use crate::date::serial_from_unix_ms;
use crate::locale::Locale;
use quadrille_cell::DateSystem;

/// Who types, and when.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Typing {
    pub locale: Locale,
    /// From which day the dates of the workbook count that it is typed into.
    pub dates: DateSystem,
    /// The serial number, from 1900, of the day it is there, which completes dates without a year. This crate has no clock: without a
    /// day such a text stays text.
    pub today: Option<i64>,
    /// Whether formulas are typed in R1C1 notation; this crate does not read formulas.
    pub is_r1c1: bool,
}

impl Typing {
    /// `local_ms`: what the person's clock says, counted from 1970-01-01 00:00.
    pub fn at(locale: Locale, local_ms: i64) -> Typing {
        let today = Some(serial_from_unix_ms(local_ms).floor() as i64);
        Typing { locale, today, ..Typing::default() }
    }

    /// As texts are read that everyone must read alike.
    pub fn stored(dates: DateSystem) -> Typing {
        Typing { dates, ..Typing::default() }
    }
}
