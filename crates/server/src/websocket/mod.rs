//! WebSocket (RFC 6455) as far as a room needs it: binary messages, no extensions, server side.
//!
//! Our own, because an idle connection must cost a few hundred bytes and a frame is shared by thousands of receivers:
//! [`incoming`] takes messages out of what was read, [`outgoing`] is a frame that any number of connections may share,
//! [`handshake`] is the upgrade. Tested against `tungstenite` as the other end.

pub mod handshake;
pub mod incoming;
pub mod outgoing;

/// What a frame is (RFC 6455, 5.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Opcode {
    Continuation = 0,
    Text = 1,
    Binary = 2,
    Close = 8,
    Ping = 9,
    Pong = 10,
}

impl Opcode {
    fn from_code(code: u8) -> Option<Opcode> {
        [Opcode::Continuation, Opcode::Text, Opcode::Binary, Opcode::Close, Opcode::Ping, Opcode::Pong]
            .into_iter()
            .find(|opcode| *opcode as u8 == code)
    }

    fn is_control(self) -> bool {
        self as u8 >= 8
    }
}

/// Payload of a control frame at most (RFC 6455, 5.5).
pub const CONTROL_BYTES_MAX: usize = 125;
