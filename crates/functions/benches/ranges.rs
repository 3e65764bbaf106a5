//! Benchmark of functions over large ranges: 200,000 rows of 10 columns, numbers and text in blocks
//! as in a workbook. `cargo bench -p quadrille-functions` prints milliseconds and the ratio to a
//! plain loop over the same numbers.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use quadrille_cell::{Array, CellAddress, Range, SheetId, Value};
use quadrille_functions::{
    Budget, CallContext, CellSequence, Chunk, EvaluationContext, Operand, RangeArea, RangeOperand, RangeView,
    ValueRef, lookup,
};

const ROWS: u32 = 200_000;
const COLUMNS: u32 = 10;
const BLOCK_ROWS: usize = 4096;

enum Column {
    Numbers(Vec<f64>),
    Texts(Vec<Arc<str>>),
}

struct Table {
    columns: Vec<Column>,
}

/// A block of text cells.
struct Texts<'a>(&'a [Arc<str>]);

impl CellSequence for Texts<'_> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn get(&self, index: usize) -> ValueRef<'_> {
        ValueRef::Text(&self.0[index])
    }
}

impl RangeView for Table {
    fn rows(&self) -> u32 {
        ROWS
    }

    fn columns(&self) -> u32 {
        self.columns.len() as u32
    }

    fn used_rows(&self) -> u32 {
        ROWS
    }

    fn value(&self, row: u32, column: u32) -> Value {
        match &self.columns[column as usize] {
            Column::Numbers(numbers) => Value::Number(numbers[row as usize]),
            Column::Texts(texts) => Value::Text(texts[row as usize].clone()),
        }
    }

    fn for_each_chunk(&self, column: u32, visit: &mut dyn FnMut(Chunk<'_>) -> ControlFlow<()>) {
        let _ = match &self.columns[column as usize] {
            Column::Numbers(numbers) => {
                numbers.chunks(BLOCK_ROWS).try_for_each(|block| visit(Chunk::Numbers(block)))
            }
            Column::Texts(texts) => {
                texts.chunks(BLOCK_ROWS).try_for_each(|block| visit(Chunk::Mixed(&Texts(block))))
            }
        };
    }
}

/// Pseudorandom numbers, the same in every run.
fn numbers(seed: u64) -> Column {
    let mut state = seed;
    let next = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / 16.0
    };
    Column::Numbers((0..ROWS).map(next).collect())
}

fn texts() -> Column {
    let Column::Numbers(numbers) = numbers(99) else { unreachable!("numbers are numbers") };
    let names: Vec<Arc<str>> = (0..500).map(|index| Arc::from(format!("Airport {index}"))).collect();
    Column::Texts(numbers.iter().map(|number| names[*number as usize % names.len()].clone()).collect())
}

fn operand(view: &dyn RangeView) -> Operand<'_> {
    let last = CellAddress::clamped(view.rows() - 1, view.columns() - 1);
    let range = Range::new(CellAddress::clamped(0, 0), last);
    Operand::Range(RangeOperand { areas: vec![RangeArea { sheet: SheetId(1), range, view }] })
}

fn main() {
    let mut columns = vec![texts()];
    columns.extend((1..u64::from(COLUMNS)).map(numbers));
    let table = Table { columns };
    let (names, amounts) = (Table { columns: vec![texts()] }, Table { columns: vec![numbers(1)] });
    let include: Vec<Value> = (0..ROWS).map(|row| Value::Boolean(row % 2 == 0)).collect();
    let include = Array::new(ROWS, 1, include).expect("as many values as rows");

    let Column::Numbers(plain) = &amounts.columns[0] else { unreachable!("amounts are numbers") };
    let bare = fastest(|| plain.iter().fold(0.0, |sum, number| sum + number));
    println!("{:<34} {bare:>9.3} ms", "plain loop over 200,000 numbers");

    let number = |number: f64| Operand::Value(Value::Number(number));
    let text = |text: &str| Operand::Value(Value::text(text));
    let measure = |label: &str, name: &str, arguments: &[Operand]| {
        let function = lookup(name).expect("the function exists");
        let ms = fastest(|| {
            let mut budget = Budget::UNLIMITED;
            let time_and_seed = EvaluationContext::default();
            let mut context =
                CallContext::new(SheetId(1), CellAddress::clamped(0, 20), time_and_seed, &mut budget);
            function.call(&mut context, arguments)
        });
        println!("{label:<34} {ms:>9.3} ms {:>9.1} x", ms / bare);
    };
    measure("SUM, 1 column", "SUM", &[operand(&amounts)]);
    measure("MAX, 1 column", "MAX", &[operand(&amounts)]);
    measure("COUNTIF, number", "COUNTIF", &[operand(&amounts), text(">500000")]);
    measure("COUNTIF, text", "COUNTIF", &[operand(&names), text("airport 7")]);
    measure("COUNTIF, wildcard", "COUNTIF", &[operand(&names), text("*rt 7*")]);
    let two = [operand(&amounts), operand(&names), text("airport 7"), operand(&amounts), text(">500000")];
    measure("SUMIFS, text and number", "SUMIFS", &two);
    measure(
        "MATCH, last number",
        "MATCH",
        &[number(plain[ROWS as usize - 1]), operand(&amounts), number(0.0)],
    );
    measure("MATCH, text not there", "MATCH", &[text("Airport"), operand(&names), number(0.0)]);
    measure("MATCH, halving", "MATCH", &[number(4.0), operand(&amounts), number(1.0)]);
    measure("FILTER, 10 columns, every 2nd row", "FILTER", &[operand(&table), Operand::Array(include)]);
    measure("SORT, 10 columns by number", "SORT", &[operand(&table), number(2.0)]);
    measure("SORT, 10 columns by text", "SORT", &[operand(&table), number(1.0)]);
    measure("UNIQUE, 1 column of 500 texts", "UNIQUE", &[operand(&names)]);
    measure("UNIQUE, 1 column of numbers", "UNIQUE", &[operand(&amounts)]);
    measure("UNIQUE, 10 columns", "UNIQUE", &[operand(&table)]);
    measure("MEDIAN, 1 column", "MEDIAN", &[operand(&amounts)]);
    measure("STDEV, 1 column", "STDEV", &[operand(&amounts)]);
}

/// Returns the milliseconds of the fastest of several runs.
fn fastest<T>(mut run: impl FnMut() -> T) -> f64 {
    let time = |_| {
        let start = Instant::now();
        std::hint::black_box(run());
        start.elapsed().as_secs_f64() * 1e3
    };
    (0..7).map(time).fold(f64::INFINITY, f64::min)
}
