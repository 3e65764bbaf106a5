//! [`room_of`]: the room that a message is about, so that it can be passed on to the server that runs it.

use quadrille_protocol::RoomName;
use serde::Deserialize;

use crate::room_name;

/// The parts of a JSON-RPC message that name a room.
#[derive(Deserialize)]
struct Message {
    method: String,
    params: Option<Parameters>,
}

#[derive(Deserialize)]
struct Parameters {
    arguments: Option<Arguments>,
}

#[derive(Deserialize)]
struct Arguments {
    room: Option<String>,
}

/// Returns the room that the call of a tool names. `None` for other messages, and for what is none, which the handler
/// refuses.
pub fn room_of(message: &[u8]) -> Option<RoomName> {
    let message: Message = serde_json::from_slice(message).ok()?;
    let room = message.params.filter(|_| message.method == "tools/call")?.arguments?.room?;
    room_name::parse(&room).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_tools_name_a_room() {
        for (message, room) in [
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"undo","arguments":{"room":"plan"}}}"#,
                Some("plan"),
            ),
            (r#"{"method":"tools/call","params":{"arguments":{"room":"a/b"}}}"#, None),
            (r#"{"method":"tools/call","params":{"arguments":{"room":7}}}"#, None),
            (r#"{"method":"tools/call","params":{"name":"list_workbooks"}}"#, None),
            (r#"{"method":"tools/list","params":{"arguments":{"room":"plan"}}}"#, None),
            (r#"[{"method":"tools/call"}]"#, None),
            ("", None),
        ] {
            let found = room_of(message.as_bytes());
            assert_eq!(found.as_ref().map(RoomName::as_str), room, "{message}");
        }
    }
}
