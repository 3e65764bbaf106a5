//! [`Replay`]: a room that EtherCalc's saves and commands go through, with the checks of a running server
//! and EtherCalc's time. Its records are stored afterwards.

use std::sync::Arc;

use quadrille_cell::SheetId;
use quadrille_files::{Placement, import_transaction};
use quadrille_journal::{Loaded, Snapshot};
use quadrille_operation::{Limits, Operation, Transaction};
use quadrille_protocol::{
    Author, Counter, Incarnation, Revision, Role, RoomName, RoomSnapshot, TimeAndSeed, fresh_sheet_id,
};
use quadrille_room::{Change, Effect, Event, Moment, Room, Token};
use quadrille_socialcalc::{Clipboard, Statement, parse, plan};
use quadrille_workbook::{ItemKind, Workbook};

use crate::http::ethercalc_workbook;

/// Records from which a snapshot is stored with them, so that the room opens as fast as others.
const SNAPSHOT_FROM_RECORDS: usize = 100;

/// A room in the making.
pub struct Replay {
    name: RoomName,
    room: Room,
    time_ms: i64,
    /// Random bits of this room.
    random: u64,
    /// The mark of the import, in each record.
    mark: Counter,
    records: Vec<Arc<[u8]>>,
    sheets_made: u64,
    clipboard: Option<Clipboard>,
}

/// A command that could not be carried out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FailedCommand {
    /// Position of the entry in its list, from 1.
    pub number: usize,
    pub command: String,
    pub reason: String,
}

/// What a room consists of, to be stored.
pub struct Records {
    pub records: Vec<Arc<[u8]>>,
    pub snapshot: Option<Snapshot>,
}

impl Replay {
    /// A room without contents.
    pub fn new(name: &RoomName, time_ms: i64, mark: Counter) -> Replay {
        let room = Room::open(name.clone(), Incarnation(0), &Loaded::default(), Limits::DEFAULT);
        Replay {
            name: name.clone(),
            room: room.expect("nothing is read"),
            time_ms,
            random: getrandom::u64().expect("the operating system provides random numbers"),
            mark,
            records: Vec::new(),
            sheets_made: 0,
            clipboard: None,
        }
    }

    /// The workbook as it is now, with inputs only.
    pub fn workbook(&self) -> &Workbook {
        self.room.workbook()
    }

    /// The first sheet.
    pub fn first_sheet(&self) -> SheetId {
        self.workbook().sheets()[0].id()
    }

    /// Whether anything was recorded: a room without records does not exist.
    pub fn has_records(&self) -> bool {
        !self.records.is_empty()
    }

    /// Records a transaction. An empty one is not recorded.
    ///
    /// # Errors
    /// The reason why a server would refuse it.
    pub fn submit(&mut self, author: &str, transaction: Transaction) -> Result<(), String> {
        if transaction.is_empty() {
            return Ok(());
        }
        let token = Token(self.records.len() as u64 + 1);
        let (author, change) = (Author::named(author), Change::Transaction(transaction));
        let (role, counter) = (Role::Owner, self.mark);
        let request = Event::Request { token, author, role, email: None, counter, change };
        for effect in self.room.handle(self.moment(), request) {
            match effect {
                Effect::Append { records, .. } => self.records.extend(records),
                Effect::RequestRejected { message, .. } => return Err(message),
                _ => {}
            }
        }
        // So that the room does not keep the record for sessions.
        let durable = Event::Durable { up_to: self.room.head() };
        drop(self.room.handle(self.moment(), durable));
        Ok(())
    }

    /// Replaces the contents by those of a workbook.
    ///
    /// # Errors
    /// As for [`submit`](Self::submit).
    pub fn replace(&mut self, author: &str, workbook: &Workbook) -> Result<(), String> {
        self.unlock(author)?;
        let transaction = {
            let mut ids = SheetIds { random: self.random, made: &mut self.sheets_made };
            import_transaction(workbook, self.room.workbook(), Placement::Replace, &mut || ids.next())
        };
        self.submit(author, transaction)
    }

    /// Replaces one sheet of a workbook of several rooms by the first sheet of a workbook.
    ///
    /// # Errors
    /// As for [`submit`](Self::submit).
    pub fn replace_sheet(&mut self, author: &str, sheet: SheetId, workbook: Workbook) -> Result<(), String> {
        self.unlock(author)?;
        let replaced = ethercalc_workbook::replace_sheet(&self.name, self.workbook(), sheet, workbook);
        self.submit(author, replaced.map_err(|error| error.message)?)
    }

    /// Gives a blank workbook the sheets of a table of contents.
    ///
    /// # Errors
    /// When the table has no sheets, or titles that sheets cannot have.
    pub fn apply_contents(&mut self, author: &str, contents: &Workbook) -> Result<(), String> {
        let applied = {
            let mut ids = SheetIds { random: self.random, made: &mut self.sheets_made };
            let workbook = self.room.workbook();
            ethercalc_workbook::apply_contents(&self.name, workbook, contents, &mut || ids.next())
        };
        self.submit(author, applied.map_err(|error| error.message)?)
    }

    /// Carries out commands, each entry as one transaction. As in EtherCalc, a command that is unknown or
    /// impossible is left out, and the others of its entry are carried out. The commands that act outside
    /// the sheet have done so in EtherCalc.
    pub fn commands(&mut self, author: &str, entries: &[String], sheet: SheetId) -> Vec<FailedCommand> {
        let mut failed = Vec::new();
        for (index, entry) in entries.iter().enumerate() {
            let whole = parse(entry).map_err(|error| error.to_string());
            if whole.and_then(|statements| self.statements(author, &statements, sheet)).is_ok() {
                continue;
            }
            for line in entry.split('\n').filter(|line| !line.trim().is_empty()) {
                let read = parse(line).map_err(|error| error.reason);
                let done = read.and_then(|statements| self.statements(author, &statements, sheet));
                if let Err(reason) = done {
                    failed.push(FailedCommand { number: index + 1, command: line.to_owned(), reason });
                }
            }
        }
        failed
    }

    fn statements(&mut self, author: &str, statements: &[Statement], sheet: SheetId) -> Result<(), String> {
        // Formulas refer to sheets by the names of their rooms.
        let shown = ethercalc_workbook::with_room_names(&self.name, self.workbook().clone());
        let planned = {
            let mut ids = SheetIds { random: self.random, made: &mut self.sheets_made };
            plan(statements, &shown, sheet, self.clipboard.clone(), &mut || ids.next())
        };
        let planned = planned.map_err(|error| error.reason)?;
        self.submit(author, planned.transaction)?;
        self.clipboard = planned.clipboard;
        Ok(())
    }

    /// Removes the protection of locked cells, which would refuse other contents.
    fn unlock(&mut self, author: &str) -> Result<(), String> {
        let sheets = self.workbook().sheets().iter();
        let locks = sheets.flat_map(|sheet| {
            let locks = sheet.items().of_kind(ItemKind::ProtectedRange);
            locks.map(|(item, _)| Operation::RemoveItem { sheet: Some(sheet.id()), item })
        });
        let operations = locks.collect();
        self.submit(author, Transaction { operations })
    }

    /// Ends the room.
    pub fn into_records(self) -> Records {
        let revision = Revision(self.records.len() as u64);
        let snapshot = (self.records.len() >= SNAPSHOT_FROM_RECORDS).then(|| {
            let time_and_seed = TimeAndSeed { time_ms: self.time_ms, seed: self.random };
            let workbook = self.workbook().clone();
            let snapshot = RoomSnapshot { revision, time_and_seed, submitted: Vec::new(), workbook };
            Snapshot { revision, bytes: snapshot.encode().into() }
        });
        Records { records: self.records, snapshot }
    }

    fn moment(&self) -> Moment {
        Moment { unix_ms: self.time_ms, monotonic_ms: 0, random: self.random }
    }
}

/// Identities for new sheets.
struct SheetIds<'a> {
    random: u64,
    made: &'a mut u64,
}

impl SheetIds<'_> {
    fn next(&mut self) -> SheetId {
        *self.made += 1;
        fresh_sheet_id(self.random, *self.made)
    }
}

/// Whether two workbooks have the same contents, formats and items, under whatever identities of sheets.
pub fn is_same(one: &Workbook, other: &Workbook) -> bool {
    let contents = |workbook: &Workbook| {
        let mut made = 0;
        let ids = &mut || {
            made += 1;
            SheetId(u32::MAX - made)
        };
        import_transaction(workbook, &Workbook::new(), Placement::Append, ids)
    };
    contents(one) == contents(other)
}
