//! Undo, and the checks of its results.

use quadrille_operation::Transaction;
use quadrille_protocol::snapshot_bytes;
use quadrille_replica as replica;
use quadrille_replica::Status;
use quadrille_workbook::Workbook;

use crate::edits::value_edit;
use crate::random::Random;
use crate::world::{Failure, World};

/// Cells per transaction that these edits and their undos need; rooms with a smaller limit are
/// skipped.
const CELLS_NEEDED: usize = 1_000;

impl World {
    /// O1: an edit that is undone immediately leaves the document as it was.
    pub(crate) fn edit_and_undo(&mut self, client: usize, seed: u64) -> Result<(), Failure> {
        if self.clients[client].replica.status() == Status::Loading {
            return Ok(());
        }
        if has_protection(self.clients[client].replica.document().workbook()) {
            return Ok(()); // the undo may be rejected
        }
        let before = snapshot_bytes(self.clients[client].replica.document().workbook());
        let unconfirmed = self.clients[client].replica.unconfirmed();
        let clients_before = self.clients_created;
        self.edit(client, seed)?;
        if self.clients_created != clients_before
            || self.clients[client].replica.unconfirmed() != unconfirmed + 1
        {
            return Ok(()); // the edit was rejected, or the client crashed
        }
        self.user_event(client, replica::Event::Undo)?;
        if self.clients_created != clients_before {
            return Ok(());
        }
        self.report.count("immediate undos checked");
        match snapshot_bytes(self.clients[client].replica.document().workbook()) == before {
            true => Ok(()),
            false => Err(format!("client {client}: an immediate undo does not restore the document")),
        }
    }

    /// O4, P18: one client edits, another edits the same cells or moves them, one to three times,
    /// then the first client undoes all of its edits. The result must be the document that the
    /// other client's edits alone would have made.
    pub(crate) fn check_undo_preserves_others(&mut self) -> Result<(), Failure> {
        let mut random = Random::stream(self.plan.seed, 6, 0);
        if self.clients.len() < 2 || self.plan.room.cells < CELLS_NEEDED {
            return Ok(());
        }
        if self.room.as_ref().is_some_and(|room| has_protection(room.workbook())) {
            return Ok(());
        }
        for _ in 0..2 {
            let author = random.between(0, self.clients.len() as u64 - 1) as usize;
            let other = (author + 1) % self.clients.len();
            let mut expected = self.room.as_ref().ok_or("the room is not open")?.workbook().clone();
            let mut made = Vec::new();
            for _ in 0..random.between(1, 3) {
                let first = value_edit(&mut random, &expected, false);
                let second = value_edit(&mut random, &expected, true);
                self.transaction(author, first.clone())?;
                self.run_until_quiet()?;
                self.transaction(other, second.clone())?;
                self.run_until_quiet()?;
                quadrille_operation::apply(&mut expected, &second);
                made.push((first, second));
            }
            for _ in &made {
                self.client_event(author, replica::Event::Undo)?;
                self.run_until_quiet()?;
            }
            let workbook = self.room.as_ref().ok_or("the room is not open")?.workbook();
            self.report.count("undos after edits of others checked");
            if snapshot_bytes(workbook) != snapshot_bytes(&expected) {
                let difference = crate::checkers::difference(workbook, &expected, &[]);
                return Err(format!("client {author}: undo after {made:?}: {difference:?}"));
            }
        }
        Ok(())
    }

    fn transaction(&mut self, client: usize, transaction: Transaction) -> Result<(), Failure> {
        self.client_event(client, replica::Event::Transaction { transaction, is_undoable: true })
    }
}

fn has_protection(workbook: &Workbook) -> bool {
    workbook.sheets().iter().any(|sheet| sheet.items().has_protection())
}
