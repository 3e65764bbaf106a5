//! Commands on a sheet with rows hidden by a filter.

use crate::cells::{read_cells, write_cells};
use expect_test::{Expect, expect};
use proptest::prelude::*;
use quadrille_cell::{CellAddress, Dimension, Range, SheetId};
use quadrille_operation::{Command, FillMode, PasteScope, apply, plan};
use quadrille_workbook::Workbook;

/// Runs a command, given as JSON, on sheet 1 with these hidden rows (numbered from 1, as
/// displayed).
fn run(workbook: &mut Workbook, hidden: &[u32], from: Option<u32>, json: &str) -> Result<(), String> {
    let mut value: serde_json::Value = serde_json::from_str(json).map_err(|error| error.to_string())?;
    let fields = value.as_object_mut().ok_or("not an object")?;
    fields.entry("sheet").or_insert(1.into());
    let command: Command = serde_json::from_value(value).map_err(|error| error.to_string())?;
    let hidden = hidden.iter().map(|row| (row - 1, 1)).collect();
    let from = from.map(|row| row - 1);
    let command = Command::VisibleRows { sheet: 1, from, hidden, rows: vec![], command: Box::new(command) };
    let transaction = plan(&command, workbook, &mut || SheetId(100)).map_err(|error| error.to_string())?;
    apply(workbook, &transaction);
    Ok(())
}

fn check(given: &str, hidden: &[u32], from: Option<u32>, json: &str, expected: Expect) {
    let mut workbook = read_cells(given);
    match run(&mut workbook, hidden, from, json) {
        Ok(()) => expected.assert_eq(&write_cells(&workbook)),
        Err(message) => expected.assert_eq(&message),
    }
}

const COLUMN: &str = "A1: 1 | A2: 2 | A3: 3 | A4: 4 | A5: 5 | A6: 6";

#[test]
fn clear_skips_hidden_rows() {
    let clear = r#"{"type":"clear","range":"A1:A6","what":"contents"}"#;
    check(COLUMN, &[2, 3, 5], None, clear, expect!["A2: 2 | A3: 3 | A5: 5"]);
    let clear = r#"{"type":"clear","range":"A:A","what":"all"}"#;
    check(COLUMN, &[2], None, clear, expect!["A2: 2"]);
    // On another sheet nothing is hidden.
    let mut workbook = read_cells("A1: 1");
    run(&mut workbook, &[], None, r#"{"type":"addSheet"}"#).expect("a sheet");
    run(&mut workbook, &[], None, r#"{"type":"typeText","sheet":100,"cell":"A1","text":"x"}"#)
        .expect("a text");
    let clear = r#"{"type":"clear","sheet":100,"range":"A1:A9","what":"contents"}"#;
    run(&mut workbook, &[1], None, clear).expect("cleared");
    let delete = r#"{"type":"deleteRows","sheet":100,"at":0,"count":1}"#;
    run(&mut workbook, &[1], None, delete).expect("deleted");
    assert_eq!(write_cells(&workbook), "A1: 1");
    assert_eq!(workbook.sheets()[1].used_range(), None);
}

#[test]
fn delete_skips_hidden_rows() {
    let delete = r#"{"type":"deleteRows","at":0,"count":5}"#;
    check(COLUMN, &[2, 4], None, delete, expect!["A1: 2 | A2: 4 | A3: 6"]);
    check(
        &format!("{COLUMN} | B6: =SUM(A1:A6)"),
        &[2],
        None,
        delete,
        expect!["A1: 2 | A2: 6 | B2: =SUM(A1:A2)"],
    );
    let outside = r#"{"type":"deleteRows","at":1048570,"count":4294967295}"#;
    check(
        COLUMN,
        &[2],
        None,
        outside,
        expect!["rows or columns outside the sheet: 4294967295 from index 1048570"],
    );
    let outside = r#"{"type":"setHidden","dimension":"rows","first":7,"count":4294967295,"hidden":true}"#;
    check(COLUMN, &[2], None, outside, expect!["rows or columns outside the sheet: 4294967295 from index 7"]);
    let mut workbook = read_cells(COLUMN);
    let every_other: Vec<u32> = (1..5_000).step_by(2).collect();
    let message = run(&mut workbook, &every_other, None, r#"{"type":"deleteRows","at":0,"count":5000}"#);
    let expected = "hidden rows split these cells into 2500 ranges, too many for one change; sort first";
    assert_eq!(message, Err(expected.to_owned()));
}

/// Each range is one operation, but its inverse has several.
#[test]
fn a_change_that_cannot_be_undone_is_refused() {
    let mut workbook = read_cells("");
    let row = r#"["1","x","0","TRUE","2","y","3","4","5","6","7","8"]"#;
    let texts = vec![row; 9_000].join(",");
    let type_texts = format!(r#"{{"type":"typeTexts","at":"A1","texts":[{texts}]}}"#);
    run(&mut workbook, &[], None, &type_texts).expect("typed");
    // Nine of ten rows are visible.
    let hidden: Vec<u32> = (1..=900).map(|tenth| tenth * 10).collect();
    let bold = r#"{"type":"toggle","range":"A1:L9000","attribute":"bold"}"#;
    assert_eq!(run(&mut workbook, &hidden, None, bold), Ok(()));
    let clear = r#"{"type":"clear","range":"A1:L9000","what":"all"}"#;
    let message = run(&mut workbook, &hidden, None, clear);
    let expected = "hidden rows split these cells into 1800 ranges, too many for one change; sort first";
    assert_eq!(message, Err(expected.to_owned()));
}

#[test]
fn fill_skips_hidden_rows() {
    let everywhere = r#"{"type":"typeEverywhere","range":"B1:B4","text":"=A1"}"#;
    check("", &[2, 3], None, everywhere, expect!["B1: =A1 | B4: =A4"]);
    let down = r#"{"type":"fillDown","range":"B1:B5"}"#;
    check("B1: =A1*2 | B3: old", &[2, 3], None, down, expect!["B1: =A1*2 | B3: old | B4: =A4*2 | B5: =A5*2"]);
    // The copied row is visible too: the row above a single one, and the first of several.
    let single = r#"{"type":"fillDown","range":"B4"}"#;
    check("B1: =A1 | B3: old", &[2, 3], None, single, expect!["B1: =A1 | B3: old | B4: =A4"]);
    let several = r#"{"type":"fillDown","range":"B1:B4"}"#;
    check("B1: old | B2: =A2", &[1, 3], None, several, expect!["B1: old | B2: =A2 | B4: =A4"]);
    check(
        "",
        &[1],
        None,
        r#"{"type":"fillDown","range":"B2"}"#,
        expect!["the cells to fill must extend the source in one direction"],
    );
    let right = r#"{"type":"fillRight","range":"A1:B3"}"#;
    check("A1: 1 | A2: 2 | A3: 3", &[2], None, right, expect!["A1: 1 | B1: 1 | A2: 2 | A3: 3 | B3: 3"]);
}

#[test]
fn fill_series_continues_in_visible_rows() {
    let fill = r#"{"type":"fill","source":"A1:A2","target":"A1:A7","mode":"series"}"#;
    check(
        "A1: 1 | A2: 2 | A4: old",
        &[3, 4, 6],
        None,
        fill,
        expect!["A1: 1 | A2: 2 | A4: old | A5: 3 | A7: 4"],
    );
    let up = r#"{"type":"fill","source":"A6:A7","target":"A1:A7","mode":"series"}"#;
    check("A6: 10 | A7: 11", &[2, 4], None, up, expect!["A1: 7 | A3: 8 | A5: 9 | A6: 10 | A7: 11"]);
    let round = r#"{"type":"fill","source":"A1:A3","target":"A1:A6","mode":"series"}"#;
    check("A1: 1 | A2: x | A3: 2", &[2, 5], None, round, expect!["A1: 1 | A2: x | A3: 2 | A4: 3 | A6: 4"]);
    let formula = r#"{"type":"fill","source":"B1","target":"B1:B4","mode":"copy"}"#;
    check("B1: =A1", &[2], None, formula, expect!["B1: =A1 | B3: =A3 | B4: =A4"]);
    let right = r#"{"type":"fill","source":"A1:A3","target":"A1:B3","mode":"copy"}"#;
    check("A1: 1 | A2: 2 | A3: 3", &[2], None, right, expect!["A1: 1 | B1: 1 | A2: 2 | A3: 3 | B3: 3"]);
    // If all rows except the source are hidden, there is nothing to fill.
    check(
        "A1: 1 | A2: x",
        &[2, 3],
        None,
        r#"{"type":"fill","source":"A1","target":"A1:A3","mode":"copy"}"#,
        expect!["A1: 1 | A2: x"],
    );
}

#[test]
fn paste_writes_into_visible_rows() {
    let text = r#"{"type":"pasteText","target":"A2","text":"x\t=A2\ny\t=A5"}"#;
    check(
        "A3: old | A4: old",
        &[3, 4],
        Some(2),
        text,
        expect!["A2: x | B2: =A2 | A3: old | A4: old | A5: y | B5: =A5"],
    );
    let one = r#"{"type":"pasteText","target":"A2:A5","text":"x"}"#;
    check("A3: old", &[3, 4], Some(2), one, expect!["A2: x | A3: old | A5: x"]);
    let copy = r#"{"type":"copyPaste","fromSheet":1,"source":"C1:C2","target":"A2:A6","what":"all"}"#;
    // Four rows of the target are visible: two copies.
    check(
        "C1: 1 | C2: =C1",
        &[3],
        Some(2),
        copy,
        expect!["C1: 1 | A2: 1 | C2: =C1 | A4: =A3 | A5: 1 | A6: =A5"],
    );
    let copy = r#"{"type":"copyPaste","fromSheet":1,"source":"C1:C3","target":"A2","what":"values"}"#;
    check(
        "C1: 1 | C2: 2 | C3: 3",
        &[3],
        Some(2),
        copy,
        expect!["C1: 1 | A2: 1 | C2: 2 | C3: 3 | A4: 2 | A5: 3"],
    );
    let many = r#"{"type":"many","commands":[
        {"type":"typeTexts","sheet":1,"at":"A1","texts":[["1"],["2"]]},
        {"type":"merge","sheet":1,"range":"A1:B2","how":"all"}]}"#;
    let mut workbook = read_cells("");
    run(&mut workbook, &[2, 3], Some(1), many).expect("there is room");
    let merged: Vec<Range> =
        workbook.sheets()[0].items().iter().flat_map(|(_, item)| item.anchors.clone()).collect();
    assert_eq!(merged, [Range::parse_a1("A1:B4").expect("a range")]);
    let beyond = r#"{"type":"pasteText","target":"A1048574","text":"1\n2\n3"}"#;
    check("", &[1_048_575], Some(1_048_574), beyond, expect!["the cells do not fit on the sheet"]);
}

#[test]
fn excluded_rows_are_not_copied() {
    let copy = |what: &str, target: &str| {
        format!(
            r#"{{"type":"copyPaste","fromSheet":1,"source":"A1:B4","target":"{target}","what":"{what}","leavingOut":[[1,2]]}}"#
        )
    };
    let given = "A1: 1 | B1: =A1 | A2: 2 | A3: 3 | A4: 4 | B4: =A4";
    let after = |json: &str, expected: Expect| {
        let mut workbook = read_cells(given);
        run(&mut workbook, &[], None, json).expect("a copy");
        run(&mut workbook, &[], None, r#"{"type":"clear","range":"A1:B9","what":"contents"}"#)
            .expect("cleared");
        expected.assert_eq(&write_cells(&workbook));
    };
    after(&copy("all", "D1"), expect!["D1: 1 | E1: =D1 | D2: 4 | E2: =D2"]);
    after(
        &copy("contents", "D1:E4"),
        expect!["D1: 1 | E1: =D1 | D2: 4 | E2: =D2 | D3: 1 | E3: =D3 | D4: 4 | E4: =D4"],
    );
    after(&copy("transposed", "D1"), expect!["D1: 1 | E1: 4 | D2: =C2 | E2: =D2"]);
    let whole = r#"{"type":"copyPaste","fromSheet":1,"source":"A:A","target":"D:D","what":"all","leavingOut":[[1,2]]}"#;
    after(whole, expect!["D1: 1 | D2: 4"]);
    let nothing = r#"{"type":"copyPaste","fromSheet":1,"source":"A2:A3","target":"D1","what":"all","leavingOut":[[1,2]]}"#;
    after(nothing, expect![""]);
}

#[test]
fn formats_are_copied_with_included_rows() {
    let mut workbook = read_cells("A1: 1 | A2: 2 | A3: 3 | A4: 4");
    run(&mut workbook, &[2], None, r#"{"type":"toggle","range":"A1:A3","attribute":"bold"}"#)
        .expect("a look");
    let bold = |workbook: &Workbook, cells: &[&str]| -> Vec<bool> {
        let format =
            |cell: &&str| workbook.sheets()[0].format(CellAddress::parse_a1(cell).expect("a cell")).bold;
        cells.iter().map(format).collect()
    };
    assert_eq!(bold(&workbook, &["A1", "A2", "A3", "A4"]), [true, false, true, false]);
    let copy = r#"{"type":"copyPaste","fromSheet":1,"source":"A1:A4","target":"C1","what":"all","leavingOut":[[1,1]]}"#;
    run(&mut workbook, &[], None, copy).expect("a copy");
    assert_eq!(bold(&workbook, &["C1", "C2", "C3"]), [true, true, false]);
    let turned = r#"{"type":"copyPaste","fromSheet":1,"source":"A1:A4","target":"E1","what":"transposed","leavingOut":[[1,1]]}"#;
    run(&mut workbook, &[], None, turned).expect("a copy");
    assert_eq!(bold(&workbook, &["E1", "F1", "G1"]), [true, true, false]);
    let hide = r#"{"type":"setHidden","dimension":"rows","first":0,"count":4,"hidden":true}"#;
    run(&mut workbook, &[2], None, hide).expect("hidden");
    let shown: Vec<bool> = (0..4).map(|row| workbook.sheets()[0].is_hidden(Dimension::Rows, row)).collect();
    assert_eq!(shown, [true, false, true, true]);
}

proptest! {
    /// Excluding rows equals deleting them first, and writing around hidden rows equals writing
    /// before the hidden rows were inserted.
    #[test]
    fn commands_on_visible_rows_equal_commands_without_hidden_rows(
        hidden in proptest::collection::btree_set(0_u32..12, 0..8),
        first in 0_u32..6,
        height in 1_u32..4,
        at in 0_u32..10,
        mode in prop_oneof![Just(FillMode::Copy), Just(FillMode::Series)],
        what in prop_oneof![Just(PasteScope::All), Just(PasteScope::Values), Just(PasteScope::Contents)],
    ) {
        // Numbers in column A; the contents to paste on another sheet.
        let cells: Vec<String> = (1..=12).map(|row| format!("A{row}: {}", row * row)).collect();
        let mut given = read_cells(&cells.join(" | "));
        let carry_out = |workbook: &mut Workbook, command: &Command| {
            let transaction = plan(command, workbook, &mut || SheetId(100)).expect("it fits");
            apply(workbook, &transaction);
        };
        carry_out(&mut given, &Command::AddSheet { name: None, position: None });
        let texts = (1..=height).map(|row| vec![format!("s{row}")]).collect();
        carry_out(&mut given, &Command::TypeTexts { sheet: 100, at: "A1".to_owned(), texts });
        let row_after = |row: u32| row - hidden.iter().filter(|hidden| **hidden < row).count() as u32;
        let deleted = |workbook: &Workbook| {
            let mut workbook = workbook.clone();
            for row in hidden.iter().rev() {
                carry_out(&mut workbook, &Command::DeleteRows { sheet: 1, at: *row, count: 1 });
            }
            workbook
        };
        let runs: Vec<(u32, u32)> = hidden.iter().map(|row| (*row, 1)).collect();
        prop_assume!(!hidden.contains(&at) && !hidden.contains(&first));

        let paste = |at: u32| Command::CopyPaste {
            from_sheet: 100, source: format!("A1:A{height}"), sheet: 1, target: format!("A{}", at + 1), what,
            excluded_rows: vec![],
        };
        let fill = |first: u32, last: u32| Command::Fill {
            sheet: 1, source: format!("A{}", first + 1), target: format!("A{}:A{}", first + 1, last + 1), mode,
        };
        let last = first + height;
        let last_after = row_after(last + 1) - 1;
        for (from, command, as_if) in [
            (Some(at), paste(at), paste(row_after(at))),
            (None, fill(first, last), fill(row_after(first), last_after)),
        ] {
            let mut around = given.clone();
            let before: Vec<_> = hidden.iter().map(|row| around.sheets()[0].input(CellAddress::clamped(*row, 0))).collect();
            let command = Command::VisibleRows {
                sheet: 1, from, hidden: runs.clone(), rows: vec![], command: Box::new(command),
            };
            carry_out(&mut around, &command);
            let after: Vec<_> = hidden.iter().map(|row| around.sheets()[0].input(CellAddress::clamped(*row, 0))).collect();
            prop_assert_eq!(before, after, "hidden rows do not change");
            let mut without = deleted(&given);
            carry_out(&mut without, &as_if);
            prop_assert_eq!(write_cells(&deleted(&around)), write_cells(&without));
        }
    }
}

/// Runs a command with listed rows in place of those from `from` on; all numbered from 1, as displayed.
fn check_listed(given: &str, from: u32, rows: &[u32], json: &str, expected: Expect) {
    let mut workbook = read_cells(given);
    let rows = rows.iter().map(|row| row - 1).collect();
    let command = Box::new(serde_json::from_str(json).expect("a command"));
    let command = Command::VisibleRows { sheet: 1, from: Some(from - 1), hidden: vec![], rows, command };
    match plan(&command, &workbook, &mut || SheetId(100)) {
        Ok(transaction) => {
            apply(&mut workbook, &transaction);
            expected.assert_eq(&write_cells(&workbook));
        }
        Err(error) => expected.assert_eq(&error.to_string()),
    }
}

#[test]
fn pasted_rows_go_to_the_rows_of_a_sorted_view() {
    let paste = r#"{"type":"pasteText","sheet":1,"target":"B3","text":"a\nb\nc\nd"}"#;
    // The third row on the screen is row 5, then 2, and 7 is the first one below the sorted rows.
    check_listed(
        COLUMN,
        3,
        &[5, 2, 7],
        paste,
        expect!["A1: 1 | A2: 2 | B2: b | A3: 3 | A4: 4 | A5: 5 | B5: a | A6: 6 | B7: c | B8: d"],
    );
    let paste = r#"{"type":"many","commands":[
        {"type":"setItem","sheet":1,"kind":"note","anchors":["A1"],"fields":{"text":"x"}},
        {"type":"copyPaste","fromSheet":1,"source":"B1:B2","sheet":1,"target":"C3","what":"all"}]}"#;
    // Formulas relate to the row into which they are pasted.
    check_listed("B1: =A1 | B2: =A2", 3, &[5, 4, 9], paste, expect!["B1: =A1 | B2: =A2 | C4: =B4 | C5: =B5"]);
    // Commands on other sheets are carried out unchanged.
    check_listed(
        COLUMN,
        1,
        &[3, 9],
        r#"{"type":"addSheet","name":"New"}"#,
        expect![[r#"A1: 1 | A2: 2 | A3: 3 | A4: 4 | A5: 5 | A6: 6"#]],
    );
}

#[test]
fn filled_rows_are_those_of_a_sorted_view() {
    let fill = r#"{"type":"fill","sheet":1,"source":"A3","target":"A3:A6","mode":"series"}"#;
    // Row 3 of the screen is row 3 of the sheet, and rows 1, 6 and 2 follow on the screen.
    check_listed(
        "A3: Item 7",
        4,
        &[1, 6, 2],
        fill,
        expect!["A1: Item 8 | A2: Item 10 | A3: Item 7 | A6: Item 9"],
    );
    let fill = r#"{"type":"fill","sheet":1,"source":"B3","target":"B3:B5","mode":"copy"}"#;
    check_listed("B3: =A3*2", 4, &[1, 6], fill, expect!["B1: =A1*2 | B3: =A3*2 | B6: =A6*2"]);
    let fill = r#"{"type":"fill","sheet":1,"source":"B3","target":"B3:B300000","mode":"copy"}"#;
    check_listed(
        "B3: 1",
        4,
        &[1, 6],
        fill,
        expect!["hidden rows split these cells into 299997 ranges, too many for one change; sort first"],
    );
}

proptest! {
    /// Each pasted row lands in the listed row at its place, or below the last one.
    #[test]
    fn listed_rows_receive_pasted_rows_in_their_order(
        rows in Just((2..12u32).collect::<Vec<_>>()).prop_shuffle(), count in 1..10usize, height in 1..14u32, from in 0..20u32,
    ) {
        let rows = &rows[..count];
        let mut workbook = read_cells("A1: 1");
        let lines: Vec<String> = (1..=height).map(|line| format!("s{line}")).collect();
        let paste = Command::PasteText { sheet: 1, target: format!("B{}", from + 1), text: lines.join("\n") };
        let command = Command::VisibleRows {
            sheet: 1, from: Some(from), hidden: vec![], rows: rows.to_vec(), command: Box::new(paste),
        };
        let transaction = plan(&command, &workbook, &mut || SheetId(100)).expect("it fits");
        apply(&mut workbook, &transaction);
        let mut last = None;
        let mut targets = rows.iter().copied();
        let expected: std::collections::BTreeMap<u32, &String> = lines.iter().map(|line| {
            let row = targets.next().or(last.map(|row: u32| row + 1)).expect("a row is listed");
            last = Some(row);
            (row, line)
        }).collect();
        for (row, line) in expected {
            // A row below the last listed one may be listed itself: the later line replaces the earlier one.
            let value = workbook.sheets()[0].value(CellAddress::clamped(row, 1));
            prop_assert_eq!(value, quadrille_cell::Value::Text(line.as_str().into()));
        }
    }
}
