//! The commands are those of SocialCalc's own editor for the same act, as its debug log shows them.

use super::*;
use crate::plan::plan;
use crate::statement::parse;

/// A workbook that commands have made.
fn workbook(commands: &str) -> Workbook {
    let mut workbook = Workbook::new();
    let sheet = workbook.sheets()[0].id();
    let statements = parse(commands).expect("commands");
    let planned = plan(&statements, &workbook, sheet, None, &mut || SheetId(99)).expect("a plan");
    quadrille_operation::apply(&mut workbook, &planned.transaction);
    workbook
}

/// The commands of one command's operations.
fn followed(before: &str, then: &str) -> Vec<String> {
    let mut workbook = workbook(before);
    let sheet = workbook.sheets()[0].id();
    let planned = plan(&parse(then).expect("commands"), &workbook, sheet, None, &mut || SheetId(99));
    let mut all = Vec::new();
    for operation in &planned.expect("a plan").transaction.operations {
        match follow(&mut workbook, sheet, operation) {
            Follow::Commands { commands, .. } => all.extend(commands),
            Follow::Save => all.push("(save)".to_owned()),
        }
    }
    all
}

#[test]
fn a_cell_is_sent_with_its_state() {
    for command in [
        "set A1 value n 5.25",
        "set A1 text t a\\cb\\n\\bc",
        "set A1 formula SUM(B1:B3)*2",
        "set A1 formula CEILING(B1)",
        "set A1 constant nl 1 TRUE",
        "set A1 constant e#N/A 0 #N/A",
        "set A1 comment see\\c x",
        "set A1 bgcolor rgb(255,0,0)",
        "set A1:B2 cellformat center",
        "set A1 font italic bold 12pt Arial",
        "set A1 font * 12pt *",
        "set A1 nontextvalueformat hidden",
        "set A1 textvalueformat text-html",
        "set A1 bt 1px solid rgb(0,0,0)",
        "set B width 120",
        "set 3 height 40",
        "set B hide yes",
        "merge A1:B2",
        "insertrow A3",
        "deletecol B1:B1",
        "name define TOTAL A1:B2",
    ] {
        let base = if command.starts_with("deletecol") { "set C1 value n 1" } else { "set Z9 value n 1" };
        let followed = followed(base, command);
        let expected =
            command.replace("A1:B2", if command.starts_with("name") { "$A$1:$B$2" } else { "A1:B2" });
        assert_eq!(followed, [expected]);
    }
}

#[test]
fn a_range_is_sent_cell_by_cell() {
    assert_eq!(
        followed("set A1 value n 3\nset A2 value n 1\nset A3 formula A1+A2", "sort A1:A2 A up"),
        [
            "set A1 value n 1",
            "set A2 value n 3",
            "set A1:A2 nontextvalueformat ",
            "set A1:A2 textvalueformat ",
            "set A1:A2 font * * *",
            "set A1:A2 color ",
            "set A1:A2 bgcolor ",
            "set A1:A2 cellformat ",
            "set A1:A2 layout ",
            "set A1:A2 bt ",
            "set A1:A2 br ",
            "set A1:A2 bb ",
            "set A1:A2 bl ",
        ]
    );
    assert_eq!(followed("set A1:B2 value n 3", "erase A1:B2 formulas"), ["set A1:B2 empty"]);
}

#[test]
fn references_that_a_deletion_breaks_are_sent() {
    let commands = followed("set A1 value n 1\nset A3 formula A1+A2", "deleterow A1:A1");
    assert_eq!(commands, ["deleterow A1:A1", "set A2 formula #REF!+A1"]);
}

#[test]
fn what_has_no_command_is_left_to_a_save() {
    let mut workbook = workbook("set A1 value n 1");
    let sheet = workbook.sheets()[0].id();
    let edit = quadrille_cell::StructuralEdit {
        sheet,
        dimension: Dimension::Rows,
        kind: quadrille_cell::EditKind::Move { to: 5 },
        at: 0,
        count: 1,
    };
    assert_eq!(follow(&mut workbook, sheet, &Operation::Restructure(edit)), Follow::Save);
}
