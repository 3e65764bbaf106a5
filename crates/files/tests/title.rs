//! The title of a workbook in files. The fixtures are made by LibreOffice 7.4 from one text document whose title is `Büdget & Plan 2027`.

use quadrille_files::{FileFormat, ReadOptions, ShouldContinue, WriteOptions, read, write};
use quadrille_workbook::Workbook;

fn read_back(bytes: &[u8], format: FileFormat) -> Workbook {
    let mut proceed = |_| ShouldContinue::Continue;
    read(format, bytes, &ReadOptions::default(), &mut proceed).expect("it can be read").workbook
}

#[test]
fn files_of_libreoffice_bring_their_title() {
    for (bytes, format) in [
        (&include_bytes!("fixtures/title.xlsx")[..], FileFormat::Xlsx),
        (&include_bytes!("fixtures/title.ods")[..], FileFormat::Ods),
    ] {
        assert_eq!(read_back(bytes, format).title(), Some("Büdget & Plan 2027"), "{format:?}");
    }
}

#[test]
fn files_keep_the_title() {
    for title in [Some("Q1 <Süd> & \"Nord\""), None] {
        let mut workbook = Workbook::new();
        workbook.set_title(title);
        for format in [FileFormat::Xlsx, FileFormat::Ods, FileFormat::Json] {
            let bytes = write(&workbook, format, &WriteOptions::default()).expect("it can be written");
            assert_eq!(read_back(&bytes, format).title(), title, "{format:?}");
        }
    }
}
