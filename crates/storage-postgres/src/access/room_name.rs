//! Names of rooms in stored rows.

use quadrille_access::AccessError;
use quadrille_protocol::RoomName;

/// The name of a room in a row.
///
/// # Errors
/// `Damaged` when it is not a name of a room.
pub(super) fn room_name(name: &str) -> Result<RoomName, AccessError> {
    RoomName::new(name).map_err(|error| AccessError::Damaged {
        what: format!("the workbook named {}", name.escape_default()),
        reason: error.to_string(),
    })
}
