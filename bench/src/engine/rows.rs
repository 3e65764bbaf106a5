//! The rows of the engine's table with their goals and the contents of each figure.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::programs::Answer;
use super::run::{Run, plain};
use crate::goals::{Better, Measured, Row, Table};
use crate::workloads::size::compressed_size;

struct Goal {
    key: &'static str,
    /// The task of `bench/tasks` that measures the row.
    task: &'static str,
    name: &'static str,
    unit: &'static str,
    better: Better,
    must: Option<f64>,
    aim: Option<f64>,
    contains: &'static str,
}

macro_rules! goals {
    ($($key:literal, $task:literal, $name:literal, $unit:literal, $better:ident, $must:expr, $aim:expr, $contains:literal;)*) => {
        &[$(Goal {
            key: $key, task: $task, name: $name, unit: $unit, better: Better::$better,
            must: $must, aim: $aim, contains: $contains,
        },)*]
    };
}

const GOALS: &[Goal] = goals![
    "load", "load", "load 1,000,000 numbers", "ms", Lower, Some(25.0), Some(10.0),
        "ten columns of 100,000 numbers; HyperFormula: an array of rows";
    "load_bytes", "load", "… bytes per cell", "bytes", Lower, Some(12.0), Some(9.0), "resident memory of the process";
    "formulas", "formulas", "set 100,000 `=A*2+B` from text", "ms", Lower, Some(60.0), Some(20.0),
        "each from its own text: parse, store, add to the dependency graph; HyperFormula evaluates in the same call";
    "fill", "fill", "the same filled down as one operation", "ms", Lower, Some(3.0), Some(0.5),
        "store and add to the dependency graph, without evaluation";
    "first_evaluation", "formulas", "first evaluation of those set from text", "ms", Lower, Some(3.0), Some(0.3),
        "including the order of dependencies, where engines defer it";
    "formula_bytes", "formulas", "bytes per formula, without the 8 of its value", "bytes", Lower, Some(40.0), Some(4.0),
        "resident memory after the first evaluation";
    "edit_leaf", "edit", "edit a cell without dependents, p50", "µs", Lower, Some(1.5), Some(0.3),
        "write and evaluate, in a sheet with 100,000 formulas; 2,000 edits or 2 s";
    "edit_leaf_p99", "edit", "… p99", "µs", Lower, None, None, "";
    "edit_dependent", "edit", "edit a cell with one dependent, p50", "µs", Lower, Some(3.0), Some(1.0), "likewise";
    "edit_dependent_p99", "edit", "… p99", "µs", Lower, None, None, "";
    "chain_down", "chain_down", "chain of 100,000 `=A[-1]+1`, edit the first", "ms", Lower, Some(3.0), Some(1.8),
        "write and evaluate; median of up to 11 edits";
    "chain_up", "chain_up", "the same from the bottom to the top", "ms", Lower, Some(3.0), Some(1.8), "likewise";
    "chain_mixed", "chain_mixed", "chain of four alternating formulas", "ms", Lower, Some(10.0), Some(4.0), "likewise";
    "sums", "sums", "1,000 × `SUM(A1:A100000)`, edit one cell", "ms", Lower, Some(0.5), Some(0.05), "likewise";
    "prefixes", "prefixes", "20,000 prefix sums `SUM(A$1:Ai)`, edit the first", "ms", Lower, Some(10.0), Some(1.0), "likewise";
    "insert", "insert", "insert a row above 100,000 formulas", "ms", Lower, Some(3.0), Some(0.3),
        "the operation with its inverse, evaluation, and reading the last formula's value";
    "insert_read", "insert", "… and read all 100,000 values", "ms", Lower, None, None, "including deferred work";
    "insert_mixed", "insert", "… of four alternating formulas with a reference that moves; read all values", "ms", Lower, None, None,
        "each formula is rewritten";
    "lookup_exact", "lookup_exact", "10,000 exact lookups in 100,000 rows", "ms", Lower, Some(8.0), Some(4.0),
        "first evaluation of VLOOKUP(…, FALSE) over unsorted keys; HyperFormula: with building the workbook";
    "lookup_edit", "lookup_exact", "… then edit one value of the table", "ms", Lower, Some(0.5), Some(0.05), "write and evaluate";
    "lookup_edit_key", "lookup_exact", "… then edit one key of the table", "ms", Lower, None, None, "write and evaluate";
    "lookup_approximate", "lookup_approximate", "10,000 approximate lookups", "ms", Lower, Some(3.0), Some(0.6),
        "first evaluation of VLOOKUP(…, TRUE) over sorted keys; HyperFormula: with building the workbook";
    "parse", "parse", "parse", "formulas/s", Higher, Some(1e6), Some(3e6),
        "100,000 formulas of ten shapes, all different; HyperFormula: normalizeFormula, which prints too";
    "sum_million", "aggregate", "SUM of 1,000,000 in a column, first time", "ms", Lower, Some(0.6), Some(0.35),
        "evaluation; HyperFormula: with setting the formula";
    "sumifs", "aggregate", "SUMIFS with two conditions over 1,000,000 rows", "ms", Lower, Some(12.0), Some(5.0), "likewise";
    "sort", "sort", "sort 1,000,000 rows by two keys", "ms", Lower, Some(400.0), Some(150.0),
        "two keys and a third column of numbers: the order, moving the rows, evaluation; the peers have no sorting";
];

pub fn rows_of(task: &str) -> &'static [&'static str] {
    match task {
        "load" => &["load", "load_bytes"],
        "formulas" => &["formulas", "first_evaluation", "formula_bytes"],
        "edit" => &["edit_leaf", "edit_leaf_p99", "edit_dependent", "edit_dependent_p99"],
        "lookup_exact" => &["lookup_exact", "lookup_edit", "lookup_edit_key"],
        "aggregate" => &["sum_million", "sumifs"],
        "fill" => &["fill"],
        "insert" => &["insert", "insert_read", "insert_mixed"],
        other => {
            let goal = GOALS.iter().find(|goal| goal.task == other);
            goal.map_or(&[], |goal| std::slice::from_ref(&goal.key))
        }
    }
}

pub fn table(run: &Run, limit: &Answer, webassembly: &BTreeMap<String, Measured>) -> Table {
    let mut columns = run.names();
    columns.push("bare loop");
    let mut table = Table::new("The engine on one core", &columns);
    for goal in GOALS {
        let mut measured = run.measured(goal.key);
        measured.push(figure(limit, goal.key));
        table.rows.push(Row {
            key: goal.key.to_owned(),
            name: goal.name.to_owned(),
            unit: goal.unit,
            better: goal.better,
            must: goal.must,
            aim: goal.aim,
            contains: goal.contains,
            measured,
        });
    }
    table.rows.push(module_size());
    for (key, name) in [("chain_down", "chain"), ("columns", "columns")] {
        table.rows.push(slowdown(run, webassembly, key, name));
    }
    table
}

fn figure(answer: &Answer, key: &str) -> Option<Measured> {
    let Answer::Figures(figures) = answer else { return None };
    figures.get(key).map(|value| Measured::Values(vec![*value]))
}

/// Size of the module that browsers load.
fn module_size() -> Row {
    let root = std::env::var("QUADRILLE_WEB_DIST").unwrap_or_default();
    let measured = match brotli_bytes(Path::new(&root)) {
        Some(bytes) => Measured::Values(vec![bytes / 1e3]),
        None => Measured::Failed("no module in web/dist".to_owned()),
    };
    Row {
        key: "module".to_owned(),
        name: "WASM module, brotli".to_owned(),
        unit: "KB",
        better: Better::Lower,
        must: Some(650.0),
        aim: Some(350.0),
        contains: "the module that the web client loads: engine, replica and protocol",
        measured: vec![Some(measured)],
    }
}

fn brotli_bytes(folder: &Path) -> Option<f64> {
    for entry in fs::read_dir(folder).ok()?.flatten() {
        let path = entry.path();
        if path.is_dir() {
            if let Some(bytes) = brotli_bytes(&path) {
                return Some(bytes);
            }
        } else if path.extension().is_some_and(|extension| extension == "wasm") {
            return compressed_size(&path, ".br");
        }
    }
    None
}

fn slowdown(run: &Run, webassembly: &BTreeMap<String, Measured>, key: &str, name: &str) -> Row {
    let native = run.measured(key).into_iter().next().flatten();
    let best = |measured: Option<&Measured>| measured.and_then(|measured| measured.best(Better::Lower));
    let ratio = best(webassembly.get(key)).zip(best(native.as_ref())).map(|(module, native)| module / native);
    Row {
        key: format!("wasm_{name}"),
        name: format!("slower in WASM than native, {name}"),
        unit: "×",
        better: Better::Lower,
        must: Some(2.5),
        aim: Some(1.6),
        contains: "the same code and sheet under Node",
        measured: vec![Some(match ratio {
            Some(ratio) => Measured::Values(vec![ratio]),
            None => Measured::Failed("not measured".to_owned()),
        })],
    }
}

/// The cost of operations with their inverses, which a replica pays in addition.
pub fn document(answer: &Answer) -> Table {
    let mut table = Table::new("Through a document, as operations with their inverse", &["Quadrille"]);
    for (key, name, unit) in [
        ("document_fill", "fill 100,000 formulas down and evaluate", "ms"),
        ("document_insert", "insert a row above them and evaluate", "ms"),
        ("document_edit_leaf", "edit a cell without dependents, p50", "µs"),
        ("document_edit_dependent", "edit a cell with one dependent, p50", "µs"),
    ] {
        table.rows.push(plain(key.to_owned(), name.to_owned(), unit, vec![figure(answer, key)]));
    }
    table
}

/// The latency of the cancellation of an evaluation.
pub fn cancel(answer: &Answer) -> Table {
    let mut table = Table::new("Cancellation latency", &["Quadrille"]);
    table.rows.push(Row {
        key: "cancel".to_owned(),
        name: "the worst of 22 formulas over 300,000 rows".to_owned(),
        unit: "ms",
        better: Better::Lower,
        must: Some(5.0),
        aim: None,
        contains: "requested by another thread after 1, 5, 20 and 60 ms; the median of five for the worst formula and delay",
        measured: vec![figure(answer, "cancel")],
    });
    for (key, name) in [
        ("cancel_longest", "… the longest of all, with what else the machine did meanwhile"),
        (
            "cancel_graph",
            "first evaluation of 100,000 formulas of five alternating shapes, which are ordered first",
        ),
    ] {
        table.rows.push(plain(key.to_owned(), name.to_owned(), "ms", vec![figure(answer, key)]));
    }
    table
}

pub fn flat(run: &Run, sizes: &[u32]) -> Table {
    let mut table = Table::new("An edit with one dependent, by the size of the sheet", &run.names());
    for cells in sizes {
        for quantile in ["p50", "p99"] {
            let key = format!("flat_{quantile}_{cells}");
            let name = format!("{} cells, {quantile}", crate::goals::show(f64::from(*cells)));
            let measured = run.measured(&key);
            table.rows.push(plain(key, name, "µs", measured));
        }
    }
    table
}
