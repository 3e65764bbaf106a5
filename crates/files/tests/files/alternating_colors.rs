//! Alternating colors, which files have as conditional formats. LibreOffice 7.4 showed the same colors of both files.

use quadrille_files::{FileFormat, WriteOptions, write};
use quadrille_workbook::Workbook;

use crate::notation::{commanded, import, items};
use crate::packages::part;

/// Five rows with a header and a footer, and one cell with a fill of its own.
fn workbook() -> Workbook {
    commanded(
        r##"[{"type":"format","sheet":1,"range":"B3","format":{"fillColor":"#ff0000"}},
            {"type":"setItem","sheet":1,"item":100,"kind":"alternatingColors","anchors":["A2:C6"],
             "fields":{"headerColor":"#000001","firstColor":"#000002","secondColor":"#000003","footerColor":"#000004"}}]"##,
    )
}

fn written(workbook: &Workbook, format: FileFormat) -> Vec<u8> {
    write(workbook, format, &WriteOptions::default()).expect("written")
}

#[test]
fn a_file_has_a_rule_for_each_color() {
    for format in [FileFormat::Xlsx, FileFormat::Ods] {
        let imported = import(format, &written(&workbook(), format)).expect("readable");
        let mut rules: Vec<String> = items(&imported.workbook, &["conditionalRule"])
            .iter()
            .map(|rule| {
                let (anchors, fields) = rule.split_once('{').expect("fields");
                let value = |name: &str| {
                    let rest = fields.split_once(&format!("\"{name}\":\""))?.1;
                    Some(rest.split('"').next().expect("an end").to_owned())
                };
                let condition = value("formula1").unwrap_or_default();
                format!("{} {condition} {}", value("fillColor").expect("a color"), anchors.trim())
            })
            .collect();
        rules.sort();
        // The rows of the first color are 3 and 5.
        let expected = [
            "#000001 =TRUE conditionalRule A2:C2",
            "#000002 =MOD(ROW()-3,2)=0 conditionalRule A4:C5 A3 C3",
            "#000003 =MOD(ROW()-3,2)=1 conditionalRule A4:C5 A3 C3",
            "#000004 =TRUE conditionalRule A6:C6",
        ];
        assert_eq!(rules, expected, "{format:?}");
    }
}

#[test]
fn rules_of_a_person_come_before_them() {
    let workbook = commanded(
        r##"[{"type":"setItem","sheet":1,"item":100,"kind":"alternatingColors","anchors":["A1:A9"],"fields":{"firstColor":"#000002"}},
            {"type":"setItem","sheet":1,"item":101,"kind":"conditionalRule","anchors":["A1:A9"],
             "fields":{"rule":"blank","priority":7,"format":{"bold":true}}}]"##,
    );
    let sheet = part(&written(&workbook, FileFormat::Xlsx), "xl/worksheets/sheet1.xml");
    let at = |text: &str| sheet.find(text).unwrap_or_else(|| panic!("{text}: {sheet}"));
    assert!(at("type=\"containsBlanks\"") < at("MOD(ROW()-1,2)=0"), "{sheet}");
}
