//! [`LocaleSettings`]: the locale and the time zone in which input is read and values are
//! displayed.

use std::sync::Arc;

use quadrille_document::Document;
use quadrille_formula::FunctionNames;
use quadrille_operation::{InputContext, Locale};

use crate::timestamp::Timestamp;

/// The settings of a user that affect how input is read and values are displayed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LocaleSettings {
    pub locale: Locale,
    /// Offset of local time from UTC, in minutes.
    pub utc_offset_minutes: i32,
    /// Whether formulas are typed and displayed in R1C1 notation.
    pub is_r1c1: bool,
    /// The function names with which formulas are typed and displayed.
    pub names: Arc<FunctionNames>,
}

impl LocaleSettings {
    /// Returns the settings for reading input at this time.
    pub(crate) fn input_context(&self, now: Timestamp) -> InputContext {
        let local_ms = now.unix_ms.saturating_add(i64::from(self.utc_offset_minutes) * 60_000);
        InputContext { is_r1c1: self.is_r1c1, ..InputContext::at(self.locale, local_ms) }
    }

    /// Sets the document's display settings.
    pub(crate) fn apply_to(&self, document: &mut Document) {
        document.set_locale(self.locale);
        document.set_r1c1(self.is_r1c1);
        document.set_function_names(self.names.clone());
    }
}
