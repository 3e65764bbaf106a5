//! Copies of all data from another storage: the mark of a database that is not complete, and the servers that
//! use one.

use quadrille_journal::StorageError;

use crate::address::Address;
use crate::connection::{Connection, RETRY_DELAY_MAX, new_name};
use crate::error::Failure;
use crate::session::Session;

/// Notes that a copy from `source` begins, or goes on. While the table exists, other programs refuse the
/// database.
///
/// # Errors
/// `Refused` when the database has data, or an unfinished copy from another source.
pub fn begin(session: &mut Session<'_>, source: &str) -> Result<(), Failure> {
    if let Some(earlier) = unfinished(session)? {
        return match earlier == source {
            true => Ok(()),
            false => Err(Failure::Refused(format!(
                "it has an unfinished copy from {earlier}; finish that, or drop the schema quadrille"
            ))),
        };
    }
    let has_data = "SELECT EXISTS (SELECT FROM room) OR EXISTS (SELECT FROM account)
                        OR EXISTS (SELECT FROM workbook)";
    if session.query(has_data, &[])?[0].get(0) {
        return Err(Failure::Refused("it already has rooms or accounts; name an empty database".into()));
    }
    session.batch("CREATE TABLE quadrille.unfinished_copy (source text NOT NULL)")?;
    session.query_once("INSERT INTO quadrille.unfinished_copy VALUES ($1)", &[&source])?;
    Ok(())
}

/// Returns the source of a copy that was not finished.
///
/// # Errors
/// Those of the database.
pub fn unfinished(session: &mut Session<'_>) -> Result<Option<String>, Failure> {
    let find = "SELECT to_regclass('quadrille.unfinished_copy') IS NOT NULL";
    if !session.query(find, &[])?[0].get::<_, bool>(0) {
        return Ok(None);
    }
    let rows = session.query_once("SELECT source FROM quadrille.unfinished_copy", &[])?;
    Ok(rows.first().map(|row| row.get(0)))
}

/// Ends a copy: other programs can use the database.
///
/// # Errors
/// Those of the database.
pub fn finish_copy(address: &Address) -> Result<(), StorageError> {
    let mut connection = Connection::open(address, new_name(), RETRY_DELAY_MAX)?;
    Ok(connection.run(|session| session.batch("DROP TABLE IF EXISTS quadrille.unfinished_copy"))?)
}

/// The servers of a database.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Servers {
    /// URLs of the servers that are connected; empty for commands.
    pub urls: Vec<String>,
    /// How many servers and commands have ever joined.
    pub joined: i64,
}

/// Returns the servers that are connected to a database.
///
/// # Errors
/// When the database cannot be reached.
pub fn servers(address: &Address) -> Result<Servers, StorageError> {
    let mut connection = Connection::open(address, new_name(), RETRY_DELAY_MAX)?;
    let servers = connection.run(|session| {
        let urls = connected(session)?;
        let joined = session.query("SELECT last_value FROM node_id_seq", &[])?[0].get(0);
        Ok::<_, Failure>(Servers { urls, joined })
    });
    Ok(servers?)
}

/// Returns the URLs of the servers that are connected; empty for commands.
///
/// # Errors
/// Those of the database.
pub fn connected(session: &mut Session<'_>) -> Result<Vec<String>, Failure> {
    let connected = "SELECT url FROM node WHERE EXISTS (
                         SELECT FROM pg_stat_activity
                         WHERE application_name LIKE node.name || ' %' AND datname = current_database()
                     )";
    Ok(session.query(connected, &[])?.iter().map(|row| row.get(0)).collect())
}
