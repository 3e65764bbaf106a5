//! The checkers: invariants that hold after every step or when the run is quiet.

use std::collections::BTreeMap;

use quadrille_cell::{Dimension, Range, SheetId, Value};
use quadrille_journal::{Snapshot, Storage, StorageError};
use quadrille_operation::{Operation, protected_from};
use quadrille_protocol::{Counter, Record, ReplicaId, Revision, RoomSnapshot, snapshot_bytes};
use quadrille_workbook::{ItemId, ItemKind, Workbook};

use crate::people::editor_of;
use crate::world::{Failure, World};

impl World {
    /// After every step: every queue of the room is within its limit.
    pub(crate) fn check_queue_limits(&self) -> Result<(), Failure> {
        let queues = self.room.iter().flat_map(|room| room.queue_levels());
        match queues.into_iter().find(|queue| queue.length > queue.limit) {
            Some(queue) => Err(format!("{}: {}, at most {}", queue.name, queue.length, queue.limit)),
            None => Ok(()),
        }
    }

    /// When the run is quiet: all invariants of the stored data and of the documents.
    pub(crate) fn check_final_state(&mut self) -> Result<(), Failure> {
        let records = self.check_journal_records()?;
        self.check_documents_converged(&records)?;
        self.check_stored_snapshots(&records)?;
        self.check_past_revisions(&records)?;
        self.check_exactly_once(&records)?;
        if self.has_chat() {
            self.check_chat_exactly_once()?;
        }
        if let Some(room) = self.room.take() {
            self.record_room_counts(&room);
            self.room = Some(room);
        }
        Ok(())
    }

    /// Every record of the journal is readable, revisions have no gaps and timestamps never
    /// decrease.
    fn check_journal_records(&mut self) -> Result<Vec<Record>, Failure> {
        let stored = self.storage.disk().records(self.key);
        let mut records = Vec::with_capacity(stored.len());
        for (index, stored) in stored.iter().enumerate() {
            let record = Record::decode(&stored.bytes).map_err(|error| format!("journal: {error}"))?;
            if record.revision != Revision(index as u64 + 1) || record.revision != stored.revision {
                return Err(format!("journal: entry {} has revision {}", index + 1, record.revision));
            }
            if records
                .last()
                .is_some_and(|before: &Record| before.time_and_seed.time_ms > record.time_and_seed.time_ms)
            {
                return Err(format!("journal: the time decreases at revision {}", record.revision));
            }
            for operation in &record.transaction.operations {
                self.report.operations.insert(operation.kind());
                match operation {
                    Operation::PutItem { content, .. } => _ = self.report.items.insert(content.kind),
                    // Settings exist from the start and are only patched.
                    Operation::PatchItem { item, sheet, .. } if *item == ItemId(0) => {
                        let kind = match sheet {
                            Some(_) => ItemKind::SheetSettings,
                            None => ItemKind::WorkbookSettings,
                        };
                        self.report.items.insert(kind);
                    }
                    _ => {}
                }
            }
            records.push(record);
        }
        self.report.add("records in journals", records.len() as u64);
        Ok(records)
    }

    /// P4, P16: the room, every replica and a replay of the whole journal have the same bytes and
    /// the same values.
    fn check_documents_converged(&mut self, records: &[Record]) -> Result<(), Failure> {
        let mut replayed = Workbook::new();
        for record in records {
            // P22: the account in a record says who made it.
            let author = editor_of(&record.author);
            if let Err(protected) = protected_from(Some(&author), &record.transaction, &replayed) {
                return Err(format!("journal: revision {}: {protected}", record.revision));
            }
            quadrille_operation::apply(&mut replayed, &record.transaction);
        }
        let expected = snapshot_bytes(&replayed);
        let room = self.room.as_mut().ok_or("the room is not open at the end")?;
        if let Some(difference) = difference(room.workbook(), &replayed, &expected) {
            return Err(format!("the room differs from a replay: {difference}"));
        }
        let document = room.document();
        while !document.is_calculated() {
            document.evaluate(1 << 20);
        }
        let values = values_of(document.workbook());
        for (index, client) in self.clients.iter_mut().enumerate() {
            let workbook = client.replica.document().workbook();
            if let Some(difference) = difference(workbook, &replayed, &expected) {
                return Err(format!("client {index} differs: {difference}"));
            }
            while !client.replica.evaluate(1 << 20) {}
            let client_values = values_of(client.replica.document().workbook());
            if client_values != values {
                let cell = client_values.iter().find(|(cell, value)| values.get(cell) != Some(value));
                let other = values.iter().find(|(cell, value)| client_values.get(cell) != Some(value));
                return Err(format!("client {index} has the value {cell:?}, the room {other:?}"));
            }
            if client.replica.digest_mismatches() > 0 {
                return Err(format!("client {index} found digests that differ")); // P15
            }
            self.report.add("own transactions recorded in another form", client.replica.reshaped());
            self.report.add("snapshots received with unconfirmed transactions", client.replica.unrebased());
            if client.replica.reshaped() > 0 && client.replica.unrebased() == 0 {
                return Err(format!("client {index}: the room recorded its transaction in another form")); // P8
            }
            self.report.add("digests compared", client.replica.digests_compared());
        }
        Ok(())
    }

    /// Every stored snapshot equals a replay of the records up to its revision.
    fn check_stored_snapshots(&mut self, records: &[Record]) -> Result<(), Failure> {
        for snapshot in self.storage.disk().snapshots(self.key) {
            self.check_stored_snapshot(snapshot, records)?;
        }
        Ok(())
    }

    fn check_stored_snapshot(&self, snapshot: &Snapshot, records: &[Record]) -> Result<(), Failure> {
        let decoded = RoomSnapshot::decode(&snapshot.bytes).map_err(|error| format!("snapshot: {error}"))?;
        let mut replayed = Workbook::new();
        for record in &records[..snapshot.revision.0 as usize] {
            quadrille_operation::apply(&mut replayed, &record.transaction);
        }
        if let Some(difference) = difference(&decoded.workbook, &replayed, &snapshot_bytes(&replayed)) {
            return Err(format!(
                "the snapshot of revision {} differs from a replay: {difference}",
                snapshot.revision
            ));
        }
        Ok(())
    }

    /// J7: the document can be read as of the first available revision, a middle one and the last
    /// one, and not as of trimmed revisions.
    fn check_past_revisions(&mut self, records: &[Record]) -> Result<(), Failure> {
        let (base, head) = (self.storage.disk().trimmed(self.key).0 as usize, records.len());
        let mut replayed = Workbook::new();
        let mut wanted = vec![base, (base + head) / 2, head];
        wanted.dedup();
        for revision in 0..=head {
            if revision > 0 {
                quadrille_operation::apply(&mut replayed, &records[revision - 1].transaction);
            }
            if wanted.first() == Some(&revision) {
                wanted.remove(0);
                let past = self.workbook_at(Revision(revision as u64))?;
                if let Some(difference) = difference(&past, &replayed, &snapshot_bytes(&replayed)) {
                    return Err(format!("revision {revision} differs from a replay: {difference}"));
                }
            }
        }
        match self.storage.tail(self.key, Revision(0), usize::MAX) {
            Err(StorageError::Forgotten { .. }) if base > 0 => {
                self.report.count("runs with a trimmed history");
                Ok(())
            }
            Ok(tail) if base == 0 && tail.len() == head => Ok(()),
            other => Err(format!(
                "reading from revision 0 with a history from {base} on gives {:?}",
                other.map(|tail| tail.len())
            )),
        }
    }

    /// The workbook at a revision, from the nearest snapshot and the following records.
    pub(crate) fn workbook_at(&mut self, revision: Revision) -> Result<Workbook, Failure> {
        let loaded = self.storage.load_at(self.key, revision).map_err(|error| error.to_string())?;
        let mut past = match &loaded.snapshot {
            Some(stored) => {
                RoomSnapshot::decode(&stored.bytes).map_err(|error| format!("snapshot: {error}"))?.workbook
            }
            None => Workbook::new(),
        };
        for stored in &loaded.records {
            let record = Record::decode(&stored.bytes).map_err(|error| format!("journal: {error}"))?;
            quadrille_operation::apply(&mut past, &record.transaction);
        }
        Ok(past)
    }

    /// P7: every transaction that was acknowledged, or that a living client has submitted, is in
    /// the journal exactly once, and the transactions of each replica are in the order of their
    /// counters.
    fn check_exactly_once(&self, records: &[Record]) -> Result<(), Failure> {
        let mut recorded: BTreeMap<(ReplicaId, Counter), Revision> = BTreeMap::new();
        let mut last: BTreeMap<ReplicaId, Counter> = BTreeMap::new();
        for record in records.iter().filter(|record| record.replica != ReplicaId::SERVER) {
            if let Some(before) = recorded.insert((record.replica, record.counter), record.revision) {
                return Err(format!("applied twice: revisions {before} and {}", record.revision));
            }
            if last.insert(record.replica, record.counter).is_some_and(|before| before > record.counter) {
                return Err(format!("out of the author's order: revision {}", record.revision));
            }
        }
        let sent = self.clients.iter().flat_map(|client| &client.submitted);
        for transaction in self.acknowledged.iter().chain(sent) {
            if !recorded.contains_key(transaction) {
                return Err(format!("lost: {transaction:?}"));
            }
        }
        if let Some(lost) = self.requests_done.iter().find(|revision| revision.0 > records.len() as u64) {
            return Err(format!("lost: the request answered with revision {lost}"));
        }
        Ok(())
    }
}

/// The values of all cells with an input. Numbers are compared by their bits.
fn values_of(workbook: &Workbook) -> BTreeMap<(SheetId, Range), Value> {
    let mut values = BTreeMap::new();
    for sheet in workbook.sheets() {
        for (cell, _) in sheet.inputs_in(Range::whole_sheet()) {
            values.insert((sheet.id(), Range::cell(cell)), sheet.value(cell));
        }
    }
    values
}

/// Describes the first difference between two workbooks, by contents and by snapshot bytes
/// `bytes_of_b`.
pub(crate) fn difference(a: &Workbook, b: &Workbook, bytes_of_b: &[u8]) -> Option<String> {
    let names = |workbook: &Workbook| -> Vec<(SheetId, String)> {
        workbook.sheets().iter().map(|sheet| (sheet.id(), sheet.name().to_string())).collect()
    };
    if names(a) != names(b) {
        return Some(format!("sheets {:?} and {:?}", names(a), names(b)));
    }
    for (one, other) in a.sheets().iter().zip(b.sheets()) {
        let one_inputs: BTreeMap<_, _> = one.inputs_in(Range::whole_sheet()).collect();
        let other_inputs: BTreeMap<_, _> = other.inputs_in(Range::whole_sheet()).collect();
        for cell in one_inputs.keys().chain(other_inputs.keys()) {
            let (x, y) = (one_inputs.get(cell), other_inputs.get(cell));
            if x != y {
                return Some(format!("{} {cell}: {x:?} and {y:?}", one.name()));
            }
        }
        let corner = Range::from_indices(0, 0, 40, 20).expect("within the sheet");
        if let Some(cell) = corner.cells().find(|cell| one.format(*cell) != other.format(*cell)) {
            return Some(format!(
                "{} {cell}: {:?} and {:?}",
                one.name(),
                one.format(cell),
                other.format(cell)
            ));
        }
        for dimension in [Dimension::Rows, Dimension::Columns] {
            let one_sizes: Vec<_> = one.size_runs(dimension).collect();
            let other_sizes: Vec<_> = other.size_runs(dimension).collect();
            if one_sizes != other_sizes {
                return Some(format!("{} sizes: {one_sizes:?} and {other_sizes:?}", one.name()));
            }
        }
    }
    let defined = |workbook: &Workbook| -> Vec<_> {
        workbook.names().map(|(name, definition)| (name.clone(), definition.clone())).collect()
    };
    if defined(a) != defined(b) {
        return Some(format!("names {:?} and {:?}", defined(a), defined(b)));
    }
    (snapshot_bytes(a) != bytes_of_b).then(|| "equal contents with different snapshot bytes".to_owned())
}
