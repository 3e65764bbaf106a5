//! The client side of WebSocket framing (RFC 6455), as far as the load generator needs it.

/// The upgrade request. Its key is the example of the RFC, since all connections may use the same.
pub fn upgrade_request(path: &str, host: &str) -> Vec<u8> {
    format!(
        "GET {path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    .into_bytes()
}

/// The length of a complete upgrade reply, or the status line of a rejection; `None` when it is
/// incomplete.
pub fn upgrade_reply(bytes: &[u8]) -> Option<Result<usize, String>> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let first = String::from_utf8_lossy(&bytes[..end]).lines().next().unwrap_or_default().to_owned();
    Some(if first.contains(" 101 ") { Ok(end) } else { Err(first) })
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Opcode {
    Text = 1,
    Binary = 2,
    Close = 8,
    Ping = 9,
    Pong = 10,
}

/// The masking key; not zero, so that the server has to unmask.
const MASK: [u8; 4] = [0x37, 0xfa, 0x21, 0x3d];

/// Appends a masked message.
pub fn write(out: &mut Vec<u8>, opcode: Opcode, payload: &[u8]) {
    out.push(0x80 | opcode as u8);
    match payload.len() {
        length @ 0..=125 => out.push(0x80 | length as u8),
        length @ 126..=0xffff => {
            out.push(0x80 | 126);
            out.extend_from_slice(&(length as u16).to_be_bytes());
        }
        length => {
            out.push(0x80 | 127);
            out.extend_from_slice(&(length as u64).to_be_bytes());
        }
    }
    out.extend_from_slice(&MASK);
    out.extend(payload.iter().zip(MASK.iter().cycle()).map(|(byte, mask)| byte ^ mask));
}

#[derive(PartialEq, Eq, Debug)]
pub enum Parsed<'a> {
    /// The message is incomplete.
    Incomplete,
    Message {
        opcode: Opcode,
        payload: &'a [u8],
        length: usize,
    },
    Wrong(&'static str),
}

/// Parses the first message. The servers under test do not fragment messages of this size.
pub fn parse(bytes: &[u8]) -> Parsed<'_> {
    let [first, second, ..] = *bytes else { return Parsed::Incomplete };
    if first & 0x80 == 0 {
        return Parsed::Wrong("a fragment");
    }
    if second & 0x80 != 0 {
        return Parsed::Wrong("a masked frame from a server");
    }
    let opcode = match first & 0x0f {
        1 => Opcode::Text,
        2 => Opcode::Binary,
        8 => Opcode::Close,
        9 => Opcode::Ping,
        10 => Opcode::Pong,
        _ => return Parsed::Wrong("an unknown opcode"),
    };
    let (head, length): (usize, usize) = match second & 0x7f {
        126 => match bytes.get(2..4) {
            Some(length) => (4, usize::from(u16::from_be_bytes([length[0], length[1]]))),
            None => return Parsed::Incomplete,
        },
        127 => match bytes.get(2..10).and_then(|length| <[u8; 8]>::try_from(length).ok()) {
            Some(length) => (10, u64::from_be_bytes(length) as usize),
            None => return Parsed::Incomplete,
        },
        length => (2, usize::from(length)),
    };
    match head.checked_add(length).and_then(|end| bytes.get(head..end)) {
        Some(payload) => Parsed::Message { opcode, payload, length: head + length },
        None => Parsed::Incomplete,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 6455, 5.7: a masked "Hello" and an unmasked one.
    #[test]
    fn frames_equal_the_examples_of_the_rfc() {
        let mut out = Vec::new();
        write(&mut out, Opcode::Text, b"Hello");
        assert_eq!(out, [0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58]);
        let unmasked = [0x81, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f];
        let expected = Parsed::Message { opcode: Opcode::Text, payload: b"Hello", length: 7 };
        assert_eq!(parse(&unmasked), expected);
        assert_eq!(parse(&unmasked[..6]), Parsed::Incomplete);
    }

    #[test]
    fn extended_lengths_are_parsed() {
        for (head, length) in
            [(vec![0x82, 126, 1, 0], 256), (vec![0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0], 65_536)]
        {
            let bytes = [&head[..], &vec![7; length]].concat();
            let Parsed::Message { payload, .. } = parse(&bytes) else { panic!("{head:?}") };
            assert_eq!(payload.len(), length);
            assert_eq!(parse(&bytes[..bytes.len() - 1]), Parsed::Incomplete);
        }
    }
}
