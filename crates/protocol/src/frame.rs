//! What the two ends of a session say to each other: one frame per WebSocket message.

use std::fmt;
use std::sync::Arc;

use quadrille_cell::{Range, SheetId};
use quadrille_operation::Transaction;

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

/// Raised when frames change in a way an older end cannot read.
pub const PROTOCOL_VERSION: u64 = 1;

/// From a client.
#[derive(Clone, PartialEq, Debug)]
pub enum ClientFrame {
    /// The first frame of a session, and only the first.
    Hello(Hello),
    /// A transaction made on top of revision `base` and of this replica's earlier unconfirmed ones.
    Submit {
        counter: Counter,
        base: Revision,
        transaction: Transaction,
    },
    /// Where this person is; the last one said holds.
    Presence(Presence),
    /// The room's digest at `revision` is not what this replica has.
    Digest {
        revision: Revision,
        digest: u64,
    },
    /// The replica has taken back the transaction that was rejected; what follows does not build on it.
    Withdrawn {
        counter: Counter,
    },
    Ping,
    /// What this session looks at; in a big room it hears of the people there.
    View {
        sheet: SheetId,
        view: Range,
    },
    Chat(ChatRequest),
    Follow(FollowRequest),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Hello {
    pub version: u64,
    /// The replica's identity from an earlier session, and the room it belongs to.
    pub replica: Option<(ReplicaId, Incarnation)>,
    /// The last confirmed revision that the replica has; `None`: it has no document yet.
    pub last: Option<Revision>,
    /// How many transactions wait to be confirmed. With any, the room prefers the tail to a snapshot, since
    /// only through the tail can they be rebased.
    pub unconfirmed: u64,
    pub name: Arc<str>,
    /// The person's colour, `0xRRGGBB`; the room gives one when there is none.
    pub color: Option<u32>,
    /// Without the right one, `replica` is not believed.
    pub secret: Option<ReplicaSecret>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Presence {
    pub sheet: SheetId,
    pub selection: Range,
    /// Whether a cell is being edited at this moment.
    pub is_editing: bool,
}

/// Someone in the room.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Person {
    pub session: SessionId,
    pub name: Arc<str>,
    pub color: u32,
    pub role: Role,
    /// `None` until the person has said where they are.
    pub presence: Option<Presence>,
}

/// From the server.
#[derive(Clone, PartialEq, Debug)]
pub enum ServerFrame {
    /// The answer to `Hello`.
    Welcome(Welcome),
    /// Part `part` (from 0) of `parts` of the snapshot at `revision`, which was stamped `time_and_seed`.
    Snapshot {
        revision: Revision,
        time_and_seed: TimeAndSeed,
        part: u32,
        parts: u32,
        bytes: Vec<u8>,
    },
    /// Records in order, each as the journal has it ([`Record::decode`](crate::Record::decode)).
    Records {
        records: Vec<Arc<[u8]>>,
    },
    /// People who came or changed, and those who went. `count` is everyone, listed or not.
    People {
        changed: Vec<Person>,
        gone: Vec<SessionId>,
        count: u64,
    },
    /// The transaction was refused; everything after it waits for `Withdrawn`.
    Rejected {
        counter: Counter,
        code: RejectCode,
        message: String,
    },
    /// The snapshot at `revision` follows and takes the place of the replica's document. It holds the
    /// replica's transactions up to `confirmed`, and none after.
    Resync {
        revision: Revision,
        confirmed: Counter,
    },
    /// What the document at `revision` hashes to.
    Digest {
        revision: Revision,
        digest: u64,
    },
    Pong,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Welcome {
    pub version: u64,
    pub replica: ReplicaId,
    pub incarnation: Incarnation,
    pub session: SessionId,
    pub role: Role,
    pub color: u32,
    /// The room's last durable revision.
    pub head: Revision,
    /// The last transaction of this replica that is durable.
    pub confirmed: Counter,
    pub resume: Resume,
    /// The server's clock, milliseconds since 1970-01-01 UTC.
    pub time_ms: i64,
    /// To be kept with the identity, and told to nobody but this room.
    pub secret: Option<ReplicaSecret>,
}

/// How the replica gets from what it has to the room's head.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Resume {
    /// By the records after the revision it named.
    Tail,
    /// By a snapshot and the records after that.
    Snapshot,
}

/// Why a transaction was refused. The numbers are part of the protocol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum RejectCode {
    /// The session's role does not allow it.
    Forbidden = 1,
    /// The bytes are no transaction.
    BadOperation = 2,
    /// Something lies outside the sheet or is not as an operation must be.
    OutOfBounds = 3,
    /// More cells, text or operations than allowed.
    TooLarge = 4,
    /// The room does not take changes at the moment.
    ReadOnly = 5,
}

impl RejectCode {
    pub const ALL: [RejectCode; 5] = [
        RejectCode::Forbidden,
        RejectCode::BadOperation,
        RejectCode::OutOfBounds,
        RejectCode::TooLarge,
        RejectCode::ReadOnly,
    ];

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

/// Why a session ends, as a WebSocket close code (RFC 6455, 7.4).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CloseReason {
    /// The server stops or the room moves: connect again.
    Restarting,
    /// The room has as many sessions as it may have: try later.
    RoomFull,
    /// A frame is longer than allowed.
    FrameTooLarge,
    /// A frame that cannot be read, or in the wrong place.
    BadFrame,
    /// The client speaks a version this server does not: reload.
    UpgradeClient,
    /// No role in this room.
    Forbidden,
    /// No `Hello` in time.
    HelloTimeout,
    /// A revision from the future, or too far back to rebase from: connect again without a revision.
    Resync,
    /// More than a client may send.
    TooFast,
    /// The room was deleted.
    Deleted,
    /// The same replica connected again.
    Replaced,
    /// The room cannot be served: its journal is damaged or could not be written.
    RoomStopped,
}

impl CloseReason {
    pub const ALL: [CloseReason; 12] = [
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
        CloseReason::RoomStopped,
    ];

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
            CloseReason::TooFast => 4429,
            CloseReason::RoomStopped => 4500,
        }
    }

    pub fn from_code(code: u16) -> Option<CloseReason> {
        CloseReason::ALL.into_iter().find(|reason| reason.code() == code)
    }

    /// The close frame's reason text.
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
            CloseReason::TooFast => "too_fast",
            CloseReason::RoomStopped => "room_stopped",
        }
    }

    /// Whether connecting again by itself is of use.
    pub const fn can_reconnect(self) -> bool {
        match self {
            CloseReason::Restarting
            | CloseReason::RoomFull
            | CloseReason::HelloTimeout
            | CloseReason::Resync
            | CloseReason::TooFast
            | CloseReason::RoomStopped => true,
            CloseReason::FrameTooLarge
            | CloseReason::BadFrame
            | CloseReason::UpgradeClient
            | CloseReason::Forbidden
            | CloseReason::Deleted
            | CloseReason::Replaced => false,
        }
    }
}

/// Why a client's frame could not be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FrameError {
    /// A `Submit` whose transaction cannot be read: rejected by its counter, the session goes on.
    BadTransaction {
        counter: Counter,
        error: DecodeError,
    },
    BadFrame {
        error: DecodeError,
    },
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

/// What a client's frame is, as far as limits tell frames apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClientFrameKind {
    Submit,
    Presence,
    Other,
}

impl ClientFrameKind {
    /// Looks at the first byte only; the frame may be broken all the same.
    pub fn of(bytes: &[u8]) -> ClientFrameKind {
        match bytes.first() {
            Some(2) => ClientFrameKind::Submit,
            Some(&(3 | following::SCROLLED)) => ClientFrameKind::Presence,
            _ => ClientFrameKind::Other,
        }
    }
}

impl ClientFrame {
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
        }
        writer.bytes
    }

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
            kind @ (chat::LISTEN | chat::SAY) => ClientFrame::Chat(ChatRequest::read(kind, &mut reader)?),
            kind @ (following::FOLLOW | following::SCROLLED) => {
                ClientFrame::Follow(FollowRequest::read(kind, &mut reader)?)
            }
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

/// At the end of its frame, which without it ends before.
fn write_secret(writer: &mut Writer, secret: Option<ReplicaSecret>) {
    if let Some(ReplicaSecret(secret)) = secret {
        writer.fixed64(secret);
    }
}

fn read_secret(reader: &mut Reader) -> Result<Option<ReplicaSecret>, DecodeError> {
    match reader.left() {
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
            ServerFrame::People { changed, gone, count } => {
                writer.byte(4);
                writer.varint(*count);
                writer.varint(gone.len() as u64);
                for session in gone {
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
                let bytes = reader.take(reader.left())?.to_vec();
                ServerFrame::Snapshot { revision, time_and_seed, part, parts, bytes }
            }
            3 => {
                let mut records = Vec::new();
                while reader.left() > 0 {
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
                let gone_count = reader.count("people who left", usize::MAX)?;
                let gone =
                    (0..gone_count).map(|_| reader.varint().map(SessionId)).collect::<Result<_, _>>()?;
                let changed_count = reader.count("people", PEOPLE_MAX)?;
                let changed =
                    (0..changed_count).map(|_| read_person(&mut reader)).collect::<Result<_, _>>()?;
                ServerFrame::People { changed, gone, count }
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
