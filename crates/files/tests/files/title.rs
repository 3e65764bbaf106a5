//! Titles of workbooks in files. LibreOffice 7.4 made the fixtures from a text document with the
//! title `Büdget & Plan 2027`.

use quadrille_files::{FileFormat, ReadOptions, ShouldContinue, WriteOptions, read, write};
use quadrille_workbook::Workbook;

fn read_back(bytes: &[u8], format: FileFormat) -> Workbook {
    let mut proceed = |_| ShouldContinue::Continue;
    read(format, bytes, &ReadOptions::default(), &mut proceed).expect("it can be read").workbook
}

#[test]
fn titles_of_libreoffice_files_are_read() {
    for (bytes, format) in [
        (&include_bytes!("../fixtures/title.xlsx")[..], FileFormat::Xlsx),
        (&include_bytes!("../fixtures/title.ods")[..], FileFormat::Ods),
    ] {
        assert_eq!(read_back(bytes, format).title(), Some("Büdget & Plan 2027"), "{format:?}");
    }
}

#[test]
fn titles_round_trip() {
    for title in [Some("Q1 <Süd> & \"Nord\""), None] {
        let mut workbook = Workbook::new();
        workbook.set_title(title);
        for format in [FileFormat::Xlsx, FileFormat::Ods, FileFormat::Json] {
            let bytes = write(&workbook, format, &WriteOptions::default()).expect("it can be written");
            assert_eq!(read_back(&bytes, format).title(), title, "{format:?}");
        }
    }
}
