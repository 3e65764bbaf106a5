//! Decodes the messages of a client.

use bytes::Bytes;

use super::{CONTROL_BYTES_MAX, Opcode};

/// A message or control frame of a client.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Incoming {
    Message(Bytes),
    Ping(Bytes),
    Pong(Bytes),
    Close,
}

/// An error after which no more messages can be read, and the connection is closed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReadError {
    /// A violation of RFC 6455, with the rule.
    Protocol(&'static str),
    /// A text message, where only binary messages are accepted.
    Text,
    /// A text message or close reason that is not UTF-8.
    InvalidUtf8,
    /// A message longer than the limit.
    TooLarge,
}

/// Received bytes that are not yet a complete message. Uses memory only while a message is
/// arriving, and never more than the bytes received: memory is not allocated by a declared length.
pub struct MessageReader {
    unread: Vec<u8>,
    /// Number of bytes of `unread` that have been consumed.
    start: usize,
    /// The fragments of an incomplete message, and whether it is text.
    fragments: Option<(Vec<u8>, bool)>,
    message_bytes_max: usize,
    accepts_text: bool,
}

/// The decoded header of a frame.
struct Header {
    is_last: bool,
    opcode: Opcode,
    mask: [u8; 4],
    /// Bytes of the header.
    length: usize,
    payload_length: usize,
}

impl MessageReader {
    /// A reader that accepts messages up to this length.
    pub fn new(message_bytes_max: usize) -> MessageReader {
        MessageReader {
            unread: Vec::new(),
            start: 0,
            fragments: None,
            message_bytes_max,
            accepts_text: false,
        }
    }

    /// The same reader, which accepts text messages too.
    pub fn with_text(self) -> MessageReader {
        MessageReader { accepts_text: true, ..self }
    }

    /// Adds received bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.unread.extend_from_slice(bytes);
    }

    /// Returns the next message or control frame; `None` until more bytes are pushed.
    pub fn next(&mut self) -> Result<Option<Incoming>, ReadError> {
        loop {
            let Some(head) = self.head()? else { return Ok(self.wait()) };
            let payload = self.start + head.length;
            let end = payload + head.payload_length;
            if self.unread.len() < end {
                return Ok(self.wait());
            }
            unmask(&mut self.unread[payload..end], head.mask);
            self.start = end;
            if let Some(incoming) = self.take(&head, payload..end)? {
                return Ok(Some(incoming));
            }
        }
    }

    /// Frees consumed memory before waiting for more bytes.
    fn wait(&mut self) -> Option<Incoming> {
        if self.start == self.unread.len() {
            (self.unread, self.start) = (Vec::new(), 0);
        } else if self.start > 0 {
            self.unread.drain(..self.start);
            self.start = 0;
        }
        None
    }

    fn head(&self) -> Result<Option<Header>, ReadError> {
        let bytes = &self.unread[self.start..];
        let [first, second, rest @ ..] = bytes else { return Ok(None) };
        let (is_last, is_masked, short) = (first & 0x80 != 0, second & 0x80 != 0, usize::from(second & 0x7f));
        if first & 0x70 != 0 {
            return Err(ReadError::Protocol("a reserved bit is set"));
        }
        let opcode = Opcode::from_code(first & 0x0f).ok_or(ReadError::Protocol("unknown opcode"))?;
        if !is_masked {
            return Err(ReadError::Protocol("a frame is not masked"));
        }
        if opcode.is_control() && (!is_last || short > CONTROL_BYTES_MAX) {
            return Err(ReadError::Protocol("a control frame is too long or fragmented"));
        }
        let (payload_length, more) = match short {
            126 => match rest.first_chunk::<2>() {
                Some(length) => (u64::from(u16::from_be_bytes(*length)), 2),
                None => return Ok(None),
            },
            127 => match rest.first_chunk::<8>() {
                Some(length) => (u64::from_be_bytes(*length), 8),
                None => return Ok(None),
            },
            short => (short as u64, 0),
        };
        let before = match (&self.fragments, opcode) {
            (_, Opcode::Close | Opcode::Ping | Opcode::Pong) => 0,
            (Some((fragments, _)), Opcode::Continuation) => fragments.len(),
            (None, Opcode::Text | Opcode::Binary) => 0,
            (None, Opcode::Continuation) => {
                return Err(ReadError::Protocol("a continuation frame without a message"));
            }
            (Some(_), Opcode::Text | Opcode::Binary) => {
                return Err(ReadError::Protocol("a new message within a fragmented message"));
            }
        };
        // Checked before the payload arrives, so that it is not received in vain.
        if payload_length > (self.message_bytes_max - before) as u64 {
            return Err(ReadError::TooLarge);
        }
        let Some(mask) = rest[more..].first_chunk::<4>() else { return Ok(None) };
        Ok(Some(Header {
            is_last,
            opcode,
            mask: *mask,
            length: 2 + more + 4,
            payload_length: payload_length as usize,
        }))
    }

    /// Handles a complete frame, whose payload is unmasked.
    fn take(
        &mut self,
        head: &Header,
        payload: std::ops::Range<usize>,
    ) -> Result<Option<Incoming>, ReadError> {
        let payload = &self.unread[payload];
        let message = match head.opcode {
            Opcode::Ping => return Ok(Some(Incoming::Ping(Bytes::copy_from_slice(payload)))),
            Opcode::Pong => return Ok(Some(Incoming::Pong(Bytes::copy_from_slice(payload)))),
            Opcode::Close => return check_close(payload).map(|()| Some(Incoming::Close)),
            Opcode::Text | Opcode::Binary => {
                let is_text = head.opcode == Opcode::Text;
                if !head.is_last {
                    self.fragments = Some((payload.to_vec(), is_text));
                    return Ok(None);
                }
                (Bytes::copy_from_slice(payload), is_text)
            }
            Opcode::Continuation => {
                let (fragments, _) = self.fragments.as_mut().expect("checked with the header");
                fragments.extend_from_slice(payload);
                if !head.is_last {
                    return Ok(None);
                }
                let (fragments, is_text) = self.fragments.take().expect("checked with the header");
                (Bytes::from(fragments), is_text)
            }
        };
        match message {
            (bytes, false) => Ok(Some(Incoming::Message(bytes))),
            (bytes, true) if std::str::from_utf8(&bytes).is_err() => Err(ReadError::InvalidUtf8),
            (bytes, true) if self.accepts_text => Ok(Some(Incoming::Message(bytes))),
            (_, true) => Err(ReadError::Text),
        }
    }
}

/// Checks the payload of a close frame: empty, or a permitted code and a reason in UTF-8 (RFC 6455,
/// 5.5.1 and 7.4).
fn check_close(payload: &[u8]) -> Result<(), ReadError> {
    let Some((code, reason)) = payload.split_first_chunk::<2>() else {
        return match payload {
            [] => Ok(()),
            _ => Err(ReadError::Protocol("an incomplete close code")),
        };
    };
    if !matches!(u16::from_be_bytes(*code), 1000..=1003 | 1007..=1014 | 3000..=4999) {
        return Err(ReadError::Protocol("a reserved close code"));
    }
    std::str::from_utf8(reason).map(|_| ()).map_err(|_| ReadError::InvalidUtf8)
}

fn unmask(payload: &mut [u8], mask: [u8; 4]) {
    // Whole words first: the compiler vectorizes this loop.
    let mut words = payload.chunks_exact_mut(4);
    for word in &mut words {
        for (byte, mask) in word.iter_mut().zip(mask) {
            *byte ^= mask;
        }
    }
    for (byte, mask) in words.into_remainder().iter_mut().zip(mask) {
        *byte ^= mask;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tungstenite::protocol::frame::coding::{Control, Data, OpCode};
    use tungstenite::protocol::frame::{Frame, FrameHeader};

    use super::*;

    const BYTES_MAX: usize = 70_000;

    /// A frame as `tungstenite` writes it.
    fn written(payload: &[u8], opcode: OpCode, is_last: bool) -> Vec<u8> {
        let mask = Some([1, 2, 3, 4]);
        let header = FrameHeader { is_final: is_last, opcode, mask, ..FrameHeader::default() };
        let frame = Frame::from_payload(header, payload.to_vec().into());
        let mut bytes = Vec::new();
        frame.format(&mut bytes).expect("a vector");
        bytes
    }

    /// All messages read when the bytes arrive in pieces of this size.
    fn read(bytes: &[u8], piece: usize) -> Result<Vec<Incoming>, ReadError> {
        let mut reader = MessageReader::new(BYTES_MAX);
        let mut found = Vec::new();
        for piece in bytes.chunks(piece.max(1)) {
            reader.push(piece);
            while let Some(incoming) = reader.next()? {
                found.push(incoming);
            }
        }
        assert_eq!(reader.start, 0);
        Ok(found)
    }

    #[test]
    fn an_idle_reader_holds_no_memory() {
        let mut reader = MessageReader::new(BYTES_MAX);
        reader.push(&written(&[7; 5_000], OpCode::Data(Data::Binary), true));
        assert!(matches!(reader.next(), Ok(Some(Incoming::Message(_)))));
        assert_eq!(reader.next(), Ok(None));
        assert_eq!(reader.unread.capacity(), 0);
    }

    #[test]
    fn a_declared_length_allocates_no_memory_and_too_long_a_one_is_rejected_at_once() {
        let mut reader = MessageReader::new(BYTES_MAX);
        reader.push(&[0x82, 0xff, 0, 0, 0, 0, 0, 1, 0, 0, 9, 9, 9, 9]);
        assert_eq!(reader.next(), Ok(None));
        assert!(reader.unread.capacity() < 100);
        reader = MessageReader::new(BYTES_MAX);
        reader.push(&[0x82, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
        assert_eq!(reader.next(), Err(ReadError::TooLarge));
    }

    #[test]
    fn fragments_together_have_the_same_limit() {
        let half = vec![1; BYTES_MAX / 2 + 1];
        let first = written(&half, OpCode::Data(Data::Binary), false);
        let second = written(&half, OpCode::Data(Data::Continue), true);
        assert_eq!(read(&[first, second].concat(), 9_999), Err(ReadError::TooLarge));
    }

    #[test]
    fn violations_of_the_rfc_are_rejected() {
        for (bytes, fault) in [
            (written(b"hello", OpCode::Data(Data::Text), true), ReadError::Text),
            (written(&[0xff], OpCode::Data(Data::Text), true), ReadError::InvalidUtf8),
            (
                written(b"", OpCode::Data(Data::Continue), true),
                ReadError::Protocol("a continuation frame without a message"),
            ),
            (
                written(b"", OpCode::Control(Control::Ping), false),
                ReadError::Protocol("a control frame is too long or fragmented"),
            ),
            (
                written(&[3], OpCode::Control(Control::Close), true),
                ReadError::Protocol("an incomplete close code"),
            ),
            (
                written(&1005u16.to_be_bytes(), OpCode::Control(Control::Close), true),
                ReadError::Protocol("a reserved close code"),
            ),
            (written(&[3, 0xe8, 0xff], OpCode::Control(Control::Close), true), ReadError::InvalidUtf8),
            (
                [
                    written(b"a", OpCode::Data(Data::Binary), false),
                    written(b"b", OpCode::Data(Data::Binary), true),
                ]
                .concat(),
                ReadError::Protocol("a new message within a fragmented message"),
            ),
        ] {
            assert_eq!(read(&bytes, 3), Err(fault), "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn messages_of_another_implementation_are_read_unchanged(
            messages in prop::collection::vec((prop::collection::vec(any::<u8>(), 0..300), 0usize..4), 0..8),
            long in prop::option::of(0usize..BYTES_MAX),
            piece in 1usize..500,
        ) {
            let mut bytes = Vec::new();
            let mut expected = Vec::new();
            let long = long.map(|length| (vec![7; length], 0));
            for (payload, cuts) in messages.into_iter().chain(long) {
                let size = payload.len().div_ceil(cuts + 1).max(1);
                let pieces: Vec<&[u8]> = if payload.is_empty() { vec![&[]] } else { payload.chunks(size).collect() };
                for (index, piece) in pieces.iter().enumerate() {
                    let kind = if index == 0 { Data::Binary } else { Data::Continue };
                    let is_last = index + 1 == pieces.len();
                    bytes.extend(written(piece, OpCode::Data(kind), is_last));
                    if !is_last {
                        // Control frames may come between the fragments of a message.
                        bytes.extend(written(b"?", OpCode::Control(Control::Ping), true));
                        expected.push(Incoming::Ping(Bytes::from_static(b"?")));
                    }
                }
                expected.push(Incoming::Message(payload.into()));
            }
            prop_assert_eq!(read(&bytes, piece), Ok(expected));
        }

        #[test]
        fn no_input_causes_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), piece in 1usize..20) {
            let _ = read(&bytes, piece);
        }
    }
}
