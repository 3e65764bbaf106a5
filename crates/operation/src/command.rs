//! What a person or a REST call asks for. As JSON, for the page and the API; [`plan`](crate::plan) turns a
//! command into a transaction for the workbook as it is. They are read by hand, in `json_reader.rs`.
//!
//! Cells and ranges are A1 text without a sheet (`B7`, `A1:C9`, `A:C`, `3:5`); sheets go by their number,
//! rows and columns by their zero-based index.

use std::collections::BTreeMap;

use quadrille_cell::Dimension;
use serde::Serialize;
use ts_rs::TS;

use crate::{FormatChange, ItemValue};

#[derive(Clone, PartialEq, Debug, Serialize, TS)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum Command {
    /// What typing `text` into a cell and pressing Enter does. `=` begins a formula, an apostrophe a text.
    TypeText {
        sheet: u32,
        cell: String,
        text: String,
    },
    /// As if each text had been typed into its cell, `at` being the top left one. Empty texts clear.
    TypeTexts {
        sheet: u32,
        at: String,
        texts: Vec<Vec<String>>,
    },
    /// As typing `text` into every cell of the range (Ctrl+Enter); formulas are relative to the first.
    TypeEverywhere {
        sheet: u32,
        range: String,
        text: String,
    },
    /// Contents that are already known by their kind, `at` being the top left cell.
    SetCells {
        sheet: u32,
        at: String,
        cells: Vec<Vec<CellContent>>,
    },
    /// Rows below the last one that holds anything.
    AppendRows {
        sheet: u32,
        rows: Vec<Vec<CellContent>>,
    },
    Clear {
        sheet: u32,
        range: String,
        what: ClearScope,
    },
    /// Copies within the workbook. A larger target that is a multiple of the source is filled with copies;
    /// of any other target the top left cell counts. Rows of the source may be left out (first row and count each), such
    /// as those that a filter hid when it was copied; what follows moves up.
    CopyPaste {
        from_sheet: u32,
        source: String,
        sheet: u32,
        target: String,
        what: PasteScope,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        #[ts(optional, as = "Option<Vec<(u32, u32)>>")]
        leaving_out: Vec<(u32, u32)>,
    },
    /// Moves within the workbook: references to the moved cells follow them.
    CutPaste {
        from_sheet: u32,
        source: String,
        sheet: u32,
        target: String,
    },
    /// Text from another program: lines of cells separated by tabs, cells with tabs or line breaks in quotes.
    PasteText {
        sheet: u32,
        target: String,
        text: String,
    },
    /// Fills `target`, which holds `source` and extends it in one direction.
    Fill {
        sheet: u32,
        source: String,
        target: String,
        mode: FillMode,
    },
    /// Copies the first row of the range into the others (Ctrl+D); of a single row, the row above.
    FillDown {
        sheet: u32,
        range: String,
    },
    /// Copies the first column of the range into the others (Ctrl+R); of a single column, the one to its left.
    FillRight {
        sheet: u32,
        range: String,
    },
    InsertRows {
        sheet: u32,
        at: u32,
        count: u32,
    },
    DeleteRows {
        sheet: u32,
        at: u32,
        count: u32,
    },
    InsertColumns {
        sheet: u32,
        at: u32,
        count: u32,
    },
    DeleteColumns {
        sheet: u32,
        at: u32,
        count: u32,
    },
    /// Takes rows or columns to before the one at `to`, or with the number of all to the end.
    MoveLines {
        sheet: u32,
        dimension: Axis,
        first: u32,
        count: u32,
        to: u32,
    },
    /// CSS pixels at zoom 1; `null` returns to the default size.
    Resize {
        sheet: u32,
        dimension: Axis,
        first: u32,
        count: u32,
        size: Option<u16>,
    },
    Sort {
        sheet: u32,
        range: String,
        keys: Vec<SortKey>,
        has_header: bool,
    },
    /// Keeps the first of the rows of the range that are alike in these columns (zero-based indices in the
    /// sheet); what follows moves up within the range.
    RemoveDuplicates {
        sheet: u32,
        range: String,
        columns: Vec<u32>,
        has_header: bool,
    },
    /// Splits the texts of the range's first column at each separator; the parts go into the cells to the right.
    SplitText {
        sheet: u32,
        range: String,
        separator: String,
    },
    /// Takes spaces away before and after the texts of the range, and all but one of several between words; no-break spaces,
    /// too. Formulas stay.
    TrimWhitespace {
        sheet: u32,
        range: String,
    },
    Format {
        sheet: u32,
        range: String,
        format: FormatChange,
    },
    /// Sets the attribute on the whole range, or takes it away when `active` (else the first cell) has it.
    Toggle {
        sheet: u32,
        range: String,
        attribute: ToggleAttribute,
        #[ts(optional)]
        active: Option<String>,
    },
    /// Without a name, the first free of `Sheet1`, `Sheet2` …; without a position, last.
    AddSheet {
        #[ts(optional)]
        name: Option<String>,
        #[ts(optional)]
        position: Option<u32>,
    },
    RenameSheet {
        sheet: u32,
        name: String,
    },
    /// `position` counts the other tabs only.
    MoveSheet {
        sheet: u32,
        position: u32,
    },
    RemoveSheet {
        sheet: u32,
    },
    /// A copy of a sheet right behind it. Without a name, the first free of `Name (2)`, `Name (3)` …
    DuplicateSheet {
        sheet: u32,
        #[ts(optional)]
        name: Option<String>,
    },
    /// `definition` is a formula with or without `=`; relative to `sheet` when it names none. `null` removes. With
    /// `local` it is a name of `sheet` alone; with `was` the name that it is given instead of, in all formulas.
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
    /// Makes an item, or changes one. Without `item` a new identity is chosen; with one that is not there yet
    /// the item is made, and `kind` is needed. Fields given are set, `null` clears one, the others stay. Anchors
    /// are A1 ranges. `sheet` is `null` for the workbook's own items.
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
    /// Together with the items that belong to it.
    RemoveItem {
        sheet: Option<u32>,
        #[ts(type = "number")]
        item: u64,
    },
    /// One cell in place of the range, or of each of its rows or columns; keeps the first content that is there.
    Merge {
        sheet: u32,
        range: String,
        how: MergeKind,
    },
    /// Takes apart what is merged in the range.
    Unmerge {
        sheet: u32,
        range: String,
    },
    /// How many rows and columns stay in place when the rest is scrolled.
    FreezePanes {
        sheet: u32,
        rows: u32,
        columns: u32,
    },
    /// Hides rows or columns, or shows them again.
    SetHidden {
        sheet: u32,
        dimension: Axis,
        first: u32,
        count: u32,
        hidden: bool,
    },
    /// One after the other, as one step to undo; each sees what those before it did.
    Many {
        commands: Vec<Command>,
    },
    /// What `command` does in the rows of `sheet` that are seen: in those that it names, or with `from` in as many as it
    /// names from that row on, like what is pasted. `hidden`: first row and count each; the page's engine puts in what a
    /// filter hides from its person. Commands that do not write, format, fill, hide, resize or delete its rows are as ever.
    InSight {
        sheet: u32,
        #[ts(optional)]
        from: Option<u32>,
        #[ts(optional, as = "Option<Vec<(u32, u32)>>")]
        hidden: Vec<(u32, u32)>,
        command: Box<Command>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum MergeKind {
    All,
    Rows,
    Columns,
}

/// The content of one cell, known by its kind: `{"number": 2}`, `{"formula": "=A1*2"}`, `"keep"`.
#[derive(Clone, PartialEq, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum CellContent {
    /// Leaves the cell as it is.
    Keep,
    Blank,
    Number(f64),
    Boolean(bool),
    /// Exactly this text, whatever it looks like.
    Text(String),
    /// As if typed.
    Typed(String),
    /// With or without `=`.
    Formula(String),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum ClearScope {
    Contents,
    Formats,
    All,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum PasteScope {
    All,
    /// Contents without formats.
    Contents,
    /// What formulas show, instead of them; without formats.
    Values,
    Formats,
    /// Contents and formats, rows as columns.
    Transposed,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum FillMode {
    /// Continues numbers, dates, weekdays, months and texts with a number; copies what has no next.
    Series,
    Copy,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, TS)]
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

/// `column` is the zero-based index in the sheet, not in the range.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct SortKey {
    pub column: u32,
    pub descending: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum ToggleAttribute {
    Bold,
    Italic,
    Underline,
    Strikethrough,
    Wrap,
}
