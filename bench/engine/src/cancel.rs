//! The latency of cancellation: how long an evaluation continues after its cancellation is requested.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use quadrille_bench_engine::wrong;
use quadrille_bench_tasks::{Figure, Figures, Outcome};
use quadrille_calc::{Budget, Calculation, Cancel, EvaluationContext};
use quadrille_cell::{CellAddress, ColumnIndex, SheetId, Value};
use quadrille_formula::{Host, parse};
use quadrille_workbook::{Input, Workbook};

const SHEET: SheetId = SheetId(1);
const ROWS: u32 = 300_000;

/// The slowest known formulas; A has numbers, B texts, C ascending numbers. They include the functions with
/// the longest time between two checks (`--example cancellation_latency` of `quadrille-calc`), and one
/// formula for each way to create a large array from a short formula.
const FORMULAS: [&str; 22] = [
    "SUMPRODUCT((A1:A300000=TRANSPOSE(C1:C20))*1)",
    "MMULT(SEQUENCE(2000,2000),SEQUENCE(2000,2000))",
    "MINVERSE(RANDARRAY(600,600))",
    "MDETERM(RANDARRAY(900,900))",
    "SORT(B1:B300000)",
    "SORTBY(A1:A300000,B1:B300000,1,A1:A300000,-1)",
    "UNIQUE(B1:B300000)",
    "GROUPBY(B1:B300000,A1:A300000,SUM)",
    "PIVOTBY(SEQUENCE(3000),SEQUENCE(3000),SEQUENCE(3000),LAMBDA(a,b,SUM(a,b)))",
    "QUERY(A1:C300000,\"select B, sum(A) group by B order by B\")",
    "FORECAST.ETS(1E300,SEQUENCE(100000),SEQUENCE(100000),8000)",
    "LINEST(A1:A300000,C1:C300000^{1,2,3,4,5})",
    "REDUCE(0,SEQUENCE(1000000),LAMBDA(a,b,a+b))",
    "MAP(SEQUENCE(1000),LAMBDA(x,SUM(MAP(SEQUENCE(1000),LAMBDA(y,SUM(SEQUENCE(1000)))))))",
    "SUM(IF(COUNTIF(A1:A20000,A1:A20000&\"*\")>1,1,0))",
    "SUMIFS(A1:A300000,B1:B300000,\"*?*?*?*?*?*?*?*?*?*x\")",
    "REGEXREPLACE(REPT(\"a\",32767),\"(a*)*b\",\"c\")",
    "SUBSTITUTE(REPT(\"a\",32767),\"a\",REPT(\"b\",32767))",
    "TEXTJOIN(\",\",FALSE,A1:C300000)",
    "MEDIAN(A1:A300000*SEQUENCE(1,20))",
    "IRR(SEQUENCE(100000))",
    "SUM(SEQUENCE(1000000)*SEQUENCE(1,1000000))",
];

const DELAYS_MS: [u64; 4] = [1, 5, 20, 60];
const TURNS: usize = 5;

fn filled() -> Outcome<Workbook> {
    let mut workbook = Workbook::new();
    let sheet = workbook.sheet_mut(SHEET).ok_or_else(|| wrong("no sheet"))?;
    let mixed = |row: u32| f64::from(row.wrapping_mul(2_654_435_761) % 100_000);
    let numbers: Vec<f64> = (0..ROWS).map(mixed).collect();
    sheet.set_column_numbers(ColumnIndex::clamped(0), 0, &numbers);
    let texts: Vec<Value> = numbers.iter().map(|number| Value::text(format!("Text {number}"))).collect();
    sheet.set_column_values(ColumnIndex::clamped(1), 0, &texts);
    let rising: Vec<f64> = (0..ROWS).map(f64::from).collect();
    sheet.set_column_numbers(ColumnIndex::clamped(2), 0, &rising);
    Ok(workbook)
}

/// Time until an evaluation stops; `None` when it was finished before the request.
fn until_stopped(workbook: &Workbook, delay: Duration) -> Option<Duration> {
    let mut workbook = workbook.clone();
    let mut calculation = Calculation::new(&workbook);
    let cancel = Cancel::requestable();
    let (started, start) = mpsc::channel();
    let asked = thread::spawn({
        let cancel = cancel.clone();
        move || {
            let _ = start.recv();
            thread::sleep(delay);
            let now = Instant::now();
            cancel.request();
            now
        }
    });
    let mut budget = Budget { cancel, ..Budget::UNLIMITED };
    let _ = started.send(());
    let evaluated =
        calculation.evaluate(&mut workbook, EvaluationContext { time_ms: 0, seed: 1 }, &mut budget);
    let ended = Instant::now();
    let asked = asked.join().ok()?;
    (!evaluated.finished).then(|| ended.saturating_duration_since(asked))
}

/// Runs the task: the longest latency of a formula (the median of five, for the worst delay and formula),
/// the longest of all measurements, and that of the first evaluation of 100,000 alternating formulas,
/// which checks only after it has ordered them.
pub fn cancel() -> Outcome<Figures> {
    let filled = filled()?;
    let (mut worst, mut longest) = (Duration::ZERO, Duration::ZERO);
    for formula in FORMULAS {
        let mut workbook = filled.clone();
        let cell = CellAddress::clamped(0, 6);
        let template = parse(formula, Host { sheet: SHEET, cell }, &workbook);
        let sheet = workbook.sheet_mut(SHEET).ok_or_else(|| wrong("no sheet"))?;
        sheet.set_input(cell, &Input::Formula(template));
        let (mut of_formula, mut moments) = (None, String::new());
        for delay in DELAYS_MS {
            let turns = (0..TURNS).filter_map(|_| until_stopped(&workbook, Duration::from_millis(delay)));
            let mut turns: Vec<Duration> = turns.collect();
            turns.sort();
            if let (Some(median), Some(last)) = (turns.get(turns.len() / 2), turns.last()) {
                of_formula = of_formula.max(Some(*median));
                moments += &format!("{:7.2} after {delay}", median.as_secs_f64() * 1e3);
                longest = longest.max(*last);
            }
        }
        match of_formula {
            Some(median) => {
                eprintln!("{:9.3} ms ={formula} ({} ms)", median.as_secs_f64() * 1e3, moments.trim())
            }
            None => eprintln!("   had ended ={formula}"),
        }
        worst = worst.max(of_formula.unwrap_or_default());
    }

    let mut workbook = filled;
    for row in 0..100_000 {
        let cell = CellAddress::clamped(row, 6);
        let text = format!("A{}*{}+SUM(C{}:C{})", row + 1, row % 5, row + 1, row + 3);
        let template = parse(&text, Host { sheet: SHEET, cell }, &workbook);
        let sheet = workbook.sheet_mut(SHEET).ok_or_else(|| wrong("no sheet"))?;
        sheet.set_input(cell, &Input::Formula(template));
    }
    let mut graphs: Vec<Duration> =
        (0..TURNS).filter_map(|_| until_stopped(&workbook, Duration::from_millis(1))).collect();
    graphs.sort();
    let graph = graphs.get(graphs.len() / 2).copied().unwrap_or_default();
    let figure = |row, duration: Duration| Figure { row, value: duration.as_secs_f64() * 1e3 };
    Ok(vec![figure("cancel", worst), figure("cancel_longest", longest), figure("cancel_graph", graph)])
}
