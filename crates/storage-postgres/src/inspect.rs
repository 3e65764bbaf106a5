//! Looking at a database without changing it, for `quadrille doctor`.

use crate::address::Address;
use crate::connection::{Connection, RETRY_DELAY_MAX, new_name};
use crate::copy_target;
use crate::error::Failure;
use crate::schema;

/// What a database is like.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inspection {
    /// Such as `17.2`.
    pub version: String,
    /// The oldest format that a program must know to use the tables; `None` without tables.
    pub needs: Option<u32>,
    /// The newest format that this program knows.
    pub known: u32,
    /// Whether the user may create the tables that are missing.
    pub may_create: bool,
    /// Whether a crash of the database's machine loses acknowledged commits.
    pub is_unsynced: bool,
    /// The clock of the database, in milliseconds since 1970-01-01 UTC.
    pub clock_ms: i64,
    /// URLs of the servers that are connected; empty for commands.
    pub servers: Vec<String>,
    /// The source of a copy into the database that is not complete.
    pub unfinished_copy: Option<String>,
    /// The folder of the object store that the database has used.
    pub object_storage: Option<String>,
}

/// Looks at a database.
///
/// # Errors
/// A message when it cannot be reached, refuses the user or is read-only.
pub fn inspect(address: &Address) -> Result<Inspection, String> {
    let looked = Connection::open(address, new_name(), RETRY_DELAY_MAX).and_then(|mut connection| {
        connection.run(|session| {
            let row = &session.query(
                "SELECT current_setting('server_version'), current_setting('fsync') = 'off',
                     (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
                     has_database_privilege(current_database(), 'CREATE')
                         OR coalesce(has_schema_privilege(to_regnamespace('quadrille'), 'CREATE'), false),
                     to_regclass('quadrille.format') IS NOT NULL",
                &[],
            )?[0];
            let mut looked = Inspection {
                version: row.get(0),
                needs: None,
                known: schema::FORMAT as u32,
                may_create: row.get(3),
                is_unsynced: row.get(1),
                clock_ms: row.get(2),
                servers: Vec::new(),
                unfinished_copy: None,
                object_storage: None,
            };
            if row.get(4) {
                let rows = session.query_once("SELECT needs FROM quadrille.format", &[])?;
                looked.needs = rows.first().map(|row| row.get::<_, i32>(0) as u32);
                looked.servers = copy_target::connected(session)?;
                looked.unfinished_copy = copy_target::unfinished(session)?;
                if session.query("SELECT to_regclass('quadrille.property') IS NOT NULL", &[])?[0].get(0) {
                    let rows = session.query_once(
                        "SELECT value FROM quadrille.property WHERE name = 'object_storage'",
                        &[],
                    )?;
                    looked.object_storage = rows.first().map(|row| row.get(0));
                }
            }
            Ok::<_, Failure>(looked)
        })
    });
    looked.map_err(|failure| failure.to_string())
}
