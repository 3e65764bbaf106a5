//! What must be true when everything is quiet.

use std::collections::BTreeMap;

use quadrille_cell::{Dimension, Range, SheetId, Value};
use quadrille_journal::{Snapshot, Storage, StorageError};
use quadrille_operation::{Operation, protected_from};
use quadrille_protocol::{Counter, Record, ReplicaId, Revision, RoomSnapshot, snapshot_bytes};
use quadrille_workbook::{ItemId, ItemKind, Workbook};

use crate::world::{Failure, World};

impl World {
    /// Every queue within its stated limit, after every step.
    pub(crate) fn check_queues(&self) -> Result<(), Failure> {
        let queues = self.room.iter().flat_map(|room| room.queues());
        match queues.into_iter().find(|queue| queue.holds > queue.limit) {
            Some(queue) => Err(format!("{}: {}, at most {}", queue.what, queue.holds, queue.limit)),
            None => Ok(()),
        }
    }

    pub(crate) fn check_end(&mut self) -> Result<(), Failure> {
        let records = self.check_journal()?;
        self.check_documents(&records)?;
        self.check_snapshot(&records)?;
        self.check_history(&records)?;
        self.check_exactly_once(&records)?;
        if self.has_chat() {
            self.check_chat()?;
        }
        if let Some(room) = self.room.take() {
            self.note_counts(&room);
            self.room = Some(room);
        }
        Ok(())
    }

    /// Revisions without gaps, every record readable.
    fn check_journal(&mut self) -> Result<Vec<Record>, Failure> {
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
                return Err(format!("journal: time goes back at revision {}", record.revision));
            }
            for operation in &record.transaction.operations {
                self.report.operations.insert(operation.kind());
                match operation {
                    Operation::PutItem { content, .. } => _ = self.report.items.insert(content.kind),
                    // The settings are always there, and only changed.
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

    /// P4, P16: the room, every replica and a replay from nothing have the same bytes, and show the same values.
    fn check_documents(&mut self, records: &[Record]) -> Result<(), Failure> {
        let mut replayed = Workbook::new();
        for record in records {
            // P22; without accounts nobody is named who may.
            if let Err(protected) = protected_from(Some(""), &record.transaction, &replayed) {
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
            let shown = values_of(client.replica.document().workbook());
            if shown != values {
                let cell = shown.iter().find(|(cell, value)| values.get(cell) != Some(value));
                let other = values.iter().find(|(cell, value)| shown.get(cell) != Some(value));
                return Err(format!("client {index} shows {cell:?}, the room {other:?}"));
            }
            if client.replica.digest_mismatches() > 0 {
                return Err(format!("client {index} found digests that differ")); // P15
            }
            self.report.add("own records in another form", client.replica.reshaped());
            self.report.add("snapshots under unconfirmed work", client.replica.unrebased());
            if client.replica.reshaped() > 0 && client.replica.unrebased() == 0 {
                return Err(format!("client {index}: the room made something else of its transaction")); // P8
            }
            self.report.add("digests compared", client.replica.digests_compared());
        }
        Ok(())
    }

    /// Every kept snapshot is what the records up to it give.
    fn check_snapshot(&mut self, records: &[Record]) -> Result<(), Failure> {
        for snapshot in self.storage.disk().snapshots(self.key) {
            self.check_one_snapshot(snapshot, records)?;
        }
        Ok(())
    }

    fn check_one_snapshot(&self, snapshot: &Snapshot, records: &[Record]) -> Result<(), Failure> {
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

    /// J7: the room can be seen as it was at its base, in the middle of what is kept, and now; and not before.
    fn check_history(&mut self, records: &[Record]) -> Result<(), Failure> {
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
                let past = self.past(Revision(revision as u64))?;
                if let Some(difference) = difference(&past, &replayed, &snapshot_bytes(&replayed)) {
                    return Err(format!("revision {revision} is not what it was: {difference}"));
                }
            }
        }
        match self.storage.tail(self.key, Revision(0), usize::MAX) {
            Err(StorageError::Forgotten { .. }) if base > 0 => {
                self.report.count("runs that ended with a trimmed history");
                Ok(())
            }
            Ok(tail) if base == 0 && tail.len() == head => Ok(()),
            other => {
                Err(format!("the history from {base} on begins with {:?}", other.map(|tail| tail.len())))
            }
        }
    }

    /// The workbook at a revision, from the nearest snapshot and the records that are kept.
    pub(crate) fn past(&mut self, revision: Revision) -> Result<Workbook, Failure> {
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

    /// P7: every transaction that was acknowledged, or that a living client has sent, is in the journal once, and
    /// each replica's in the order in which it made them.
    fn check_exactly_once(&self, records: &[Record]) -> Result<(), Failure> {
        let mut seen: BTreeMap<(ReplicaId, Counter), Revision> = BTreeMap::new();
        let mut last: BTreeMap<ReplicaId, Counter> = BTreeMap::new();
        for record in records.iter().filter(|record| record.replica != ReplicaId::SERVER) {
            if let Some(before) = seen.insert((record.replica, record.counter), record.revision) {
                return Err(format!("applied twice: revisions {before} and {}", record.revision));
            }
            if last.insert(record.replica, record.counter).is_some_and(|before| before > record.counter) {
                return Err(format!("out of the author's order: revision {}", record.revision));
            }
        }
        let sent = self.clients.iter().flat_map(|client| &client.submitted);
        for transaction in self.acknowledged.iter().chain(sent) {
            if !seen.contains_key(transaction) {
                return Err(format!("lost: {transaction:?}"));
            }
        }
        if let Some(lost) = self.requests_done.iter().find(|revision| revision.0 > records.len() as u64) {
            return Err(format!("lost: the request answered with revision {lost}"));
        }
        Ok(())
    }
}

/// What every used cell shows; numbers by their bits.
fn values_of(workbook: &Workbook) -> BTreeMap<(SheetId, Range), Value> {
    let mut values = BTreeMap::new();
    for sheet in workbook.sheets() {
        for (cell, _) in sheet.inputs_in(Range::whole_sheet()) {
            values.insert((sheet.id(), Range::cell(cell)), sheet.value(cell));
        }
    }
    values
}

/// In bytes, and without them: what the bytes leave out, they cannot compare.
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
    (snapshot_bytes(a) != bytes_of_b).then(|| "the bytes of equal contents".to_owned())
}
