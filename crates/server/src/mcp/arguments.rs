//! The arguments of the tools, with the descriptions that agents read.

use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;
use serde_json::Value as Json;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListArguments {
    /// Only workbooks whose title contains this text.
    pub query: Option<String>,
    /// mine (default) or shared.
    pub list: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RoomArguments {
    /// Room of the workbook, the last part of its URL.
    pub room: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReadArguments {
    /// Room of the workbook, the last part of its URL.
    pub room: String,
    /// Name of the sheet; the first one by default.
    pub sheet: Option<String>,
    /// A1 notation: B2, A1:D20, A:C, 3:5.
    pub range: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SearchArguments {
    /// Room of the workbook, the last part of its URL.
    pub room: String,
    /// Text to find, without regard to case.
    pub text: String,
    /// Name of the sheet; all sheets by default.
    pub sheet: Option<String>,
    /// Search formulas and typed texts instead of displayed values.
    #[serde(default)]
    pub in_formulas: bool,
    /// The text is a regular expression.
    #[serde(default)]
    pub is_pattern: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FormulaArguments {
    /// Room of the workbook, the last part of its URL.
    pub room: String,
    /// Name of the sheet; the first one by default.
    pub sheet: Option<String>,
    /// The cell, such as C7.
    pub cell: String,
    /// How many formulas deep precedents are followed, 1 to 10. By default 1 to explain, 3 to trace.
    pub depth: Option<u32>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WriteArguments {
    /// Room of the workbook, the last part of its URL.
    pub room: String,
    /// Name of the sheet; the first one by default.
    pub sheet: Option<String>,
    /// The top left cell.
    pub at: String,
    /// Rows of cells: texts as typed, numbers, booleans; null clears a cell.
    pub rows: Vec<Vec<Json>>,
    /// Only return the cells that would change.
    #[serde(default)]
    pub dry_run: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SheetArguments {
    /// Room of the workbook, the last part of its URL.
    pub room: String,
    /// Name of the new sheet.
    pub name: Option<String>,
    /// Only check.
    #[serde(default)]
    pub dry_run: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChartArguments {
    /// Room of the workbook, the last part of its URL.
    pub room: String,
    /// Name of the sheet on which the chart is placed; the first one by default.
    pub sheet: Option<String>,
    /// The cell at the top left corner of the chart.
    pub at: String,
    /// column, bar, line, area, pie, doughnut, scatter, histogram, boxPlot, waterfall, funnel, treemap,
    /// stock (series open, high, low and close), heatMap (a row per series), gauge,
    /// map (labels are countries) …
    pub r#type: String,
    /// Title above the chart.
    pub title: Option<String>,
    /// The series.
    pub series: Vec<ChartSeriesArguments>,
    /// Only check.
    #[serde(default)]
    pub dry_run: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChartSeriesArguments {
    /// A reference to the values, such as Sheet1!B2:B9.
    pub values: String,
    /// A reference to the categories, such as Sheet1!A2:A9.
    pub categories: Option<String>,
    /// The name in the legend.
    pub name: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EditArguments {
    /// Room of the workbook, the last part of its URL.
    pub room: String,
    /// The commands, which are carried out together or not at all.
    pub commands: Vec<serde_json::Map<String, Json>>,
    /// Only return the cells that would change.
    #[serde(default)]
    pub dry_run: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UndoArguments {
    /// Room of the workbook, the last part of its URL.
    pub room: String,
    /// How many of your changes; 1 by default, at most 100.
    pub steps: Option<u32>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ItemsArguments {
    /// Room of the workbook, the last part of its URL.
    pub room: String,
    /// Name of the sheet; the first one by default.
    pub sheet: Option<String>,
    /// Only items of this kind: chart, pivotTable, table, note, comment, conditionalFormat …
    pub kind: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PivotTableArguments {
    /// Room of the workbook, the last part of its URL.
    pub room: String,
    /// The list with its header row: a reference such as Sheet1!A1:E400, a defined name, or a table such as
    /// Orders[#All].
    pub source: String,
    /// Fields that make rows.
    #[serde(default)]
    pub rows: Vec<PivotGroupArguments>,
    /// Fields that make columns.
    #[serde(default)]
    pub columns: Vec<PivotGroupArguments>,
    /// What is calculated.
    #[serde(default)]
    pub values: Vec<PivotValueArguments>,
    /// Rows of the list that count.
    #[serde(default)]
    pub filters: Vec<PivotFilterArguments>,
    /// tabular (default), outline or compact.
    pub layout: Option<String>,
    /// Name of the sheet on which the pivot table is placed; a new sheet by default.
    pub sheet: Option<String>,
    /// The first cell of the pivot table; A1 by default.
    pub at: Option<String>,
    /// Only return the cells that would change.
    #[serde(default)]
    pub dry_run: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PivotGroupArguments {
    /// Header of the column in the list, or its letters.
    pub column: String,
    /// For dates: year, quarter, month, day, weekday, hour, yearQuarter, yearMonth or date.
    pub grouping: Option<String>,
    /// For numbers: length of the groups.
    pub step: Option<f64>,
    /// ascending (default) or descending.
    pub order: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PivotValueArguments {
    /// Header of the column in the list, or its letters.
    pub column: String,
    /// sum (default), count, countNumbers, countUnique, average, minimum, maximum, median, product, deviation
    /// or variance.
    pub function: Option<String>,
    /// value (default), percentOfRow, percentOfColumn, percentOfTotal, percentOfParentRow,
    /// percentOfParentColumn, runningTotal, difference, percentDifference or rank.
    pub shown_as: Option<String>,
    /// Header of the values.
    pub name: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PivotFilterArguments {
    /// Header of the column in the list, or its letters.
    pub column: String,
    /// The values that count, as they are displayed.
    pub shown: Vec<String>,
}
