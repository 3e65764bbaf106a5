//! Undoing what one author has changed: the chosen revisions are reverted over all later ones.

use quadrille_operation::{SelectiveUndo, Transaction};
use quadrille_protocol::{Author, Record, Revision, RoomName};
use quadrille_workbook::Workbook;

use super::history::check_begin;
use super::registry::Rooms;
use super::workers::Size;
use crate::error::{ApiError, ErrorCode};
use crate::limits;

/// The revisions that are undone: those of one author within a part of the history.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChosenRevisions {
    pub author: Author,
    /// Only later revisions.
    pub after: Revision,
    /// No later revisions; they are kept.
    pub up_to: Revision,
}

impl ChosenRevisions {
    fn contains(&self, record: &Record) -> bool {
        self.after < record.revision && record.revision <= self.up_to && record.author == self.author
    }
}

/// An undo that is planned on the history up to one revision.
pub struct AuthorUndo {
    chosen: ChosenRevisions,
    undo: SelectiveUndo,
    /// The newest revision that it takes into account.
    pub revision: Revision,
}

/// What an undo does.
pub struct PlannedUndo {
    /// Reverts the chosen revisions after those that were taken into account; without operations if
    /// later revisions have overwritten everything.
    pub transaction: Transaction,
    /// Number of revisions that it reverts.
    pub reverted: usize,
}

impl Rooms {
    /// Reads the history for an undo. Nothing is taken into account yet but what was before the
    /// chosen revisions.
    ///
    /// # Errors
    ///
    /// Fails with `not_found` when the journal does not have the history from there, and as
    /// [`inputs_at`](Rooms::inputs_at) does.
    pub async fn begin_undo(&self, room: &RoomName, chosen: ChosenRevisions) -> Result<AuthorUndo, ApiError> {
        let revision = chosen.after;
        check_begin(&self.history_bounds(room).await?, revision)?;
        let workbook = self.inputs_at(room, revision).await?;
        Ok(AuthorUndo { chosen, undo: SelectiveUndo::new(workbook), revision })
    }

    /// Takes all durable revisions into account, and returns what is to be done after them.
    ///
    /// # Errors
    ///
    /// Fails with `bad_command` when the undo reaches over more than `UNDO_REVISIONS_MAX` revisions.
    pub async fn plan_undo(
        &self,
        room: &RoomName,
        mut planned: AuthorUndo,
    ) -> Result<(AuthorUndo, PlannedUndo), ApiError> {
        let head = self.history_bounds(room).await?.head;
        while planned.revision < head {
            if head.0 - planned.chosen.after.0 > limits::UNDO_REVISIONS_MAX {
                let message = format!(
                    "an undo can reach over at most {} revisions: there are {} after revision {}",
                    limits::UNDO_REVISIONS_MAX,
                    head.0 - planned.chosen.after.0,
                    planned.chosen.after
                );
                return Err(ApiError::new(ErrorCode::BadCommand, message));
            }
            let records = self.records(room, planned.revision, head).await?;
            if records.is_empty() {
                return Err(ApiError::new(
                    ErrorCode::NotFound,
                    "the history has changed meanwhile; try again",
                ));
            }
            let size = Size::of(planned.undo.workbook());
            planned = self.run_on_worker(size, move || planned.follow(records)).await?;
        }
        let size = Size::of(planned.undo.workbook());
        self.run_on_worker(size, move || {
            let transaction = planned.undo.transaction();
            let reverted = planned.undo.reverted_count();
            (planned, PlannedUndo { transaction, reverted })
        })
        .await
    }
}

impl AuthorUndo {
    /// The workbook at [`revision`](AuthorUndo::revision), without values of formulas.
    pub fn workbook(&self) -> &Workbook {
        self.undo.workbook()
    }

    fn follow(mut self, records: Vec<Record>) -> AuthorUndo {
        for record in records {
            let is_reverted = self.chosen.contains(&record);
            self.revision = record.revision;
            self.undo.add(record.transaction, is_reverted);
        }
        self
    }
}
