//! Undoing chosen transactions of a history, while later changes by others are kept.

use proptest::prelude::*;
use quadrille_operation::{SelectiveUndo, Transaction, apply};
use quadrille_workbook::Workbook;

use crate::cells::{read_cells, write_cells};
use crate::commands::run;
use crate::content::Content;
use crate::generate::{Kinds, transaction, workbook};

/// Replays a history and undoes its chosen transactions.
fn after_undo(workbook: &Workbook, history: &[(Transaction, bool)]) -> Workbook {
    let mut undo = SelectiveUndo::new(workbook.clone());
    let mut newest = workbook.clone();
    for (transaction, is_reverted) in history {
        apply(&mut newest, transaction);
        undo.add(transaction.clone(), *is_reverted);
    }
    assert_eq!(undo.reverted_count(), history.iter().filter(|(_, is_reverted)| *is_reverted).count());
    apply(&mut newest, &undo.transaction());
    newest
}

/// Carries out commands one after another, those of Bob marked by `bob:`, and undoes Bob's.
fn undo_of_bob(given: &str, commands: &[&str]) -> String {
    let mut workbook = read_cells(given);
    let start = workbook.clone();
    let mut history = Vec::new();
    for command in commands {
        let (is_bobs, json) = match command.strip_prefix("bob: ") {
            Some(json) => (true, json),
            None => (false, *command),
        };
        let (before, json) = (workbook.clone(), [json]);
        run(&mut workbook, &json).expect("a command");
        history.push((planned(&before, json[0]), is_bobs));
    }
    write_cells(&after_undo(&start, &history))
}

/// The transaction of a command.
fn planned(workbook: &Workbook, json: &str) -> Transaction {
    let mut value: serde_json::Value = serde_json::from_str(json).expect("JSON");
    value["sheet"] = 1.into();
    let command = serde_json::from_value(value).expect("a command");
    quadrille_operation::plan(&command, workbook, &mut || quadrille_cell::SheetId(100)).expect("a plan")
}

#[test]
fn later_changes_by_others_are_kept() {
    let text = |who: &str, cell: &str, text: &str| {
        format!(r#"{who}{{"type":"typeText","cell":"{cell}","text":"{text}"}}"#)
    };
    let commands = [
        text("bob: ", "A1", "wrong"),
        text("bob: ", "B1", "7"),
        text("", "B1", "9"),
        text("bob: ", "B1", "8"),
        text("bob: ", "A3", "junk"),
        r#"{"type":"insertRows","at":1,"count":2}"#.to_owned(),
    ];
    let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
    assert_eq!(undo_of_bob("A1: plan | A3: goal", &commands), "A1: plan | B1: 9 | A5: goal");
}

#[test]
fn deleted_rows_come_back_and_inserted_ones_go() {
    let commands = [
        r#"bob: {"type":"insertRows","at":0,"count":1}"#,
        r#"{"type":"typeText","cell":"A3","text":"total"}"#,
        r#"bob: {"type":"deleteRows","at":1,"count":1}"#,
    ];
    assert_eq!(undo_of_bob("A1: plan", &commands), "A1: plan | A2: total");
}

proptest! {
    #[test]
    fn undoing_everything_restores_the_workbook(
        workbook in workbook(Kinds::ALL),
        history in prop::collection::vec(transaction(Kinds::ALL), 1..5),
    ) {
        let history: Vec<_> = history.into_iter().map(|transaction| (transaction, true)).collect();
        prop_assert_eq!(Content::of(&after_undo(&workbook, &history)), Content::of(&workbook));
    }

    /// If transactions only write cells and formats, undoing some of them has the result of replaying
    /// the others.
    #[test]
    fn undoing_writes_equals_replaying_the_others(
        workbook in workbook(WRITES),
        history in prop::collection::vec((transaction(WRITES), any::<bool>()), 1..6),
    ) {
        let mut kept = workbook.clone();
        for (transaction, is_reverted) in &history {
            if !is_reverted {
                apply(&mut kept, transaction);
            }
        }
        prop_assert_eq!(Content::of(&after_undo(&workbook, &history)), Content::of(&kept));
    }

    #[test]
    fn any_history_can_be_undone_in_part(
        workbook in workbook(Kinds::ALL),
        history in prop::collection::vec((transaction(Kinds::ALL), any::<bool>()), 1..6),
    ) {
        after_undo(&workbook, &history);
    }
}

const WRITES: Kinds = Kinds {
    formulas: false,
    sorts: false,
    whole_row_sorts: false,
    row_edits: false,
    column_edits: false,
    deletions: false,
    sheets: false,
    edges: false,
    sizes: false,
    merges: false,
    items: false,
};
