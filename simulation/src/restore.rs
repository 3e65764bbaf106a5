//! Restoring an earlier revision, and the check that the room equals that revision afterwards.

use quadrille_cell::SheetId;
use quadrille_files::{Placement, import_transaction};
use quadrille_operation::Transaction;
use quadrille_protocol::{Counter, Revision, Role, fresh_sheet_id, snapshot_bytes};
use quadrille_room as room;
use quadrille_room::{Change, Token};
use quadrille_workbook::{ItemKind, Workbook};

use crate::people::owner_by_rest;
use crate::random::Random;
use crate::world::{Failure, World};

impl World {
    /// J7: restores the room to a random earlier revision. All contents return, with new sheet ids.
    pub(crate) fn restore(&mut self, seed: u64) -> Result<(), Failure> {
        if !self.server_is_up {
            return Ok(());
        }
        self.open_room()?;
        if self.room.is_none() {
            return Ok(()); // the disk failed when the room was opened
        }
        let head = self.storage.disk().records(self.key).len() as u64;
        let base = self.storage.disk().trimmed(self.key).0;
        if head == 0 {
            return Ok(());
        }
        let mut random = Random::new(seed);
        let revision = Revision(random.between(base.max(1), head));
        let past = self.workbook_at(revision)?;
        let Some(room) = &self.room else { return Ok(()) };
        let transaction = replacement(&past, room.workbook(), seed);
        let (token, author, email) = (Token(seed), owner_by_rest(), None);
        let (server_process, opening, head) = (self.server_process, self.opening, room.head());
        let change = Change::Transaction(transaction);
        let (role, counter) = (Role::Owner, Counter(0));
        self.room_event(room::Event::Request { token, author, role, email, counter, change })?;
        let Some(room) = &self.room else { return Ok(()) };
        if (server_process, opening) != (self.server_process, self.opening) || room.head() != head.next() {
            return Ok(()); // the server crashed first, or the request was rejected
        }
        self.report.count("revisions restored");
        match check_equal_contents(room.workbook(), &past) {
            Ok(()) => Ok(()),
            Err(difference) => {
                Err(format!("the room differs from the restored revision {revision}: {difference}"))
            }
        }
    }
}

/// The transaction that replaces the contents of `room` by `workbook`; `unique` determines the new
/// sheet ids.
fn replacement(workbook: &Workbook, room: &Workbook, unique: u64) -> Transaction {
    let mut number = 0;
    let mut new_sheet = || {
        number += 1;
        fresh_sheet_id(unique, number)
    };
    import_transaction(workbook, room, Placement::Replace, &mut new_sheet)
}

/// Fails with the difference if two workbooks differ in more than their sheet ids.
fn check_equal_contents(restored: &Workbook, past: &Workbook) -> Result<(), String> {
    let kinds = |workbook: &Workbook, sheet: Option<SheetId>| -> Vec<ItemKind> {
        let items = workbook.items_of(sheet).into_iter().flat_map(|items| items.iter());
        // The server writes imported data again; names of versions stay those of the room.
        items.map(|(_, item)| item.kind).filter(|kind| !kind.stays_in_room()).collect()
    };
    if kinds(restored, None) != kinds(past, None) {
        return Err(format!("the workbook's items {:?} and {:?}", kinds(restored, None), kinds(past, None)));
    }
    if restored.sheets().len() != past.sheets().len() {
        return Err("different numbers of sheets".into());
    }
    for (one, other) in restored.sheets().iter().zip(past.sheets()) {
        let (ones, others) = (kinds(restored, Some(one.id())), kinds(past, Some(other.id())));
        if one.name() != other.name() || ones != others {
            return Err(format!("{} with {ones:?} and {} with {others:?}", one.name(), other.name()));
        }
    }
    // With equal sheet ids, everything else must be equal too.
    let renumbered = |workbook: &Workbook| {
        let mut fresh = Workbook::new();
        quadrille_operation::apply(&mut fresh, &replacement(workbook, &Workbook::new(), 1));
        fresh
    };
    let (one, other) = (renumbered(restored), renumbered(past));
    crate::checkers::difference(&one, &other, &snapshot_bytes(&other)).map_or(Ok(()), Err)
}
