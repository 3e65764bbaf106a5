//! Frames of a room's chat. They do not pass the engine: a page reads and writes them itself
//! (`web/app/src/chat/frames.ts`), and gets none before it has asked for them.

use std::sync::Arc;

use crate::bytes::{DecodeError, Reader, Writer};
use crate::limits::{AUTHOR_BYTES_MAX, CHAT_MESSAGE_BYTES_MAX, CHAT_MESSAGES_MAX};

/// What a client says about the chat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ChatRequest {
    /// Wants what was said after this chat message (0: everything that is kept), and from now on what is said.
    Listen { after: u64 },
    /// Says something. The author chooses `id`, by chance: said again with the same one it is still one chat message.
    Say { id: u64, text: Arc<str> },
}

/// Something that somebody said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChatMessage {
    /// Its place, from 1; without gaps but for those that could not be stored.
    pub number: u64,
    /// As [`ChatRequest::Say`].
    pub id: u64,
    /// Milliseconds since 1970-01-01 UTC, of the server.
    pub time_ms: i64,
    pub name: Arc<str>,
    /// `0xRRGGBB`
    pub color: u32,
    pub text: Arc<str>,
}

/// What the room says about the chat, to those who listen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ChatFrame {
    /// In their order. The answer to `Listen` comes also when it is empty.
    ChatMessages(Vec<Arc<ChatMessage>>),
    /// What the session wanted to say is not said.
    ChatRejected { id: u64, reason: ChatRejectionReason },
}

/// Why something is not said. The numbers are part of the protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum ChatRejectionReason {
    /// The session may only look.
    Forbidden = 1,
    /// Longer than a chat message may be, or empty.
    BadText = 2,
    /// More than anybody may say at once.
    TooFast = 3,
    /// It could not be stored, or the session has not begun to listen.
    NotStored = 4,
}

impl ChatRejectionReason {
    pub const ALL: [ChatRejectionReason; 4] = [
        ChatRejectionReason::Forbidden,
        ChatRejectionReason::BadText,
        ChatRejectionReason::TooFast,
        ChatRejectionReason::NotStored,
    ];
}

/// First bytes of the frames.
pub(crate) const LISTEN: u8 = 8;
pub(crate) const SAY: u8 = 9;
const CHAT_MESSAGES: u8 = 9;
const UNSAID: u8 = 10;

impl ChatRequest {
    pub(crate) fn write(&self, writer: &mut Writer) {
        match self {
            ChatRequest::Listen { after } => {
                writer.byte(LISTEN);
                writer.varint(*after);
            }
            ChatRequest::Say { id, text } => {
                writer.byte(SAY);
                writer.fixed64(*id);
                writer.plain_text(text);
            }
        }
    }

    /// Behind its first byte.
    pub(crate) fn read(kind: u8, reader: &mut Reader) -> Result<ChatRequest, DecodeError> {
        Ok(match kind {
            LISTEN => ChatRequest::Listen { after: reader.varint()? },
            _ => ChatRequest::Say {
                id: reader.fixed64()?,
                text: reader.plain_text("bytes in a remark", CHAT_MESSAGE_BYTES_MAX)?.into(),
            },
        })
    }
}

impl ChatMessage {
    /// As it is stored, and as it travels.
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        self.write(&mut writer);
        writer.bytes
    }

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
            text: reader.plain_text("bytes in a remark", CHAT_MESSAGE_BYTES_MAX)?.into(),
        })
    }
}

impl ChatFrame {
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        match self {
            ChatFrame::ChatMessages(chat_messages) => {
                writer.byte(CHAT_MESSAGES);
                writer.varint(chat_messages.len() as u64);
                chat_messages.iter().for_each(|chat_message| chat_message.write(&mut writer));
            }
            ChatFrame::ChatRejected { id, reason } => {
                writer.byte(UNSAID);
                writer.fixed64(*id);
                writer.byte(*reason as u8);
            }
        }
        writer.bytes
    }

    pub fn decode(bytes: &[u8]) -> Result<ChatFrame, DecodeError> {
        let mut reader = Reader::new(bytes);
        let frame = match reader.byte()? {
            CHAT_MESSAGES => {
                let count = reader.count("remarks", CHAT_MESSAGES_MAX)?;
                let chat_messages = (0..count).map(|_| ChatMessage::read(&mut reader).map(Arc::new));
                ChatFrame::ChatMessages(chat_messages.collect::<Result<_, _>>()?)
            }
            UNSAID => {
                let (id, code) = (reader.fixed64()?, reader.byte()?);
                let reason = ChatRejectionReason::ALL.into_iter().find(|known| *known as u8 == code);
                let what = "reason why something is not said";
                let reason = reason.ok_or(DecodeError::Unknown { what, value: code.into() })?;
                ChatFrame::ChatRejected { id, reason }
            }
            other => return Err(DecodeError::Unknown { what: "chat frame", value: other.into() }),
        };
        reader.finish()?;
        Ok(frame)
    }
}
