//! What is checked when a run is quiet.

use std::collections::BTreeMap;

use quadrille_journal::Storage;
use quadrille_protocol::{Counter, Record, ReplicaId, Revision, RoomSnapshot, snapshot_bytes};
use quadrille_workbook::Workbook;

use super::world::ClusterWorld;
use crate::checkers::difference;
use crate::world::Failure;

impl ClusterWorld {
    /// The records of every room, and the documents of all clients.
    pub(super) fn check_final_state(&mut self) -> Result<(), Failure> {
        for room in 0..self.plan.rooms {
            let records = self.check_records(room)?;
            self.check_documents(room, &records)?;
            self.check_exactly_once(room, &records)?;
        }
        Ok(())
    }

    /// The records of a room are readable, without gaps, and in the order of claims (O2).
    fn check_records(&mut self, room: usize) -> Result<Vec<Record>, Failure> {
        let Some(key) = self.key_of(room) else { return Ok(Vec::new()) };
        let stored = self.database.shared.records(key);
        let mut records: Vec<Record> = Vec::with_capacity(stored.len());
        for (index, stored) in stored.iter().enumerate() {
            let record = Record::decode(&stored.bytes).map_err(|error| format!("journal: {error}"))?;
            if record.revision != Revision(index as u64 + 1) {
                return Err(format!("journal: entry {} has revision {}", index + 1, record.revision));
            }
            let time_ms = record.time_and_seed.time_ms;
            if records.last().is_some_and(|before| before.time_and_seed.time_ms > time_ms) {
                return Err(format!("journal: the time decreases at revision {}", record.revision));
            }
            records.push(record);
        }
        let epochs = self.database.shared.record_epochs(key);
        if epochs.len() != records.len() || !epochs.is_sorted() {
            return Err("journal: records are not in the order of the claims of their room".to_owned());
        }
        let mut owners = epochs.to_vec();
        owners.dedup();
        self.report.add("owners that have stored records", owners.len() as u64);
        self.report.add("records in journals", records.len() as u64);
        Ok(records)
    }

    /// P4, P16: every client and every stored snapshot equals a replay of the records.
    fn check_documents(&mut self, room: usize, records: &[Record]) -> Result<(), Failure> {
        let mut snapshots = Vec::new();
        if let Some(key) = self.key_of(room) {
            let rooms = self.database.shared.rooms();
            snapshots = rooms.snapshots(key).to_vec();
            rooms.load(key).map_err(|error| format!("a room cannot be loaded: {error}"))?;
        }
        let mut replayed = Workbook::new();
        for revision in 0..=records.len() {
            if revision > 0 {
                quadrille_operation::apply(&mut replayed, &records[revision - 1].transaction);
            }
            for stored in snapshots.iter().filter(|stored| stored.revision.0 == revision as u64) {
                let decoded =
                    RoomSnapshot::decode(&stored.bytes).map_err(|error| format!("snapshot: {error}"))?;
                if snapshot_bytes(&decoded.workbook) != snapshot_bytes(&replayed) {
                    return Err(format!("the snapshot of revision {revision} differs from a replay"));
                }
            }
        }
        let expected = snapshot_bytes(&replayed);
        for (index, client) in self.clients.iter().enumerate().filter(|(_, client)| client.room == room) {
            let workbook = client.replica.document().workbook();
            if let Some(difference) = difference(workbook, &replayed, &expected) {
                return Err(format!("client {index} differs: {difference}"));
            }
            if client.replica.digest_mismatches() > 0 {
                return Err(format!("client {index} found digests that differ")); // P15
            }
        }
        Ok(())
    }

    /// P7: every transaction that was submitted or acknowledged is stored once, in the order of its author,
    /// and every answered request is stored.
    fn check_exactly_once(&self, room: usize, records: &[Record]) -> Result<(), Failure> {
        let mut stored: BTreeMap<(ReplicaId, Counter), Revision> = BTreeMap::new();
        let mut last: BTreeMap<ReplicaId, Counter> = BTreeMap::new();
        for record in records.iter().filter(|record| record.replica != ReplicaId::SERVER) {
            if let Some(before) = stored.insert((record.replica, record.counter), record.revision) {
                return Err(format!("applied twice: revisions {before} and {}", record.revision));
            }
            if last.insert(record.replica, record.counter).is_some_and(|before| before > record.counter) {
                return Err(format!("out of the author's order: revision {}", record.revision));
            }
        }
        for ((number, replica, counter), revision) in &self.acknowledged {
            if *number == room && stored.get(&(*replica, *counter)) != Some(revision) {
                return Err(format!("lost: {replica:?} {counter:?} was acknowledged as revision {revision}"));
            }
        }
        let clients = self.clients.iter().filter(|client| client.room == room);
        if let Some(lost) =
            clients.flat_map(|client| &client.submitted).find(|sent| !stored.contains_key(sent))
        {
            return Err(format!("lost: {lost:?} was submitted"));
        }
        let mut requests = self.requests_done.iter().filter(|(number, _)| *number == room);
        match requests.find(|(_, revision)| revision.0 > records.len() as u64) {
            Some((_, lost)) => Err(format!("lost: the request answered with revision {lost}")),
            None => Ok(()),
        }
    }
}
