//! What the page and the engine say to each other, as JSON; the page's types are generated from these. What the page says
//! is read in `message_reader.rs`.
//!
//! Rows and columns count from zero and ranges include both ends, as in `quadrille-cell`.

use quadrille_cell::{CellAddress, Range};
#[cfg(doc)]
use quadrille_operation::ItemDetails;
use quadrille_operation::{Command, FormatChange, ItemValue};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[ts(export)]
pub struct CellPosition {
    pub row: u32,
    pub column: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[ts(export)]
pub struct RangePosition {
    pub top: u32,
    pub left: u32,
    pub bottom: u32,
    pub right: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum Direction {
    Up,
    Down,
    Left,
    Right,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum RowsOrColumns {
    Rows,
    Columns,
}

/// Before anything else: who this is.
#[derive(Clone, Debug, TS)]
#[ts(export)]
pub struct Opening {
    pub name: String,
    /// `0xRRGGBB`.
    pub color: u32,
    /// Two random numbers; replicas must differ in them.
    pub seed: [u32; 2],
    /// Whether the page writes down what it needs to come back.
    pub keeps: bool,
}

/// What happens on the page's side.
#[derive(Clone, Debug, TS)]
#[ts(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[ts(export)]
#[expect(clippy::large_enum_variant, reason = "read and handled one by one")]
pub enum PageEvent {
    /// The socket is open: say hello.
    Connected,
    /// `code`: why, when the server said.
    Disconnected {
        code: Option<u16>,
    },
    /// A moment has passed.
    Tick,
    /// The line has been silent for a while: ask whether anybody is there.
    Ping,
    Command {
        command: Command,
    },
    Undo,
    Redo,
    /// Puts `with` in place of what is found, as one step. Told: [`Notice::Replaced`].
    Replace {
        search: SearchScope,
        with: String,
    },
    /// What others see of this person.
    Select {
        sheet: u32,
        selection: RangePosition,
        is_editing: bool,
    },
    Rename {
        name: String,
        color: u32,
    },
    /// Cells show formulas instead of what these give, on this page only.
    ShowFormulas {
        shows: bool,
    },
    /// This page sees the sheet through a filter view, or with `null` as everybody does.
    OpenFilterView {
        sheet: u32,
        #[ts(type = "number | null")]
        item: Option<u64>,
    },
    /// How this person writes: a language tag such as `de-AT`, how far clocks are ahead of UTC there, and whether formulas
    /// are in R1C1 notation. Everything is shown anew.
    Place {
        language: String,
        utc_offset_minutes: i32,
        is_r1c1: bool,
    },
    /// From now on changed cells are told: [`Notice::Cells`].
    Watch,
    /// From now on transactions are told that go through the engine, or no longer: [`Notice::Traced`].
    Trace {
        is_on: bool,
    },
}

/// Something the page wants to know; each has its own kind of answer.
#[derive(Clone, Debug, TS)]
#[ts(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum Query {
    /// Answer: [`CellDetails`].
    Cell { sheet: u32, cell: CellPosition },
    /// Answer: [`Summary`].
    Summarize { sheet: u32, ranges: Vec<RangePosition> },
    /// What cells hold and show; those of whole rows and columns end where the sheet's use ends. Answer: [`CellTable`].
    Cells { sheet: u32, range: RangePosition, skips_filtered: bool },
    /// Where Ctrl and an arrow key go. Answer: [`CellPosition`].
    Edge { sheet: u32, from: CellPosition, direction: Direction },
    /// Everything that is filled. Answer: [`RangePosition`].
    Used { sheet: u32 },
    /// The block of filled cells round a cell. Answer: [`RangePosition`].
    Region { sheet: u32, cell: CellPosition },
    /// The longest texts shown in a column, for fitting its width. Answer: a list of texts.
    LongestTexts { sheet: u32, column: u32 },
    /// What the sheet, or with `null` the workbook, holds that is not a cell. Answer: a list of [`ItemDetails`].
    Items { sheet: Option<u32> },
    /// What a chart shows. Answer: a list of [`ChartSeriesDetails`], empty when the chart is gone.
    ChartSeries {
        sheet: u32,
        #[ts(type = "number")]
        item: u64,
    },
    /// Answer: [`FoundCells`].
    Find { search: SearchScope },
    /// Defined names. Answer: a list of [`NameDetails`].
    Names,
    /// How a cell would look with another number format. Answer: a text.
    Preview { sheet: u32, cell: CellPosition, format: String },
    /// Rows of a range that repeat an earlier one in these columns. Answer: their number.
    Duplicates { sheet: u32, range: RangePosition, columns: Vec<u32>, has_header: bool },
    /// Cells of these ranges whose texts have spaces to trim. Answer: their number.
    Untrimmed { sheet: u32, ranges: Vec<RangePosition> },
    /// The different values of a column of a range as they are shown, with their rows. Answer: a list of [`ColumnValue`].
    ColumnValues { sheet: u32, range: RangePosition, column: u32 },
    /// What is in a column, in figures. Answer: [`ColumnStatistics`].
    ColumnStatistics { sheet: u32, column: u32, has_header: bool },
    /// The colours that cells of a column of a range show. Answer: [`DisplayedColors`].
    ColumnColors { sheet: u32, range: RangePosition, column: u32 },
    /// Why a cell shows an error. Answer: [`Explanation`], or `null` when it shows none.
    Explain { sheet: u32, cell: CellPosition },
    /// A text of the column that begins with what is typed, for finishing it. Answer: a text, or `null`.
    Similar { sheet: u32, cell: CellPosition, typed: String },
    /// Whether a command would bring something into a cell that its rule does not allow. Answer: [`BrokenRule`], or
    /// `null`.
    BrokenRule { command: Box<Command> },
    /// Cells of a sheet that hold what their rule does not allow. Answer: [`FoundCells`].
    InvalidCells { sheet: u32 },
    /// The image of an item, as an address. Answer: a text, or `null`.
    Picture {
        sheet: u32,
        #[ts(type = "number")]
        item: u64,
    },
}

/// One cell as the formula bar and the toolbar show it.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct CellDetails {
    /// What editing starts with.
    pub edit_text: String,
    /// What differs from the look of an untouched cell.
    pub format: FormatChange,
}

/// What is looked for, and where: on all sheets, on one, or in a range of it.
#[derive(Clone, Debug, TS)]
#[ts(rename_all = "camelCase")]
#[ts(export)]
pub struct SearchScope {
    pub text: String,
    pub is_pattern: bool,
    pub matches_case: bool,
    pub whole_cell: bool,
    pub in_formulas: bool,
    pub sheet: Option<u32>,
    pub range: Option<RangePosition>,
}

#[derive(Clone, Debug, Default, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct FoundCells {
    pub total: f64,
    /// In the order of the tabs, row by row; not all when there are very many.
    pub cells: Vec<FoundCell>,
    /// Why nothing can be looked for.
    pub problem: Option<String>,
}

#[derive(Clone, Copy, Debug, Serialize, TS)]
#[ts(export)]
pub struct FoundCell {
    pub sheet: u32,
    pub row: u32,
    pub column: u32,
}

#[derive(Clone, Debug, Serialize, TS)]
#[ts(export)]
pub struct NameDetails {
    pub name: String,
    /// A formula without `=`.
    pub definition: String,
    /// Of a name that one sheet alone has.
    pub sheet: Option<u32>,
}

/// A cell, and the item that says what it may hold.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export)]
pub struct BrokenRule {
    pub sheet: u32,
    pub cell: CellPosition,
    #[ts(type = "number")]
    pub item: u64,
}

/// One of the different texts that a column shows.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export)]
pub struct ColumnValue {
    pub text: String,
    /// What filters know it by, the same whoever looks: `text` in English.
    pub known: String,
    /// Runs of rows that show it: the first, and how many.
    pub rows: Vec<(u32, u32)>,
}

/// The different colours of cells; `null` is a cell without one of its own.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export)]
pub struct DisplayedColors {
    pub fills: Vec<Option<u32>>,
    pub texts: Vec<Option<u32>>,
}

/// An error and the cell that it comes from.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Explanation {
    /// As cells show it.
    pub error: String,
    pub sheet: u32,
    pub cell: CellPosition,
    /// Cells that passed it on, the asked one included.
    pub passed_on_by: u32,
    /// What the cell it comes from holds.
    pub edit_text: String,
}

/// The status bar's figures of a selection.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Summary {
    /// Cells that are not blank.
    pub filled: f64,
    pub numbers: f64,
    /// As the first selected number is shown, or plain where only some are dates; empty where any is a date.
    pub sum: String,
    pub average: String,
    pub minimum: String,
    pub maximum: String,
}

/// Figures are shown as the column's first number is, plain where only some are dates, and empty where there is no number, as is the sum
/// of days.
#[derive(Clone, Debug, Default, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ColumnStatistics {
    /// The first filled cell, if it is a text.
    pub header: Option<String>,
    pub filled: u32,
    /// Among the rows that the sheet uses.
    pub blank: u32,
    pub distinct: u32,
    pub numbers: u32,
    pub sum: String,
    pub average: String,
    pub median: String,
    pub minimum: String,
    pub maximum: String,
    /// The most frequent first.
    pub frequent: Vec<CountedValue>,
    pub distribution: Distribution,
}

#[derive(Clone, Debug, Serialize, TS)]
#[ts(export)]
pub struct CountedValue {
    pub text: String,
    pub count: u32,
}

/// How many numbers lie from one edge up to the next, which is no more of it.
#[derive(Clone, Debug, Default, Serialize, TS)]
#[ts(export)]
pub struct Distribution {
    /// One more than counts.
    pub edges: Vec<String>,
    pub counts: Vec<u32>,
}

#[derive(Clone, Debug, Default, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct CellTable {
    pub rows: Vec<RowOfCells>,
    /// The first column.
    pub left: u32,
    /// There is more than is told.
    pub is_cut_short: bool,
    /// Rows between them that a filter hides: first row and count each.
    pub left_out: Vec<(u32, u32)>,
}

#[derive(Clone, Debug, Serialize, TS)]
#[ts(export)]
pub struct RowOfCells {
    pub row: u32,
    pub cells: Vec<ReadCell>,
}

#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ReadCell {
    /// As the cell shows it.
    pub text: String,
    /// Errors are texts; absent: blank.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "boolean | number | string")]
    pub value: Option<ItemValue>,
    /// With `=`, as it is stored: English, with commas.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub formula: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub number_format: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[ts(export)]
pub struct SheetRange {
    pub sheet: u32,
    pub range: RangePosition,
}

/// One series of a chart as it is calculated now; lists that belong together are equally long.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ChartSeriesDetails {
    pub name: String,
    pub categories: Vec<String>,
    pub positions: Vec<Option<f64>>,
    pub values: Vec<Option<f64>>,
    pub sizes: Vec<Option<f64>>,
    /// The values as cells of their number format show them; for labels and tooltips.
    pub texts: Vec<String>,
    pub is_cut_short: bool,
}

/// What the engine tells the page without being asked.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum Notice {
    /// Tabs, in their order.
    Sheets {
        sheets: Vec<SheetTab>,
    },
    Status {
        status: Status,
    },
    /// The others in the room, in a big one those nearby, and how many are here in all, oneself included.
    People {
        people: Vec<Person>,
        count: f64,
    },
    History {
        can_undo: bool,
        can_redo: bool,
    },
    /// Somebody else inserted, deleted or moved rows or columns: what the page remembers by position moves.
    Moved {
        sheet: u32,
        lines: RowsOrColumns,
        first: u32,
        count: u32,
        is_insert: bool,
        /// Of lines that were moved: the one that they were put before.
        to: Option<u32>,
    },
    /// Items of these sheets, or of the workbook as a whole, changed or moved.
    Items {
        sheets: Vec<u32>,
        workbook: bool,
    },
    /// So many cells were given another content by a replacement.
    Replaced {
        cells: u32,
    },
    /// A command could not be carried out, or the room refused it.
    Refused {
        /// Which sentence; the page has them in every language.
        code: &'static str,
        /// What the sentence names.
        values: Vec<String>,
        /// The sentence in English, for codes that the page does not know.
        message: String,
    },
    /// Cells whose value or look may differ, for a page that watches. May overlap.
    Cells {
        ranges: Vec<SheetRange>,
    },
    /// For the worker while it records a trace: transactions whose frames are handed out now, and those that came in.
    Traced {
        sent: Vec<String>,
        received: Vec<String>,
    },
    /// For the worker: give the socket up, and connect again if `again`.
    Close {
        again: bool,
    },
}

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
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Status {
    /// The workbook is here.
    pub is_ready: bool,
    pub is_connected: bool,
    /// Own changes that the server has not acknowledged as stored.
    pub unconfirmed: u32,
    pub can_edit: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Person {
    /// One per connection: a person with two windows is here twice.
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
            is_truncated: is_cut_short,
        } = series;
        ChartSeriesDetails { name, categories, positions, values, sizes, texts, is_cut_short }
    }
}

impl From<CellAddress> for CellPosition {
    fn from(address: CellAddress) -> CellPosition {
        CellPosition { row: address.row.get(), column: address.column.get() }
    }
}

impl From<CellPosition> for CellAddress {
    /// Positions beyond the sheet become its last row or column.
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
