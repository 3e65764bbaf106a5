//! Lists of stored rooms and of open ones, for the admin and for quotas.

use std::collections::BTreeSet;
use std::sync::Arc;

use quadrille_access::AccountId;
use quadrille_journal::{RoomInfo, RoomUsage};
use quadrille_protocol::{CloseReason, RoomName};
use tokio::sync::oneshot;

use super::client::Client;
use super::errors::{storage_error, thread_ended};
use super::journal_request::Request;
use super::open_room::OpenRoom;
use super::open_room_info::{OpenRoomInfo, SessionInfo};
use super::registry::Rooms;
use super::room_message::RoomMessage;
use super::thread_message::ThreadMessage;
use crate::access::AccountProof;
use crate::error::{ApiError, ErrorCode};
use crate::object_storage::Swept;

impl OpenRoom {
    /// Describes the room and its sessions.
    pub fn info(&self) -> OpenRoomInfo {
        OpenRoomInfo {
            room: self.name.clone(),
            title: self.room.workbook().title().map(str::to_owned),
            transactions: self.room.counts().transactions,
            busy: self.busy,
            sessions: self.clients.values().map(SessionInfo::of).collect(),
        }
    }

    /// The accounts of people who have the room open. Their programs are nobody who looks at it.
    pub(super) fn accounts(&self) -> BTreeSet<AccountId> {
        let is_person = |client: &&Client| !matches!(client.identity.proof, Some(AccountProof::Token { .. }));
        let accounts = self.clients.values().filter(is_person);
        accounts.filter_map(|client| client.identity.account.as_ref().map(|account| account.id)).collect()
    }
}

impl Rooms {
    /// Stored rooms by name, at most `count` after `after`.
    ///
    /// # Errors
    /// Fails with `storage_failed` when the storage cannot be read.
    pub async fn list(&self, after: Option<RoomName>, count: usize) -> Result<Vec<RoomInfo>, ApiError> {
        let (reply, answer) = oneshot::channel();
        let reply = Box::new(move |found| drop(reply.send(found)));
        self.journal().send(Request::List { after, count, reply });
        self.found_by_key(answer).await?.map_err(|error| storage_error(&error))
    }

    /// What each of these rooms takes in the storage; `None` for one that does not exist. The
    /// journal waits meanwhile, so the caller asks for a few rooms at a time.
    ///
    /// # Errors
    /// Fails with `storage_failed` when the storage cannot be read.
    pub async fn measure(&self, rooms: Vec<RoomName>) -> Result<Vec<Option<RoomUsage>>, ApiError> {
        let (reply, answer) = oneshot::channel();
        let reply = Box::new(move |measured| drop(reply.send(measured)));
        self.journal().send(Request::Measure { rooms, reply });
        answer.await.map_err(|_| thread_ended())?.map_err(|error| storage_error(&error))
    }

    /// Removes objects that nothing has referred to for long. Returns what was found; `None` without an object store.
    ///
    /// # Errors
    /// Fails with `storage_failed` when the storage or the object store does not answer.
    pub async fn sweep_objects(&self, now_ms: i64) -> Result<Option<Swept>, ApiError> {
        let Some(objects) = self.objects().cloned() else { return Ok(None) };
        let failed = |reason: String| ApiError::new(ErrorCode::StorageFailed, reason);
        let store = Arc::clone(&objects);
        let old = tokio::task::spawn_blocking(move || store.old_objects(now_ms));
        let old = old.await.map_err(|_| thread_ended())?.map_err(failed)?;
        let (reply, answer) = oneshot::channel();
        let reply = Box::new(move |found| drop(reply.send(found)));
        self.journal().send(Request::ObjectReferences { reply });
        let references = answer.await.map_err(|_| thread_ended())?.map_err(|error| storage_error(&error))?;
        let swept = tokio::task::spawn_blocking(move || objects.remove_unreferenced(&old, &references));
        swept.await.map_err(|_| thread_ended())?.map_err(failed).map(Some)
    }

    /// The rooms in memory with their sessions, by name. A room in the middle of a long change is
    /// left out.
    pub async fn open_rooms(&self) -> Vec<OpenRoomInfo> {
        let mut open = Vec::new();
        for thread in self.threads() {
            let (reply, answer) = oneshot::channel();
            _ = thread.send(ThreadMessage::ListOpen { reply });
            open.extend(answer.await.unwrap_or_default());
        }
        open.sort_by(|a, b| a.room.cmp(&b.room));
        open
    }

    /// The accounts of people who have the room open; none if this server does not run it.
    pub async fn accounts_in(&self, room: &RoomName) -> BTreeSet<AccountId> {
        let (reply, answer) = oneshot::channel();
        self.send(room, RoomMessage::ListAccounts { reply });
        answer.await.unwrap_or_default()
    }

    /// Ends all sessions of a room; clients connect again if they still may.
    pub fn close_room_sessions(&self, room: &RoomName) {
        self.send(room, RoomMessage::CloseSessions { reason: CloseReason::AccessChanged });
    }
}
