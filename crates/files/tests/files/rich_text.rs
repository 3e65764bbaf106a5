//! Texts of which parts have fonts of their own, in every format.
//!
//! openpyxl 3.1 wrote `fixtures/rich-text.xlsx` with `CellRichText`. The OpenDocument is written by hand
//! after ODF 1.3, part 3, sections 6.1.7 (`text:span`) and 20 (formatting attributes).

use std::io::{Cursor, Write};
use std::sync::Arc;

use proptest::prelude::*;
use quadrille_cell::{CellAddress, Range, Value};
use quadrille_files::{FileFormat, Images, WriteOptions, losses, write};
use quadrille_operation::FormatChange;
use quadrille_workbook::{
    Color, FontScript, FontSize, FormatPatch, Input, TextRuns, UnderlineStyle, Workbook,
};

use crate::notation::import;

/// The parts of the text of a cell in column A, in JSON.
fn parts(workbook: &Workbook, row: u32) -> String {
    let (sheet, cell) = (&workbook.sheets()[0], CellAddress::clamped(row - 1, 0));
    let change = FormatChange::from(sheet.format(cell)).with_text_runs(sheet, cell);
    serde_json::to_string(&change.text_runs).expect("text keys")
}

fn written(workbook: &Workbook, format: FileFormat) -> Vec<u8> {
    let bytes = write(workbook, format, &WriteOptions::default()).expect("writable");
    if let Some(folder) = std::env::var_os("QUADRILLE_WRITTEN_FILES") {
        let name = format!("rich-text.{}", format.extension());
        std::fs::write(std::path::Path::new(&folder).join(name), &bytes).expect("the folder exists");
    }
    bytes
}

const EXPECTED: [&str; 4] = [
    r##"[{"text":"Hello ","format":{}},{"text":"world","format":{"bold":true,"textColor":"#ff0000"}}]"##,
    concat!(
        r#"[{"text":"x","format":{"italic":true,"underline":true,"underlineStyle":"double"}},"#,
        r#"{"text":"2","format":{"fontSize":8.0,"script":"superscript"}},"#,
        r#"{"text":" gone","format":{"strikethrough":true,"fontFamily":"Georgia"}}]"#
    ),
    r#"[{"text":"bold","format":{}},{"text":" and not","format":{"bold":false}}]"#,
    "null",
];

#[test]
fn a_file_of_openpyxl_has_the_fonts_of_parts_of_texts() {
    let read = import(FileFormat::Xlsx, include_bytes!("../fixtures/rich-text.xlsx")).expect("readable");
    assert_eq!(read.warnings, [] as [String; 0]);
    assert_eq!([1, 2, 3, 4].map(|row| parts(&read.workbook, row)), EXPECTED);
    for format in [FileFormat::Xlsx, FileFormat::Ods, FileFormat::Json] {
        let again = import(format, &written(&read.workbook, format)).expect("readable").workbook;
        assert_eq!([1, 2, 3, 4].map(|row| parts(&again, row)), EXPECTED, "{format:?}");
        let losses = losses(&read.workbook, format, &WriteOptions::default(), &Images::default());
        assert!(losses.iter().all(|loss| loss.kind.code() != "richText"), "{losses:?}");
    }
}

#[test]
fn spans_of_an_open_document_are_fonts_of_parts() {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("content.xml", zip::write::SimpleFileOptions::default()).expect("a name");
    let style = |name: &str, properties: &str| {
        format!(
            "<style:style style:name=\"{name}\" style:family=\"text\"><style:text-properties {properties}/></style:style>"
        )
    };
    let styles = style("T1", "fo:font-weight=\"bold\" fo:color=\"#ff0000\"")
        + &style("T2", "fo:font-style=\"italic\" style:text-position=\"sub 58%\" fo:font-size=\"8pt\"");
    let content = format!(
        "<office:document-content xmlns:office=\"o\" xmlns:table=\"t\" xmlns:text=\"x\" xmlns:style=\"s\" xmlns:fo=\"f\">\
         <office:automatic-styles>{styles}</office:automatic-styles>\
         <office:body><office:spreadsheet><table:table><table:table-row>\
         <table:table-cell office:value-type=\"string\"><text:p>a<text:s/><text:span text:style-name=\"T1\">b\
         <text:span text:style-name=\"T2\">c</text:span></text:span></text:p><text:p>d</text:p></table:table-cell>\
         </table:table-row></table:table></office:spreadsheet></office:body></office:document-content>"
    );
    zip.write_all(content.as_bytes()).expect("memory");
    let bytes = zip.finish().expect("memory").into_inner();
    let read = import(FileFormat::Ods, &bytes).expect("readable");
    assert_eq!(
        parts(&read.workbook, 1),
        concat!(
            r##"[{"text":"a ","format":{}},{"text":"b","format":{"bold":true,"textColor":"#ff0000"}},"##,
            r##"{"text":"c\n","format":{"bold":true,"italic":true,"textColor":"#ff0000","fontSize":8.0,"##,
            r##""script":"subscript"}},{"text":"d","format":{}}]"##
        )
    );
}

#[test]
fn pages_have_spans_and_markdown_has_marks() {
    let read = import(FileFormat::Xlsx, include_bytes!("../fixtures/rich-text.xlsx")).expect("readable");
    let html = String::from_utf8(written(&read.workbook, FileFormat::Html)).expect("UTF-8");
    for cell in [
        r##"<td>Hello <span style="font-weight:bold;color:#ff0000;">world</span></td>"##,
        concat!(
            r#"<td><span style="font-style:italic;text-decoration:underline;text-decoration-style:double;">x</span>"#,
            r#"<span style="font-size:8pt;"><sup>2</sup></span>"#,
            r#"<span style="text-decoration:line-through;font-family:'Georgia';"> gone</span></td>"#
        ),
        r#"<td style="font-weight:bold;">bold<span style="font-weight:normal;"> and not</span></td>"#,
        "<td>plain</td>",
    ] {
        assert!(html.contains(cell), "{cell}\n{html}");
    }
    let markdown = String::from_utf8(written(&read.workbook, FileFormat::Markdown)).expect("UTF-8");
    assert_eq!(markdown, "| Hello **world** |\n| --- |\n| *x*2 ~~gone~~ |\n| bold and not |\n| plain |\n");
}

fn font() -> impl Strategy<Value = FormatPatch> {
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    let others = (
        prop::option::of(1..0xff_ffff_u32),
        prop::option::of(prop::sample::select(vec!["Georgia", "Noto Sans"])),
        // Without 11 points, the size of the default font of these files.
        prop::option::of(12..30u16),
        0..3u8,
    );
    (flags, others).prop_map(|((bold, italic, underline, strikethrough), (color, family, size, script))| {
        FormatPatch {
            bold: bold.then_some(true),
            italic: italic.then_some(true),
            underline: underline.then_some(true),
            underline_style: (underline && bold).then_some(Some(UnderlineStyle::Double)),
            strikethrough: strikethrough.then_some(true),
            text_color: color.map(|color| Some(Color(color))),
            font_family: family.map(|family| Some(Arc::from(family))),
            font_size: size.map(|size| Some(FontSize(size * 10))),
            script: match script {
                0 => None,
                1 => Some(Some(FontScript::Superscript)),
                _ => Some(Some(FontScript::Subscript)),
            },
            ..FormatPatch::default()
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn fonts_of_parts_round_trip(
        texts in prop::collection::vec(("[a-zäß😀 <&_][a-z \n]{0,5}", font()), 1..6),
        is_italic in any::<bool>(),
    ) {
        let text: String = texts.iter().map(|(text, _)| text.as_str()).collect();
        let mut workbook = Workbook::new();
        let id = workbook.sheets()[0].id();
        let sheet = workbook.sheet_mut(id).expect("the first sheet");
        // A text of spaces alone is blank in other programs.
        let text = format!("x{text}x");
        let ends = [("x".to_owned(), FormatPatch::default())];
        let all: Vec<_> = ends.iter().chain(&texts).chain(&ends).collect();
        let runs = TextRuns::from_parts(all.iter().map(|(text, font)| (text.as_str(), font.clone())));
        let format = FormatPatch {
            italic: Some(is_italic),
            text_runs: Some(runs.map(Arc::new)),
            ..FormatPatch::default()
        };
        let cell = CellAddress::default();
        sheet.set_input(cell, &Input::from(Value::text(&*text)));
        sheet.patch_format(Range::cell(cell), &format);
        // An attribute that the cell has as well is not written.
        let expected = {
            let sheet = &workbook.sheets()[0];
            sheet.rich_text(cell).map(|(text, runs)| {
                let parts = runs.parts(&text).expect("its text");
                let own = parts.iter().map(|(text, font)| (*text, font.differing_from(sheet.format(cell))));
                TextRuns::from_parts(own)
            })
        };
        for format in [FileFormat::Xlsx, FileFormat::Ods] {
            let again = import(format, &written(&workbook, format)).expect("readable").workbook;
            let read = again.sheets()[0].rich_text(cell).map(|(_, runs)| Some(runs.clone()));
            prop_assert_eq!(read.flatten(), expected.clone().flatten(), "{:?}", format);
        }
        let again = import(FileFormat::Json, &written(&workbook, FileFormat::Json)).expect("readable").workbook;
        prop_assert_eq!(again.sheets()[0].format(cell), workbook.sheets()[0].format(cell));
    }
}
