//! Builds workbooks and items of pivot tables for tests.

use std::collections::BTreeMap;

use quadrille_cell::{CellAddress, ColumnIndex, Range, SheetId, Value};
use quadrille_formula::{Host, parse};
use quadrille_pivot::{Definition, Output, Pivot};
use quadrille_workbook::{Field, FieldValue, Input, Item, ItemKind, Literal, Workbook};

pub(crate) const SHEET: SheetId = SheetId(1);

/// A workbook whose first sheet holds these cells; texts that are numbers become numbers.
pub(crate) fn workbook(rows: &[Vec<&str>]) -> Workbook {
    let mut workbook = Workbook::new();
    let sheet = workbook.sheet_mut(SHEET).expect("a new workbook has this sheet");
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    for column in 0..width {
        let cell = |row: &Vec<&str>| value(row.get(column).copied().unwrap_or_default());
        let values: Vec<Value> = rows.iter().map(cell).collect();
        sheet.set_column_values(ColumnIndex::clamped(column as u32), 0, &values);
    }
    workbook
}

pub(crate) fn value(text: &str) -> Value {
    match (text, text.parse::<f64>()) {
        ("", _) => Value::Blank,
        (_, Ok(number)) => Value::Number(number),
        _ if text.starts_with('#') => {
            Value::Error(quadrille_cell::ErrorValue::parse(text).expect("an error"))
        }
        _ => Value::text(text),
    }
}

/// Sets a cell by its address in A1 notation.
pub(crate) fn set(workbook: &mut Workbook, cell: &str, text: &str) {
    let input = match value(text) {
        Value::Blank => Input::Blank,
        Value::Number(number) => Input::Value(Literal::Number(number)),
        Value::Text(text) => Input::Value(Literal::Text(text)),
        other => panic!("{other:?} is no input of a test"),
    };
    let cell = CellAddress::parse_a1(cell).expect("an address");
    workbook.sheet_mut(SHEET).expect("it exists").set_input(cell, &input);
}

/// The item of a pivot table over the used cells of the first sheet. Fields are written as
/// `Region`, `Date year`, `Units step 10`, `Amount sum`, with further words as in [`field`].
pub(crate) fn item(workbook: &Workbook, rows: &[&str], columns: &[&str], values: &[&str]) -> Item {
    let used = workbook.sheet(SHEET).and_then(|sheet| sheet.used_range()).expect("the sheet has cells");
    let mut item = Item::new(ItemKind::PivotTable);
    item.anchors.push(Range::parse_a1("Z1").expect("an address"));
    item.fields.insert(Field::Source, formula(workbook, &used.to_string()));
    for (name, fields) in [(Field::Rows, rows), (Field::Columns, columns), (Field::Values, values)] {
        let records = fields.iter().map(|text| FieldValue::Record(field(workbook, text)));
        item.fields.insert(name, FieldValue::List(records.collect()));
    }
    item
}

/// One field: the header of its column, then what is done with it.
pub(crate) fn field(workbook: &Workbook, text: &str) -> BTreeMap<Field, FieldValue> {
    let mut words = text.split(' ');
    let header = Value::text(words.next().unwrap_or_default());
    let sheet = workbook.sheet(SHEET).expect("it exists");
    let column = (0..26)
        .map(ColumnIndex::clamped)
        .find(|column| {
            sheet.value(CellAddress { row: quadrille_cell::RowIndex::clamped(0), column: *column }) == header
        })
        .unwrap_or_else(|| panic!("no column {header:?}"));
    let letters = quadrille_cell::column_name(column);
    let mut record = BTreeMap::from([(Field::Column, formula(workbook, &format!("${letters}:${letters}")))]);
    let text = |text: &str| FieldValue::Text(text.into());
    let number = |words: &mut dyn Iterator<Item = &str>| {
        FieldValue::Number(words.next().and_then(|word| word.parse().ok()).expect("a number"))
    };
    while let Some(word) = words.next() {
        match word {
            "descending" => drop(record.insert(Field::Order, text(word))),
            "step" => drop(record.insert(Field::Step, number(&mut words))),
            "by" => drop(record.insert(Field::SortBy, number(&mut words))),
            "top" | "bottom" => {
                record.insert(Field::Rule, text(word));
                record.insert(Field::Rank, number(&mut words));
            }
            "groups" => drop(record.insert(Field::Groups, groups(words.next().unwrap_or_default()))),
            "named" => drop(record.insert(Field::Name, text(words.next().unwrap_or_default()))),
            "flat" => drop(record.insert(Field::Subtotals, FieldValue::Boolean(false))),
            "as" => drop(record.insert(Field::ShownAs, text(words.next().unwrap_or_default()))),
            "year" | "quarter" | "month" | "weekday" | "yearMonth" => {
                drop(record.insert(Field::Grouping, text(word)));
            }
            function => drop(record.insert(Field::Function, text(function))),
        }
    }
    record
}

/// Groups of one's own, written as `Coast=East,West;Hills=North`.
fn groups(text: &str) -> FieldValue {
    let group = |text: &str| {
        let (name, values) = text.split_once('=').expect("a name and values");
        let values = values.split(',').map(|value| FieldValue::Text(value.into()));
        FieldValue::Record(BTreeMap::from([
            (Field::Name, FieldValue::Text(name.into())),
            (Field::Values, FieldValue::List(values.collect())),
        ]))
    };
    FieldValue::List(text.split(';').map(group).collect())
}

fn formula(workbook: &Workbook, text: &str) -> FieldValue {
    let at = CellAddress::clamped(0, 0);
    FieldValue::Formula { at, template: parse(text, Host { sheet: SHEET, cell: at }, workbook) }
}

/// Evaluates the pivot table of an item without earlier state.
pub(crate) fn evaluate(workbook: &Workbook, item: &Item) -> Pivot {
    refresh(None, workbook, item)
}

pub(crate) fn refresh(before: Option<Pivot>, workbook: &Workbook, item: &Item) -> Pivot {
    let definition = Definition::read(workbook, SHEET, item).expect("a valid definition");
    Pivot::refresh(before, definition, workbook, &mut |_| false, &mut |_| Value::Blank)
        .expect("nobody stops it")
}

pub(crate) fn output(pivot: &Pivot) -> &Output {
    pivot.output().as_ref().expect("it has an output")
}

/// The cells of an output: a line per row, cells separated by ` | `.
pub(crate) fn text(output: &Output) -> String {
    let show = |value: &Value| match value {
        Value::Blank => String::new(),
        Value::Number(number) => number.to_string(),
        Value::Text(text) => text.to_string(),
        Value::Boolean(boolean) => boolean.to_string(),
        Value::Error(error) => error.to_string(),
    };
    let cells = &output.cells;
    let row =
        |row: &[Value]| row.iter().map(show).collect::<Vec<_>>().join(" | ").trim_end().to_owned() + "\n";
    cells.values().chunks(cells.columns() as usize).map(row).collect()
}
