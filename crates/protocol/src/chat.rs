//! Frames of a room's chat (P23, P24). They bypass the engine: the client's
//! `web/app/src/chat/frames.ts` reads and writes them. The room sends none to a session before it
//! has subscribed.

use std::sync::Arc;

use crate::bytes::{DecodeError, Reader, Writer};
use crate::limits::{AUTHOR_BYTES_MAX, CHAT_MESSAGE_BYTES_MAX, CHAT_MESSAGES_MAX};

/// A client's chat frame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ChatRequest {
    /// Subscribes to the chat: asks for the messages after the given number (0: all that are
    /// stored) and for all later ones.
    Subscribe { after: u64 },
    /// Sends a message. The author chooses `id` at random; a message sent again with the same `id`
    /// is stored once.
    Send { id: u64, text: Arc<str> },
}

/// A stored chat message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChatMessage {
    /// Position in the chat, from 1. Numbers of messages that could not be stored are missing.
    pub number: u64,
    /// The `id` of [`ChatRequest::Send`].
    pub id: u64,
    /// Server time, milliseconds since 1970-01-01 UTC.
    pub time_ms: i64,
    pub name: Arc<str>,
    /// `0xRRGGBB`.
    pub color: u32,
    pub text: Arc<str>,
}

/// The room's chat frame, sent to subscribed sessions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ChatFrame {
    /// Messages in order. The answer to `Subscribe` is sent even if it is empty.
    ChatMessages(Vec<Arc<ChatMessage>>),
    /// A message of the receiving session was rejected.
    ChatRejected { id: u64, reason: ChatRejectionReason },
}

/// The reason why a message is rejected. The numbers are part of the protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum ChatRejectionReason {
    /// The role does not allow chat messages.
    Forbidden = 1,
    /// The text is empty or too long.
    BadText = 2,
    /// The rate limit of the session or room is exceeded.
    TooFast = 3,
    /// The message could not be stored, or the session has not subscribed.
    NotStored = 4,
}

impl ChatRejectionReason {
    /// All reasons.
    pub const ALL: [ChatRejectionReason; 4] = [
        ChatRejectionReason::Forbidden,
        ChatRejectionReason::BadText,
        ChatRejectionReason::TooFast,
        ChatRejectionReason::NotStored,
    ];
}

/// First bytes of the frames.
pub(crate) const SUBSCRIBE: u8 = 8;
pub(crate) const SEND: u8 = 9;
const CHAT_MESSAGES: u8 = 9;
const CHAT_REJECTED: u8 = 10;

impl ChatRequest {
    pub(crate) fn write(&self, writer: &mut Writer) {
        match self {
            ChatRequest::Subscribe { after } => {
                writer.byte(SUBSCRIBE);
                writer.varint(*after);
            }
            ChatRequest::Send { id, text } => {
                writer.byte(SEND);
                writer.fixed64(*id);
                writer.plain_text(text);
            }
        }
    }

    /// Reads the frame after its first byte.
    pub(crate) fn read(kind: u8, reader: &mut Reader) -> Result<ChatRequest, DecodeError> {
        Ok(match kind {
            SUBSCRIBE => ChatRequest::Subscribe { after: reader.varint()? },
            _ => ChatRequest::Send {
                id: reader.fixed64()?,
                text: reader.plain_text("bytes in a chat message", CHAT_MESSAGE_BYTES_MAX)?.into(),
            },
        })
    }
}

impl ChatMessage {
    /// Encodes the message as it is stored and sent.
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        self.write(&mut writer);
        writer.bytes
    }

    /// Decodes a message.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are damaged.
    pub fn decode(bytes: &[u8]) -> Result<ChatMessage, DecodeError> {
        let mut reader = Reader::new(bytes);
        let chat_message = ChatMessage::read(&mut reader)?;
        reader.finish()?;
        Ok(chat_message)
    }

    fn write(&self, writer: &mut Writer) {
        writer.varint(self.number);
        writer.fixed64(self.id);
        writer.zigzag(self.time_ms);
        writer.plain_text(&self.name);
        writer.varint(self.color.into());
        writer.plain_text(&self.text);
    }

    fn read(reader: &mut Reader) -> Result<ChatMessage, DecodeError> {
        Ok(ChatMessage {
            number: reader.varint()?,
            id: reader.fixed64()?,
            time_ms: reader.zigzag()?,
            name: reader.plain_text("bytes in a name", AUTHOR_BYTES_MAX)?.into(),
            color: reader.bounded("colour", 0xff_ffff)? as u32,
            text: reader.plain_text("bytes in a chat message", CHAT_MESSAGE_BYTES_MAX)?.into(),
        })
    }
}

impl ChatFrame {
    /// Encodes the frame.
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        match self {
            ChatFrame::ChatMessages(chat_messages) => {
                writer.byte(CHAT_MESSAGES);
                writer.varint(chat_messages.len() as u64);
                chat_messages.iter().for_each(|chat_message| chat_message.write(&mut writer));
            }
            ChatFrame::ChatRejected { id, reason } => {
                writer.byte(CHAT_REJECTED);
                writer.fixed64(*id);
                writer.byte(*reason as u8);
            }
        }
        writer.bytes
    }

    /// Decodes a frame.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are not a chat frame.
    pub fn decode(bytes: &[u8]) -> Result<ChatFrame, DecodeError> {
        let mut reader = Reader::new(bytes);
        let frame = match reader.byte()? {
            CHAT_MESSAGES => {
                let count = reader.count("chat messages", CHAT_MESSAGES_MAX)?;
                let chat_messages = (0..count).map(|_| ChatMessage::read(&mut reader).map(Arc::new));
                ChatFrame::ChatMessages(chat_messages.collect::<Result<_, _>>()?)
            }
            CHAT_REJECTED => {
                let (id, code) = (reader.fixed64()?, reader.byte()?);
                let reason = ChatRejectionReason::ALL.into_iter().find(|known| *known as u8 == code);
                let what = "reason of a chat rejection";
                let reason = reason.ok_or(DecodeError::Unknown { what, value: code.into() })?;
                ChatFrame::ChatRejected { id, reason }
            }
            other => return Err(DecodeError::Unknown { what: "chat frame", value: other.into() }),
        };
        reader.finish()?;
        Ok(frame)
    }
}
