//! Calculates formulas with the whole engine.

pub mod oracle;

use quadrille_calc::{Budget, Calculation, EvaluationContext};
use quadrille_cell::{CellAddress, Range, SheetId, Value};
use quadrille_formula::{Host, parse};
use quadrille_functions::text;
use quadrille_number_format::parse_input;
use quadrille_workbook::{Field, FieldValue, Input, Item, ItemId, ItemKind, Workbook};

/// Sufficient for any example, and small enough to end runaway formulas at once.
const BUDGET: Budget = Budget { steps_left: 50_000_000, cells_left: 10_000_000, ..Budget::UNLIMITED };

/// Cell of the tested formulas: below and to the right of all data, with space for arrays.
const FORMULA_CELL: &str = "AA1000";

/// Returns the result of each formula, alone in a sheet with the given cells (address and input).
pub fn calculate<'a>(cells: &[(&str, &str)], formulas: impl IntoIterator<Item = &'a str>) -> Vec<Value> {
    calculate_in(Workbook::new(), cells, formulas)
}

/// As [`calculate`], in the 1904 date system.
pub fn calculate_from_1904<'a>(
    cells: &[(&str, &str)],
    formulas: impl IntoIterator<Item = &'a str>,
) -> Vec<Value> {
    let mut settings = Item::new(ItemKind::WorkbookSettings);
    settings.fields.insert(Field::Date1904, FieldValue::Boolean(true));
    let mut workbook = Workbook::new();
    workbook.set_item(None, ItemId::SETTINGS, Some(settings));
    calculate_in(workbook, cells, formulas)
}

fn calculate_in<'a>(
    mut filled: Workbook,
    cells: &[(&str, &str)],
    formulas: impl IntoIterator<Item = &'a str>,
) -> Vec<Value> {
    let sheet = SheetId(1);
    for (address, typed) in cells {
        let cell = CellAddress::parse_a1(address).expect("test addresses are valid");
        let input = match typed.strip_prefix('=') {
            Some(formula) => Input::Formula(parse(formula, Host { sheet, cell }, &filled)),
            None => Input::from(parse_input(typed).value),
        };
        filled.sheet_mut(sheet).expect("the first sheet exists").set_input(cell, &input);
    }
    let cell = CellAddress::parse_a1(FORMULA_CELL).expect("the address is valid");
    let calculate_one = |formula: &str| {
        let mut workbook = filled.clone();
        let template = parse(formula.trim_start_matches('='), Host { sheet, cell }, &workbook);
        let target = workbook.sheet_mut(sheet).expect("the first sheet exists");
        target.set_input(cell, &Input::Formula(template));
        let mut calculation = Calculation::new(&workbook);
        calculation.inputs_changed(&workbook, sheet, Range::whole_sheet());
        let time_and_seed = EvaluationContext { time_ms: 1_750_000_000_000, seed: 42 };
        calculation.evaluate(&mut workbook, time_and_seed, &mut BUDGET.clone());
        workbook.sheet(sheet).expect("the first sheet exists").value(cell)
    };
    formulas.into_iter().map(calculate_one).collect()
}

/// Returns a value as text, unformatted and with full precision.
pub fn displayed(value: &Value) -> String {
    match text(value) {
        Ok(text) => text.to_string(),
        Err(error) => error.text().to_owned(),
    }
}
