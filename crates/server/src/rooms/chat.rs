//! The chat of a room over REST: messages are read from storage, and sent through the room, which
//! numbers them.

use std::sync::Arc;

use quadrille_protocol::{ChatMessage, ChatRejectionReason, Role, RoomName};
use quadrille_room::{ChatRejection, ChatSubmission};
use tokio::sync::oneshot;

use super::errors::{journal_overloaded, no_such_room, storage_error};
use super::journal_request::Request;
use super::registry::Rooms;
use super::room_message::RoomMessage;
use crate::error::{ApiError, ErrorCode};

impl Rooms {
    /// Returns the stored chat messages, oldest first. Every message that was sent to a session is
    /// stored.
    pub async fn chat_messages(&self, room: &RoomName) -> Result<Vec<ChatMessage>, ApiError> {
        let (reply, answer) = oneshot::channel();
        let reply = Box::new(move |found| drop(reply.send(found)));
        self.journal().send(Request::Find { room: room.clone(), reply });
        let found = self.found(room, answer).await?.map_err(|error| storage_error(&error))?;
        let key = found.ok_or_else(|| no_such_room(room))?.key;
        let (reply, answer) = oneshot::channel();
        let reply = Box::new(move |chat_messages| drop(reply.send(chat_messages)));
        self.journal().send(Request::ChatMessages { room: key, reply });
        let stored = self.found(room, answer).await?.map_err(|error| storage_error(&error))?;
        // Unreadable messages are skipped; of two messages with one identity the room uses the
        // first.
        let mut ids = std::collections::BTreeSet::new();
        let read = stored.iter().filter_map(|bytes| ChatMessage::decode(bytes).ok());
        Ok(read.filter(|chat_message| ids.insert(chat_message.id)).collect())
    }

    /// Sends a chat message of somebody with this role to an existing room. Returns when it is stored.
    pub async fn send_chat(
        &self,
        room: &RoomName,
        role: Role,
        chat: ChatSubmission,
    ) -> Result<Arc<ChatMessage>, ApiError> {
        if self.journal().is_overloaded(room) {
            return Err(journal_overloaded());
        }
        if !self.exists(room).await? {
            return Err(no_such_room(room));
        }
        let (reply, answer) = oneshot::channel();
        self.send(room, RoomMessage::Chat { chat, role, reply });
        self.stored(room, answer).await?.map_err(rejection_error)
    }
}

fn rejection_error(rejection: ChatRejection) -> ApiError {
    let (code, message) = match rejection.reason {
        ChatRejectionReason::Forbidden => (ErrorCode::Forbidden, "your role does not allow chat messages"),
        ChatRejectionReason::BadText => {
            (ErrorCode::BadRequest, "a chat message has 1 to 2,000 characters and is not blank")
        }
        ChatRejectionReason::TooFast => (ErrorCode::TooManyRequests, "too many chat messages in this room"),
        ChatRejectionReason::NotStored => (ErrorCode::StorageFailed, "the chat message could not be stored"),
    };
    let seconds = rejection.wait_ms.div_ceil(1_000);
    ApiError { retry_after_seconds: (seconds > 0).then_some(seconds), ..ApiError::new(code, message) }
}
