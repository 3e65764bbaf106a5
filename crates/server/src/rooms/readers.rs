//! [`Readers`]: the reads of a room's workbook that cannot be answered yet.

use quadrille_protocol::Revision;
use quadrille_workbook::ImportSource;
use tokio::sync::oneshot;

use super::change::Reading;
use super::workbook_handle::WorkbookHandle;
use crate::error::{ApiError, ErrorCode};

/// Reads that wait for values of their revision or a later one, then for that revision to be durable.
#[derive(Default)]
pub struct Readers {
    waiting: Vec<Reader>,
}

/// One read.
pub struct Reader {
    pub revision: Revision,
    /// `None` until the values are calculated.
    pub workbook: Option<WorkbookHandle>,
    pub wants_import_sources: bool,
    pub import_sources: Vec<ImportSource>,
    pub reply: oneshot::Sender<Result<Reading, ApiError>>,
}

impl Readers {
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub fn push(&mut self, reader: Reader) {
        self.waiting.push(reader);
    }

    /// Whether a read waits for values.
    pub fn want_values(&self) -> bool {
        self.waiting.iter().any(|reader| reader.workbook.is_none())
    }

    /// Whether a read asks which imported data the formulas need.
    pub fn want_import_sources(&self) -> bool {
        self.waiting.iter().any(|reader| reader.wants_import_sources)
    }

    /// Gives the values of `revision` to the reads that wait for that revision or an earlier one.
    pub fn set_values(
        &mut self,
        revision: Revision,
        import_sources: &[ImportSource],
        workbook: impl Fn() -> WorkbookHandle,
    ) {
        for reader in &mut self.waiting {
            if reader.workbook.is_none() && reader.revision <= revision {
                reader.import_sources = import_sources.to_vec();
                (reader.revision, reader.workbook) = (revision, Some(workbook()));
            }
        }
    }

    /// Answers the reads that wait for values with an error.
    pub fn reject(&mut self, code: ErrorCode, message: &str) {
        for reader in self.waiting.extract_if(.., |reader| reader.workbook.is_none()) {
            let _ = reader.reply.send(Err(ApiError::new(code, message)));
        }
    }

    /// Answers reads whose revision is durable: a reader must not see changes that a crash could
    /// undo.
    pub fn serve(&mut self, durable: Revision, sessions: usize) {
        let is_ready = |reader: &mut Reader| reader.workbook.is_some() && reader.revision <= durable;
        for reader in self.waiting.extract_if(.., is_ready) {
            let Reader { revision, workbook, import_sources, reply, .. } = reader;
            let workbook = workbook.expect("checked above");
            let _ = reply.send(Ok(Reading { workbook, revision, sessions, import_sources }));
        }
    }
}
