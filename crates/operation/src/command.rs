//! [`Command`]: a request of a user or of the REST API, as JSON. [`plan`](crate::plan) turns a
//! command into a transaction for the current workbook. `json_reader.rs` reads the JSON.
//!
//! Cells and ranges are A1 text without a sheet name (`B7`, `A1:C9`, `A:C`, `3:5`). A sheet is
//! given by its identity, a row or column by its zero-based index.

use std::collections::BTreeMap;

use quadrille_cell::Dimension;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{FormatChange, ItemValue};

/// A request to change the workbook. Unlike an [`Operation`](crate::Operation), it may depend on
/// the current contents, for example "sort this range".
#[derive(Clone, PartialEq, Debug, Serialize, TS)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum Command {
    /// Enters `text` into a cell as if it were typed. Text that begins with `=` is a formula; a
    /// leading apostrophe makes the rest a text.
    TypeText { sheet: u32, cell: String, text: String },
    /// Enters a block of texts as if each were typed; `at` is the top left cell. An empty text
    /// clears its cell.
    TypeTexts { sheet: u32, at: String, texts: Vec<Vec<String>> },
    /// Enters `text` into every cell of the range (Ctrl+Enter). A formula is relative to the first
    /// cell.
    TypeEverywhere { sheet: u32, range: String, text: String },
    /// Writes contents of known types; `at` is the top left cell.
    SetCells { sheet: u32, at: String, cells: Vec<Vec<CellContent>> },
    /// Writes rows below the last used row.
    AppendRows { sheet: u32, rows: Vec<Vec<CellContent>> },
    /// Clears contents, formats or both.
    Clear { sheet: u32, range: String, what: ClearScope },
    /// Copies cells within the workbook. A target whose size is a multiple of the source is filled
    /// with copies; of any other target only the top left cell counts. Rows of the source listed in
    /// `excluded_rows` (first row and count), for example rows hidden by a filter, are not copied,
    /// and the rows after them move up. `all` includes notes, links, sparklines, data validation,
    /// conditional formats and merged cells, and replaces those of the target.
    CopyPaste {
        from_sheet: u32,
        source: String,
        sheet: u32,
        target: String,
        what: PasteScope,
        #[serde(rename = "leavingOut", skip_serializing_if = "Vec::is_empty")]
        #[ts(optional, as = "Option<Vec<(u32, u32)>>")]
        excluded_rows: Vec<(u32, u32)>,
    },
    /// Adds a sheet with the values and formats of a range and the widths of its columns, without
    /// the rows listed in `excluded_rows` (first row and count). The default position is the last.
    CopyToNewSheet {
        from_sheet: u32,
        source: String,
        #[serde(rename = "leavingOut", skip_serializing_if = "Vec::is_empty")]
        #[ts(optional, as = "Option<Vec<(u32, u32)>>")]
        excluded_rows: Vec<(u32, u32)>,
        #[ts(optional)]
        position: Option<u32>,
    },
    /// Moves cells within the workbook, with everything attached to them, also comments. References
    /// to the moved cells follow them, in formulas of cells, names, charts and conditional formats.
    CutPaste { from_sheet: u32, source: String, sheet: u32, target: String },
    /// Pastes text of another program: rows separated by line breaks, cells separated by tabs.
    /// Cells that contain tabs or line breaks are quoted.
    PasteText { sheet: u32, target: String, text: String },
    /// Fills `target`, which contains `source` and extends it along one dimension.
    Fill { sheet: u32, source: String, target: String, mode: FillMode },
    /// Copies the first row of the range into the other rows (Ctrl+D). For a single row, copies the
    /// row above it.
    FillDown { sheet: u32, range: String },
    /// Copies the first column of the range into the other columns (Ctrl+R). For a single column,
    /// copies the column to its left.
    FillRight { sheet: u32, range: String },
    /// Inserts `count` rows before the row at index `at`.
    InsertRows { sheet: u32, at: u32, count: u32 },
    /// Deletes `count` rows from index `at`.
    DeleteRows { sheet: u32, at: u32, count: u32 },
    /// Inserts `count` columns before the column at index `at`.
    InsertColumns { sheet: u32, at: u32, count: u32 },
    /// Deletes `count` columns from index `at`.
    DeleteColumns { sheet: u32, at: u32, count: u32 },
    /// Moves rows or columns before the one at index `to`; an index equal to the number of rows or
    /// columns of the sheet means the end.
    #[serde(rename = "moveLines")]
    MoveDimension { sheet: u32, dimension: Axis, first: u32, count: u32, to: u32 },
    /// Sets heights or widths in CSS pixels at zoom 1; `null` restores the default size.
    Resize { sheet: u32, dimension: Axis, first: u32, count: u32, size: Option<u16> },
    /// Sorts the rows of a range by one or more columns.
    Sort { sheet: u32, range: String, keys: Vec<SortKey>, has_header: bool },
    /// Removes the rows of the range that repeat an earlier row in `columns` (zero-based indices in
    /// the sheet). The rows below move up within the range.
    RemoveDuplicates { sheet: u32, range: String, columns: Vec<u32>, has_header: bool },
    /// Splits the texts of the range's first column at each separator. The parts are written into
    /// the cells to the right.
    SplitText { sheet: u32, range: String, separator: String },
    /// Removes whitespace, including no-break spaces, at both ends of the texts of the range, and
    /// replaces several spaces between words by one. Formulas are not changed.
    TrimWhitespace { sheet: u32, range: String },
    /// Changes format attributes of a range.
    Format { sheet: u32, range: String, format: Box<FormatChange> },
    /// Sets the attribute on the whole range, or removes it if the cell `active` (default: the
    /// first cell) has it.
    Toggle {
        sheet: u32,
        range: String,
        attribute: ToggleAttribute,
        #[ts(optional)]
        active: Option<String>,
    },
    /// Adds a sheet. The default name is the first free of `Sheet1`, `Sheet2` …; the default
    /// position is the last.
    AddSheet {
        #[ts(optional)]
        name: Option<String>,
        #[ts(optional)]
        position: Option<u32>,
    },
    /// Renames a sheet.
    RenameSheet { sheet: u32, name: String },
    /// Moves a sheet. `position` is counted among the other sheets.
    MoveSheet { sheet: u32, position: u32 },
    /// Removes a sheet.
    RemoveSheet { sheet: u32 },
    /// Inserts a copy of a sheet right after it. The default name is the first free of `Name (2)`,
    /// `Name (3)` …
    DuplicateSheet {
        sheet: u32,
        #[ts(optional)]
        name: Option<String>,
    },
    /// Defines a name. `definition` is a formula with or without `=`; references without a sheet
    /// mean `sheet`; `null` removes the name. With `local` the name belongs to `sheet` alone. `was`
    /// is the former name of a renamed definition, which is replaced in all formulas.
    DefineName {
        name: String,
        definition: Option<String>,
        sheet: u32,
        #[serde(default)]
        #[ts(optional, as = "Option<bool>")]
        local: bool,
        #[serde(default)]
        #[ts(optional)]
        was: Option<String>,
    },
    /// Creates or changes an item. Without `item`, a new identity is chosen. If no item has the
    /// given identity, the item is created and `kind` is required. Fields that are given are set,
    /// `null` clears a field, other fields do not change. Anchors are A1 ranges. `sheet` is `null`
    /// for items of the workbook.
    SetItem {
        sheet: Option<u32>,
        #[ts(optional, type = "number")]
        item: Option<u64>,
        #[ts(optional)]
        kind: Option<String>,
        #[ts(optional)]
        anchors: Option<Vec<String>>,
        fields: BTreeMap<String, ItemValue>,
    },
    /// Removes an item and the items that have it as their parent.
    RemoveItem {
        sheet: Option<u32>,
        #[ts(type = "number")]
        item: u64,
    },
    /// Moves a chart to the sheet with the name `to_sheet`: over its cells, or with `own_sheet` in
    /// place of them. The references of the chart keep their cells.
    MoveChart {
        sheet: u32,
        #[ts(type = "number")]
        item: u64,
        to_sheet: String,
        own_sheet: bool,
    },
    /// Merges the range into one cell, or each of its rows or columns. The first content in row
    /// order is kept.
    Merge { sheet: u32, range: String, how: MergeKind },
    /// Unmerges all merged cells that intersect the range.
    Unmerge { sheet: u32, range: String },
    /// Sets the number of frozen rows and columns.
    FreezePanes { sheet: u32, rows: u32, columns: u32 },
    /// Hides rows or columns, or shows them.
    SetHidden { sheet: u32, dimension: Axis, first: u32, count: u32, hidden: bool },
    /// Selects values or a period in a slicer: sets the condition of its column in the filter of
    /// its sheet, or in the filter view `view`, and in the pivot tables of its sheet. `shown` lists
    /// values by the texts that filters compare, with the empty text for blank cells; `from` and
    /// `to` are the first and the last day (`2024-12-31`). Without them the condition is removed.
    FilterBySlicer {
        sheet: u32,
        #[ts(type = "number")]
        item: u64,
        #[ts(optional, type = "number")]
        view: Option<u64>,
        #[ts(optional)]
        shown: Option<Vec<String>>,
        #[ts(optional)]
        from: Option<String>,
        #[ts(optional)]
        to: Option<String>,
    },
    /// Proposes the contents that `command` would write, one suggestion for each cell that it would
    /// change. Only commands that write contents can be suggested, and formats other than number
    /// formats are left out. Suggestions of the same author for the same cells are replaced.
    /// `fields` of each suggestion: `author`, `authorId`, `time` (milliseconds since 1970) and
    /// `text`, a note.
    Suggest { command: Box<Command>, fields: BTreeMap<String, ItemValue> },
    /// Writes the contents of suggestions where their cells are now, and removes the suggestions.
    AcceptSuggestions {
        sheet: u32,
        #[ts(type = "Array<number>")]
        items: Vec<u64>,
    },
    /// Removes suggestions.
    RejectSuggestions {
        sheet: u32,
        #[ts(type = "Array<number>")]
        items: Vec<u64>,
    },
    /// Runs commands in order as one undo step. Each command sees the results of the earlier ones.
    Many { commands: Vec<Command> },
    /// Runs `command` on the visible rows of `sheet`. Without `from`, the command affects the
    /// visible rows among those that it names; with `from`, it affects as many visible rows as it
    /// names, from that row on, like a paste. `hidden` lists the rows hidden by a filter (first row
    /// and count); the client's engine adds the rows that the user's filter view hides. With `rows`,
    /// the rows from `from` on stand for these ones in their order, and for those below the last of
    /// them: the rows of a sorted filter view are apart in the sheet. Commands other than those that write, format, fill, hide, resize or delete rows of the sheet run
    /// unchanged.
    #[serde(rename = "inSight")]
    VisibleRows {
        sheet: u32,
        #[ts(optional)]
        from: Option<u32>,
        #[ts(optional, as = "Option<Vec<(u32, u32)>>")]
        hidden: Vec<(u32, u32)>,
        #[ts(optional, as = "Option<Vec<u32>>")]
        rows: Vec<u32>,
        command: Box<Command>,
    },
}

/// Whether a range is merged as a whole, by row or by column.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum MergeKind {
    All,
    Rows,
    Columns,
}

/// The content of one cell with its type: `{"number": 2}`, `{"formula": "=A1*2"}`, `"keep"`.
#[derive(Clone, PartialEq, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum CellContent {
    /// Does not change the cell.
    Keep,
    Blank,
    Number(f64),
    Boolean(bool),
    /// Exactly this text, even if it reads as a number or a formula.
    Text(String),
    /// Interpreted as if it were typed.
    Typed(String),
    /// A formula with or without `=`.
    Formula(String),
}

/// The parts of a cell that a clear command removes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum ClearScope {
    Contents,
    Formats,
    All,
}

/// The parts of a cell that a paste command copies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum PasteScope {
    All,
    /// Contents without formats.
    Contents,
    /// The results of formulas instead of the formulas, without formats.
    Values,
    Formats,
    /// Contents and formats with rows and columns exchanged.
    Transposed,
}

/// How a fill command extends its source.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum FillMode {
    /// Continues numbers, dates, weekdays, months and texts that end in a number; repeats other
    /// contents.
    Series,
    Copy,
}

/// Rows or columns, as in JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum Axis {
    Rows,
    Columns,
}

impl From<Axis> for Dimension {
    fn from(axis: Axis) -> Dimension {
        match axis {
            Axis::Rows => Dimension::Rows,
            Axis::Columns => Dimension::Columns,
        }
    }
}

/// A sort criterion. `column` is the zero-based index in the sheet, not in the range.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct SortKey {
    pub column: u32,
    pub descending: bool,
}

/// The attributes that a toggle command can change.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum ToggleAttribute {
    Bold,
    Italic,
    Underline,
    Strikethrough,
    Wrap,
}
