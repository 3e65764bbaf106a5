//! Whether a transaction is accepted: role, limits and protected cells (`P9`, `P22`).

use quadrille_fault_injection::{Fault, is_planted};
use quadrille_operation::{Limits, OperationError, Transaction, protected_from, validate};
use quadrille_protocol::{Author, RejectCode, Role};
use quadrille_workbook::Workbook;

/// The reason for rejecting a transaction.
pub(crate) struct Rejection {
    pub code: RejectCode,
    pub message: String,
}

/// Checks permission and limits, which do not depend on the workbook (`P9`).
pub(crate) fn check_limits(role: Role, transaction: &Transaction, limits: &Limits) -> Result<(), Rejection> {
    if !role.can_edit() {
        let message = format!("this link does not allow editing; role: {}", role.name());
        return Err(Rejection { code: RejectCode::Forbidden, message });
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

/// Checks that the transaction changes no cells that are protected from its author (`P22`).
pub(crate) fn check_protection(
    author: &Author,
    transaction: &Transaction,
    workbook: &Workbook,
) -> Result<(), Rejection> {
    if is_planted(Fault::ProtectionNotEnforced) {
        return Ok(());
    }
    protected_from(Some(&author.id), transaction, workbook)
        .map_err(|protected| Rejection { code: RejectCode::Forbidden, message: protected.to_string() })
}
