//! The JSON messages of EtherCalc's live protocol.

use serde_json::{Value as Json, json};

/// The authorization of a client that only looks.
pub const VIEW_ONLY: &str = "0";

/// A message of a client.
pub enum ClientMessage {
    AskLog {
        room: String,
    },
    AskRecalc {
        room: String,
    },
    Execute {
        room: String,
        commands: String,
        json: Json,
    },
    Chat {
        text: String,
        json: Json,
    },
    AskEcells,
    /// The cursor, to be kept for those who ask for all: `my.ecell`.
    OwnEcell {
        ecell: String,
    },
    /// A message for the other clients: `ecell`, `ask.ecell`.
    Cursor(CursorMessage),
    StopHuddle {
        json: Json,
    },
    /// Nothing that the server has to know of.
    Ignored,
}

/// A message about cursors.
pub struct CursorMessage {
    /// The cell of the cursor; `None` asks the others for theirs.
    pub ecell: Option<String>,
    /// The only client that the message is for.
    pub to: Option<String>,
    pub json: Json,
}

/// Reads a message of a client in `own`, the room of the connection.
///
/// # Errors
///
/// Fails with a text for the client.
pub fn read(bytes: &[u8], own: &str) -> Result<ClientMessage, String> {
    let json: Json = serde_json::from_slice(bytes).map_err(|error| format!("not JSON: {error}"))?;
    let text = |name: &str| json.get(name).and_then(Json::as_str).map(str::to_owned);
    let kind = text("type").ok_or("a message is an object with a member \"type\"")?;
    // EtherCalc reserves names that begin with an underscore.
    let room = text("room").map_or_else(|| own.to_owned(), |room| room.trim_start_matches('_').to_owned());
    let needed = |name: &str| text(name).ok_or_else(|| format!("a message {kind} has a text \"{name}\""));
    Ok(match kind.as_str() {
        "ask.log" => ClientMessage::AskLog { room },
        "ask.recalc" => ClientMessage::AskRecalc { room },
        "execute" if text("auth").as_deref() == Some(VIEW_ONLY) => {
            return Err("auth=0 is for looking only".to_owned());
        }
        "execute" => ClientMessage::Execute { room, commands: needed("cmdstr")?, json },
        "chat" => ClientMessage::Chat { text: needed("msg")?, json },
        "ask.ecells" => ClientMessage::AskEcells,
        "my.ecell" => ClientMessage::OwnEcell { ecell: needed("ecell")? },
        "ecell" => {
            ClientMessage::Cursor(CursorMessage { ecell: Some(needed("ecell")?), to: text("to"), json })
        }
        "ask.ecell" => ClientMessage::Cursor(CursorMessage { ecell: None, to: text("to"), json }),
        "stopHuddle" => ClientMessage::StopHuddle { json },
        "connect" | "ignore" => ClientMessage::Ignored,
        _ => return Err(format!("unknown message type: {kind}")),
    })
}

/// Commands that others have given, with the members of `sender`'s own message if they were given there.
/// Clients ignore what seems to come from themselves: then it is without `user`.
pub fn execute(room: &str, commands: &str, sender: Option<&Json>, own_user: &str) -> String {
    let mut message = sender.cloned().unwrap_or_else(|| json!({}));
    message["type"] = "execute".into();
    message["room"] = room.into();
    message["cmdstr"] = commands.into();
    if message["user"] == own_user
        && let Some(members) = message.as_object_mut()
    {
        members.remove("user");
    }
    message.to_string()
}

/// A message of a client for the others, in its room and under its name.
pub fn forwarded(mut message: Json, room: &str, user: &str, keeps_auth: bool) -> Json {
    if let Some(members) = message.as_object_mut() {
        members.insert("room".to_owned(), room.into());
        if !members.get("user").is_some_and(Json::is_string) {
            members.insert("user".to_owned(), user.into());
        }
        if !keeps_auth {
            members.remove("auth");
        }
    }
    message
}

/// The answer to a form that was sent: the commands by which its row was added to `room`.
pub fn submitted(room: &str, user: &str, commands: &str) -> String {
    json!({ "type": "execute", "room": room, "user": user, "cmdstr": commands, "include_self": true })
        .to_string()
}

/// The whole sheet, which replaces what the client shows.
pub fn snapshot(room: &str, save: &str) -> String {
    json!({ "type": "snapshot", "room": room, "snapshot": save }).to_string()
}

/// The answer to `ask.log`. The log is empty: the save has what its commands did.
pub fn log(room: &str, save: Option<&str>, chat: &[String]) -> String {
    json!({ "type": "log", "room": room, "log": [], "chat": chat, "snapshot": save }).to_string()
}

/// The answer to `ask.recalc`.
pub fn recalc(room: &str, save: Option<&str>) -> String {
    json!({ "type": "recalc", "room": room, "log": [], "snapshot": save }).to_string()
}

/// The save of another room that has changed.
pub fn recalc_forced(room: &str, save: Option<&str>) -> String {
    json!({ "type": "recalc", "room": room, "snapshot": save, "force": true }).to_string()
}

/// A chat message of somebody else.
pub fn chat(room: &str, user: &str, text: &str) -> String {
    json!({ "type": "chat", "room": room, "user": user, "msg": text }).to_string()
}

/// The cursor of somebody else.
pub fn ecell(room: &str, user: &str, original: Option<&str>, ecell: &str, to: Option<&str>) -> String {
    let mut message = json!({ "type": "ecell", "room": room, "user": user, "ecell": ecell });
    for (name, value) in [("original", original), ("to", to)] {
        if let Some(value) = value {
            message[name] = value.into();
        }
    }
    message.to_string()
}

/// Asks the client for its cursor, in the name of `user`.
pub fn ask_ecell(room: &str, user: &str) -> String {
    json!({ "type": "ask.ecell", "room": room, "user": user }).to_string()
}

/// The cursors of all others.
pub fn ecells(room: &str, cursors: impl IntoIterator<Item = (String, String)>) -> String {
    let cursors: serde_json::Map<String, Json> =
        cursors.into_iter().map(|(user, ecell)| (user, ecell.into())).collect();
    json!({ "type": "ecells", "room": room, "ecells": cursors }).to_string()
}

/// The result of the command `sendemail`, with a text of EtherCalc's.
pub fn mail(is_accepted: bool) -> String {
    let message = match is_accepted {
        true => " [E-mail Sent]",
        false => " EMAIL ERROR - the server cannot send it now",
    };
    json!({ "type": "confirmemailsent", "message": message }).to_string()
}

/// A refused message.
pub fn error(room: &str, message: &str) -> String {
    json!({ "type": "error", "room": room, "message": message }).to_string()
}
