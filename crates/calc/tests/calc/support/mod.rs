//! Workbooks as text: `A1: 2 | B1: =A1*3 | Other!A1: x`.

use quadrille_calc::{Budget, Calculation, Evaluated, EvaluationContext, evaluate_from_scratch};
use quadrille_cell::{CellAddress, Dimension, Range, SheetId, StructuralEdit, Value};
use quadrille_formula::{Host, parse, rearrange, split_points};
use quadrille_workbook::{Input, Literal, Workbook};

pub const CONTEXT: EvaluationContext = EvaluationContext { time_ms: 1_700_000_000_000, seed: 7 };

pub fn at(a1: &str) -> CellAddress {
    CellAddress::parse_a1(a1).expect("test addresses are valid")
}

pub fn range(a1: &str) -> Range {
    Range::parse_a1(a1).expect("test ranges are valid")
}

/// A workbook and its calculation, edited through text.
pub struct Book {
    pub workbook: Workbook,
    pub calculation: Calculation,
    pub time_and_seed: EvaluationContext,
}

impl Book {
    pub fn new(cells: &str) -> Book {
        let workbook = Workbook::new();
        let calculation = Calculation::new(&workbook);
        let mut book = Book { workbook, calculation, time_and_seed: CONTEXT };
        book.edit(cells);
        book
    }

    /// Resolves `A1` or `Sheet!A1`; adds the sheet when it does not exist.
    pub fn place(&mut self, place: &str) -> (SheetId, CellAddress) {
        let Some((name, cell)) = place.split_once('!') else { return (SheetId(1), at(place)) };
        if self.workbook.sheet_by_name(name).is_none() {
            let id = SheetId(self.workbook.sheets().len() as u32 + 1);
            self.workbook.add_sheet(id, name, usize::MAX);
            self.calculation.sheets_changed(&self.workbook);
        }
        let id = self.workbook.sheet_by_name(name).expect("it was added above").id();
        (id, at(cell))
    }

    /// Parses the content of a cell as a user would type it.
    pub fn input(&self, sheet: SheetId, cell: CellAddress, text: &str) -> Input {
        if let Some(formula) = text.strip_prefix('=') {
            return Input::Formula(parse(formula, Host { sheet, cell }, &self.workbook));
        }
        match (text, text.parse::<f64>()) {
            ("", _) => Input::Blank,
            ("TRUE", _) => Input::Value(Literal::Boolean(true)),
            (_, Ok(number)) => Input::Value(Literal::Number(number)),
            _ => Input::Value(Literal::Text(text.into())),
        }
    }

    /// Sets cells from text: `A1: 2 | B1: =A1*3`.
    pub fn edit(&mut self, cells: &str) -> &mut Book {
        for cell in cells.split('|').map(str::trim).filter(|cell| !cell.is_empty()) {
            let (place, text) = cell.split_once(':').expect("cells are written `A1: 7`");
            let (sheet, cell) = self.place(place.trim());
            let input = self.input(sheet, cell, text.trim());
            self.set(sheet, Range::cell(cell), &input);
        }
        self
    }

    pub fn set(&mut self, sheet: SheetId, range: Range, input: &Input) {
        self.workbook.sheet_mut(sheet).expect("test sheets exist").fill_input(range, input);
        self.calculation.inputs_changed(&self.workbook, sheet, range);
    }

    /// Fills a range with a formula that is written for its first cell.
    pub fn fill(&mut self, cells: &str, text: &str) -> &mut Book {
        let cells = range(cells);
        let input = self.input(SheetId(1), cells.first(), text);
        self.set(SheetId(1), cells, &input);
        self
    }

    pub fn define(&mut self, name: &str, text: &str) -> &mut Book {
        let host = Host { sheet: SheetId(1), cell: at("A1") };
        let definition = (!text.is_empty()).then(|| parse(text, host, &self.workbook));
        self.workbook.define_name(name, definition);
        self.calculation.names_changed(&self.workbook);
        self
    }

    pub fn restructure(&mut self, edit: StructuralEdit) {
        rewrite_templates(&mut self.workbook, &edit);
        self.workbook.sheet_mut(edit.sheet).expect("test sheets exist").restructure(&edit);
        self.calculation.restructured(&self.workbook, &edit);
        // Operations rewrite defined names too; here they keep their text and refer to other cells.
        self.calculation.names_changed(&self.workbook);
    }

    pub fn evaluate(&mut self) -> Evaluated {
        let mut budget = Budget::UNLIMITED;
        let evaluated = self.calculation.evaluate(&mut self.workbook, self.time_and_seed, &mut budget);
        assert!(evaluated.finished && self.calculation.is_clean());
        evaluated
    }

    pub fn value(&self, place: &str) -> Value {
        let (sheet, cell) = match place.split_once('!') {
            Some((name, cell)) => (self.workbook.sheet_by_name(name).expect("test sheets exist"), cell),
            None => (self.workbook.sheet(SheetId(1)).expect("the first sheet exists"), place),
        };
        sheet.value(at(cell))
    }

    /// Evaluates and returns the values of the listed cells: `A1: 2 | B1: 6`.
    pub fn show(&mut self, places: &str) -> String {
        self.evaluate();
        let shown =
            places.split_whitespace().map(|place| format!("{place}: {}", text_of(&self.value(place))));
        shown.collect::<Vec<_>>().join(" | ")
    }

    /// Asserts that every value equals the result of the reference evaluator.
    pub fn assert_matches_scratch(&self, what: &str) {
        let expected = evaluate_from_scratch(&self.workbook, self.time_and_seed);
        let mut shown = std::collections::BTreeMap::new();
        for sheet in self.workbook.sheets() {
            if let Some(used) = sheet.used_range() {
                let cells = used.cells().map(|cell| ((sheet.id(), cell), sheet.value(cell)));
                shown.extend(cells.filter(|(_, value)| !value.is_blank()));
            }
        }
        for ((sheet, cell), value) in &expected {
            let found = shown.get(&(*sheet, *cell));
            assert_eq!(found, Some(value), "{sheet:?} {cell} {what}");
        }
        assert_eq!(shown, expected, "{what}");
    }
}

/// Checks the values of some cells of a new workbook, also with the reference evaluator.
#[track_caller]
pub fn check(cells: &str, places: &str, expected: &str) {
    let mut book = Book::new(cells);
    assert_eq!(book.show(places), expected, "{cells}");
    book.assert_matches_scratch(cells);
}

/// Rewrites all formulas of a workbook for a structural edit.
fn rewrite_templates(workbook: &mut Workbook, edit: &StructuralEdit) {
    for sheet in workbook.clone().sheets() {
        let id = sheet.id();
        for (column, first, last, template) in sheet.formula_runs(Range::whole_sheet()) {
            let mut starts = vec![first];
            starts.extend(split_points(template, id, column, (first, last), edit));
            starts.sort_unstable();
            starts.dedup();
            for (index, start) in starts.iter().enumerate() {
                let end = starts.get(index + 1).map_or(last, |next| next - 1);
                let host = Host { sheet: id, cell: CellAddress::clamped(*start, column.get()) };
                if let Some(template) = rearrange(template, host, edit) {
                    let rows = Range::from_indices(*start, column.get(), end, column.get());
                    let rows = rows.expect("pieces of a run are not empty");
                    let target = workbook.sheet_mut(id).expect("the clone has the same sheets");
                    target.fill_input(rows, &Input::Formula(template));
                }
            }
        }
    }
}

pub fn edit_rows(kind: quadrille_cell::EditKind, at: u32, count: u32) -> StructuralEdit {
    StructuralEdit { sheet: SheetId(1), dimension: Dimension::Rows, kind, at, count }
}

pub fn text_of(value: &Value) -> String {
    match value {
        Value::Blank => "-".into(),
        Value::Number(number) => number.to_string(),
        Value::Boolean(boolean) => if *boolean { "TRUE" } else { "FALSE" }.into(),
        Value::Text(text) => text.to_string(),
        Value::Error(error) => error.to_string(),
    }
}
