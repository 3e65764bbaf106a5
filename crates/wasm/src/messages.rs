//! The JSON messages between the client and the engine. The client's TypeScript types are generated
//! from them (`cargo xtask codegen`).
//!
//! [`Opening`], [`ClientEvent`] and [`Query`] come from the client and are read in
//! `message_reader.rs`; [`Notice`] and the answers to queries go to it. Indices are zero-based and
//! ranges include both ends, as in `quadrille-cell`.

use quadrille_cell::{CellAddress, DateSystem, Range};
#[cfg(doc)]
use quadrille_operation::ItemDetails;
use quadrille_operation::{Command, FormatChange, ItemValue, SortKey};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The position of a cell within its sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[ts(export)]
pub struct CellPosition {
    pub row: u32,
    pub column: u32,
}

/// A range within a sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[ts(export)]
pub struct RangePosition {
    pub top: u32,
    pub left: u32,
    pub bottom: u32,
    pub right: u32,
}

/// The direction of an arrow key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum Direction {
    Up,
    Down,
    Left,
    Right,
}

/// The dimension of a structural edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum RowsOrColumns {
    Rows,
    Columns,
}

/// The first message: the user and the options of the engine.
#[derive(Clone, Debug, TS)]
#[ts(export)]
pub struct Opening {
    pub name: String,
    /// `0xRRGGBB`.
    pub color: u32,
    /// Two random numbers from which the replica draws its identities; they must differ between
    /// replicas.
    pub seed: [u32; 2],
    /// Whether the client persists the state of the replica.
    pub keeps: bool,
}

/// An event of the client.
#[derive(Clone, Debug, TS)]
#[ts(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum ClientEvent {
    /// The WebSocket is open; the replica starts the handshake.
    Connected,
    /// The WebSocket is closed; `code` is the close code of the server, if any.
    Disconnected { code: Option<u16> },
    /// A timer of about one second.
    Tick,
    /// No frame has arrived for a while; the engine sends a ping.
    Ping,
    /// Runs a command.
    Command { command: Command },
    /// Runs a command that follows from what the user did; see `Event::Automatic` of the replica.
    Automatic { command: Command },
    /// Undoes the last step of this user.
    Undo,
    /// Redoes the last undone step.
    Redo,
    /// Replaces all matches by `with` in one undo step. The result is reported as
    /// [`Notice::Replaced`].
    Replace { search: SearchScope, with: String },
    /// The selection that other people see.
    Select { sheet: u32, selection: RangePosition, is_editing: bool },
    /// Changes the user's name and color.
    Rename { name: String, color: u32 },
    /// Displays formulas instead of their results, in this client only.
    ShowFormulas { shows: bool },
    /// Opens a filter view of a sheet in this client; `null` closes it.
    OpenFilterView {
        sheet: u32,
        #[ts(type = "number | null")]
        item: Option<u64>,
    },
    /// Shows only the panels of sheets, as EtherCalc's view `/app` does, in this client only.
    ShowPanels,
    /// The user's locale: a language tag such as `de-AT`, the offset of local time from UTC,
    /// whether formulas use R1C1 notation, and the function names and error values of the language
    /// (`SUM=SUMME`, `#N/A=#NV`), none for English. All cells are displayed again.
    #[ts(rename = "place")]
    Locale { language: String, utc_offset_minutes: i32, is_r1c1: bool, names: Vec<String> },
    /// Whom the server has verified, as protected ranges name people; empty texts for nobody.
    Identified { account: String, email: String },
    /// Enables [`Notice::Cells`].
    Watch,
    /// Enables or disables [`Notice::Traced`].
    Trace { is_on: bool },
}

/// A query of the client. The type of the answer depends on the query.
#[derive(Clone, Debug, TS)]
#[ts(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum Query {
    /// The text and the format of a cell. Answer: [`CellDetails`].
    Cell { sheet: u32, cell: CellPosition },
    /// Statistics of a selection for the status bar. Answer: [`Summary`].
    Summarize { sheet: u32, ranges: Vec<RangePosition> },
    /// Contents and displayed texts of cells; whole rows and columns end at the used range. Answer:
    /// [`CellTable`].
    Cells { sheet: u32, range: RangePosition, skips_filtered: bool },
    /// The cell to which Ctrl and an arrow key move. Answer: [`CellPosition`].
    Edge { sheet: u32, from: CellPosition, direction: Direction },
    /// The used range. Answer: [`RangePosition`].
    Used { sheet: u32 },
    /// The current region of a cell, as Ctrl+A selects it. Answer: [`RangePosition`].
    Region { sheet: u32, cell: CellPosition },
    /// The longest displayed texts of a column, for fitting its width. Answer: a list of strings.
    LongestTexts { sheet: u32, column: u32 },
    /// The order of the rows of a sorted filter view below the header of `range`, with hidden rows last. Answer:
    /// [`RowOrder`], or `null` when there is nothing to order.
    RowOrder { sheet: u32, range: RangePosition, keys: Vec<SortKey> },
    /// The items of a sheet, or of the workbook for `null`. Answer: a list of [`ItemDetails`].
    Items { sheet: Option<u32> },
    /// The series of a chart. Answer: a list of [`ChartSeriesDetails`], empty when there is no such
    /// chart.
    ChartSeries {
        sheet: u32,
        #[ts(type = "number")]
        item: u64,
    },
    /// The source of a pivot table and the columns of its fields. Answer: `PivotTableDetails`, or
    /// `null` when there is no such pivot table.
    PivotTable {
        sheet: u32,
        #[ts(type = "number")]
        item: u64,
    },
    /// What a slicer shows, with the open filter view `view` in place of the sheet's filter. Answer:
    /// `SlicerDetails`, or `null` when there is no such slicer.
    Slicer {
        sheet: u32,
        #[ts(type = "number")]
        item: u64,
        #[ts(optional, type = "number")]
        view: Option<u64>,
    },
    /// The pivot table that fills a cell. Answer: the identity of its item, or `null`.
    PivotTableAt { sheet: u32, cell: CellPosition },
    /// The rows of the source behind a value of a pivot table. Answer: `PivotSourceRows`, or
    /// `null` for other cells.
    PivotSourceRows { sheet: u32, cell: CellPosition },
    /// The labels of a pivot table in `ranges` that belong to the field whose label is in `cell`.
    /// Answer: `PivotLabels`, or `null` for other cells.
    PivotLabels { sheet: u32, cell: CellPosition, ranges: Vec<RangePosition> },
    /// The matches of a search. Answer: [`FoundCells`].
    Find { search: SearchScope },
    /// The defined names. Answer: a list of [`NameDetails`].
    Names,
    /// The displayed text of a cell with another number format. Answer: a string.
    Preview { sheet: u32, cell: CellPosition, format: String },
    /// The number of rows of a range that repeat an earlier row in `columns`. Answer: a number.
    Duplicates { sheet: u32, range: RangePosition, columns: Vec<u32>, has_header: bool },
    /// The number of cells whose texts have whitespace to trim. Answer: a number.
    Untrimmed { sheet: u32, ranges: Vec<RangePosition> },
    /// The distinct displayed values of a column of a range with their rows. Answer: a list of
    /// `ColumnValue`.
    ColumnValues { sheet: u32, range: RangePosition, column: u32 },
    /// Statistics of a column. Answer: [`ColumnStatistics`].
    ColumnStatistics { sheet: u32, column: u32, has_header: bool },
    /// The distinct displayed colors of a column of a range. Answer: `DisplayedColors`.
    ColumnColors { sheet: u32, range: RangePosition, column: u32 },
    /// The origin of the error that a cell shows. Answer: [`Explanation`], or `null` without an
    /// error.
    Explain { sheet: u32, cell: CellPosition },
    /// What the formulas of a range read. Answer: [`FormulaTrace`].
    Precedents { sheet: u32, range: RangePosition },
    /// The formulas that read a cell. Answer: [`FormulaTrace`].
    Dependents { sheet: u32, cell: CellPosition },
    /// A text of the column that starts with `typed`, for AutoComplete. Answer: a string or `null`.
    Similar { sheet: u32, cell: CellPosition, typed: String },
    /// The first cell whose new input a data validation rule rejects, if `command` ran. Answer:
    /// [`BrokenRule`] or `null`.
    BrokenRule { command: Box<Command> },
    /// The cells of a sheet whose contents violate a data validation rule. Answer: [`FoundCells`].
    InvalidCells { sheet: u32 },
    /// The value of `changing` with which the formula in `cell` gives the goal, a number as typed
    /// into a cell. Answer: `GoalSeekResult`.
    GoalSeek { sheet: u32, cell: CellPosition, goal: String, changing: CellPosition },
    /// The formula in a cell after `count` steps of its evaluation. Answer: `EvaluatedFormula`, or
    /// `null` if the cell has no formula.
    EvaluateFormula { sheet: u32, cell: CellPosition, count: u32 },
    /// The results of formulas with other values in `cells`, once for each trial; `null` keeps what
    /// a cell has. Answer: an array of `WhatIfValue[]`, or `null` if that takes too long.
    WhatIf {
        cells: Vec<FoundCell>,
        #[ts(type = "readonly (readonly (number | string | boolean | null)[])[]")]
        trials: Vec<Vec<ItemValue>>,
        results: Vec<FoundCell>,
    },
    /// The values that texts have when they are typed into cells. Answer: an array of numbers, texts
    /// and truth values.
    TypedValues { texts: Vec<String> },
    /// Whether a formula, without `=` and in stored notation, has no syntax error.
    IsFormula { formula: String },
    /// The source of an image item, as a URL. Answer: a string or `null`.
    #[ts(rename = "picture")]
    Image {
        sheet: u32,
        #[ts(type = "number")]
        item: u64,
    },
}

/// A cell as the formula bar and the toolbar display it.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct CellDetails {
    /// The text with which editing starts.
    pub edit_text: String,
    /// The attributes that differ from the default format.
    pub format: FormatChange,
}

/// A search in all sheets, in one sheet (`sheet`), or in a range of it.
#[derive(Clone, Debug, TS)]
#[ts(rename_all = "camelCase")]
#[ts(export)]
pub struct SearchScope {
    pub text: String,
    /// `text` is a regular expression.
    pub is_pattern: bool,
    pub matches_case: bool,
    /// The match must cover the whole text of the cell.
    pub whole_cell: bool,
    /// Formulas are searched instead of their results.
    pub in_formulas: bool,
    pub sheet: Option<u32>,
    pub range: Option<RangePosition>,
}

/// The cells that a search found.
#[derive(Clone, Debug, Default, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct FoundCells {
    /// Number of all matches.
    pub total: f64,
    /// The first matches, by tab and then in row order.
    pub cells: Vec<FoundCell>,
    /// The reason why the search is not possible.
    pub problem: Option<String>,
}

/// A cell of any sheet.
#[derive(Clone, Copy, Debug, Serialize, TS)]
#[ts(export)]
pub struct FoundCell {
    pub sheet: u32,
    pub row: u32,
    pub column: u32,
}

/// A defined name.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export)]
pub struct NameDetails {
    pub name: String,
    /// A formula without `=`.
    pub definition: String,
    /// The sheet to which a sheet-local name belongs; `null` for a name of the workbook.
    pub sheet: Option<u32>,
}

/// A cell and the data validation rule (`item`) that it violates.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export)]
pub struct BrokenRule {
    pub sheet: u32,
    pub cell: CellPosition,
    #[ts(type = "number")]
    pub item: u64,
}

/// The origin of an error.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Explanation {
    /// The text of the error, such as `#DIV/0!`.
    pub error: String,
    pub sheet: u32,
    pub cell: CellPosition,
    /// Number of cells that propagated the error, the queried cell included.
    pub passed_on_by: u32,
    /// The input of the cell at which the error arose.
    pub edit_text: String,
    /// The import of that cell that has no data.
    pub import: Option<MissingImport>,
}

/// Arrows between cells and the formulas that read them.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct FormulaTrace {
    pub arrows: Vec<TraceArrow>,
    /// Whether these are all.
    pub is_all: bool,
}

/// A range and a formula that reads it.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct TraceArrow {
    pub from_sheet: u32,
    pub from: RangePosition,
    pub to_sheet: u32,
    pub to: CellPosition,
    /// Whether a cell of the range shows an error.
    pub is_error: bool,
}

/// An import without data.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct MissingImport {
    /// The source as a formula, such as `IMPORTRANGE("sales","A1:B2")`.
    pub source: String,
    /// The first argument: the workbook or the address.
    pub from: String,
    /// The state as in items of the kind `import`, or `loading` before the server has written one.
    pub state: String,
    /// What the server says about it in English; may be empty.
    pub details: String,
}

/// The order of consecutive rows.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export)]
pub struct RowOrder {
    /// The first of these rows.
    pub first: u32,
    /// Each of these rows once.
    pub rows: Vec<u32>,
}

/// Statistics of a selection for the status bar, formatted.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Summary {
    /// Number of cells that are not blank.
    pub filled: f64,
    pub numbers: f64,
    /// The sum in the format of the first number. Without a format if only some numbers are dates
    /// or times; empty if any is a date.
    pub sum: String,
    pub average: String,
    pub minimum: String,
    pub maximum: String,
}

/// Statistics of a column.
///
/// Numbers are in the format of the column's first number, or without a format if only some are
/// dates. They are empty if the column has no number; the sum is also empty if the column has a
/// date.
#[derive(Clone, Debug, Default, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ColumnStatistics {
    /// The first filled cell of the column, if it is a text.
    pub header: Option<String>,
    pub filled: u32,
    /// Number of blank cells within the used range.
    pub blank: u32,
    pub distinct: u32,
    pub numbers: u32,
    pub sum: String,
    pub average: String,
    pub median: String,
    pub minimum: String,
    pub maximum: String,
    /// The most frequent values, the most frequent first.
    pub frequent: Vec<CountedValue>,
    pub distribution: Distribution,
}

/// A displayed value and the number of cells that have it.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export)]
pub struct CountedValue {
    pub text: String,
    pub count: u32,
}

/// A histogram. Bin `i` counts the numbers from edge `i` (included) to edge `i + 1` (excluded).
#[derive(Clone, Debug, Default, Serialize, TS)]
#[ts(export)]
pub struct Distribution {
    /// The formatted edges, one more than counts.
    pub edges: Vec<String>,
    pub counts: Vec<u32>,
}

/// Contents of a range of cells.
#[derive(Clone, Debug, Default, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct CellTable {
    pub rows: Vec<RowOfCells>,
    /// Index of the first column.
    pub left: u32,
    /// Rows at the end are missing because of the limit.
    pub is_cut_short: bool,
    /// Skipped rows that a filter hides: first row and count.
    pub left_out: Vec<(u32, u32)>,
}

/// One row of a [`CellTable`].
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export)]
pub struct RowOfCells {
    pub row: u32,
    pub cells: Vec<ReadCell>,
}

/// One cell of a [`CellTable`].
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ReadCell {
    /// The displayed text.
    pub text: String,
    /// The value; errors are strings. Missing for a blank cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "boolean | number | string")]
    pub value: Option<ItemValue>,
    /// The formula with `=`, with English function names and commas.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub formula: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub number_format: Option<String>,
}

/// A range of a sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[ts(export)]
pub struct SheetRange {
    pub sheet: u32,
    pub range: RangePosition,
}

/// A series of a chart with its current values. Lists that are not empty have equal lengths.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ChartSeriesDetails {
    pub name: String,
    pub categories: Vec<String>,
    pub positions: Vec<Option<f64>>,
    pub values: Vec<Option<f64>>,
    pub sizes: Vec<Option<f64>>,
    /// The values in their number format, for labels and tooltips.
    pub texts: Vec<String>,
    /// Data labels from cells, with their field; otherwise empty, and the values are the labels.
    pub labels: Vec<String>,
    /// For positions that are dates: the days to add for serial numbers of the 1900 date system.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub date_offset: Option<i64>,
    /// Points at the end are missing because of the limit.
    pub is_cut_short: bool,
}

/// A notification of the engine to the client.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum Notice {
    /// The sheets in tab order.
    Sheets { sheets: Vec<SheetTab> },
    /// The state of the connection and of the document.
    Status { status: Status },
    /// The other people in the room, in a large room those near the viewport. `count` is the number
    /// of all people, this user included.
    People { people: Vec<Person>, count: f64 },
    /// Whether undo and redo are possible.
    History { can_undo: bool, can_redo: bool },
    /// Somebody inserted, deleted or moved rows or columns, so positions in the client's state move.
    /// The selection has moved already if this client did it (`is_own`).
    Moved {
        sheet: u32,
        lines: RowsOrColumns,
        first: u32,
        count: u32,
        is_insert: bool,
        is_own: bool,
        /// For a move, the index before which the rows or columns were moved.
        to: Option<u32>,
    },
    /// Items of these sheets, or of the workbook, changed or moved.
    Items { sheets: Vec<u32>, workbook: bool },
    /// A replacement changed `cells` cells.
    Replaced { cells: u32 },
    /// A command failed, or the room rejected its transaction.
    Refused {
        /// Identifies the message; the client has the messages in every language.
        code: &'static str,
        /// The values that the message names.
        values: Vec<String>,
        /// The message in English, for codes that the client does not know.
        message: String,
    },
    /// Ranges whose values or formats may have changed, after [`ClientEvent::Watch`]. May overlap.
    Cells { ranges: Vec<SheetRange> },
    /// Transactions sent and received since the last notice, while the worker records a trace.
    Traced { sent: Vec<String>, received: Vec<String> },
    /// The worker must close the WebSocket, and connect again if `again`.
    Close { again: bool },
}

/// A sheet as its tab displays it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct SheetTab {
    pub id: u32,
    pub name: String,
    /// `#rrggbb`.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_hidden: Option<bool>,
    /// The sheet shows a chart instead of its cells.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_chart: Option<bool>,
}

/// The state of the connection and of the document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Status {
    /// The workbook is loaded.
    pub is_ready: bool,
    pub is_connected: bool,
    /// Number of transactions that the server has not acknowledged as stored.
    pub unconfirmed: u32,
    pub can_edit: bool,
    /// Comments can be added and changed, and messages sent in the chat.
    pub can_comment: bool,
    /// The session has the role of an owner.
    pub is_owner: bool,
}

/// Another person in the room.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Person {
    /// Identity of the connection; a user with two windows appears twice.
    pub session: String,
    pub name: String,
    /// `0xRRGGBB`.
    pub color: u32,
    pub sheet: Option<u32>,
    pub selection: Option<RangePosition>,
    pub is_editing: bool,
}

impl From<quadrille_document::ChartSeries> for ChartSeriesDetails {
    fn from(series: quadrille_document::ChartSeries) -> ChartSeriesDetails {
        let quadrille_document::ChartSeries {
            name,
            categories,
            positions,
            values,
            sizes,
            texts,
            labels,
            dates,
            is_truncated: is_cut_short,
        } = series;
        let date_offset = dates.map(DateSystem::offset_from_1900);
        ChartSeriesDetails {
            name,
            categories,
            positions,
            values,
            sizes,
            texts,
            labels,
            date_offset,
            is_cut_short,
        }
    }
}

impl From<CellAddress> for CellPosition {
    fn from(address: CellAddress) -> CellPosition {
        CellPosition { row: address.row.get(), column: address.column.get() }
    }
}

impl From<CellPosition> for CellAddress {
    /// Clamps positions beyond the sheet to its last row or column.
    fn from(position: CellPosition) -> CellAddress {
        CellAddress::clamped(position.row, position.column)
    }
}

impl From<Range> for RangePosition {
    fn from(range: Range) -> RangePosition {
        let (first, last) = (range.first(), range.last());
        RangePosition {
            top: first.row.get(),
            left: first.column.get(),
            bottom: last.row.get(),
            right: last.column.get(),
        }
    }
}

impl From<RangePosition> for Range {
    fn from(position: RangePosition) -> Range {
        Range::new(
            CellAddress::clamped(position.top, position.left),
            CellAddress::clamped(position.bottom, position.right),
        )
    }
}

impl From<Direction> for quadrille_document::Direction {
    fn from(direction: Direction) -> quadrille_document::Direction {
        match direction {
            Direction::Up => quadrille_document::Direction::Up,
            Direction::Down => quadrille_document::Direction::Down,
            Direction::Left => quadrille_document::Direction::Left,
            Direction::Right => quadrille_document::Direction::Right,
        }
    }
}
