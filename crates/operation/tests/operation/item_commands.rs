//! Commands on items, in the JSON form that the client and the REST API send.

use crate::cells::{read_cells, write_cells};
use crate::content::Content;
use expect_test::{Expect, expect};
use quadrille_cell::SheetId;
use quadrille_operation::{Command, ItemDetails, apply, plan, rebase};
use quadrille_workbook::Workbook;

/// Runs commands, given as JSON, in order. Checks that each can be undone and redone.
fn run(workbook: &mut Workbook, commands: &[&str]) -> Result<(), String> {
    let mut next = 100;
    for json in commands {
        let command: Command = serde_json::from_str(json).map_err(|error| error.to_string())?;
        let mut new_sheet = || {
            next += 1;
            SheetId(next)
        };
        let transaction = plan(&command, workbook, &mut new_sheet).map_err(|error| error.to_string())?;
        let before = Content::of(workbook);
        let applied = apply(workbook, &transaction);
        let after = Content::of(workbook);
        let undone = apply(workbook, &applied.inverse);
        assert_eq!(Content::of(workbook), before, "undoing {json}");
        apply(workbook, &undone.inverse);
        assert_eq!(Content::of(workbook), after, "doing {json} again");
    }
    Ok(())
}

/// Formats the cells, then one item per line.
fn show(workbook: &Workbook) -> String {
    let mut lines = vec![write_cells(workbook)];
    for sheet in workbook.sheets() {
        for (id, item) in sheet.items().iter() {
            let item = ItemDetails::new(Some(sheet.id()), id, item, workbook);
            let fields = serde_json::to_string(&item.fields).expect("text keys");
            lines.push(format!("{}: {} {} {fields}", sheet.name(), item.kind, item.anchors.join(" ")));
        }
    }
    lines.join("\n")
}

pub fn check(given: &str, commands: &[&str], expected: Expect) {
    let mut workbook = read_cells(given);
    match run(&mut workbook, commands) {
        Ok(()) => expected.assert_eq(&show(&workbook)),
        Err(message) => expected.assert_eq(&message),
    }
}

#[test]
fn merging_keeps_the_first_content() {
    check(
        "B1: x | A2: y | C3: 1",
        &[r#"{"type":"merge","sheet":1,"range":"A1:B2","how":"all"}"#],
        expect![[r#"
            A1: x | C3: 1
            Sheet1: merge A1:B2 {}"#]],
    );
    check(
        "A1: =C1 | B1: 2",
        &[r#"{"type":"merge","sheet":1,"range":"A1:B3","how":"rows"}"#],
        expect![[r#"
            A1: =C1
            Sheet1: merge A1:B1 {}
            Sheet1: merge A2:B2 {}
            Sheet1: merge A3:B3 {}"#]],
    );
    // The formula keeps its references.
    check(
        "B2: =C3",
        &[r#"{"type":"merge","sheet":1,"range":"A1:B2","how":"all"}"#],
        expect![[r#"
            A1: =C3
            Sheet1: merge A1:B2 {}"#]],
    );
    check(
        "",
        &[
            r#"{"type":"merge","sheet":1,"range":"A1:B2","how":"all"}"#,
            r#"{"type":"merge","sheet":1,"range":"B2:D4","how":"all"}"#,
            r#"{"type":"merge","sheet":1,"range":"F1:G1","how":"all"}"#,
            r#"{"type":"unmerge","sheet":1,"range":"G1:H9"}"#,
        ],
        expect![[r#"

            Sheet1: merge B2:D4 {}"#]],
    );
    check(
        "A1: 2 | A2: 1",
        &[
            r#"{"type":"merge","sheet":1,"range":"A2:B2","how":"all"}"#,
            r#"{"type":"sort","sheet":1,"range":"A1:B2","keys":[{"column":0,"descending":false}],"hasHeader":false}"#,
        ],
        expect!["unmerge these cells first: A2:B2"],
    );
}

#[test]
fn items_are_created_changed_and_removed() {
    check(
        "",
        &[
            r#"{"type":"setItem","sheet":1,"item":5,"kind":"commentThread","anchors":["B2"],"fields":{"author":"Ada"}}"#,
            r#"{"type":"setItem","sheet":1,"item":6,"kind":"comment","fields":{"parent":5,"text":"why?"}}"#,
            r#"{"type":"setItem","sheet":1,"item":5,"fields":{"resolved":true,"author":null}}"#,
            r#"{"type":"insertRows","sheet":1,"at":0,"count":1}"#,
        ],
        expect![[r#"

            Sheet1: commentThread B3 {"resolved":true}
            Sheet1: comment  {"parent":5.0,"text":"why?"}"#]],
    );
    // Removing a thread removes its comments.
    check(
        "",
        &[
            r#"{"type":"setItem","sheet":1,"item":5,"kind":"commentThread","anchors":["B2"]}"#,
            r#"{"type":"setItem","sheet":1,"item":6,"kind":"comment","fields":{"parent":5,"text":"why?"}}"#,
            r#"{"type":"removeItem","sheet":1,"item":5}"#,
        ],
        expect![[r#""#]],
    );
    // With the reactions to them; those to other comments stay.
    check(
        "",
        &[
            r#"{"type":"setItem","sheet":1,"item":5,"kind":"commentThread","anchors":["B2"]}"#,
            r#"{"type":"setItem","sheet":1,"item":6,"kind":"comment","fields":{"parent":5,"text":"why?"}}"#,
            r#"{"type":"setItem","sheet":1,"item":7,"kind":"reaction","fields":{"parent":6,"text":"👍","author":"Ada"}}"#,
            r#"{"type":"setItem","sheet":1,"item":8,"kind":"reaction","fields":{"parent":9,"text":"🎉","author":"Bo"}}"#,
            r#"{"type":"removeItem","sheet":1,"item":5}"#,
        ],
        expect![[r#"

            Sheet1: reaction  {"author":"Bo","parent":9.0,"text":"🎉"}"#]],
    );
    check(
        "",
        &[
            r#"{"type":"freezePanes","sheet":1,"rows":2,"columns":0}"#,
            r##"{"type":"setItem","sheet":1,"item":0,"fields":{"tabColor":"#ff0000"}}"##,
            r#"{"type":"freezePanes","sheet":1,"rows":0,"columns":0}"#,
        ],
        expect![[r##"

            Sheet1: sheetSettings  {"tabColor":"#ff0000"}"##]],
    );
}

/// One person adds a choice while another one colors the choices.
#[test]
fn fields_of_a_list_that_two_people_change_at_once_are_both_kept() {
    let mut workbook = read_cells("");
    let planned = |workbook: &Workbook, command: &str| {
        let command: Command = serde_json::from_str(command).expect("commands in tests are well-formed");
        plan(&command, workbook, &mut || SheetId(2)).expect("commands in tests are possible")
    };
    let list = r#"{"type":"setItem","sheet":1,"item":5,"kind":"validation","anchors":["A1:A9"],"fields":{"rule":"list","displayStyle":"chip","choices":["a"]}}"#;
    let list = planned(&workbook, list);
    apply(&mut workbook, &list);
    let choices = r#"{"type":"setItem","sheet":1,"item":5,"fields":{"choices":["a","b"]}}"#;
    let colors = r##"{"type":"setItem","sheet":1,"item":5,"fields":{"choiceColors":[{"value":"a","color":"#00ff00"}]}}"##;
    let (choices, colors) = (planned(&workbook, choices), planned(&workbook, colors));
    apply(&mut workbook, &choices);
    apply(&mut workbook, &rebase(&colors, &choices));
    expect![[r##"

        Sheet1: validation A1:A9 {"choiceColors":[{"color":"#00ff00","value":"a"}],"choices":["a","b"],"displayStyle":"chip","rule":"list"}"##]]
    .assert_eq(&show(&workbook));
}

#[test]
fn invalid_items_are_refused_with_a_reason() {
    for (command, message) in [
        (
            r#"{"type":"setItem","sheet":1,"kind":"validation","anchors":["A1"],"fields":{"choiceColors":[{"value":"a","color":"green"}]}}"#,
            "validation choiceColors color is not a colour such as #1f6f5c: green",
        ),
        (
            r#"{"type":"setItem","sheet":1,"kind":"validation","anchors":["A1"],"fields":{"displayStyle":"bubble"}}"#,
            "validation displayStyle must be one of arrow, chip, people, rating: bubble",
        ),
        (r#"{"type":"setItem","sheet":1,"kind":"sparkle"}"#, "unknown kind of item: sparkle"),
        (r#"{"type":"setItem","sheet":1,"item":9,"fields":{"text":"x"}}"#, "unknown item: 9"),
        (r#"{"type":"setItem","sheet":1,"kind":"note"}"#, "note needs 1 ranges: 0"),
        (r#"{"type":"setItem","sheet":1,"kind":"merge","anchors":["A1"]}"#, "merge needs 2 cells or more: 1"),
        (
            r#"{"type":"setItem","sheet":1,"kind":"note","anchors":["A1"],"fields":{"text":7}}"#,
            "note text must be a text",
        ),
        (
            r#"{"type":"setItem","sheet":1,"kind":"note","anchors":["A1"],"fields":{"rank":7}}"#,
            "note has no field of this name (but text, author, time, width, height): rank",
        ),
        (
            r#"{"type":"setItem","sheet":1,"kind":"chart","anchors":["A1"],"fields":{"legend":"inside"}}"#,
            "chart legend must be one of none, top, right, bottom, left: inside",
        ),
        (
            r#"{"type":"setItem","sheet":1,"kind":"conditionalRule","anchors":["A1"],"fields":{"rank":0}}"#,
            "conditionalRule rank must be from 1 to 1000: 0",
        ),
        (
            r#"{"type":"setItem","sheet":1,"kind":"conditionalRule","anchors":["A1"],"fields":{"format":{"fillColor":"red"}}}"#,
            "conditionalRule format fillColor is not a colour such as #1f6f5c: red",
        ),
        (
            r#"{"type":"setItem","sheet":null,"kind":"note","anchors":["A1"]}"#,
            "note belongs to a sheet, with a number other than 0",
        ),
        (r#"{"type":"removeItem","sheet":1,"item":9}"#, "unknown item: 9"),
    ] {
        let result = run(&mut read_cells(""), &[command]);
        assert_eq!(result.expect_err(command), message);
    }
}

#[test]
fn several_commands_are_one_transaction() {
    check(
        "A1: 2",
        &[r#"{"type":"many","commands":[
            {"type":"insertRows","sheet":1,"at":0,"count":1},
            {"type":"typeText","sheet":1,"cell":"A1","text":"=A2*2"},
            {"type":"many","commands":[{"type":"merge","sheet":1,"range":"B1:C1","how":"all"}]}]}"#],
        expect![[r#"
            A1: =A2*2 | A2: 2
            Sheet1: merge B1:C1 {}"#]],
    );
    // If one command fails, none is applied.
    check(
        "A1: 2",
        &[r#"{"type":"many","commands":[
            {"type":"typeText","sheet":1,"cell":"A1","text":"3"},
            {"type":"removeItem","sheet":1,"item":77}]}"#],
        expect!["unknown item: 77"],
    );
}

#[test]
fn a_duplicated_sheet_has_all_contents() {
    check(
        "A1: Amount | A2: 2 | B2: =A2*2 | C2: =Data!A1 | Data!A1: 7",
        &[
            r#"{"type":"setItem","sheet":1,"item":5,"kind":"table","anchors":["A1:B2"],"fields":{"name":"Stock"}}"#,
            r#"{"type":"setItem","sheet":1,"item":6,"kind":"tableColumn","anchors":["A1"],"fields":{"parent":5}}"#,
            r#"{"type":"setHidden","sheet":1,"dimension":"rows","first":3,"count":1,"hidden":true}"#,
            r#"{"type":"duplicateSheet","sheet":1}"#,
        ],
        expect![[r#"
            A1: Amount | A2: 2 | B2: =A2*2 | C2: =Data!A1 | Sheet1 (2)!A1: Amount | Sheet1 (2)!A2: 2 | Sheet1 (2)!B2: =A2*2 | Sheet1 (2)!C2: =Data!A1 | Data!A1: 7
            Sheet1: table A1:B2 {"name":"Stock"}
            Sheet1: tableColumn A1 {"parent":5.0}
            Sheet1 (2): table A1:B2 {"name":"Stock_2"}
            Sheet1 (2): tableColumn A1 {"parent":5.0}"#]],
    );
}

#[test]
fn conditional_formats_validation_and_charts_follow_a_renamed_name() {
    check(
        "A1: 1",
        &[
            r#"{"type":"defineName","name":"rate","definition":"=Sheet1!$A$1:$A$3","sheet":1}"#,
            r##"{"type":"setItem","sheet":1,"kind":"conditionalRule","anchors":["B1:B3"],"fields":{"rule":"formula","formula1":"=B1>SUM(rate)","format":{"fillColor":"#ff0000"}}}"##,
            r#"{"type":"setItem","sheet":1,"kind":"validation","anchors":["C1:C3"],"fields":{"rule":"list","formula1":"=rate"}}"#,
            r#"{"type":"setItem","sheet":1,"kind":"chart","anchors":["E1:H9"],"fields":{"type":"line","series":[{"values":"=rate"}]}}"#,
            r#"{"type":"defineName","name":"rent","was":"rate","definition":"=Sheet1!$A$1:$A$3","sheet":1}"#,
        ],
        expect![[r##"
            A1: 1
            Sheet1: conditionalRule B1:B3 {"format":{"fillColor":"#ff0000"},"formula1":"=B1>SUM(rent)","rule":"formula"}
            Sheet1: validation C1:C3 {"formula1":"=rent","rule":"list"}
            Sheet1: chart E1:H9 {"series":[{"values":"=rent"}],"type":"line"}"##]],
    );
}

#[test]
fn table_names_are_unique() {
    const TABLE: &str = r#"{"type":"setItem","sheet":1,"item":7,"kind":"table","anchors":["A1:B3"],"fields":{"name":"Stock"}}"#;
    let named = |name: &str, item: u32, anchor: &str| {
        format!(
            r#"{{"type":"setItem","sheet":1,"item":{item},"kind":"table","anchors":["{anchor}"],"fields":{{"name":"{name}"}}}}"#
        )
    };
    let refused = |commands: &[&str], message: &str| {
        let mut workbook = read_cells("A1: item | B1: amount | A2: nails | B2: 5");
        assert_eq!(run(&mut workbook, commands), Err(message.to_owned()));
    };
    refused(&[TABLE, &named("STOCK", 8, "D1:E3")], "name is taken: STOCK");
    refused(&[&named("A1", 8, "D1:E3")], "name reads as a cell: A1");
    refused(&[&named("my stock", 8, "D1:E3")], "name may hold letters, digits, _ and . only: my stock");
    // A table may keep its own name, and change it.
    let mut workbook = read_cells("A1: item | B1: amount | A2: nails | B2: 5");
    assert_eq!(run(&mut workbook, &[TABLE, TABLE, &named("Shop", 7, "A1:B3")]), Ok(()));
}

const NOTE_AND_LIST: [&str; 3] = [
    r#"{"type":"setItem","sheet":1,"kind":"note","anchors":["A1"],"fields":{"text":"why"}}"#,
    r#"{"type":"setItem","sheet":1,"kind":"validation","anchors":["A1:A2"],"fields":{"rule":"list","choices":["x"]}}"#,
    r#"{"type":"merge","sheet":1,"range":"A2:B2","how":"all"}"#,
];

/// Runs one more command after those that attach items to A1:B2.
fn check_attached(command: &str, expected: Expect) {
    check("A1: 1 | A2: 2 | D5: old | Data!H1: 9", &[NOTE_AND_LIST.as_slice(), &[command]].concat(), expected);
}

#[test]
fn copies_take_notes_validation_and_merged_cells_along() {
    check_attached(
        r#"{"type":"copyPaste","fromSheet":1,"source":"A1:B2","sheet":1,"target":"D4","what":"all"}"#,
        expect![[r#"
            A1: 1 | A2: 2 | D4: 1 | D5: 2 | Data!H1: 9
            Sheet1: note A1 {"text":"why"}
            Sheet1: validation A1:A2 D4:D5 {"choices":["x"],"rule":"list"}
            Sheet1: merge A2:B2 {}
            Sheet1: note D4 {"text":"why"}
            Sheet1: merge D5:E5 {}"#]],
    );
    // Values and contents alone leave them behind.
    check_attached(
        r#"{"type":"copyPaste","fromSheet":1,"source":"A1:B2","sheet":1,"target":"D4","what":"values"}"#,
        expect![[r#"
            A1: 1 | A2: 2 | D4: 1 | D5: 2 | Data!H1: 9
            Sheet1: note A1 {"text":"why"}
            Sheet1: validation A1:A2 {"choices":["x"],"rule":"list"}
            Sheet1: merge A2:B2 {}"#]],
    );
    // Each copy has its own note; the validation is one range.
    check_attached(
        r#"{"type":"copyPaste","fromSheet":1,"source":"A1","sheet":1,"target":"D1:D3","what":"all"}"#,
        expect![[r#"
            A1: 1 | D1: 1 | A2: 2 | D2: 1 | D3: 1 | D5: old | Data!H1: 9
            Sheet1: note A1 {"text":"why"}
            Sheet1: validation A1:A2 D1:D3 {"choices":["x"],"rule":"list"}
            Sheet1: merge A2:B2 {}
            Sheet1: note D1 {"text":"why"}
            Sheet1: note D2 {"text":"why"}
            Sheet1: note D3 {"text":"why"}"#]],
    );
    check_attached(
        r#"{"type":"copyPaste","fromSheet":1,"source":"A1:B2","sheet":2,"target":"A1","what":"all"}"#,
        expect![[r#"
            A1: 1 | A2: 2 | D5: old | Data!A1: 1 | Data!H1: 9 | Data!A2: 2
            Sheet1: note A1 {"text":"why"}
            Sheet1: validation A1:A2 {"choices":["x"],"rule":"list"}
            Sheet1: merge A2:B2 {}
            Data: note A1 {"text":"why"}
            Data: validation A1:A2 {"choices":["x"],"rule":"list"}
            Data: merge A2:B2 {}"#]],
    );
    check_attached(
        r#"{"type":"copyPaste","fromSheet":1,"source":"A1:B2","sheet":1,"target":"D4","what":"transposed"}"#,
        expect![[r#"
            A1: 1 | A2: 2 | D4: 1 | E4: 2 | Data!H1: 9
            Sheet1: note A1 {"text":"why"}
            Sheet1: validation A1:A2 D4:E4 {"choices":["x"],"rule":"list"}
            Sheet1: merge A2:B2 {}
            Sheet1: note D4 {"text":"why"}
            Sheet1: merge E4:E5 {}"#]],
    );
}

#[test]
fn copies_among_visible_rows_take_everything_along() {
    let copy = |source: &str, hidden: &str| {
        let copy = format!(
            r#"{{"type":"copyPaste","fromSheet":1,"source":"{source}","sheet":1,"target":"D2","what":"all"}}"#
        );
        format!(r#"{{"type":"inSight","sheet":1,"from":1,"hidden":{hidden},"command":{copy}}}"#)
    };
    check_attached(
        &copy("A1", "[[8,1]]"),
        expect![[r#"
            A1: 1 | A2: 2 | D2: 1 | D5: old | Data!H1: 9
            Sheet1: note A1 {"text":"why"}
            Sheet1: validation A1:A2 D2 {"choices":["x"],"rule":"list"}
            Sheet1: merge A2:B2 {}
            Sheet1: note D2 {"text":"why"}"#]],
    );
    // Around a hidden row: contents and formats alone.
    check_attached(
        &copy("A1:A2", "[[2,1]]"),
        expect![[r#"
            A1: 1 | A2: 2 | D2: 1 | D4: 2 | D5: old | Data!H1: 9
            Sheet1: note A1 {"text":"why"}
            Sheet1: validation A1:A2 {"choices":["x"],"rule":"list"}
            Sheet1: merge A2:B2 {}"#]],
    );
}

#[test]
fn copies_replace_what_their_cells_had() {
    check_attached(
        r#"{"type":"copyPaste","fromSheet":1,"source":"D5:E6","sheet":1,"target":"A1","what":"all"}"#,
        expect!["A1: old | D5: old | Data!H1: 9"],
    );
    // A cell that is copied to merged cells leaves them merged.
    check_attached(
        r#"{"type":"copyPaste","fromSheet":1,"source":"D5","sheet":1,"target":"A2:B2","what":"all"}"#,
        expect![[r#"
            A1: 1 | A2: old | B2: old | D5: old | Data!H1: 9
            Sheet1: note A1 {"text":"why"}
            Sheet1: validation A1 {"choices":["x"],"rule":"list"}
            Sheet1: merge A2:B2 {}"#]],
    );
    // Cells of a range that are copied within it do not split it.
    check_attached(
        r#"{"type":"copyPaste","fromSheet":1,"source":"A1","sheet":1,"target":"A2","what":"all"}"#,
        expect![[r#"
            A1: 1 | A2: 1 | D5: old | Data!H1: 9
            Sheet1: note A1 {"text":"why"}
            Sheet1: validation A1:A2 {"choices":["x"],"rule":"list"}
            Sheet1: merge A2:B2 {}
            Sheet1: note A2 {"text":"why"}"#]],
    );
}

#[test]
fn fills_continue_validation_and_conditional_formats_but_not_notes() {
    check_attached(
        r#"{"type":"fill","sheet":1,"source":"A1:A2","target":"A1:A5","mode":"copy"}"#,
        expect![[r#"
            A1: 1 | A2: 2 | A3: 1 | A4: 2 | A5: 1 | D5: old | Data!H1: 9
            Sheet1: note A1 {"text":"why"}
            Sheet1: validation A1:A5 {"choices":["x"],"rule":"list"}
            Sheet1: merge A2:B2 {}"#]],
    );
}

#[test]
fn cut_cells_take_everything_attached_to_them_along() {
    check_attached(
        r#"{"type":"cutPaste","fromSheet":1,"source":"A1:B2","sheet":1,"target":"D4"}"#,
        expect![[r#"
            D4: 1 | D5: 2 | Data!H1: 9
            Sheet1: note D4 {"text":"why"}
            Sheet1: validation D4:D5 {"choices":["x"],"rule":"list"}
            Sheet1: merge D5:E5 {}"#]],
    );
    // Onto themselves, one row further down.
    check_attached(
        r#"{"type":"cutPaste","fromSheet":1,"source":"A1:B2","sheet":1,"target":"A2"}"#,
        expect![[r#"
            A2: 1 | A3: 2 | D5: old | Data!H1: 9
            Sheet1: note A2 {"text":"why"}
            Sheet1: validation A2:A3 {"choices":["x"],"rule":"list"}
            Sheet1: merge A3:B3 {}"#]],
    );
    // A part of a range.
    check_attached(
        r#"{"type":"cutPaste","fromSheet":1,"source":"A1","sheet":2,"target":"C1"}"#,
        expect![[r#"
            A2: 2 | D5: old | Data!C1: 1 | Data!H1: 9
            Sheet1: validation A2 {"choices":["x"],"rule":"list"}
            Sheet1: merge A2:B2 {}
            Data: note C1 {"text":"why"}
            Data: validation C1 {"choices":["x"],"rule":"list"}"#]],
    );
    // Comments with their replies, also to another sheet.
    check(
        "A1: 1 | Data!H1: 9",
        &[
            r#"{"type":"setItem","sheet":1,"item":7,"kind":"commentThread","anchors":["A1"],"fields":{}}"#,
            r#"{"type":"setItem","sheet":1,"kind":"comment","fields":{"parent":7,"text":"hello"}}"#,
            r#"{"type":"cutPaste","fromSheet":1,"source":"A1","sheet":2,"target":"B2"}"#,
        ],
        expect![[r#"
            Data!H1: 9 | Data!B2: 1
            Data: commentThread B2 {}
            Data: comment  {"parent":216006760.0,"text":"hello"}"#]],
    );
    // The reactions follow their comment, whose number is another one there.
    check(
        "A1: 1 | Data!H1: 9",
        &[
            r#"{"type":"setItem","sheet":1,"item":7,"kind":"commentThread","anchors":["A1"],"fields":{"assignee":"Bo"}}"#,
            r#"{"type":"setItem","sheet":1,"item":8,"kind":"comment","fields":{"parent":7,"text":"hello"}}"#,
            r#"{"type":"setItem","sheet":1,"item":9,"kind":"reaction","fields":{"parent":8,"text":"👍"}}"#,
            r#"{"type":"cutPaste","fromSheet":1,"source":"A1","sheet":2,"target":"B2"}"#,
        ],
        expect![[r#"
            Data!H1: 9 | Data!B2: 1
            Data: commentThread B2 {"assignee":"Bo"}
            Data: comment  {"parent":211812454.0,"text":"hello"}
            Data: reaction  {"parent":216006760.0,"text":"👍"}"#]],
    );
}

#[test]
fn formulas_of_items_follow_cut_cells() {
    let chart = r#"{"type":"setItem","sheet":2,"kind":"chart","anchors":["A1:D9"],"fields":{"type":"bar","series":[{"values":"=Sheet1!A1:A2"}]}}"#;
    check(
        "A1: 1 | A2: 2 | Data!H1: 9",
        &[chart, r#"{"type":"cutPaste","fromSheet":1,"source":"A1:A2","sheet":1,"target":"C3"}"#],
        expect![[r#"
            C3: 1 | C4: 2 | Data!H1: 9
            Data: chart A1:D9 {"series":[{"values":"=Sheet1!C3:C4"}],"type":"bar"}"#]],
    );
    // The rule moves with its cells and keeps the cells that it refers to.
    let rule = r#"{"type":"setItem","sheet":1,"kind":"conditionalRule","anchors":["A1:A2"],"fields":{"rule":"formula","formula1":"=A1>$E$1"}}"#;
    check(
        "A1: 1 | E1: 5 | Data!H1: 9",
        &[rule, r#"{"type":"cutPaste","fromSheet":1,"source":"A1:A2","sheet":1,"target":"C3"}"#],
        expect![[r#"
            E1: 5 | C3: 1 | Data!H1: 9
            Sheet1: conditionalRule C3:C4 {"formula1":"=C3>$E$1","rule":"formula"}"#]],
    );
    // A copy has relative references, as copied formulas have.
    check(
        "A1: 1 | E1: 5 | Data!H1: 9",
        &[
            rule,
            r#"{"type":"copyPaste","fromSheet":1,"source":"A1:A2","sheet":2,"target":"C3","what":"formats"}"#,
        ],
        expect![[r#"
            A1: 1 | E1: 5 | Data!H1: 9
            Sheet1: conditionalRule A1:A2 {"formula1":"=A1>$E$1","rule":"formula"}
            Data: conditionalRule C3:C4 {"formula1":"=C3>$E$1","rule":"formula"}"#]],
    );
}

/// As in Excel: new rows of a table have the formats and rules of the row above them.
#[test]
fn rows_below_a_table_get_its_formats_and_rules() {
    let table = r#"{"type":"setItem","sheet":1,"item":5,"kind":"table","anchors":["A1:C2"],"fields":{"name":"Stock"}}"#;
    let mut workbook = read_cells("A1: code | B1: part | C1: date | A2: x | B2: 1");
    let commands = [
        table,
        r#"{"type":"setItem","sheet":1,"item":6,"kind":"validation","anchors":["A2","B2"],"fields":{"rule":"any"}}"#,
        r#"{"type":"setItem","sheet":1,"item":7,"kind":"conditionalRule","anchors":["A2:C2"],"fields":{"rule":"blank"}}"#,
        r#"{"type":"setItem","sheet":1,"item":8,"kind":"validation","anchors":["D2"],"fields":{"rule":"any"}}"#,
        r#"{"type":"setItem","sheet":1,"item":9,"kind":"validation","anchors":["B4"],"fields":{"rule":"any"}}"#,
        r#"{"type":"format","sheet":1,"range":"A2","format":{"numberFormat":"@","bold":true}}"#,
        r#"{"type":"format","sheet":1,"range":"B2","format":{"numberFormat":"0%","horizontal":"center"}}"#,
        r#"{"type":"format","sheet":1,"range":"B4","format":{"numberFormat":"0.0"}}"#,
        r#"{"type":"typeTexts","sheet":1,"at":"A3","texts":[["001","5","2026-11-27"],["002","6"]]}"#,
    ];
    run(&mut workbook, &commands).expect("possible");
    let sheet = workbook.sheet(SheetId(1)).expect("the first sheet");
    let cell = |name: &str| quadrille_cell::CellAddress::parse_a1(name).expect("a cell");
    let value = |name| sheet.value(cell(name));
    let code = |name| sheet.format(cell(name)).number_format.as_deref();
    // Texts stay texts, and numbers in a column of percents are percents.
    assert_eq!((value("A3"), value("A4")), ("001".into(), "002".into()));
    assert_eq!((code("A3"), code("A4")), (Some("@"), Some("@")));
    assert!(!sheet.format(cell("A3")).bold);
    assert_eq!((value("B3"), code("B3"), code("C3")), (0.05.into(), Some("0%"), Some("yyyy-mm-dd")));
    // Rows with a format or a rule of their own keep them.
    assert_eq!((code("B4"), code("A5")), (Some("0.0"), None));
    let anchors = |id| {
        let item = sheet.item(quadrille_workbook::ItemId(id)).expect("an item");
        item.anchors.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(anchors(5), "A1:C4");
    assert_eq!(anchors(6), "A2:A4 B2");
    assert_eq!(anchors(7), "A2:C4");
    assert_eq!((anchors(8), anchors(9)), ("D2".to_owned(), "B4".to_owned()));
}

#[test]
fn a_header_gives_new_rows_of_its_table_no_format() {
    let mut workbook = read_cells("A1: code");
    let commands = [
        r#"{"type":"setItem","sheet":1,"item":5,"kind":"table","anchors":["A1"],"fields":{"name":"Stock"}}"#,
        r#"{"type":"format","sheet":1,"range":"A1","format":{"numberFormat":"@"}}"#,
        r#"{"type":"typeText","sheet":1,"cell":"A2","text":"001"}"#,
    ];
    run(&mut workbook, &commands).expect("possible");
    expect![[r#"
        A1: code | A2: 1
        Sheet1: table A1:A2 {"name":"Stock"}"#]]
    .assert_eq(&show(&workbook));
}

/// A filter over A1:C4 with a slicer for its first column, and a pivot table of the same data.
const SLICER: &[&str] = &[
    r#"{"type":"setItem","sheet":1,"item":5,"kind":"autoFilter","anchors":["A1:C4"],"fields":{}}"#,
    r#"{"type":"setItem","sheet":1,"item":6,"kind":"slicer","anchors":["E1"],"fields":{"column":"=$A$1:$A$4"}}"#,
    r#"{"type":"setItem","sheet":1,"item":7,"kind":"pivotTable","anchors":["G1"],"fields":{
        "source":"=$A$1:$C$4","rows":[{"column":"=$B:$B"}],"values":[{"column":"=$C:$C"}]}}"#,
];

/// Runs commands after those of [`SLICER`], and returns the conditions of the filter and of the
/// pivot table.
fn conditions(commands: &[&str]) -> String {
    let mut workbook = read_cells("A1: region | B1: day | C1: amount | A2: East | A3: West");
    run(&mut workbook, SLICER).expect("commands that can be carried out");
    if let Err(error) = run(&mut workbook, commands) {
        return error;
    }
    let mut lines = Vec::new();
    for (id, item) in workbook.sheets()[0].items().iter() {
        let item = ItemDetails::new(Some(SheetId(1)), id, item, &workbook);
        let fields = match item.kind.as_str() {
            "filterColumn" => serde_json::to_string(&item.fields),
            "pivotTable" => serde_json::to_string(&item.fields.get("filters")),
            _ => continue,
        };
        lines.push(format!("{}: {}", item.kind, fields.expect("text keys")));
    }
    lines.join("\n")
}

#[test]
fn a_slicer_filters_the_filter_and_the_pivot_tables_of_its_sheet() {
    let expected = expect![[r#"
        pivotTable: [{"column":"=$A$1:$A$4","showBlanks":true,"shown":["East"]}]
        filterColumn: {"parent":5.0,"rule":"values","showBlanks":true,"shown":["East"]}"#]];
    expected.assert_eq(&conditions(&[r#"{"type":"filterBySlicer","sheet":1,"item":6,"shown":["East",""]}"#]));
    let expected = expect![[r#"
        pivotTable: [{"column":"=$A$1:$A$4","operator":"between","value1":"45322","value2":"45351.999999"}]
        filterColumn: {"join":"and","operator":"greaterOrEqual","operator2":"less","parent":5.0,"rule":"condition","value1":"2024-01-31","value2":"2024-03-01"}"#]];
    expected.assert_eq(&conditions(&[
        r#"{"type":"filterBySlicer","sheet":1,"item":6,"shown":["East"]}"#,
        r#"{"type":"filterBySlicer","sheet":1,"item":6,"from":"2024-01-31","to":"2024-02-29"}"#,
    ]));
    // Without a selection nothing remains.
    let expected = expect!["pivotTable: null"];
    expected.assert_eq(&conditions(&[
        r#"{"type":"filterBySlicer","sheet":1,"item":6,"shown":["East"]}"#,
        r#"{"type":"filterBySlicer","sheet":1,"item":6}"#,
    ]));
}

#[test]
fn a_slicer_refuses_what_it_cannot_select() {
    let refused =
        |selection: &str| conditions(&[&format!(r#"{{"type":"filterBySlicer","sheet":1,{selection}}}"#)]);
    assert_eq!(refused(r#""item":5,"shown":[]"#), "unknown item: 5");
    assert_eq!(
        refused(r#""item":6,"from":"31.12.2024","to":"2024-12-31""#),
        "not a date such as 2024-12-31: 31.12.2024"
    );
    let bad_period =
        "a slicer needs values in `shown`, or a period in `from` and `to` that ends after it begins";
    for selection in [
        r#""item":6,"from":"2024-12-31","to":"2024-01-01""#,
        r#""item":6,"from":"2024-12-31""#,
        r#""item":6,"shown":[],"from":"2024-12-31","to":"2024-12-31""#,
    ] {
        assert_eq!(refused(selection), bad_period, "{selection}");
    }
    // Neither a filter nor a pivot table of the sheet has column D.
    let elsewhere = [
        r#"{"type":"setItem","sheet":1,"item":6,"fields":{"column":"=$D$1:$D$4"}}"#,
        r#"{"type":"filterBySlicer","sheet":1,"item":6,"shown":["East"]}"#,
    ];
    assert_eq!(
        conditions(&elsewhere),
        "the slicer's column is in no filter and in no pivot table of its sheet: add a filter to it"
    );
}

#[test]
fn a_slicer_changes_an_open_filter_view_instead_of_the_shared_filter() {
    let expected = expect![[r#"
        pivotTable: [{"column":"=$A$1:$A$4","showBlanks":false,"shown":["West"]}]
        filterColumn: {"parent":8.0,"rule":"values","showBlanks":false,"shown":["West"]}"#]];
    expected.assert_eq(&conditions(&[
        r#"{"type":"setItem","sheet":1,"item":8,"kind":"filterView","anchors":["A1:C4"],"fields":{"name":"mine"}}"#,
        r#"{"type":"filterBySlicer","sheet":1,"item":6,"view":8,"shown":["West"]}"#,
    ]));
}
