//! What a person is told when something did not work.

use std::fmt;

use quadrille_operation::{CommandError, OperationError, Protected};
use quadrille_protocol::{CloseReason, RejectCode, Role, limits::CLIENT_FRAME_BYTES_MAX};

/// What did not work, in words a person can act on.
#[derive(Clone, PartialEq, Debug)]
pub enum ReplicaError {
    Command(CommandError),
    Operation(OperationError),
    /// Somebody protected what it would change.
    Protected(Protected),
    /// The role does not allow changes.
    EditNotAllowed {
        role: Role,
    },
    /// More than fits into one frame.
    TooLarge {
        bytes: usize,
    },
    /// Too much waits to be saved.
    TooMuchUnsaved {
        unconfirmed: usize,
    },
    NothingToUndo,
    NothingToRedo,
    /// There was something, but what others did since is unknown: the page was away for too long.
    UndoForgotten,
    /// So many transactions that were not sent yet were made for an older workbook than the one that came now. They
    /// were applied where they were made, which may be the wrong place now.
    NotFollowed {
        transactions: usize,
    },
    /// Others have overwritten everything the step changed.
    OverwrittenByOthers,
    /// The step was about a sheet that others have removed.
    SheetDeleted,
    /// The room refused a transaction; it was taken back here.
    Refused {
        code: RejectCode,
        message: String,
    },
    /// The session ended and will not come back by itself.
    Ended {
        reason: CloseReason,
    },
    /// The server's bytes make no sense; the session starts anew.
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
            ReplicaError::UndoForgotten => write!(
                f,
                "this page was away so long that it does not know what others did, so what was done before cannot be undone"
            ),
            ReplicaError::NotFollowed { transactions } => write!(
                f,
                "this page was away so long that it does not know what others did; look whether its edits that were not \
                 sent yet are still in the right place: {transactions}"
            ),
            ReplicaError::SheetDeleted => {
                write!(
                    f,
                    "others have removed the sheet on which it was done, so there is nothing to take back"
                )
            }
            ReplicaError::OverwrittenByOthers => {
                write!(f, "others have changed all of it since, so it was left alone")
            }
            ReplicaError::Refused { code, message } => {
                write!(f, "the server refused the change ({}): {message}", code.name())
            }
            ReplicaError::Ended { reason } => match reason {
                CloseReason::Deleted => write!(f, "the room was deleted"),
                CloseReason::UpgradeClient => write!(f, "the server has a newer version, reload the page"),
                CloseReason::Forbidden => write!(f, "this link does not open the room"),
                CloseReason::Replaced => write!(f, "the same copy was connected from elsewhere"),
                other => write!(f, "the server ended the session ({})", other.name()),
            },
            ReplicaError::BadFrame { error } => {
                write!(f, "the server sent something that cannot be read: {error}")
            }
        }
    }
}

impl std::error::Error for ReplicaError {}
