//! A frame to be sent. Servers do not mask frames, so all receivers share the same bytes.
//!
//! Between two servers, a frame is the payload of a message with a head of its own
//! (`http/owner_relay/room_stream`), which also shares the bytes.

use std::sync::Arc;

use super::{CONTROL_BYTES_MAX, Opcode};

/// Bytes of the longest head: that of a message between two servers, followed by that of a frame.
const HEAD_BYTES_MAX: usize = ENVELOPE_BYTES + 10;
/// Bytes of the head of a message between two servers.
pub const ENVELOPE_BYTES: usize = 17;

/// A message in one frame: a header and a shared payload. Cloning is O(1).
#[derive(Clone, Debug)]
pub struct OutFrame {
    head: [u8; HEAD_BYTES_MAX],
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

    /// A frame that is encoded already.
    pub fn encoded(bytes: Arc<[u8]>) -> OutFrame {
        OutFrame { head: [0; HEAD_BYTES_MAX], head_length: 0, payload: bytes }
    }

    /// The same frame as the payload of a message between two servers; `envelope` is the head of the message.
    /// A frame has one envelope at most.
    pub fn in_envelope(&self, envelope: [u8; ENVELOPE_BYTES]) -> OutFrame {
        let inner = usize::from(self.head_length);
        debug_assert!(inner + ENVELOPE_BYTES <= HEAD_BYTES_MAX, "an envelope in an envelope");
        let mut head = [0; HEAD_BYTES_MAX];
        head[..ENVELOPE_BYTES].copy_from_slice(&envelope);
        head[ENVELOPE_BYTES..][..inner].copy_from_slice(&self.head[..inner]);
        OutFrame { head, head_length: (ENVELOPE_BYTES + inner) as u8, payload: Arc::clone(&self.payload) }
    }

    fn new(opcode: Opcode, payload: Arc<[u8]>) -> OutFrame {
        const IS_LAST: u8 = 0x80;
        let mut head = [0; HEAD_BYTES_MAX];
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
