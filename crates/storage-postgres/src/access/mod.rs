//! The access store in PostgreSQL: access documents as JSON in rows, with an index of the people in them,
//! and with columns for what is searched.

mod accounts;
mod audit;
mod keyed_requests;
mod notices;
mod quotas;
mod room_name;
mod store;
mod table_rows;
mod webhook_rows;
mod webhooks;
mod workbooks;

pub use store::PostgresAccessStore;
pub use table_rows::PostgresTables;
pub(crate) use table_rows::{BEGIN, key_of};
