//! Reads random bytes as each text format of files. What was read is imported into a room, and
//! written and read again in formats of our own.
//!
//! The first byte selects the format. Rich text of cells, as HTML and wiki text, is among them.

#![no_main]

mod file_fixtures;
mod workbook_checks;

use libfuzzer_sys::fuzz_target;
use quadrille_files::{FileFormat, ReadOptions, ShouldContinue, WriteOptions, read, write};
use quadrille_rich_text::{pieces, to_html, to_runs};
use quadrille_workbook::{TextFormat, Workbook};

use file_fixtures::{ARCHIVES, files_of, write_seeds};
use workbook_checks::{check_import, check_snapshot};

fn imported(format: FileFormat, bytes: &[u8]) -> Option<Workbook> {
    let options = ReadOptions::default();
    read(format, bytes, &options, &mut |_| ShouldContinue::Continue).ok().map(|imported| imported.workbook)
}

fn written(workbook: &Workbook, format: FileFormat) -> Vec<u8> {
    write(workbook, format, &WriteOptions::default()).expect("text formats can be written")
}

/// The workbooks of the tests in each text format, and text that other programs put on the clipboard.
fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (name, bytes) in ARCHIVES {
        let format = FileFormat::from_name(name).expect("fixtures have known extensions");
        let workbook = imported(format, bytes).expect("fixtures can be read");
        for (kind, format) in [
            (0, FileFormat::Csv),
            (1, FileFormat::Tsv),
            (2, FileFormat::CsvJson),
            (3, FileFormat::Json),
            (5, FileFormat::SocialCalc),
            (7, FileFormat::Html),
        ] {
            seeds.push([&[kind], &*written(&workbook, format)].concat());
        }
    }
    seeds.extend(files_of("fixtures/clipboard").iter().map(|bytes| [&[7], &**bytes].concat()));
    seeds.extend(files_of("crates/files/tests/socialcalc").iter().map(|bytes| [&[5], &**bytes].concat()));
    seeds
}

fuzz_target!(init: write_seeds(seeds()), |data: &[u8]| {
    let Some((kind, bytes)) = data.split_first() else { return };
    let format = match kind % 8 {
        0 => FileFormat::Csv,
        1 => FileFormat::Tsv,
        2 => FileFormat::CsvJson,
        3 | 4 => FileFormat::Json,
        5 | 6 => FileFormat::SocialCalc,
        _ => {
            let text = String::from_utf8_lossy(bytes);
            for format in [TextFormat::Html, TextFormat::Wiki] {
                let pieces = pieces(format, &text);
                to_runs(&pieces, 32_767);
                // Sanitised text stays as it is.
                let html = to_html(&pieces, true);
                assert!(html.len() <= 1_000 + 64 * text.len(), "{} bytes of {}", html.len(), text.len());
            }
            return;
        }
    };
    let Some(workbook) = imported(format, bytes) else { return };
    check_snapshot(&workbook);
    check_import(&workbook);
    // Reading numbers the items without the gaps that parts left out have made.
    let json = written(&workbook, FileFormat::Json);
    let numbered = imported(FileFormat::Json, &json).expect("JSON that was written can be read");
    let json = written(&numbered, FileFormat::Json);
    let again = imported(FileFormat::Json, &json).expect("JSON that was written can be read");
    assert!(written(&again, FileFormat::Json) == json, "the second JSON differs");
    for format in [FileFormat::Csv, FileFormat::SocialCalc] {
        let bytes = written(&workbook, format);
        imported(format, &bytes).expect("what was written can be read");
    }
    for format in [FileFormat::Html, FileFormat::Markdown] {
        written(&workbook, format);
    }
});
