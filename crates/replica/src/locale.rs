//! Where the person is: how they write numbers, dates and references, and what day it is there.

use quadrille_document::Document;
use quadrille_operation::{Locale, Typing};

use crate::moment::Moment;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LocaleSettings {
    pub locale: Locale,
    /// Minutes that clocks there are ahead of UTC.
    pub utc_offset_minutes: i32,
    /// Formulas are typed and shown in R1C1 notation.
    pub is_r1c1: bool,
}

impl LocaleSettings {
    pub(crate) fn typing(self, now: Moment) -> Typing {
        let local_ms = now.unix_ms.saturating_add(i64::from(self.utc_offset_minutes) * 60_000);
        Typing { is_r1c1: self.is_r1c1, ..Typing::at(self.locale, local_ms) }
    }

    /// Cells look as the person writes them.
    pub(crate) fn show_in(self, document: &mut Document) {
        document.set_locale(self.locale);
        document.set_r1c1(self.is_r1c1);
    }
}
