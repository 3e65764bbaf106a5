//! Frames for following another person's view (P25). They bypass the engine: the client's
//! `web/app/src/presence/follow-frames.ts` reads and writes them.

use quadrille_cell::{CellAddress, SheetId};

use crate::bytes::{DecodeError, Reader, Writer};
use crate::identity::SessionId;
use crate::ranges::read_flag;
use crate::transaction::{read_cell, write_cell};

/// A client's frame for following.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FollowRequest {
    /// Starts following the view of a session; `None` stops. A session that has sent neither is not
    /// told that it is followed.
    Follow { session: Option<SessionId> },
    /// First visible cell of the scrolled area. Sent while the session is followed.
    Scrolled { sheet: SheetId, cell: CellAddress },
}

/// The room's frame for following.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FollowFrame {
    /// Whether at least one session follows this one and needs its view.
    Followed { is_followed: bool },
    /// First visible cell of the session that the receiver follows.
    Scrolled { session: SessionId, sheet: SheetId, cell: CellAddress },
}

/// First bytes of the frames.
pub(crate) const FOLLOW: u8 = 10;
pub(crate) const SCROLLED: u8 = 11;
const FOLLOWED: u8 = 11;
const SCROLLED_TO: u8 = 12;

impl FollowRequest {
    pub(crate) fn write(&self, writer: &mut Writer) {
        match self {
            FollowRequest::Follow { session } => {
                writer.byte(FOLLOW);
                writer.byte(session.is_some().into());
                if let Some(session) = session {
                    writer.fixed64(session.0);
                }
            }
            FollowRequest::Scrolled { sheet, cell } => {
                writer.byte(SCROLLED);
                writer.varint(sheet.0.into());
                write_cell(writer, *cell);
            }
        }
    }

    /// Reads the frame after its first byte.
    pub(crate) fn read(kind: u8, reader: &mut Reader) -> Result<FollowRequest, DecodeError> {
        Ok(match kind {
            FOLLOW => {
                let session = if read_flag(reader)? { Some(SessionId(reader.fixed64()?)) } else { None };
                FollowRequest::Follow { session }
            }
            _ => FollowRequest::Scrolled {
                sheet: SheetId(reader.varint32("sheet")?),
                cell: read_cell(reader)?,
            },
        })
    }
}

impl FollowFrame {
    /// Encodes the frame.
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        match self {
            FollowFrame::Followed { is_followed } => {
                writer.byte(FOLLOWED);
                writer.byte((*is_followed).into());
            }
            FollowFrame::Scrolled { session, sheet, cell } => {
                writer.byte(SCROLLED_TO);
                writer.fixed64(session.0);
                writer.varint(sheet.0.into());
                write_cell(&mut writer, *cell);
            }
        }
        writer.bytes
    }

    /// Decodes a frame.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are not a frame for following.
    pub fn decode(bytes: &[u8]) -> Result<FollowFrame, DecodeError> {
        let mut reader = Reader::new(bytes);
        let frame = match reader.byte()? {
            FOLLOWED => FollowFrame::Followed { is_followed: read_flag(&mut reader)? },
            SCROLLED_TO => FollowFrame::Scrolled {
                session: SessionId(reader.fixed64()?),
                sheet: SheetId(reader.varint32("sheet")?),
                cell: read_cell(&mut reader)?,
            },
            other => return Err(DecodeError::Unknown { what: "follow frame", value: other.into() }),
        };
        reader.finish()?;
        Ok(frame)
    }
}
