//! Commands on cells and sheets, in the JSON form that the client and the REST API send.

use crate::cells::{read_cells, write_cells};
use expect_test::{Expect, expect};
use quadrille_cell::{CellAddress, Range, SheetId};
use quadrille_operation::{Command, FormatChange, apply, plan, untrimmed_cells};
use quadrille_workbook::Workbook;

/// Runs commands in order. They are given as JSON without the sheet.
pub fn run(workbook: &mut Workbook, commands: &[&str]) -> Result<(), String> {
    for json in commands {
        let mut value: serde_json::Value = serde_json::from_str(json).map_err(|error| error.to_string())?;
        let fields = value.as_object_mut().ok_or("not an object")?;
        fields.entry("sheet").or_insert(1.into());
        let command: Command = serde_json::from_value(value).map_err(|error| error.to_string())?;
        let mut next = 100;
        let mut new_sheet = || {
            next += 1;
            SheetId(next)
        };
        let transaction = plan(&command, workbook, &mut new_sheet).map_err(|error| error.to_string())?;
        apply(workbook, &transaction);
    }
    Ok(())
}

fn check(given: &str, commands: &[&str], expected: Expect) {
    let mut workbook = read_cells(given);
    match run(&mut workbook, commands) {
        Ok(()) => expected.assert_eq(&write_cells(&workbook)),
        Err(message) => expected.assert_eq(&message),
    }
}

pub fn format_of(workbook: &Workbook, cell: &str) -> String {
    let sheet = &workbook.sheets()[0];
    let cell = CellAddress::parse_a1(cell).expect("test addresses are valid");
    serde_json::to_string(&FormatChange::from(sheet.format(cell))).expect("formats are JSON")
}

#[test]
fn typed_text_becomes_numbers_dates_formulas_or_texts() {
    check(
        "A1: 2",
        &[
            r#"{"type":"typeText","cell":"B1","text":"=a1*3"}"#,
            r#"{"type":"typeText","cell":"C1","text":"'007"}"#,
            r#"{"type":"typeText","cell":"D1","text":"="}"#,
            r#"{"type":"typeText","cell":"E1","text":"TRUE"}"#,
        ],
        expect!["A1: 2 | B1: =A1*3 | C1: 007 | D1: = | E1: TRUE"],
    );
    check("A1: 2", &[r#"{"type":"typeText","cell":"A1","text":""}"#], expect![""]);
    check(
        "",
        &[r#"{"type":"typeText","cell":"A0","text":"x"}"#],
        expect!["not a cell or range such as B7, A1:C9, A:C or 3:5: A0"],
    );
    check("", &[r#"{"type":"typeText","cell":"A1","text":"x","sheet":9}"#], expect!["unknown sheet: 9"]);
    check(
        "",
        &[r#"{"type":"typeTexts","at":"B2","texts":[["1","x"],["=B2"]]}"#],
        expect!["B2: 1 | C2: x | B3: =B2"],
    );
    check(
        "",
        &[r#"{"type":"typeTexts","at":"XFD1048576","texts":[["1","x"]]}"#],
        expect!["the cells do not fit on the sheet"],
    );
    check(
        "",
        &[r#"{"type":"typeEverywhere","range":"A1:A3","text":"=B1"}"#],
        expect!["A1: =B1 | A2: =B2 | A3: =B3"],
    );
}

/// As in Excel, except for digits with signs and slashes only, which Excel calculates.
#[test]
fn a_text_that_begins_with_a_sign_is_a_formula_if_it_calculates() {
    for (text, stored) in [
        ("+A9*2", "=+A9*2"),
        ("-A9", "=-A9"),
        ("+A9+B9", "=+A9+B9"),
        ("-sum(A9:B9", "=-SUM(A9:B9)"),
        ("+LEN(\"abc\")", "=+LEN(\"abc\")"),
        ("-2^2", "=-2^2"),
        ("+3*(4+1)", "=+3*(4+1)"),
        ("-rate*2", "=-rate*2"),
        ("'+A9", "+A9"),
    ]
    .into_iter()
    .chain(
        ["- item", "-foo", "+foo(x)", "+49-30-1234", "+49/30/1234", "-A9 B9", "+", "--", "-("]
            .map(|text| (text, text)),
    ) {
        let commands = [
            r#"{"type":"defineName","name":"rate","definition":"=0.5"}"#.to_owned(),
            serde_json::json!({"type": "typeText", "cell": "A1", "text": text}).to_string(),
        ];
        let mut workbook = Workbook::new();
        run(&mut workbook, &commands.each_ref().map(String::as_str)).expect("valid commands");
        assert_eq!(write_cells(&workbook), format!("A1: {stored}"));
    }
}

#[test]
fn contents_with_a_type_are_written_unchanged() {
    check(
        "A1: old | B1: old | A2: last",
        &[
            r#"{"type":"setCells","at":"A1","cells":[["keep",{"number":1.5},{"text":"1.5"}],[{"formula":"=B1"},{"boolean":true},{"typed":"7"}]]}"#,
            r#"{"type":"appendRows","rows":[[{"number":1},"blank",{"typed":"=A1"}]]}"#,
        ],
        expect!["A1: old | B1: 1.5 | C1: 1.5 | A2: =B1 | B2: TRUE | C2: 7 | A3: 1 | C3: =A1"],
    );
}

#[test]
fn clear_removes_contents_formats_or_both() {
    check(
        "A1: 1 | A2: 2 | B1: 3",
        &[r#"{"type":"clear","range":"A:A","what":"contents"}"#],
        expect!["B1: 3"],
    );
}

#[test]
fn copied_formulas_keep_relative_references() {
    check(
        "A1: 1 | B1: =A1*2",
        &[r#"{"type":"copyPaste","fromSheet":1,"source":"A1:B1","target":"A3","what":"all"}"#],
        expect!["A1: 1 | B1: =A1*2 | A3: 1 | B3: =A3*2"],
    );
    check(
        "A1: 1 | B1: =A1*2",
        &[r#"{"type":"copyPaste","fromSheet":1,"source":"A1:B1","target":"A2:B4","what":"contents"}"#],
        expect!["A1: 1 | B1: =A1*2 | A2: 1 | B2: =A2*2 | A3: 1 | B3: =A3*2 | A4: 1 | B4: =A4*2"],
    );
    check(
        "A1: 1 | A2: 2",
        &[r#"{"type":"copyPaste","fromSheet":1,"source":"A1:A2","target":"B1:C4","what":"all"}"#],
        expect!["A1: 1 | B1: 1 | C1: 1 | A2: 2 | B2: 2 | C2: 2 | B3: 1 | C3: 1 | B4: 2 | C4: 2"],
    );
    // Of a target that is not a multiple of the source only the first cell counts. Blanks are
    // pasted too.
    check(
        "A1: 1 | A3: 3 | C2: gone",
        &[r#"{"type":"copyPaste","fromSheet":1,"source":"A1:A3","target":"C1:D2","what":"all"}"#],
        expect!["A1: 1 | C1: 1 | A3: 3 | C3: 3"],
    );
    // Whole columns cost only as much as they contain.
    check(
        "A1: 1 | A9: =A1 | C3: gone",
        &[r#"{"type":"copyPaste","fromSheet":1,"source":"A:A","target":"C:C","what":"all"}"#],
        expect!["A1: 1 | C1: 1 | A9: =A1 | C9: =C1"],
    );
}

#[test]
fn references_follow_cut_and_pasted_cells() {
    // References to the moved cells follow them; the moved formulas keep their references.
    check(
        "A1: 1 | A2: =A1+C9 | B5: =A2*2 | B6: =SUM(A1:A2) | B7: =A1",
        &[r#"{"type":"cutPaste","fromSheet":1,"source":"A1:A2","target":"D3"}"#],
        expect!["D3: 1 | D4: =D3+C9 | B5: =D4*2 | B6: =SUM(D3:D4) | B7: =D3"],
    );
    check(
        "A1: 1 | B1: =A1 | Data!A1: =Sheet1!A1",
        &[r#"{"type":"cutPaste","fromSheet":1,"source":"A1","sheet":2,"target":"B2"}"#],
        expect!["B1: =Data!B2 | Data!A1: =B2 | Data!B2: 1"],
    );
    // Source and target may overlap.
    check(
        "A1: 1 | A2: 2 | A3: =A1",
        &[r#"{"type":"cutPaste","fromSheet":1,"source":"A1:A2","target":"A2"}"#],
        expect!["A2: 1 | A3: 2"],
    );
}

#[test]
fn pasted_text_is_typed_into_the_target() {
    check(
        "",
        &[r#"{"type":"pasteText","target":"B1","text":"a\tb\r\n1\t=B1\r\n"}"#],
        expect!["B1: a | C1: b | B2: 1 | C2: =B1"],
    );
    check(
        "",
        &[r#"{"type":"pasteText","target":"A1:B2","text":"7"}"#],
        expect!["A1: 7 | B1: 7 | A2: 7 | B2: 7"],
    );
}

#[test]
fn fill_continues_series() {
    for (given, source, target, expected) in [
        ("A1: 1 | A2: 3", "A1:A2", "A1:A4", expect!["A1: 1 | A2: 3 | A3: 5 | A4: 7"]),
        ("A3: 1 | A4: 3", "A3:A4", "A1:A4", expect!["A1: -3 | A2: -1 | A3: 1 | A4: 3"]),
        ("A1: 5", "A1", "A1:A3", expect!["A1: 5 | A2: 5 | A3: 5"]),
        ("A1: Item 9", "A1", "A1:A3", expect!["A1: Item 9 | A2: Item 10 | A3: Item 11"]),
        ("A1: a08", "A1", "A1:A3", expect!["A1: a08 | A2: a09 | A3: a10"]),
        ("A1: Mon", "A1", "A1:D1", expect!["A1: Mon | B1: Tue | C1: Wed | D1: Thu"]),
        ("A1: DEC", "A1", "A1:B1", expect!["A1: DEC | B1: JAN"]),
        ("A1: Jan | A2: Apr", "A1:A2", "A1:A5", expect!["A1: Jan | A2: Apr | A3: Jul | A4: Oct | A5: Jan"]),
        ("A1: =B1*2", "A1", "A1:A3", expect!["A1: =B1*2 | A2: =B2*2 | A3: =B3*2"]),
        ("A1: x | A2: 1", "A1:A2", "A1:A4", expect!["A1: x | A2: 1 | A3: x | A4: 1"]),
        (
            "A1: 1 | B1: a1 | A2: 2 | B2: a2",
            "A1:B2",
            "A1:B3",
            expect!["A1: 1 | B1: a1 | A2: 2 | B2: a2 | A3: 3 | B3: a3"],
        ),
        ("A1: 1", "A1", "B2:C3", expect!["the cells to fill must extend the source in one direction"]),
    ] {
        let fill = format!(r#"{{"type":"fill","source":"{source}","target":"{target}","mode":"series"}}"#);
        check(given, &[&fill], expected);
    }
}

#[test]
fn fill_repeats_contents_without_a_series() {
    check(
        "A1: 1 | A2: 3",
        &[r#"{"type":"fill","source":"A1:A2","target":"A1:A5","mode":"copy"}"#],
        expect!["A1: 1 | A2: 3 | A3: 1 | A4: 3 | A5: 1"],
    );
    check(
        "A1: 1 | B1: =A1",
        &[r#"{"type":"fillDown","range":"A1:B3"}"#],
        expect!["A1: 1 | B1: =A1 | A2: 1 | B2: =A2 | A3: 1 | B3: =A3"],
    );
    check("A1: 1 | B1: =A1", &[r#"{"type":"fillRight","range":"C1"}"#], expect!["A1: 1 | B1: =A1 | C1: =B1"]);
    check(
        "A1: 1",
        &[r#"{"type":"fillDown","range":"A1"}"#],
        expect!["the cells to fill must extend the source in one direction"],
    );
}

#[test]
fn fill_continues_dates_by_day_or_month() {
    for (texts, expected) in [
        (["2024-02-28", "2024-02-29"], expect!["A1: 45350 | A2: 45351 | A3: 45352"]),
        (["2024-01-31", "2024-03-31"], expect!["A1: 45322 | A2: 45382 | A3: 45443"]),
    ] {
        let type_dates =
            format!(r#"{{"type":"typeTexts","at":"A1","texts":[["{}"],["{}"]]}}"#, texts[0], texts[1]);
        check(
            "",
            &[&type_dates, r#"{"type":"fill","source":"A1:A2","target":"A1:A3","mode":"series"}"#],
            expected,
        );
    }
}

#[test]
fn inserting_and_deleting_rows_and_columns_moves_references() {
    check(
        "A1: 1 | A2: 2 | A3: =SUM(A1:A2)",
        &[r#"{"type":"insertRows","at":1,"count":2}"#],
        expect!["A1: 1 | A4: 2 | A5: =SUM(A1:A4)"],
    );
    check("A1: 1 | B1: =A1", &[r#"{"type":"deleteColumns","at":0,"count":1}"#], expect!["A1: =#REF!"]);
    check(
        "A1048576: 1",
        &[r#"{"type":"insertRows","at":0,"count":1}"#],
        expect!["inserting would push filled cells off the end of the sheet"],
    );
    check(
        "",
        &[r#"{"type":"deleteRows","at":1048575,"count":2}"#],
        expect!["rows or columns outside the sheet: 2 from index 1048575"],
    );
}

#[test]
fn sort_orders_rows_by_keys() {
    check(
        "A1: name | B1: n | A2: b | B2: 2 | A3: B | B3: 1 | A4: a | B4: 3 | A6: 5 | A7: TRUE",
        &[
            r#"{"type":"sort","range":"A1:B9","keys":[{"column":0,"descending":false},{"column":1,"descending":false}],"hasHeader":true}"#,
        ],
        expect!["A1: name | B1: n | A2: 5 | A3: a | B3: 3 | A4: B | B4: 1 | A5: b | B5: 2 | A6: TRUE"],
    );
    check(
        "A1: -1 | A2: x | A4: 2",
        &[r#"{"type":"sort","range":"A:A","keys":[{"column":0,"descending":true}],"hasHeader":false}"#],
        expect!["A1: x | A2: 2 | A3: -1"],
    );
    check(
        "A1: 1",
        &[r#"{"type":"sort","range":"A1:A2","keys":[{"column":1,"descending":true}],"hasHeader":false}"#],
        expect!["sorting needs a key column within the range"],
    );
}

#[test]
fn sheets_and_names_are_added_renamed_and_removed() {
    check(
        "A1: =Data!A1 | Data!A1: 1",
        &[
            r#"{"type":"renameSheet","sheet":2,"name":"My data"}"#,
            r#"{"type":"addSheet"}"#,
            r#"{"type":"moveSheet","sheet":101,"position":0}"#,
            r#"{"type":"typeText","sheet":101,"cell":"A1","text":"first"}"#,
        ],
        expect!["A1: first | Sheet1!A1: ='My data'!A1 | My data!A1: 1"],
    );
    check(
        "Data!A1: 1",
        &[r#"{"type":"renameSheet","sheet":2,"name":"sheet1"}"#],
        expect!["another sheet has this name: sheet1"],
    );
    check(
        "",
        &[r#"{"type":"addSheet","name":"a/b"}"#],
        expect![[r"sheet name must not contain any of [ ] : * ? / \: a/b"]],
    );
    check("", &[r#"{"type":"removeSheet"}"#], expect!["a workbook keeps at least one sheet"]);
    check(
        "",
        &[r#"{"type":"defineName","name":"A1","definition":"1"}"#],
        expect!["name reads as a cell: A1"],
    );
    let mut workbook = read_cells("A1: 1");
    run(&mut workbook, &[r#"{"type":"defineName","name":"rate","definition":"=A1*2"}"#]).expect("valid");
    run(&mut workbook, &[r#"{"type":"insertRows","at":0,"count":1}"#]).expect("valid");
    let written = quadrille_operation::notation::write_operation(
        &quadrille_operation::Operation::DefineName {
            name: "rate".into(),
            definition: workbook.name("RATE").cloned(),
        },
        &workbook,
    );
    expect!["name rate: =Sheet1!$A$2*2"].assert_eq(&written);
}

#[test]
fn formats_are_set_toggled_and_inherited() {
    let mut workbook = read_cells("A1: 1");
    let commands = [
        r##"{"type":"format","range":"A1:B2","format":{"numberFormat":"0.00","textColor":"#ff0000","horizontal":"center"}}"##,
        r#"{"type":"toggle","range":"A1:A2","attribute":"bold"}"#,
        r#"{"type":"format","range":"B1","format":{"textColor":null,"numberFormat":null}}"#,
        r#"{"type":"typeText","cell":"D1","text":"12%"}"#,
        r#"{"type":"typeText","cell":"E1","text":"=sum(D1:D1"}"#,
        r#"{"type":"typeText","cell":"F1","text":"=TODAY()+1"}"#,
        r#"{"type":"insertRows","at":1,"count":1}"#,
    ];
    run(&mut workbook, &commands).expect("valid");
    expect![[r##"{"numberFormat":"0.00","bold":true,"horizontal":"center","textColor":"#ff0000"}"##]]
        .assert_eq(&format_of(&workbook, "A1"));
    // An inserted row gets the format of the row above.
    assert_eq!(format_of(&workbook, "A2"), format_of(&workbook, "A1"));
    expect![[r#"{"horizontal":"center"}"#]].assert_eq(&format_of(&workbook, "B1"));
    expect![[r#"{"numberFormat":"0%"}"#]].assert_eq(&format_of(&workbook, "D1"));
    // A formula gets the format of the cells that it refers to, or a date format if its result is a
    // date.
    expect![[r#"{"numberFormat":"0%"}"#]].assert_eq(&format_of(&workbook, "E1"));
    expect![[r#"{"numberFormat":"yyyy-mm-dd"}"#]].assert_eq(&format_of(&workbook, "F1"));
    let message = run(&mut workbook, &[r#"{"type":"format","range":"A1","format":{"textColor":"red"}}"#]);
    expect!["not a colour such as #1f6f5c: red"].assert_eq(&message.expect_err("no such colour"));
}

#[test]
fn remove_duplicates_keeps_first_rows() {
    const ROWS: &str = "A1: name | B1: town | A2: Ann | B2: Oslo | A3: ann | B3: OSLO | A4: Bo | B4: Oslo \
        | A5: Ann | B5: Rome | A6: Bo | B6: Oslo | C6: 9";
    let both = r#"{"type":"removeDuplicates","range":"A1:B6","columns":[0,1],"hasHeader":true}"#;
    check(
        ROWS,
        &[both],
        expect!["A1: name | B1: town | A2: Ann | B2: Oslo | A3: Bo | B3: Oslo | A4: Ann | B4: Rome | C6: 9"],
    );
    let name_only = r#"{"type":"removeDuplicates","range":"A1:B6","columns":[0],"hasHeader":true}"#;
    check(
        ROWS,
        &[name_only],
        expect!["A1: name | B1: town | A2: Ann | B2: Oslo | A3: Bo | B3: Oslo | C6: 9"],
    );
    // A number and a text that reads the same differ, although the notation displays them alike.
    check(
        "A1: 1 | A2: '1 | A3: 1",
        &[r#"{"type":"removeDuplicates","range":"A:A","columns":[0],"hasHeader":false}"#],
        expect!["A1: 1 | A2: 1"],
    );
    check(
        "A1: 1",
        &[r#"{"type":"removeDuplicates","range":"A1:A2","columns":[4],"hasHeader":false}"#],
        expect!["sorting needs a key column within the range"],
    );
}

#[test]
fn split_text_writes_parts_to_the_right() {
    check(
        "A1: Ann, 7 | A2: none | A3: x,y,z | A4: 12 | B3: old",
        &[r#"{"type":"splitText","range":"A:A","separator":","}"#],
        expect!["A1: Ann | B1: 7 | A2: none | A3: x | B3: y | C3: z | A4: 12"],
    );
    check(
        "A1: a",
        &[r#"{"type":"splitText","range":"A1","separator":""}"#],
        expect!["splitting needs a separator"],
    );
}

#[test]
fn trim_whitespace_removes_extra_spaces() {
    let trim = r#"{"type":"trimWhitespace","range":"A:C"}"#;
    let cells = r#"{"type":"setCells","at":"A1","cells":[
        [{"text":"  Ann  Lee "},{"text":"two\u00a0\u00a0 words\u00a0"},{"text":"10\u00a0km"}],
        [{"text":"\u3000東京\u3000"},{"text":"a \n  b  c\n"},{"formula":"=A1&\"  x \""}],
        [{"text":" \u00a0 "},{"number":5},{"text":"as it is"}]]}"#;
    let mut workbook = read_cells("D1: kept");
    run(&mut workbook, &[cells, r#"{"type":"setCells","at":"D2","cells":[[{"text":" kept "}]]}"#, trim])
        .expect("valid");
    expect![[r#"A1: Ann Lee | B1: two words | C1: 10⍽km | D1: kept | A2: 東京 | B2: a
b c
 | C2: =A1&"  x " | D2:  kept  | B3: 5 | C3: as it is"#]]
    .assert_eq(&write_cells(&workbook).replace('\u{a0}', "⍽"));
}

/// One operation per cell would exceed the limit of a transaction.
#[test]
fn trimming_a_long_column_is_one_transaction() {
    let cells: Vec<String> = (0..25_000)
        .map(|row| match row % 3 {
            0 => format!(r#"[{{"text":" {row} "}}]"#),
            1 => r#"[{"formula":"=B1*2"}]"#.to_owned(),
            _ => r#"[{"text":"kept"}]"#.to_owned(),
        })
        .collect();
    let mut workbook = read_cells("B1: 1");
    let set = format!(r#"{{"type":"setCells","at":"A1","cells":[{}]}}"#, cells.join(","));
    run(&mut workbook, &[&set]).expect("valid");
    let sheet = &workbook.sheets()[0];
    let range = Range::parse_a1("A:A").expect("a range");
    assert_eq!(untrimmed_cells(sheet, &[range, range]), 8_334);
    let before = write_cells(&workbook);
    run(&mut workbook, &[r#"{"type":"trimWhitespace","range":"A:A"}"#]).expect("valid");
    // In the notation, trailing spaces precede the bar.
    let expected: Vec<String> =
        before.split(" | ").map(|cell| cell.replace(":  ", ": ").trim_end().to_owned()).collect();
    assert_eq!(write_cells(&workbook), expected.join(" | "));
}

#[test]
fn moved_rows_and_columns_keep_references() {
    check(
        "A1: a | A2: b | A3: c | B1: =A3 | B4: =SUM(A1:A3) | C3: =SUM(A2:A9)",
        &[r#"{"type":"moveLines","dimension":"rows","first":2,"count":1,"to":0}"#],
        expect!["A1: c | C1: =SUM(A3:A9) | A2: a | B2: =A1 | A3: b | B4: =SUM(A1:A3)"],
    );
    check(
        "A1: 1 | B1: =A1+1 | C1: =B1+1",
        &[r#"{"type":"moveLines","dimension":"columns","first":0,"count":2,"to":3}"#],
        expect!["A1: =C1+1 | B1: 1 | C1: =B1+1"],
    );
    let merge = r#"{"type":"merge","range":"A2:B3","how":"all"}"#;
    for (first, to) in [(1, 5), (0, 2), (2, 0)] {
        let cut = format!(r#"{{"type":"moveLines","dimension":"rows","first":{first},"count":1,"to":{to}}}"#);
        let message = run(&mut read_cells("A1: 1"), &[merge, &cut]).expect_err("merged cells are not cut");
        assert!(message.contains("A2:B3"), "{message}");
    }
    let whole = r#"{"type":"moveLines","dimension":"rows","first":1,"count":2,"to":0}"#;
    run(&mut read_cells("A1: 1"), &[merge, whole]).expect("they move as a whole");
    check(
        "A1: 1",
        &[r#"{"type":"moveLines","dimension":"rows","first":0,"count":1,"to":1048577}"#],
        expect!["rows or columns outside the sheet: 1 from index 0"],
    );
}

#[test]
fn transposed_paste_exchanges_rows_and_columns() {
    check(
        "A1: 1 | B1: two | A2: =A1*2 | C2: 5",
        &[r#"{"type":"copyPaste","fromSheet":1,"source":"A1:C2","target":"E4","what":"transposed"}"#],
        expect!["A1: 1 | B1: two | A2: =A1*2 | C2: 5 | E4: 1 | F4: =F3*2 | E5: two | F6: 5"],
    );
}
