//! [`ErrorBars`]: error bars of a series.

use quadrille_workbook::Field;

use super::read_chart::{Series, put_number, put_text};

/// Error bars as a file describes them.
pub(crate) struct ErrorBars {
    pub kind: Option<&'static str>,
    pub direction: &'static str,
    pub amount: Option<f64>,
    /// Along the x axis.
    pub is_horizontal: bool,
    /// With a value for each point.
    pub is_custom: bool,
}

impl Default for ErrorBars {
    fn default() -> ErrorBars {
        ErrorBars { kind: None, direction: "both", amount: None, is_horizontal: false, is_custom: false }
    }
}

impl ErrorBars {
    /// Sets the fields of a series. Those along the x axis and those with values of their own are left out.
    pub fn put(self, series: &mut Series) {
        series.has_horizontal_error_bars |= self.is_horizontal;
        series.has_custom_error_bars |= self.is_custom && !self.is_horizontal;
        if self.kind.is_none() || self.is_horizontal {
            return;
        }
        let fields = &mut series.fields;
        put_text(fields, Field::ErrorBars, self.kind);
        if self.kind != Some("standardError") {
            put_number(fields, Field::ErrorAmount, self.amount.filter(|amount| *amount >= 0.0));
        }
        put_text(fields, Field::ErrorDirection, Some(self.direction).filter(|name| *name != "both"));
    }
}
