//! The tasks, in the order of the table. A comment says what each row contains.

use crate::measure::{FEW, Figure, Figures, MANY, Probe, median, milliseconds, quantile, repeated};
use crate::{Engine, Outcome, Trouble};

/// `columns` is the measure of WebAssembly and not meant for peers.
pub const TASKS: [&str; 16] = [
    "load",
    "formulas",
    "fill",
    "columns",
    "edit",
    "chain_down",
    "chain_up",
    "chain_mixed",
    "sums",
    "prefixes",
    "insert",
    "lookup_exact",
    "lookup_approximate",
    "parse",
    "aggregate",
    "sort",
];

/// Rows of the sheets with many formulas.
const ROWS: u32 = 100_000;
const MILLION: u32 = 1_000_000;

pub fn run<E: Engine>(task: &str, probe: &dyn Probe) -> Outcome<Figures> {
    match task {
        "load" => load::<E>(probe),
        "formulas" => formulas::<E>(probe),
        "fill" => fill::<E>(probe),
        "columns" => columns::<E>(probe),
        "edit" => edit::<E>(probe),
        "chain_down" => chain_down::<E>(probe),
        "chain_up" => chain_up::<E>(probe),
        "chain_mixed" => chain_mixed::<E>(probe),
        "sums" => sums::<E>(probe),
        "prefixes" => prefixes::<E>(probe),
        "insert" => insert::<E>(probe),
        "lookup_exact" => lookup_exact::<E>(probe),
        "lookup_approximate" => lookup_approximate::<E>(probe),
        "parse" => parse::<E>(probe),
        "aggregate" => aggregate::<E>(probe),
        "sort" => sort::<E>(probe),
        other => Err(Trouble::Wrong(format!("no such task: {other}"))),
    }
}

fn figure(row: &'static str, value: f64) -> Figure {
    Figure { row, value }
}

fn expect<E: Engine>(engine: &E, row: u32, column: u32, expected: f64) -> Outcome<()> {
    let found = engine.number(row, column)?;
    if (found - expected).abs() <= expected.abs() * 1e-9 {
        return Ok(());
    }
    Err(Trouble::Wrong(format!("row {row}, column {column} is {found}, not {expected}")))
}

/// Numbers with a fraction, none of which is a small integer that could be kept in fewer bytes.
fn sample(index: u32) -> f64 {
    f64::from(index % 1000) + 0.5
}

fn samples(count: u32) -> Vec<f64> {
    (0..count).map(sample).collect()
}

/// A permutation of `0..count` without pattern: `count` and the prime have no divisor in common.
fn shuffled(count: u32) -> Vec<f64> {
    (0..u64::from(count)).map(|index| (index * 739_391 % u64::from(count)) as f64).collect()
}

/// Numbers in A and B, `=A*2+B` filled down in C or, where that is not supported, set from text.
fn two_columns_and_formulas<E: Engine>(rows: u32) -> Outcome<E> {
    let mut engine = E::new();
    engine.load_columns(&[samples(rows), samples(rows)])?;
    down(&mut engine, 2, 0, rows - 1, |row| format!("A{0}*2+B{0}", row + 1))?;
    engine.evaluate()?;
    expect(&engine, rows - 1, 2, sample(rows - 1) * 3.0)?;
    Ok(engine)
}

/// The same formula down a column by the quickest way there is; `text` gives that of a row.
fn down<E: Engine>(
    engine: &mut E,
    column: u32,
    first: u32,
    last: u32,
    text: impl Fn(u32) -> String,
) -> Outcome<()> {
    match engine.fill_formula(column, first, last, &text(first)) {
        Err(Trouble::Unsupported) => {
            let texts: Vec<String> = (first..=last).map(text).collect();
            engine.set_formulas(column, first, &texts)
        }
        done => done,
    }
}

/// Numbers that are already numbers, ten columns of 100,000, stored and ready to be calculated with.
fn load<E: Engine>(probe: &dyn Probe) -> Outcome<Figures> {
    let columns: Vec<Vec<f64>> = (0..10).map(|_| samples(ROWS)).collect();
    let before = probe.resident_bytes();
    let mut engine = E::new();
    let duration = milliseconds(probe, || {
        engine.load_columns(&columns)?;
        engine.evaluate()
    })?;
    let after = probe.resident_bytes();
    expect(&engine, ROWS - 1, 9, sample(ROWS - 1))?;
    let mut figures = vec![figure("load", duration)];
    if let (Some(before), Some(after)) = (before, after) {
        figures.push(figure("load_bytes", after.saturating_sub(before) as f64 / f64::from(MILLION)));
    }
    Ok(figures)
}

/// Setting: parse, store, and note what depends on what, each formula from its own text. Then the first
/// evaluation of all. Memory: of the formulas with their values, without the 8 bytes that a value is.
fn formulas<E: Engine>(probe: &dyn Probe) -> Outcome<Figures> {
    let mut engine = E::new();
    engine.load_columns(&[samples(ROWS), samples(ROWS)])?;
    engine.evaluate()?;
    let texts: Vec<String> = (1..=ROWS).map(|row| format!("A{row}*2+B{row}")).collect();
    let before = probe.resident_bytes();
    let set = milliseconds(probe, || engine.set_formulas(2, 0, &texts))?;
    let evaluated = milliseconds(probe, || engine.evaluate())?;
    let after = probe.resident_bytes();
    expect(&engine, ROWS - 1, 2, sample(ROWS - 1) * 3.0)?;
    let mut figures = vec![figure("formulas", set), figure("first_evaluation", evaluated)];
    if let (Some(before), Some(after)) = (before, after) {
        let each = after.saturating_sub(before) as f64 / f64::from(ROWS);
        figures.push(figure("formula_bytes", (each - 8.0).max(0.0)));
    }
    Ok(figures)
}

/// One operation on the workbook, with what depends on what; no evaluation.
fn fill<E: Engine>(probe: &dyn Probe) -> Outcome<Figures> {
    let mut engine = E::new();
    engine.load_columns(&[samples(ROWS), samples(ROWS)])?;
    engine.evaluate()?;
    let filled = milliseconds(probe, || engine.fill_formula(2, 0, ROWS - 1, "A1*2+B1"))?;
    engine.evaluate()?;
    expect(&engine, ROWS - 1, 2, sample(ROWS - 1) * 3.0)?;
    Ok(vec![figure("fill", filled)])
}

/// The evaluation of a filled column, again and again, so that the code is as warm as it gets.
fn columns<E: Engine>(probe: &dyn Probe) -> Outcome<Figures> {
    // V8 compiles code that runs often anew, in the background: after 101 turns it is mostly not done.
    const TURNS: u32 = 2_001;
    let mut engine = E::new();
    engine.load_columns(&[samples(ROWS), samples(ROWS)])?;
    let mut durations = Vec::new();
    for turn in 0..TURNS {
        engine.fill_formula(2, 0, ROWS - 1, if turn % 2 == 0 { "A1*2+B1" } else { "A1*3+B1" })?;
        durations.push(milliseconds(probe, || engine.evaluate())?);
    }
    expect(&engine, ROWS - 1, 2, sample(ROWS - 1) * 3.0)?;
    durations.sort_by(f64::total_cmp);
    Ok(vec![figure("columns", median(&durations))])
}

/// Write one number and bring everything up to date, on a sheet with 100,000 formulas.
fn edit<E: Engine>(probe: &dyn Probe) -> Outcome<Figures> {
    let mut engine = two_columns_and_formulas::<E>(ROWS)?;
    let leaf = repeated(probe, MANY, |turn| {
        engine.set_number(turn, 5, f64::from(turn))?;
        engine.evaluate()
    })?;
    let dependent = repeated(probe, MANY, |turn| {
        engine.set_number(turn * 37 % ROWS, 0, f64::from(turn))?;
        engine.evaluate()
    })?;
    expect(&engine, 37, 2, 2.0 + sample(37))?;
    Ok(vec![
        figure("edit_leaf", median(&leaf) * 1e3),
        figure("edit_leaf_p99", quantile(&leaf, 0.99) * 1e3),
        figure("edit_dependent", median(&dependent) * 1e3),
        figure("edit_dependent_p99", quantile(&dependent, 0.99) * 1e3),
    ])
}

/// A1 is a number, each cell below adds one to the cell above; write A1 and calculate all.
fn chain_down<E: Engine>(probe: &dyn Probe) -> Outcome<Figures> {
    let mut engine = E::new();
    engine.load_columns(&[vec![1.0]])?;
    down(&mut engine, 0, 1, ROWS - 1, |row| format!("A{row}+1"))?;
    engine.evaluate()?;
    chain(probe, engine, "chain_down", 0, ROWS - 1, f64::from(ROWS - 1))
}

/// The same from the bottom to the top.
fn chain_up<E: Engine>(probe: &dyn Probe) -> Outcome<Figures> {
    let mut engine = E::new();
    down(&mut engine, 0, 0, ROWS - 2, |row| format!("A{}+1", row + 2))?;
    engine.set_number(ROWS - 1, 0, 1.0)?;
    engine.evaluate()?;
    chain(probe, engine, "chain_up", ROWS - 1, 0, f64::from(ROWS - 1))
}

/// Four shapes in turn, so that no two neighbours have the same formula.
fn chain_mixed<E: Engine>(probe: &dyn Probe) -> Outcome<Figures> {
    let mut engine = E::new();
    engine.load_columns(&[vec![1.0]])?;
    let shape = |row: u32| match row % 4 {
        0 => format!("A{row}+1"),
        1 => format!("A{row}-1"),
        2 => format!("A{row}*1"),
        _ => format!("1+A{row}"),
    };
    let texts: Vec<String> = (1..ROWS).map(shape).collect();
    engine.set_formulas(0, 1, &texts)?;
    engine.evaluate()?;
    let gain: i32 = (1..ROWS).map(|row| [1, -1, 0, 1][row as usize % 4]).sum();
    chain(probe, engine, "chain_mixed", 0, ROWS - 1, f64::from(gain))
}

fn chain<E: Engine>(
    probe: &dyn Probe,
    mut engine: E,
    row: &'static str,
    first: u32,
    last: u32,
    gain: f64,
) -> Outcome<Figures> {
    let durations = repeated(probe, FEW, |turn| {
        engine.set_number(first, 0, f64::from(turn) + 0.25)?;
        engine.evaluate()
    })?;
    expect(&engine, last, 0, durations.len() as f64 - 0.75 + gain)?;
    Ok(vec![figure(row, median(&durations))])
}

/// A thousand cells that each sum the same 100,000; write one of those and calculate all.
fn sums<E: Engine>(probe: &dyn Probe) -> Outcome<Figures> {
    let mut engine = E::new();
    engine.load_columns(&[samples(ROWS)])?;
    down(&mut engine, 2, 0, 999, |_| "SUM(A$1:A$100000)".to_owned())?;
    engine.evaluate()?;
    let total: f64 = samples(ROWS).iter().sum();
    expect(&engine, 999, 2, total)?;
    let durations = repeated(probe, FEW, |turn| {
        engine.set_number(499, 0, f64::from(turn))?;
        engine.evaluate()
    })?;
    expect(&engine, 999, 2, total - sample(499) + durations.len() as f64 - 1.0)?;
    Ok(vec![figure("sums", median(&durations))])
}

/// Running totals, each written as a sum from the first row; write the first row and calculate all.
fn prefixes<E: Engine>(probe: &dyn Probe) -> Outcome<Figures> {
    const PREFIXES: u32 = 20_000;
    let mut engine = E::new();
    engine.load_columns(&[samples(PREFIXES)])?;
    down(&mut engine, 2, 0, PREFIXES - 1, |row| format!("SUM(A$1:A{})", row + 1))?;
    engine.evaluate()?;
    let durations = repeated(probe, FEW, |turn| {
        engine.set_number(0, 0, f64::from(turn))?;
        engine.evaluate()
    })?;
    let total: f64 = samples(PREFIXES).iter().sum();
    expect(&engine, PREFIXES - 1, 2, total - sample(0) + durations.len() as f64 - 1.0)?;
    Ok(vec![figure("prefixes", median(&durations))])
}

/// Insert a row above 100,000 formulas and read the last of them, which now stands a row lower; then all of them, for engines
/// that put work off until a value is read. And the same where each formula differs from its neighbours and has a reference that the
/// row moves.
fn insert<E: Engine>(probe: &dyn Probe) -> Outcome<Figures> {
    let mut engine = two_columns_and_formulas::<E>(ROWS)?;
    let inserted = milliseconds(probe, || {
        engine.insert_row_above()?;
        engine.evaluate()?;
        expect(&engine, ROWS, 2, sample(ROWS - 1) * 3.0)
    })?;
    let read = milliseconds(probe, || {
        (1..=ROWS).try_for_each(|row| expect(&engine, row, 2, sample(row - 1) * 3.0))
    })?;
    drop(engine);

    let mut engine = E::new();
    engine.load_columns(&[samples(ROWS), samples(ROWS)])?;
    let shape = |row: u32| match row % 4 {
        0 => format!("A{row}*2+$B$50"),
        1 => format!("$B$50+A{row}*2"),
        2 => format!("A{row}+$B$50+A{row}"),
        _ => format!("2*A{row}+$B$50"),
    };
    engine.set_formulas(2, 0, &(1..=ROWS).map(shape).collect::<Vec<String>>())?;
    engine.evaluate()?;
    let mixed = milliseconds(probe, || {
        engine.insert_row_above()?;
        engine.evaluate()?;
        (1..=ROWS).try_for_each(|row| expect(&engine, row, 2, sample(row - 1) * 2.0 + sample(49)))
    })?;
    // It is this cell now that they refer to.
    engine.set_number(50, 1, 0.0)?;
    engine.evaluate()?;
    expect(&engine, ROWS, 2, sample(ROWS - 1) * 2.0)?;
    Ok(vec![
        figure("insert", inserted),
        figure("insert_read", inserted + read),
        figure("insert_mixed", mixed),
    ])
}

const LOOKUPS: u32 = 10_000;

/// A table of 100,000 rows (keys A, values B), 10,000 keys in D, each looked up in E. First evaluation, then after
/// writing one value of the table, then after writing one key.
fn lookup_exact<E: Engine>(probe: &dyn Probe) -> Outcome<Figures> {
    let mut engine = lookup_table::<E>(shuffled(ROWS))?;
    down(&mut engine, 4, 0, LOOKUPS - 1, |row| format!("VLOOKUP(D{},A$1:B$100000,2,FALSE)", row + 1))?;
    let first = milliseconds(probe, || engine.evaluate())?;
    let keys = shuffled(ROWS);
    // D's keys are multiples of ten; B holds the row of the key.
    let row_of = |key: f64| keys.iter().position(|other| *other == key).unwrap_or_default() as f64;
    for lookup in [0, 1, 4_999, 9_999] {
        expect(&engine, lookup, 4, row_of(f64::from(lookup) * 10.0))?;
    }
    let value_row = row_of(10.0) as u32;
    let value = repeated(probe, FEW, |turn| {
        engine.set_number(value_row, 1, f64::from(turn) + 0.5)?;
        engine.evaluate()
    })?;
    expect(&engine, 1, 4, value.len() as f64 - 0.5)?;
    let key_row = row_of(11.0) as u32;
    let key = repeated(probe, FEW, |turn| {
        engine.set_number(key_row, 0, 200_000.0 + f64::from(turn))?;
        engine.evaluate()
    })?;
    Ok(vec![
        figure("lookup_exact", first),
        figure("lookup_edit", median(&value)),
        figure("lookup_edit_key", median(&key)),
    ])
}

/// The same with sorted keys, searched for the largest that is not greater.
fn lookup_approximate<E: Engine>(probe: &dyn Probe) -> Outcome<Figures> {
    let mut engine = lookup_table::<E>((0..ROWS).map(|row| f64::from(row) * 1.5).collect())?;
    down(&mut engine, 4, 0, LOOKUPS - 1, |row| format!("VLOOKUP(D{},A$1:B$100000,2,TRUE)", row + 1))?;
    let first = milliseconds(probe, || engine.evaluate())?;
    for lookup in [0, 1, 4_999, 9_999] {
        expect(&engine, lookup, 4, (f64::from(lookup) * 10.0 / 1.5).floor())?;
    }
    Ok(vec![figure("lookup_approximate", first)])
}

fn lookup_table<E: Engine>(keys: Vec<f64>) -> Outcome<E> {
    let mut engine = E::new();
    let rows = (0..ROWS).map(f64::from).collect();
    let mut wanted = vec![0.0; ROWS as usize];
    for (index, key) in wanted.iter_mut().take(LOOKUPS as usize).enumerate() {
        *key = index as f64 * 10.0;
    }
    engine.load_columns(&[keys, rows, vec![0.0; ROWS as usize], wanted])?;
    engine.evaluate()?;
    Ok(engine)
}

/// Ten shapes in turn, all with different references.
fn parse<E: Engine>(probe: &dyn Probe) -> Outcome<Figures> {
    let texts: Vec<String> = (1..=ROWS).map(formula_text).collect();
    let mut engine = E::new();
    let durations = repeated(probe, FEW, |_| engine.parse(&texts))?;
    Ok(vec![figure("parse", f64::from(ROWS) / (median(&durations) / 1e3))])
}

fn formula_text(row: u32) -> String {
    match row % 10 {
        0 => format!("A{row}*2+B{row}"),
        1 => format!("SUM(A$1:A{row})"),
        2 => format!("IF(A{row}>B{row},\"yes\",\"no\")"),
        3 => format!("VLOOKUP(D{row},$A$1:$B$1000,2,FALSE)"),
        4 => format!("(A{row}-B{row})/C{row}"),
        5 => format!("ROUND(A{row}*1.21,2)"),
        6 => format!("A{row}&\" \"&B{row}"),
        7 => format!("SUMIFS(C:C,A:A,A{row},B:B,\">10\")"),
        8 => format!("IFERROR(INDEX(A1:A100,MATCH(B{row},C1:C100,0)),0)"),
        _ => format!("DATE(2024,MONTH(A{row})+1,1)-1"),
    }
}

/// SUM and SUMIFS over a million rows, each the first time; the columns are there and calculated.
fn aggregate<E: Engine>(probe: &dyn Probe) -> Outcome<Figures> {
    let mut engine = E::new();
    let by = |divisor: u32| (0..MILLION).map(|row| f64::from(row % divisor)).collect::<Vec<f64>>();
    engine.load_columns(&[samples(MILLION), by(10), by(7)])?;
    engine.evaluate()?;
    engine.set_formulas(4, 0, &["SUM(A1:A1000000)".to_owned()])?;
    let sum = milliseconds(probe, || engine.evaluate())?;
    expect(&engine, 0, 4, (0..MILLION).map(sample).sum())?;
    let text = "SUMIFS(A1:A1000000,B1:B1000000,3,C1:C1000000,\">=4\")".to_owned();
    engine.set_formulas(4, 1, &[text])?;
    let sumifs = milliseconds(probe, || engine.evaluate())?;
    let chosen = (0..MILLION).filter(|row| row % 10 == 3 && row % 7 >= 4);
    expect(&engine, 1, 4, chosen.map(sample).sum())?;
    Ok(vec![figure("sum_million", sum), figure("sumifs", sumifs)])
}

/// A million rows of two keys and a third column: the order found, the rows moved, everything up to date.
fn sort<E: Engine>(probe: &dyn Probe) -> Outcome<Figures> {
    let mut engine = E::new();
    let second = shuffled(MILLION);
    let first: Vec<f64> = second.iter().map(|key| (key * 7.0) % 1000.0).collect();
    engine.load_columns(&[first, second, (0..MILLION).map(f64::from).collect()])?;
    engine.evaluate()?;
    let duration = milliseconds(probe, || {
        engine.sort_by_two(MILLION, 3)?;
        engine.evaluate()
    })?;
    // A thousand rows have the first key 0; their second keys are the multiples of 1,000.
    expect(&engine, 0, 0, 0.0)?;
    expect(&engine, 0, 1, 0.0)?;
    expect(&engine, 999, 1, 999_000.0)?;
    expect(&engine, MILLION - 1, 0, 999.0)?;
    Ok(vec![figure("sort", duration)])
}

/// Edits with one dependent on a sheet of `cells` cells: groups of two columns of numbers and one of formulas, no
/// longer than a sheet is. Median and p99 in microseconds.
pub fn flat<E: Engine>(cells: u32, probe: &dyn Probe) -> Outcome<Figures> {
    /// More rows than this would not fit into a sheet at the largest size.
    const GROUPS_MAX: u32 = 10;
    let groups = (cells / 3).div_ceil(ROWS).clamp(1, GROUPS_MAX);
    let rows = (cells / 3 / groups).max(1);
    let mut engine = E::new();
    let columns: Vec<Vec<f64>> = (0..groups * 3)
        .map(|column| if column % 3 < 2 { samples(rows) } else { vec![0.0; rows as usize] })
        .collect();
    engine.load_columns(&columns)?;
    for group in 0..groups {
        let name = |column: u32| column_name(group * 3 + column);
        down(&mut engine, group * 3 + 2, 0, rows - 1, |row| {
            format!("{0}{2}*2+{1}{2}", name(0), name(1), row + 1)
        })?;
    }
    engine.evaluate()?;
    let durations = repeated(probe, MANY, |turn| {
        engine.set_number((turn.wrapping_mul(7919)) % rows, turn % groups * 3, f64::from(turn))?;
        engine.evaluate()
    })?;
    Ok(vec![
        figure("flat_p50", median(&durations) * 1e3),
        figure("flat_p99", quantile(&durations, 0.99) * 1e3),
    ])
}

fn column_name(column: u32) -> String {
    let letter = |index: u32| char::from(b'A' + index as u8);
    match column / 26 {
        0 => letter(column).to_string(),
        tens => format!("{}{}", letter(tens - 1), letter(column % 26)),
    }
}
