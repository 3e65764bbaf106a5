//! Frames about the person of a session and about access to the workbook (P28). As those of the
//! chat, they bypass the engine: the client's `web/app/src/access/frames.ts` reads and writes them.

use std::sync::Arc;

use crate::bytes::{DecodeError, Reader, Writer};
use crate::limits::{AUTHOR_BYTES_MAX, EMAIL_BYTES_MAX};

/// The room's frame about the person of the session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AccessFrame {
    /// Whom the server has verified, as protected ranges name people: the identifier of the account
    /// and its e-mail address, in lower case. Empty for a person without.
    Identified { account: Arc<str>, email: Arc<str> },
    /// Somebody asks for access to the workbook. Sent to owners.
    AccessRequested,
}

/// First bytes of the frames.
pub(crate) const IDENTIFY: u8 = 12;
const IDENTIFIED: u8 = 13;
const ACCESS_REQUESTED: u8 = 14;

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
            other => return Err(DecodeError::Unknown { what: "access frame", value: other.into() }),
        };
        reader.finish()?;
        Ok(frame)
    }
}
