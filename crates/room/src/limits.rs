//! Every limit of a room, with the behaviour at the limit.

/// Sessions of one room; the next one is closed with `room_full`. Servers have a setting, which is
/// usually lower.
pub const SESSIONS_MAX: usize = 100_000;

/// Records kept in memory for sessions that are a little behind. A session further behind is served
/// from storage when it joins, and told to resync when it is connected.
pub const RING_RECORDS_MAX: usize = 4_096;
/// Bytes of those records.
pub const RING_BYTES_MAX: usize = 8 << 20;
/// Records from this size on are handed to the caller to be freed on another thread.
pub const LARGE_RECORD_BYTES: usize = 64 << 10;

/// Transactions of one session that are not durable yet; at the limit it is closed with `too_fast`.
/// Replicas have at most 64 in flight.
pub const UNDURABLE_PER_SESSION_MAX: usize = 1_024;

/// Unreadable frames of one session; the last one closes it with `bad_frame`.
pub const BAD_FRAMES_MAX: u32 = 3;

/// Operations of one change from outside any session, such as an imported file; sessions have the
/// narrower limits of `quadrille_operation::Limits`.
pub const REQUEST_OPERATIONS_MAX: usize = 500_000;
/// Listed cells of one change from outside any session.
pub const REQUEST_CELLS_MAX: usize = 50_000_000;

/// A replica this many revisions behind gets a snapshot instead of the tail.
pub const TAIL_REVISIONS_MAX: u64 = 100_000;
/// Bytes of the tail read from storage at once.
pub const TAIL_PIECE_BYTES: usize = 1 << 20;
/// Bytes of tail after which a replica without unconfirmed transactions gets a snapshot instead.
pub const TAIL_BYTES_MAX: usize = 2 << 20;
/// The same for a replica with unconfirmed transactions, which can be rebased over a tail only.
pub const TAIL_BYTES_WITH_UNCONFIRMED_MAX: usize = 64 << 20;

/// Replicas whose last counter is remembered; the least recently active one is forgotten. A replica
/// that returns with unconfirmed transactions after so many others have written could have them
/// applied twice.
pub const REPLICAS_REMEMBERED_MAX: usize = 20_000;

/// A snapshot is stored after this many bytes of records, or as many as the last snapshot has if
/// that is more.
pub const SNAPSHOT_AFTER_BYTES: usize = 256 << 10;
/// … or after this many records, since opening a room replays them. In a room with a large
/// snapshot: after as many records as cost as much to replay as the snapshot costs to read.
pub const SNAPSHOT_AFTER_RECORDS: u64 = 2_000;
/// … or this long after the first record that no snapshot contains, when storing is worthwhile by
/// [`SNAPSHOT_WORTH_RECORDS`] or [`SNAPSHOT_WORTH_BYTES`].
pub const SNAPSHOT_AFTER_MS: u64 = 600_000;
/// Records without a snapshot from which storing one makes the next opening faster. Applies when
/// the room is unloaded or [`SNAPSHOT_AFTER_MS`] has passed.
pub const SNAPSHOT_WORTH_RECORDS: u64 = 50;
/// The same in bytes of records, or a quarter of the last snapshot's bytes if that is more.
pub const SNAPSHOT_WORTH_BYTES: usize = 8 << 10;
/// Approximate bytes of a snapshot that are read in the time of replaying one record, half a
/// microsecond.
pub const SNAPSHOT_BYTES_PER_RECORD: usize = 64;
/// The pause after encoding a workbook for storage or for its digest, as a multiple of the encoding
/// time: after a job of 100 ms the next begins 3.2 s later. Joining sessions do not wait for this
/// pause.
pub const SNAPSHOT_PAUSE_FACTOR: u64 = 32;

/// Minimum interval between presence frames.
pub const PRESENCE_INTERVAL_MS_MIN: u64 = 50;
/// The interval grows with the number of people up to this value.
pub const PRESENCE_INTERVAL_MS_MAX: u64 = 1_000;
/// Up to this many people, every session gets the presence of everyone in one shared frame.
pub const PEOPLE_ALL_LISTED_MAX: usize = 64;
/// In a larger room each session gets the presence of at most this many people: those nearest to
/// its view.
pub const NEARBY_PEOPLE_MAX: usize = 32;
/// People whose presence is sent in one frame; the others wait for the next.
pub const PRESENCE_PEOPLE_PER_FRAME: usize = 64;
/// Pictures of people that one session is sent; further requests are not answered. More than it can
/// show, and some 4 MB at most.
pub const PICTURES_PER_SESSION_MAX: usize = 1_000;
/// How long a snapshot encoded for joining sessions is cached after its last use.
pub const SNAPSHOT_TTL_MS: u64 = 10_000;

/// Bytes of texts and names in a room's chat log; older messages are deleted. The log also has at
/// most `CHAT_MESSAGES_MAX` messages of at most `CHAT_MESSAGE_CHARACTERS_MAX` characters each
/// (`quadrille_protocol::limits`).
pub const CHAT_BYTES_MAX: usize = 256 << 10;
/// Chat messages that one session can send in a burst; then one each [`CHAT_MESSAGE_EVERY_MS`].
/// More are rejected.
pub const CHAT_MESSAGES_AT_ONCE: u64 = 10;
/// Interval of one session's chat messages after a burst.
pub const CHAT_MESSAGE_EVERY_MS: u64 = 1_000;
/// Burst of chat messages of all sessions of a room together.
pub const CHAT_MESSAGES_AT_ONCE_IN_ROOM: u64 = 50;
/// Interval of a room's chat messages after a burst.
pub const CHAT_MESSAGE_EVERY_MS_IN_ROOM: u64 = 100;
/// Chat messages from outside any session that wait until the chat log has been read; more are
/// rejected.
pub const CHAT_SUBMISSIONS_WAITING_MAX: usize = 64;

/// Interval at which a document with volatile functions gets a new evaluation context while
/// somebody is in the room and nothing else changes; each is a record of some 30 bytes.
pub const VOLATILE_EVERY_MS: u64 = 60_000;

/// The limits that a simulation makes small so that a short run reaches them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// See [`RING_RECORDS_MAX`].
    pub ring_records: usize,
    /// See [`RING_BYTES_MAX`].
    pub ring_bytes: usize,
    /// See [`TAIL_REVISIONS_MAX`].
    pub tail_revisions: u64,
    /// See [`TAIL_PIECE_BYTES`].
    pub tail_piece_bytes: usize,
    /// See [`TAIL_BYTES_MAX`].
    pub tail_bytes: usize,
    /// See [`SNAPSHOT_AFTER_BYTES`].
    pub snapshot_after_bytes: usize,
    /// See [`SNAPSHOT_AFTER_RECORDS`].
    pub snapshot_after_records: u64,
    /// See [`SNAPSHOT_AFTER_MS`]; 0 turns it off.
    pub snapshot_after_ms: u64,
    /// See [`SNAPSHOT_PAUSE_FACTOR`]; 0 turns it off.
    pub snapshot_pause_factor: u64,
    /// See [`SNAPSHOT_WORTH_RECORDS`].
    pub snapshot_worth_records: u64,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            ring_records: RING_RECORDS_MAX,
            ring_bytes: RING_BYTES_MAX,
            tail_revisions: TAIL_REVISIONS_MAX,
            tail_piece_bytes: TAIL_PIECE_BYTES,
            tail_bytes: TAIL_BYTES_MAX,
            snapshot_after_bytes: SNAPSHOT_AFTER_BYTES,
            snapshot_after_records: SNAPSHOT_AFTER_RECORDS,
            snapshot_after_ms: SNAPSHOT_AFTER_MS,
            snapshot_pause_factor: SNAPSHOT_PAUSE_FACTOR,
            snapshot_worth_records: SNAPSHOT_WORTH_RECORDS,
        }
    }
}

/// Length of one queue beside its limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueueLevel {
    /// What the queue contains, in the plural: "sessions".
    pub name: &'static str,
    pub length: usize,
    pub limit: usize,
}
