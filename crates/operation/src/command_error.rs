//! [`CommandError`]: the reasons why a command cannot be planned.

use crate::BadItem;
use crate::OperationError;
use quadrille_cell::AddressError;
use std::fmt;

/// The reason why a command cannot be planned.
#[derive(Clone, PartialEq, Debug)]
pub enum CommandError {
    UnknownSheet {
        sheet: u32,
    },
    BadAddress(AddressError),
    /// A paste or fill reaches beyond the sheet's last row or column.
    OutsideSheet,
    /// The command writes more cells than the limit. Whole columns count only up to the last used
    /// row.
    TooManyCells {
        count: u64,
        max: u64,
    },
    SheetNameTaken {
        name: String,
    },
    TooManySheets {
        max: usize,
    },
    LastSheet,
    /// Inserting would push cells that are not empty off the end of the sheet.
    NoRoomToInsert,
    /// The target of a fill does not contain its source, or extends it along both dimensions.
    BadFillTarget,
    /// A sort key outside the range, or no key.
    BadSortKey,
    /// The separator for splitting texts is empty.
    NoSeparator,
    /// Rows of unequal length, or no rows.
    NotARectangle,
    UnknownName {
        name: String,
    },
    BadColor {
        text: String,
    },
    BadNumber,
    BadRotation {
        degrees: i16,
    },
    UnknownItem {
        item: u64,
    },
    /// `kind` is missing for a new item, or is not the name of a kind.
    UnknownKind {
        kind: String,
    },
    TooManyItems {
        max: usize,
    },
    /// Items that only the server writes.
    ImportedData,
    /// Sorting or moving would split these merged cells.
    MergedCells {
        range: String,
    },
    /// The cells of a pivot table are written by it alone.
    CellsOfPivotTable,
    /// Clearing or moving would take cells from a pivot table.
    PartOfPivotTable,
    /// Sorting the cells of a pivot table.
    SortedPivotTable,
    /// Moving would take cells from the array of the formula in this cell.
    PartOfArray {
        formula: String,
    },
    /// Sorting would tear the array of the formula in this cell apart.
    SortedArray {
        formula: String,
    },
    TooManyCommands {
        max: usize,
    },
    /// Hidden rows divide the visible rows into more ranges than one transaction may change or its
    /// undo may restore.
    TooManyRowRanges {
        count: usize,
    },
    /// The column of a slicer is in no filter and in no pivot table of its sheet.
    NothingToFilter,
    /// A date in another form than `2024-12-31`.
    BadDate {
        text: String,
    },
    /// A period that ends before it begins, has one end only, or is given together with values.
    BadPeriod,
    /// The command changes something else than the contents of cells.
    NotSuggestable,
    Refused(OperationError),
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CommandError::UnknownSheet { sheet } => write!(f, "unknown sheet: {sheet}"),
            CommandError::BadAddress(error) => error.fmt(f),
            CommandError::OutsideSheet => f.write_str("the cells do not fit on the sheet"),
            CommandError::TooManyCells { count, max } => {
                write!(f, "more cells at once than {max}: {count}")
            }
            CommandError::SheetNameTaken { name } => write!(f, "another sheet has this name: {name}"),
            CommandError::TooManySheets { max } => write!(f, "a workbook holds no more sheets than {max}"),
            CommandError::LastSheet => f.write_str("a workbook keeps at least one sheet"),
            CommandError::NoRoomToInsert => {
                f.write_str("inserting would push filled cells off the end of the sheet")
            }
            CommandError::BadFillTarget => {
                f.write_str("the cells to fill must extend the source in one direction")
            }
            CommandError::BadSortKey => f.write_str("sorting needs a key column within the range"),
            CommandError::NoSeparator => f.write_str("splitting needs a separator"),
            CommandError::NotARectangle => f.write_str("the cells given do not form a rectangle"),
            CommandError::UnknownName { name } => write!(f, "unknown name: {name}"),
            CommandError::BadColor { text } => write!(f, "not a colour such as #1f6f5c: {text}"),
            CommandError::BadNumber => f.write_str("number that is infinite or not a number"),
            CommandError::BadRotation { degrees } => {
                write!(f, "text rotation must be from -90 to 90 degrees: {degrees}")
            }
            CommandError::UnknownItem { item } => write!(f, "unknown item: {item}"),
            CommandError::UnknownKind { kind } => write!(f, "unknown kind of item: {kind}"),
            CommandError::TooManyItems { max } => {
                write!(f, "a sheet holds no more items than {max}, and those of limited size")
            }
            CommandError::ImportedData => f.write_str("imported data is written by the server only"),
            CommandError::MergedCells { range } => {
                write!(f, "unmerge these cells first: {range}")
            }
            CommandError::CellsOfPivotTable => {
                f.write_str("a pivot table fills these cells: change its source or its fields")
            }
            CommandError::PartOfPivotTable => {
                f.write_str("cells of a pivot table cannot be deleted or moved without the others")
            }
            CommandError::SortedPivotTable => {
                f.write_str("the order of a pivot table is a setting of its fields")
            }
            CommandError::PartOfArray { formula } => {
                write!(f, "the cells of an array move only with their formula: {formula}")
            }
            CommandError::SortedArray { formula } => {
                write!(f, "sort these cells by SORT in the formula that fills them: {formula}")
            }
            CommandError::TooManyCommands { max } => write!(f, "more commands at once than {max}"),
            CommandError::TooManyRowRanges { count } => {
                write!(
                    f,
                    "hidden rows split these cells into {count} ranges, too many for one change; sort first"
                )
            }
            CommandError::NothingToFilter => f.write_str(
                "the slicer's column is in no filter and in no pivot table of its sheet: add a filter to it",
            ),
            CommandError::BadDate { text } => write!(f, "not a date such as 2024-12-31: {text}"),
            CommandError::BadPeriod => f.write_str(
                "a slicer needs values in `shown`, or a period in `from` and `to` that ends after it begins",
            ),
            CommandError::NotSuggestable => f.write_str("only contents of cells can be suggested"),
            CommandError::Refused(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CommandError {}

impl From<AddressError> for CommandError {
    fn from(error: AddressError) -> CommandError {
        CommandError::BadAddress(error)
    }
}

impl From<OperationError> for CommandError {
    fn from(error: OperationError) -> CommandError {
        CommandError::Refused(error)
    }
}

impl From<BadItem> for CommandError {
    fn from(error: BadItem) -> CommandError {
        CommandError::Refused(OperationError::BadItem(error))
    }
}
