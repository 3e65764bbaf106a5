//! Reads `.xlsx` files, calculates them and writes them again, for the comparison of both files by
//! an independent reader (`crates/files/tests/round_trips/compare.py`):
//! `cargo run -p quadrille-files --example round_trip -- LIST FOLDER [EXTENSION]`
//!
//! `LIST` has one path per line. `FOLDER` gets `0.xlsx`, `1.xlsx`, … (or files of another format) and one
//! line of JSON per file on standard output: the path, the error or the warnings of the reader and the losses
//! of the writer.

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

use quadrille_document::{Document, EvaluationContext};
use quadrille_files::{
    FileFormat, Loss, ReadOptions, ShouldContinue, WriteOptions, losses, read, write_with_filtered_rows,
};
use quadrille_operation::Transaction;
use serde_json::{Value as Json, json};

/// Evaluation steps per file, at most. What is not calculated then is written without its value.
const STEPS: u64 = 50_000_000;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (list, folder, extension) = match &arguments[..] {
        [list, folder] => (list, folder, "xlsx"),
        [list, folder, extension] => (list, folder, &**extension),
        _ => {
            eprintln!("usage: round_trip LIST FOLDER [EXTENSION]");
            std::process::exit(2);
        }
    };
    let list = fs::read_to_string(list).expect("the list of files can be read");
    for (index, path) in list.lines().enumerate() {
        let written = Path::new(folder).join(format!("{index}.{extension}"));
        let report = catch_unwind(|| round_trip(Path::new(path), &written));
        let mut report = match report {
            Ok(Ok(report)) => report,
            Ok(Err(error)) => json!({ "error": error }),
            Err(_) => json!({ "panic": true }),
        };
        report["file"] = path.into();
        println!("{report}");
    }
}

fn round_trip(path: &Path, written: &Path) -> Result<Json, String> {
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    let imported = read(FileFormat::Xlsx, &bytes, &ReadOptions::default(), &mut |_| ShouldContinue::Continue);
    let imported = imported.map_err(|error| error.to_string())?;
    let mut document = Document::from_workbook(imported.workbook);
    let context = EvaluationContext { time_ms: 1_750_000_000_000, seed: 0 };
    document.apply(&Transaction { operations: Vec::new() }, context);
    document.evaluate(STEPS);
    let (workbook, options) = (document.workbook(), WriteOptions::default());
    let format = written.to_str().and_then(FileFormat::from_name).ok_or("the format is not known")?;
    let lost = losses(workbook, format, &options, &imported.images);
    let sheets = workbook.sheets().iter();
    let filtered = sheets.map(|sheet| (sheet.id(), document.filtered_rows(sheet.id(), None))).collect();
    let bytes = write_with_filtered_rows(workbook, format, &options, &imported.images, &filtered);
    fs::write(written, bytes.map_err(|error| error.to_string())?).map_err(|error| error.to_string())?;
    let kinds = |loss: &Loss| json!({ "kind": loss.kind.code(), "text": loss.text() });
    Ok(json!({
        "warnings": imported.warnings,
        "losses": lost.iter().map(kinds).collect::<Vec<_>>(),
        "calculated": document.is_calculated(),
    }))
}
