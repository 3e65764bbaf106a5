//! Damaged files: reading fails or gives a workbook that can be written.
//!
//! `FILE_FUZZ_ROUNDS` sets how many damaged files are read of each fixture. `docs/fuzzing.md` has the
//! targets that look at which code a damaged file reaches.

use std::io::{Cursor, Read, Write};

use quadrille_files::{FileFormat, WriteOptions, write_with_images};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use crate::notation::import;

/// How many damaged files are read of each fixture.
pub fn rounds(default: usize) -> usize {
    std::env::var("FILE_FUZZ_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(default)
}

macro_rules! fixtures {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_bytes!(concat!("../fixtures/", $name)).as_slice())),*]
    };
}

const ARCHIVES: [(&str, &[u8]); 24] = fixtures![
    "libreoffice.xlsx",
    "charts-libreoffice.xlsx",
    "chart-statistics.xlsx",
    "pivot-tables-libreoffice.xlsx",
    "cell-formats.xlsx",
    "cell-styles.xlsx",
    "protected.xlsx",
    "scenarios.xlsx",
    "rich-text.xlsx",
    "slicers.xlsx",
    "shapes.xlsx",
    "smart-art.xlsx",
    "form-controls.xlsx",
    "embedded-objects.xlsx",
    "checkboxes.xlsx",
    "images-in-cells.xlsx",
    "shapes-libreoffice.ods",
    "pivot-groups-libreoffice.ods",
    "names-libreoffice.ods",
    "filters.ods",
    "validations.ods",
    "conditional-formats.ods",
    "charts-libreoffice.ods",
    "chart-statistics-libreoffice.ods",
];

#[test]
fn damaged_parts_of_archives_are_refused_or_read_without_panics() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for round in 0..rounds(3) {
        for (name, bytes) in ARCHIVES {
            let format = FileFormat::from_name(name).expect("fixtures have known extensions");
            let mut parts = parts(bytes);
            let part = random.below(parts.len());
            random.damage_xml(&mut parts[part].1);
            let Ok(read) = import(format, &archive(&parts)) else { continue };
            let written = write_with_images(&read.workbook, format, &WriteOptions::default(), &read.images);
            if let Ok(written) = written {
                let again = import(format, &written);
                assert!(again.is_ok(), "round {round} of {name}, {}: {:?}", parts[part].0, again.err());
            }
        }
    }
}

/// Marsaglia's xorshift generator.
pub struct Random(pub u64);

impl Random {
    /// A number less than `count`.
    pub fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % count as u64) as usize
    }

    /// Replaces some bytes, and may cut off the rest.
    pub fn damage(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..=self.below(8) {
            let at = self.below(bytes.len());
            bytes[at] = [0, 0xff, 0x7f, self.below(256) as u8][self.below(4)];
        }
        if self.below(8) == 0 {
            bytes.truncate(self.below(bytes.len()).max(1));
        }
    }

    /// Replaces values of attributes and texts by others, and repeats or removes elements.
    pub fn damage_xml(&mut self, bytes: &mut Vec<u8>) {
        // Separated by spaces; the first is empty.
        const VALUES: &str = " 0 1 -1 255 65535 65536 1048576 1048577 2147483648 4294967295 \
            18446744073709551615 99999999999999999999 1e308 -0.0 NaN true A1 XFD1048576 A1:XFD1048576 \
            \u{e9}\u{1f600} =A1&amp;#REF!";
        let values: Vec<&str> = VALUES.split(' ').collect();
        for _ in 0..=self.below(6) {
            if bytes.is_empty() {
                return;
            }
            let at = self.below(bytes.len());
            match self.below(4) {
                0 => {
                    // The value of the next attribute.
                    let Some(start) = find(bytes, at, b'"').map(|at| at + 1) else { continue };
                    let Some(end) = find(bytes, start, b'"') else { continue };
                    bytes.splice(start..end, values[self.below(values.len())].bytes());
                }
                1 => {
                    // The text behind the next tag.
                    let Some(start) = find(bytes, at, b'>').map(|at| at + 1) else { continue };
                    let Some(end) = find(bytes, start, b'<') else { continue };
                    bytes.splice(start..end, values[self.below(values.len())].bytes());
                }
                2 => {
                    // Tags from here to another.
                    let Some(start) = find(bytes, at, b'<') else { continue };
                    let behind = (start + 1 + self.below(200)).min(bytes.len());
                    let Some(end) = find(bytes, behind, b'<') else { continue };
                    let copy = if self.below(2) == 0 { Vec::new() } else { bytes[start..end].repeat(2) };
                    bytes.splice(start..end, copy);
                }
                _ => bytes[at] = [0, 0xff, b'<', b'"', b'9', self.below(256) as u8][self.below(6)],
            }
        }
    }
}

/// The position of the next `wanted` byte.
fn find(bytes: &[u8], from: usize, wanted: u8) -> Option<usize> {
    bytes[from..].iter().position(|byte| *byte == wanted).map(|offset| from + offset)
}

/// Names and bytes of the parts of an archive.
pub fn parts(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).expect("an archive");
    let count = archive.len();
    let read = |index| {
        let mut part = archive.by_index(index).expect("a part");
        let mut bytes = Vec::new();
        part.read_to_end(&mut bytes).expect("the part is sound");
        (part.name().expect("a name").into_owned(), bytes)
    };
    (0..count).map(read).collect()
}

/// A compressed archive of parts with these names.
pub fn archive(parts: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        archive.start_file(name.as_str(), SimpleFileOptions::default()).expect("a new part");
        archive.write_all(bytes).expect("the part is written");
    }
    archive.finish().expect("an archive").into_inner()
}
