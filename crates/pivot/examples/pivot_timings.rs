//! Times of pivot tables over a million rows: `cargo run --release -p quadrille-pivot --example pivot_timings`.
//!
//! The rows have a region (8 texts), a product (200 texts), a day of three years and an amount.
//! Prints, for each pivot table, the best time of three first results and the median time of a
//! hundred edits, in milliseconds, as `name<TAB>first<TAB>edit<TAB>checksum`, where the checksum is
//! the sum of all values before the edits. With `--csv FILE` it writes the rows for other programs
//! (`bench/peers/pivot`).

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use quadrille_cell::{CellAddress, ColumnIndex, Range, SheetId, Value};
use quadrille_formula::{Host, parse};
use quadrille_pivot::{Definition, LineKind, Pivot};
use quadrille_workbook::{Field, FieldValue, Input, Item, ItemKind, Literal, Workbook};

const ROWS: u32 = 1_000_000;
const SHEET: SheetId = SheetId(1);

fn main() {
    let mut workbook = workbook();
    let mut arguments = std::env::args().skip(1);
    if let (Some("--csv"), Some(file)) = (arguments.next().as_deref(), arguments.next()) {
        std::fs::write(file, csv(&workbook)).expect("the file can be written");
    }
    for (name, rows, columns, function) in [
        ("sum by region and product", &["A", "B"][..], &[][..], "sum"),
        ("sum by product and region beside", &["B"], &["A"], "sum"),
        ("sum by month and region", &["C month"], &["A"], "sum"),
        ("median by region and product", &["A", "B"], &[], "median"),
        ("sum, one group", &[], &[], "sum"),
    ] {
        let item = item(&workbook, rows, columns, function);
        let mut pivot = None;
        let first = (0..3).map(|_| {
            let start = Instant::now();
            pivot = Some(refresh(None, &workbook, &item));
            start.elapsed()
        });
        let first = first.min().expect("there are three");
        let checksum = pivot.as_ref().map_or(0.0, checksum);
        let before = workbook.clone();
        let mut edits: Vec<Duration> = (0..100)
            .map(|edit| {
                let row = edit * 9_973 % ROWS;
                let cell = CellAddress::clamped(row + 1, 3);
                let amount = Input::Value(Literal::Number(f64::from(edit)));
                workbook.sheet_mut(SHEET).expect("it exists").set_input(cell, &amount);
                let start = Instant::now();
                pivot = Some(refresh(pivot.take(), &workbook, &item));
                start.elapsed()
            })
            .collect();
        workbook = before;
        edits.sort();
        let ms = |time: Duration| time.as_secs_f64() * 1_000.0;
        println!("{name}\t{:.3}\t{:.3}\t{checksum:.2}", ms(first), ms(edits[edits.len() / 2]));
    }
}

/// The sum of the values in the lines of groups, without totals.
fn checksum(pivot: &Pivot) -> f64 {
    let output = pivot.output().as_ref().expect("it has an output");
    let is_group = |line: &quadrille_pivot::Line, has_fields: bool| {
        line.kind == LineKind::Group || !has_fields && line.kind == LineKind::GrandTotal
    };
    let mut sum = 0.0;
    for (row, line) in (0..).zip(&output.row_lines) {
        for (column, beside) in (0..).zip(&output.column_lines) {
            let is_value = is_group(line, !output.row_names.is_empty())
                && is_group(beside, !output.column_names.is_empty());
            let cell = output.cells.get(output.header_rows + row, output.label_columns + column);
            if let (true, Some(Value::Number(number))) = (is_value, cell) {
                sum += number;
            }
        }
    }
    sum
}

/// The rows as comma-separated values.
fn csv(workbook: &Workbook) -> String {
    let sheet = workbook.sheet(SHEET).expect("it exists");
    let mut text = String::new();
    for row in 0..=ROWS {
        for column in 0..4 {
            text += if column == 0 { "" } else { "," };
            text += &match sheet.value(CellAddress::clamped(row, column)) {
                Value::Number(number) => number.to_string(),
                Value::Text(text) => text.to_string(),
                other => unreachable!("{other:?}"),
            };
        }
        text.push('\n');
    }
    text
}

fn refresh(before: Option<Pivot>, workbook: &Workbook, item: &Item) -> Pivot {
    let definition = Definition::read(workbook, SHEET, item).expect("a valid definition");
    Pivot::refresh(before, definition, workbook, &mut |_| false, &mut |_| Value::Blank)
        .expect("nobody stops it")
}

fn workbook() -> Workbook {
    let mut workbook = Workbook::new();
    let sheet = workbook.sheet_mut(SHEET).expect("a new workbook has this sheet");
    // A linear congruential generator: the same rows in every run.
    let mut state = 19_u64;
    let mut random = |count: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % count
    };
    let mut columns = vec![Vec::new(); 4];
    for (column, header) in columns.iter_mut().zip(["Region", "Product", "Day", "Amount"]) {
        column.push(Value::text(header));
    }
    for _ in 0..ROWS {
        columns[0].push(Value::text(format!("Region {}", random(8))));
        columns[1].push(Value::text(format!("Product {}", random(200))));
        columns[2].push(Value::Number(45_000.0 + random(1_095) as f64));
        columns[3].push(Value::Number(random(100_000) as f64 / 100.0));
    }
    for (index, column) in (0..).zip(&columns) {
        sheet.set_column_values(ColumnIndex::clamped(index), 0, column);
    }
    workbook
}

fn item(workbook: &Workbook, rows: &[&str], columns: &[&str], function: &str) -> Item {
    let at = CellAddress::clamped(0, 0);
    let formula = |text: &str| FieldValue::Formula {
        at,
        template: parse(text, Host { sheet: SHEET, cell: at }, workbook),
    };
    let field = |text: &&str| {
        let (column, grouping) = text.split_once(' ').unwrap_or((text, "values"));
        FieldValue::Record(BTreeMap::from([
            (Field::Column, formula(&format!("${column}:${column}"))),
            (Field::Grouping, FieldValue::Text(grouping.into())),
        ]))
    };
    let value = BTreeMap::from([
        (Field::Column, formula("$D:$D")),
        (Field::Function, FieldValue::Text(function.into())),
    ]);
    let mut item = Item::new(ItemKind::PivotTable);
    item.anchors.push(Range::parse_a1("Z1").expect("an address"));
    item.fields.insert(Field::Source, formula("$A$1:$D$1000001"));
    item.fields.insert(Field::Rows, FieldValue::List(rows.iter().map(field).collect()));
    item.fields.insert(Field::Columns, FieldValue::List(columns.iter().map(field).collect()));
    item.fields.insert(Field::Values, FieldValue::List(vec![FieldValue::Record(value)]));
    item
}
