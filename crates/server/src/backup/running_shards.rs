//! [`RunningShards`]: several databases that are read while servers write them.

use quadrille_access::{Comparison, StoreChanges, StoreCounts};
use quadrille_journal::{Storage, StorageError};
use quadrille_storage_postgres::{Address, PostgresTables, RunningDatabase};
use quadrille_storage_shards::{ReadShards, moved_rooms};

/// Attempts to read all databases while no room is moved from one to another.
const ATTEMPTS: u32 = 10;

/// Databases that are read while servers write them, each in a transaction of its own. Rooms share nothing, so the
/// transactions need not begin at the same moment; but no room is moved meanwhile.
pub struct RunningShards {
    databases: Vec<(String, RunningDatabase)>,
}

impl RunningShards {
    /// Opens the databases and begins read transactions.
    ///
    /// # Errors
    /// When one cannot be read, or they are not all that belong together.
    pub fn open(addresses: &[Address]) -> Result<RunningShards, StorageError> {
        let open = |address: &Address| Ok((address.to_string(), RunningDatabase::open(address)?));
        let databases = addresses.iter().map(open).collect::<Result<_, StorageError>>()?;
        let mut shards = RunningShards { databases };
        shards.begin()?;
        shards.parts()?;
        Ok(shards)
    }

    /// Begins the next read transactions, unless nothing was written, and compares them with the last ones.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub fn next_transaction(&mut self) -> Result<Comparison, StorageError> {
        let mut has_changed = false;
        for (_, database) in &mut self.databases {
            has_changed |= database.has_changed()?;
        }
        if !has_changed {
            return Ok(Comparison::Same);
        }
        self.begin()?;
        let mut changes = StoreChanges::default();
        let mut rooms = 0;
        for (index, (_, database)) in self.databases.iter_mut().enumerate() {
            let Comparison::Changed(mut of_one) = database.changes()? else { return Ok(Comparison::Unknown) };
            changes.rooms.append(&mut of_one.rooms);
            changes.deleted.append(&mut of_one.deleted);
            let counts = of_one.counts.unwrap_or_default();
            rooms += counts.rooms;
            // Accounts, access and the audit log are in the first.
            if index == 0 {
                changes.rows = of_one.rows;
                changes.counts = Some(StoreCounts { rooms: 0, rows: counts.rows });
            }
        }
        if let Some(counts) = &mut changes.counts {
            counts.rooms = rooms;
        }
        Ok(Comparison::Changed(changes))
    }

    /// Ends the read transactions.
    ///
    /// # Errors
    /// When a connection is lost.
    pub fn end_transaction(&mut self) -> Result<(), StorageError> {
        self.databases.iter_mut().try_for_each(|(_, database)| database.end_transaction())
    }

    /// The rooms of all databases, and the tables of the first.
    ///
    /// # Errors
    /// When the databases are not all that belong together.
    pub fn parts(&mut self) -> Result<(ReadShards<&mut dyn Storage>, &mut PostgresTables), StorageError> {
        let mut tables = None;
        let mut rooms: Vec<(String, &mut dyn Storage)> = Vec::new();
        for (address, database) in &mut self.databases {
            tables.get_or_insert(&mut database.tables);
            rooms.push((address.clone(), &mut database.rooms));
        }
        Ok((ReadShards::new(rooms)?, tables.expect("a list has several databases")))
    }

    /// Begins all transactions anew until no room was moved between the first and the last of them.
    fn begin(&mut self) -> Result<(), StorageError> {
        for _ in 0..ATTEMPTS {
            let mut moved = Vec::new();
            // The first database, which has the entries of moved rooms, before and after the others.
            for index in (0..self.databases.len()).chain([0]) {
                let (_, database) = &mut self.databases[index];
                database.begin()?;
                if index == 0 {
                    moved.push(moved_rooms(&mut database.rooms)?);
                }
            }
            if moved[0] == moved[1] {
                return Ok(());
            }
        }
        Err(StorageError::Engine { reason: "rooms are moved between the databases; try again".into() })
    }
}
