//! Options of the writers.

use crate::displayed_rows::Numbers;
use quadrille_cell::SheetId;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WriteOptions {
    /// For formats that hold one sheet; the first one when `None` or unknown.
    pub sheet: Option<SheetId>,
    pub numbers: Numbers,
    /// In csv and tsv, puts an apostrophe before texts that a spreadsheet would run as a formula.
    pub formula_safe: bool,
}
