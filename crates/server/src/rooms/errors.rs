//! Errors of rooms as REST clients get them.

use quadrille_journal::StorageError;
use quadrille_protocol::{RejectCode, RoomName};

use crate::error::{ApiError, ErrorCode};

pub fn no_such_room(room: &RoomName) -> ApiError {
    ApiError::new(ErrorCode::NoSuchRoom, format!("no such room: {room}"))
}

pub fn stopping() -> ApiError {
    ApiError::new(ErrorCode::Draining, "the server is stopping")
}

pub fn journal_overloaded() -> ApiError {
    ApiError::new(ErrorCode::Overloaded, "the journal cannot keep up; try again later")
}

pub fn storage_away() -> ApiError {
    ApiError::new(ErrorCode::StorageFailed, "the database is away; try again later")
}

/// The database was asked to store a change and does not answer.
pub fn storage_unanswered() -> ApiError {
    ApiError::new(
        ErrorCode::StorageFailed,
        "the database does not answer, and it is not known whether the change will be stored; a request with an Idempotency-Key can be repeated with the same key, and is carried out once",
    )
}

/// The answer's channel was dropped: the room panicked, or its thread has ended.
pub fn thread_ended() -> ApiError {
    ApiError::new(ErrorCode::Internal, "the room stopped before it answered; try again")
}

pub fn storage_error(error: &StorageError) -> ApiError {
    match error {
        StorageError::Elsewhere { url } => room_elsewhere(None, url),
        StorageError::Away { reason } => ApiError::new(
            ErrorCode::StorageFailed,
            format!("the database is away; try again later: {reason}"),
        ),
        error => ApiError::new(ErrorCode::StorageFailed, error.to_string()),
    }
}

/// Another server with the same database runs the room.
pub fn room_elsewhere(room: Option<&RoomName>, url: &str) -> ApiError {
    let error = StorageError::Elsewhere { url: url.to_owned() };
    ApiError { room: room.cloned(), ..ApiError::new(ErrorCode::RoomElsewhere, error.to_string()) }
}

/// The code of a change that the room has rejected.
pub fn error_code(code: RejectCode) -> ErrorCode {
    match code {
        RejectCode::Forbidden => ErrorCode::Forbidden,
        RejectCode::BadOperation | RejectCode::OutOfBounds => ErrorCode::BadCommand,
        RejectCode::TooLarge => ErrorCode::TooManyCells,
        RejectCode::ReadOnly => ErrorCode::StorageFailed,
    }
}
