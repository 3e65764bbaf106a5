//! Answers about pivot tables.

use serde::Serialize;
use ts_rs::TS;

use crate::messages::RangePosition;

/// The source of a pivot table.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct PivotTableDetails {
    /// The sheet of the source; `null`, as `source` is, when the source refers to nothing.
    pub source_sheet: Option<u32>,
    pub source: Option<RangePosition>,
    /// The columns of the source.
    pub columns: Vec<PivotColumn>,
    /// For each field of the pivot table the column of the source, counted from 0.
    pub rows: Vec<Option<u32>>,
    pub column_fields: Vec<Option<u32>>,
    pub values: Vec<Option<u32>>,
    pub filters: Vec<Option<u32>>,
}

/// A column of the source of a pivot table.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct PivotColumn {
    /// The text of its header, or its letters.
    pub name: String,
    /// The reference by which a field names it.
    pub reference: String,
    /// Whether its first cell is a number, and whether that is displayed as a date.
    pub is_number: bool,
    pub is_date: bool,
}

/// The rows of the source behind a value of a pivot table.
#[derive(Clone, PartialEq, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct PivotSourceRows {
    /// The sheet of the source.
    pub sheet: u32,
    /// The source with its header row, up to the last of the rows.
    pub source: RangePosition,
    /// The other rows of `source`, as the first row and the number of rows.
    pub excluded: Vec<(u32, u32)>,
}

/// Labels of one field of a pivot table.
#[derive(Clone, PartialEq, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct PivotLabels {
    /// The item of the pivot table.
    #[ts(type = "number")]
    pub item: u64,
    /// Whether the field is one of the columns.
    pub is_column: bool,
    /// The number of the field among those of the rows or columns.
    pub field: u32,
    /// The values as groups store them, or names of groups; each once.
    pub texts: Vec<String>,
}
