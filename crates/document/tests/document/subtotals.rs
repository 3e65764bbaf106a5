//! SUBTOTAL and AGGREGATE with filters and hidden rows.

use crate::support::Sheet;

/// Rows 2 to 7 hold amounts of ink, paper, ink, a pen, paper and ink.
const STOCK: &str = r#"[
  {"type":"typeTexts","sheet":1,"at":"A1","texts":[["Item","Amount"],["ink","1"],["paper","10"],["ink","100"],["pen","1000"],["paper","10000"],["ink","100000"]]},
  {"type":"setItem","sheet":1,"item":7,"kind":"autoFilter","anchors":["A1:B7"],"fields":{}}]"#;

fn ink_only(item: u64) -> String {
    format!(
        r#"{{"type":"setItem","sheet":1,"item":{item},"kind":"filterColumn","anchors":["A1:A7"],"fields":{{"parent":7,"rule":"values","shown":["ink"]}}}}"#
    )
}

const HIDE_ROW_4: &str =
    r#"{"type":"setHidden","sheet":1,"dimension":"rows","first":3,"count":1,"hidden":true}"#;

fn stock() -> Sheet {
    let mut sheet = Sheet::new(STOCK);
    for (cell, text) in [
        ("D1", "=SUBTOTAL(9,B2:B7)"),
        ("D2", "=SUBTOTAL(109,B2:B7)"),
        ("D3", "=AGGREGATE(9,4,B2:B7)"),
        ("D4", "=AGGREGATE(9,5,B2:B7)"),
        ("D5", "=SUM(B2:B7)"),
        ("D6", "=SUBTOTAL(103,B6)"),
    ] {
        sheet.set(cell, text);
    }
    sheet
}

#[test]
fn filtered_rows_are_excluded_from_subtotals() {
    let mut sheet = stock();
    assert_eq!(sheet.show("D1 D2 D3 D4 D5 D6"), "111111 111111 111111 111111 111111 1");
    sheet.run(&ink_only(8));
    assert_eq!(sheet.show("D1 D2 D3 D4 D5 D6"), "100101 100101 111111 100101 111111 0");
    sheet.undo();
    assert_eq!(sheet.show("D1 D2 D3 D4 D5 D6"), "111111 111111 111111 111111 111111 1");
}

#[test]
fn subtotals_below_100_include_manually_hidden_rows() {
    let mut sheet = stock();
    sheet.run(HIDE_ROW_4);
    assert_eq!(sheet.show("D1 D2 D3 D4"), "111111 111011 111111 111011");
    sheet.undo();
    assert_eq!(sheet.show("D1 D2 D3 D4"), "111111 111111 111111 111111");
}

/// The next evaluation evaluates every formula then, and does not know which cells were edited.
#[test]
fn edits_after_a_change_of_the_date_system_count_for_filters() {
    let mut sheet = stock();
    sheet.run(&ink_only(8));
    assert_eq!(sheet.show("D1"), "100101");
    for json in [
        r#"{"type":"setItem","sheet":null,"item":0,"fields":{"date1904":true}}"#,
        r#"{"type":"typeText","sheet":1,"cell":"A3","text":"ink"}"#,
        r#"{"type":"setItem","sheet":null,"item":0,"fields":{"date1904":null}}"#,
    ] {
        sheet.apply(&serde_json::from_str(json).expect("a command")).expect("it can be carried out");
    }
    sheet.evaluate();
    assert_eq!(sheet.show("D1"), "100111");
}

#[test]
fn editing_a_filtered_column_updates_the_subtotal() {
    let mut sheet = stock();
    sheet.run(&ink_only(8));
    sheet.set("A3", "ink");
    assert_eq!(sheet.show("D1"), "100111");
    sheet.set("A2", "=IF(B3>5,\"pen\",\"ink\")");
    assert_eq!(sheet.show("D1"), "100110");
    sheet.set("B3", "4");
    assert_eq!(sheet.show("D1"), "100105");
}

#[test]
fn subtotals_skip_other_subtotals() {
    let mut sheet = stock();
    sheet.set("B8", "=SUBTOTAL(9,B2:B7)");
    sheet.set("B9", "=AGGREGATE(4,0,B2:B7)+1");
    sheet.set("B10", "7");
    sheet.set("D1", "=SUBTOTAL(9,B2:B10)");
    sheet.set("D2", "=AGGREGATE(9,0,B2:B10)");
    sheet.set("D3", "=AGGREGATE(9,4,B2:B10)");
    assert_eq!(sheet.show("D1 D2 D3"), "111118 111118 322230");
    // B8 is not a subtotal any more.
    sheet.set("B8", "5");
    assert_eq!(sheet.show("D1 D2"), "111123 111123");
}

#[test]
fn a_subtotal_inside_the_filter_is_not_filtered() {
    let mut sheet = stock();
    sheet.run(r#"{"type":"setItem","sheet":1,"item":7,"kind":"autoFilter","anchors":["A1:B8"],"fields":{}}"#);
    sheet.set("B8", "=SUBTOTAL(9,B2:B7)");
    sheet.run(
        r#"{"type":"setItem","sheet":1,"item":8,"kind":"filterColumn","anchors":["B1"],"fields":{"parent":7,"rule":"condition","operator":"less","value1":"500"}}"#,
    );
    assert_eq!(sheet.show("B8"), "111");
    assert_eq!(sheet.hidden(), "5 6 7");
}

#[test]
fn ranking_conditions_consider_all_rows() {
    let mut sheet = stock();
    sheet.run(
        r#"{"type":"setItem","sheet":1,"item":8,"kind":"filterColumn","anchors":["B1"],"fields":{"parent":7,"rule":"top","rank":2}}"#,
    );
    sheet.set("D1", "=SUBTOTAL(9,B2:B4)");
    assert_eq!(sheet.show("D1"), "0");
    sheet.set("B7", "3");
    assert_eq!(sheet.show("D1"), "0");
    sheet.set("B6", "2");
    assert_eq!(sheet.show("D1"), "100");
}

#[test]
fn filters_move_with_inserted_and_deleted_rows_and_columns() {
    let mut sheet = stock();
    sheet.run(&ink_only(8));
    sheet.run(HIDE_ROW_4);
    for (command, expected) in [
        (r#"{"type":"insertRows","sheet":1,"at":2,"count":3}"#, "100101 100001"),
        (r#"{"type":"insertColumns","sheet":1,"at":0,"count":1}"#, "100101 100001"),
        (r#"{"type":"deleteColumns","sheet":1,"at":1,"count":1}"#, "111111 111011"),
    ] {
        sheet.run(command);
        let total = if command.contains("insertColumns") { "E1 E2" } else { "D1 D2" };
        assert_eq!(sheet.show(total), expected, "{command}");
    }
    sheet.undo();
    assert_eq!(sheet.show("E1 E2"), "100101 100001");
    sheet.run(r#"{"type":"deleteRows","sheet":1,"at":1,"count":1}"#);
    assert_eq!(sheet.formula("E1"), "=SUBTOTAL(9,C2:C9)");
    assert_eq!(sheet.show("E1"), "100100");
}

#[test]
fn sorting_includes_hidden_rows() {
    let mut sheet = stock();
    sheet.run(&ink_only(8));
    sheet.run(HIDE_ROW_4);
    sheet.run(
        r#"{"type":"sort","sheet":1,"range":"A1:B7","keys":[{"column":0,"descending":false}],"hasHeader":true}"#,
    );
    // ink 1, ink 100, ink 100000, paper 10, paper 10000, pen 1000; the fourth row stays hidden.
    assert_eq!(sheet.show("D1 D2"), "100101 101");
}

#[test]
fn filters_leave_unrelated_subtotals_clean() {
    let mut sheet = stock();
    sheet.set("D20", "=SUBTOTAL(9,F30:F40)+RAND()*0");
    let changed = sheet.changed_by(&ink_only(8));
    assert!(changed.contains(&"D1".to_owned()) && !changed.contains(&"D20".to_owned()), "{changed:?}");
    // A filter view does not affect formulas.
    let view = r#"{"type":"setItem","sheet":1,"item":9,"kind":"filterView","anchors":["A1:B7"],"fields":{"name":"mine"}}"#;
    sheet.run(view);
    sheet.run(
        r#"{"type":"setItem","sheet":1,"item":10,"kind":"filterColumn","anchors":["A1:A7"],"fields":{"parent":9,"rule":"values","shown":["pen"]}}"#,
    );
    assert_eq!(sheet.show("D1"), "100101");
}

#[test]
fn subtotals_follow_names_offsets_and_other_sheets() {
    let mut sheet = stock();
    sheet.run(r#"{"type":"addSheet","name":"Other"}"#);
    sheet.run(
        r#"{"type":"defineName","name":"total","definition":"=SUBTOTAL(9,Sheet1!$B$2:$B$7)","sheet":1}"#,
    );
    sheet.set("D7", "=total*2");
    sheet.set("D8", "=SUBTOTAL(9,OFFSET(B1,1,0,6))");
    sheet.set_in(101, "A1", "=SUBTOTAL(9,Sheet1!B:B)");
    sheet.set("D9", "=SUBTOTAL(9,Sheet1:Other!B2:B7)");
    sheet.run(&ink_only(8));
    assert_eq!(sheet.show("D7 D8 D9"), "200202 100101 #VALUE!");
    assert_eq!(sheet.show_in(101, "A1"), "100101");
    sheet.run(HIDE_ROW_4);
    sheet.set("D8", "=SUBTOTAL(109,OFFSET(B1,1,0,6))");
    assert_eq!(sheet.show("D8"), "100001");
    sheet.run(r#"{"type":"setHidden","sheet":1,"dimension":"rows","first":3,"count":1,"hidden":false}"#);
    assert_eq!(sheet.show("D8"), "100101");
}

#[test]
fn number_formats_affect_filters_by_value() {
    let mut sheet = stock();
    sheet.run(
        r#"{"type":"setItem","sheet":1,"item":8,"kind":"filterColumn","anchors":["B1"],"fields":{"parent":7,"rule":"values","shown":["1.00","10"]}}"#,
    );
    assert_eq!(sheet.show("D1"), "10");
    sheet.run(r#"{"type":"format","sheet":1,"range":"B2:B3","format":{"numberFormat":"0.00"}}"#);
    assert_eq!(sheet.show("D1"), "1");
}

#[test]
fn subtotals_do_not_depend_on_the_locale() {
    let mut sheet = stock();
    sheet.set("B2", "1.5");
    sheet.run(
        r#"{"type":"setItem","sheet":1,"item":8,"kind":"filterColumn","anchors":["B1"],"fields":{"parent":7,"rule":"values","shown":["1.5"]}}"#,
    );
    sheet.document.set_locale(quadrille_number_format::Locale::from_tag("de"));
    assert_eq!(sheet.show("D1"), "1,5");
    assert_eq!(sheet.hidden(), "3 4 5 6 7");
}

mod random {
    use super::Sheet;
    use proptest::prelude::*;
    use quadrille_operation::Command;

    const ROWS: u32 = 10;
    const COLUMNS: u32 = 5;

    fn cell() -> impl Strategy<Value = String> {
        (1..=ROWS, 0..COLUMNS).prop_map(|(row, column)| format!("{}{row}", char::from(b'A' + column as u8)))
    }

    fn area() -> impl Strategy<Value = String> {
        (cell(), cell()).prop_map(|(a, b)| format!("{a}:{b}"))
    }

    fn formula() -> impl Strategy<Value = String> {
        let number = prop_oneof![1u32..=11, 101u32..=111];
        prop_oneof![
            4 => (number, area()).prop_map(|(number, area)| format!("=SUBTOTAL({number},{area})")),
            2 => (1u32..=13, 0u32..=7, area()).prop_map(|(number, options, area)| {
                format!("=AGGREGATE({number},{options},{area})")
            }),
            1 => (0u32..=7, area()).prop_map(|(options, area)| format!("=AGGREGATE(14,{options},{area},1)")),
            1 => (cell(), -2i32..3).prop_map(|(cell, rows)| format!("=SUBTOTAL(103,OFFSET({cell},{rows},0,3))")),
            1 => area().prop_map(|area| format!("=SUM({area})")),
            1 => cell().prop_map(|cell| format!("={cell}&\"\"")),
            1 => cell().prop_map(|cell| format!("={cell}*2+1")),
            1 => Just("=total+1".to_owned()),
            1 => Just("=SEQUENCE(3)".to_owned()),
            1 => area().prop_map(|area| format!("=SUBTOTAL(109,Other!{area})+COUNTA({area})")),
        ]
    }

    fn text() -> impl Strategy<Value = String> {
        prop_oneof![
            1 => Just(String::new()),
            3 => (0u32..6).prop_map(|number| number.to_string()),
            2 => proptest::sample::select(vec!["ink", "pen", "0.5", "=1/0"]).prop_map(String::from),
            4 => formula(),
        ]
    }

    fn condition() -> impl Strategy<Value = String> {
        proptest::sample::select(vec![
            r#""rule":"values","shown":["ink","1","3"]"#,
            r#""rule":"values","shown":["pen"],"showBlanks":true"#,
            r#""rule":"condition","operator":"greater","value1":"2""#,
            r#""rule":"condition","operator":"notEqual","value1":"ink""#,
            r#""rule":"top","rank":2"#,
            r#""rule":"belowAverage""#,
            r##""rule":"color","color":"#ff0000""##,
        ])
        .prop_map(String::from)
    }

    fn command() -> impl Strategy<Value = String> {
        let lines = prop_oneof![3 => Just("Rows"), 1 => Just("Columns")];
        let verb = proptest::sample::select(vec!["insert", "delete"]);
        prop_oneof![
            12 => (1u32..3, cell(), text()).prop_map(|(sheet, cell, text)| {
                let text = text.replace('"', "\\\"");
                format!(r#"{{"type":"typeText","sheet":{sheet},"cell":"{cell}","text":"{text}"}}"#)
            }),
            1 => (cell(), cell(), formula()).prop_map(|(a, b, text)| {
                let text = text.replace('"', "\\\"");
                format!(
                    r#"{{"type":"many","commands":[{{"type":"typeText","sheet":1,"cell":"{a}","text":"{text}"}},{{"type":"fill","sheet":1,"source":"{a}","target":"{a}:{b}","mode":"copy"}}]}}"#
                )
            }),
            3 => (1u32..3, 0..ROWS, 1u32..4, any::<bool>()).prop_map(|(sheet, first, count, hidden)| {
                format!(
                    r#"{{"type":"setHidden","sheet":{sheet},"dimension":"rows","first":{first},"count":{count},"hidden":{hidden}}}"#
                )
            }),
            2 => (1u32..3, 7u64..9, area()).prop_map(|(sheet, item, area)| {
                format!(r#"{{"type":"setItem","sheet":{sheet},"item":{item},"kind":"autoFilter","anchors":["{area}"],"fields":{{}}}}"#)
            }),
            5 => (1u32..3, 9u64..13, 7u64..9, cell(), condition()).prop_map(|(sheet, item, parent, cell, condition)| {
                format!(
                    r#"{{"type":"setItem","sheet":{sheet},"item":{item},"kind":"filterColumn","anchors":["{cell}"],"fields":{{"parent":{parent},{condition}}}}}"#
                )
            }),
            1 => (1u32..3, 7u64..13).prop_map(|(sheet, item)| format!(r#"{{"type":"removeItem","sheet":{sheet},"item":{item}}}"#)),
            3 => (1u32..3, verb, lines, 0u32..6, 1u32..3).prop_map(|(sheet, verb, lines, at, count)| {
                format!(r#"{{"type":"{verb}{lines}","sheet":{sheet},"at":{at},"count":{count}}}"#)
            }),
            1 => (1u32..3, 0u32..6, 1u32..3, 0u32..9).prop_map(|(sheet, first, count, to)| {
                format!(r#"{{"type":"moveLines","sheet":{sheet},"dimension":"rows","first":{first},"count":{count},"to":{to}}}"#)
            }),
            1 => area().prop_map(|area| {
                format!(r#"{{"type":"sort","sheet":1,"range":"{area}","keys":[{{"column":0,"descending":true}}],"hasHeader":false}}"#)
            }),
            1 => area().prop_map(|area| format!(r#"{{"type":"format","sheet":1,"range":"{area}","format":{{"numberFormat":"0.0"}}}}"#)),
            1 => (area(), 9u32..=9).prop_map(|(area, number)| {
                format!(r#"{{"type":"defineName","name":"total","definition":"=SUBTOTAL({number},Sheet1!{area})","sheet":1}}"#)
            }),
            1 => area().prop_map(|area| format!(r##"{{"type":"format","sheet":1,"range":"{area}","format":{{"fillColor":"#ff0000"}}}}"##)),
            2 => Just("undo".to_owned()),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            max_shrink_iters: 20_000, failure_persistence: None, ..ProptestConfig::default()
        })]

        #[test]
        fn incremental_evaluation_equals_evaluation_from_scratch(commands in prop::collection::vec(command(), 1..30)) {
            let mut sheet = Sheet::new(r#"[{"type":"addSheet","name":"Other"}]"#);
            for (number, text) in commands.iter().enumerate() {
                // The test assigns this id to the second sheet.
                let text = text.replace(r#""sheet":2"#, r#""sheet":101"#);
                if text == "undo" {
                    sheet.undo();
                } else {
                    let command: Command = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
                    // Commands that fail are ignored.
                    let _ = sheet.apply(&command);
                }
                if number % 3 != 1 || number + 1 == commands.len() {
                    sheet.evaluate();
                    sheet.assert_matches_scratch(&text);
                }
            }
        }
    }
}
