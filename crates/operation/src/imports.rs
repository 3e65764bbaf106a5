//! [`changes_imports`]: imported data is written by the server only.

use quadrille_workbook::Workbook;

use crate::{Operation, Transaction};

/// Whether some operation of a transaction adds, changes or removes imported data.
///
/// `workbook` is the workbook to which the transaction will be applied, because an operation names
/// an existing item only by its identity.
pub fn changes_imports(transaction: &Transaction, workbook: &Workbook) -> bool {
    transaction.operations.iter().any(|operation| {
        let (item, kind) = match operation {
            Operation::PutItem { sheet: None, item, content } => (*item, Some(content.kind)),
            Operation::PatchItem { sheet: None, item, patch } => (*item, Some(patch.kind)),
            Operation::RemoveItem { sheet: None, item } => (*item, None),
            _ => return false,
        };
        let stored = workbook.items().get(item).map(|stored| stored.kind);
        kind.into_iter().chain(stored).any(|kind| kind.is_imported())
    })
}
