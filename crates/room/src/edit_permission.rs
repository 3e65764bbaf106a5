//! Whether a transaction is accepted: role, limits, comments and protected cells (`P9`, `P22`,
//! `P26`) and imported data (`P30`).

use std::sync::Arc;

use quadrille_fault_injection::{Fault, is_planted};
use quadrille_operation::{
    CommandError, EditorIdentity, Limits, OperationError, Transaction, changes_comments_only,
    changes_imports, protected_from, validate,
};
use quadrille_protocol::{Author, RejectCode, Role};
use quadrille_workbook::Workbook;

/// The reason for rejecting a transaction.
pub(crate) struct Rejection {
    pub code: RejectCode,
    pub message: String,
}

/// The author of a change as protected ranges name people. Only what the server has verified counts:
/// without an account, the name of an author proves nothing.
pub(crate) fn editor_identity(role: Role, author: &Author, email: Option<Arc<str>>) -> EditorIdentity {
    EditorIdentity { is_owner: role == Role::Owner, account: author.id.clone(), email }
}

/// Checks permission and limits, which do not depend on the workbook (`P9`).
pub(crate) fn check_limits(role: Role, transaction: &Transaction, limits: &Limits) -> Result<(), Rejection> {
    if !role.can_comment() {
        return Err(editing_forbidden(role));
    }
    validate(transaction, limits).map_err(|error| {
        let code = match &error {
            OperationError::TooManyOperations { .. }
            | OperationError::TooManyCells { .. }
            | OperationError::TextTooLong { .. }
            | OperationError::FormulaTooLong { .. }
            | OperationError::FormulaTooDeep
            | OperationError::NumberFormatTooLong { .. } => RejectCode::TooLarge,
            _ => RejectCode::OutOfBounds,
        };
        Rejection { code, message: error.to_string() }
    })
}

fn editing_forbidden(role: Role) -> Rejection {
    let message = format!("this change needs the role edit; yours is {}", role.name());
    Rejection { code: RejectCode::Forbidden, message }
}

/// Checks that a transaction of a commenter changes nothing but comments and own suggestions (`P26`). `workbook` is the
/// workbook to which it will be applied.
pub(crate) fn check_comments_only(
    role: Role,
    account: &str,
    transaction: &Transaction,
    workbook: &Workbook,
) -> Result<(), Rejection> {
    let is_allowed =
        role.can_edit() || role.can_comment() && changes_comments_only(Some(account), transaction, workbook);
    if is_allowed { Ok(()) } else { Err(editing_forbidden(role)) }
}

/// Checks that a transaction of anybody but the server changes no imported data (`P30`).
pub(crate) fn check_imports(transaction: &Transaction, workbook: &Workbook) -> Result<(), Rejection> {
    if !changes_imports(transaction, workbook) {
        return Ok(());
    }
    let message = CommandError::ImportedData.to_string();
    Err(Rejection { code: RejectCode::Forbidden, message })
}

/// Checks that the transaction changes no cells that are protected from its author (`P22`).
pub(crate) fn check_protection(
    editor: &EditorIdentity,
    transaction: &Transaction,
    workbook: &Workbook,
) -> Result<(), Rejection> {
    if is_planted(Fault::ProtectionNotEnforced) {
        return Ok(());
    }
    let editor = Some(editor).filter(|_| !is_planted(Fault::NamedEditorsNotChecked));
    protected_from(editor, transaction, workbook)
        .map_err(|protected| Rejection { code: RejectCode::Forbidden, message: protected.to_string() })
}
