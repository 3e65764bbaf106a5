//! A workbook that is freed on a worker.
//!
//! While a reader holds a workbook, the room copies the blocks it changes. The reader may then be
//! the last owner of a million old values, and freeing them takes milliseconds. A large workbook is
//! therefore dropped on a low-priority thread, not on the reader's, where rooms or sockets would
//! wait.

use std::ops::Deref;

use quadrille_workbook::Workbook;

use super::workers::{Size, Workers};

/// Owns a workbook and drops it on a worker when it is large.
pub struct WorkbookHandle {
    workbook: Workbook,
    workers: Workers,
}

impl WorkbookHandle {
    pub fn new(workbook: Workbook, workers: &Workers) -> WorkbookHandle {
        WorkbookHandle { workbook, workers: workers.clone() }
    }
}

impl Deref for WorkbookHandle {
    type Target = Workbook;

    fn deref(&self) -> &Workbook {
        &self.workbook
    }
}

impl Drop for WorkbookHandle {
    fn drop(&mut self) {
        if Size::of(&self.workbook) == Size::Large {
            let workbook = std::mem::take(&mut self.workbook);
            self.workers.run_sized(Size::Large, move || drop(workbook), |_| {});
        }
    }
}
