//! Commands on cells that an array formula or a pivot table fills.

use crate::support::Sheet;

const SALES: &str = r#"[
  {"type":"typeTexts","sheet":1,"at":"A1","texts":[["Region","Day","Amount"],
    ["East","2024-01-05","$10"],["West","2024-02-01","$20"],["East","2024-02-11","$5"]]},
  {"type":"setItem","sheet":1,"item":7,"kind":"pivotTable","anchors":["E1"],"fields":{
    "source":"=$A$1:$C$4","rows":[{"column":"=$A:$A"}],"values":[{"column":"=$C:$C","function":"sum"}]}}]"#;

const ARRAY: &str = r#"[{"type":"typeText","sheet":1,"cell":"B2","text":"=SEQUENCE(3,2)"}]"#;

fn copy(source: &str, target: &str, what: &str) -> String {
    format!(
        r#"{{"type":"copyPaste","fromSheet":1,"source":"{source}","sheet":1,"target":"{target}","what":"{what}"}}"#
    )
}

fn cut(source: &str, target: &str) -> String {
    format!(r#"{{"type":"cutPaste","fromSheet":1,"source":"{source}","sheet":1,"target":"{target}"}}"#)
}

fn clear(range: &str) -> String {
    format!(r#"{{"type":"clear","sheet":1,"range":"{range}","what":"contents"}}"#)
}

fn sort(range: &str, column: u32) -> String {
    format!(
        r#"{{"type":"sort","sheet":1,"range":"{range}","keys":[{{"column":{column},"descending":true}}],
        "hasHeader":false}}"#
    )
}

#[test]
fn a_part_of_a_pivot_table_is_copied_as_values_with_its_formats() {
    let mut sheet = Sheet::new(SALES);
    sheet.run(&copy("E2:F4", "H2", "all"));
    assert_eq!(sheet.show("H2 I2 H3 I3 H4 I4"), "East $15 West $20 Grand total $35");
    assert_eq!(sheet.formula("I4"), "35");
    // The copy does not follow its source.
    sheet.set("C2", "100");
    assert_eq!(sheet.show("F4 I4"), "$125 $35");
    sheet.undo();
    sheet.undo();
    assert_eq!(sheet.show("H2 I2"), " ");
    sheet.run(&copy("F2", "H1:H2", "all"));
    assert_eq!(sheet.show("H1 H2"), "$15 $15");
    sheet.run(&copy("E2:F2", "H1:I3", "contents"));
    assert_eq!(sheet.show("H1 I1 H3 I3"), "East 15 East 15");
    sheet.run(&copy("F2:F3", "H5", "transposed"));
    assert_eq!(sheet.show("H5 I5"), "$15 $20");
    let json = copy("E2:F4", "H7", "all").replace("}", r#","leavingOut":[[2,1]]}"#);
    sheet.run(&json);
    assert_eq!(sheet.show("H7 I7 H8 I8 H9"), "East $15 Grand total $35 ");
    sheet.run(r#"{"type":"fill","sheet":1,"source":"F2:F3","target":"F2:F9","mode":"copy"}"#);
    assert_eq!(sheet.show("E1"), "#SPILL!");
}

#[test]
fn a_copy_of_a_whole_pivot_table_is_a_pivot_table() {
    let mut sheet = Sheet::new(SALES);
    sheet.run(&copy("E1:F4", "H2", "all"));
    assert_eq!(sheet.show("H2 I3 H5 I5"), "Region $15 Grand total $35");
    sheet.set("C2", "100");
    assert_eq!(sheet.show("F4 I5"), "$125 $125");
    // On another sheet it keeps the cells of its source.
    sheet.run(r#"{"type":"addSheet"}"#);
    let id = sheet.document.workbook().sheets()[1].id().0;
    sheet.run(&copy("E1:F4", "A1", "all").replace(r#""sheet":1"#, &format!(r#""sheet":{id}"#)));
    assert_eq!(sheet.show_in(id, "A1 B2 B4"), "Region $105 $125");
    sheet.run(&copy("E1:F4", "K1", "values"));
    assert_eq!(sheet.show("K1 L4"), "Region 125");
    sheet.set("C2", "10");
    assert_eq!(sheet.show("L4"), "125");
    assert_eq!(sheet.show_in(id, "B4"), "$35");
}

#[test]
fn a_copy_of_an_array_spills_again_with_its_formula_and_has_values_without() {
    let mut sheet = Sheet::new(ARRAY);
    sheet.run(&copy("B3:C4", "E3", "all"));
    assert_eq!(sheet.show("E3 F3 E4 F4"), "3 4 5 6");
    assert_eq!(sheet.formula("E3"), "3");
    sheet.run(&copy("B2:C4", "H2", "all"));
    assert_eq!(sheet.show("H2 I2 H4 I4"), "1 2 5 6");
    assert_eq!((sheet.formula("H2"), sheet.formula("H3")), ("=SEQUENCE(3,2)".to_owned(), String::new()));
    sheet.set("B2", "=SEQUENCE(2,2)*10");
    assert_eq!(sheet.show("E3 E4 H2 H4"), "3 5 1 5");
    sheet.run(&copy("C2", "K1:L2", "all"));
    assert_eq!(sheet.show("K1 L2"), "20 20");
    sheet.run(&copy("B2:C3", "K4", "transposed"));
    assert_eq!(sheet.show("K4 L4 K5 L5"), "10 30 20 40");
    sheet.assert_matches_scratch("copies of arrays");
}

#[test]
fn arrays_and_pivot_tables_are_cut_as_a_whole() {
    let mut sheet = Sheet::new(ARRAY);
    assert_eq!(sheet.refusal(&cut("C2:C4", "F1")), "the cells of an array move only with their formula: B2");
    sheet.run(&cut("B2:C4", "F1"));
    assert_eq!(sheet.show("B2 F1 G3"), " 1 6");
    let mut sheet = Sheet::new(SALES);
    let refusal = "cells of a pivot table cannot be deleted or moved without the others";
    assert_eq!(sheet.refusal(&cut("E1:F3", "H1")), refusal);
    sheet.set("D9", "=F4");
    sheet.run(&cut("E1:F4", "H2"));
    assert_eq!(sheet.show("E1 F4 H2 I5 D9"), "  Region $35 35");
    sheet.undo();
    assert_eq!(sheet.show("E1 F4 H2 I5 D9"), "Region $35   35");
}

#[test]
fn a_pivot_table_is_deleted_with_all_its_cells_only() {
    let mut sheet = Sheet::new(SALES);
    let refusal = "cells of a pivot table cannot be deleted or moved without the others";
    assert_eq!(sheet.refusal(&clear("E2:F9")), refusal);
    assert_eq!(sheet.refusal(&clear("E1:F4")), "");
    sheet.run(&clear("D1:G9"));
    assert_eq!(sheet.show("E1 F4"), " ");
    sheet.undo();
    assert_eq!(sheet.show("E1 F4"), "Region $35");
    sheet.run(&clear("E1:F4").replace("contents", "formats"));
    assert_eq!(sheet.show("E1 F4"), "Region $35");
}

#[test]
fn people_do_not_write_into_pivot_tables() {
    let mut sheet = Sheet::new(SALES);
    let refusal = "a pivot table fills these cells: change its source or its fields";
    let write = |cell: &str| format!(r#"{{"type":"typeText","sheet":1,"cell":"{cell}","text":"mine"}}"#);
    assert_eq!(sheet.refusal(&write("F3")), refusal);
    assert_eq!(sheet.refusal(&write("G3")), "");
    assert_eq!(sheet.refusal(&copy("A1:B4", "D1", "all")), refusal);
    // Rows of unequal lengths, and blanks, leave its cells as they are.
    assert_eq!(sheet.refusal(&copy("A8:B8", "E2", "contents")), "");
    // What a program writes blocks it.
    sheet.set("F3", "mine");
    assert_eq!(sheet.show("E1"), "#SPILL!");
    assert_eq!(sheet.refusal(&clear("F3")), "");
}

#[test]
fn filled_cells_are_not_sorted() {
    let mut sheet = Sheet::new(SALES);
    assert_eq!(sheet.refusal(&sort("E2:F3", 5)), "the order of a pivot table is a setting of its fields");
    let mut sheet = Sheet::new(ARRAY);
    let refusal = "sort these cells by SORT in the formula that fills them: B2";
    assert_eq!(sheet.refusal(&sort("B2:C4", 1)), refusal);
    assert_eq!(sheet.refusal(&sort("A3:D4", 2)), refusal);
    assert_eq!(sheet.refusal(&sort("E2:F4", 4)), "");
    // An array within a row moves with it.
    sheet.run(r#"{"type":"typeTexts","sheet":1,"at":"E1","texts":[["1","=SEQUENCE(1,2)"],["2","=SEQUENCE(1,2)*5"]]}"#);
    sheet.run(&sort("E1:G2", 4));
    assert_eq!(sheet.show("E1 F1 G1 E2 F2 G2"), "2 5 10 1 1 2");
}
