//! Decodes random bytes as frames, journal records, snapshots and what a browser stores. What was
//! decoded is encoded, decoded again and encoded to the same bytes; transactions are applied and
//! undone.
//!
//! The first byte selects the decoder.

#![no_main]

mod file_fixtures;
mod workbook_checks;

use std::fmt::Debug;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use quadrille_cell::{CellAddress, SheetId};
use quadrille_files::{FileFormat, Placement, ReadOptions, ShouldContinue, import_transaction, read};
use quadrille_number_format::parse_input;
use quadrille_protocol::{
    AccessFrame, ChatFrame, ChatMessage, ClientFrame, FollowFrame, PersistedHead, PersistedTransaction,
    Record, RecordHeader, RoomSnapshot, ServerFrame, decode_snapshot, decode_transaction, encode_transaction,
    snapshot_bytes,
};
use quadrille_workbook::{Input, Workbook};

use file_fixtures::{ARCHIVES, files_of, write_seeds};
use workbook_checks::{check_snapshot, check_transaction};

/// A sheet with some values, so that operations have something to change.
static FILLED: LazyLock<Workbook> = LazyLock::new(|| {
    let mut workbook = Workbook::new();
    let sheet = workbook.sheet_mut(SheetId(1)).expect("the first sheet exists");
    for (index, text) in (0u32..).zip(["3", "apple", "TRUE", "2024-02-29", "12%", "#N/A", "", "7", "1e300"]) {
        sheet.set_input(CellAddress::clamped(index % 4, index / 4), &Input::from(parse_input(text).value));
    }
    workbook
});

/// Encoding is a function of the value, so the second encoding equals the first.
fn round_trip<T, E: Debug>(
    bytes: &[u8],
    decode: fn(&[u8]) -> Result<T, E>,
    encode: fn(&T) -> Vec<u8>,
) -> Option<T> {
    let value = decode(bytes).ok()?;
    let encoded = encode(&value);
    let again = decode(&encoded).expect("what was encoded can be decoded");
    assert!(encode(&again) == encoded, "the second encoding differs");
    Some(again)
}

const DECODERS: u8 = 12;

/// The golden files of the protocol for each decoder, and the workbooks of the tests as snapshots and
/// as transactions.
fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for bytes in files_of("fixtures/protocol/v1") {
        seeds.extend((0..DECODERS).map(|kind| [&[kind], &*bytes].concat()));
    }
    for (name, bytes) in ARCHIVES {
        let format = FileFormat::from_name(name).expect("fixtures have known extensions");
        let file = read(format, bytes, &ReadOptions::default(), &mut |_| ShouldContinue::Continue);
        let workbook = file.expect("fixtures can be read").workbook;
        let mut last = 100;
        let mut new_sheet = || {
            last += 1;
            SheetId(last)
        };
        let transaction = import_transaction(&workbook, &FILLED, Placement::Append, &mut new_sheet);
        seeds.push([&[8], &*snapshot_bytes(&workbook)].concat());
        seeds.push([&[9], &*encode_transaction(&transaction)].concat());
    }
    seeds
}

fuzz_target!(init: write_seeds(seeds()), |data: &[u8]| {
    let Some((kind, bytes)) = data.split_first() else { return };
    match kind % DECODERS {
        0 => {
            if let Some(ClientFrame::Submit { transaction, .. }) =
                round_trip(bytes, ClientFrame::decode, ClientFrame::encode)
            {
                check_transaction(&FILLED, &transaction);
            }
        }
        1 => {
            round_trip(bytes, ServerFrame::decode, ServerFrame::encode);
        }
        2 => {
            round_trip(bytes, ChatFrame::decode, ChatFrame::encode);
        }
        3 => {
            round_trip(bytes, ChatMessage::decode, ChatMessage::encode);
        }
        4 => {
            round_trip(bytes, FollowFrame::decode, FollowFrame::encode);
        }
        5 => {
            round_trip(bytes, AccessFrame::decode, AccessFrame::encode);
        }
        6 => {
            if let Some(record) = round_trip(bytes, Record::decode, Record::encode) {
                let header = RecordHeader::decode(bytes).expect("the header of a record that was read");
                assert_eq!((header.revision, header.replica), (record.revision, record.replica));
                check_transaction(&FILLED, &record.transaction);
            }
        }
        7 => {
            round_trip(bytes, RoomSnapshot::decode, RoomSnapshot::encode);
        }
        8 => {
            if let Ok(workbook) = decode_snapshot(bytes) {
                check_snapshot(&workbook);
            }
        }
        9 => {
            if let Some(transaction) = round_trip(bytes, decode_transaction, encode_transaction) {
                check_transaction(&FILLED, &transaction);
            }
        }
        10 => {
            round_trip(bytes, PersistedHead::decode, PersistedHead::encode);
        }
        _ => {
            round_trip(bytes, PersistedTransaction::decode, |stored| {
                PersistedTransaction::encode(stored.time_and_seed, &stored.transaction)
            });
        }
    }
});
