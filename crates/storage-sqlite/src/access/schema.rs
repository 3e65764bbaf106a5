//! The tables of `access.db`, as numbered migrations.

use quadrille_access::AccessError;
use rusqlite::{Connection, TransactionBehavior};

use super::error::engine;

/// Marks the file for `file(1)`: "Quaa" in ASCII.
const APPLICATION_ID: u32 = 0x5175_6161;

/// The schema as the migrations that lead to it: the first makes format 1 of an empty file, the second format 2 of
/// format 1, and so on. A migration that was released is never changed.
const MIGRATIONS: [&str; FORMAT as usize] = [
    "CREATE TABLE IF NOT EXISTS workbook (
        room TEXT PRIMARY KEY, version INTEGER NOT NULL, trashed_ms INTEGER, document TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS workbook_trashed ON workbook (trashed_ms) WHERE trashed_ms IS NOT NULL;
    CREATE TABLE IF NOT EXISTS workbook_person (
        person TEXT NOT NULL, room TEXT NOT NULL, PRIMARY KEY (person, room)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS workbook_person_room ON workbook_person (room);
    CREATE TABLE IF NOT EXISTS account (
        id TEXT PRIMARY KEY, version INTEGER NOT NULL, document TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS account_key (
        key TEXT PRIMARY KEY, account TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS account_key_account ON account_key (account);
    CREATE TABLE IF NOT EXISTS session (
        id TEXT PRIMARY KEY, account TEXT NOT NULL, created_ms INTEGER NOT NULL, expires_ms INTEGER,
        document TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS session_account ON session (account);
    CREATE TABLE IF NOT EXISTS token (
        id TEXT PRIMARY KEY, account TEXT NOT NULL, created_ms INTEGER NOT NULL, expires_ms INTEGER,
        document TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS token_account ON token (account);
    CREATE TABLE IF NOT EXISTS request (
        id TEXT NOT NULL, room TEXT NOT NULL, account TEXT, created_ms INTEGER NOT NULL, document TEXT NOT NULL,
        PRIMARY KEY (room, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS audit (
        number INTEGER PRIMARY KEY AUTOINCREMENT, time_ms INTEGER NOT NULL, room TEXT, event TEXT NOT NULL,
        actor TEXT NOT NULL, document TEXT NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS audit_room ON audit (room, number);
    CREATE INDEX IF NOT EXISTS audit_time ON audit (time_ms);
    CREATE TABLE IF NOT EXISTS server_secret (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT;",
    // Quotas that differ from the settings; the audit log is searched by event.
    "
    CREATE TABLE IF NOT EXISTS quota (subject TEXT PRIMARY KEY, document TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS audit_event ON audit (event, number);
    CREATE INDEX IF NOT EXISTS request_account ON request (account) WHERE account IS NOT NULL;",
    // What lists show of workbooks, as their rooms report it.
    "
    CREATE TABLE IF NOT EXISTS workbook_facts (
        room TEXT PRIMARY KEY, title TEXT, changed_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;",
    // Requests with idempotency keys, and webhooks. A position that follows its workbook has the largest end.
    "
    CREATE TABLE IF NOT EXISTS keyed_request (
        key TEXT PRIMARY KEY, room TEXT NOT NULL, created_ms INTEGER NOT NULL, document TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS keyed_request_room ON keyed_request (room, created_ms);
    CREATE INDEX IF NOT EXISTS keyed_request_created ON keyed_request (created_ms);
    CREATE TABLE IF NOT EXISTS webhook (
        id TEXT PRIMARY KEY, room TEXT, created_ms INTEGER NOT NULL, document TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS webhook_room ON webhook (room);
    CREATE TABLE IF NOT EXISTS webhook_position (
        webhook TEXT NOT NULL, room TEXT NOT NULL, up_to INTEGER NOT NULL, after INTEGER NOT NULL,
        PRIMARY KEY (webhook, room, up_to)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS webhook_position_room ON webhook_position (room);
    CREATE TABLE IF NOT EXISTS dead_letter (
        number INTEGER PRIMARY KEY AUTOINCREMENT, webhook TEXT NOT NULL, document TEXT NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS dead_letter_webhook ON dead_letter (webhook, number);",
];

/// The newest format. A file with a higher number was written by a newer program.
pub(crate) const FORMAT: u32 = 4;

/// Brings the schema to the newest format, each step in a transaction of its own.
///
/// # Errors
/// `NewerFormat` for a file of a newer program, otherwise the error of SQLite.
pub(super) fn migrate(database: &mut Connection) -> Result<(), AccessError> {
    let found: u32 = database.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(engine)?;
    if found > FORMAT {
        return Err(AccessError::NewerFormat { found, known: FORMAT });
    }
    for format in found..FORMAT {
        let transaction =
            database.transaction_with_behavior(TransactionBehavior::Immediate).map_err(engine)?;
        transaction.execute_batch(MIGRATIONS[format as usize]).map_err(engine)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(engine)?;
        transaction.pragma_update(None, "user_version", format + 1).map_err(engine)?;
        transaction.commit().map_err(engine)?;
    }
    Ok(())
}
