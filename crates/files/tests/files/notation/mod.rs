//! A one-line notation for workbooks, as in `A1: 2 | B1: =A1*3`, and comparisons that the tests
//! share.

use std::io::{Cursor, Read, Write};

use quadrille_cell::{CellAddress, Dimension, Range, SheetId, Value};
use quadrille_document::Document;
use quadrille_files::{FileError, FileFormat, Imported, ReadOptions, ShouldContinue, read};
use quadrille_formula::{Host, print};
use quadrille_operation::{Command, ItemDetails, apply, plan};
use quadrille_workbook::{Format, Input, Sheet, Workbook};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

/// Reads a file with default options.
pub fn import(format: FileFormat, bytes: &[u8]) -> Result<Imported, FileError> {
    read(format, bytes, &ReadOptions::default(), &mut |_| ShouldContinue::Continue)
}

/// The cells of all sheets, row by row. Sheets start with their name, except a single `Sheet1`.
pub fn show(workbook: &Workbook) -> String {
    let sheets = workbook.sheets();
    let texts = sheets.iter().map(|sheet| {
        let cells = show_cells(workbook, sheet);
        if sheets.len() == 1 && &**sheet.name() == "Sheet1" {
            cells
        } else {
            format!("[{}] {cells}", sheet.name())
        }
    });
    texts.collect::<Vec<_>>().join("\n")
}

fn show_cells(workbook: &Workbook, sheet: &Sheet) -> String {
    let mut cells: Vec<_> = sheet.inputs_in(Range::whole_sheet()).collect();
    cells.sort_by_key(|(cell, _)| (cell.row, cell.column));
    let texts = cells.into_iter().map(|(cell, input)| {
        let content = match input {
            Input::Formula(template) => {
                format!("={}", print(&template, Host { sheet: sheet.id(), cell }, workbook))
            }
            Input::Blank => String::new(),
            Input::Value(literal) => match Value::from(literal) {
                Value::Text(text) => format!("{text:?}"),
                Value::Number(number) => number.to_string(),
                Value::Boolean(boolean) => boolean.to_string().to_uppercase(),
                Value::Error(error) => error.to_string(),
                Value::Blank => String::new(),
            },
        };
        match &sheet.format(cell).number_format {
            Some(code) => format!("{cell}: {content} as {code}"),
            None => format!("{cell}: {content}"),
        }
    });
    texts.collect::<Vec<_>>().join(" | ")
}

/// Formats, row and column sizes and names, which [`show`] does not contain.
pub fn show_formats(workbook: &Workbook) -> String {
    let mut lines = Vec::new();
    for sheet in workbook.sheets() {
        let mut runs: Vec<_> = sheet.format_runs(Range::whole_sheet()).collect();
        runs.sort_by_key(|(range, _)| (range.first().row, range.first().column));
        lines.extend(runs.into_iter().map(|(range, format)| format!("{range}: {}", show_format(format))));
        for (dimension, name) in [(Dimension::Columns, "column"), (Dimension::Rows, "row")] {
            let sizes = sheet.size_runs(dimension);
            lines.extend(sizes.map(|(first, count, size)| format!("{name} {first}+{count}: {size} px")));
        }
    }
    let host = Host { sheet: workbook.sheets()[0].id(), cell: Default::default() };
    lines.extend(
        workbook.names().map(|(name, definition)| format!("{name} = {}", print(definition, host, workbook))),
    );
    lines.join("\n")
}

fn show_format(format: &Format) -> String {
    let mut words: Vec<String> = Vec::new();
    for (name, flag) in [
        ("bold", format.bold),
        ("italic", format.italic),
        ("underline", format.underline),
        ("strikethrough", format.strikethrough),
        ("wrap", format.wrap),
    ] {
        words.extend(flag.then(|| name.to_owned()));
    }
    words.extend(format.horizontal.map(|alignment| format!("{alignment:?}")));
    words.extend(format.vertical.map(|alignment| format!("{alignment:?}")));
    words.extend(format.text_color.map(|color| format!("text #{:06X}", color.0)));
    words.extend(format.fill_color.map(|color| format!("fill #{:06X}", color.0)));
    words.extend(format.number_format.as_ref().map(|code| format!("as {code}")));
    words.join(", ")
}

/// The items of `kinds` in the first sheet without their ids, sorted by kind and anchors.
pub fn items(workbook: &Workbook, kinds: &[&str]) -> Vec<String> {
    items_of(workbook, 0, kinds)
}

/// The items of `kinds` in a sheet, as of [`items`].
pub fn items_of(workbook: &Workbook, sheet: usize, kinds: &[&str]) -> Vec<String> {
    let sheet = &workbook.sheets()[sheet];
    let details =
        sheet.items().iter().map(|(id, item)| ItemDetails::new(Some(sheet.id()), id, item, workbook));
    let mut lines: Vec<String> = details
        .filter(|item| kinds.contains(&item.kind.as_str()))
        .map(|mut item| {
            item.fields.remove("parent");
            let fields = serde_json::to_string(&item.fields).expect("text keys");
            format!("{} {} {fields}", item.kind, item.anchors.join(" "))
        })
        .collect();
    lines.sort();
    lines
}

/// The values of a range, a line per row.
pub fn values(workbook: &Workbook, sheet: usize, range: &str) -> Vec<String> {
    let sheet = &workbook.sheets()[sheet];
    let range = Range::parse_a1(range).expect("a range");
    let text = |cell: CellAddress| match sheet.value(cell) {
        Value::Blank => String::new(),
        Value::Number(number) => number.to_string(),
        Value::Text(text) => text.to_string(),
        other => format!("{other:?}"),
    };
    let cells: Vec<CellAddress> = range.cells().collect();
    let rows = cells.chunks(range.column_count() as usize);
    rows.map(|row| row.iter().map(|cell| text(*cell)).collect::<Vec<_>>().join(" | ")).collect()
}

/// The workbook that results from commands in an empty workbook. The commands are in the client's
/// JSON.
pub fn commanded(commands: &str) -> Workbook {
    let mut workbook = Workbook::new();
    command(&mut workbook, commands);
    workbook
}

/// Carries out commands, as of [`commanded`].
pub fn command(workbook: &mut Workbook, commands: &str) {
    let commands: Vec<Command> = serde_json::from_str(commands).expect("a list of commands");
    let mut number = 100;
    for command in commands {
        let planned = plan(&command, workbook, &mut || {
            number += 1;
            SheetId(number)
        });
        apply(workbook, &planned.unwrap_or_else(|error| panic!("{command:?}: {error}")));
    }
}

/// The file with another text of one part.
pub fn with_changed_part(file: &[u8], name: &str, change: impl Fn(&str) -> String) -> Vec<u8> {
    let mut before = ZipArchive::new(Cursor::new(file)).expect("an archive");
    let mut after = ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..before.len() {
        let mut part = before.by_index(index).expect("a part");
        if part.name().expect("a name") != name {
            after.raw_copy_file(part).expect("into memory");
            continue;
        }
        let mut text = String::new();
        part.read_to_string(&mut text).expect("text");
        after.start_file(name, SimpleFileOptions::default()).expect("a name");
        after.write_all(change(&text).as_bytes()).expect("into memory");
    }
    after.finish().expect("into memory").into_inner()
}

/// Formulas of a file whose values differ from a table. Each line of the table has a formula,
/// LibreOffice's value and, if Excel documents another one, that value, for the cells of a column
/// from `first` (row and column, counted from 0) on.
pub fn differences(file: &[u8], table: &str, first: (u32, u32)) -> Vec<String> {
    let imported = import(FileFormat::Xlsx, file).expect("valid");
    let mut document = Document::from_workbook(imported.workbook);
    while !document.evaluate(u64::MAX).finished {}
    let sheet = &document.workbook().sheets()[0];
    let mut differences = Vec::new();
    for (row, line) in (first.0..).zip(table.lines()) {
        let mut fields = line.split('\t');
        let formula = fields.next().expect("a formula");
        let libreoffice = fields.next().expect("LibreOffice's value");
        let expected = fields.next().unwrap_or(libreoffice);
        let value = sheet.value(CellAddress::clamped(row, first.1));
        if !is_equal(&value, expected) {
            differences.push(format!("row {} {formula}: {value:?}, expected {expected}", row + 1));
        }
    }
    differences
}

/// Compares numbers to twelve digits, because LibreOffice writes fifteen digits and adds in another
/// order.
fn is_equal(value: &Value, expected: &str) -> bool {
    match (value, expected.parse::<f64>()) {
        (Value::Number(number), Ok(expected)) => (number - expected).abs() <= expected.abs() * 1e-12,
        (Value::Boolean(boolean), Err(_)) => expected == if *boolean { "TRUE" } else { "FALSE" },
        (Value::Text(text), Err(_)) => **text == *expected,
        // Errors that only LibreOffice has are written with a number.
        (Value::Error(_), Err(_)) if expected.starts_with("Err:") => true,
        (Value::Error(error), Err(_)) => error.text() == expected,
        _ => false,
    }
}
