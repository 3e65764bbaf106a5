//! The rows of all tables that have changed, for programs that follow a data directory. Triggers write them, so
//! that no statement can forget it.

use std::fmt::Write as _;

use quadrille_access::AccessError;
use quadrille_access::tables::{TABLES, Table, TableValue};
use rusqlite::{Connection, OptionalExtension};

use super::error::engine;
use crate::open::CHANGES_KEPT;

/// A row that was added, changed or removed: its table and its key.
pub type ChangedRow = (&'static Table, Vec<TableValue>);

/// Creates the table of changes and its triggers, unless they exist.
pub(super) fn create(database: &Connection) -> Result<(), AccessError> {
    let exists = "SELECT count(*) > 0 FROM sqlite_schema WHERE name = 'row_changes_kept'";
    match database.query_row(exists, [], |row| row.get(0)).map_err(engine)? {
        true => Ok(()),
        false => database.execute_batch(&format!("BEGIN IMMEDIATE; {} COMMIT;", schema())).map_err(engine),
    }
}

/// One row for each changed row, by the number of its last change.
fn schema() -> String {
    let mut schema = "
        CREATE TABLE IF NOT EXISTS row_change (
            number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, key TEXT NOT NULL, UNIQUE (name, key)
        ) STRICT;
        "
    .to_owned();
    for table in TABLES.iter().filter(|table| !is_log(table)) {
        let name = table.name;
        let note = |row: &str| {
            let key: Vec<String> = table.columns[..table.key_columns]
                .iter()
                .map(|(column, _)| format!("{row}.\"{column}\""))
                .collect();
            let key = key.join(", ");
            // In a trigger the conflict clause of the statement that fires it holds, hence no `OR REPLACE`.
            format!(
                "DELETE FROM row_change WHERE name = '{name}' AND key = json_array({key});
                 INSERT INTO row_change (name, key) VALUES ('{name}', json_array({key}));"
            )
        };
        for (event, notes) in
            [("INSERT", note("NEW")), ("UPDATE", note("OLD") + &note("NEW")), ("DELETE", note("OLD"))]
        {
            let trigger = format!("row_change_{name}_{}", event.to_lowercase());
            write!(
                schema,
                "CREATE TRIGGER IF NOT EXISTS {trigger} AFTER {event} ON {name} BEGIN {notes} END;"
            )
            .expect("a string grows");
        }
    }
    // Last: it tells that the others exist.
    schema
        + "CREATE TRIGGER IF NOT EXISTS row_changes_kept AFTER INSERT ON row_change BEGIN
               DELETE FROM row_change WHERE number <= (SELECT max(number) FROM row_change) - 100000;
           END;"
}

/// Whether rows are only added at the end of a table and removed at its beginning.
fn is_log(table: &Table) -> bool {
    table.name == "audit"
}

/// Returns the number of the last change; `None` in a file that no program of this version has opened.
pub(crate) fn last_change(database: &Connection) -> Result<Option<i64>, AccessError> {
    let exists = "SELECT 1 FROM sqlite_schema WHERE name = 'row_change'";
    let exists = database.query_row(exists, [], |_| Ok(())).optional().map_err(engine)?;
    let Some(()) = exists else { return Ok(None) };
    let last = "SELECT coalesce(max(number), 0) FROM row_change";
    database.query_row(last, [], |row| row.get(0)).map(Some).map_err(engine)
}

/// Returns the rows that changed after a number; `None` when they are not all known.
pub(crate) fn changes_after(
    database: &Connection,
    number: i64,
) -> Result<Option<Vec<ChangedRow>>, AccessError> {
    let Some(last) = last_change(database)?.filter(|last| last - number < CHANGES_KEPT) else {
        return Ok(None);
    };
    if last < number {
        return Ok(None); // another file
    }
    let select = "SELECT name, key FROM row_change WHERE number > ?1 ORDER BY number";
    let mut select = database.prepare_cached(select).map_err(engine)?;
    let mut rows = select.query([number]).map_err(engine)?;
    let mut changed = Vec::new();
    while let Some(row) = rows.next().map_err(engine)? {
        let (name, key): (String, String) = (row.get(0).map_err(engine)?, row.get(1).map_err(engine)?);
        let table = TABLES.iter().find(|table| table.name == name);
        let (Some(table), Some(key)) = (table, read_key(&key)) else { return Ok(None) };
        changed.push((table, key));
    }
    Ok(Some(changed))
}

/// Reads a key in the form of the triggers; `None` when it has another one.
fn read_key(text: &str) -> Option<Vec<TableValue>> {
    let values: Vec<serde_json::Value> = serde_json::from_str(text).ok()?;
    let value = |value: serde_json::Value| match value {
        serde_json::Value::String(text) => Some(TableValue::Text(text)),
        value => value.as_i64().map(TableValue::Integer),
    };
    values.into_iter().map(value).collect()
}
