//! What operations do to comments and tasks: webhooks and mail tell of the same changes.

use quadrille_cell::SheetId;
use quadrille_operation::Operation;
use quadrille_workbook::{Field, Item, ItemId, ItemKind};

/// A comment that an operation adds.
pub struct AddedComment<'a> {
    pub sheet: Option<SheetId>,
    pub id: ItemId,
    pub comment: &'a Item,
    /// The thread that the comment names, which may no longer exist.
    pub thread: Option<ItemId>,
}

/// The comment that an operation adds.
pub fn added_comment(operation: &Operation) -> Option<AddedComment<'_>> {
    match operation {
        Operation::PutItem { sheet, item, content } if content.kind == ItemKind::Comment => {
            let thread = content.parent();
            Some(AddedComment { sheet: *sheet, id: *item, comment: content, thread })
        }
        _ => None,
    }
}

/// The comment thread that an operation assigns to somebody, with its sheet.
pub fn assigned_thread(operation: &Operation) -> Option<(Option<SheetId>, ItemId)> {
    match operation {
        Operation::PutItem { sheet, item, content }
            if content.kind == ItemKind::CommentThread && content.fields.contains_key(&Field::Assignee) =>
        {
            Some((*sheet, *item))
        }
        Operation::PatchItem { sheet, item, patch }
            if patch.kind == ItemKind::CommentThread
                && matches!(patch.fields.get(&Field::Assignee), Some(Some(_))) =>
        {
            Some((*sheet, *item))
        }
        _ => None,
    }
}
