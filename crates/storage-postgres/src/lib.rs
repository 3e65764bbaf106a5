//! Storage in PostgreSQL: [`PostgresStorage`] implements the `Storage` trait of the crate `journal`, and
//! [`PostgresAccessStore`] the trait of the crate `access`, with PostgreSQL 13 or newer.
//!
//! All tables are in the schema `quadrille`:
//!
//! | table | rows |
//! |---|---|
//! | `room`, `room_head` | a room's name; its last revision, which every append moves by compare-and-set |
//! | `record` | the records of one room in one commit, each in the envelope of `journal::entry` |
//! | `snapshot`, `piece` | a snapshot with its last piece; the pieces before it |
//! | `chat`, `image` | chat messages; images |
//! | `node` | the servers that use the database, with their heartbeats |
//! | `room_owner` | the server that has a room in memory, with the epoch of its claim |
//! | `property` | properties of the database as a whole, such as where its objects are |
//! | `cleanup` | rooms with rows that are removed later, in pieces |
//! | `workbook`, `account`, `audit`, … | access documents, accounts, sessions, tokens, the audit log |
//!
//! A commit moves the heads of all its rooms and inserts their records in one statement, so it takes one
//! round trip whatever the number of rooms. A head that another server has moved, or claimed, is not moved:
//! that room is fenced, and the others commit. Several servers use a database, each for its rooms (`node.rs`,
//! rules O1 to O5); what they decide without the database is in `journal::ownership`.
//!
//! Start reading with `storage.rs` and `append.rs`. `connection.rs` connects and reconnects, `error.rs`
//! says what an error means, `schema.rs` has the tables. The crate knows nothing of the contents of records.

mod access;
mod address;
mod append;
mod chat;
mod cleanup;
mod connection;
mod copy_source;
mod copy_target;
mod error;
mod heartbeat;
mod images;
mod inspect;
mod node;
mod objects;
mod reader;
mod records;
mod running;
mod schema;
mod session;
mod snapshot_writer;
mod snapshots;
mod storage;
mod tls;

pub use access::{PostgresAccessStore, PostgresTables};
pub use address::{Address, AddressError};
pub use copy_source::open_exported_snapshot;
pub use copy_target::{Servers, finish_copy, servers};
pub use inspect::{Inspection, inspect};
pub use running::RunningDatabase;
pub use storage::PostgresStorage;
