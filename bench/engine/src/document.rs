//! The edits of a replica: operations on a document with their inverses for undo.

use quadrille_bench_tasks::{Figure, Figures, Outcome, Probe, quantile};
use quadrille_cell::{CellAddress, ColumnIndex, Dimension, EditKind, Range, SheetId, StructuralEdit};
use quadrille_document::{Document, EvaluationContext};
use quadrille_formula::{Host, parse};
use quadrille_operation::Operation;
use quadrille_workbook::{Input, Literal, Workbook};

use crate::ours::{cells, wrong};

const CONTEXT: EvaluationContext = EvaluationContext { time_ms: 0, seed: 1 };
const SHEET: SheetId = SheetId(1);
const ROWS: u32 = 100_000;
const EDITS: u32 = 2_000;

/// Runs the task: a column of 100,000 formulas `=A*2+B` in one operation, its evaluation, edits, and a row
/// inserted above.
pub fn document(probe: &dyn Probe) -> Outcome<Figures> {
    let mut workbook = Workbook::new();
    let numbers: Vec<f64> = (0..ROWS).map(|row| f64::from(row % 1000) + 0.5).collect();
    let sheet = workbook.sheet_mut(SHEET).ok_or_else(|| wrong("no sheet"))?;
    for column in [0, 1] {
        sheet.set_column_numbers(ColumnIndex::clamped(column), 0, &numbers);
    }
    let host = Host { sheet: SHEET, cell: CellAddress::clamped(0, 2) };
    let input = Input::Formula(parse("A1*2+B1", host, &workbook));
    let mut document = Document::from_workbook(workbook);
    document.evaluate(u64::MAX);

    let mut figures = Figures::new();
    let mut timed = |row: &'static str, document: &mut Document, operation: Operation| {
        let start = probe.nanoseconds();
        document.apply(&operation.into(), CONTEXT);
        document.evaluate(u64::MAX);
        figures.push(Figure { row, value: (probe.nanoseconds() - start) as f64 / 1e6 });
    };
    let range = cells(0, 2, ROWS - 1, 2)?;
    timed("document_fill", &mut document, Operation::FillCells { sheet: SHEET, range, input });
    let edit =
        StructuralEdit { sheet: SHEET, dimension: Dimension::Rows, kind: EditKind::Insert, at: 0, count: 1 };
    timed("document_insert", &mut document, Operation::Restructure(edit));
    for (row, column) in [("document_edit_leaf", 5), ("document_edit_dependent", 0)] {
        let mut durations = Vec::new();
        for turn in 0..EDITS {
            let cell = CellAddress::clamped(1 + turn * 37 % ROWS, column);
            let inputs = vec![Input::Value(Literal::Number(f64::from(turn)))];
            let start = probe.nanoseconds();
            let operation = Operation::SetCells { sheet: SHEET, range: Range::cell(cell), inputs };
            document.apply(&operation.into(), CONTEXT);
            document.evaluate(u64::MAX);
            durations.push((probe.nanoseconds() - start) as f64 / 1e3);
        }
        durations.sort_by(f64::total_cmp);
        figures.push(Figure { row, value: quantile(&durations, 0.5) });
    }
    Ok(figures)
}
