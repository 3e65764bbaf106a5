//! Webhooks: programs are told of changes by requests of the server.
//!
//! Like a change feed, a webhook reads revisions from the journal, so that it needs no queue of its
//! own: its position in the history is all that is stored. The threads of rooms only note that there
//! is something new. Start reading at `dispatcher.rs`; `docs/webhooks.md` is the guide.
//!
//! W1  Revisions are delivered in their order, at least once. A revision is delivered again only if the
//!     server crashed before it had stored the position behind it.
//! W2  A batch that is sent again has the same identifier and the same content.
//! W3  What was not delivered after the last attempt is a dead letter; later revisions go on.
//! W4  Requests go to addresses that were checked, and follow no redirects (`guarded_resolver.rs`).

mod batch;
mod delivery_worker;
mod dispatcher;
mod pending_changes;
mod signature;

pub use delivery_worker::DeliveryWorker;
pub use dispatcher::Dispatcher;
pub use pending_changes::Webhooks;
pub use signature::SigningSecret;
