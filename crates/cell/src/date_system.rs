//! From which day a workbook's dates count.

/// What a number means as a date. One of a workbook's settings: the numbers stay, the days they stand for differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DateSystem {
    /// 1 is 1 January 1900; 60 is 29 February of that year, a day that never was.
    #[default]
    From1900,
    /// 0 is 1 January 1904, as on old Macs. Numbers below zero are shown with a minus.
    From1904,
}

impl DateSystem {
    /// By how much the number of a day is smaller than it would be from 1900.
    pub const fn days_behind(self) -> i64 {
        match self {
            DateSystem::From1900 => 0,
            DateSystem::From1904 => 1_462,
        }
    }
}
