//! The rooms of this process. Each runs on one of a few threads; all share one journal.
//!
//! | file | contents |
//! |---|---|
//! | `registry` | [`Rooms`], the handle that the rest of the server uses; [`Member`], one session |
//! | `room_thread` | a thread that runs rooms: opens them, passes messages, unloads idle ones |
//! | `hand_over`, `balance` | rooms that go to another server with the same database |
//! | `room_list`, `open_room_info` | lists of stored and of open rooms, and what they take |
//! | `open_room` | one room in memory, with its sessions and waiting requests |
//! | `session_access` | changed and revoked access of open sessions |
//! | `journal`, `journal_batch`, `journal_state` | storage: group commit |
//! | `large_appends`, `journal_large`, `storage_reader`, `snapshot_queue` | large writes and reads beside it, snapshots |
//! | `storage_wait` | how long a request waits for a database that is away |
//! | `workers` | threads for work that takes long |
//! | `outbox`, `socket_outbox`, `fanout`, `broadcast_streams`, `send_pacing` | sending frames to sessions |
//! | `change_feeds`, `changed_rooms` | waiting for new revisions, for change feeds, webhooks and mail |
//! | `import_listener` | news of rooms, for those that import their data |
//! | `facts` | reports of titles, for lists of workbooks |
//! | `computed_values`, `history`, `preview` | workbooks with values, for REST and for the preview |
//! | `author_undo` | undoing what one author has changed |
//!
//! A room is only ever touched on its thread: [`Rooms`] finds the thread by the room's name and
//! sends it a message.

mod author_undo;
mod balance;
mod broadcast_streams;
mod change;
mod change_feeds;
mod changed_rooms;
mod chat;
mod client;
mod clock;
mod computed_values;
mod delivery_latency;
mod errors;
mod facts;
mod fanout;
mod files;
mod hand_over;
mod history;
mod history_cache;
mod images;
mod import_listener;
mod journal;
mod journal_batch;
mod journal_large;
mod journal_request;
mod journal_state;
#[cfg(test)]
mod journal_tests;
mod large_appends;
#[cfg(test)]
mod large_appends_tests;
mod object_reads;
mod open_room;
mod open_room_info;
mod outbox;
pub mod preview;
mod readers;
mod registry;
mod room_list;
mod room_message;
mod room_thread;
mod send_pacing;
mod session_access;
mod snapshot_queue;
mod snapshot_uploads;
mod socket_outbox;
mod storage_reader;
mod storage_wait;
#[cfg(test)]
mod tests;
mod thread_message;
mod transaction_traces;
mod workbook_handle;
mod workers;

pub use author_undo::ChosenRevisions;
pub use change::{Change, Changed, MissingRoom, Plan, Reading, RequestMark};
pub use change_feeds::{ChangeFeeds, Feed, FeedEnd, FeedPage, PageKey};
pub use changed_rooms::ChangedRooms;
pub use client::{Client, Expiry};
pub use errors::{no_such_room, room_elsewhere, storage_unanswered};
pub use fanout::{Fanout, SharedFrame};
pub use files::{StoredFile, file_path, is_stored_file, linked_files};
pub use history::HistoryBounds;
pub use images::{image_id, image_name};
pub use import_listener::RoomEvent;
pub use outbox::{Flushed, Outbox, OwnBytes, Progress, Pushed};
pub use registry::{Member, Rooms};
pub use room_message::Expected;
pub use socket_outbox::{SocketIo, SocketOutbox};
pub use storage_wait::unless_away;
pub use workbook_handle::WorkbookHandle;
