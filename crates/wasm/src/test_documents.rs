//! Documents for tests, described by the text typed into their cells.

use quadrille_document::{Document, EvaluationContext};
use quadrille_operation::{Command, plan};

/// A calculated document with the cells `A1: 2 | B1: =A1*3` on its first sheet.
pub fn document(cells: &str) -> Document {
    let mut document = Document::new();
    for cell in cells.split(" | ") {
        let (cell, text) = cell.split_once(": ").expect("cells are written as `A1: text`");
        let command = Command::TypeText { sheet: 1, cell: cell.to_owned(), text: text.to_owned() };
        let mut no_sheets = || unreachable!("typing adds no sheet");
        let transaction = plan(&command, document.workbook(), &mut no_sheets).expect("the cell exists");
        document.apply(&transaction, EvaluationContext::default());
    }
    document.evaluate(u64::MAX);
    document
}
