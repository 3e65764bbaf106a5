//! Reads damaged `.xlsx`, `.xlsb` and `.ods` files, imports what was read into a room and writes it
//! to a file that can be read.
//!
//! The first two bytes select an archive of the tests and one of its parts; the rest of the input
//! takes the place of that part. If the first byte is 255, the rest is the archive itself.

#![no_main]

mod file_fixtures;
mod workbook_checks;

use std::io::{Cursor, Write};
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use quadrille_files::{
    FileFormat, Imported, ReadOptions, ShouldContinue, WriteOptions, read, write_with_images,
};
use zip::write::SimpleFileOptions;

use file_fixtures::{ARCHIVES, parts, write_seeds};
use workbook_checks::{check_import, check_snapshot};

struct Archive {
    format: FileFormat,
    parts: Vec<(String, Vec<u8>)>,
}

static FIXTURES: LazyLock<Vec<Archive>> = LazyLock::new(|| {
    let archive = |(name, bytes): &(&str, &[u8])| Archive {
        format: FileFormat::from_name(name).expect("fixtures have known extensions"),
        parts: parts(bytes),
    };
    ARCHIVES.iter().map(archive).collect()
});

/// The archive with `replacement` as the part at `index`, without compression.
fn damaged(archive: &Archive, index: usize, replacement: &[u8]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (at, (name, bytes)) in archive.parts.iter().enumerate() {
        writer.start_file(name.as_str(), options).expect("memory can be written");
        writer.write_all(if at == index { replacement } else { bytes }).expect("memory can be written");
    }
    writer.finish().expect("memory can be written").into_inner()
}

fn imported(format: FileFormat, bytes: &[u8]) -> Result<Imported, String> {
    let options = ReadOptions::default();
    match read(format, bytes, &options, &mut |_| ShouldContinue::Continue) {
        Ok(imported) => Ok(imported),
        Err(error) => Err(format!("{:?}: {}", error.code, error.reason)),
    }
}

/// Each part of each archive in its own place, and the archives.
fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (index, archive) in FIXTURES.iter().enumerate() {
        for (at, (_, bytes)) in archive.parts.iter().enumerate() {
            seeds.push([&[index as u8, at as u8], &**bytes].concat());
        }
        seeds.push([&[255, 0], ARCHIVES[index].1].concat());
    }
    seeds
}

fuzz_target!(init: write_seeds(seeds()), |data: &[u8]| {
    let [first, second, rest @ ..] = data else { return };
    let (format, bytes) = match first {
        255 => {
            let Some(format) = FileFormat::from_content(rest) else { return };
            (format, rest.to_vec())
        }
        _ => {
            let archive = &FIXTURES[usize::from(*first) % FIXTURES.len()];
            (archive.format, damaged(archive, usize::from(*second) % archive.parts.len(), rest))
        }
    };
    let Ok(Imported { workbook, images, .. }) = imported(format, &bytes) else { return };
    check_snapshot(&workbook);
    check_import(&workbook);
    let format = if format == FileFormat::Ods { FileFormat::Ods } else { FileFormat::Xlsx };
    if let Ok(bytes) = write_with_images(&workbook, format, &WriteOptions::default(), &images) {
        imported(format, &bytes).expect("what was written can be read");
    }
});
