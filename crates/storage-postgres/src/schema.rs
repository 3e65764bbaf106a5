//! The tables, as numbered migrations.
//!
//! Servers of an older version may run while a newer one migrates, so a migration only adds. One that older
//! servers cannot work with raises `needs`, and they refuse to start.

use crate::copy_target;
use crate::error::Failure;
use crate::session::Session;

/// The newest format.
pub const FORMAT: i32 = 3;

/// A migration that was released is never changed.
const MIGRATIONS: [Migration; FORMAT as usize] = [
    Migration { needs: 1, sql: TABLES },
    // An older server that deleted a workbook would leave its webhooks to the next one of the same name.
    Migration { needs: 2, sql: PROGRAMS },
    Migration { needs: 2, sql: PROPERTIES },
];

struct Migration {
    /// The oldest format that a server must know to work with the tables after this migration.
    needs: i32,
    sql: &'static str,
}

/// Names compare by their bytes, as in the program. A row of `room_head` is updated by each commit: a half
/// filled page keeps the new version on the same page, which spares the index.
const TABLES: &str = r#"
CREATE SEQUENCE room_id;
CREATE TABLE room (
    id bigint PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE,
    created_ms bigint NOT NULL
);
CREATE TABLE room_head (
    room bigint PRIMARY KEY,
    revision bigint NOT NULL,
    base bigint NOT NULL,
    changed_ms bigint NOT NULL,
    epoch bigint NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
CREATE TABLE record (
    room bigint NOT NULL,
    last bigint NOT NULL,
    bytes integer NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (room, last)
);
CREATE TABLE snapshot (
    room bigint NOT NULL,
    revision bigint NOT NULL,
    bytes bigint NOT NULL,
    checksum bigint NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (room, revision)
);
CREATE TABLE piece (
    room bigint NOT NULL,
    revision bigint NOT NULL,
    first bigint NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (room, revision, first)
);
CREATE TABLE chat (
    room bigint NOT NULL,
    number bigint NOT NULL,
    checksum bigint NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (room, number)
);
CREATE TABLE image (
    room bigint NOT NULL,
    hash bytea NOT NULL,
    checksum bigint NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (room, hash)
);
CREATE TABLE node (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    url text NOT NULL,
    beat bigint NOT NULL
) WITH (fillfactor = 10);
CREATE SEQUENCE owner_epoch;
CREATE TABLE room_owner (
    room text COLLATE "C" PRIMARY KEY,
    node bigint NOT NULL REFERENCES node ON DELETE CASCADE,
    epoch bigint NOT NULL
);
CREATE INDEX room_owner_node ON room_owner (node);
CREATE TABLE cleanup (
    room bigint PRIMARY KEY,
    up_to bigint NOT NULL,
    is_deleted boolean NOT NULL
);
CREATE TABLE workbook (
    room text COLLATE "C" PRIMARY KEY, version bigint NOT NULL, trashed_ms bigint, document text NOT NULL
);
CREATE INDEX workbook_trashed ON workbook (trashed_ms) WHERE trashed_ms IS NOT NULL;
CREATE TABLE workbook_person (
    person text COLLATE "C" NOT NULL, room text COLLATE "C" NOT NULL, PRIMARY KEY (person, room)
);
CREATE INDEX workbook_person_room ON workbook_person (room);
CREATE TABLE workbook_facts (
    room text COLLATE "C" PRIMARY KEY, title text, changed_ms bigint NOT NULL
);
CREATE TABLE account (
    id text COLLATE "C" PRIMARY KEY, version bigint NOT NULL, is_admin boolean NOT NULL,
    is_disabled boolean NOT NULL, document text NOT NULL
);
CREATE TABLE account_key (key text COLLATE "C" PRIMARY KEY, account text COLLATE "C" NOT NULL);
CREATE INDEX account_key_account ON account_key (account);
CREATE TABLE session (
    id text COLLATE "C" PRIMARY KEY, account text COLLATE "C" NOT NULL, created_ms bigint NOT NULL,
    expires_ms bigint, document text NOT NULL
);
CREATE INDEX session_account ON session (account);
CREATE TABLE token (
    id text COLLATE "C" PRIMARY KEY, account text COLLATE "C" NOT NULL, created_ms bigint NOT NULL,
    expires_ms bigint, document text NOT NULL
);
CREATE INDEX token_account ON token (account);
CREATE TABLE request (
    id text COLLATE "C" NOT NULL, room text COLLATE "C" NOT NULL, account text COLLATE "C",
    email text COLLATE "C", created_ms bigint NOT NULL, document text NOT NULL, PRIMARY KEY (room, id)
);
CREATE INDEX request_account ON request (account) WHERE account IS NOT NULL;
CREATE TABLE audit (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, time_ms bigint NOT NULL, room text COLLATE "C",
    event text COLLATE "C" NOT NULL, actor text COLLATE "C" NOT NULL, target text COLLATE "C" NOT NULL,
    document text NOT NULL
);
CREATE INDEX audit_room ON audit (room, number);
CREATE INDEX audit_time ON audit (time_ms);
CREATE INDEX audit_event ON audit (event, number);
CREATE TABLE notice (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, sender text NOT NULL,
    written timestamptz NOT NULL DEFAULT now(), room text COLLATE "C", revoked text,
    webhooks boolean NOT NULL
);
CREATE INDEX notice_written ON notice (written);
CREATE TABLE quota (subject text COLLATE "C" PRIMARY KEY, document text NOT NULL);
CREATE TABLE server_secret (name text COLLATE "C" PRIMARY KEY, value bytea NOT NULL);
"#;

/// Requests with idempotency keys, and webhooks. A position that follows its workbook has the largest end.
const PROGRAMS: &str = r#"
CREATE TABLE keyed_request (
    key text COLLATE "C" PRIMARY KEY, room text COLLATE "C" NOT NULL, created_ms bigint NOT NULL,
    document text NOT NULL
);
CREATE INDEX keyed_request_room ON keyed_request (room, created_ms, key);
CREATE INDEX keyed_request_created ON keyed_request (created_ms);
CREATE TABLE webhook (
    id text COLLATE "C" PRIMARY KEY, room text COLLATE "C", created_ms bigint NOT NULL, document text NOT NULL
);
CREATE INDEX webhook_room ON webhook (room);
CREATE TABLE webhook_position (
    webhook text COLLATE "C" NOT NULL, room text COLLATE "C" NOT NULL, up_to bigint NOT NULL,
    after bigint NOT NULL, PRIMARY KEY (webhook, room, up_to)
);
CREATE INDEX webhook_position_room ON webhook_position (room);
CREATE TABLE dead_letter (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, webhook text COLLATE "C" NOT NULL,
    document text NOT NULL
);
CREATE INDEX dead_letter_webhook ON dead_letter (webhook, number);
"#;

/// Properties of the database as a whole.
const PROPERTIES: &str = r#"
CREATE TABLE property (name text COLLATE "C" PRIMARY KEY, value text NOT NULL);
"#;

/// Held in a transaction by the server that migrates: "Quam" in ASCII.
const MIGRATION_LOCK: i64 = 0x5175_616d;

/// Creates the tables, or brings them to the newest format, in one transaction. `copied_from` names the source
/// when the database is the target of a copy.
///
/// # Errors
/// `NewerFormat` when the tables need a newer program; `Refused` without the privilege to create the schema, and
/// when a copy into the database was not finished.
pub fn migrate(session: &mut Session<'_>, copied_from: Option<&str>) -> Result<(), Failure> {
    session.transaction(|session| {
        session.execute("SELECT pg_advisory_xact_lock($1)", &[&MIGRATION_LOCK])?;
        create_tables(session)?;
        match (copied_from, copy_target::unfinished(session)?) {
            (Some(source), _) => copy_target::begin(session, source),
            (None, None) => Ok(()),
            (None, Some(source)) => Err(Failure::Refused(format!(
                "a copy from {source} into it is not complete; run the same command again"
            ))),
        }
    })
}

fn create_tables(session: &mut Session<'_>) -> Result<(), Failure> {
    let exists = session.query("SELECT to_regclass('quadrille.format') IS NOT NULL", &[])?[0].get(0);
    let (found, needs): (i32, i32) = match exists {
        true => {
            let row = session.query_once("SELECT number, needs FROM quadrille.format", &[])?;
            row.first().map_or((0, 0), |row| (row.get(0), row.get(1)))
        }
        false => (0, 0),
    };
    if needs > FORMAT {
        return Err(Failure::NewerFormat { found: found as u32, known: FORMAT as u32 });
    }
    if found >= FORMAT {
        return Ok(());
    }
    if !exists {
        // Not `IF NOT EXISTS` alone: it needs the privilege to create even when the schema exists.
        if session.query("SELECT to_regnamespace('quadrille') IS NULL", &[])?[0].get(0) {
            session.batch("CREATE SCHEMA quadrille")?;
        }
        session.batch(
            "CREATE TABLE quadrille.format (number integer NOT NULL, needs integer NOT NULL);
             INSERT INTO quadrille.format VALUES (0, 0)",
        )?;
    }
    for migration in &MIGRATIONS[found as usize..] {
        session.batch(migration.sql)?;
        session
            .query_once("UPDATE quadrille.format SET number = number + 1, needs = $1", &[&migration.needs])?;
    }
    Ok(())
}
