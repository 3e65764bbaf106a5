//! Contents of cells as commands.

use quadrille_cell::{CellAddress, Range, Value};
use quadrille_files::socialcalc_escapes::encode;
use quadrille_files::socialcalc_styles::type_of_number;
use quadrille_number_format::NumberFormat;
use quadrille_workbook::{Format, Input, Literal, Sheet, Workbook};

use super::command_text::{FOLLOWED_CELLS_MAX, formula, one_line};
use super::styles;

/// The contents of a range after they were written. Cells outside the range that was used before
/// get their format too: SocialCalc has none for whole columns, so the client may not know it.
/// `None` for too many cells.
pub(super) fn contents(
    workbook: &Workbook,
    sheet: &Sheet,
    range: Range,
    used_before: Option<Range>,
) -> Option<Vec<String>> {
    let used = [used_before, sheet.used_range()].into_iter().flatten().reduce(Range::union);
    let Some(range) = used.and_then(|used| range.intersection(used)) else { return Some(Vec::new()) };
    if range.cell_count() == 1 {
        let cell = range.first();
        let mut commands = vec![content(workbook, sheet, cell)];
        commands.extend(new_format(sheet, cell, used_before));
        return Some(commands);
    }
    let filled: Vec<CellAddress> =
        sheet.inputs_in(range).map(|(cell, _)| cell).take(FOLLOWED_CELLS_MAX as usize + 1).collect();
    if filled.len() as u64 > FOLLOWED_CELLS_MAX || range.cell_count() > 100 * FOLLOWED_CELLS_MAX {
        return None;
    }
    let mut commands = Vec::new();
    if (filled.len() as u64) < range.cell_count() {
        commands.push(format!("set {range} empty"));
    }
    for cell in filled {
        commands.push(content(workbook, sheet, cell));
        commands.extend(new_format(sheet, cell, used_before));
    }
    Some(commands)
}

/// The formulas of a range; `None` for too many.
pub(super) fn formulas(workbook: &Workbook, sheet: &Sheet, range: Range) -> Option<Vec<String>> {
    let mut commands = Vec::new();
    for (column, first, last, _) in sheet.formula_runs(range) {
        for row in first..=last {
            let cell = CellAddress::clamped(row, column.get());
            if range.contains(cell) {
                commands.push(content(workbook, sheet, cell));
            }
            if commands.len() as u64 > FOLLOWED_CELLS_MAX {
                return None;
            }
        }
    }
    Some(commands)
}

fn new_format(sheet: &Sheet, cell: CellAddress, used_before: Option<Range>) -> Vec<String> {
    let is_known = used_before.is_some_and(|used| used.contains(cell));
    match !is_known && *sheet.format(cell) != Format::default() {
        true => styles::all(sheet, Range::cell(cell)).unwrap_or_default(),
        false => Vec::new(),
    }
}

/// The command that gives a cell its content.
fn content(workbook: &Workbook, sheet: &Sheet, cell: CellAddress) -> String {
    if let Some(formula) = formula(workbook, sheet, cell) {
        return format!("set {cell} formula {formula}");
    }
    match sheet.input(cell) {
        Input::Value(Literal::Number(number)) => match type_of_number(sheet.format(cell)) {
            "n" => format!("set {cell} value n {number}"),
            kind => {
                let code = sheet.format(cell).number_format.as_deref().unwrap_or_default();
                let shown = NumberFormat::parse(code).format(&Value::Number(number)).text;
                format!("set {cell} constant {kind} {number} {}", one_line(&shown))
            }
        },
        Input::Value(Literal::Boolean(boolean)) => {
            let shown = if boolean { "TRUE" } else { "FALSE" };
            format!("set {cell} constant nl {} {shown}", u8::from(boolean))
        }
        Input::Value(Literal::Text(content)) => format!("set {cell} text t {}", encode(&content)),
        Input::Value(Literal::Error(error)) => format!("set {cell} constant e{error} 0 {error}"),
        Input::Blank | Input::Formula(_) => format!("set {cell} empty"),
    }
}
