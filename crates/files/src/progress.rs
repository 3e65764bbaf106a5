//! Telling how far reading has come, and being told to stop.

use crate::error::FileError;
use crate::limits::ROWS_PER_REPORT;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Rows read so far, in all sheets.
    pub rows: u64,
    /// Bytes of the file looked at, and all there are; a compressed part counts packed.
    pub bytes: u64,
    pub bytes_total: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShouldContinue {
    Continue,
    /// Reading ends with [`FileErrorCode::Cancelled`](crate::FileErrorCode::Cancelled).
    Cancel,
}

/// Counts rows and asks the caller every [`ROWS_PER_REPORT`] of them.
pub(crate) struct ProgressWatch<'a> {
    progress: Progress,
    report: &'a mut dyn FnMut(Progress) -> ShouldContinue,
}

impl<'a> ProgressWatch<'a> {
    pub fn new(
        bytes_total: usize,
        report: &'a mut dyn FnMut(Progress) -> ShouldContinue,
    ) -> ProgressWatch<'a> {
        ProgressWatch {
            progress: Progress { bytes_total: bytes_total as u64, ..Progress::default() },
            report,
        }
    }

    /// One more row is read; `bytes` of the file were needed for all so far.
    pub fn row(&mut self, bytes: u64) -> Result<(), FileError> {
        self.progress.rows += 1;
        self.progress.bytes = bytes;
        if self.progress.rows.is_multiple_of(u64::from(ROWS_PER_REPORT)) {
            return self.ask();
        }
        Ok(())
    }

    pub fn ask(&mut self) -> Result<(), FileError> {
        match (self.report)(self.progress) {
            ShouldContinue::Continue => Ok(()),
            ShouldContinue::Cancel => Err(FileError::cancelled()),
        }
    }
}
