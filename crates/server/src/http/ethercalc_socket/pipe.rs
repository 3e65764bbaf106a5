//! The frames of a room for a session whose task reads them itself.

use std::io::{self, ErrorKind, IoSlice};
use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;

use crate::rooms::SocketIo;

/// Bytes that wait for the task; then the room's queue and its limits apply.
const BYTES_MAX: usize = 256 << 10;

/// What the room writes to the session, until its task reads it.
#[derive(Default)]
pub struct Pipe {
    written: Mutex<Vec<u8>>,
    ready: Notify,
}

impl SocketIo for Pipe {
    fn try_write(&self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if written.len() >= BYTES_MAX {
            return Err(ErrorKind::WouldBlock.into());
        }
        let before = written.len();
        for slice in slices {
            written.extend_from_slice(slice);
        }
        self.ready.notify_one();
        Ok(written.len() - before)
    }

    fn try_flush(&self) -> io::Result<bool> {
        Ok(true)
    }
}

impl Pipe {
    /// Waits until the room has written something. Cancel-safe.
    pub async fn ready(&self) {
        self.ready.notified().await;
    }

    /// Takes what the room has written.
    pub fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.written.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Splits what the room has written into the payloads of its binary frames.
#[derive(Default)]
pub struct FrameSplitter {
    unread: Vec<u8>,
}

/// The opcode of a binary message in the last fragment (RFC 6455, 5.2).
const BINARY: u8 = 0x82;

impl FrameSplitter {
    /// Adds bytes and returns the payloads that are complete. Frames for the client's connection,
    /// such as the close frame, are left out: the task sends its own.
    pub fn split(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
        self.unread.extend_from_slice(bytes);
        let mut payloads = Vec::new();
        let mut start = 0;
        while let Some((head, length)) = length_of(&self.unread[start..]) {
            let end = start + head + length;
            if end > self.unread.len() {
                break;
            }
            if self.unread[start] == BINARY {
                payloads.push(self.unread[start + head..end].to_vec());
            }
            start = end;
        }
        self.unread.drain(..start);
        payloads
    }
}

/// The lengths of the header and of the payload of a frame that is not masked.
fn length_of(bytes: &[u8]) -> Option<(usize, usize)> {
    match bytes.get(1)? & 0x7f {
        126 => Some((4, u16::from_be_bytes(*bytes.get(2..)?.first_chunk()?).into())),
        127 => Some((10, u64::from_be_bytes(*bytes.get(2..)?.first_chunk()?) as usize)),
        short => Some((2, short.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::websocket::outgoing_frame::OutFrame;

    #[test]
    fn frames_of_every_length_are_split_wherever_the_bytes_are_cut() {
        let payloads: Vec<Vec<u8>> = [1, 125, 126, 70_000].map(|length| vec![7; length]).into();
        let frames = payloads.iter().map(|payload| OutFrame::binary(payload.clone().into()));
        let all = frames.chain([OutFrame::ping(), OutFrame::close(1000, "")]);
        let bytes: Vec<u8> = all.flat_map(|frame| frame.rest(0).concat()).collect();
        let mut splitter = FrameSplitter::default();
        let split: Vec<Vec<u8>> = bytes.chunks(997).flat_map(|piece| splitter.split(piece)).collect();
        assert_eq!(split, payloads);
    }
}
