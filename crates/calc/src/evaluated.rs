//! The result of an evaluation, and the writes that fill it.

use quadrille_cell::{CellAddress, Range, SheetId, Value};
use quadrille_workbook::{Input, Workbook};

/// The result of [`Calculation::evaluate`](crate::Calculation::evaluate).
#[derive(Clone, Debug, Default)]
pub struct Evaluated {
    /// Ranges whose displayed values may have changed.
    pub changed: Vec<(SheetId, Range)>,
    /// Whether every value is up to date; otherwise call `evaluate` again.
    pub finished: bool,
}

/// Writes a computed value. Returns `false` when the cell already has it.
pub(crate) fn write_value(
    workbook: &mut Workbook,
    sheet: SheetId,
    cell: CellAddress,
    value: Value,
    evaluated: &mut Evaluated,
) -> bool {
    let Some(found) = workbook.sheet(sheet) else { return false };
    if found.value(cell) == value {
        return false;
    }
    workbook.sheet_mut(sheet).expect("it was found above").set_computed(cell, value);
    record_change(evaluated, sheet, Range::cell(cell));
    true
}

/// Writes a value in place of a result that is not known: the start of an iteration, or an error. A
/// pivot table has no formula in its cell; without a result it occupies only this cell, and if the
/// cell has an input or another array's value, that remains.
pub(crate) fn write_provisional(
    workbook: &mut Workbook,
    sheet: SheetId,
    cell: CellAddress,
    value: Value,
    evaluated: &mut Evaluated,
) {
    let Some(found) = workbook.sheet_mut(sheet) else { return };
    if found.formula(cell).is_none() {
        match found.spill_anchor(cell) {
            Some(anchor) if anchor == cell => {}
            None if found.input(cell) == Input::Blank => found.mark_spilled(Range::cell(cell), cell),
            _ => return,
        }
    }
    write_value(workbook, sheet, cell, value, evaluated);
}

/// Adds a changed range, joined with the previous one when it is vertically adjacent to it.
pub(crate) fn record_change(evaluated: &mut Evaluated, sheet: SheetId, range: Range) {
    if let Some((last_sheet, last)) = evaluated.changed.last_mut()
        && *last_sheet == sheet
        && last.first().column == range.first().column
        && last.last().column == range.last().column
    {
        let (top, bottom) = (range.first().row.get(), range.last().row.get());
        let (last_top, last_bottom) = (last.first().row.get(), last.last().row.get());
        if top <= last_bottom + 1 && last_top <= bottom + 1 {
            *last = last.union(range);
            return;
        }
    }
    evaluated.changed.push((sheet, range));
}
