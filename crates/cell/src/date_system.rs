//! [`DateSystem`]: the day that serial number 0 of a workbook means.

/// The date system of a workbook: how a serial number is interpreted as a date.
///
/// A change of the date system does not change the numbers in cells, so their dates shift. The
/// systems are those of Excel (ECMA-376 part 1, 18.17.4.1; `date1904` in 18.2.28).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DateSystem {
    /// The 1900 date system: 1 is 1 January 1900, and 60 is 29 February 1900, which did not exist.
    #[default]
    From1900,
    /// The 1904 date system: 0 is 1 January 1904. Negative numbers are displayed as the date of
    /// their absolute value with a minus sign.
    From1904,
}

impl DateSystem {
    /// The serial number of a day in the 1900 system minus its serial number in this system, in
    /// days.
    pub const fn offset_from_1900(self) -> i64 {
        match self {
            DateSystem::From1900 => 0,
            DateSystem::From1904 => 1_462,
        }
    }
}
