//! [`TrendLine`]: a trend line of a series.

use quadrille_workbook::Field;

use super::read_chart::{Record, put_flag, put_number, put_text};

/// A trend line as a file describes it.
#[derive(Default)]
pub(crate) struct TrendLine {
    pub kind: Option<&'static str>,
    pub order: Option<f64>,
    pub period: Option<f64>,
    pub forward: Option<f64>,
    pub backward: Option<f64>,
    pub intercept: Option<f64>,
    pub has_equation: bool,
    pub has_r_squared: bool,
}

impl TrendLine {
    /// Sets the fields of a series. Those with a default value remain unset.
    pub fn put(self, fields: &mut Record) {
        put_text(fields, Field::Trendline, self.kind);
        // Order and period are 2 in a chart without the fields.
        put_number(fields, Field::TrendlineOrder, self.order.filter(|order| (3.0..=6.0).contains(order)));
        let period = self.period.filter(|period| (3.0..=255.0).contains(period));
        put_number(fields, Field::TrendlinePeriod, period);
        put_number(fields, Field::TrendlineForward, self.forward.filter(|periods| *periods > 0.0));
        put_number(fields, Field::TrendlineBackward, self.backward.filter(|periods| *periods > 0.0));
        put_number(fields, Field::TrendlineIntercept, self.intercept);
        put_flag(fields, Field::TrendlineEquation, self.has_equation);
        put_flag(fields, Field::TrendlineRSquared, self.has_r_squared);
    }
}
