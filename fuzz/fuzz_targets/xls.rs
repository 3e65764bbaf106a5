//! Reads damaged `.xls` files and imports what was read into a room.
//!
//! The input is the workbook stream, around which the target puts a compound file. If it begins as
//! compound files do, it is the file itself.

#![no_main]

#[path = "../../crates/files/tests/files/compound_file.rs"]
mod compound_file;
mod file_fixtures;
mod workbook_checks;

use libfuzzer_sys::fuzz_target;
use quadrille_files::{FileFormat, ReadOptions, ShouldContinue, read};

use compound_file::{SECTOR, SIGNATURE, compound_file};
use file_fixtures::{COMPOUND_FILES, write_seeds};
use workbook_checks::{check_import, check_snapshot};

/// The files of the tests, and their workbook streams: these files store them in one piece.
fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (_, file) in COMPOUND_FILES {
        let begins = |bytes: &[u8]| bytes.starts_with(b"\x09\x08\x10\x00\x00\x06\x05\x00");
        let start = (0..file.len()).step_by(SECTOR).find(|start| begins(&file[*start..]));
        seeds.push(file[start.expect("a workbook stream")..].to_vec());
        seeds.push(file.to_vec());
    }
    seeds
}

fuzz_target!(init: write_seeds(seeds()), |data: &[u8]| {
    let file = if data.starts_with(SIGNATURE) { data.to_vec() } else { compound_file(data) };
    let options = ReadOptions::default();
    let Ok(imported) = read(FileFormat::Xls, &file, &options, &mut |_| ShouldContinue::Continue) else { return };
    check_snapshot(&imported.workbook);
    check_import(&imported.workbook);
});
