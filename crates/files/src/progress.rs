//! Progress of reading, and cancellation.

use crate::error::FileError;
use crate::limits::ROWS_PER_REPORT;

/// The progress of reading a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Rows read so far, in all sheets.
    pub rows: u64,
    /// Bytes of the file processed so far; compressed parts count with their compressed size.
    pub bytes: u64,
    /// Size of the file in bytes.
    pub bytes_total: u64,
}

/// Answer of the caller to a report of progress.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShouldContinue {
    Continue,
    /// Reading ends with [`FileErrorCode::Cancelled`](crate::FileErrorCode::Cancelled).
    Cancel,
}

/// Counts rows and reports progress every [`ROWS_PER_REPORT`] rows.
pub(crate) struct ProgressWatch<'a> {
    progress: Progress,
    report: &'a mut dyn FnMut(Progress) -> ShouldContinue,
}

impl<'a> ProgressWatch<'a> {
    /// Starts at the beginning of a file of `bytes_total` bytes.
    pub fn new(
        bytes_total: usize,
        report: &'a mut dyn FnMut(Progress) -> ShouldContinue,
    ) -> ProgressWatch<'a> {
        ProgressWatch {
            progress: Progress { bytes_total: bytes_total as u64, ..Progress::default() },
            report,
        }
    }

    /// Counts one row; `bytes` of the file have been processed so far. Fails with `Cancelled`.
    pub fn row(&mut self, bytes: u64) -> Result<(), FileError> {
        self.progress.rows += 1;
        self.progress.bytes = bytes;
        if self.progress.rows.is_multiple_of(u64::from(ROWS_PER_REPORT)) {
            return self.report();
        }
        Ok(())
    }

    /// Reports progress. Fails with `Cancelled` if the caller cancels.
    pub fn report(&mut self) -> Result<(), FileError> {
        match (self.report)(self.progress) {
            ShouldContinue::Continue => Ok(()),
            ShouldContinue::Cancel => Err(FileError::cancelled()),
        }
    }
}
