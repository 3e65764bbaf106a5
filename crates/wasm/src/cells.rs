//! Reads cells for the clipboard and for other programs: displayed text, value, formula and number
//! format.

use quadrille_cell::{CellAddress, Range, SheetId, Value};
use quadrille_document::Document;
use quadrille_formula::{Host, print};
use quadrille_operation::ItemValue;
use quadrille_workbook::{Input, Sheet};

use crate::messages::{CellTable, ReadCell, RowOfCells};

/// Maximum number of cells in a table. A larger table would be tens of megabytes of JSON.
const CELLS_MAX: u64 = 200_000;

/// The cells of a range, without the rows in `skipped` (first row and count, ascending) and without
/// the rows beyond `CELLS_MAX`. Whole rows and columns end at the used range.
pub fn read(document: &Document, id: SheetId, range: Range, skipped: &[(u32, u32)]) -> CellTable {
    let Some(sheet) = document.workbook().sheet(id) else { return CellTable::default() };
    let range = clip_to_used_range(sheet, range);
    let is_included = |row: &u32| {
        let next = skipped.partition_point(|(first, count)| first + count <= *row);
        skipped.get(next).is_none_or(|(first, _)| row < first)
    };
    let rows_max = (CELLS_MAX / u64::from(range.column_count())).max(1) as usize;
    let mut rows = (range.first().row.get()..=range.last().row.get()).filter(is_included);
    let table = rows.by_ref().take(rows_max).map(|row| RowOfCells {
        row,
        cells: (range.first().column.get()..=range.last().column.get())
            .map(|column| read_cell(document, sheet, CellAddress::clamped(row, column)))
            .collect(),
    });
    let table = table.collect();
    let (top, bottom) = (range.first().row.get(), range.last().row.get());
    let left_out = skipped.iter().filter(|(first, count)| *first <= bottom && first + count > top);
    CellTable {
        rows: table,
        left: range.first().column.get(),
        is_cut_short: rows.next().is_some(),
        left_out: left_out.copied().collect(),
    }
}

fn read_cell(document: &Document, sheet: &Sheet, cell: CellAddress) -> ReadCell {
    let (value, format) = (sheet.value(cell), sheet.format(cell));
    let formula = match sheet.input(cell) {
        Input::Formula(template) => {
            let host = Host { sheet: sheet.id(), cell };
            Some(format!("={}", print(&template, host, document.workbook())))
        }
        _ => None,
    };
    ReadCell {
        text: document.display_value(&value, format).text,
        value: match value {
            Value::Blank => None,
            Value::Number(number) => Some(ItemValue::Number(number)),
            Value::Boolean(boolean) => Some(ItemValue::Boolean(boolean)),
            Value::Text(text) => Some(ItemValue::Text(text.to_string())),
            Value::Error(error) => Some(ItemValue::Text(error.text().to_owned())),
        },
        formula,
        number_format: format.number_format.as_ref().map(|code| code.to_string()),
    }
}

/// Clips whole rows, whole columns and the whole sheet to the used range; other ranges do not
/// change.
fn clip_to_used_range(sheet: &Sheet, range: Range) -> Range {
    let is_whole = range.is_whole_rows() || range.is_whole_columns();
    let used = sheet.used_range().map(|used| Range::new(CellAddress::clamped(0, 0), used.last()));
    match used.and_then(|used| used.intersection(range)) {
        Some(inside) if is_whole => inside,
        None if is_whole => Range::cell(range.first()),
        _ => range,
    }
}
