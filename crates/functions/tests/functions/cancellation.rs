//! Latency of cancellation: between two polls of `Cancel`, and after it is cancelled, a function
//! reads at most some thousand cells.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use quadrille_cell::{CellAddress, Range, SheetId, Value};
use quadrille_functions::{
    Budget, CallContext, Cancel, Chunk, EvaluationContext, Function, Operand, RangeArea, RangeOperand,
    RangeView, all,
};

const ROWS: u32 = 30_000;
/// A chunk is read as a whole, and part of another chunk can have been read since the last poll.
const READS_MAX: u64 = 2 * 4_096;

/// A column that counts the cells read and polls `cancel` like the columns of a sheet.
struct Column<'a> {
    is_text: bool,
    cancel: Option<&'a Cancel>,
    reads: &'a Reads,
}

#[derive(Default)]
struct Reads {
    since_poll: Arc<AtomicU64>,
    max: Arc<AtomicU64>,
    is_cancelled: Arc<AtomicBool>,
    after_cancel: Cell<u64>,
}

impl Reads {
    fn count(&self, cells: u64) {
        self.since_poll.fetch_add(cells, Ordering::Relaxed);
        if self.is_cancelled.load(Ordering::Relaxed) {
            self.after_cancel.set(self.after_cancel.get() + cells);
        }
    }

    /// Returns a token that is cancelled at the given poll.
    fn cancel_after(&self, polls: u64) -> Cancel {
        let (since, max, is_cancelled) =
            (self.since_poll.clone(), self.max.clone(), self.is_cancelled.clone());
        let polls_done = AtomicU64::new(0);
        Cancel::when(move || {
            max.fetch_max(since.swap(0, Ordering::Relaxed), Ordering::Relaxed);
            let cancels = polls_done.fetch_add(1, Ordering::Relaxed) >= polls;
            is_cancelled.fetch_or(cancels, Ordering::Relaxed);
            cancels
        })
    }
}

impl Column<'_> {
    fn is_cancelled_within(&self, cells: u64) -> bool {
        self.cancel.is_some_and(|cancel| cancel.is_requested_within(cells))
    }

    fn number(row: u32) -> f64 {
        f64::from(row.wrapping_mul(7_919) % 5_000)
    }
}

impl RangeView for Column<'_> {
    fn rows(&self) -> u32 {
        ROWS
    }

    fn columns(&self) -> u32 {
        1
    }

    fn used_rows(&self) -> u32 {
        ROWS
    }

    fn value(&self, row: u32, _column: u32) -> Value {
        self.reads.count(1);
        match (self.is_cancelled_within(1), self.is_text) {
            (true, _) => Value::Blank,
            (_, true) => Value::text(format!("text {}", Column::number(row))),
            _ => Value::Number(Column::number(row)),
        }
    }

    fn for_each_chunk(&self, _column: u32, visit: &mut dyn FnMut(Chunk<'_>) -> ControlFlow<()>) {
        for first in (0..ROWS).step_by(4_096) {
            let rows = first..(first + 4_096).min(ROWS);
            if self.is_cancelled_within(rows.len() as u64) {
                return;
            }
            self.reads.count(rows.len() as u64);
            let numbers: Vec<f64> = rows.map(Column::number).collect();
            let flow = match self.is_text {
                false => visit(Chunk::Numbers(&numbers)),
                true => {
                    let texts = numbers.iter().map(|number| Value::text(format!("text {number}")));
                    visit(Chunk::Mixed(&Texts(texts.collect())))
                }
            };
            if flow.is_break() {
                return;
            }
        }
    }
}

struct Texts(Vec<Value>);

impl quadrille_functions::CellSequence for Texts {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn get(&self, index: usize) -> quadrille_functions::ValueRef<'_> {
        (&self.0[index]).into()
    }
}

/// Calls a function with a long column as its argument `large` and cancels it at a poll. Returns
/// the cells read after that poll, the maximum between two polls, and whether that poll was
/// reached.
fn call(function: &Function, large: usize, other: &Operand, is_text: bool, polls: u64) -> (u64, u64, bool) {
    let reads = Reads::default();
    let cancel = reads.cancel_after(polls);
    let column = Column { is_text, cancel: Some(&cancel), reads: &reads };
    let range = Range::from_indices(0, 0, ROWS - 1, 0).expect("within the sheet");
    let area = RangeArea { sheet: SheetId(1), range, view: &column };
    let count = match function.arity {
        (fewest, 255) => usize::from(fewest).max(2),
        (fewest, most) => usize::from(fewest.max(most.min(4))),
    };
    let operands: Vec<Operand> = (0..count)
        .map(
            |at| if at == large { Operand::Range(RangeOperand { areas: vec![area] }) } else { other.clone() },
        )
        .collect();
    let mut budget = Budget { cancel: cancel.clone(), ..Budget::UNLIMITED };
    let time_and_seed = EvaluationContext { time_ms: 1_750_000_000_000, seed: 7 };
    let mut context = CallContext::new(SheetId(1), CellAddress::clamped(3, 3), time_and_seed, &mut budget);
    function.call(&mut context, &operands);
    let max = reads.max.load(Ordering::Relaxed).max(reads.since_poll.load(Ordering::Relaxed));
    (reads.after_cancel.get(), max, reads.is_cancelled.load(Ordering::Relaxed))
}

#[test]
fn functions_stop_reading_soon_after_cancellation() {
    let others = [Operand::Value(Value::Number(2.0)), Operand::Value(Value::text("text 1*"))];
    let mut cancelled = 0;
    for function in all().iter().filter(|function| !function.is_lazy()) {
        for large in 0..usize::from(function.arity.1).min(4) {
            for (other, is_text) in [(&others[0], false), (&others[1], true), (&others[0], true)] {
                for polls in [0, 1, 3, 9] {
                    let (after, max, is_cancelled) = call(function, large, other, is_text, polls);
                    let name = function.name;
                    assert!(
                        after <= READS_MAX,
                        "{name} reads {after} cells after poll {polls}, argument {large}"
                    );
                    assert!(max <= READS_MAX, "{name} reads {max} cells between two polls, argument {large}");
                    cancelled += u32::from(is_cancelled);
                }
            }
        }
    }
    assert!(cancelled > 1_000, "too few calls were cancelled: {cancelled}");
}

/// Reading arrays does not poll, so functions over arrays must poll themselves.
#[test]
fn functions_that_sort_or_multiply_poll_for_cancellation() {
    let polls_of = |name: &str, operands: &[Operand]| -> u64 {
        let poll_count = Arc::new(AtomicU64::new(0));
        let counter = poll_count.clone();
        let cancel = Cancel::when(move || {
            counter.fetch_add(1, Ordering::Relaxed);
            false
        });
        let mut budget = Budget { cancel, ..Budget::UNLIMITED };
        let mut context = CallContext::new(
            SheetId(1),
            CellAddress::clamped(0, 0),
            EvaluationContext::default(),
            &mut budget,
        );
        quadrille_functions::lookup(name).expect("the function exists").call(&mut context, operands);
        poll_count.load(Ordering::Relaxed)
    };
    let array = |rows: u32, columns: u32, value: &dyn Fn(u32) -> Value| {
        let values: Vec<Value> = (0..rows * columns).map(value).collect();
        Operand::Array(quadrille_cell::Array::new(rows, columns, values).expect("as many values as cells"))
    };
    let number = |index: u32| Value::Number(f64::from(index.wrapping_mul(7_919) % 65_521) + 0.5);
    let text =
        |index: u32| Value::text(format!("some text of length {}", index.wrapping_mul(7_919) % 65_521));
    let long = array(40_000, 1, &number);
    let texts = array(40_000, 1, &text);
    let square = array(120, 120, &number);
    let one = Operand::Value(Value::Number(1.0));
    // Arguments and a lower bound for the steps of work.
    for (name, operands, steps) in [
        ("SEQUENCE", vec![Operand::Value(Value::Number(40_000.0))], 40_000),
        ("RANDARRAY", vec![Operand::Value(Value::Number(40_000.0))], 40_000),
        ("SORT", vec![long.clone()], 4 * 40_000),
        ("SORT", vec![texts.clone()], 6 * 40_000),
        ("UNIQUE", vec![texts.clone()], 6 * 40_000),
        ("MEDIAN", vec![long.clone()], 4 * 40_000),
        ("MODE", vec![long.clone()], 40_000),
        ("CONCAT", vec![array(4_000, 1, &number)], 4_000),
        ("TRANSPOSE", vec![array(12_000, 2, &number)], 24_000),
        ("MINVERSE", vec![square.clone()], 120 * 120 * 120),
        ("MDETERM", vec![square.clone()], 120 * 120 * 60),
        ("MMULT", vec![square.clone(), square.clone()], 120 * 120 * 120),
        ("IRR", vec![array(40_000, 1, &|index| Value::Number(if index == 0 { -1e6 } else { 31.0 }))], 40_000),
        ("LINEST", vec![long.clone(), long.clone()], 40_000),
        (
            "XMATCH",
            vec![Operand::Value(Value::text("*zz?")), texts.clone(), Operand::Value(Value::Number(2.0))],
            40_000,
        ),
        ("LEN", vec![texts.clone()], 40_000),
        ("NETWORKDAYS", vec![one.clone(), Operand::Value(Value::Number(50_000.0)), long.clone()], 40_000),
        (
            "AMORDEGRC",
            {
                let values =
                    [1e15, 1.0, 2.0, 0.0, 1e6, 1e-9].map(|number| Operand::Value(Value::Number(number)));
                values.to_vec()
            },
            500_000,
        ),
        (
            "FORECAST.ETS.SEASONALITY",
            vec![array(3_000, 1, &number), array(3_000, 1, &|index| Value::Number(f64::from(index)))],
            1_000_000,
        ),
    ] {
        let polls = polls_of(name, &operands);
        assert!(polls >= steps / 4_096, "{name} polled {polls} times in {steps} steps");
    }
}
