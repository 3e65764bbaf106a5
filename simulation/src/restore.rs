//! An earlier revision brought back, as over REST, and what must be there then.

use quadrille_cell::SheetId;
use quadrille_files::{Placement, import_transaction};
use quadrille_operation::Transaction;
use quadrille_protocol::{Author, Revision, Role, fresh_sheet_id, snapshot_bytes};
use quadrille_room as room;
use quadrille_room::{Change, Token};
use quadrille_workbook::{ItemKind, Workbook};

use crate::random::Random;
use crate::world::{Failure, World};

impl World {
    /// Makes the room what it was at some revision (J7). Everything is there again, under new identities of sheets.
    pub(crate) fn restore(&mut self, seed: u64) -> Result<(), Failure> {
        if !self.server_is_up {
            return Ok(());
        }
        self.open_room()?;
        if self.room.is_none() {
            return Ok(()); // the disk failed just now
        }
        let head = self.storage.disk().records(self.key).len() as u64;
        let base = self.storage.disk().trimmed(self.key).0;
        if head == 0 {
            return Ok(());
        }
        let mut random = Random::new(seed);
        let revision = Revision(random.between(base.max(1), head));
        let past = self.past(revision)?;
        let Some(room) = &self.room else { return Ok(()) };
        let transaction = replacing(&past, room.workbook(), seed);
        let (token, author) = (Token(seed), Author::named("REST"));
        let (life, opening, head) = (self.life, self.opening, room.head());
        let change = Change::Transaction(transaction);
        self.room_event(room::Event::Request { token, author, role: Role::Owner, change })?;
        let Some(room) = &self.room else { return Ok(()) };
        if (life, opening) != (self.life, self.opening) || room.head() != head.next() {
            return Ok(()); // the server's end came first, or it was refused
        }
        self.report.count("restored from history");
        match alike(room.workbook(), &past) {
            Ok(()) => Ok(()),
            Err(difference) => {
                Err(format!("restoring revision {revision} gives something else: {difference}"))
            }
        }
    }
}

fn replacing(workbook: &Workbook, room: &Workbook, unique: u64) -> Transaction {
    let mut number = 0;
    let mut new_sheet = || {
        number += 1;
        fresh_sheet_id(unique, number)
    };
    import_transaction(workbook, room, Placement::Replace, &mut new_sheet)
}

/// Whether two workbooks hold the same but for the identities of their sheets.
fn alike(restored: &Workbook, past: &Workbook) -> Result<(), String> {
    let kinds = |workbook: &Workbook, sheet: Option<SheetId>| -> Vec<ItemKind> {
        let items = workbook.items_of(sheet).into_iter().flat_map(|items| items.iter());
        items.map(|(_, item)| item.kind).collect()
    };
    if kinds(restored, None) != kinds(past, None) {
        return Err(format!("the workbook's items {:?} and {:?}", kinds(restored, None), kinds(past, None)));
    }
    if restored.sheets().len() != past.sheets().len() {
        return Err("the number of sheets".into());
    }
    for (one, other) in restored.sheets().iter().zip(past.sheets()) {
        let (ones, others) = (kinds(restored, Some(one.id())), kinds(past, Some(other.id())));
        if one.name() != other.name() || ones != others {
            return Err(format!("{} with {ones:?} and {} with {others:?}", one.name(), other.name()));
        }
    }
    // The same sheets under the same identities: then everything else must be equal.
    let renumbered = |workbook: &Workbook| {
        let mut fresh = Workbook::new();
        quadrille_operation::apply(&mut fresh, &replacing(workbook, &Workbook::new(), 1));
        fresh
    };
    let (one, other) = (renumbered(restored), renumbered(past));
    crate::check::difference(&one, &other, &snapshot_bytes(&other)).map_or(Ok(()), Err)
}
