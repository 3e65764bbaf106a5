//! Prints the cost of encoding a large workbook: `cargo test --release -p quadrille-protocol --
//! --ignored --nocapture`.

use std::time::Instant;

use quadrille_cell::{ColumnIndex, Range, SheetId, Value};
use quadrille_operation::{Operation, Transaction, apply};
use quadrille_protocol::{
    decode_snapshot, decode_transaction, digest_of_snapshot, encode_transaction, snapshot_bytes,
};
use quadrille_workbook::{Input, Literal, Workbook};

#[test]
#[ignore = "a measurement"]
fn a_million_cells() {
    let rows = 250_000u32;
    let mut workbook = Workbook::new();
    let sheet = workbook.sheet_mut(SheetId(1)).expect("a new workbook has it");
    for column in 0..4u32 {
        let values: Vec<Value> = (0..rows)
            .map(|row| match column {
                0 => Value::Number(f64::from(row)),
                1 => Value::Number(f64::from(row.wrapping_mul(2_654_435_761) % 100_000) / 100.0),
                2 => Value::Number(f64::from(row).sqrt()),
                _ => Value::text(["north", "south", "east", "west"][row as usize % 4]),
            })
            .collect();
        sheet.set_column_values(ColumnIndex::clamped(column), 0, &values);
    }
    let timed =
        |what: &str, started: Instant| println!("{what}: {:.1} ms", started.elapsed().as_secs_f64() * 1e3);
    let started = Instant::now();
    let bytes = snapshot_bytes(&workbook);
    timed("write a snapshot", started);
    let started = Instant::now();
    let digest = digest_of_snapshot(&bytes);
    timed("hash it", started);
    let started = Instant::now();
    let read = decode_snapshot(&bytes).expect("written above");
    timed("read it", started);
    println!("{} bytes, digest {digest:x}", bytes.len());
    assert!(snapshot_bytes(&read) == bytes);

    let range = Range::from_indices(0, 0, rows - 1, 3).expect("within the sheet");
    let sheet = workbook.sheet(SheetId(1)).expect("filled above");
    let inputs: Vec<Input> = range.cells().map(|cell| sheet.input(cell)).collect();
    assert!(matches!(inputs[3], Input::Value(Literal::Text(_))));
    let transaction =
        Transaction { operations: vec![Operation::SetCells { sheet: SheetId(1), range, inputs }] };
    let started = Instant::now();
    let bytes = encode_transaction(&transaction);
    timed("write it as one transaction", started);
    let started = Instant::now();
    let read = decode_transaction(&bytes).expect("written above");
    timed("read that", started);
    println!("{} bytes", bytes.len());
    let started = Instant::now();
    apply(&mut Workbook::new(), &read);
    timed("apply it", started);
}
