//! Requests and sessions for rooms that another server with the same database runs: passed on to that
//! server, so that clients can use any of them (docs/decisions/0031-servers-relay-to-the-owner.md).
//!
//! [`add_to`] adds the layer to a route. It runs before anything is decided about a request. The other
//! server recognises the client, checks its access and counts its limits as if the client had come
//! itself: the signed header of `signature.rs` says who that is. Bodies are passed on as they arrive. All
//! sessions of a room share one connection (`room_stream`); EtherCalc's WebSockets are passed on byte by byte
//! (`tunnel.rs`), and those of an owner whose version has no such connection. A request is relayed once only.
//!
//! Start with `layer.rs`; `attempts.rs` says what happens when the other server does not answer.

mod addressing;
mod attempts;
mod connections;
mod departures;
mod frame_boundary;
mod heads;
mod layer;
pub mod relay;
mod relayed_body;
mod relayed_numbers;
mod relayed_session;
mod repeatable;
mod room_stream;
mod server_request;
mod signature;
mod tunnel;

pub use attempts::{CompletedByOwner, pass_on};
pub use layer::{accept_relayed, add_to, sign_answer};
pub use room_stream::{ROOM_STREAM, Unopened, accept as accept_stream, requested_session};
pub use server_request::{ServerAnswer, get as get_from_server};
pub use signature::Relayed;
