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
//! | `lease`, `lease_beat` | the server that may write, with its epoch; its sign of life |
//! | `cleanup` | rooms with rows that are removed later, in pieces |
//! | `workbook`, `account`, `audit`, … | access documents, accounts, sessions, tokens, the audit log |
//!
//! A commit moves the heads of all its rooms and inserts their records in one statement, so it takes one
//! round trip whatever the number of rooms. A head that another server has moved is not moved again: that
//! room is fenced, and the others commit.
//!
//! Every commit also proves that its server holds the lease of the database (`lease.rs`, rules L1 to L4).
//!
//! Start reading with `storage.rs` and `append.rs`. `connection.rs` connects and reconnects, `error.rs`
//! says what an error means, `schema.rs` has the tables. The crate knows nothing of the contents of records.

mod access;
mod address;
mod append;
mod chat;
mod cleanup;
mod connection;
mod error;
mod heartbeat;
mod images;
mod lease;
mod reader;
mod records;
mod schema;
mod session;
mod snapshot_writer;
mod snapshots;
mod storage;
mod tls;

pub use access::PostgresAccessStore;
pub use address::{Address, AddressError};
pub use storage::PostgresStorage;
