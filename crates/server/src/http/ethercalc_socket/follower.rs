//! [`Follower`]: what a client of EtherCalc shows, and the messages that keep it equal to the room.

use quadrille_cell::{Range, SheetId};
use quadrille_operation::{Operation, Transaction};
use quadrille_protocol::{Revision, fresh_sheet_id};
use quadrille_socialcalc::{Clipboard, Follow, follow, parse, plan};
use quadrille_workbook::Workbook;
use tokio::time::Instant;

use super::unseen::{Sent, Unseen};

/// The sheet of a client.
///
/// A client carries out its own commands at once and those of others when they arrive, so it converges
/// by itself unless both concern the same cells. Then it gets the state of these cells once more, after
/// its own command has its revision; and the whole sheet when cells have moved.
pub struct Follower {
    /// The room at `revision`; what the client shows once it has carried out everything that was sent.
    pub workbook: Workbook,
    pub revision: Revision,
    pub unseen: Unseen,
    /// The sheet that the client shows; `None` is the first one.
    sheet: Option<SheetId>,
    /// The clipboard of the client's own commands.
    clipboard: Option<Clipboard>,
    /// The revision of the client's last own command.
    own_up_to: Revision,
}

/// What a client is to be sent.
#[derive(PartialEq, Eq, Debug)]
pub enum Update {
    Commands {
        commands: Vec<String>,
        /// Ask whether the client has carried them out.
        asks: bool,
    },
    /// The whole sheet.
    Save,
}

/// A client's commands as a transaction.
pub struct OwnCommands {
    pub transaction: Transaction,
    pub base: Revision,
}

impl Follower {
    /// A client that gets the room as it is at `revision`.
    pub fn new(workbook: Workbook, revision: Revision, sheet: Option<SheetId>) -> Follower {
        let unseen = Unseen::default();
        Follower { workbook, revision, unseen, sheet, clipboard: None, own_up_to: Revision(0) }
    }

    /// The sheet that the client shows.
    pub fn sheet(&self) -> SheetId {
        self.sheet.unwrap_or_else(|| self.workbook.sheets()[0].id())
    }

    /// Follows a record of the room. `is_own`: the client's own commands.
    pub fn follow(&mut self, revision: Revision, transaction: &Transaction, is_own: bool) -> Option<Update> {
        let before = (self.workbook.clone(), self.revision);
        let mut commands = Vec::new();
        let mut cells = Vec::new();
        let (mut has_moved, mut needs_save) = (false, false);
        for operation in &transaction.operations {
            cells.extend(cells_of(operation));
            let sheet = self.sheet();
            match follow(&mut self.workbook, sheet, operation) {
                Follow::Commands { commands: more, moves_cells } => {
                    commands.extend(more);
                    has_moved |= moves_cells;
                }
                Follow::Save => needs_save = true,
            }
            needs_save |= self.sheet() != sheet;
        }
        self.revision = revision;
        if is_own {
            self.own_up_to = revision;
            return self.after_own(commands, &cells, has_moved, needs_save);
        }
        let update = match (needs_save, commands.is_empty()) {
            (true, _) => Update::Save,
            (false, true) => return None,
            // Also after contents only. Otherwise the page gets the whole sheet after its next command that
            // moves cells, and forgets what it can undo.
            (false, false) => Update::Commands { commands, asks: true },
        };
        let sent = match has_moved || needs_save {
            true => Sent::Moved { before: before.0, revision: before.1 },
            false => Sent::Cells(cells),
        };
        self.unseen.push(sent, Instant::now());
        Some(update)
    }

    /// What the client shows differently from the room after a command of its own.
    fn after_own(
        &mut self,
        commands: Vec<String>,
        cells: &[Range],
        has_moved: bool,
        needs_save: bool,
    ) -> Option<Update> {
        self.unseen.expire(Instant::now());
        if self.unseen.is_empty() {
            return None;
        }
        if has_moved || needs_save || self.unseen.has_moved() {
            self.note_save();
            return Some(Update::Save);
        }
        self.unseen.overlaps(cells).then_some(Update::Commands { commands, asks: false })
    }

    /// Follows on from the sheet for which the client has asked.
    pub fn start(&mut self, workbook: Workbook, revision: Revision) {
        (self.workbook, self.revision) = (workbook, revision);
        self.unseen.clear();
    }

    /// Notes that the client is sent the whole sheet without having asked.
    pub fn note_save(&mut self) {
        let sent = Sent::Moved { before: self.workbook.clone(), revision: self.revision };
        self.unseen.push(sent, Instant::now());
    }

    /// Reads the client's commands as a transaction for what the client showed when it gave them.
    ///
    /// # Errors
    ///
    /// Fails with a text for the client.
    pub fn plan(&mut self, commands: &str, unique: u64) -> Result<OwnCommands, String> {
        self.unseen.expire(Instant::now());
        // Commands of the client after the base are not in the workbook that is kept for it.
        let base = self.unseen.base().filter(|(_, revision)| *revision >= self.own_up_to);
        let (workbook, base) = base.unwrap_or((&self.workbook, self.revision));
        let statements = parse(commands).map_err(|error| error.to_string())?;
        let sheet = self.sheet.unwrap_or_else(|| workbook.sheets()[0].id());
        if workbook.sheet(sheet).is_none() {
            return Err("the sheet was removed".to_owned());
        }
        let mut count = 0;
        let mut new_sheet = || -> SheetId {
            count += 1;
            fresh_sheet_id(unique, count)
        };
        let planned = plan(&statements, workbook, sheet, self.clipboard.clone(), &mut new_sheet);
        let planned = planned.map_err(|error| error.to_string())?;
        self.clipboard = planned.clipboard;
        Ok(OwnCommands { transaction: planned.transaction, base })
    }
}

/// The cells whose state an operation sets; whole sheets for what concerns more than cells.
fn cells_of(operation: &Operation) -> Vec<Range> {
    match operation {
        Operation::SetCells { range, .. }
        | Operation::FillCells { range, .. }
        | Operation::SetFormat { range, .. }
        | Operation::PermuteRows { range, .. } => vec![*range],
        Operation::Tick => Vec::new(),
        _ => vec![Range::whole_sheet()],
    }
}
