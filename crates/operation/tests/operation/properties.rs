//! Properties of applying, inverting and rebasing, with random workbooks and transactions.

use crate::content::Content;
use crate::generate::{Kinds, SHEETS, transaction, workbook};
use proptest::prelude::*;
use quadrille_cell::{Dimension, EditKind, StructuralEdit};
use quadrille_operation::{Operation, Transaction, apply, rebase, rebase_pair, rebase_undo};
use quadrille_workbook::Workbook;

fn after(workbook: &Workbook, transactions: &[&Transaction]) -> Workbook {
    let mut workbook = workbook.clone();
    for transaction in transactions {
        apply(&mut workbook, transaction);
    }
    workbook
}

/// Checks that `earlier` and then the rebased `later` gives the same as `later` and then the
/// rebased `earlier`.
fn check_both_ways(workbook: &Workbook, later: &Transaction, earlier: &Transaction) -> (Content, Content) {
    let (later_after, earlier_after) = rebase_pair(later, earlier);
    let confirmed = after(workbook, &[earlier, &later_after]);
    let optimistic = after(workbook, &[later, &earlier_after]);
    (Content::of(&confirmed).without_edges(), Content::of(&optimistic).without_edges())
}

proptest! {
    #[test]
    fn the_inverse_restores_everything(workbook in workbook(Kinds::ALL), transaction in transaction(Kinds::ALL)) {
        let mut changed = workbook.clone();
        let applied = apply(&mut changed, &transaction);
        let changed_content = Content::of(&changed);
        let undone = apply(&mut changed, &applied.inverse);
        prop_assert_eq!(Content::of(&changed), Content::of(&workbook));
        apply(&mut changed, &undone.inverse);
        prop_assert_eq!(Content::of(&changed), changed_content);
    }

    #[test]
    fn deleting_inserted_rows_or_columns_restores_the_workbook(
        workbook in workbook(INSERTIONS),
        at in 0..9u32,
        count in 1..4u32,
        is_rows in any::<bool>(),
    ) {
        let dimension = if is_rows { Dimension::Rows } else { Dimension::Columns };
        let edit = |kind| {
            let edit = StructuralEdit { sheet: SHEETS[0], dimension, kind, at, count };
            Transaction::from(Operation::Restructure(edit))
        };
        let there_and_back = after(&workbook, &[&edit(EditKind::Insert), &edit(EditKind::Delete)]);
        prop_assert_eq!(Content::of(&there_and_back).without_edges(), Content::of(&workbook).without_edges());
    }

    #[test]
    fn rebasing_over_an_empty_transaction_changes_nothing(transaction in transaction(Kinds::ALL)) {
        let (later, earlier) = rebase_pair(&transaction, &Transaction::default());
        prop_assert_eq!(&later, &transaction);
        prop_assert!(earlier.is_empty());
        prop_assert!(rebase(&Transaction::default(), &transaction).is_empty());
    }

    /// All operations except those on sheets, whose names and positions depend on other sheets.
    #[test]
    fn contents_formats_and_structure_converge(
        workbook in workbook(WITHOUT_FORMULAS),
        later in transaction(WITHOUT_FORMULAS),
        earlier in transaction(WITHOUT_FORMULAS),
    ) {
        let (confirmed, optimistic) = check_both_ways(&workbook, &later, &earlier);
        prop_assert_eq!(confirmed, optimistic);
    }

    /// With formulas, as long as no side deletes or sorts the cells that they refer to.
    #[test]
    fn formulas_and_insertions_converge(
        workbook in workbook(INSERTIONS),
        later in transaction(INSERTIONS),
        earlier in transaction(INSERTIONS),
    ) {
        let (confirmed, optimistic) = check_both_ways(&workbook, &later, &earlier);
        prop_assert_eq!(confirmed, optimistic);
    }

    #[test]
    fn sorts_of_whole_columns_converge(
        workbook in workbook(SORTS),
        later in transaction(SORTS),
        earlier in transaction(SORTS),
    ) {
        let (confirmed, optimistic) = check_both_ways(&workbook, &later, &earlier);
        prop_assert_eq!(confirmed, optimistic);
    }

    #[test]
    fn sorts_of_whole_rows_converge_with_insertions_and_deletions(
        workbook in workbook(ROWS),
        later in transaction(ROWS),
        earlier in transaction(ROWS),
    ) {
        let (confirmed, optimistic) = check_both_ways(&workbook, &later, &earlier);
        prop_assert_eq!(confirmed, optimistic);
    }

    /// With heights and hidden rows, as long as no side deletes rows (exception E3).
    #[test]
    fn sorts_of_whole_rows_and_sizes_converge_with_insertions(
        workbook in workbook(ROWS_INSERTED),
        later in transaction(ROWS_INSERTED),
        earlier in transaction(ROWS_INSERTED),
    ) {
        let (confirmed, optimistic) = check_both_ways(&workbook, &later, &earlier);
        prop_assert_eq!(confirmed, optimistic);
    }

    /// All operations: rebasing never panics, and an undo over the work of others can be applied.
    #[test]
    fn rebasing_any_pair_never_panics_and_can_be_undone(
        workbook in workbook(Kinds::ALL),
        later in transaction(Kinds::ALL),
        earlier in transaction(Kinds::ALL),
    ) {
        let (later_after, earlier_after) = rebase_pair(&later, &earlier);
        after(&workbook, &[&earlier, &later_after]);
        after(&workbook, &[&later, &earlier_after]);
        let mut changed = workbook.clone();
        let inverse = apply(&mut changed, &earlier).inverse;
        apply(&mut changed, &later);
        apply(&mut changed, &rebase_undo(&inverse, &later));
    }
}

/// Sorts over deleted rows are exact only for the sorted columns; see the exceptions in
/// `docs/operations.md`.
const WITHOUT_FORMULAS: Kinds =
    Kinds { formulas: false, sorts: false, sheets: false, edges: false, merges: false, ..Kinds::ALL };
const INSERTIONS: Kinds =
    Kinds { sorts: false, deletions: false, sheets: false, edges: false, merges: false, ..Kinds::ALL };
const SORTS: Kinds = Kinds {
    formulas: false,
    row_edits: false,
    deletions: false,
    sheets: false,
    edges: false,
    merges: false,
    ..Kinds::ALL
};
const ROWS: Kinds = Kinds { sorts: true, whole_row_sorts: true, sizes: false, ..WITHOUT_FORMULAS };
const ROWS_INSERTED: Kinds = Kinds { sizes: true, deletions: false, ..ROWS };
