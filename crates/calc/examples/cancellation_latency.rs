//! Measures the longest time between two cancellation checks for every function of the library,
//! with several kinds of large arguments: `cargo run --release -p quadrille-calc --example
//! cancellation_latency [function]`.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use quadrille_calc::{Budget, Calculation, Cancel, EvaluationContext};
use quadrille_cell::{CellAddress, ColumnIndex, Range, SheetId, Value};
use quadrille_formula::{Host, parse};
use quadrille_workbook::{Input, Workbook};

const SHEET: SheetId = SheetId(1);
const ROWS: u32 = 300_000;

/// Passed to one argument of the function at a time; `OTHERS` go to the remaining arguments.
const LARGE: [&str; 3] = ["A1:A300000", "B1:B300000", "SEQUENCE(300000)"];
const OTHERS: [&str; 4] = ["C1:C300000", "2", "\"a*7\"", "LAMBDA(x,y,x)"];

fn filled() -> Workbook {
    let mut workbook = Workbook::new();
    let sheet = workbook.sheet_mut(SHEET).expect("there is one sheet");
    let numbers: Vec<f64> =
        (0..ROWS).map(|row| f64::from(row.wrapping_mul(2_654_435_761) % 100_000)).collect();
    sheet.set_column_numbers(ColumnIndex::clamped(0), 0, &numbers);
    let rising: Vec<f64> = (0..ROWS).map(f64::from).collect();
    sheet.set_column_numbers(ColumnIndex::clamped(2), 0, &rising);
    let texts: Vec<Value> = numbers.iter().map(|number| Value::text(format!("Text {number}"))).collect();
    sheet.set_computed_values(ColumnIndex::clamped(1), 0, &texts);
    workbook
}

#[derive(Default)]
struct Gaps {
    last: Option<Instant>,
    longest: Duration,
}

fn longest_gap(workbook: &Workbook, formula: &str) -> (Duration, Duration) {
    let mut workbook = workbook.clone();
    let cell = CellAddress::clamped(0, 6);
    let template = parse(formula, Host { sheet: SHEET, cell }, &workbook);
    workbook.sheet_mut(SHEET).expect("there is one sheet").set_input(cell, &Input::Formula(template));
    let mut calculation = Calculation::new(&workbook);
    calculation.inputs_changed(&workbook, SHEET, Range::cell(cell));
    let gaps = Arc::new(Mutex::new(Gaps::default()));
    let kept = Arc::clone(&gaps);
    let began = Instant::now();
    let look = move || {
        let now = Instant::now();
        let mut gaps = kept.lock().expect("one thread");
        if let Some(last) = gaps.last {
            gaps.longest = gaps.longest.max(now - last);
        }
        gaps.last = Some(now);
        // 25 ms show how often a longer calculation checks.
        now - began > Duration::from_millis(25)
    };
    let cancel = Cancel::when(look);
    let _ = cancel.is_requested();
    let mut budget = Budget { cancel: cancel.clone(), ..Budget::UNLIMITED };
    let time_and_seed = EvaluationContext { time_ms: 1_750_000_000_000, seed: 1 };
    calculation.evaluate(&mut workbook, time_and_seed, &mut budget);
    let _ = cancel.is_requested();
    (gaps.lock().expect("one thread").longest, began.elapsed())
}

fn main() {
    let only = std::env::args().nth(1);
    let workbook = filled();
    let mut found = Vec::new();
    for function in quadrille_functions::all() {
        if only.as_ref().is_some_and(|only| !function.name.contains(only.as_str())) {
            continue;
        }
        let count = match function.arity {
            (fewest, 255) => usize::from(fewest).max(2),
            (fewest, most) => usize::from(fewest.max(most.min(3))),
        };
        let mut worst = (Duration::ZERO, Duration::ZERO, String::new());
        for large in LARGE {
            for place in 0..count {
                for other in OTHERS {
                    let arguments: Vec<&str> =
                        (0..count).map(|at| if at == place { large } else { other }).collect();
                    let formula = format!("{}({})", function.name, arguments.join(","));
                    let (mut gap, mut whole) = longest_gap(&workbook, &formula);
                    // Other processes interfere; the shortest of several measurements counts.
                    for _ in 0..4 {
                        if gap > Duration::from_millis(2) {
                            (gap, whole) = (gap, whole).min(longest_gap(&workbook, &formula));
                        }
                    }
                    if gap > worst.0 {
                        worst = (gap, whole, formula);
                    }
                }
            }
        }
        eprintln!("{:9.2} {}", worst.0.as_secs_f64() * 1e3, function.name);
        found.push(worst);
    }
    found.sort();
    for (gap, whole, formula) in found.iter().rev() {
        println!("{:9.2} ms of {:9.2}  ={formula}", gap.as_secs_f64() * 1e3, whole.as_secs_f64() * 1e3);
    }
}
