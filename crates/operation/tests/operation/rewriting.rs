//! Structural edits of formulas shared by many runs: each is rewritten as it would be alone.

use proptest::prelude::*;
use quadrille_cell::{CellAddress, Dimension, EditKind, Range, SheetId, StructuralEdit};
use quadrille_formula::{Host, Template, parse, rearrange};
use quadrille_operation::{Operation, Transaction, apply};
use quadrille_workbook::{Input, Workbook};

const SHEETS: [SheetId; 2] = [SheetId(1), SheetId(2)];
const ROWS: u32 = 40;

/// Returns a formula as it reads in one row. References to rows above the first begin at the first.
fn shape(number: usize, row: u32) -> String {
    let r = row + 1;
    let above = |count: u32| r.saturating_sub(count).max(1);
    match number {
        0 => format!("A{r}*2+$B$5"),
        1 => format!("SUM(A{r}:A{})", r + 3),
        2 => format!("SUM($A$3:A{r})-A{}", above(2)),
        3 => format!("Data!A{r}+Data!$B$4"),
        4 => format!("SUM(A{}:$A$9)", r + 1),
        5 => "$B$5".to_owned(),
        _ => format!("SUM(A{}:B{r})*COUNT(D:D)+COUNT({r}:{r})", above(3)),
    }
}

fn workbook(shapes: &[Option<usize>]) -> Workbook {
    let mut workbook = Workbook::new();
    workbook.add_sheet(SHEETS[1], "Data", 1);
    for (row, shape_number) in (0..).zip(shapes) {
        let Some(number) = shape_number else { continue };
        for (sheet, column) in [(SHEETS[0], 2), (SHEETS[0], 5), (SHEETS[1], 2)] {
            let cell = CellAddress::clamped(row, column);
            let template = parse(&shape(*number, row), Host { sheet, cell }, &workbook);
            workbook.sheet_mut(sheet).expect("it is there").set_input(cell, &Input::Formula(template));
        }
    }
    workbook
}

type Formulas = Vec<(SheetId, CellAddress, Template)>;

fn formulas(workbook: &Workbook) -> Formulas {
    let mut found = Formulas::new();
    for sheet in workbook.sheets() {
        for (column, first, last, template) in sheet.formula_runs(Range::whole_sheet()) {
            for row in first..=last {
                found.push((sheet.id(), CellAddress::clamped(row, column.get()), template.clone()));
            }
        }
    }
    found.sort_by_key(|(sheet, cell, _)| (*sheet, *cell));
    found
}

fn edit() -> impl Strategy<Value = StructuralEdit> {
    let kind = prop_oneof![
        Just(EditKind::Insert),
        Just(EditKind::Delete),
        (0u32..30).prop_map(|to| EditKind::Move { to })
    ];
    let dimension = prop_oneof![4 => Just(Dimension::Rows), 1 => Just(Dimension::Columns)];
    (kind, dimension, 0u32..20, 1u32..6, 0usize..2).prop_map(|(kind, dimension, at, count, sheet)| {
        StructuralEdit { sheet: SHEETS[sheet], dimension, kind, at, count }
    })
}

proptest! {
    #[test]
    fn shared_formulas_are_rewritten_like_single_ones(
        shapes in prop::collection::vec(prop::option::weighted(0.9, 0usize..7), ROWS as usize),
        edit in edit(),
    ) {
        let before = workbook(&shapes);
        let mut expected = Formulas::new();
        for (sheet, cell, template) in formulas(&before) {
            let host = Host { sheet, cell };
            let after = if sheet == edit.sheet { edit.map_cell(cell) } else { Some(cell) };
            if let Some(after) = after {
                let rewritten = rearrange(&template, host, &edit).unwrap_or(template);
                expected.push((sheet, after, rewritten));
            }
        }
        expected.sort_by_key(|(sheet, cell, _)| (*sheet, *cell));

        let mut workbook = before.clone();
        let applied = apply(&mut workbook, &Transaction::from(Operation::Restructure(edit)));
        let is_a_move_nowhere = matches!(edit.kind, EditKind::Move { .. }) && edit.moved_window().is_none();
        prop_assume!(!is_a_move_nowhere);
        prop_assert_eq!(formulas(&workbook), expected);
        apply(&mut workbook, &applied.inverse);
        prop_assert_eq!(formulas(&workbook), formulas(&before));
    }
}
