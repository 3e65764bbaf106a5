//! [`ClientFrame`] and [`ServerFrame`]: the messages of a session, one per WebSocket message.

use std::fmt;
use std::sync::Arc;

use quadrille_cell::{Range, SheetId};
use quadrille_operation::Transaction;

use crate::access_frames::{ASK_PICTURE, IDENTIFY, read_pictured, write_ask_picture};
use crate::bytes::{DecodeError, Reader, Writer};
use crate::chat::{self, ChatRequest};
use crate::following::{self, FollowRequest};
use crate::identity::{
    Counter, Incarnation, ReplicaId, ReplicaSecret, Revision, Role, SessionId, TimeAndSeed,
};
use crate::limits::{AUTHOR_BYTES_MAX, MESSAGE_BYTES_MAX, PEOPLE_MAX, RECORD_BYTES_MAX, SNAPSHOT_PARTS_MAX};
use crate::ranges::{read_flag, read_range, write_range};
use crate::record::{read_time_and_seed, write_time_and_seed};
use crate::transaction::{read_transaction, write_transaction};

/// Protocol version. Incremented when an older client or server could not read the frames.
pub const PROTOCOL_VERSION: u64 = 1;

/// A frame from a client.
#[derive(Clone, PartialEq, Debug)]
pub enum ClientFrame {
    /// The first frame of a session; sent once (P1).
    Hello(Hello),
    /// A transaction based on revision `base` and on the replica's earlier unconfirmed
    /// transactions.
    Submit {
        counter: Counter,
        base: Revision,
        transaction: Transaction,
    },
    /// The person's cell or selection. A later frame replaces an earlier one.
    Presence(Presence),
    /// The room's digest at `revision` differs from this replica's digest.
    Digest {
        revision: Revision,
        digest: u64,
    },
    /// The replica has reverted the rejected transaction; later submissions do not build on it.
    Withdrawn {
        counter: Counter,
    },
    Ping,
    /// The visible range. In a large room, the session receives the presence of the people near it.
    View {
        sheet: SheetId,
        view: Range,
    },
    Chat(ChatRequest),
    Follow(FollowRequest),
    /// Asks whom the server has verified; answered by
    /// [`AccessFrame::Identified`](crate::AccessFrame::Identified).
    Identify,
    /// Asks for the picture of a session, `None` for the own one (`P29`).
    AskPicture(Option<SessionId>),
}

/// The first frame of a session.
#[derive(Clone, PartialEq, Debug)]
pub struct Hello {
    pub version: u64,
    /// Identity from an earlier session and the room that assigned it.
    pub replica: Option<(ReplicaId, Incarnation)>,
    /// Last confirmed revision; `None` if the replica has no document yet.
    pub last: Option<Revision>,
    /// Number of unconfirmed transactions. If there are any, the room prefers the tail to a
    /// snapshot, because they can only be rebased over records.
    pub unconfirmed: u64,
    pub name: Arc<str>,
    /// The person's color, `0xRRGGBB`; the room assigns one if it is missing.
    pub color: Option<u32>,
    /// Proof of `replica`; without the right secret, the room assigns a new identity.
    pub secret: Option<ReplicaSecret>,
}

/// The selection of a person.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Presence {
    pub sheet: SheetId,
    pub selection: Range,
    /// Whether a cell is being edited.
    pub is_editing: bool,
}

/// A person in the room.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Person {
    pub session: SessionId,
    pub name: Arc<str>,
    pub color: u32,
    pub role: Role,
    /// `None` until the person's session has sent its presence.
    pub presence: Option<Presence>,
}

/// A frame from the server.
#[derive(Clone, PartialEq, Debug)]
pub enum ServerFrame {
    /// The answer to `Hello`.
    Welcome(Welcome),
    /// Part `part` (from 0) of `parts` of the snapshot at `revision`, with the time and seed of
    /// that revision.
    Snapshot {
        revision: Revision,
        time_and_seed: TimeAndSeed,
        part: u32,
        parts: u32,
        bytes: Vec<u8>,
    },
    /// Records in order, with their bytes as in the journal
    /// ([`Record::decode`](crate::Record::decode)).
    Records {
        records: Vec<Arc<[u8]>>,
    },
    /// Changes of the list of people: those who joined or changed, and those who left. `count` is
    /// the number of all people, listed or not.
    People {
        changed: Vec<Person>,
        departed: Vec<SessionId>,
        count: u64,
    },
    /// The transaction was rejected. The room ignores later submissions until `Withdrawn`.
    Rejected {
        counter: Counter,
        code: RejectCode,
        message: String,
    },
    /// A snapshot at `revision` follows and replaces the replica's document. It contains the
    /// replica's transactions up to `confirmed` and no later ones.
    Resync {
        revision: Revision,
        confirmed: Counter,
    },
    /// The digest of the document at `revision`.
    Digest {
        revision: Revision,
        digest: u64,
    },
    Pong,
}

/// The answer to `Hello`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Welcome {
    pub version: u64,
    pub replica: ReplicaId,
    pub incarnation: Incarnation,
    pub session: SessionId,
    pub role: Role,
    pub color: u32,
    /// Last durable revision of the room.
    pub head: Revision,
    /// Last durable transaction of this replica.
    pub confirmed: Counter,
    pub resume: Resume,
    /// Server time, milliseconds since 1970-01-01 UTC.
    pub time_ms: i64,
    /// Stored with the identity; sent only to this room.
    pub secret: Option<ReplicaSecret>,
}

/// How the replica catches up with the room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Resume {
    /// The records after the replica's revision follow.
    Tail,
    /// A snapshot and the records after it follow.
    Snapshot,
}

/// The reason why a transaction is rejected. The numbers are part of the protocol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum RejectCode {
    /// The session's role or a protection does not allow it.
    Forbidden = 1,
    /// The bytes are not a transaction.
    BadOperation = 2,
    /// An operation is invalid, or refers to cells outside the sheet.
    OutOfBounds = 3,
    /// More cells, text or operations than allowed.
    TooLarge = 4,
    /// The room accepts no changes at present.
    ReadOnly = 5,
}

impl RejectCode {
    /// All reasons.
    pub const ALL: [RejectCode; 5] = [
        RejectCode::Forbidden,
        RejectCode::BadOperation,
        RejectCode::OutOfBounds,
        RejectCode::TooLarge,
        RejectCode::ReadOnly,
    ];

    /// Returns the name of the reason in the API.
    pub fn name(self) -> &'static str {
        match self {
            RejectCode::Forbidden => "forbidden",
            RejectCode::BadOperation => "bad_operation",
            RejectCode::OutOfBounds => "out_of_bounds",
            RejectCode::TooLarge => "too_large",
            RejectCode::ReadOnly => "read_only",
        }
    }
}

/// The reason why a session ends, as a WebSocket close code (RFC 6455, section 7.4).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CloseReason {
    /// The server stops, the room moves, or its database is away. The client reconnects.
    Restarting,
    /// The room has as many sessions as it may have. The client tries again later.
    RoomFull,
    /// A frame exceeds the maximum length.
    FrameTooLarge,
    /// A frame cannot be decoded or is not expected.
    BadFrame,
    /// The server does not support the client's protocol version. The page must be reloaded.
    UpgradeClient,
    /// The person has no role in this room.
    Forbidden,
    /// No `Hello` arrived in time.
    HelloTimeout,
    /// The base revision is in the future or too old to rebase from. The client reconnects without
    /// a revision.
    Resync,
    /// The client sends more than its rate limit.
    TooFast,
    /// The room was deleted.
    Deleted,
    /// The same replica connected again.
    Replaced,
    /// The role of the session was changed. The client reconnects at once to get the new one.
    AccessChanged,
    /// The first edit would create a workbook beyond a quota.
    QuotaExceeded,
    /// The room's journal is damaged or could not be written.
    RoomStopped,
}

impl CloseReason {
    /// All reasons.
    pub const ALL: [CloseReason; 14] = [
        CloseReason::Restarting,
        CloseReason::RoomFull,
        CloseReason::FrameTooLarge,
        CloseReason::BadFrame,
        CloseReason::UpgradeClient,
        CloseReason::Forbidden,
        CloseReason::HelloTimeout,
        CloseReason::Resync,
        CloseReason::TooFast,
        CloseReason::Deleted,
        CloseReason::Replaced,
        CloseReason::AccessChanged,
        CloseReason::QuotaExceeded,
        CloseReason::RoomStopped,
    ];

    /// Returns the close code.
    pub const fn code(self) -> u16 {
        match self {
            CloseReason::FrameTooLarge => 1009,
            CloseReason::Restarting => 1012,
            CloseReason::RoomFull => 1013,
            CloseReason::UpgradeClient => 4400,
            CloseReason::BadFrame => 4402,
            CloseReason::Forbidden => 4403,
            CloseReason::HelloTimeout => 4408,
            CloseReason::Resync => 4409,
            CloseReason::Deleted => 4410,
            CloseReason::Replaced => 4411,
            CloseReason::AccessChanged => 4412,
            CloseReason::QuotaExceeded => 4413,
            CloseReason::TooFast => 4429,
            CloseReason::RoomStopped => 4500,
        }
    }

    /// Returns the reason of a close code.
    pub fn from_code(code: u16) -> Option<CloseReason> {
        CloseReason::ALL.into_iter().find(|reason| reason.code() == code)
    }

    /// Returns the reason text of the close frame.
    pub const fn name(self) -> &'static str {
        match self {
            CloseReason::FrameTooLarge => "frame_too_large",
            CloseReason::Restarting => "restarting",
            CloseReason::RoomFull => "room_full",
            CloseReason::UpgradeClient => "upgrade_client",
            CloseReason::BadFrame => "bad_frame",
            CloseReason::Forbidden => "forbidden",
            CloseReason::HelloTimeout => "hello_timeout",
            CloseReason::Resync => "resync",
            CloseReason::Deleted => "deleted",
            CloseReason::Replaced => "replaced",
            CloseReason::AccessChanged => "access_changed",
            CloseReason::QuotaExceeded => "quota_exceeded",
            CloseReason::TooFast => "too_fast",
            CloseReason::RoomStopped => "room_stopped",
        }
    }

    /// Returns whether the client may reconnect automatically.
    pub const fn can_reconnect(self) -> bool {
        match self {
            CloseReason::Restarting
            | CloseReason::RoomFull
            | CloseReason::HelloTimeout
            | CloseReason::Resync
            | CloseReason::TooFast
            | CloseReason::AccessChanged
            | CloseReason::RoomStopped => true,
            CloseReason::FrameTooLarge
            | CloseReason::BadFrame
            | CloseReason::UpgradeClient
            | CloseReason::Forbidden
            | CloseReason::QuotaExceeded
            | CloseReason::Deleted
            | CloseReason::Replaced => false,
        }
    }
}

/// The reason why a client's frame could not be decoded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FrameError {
    /// A `Submit` whose transaction cannot be decoded. It is rejected by its counter; the session
    /// continues.
    BadTransaction { counter: Counter, error: DecodeError },
    /// Any other frame that cannot be decoded. The session ends.
    BadFrame { error: DecodeError },
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrameError::BadTransaction { counter, error } => {
                write!(f, "transaction {} cannot be read: {error}", counter.0)
            }
            FrameError::BadFrame { error } => write!(f, "frame cannot be read: {error}"),
        }
    }
}

impl std::error::Error for FrameError {}

impl From<DecodeError> for FrameError {
    fn from(error: DecodeError) -> FrameError {
        FrameError::BadFrame { error }
    }
}

/// Categories of client frames with separate rate limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClientFrameKind {
    Submit,
    Presence,
    Other,
}

impl ClientFrameKind {
    /// Determines the category from the first byte; the frame may still be invalid.
    pub fn of(bytes: &[u8]) -> ClientFrameKind {
        match bytes.first() {
            Some(2) => ClientFrameKind::Submit,
            Some(&(3 | following::SCROLLED)) => ClientFrameKind::Presence,
            _ => ClientFrameKind::Other,
        }
    }
}

impl ClientFrame {
    /// Encodes the frame.
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        match self {
            ClientFrame::Hello(hello) => {
                writer.byte(1);
                writer.varint(hello.version);
                writer.byte(hello.replica.is_some().into());
                if let Some((replica, incarnation)) = hello.replica {
                    writer.fixed64(replica.0);
                    writer.fixed64(incarnation.0);
                }
                writer.varint(hello.last.map_or(0, |last| last.0 + 1));
                writer.varint(hello.unconfirmed);
                writer.plain_text(&hello.name);
                writer.varint(hello.color.map_or(0, |rgb| u64::from(rgb) + 1));
                write_secret(&mut writer, hello.secret);
            }
            ClientFrame::Submit { counter, base, transaction } => {
                writer.byte(2);
                writer.varint(counter.0);
                writer.varint(base.0);
                write_transaction(&mut writer, transaction);
            }
            ClientFrame::Presence(presence) => {
                writer.byte(3);
                write_presence(&mut writer, presence);
            }
            ClientFrame::Digest { revision, digest } => {
                writer.byte(4);
                writer.varint(revision.0);
                writer.fixed64(*digest);
            }
            ClientFrame::Withdrawn { counter } => {
                writer.byte(5);
                writer.varint(counter.0);
            }
            ClientFrame::Ping => writer.byte(6),
            ClientFrame::View { sheet, view } => {
                writer.byte(7);
                writer.varint(sheet.0.into());
                write_range(&mut writer, *view);
            }
            ClientFrame::Chat(request) => request.write(&mut writer),
            ClientFrame::Follow(request) => request.write(&mut writer),
            ClientFrame::Identify => writer.byte(IDENTIFY),
            ClientFrame::AskPicture(of) => write_ask_picture(&mut writer, *of),
        }
        writer.bytes
    }

    /// Decodes a frame.
    ///
    /// # Errors
    ///
    /// Fails with [`FrameError::BadTransaction`] if only the transaction of a `Submit` cannot be
    /// decoded, otherwise with [`FrameError::BadFrame`].
    pub fn decode(bytes: &[u8]) -> Result<ClientFrame, FrameError> {
        let mut reader = Reader::new(bytes);
        let frame = match reader.byte()? {
            1 => ClientFrame::Hello(read_hello(&mut reader)?),
            2 => {
                let (counter, base) = (Counter(reader.varint()?), Revision(reader.varint()?));
                let transaction = read_transaction(&mut reader)
                    .and_then(|transaction| reader.finish().map(|()| transaction))
                    .map_err(|error| FrameError::BadTransaction { counter, error })?;
                return Ok(ClientFrame::Submit { counter, base, transaction });
            }
            3 => ClientFrame::Presence(read_presence(&mut reader)?),
            4 => ClientFrame::Digest { revision: Revision(reader.varint()?), digest: reader.fixed64()? },
            5 => ClientFrame::Withdrawn { counter: Counter(reader.varint()?) },
            6 => ClientFrame::Ping,
            7 => ClientFrame::View {
                sheet: SheetId(reader.varint32("sheet")?),
                view: read_range(&mut reader)?,
            },
            kind @ (chat::SUBSCRIBE | chat::SEND) => ClientFrame::Chat(ChatRequest::read(kind, &mut reader)?),
            kind @ (following::FOLLOW | following::SCROLLED) => {
                ClientFrame::Follow(FollowRequest::read(kind, &mut reader)?)
            }
            IDENTIFY => ClientFrame::Identify,
            ASK_PICTURE => ClientFrame::AskPicture(read_pictured(&mut reader)?),
            other => return Err(DecodeError::Unknown { what: "client frame", value: other.into() }.into()),
        };
        reader.finish()?;
        Ok(frame)
    }
}

fn read_hello(reader: &mut Reader) -> Result<Hello, DecodeError> {
    let version = reader.varint()?;
    if version != PROTOCOL_VERSION {
        return Err(DecodeError::UnknownVersion { version });
    }
    let replica = match read_flag(reader)? {
        true => Some((ReplicaId(reader.fixed64()?), Incarnation(reader.fixed64()?))),
        false => None,
    };
    let last = reader.varint()?.checked_sub(1).map(Revision);
    let unconfirmed = reader.varint()?;
    let name = reader.plain_text("bytes in a name", AUTHOR_BYTES_MAX)?.into();
    let color = reader.bounded("colour", 0xff_ffff + 1)?.checked_sub(1).map(|rgb| rgb as u32);
    let secret = read_secret(reader)?;
    Ok(Hello { version, replica, last, unconfirmed, name, color, secret })
}

/// Written at the end of its frame; a frame without a secret ends before it.
fn write_secret(writer: &mut Writer, secret: Option<ReplicaSecret>) {
    if let Some(ReplicaSecret(secret)) = secret {
        writer.fixed64(secret);
    }
}

fn read_secret(reader: &mut Reader) -> Result<Option<ReplicaSecret>, DecodeError> {
    match reader.remaining() {
        0 => Ok(None),
        _ => Ok(Some(ReplicaSecret(reader.fixed64()?))),
    }
}

fn write_presence(writer: &mut Writer, presence: &Presence) {
    writer.varint(presence.sheet.0.into());
    write_range(writer, presence.selection);
    writer.byte(presence.is_editing.into());
}

fn read_presence(reader: &mut Reader) -> Result<Presence, DecodeError> {
    Ok(Presence {
        sheet: SheetId(reader.varint32("sheet")?),
        selection: read_range(reader)?,
        is_editing: read_flag(reader)?,
    })
}

impl ServerFrame {
    /// Encodes the frame.
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        match self {
            ServerFrame::Welcome(welcome) => {
                writer.byte(1);
                writer.varint(welcome.version);
                writer.fixed64(welcome.replica.0);
                writer.fixed64(welcome.incarnation.0);
                writer.varint(welcome.session.0);
                writer.byte(role_code(welcome.role));
                writer.varint(welcome.color.into());
                writer.varint(welcome.head.0);
                writer.varint(welcome.confirmed.0);
                writer.byte((welcome.resume == Resume::Snapshot).into());
                writer.zigzag(welcome.time_ms);
                write_secret(&mut writer, welcome.secret);
            }
            ServerFrame::Snapshot { revision, time_and_seed, part, parts, bytes } => {
                writer.byte(2);
                writer.varint(revision.0);
                write_time_and_seed(&mut writer, *time_and_seed);
                writer.varint((*part).into());
                writer.varint((*parts).into());
                writer.bytes.extend_from_slice(bytes);
            }
            ServerFrame::Records { records } => {
                let length: usize = records.iter().map(|record| record.len() + 5).sum();
                writer.bytes.reserve(length + 1);
                writer.byte(3);
                for record in records {
                    writer.slice(record);
                }
            }
            ServerFrame::People { changed, departed, count } => {
                writer.byte(4);
                writer.varint(*count);
                writer.varint(departed.len() as u64);
                for session in departed {
                    writer.varint(session.0);
                }
                writer.varint(changed.len() as u64);
                for person in changed {
                    write_person(&mut writer, person);
                }
            }
            ServerFrame::Rejected { counter, code, message } => {
                writer.byte(5);
                writer.varint(counter.0);
                writer.byte(*code as u8);
                writer.plain_text(message);
            }
            ServerFrame::Resync { revision, confirmed } => {
                writer.byte(6);
                writer.varint(revision.0);
                writer.varint(confirmed.0);
            }
            ServerFrame::Digest { revision, digest } => {
                writer.byte(7);
                writer.varint(revision.0);
                writer.fixed64(*digest);
            }
            ServerFrame::Pong => writer.byte(8),
        }
        writer.bytes
    }

    /// Decodes a frame.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are damaged or not a server frame.
    pub fn decode(bytes: &[u8]) -> Result<ServerFrame, DecodeError> {
        let mut reader = Reader::new(bytes);
        let frame = match reader.byte()? {
            1 => ServerFrame::Welcome(Welcome {
                version: reader.varint()?,
                replica: ReplicaId(reader.fixed64()?),
                incarnation: Incarnation(reader.fixed64()?),
                session: SessionId(reader.varint()?),
                role: role_from(reader.byte()?)?,
                color: reader.bounded("colour", 0xff_ffff)? as u32,
                head: Revision(reader.varint()?),
                confirmed: Counter(reader.varint()?),
                resume: if read_flag(&mut reader)? { Resume::Snapshot } else { Resume::Tail },
                time_ms: reader.zigzag()?,
                secret: read_secret(&mut reader)?,
            }),
            2 => {
                let revision = Revision(reader.varint()?);
                let time_and_seed = read_time_and_seed(&mut reader)?;
                let part = reader.varint32("part")?;
                let parts = reader.bounded("parts", SNAPSHOT_PARTS_MAX.into())? as u32;
                if part >= parts {
                    return Err(DecodeError::OutOfBounds { what: "part", value: part.into() });
                }
                let bytes = reader.take(reader.remaining())?.to_vec();
                ServerFrame::Snapshot { revision, time_and_seed, part, parts, bytes }
            }
            3 => {
                let mut records = Vec::new();
                while reader.remaining() > 0 {
                    let record = reader.slice()?;
                    if record.len() > RECORD_BYTES_MAX {
                        return Err(DecodeError::TooMany {
                            what: "bytes in a record",
                            limit: RECORD_BYTES_MAX as u64,
                        });
                    }
                    records.push(record.into());
                }
                ServerFrame::Records { records }
            }
            4 => {
                let count = reader.varint()?;
                let departed_count = reader.count("people who left", usize::MAX)?;
                let departed =
                    (0..departed_count).map(|_| reader.varint().map(SessionId)).collect::<Result<_, _>>()?;
                let changed_count = reader.count("people", PEOPLE_MAX)?;
                let changed =
                    (0..changed_count).map(|_| read_person(&mut reader)).collect::<Result<_, _>>()?;
                ServerFrame::People { changed, departed, count }
            }
            5 => {
                let counter = Counter(reader.varint()?);
                let code = reader.byte()?;
                let code = RejectCode::ALL
                    .into_iter()
                    .find(|known| *known as u8 == code)
                    .ok_or(DecodeError::Unknown { what: "reason of a rejection", value: code.into() })?;
                let message = reader.plain_text("bytes in a message", MESSAGE_BYTES_MAX)?.to_owned();
                ServerFrame::Rejected { counter, code, message }
            }
            6 => ServerFrame::Resync {
                revision: Revision(reader.varint()?),
                confirmed: Counter(reader.varint()?),
            },
            7 => ServerFrame::Digest { revision: Revision(reader.varint()?), digest: reader.fixed64()? },
            8 => ServerFrame::Pong,
            other => return Err(DecodeError::Unknown { what: "server frame", value: other.into() }),
        };
        reader.finish()?;
        Ok(frame)
    }
}

fn write_person(writer: &mut Writer, person: &Person) {
    writer.varint(person.session.0);
    writer.plain_text(&person.name);
    writer.varint(person.color.into());
    writer.byte(role_code(person.role));
    writer.byte(person.presence.is_some().into());
    if let Some(presence) = &person.presence {
        write_presence(writer, presence);
    }
}

fn read_person(reader: &mut Reader) -> Result<Person, DecodeError> {
    Ok(Person {
        session: SessionId(reader.varint()?),
        name: reader.plain_text("bytes in a name", AUTHOR_BYTES_MAX)?.into(),
        color: reader.bounded("colour", 0xff_ffff)? as u32,
        role: role_from(reader.byte()?)?,
        presence: if read_flag(reader)? { Some(read_presence(reader)?) } else { None },
    })
}

fn role_code(role: Role) -> u8 {
    match role {
        Role::Owner => 0,
        Role::Edit => 1,
        Role::Comment => 2,
        Role::View => 3,
    }
}

fn role_from(code: u8) -> Result<Role, DecodeError> {
    match code {
        0 => Ok(Role::Owner),
        1 => Ok(Role::Edit),
        2 => Ok(Role::Comment),
        3 => Ok(Role::View),
        other => Err(DecodeError::Unknown { what: "role", value: other.into() }),
    }
}
