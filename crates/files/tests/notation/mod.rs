//! Workbooks in one line of text, so that a test shows what it means: `A1: 2 | B1: =A1*3`.

#![allow(dead_code, reason = "each test file uses its part")]

use quadrille_cell::{Dimension, Range, Value};
use quadrille_files::{FileError, FileFormat, Imported, Proceed, ReadOptions, read};
use quadrille_formula::{Host, print};
use quadrille_workbook::{Format, Input, Sheet, Workbook};

pub fn import(format: FileFormat, bytes: &[u8]) -> Result<Imported, FileError> {
    read(format, bytes, &ReadOptions::default(), &mut |_| Proceed::Continue)
}

/// Cells row by row; sheets other than a lone `Sheet1` start with their name.
pub fn show(workbook: &Workbook) -> String {
    let sheets = workbook.sheets();
    let shown = sheets.iter().map(|sheet| {
        let cells = show_cells(workbook, sheet);
        if sheets.len() == 1 && &**sheet.name() == "Sheet1" {
            cells
        } else {
            format!("[{}] {cells}", sheet.name())
        }
    });
    shown.collect::<Vec<_>>().join("\n")
}

fn show_cells(workbook: &Workbook, sheet: &Sheet) -> String {
    let mut cells: Vec<_> = sheet.inputs_in(Range::whole_sheet()).collect();
    cells.sort_by_key(|(cell, _)| (cell.row, cell.column));
    let shown = cells.into_iter().map(|(cell, input)| {
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
    shown.collect::<Vec<_>>().join(" | ")
}

/// Formats, sizes and names: what [`show`] leaves out.
pub fn show_looks(workbook: &Workbook) -> String {
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
