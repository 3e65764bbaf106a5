//! Checkboxes of `.xlsx` files, which Excel has as styles of cells and Quadrille as a rule.
//!
//! `fixtures/checkboxes.xlsx` was written by XlsxWriter 3.2: checkboxes in B2:B4, and in B6:B9 with a fill; these are
//! blank, TRUE, a text and a formula.

use quadrille_cell::CellAddress;
use quadrille_files::{FileFormat, LossKind, WriteOptions, losses, write};
use quadrille_workbook::{Input, Workbook};

use crate::notation::{commanded, import, items, show, with_changed_part};
use crate::packages::{check_package, part, parts};

const FILE: &[u8] = include_bytes!("../fixtures/checkboxes.xlsx");
const BAGS: &str = "xl/featurePropertyBag/featurePropertyBag.xml";

fn read(file: &[u8]) -> Workbook {
    let imported = import(FileFormat::Xlsx, file).expect("readable");
    assert!(imported.warnings.is_empty(), "{:?}", imported.warnings);
    imported.workbook
}

fn written(workbook: &Workbook) -> Vec<u8> {
    let file = write(workbook, FileFormat::Xlsx, &WriteOptions::default()).expect("written");
    check_package(&file);
    file
}

fn rules(workbook: &Workbook) -> Vec<String> {
    items(workbook, &["validation"])
}

#[test]
fn cells_with_checkboxes_have_a_rule() {
    let workbook = read(FILE);
    assert_eq!(rules(&workbook), [r#"validation B2:B4 B6:B9 {"rule":"checkbox"}"#]);
    let sheet = &workbook.sheets()[0];
    let input = |cell: &str| sheet.input(CellAddress::parse_a1(cell).expect("a cell"));
    assert_eq!(input("B6"), Input::Blank);
    assert!(show(&workbook).contains("TRUE"), "{}", show(&workbook));
}

#[test]
fn checkboxes_come_back() {
    let workbook = read(FILE);
    let file = written(&workbook);
    assert_eq!(part(&file, BAGS), part(FILE, BAGS));
    let again = read(&file);
    assert_eq!(rules(&again), rules(&workbook));
    assert_eq!(show(&again), show(&workbook));
    // The fill of the second range.
    let styles = part(&file, "xl/styles.xml");
    assert_eq!(styles.matches("<xfpb:xfComplement i=\"0\"/>").count(), 2, "{styles}");
    assert!(losses(&workbook, FileFormat::Xlsx, &WriteOptions::default(), &Default::default()).is_empty());
}

/// A column of checkboxes, as people make them here, is written for the cells in use.
#[test]
fn a_rule_for_a_column_is_written_for_the_used_rows() {
    let workbook = commanded(
        r#"[{"type":"setCells","sheet":1,"at":"A2","cells":[[{"text":"yes"},{"text":"TRUE"}],[{"text":"no"},{"text":"FALSE"}]]},
            {"type":"setItem","sheet":1,"item":100,"kind":"validation","anchors":["B2:B1048576"],
             "fields":{"rule":"checkbox"}}]"#,
    );
    assert_eq!(rules(&read(&written(&workbook))), [r#"validation B2:B3 {"rule":"checkbox"}"#]);
}

#[test]
fn the_message_of_a_rule_comes_back() {
    let workbook = commanded(
        r#"[{"type":"setItem","sheet":1,"item":100,"kind":"validation","anchors":["B2:B3"],
             "fields":{"rule":"checkbox","prompt":"Paid?","promptTitle":"Bill","strictness":"stop"}}]"#,
    );
    let rule =
        r#"validation B2:B3 {"prompt":"Paid?","promptTitle":"Bill","rule":"checkbox","strictness":"stop"}"#;
    assert_eq!(rules(&workbook), [rule]);
    assert_eq!(rules(&read(&written(&workbook))), [rule]);
}

/// Excel's checkboxes are TRUE and FALSE.
#[test]
fn checkboxes_with_values_of_their_own_are_named() {
    let workbook = commanded(
        r#"[{"type":"setCells","sheet":1,"at":"B2","cells":[[{"text":"done"}]]},
            {"type":"setItem","sheet":1,"item":100,"kind":"validation","anchors":["B2:B3"],
             "fields":{"rule":"checkbox","checkedValue":"done"}}]"#,
    );
    let lost = losses(&workbook, FileFormat::Xlsx, &WriteOptions::default(), &Default::default());
    assert_eq!(lost.iter().map(|loss| loss.kind).collect::<Vec<_>>(), [LossKind::Validation]);
    assert!(!parts(&written(&workbook)).contains_key(BAGS));
}

#[test]
fn bags_of_other_controls_and_damaged_ones_are_no_checkboxes() {
    for (before, after) in [
        ("type=\"Checkbox\"", "type=\"Other\""),
        ("<bagId>2</bagId>", "<bagId>7</bagId>"),
        ("k=\"CellControl\"", "k=\"Other\""),
        (">0</bagId>", ">-1</bagId>"),
        ("XFComplements\"", "Others\""),
    ] {
        let file = with_changed_part(FILE, BAGS, |text| text.replace(before, after));
        assert_eq!(rules(&read(&file)), Vec::<String>::new(), "{after}");
    }
}

/// The style of a column holds for cells without a style of their own; its header has none.
#[test]
fn the_style_of_a_column_gives_checkboxes_to_its_cells() {
    let file = with_changed_part(FILE, "xl/worksheets/sheet1.xml", |text| {
        text.replace(
            "<sheetData>",
            "<cols><col min=\"5\" max=\"5\" width=\"9\" style=\"1\"/></cols><sheetData>",
        )
        .replace("<c r=\"D2\" t=\"b\">", "<c r=\"E1\" t=\"b\">")
    });
    assert_eq!(rules(&read(&file)), [r#"validation B2:B4 E2:E1048576 B6:B9 {"rule":"checkbox"}"#]);
}
