//! [`changes_comments_only`]: what a commenter may do.
//!
//! The room checks a transaction before it assigns a revision (`P26`), the replica before it sends
//! one.

use quadrille_workbook::{Field, Item, ItemKind, Workbook};

use crate::{Operation, Transaction};

/// Whether every operation of a transaction adds, changes or removes a comment, a comment thread or
/// a suggestion of the person with this account, adds a reaction of that person or removes one:
/// those of others go with their comment. `account` is empty for a person without one, and
/// `None` where it is not known; the room checks again.
///
/// `workbook` is the workbook to which the transaction will be applied, because an operation names
/// an existing item only by its identity. An item that does not exist yet is either added by an
/// earlier operation of the same transaction, which is checked too, or the operation does nothing.
pub fn changes_comments_only(account: Option<&str>, transaction: &Transaction, workbook: &Workbook) -> bool {
    transaction.operations.iter().all(|operation| is_allowed(account, operation, workbook))
}

fn is_allowed(account: Option<&str>, operation: &Operation, workbook: &Workbook) -> bool {
    let (sheet, item, kind) = match operation {
        Operation::PutItem { sheet, item, content } => {
            if !is_own(account, content) {
                return false;
            }
            (*sheet, *item, Some(content.kind))
        }
        Operation::PatchItem { sheet, item, patch } => {
            // The author of a suggestion stays as it is, and so does a reaction.
            if patch.kind == ItemKind::Reaction
                || patch.kind == ItemKind::Suggestion && patch.fields.contains_key(&Field::AuthorId)
            {
                return false;
            }
            (*sheet, *item, Some(patch.kind))
        }
        Operation::RemoveItem { sheet, item } => (*sheet, *item, None),
        _ => return false,
    };
    let stored = workbook.items_of(sheet).and_then(|items| items.get(item));
    let is_comment = |kind: ItemKind| {
        matches!(
            kind,
            ItemKind::CommentThread | ItemKind::Comment | ItemKind::Suggestion | ItemKind::Reaction
        )
    };
    let is_removed_reaction = |stored: &Item| kind.is_none() && stored.kind == ItemKind::Reaction;
    kind.into_iter().chain(stored.map(|stored| stored.kind)).all(is_comment)
        && stored.is_none_or(|stored| is_removed_reaction(stored) || is_own(account, stored))
}

/// Whether a commenter may add, change or remove this item. A suggestion or reaction without an
/// account belongs to everybody, because the name of an author proves nothing.
fn is_own(account: Option<&str>, item: &Item) -> bool {
    let author = item.text(Field::AuthorId).filter(|author| !author.is_empty());
    !matches!(item.kind, ItemKind::Suggestion | ItemKind::Reaction)
        || author.is_none_or(|author| account.is_none_or(|account| account == &**author))
}
