//! [`ReplicaError`]: errors of a replica, with texts for the user.

use std::fmt;

use quadrille_operation::{CommandError, OperationError, Protected};
use quadrille_protocol::{CloseReason, RejectCode, Role, limits::CLIENT_FRAME_BYTES_MAX};

/// An error of a replica. The texts tell the user what to do.
#[derive(Clone, PartialEq, Debug)]
pub enum ReplicaError {
    /// The command cannot be planned.
    Command(CommandError),
    /// The transaction is invalid.
    Operation(OperationError),
    /// The transaction changes protected cells.
    Protected(Protected),
    /// The role does not allow changes.
    EditNotAllowed {
        role: Role,
    },
    /// The transaction exceeds the maximum length of a frame.
    TooLarge {
        bytes: usize,
    },
    /// The queue of unconfirmed transactions is full.
    TooMuchUnsaved {
        unconfirmed: usize,
    },
    NothingToUndo,
    NothingToRedo,
    /// There were steps, but a snapshot replaced the document, so it is unknown over which changes
    /// to rebase them.
    UndoDiscarded,
    /// Unconfirmed transactions could not be rebased, because a snapshot replaced the document.
    /// They were applied unchanged and may be in the wrong place.
    NotRebased {
        transactions: usize,
    },
    /// Others have overwritten everything that the step changed.
    OverwrittenByOthers,
    /// The sheet of the step was removed by another person.
    SheetDeleted,
    /// The room rejected a transaction, which was reverted.
    Refused {
        code: RejectCode,
        message: String,
    },
    /// The session ended and cannot be resumed automatically.
    Ended {
        reason: CloseReason,
    },
    /// A frame of the server cannot be decoded; the session is restarted.
    BadFrame {
        error: String,
    },
}

impl fmt::Display for ReplicaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplicaError::Command(error) => error.fmt(f),
            ReplicaError::Operation(error) => error.fmt(f),
            ReplicaError::Protected(protected) => protected.fmt(f),
            ReplicaError::EditNotAllowed { role } => {
                write!(f, "this link does not allow changes (its role is {})", role.name())
            }
            ReplicaError::TooMuchUnsaved { unconfirmed } => {
                write!(f, "too many edits wait to be saved, wait for the connection: {unconfirmed}")
            }
            ReplicaError::TooLarge { bytes } => write!(
                f,
                "too much for one change, import it as a file instead (bytes, at most {CLIENT_FRAME_BYTES_MAX}): {bytes}"
            ),
            ReplicaError::NothingToUndo => write!(f, "nothing to undo"),
            ReplicaError::NothingToRedo => write!(f, "nothing to redo"),
            ReplicaError::UndoDiscarded => write!(
                f,
                "earlier changes cannot be undone: this page was offline so long that the changes of others are unknown"
            ),
            ReplicaError::NotRebased { transactions } => write!(
                f,
                "this page was offline so long that the changes of others are unknown; check that its unsent edits are \
                 still in the right place: {transactions}"
            ),
            ReplicaError::SheetDeleted => {
                write!(f, "nothing to undo: others have removed the sheet")
            }
            ReplicaError::OverwrittenByOthers => {
                write!(f, "nothing to undo: others have changed all of these cells since")
            }
            ReplicaError::Refused { code, message } => {
                write!(f, "the server refused the change ({}): {message}", code.name())
            }
            ReplicaError::Ended { reason } => match reason {
                CloseReason::Deleted => write!(f, "the room was deleted"),
                CloseReason::UpgradeClient => write!(f, "the server has a newer version, reload the page"),
                CloseReason::Forbidden => write!(f, "this link does not open the room"),
                CloseReason::Replaced => write!(f, "this copy of the room connected from elsewhere"),
                other => write!(f, "the server ended the session ({})", other.name()),
            },
            ReplicaError::BadFrame { error } => {
                write!(f, "the server sent an unreadable frame: {error}")
            }
        }
    }
}

impl std::error::Error for ReplicaError {}
