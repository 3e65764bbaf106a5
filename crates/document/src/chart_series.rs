//! [`ChartSeries`]: the data of a series as charts draw it.

use quadrille_cell::DateSystem;

/// The data of one line, set of columns or pie.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ChartSeries {
    pub name: String,
    /// Displayed texts of the category cells; empty when the series has no categories.
    pub categories: Vec<String>,
    /// The categories as numbers, for charts with two numeric axes; as long as `categories`.
    pub positions: Vec<Option<f64>>,
    /// `None` where the cell holds no number.
    pub values: Vec<Option<f64>>,
    /// Bubble sizes.
    pub sizes: Vec<Option<f64>>,
    /// Displayed texts of the values.
    pub texts: Vec<String>,
    /// Displayed texts of the cells whose contents are the data labels; empty when these are the values.
    pub labels: Vec<String>,
    /// The date system of the categories, if they are dates.
    pub dates: Option<DateSystem>,
    /// Whether the series has more than 20,000 points.
    pub is_truncated: bool,
}
