//! [`OpenRoomInfo`]: a room in memory and its sessions, as the admin sees them.

use std::time::Duration;

use quadrille_access::AccountId;
use quadrille_protocol::{Role, RoomName};

use super::client::Client;

/// A room in memory.
pub struct OpenRoomInfo {
    pub room: RoomName,
    pub title: Option<String>,
    /// Transactions recorded since the room was opened.
    pub transactions: u64,
    /// Time for which the room has occupied its thread since it was opened.
    pub busy: Duration,
    pub sessions: Vec<SessionInfo>,
}

/// A session of an open room.
pub struct SessionInfo {
    pub account: Option<AccountId>,
    /// Empty for programs on the server's own machine.
    pub address: String,
    pub role: Role,
}

impl SessionInfo {
    /// Describes a session.
    pub fn of(client: &Client) -> SessionInfo {
        SessionInfo {
            account: client.identity.credentials.account.as_ref().map(|account| account.id),
            address: client.address.map_or(String::new(), |address| address.to_string()),
            role: client.role,
        }
    }
}
