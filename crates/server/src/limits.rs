//! Every limit of the server in one place; `docs/configuration.md` lists them and a test compares.
//!
//! What a setting can change is a default here; the rest is fixed because clients and stored data rely on it.

pub use quadrille_protocol::limits::AUTHOR_BYTES_MAX;
use quadrille_protocol::limits::CLIENT_FRAME_BYTES_MAX;

/// One named limit as documented.
#[cfg(test)]
pub struct Limit {
    pub name: &'static str,
    pub value: u64,
    /// What happens at the limit.
    pub at_the_limit: &'static str,
}

macro_rules! limits {
    ($($(#[doc = $text:literal])* $name:ident: $type:ty = $value:expr, $at:literal;)*) => {
        $($(#[doc = $text])* pub const $name: $type = $value;)*
        /// The limits for the table in the documentation.
        #[cfg(test)]
        pub const ALL: &[Limit] = &[
            $(Limit { name: stringify!($name), value: $value as u64, at_the_limit: $at },)*
        ];
    };
}

limits! {
    /// Body of a REST request that carries a whole file. A setting.
    BODY_BYTES_MAX: usize = 64 << 20, "413 `body_too_large`";
    /// Body of a REST request that carries JSON.
    JSON_BYTES_MAX: usize = 16 << 20, "413 `body_too_large`";
    /// One image.
    IMAGE_BYTES_MAX: usize = 5 << 20, "413 `body_too_large`";
    /// Images of one room together.
    IMAGES_BYTES_PER_ROOM_MAX: usize = 100 << 20, "413 `too_many_images`";
    /// Request line and headers together, about.
    HEAD_BYTES_MAX: usize = 64 << 10, "431, connection closed";
    /// Headers of one request.
    HEADERS_MAX: usize = 100, "431, connection closed";
    /// Time to send the request line and headers.
    HEAD_SECONDS_MAX: u64 = 10, "connection closed";
    /// Time between two pieces of a request body.
    BODY_PAUSE_SECONDS_MAX: u64 = 30, "408 `request_timeout`";
    /// Slowest sender of a body, in bytes per second, after that time.
    BODY_BYTES_PER_SECOND_MIN: usize = 4 << 10, "408 `request_timeout`";
    /// Open connections of the whole server. A setting.
    CONNECTIONS_MAX: usize = 50_000, "503, connection closed";
    /// Open files that are kept for the journal and the like: fewer connections are taken when the system's limit of open
    /// files asks for it.
    FILES_RESERVED: usize = 64, "503, connection closed";
    /// Sessions in one room. A setting.
    SESSIONS_PER_ROOM_MAX: usize = 20_000, "closed with 1013 `room_full`";
    /// One frame from a client, or fragments adding up to one.
    FRAME_BYTES_MAX: usize = CLIENT_FRAME_BYTES_MAX, "closed with 1009";
    /// From this size on a frame is carried out by a worker, so that other rooms do not wait for it.
    HEAVY_FRAME_BYTES: usize = 64 << 10, "what comes for its room waits until it is done";
    /// Time from the upgrade to the first frame, which is the hello.
    HELLO_SECONDS_MAX: u64 = 5, "closed with 4408";
    /// Frames of one session that wait for the room's thread.
    FRAMES_IN_FLIGHT_MAX: usize = 64, "the server stops reading that socket until the room has caught up";
    /// Bytes of a room's broadcasts kept for slow readers, and bytes that wait for one session alone; presence is left out
    /// from half of this on. A setting.
    OUTBOX_BYTES_MAX: usize = 4 << 20, "resumes from the journal; closed with 4429 when what it alone is owed does not fit";
    /// Broadcasts that are kept for slow readers of a room.
    FANOUT_FRAMES_MAX: usize = 4_096, "who is further behind resumes from the journal";
    /// Time a write to a socket may take, and more for long frames by the next line.
    WRITE_SECONDS_MAX: u64 = 20, "connection dropped";
    /// Slowest reader of a long frame, in bytes per second.
    READER_BYTES_PER_SECOND_MIN: usize = 16 << 10, "connection dropped";
    /// Silence after which a session is taken for dead; clients ping more often than this.
    SILENCE_SECONDS_MAX: u64 = 75, "connection dropped";
    /// Rooms in memory. A setting.
    ROOMS_OPEN_MAX: usize = 10_000, "503 `overloaded`, sockets closed with 1013";
    /// Bytes of transactions that wait for the journal over all rooms.
    JOURNAL_QUEUE_BYTES_MAX: usize = 256 << 20, "503 `overloaded` for REST writes";
    /// Bytes of a snapshot that are written between two commits of the journal. A setting.
    SNAPSHOT_PIECE_BYTES: usize = 1 << 20, "the rest follows after the next commit";
    /// Bytes of snapshots that wait to be written, over all rooms.
    SNAPSHOT_QUEUE_BYTES_MAX: usize = 256 << 20, "the next one is left out: its room opens more slowly the next time";
    /// Time at an orderly stop for snapshots of rooms that would open slowly, and at most three quarters of what is left of
    /// `drain_seconds`.
    STOP_SNAPSHOT_SECONDS_MAX: u64 = 10, "the other rooms open more slowly the next time";
    /// Transactions a second of one connection, on average. A setting.
    CONNECTION_OPERATIONS_PER_SECOND: u64 = 5_000, "read from more slowly; a wait beyond `PAUSE_SECONDS_MAX` closes with 4429 and the time to wait";
    /// Bytes a second of one connection.
    CONNECTION_BYTES_PER_SECOND: u64 = 4 << 20, "as above";
    /// Transactions a second of one room, over all its sessions and REST. A setting.
    ROOM_OPERATIONS_PER_SECOND: u64 = 20_000, "as above; REST gets 429";
    /// Bytes a second of one room.
    ROOM_BYTES_PER_SECOND: u64 = 32 << 20, "as above";
    /// Transactions a second of one address, over all its sessions and REST. A setting.
    ADDRESS_OPERATIONS_PER_SECOND: u64 = 10_000, "as above";
    /// Bytes a second of one address.
    ADDRESS_BYTES_PER_SECOND: u64 = 16 << 20, "as above";
    /// Words of presence a second of one connection.
    PRESENCE_PER_SECOND: u64 = 40, "dropped; the next one replaces them";
    /// Sessions a second that join one room. A setting.
    ROOM_JOINS_PER_SECOND: u64 = 1_000, "closed with 4429 and the time to wait";
    /// Sessions a second that one address begins. A setting.
    ADDRESS_JOINS_PER_SECOND: u64 = 200, "closed with 4429 and the time to wait";
    /// Sessions of one address at once. A setting.
    ADDRESS_CONNECTIONS_MAX: usize = 5_000, "closed with 4429 and the time to wait";
    /// Requests a second of one address. A setting.
    ADDRESS_REQUESTS_PER_SECOND: u64 = 200, "429 `too_many_requests` with `retry-after`";
    /// After quiet, as much as these many seconds' worth of a rate may come at once.
    BURST_SECONDS: u64 = 10, "the rates above hold";
    /// How long a connection that sends too much is not read from before it is closed.
    PAUSE_SECONDS_MAX: u64 = 5, "closed with 4429 and the time to wait";
    /// What somebody is told to wait whose address has too many sessions.
    PLACE_WAIT_SECONDS: u64 = 10, "asked again then";
    /// Addresses, and rooms, of which is remembered what they have used lately.
    RATES_REMEMBERED_MAX: usize = 100_000, "one of them is forgotten and begins anew";
    /// Cells that one REST request may read as JSON.
    CELLS_PER_READ_MAX: u64 = 1_000_000, "413 `too_many_cells`";
    /// Cells into which one REST request may write something; looks alone may go to any range.
    CELLS_PER_WRITE_MAX: u64 = 200_000, "413 `too_many_cells`";
    /// Cells of a window that a page draws before it has the workbook.
    PREVIEW_CELLS_MAX: u64 = 20_000, "413 `too_many_cells`";
    /// Evaluation steps for such windows.
    PREVIEW_STEPS: u64 = 2_000_000, "formulas not calculated by then are blank, and the reply says so";
    /// Milliseconds that such a window of a room that changes is given to others, too.
    PREVIEW_TTL_MS: u64 = 1_000, "made anew";
    /// Different windows of a room that are made together.
    PREVIEWS_AT_ONCE: usize = 16, "the others are made after them";
    /// Revisions that one look into a room's history gives.
    HISTORY_REVISIONS_MAX: u64 = 500, "as many as that; the reply says where to go on";
    /// Revisions that one look into a cell's history goes through.
    HISTORY_SCANNED_MAX: u64 = 20_000, "what was found so far; the reply says where to go on";
    /// Operations of one revision that are told.
    HISTORY_OPERATIONS_SHOWN_MAX: usize = 50, "the rest are counted";
    /// Cells of one operation that are told one by one.
    HISTORY_CELLS_SHOWN_MAX: usize = 20, "only their number is told";
    /// Letters that tell of one operation.
    HISTORY_WORDS_MAX: usize = 200, "shortened";
    /// Time for bringing back a workbook of the past.
    HISTORY_SECONDS_MAX: u64 = 30, "503 `overloaded`";
    /// Workbooks of the past that are kept for whoever looks on.
    HISTORY_WORKBOOKS_CACHED: usize = 8, "the one not looked at longest is forgotten";
    /// Evaluation steps of one slice of a workbook that is read over REST.
    EVALUATION_STEPS: u64 = 5_000_000, "others have a turn, then the next slice follows, until the next line";
    /// Time for computing a workbook that is read over REST.
    EVALUATION_SECONDS_MAX: u64 = 30, "503 `overloaded`; the next reader goes on where this one stopped";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_is_documented_with_its_value() {
        let documentation = include_str!("../../../docs/configuration.md");
        for limit in ALL {
            let row = format!("| `{}` | {} |", limit.name, limit.value);
            let documented = documentation.lines().find(|line| line.starts_with(&row));
            let documented =
                documented.unwrap_or_else(|| panic!("docs/configuration.md lacks the row {row}"));
            assert!(documented.ends_with(&format!("| {} |", limit.at_the_limit)), "{documented}");
        }
    }
}
