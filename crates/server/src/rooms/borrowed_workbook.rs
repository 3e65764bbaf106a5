//! A workbook that was handed out to be read.
//!
//! While somebody reads it, the room writes on in a copy of what it changes: whoever reads may be the last to hold a
//! million old values, and giving these back takes milliseconds. A big one therefore goes back on a thread that gives
//! way, not where the reader happens to be: on a thread of rooms or one that serves sockets, others would wait.

use std::ops::Deref;

use quadrille_workbook::Workbook;

use super::workers::{Size, Workers};

pub struct BorrowedWorkbook {
    workbook: Workbook,
    workers: Workers,
}

impl BorrowedWorkbook {
    pub fn new(workbook: Workbook, workers: &Workers) -> BorrowedWorkbook {
        BorrowedWorkbook { workbook, workers: workers.clone() }
    }
}

impl Deref for BorrowedWorkbook {
    type Target = Workbook;

    fn deref(&self) -> &Workbook {
        &self.workbook
    }
}

impl Drop for BorrowedWorkbook {
    fn drop(&mut self) {
        if Size::of(&self.workbook) == Size::Big {
            let workbook = std::mem::take(&mut self.workbook);
            self.workers.run_sized(Size::Big, move || drop(workbook), |_| {});
        }
    }
}
