//! Which workbooks show time or chance: those have to be stamped anew now and then while somebody looks.

use quadrille_cell::Range;
use quadrille_formula::{Template, visit_calls};
use quadrille_operation::{Operation, Transaction};
use quadrille_workbook::{Input, Workbook};

/// Functions whose values come from the stamp. `OFFSET` and `INDIRECT` are calculated again at every change too,
/// but give the same for the same cells.
const OF_THE_CONTEXT: [&str; 5] = ["NOW", "TODAY", "RAND", "RANDBETWEEN", "RANDARRAY"];

/// Whether any formula or name shows time or chance. Costs as much as there are formulas.
pub fn is_time_dependent(workbook: &Workbook) -> bool {
    let mut sheets = workbook.sheets().iter();
    let in_cells = sheets.any(|sheet| {
        sheet.formula_runs(Range::whole_sheet()).any(|(_, _, _, template)| needs_context(template))
    });
    in_cells || workbook.names().any(|(_, definition)| needs_context(definition))
}

/// Whether the transaction brings in a formula or name that does.
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
    visit_calls(template, &mut |function, _| found |= OF_THE_CONTEXT.contains(&function));
    found
}
