//! Calculates `.xlsx` files and compares the results with the values that the writing program
//! stored with the formulas: `cargo run --release -p quadrille-files --example agreement --
//! FILE-OR-FOLDER...`
//!
//! `--every` prints every difference, otherwise five per file. Formulas that depend on time, random
//! numbers or the environment are skipped; numbers must agree to nine digits.

use std::fs;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

use quadrille_cell::{CellAddress, Value};
use quadrille_document::{Document, EvaluationContext};
use quadrille_files::{FileFormat, ReadOptions, ShouldContinue, read};
use quadrille_formula::{Host, print};
use quadrille_operation::Transaction;
use quadrille_workbook::{Input, Sheet, Workbook};
use zip::ZipArchive;

const PRECISION: f64 = 1e-9;

/// Functions and external links whose results depend on the time, the program or the file name.
const NOT_COMPARED: [&str; 7] = ["NOW(", "TODAY(", "RAND", "CELL(", "INFO(", "WEBSERVICE(", "[1]"];

/// Evaluation steps per file, at most.
const STEPS: u64 = 2_000_000_000;

/// Numbers of compared values.
#[derive(Default)]
struct Counts {
    agree: usize,
    differ: usize,
}

/// A cell with a formula and its value stored in the file.
struct Stored {
    sheet: String,
    cell: CellAddress,
    value: String,
}

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let prints_all = arguments.iter().any(|argument| argument == "--every");
    arguments.retain(|argument| argument != "--every");
    if arguments.is_empty() {
        eprintln!("usage: agreement [--every] FILE-OR-FOLDER...");
        std::process::exit(2);
    }
    let mut files = Vec::new();
    for argument in &arguments {
        find(Path::new(argument), &mut files);
    }
    files.sort();
    let (mut all, mut failed, mut clean) = (Counts::default(), 0, 0);
    for file in &files {
        match compare(file, prints_all) {
            Ok(counts) => {
                all.agree += counts.agree;
                all.differ += counts.differ;
                clean += usize::from(counts.differ == 0);
            }
            Err(error) => {
                failed += 1;
                println!("{}: not compared: {error}", file.display());
            }
        }
    }
    let compared = all.agree + all.differ;
    let percent = 100.0 * all.agree as f64 / compared.max(1) as f64;
    println!("{} files, {failed} not compared, {clean} without a difference", files.len());
    println!("{} of {compared} values agree ({percent:.2} %), {} differ", all.agree, all.differ);
}

/// Collects the `.xlsx` files below `path`.
fn find(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            find(&entry.path(), files);
        }
    } else if path.extension().is_some_and(|extension| extension == "xlsx") {
        files.push(path.to_owned());
    }
}

/// Compares the values of one file and prints the differences.
fn compare(file: &Path, prints_all: bool) -> Result<Counts, String> {
    let bytes = fs::read(file).map_err(|error| error.to_string())?;
    let stored = stored_values(&bytes)?;
    let imported = read(FileFormat::Xlsx, &bytes, &ReadOptions::default(), &mut |_| ShouldContinue::Continue);
    let imported = imported.map_err(|error| error.to_string())?;
    let (document, later) =
        (calculated_at(&imported.workbook, 0)?, calculated_at(&imported.workbook, 1_750_000_000_000)?);
    let (workbook, later) = (document.workbook(), later.workbook());
    let mut counts = Counts::default();
    for Stored { sheet: name, cell, value } in stored {
        let Some(sheet) = workbook.sheets().iter().find(|sheet| **sheet.name() == *name) else { continue };
        let Input::Formula(template) = sheet.input(cell) else { continue };
        let formula = print(&template, Host { sheet: sheet.id(), cell }, workbook);
        if NOT_COMPARED.iter().any(|name| formula.to_uppercase().contains(name)) {
            continue;
        }
        if later.sheet(sheet.id()).is_some_and(|later| later.value(cell) != sheet.value(cell)) {
            continue;
        }
        let result = text_of_value(&sheet.value(cell));
        if is_close(&result, &value) {
            counts.agree += 1;
            continue;
        }
        counts.differ += 1;
        if prints_all || counts.differ <= 5 {
            let file = file.file_name().unwrap_or_default().to_string_lossy();
            let inputs = cells_of(&formula, sheet);
            println!("{file}\t{name}!{cell}\t={formula}\t{result}\tstored {value}\t{inputs}");
        }
    }
    Ok(counts)
}

/// The document calculated at a time. Values that differ between two times are not compared.
fn calculated_at(workbook: &Workbook, time_ms: i64) -> Result<Document, String> {
    let mut document = Document::from_workbook(workbook.clone());
    document.apply(&Transaction { operations: Vec::new() }, EvaluationContext { time_ms, seed: 0 });
    document.evaluate(STEPS);
    match document.is_calculated() {
        true => Ok(document),
        false => Err(format!("not calculated within {STEPS} steps")),
    }
}

/// The cells of the same sheet that a formula refers to, with their values.
fn cells_of(formula: &str, sheet: &Sheet) -> String {
    let words = formula.split(|c: char| !(c.is_ascii_alphanumeric() || c == '$'));
    let cells = words.filter_map(|word| CellAddress::parse_a1(&word.replace('$', "")).ok());
    let cells = cells.take(9).map(|cell| match sheet.value(cell) {
        Value::Text(text) => format!("{cell}: {:?}", text.chars().take(40).collect::<String>()),
        value => {
            format!("{cell}: {}", if value == Value::Blank { "-".to_owned() } else { text_of_value(&value) })
        }
    });
    cells.collect::<Vec<_>>().join(" ")
}

fn text_of_value(value: &Value) -> String {
    match value {
        // The result of a formula is never blank: it is displayed and stored as 0.
        Value::Blank => "0".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Text(text) => text.to_string(),
        Value::Boolean(boolean) => if *boolean { "TRUE" } else { "FALSE" }.to_owned(),
        Value::Error(error) => error.to_string(),
    }
}

fn is_close(result: &str, stored: &str) -> bool {
    match (result.parse::<f64>(), stored.parse::<f64>()) {
        (Ok(result), Ok(stored)) => (result - stored).abs() <= PRECISION * stored.abs().max(1e-3),
        _ => result == stored || stored == "an error" && result.starts_with('#'),
    }
}

/// The stored values, which the reader of this crate does not keep.
fn stored_values(bytes: &[u8]) -> Result<Vec<Stored>, String> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| error.to_string())?;
    let mut part = |name: &str| -> Result<String, String> {
        let mut text = String::new();
        let mut entry = archive.by_name(name).map_err(|error| format!("{name}: {error}"))?;
        entry.read_to_string(&mut text).map_err(|error| format!("{name}: {error}"))?;
        Ok(text)
    };
    let (book, links) = (part("xl/workbook.xml")?, part("xl/_rels/workbook.xml.rels")?);
    let mut stored = Vec::new();
    for sheet in elements(&book, "sheet") {
        let (Some(name), Some(link)) = (attribute(sheet, "name"), attribute(sheet, "r:id")) else { continue };
        let target = elements(&links, "Relationship").find(|link_of| attribute(link_of, "Id") == Some(link));
        let target = target.and_then(|target| attribute(target, "Target")).unwrap_or_default();
        let path = match target.strip_prefix('/') {
            Some(path) => path.to_owned(),
            None => format!("xl/{target}"),
        };
        for cell in elements(&part(&path)?, "c") {
            let has_formula = cell.contains("<f>") || cell.contains("<f ");
            let (Some(address), Some(value)) = (attribute(cell, "r"), text_of(cell, "v")) else { continue };
            let Ok(address) = CellAddress::parse_a1(address) else { continue };
            let value = match attribute(cell, "t") {
                Some("s") => continue,
                _ if value.is_empty() => continue,
                // Errors newer than the format are stored as `#VALUE!` with a metadata index.
                Some("e") if attribute(cell, "vm").is_some() => "an error".to_owned(),
                Some("b") => if value == "1" { "TRUE" } else { "FALSE" }.to_owned(),
                _ => unescaped(value),
            };
            if has_formula {
                stored.push(Stored { sheet: unescaped(name), cell: address, value });
            }
        }
    }
    Ok(stored)
}

/// The elements with this name, each up to its end tag or to the end of an empty element.
fn elements<'a>(xml: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    let mut rest = xml;
    std::iter::from_fn(move || {
        loop {
            let at = rest.find(&format!("<{name}"))?;
            let from = &rest[at..];
            let after = &from[name.len() + 1..];
            if !after.starts_with([' ', '>', '/', '\n', '\r']) {
                rest = after;
                continue;
            }
            let head = from.find('>')?;
            let end = match from[..head].ends_with('/') {
                true => head,
                false => from.find(&format!("</{name}>")).unwrap_or(head),
            };
            rest = &from[end..];
            return Some(&from[..=end.min(from.len() - 1)]);
        }
    })
}

fn attribute<'a>(element: &'a str, name: &str) -> Option<&'a str> {
    let head = element.split('>').next()?;
    let (_, rest) = head.split_once(&format!(" {name}=\""))?;
    rest.split('"').next()
}

fn text_of<'a>(element: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = element.split_once(&format!("<{name}"))?;
    let (_, rest) = rest.split_once('>')?;
    rest.split('<').next()
}

fn unescaped(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&apos;", "'");
    let text = text.replace("&#10;", "\n").replace("&amp;", "&");
    let mut parts = text.split("_x");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let code = part.get(..4).filter(|_| part[4..].starts_with('_'));
        match code.and_then(|code| u32::from_str_radix(code, 16).ok()).and_then(char::from_u32) {
            Some(character) => {
                plain.push(character);
                plain.push_str(&part[5..]);
            }
            None => {
                plain.push_str("_x");
                plain.push_str(part);
            }
        }
    }
    plain
}
