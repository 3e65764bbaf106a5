//! What a session does besides editing: the workbook that its first edit creates, and the use of the
//! account by which it was opened.

use std::time::Duration;

use quadrille_protocol::{ClientFrameKind, RoomName};
use tokio::time::Instant;

use super::app::App;
use super::creation::{is_creation_noted, own_new_workbook};
use crate::access::{AccountProof, Identity, Visitor};
use crate::error::ApiError;

/// How often the use of an account's session is noted while a workbook is open, so that the account
/// stays signed in.
const NOTED_EVERY: Duration = Duration::from_secs(60);

/// The person of a session.
pub struct SessionAccount {
    visitor: Visitor,
    /// The first edit may create the workbook, which then gets its owner.
    may_create: bool,
    noted: Instant,
}

impl SessionAccount {
    /// For a session that begins now.
    pub fn new(app: &App, visitor: Visitor, identity: &Identity) -> SessionAccount {
        SessionAccount { visitor, may_create: is_creation_noted(app, identity), noted: Instant::now() }
    }

    /// To be called with each received frame, before it is passed to the room.
    ///
    /// # Errors
    ///
    /// Fails when the frame would create a workbook that the person may not have.
    pub async fn received(
        &mut self,
        app: &App,
        room: &RoomName,
        identity: &Identity,
        kind: ClientFrameKind,
        now: Instant,
    ) -> Result<(), ApiError> {
        if let Some(AccountProof::Session(session)) = &identity.proof
            && now.duration_since(self.noted) >= NOTED_EVERY
        {
            self.noted = now;
            app.access.record_session_use(*session);
        }
        if self.may_create && kind == ClientFrameKind::Submit {
            self.may_create = false;
            own_new_workbook(app, room, &self.visitor, identity).await?;
        }
        Ok(())
    }
}
