//! A frame to be sent. Servers do not mask frames, so all receivers share the same bytes.

use std::sync::Arc;

use super::{CONTROL_BYTES_MAX, Opcode};

/// A message in one frame: a header and a shared payload. Cloning is O(1).
#[derive(Clone, Debug)]
pub struct OutFrame {
    head: [u8; 10],
    head_length: u8,
    payload: Arc<[u8]>,
}

impl OutFrame {
    /// A binary message.
    pub fn binary(payload: Arc<[u8]>) -> OutFrame {
        OutFrame::new(Opcode::Binary, payload)
    }

    /// A text message.
    pub fn text(text: &str) -> OutFrame {
        OutFrame::new(Opcode::Text, text.as_bytes().into())
    }

    /// A ping without payload.
    pub fn ping() -> OutFrame {
        OutFrame::ping_with(&[])
    }

    /// A ping whose answer has the same payload.
    pub fn ping_with(payload: &[u8]) -> OutFrame {
        debug_assert!(payload.len() <= CONTROL_BYTES_MAX);
        OutFrame::new(Opcode::Ping, payload.into())
    }

    /// The answer to a ping with this payload.
    pub fn pong(payload: &[u8]) -> OutFrame {
        debug_assert!(payload.len() <= CONTROL_BYTES_MAX);
        OutFrame::new(Opcode::Pong, payload.into())
    }

    /// A close frame.
    pub fn close(code: u16, reason: &str) -> OutFrame {
        debug_assert!(reason.len() + 2 <= CONTROL_BYTES_MAX);
        OutFrame::new(Opcode::Close, [&code.to_be_bytes()[..], reason.as_bytes()].concat().into())
    }

    fn new(opcode: Opcode, payload: Arc<[u8]>) -> OutFrame {
        const IS_LAST: u8 = 0x80;
        let mut head = [0; 10];
        head[0] = IS_LAST | opcode as u8;
        let length = payload.len();
        let head_length = match length {
            0..=125 => {
                head[1] = length as u8;
                2
            }
            126..=0xffff => {
                head[1] = 126;
                head[2..4].copy_from_slice(&(length as u16).to_be_bytes());
                4
            }
            _ => {
                head[1] = 127;
                head[2..10].copy_from_slice(&(length as u64).to_be_bytes());
                10
            }
        };
        OutFrame { head, head_length, payload }
    }

    /// Returns the number of bytes on the wire.
    pub fn len(&self) -> usize {
        usize::from(self.head_length) + self.payload.len()
    }

    /// Returns the bytes after the first `skip` bytes, as the rest of the header and the rest of
    /// the payload.
    pub fn rest(&self, skip: usize) -> [&[u8]; 2] {
        let head = &self.head[..usize::from(self.head_length)];
        let payload_skip = skip.saturating_sub(head.len());
        [&head[skip.min(head.len())..], &self.payload[payload_skip..]]
    }
}
