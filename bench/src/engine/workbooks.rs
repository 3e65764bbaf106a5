//! Real workbooks: files in packages of pinned versions, downloaded with the peers and not part of this
//! repository.
//!
//! The crate `ironcalc` 0.9.1 has templates (calendars, planners, an invoice, games) and the workbooks of
//! its function tests; `formualizer-workbook` 0.13.0 has files of other programs; `vega-datasets` 3.2.1
//! has tables as text.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use super::run::{Run, plain};
use crate::goals::{Table, show};
use crate::setting::{Outcome, Setting};

/// Number of input cells that are edited one by one.
const EDITS: usize = 200;

const FILES: [(&str, &str); 32] = [
    ("ironcalc", "tests/templates/crossword.xlsx"),
    ("ironcalc", "tests/templates/event_calendar.xlsx"),
    ("ironcalc", "tests/templates/gantt_project_tracker.xlsx"),
    ("ironcalc", "tests/templates/invoice.xlsx"),
    ("ironcalc", "tests/templates/travel_expenses_tracker.xlsx"),
    ("ironcalc", "tests/templates/weekly_timesheet.xlsx"),
    ("ironcalc", "tests/templates/wordle.xlsx"),
    ("ironcalc", "tests/templates/yearly_calendar.xlsx"),
    ("ironcalc", "tests/example.xlsx"),
    ("ironcalc", "tests/calc_tests/FINANCIAL/PRICE_YIELD.xlsx"),
    ("ironcalc", "tests/calc_tests/FINANCIAL/accrint_cases.xlsx"),
    ("ironcalc", "tests/calc_tests/LOOKUP_AND_REFERENCE/INDIRECT.xlsx"),
    ("ironcalc", "tests/calc_tests/LOOKUP_AND_REFERENCE/ROW_COLUM.xlsx"),
    ("ironcalc", "tests/calc_tests/LOOKUP_AND_REFERENCE/XLOOKUP.xlsx"),
    ("ironcalc", "tests/calc_tests/DATABASE/DVAR_DVARP_DSTDEV_DSTDEVP.xlsx"),
    ("ironcalc", "tests/calc_tests/DATABASE/DMIN_DMAX_DAVERAGE_DSUM.xlsx"),
    ("ironcalc", "tests/calc_tests/DATABASE/DCOUNT_DCOUNTA_DGET_DPRODUCT.xlsx"),
    ("ironcalc", "tests/calc_tests/STATISTICAL/BINOM.xlsx"),
    ("ironcalc", "tests/calc_tests/MATH_AND_TRIGONOMETRY/ARABIC_ROMAN.xlsx"),
    ("ironcalc", "tests/calc_tests/MATH_AND_TRIGONOMETRY/FLOOR_CEILING.xlsx"),
    ("ironcalc", "tests/calc_tests/MATH_AND_TRIGONOMETRY/TRIGONOMETRIC.xlsx"),
    ("ironcalc", "tests/calc_tests/ENGINEERING/COMPLEXs.xlsx"),
    ("ironcalc", "tests/calc_tests/ENGINEERING/CONVERT.xlsx"),
    ("ironcalc", "tests/calc_tests/ENGINEERING/BESSEL.xlsx"),
    ("ironcalc", "tests/calc_tests/ENGINEERING/NUMBER_SYSTEMS.xlsx"),
    ("formualizer-workbook", "tests/fixtures/zip_containers/libreoffice.xlsx"),
    ("formualizer-workbook", "tests/fixtures/zip_containers/openpyxl.xlsx"),
    ("formualizer-workbook", "tests/fixtures/issue162-failure.xlsx"),
    ("vega-datasets", "data/seattle-weather.csv"),
    ("vega-datasets", "data/weather.csv"),
    ("vega-datasets", "data/sp500-2000.csv"),
    ("vega-datasets", "data/flights-airport.csv"),
];

const FIGURES: [(&str, &str, &str); 4] = [
    ("load", "load", "ms"),
    ("recalculation", "first calculation of everything", "ms"),
    ("edit_p50", "edit an input cell, p50", "µs"),
    ("edit_p99", "edit an input cell, p99", "µs"),
];

/// A file and its contents.
struct Book {
    path: PathBuf,
    name: String,
    inputs: PathBuf,
}

pub fn measure(run: &mut Run, setting: &Setting) -> Outcome<Vec<Table>> {
    let folder = TempDir::new().map_err(|error| error.to_string())?;
    let books = find(run, setting, folder.path())?;
    for repetition in 0..run.pace.ours.min(3) {
        for (index, book) in books.iter().enumerate() {
            for program in 0..run.programs.len() {
                if program > 0 && repetition >= run.pace.peers {
                    continue;
                }
                let rows = FIGURES.map(|(key, _, _)| key);
                let arguments = ["workbook", &book.path.to_string_lossy(), &book.inputs.to_string_lossy()];
                run.perform(program, &rows, &arguments, &format!("_book_{index}"));
            }
        }
    }
    let tables = FIGURES.iter().map(|(key, title, unit)| {
        let mut table = Table::new(format!("Real workbooks: {title}"), &run.names());
        for (index, book) in books.iter().enumerate() {
            let key = format!("{key}_book_{index}");
            let measured = run.measured(&key);
            table.rows.push(plain(format!("{key}: {}", book.name), book.name.clone(), unit, measured));
        }
        table
    });
    Ok(tables.collect())
}

/// Finds the files and chooses the cells that all engines edit.
fn find(run: &Run, setting: &Setting, folder: &Path) -> Outcome<Vec<Book>> {
    let crates = crates(setting)?;
    let mut books = Vec::new();
    for (index, (package, file)) in FILES.iter().enumerate() {
        let root = match *package {
            "vega-datasets" => setting.root.join("bench/peers/hyperformula/node_modules/vega-datasets"),
            name => crates(name)?,
        };
        let path = root.join(file);
        let arguments = ["inputs", &path.to_string_lossy(), &EDITS.to_string()];
        let chosen = match run.programs[0].text(&arguments) {
            Ok(chosen) => chosen,
            Err(reason) => {
                eprintln!("  {file}: {reason}");
                continue;
            }
        };
        let counts: Vec<f64> = chosen
            .lines()
            .next()
            .unwrap_or_default()
            .split('\t')
            .filter_map(|word| word.parse().ok())
            .collect();
        let [cells, formulas, sheets] = counts[..] else { continue };
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let sheets = if sheets == 1.0 { "1 sheet".to_owned() } else { format!("{sheets} sheets") };
        let name = format!(
            "{stem} ({} cells, {} formulas, {sheets})",
            show(cells).replace(".00", ""),
            show(formulas)
        );
        let inputs = folder.join(format!("{index}.txt"));
        fs::write(&inputs, chosen).map_err(|error| format!("{}: {error}", inputs.display()))?;
        books.push(Book { path, name, inputs });
    }
    Ok(books)
}

/// The source folders of the peers' crates.
fn crates(setting: &Setting) -> Outcome<impl Fn(&str) -> Outcome<PathBuf>> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .current_dir(setting.root.join("bench/peers/engine"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .output()
        .map_err(|error| format!("cargo metadata: {error}"))?;
    let metadata: Value =
        serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))?;
    Ok(move |name: &str| {
        let packages = metadata["packages"].as_array().into_iter().flatten();
        let manifest = packages
            .filter(|package| package["name"] == name)
            .find_map(|package| package["manifest_path"].as_str());
        let folder = manifest.and_then(|manifest| Path::new(manifest).parent());
        folder.map(Path::to_owned).ok_or_else(|| format!("no crate {name}"))
    })
}
