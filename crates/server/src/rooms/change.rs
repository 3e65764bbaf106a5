//! Changes and reads of a room by REST and the command line.

use std::sync::Arc;

use quadrille_cell::SheetId;
use quadrille_files::{Placement, import_transaction};
use quadrille_operation::Transaction;
use quadrille_protocol::{Author, Counter, Record, Revision};
use quadrille_workbook::{ImportSource, ItemId, Workbook};

use super::workbook_handle::WorkbookHandle;
use crate::error::ApiError;
use crate::workbook_files;

/// A room's contents at one revision. Cheap to create: cells are shared with the room.
pub struct Reading {
    pub workbook: WorkbookHandle,
    /// The revision of the workbook; durable.
    pub revision: Revision,
    /// Number of connected sessions.
    pub sessions: usize,
    /// The sources of imported data that formulas need, if the reader has asked for them.
    pub import_sources: Vec<ImportSource>,
}

/// Plans a transaction on the room's thread, so that no other change comes between reading and
/// writing. The second argument returns ids for new sheets.
pub type Plan =
    Box<dyn FnOnce(&Workbook, &mut dyn FnMut() -> SheetId) -> Result<Transaction, ApiError> + Send>;

/// Whether a change needs an existing room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MissingRoom {
    /// Fails with `no_such_room` when the room does not exist.
    MustExist,
    /// Fails with `room_exists` when the room exists.
    MustNotExist,
    /// Creates the room when it does not exist.
    Create,
}

/// The author of imported data in the history.
const IMPORT_AUTHOR: &str = "Imported data";

/// A change of a room by REST or the command line.
pub struct Change {
    pub if_missing: MissingRoom,
    /// The revision that the client has read (`If-Match`); the change fails when the room has
    /// another one.
    pub expected: Option<Revision>,
    pub author: Author,
    /// The verified e-mail address of the author; protected ranges may name it.
    pub email: Option<Arc<str>>,
    pub plan: Plan,
    /// Planning and applying take so long that they run on a worker.
    pub is_heavy: bool,
    /// Finds the record again when the request is repeated.
    pub mark: Option<RequestMark>,
    /// The change writes imported data, which nobody but the server may.
    pub is_import: bool,
}

/// Marks the record of a request that may be repeated.
#[derive(Clone, Debug)]
pub struct RequestMark {
    /// The counter of its record.
    pub counter: Counter,
    /// The record, if the request has been carried out before: it is answered, and writes nothing.
    pub recorded: Option<Arc<Record>>,
}

impl RequestMark {
    /// A number for a new request that is also valid as the number of an item.
    pub fn random_number() -> u64 {
        let random = getrandom::u64().expect("the operating system provides random numbers");
        // Item 0 is the settings, and counter 0 that of requests without a mark.
        (random & ItemId::MAX).max(1)
    }
}

impl Change {
    pub fn new(
        if_missing: MissingRoom,
        plan: impl FnOnce(&Workbook, &mut dyn FnMut() -> SheetId) -> Result<Transaction, ApiError>
        + Send
        + 'static,
    ) -> Change {
        let (author, plan) = (Author::named("API"), Box::new(plan));
        let (expected, email, mark) = (None, None, None);
        Change { if_missing, expected, author, email, plan, is_heavy: false, mark, is_import: false }
    }

    /// Writes imported data.
    pub fn imports(plan: impl FnOnce(&Workbook) -> Result<Transaction, ApiError> + Send + 'static) -> Change {
        let change = Change::new(MissingRoom::MustExist, move |workbook, _| plan(workbook));
        Change { author: Author::named(IMPORT_AUTHOR), is_import: true, ..change }
    }

    /// Replaces the contents of the room with those of `workbook`.
    pub fn replace_contents(workbook: Workbook) -> Change {
        Change::new(MissingRoom::Create, move |room, ids| {
            Ok(import_transaction(&workbook, room, Placement::Replace, ids))
        })
        .heavy()
    }

    /// Replaces the contents of the room with those of a file. The room keeps its title; without
    /// one it gets the file's.
    pub fn replace_with_file(mut workbook: Workbook) -> Change {
        Change::new(MissingRoom::Create, move |room, ids| {
            workbook_files::keep_title(&mut workbook, room);
            Ok(import_transaction(&workbook, room, Placement::Replace, ids))
        })
        .heavy()
    }

    /// Runs the change on a worker, because it costs as much as the workbook is large.
    pub fn heavy(self) -> Change {
        Change { is_heavy: true, ..self }
    }

    pub fn by(self, author: Author) -> Change {
        Change { author, ..self }
    }

    pub fn with_email(self, email: Option<Arc<str>>) -> Change {
        Change { email, ..self }
    }

    pub fn expecting(self, revision: Option<u64>) -> Change {
        Change { expected: revision.map(Revision), ..self }
    }

    pub fn marked(self, mark: Option<RequestMark>) -> Change {
        Change { mark, ..self }
    }

    pub fn if_missing(self, if_missing: MissingRoom) -> Change {
        Change { if_missing, ..self }
    }
}

/// A change that is durable.
#[derive(Clone, Debug)]
pub struct Changed {
    pub revision: Revision,
    /// The change created the room.
    pub was_new: bool,
    /// The record of an earlier attempt of the same request, which made the change.
    pub recorded: Option<Arc<Record>>,
}
