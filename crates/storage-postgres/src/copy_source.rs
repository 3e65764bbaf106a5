//! Reading a whole database as of one moment, while servers go on.

use quadrille_journal::StorageError;

use crate::access::PostgresTables;
use crate::address::Address;
use crate::connection::{Connection, RETRY_DELAY_MAX, new_name};
use crate::error::Failure;
use crate::schema;
use crate::storage::PostgresStorage;

/// Opens rooms and tables for reading. Both see the state of this moment, whatever is committed later. Fails
/// once the connection is lost.
///
/// # Errors
/// When the database cannot be reached, refuses the user, is read-only or was written by a newer version.
pub fn open_exported_snapshot(address: &Address) -> Result<(PostgresStorage, PostgresTables), StorageError> {
    let failed = |failure: Failure| StorageError::Engine { reason: format!("{address}: {failure}") };
    let connect = || Connection::open(address, new_name(), RETRY_DELAY_MAX).map_err(failed);
    let mut rooms = connect()?;
    rooms.run(|session| schema::migrate(session, None)).map_err(failed)?;
    let mut tables = connect()?;
    // The first query of a transaction decides its moment; the second transaction takes it over.
    let moment: String = rooms
        .run(|session| {
            session.batch(BEGIN)?;
            Ok(session.query("SELECT pg_export_snapshot()", &[])?[0].get(0))
        })
        .map_err(failed)?;
    tables
        .run(|session| session.batch(&format!("{BEGIN}; SET TRANSACTION SNAPSHOT '{moment}'")))
        .map_err(failed)?;
    rooms.keep_open();
    tables.keep_open();
    Ok((PostgresStorage::in_snapshot(address, rooms), PostgresTables::in_snapshot(tables)))
}

/// Copies may take longer than the timeout that protects servers.
const BEGIN: &str =
    "SET idle_in_transaction_session_timeout TO 0; BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY";
