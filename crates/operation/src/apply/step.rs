//! The effects of one operation on the workbook, collected while it is applied.

use crate::Operation;
use crate::Transaction;
use quadrille_cell::Dimension;
use quadrille_cell::Range;
use quadrille_cell::SheetId;
use quadrille_cell::StructuralEdit;

/// What applying a transaction did.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Applied {
    /// Takes the transaction back, exactly, when applied to the workbook it left.
    pub inverse: Transaction,
    pub touched: Touched,
}

/// What a transaction touched, in order: ranges are in the coordinates of their moment.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Touched {
    pub changes: Vec<Touch>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Touch {
    /// Inputs were written, or moved by a sort.
    Contents(SheetId, Range),
    /// Formulas read otherwise than before because what they refer to moved; what they give follows from that alone.
    Rewritten(SheetId, Range),
    Formats(SheetId, Range),
    Restructured(StructuralEdit),
    /// Sizes of rows or columns.
    Sizes(SheetId, Dimension),
    /// First and last of rows that were hidden or shown again.
    Hidden(SheetId, u32, u32),
    /// Sheets were added, removed, renamed or moved.
    Sheets,
    Names,
    /// Items of a sheet, or of the workbook, came, went, changed or moved.
    Items(Option<SheetId>),
}

/// What one operation did so far.
#[derive(Default)]
pub struct Step {
    pub inverse: Vec<Operation>,
    pub touches: Vec<Touch>,
}
