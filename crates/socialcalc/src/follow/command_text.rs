//! Parts of commands that several kinds of them share.

use quadrille_cell::{CellAddress, ColumnIndex, Dimension, column_name};
use quadrille_files::socialcalc_dialect::to_socialcalc;
use quadrille_formula::Host;
use quadrille_workbook::{Input, Sheet, Workbook};

/// Cells, rows or columns that the commands for one operation name one by one, at most.
pub const FOLLOWED_CELLS_MAX: u64 = 2_000;

/// The size of a row or column, which is the default without a number.
pub(super) fn size(sheet: &Sheet, dimension: Dimension, index: u32) -> String {
    let size = sheet.size(dimension, index).map(|size| size.to_string()).unwrap_or_default();
    let attribute = match dimension {
        Dimension::Rows => "height",
        Dimension::Columns => "width",
    };
    format!("set {} {attribute} {size}", line_name(dimension, index))
}

/// Whether a row or column is hidden.
pub(super) fn hidden(sheet: &Sheet, dimension: Dimension, index: u32) -> String {
    let is_hidden = if sheet.is_hidden(dimension, index) { "yes" } else { "no" };
    format!("set {} hide {is_hidden}", line_name(dimension, index))
}

/// The name of a row or column.
pub(super) fn line_name(dimension: Dimension, index: u32) -> String {
    match dimension {
        Dimension::Rows => (index + 1).to_string(),
        Dimension::Columns => column_name(ColumnIndex::clamped(index)),
    }
}

/// The text without line breaks: they separate commands.
pub(super) fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

/// The formula of a cell without `=`.
pub(super) fn formula(workbook: &Workbook, sheet: &Sheet, cell: CellAddress) -> Option<String> {
    match sheet.input(cell) {
        Input::Formula(template) => {
            Some(one_line(&to_socialcalc(&template, Host { sheet: sheet.id(), cell }, workbook)))
        }
        _ => None,
    }
}
