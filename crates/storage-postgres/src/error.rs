//! What an error of PostgreSQL means.

use quadrille_access::AccessError;
use quadrille_journal::StorageError;
use tokio_postgres::error::SqlState;

/// Why a statement failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The connection ended or the server cannot be used at the moment. Whether the statement was
    /// executed is unknown; it can be tried again on another connection.
    Away(String),
    /// Another transaction was in the way. Nothing was changed.
    Busy(String),
    /// No space left, or out of memory. Nothing was changed.
    Full,
    /// The server refused the user, or the user may not do this.
    Refused(String),
    /// The database only accepts reading transactions. Nothing was changed.
    ReadOnly,
    /// This server was silent for too long, and others have removed it (O4).
    Replaced,
    /// Written by a newer version of the program.
    NewerFormat { found: u32, known: u32 },
    /// A stored value is not as it was written.
    Damaged(String),
    /// Another error; nothing was changed.
    Other(String),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Away(reason) => write!(f, "the database is away: {reason}"),
            Failure::Busy(reason) => write!(f, "another transaction is in the way: {reason}"),
            Failure::Full => write!(f, "no space left on the disk of the database"),
            Failure::Refused(reason) => write!(f, "the database refuses: {reason}"),
            Failure::ReadOnly => {
                write!(f, "the database is read-only (a standby, or default_transaction_read_only)")
            }
            Failure::Replaced => {
                write!(f, "this server had no heartbeat for too long, and others have taken its rooms")
            }
            Failure::NewerFormat { found, known } => {
                write!(f, "written by a newer version of quadrille (format {found}, this one knows {known})")
            }
            Failure::Damaged(reason) => write!(f, "a row has invalid contents: {reason}"),
            Failure::Other(reason) => write!(f, "{reason}"),
        }
    }
}

/// What the client says when the server asks for a password and the address has none.
const PASSWORD_MISSING: &str = "password missing";

/// What the client says when a certificate has no extensions, such as names.
const CERTIFICATE_OF_VERSION_1: &str = "UnsupportedCertVersion";

/// An error of the client, which has no code: the server was not reached, or not understood.
fn of_client(reason: String) -> Failure {
    match reason {
        _ if reason.contains(PASSWORD_MISSING) => {
            Failure::Refused("it asks for a password, and none is set".to_owned())
        }
        _ if reason.contains(CERTIFICATE_OF_VERSION_1) => Failure::Away(
            "its certificate is of X.509 version 1, which cannot be verified; make one of version 3"
                .to_owned(),
        ),
        _ => Failure::Away(reason),
    }
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Failure {
        let Some(database) = error.as_db_error() else {
            let cause = std::error::Error::source(&error);
            let reason = cause.map_or(error.to_string(), |cause| format!("{error}: {cause}"));
            // Errors of the client itself: a value that cannot be converted is a defect or damage.
            let is_of_a_value = cause.is_some_and(|cause| {
                cause.is::<tokio_postgres::types::WrongType>() || cause.is::<std::num::TryFromIntError>()
            });
            return if is_of_a_value { Failure::Damaged(reason) } else { of_client(reason) };
        };
        let reason = match database.detail() {
            Some(detail) => format!("{} ({detail})", database.message()),
            None => database.message().to_owned(),
        };
        let code = database.code();
        match code {
            _ if [SqlState::DISK_FULL, SqlState::OUT_OF_MEMORY].contains(code) => Failure::Full,
            _ if *code == SqlState::READ_ONLY_SQL_TRANSACTION => Failure::ReadOnly,
            _ if [SqlState::T_R_DEADLOCK_DETECTED, SqlState::T_R_SERIALIZATION_FAILURE].contains(code) => {
                Failure::Busy(reason)
            }
            // The only foreign key is that of `room_owner` to `node`.
            _ if *code == SqlState::FOREIGN_KEY_VIOLATION => Failure::Replaced,
            // Classes 28 (authorization), 3D and 3F (no such database or schema), 42501 (no privilege).
            _ if ["28", "3D", "3F"].iter().any(|class| code.code().starts_with(class))
                || *code == SqlState::INSUFFICIENT_PRIVILEGE =>
            {
                Failure::Refused(reason)
            }
            // Classes 08 (connection), 57 (operator intervention: shutting down, starting), 53 (too many
            // connections).
            _ if ["08", "57", "53"].iter().any(|class| code.code().starts_with(class)) => {
                Failure::Away(reason)
            }
            _ => Failure::Other(format!("{reason} (SQLSTATE {})", code.code())),
        }
    }
}

impl From<Failure> for StorageError {
    fn from(failure: Failure) -> StorageError {
        match failure {
            Failure::Full => StorageError::Full,
            Failure::Away(reason) => StorageError::Away { reason },
            Failure::Damaged(_) => StorageError::JournalDamaged { reason: failure.to_string() },
            other => StorageError::Engine { reason: other.to_string() },
        }
    }
}

impl From<Failure> for AccessError {
    fn from(failure: Failure) -> AccessError {
        match failure {
            Failure::Full => AccessError::Full,
            Failure::NewerFormat { found, known } => AccessError::NewerFormat { found, known },
            Failure::Damaged(reason) => AccessError::Damaged { what: "a row".into(), reason },
            other => AccessError::Engine { reason: other.to_string() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts of tokio-postgres and rustls.
    #[test]
    fn errors_of_the_client_are_told_in_words() {
        for (reason, message) in [
            (
                "invalid configuration: password missing",
                "the database refuses: it asks for a password, and none is set",
            ),
            (
                "error performing TLS handshake: invalid peer certificate: Other(OtherError(UnsupportedCertVersion))",
                "the database is away: its certificate is of X.509 version 1, which cannot be verified; make one of \
                 version 3",
            ),
            (
                "error connecting to server: timed out",
                "the database is away: error connecting to server: timed out",
            ),
        ] {
            assert_eq!(of_client(reason.to_owned()).to_string(), message);
        }
    }
}
