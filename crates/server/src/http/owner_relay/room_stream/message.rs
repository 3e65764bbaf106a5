//! The messages of a room's stream. Each has a head of [`ENVELOPE_BYTES`] bytes: the length of its payload
//! (4 bytes), its kind (1), the number of a session (4) and a value (8), in little-endian order.

use std::sync::Arc;

use bytes::{Buf, Bytes, BytesMut};
use quadrille_protocol::Revision;

use crate::limits;
use crate::rooms::SharedFrame;
use crate::websocket::outgoing_frame::{ENVELOPE_BYTES, OutFrame};

/// The number of a session within a stream.
pub type SessionNumber = u32;

/// What a message is about; who sends it, what its value is and what its payload.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Kind {
    /// Owner: a frame for every subscribed session. The number is 1 and the value the last revision in the
    /// frame, or both are 0.
    Broadcast = 1,
    /// Owner: a frame for one session. The value is 1 when the owner waits for [`Kind::Written`].
    Frame = 2,
    /// Owner: the session gets broadcasts from here on. The value is the first revision in them, the payload
    /// the number of subscriptions so far (4 bytes).
    Subscribe = 3,
    /// Owner: the session is closed after the frames so far. The value is the code.
    Close = 4,
    /// Owner: the client's window grows by this many bytes, which the owner has read.
    WindowUpdate = 5,
    /// Owner: the session has ended.
    End = 6,
    /// Owner: the answer to [`Kind::Ping`].
    Pong = 7,
    /// Relay: the session begins.
    Open = 8,
    /// Relay: bytes that the client has sent. The value is the time of reading them in microseconds since 1970,
    /// or 0 if the relay does not trace.
    Bytes = 9,
    /// Relay: the client has disconnected.
    Disconnected = 10,
    /// Relay: this many bytes of frames are written to the client.
    Written = 11,
    /// Relay: broadcasts of a subscription were dropped because the client is slow. The value is the first
    /// missed revision, the payload the number of the subscription.
    Missed = 12,
    /// Relay: all frames that were queued when broadcasts were dropped are written.
    Drained = 13,
    /// Relay: asks whether the owner is there.
    Ping = 14,
}

impl Kind {
    const ALL: [Kind; 14] = [
        Kind::Broadcast,
        Kind::Frame,
        Kind::Subscribe,
        Kind::Close,
        Kind::WindowUpdate,
        Kind::End,
        Kind::Pong,
        Kind::Open,
        Kind::Bytes,
        Kind::Disconnected,
        Kind::Written,
        Kind::Missed,
        Kind::Drained,
        Kind::Ping,
    ];
}

/// A received message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    pub kind: Kind,
    pub session: SessionNumber,
    pub value: u64,
    pub payload: Bytes,
}

impl Message {
    /// The number in the payload.
    pub fn count(&self) -> u32 {
        self.payload.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))
    }
}

/// Returns a message without payload.
pub fn message(kind: Kind, session: SessionNumber, value: u64) -> OutFrame {
    with_payload(kind, session, value, &[])
}

/// Returns a message with a short payload.
pub fn with_payload(kind: Kind, session: SessionNumber, value: u64, payload: &[u8]) -> OutFrame {
    wrap(&OutFrame::encoded(Arc::from(payload)), kind, session, value)
}

/// Returns a message whose payload is a frame as it is written to the client.
pub fn wrap(frame: &OutFrame, kind: Kind, session: SessionNumber, value: u64) -> OutFrame {
    let mut envelope = [0; ENVELOPE_BYTES];
    // Longer than this are neither records nor parts of snapshots.
    envelope[..4].copy_from_slice(&u32::try_from(frame.len()).unwrap_or(u32::MAX).to_le_bytes());
    envelope[4] = kind as u8;
    envelope[5..9].copy_from_slice(&session.to_le_bytes());
    envelope[9..].copy_from_slice(&value.to_le_bytes());
    frame.in_envelope(envelope)
}

/// Returns the message of a broadcast.
pub fn broadcast(shared: &SharedFrame) -> OutFrame {
    let value = shared.up_to.map_or(0, |up_to| up_to.0);
    wrap(&shared.frame, Kind::Broadcast, shared.up_to.is_some().into(), value)
}

/// Returns the broadcast of a message.
pub fn shared_frame(message: &Message) -> SharedFrame {
    let up_to = (message.session == 1).then_some(Revision(message.value));
    SharedFrame { frame: OutFrame::encoded(Arc::from(&message.payload[..])), up_to }
}

/// Decodes received bytes.
#[derive(Default)]
pub struct Decoder {
    bytes: BytesMut,
}

/// The bytes are no messages of a stream: the other server has another version, or is none.
#[derive(Debug)]
pub struct InvalidMessage(pub String);

impl Decoder {
    /// Adds received bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns the next complete message.
    ///
    /// # Errors
    ///
    /// Fails for an unknown kind and for more than `RELAY_MESSAGE_BYTES_MAX` bytes.
    pub fn next(&mut self) -> Result<Option<Message>, InvalidMessage> {
        let Some((head, rest)) = self.bytes.split_first_chunk::<ENVELOPE_BYTES>() else { return Ok(None) };
        let [l0, l1, l2, l3, kind, s0, s1, s2, s3, value @ ..] = *head;
        let length = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
        if length > limits::RELAY_MESSAGE_BYTES_MAX {
            return Err(InvalidMessage(format!("a message of {length} bytes")));
        }
        let known = Kind::ALL.into_iter().find(|known| *known as u8 == kind);
        let kind = known.ok_or_else(|| InvalidMessage(format!("a message of kind {kind}")))?;
        if rest.len() < length {
            return Ok(None);
        }
        self.bytes.advance(ENVELOPE_BYTES);
        let payload = self.bytes.split_to(length).freeze();
        if self.bytes.is_empty() {
            // An idle stream has no buffer.
            self.bytes = BytesMut::new();
        }
        let session = u32::from_le_bytes([s0, s1, s2, s3]);
        Ok(Some(Message { kind, session, value: u64::from_le_bytes(value), payload }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(frame: &OutFrame) -> Vec<u8> {
        frame.rest(0).concat()
    }

    #[test]
    fn messages_arrive_in_pieces_as_they_were_sent() {
        let frame = OutFrame::binary(Arc::from(&b"a record"[..]));
        let sent: Vec<u8> = [
            bytes(&message(Kind::Open, 7, 0)),
            bytes(&wrap(&frame, Kind::Frame, 7, 1)),
            bytes(&with_payload(Kind::Missed, 7, 1 << 40, &3_u32.to_le_bytes())),
        ]
        .concat();
        let mut decoder = Decoder::default();
        let mut received = Vec::new();
        for piece in sent.chunks(5) {
            decoder.push(piece);
            while let Some(message) = decoder.next().expect("valid") {
                received.push(message);
            }
        }
        let [open, framed, missed] = &received[..] else { panic!("{received:?}") };
        assert_eq!((open.kind, open.session, open.payload.len()), (Kind::Open, 7, 0));
        assert_eq!((framed.kind, framed.value), (Kind::Frame, 1));
        assert_eq!(framed.payload[..], bytes(&frame)[..], "as it is written to the client");
        assert_eq!((missed.kind, missed.value, missed.count()), (Kind::Missed, 1 << 40, 3));
    }

    #[test]
    fn a_broadcast_keeps_its_last_revision() {
        for up_to in [None, Some(Revision(0)), Some(Revision(9))] {
            let frame = OutFrame::binary(Arc::from(&b"to all"[..]));
            let mut decoder = Decoder::default();
            decoder.push(&bytes(&broadcast(&SharedFrame { frame: frame.clone(), up_to })));
            let message = decoder.next().expect("valid").expect("complete");
            let received = shared_frame(&message);
            assert_eq!(received.up_to, up_to);
            assert_eq!(bytes(&received.frame), bytes(&frame));
        }
    }

    #[test]
    fn bytes_that_are_no_messages_are_refused() {
        for (name, bytes) in [
            ("GET / HTTP/1.1", b"GET / HTTP/1.1\r\n\r\n".to_vec()),
            ("kind 99", vec![0, 0, 0, 0, 99, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        ] {
            let mut decoder = Decoder::default();
            decoder.push(&bytes);
            assert!(decoder.next().is_err(), "{name}");
        }
    }
}
