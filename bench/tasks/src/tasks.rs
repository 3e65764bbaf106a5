//! The tasks, in the order of the table, with the contents of each row.

use crate::measure::{FEW, Figure, Figures, MANY, Probe, median, milliseconds, quantile, repeated};
use crate::{Engine, Outcome, TaskError};

/// The names of the tasks. `columns` measures WebAssembly only and is not run for peers.
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

/// Number of rows of sheets with many formulas.
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
        other => Err(TaskError::Wrong(format!("no such task: {other}"))),
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
    Err(TaskError::Wrong(format!("row {row}, column {column} is {found}, not {expected}")))
}

/// Numbers with a fraction, so that no engine can store them as small integers.
fn sample(index: u32) -> f64 {
    f64::from(index % 1000) + 0.5
}

fn samples(count: u32) -> Vec<f64> {
    (0..count).map(sample).collect()
}

/// A permutation of `0..count` without an obvious pattern: `count` and the prime are coprime.
fn shuffled(count: u32) -> Vec<f64> {
    (0..u64::from(count)).map(|index| (index * 739_391 % u64::from(count)) as f64).collect()
}

/// Numbers in A and B, and `=A*2+B` in C, filled down or, if that is not supported, set from text.
fn two_columns_and_formulas<E: Engine>(rows: u32) -> Outcome<E> {
    let mut engine = E::new();
    engine.load_columns(&[samples(rows), samples(rows)])?;
    down(&mut engine, 2, 0, rows - 1, |row| format!("A{0}*2+B{0}", row + 1))?;
    engine.evaluate()?;
    expect(&engine, rows - 1, 2, sample(rows - 1) * 3.0)?;
    Ok(engine)
}

/// Writes the same formula down a column in the fastest supported way; `text` gives the text for a row.
fn down<E: Engine>(
    engine: &mut E,
    column: u32,
    first: u32,
    last: u32,
    text: impl Fn(u32) -> String,
) -> Outcome<()> {
    match engine.fill_formula(column, first, last, &text(first)) {
        Err(TaskError::Unsupported) => {
            let texts: Vec<String> = (first..=last).map(text).collect();
            engine.set_formulas(column, first, &texts)
        }
        done => done,
    }
}

/// Loads ten columns of 100,000 numbers.
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

/// Sets formulas from text, each parsed on its own and added to the dependency graph; then evaluates all
/// for the first time. Memory is that of formulas and values, without 8 bytes per value.
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

/// Fills a formula down in one operation, including the dependency graph, without evaluation.
fn fill<E: Engine>(probe: &dyn Probe) -> Outcome<Figures> {
    let mut engine = E::new();
    engine.load_columns(&[samples(ROWS), samples(ROWS)])?;
    engine.evaluate()?;
    let filled = milliseconds(probe, || engine.fill_formula(2, 0, ROWS - 1, "A1*2+B1"))?;
    engine.evaluate()?;
    expect(&engine, ROWS - 1, 2, sample(ROWS - 1) * 3.0)?;
    Ok(vec![figure("fill", filled)])
}

/// Evaluates a filled column repeatedly, so that the code is fully optimized by the JIT.
fn columns<E: Engine>(probe: &dyn Probe) -> Outcome<Figures> {
    // V8 optimizes hot code in the background, which is mostly not finished after 101 repetitions.
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

/// Writes one number and evaluates, in a sheet with 100,000 formulas.
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

/// A1 is a number, each cell below adds one to the cell above. Writes A1 and evaluates.
fn chain_down<E: Engine>(probe: &dyn Probe) -> Outcome<Figures> {
    let mut engine = E::new();
    engine.load_columns(&[vec![1.0]])?;
    down(&mut engine, 0, 1, ROWS - 1, |row| format!("A{row}+1"))?;
    engine.evaluate()?;
    chain(probe, engine, "chain_down", 0, ROWS - 1, f64::from(ROWS - 1))
}

/// As [`chain_down`], from the bottom to the top.
fn chain_up<E: Engine>(probe: &dyn Probe) -> Outcome<Figures> {
    let mut engine = E::new();
    down(&mut engine, 0, 0, ROWS - 2, |row| format!("A{}+1", row + 2))?;
    engine.set_number(ROWS - 1, 0, 1.0)?;
    engine.evaluate()?;
    chain(probe, engine, "chain_up", ROWS - 1, 0, f64::from(ROWS - 1))
}

/// A chain of four alternating formulas, so that adjacent cells have different ones.
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

/// A thousand sums of the same 100,000 cells. Writes one of the cells and evaluates.
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

/// Running totals, each a sum from the first row. Writes the first row and evaluates.
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

/// Inserts a row above 100,000 formulas and reads the last of them, one row lower; then reads all, for
/// engines that defer work until a value is read. Then the same with formulas that differ from their
/// neighbors and have a reference that the insertion moves.
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
    // The formulas refer to this cell now.
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

/// A table of 100,000 rows (keys in A, values in B) and 10,000 lookups in E of the keys in D. Measures the
/// first evaluation, one after a changed value of the table, and one after a changed key.
fn lookup_exact<E: Engine>(probe: &dyn Probe) -> Outcome<Figures> {
    let mut engine = lookup_table::<E>(shuffled(ROWS))?;
    down(&mut engine, 4, 0, LOOKUPS - 1, |row| format!("VLOOKUP(D{},A$1:B$100000,2,FALSE)", row + 1))?;
    let first = milliseconds(probe, || engine.evaluate())?;
    let keys = shuffled(ROWS);
    // The keys in D are multiples of ten; B has the row of the key.
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

/// As [`lookup_exact`] with sorted keys and approximate matches.
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

/// Parses ten alternating formulas, all with different references.
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

/// SUM and SUMIFS over a million rows of evaluated columns, each for the first time.
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

/// Sorts a million rows of two keys and a third column, and evaluates.
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
    // A thousand rows have the first key 0, with multiples of 1,000 as second keys.
    expect(&engine, 0, 0, 0.0)?;
    expect(&engine, 0, 1, 0.0)?;
    expect(&engine, 999, 1, 999_000.0)?;
    expect(&engine, MILLION - 1, 0, 999.0)?;
    Ok(vec![figure("sort", duration)])
}

/// Edits a cell with one dependent in a sheet of `cells` cells: groups of two columns of numbers and one
/// of formulas. Gives median and p99 in microseconds.
pub fn flat<E: Engine>(cells: u32, probe: &dyn Probe) -> Outcome<Figures> {
    /// Maximum number of groups of columns, so that the rows fit into a sheet at the largest size.
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
