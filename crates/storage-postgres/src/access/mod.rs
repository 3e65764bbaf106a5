//! The access store in PostgreSQL: access documents as JSON in rows, with an index of the people in them,
//! and with columns for what is searched.

mod accounts;
mod audit;
mod quotas;
mod store;
mod workbooks;

pub use store::PostgresAccessStore;
