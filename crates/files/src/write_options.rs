//! Options of the writers.

use crate::displayed_rows::Numbers;
use quadrille_cell::SheetId;

/// Options of [`write`](crate::write()).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WriteOptions {
    /// Sheet to write to formats that contain one sheet; the first one if `None` or unknown.
    pub sheet: Option<SheetId>,
    /// Form of numbers in text formats.
    pub numbers: Numbers,
    /// In csv and tsv: puts an apostrophe before texts that a spreadsheet would interpret as a
    /// formula.
    pub formula_safe: bool,
    /// Writes csv, csv.json, Markdown and HTML as EtherCalc does, whose clients may compare texts: fields
    /// with a space are quoted in csv, cells of Markdown have no padding, and HTML is only a table.
    pub ethercalc: bool,
}
