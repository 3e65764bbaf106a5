//! References to objects that stand for snapshots and images, and properties of the storage.

use quadrille_journal::{ObjectReference, StorageError};

use crate::session::Session;

/// Returns the references of all rooms.
///
/// # Errors
/// Those of the database.
pub fn references(session: &mut Session<'_>) -> Result<Vec<ObjectReference>, StorageError> {
    let rows = session.query(
        r"SELECT data FROM image WHERE length(data) = 73
              AND substring(data FROM 1 FOR 17) = '\x5175616472696c6c65206f626a65637401'::bytea
          UNION ALL SELECT data FROM snapshot WHERE bytes = 73
              AND substring(data FROM 1 FOR 17) = '\x5175616472696c6c65206f626a65637401'::bytea",
        &[],
    )?;
    Ok(rows.iter().filter_map(|row| ObjectReference::decode(row.get(0))).collect())
}

/// Returns a property.
///
/// # Errors
/// Those of the database.
pub fn property(session: &mut Session<'_>, name: &str) -> Result<Option<String>, StorageError> {
    // A backup may read a database that only older versions have used.
    if session.query("SELECT to_regclass('quadrille.property') IS NULL", &[])?[0].get(0) {
        return Ok(None);
    }
    let row = session.query_opt("SELECT value FROM property WHERE name = $1", &[&name])?;
    Ok(row.map(|row| row.get(0)))
}

/// Stores a property unless there is one of that name. Returns the stored value.
///
/// # Errors
/// Those of the database.
pub fn put_property(session: &mut Session<'_>, name: &str, value: &str) -> Result<String, StorageError> {
    session.execute(
        "INSERT INTO property (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
        &[&name, &value],
    )?;
    property(session, name)?.ok_or_else(|| StorageError::Engine { reason: format!("no property {name}") })
}

/// Stores, replaces or removes a property.
///
/// # Errors
/// Those of the database.
pub fn set_property(session: &mut Session<'_>, name: &str, value: Option<&str>) -> Result<(), StorageError> {
    match value {
        Some(value) => session.execute(
            "INSERT INTO property (name, value) VALUES ($1, $2)
             ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            &[&name, &value],
        )?,
        None => session.execute("DELETE FROM property WHERE name = $1", &[&name])?,
    };
    Ok(())
}

/// Returns the properties whose names begin with a prefix.
///
/// # Errors
/// Those of the database.
pub fn properties(
    session: &mut Session<'_>,
    prefix: &str,
    count: usize,
) -> Result<Vec<(String, String)>, StorageError> {
    let rows = session.query(
        "SELECT name, value FROM property WHERE starts_with(name, $1) ORDER BY name LIMIT $2",
        &[&prefix, &i64::try_from(count).unwrap_or(i64::MAX)],
    )?;
    Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
}
