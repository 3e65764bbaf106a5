//! Reading a database beside the servers that write it: everything as of one moment, then what has changed since.
//!
//! Which rows have changed is known from the transactions that wrote them (`xmin`): those that had not ended at the
//! moment before. The database looks at all rows of a table for that, and sends the changed ones. What was deleted
//! is known from the number of rows.

use quadrille_access::tables::TABLES;
use quadrille_access::{Comparison, StoreChanges, StoreCounts};
use quadrille_journal::StorageError;
use quadrille_protocol::RoomName;

use crate::access::{BEGIN, PostgresTables, key_of};
use crate::address::Address;
use crate::copy_source::open_exported_snapshot;
use crate::error::Failure;
use crate::session::Session;
use crate::storage::PostgresStorage;

/// A database that is read while servers write it.
pub struct RunningDatabase {
    pub rooms: PostgresStorage,
    pub tables: PostgresTables,
    known: Transactions,
    is_in_transaction: bool,
}

/// Which transactions a read sees.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Transactions {
    /// The oldest that had not ended.
    oldest: i64,
    /// The one that was to begin next.
    next: i64,
}

impl RunningDatabase {
    /// Opens a database and begins a read transaction.
    ///
    /// # Errors
    /// When the database cannot be reached, refuses the user, is read-only or was written by a newer version.
    pub fn open(address: &Address) -> Result<RunningDatabase, StorageError> {
        let (mut rooms, tables) = open_exported_snapshot(address)?;
        let known = rooms.read(transactions)?;
        Ok(RunningDatabase { rooms, tables, known, is_in_transaction: true })
    }

    /// Ends the read transaction. Nothing may be read until the next one begins.
    ///
    /// # Errors
    /// When the connection is lost.
    pub fn end_transaction(&mut self) -> Result<(), StorageError> {
        if self.is_in_transaction {
            self.is_in_transaction = false;
            self.rooms.read(|session| Ok(session.batch("COMMIT")?))?;
            self.tables.end_transaction().map_err(StorageError::from)?;
        }
        Ok(())
    }

    /// Begins the next read transaction, unless nothing was written, and compares it with the last one.
    ///
    /// # Errors
    /// When the database cannot be read. Once the connection is lost, [`open`](Self::open) makes another one.
    pub fn next_transaction(&mut self) -> Result<Comparison, StorageError> {
        if !self.has_changed()? {
            return Ok(Comparison::Same);
        }
        self.begin()?;
        self.changes()
    }

    /// Ends the read transaction. Returns whether something may have been written since [`changes`](Self::changes).
    ///
    /// # Errors
    /// As for [`next_transaction`](Self::next_transaction).
    pub fn has_changed(&mut self) -> Result<bool, StorageError> {
        self.end_transaction()?;
        let now = self.rooms.read(transactions)?;
        // Otherwise no transaction was running at the last read, and none has begun since.
        Ok(now != self.known || now.oldest != now.next)
    }

    /// Begins a read transaction in place of the last one.
    ///
    /// # Errors
    /// As for [`next_transaction`](Self::next_transaction).
    pub fn begin(&mut self) -> Result<(), StorageError> {
        self.end_transaction()?;
        let snapshot: String = self.rooms.read(|session| {
            session.batch(BEGIN)?;
            Ok(session.query("SELECT pg_export_snapshot()", &[])?[0].get(0))
        })?;
        self.tables.begin_transaction(&snapshot).map_err(StorageError::from)?;
        self.is_in_transaction = true;
        Ok(())
    }

    /// Compares the read transaction with the one that was compared before.
    ///
    /// # Errors
    /// As for [`next_transaction`](Self::next_transaction).
    pub fn changes(&mut self) -> Result<Comparison, StorageError> {
        let since = self.known.oldest;
        let (changes, known) = self.rooms.read(|session| {
            let known = transactions(session)?;
            Ok((changes_since(session, since)?, known))
        })?;
        self.known = known;
        Ok(match changes {
            Some(changes) => Comparison::Changed(changes),
            None => Comparison::Unknown,
        })
    }
}

fn transactions(session: &mut Session<'_>) -> Result<Transactions, StorageError> {
    let row = session.query(
        "SELECT pg_snapshot_xmin(snapshot)::text::bigint, pg_snapshot_xmax(snapshot)::text::bigint
         FROM pg_current_snapshot() AS snapshot",
        &[],
    )?;
    Ok(Transactions { oldest: row[0].get(0), next: row[0].get(1) })
}

/// Finds what was written by a transaction and those after it; `None` when a name cannot be read.
fn changes_since(session: &mut Session<'_>, since: i64) -> Result<Option<StoreChanges>, StorageError> {
    // `xmin` has 32 bits, and `age` compares them in a circle.
    let since = (since & i64::from(u32::MAX)).to_string();
    let mut changes = StoreChanges::default();
    let names = session.query(
        "WITH changed AS (
             SELECT room FROM room_head WHERE age(xmin) <= age($1::text::xid)
             UNION SELECT room FROM chat WHERE age(xmin) <= age($1::text::xid)
             UNION SELECT room FROM image WHERE age(xmin) <= age($1::text::xid)
         )
         SELECT name FROM room JOIN changed ON changed.room = room.id",
        &[&since],
    )?;
    for row in names {
        let Ok(name) = RoomName::new(row.get(0)) else { return Ok(None) };
        changes.rooms.insert(name);
    }
    let count = |session: &mut Session<'_>, table: &str| -> Result<u64, Failure> {
        let count = session.query_once(&format!("SELECT count(*) FROM {table}"), &[])?;
        Ok(count[0].get::<_, i64>(0) as u64)
    };
    let mut counts = StoreCounts { rooms: count(session, "room")?, rows: Vec::new() };
    for table in TABLES.iter().filter(|table| table.name != "audit") {
        counts.rows.push((table, count(session, table.name)?));
        let select =
            format!("SELECT {} FROM {} WHERE age(xmin) <= age($1::text::xid)", table.key_list(), table.name);
        for row in session.query_once(&select, &[&since])? {
            let key = key_of(table, &row);
            changes.rows.push((table, key));
        }
    }
    changes.counts = Some(counts);
    Ok(Some(changes))
}
