//! Every bound of a room, in one place, with what happens there.

/// Sessions of one room; the next one is closed with `room_full`.
pub const SESSIONS_MAX: usize = 20_000;

/// Records kept in memory for sessions that are a little behind. A session further behind is served from
/// storage when it joins, and told to resume when it was live.
pub const RING_RECORDS_MAX: usize = 4_096;
/// Giving back the memory of a record from this size on takes so long that somebody else is to do it.
pub const LONG_RECORD_BYTES: usize = 64 << 10;
/// Bytes of those records.
pub const RING_BYTES_MAX: usize = 8 << 20;

/// Transactions of one session that wait for the disk; beyond, it is closed with `too_fast`.
/// Replicas have at most 64 in flight.
pub const UNDURABLE_PER_SESSION_MAX: usize = 1_024;

/// Frames of one session that could not be read; the last one closes it with `bad_frame`.
pub const BAD_FRAMES_MAX: u32 = 3;

/// Operations and listed cells of one change from outside any session, such as an imported file; sessions
/// have the narrower bounds of `quadrille_operation::Limits`.
pub const REQUEST_OPERATIONS_MAX: usize = 500_000;
pub const REQUEST_CELLS_MAX: usize = 50_000_000;

/// A replica this many revisions behind gets a snapshot instead of the tail.
pub const TAIL_REVISIONS_MAX: u64 = 100_000;
/// Bytes of the tail asked from storage at once.
pub const TAIL_PIECE_BYTES: usize = 1 << 20;
/// Bytes of tail after which a replica gets a snapshot instead, unless it has unconfirmed transactions:
/// those can be rebased over a tail only.
pub const TAIL_BYTES_MAX: usize = 2 << 20;
pub const TAIL_BYTES_WITH_UNCONFIRMED_MAX: usize = 64 << 20;

/// Replicas whose last counter is remembered; the one that was silent longest is forgotten. A replica that
/// comes back with unconfirmed work after so many others have written could have it applied twice.
pub const REPLICAS_REMEMBERED_MAX: usize = 20_000;

/// A snapshot is stored after this many bytes of records, or after as many as the last snapshot has.
pub const SNAPSHOT_AFTER_BYTES: usize = 256 << 10;
/// … or after this many records, since opening a room replays them; in a room whose last snapshot was big, after as many
/// as cost what reading that snapshot costs.
pub const SNAPSHOT_AFTER_RECORDS: u64 = 2_000;
/// … or this long after the first record that is in none, if there are enough of them by the next line.
pub const SNAPSHOT_AFTER_MS: u64 = 600_000;
/// A room that leaves memory, or whose time has come, has a snapshot stored when so many records would have to be
/// replayed, or so many bytes and a quarter as many as the last snapshot has: fewer are replayed sooner than a
/// snapshot is read.
pub const SNAPSHOT_WORTH_RECORDS: u64 = 50;
pub const SNAPSHOT_WORTH_BYTES: usize = 8 << 10;
/// Bytes of a snapshot that are read while one record is replayed, about: half a microsecond.
pub const SNAPSHOT_BYTES_PER_RECORD: usize = 64;
/// Making a workbook into bytes, for storage or for its digest, takes at most this part of the time: after a job of 100 ms
/// the next begins 3.2 s later. Whoever joins does not wait for that.
pub const SNAPSHOT_REST: u64 = 32;

/// Presence goes out at most this often; a bigger room waits longer, up to the second value.
pub const PRESENCE_INTERVAL_MS_MIN: u64 = 50;
pub const PRESENCE_INTERVAL_MS_MAX: u64 = 1_000;
/// Up to so many people everyone hears of everyone, by one frame for all.
pub const PEOPLE_ALL_LISTED_MAX: usize = 64;
/// In a bigger room each session hears of so many at most, those nearest to what it looks at.
pub const NEIGHBOURS_MAX: usize = 32;
/// People whose presence goes out in one frame; the others wait for the next.
pub const PRESENCE_PEOPLE_PER_FRAME: usize = 64;
/// A snapshot encoded for joiners is kept this long after its last use.
pub const SNAPSHOT_TTL_MS: u64 = 10_000;

/// Bytes of the texts and names of a room's chat that are kept, and of what one who comes to it is told at most; also at
/// most `CHAT_MESSAGES_MAX` chat messages of at most `CHAT_MESSAGE_CHARACTERS_MAX` characters (`quadrille_protocol::limits`).
pub const CHAT_BYTES_MAX: usize = 256 << 10;
/// One session may say so many chat messages at once, then one in so many milliseconds; what is more is refused.
pub const CHAT_MESSAGES_AT_ONCE: u64 = 10;
pub const CHAT_MESSAGE_EVERY_MS: u64 = 1_000;
/// The same of all sessions together: everyone is told, one by one.
pub const CHAT_MESSAGES_AT_ONCE_IN_ROOM: u64 = 50;
pub const CHAT_MESSAGE_EVERY_MS_IN_ROOM: u64 = 100;
/// Chat messages from outside any session that wait until the chat has been read; one more is refused.
pub const CHAT_SUBMISSIONS_WAITING_MAX: usize = 64;

/// A document that shows time or chance is stamped anew after so long without a change, while somebody looks: a
/// record of some 30 bytes.
pub const VOLATILE_EVERY_MS: u64 = 60_000;

/// The bounds that a simulation makes small, so that a short run meets them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    pub ring_records: usize,
    pub ring_bytes: usize,
    pub tail_revisions: u64,
    pub tail_piece_bytes: usize,
    pub tail_bytes: usize,
    pub snapshot_after_bytes: usize,
    pub snapshot_after_records: u64,
    /// 0: time alone is no reason for a snapshot.
    pub snapshot_after_ms: u64,
    /// 0: only the bounds above say when the next snapshot is made, whatever it costs.
    pub snapshot_rest: u64,
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
            snapshot_rest: SNAPSHOT_REST,
            snapshot_worth_records: SNAPSHOT_WORTH_RECORDS,
        }
    }
}
