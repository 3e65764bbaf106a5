//! The chat of a room, for who has no session: read from storage, and said through the room, which orders it.

use std::sync::Arc;

use quadrille_protocol::{ChatMessage, ChatRejectionReason, RoomName};
use quadrille_room::{ChatRejection, ChatSubmission};
use tokio::sync::oneshot;

use super::journal::Request;
use super::room_thread::Message;
use super::{Rooms, no_such_room, storage_error, thread_ended};
use crate::error::{ApiError, ErrorCode};

pub type ChatReply = oneshot::Sender<Result<Arc<ChatMessage>, ChatRejection>>;

/// Of a room that cannot be opened.
pub const NOT_SAID: ChatRejection = ChatRejection { reason: ChatRejectionReason::NotStored, wait_ms: 0 };

impl Rooms {
    /// What is kept of the chat, oldest first. All that was ever told is stored.
    pub async fn chat_messages(&self, room: &RoomName) -> Result<Vec<ChatMessage>, ApiError> {
        let (reply, answer) = oneshot::channel();
        let reply = Box::new(move |found| drop(reply.send(found)));
        self.inner.journal.ask(Request::Find { room: room.clone(), reply });
        let found = answer.await.map_err(|_| thread_ended())?.map_err(|error| storage_error(&error))?;
        let key = found.ok_or_else(|| no_such_room(room))?.key;
        let (reply, answer) = oneshot::channel();
        let reply = Box::new(move |chat_messages| drop(reply.send(chat_messages)));
        self.inner.journal.ask(Request::ChatMessages { room: key, reply });
        let stored = answer.await.map_err(|_| thread_ended())?.map_err(|error| storage_error(&error))?;
        // One that cannot be read is as one that was forgotten; of two under one identity the room knows the first.
        let mut known = std::collections::BTreeSet::new();
        let read = stored.iter().filter_map(|bytes| ChatMessage::decode(bytes).ok());
        Ok(read.filter(|chat_message| known.insert(chat_message.id)).collect())
    }

    /// Says something in a room that exists; returns when it is stored.
    pub async fn send_chat(
        &self,
        room: &RoomName,
        chat: ChatSubmission,
    ) -> Result<Arc<ChatMessage>, ApiError> {
        if self.inner.journal.is_overloaded() {
            return Err(ApiError::new(ErrorCode::Overloaded, "too much waits to be stored; try again later"));
        }
        if !self.exists(room).await? {
            return Err(no_such_room(room));
        }
        let (reply, answer) = oneshot::channel();
        self.send(room, Message::Chat { room: room.clone(), chat, role: self.inner.role, reply });
        answer.await.map_err(|_| thread_ended())?.map_err(refusal)
    }
}

fn refusal(unsaid: ChatRejection) -> ApiError {
    let (code, message) = match unsaid.reason {
        ChatRejectionReason::Forbidden => (ErrorCode::Forbidden, "nobody may comment over this address"),
        ChatRejectionReason::BadText => {
            (ErrorCode::BadRequest, "a remark has 1 to 2,000 characters, not only blanks")
        }
        ChatRejectionReason::TooFast => (ErrorCode::TooManyRequests, "more is said in this room than may be"),
        ChatRejectionReason::NotStored => (ErrorCode::StorageFailed, "what was said could not be stored"),
    };
    let seconds = unsaid.wait_ms.div_ceil(1_000);
    ApiError { retry_after_seconds: (seconds > 0).then_some(seconds), ..ApiError::new(code, message) }
}
