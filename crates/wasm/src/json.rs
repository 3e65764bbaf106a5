//! Writes the messages to the page as JSON.

use serde::Serialize;

pub fn to_json(message: &impl Serialize) -> Vec<u8> {
    quadrille_json::write(message)
}
