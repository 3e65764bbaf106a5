//! Imported data of a document: which sources its formulas need, and what there is of them.

use std::sync::Arc;

use quadrille_cell::{CellAddress, Range, SheetId};
use quadrille_operation::{Operation, Transaction};
use quadrille_workbook::{
    ImportFailure, ImportSource, Imported, Input, Workbook, imports_data as formula_imports_data,
};

use crate::Document;

/// An import of the formula in a cell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CellImport {
    pub source: ImportSource,
    /// `None` when there are values, or none have come yet.
    pub failure: Option<(ImportFailure, Arc<str>)>,
    /// Whether the server has written something.
    pub has_come: bool,
}

impl Document {
    /// The sources that formulas in cells need, as of the last evaluation.
    pub fn import_sources(&self) -> Vec<ImportSource> {
        self.calculation().import_sources().into_iter().cloned().collect()
    }

    /// The imports of the formula in a cell, or of the formula that fills it.
    pub fn imports_of_cell(&self, sheet: SheetId, cell: CellAddress) -> Vec<CellImport> {
        let anchor = self.workbook().sheet(sheet).and_then(|sheet| sheet.spill_anchor(cell)).unwrap_or(cell);
        let sources = self.calculation().import_sources_of(sheet, anchor);
        let imports = sources.into_iter().map(|source| {
            let imported = source.find(self.workbook().items());
            let has_come = imported.is_some();
            let failure = match imported {
                Some(Imported::Failure(failure, details)) => Some((failure, details)),
                Some(Imported::Values(_)) | None => None,
            };
            CellImport { source: source.clone(), failure, has_come }
        });
        imports.collect()
    }
}

/// Whether any formula or name imports data. O(number of formula runs).
pub fn has_import_formulas(workbook: &Workbook) -> bool {
    let mut sheets = workbook.sheets().iter();
    let in_cells = sheets.any(|sheet| {
        sheet.formula_runs(Range::whole_sheet()).any(|(_, _, _, template)| formula_imports_data(template))
    });
    in_cells || workbook.names().any(|(_, definition)| formula_imports_data(definition))
}

/// Whether the transaction adds a formula or name that imports data.
pub fn imports_data(transaction: &Transaction) -> bool {
    let of_input =
        |input: &Input| matches!(input, Input::Formula(template) if formula_imports_data(template));
    transaction.operations.iter().any(|operation| match operation {
        Operation::SetCells { inputs, .. } => inputs.iter().any(of_input),
        Operation::FillCells { input, .. } => of_input(input),
        Operation::DefineName { definition: Some(definition), .. } => formula_imports_data(definition),
        _ => false,
    })
}
