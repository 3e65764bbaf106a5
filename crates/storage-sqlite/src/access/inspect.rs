//! Finding and repairing damage of `access.db`: documents that cannot be read, and indexes that do not lead to
//! their documents.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use quadrille_access::stored_form::{account_keys, people_keys};
use quadrille_access::{
    AccessError, AccessRequest, Account, AccountSession, ApiToken, AuditEntry, DeadLetter, KeyedRequest,
    Quota, Webhook, WorkbookAccess,
};
use rusqlite::Connection;
use serde::de::DeserializeOwned;

use super::error::{ACCESS, engine};
use super::store::SqliteAccessStore;
use crate::open::{EXISTING, be_alone};

/// Something in `access.db` that is not as it was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AccessDamage {
    /// SQLite finds the file inconsistent.
    File { reason: String },
    /// A row that cannot be read. Repair deletes it: a workbook without a document is unclaimed, so its name is
    /// told to the operator.
    Row { table: &'static str, key: String, reason: String },
    /// The index from people to workbooks, or from keys to accounts, is not what the documents say. Repair
    /// builds it anew.
    Index { table: &'static str },
}

impl fmt::Display for AccessDamage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AccessDamage::File { reason } => write!(f, "{ACCESS}: {reason}"),
            AccessDamage::Row { table, key, reason } => {
                write!(f, "{ACCESS}: {table} {key} cannot be read: {reason}")
            }
            AccessDamage::Index { table } => {
                write!(f, "{ACCESS}: the index {table} does not match the documents")
            }
        }
    }
}

/// Reads everything in `access.db` of a data directory. A directory without the file has no damage.
///
/// # Errors
/// When the file cannot be opened.
pub fn check_access(directory: &Path) -> Result<Vec<AccessDamage>, AccessError> {
    let path = directory.join(ACCESS);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let database = Connection::open_with_flags(path, EXISTING).map_err(engine)?;
    be_alone(&database).map_err(engine)?;
    let verdict: Result<String, _> = database.query_row("PRAGMA quick_check(1)", [], |row| row.get(0));
    match verdict {
        Ok(verdict) if verdict == "ok" => {}
        Ok(reason) => return Ok(vec![AccessDamage::File { reason }]),
        Err(error) => return Ok(vec![AccessDamage::File { reason: error.to_string() }]),
    }
    let mut damage = Vec::new();
    let mut people = BTreeSet::new();
    let mut keys = BTreeSet::new();
    rows(&database, "workbook", "room", &mut damage, |room, access: WorkbookAccess| {
        people.extend(people_keys(&access).into_iter().map(|person| (person, room.clone())));
    })?;
    rows(&database, "account", "id", &mut damage, |id, account: Account| {
        keys.extend(account_keys(&account).into_iter().map(|key| (key, id.clone())));
    })?;
    rows(&database, "session", "id", &mut damage, |_, _: AccountSession| ())?;
    rows(&database, "token", "id", &mut damage, |_, _: ApiToken| ())?;
    rows(&database, "audit", "number", &mut damage, |_, _: AuditEntry| ())?;
    rows(&database, "request", "id", &mut damage, |_, _: AccessRequest| ())?;
    if has_table(&database, "quota")? {
        rows(&database, "quota", "subject", &mut damage, |_, _: Quota| ())?;
    }
    if has_table(&database, "webhook")? {
        rows(&database, "keyed_request", "key", &mut damage, |_, _: KeyedRequest| ())?;
        rows(&database, "webhook", "id", &mut damage, |_, _: Webhook| ())?;
        rows(&database, "dead_letter", "number", &mut damage, |_, _: DeadLetter| ())?;
    }
    let misplaced = "SELECT count(*) FROM workbook
        WHERE json_valid(document) AND trashed_ms IS NOT document ->> 'trashed_ms'";
    if database.query_row(misplaced, [], |row| Ok(row.get::<_, i64>(0)? > 0)).map_err(engine)? {
        damage.push(AccessDamage::Index { table: "workbook_trashed" });
    }
    if pairs(&database, "SELECT person, room FROM workbook_person")? != people {
        damage.push(AccessDamage::Index { table: "workbook_person" });
    }
    if pairs(&database, "SELECT key, account FROM account_key")? != keys {
        damage.push(AccessDamage::Index { table: "account_key" });
    }
    Ok(damage)
}

/// Deletes rows that cannot be read and builds the indexes anew; what was repaired. The rest of a file that SQLite
/// itself cannot read is beyond this: restore it from a backup.
///
/// # Errors
/// When the file cannot be opened or written.
pub fn repair_access(directory: &Path) -> Result<Vec<AccessDamage>, AccessError> {
    let damage = check_access(directory)?;
    let is_repairable = |damage: &AccessDamage| !matches!(damage, AccessDamage::File { .. });
    if !damage.iter().any(is_repairable) {
        return Ok(Vec::new());
    }
    let mut store = SqliteAccessStore::open(directory)?;
    store.write(|transaction| {
        for found in &damage {
            if let AccessDamage::Row { table, key, .. } = found {
                let column = match *table {
                    "workbook" => "room",
                    "audit" | "dead_letter" => "number",
                    "keyed_request" => "key",
                    "quota" => "subject",
                    _ => "id",
                };
                let delete = format!("DELETE FROM {table} WHERE {column} = ?1");
                transaction.execute(&delete, [key]).map_err(engine)?;
            }
        }
        transaction
            .execute_batch(
                "DELETE FROM workbook_person; DELETE FROM account_key;
                 UPDATE workbook SET trashed_ms = document ->> 'trashed_ms'",
            )
            .map_err(engine)?;
        let mut unreadable = Vec::new();
        let mut entries = Vec::new();
        rows(transaction, "workbook", "room", &mut unreadable, |room, access: WorkbookAccess| {
            let people = people_keys(&access).into_iter();
            entries.extend(people.map(|person| ("workbook_person (person, room)", person, room.clone())));
        })?;
        rows(transaction, "account", "id", &mut unreadable, |id, account: Account| {
            let keys = account_keys(&account).into_iter();
            entries.extend(keys.map(|key| ("account_key (key, account)", key, id.clone())));
        })?;
        for (table, from, to) in entries {
            let insert = format!("INSERT OR IGNORE INTO {table} VALUES (?1, ?2)");
            transaction.execute(&insert, [from, to]).map_err(engine)?;
        }
        Ok(())
    })?;
    Ok(damage.into_iter().filter(is_repairable).collect())
}

/// Reads the documents of a table; those that cannot be read are added to `damage`.
fn rows<T: DeserializeOwned>(
    database: &Connection,
    table: &'static str,
    key: &str,
    damage: &mut Vec<AccessDamage>,
    mut take: impl FnMut(String, T),
) -> Result<(), AccessError> {
    let select = format!("SELECT CAST({key} AS TEXT), document FROM {table}");
    let mut select = database.prepare(&select).map_err(engine)?;
    let mut rows = select.query([]).map_err(engine)?;
    while let Some(row) = rows.next().map_err(engine)? {
        let key: String = row.get(0).map_err(engine)?;
        let document: String = row.get(1).map_err(engine)?;
        match serde_json::from_str(&document) {
            Ok(value) => take(key, value),
            Err(error) => damage.push(AccessDamage::Row { table, key, reason: error.to_string() }),
        }
    }
    Ok(())
}

/// Whether a table exists: files of older formats lack those that were added since.
fn has_table(database: &Connection, name: &str) -> Result<bool, AccessError> {
    let select = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?1";
    database.query_row(select, [name], |row| Ok(row.get::<_, i64>(0)? > 0)).map_err(engine)
}

fn pairs(database: &Connection, select: &str) -> Result<BTreeSet<(String, String)>, AccessError> {
    let mut select = database.prepare(select).map_err(engine)?;
    let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).map_err(engine)?;
    rows.collect::<Result<_, _>>().map_err(engine)
}
