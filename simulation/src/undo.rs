//! Undo, checked against what it must give.

use quadrille_operation::Transaction;
use quadrille_protocol::snapshot_bytes;
use quadrille_replica as replica;
use quadrille_replica::Status;
use quadrille_workbook::Workbook;

use crate::edits::value_edit;
use crate::random::Random;
use crate::world::{Failure, World};

/// A room that takes fewer cells at once refuses some of the edits made here, or their undo.
const CELLS_NEEDED: usize = 1_000;

impl World {
    /// A change and its undo with nothing in between leave the document as it was (O1).
    pub(crate) fn edit_and_undo(&mut self, client: usize, seed: u64) -> Result<(), Failure> {
        if self.clients[client].replica.status() == Status::Loading {
            return Ok(());
        }
        if has_protection(self.clients[client].replica.document().workbook()) {
            return Ok(()); // an undo may be refused
        }
        let before = snapshot_bytes(self.clients[client].replica.document().workbook());
        let unconfirmed = self.clients[client].replica.unconfirmed();
        let page = self.clients_made;
        self.edit(client, seed)?;
        if self.clients_made != page || self.clients[client].replica.unconfirmed() != unconfirmed + 1 {
            return Ok(()); // refused, or the page is gone
        }
        self.person(client, replica::Event::Undo)?;
        if self.clients_made != page {
            return Ok(());
        }
        self.report.count("undos checked at once");
        match snapshot_bytes(self.clients[client].replica.document().workbook()) == before {
            true => Ok(()),
            false => Err(format!("client {client}: undo at once does not restore what was there")),
        }
    }

    /// When all is quiet: one writes, another writes or moves things there, once or twice, then the first undoes all of
    /// it. What is left must be what the second alone would have made (O4, P18).
    pub(crate) fn check_undo(&mut self) -> Result<(), Failure> {
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
                self.until_quiet()?;
                self.transaction(other, second.clone())?;
                self.until_quiet()?;
                quadrille_operation::apply(&mut expected, &second);
                made.push((first, second));
            }
            for _ in &made {
                self.client_event(author, replica::Event::Undo)?;
                self.until_quiet()?;
            }
            let workbook = self.room.as_ref().ok_or("the room is not open")?.workbook();
            self.report.count("undos checked after others");
            if snapshot_bytes(workbook) != snapshot_bytes(&expected) {
                let difference = crate::check::difference(workbook, &expected, &[]);
                return Err(format!("client {author}: undo of and between {made:?}: {difference:?}"));
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
