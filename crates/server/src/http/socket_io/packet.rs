//! What a packet of a client says, and packets for clients.

use serde_json::{Value as Json, json};

/// Milliseconds between two pings of a client, and after a missing one until its session ends: those of
/// socket.io 1.
pub const PING_INTERVAL_MS: u64 = 25_000;
pub const PING_TIMEOUT_MS: u64 = 60_000;
/// The packet that says nothing: it ends a poll.
pub const NOOP: &str = "6";
/// The packet by which the default namespace is joined.
pub const JOINED: &str = "40";
/// The event that carries EtherCalc's messages.
const EVENT: &str = "data";

/// What a packet says.
#[derive(PartialEq, Debug)]
pub enum Packet {
    Close,
    /// The packet is answered with this one.
    Answered(String),
    /// A message of EtherCalc's protocol; an answer that the client has asked for.
    Message(Json, Option<String>),
    /// Nothing to do.
    Other,
}

/// Reads a packet of engine.io, in which messages are packets of socket.io.
pub fn read(packet: &str) -> Packet {
    if let Some(data) = packet.strip_prefix('2') {
        return Packet::Answered(format!("3{data}"));
    }
    match packet {
        "1" | "41" => Packet::Close,
        _ => packet.strip_prefix("42").and_then(event).unwrap_or(Packet::Other),
    }
}

/// An event, `["data",{…}]`, after the number of the answer that the client asks for. Events of
/// namespaces are none of EtherCalc's.
fn event(text: &str) -> Option<Packet> {
    let start = text.find(|character: char| !character.is_ascii_digit())?;
    let (number, event) = text.split_at(start);
    let answer = (!number.is_empty()).then(|| format!("43{number}[]"));
    let Ok(Json::Array(mut members)) = serde_json::from_str::<Json>(event) else { return None };
    if members.len() < 2 || members[0] != EVENT || !members[1].is_object() {
        return answer.map(Packet::Answered);
    }
    Some(Packet::Message(members.swap_remove(1), answer))
}

/// The first packet of a session.
pub fn opened(sid: &str, can_upgrade: bool) -> String {
    let upgrades: &[&str] = if can_upgrade { &["websocket"] } else { &[] };
    let opened = json!({
        "sid": sid, "upgrades": upgrades, "pingInterval": PING_INTERVAL_MS, "pingTimeout": PING_TIMEOUT_MS,
    });
    format!("0{opened}")
}

/// A message of EtherCalc's protocol, given as JSON, as a packet in ASCII: clients of 2014 encode other
/// characters twice.
pub fn message(json: &str) -> String {
    let mut packet = format!("42[\"{EVENT}\",");
    for character in json.chars() {
        if character.is_ascii() {
            packet.push(character);
        } else {
            // In JSON other characters are within texts only.
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                packet.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    packet.push(']');
    packet
}

/// A packet as the client meant it. Clients of 2014 encode texts in UTF-8 and send each byte as a
/// character (engine.io-parser before 1.2); in later ones such characters in a valid order are too rare
/// to be told apart.
pub fn decoded_text(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let bytes: Option<Vec<u8>> =
        text.chars().map(|character| u8::try_from(u32::from(character)).ok()).collect();
    bytes.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_else(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_read_as_socket_io_writes_them() {
        let message = json!({ "type": "ask.log", "room": "a" });
        assert_eq!(
            read(r#"42["data",{"type":"ask.log","room":"a"}]"#),
            Packet::Message(message.clone(), None)
        );
        let answered = Packet::Message(message, Some("4312[]".to_owned()));
        assert_eq!(read(r#"4212["data",{"type":"ask.log","room":"a"}]"#), answered);
        assert_eq!(read("2probe"), Packet::Answered("3probe".to_owned()));
        assert_eq!(read("427[\"other\"]"), Packet::Answered("437[]".to_owned()));
        for packet in ["", "40", "42", "42[", "42[\"data\",7]", "42/chat,[\"data\",{}]", "4", "6"] {
            assert_eq!(read(packet), Packet::Other, "{packet}");
        }
        assert_eq!(read("41"), Packet::Close);
    }

    #[test]
    fn texts_arrive_whether_they_are_encoded_once_or_twice() {
        assert_eq!(message(r#"{"a":"é😀"}"#), r#"42["data",{"a":"\u00e9\ud83d\ude00"}]"#);
        let twice: String = "é😀".bytes().map(char::from).collect();
        assert_eq!(decoded_text(&twice), "é😀");
        for text in ["é", "😀", "plain"] {
            assert_eq!(decoded_text(text), text);
        }
    }
}
