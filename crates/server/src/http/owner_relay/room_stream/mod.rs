//! A stream between two servers, over which one relays all sessions of a room that the other runs.
//!
//! The owner writes each broadcast once for all sessions of the stream, and the relay passes it on to its
//! clients, so that the number of listeners does not matter to the owner
//! (docs/decisions/0035-one-stream-per-room.md).
//!
//! | file | contents |
//! |---|---|
//! | `message` | the messages and their bytes |
//! | `connection` | one end of the connection: writes, and notices that the other end is silent |
//! | `opening` | the requests that open a stream and a session in it |
//! | `owner`, `owner_session` | the owner's end: the session is one of the room, its socket is the stream |
//! | `relay`, `relay_session` | the relay's end: broadcasts, and the sockets of the clients |
//!
//! A session is opened by a request of its own (`attempts.rs`), so that the owner decides about it as about
//! any other. Its bytes then go through the stream: those of the client as they were received, and frames as
//! they are written to the client. The order of the messages is the order in which the room has sent them.
//!
//! A client that does not read holds nobody back: at most `RELAY_WINDOW_BYTES` of what it has sent are on
//! the way, broadcasts wait in a ring of the relay as they do in the owner's, and the owner counts the frames
//! for one session until they are written.

mod connection;
mod message;
mod opening;
mod owner;
mod owner_session;
mod relay;
mod relay_session;
mod traced_broadcasts;

pub use opening::{ROOM_STREAM, accept, has_stream, put_upgrade, request, requested_session};
pub use owner::{OwnerStreams, Unopened};
pub use relay::{Connected, RelayStreams, Reservation, StreamKey};
