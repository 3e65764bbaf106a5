//! Charts that move between sheets.

use crate::item_commands::check;
use expect_test::expect;

#[test]
fn a_chart_moves_to_a_sheet_of_its_own_and_back() {
    let chart = r#"{"type":"setItem","sheet":1,"item":5,"kind":"chart","anchors":["D2"],"fields":{"width":300,"series":[{"values":"=A1:A3","categories":"=Data!A1:A3"}]}}"#;
    let to_own_sheet = r#"{"type":"many","commands":[{"type":"addSheet","name":"Chart1","position":1},{"type":"moveChart","sheet":1,"item":5,"toSheet":"Chart1","ownSheet":true}]}"#;
    check(
        "A1: 2 | A3: 7 | Data!A1: x",
        &[chart, to_own_sheet],
        expect![[r#"
            A1: 2 | A3: 7 | Data!A1: x
            Chart1: chart D2 {"ownSheet":true,"series":[{"categories":"=Data!A1:A3","values":"=Sheet1!A1:A3"}],"width":300.0}"#]],
    );
    // The identity of the added sheet is 101.
    let to_data = r#"{"type":"moveChart","sheet":101,"item":5,"toSheet":"data","ownSheet":false}"#;
    check(
        "A1: 2 | A3: 7 | Data!A1: x",
        &[chart, to_own_sheet, to_data],
        expect![[r#"
        A1: 2 | A3: 7 | Data!A1: x
        Data: chart D2 {"series":[{"categories":"=A1:A3","values":"=Sheet1!A1:A3"}],"width":300.0}"#]],
    );
    // A copy of the sheet has a chart with the same identity.
    let copy = r#"{"type":"duplicateSheet","sheet":1}"#;
    let to_copy = r#"{"type":"moveChart","sheet":1,"item":5,"toSheet":"Sheet1 (2)","ownSheet":false}"#;
    check(
        "A1: 2",
        &[chart, copy, to_copy],
        expect![[r#"
        A1: 2 | Sheet1 (2)!A1: 2
        Sheet1 (2): chart D2 {"series":[{"categories":"=Data!A1:A3","values":"=A1:A3"}],"width":300.0}
        Sheet1 (2): chart D2 {"series":[{"categories":"=Data!A1:A3","values":"=Sheet1!A1:A3"}],"width":300.0}"#]],
    );
    let nowhere = r#"{"type":"moveChart","sheet":1,"item":5,"toSheet":"Chart1","ownSheet":true}"#;
    check("A1: 2", &[chart, nowhere], expect!["unknown name: Chart1"]);
    check("A1: 2", &[nowhere], expect!["unknown item: 5"]);
}
