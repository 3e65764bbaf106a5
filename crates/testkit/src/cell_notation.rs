//! One-line notation for the cells of a workbook: `A1: 2 | B1: =A1*3 | Data!A1: x`.
//!
//! A sheet is created when it is first named; cells without a sheet belong to Sheet1.

use quadrille_cell::{CellAddress, Range, SheetId};
use quadrille_formula::{Host, parse, print};
use quadrille_number_format::{general, parse_input};
use quadrille_workbook::{Input, Literal, Workbook};

/// Reads a workbook. Formulas start with `=`; other contents are read like typed text.
///
/// # Panics
///
/// Panics if a part is not `address: content`.
pub fn read_cells(text: &str) -> Workbook {
    let mut workbook = Workbook::new();
    let cells: Vec<(SheetId, CellAddress, &str)> = text
        .split(" | ")
        .filter(|cell| !cell.trim().is_empty())
        .map(|cell| {
            let (position, content) = cell.trim().split_once(": ").expect(cell);
            let (sheet, address) = match position.split_once('!') {
                Some((name, address)) => (sheet_named(&mut workbook, name), address),
                None => (SheetId(1), position),
            };
            (sheet, CellAddress::parse_a1(address).expect(cell), content)
        })
        .collect();
    for (sheet, cell, content) in cells {
        let input = match content.strip_prefix('=') {
            Some(formula) => Input::Formula(parse(formula, Host { sheet, cell }, &workbook)),
            None => Input::from(parse_input(content).value),
        };
        let sheet = workbook.sheet_mut(sheet).expect("just added");
        sheet.set_input(cell, &input);
    }
    workbook
}

fn sheet_named(workbook: &mut Workbook, name: &str) -> SheetId {
    if let Some(sheet) = workbook.sheet_by_name(name) {
        return sheet.id();
    }
    let id = SheetId(workbook.sheets().len() as u32 + 1);
    workbook.add_sheet(id, name, usize::MAX);
    id
}

/// Writes the inputs of all sheets in the notation of [`read_cells`], sheet by sheet and row by
/// row.
pub fn write_cells(workbook: &Workbook) -> String {
    let mut cells = Vec::new();
    for sheet in workbook.sheets() {
        let mut inputs: Vec<_> = sheet.inputs_in(Range::whole_sheet()).collect();
        inputs.sort_by_key(|(cell, _)| *cell);
        for (cell, input) in inputs {
            let host = Host { sheet: sheet.id(), cell };
            cells.push(format!(
                "{}{cell}: {}",
                prefix(workbook, sheet.id()),
                write_input(&input, host, workbook)
            ));
        }
    }
    cells.join(" | ")
}

/// Prefix of addresses of a sheet, for example `Data!`; empty for the first sheet.
pub(crate) fn prefix(workbook: &Workbook, sheet: SheetId) -> String {
    match workbook.sheet(sheet) {
        Some(found) if workbook.position(sheet) != Some(0) => format!("{}!", found.name()),
        _ => String::new(),
    }
}

fn write_input(input: &Input, host: Host, workbook: &Workbook) -> String {
    match input {
        Input::Blank => String::new(),
        Input::Formula(template) => format!("={}", print(template, host, workbook)),
        Input::Value(Literal::Number(number)) => general(*number, None),
        Input::Value(Literal::Boolean(boolean)) => if *boolean { "TRUE" } else { "FALSE" }.to_owned(),
        Input::Value(Literal::Text(text)) => text.to_string(),
        Input::Value(Literal::Error(error)) => error.text().to_owned(),
    }
}
