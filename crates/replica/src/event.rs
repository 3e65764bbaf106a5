//! The inputs of a replica and the outputs it asks its environment to perform.

use std::sync::Arc;

use quadrille_cell::{Range, SheetId};
use quadrille_operation::{Command, Transaction};
use quadrille_protocol::Presence;

use crate::errors::ReplicaError;
use crate::locale::LocaleSettings;

/// An input: a change of the connection, a message from the room, or an action of the user.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // Events are passed one at a time and never stored.
pub enum Event<'a> {
    /// The WebSocket is open; no message has been exchanged.
    Connected,
    /// The WebSocket closed, with the close code if there was one.
    Disconnected { code: Option<u16> },
    /// One message from the room.
    Frame(&'a [u8]),
    /// A command of the user.
    Command(Command),
    /// A command that follows from what the user did, such as fitting a row to its text. It is no step
    /// for undo, and that it is refused is not reported.
    Automatic(Command),
    /// Operations built outside the replica, for instance by an import.
    Transaction {
        transaction: Transaction,
        /// False keeps the transaction off the undo stack.
        is_undoable: bool,
    },
    /// Undo the user's last step.
    Undo,
    /// Redo the step that was undone last.
    Redo,
    /// The selection or the edited cell changed.
    Select(Presence),
    /// The visible range of a sheet changed.
    View { sheet: SheetId, view: Range },
    /// The user's name or color changed.
    Rename { name: Arc<str>, color: Option<u32> },
    /// Whom the server has verified: account and e-mail address as in
    /// [`AccessFrame::Identified`](quadrille_protocol::AccessFrame::Identified). Until then only the
    /// room checks protected ranges that name their editors.
    Identified { account: Arc<str>, email: Arc<str> },
    /// The locale in which input is read changed.
    Locale(LocaleSettings),
    /// A timer tick, expected about every [`PRESENCE_INTERVAL_MS`](crate::limits::PRESENCE_INTERVAL_MS) ms
    /// while connected.
    Tick,
}

/// An action that the replica asks its environment to perform.
#[derive(Clone, PartialEq, Debug)]
pub enum Effect {
    /// Send a frame to the room.
    Send(Vec<u8>),
    /// The status changed since the last effect of this kind.
    Status(Status),
    /// [`People`](crate::people::People) changed.
    People,
    /// An error to show to the user.
    Problem(ReplicaError),
    /// The server broke the protocol or ended the session: close the WebSocket.
    Close {
        /// Whether to reconnect.
        should_reconnect: bool,
    },
}

/// Whether the user's changes are stored by the server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Connecting for the first time: there is no document yet.
    Loading,
    /// Every transaction is in the room's journal.
    Saved,
    /// This many transactions were sent and are not confirmed.
    Saving { unconfirmed: usize },
    /// Disconnected; this many transactions wait to be sent.
    Offline { unconfirmed: usize },
}
