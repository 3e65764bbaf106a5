//! Workbooks that depend on time or random numbers. Rooms apply empty transactions to them at
//! intervals while someone views them, to renew the evaluation context.

use quadrille_cell::Range;
use quadrille_formula::{Template, visit_calls};
use quadrille_operation::{Operation, Transaction};
use quadrille_workbook::{Input, Workbook};

/// Functions whose values depend on the evaluation context. OFFSET and INDIRECT are volatile too,
/// but give the same result for the same cells.
const CONTEXT_FUNCTIONS: [&str; 5] = ["NOW", "TODAY", "RAND", "RANDBETWEEN", "RANDARRAY"];

/// Whether any formula or name depends on time or random numbers. O(number of formula runs).
pub fn is_time_dependent(workbook: &Workbook) -> bool {
    let mut sheets = workbook.sheets().iter();
    let in_cells = sheets.any(|sheet| {
        sheet.formula_runs(Range::whole_sheet()).any(|(_, _, _, template)| needs_context(template))
    });
    in_cells || workbook.names().any(|(_, definition)| needs_context(definition))
}

/// Whether the transaction adds a formula or name that depends on time or random numbers.
pub fn has_context(transaction: &Transaction) -> bool {
    let of_input = |input: &Input| matches!(input, Input::Formula(template) if needs_context(template));
    transaction.operations.iter().any(|operation| match operation {
        Operation::SetCells { inputs, .. } => inputs.iter().any(of_input),
        Operation::FillCells { input, .. } => of_input(input),
        Operation::DefineName { definition: Some(definition), .. } => needs_context(definition),
        _ => false,
    })
}

fn needs_context(template: &Template) -> bool {
    let mut found = false;
    visit_calls(template, &mut |function, _| found |= CONTEXT_FUNCTIONS.contains(&function));
    found
}
