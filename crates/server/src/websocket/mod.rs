//! The server side of WebSocket (RFC 6455) without extensions, for binary messages.
//!
//! An implementation of our own, because an idle connection must cost a few hundred bytes only and
//! one frame is shared by thousands of receivers. [`handshake`] is the upgrade, [`message_reader`]
//! decodes received bytes, [`outgoing_frame`] is a frame that any number of connections can share.
//! Tested against `tungstenite`.

pub mod handshake;
pub mod message_reader;
pub mod outgoing_frame;

/// The opcode of a frame (RFC 6455, 5.2).
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

/// Maximum payload of a control frame (RFC 6455, 5.5).
pub const CONTROL_BYTES_MAX: usize = 125;
