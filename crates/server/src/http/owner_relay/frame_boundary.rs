//! Where a WebSocket frame ends in a stream of bytes that is only passed on: only there another frame
//! can be added.

const CLOSE: u8 = 0x8;

/// Follows the frames of a server, which are not masked (RFC 6455, 5.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FrameBoundary {
    /// Bytes of an unfinished head.
    head: [u8; 10],
    head_length: usize,
    payload_left: u64,
    /// A close frame has begun: no frame comes after it.
    has_closed: bool,
}

impl FrameBoundary {
    /// Takes note of bytes of the stream.
    pub fn passed(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.payload_left > 0 {
                let skipped = self.payload_left.min(bytes.len() as u64);
                self.payload_left -= skipped;
                bytes = &bytes[skipped as usize..];
                continue;
            }
            self.head[self.head_length] = bytes[0];
            self.head_length += 1;
            bytes = &bytes[1..];
            if let Some(length) = self.payload_length() {
                self.has_closed |= self.head[0] & 0x0f == CLOSE;
                (self.payload_left, self.head_length) = (length, 0);
            }
        }
    }

    /// The length of the payload, once the head is complete.
    fn payload_length(&self) -> Option<u64> {
        let head = &self.head[..self.head_length];
        match (*head.get(1)? & 0x7f, head) {
            (126, [_, _, high, low]) => Some(u16::from_be_bytes([*high, *low]).into()),
            (127, [_, _, length @ ..]) => length.try_into().ok().map(u64::from_be_bytes),
            (126, _) => None,
            (length, _) => Some(length.into()),
        }
    }

    /// Whether a frame can be added here.
    pub fn is_between_frames(&self) -> bool {
        self.payload_left == 0 && self.head_length == 0 && !self.has_closed
    }

    /// Whether the server has sent a close frame.
    pub fn has_closed(&self) -> bool {
        self.has_closed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::websocket::outgoing_frame::OutFrame;

    fn bytes(frame: &OutFrame) -> Vec<u8> {
        frame.rest(0).concat()
    }

    /// Frames of each form of length, in pieces of every size.
    #[test]
    fn frames_end_where_the_next_one_can_begin() {
        for length in [0usize, 1, 125, 126, 127, 300, 65_535, 65_536, 70_000] {
            let frame = bytes(&OutFrame::binary(vec![0x88; length].into()));
            for piece in [1, 2, 3, 9, 4_096, frame.len()] {
                let mut boundary = FrameBoundary::default();
                assert!(boundary.is_between_frames());
                let mut passed = 0;
                for piece in frame.chunks(piece) {
                    boundary.passed(piece);
                    passed += piece.len();
                    assert_eq!(boundary.is_between_frames(), passed == frame.len(), "{length} {passed}");
                }
                boundary.passed(&bytes(&OutFrame::ping()));
                assert!(boundary.is_between_frames() && !boundary.has_closed());
            }
        }
    }

    #[test]
    fn nothing_is_added_behind_a_close_frame() {
        let mut boundary = FrameBoundary::default();
        boundary.passed(&bytes(&OutFrame::close(4403, "forbidden")));
        assert!(boundary.has_closed() && !boundary.is_between_frames());
    }
}
