//! Measures sorting: `cargo run --release -p quadrille-operation --example sort`.

use std::time::Instant;

use quadrille_cell::{ColumnIndex, Range, SheetId, Value};
use quadrille_operation::{Command, SortKey, apply, plan};
use quadrille_workbook::Workbook;

const ROWS: u32 = 1_000_000;

fn main() {
    for (name, key) in [
        ("numbers", (|row| Value::Number(f64::from(row * 7_919 % 1_000) / 4.0)) as fn(u32) -> Value),
        ("texts", |row| Value::text(format!("name {}", row * 7_919 % 1_000))),
    ] {
        let mut workbook = Workbook::new();
        let sheet = workbook.sheet_mut(SheetId(1)).expect("there is one sheet");
        let firsts: Vec<Value> = (0..ROWS).map(key).collect();
        sheet.set_column_values(ColumnIndex::clamped(0), 0, &firsts);
        for (column, factor) in [(1, 104_729), (2, 1)] {
            let numbers: Vec<f64> =
                (0..ROWS).map(|row| f64::from(row.wrapping_mul(factor) % 99_991)).collect();
            sheet.set_column_numbers(ColumnIndex::clamped(column), 0, &numbers);
        }
        let keys = vec![SortKey { column: 0, descending: false }, SortKey { column: 1, descending: true }];
        let range = Range::from_indices(0, 0, ROWS - 1, 2).expect("within the sheet");
        let command = Command::Sort { sheet: 1, range: range.to_string(), keys, has_header: false };
        for _ in 0..3 {
            let mut copy = workbook.clone();
            let start = Instant::now();
            let transaction = plan(&command, &copy, &mut || SheetId(2)).expect("the command is valid");
            let planned = start.elapsed();
            let applied = apply(&mut copy, &transaction);
            let all = start.elapsed();
            assert!(!applied.inverse.operations.is_empty());
            let (planned, all) = (planned.as_secs_f64() * 1e3, all.as_secs_f64() * 1e3);
            println!(
                "sort 1,000,000 rows of 3 columns by {name} and numbers: {all:.0} ms, planning {planned:.0} ms"
            );
        }
    }
}
