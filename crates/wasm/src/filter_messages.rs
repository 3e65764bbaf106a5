//! Answers to the queries of filter menus: the values, colors and icons of a column.

use quadrille_viewport::cell_marks::RuleIcon;
use serde::Serialize;
use ts_rs::TS;

/// One of the distinct displayed values of a column.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export)]
pub struct ColumnValue {
    pub text: String,
    /// The key of the value in filters: `text` in the English locale, equal for all users.
    pub known: String,
    /// Runs of rows with this value: first row and count.
    pub rows: Vec<(u32, u32)>,
    /// The day of a date, such as `2026-11-28`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub date: Option<String>,
}

/// The distinct colors of cells, as `0xRRGGBB`, and their icons; `null` stands for cells without one.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export)]
pub struct DisplayedColors {
    pub fills: Vec<Option<u32>>,
    pub texts: Vec<Option<u32>>,
    pub icons: Vec<Option<RuleIcon>>,
}
