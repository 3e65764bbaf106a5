//! Frames of following: whoever follows a person is told what they see, as they scroll. As those of the chat they do not
//! pass the engine: a page reads and writes them itself (`web/app/src/presence/follow-frames.ts`).

use quadrille_cell::{CellAddress, SheetId};

use crate::bytes::{DecodeError, Reader, Writer};
use crate::identity::SessionId;
use crate::ranges::read_flag;
use crate::transaction::{read_cell, write_cell};

/// What a client says about following.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FollowRequest {
    /// Wants to be told what this person sees; `None`: what nobody sees. Only who has said either is told that somebody
    /// follows them.
    Follow { session: Option<SessionId> },
    /// The first cell that this person sees of those that scroll. Said when somebody follows.
    Scrolled { sheet: SheetId, cell: CellAddress },
}

/// What the room says about following.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FollowFrame {
    /// Somebody follows the session, from now on or besides others, and wants to know what it sees; or nobody does any more.
    Followed { is_followed: bool },
    /// The first cell that a person sees whom the session follows.
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

    /// Behind its first byte.
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

    pub fn decode(bytes: &[u8]) -> Result<FollowFrame, DecodeError> {
        let mut reader = Reader::new(bytes);
        let frame = match reader.byte()? {
            FOLLOWED => FollowFrame::Followed { is_followed: read_flag(&mut reader)? },
            SCROLLED_TO => FollowFrame::Scrolled {
                session: SessionId(reader.fixed64()?),
                sheet: SheetId(reader.varint32("sheet")?),
                cell: read_cell(&mut reader)?,
            },
            other => return Err(DecodeError::Unknown { what: "frame of following", value: other.into() }),
        };
        reader.finish()?;
        Ok(frame)
    }
}
