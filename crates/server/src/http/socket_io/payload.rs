//! Packets of engine.io in the bodies of requests and responses.
//!
//! A text is `length:packet` for each packet, with lengths in UTF-16 code units. Bytes are, for each
//! packet, a zero for a text, the digits of its length as numbers, 255, and the text in UTF-8
//! (engine.io protocol, "payload").

use super::packet::decoded_text;

/// Packets in a body, at most: a client sends few at once.
const PACKETS_MAX: usize = 1_000;
/// Ends the length of a packet.
const END_OF_LENGTH: u8 = 255;

/// The packets as a text.
pub fn encode_text(packets: &[String]) -> String {
    packets.iter().map(|packet| format!("{}:{packet}", packet.encode_utf16().count())).collect()
}

/// The packets as bytes.
pub fn encode_bytes(packets: &[String]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for packet in packets {
        bytes.push(0);
        bytes.extend(packet.len().to_string().bytes().map(|digit| digit - b'0'));
        bytes.push(END_OF_LENGTH);
        bytes.extend(packet.bytes());
    }
    bytes
}

/// The packets of a body; `None` for anything else.
pub fn decode(body: &[u8], is_bytes: bool) -> Option<Vec<String>> {
    let packets = match is_bytes {
        true => decode_bytes(body),
        false => decode_text(std::str::from_utf8(body).ok()?),
    };
    packets.filter(|packets| packets.len() <= PACKETS_MAX)
}

fn decode_text(mut rest: &str) -> Option<Vec<String>> {
    let mut packets = Vec::new();
    while !rest.is_empty() {
        let (length, after) = rest.split_once(':')?;
        let mut units = length.parse::<usize>().ok()?;
        let mut end = 0;
        for character in after.chars() {
            if units == 0 {
                break;
            }
            units = units.checked_sub(character.len_utf16())?;
            end += character.len_utf8();
        }
        if units > 0 {
            return None;
        }
        packets.push(decoded_text(&after[..end]));
        rest = &after[end..];
    }
    Some(packets)
}

fn decode_bytes(mut rest: &[u8]) -> Option<Vec<String>> {
    let mut packets = Vec::new();
    while let [kind, after @ ..] = rest {
        let digits = after.iter().position(|byte| *byte == END_OF_LENGTH)?;
        let length = after[..digits].iter().try_fold(0_usize, |length, digit| {
            let digit = Some(*digit).filter(|digit| *digit < 10)?;
            length.checked_mul(10)?.checked_add(digit.into())
        })?;
        let packet = after.get(digits + 1..)?.get(..length)?;
        if *kind != 0 {
            // Binary messages are not part of EtherCalc's protocol.
            return None;
        }
        packets.push(String::from_utf8(packet.to_vec()).ok()?);
        rest = &after[digits + 1 + length..];
    }
    Some(packets)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `4é` is the example of the protocol's description: two characters, three bytes.
    #[test]
    fn lengths_of_texts_count_characters_and_those_of_bytes_count_bytes() {
        let packets = ["4é".to_owned(), "2".to_owned()];
        assert_eq!(encode_text(&packets), "2:4é1:2");
        let bytes = encode_bytes(&packets);
        assert_eq!(bytes, [&[0, 3, 255, b'4', 0xc3, 0xa9][..], &[0, 1, 255, b'2']].concat());
        assert_eq!(decode("2:4é1:2".as_bytes(), false), Some(packets.to_vec()));
        assert_eq!(decode(&bytes, true), Some(packets.to_vec()));
        assert_eq!(decode("3:4😀".as_bytes(), false), Some(vec!["4😀".to_owned()]));
        assert_eq!(decode(b"", false), Some(Vec::new()));
    }

    #[test]
    fn other_bodies_are_refused() {
        for text in ["4", "x:4", "5:4", "2:4😀", ":"] {
            assert_eq!(decode(text.as_bytes(), false), None, "{text}");
        }
        for bytes in
            [&[0][..], &[0, 255], &[0, 9, 255, b'4'], &[1, 1, 255, b'4'], &[0, 1, 255, 0xff], &[0, 40, 255]]
        {
            assert!(decode(bytes, true).is_none_or(|packets| packets == [""]), "{bytes:?}");
        }
    }
}
