//! [`changes_comments_only`]: what a commenter may do.
//!
//! The room checks a transaction before it assigns a revision (`P26`), the replica before it sends
//! one.

use quadrille_workbook::{ItemKind, Workbook};

use crate::{Operation, Transaction};

/// Whether every operation of a transaction adds, changes or removes a comment or a comment thread.
///
/// `workbook` is the workbook to which the transaction will be applied, because an operation names
/// an existing item only by its identity. An item that does not exist yet is either added by an
/// earlier operation of the same transaction, which is checked too, or the operation does nothing.
pub fn changes_comments_only(transaction: &Transaction, workbook: &Workbook) -> bool {
    transaction.operations.iter().all(|operation| is_comment(operation, workbook))
}

fn is_comment(operation: &Operation, workbook: &Workbook) -> bool {
    let (sheet, item, kind) = match operation {
        Operation::PutItem { sheet, item, content } => (*sheet, *item, Some(content.kind)),
        Operation::PatchItem { sheet, item, patch } => (*sheet, *item, Some(patch.kind)),
        Operation::RemoveItem { sheet, item } => (*sheet, *item, None),
        _ => return false,
    };
    let stored = workbook.items_of(sheet).and_then(|items| items.get(item)).map(|stored| stored.kind);
    let is_comment = |kind: ItemKind| matches!(kind, ItemKind::CommentThread | ItemKind::Comment);
    kind.into_iter().chain(stored).all(is_comment)
}
