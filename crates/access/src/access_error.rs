//! Why an access store refuses.

use std::fmt;

/// Why the store refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AccessError {
    /// The document was changed since it was read (A2): read it again.
    Conflict,
    /// Another account has this identity or address (A5).
    Taken {
        what: String,
    },
    TooMany {
        what: &'static str,
        max: usize,
    },
    /// The data directory was written by a newer version of the program.
    NewerFormat {
        found: u32,
        known: u32,
    },
    /// No space left on the disk; nothing was changed.
    Full,
    /// A stored document is not as it was written.
    Damaged {
        what: String,
        reason: String,
    },
    /// The engine refused for another reason.
    Engine {
        reason: String,
    },
}

impl fmt::Display for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AccessError::Conflict => write!(f, "changed by somebody else meanwhile; read it again"),
            AccessError::Taken { what } => write!(f, "belongs to another account: {what}"),
            AccessError::TooMany { what, max } => write!(f, "too many {what}, at most {max}"),
            AccessError::NewerFormat { found, known } => write!(
                f,
                "access.db was written by a newer version of quadrille (format {found}, this one knows {known})"
            ),
            AccessError::Full => write!(f, "no space left on the disk of the data directory"),
            AccessError::Damaged { what, reason } => write!(f, "{what} is damaged: {reason}"),
            AccessError::Engine { reason } => write!(f, "access store: {reason}"),
        }
    }
}

impl std::error::Error for AccessError {}
