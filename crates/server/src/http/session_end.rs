//! How a session ends: its close frame.

use std::borrow::Cow;
use std::time::Duration;

use quadrille_protocol::{CloseReason, RoomName};
use tokio::time::timeout;

use super::socket::Socket;
use crate::error::{ApiError, ErrorCode};
use crate::rate_limits::LimitExceeded;
use crate::websocket::message_reader::ReadError;
use crate::websocket::outgoing_frame::OutFrame;

/// Time limit for the client to answer a close frame.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// The code and reason of a close frame, written already or to be written.
pub struct Ending {
    code: u16,
    reason: Cow<'static, str>,
    is_written: bool,
}

impl Ending {
    /// The close frame with this code, which has to be written yet.
    pub fn with_reason(code: u16, reason: &'static str) -> Ending {
        Ending { code, reason: reason.into(), is_written: false }
    }

    /// The close frame for this reason, which the outbox has written.
    pub fn written(reason: CloseReason) -> Ending {
        Ending { code: reason.code(), reason: reason.name().into(), is_written: true }
    }

    /// The close frame for an exceeded rate limit. Clients read the time to wait from the reason.
    pub fn rate_limited(exceeded: LimitExceeded) -> Ending {
        let reason = CloseReason::TooFast;
        let text = format!("{} retry-after={}", reason.name(), exceeded.seconds());
        Ending { code: reason.code(), reason: text.into(), is_written: false }
    }
}

impl From<ReadError> for Ending {
    /// The close code for an invalid message (RFC 6455, 7.4.1).
    fn from(error: ReadError) -> Ending {
        match error {
            ReadError::Protocol(_) => Ending::with_reason(1002, "protocol_error"),
            ReadError::Text => Ending::with_reason(1003, "binary_only"),
            ReadError::InvalidUtf8 => Ending::with_reason(1007, "invalid_utf8"),
            ReadError::TooLarge => {
                let reason = CloseReason::FrameTooLarge;
                Ending::with_reason(reason.code(), reason.name())
            }
        }
    }
}

/// The end of a session.
pub enum End {
    /// With a close frame.
    Closed(Ending),
    /// The client disconnected.
    Disconnected,
}

impl End {
    /// The end for this reason, whose close frame has to be written yet.
    pub fn closed(reason: CloseReason) -> End {
        End::Closed(Ending::with_reason(reason.code(), reason.name()))
    }

    /// The same end, whose close frame has to be written yet: the room has written it elsewhere than to
    /// the client.
    pub fn unwritten(self) -> End {
        match self {
            End::Closed(ending) => End::Closed(Ending { is_written: false, ..ending }),
            End::Disconnected => End::Disconnected,
        }
    }

    /// The end of a session whose first edit could not create the workbook.
    pub fn not_created(error: &ApiError) -> End {
        End::closed(match error.code {
            ErrorCode::QuotaExceeded | ErrorCode::TooManyRequests => CloseReason::QuotaExceeded,
            // The store did not answer; the client sends the edit again.
            _ => CloseReason::Restarting,
        })
    }
}

impl From<ReadError> for End {
    fn from(error: ReadError) -> End {
        End::Closed(error.into())
    }
}

/// Sends the close frame and waits until the client closes.
pub async fn finish(stream: &Socket, room: &RoomName, end: End) {
    let ending = match end {
        End::Closed(ending) => ending,
        End::Disconnected => return,
    };
    match ending.code {
        // The client closed, the server stops, the room is full or deleted, the access changed or a
        // quota is used up: not an error.
        1000 | 1012 | 1013 | 4403 | 4408..=4413 => {
            tracing::debug!(%room, code = ending.code, reason = &*ending.reason, "session closed");
        }
        _ => tracing::info!(%room, code = ending.code, reason = &*ending.reason, "session closed"),
    }
    let closing = async {
        if !ending.is_written {
            let frame = OutFrame::close(ending.code, &ending.reason);
            let [head, payload] = frame.rest(0);
            let bytes = [head, payload].concat();
            if stream.write_all(&bytes).await.is_err() {
                return;
            }
        }
        // Reads until the client closes: closing a socket with unread data resets the connection
        // and loses the close frame.
        while let Ok(1..) = stream.read_some(usize::MAX, |_| ()).await {}
    };
    let _ = timeout(CLOSE_TIMEOUT, closing).await;
}
