//! What must be true when everything is quiet.

use std::collections::BTreeMap;

use quadrille_cell::{Range, SheetId, Value};
use quadrille_journal::Storage;
use quadrille_protocol::{Counter, Record, ReplicaId, Revision, RoomSnapshot, snapshot_bytes};
use quadrille_workbook::Workbook;

use crate::world::{Failure, World};

impl World {
    pub(crate) fn check_end(&mut self) -> Result<(), Failure> {
        let records = self.check_journal()?;
        self.check_documents(&records)?;
        self.check_snapshot(&records)?;
        self.check_exactly_once(&records)?;
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
            records.push(record);
        }
        self.report.add("records in journals", records.len() as u64);
        Ok(records)
    }

    /// The room, every replica and a replay from nothing have the same bytes, and show the same values.
    fn check_documents(&mut self, records: &[Record]) -> Result<(), Failure> {
        let mut replayed = Workbook::new();
        for record in records {
            quadrille_operation::apply(&mut replayed, &record.transaction);
        }
        let expected = snapshot_bytes(&replayed);
        let room = self.room.as_mut().ok_or("the room is not open at the end")?;
        if snapshot_bytes(room.workbook()) != expected {
            return Err(format!(
                "the room differs from a replay: {}",
                first_difference(room.workbook(), &replayed)
            ));
        }
        let document = room.document();
        while !document.is_calculated() {
            document.evaluate(1 << 20);
        }
        let values = values_of(document.workbook());
        for (index, client) in self.clients.iter_mut().enumerate() {
            let workbook = client.replica.document().workbook();
            if snapshot_bytes(workbook) != expected {
                return Err(format!("client {index} differs: {}", first_difference(workbook, &replayed)));
            }
            while !client.replica.evaluate(1 << 20) {}
            let shown = values_of(client.replica.document().workbook());
            if shown != values {
                let cell = shown.iter().find(|(cell, value)| values.get(cell) != Some(value));
                let other = values.iter().find(|(cell, value)| shown.get(cell) != Some(value));
                return Err(format!("client {index} shows {cell:?}, the room {other:?}"));
            }
            if client.replica.digest_mismatches() > 0 {
                return Err(format!("client {index} found digests that differ"));
            }
            self.report.add("digests compared", client.replica.digests_compared());
        }
        Ok(())
    }

    /// The stored snapshot and the records after it give the same as all records.
    fn check_snapshot(&mut self, records: &[Record]) -> Result<(), Failure> {
        let loaded = self.storage.load(self.key).map_err(|error| error.to_string())?;
        let Some(snapshot) = loaded.snapshot else { return Ok(()) };
        let decoded = RoomSnapshot::decode(&snapshot.bytes).map_err(|error| format!("snapshot: {error}"))?;
        let mut replayed = Workbook::new();
        for record in &records[..snapshot.revision.0 as usize] {
            quadrille_operation::apply(&mut replayed, &record.transaction);
        }
        if snapshot_bytes(&decoded.workbook) != snapshot_bytes(&replayed) {
            return Err(format!("the snapshot of revision {} differs from a replay", snapshot.revision));
        }
        Ok(())
    }

    /// Every transaction that was acknowledged, or that a living client has sent, is in the journal once, and
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

fn first_difference(a: &Workbook, b: &Workbook) -> String {
    let names = |workbook: &Workbook| -> Vec<(SheetId, String)> {
        workbook.sheets().iter().map(|sheet| (sheet.id(), sheet.name().to_string())).collect()
    };
    if names(a) != names(b) {
        return format!("sheets {:?} and {:?}", names(a), names(b));
    }
    for (one, other) in a.sheets().iter().zip(b.sheets()) {
        let one_inputs: BTreeMap<_, _> = one.inputs_in(Range::whole_sheet()).collect();
        let other_inputs: BTreeMap<_, _> = other.inputs_in(Range::whole_sheet()).collect();
        for cell in one_inputs.keys().chain(other_inputs.keys()) {
            let (x, y) = (one_inputs.get(cell), other_inputs.get(cell));
            if x != y {
                return format!("{} {cell}: {x:?} and {y:?}", one.name());
            }
        }
        let one_formats: Vec<_> = one.format_runs(Range::whole_sheet()).collect();
        let other_formats: Vec<_> = other.format_runs(Range::whole_sheet()).collect();
        if one_formats != other_formats {
            return format!("{} formats: {one_formats:?} and {other_formats:?}", one.name());
        }
    }
    "sizes, names or the form of equal contents".to_owned()
}
