//! Timings of the engine: `cargo run --release -p quadrille-calc --example timings [filter]`.

mod columns;

use std::time::{Duration, Instant};

use quadrille_calc::{Budget, Calculation, EvaluationContext};
use quadrille_cell::{CellAddress, ColumnIndex, Dimension, EditKind, Range, SheetId, StructuralEdit, Value};
use quadrille_formula::{Host, parse};
use quadrille_workbook::{Input, Literal, Workbook};

const SHEET: SheetId = SheetId(1);
const CONTEXT: EvaluationContext = EvaluationContext { time_ms: 0, seed: 1 };

struct Book {
    workbook: Workbook,
    calculation: Calculation,
}

impl Book {
    fn new() -> Book {
        let workbook = Workbook::new();
        let calculation = Calculation::new(&workbook);
        Book { workbook, calculation }
    }

    fn numbers(&mut self, column: u32, count: usize) {
        let numbers: Vec<f64> = (0..count).map(|index| (index % 1000) as f64 + 0.5).collect();
        let sheet = self.workbook.sheet_mut(SHEET).expect("there is one sheet");
        sheet.set_column_numbers(ColumnIndex::clamped(column), 0, &numbers);
        let range = Range::from_indices(0, column, count as u32 - 1, column).expect("within the sheet");
        self.calculation.inputs_changed(&self.workbook, SHEET, range);
    }

    fn fill(&mut self, range: &str, formula: &str) {
        let range = Range::parse_a1(range).expect("ranges here are valid");
        let host = Host { sheet: SHEET, cell: range.first() };
        let input = Input::Formula(parse(formula, host, &self.workbook));
        self.set(range, &input);
    }

    fn set(&mut self, range: Range, input: &Input) {
        self.workbook.sheet_mut(SHEET).expect("there is one sheet").fill_input(range, input);
        self.calculation.inputs_changed(&self.workbook, SHEET, range);
    }

    fn type_number(&mut self, cell: CellAddress, number: f64) {
        let sheet = self.workbook.sheet_mut(SHEET).expect("there is one sheet");
        sheet.set_input(cell, &Input::Value(Literal::Number(number)));
        self.calculation.inputs_changed(&self.workbook, SHEET, Range::cell(cell));
    }

    fn evaluate(&mut self) -> usize {
        let mut budget = Budget::UNLIMITED;
        let evaluated = self.calculation.evaluate(&mut self.workbook, CONTEXT, &mut budget);
        assert!(evaluated.finished);
        evaluated.changed.len()
    }

    fn value(&self, a1: &str) -> Value {
        let cell = CellAddress::parse_a1(a1).expect("addresses here are valid");
        self.workbook.sheet(SHEET).expect("there is one sheet").value(cell)
    }
}

fn timed(mut action: impl FnMut()) -> Duration {
    let start = Instant::now();
    action();
    start.elapsed()
}

fn report(name: &str, duration: Duration) {
    println!("{name:<58} {:>12.3} ms", duration.as_secs_f64() * 1e3);
}

fn report_each(name: &str, mut action: impl FnMut(u32)) {
    let mut durations: Vec<Duration> = (0..2000).map(|turn| timed(|| action(turn))).collect();
    durations.sort();
    let micro = |duration: Duration| duration.as_secs_f64() * 1e6;
    println!("{name:<58} p50 {:>8.2} µs  p99 {:>8.2} µs", micro(durations[1000]), micro(durations[1980]));
}

/// Reports the median time of several edits of one cell.
fn edits(name: &str, book: &mut Book, a1: &str, count: u32) {
    let cell = CellAddress::parse_a1(a1).expect("addresses here are valid");
    let mut durations = Vec::new();
    for turn in 0..count {
        durations.push(timed(|| {
            book.type_number(cell, f64::from(turn) + 0.25);
            book.evaluate();
        }));
    }
    durations.sort();
    report(name, durations[durations.len() / 2]);
}

fn resident_bytes() -> usize {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    status.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).unwrap_or(0) * 4096
}

fn main() {
    let filter = std::env::args().nth(1).unwrap_or_default();
    let wanted = |name: &str| name.contains(&filter);
    if wanted("load") {
        let before = resident_bytes();
        let mut book = Book::new();
        let duration = timed(|| {
            for column in 0..10 {
                book.numbers(column, 100_000);
            }
            book.evaluate();
        });
        report("load: 1,000,000 numbers in 10 columns", duration);
        println!("{:<58} {:>12.1} bytes", "load: memory per cell", (resident_bytes() - before) as f64 / 1e6);
        let mut one_by_one = Book::new();
        let duration = timed(|| {
            for row in 0..100_000 {
                for column in 0..10 {
                    one_by_one.type_number(CellAddress::clamped(row, column), f64::from(row));
                }
            }
            one_by_one.evaluate();
        });
        report("load: the same, cell by cell", duration);
    }
    if wanted("fill") {
        let mut book = Book::new();
        book.numbers(0, 100_000);
        book.numbers(1, 100_000);
        book.evaluate();
        report("fill: 100,000 =A*2+B", timed(|| book.fill("C1:C100000", "A1*2+B1")));
        report(
            "fill: first evaluation",
            timed(|| {
                book.evaluate();
            }),
        );
        let full = book.calculation.is_clean();
        assert!(full);
        let mut book_again = Calculation::new(&book.workbook);
        report(
            "fill: evaluation of everything anew",
            timed(|| {
                let mut budget = Budget::UNLIMITED;
                book_again.evaluate(&mut book.workbook, CONTEXT, &mut budget);
            }),
        );
        report_each("fill: edit a cell nobody depends on", |turn| {
            book.type_number(CellAddress::clamped(turn, 5), f64::from(turn));
            book.evaluate();
        });
        report_each("fill: edit a cell with one dependent", |turn| {
            book.type_number(CellAddress::clamped(turn * 37 % 100_000, 0), f64::from(turn));
            book.evaluate();
        });
        report_each("fill: set another formula and evaluate", |turn| {
            let cell = CellAddress::clamped(turn * 41 % 100_000, 6);
            let formula = parse(&format!("A{}*3", turn + 1), Host { sheet: SHEET, cell }, &book.workbook);
            book.set(Range::cell(cell), &Input::Formula(formula));
            book.evaluate();
        });
        let edit = StructuralEdit {
            sheet: SHEET,
            dimension: Dimension::Rows,
            kind: EditKind::Insert,
            at: 0,
            count: 1,
        };
        report(
            "fill: insert a row above",
            timed(|| {
                book.workbook.sheet_mut(SHEET).expect("there is one sheet").restructure(&edit);
                book.calculation.restructured(&book.workbook, &edit);
                book.evaluate();
            }),
        );
    }
    if wanted("text") {
        let mut book = Book::new();
        book.numbers(0, 100_000);
        book.numbers(1, 100_000);
        book.evaluate();
        let before = resident_bytes();
        let duration = timed(|| {
            for row in 0..100_000u32 {
                let cell = CellAddress::clamped(row, 2);
                let text = format!("A{0}*2+B{0}", row + 1);
                let input = Input::Formula(parse(&text, Host { sheet: SHEET, cell }, &book.workbook));
                book.workbook.sheet_mut(SHEET).expect("there is one sheet").set_input(cell, &input);
                book.calculation.inputs_changed(&book.workbook, SHEET, Range::cell(cell));
            }
        });
        report("text: 100,000 =A*2+B from text, one by one", duration);
        report(
            "text: evaluation",
            timed(|| {
                book.evaluate();
            }),
        );
        let bytes = (resident_bytes().saturating_sub(before)) as f64 / 1e5;
        println!("{:<58} {bytes:>12.1} bytes", "text: memory per formula, its value included");
    }
    if wanted("different") {
        let mut book = Book::new();
        book.numbers(0, 100_000);
        book.evaluate();
        let before = resident_bytes();
        for row in 0..100_000u32 {
            let cell = CellAddress::clamped(row, 2);
            let text = format!("A{}*{row}", row + 1);
            let input = Input::Formula(parse(&text, Host { sheet: SHEET, cell }, &book.workbook));
            book.set(Range::cell(cell), &input);
        }
        report(
            "different: evaluation of 100,000 different formulas",
            timed(|| {
                book.evaluate();
            }),
        );
        let bytes = (resident_bytes().saturating_sub(before)) as f64 / 1e5;
        println!("{:<58} {bytes:>12.1} bytes", "different: memory per formula");
    }
    if wanted("chain") {
        let mut book = Book::new();
        book.fill("A2:A100000", "A1+1");
        book.evaluate();
        edits("chain: 100,000 =A[-1]+1, edit the first", &mut book, "A1", 11);
        println!("    {:?}", book.value("A100000"));
        let mut book = Book::new();
        book.fill("A1:A99999", "A2+1");
        book.evaluate();
        edits("chain: the same pointing upwards", &mut book, "A100000", 11);
        let mut book = Book::new();
        for row in 1..100_000u32 {
            let cell = CellAddress::clamped(row, 0);
            let text = match row % 4 {
                0 => format!("A{row}+1"),
                1 => format!("A{row}-1"),
                2 => format!("A{row}*1"),
                _ => format!("1+A{row}"),
            };
            let input = Input::Formula(parse(&text, Host { sheet: SHEET, cell }, &book.workbook));
            book.set(Range::cell(cell), &input);
        }
        report(
            "chain: four alternating shapes, first evaluation",
            timed(|| {
                book.evaluate();
            }),
        );
        edits("chain: four alternating shapes, edit the first", &mut book, "A1", 5);
        println!("    {:?}", book.value("A100000"));
        let mut book = Book::new();
        book.fill("A2:A100000", "IF(A1>=0,A1+1,0)");
        book.evaluate();
        edits("chain: with a function, edit the first", &mut book, "A1", 5);
    }
    columns::figures(&wanted);
    if wanted("sum") {
        let mut book = Book::new();
        book.numbers(0, 1_000_000);
        book.fill("C1", "SUM(A1:A1000000)");
        report(
            "sum: of 1,000,000, first time",
            timed(|| {
                book.evaluate();
            }),
        );
        edits("sum: of 1,000,000, edit one", &mut book, "A500000", 21);
        let mut book = Book::new();
        book.numbers(0, 100_000);
        book.fill("C1:C1000", "SUM(A$1:A$100000)");
        report(
            "sum: 1,000 of 100,000, first time",
            timed(|| {
                book.evaluate();
            }),
        );
        edits("sum: 1,000 of 100,000, edit one", &mut book, "A500", 5);
        let mut book = Book::new();
        book.numbers(0, 20_000);
        book.fill("C1:C20000", "SUM(A$1:A1)");
        report(
            "sum: 20,000 prefixes, first time",
            timed(|| {
                book.evaluate();
            }),
        );
        edits("sum: 20,000 prefixes, edit the first", &mut book, "A1", 3);
    }
}
