//! Commands of suggestions: proposed contents, acceptance after cells have moved, and errors.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::cells::{read_cells, write_cells};
use quadrille_cell::SheetId;
use quadrille_operation::{
    Applied, Command, CommandError, ItemDetails, ItemValue, Operation, Transaction, apply,
    changes_comments_only, plan, rebase,
};
use quadrille_workbook::{ItemId, ItemKind, Items, Workbook};
use serde_json::{Value, json};

const SHEET: SheetId = SheetId(1);

fn planned(workbook: &Workbook, command: Value) -> Result<Transaction, CommandError> {
    let command: Command = serde_json::from_value(command).expect("a command");
    static NEXT: AtomicU32 = AtomicU32::new(100); // every item has an identity of its own
    let mut new_sheet = || SheetId(NEXT.fetch_add(1, Ordering::Relaxed));
    plan(&command, workbook, &mut new_sheet)
}

fn run(workbook: &mut Workbook, command: Value) -> Applied {
    let transaction = planned(workbook, command).expect("planned");
    apply(workbook, &transaction)
}

fn typed(cell: &str, text: &str) -> Value {
    json!({"type": "typeText", "sheet": 1, "cell": cell, "text": text})
}

fn suggested(command: Value) -> Value {
    json!({"type": "suggest", "command": command, "fields": {"author": "Ada", "time": 1000}})
}

fn ids(workbook: &Workbook) -> Vec<u64> {
    let sheet = workbook.sheet(SHEET).expect("the sheet");
    sheet.items().of_kind(ItemKind::Suggestion).map(|(id, _)| id.0).collect()
}

/// Each suggestion as its cell and what it proposes.
fn proposals(workbook: &Workbook) -> Vec<String> {
    let sheet = workbook.sheet(SHEET).expect("the sheet");
    let mut lines: Vec<String> = sheet
        .items()
        .of_kind(ItemKind::Suggestion)
        .map(|(id, item)| {
            let details = ItemDetails::new(Some(SHEET), id, item, workbook);
            let content = details.fields.get("formula").or(details.fields.get("value"));
            let text = match content {
                Some(ItemValue::Text(text)) => text.clone(),
                _ => "(empty)".to_owned(),
            };
            format!("{} {text}", details.anchors.join(","))
        })
        .collect();
    lines.sort();
    lines
}

fn accept_all(workbook: &mut Workbook) -> Applied {
    let items = ids(workbook);
    run(workbook, json!({"type": "acceptSuggestions", "sheet": 1, "items": items}))
}

#[test]
fn a_suggestion_changes_no_cell_until_it_is_accepted() {
    let mut workbook = read_cells("A1: 1");
    run(&mut workbook, suggested(typed("A1", "2")));
    assert_eq!(write_cells(&workbook), "A1: 1");
    assert_eq!(proposals(&workbook), ["A1 2"]);
    let accepted = accept_all(&mut workbook);
    assert_eq!(write_cells(&workbook), "A1: 2");
    assert_eq!(proposals(&workbook), [""; 0]);
    apply(&mut workbook, &accepted.inverse);
    assert_eq!(write_cells(&workbook), "A1: 1");
    assert_eq!(proposals(&workbook), ["A1 2"]);
}

#[test]
fn a_rejected_suggestion_is_gone_and_comes_back_when_that_is_undone() {
    let mut workbook = read_cells("A1: 1");
    run(&mut workbook, suggested(typed("A1", "2")));
    let items = ids(&workbook);
    let rejected = run(&mut workbook, json!({"type": "rejectSuggestions", "sheet": 1, "items": items}));
    assert_eq!((write_cells(&workbook), proposals(&workbook)), ("A1: 1".to_owned(), vec![]));
    apply(&mut workbook, &rejected.inverse);
    assert_eq!(proposals(&workbook), ["A1 2"]);
}

#[test]
fn contents_of_every_type_are_accepted_as_they_were_proposed() {
    for (text, cells) in [
        ("2.5", "A1: 2.5"),
        ("1e300", "A1: 1e300"),
        ("TRUE", "A1: TRUE"),
        ("#N/A", "A1: #N/A"),
        ("'12", "A1: '12"),
        ("some text", "A1: some text"),
        ("=B1*2", "A1: =B1*2"),
    ] {
        let mut direct = read_cells("B1: 3");
        run(&mut direct, typed("A1", text));
        let mut workbook = read_cells("B1: 3");
        run(&mut workbook, suggested(typed("A1", text)));
        accept_all(&mut workbook);
        assert_eq!(write_cells(&workbook), write_cells(&direct), "{text}, expected {cells}");
    }
    // 1.5 in a cell with a percent format is 150 %, and stays that.
    let mut workbook = read_cells("A1: 1");
    run(
        &mut workbook,
        json!({"type": "format", "sheet": 1, "range": "A1", "format": {"numberFormat": "0%"}}),
    );
    run(&mut workbook, suggested(typed("A1", "150")));
    accept_all(&mut workbook);
    assert_eq!(write_cells(&workbook), "A1: 1.5");
}

#[test]
fn a_date_keeps_the_number_format_that_it_was_typed_with() {
    let mut workbook = read_cells("");
    run(&mut workbook, suggested(typed("A1", "2024-12-31")));
    accept_all(&mut workbook);
    let mut direct = read_cells("");
    run(&mut direct, typed("A1", "2024-12-31"));
    let format = |workbook: &Workbook| {
        let cell = quadrille_cell::CellAddress::parse_a1("A1").expect("valid");
        workbook.sheet(SHEET).expect("the sheet").format(cell).number_format.clone()
    };
    assert!(format(&direct).is_some());
    assert_eq!(format(&workbook), format(&direct));
}

#[test]
fn everything_that_writes_contents_can_be_suggested() {
    for (given, command, expected) in [
        (
            "A1: 1 | A2: x",
            json!({"type": "clear", "sheet": 1, "range": "A:A", "what": "contents"}),
            vec!["A1 (empty)", "A2 (empty)"],
        ),
        (
            "",
            json!({"type": "pasteText", "sheet": 1, "target": "B2", "text": "1\t2\n3\t4"}),
            vec!["B2 1", "B3 3", "C2 2", "C3 4"],
        ),
        (
            "A1: 1 | A2: 2",
            json!({"type": "fill", "sheet": 1, "source": "A1:A2", "target": "A1:A4", "mode": "series"}),
            vec!["A3 3", "A4 4"],
        ),
        (
            "A1: =B1",
            json!({"type": "copyPaste", "fromSheet": 1, "source": "A1", "sheet": 1, "target": "A2", "what": "contents"}),
            vec!["A2 =B2"],
        ),
        (
            "A1: 1 | A2: 2",
            json!({"type": "many", "commands": [typed("A1", "1"), typed("A2", "5")]}),
            vec!["A2 5"],
        ),
    ] {
        let mut workbook = read_cells(given);
        run(&mut workbook, suggested(command));
        assert_eq!(proposals(&workbook), expected);
        assert_eq!(write_cells(&workbook), given);
    }
}

#[test]
fn what_changes_more_than_contents_cannot_be_suggested() {
    let workbook = read_cells("A1: 1");
    for command in [
        json!({"type": "insertRows", "sheet": 1, "at": 0, "count": 1}),
        json!({"type": "format", "sheet": 1, "range": "A1", "format": {"bold": true}}),
        json!({"type": "addSheet"}),
        json!({"type": "setItem", "sheet": 1, "kind": "note", "anchors": ["A1"], "fields": {"text": "x"}}),
        suggested(typed("A1", "2")),
        json!({"type": "many", "commands": [typed("A1", "2"), {"type": "removeSheet", "sheet": 1}, {"type": "addSheet"}]}),
    ] {
        assert!(planned(&workbook, suggested(command.clone())).is_err(), "{command}");
    }
    assert_eq!(
        planned(&workbook, suggested(json!({"type": "deleteRows", "sheet": 1, "at": 0, "count": 1}))),
        Err(CommandError::NotSuggestable)
    );
}

#[test]
fn a_later_suggestion_of_the_same_author_replaces_the_earlier_one() {
    let mut workbook = read_cells("A1: 1");
    run(&mut workbook, suggested(typed("A1", "2")));
    run(&mut workbook, suggested(typed("A1", "3")));
    assert_eq!(proposals(&workbook), ["A1 3"]);
    let other = json!({"type": "suggest", "command": typed("A1", "4"), "fields": {"author": "Grace"}});
    run(&mut workbook, other);
    assert_eq!(proposals(&workbook), ["A1 3", "A1 4"]);
    // The present contents are no suggestion.
    run(&mut workbook, suggested(typed("A1", "1")));
    assert_eq!(proposals(&workbook), ["A1 4"]);
}

#[test]
fn suggestions_follow_their_cells_and_their_references() {
    for (change, expected, cells) in [
        (
            json!({"type": "insertRows", "sheet": 1, "at": 0, "count": 2}),
            vec!["A4 =B4+1"],
            "B4: 7 | A4: =B4+1",
        ),
        (
            json!({"type": "insertColumns", "sheet": 1, "at": 1, "count": 1}),
            vec!["A2 =C2+1"],
            "A2: =C2+1 | C2: 7",
        ),
        (json!({"type": "deleteRows", "sheet": 1, "at": 1, "count": 1}), vec![], ""),
        (
            json!({"type": "moveLines", "sheet": 1, "dimension": "rows", "first": 1, "count": 1, "to": 5}),
            vec!["A5 =B5+1"],
            "A5: =B5+1 | B5: 7",
        ),
        (
            json!({"type": "cutPaste", "fromSheet": 1, "source": "A2:B2", "sheet": 1, "target": "D9"}),
            vec!["D9 =E9+1"],
            "D9: =E9+1 | E9: 7",
        ),
        (
            json!({"type": "sort", "sheet": 1, "range": "A1:B2", "keys": [{"column": 1, "descending": true}], "hasHeader": false}),
            vec!["A1 =B1+1"],
            "A1: =B1+1 | B1: 7",
        ),
    ] {
        let mut workbook = read_cells("B2: 7");
        run(&mut workbook, suggested(typed("A2", "=B2+1")));
        run(&mut workbook, change);
        assert_eq!(proposals(&workbook), expected);
        accept_all(&mut workbook);
        assert_eq!(write_cells(&workbook), write_cells(&read_cells(cells)));
    }
}

#[test]
fn an_acceptance_lands_on_the_cell_that_a_concurrent_insertion_has_moved() {
    let mut workbook = read_cells("A2: old");
    run(&mut workbook, suggested(typed("A2", "new")));
    let accept =
        planned(&workbook, json!({"type": "acceptSuggestions", "sheet": 1, "items": ids(&workbook)}))
            .expect("planned");
    let insert =
        planned(&workbook, json!({"type": "insertRows", "sheet": 1, "at": 0, "count": 3})).expect("planned");
    let moved = rebase(&accept, &insert);
    apply(&mut workbook, &insert);
    apply(&mut workbook, &moved);
    assert_eq!(write_cells(&workbook), "A5: new");
    assert_eq!(proposals(&workbook), [""; 0]);
}

#[test]
fn too_many_suggestions_are_refused() {
    let workbook = read_cells("");
    let fill =
        |range: &str| suggested(json!({"type": "typeEverywhere", "sheet": 1, "range": range, "text": "x"}));
    assert!(planned(&workbook, fill("A1:A1000")).is_ok());
    assert_eq!(
        planned(&workbook, fill("A1:A1001")),
        Err(CommandError::TooManyCells { count: 1001, max: 1000 })
    );
    // A sheet holds as many suggestions as other items.
    let mut workbook = read_cells("");
    for start in (1..=20_000).step_by(1_000) {
        run(&mut workbook, fill(&format!("A{start}:A{}", start + 999)));
    }
    assert_eq!(ids(&workbook).len(), Items::COUNT_MAX);
    let error = CommandError::TooManyItems { max: Items::COUNT_MAX };
    assert_eq!(planned(&workbook, fill("F1")), Err(error));
}

#[test]
fn commenters_change_their_own_suggestions_only() {
    let mut workbook = read_cells("A1: 1");
    for account in ["account:1", "account:2", ""] {
        let fields = json!({"author": account, "authorId": account});
        run(&mut workbook, json!({"type": "suggest", "command": typed("A1", "2"), "fields": fields}));
    }
    let sheet = workbook.sheet(SHEET).expect("the sheet");
    let of = |account: &str| {
        let mut items = sheet.items().of_kind(ItemKind::Suggestion);
        let author = |item: &quadrille_workbook::Item| {
            item.text(quadrille_workbook::Field::Author).is_some_and(|author| **author == *account)
        };
        items.find(|(_, item)| author(item)).map(|(id, item)| (id, item.clone())).expect("a suggestion")
    };
    let may = |operation: Operation| {
        changes_comments_only(Some("account:1"), &Transaction { operations: vec![operation] }, &workbook)
    };
    let remove = |account: &str| Operation::RemoveItem { sheet: Some(SHEET), item: of(account).0 };
    assert!(may(remove("account:1")));
    assert!(!may(remove("account:2")));
    assert!(may(remove("")));
    let put = |item: u64, account: &str| Operation::PutItem {
        sheet: Some(SHEET),
        item: ItemId(item),
        content: of(account).1,
    };
    assert!(may(put(9_000, "account:1")));
    assert!(!may(put(9_000, "account:2")), "in the name of another account");
    assert!(!may(put(of("account:2").0.0, "account:1")), "in place of another suggestion");
    let accept =
        planned(&workbook, json!({"type": "acceptSuggestions", "sheet": 1, "items": [of("account:1").0.0]}));
    assert!(!changes_comments_only(Some("account:1"), &accept.expect("planned"), &workbook));
}
