//! The chat of a room, beside the workbook: ordered by the room, stored, and sent to the sessions
//! that listen (`P23`, `P24`). It has no part in revisions, digests and history.
//!
//! The stored messages are read when the first session listens. No message is sent before it is
//! stored.

mod log;
mod requests;

pub(crate) use log::ChatLog;
