//! Writes a workbook in Quadrille's JSON format.

use quadrille_cell::{CellAddress, ColumnIndex, Dimension, Range, Value, column_name};
use quadrille_formula::{Expression, Host, Template, print};
use quadrille_operation::{FormatChange, ItemDetails};
use quadrille_workbook::{Format, FormatPatch, Input, ItemId, ItemKind, Sheet, Workbook};
use serde_json::{Map, Value as Json, json};

/// Cells of a range with one format that are searched for a text with fonts of its parts, at most.
const RICH_CELLS_MAX: usize = 1_000;

/// Returns the JSON text.
pub(crate) fn write(workbook: &Workbook) -> String {
    let host = Host { sheet: workbook.sheets()[0].id(), cell: Default::default() };
    let names: Map<String, Json> = workbook
        .names()
        .map(|(name, definition)| {
            let name = print(&Template::new(Expression::Name(name.clone())), host, workbook);
            (name, format!("={}", print(definition, host, workbook)).into())
        })
        .collect();
    // Formatted by hand down to the cells: one line per cell keeps diffs readable, and no tree is
    // built.
    let mut text = String::from("{\"format\":\"quadrille-workbook\",\"version\":1,\n");
    if let Some(settings) = workbook.items().get(ItemId::SETTINGS) {
        let details = ItemDetails::new(None, ItemId::SETTINGS, settings, workbook);
        let fields = serde_json::to_value(details.fields).unwrap_or_default(); // keys are texts, so this cannot fail
        text.push_str(&format!("\"settings\":{fields},\n"));
    }
    let styles = workbook.items().of_kind(ItemKind::CellStyle);
    let styles: Vec<Json> = styles
        .map(|(id, item)| {
            serde_json::to_value(ItemDetails::new(None, id, item, workbook)).unwrap_or_default()
        })
        .collect();
    if !styles.is_empty() {
        text.push_str(&format!("\"cellStyles\":{},\n", Json::from(styles)));
    }
    text.push_str(&format!("\"names\":{},\n\"sheets\":[", Json::from(names)));
    for (index, sheet) in workbook.sheets().iter().enumerate() {
        text.push_str(if index > 0 { ",\n" } else { "\n" });
        push_sheet(&mut text, workbook, sheet);
    }
    text.push_str("\n]}\n");
    text
}

fn push_sheet(text: &mut String, workbook: &Workbook, sheet: &Sheet) {
    text.push_str(&format!("{{\"name\":{},\n", Json::from(&**sheet.name())));
    let widths: Map<String, Json> = sheet.size_runs(Dimension::Columns).map(column_size).collect();
    let heights: Map<String, Json> = sheet.size_runs(Dimension::Rows).map(row_size).collect();
    text.push_str(&format!("\"columnWidths\":{},\n", Json::from(widths)));
    text.push_str(&format!("\"rowHeights\":{},\n", Json::from(heights)));
    for (key, dimension) in [("hiddenRows", Dimension::Rows), ("hiddenColumns", Dimension::Columns)] {
        let hidden: Vec<Json> =
            sheet.hidden_runs(dimension).map(|run| run_name(dimension, run).into()).collect();
        if !hidden.is_empty() {
            text.push_str(&format!("\"{key}\":{},\n", Json::from(hidden)));
        }
    }
    if !sheet.items().is_empty() {
        text.push_str(&format!("\"items\":{},\n", items(workbook, sheet)));
    }
    text.push_str("\"formats\":{");
    for (index, (range, format)) in sheet.format_runs(Range::whole_sheet()).enumerate() {
        text.push_str(if index > 0 { ",\n" } else { "\n" });
        text.push_str(&format!("\"{range}\":{}", write_format(sheet, range, format)));
    }
    text.push_str("},\n\"cells\":{");
    for (index, (cell, input)) in sheet.inputs_in(Range::whole_sheet()).enumerate() {
        text.push_str(if index > 0 { ",\n" } else { "\n" });
        let content = match input {
            Input::Formula(template) => {
                let formula = print(&template, Host { sheet: sheet.id(), cell }, workbook);
                json!({ "formula": format!("={formula}"), "value": value(&sheet.value(cell)) })
            }
            Input::Blank => Json::Null,
            Input::Value(literal) => value(&literal.into()),
        };
        text.push_str(&format!("\"{cell}\":{content}"));
    }
    text.push_str("}}");
}

/// The name of a run of rows or columns: `3:5` or `B:C`.
fn run_name(dimension: Dimension, (first, count): (u32, u32)) -> String {
    let name = |index: u32| match dimension {
        Dimension::Rows => (index + 1).to_string(),
        Dimension::Columns => column_name(ColumnIndex::clamped(index)),
    };
    format!("{}:{}", name(first), name(first + count - 1))
}

fn items(workbook: &Workbook, sheet: &Sheet) -> Json {
    let items = sheet.items().iter().map(|(id, item)| {
        let details = ItemDetails::new(Some(sheet.id()), id, item, workbook);
        serde_json::to_value(details).unwrap_or_default() // keys are texts, so this cannot fail
    });
    items.collect()
}

fn value(value: &Value) -> Json {
    match value {
        Value::Blank => Json::Null,
        Value::Boolean(boolean) => (*boolean).into(),
        // Numbers without a fraction are written as integers.
        Value::Number(number) if number.fract() == 0.0 && number.abs() < 1e15 => (*number as i64).into(),
        Value::Number(number) => (*number).into(),
        Value::Text(text) => (&**text).into(),
        Value::Error(error) => json!({ "error": error.text() }),
    }
}

fn column_size((first, count, size): (u32, u32, u16)) -> (String, Json) {
    let (first, last) = (ColumnIndex::clamped(first), ColumnIndex::clamped(first + count - 1));
    let name = if first == last {
        column_name(first)
    } else {
        format!("{}:{}", column_name(first), column_name(last))
    };
    (name, size.into())
}

fn row_size((first, count, size): (u32, u32, u16)) -> (String, Json) {
    let name = if count == 1 { format!("{}", first + 1) } else { format!("{}:{}", first + 1, first + count) };
    (name, size.into())
}

/// The attributes that differ from the default format; with a style, those that the cells set
/// themselves. Fonts of parts of texts are written with the text of the first cell that has them.
fn write_format(sheet: &Sheet, range: Range, format: &Format) -> Json {
    let columns = range.first().column.get()..=range.last().column.get();
    let rows = range.first().row.get()..=range.last().row.get();
    let cells = rows.flat_map(|row| columns.clone().map(move |column| CellAddress::clamped(row, column)));
    let has_runs = format.text_runs.is_some();
    let mut rich = cells.take(if has_runs { RICH_CELLS_MAX } else { 0 });
    let rich = rich.find(|cell| sheet.rich_text(*cell).is_some());
    let change = match format.cell_style {
        Some(_) => FormatChange::from(&FormatPatch::replacing_with(format)),
        None => FormatChange::from(format),
    };
    let change = change.with_text_runs(sheet, rich.unwrap_or(range.first()));
    serde_json::to_value(change).unwrap_or_default() // keys are texts, so this cannot fail
}
