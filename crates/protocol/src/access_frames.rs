//! Frames about the person of a session and about access to the workbook (P28). As those of the
//! chat, they bypass the engine: the client's `web/app/src/access/frames.ts` reads and writes them.

use std::sync::Arc;

use crate::bytes::{DecodeError, Reader, Writer};
use crate::identity::SessionId;
use crate::limits::{AUTHOR_BYTES_MAX, EMAIL_BYTES_MAX, PICTURE_BYTES_MAX};
use crate::ranges::read_flag;

/// The room's frame about the person of the session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AccessFrame {
    /// Whom the server has verified, as protected ranges name people: the identifier of the account
    /// and its e-mail address, in lower case. Empty for a person without.
    Identified { account: Arc<str>, email: Arc<str> },
    /// Somebody asks for access to the workbook. Sent to owners.
    AccessRequested,
    /// The picture of a person that was asked for: a `data:` or `https:` URL, or empty.
    Picture { of: Option<SessionId>, url: Arc<str> },
}

/// First bytes of the frames.
pub(crate) const IDENTIFY: u8 = 12;
pub(crate) const ASK_PICTURE: u8 = 13;
const IDENTIFIED: u8 = 13;
const ACCESS_REQUESTED: u8 = 14;
const PICTURE: u8 = 15;

/// Writes the client's frame that asks for a picture.
pub(crate) fn write_ask_picture(writer: &mut Writer, of: Option<SessionId>) {
    writer.byte(ASK_PICTURE);
    write_pictured(writer, of);
}

/// Writes the session whose picture is meant; `None` is the session of the client itself.
fn write_pictured(writer: &mut Writer, of: Option<SessionId>) {
    writer.byte(of.is_some().into());
    if let Some(session) = of {
        writer.fixed64(session.0);
    }
}

pub(crate) fn read_pictured(reader: &mut Reader) -> Result<Option<SessionId>, DecodeError> {
    Ok(if read_flag(reader)? { Some(SessionId(reader.fixed64()?)) } else { None })
}

impl AccessFrame {
    /// Encodes the frame.
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        match self {
            AccessFrame::Identified { account, email } => {
                writer.byte(IDENTIFIED);
                writer.plain_text(account);
                writer.plain_text(email);
            }
            AccessFrame::AccessRequested => writer.byte(ACCESS_REQUESTED),
            AccessFrame::Picture { of, url } => {
                writer.byte(PICTURE);
                write_pictured(&mut writer, *of);
                writer.plain_text(url);
            }
        }
        writer.bytes
    }

    /// Decodes a frame.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are not such a frame.
    pub fn decode(bytes: &[u8]) -> Result<AccessFrame, DecodeError> {
        let mut reader = Reader::new(bytes);
        let frame = match reader.byte()? {
            IDENTIFIED => AccessFrame::Identified {
                account: reader.plain_text("bytes in an account", AUTHOR_BYTES_MAX)?.into(),
                email: reader.plain_text("bytes in an e-mail address", EMAIL_BYTES_MAX)?.into(),
            },
            ACCESS_REQUESTED => AccessFrame::AccessRequested,
            PICTURE => AccessFrame::Picture {
                of: read_pictured(&mut reader)?,
                url: reader.plain_text("bytes in a picture", PICTURE_BYTES_MAX)?.into(),
            },
            other => return Err(DecodeError::Unknown { what: "access frame", value: other.into() }),
        };
        reader.finish()?;
        Ok(frame)
    }
}
