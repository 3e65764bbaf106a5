//! Where the person is: how they write numbers and dates, and what day it is there.

use quadrille_operation::{Locale, Typing};

use crate::Moment;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Place {
    pub locale: Locale,
    /// Minutes that clocks there are ahead of UTC.
    pub utc_offset_minutes: i32,
}

impl Place {
    pub(crate) fn typing(self, now: Moment) -> Typing {
        Typing::at(self.locale, now.unix_ms.saturating_add(i64::from(self.utc_offset_minutes) * 60_000))
    }
}
