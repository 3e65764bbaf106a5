//! Serialization of messages to the client.

use serde::Serialize;

/// The JSON text of a message.
pub fn to_json(message: &impl Serialize) -> Vec<u8> {
    quadrille_json::write(message)
}
