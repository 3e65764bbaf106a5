//! Properties of every workbook and transaction that a reader accepted.

use quadrille_cell::SheetId;
use quadrille_files::{Placement, import_transaction};
use quadrille_operation::{Limits, Transaction, apply, validate};
use quadrille_protocol::{decode_snapshot, decode_transaction, encode_transaction, snapshot_bytes};
use quadrille_workbook::Workbook;

/// Stores the workbook as a snapshot, reads it again and compares the bytes. A workbook that fails
/// here makes a room that cannot be opened.
pub fn check_snapshot(workbook: &Workbook) -> Vec<u8> {
    let bytes = snapshot_bytes(workbook);
    let read = decode_snapshot(&bytes).expect("snapshots that were written can be read");
    assert!(snapshot_bytes(&read) == bytes, "the snapshot that was read differs");
    bytes
}

/// Puts an imported workbook into an empty room, as the server does.
#[allow(dead_code, reason = "not every target imports")]
pub fn check_import(workbook: &Workbook) {
    let mut room = Workbook::new();
    let mut last = 100;
    let mut new_sheet = || {
        last += 1;
        SheetId(last)
    };
    let transaction = import_transaction(workbook, &room, Placement::Replace, &mut new_sheet);
    let bytes = encode_transaction(&transaction);
    let read = decode_transaction(&bytes).expect("transactions of imports can be read");
    assert!(read == transaction, "the transaction that was read differs");
    apply(&mut room, &read);
    check_snapshot(&room);
}

/// Applies a transaction if a room would, stores the result, and undoes it.
#[allow(dead_code, reason = "not every target has transactions")]
pub fn check_transaction(workbook: &Workbook, transaction: &Transaction) {
    if validate(transaction, &Limits::DEFAULT).is_err() {
        return;
    }
    let bytes = encode_transaction(transaction);
    let read = decode_transaction(&bytes).expect("valid transactions can be read");
    assert!(read == *transaction, "the transaction that was read differs");
    let before = snapshot_bytes(workbook);
    let mut changed = workbook.clone();
    let inverse = apply(&mut changed, transaction).inverse;
    check_snapshot(&changed);
    apply(&mut changed, &inverse);
    assert!(snapshot_bytes(&changed) == before, "undoing leaves a difference");
}
