//! Page setup of OpenDocument files.

use crate::notation::{commanded, import, items};
use quadrille_files::{FileFormat, Loss, WriteOptions, losses, write};
use quadrille_workbook::Workbook;

fn with_settings(fields: &str) -> Workbook {
    commanded(&format!(r#"[{{"type":"setItem","sheet":1,"item":0,"fields":{fields}}}]"#))
}

#[test]
fn page_setup_survives_a_round_trip() {
    for fields in [
        r#"{"paper":"a5","orientation":"landscape","marginTop":1,"marginBottom":0.5,"marginLeft":0.25,"marginRight":1.5,"scale":75}"#,
        r#"{"paper":"legal","orientation":"portrait","marginTop":1,"marginBottom":1.25,"marginLeft":0.7,"marginRight":0.7,
            "marginHeader":0.4,"marginFooter":0.5,"headerLeft":"&A, page &P of &N","headerRight":"a  <b> && c\nline 2",
            "footerCenter":"&F &D &T","fitToWidth":2,"fitToHeight":0,"printGridlines":true,"centerVertically":true}"#,
        r#"{"orientation":"portrait","marginTop":0.75,"marginBottom":0.75,"marginLeft":0.7,"marginRight":0.7,
            "printHeadings":true,"centerHorizontally":true,"centerVertically":true}"#,
    ] {
        let workbook = with_settings(fields);
        let lost = losses(&workbook, FileFormat::Ods, &WriteOptions::default(), &Default::default());
        assert_eq!(lost.iter().map(Loss::text).collect::<Vec<_>>(), [] as [String; 0]);
        let file = write(&workbook, FileFormat::Ods, &WriteOptions::default()).expect("written");
        let again = import(FileFormat::Ods, &file).expect("readable").workbook;
        assert_eq!(items(&again, &["sheetSettings"]), items(&workbook, &["sheetSettings"]));
    }
}

#[test]
fn other_headers_and_fonts_of_headers_are_named_as_lost() {
    for fields in [r#"{"evenHeader":"&LEven"}"#, r#"{"headerLeft":"&BBold"}"#, r#"{"footerLeft":"&"}"#] {
        let workbook = with_settings(fields);
        let lost = losses(&workbook, FileFormat::Ods, &WriteOptions::default(), &Default::default());
        let lost: Vec<String> = lost.iter().map(Loss::text).collect();
        assert_eq!(lost, ["page setup and print areas: 'Sheet1'"], "{fields}");
    }
}

/// LibreOffice 7.4 wrote the file from one of openpyxl, whose first sheet has this page setup.
#[test]
fn page_setup_of_libreoffice_is_read() {
    let read = import(FileFormat::Ods, include_bytes!("../fixtures/page-setup.ods")).expect("readable");
    assert_eq!(read.warnings, [] as [String; 0]);
    let expected = with_settings(
        r#"{"orientation":"landscape","paper":"a3","scale":80,"marginLeft":1.25,"marginRight":0.5,"marginTop":1,
            "marginHeader":0.4,"marginBottom":0.9,"marginFooter":0.3,"headerLeft":"&A page &P of &N",
            "footerCenter":"foot && more","footerRight":"&D","printGridlines":true,"printHeadings":true,
            "centerHorizontally":true}"#,
    );
    assert_eq!(items(&read.workbook, &["sheetSettings"]), items(&expected, &["sheetSettings"]));
}
