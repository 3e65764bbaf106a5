//! [`Applied`], [`Touched`] and [`Touch`]: the effects of operations on a workbook.

use crate::Operation;
use crate::Transaction;
use quadrille_cell::Dimension;
use quadrille_cell::Range;
use quadrille_cell::SheetId;
use quadrille_cell::StructuralEdit;
use quadrille_workbook::ItemId;

/// The result of applying a transaction.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Applied {
    /// Undoes the transaction exactly when applied to the resulting workbook.
    pub inverse: Transaction,
    pub touched: Touched,
}

/// The parts of the workbook that a transaction touched, in order. The coordinates of each are
/// those after the operations up to it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Touched {
    pub changes: Vec<Touch>,
}

/// A part of the workbook that an operation touched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Touch {
    /// Inputs were written or moved by a sort.
    Contents(SheetId, Range),
    /// Formulas were rewritten because the cells that they refer to moved. Their results change
    /// only if those cells do.
    Rewritten(SheetId, Range),
    Formats(SheetId, Range),
    Restructured(StructuralEdit),
    /// Sizes of rows or columns.
    Sizes(SheetId, Dimension),
    /// First and last row that were hidden or shown.
    Hidden(SheetId, u32, u32),
    /// Sheets were added, removed, renamed or moved.
    Sheets,
    Names,
    /// Items of a sheet, or of the workbook, were added, removed, changed or moved.
    Items(Option<SheetId>),
    /// The data of an import was added, removed or changed.
    Import(ItemId),
}

/// The effects of one operation, collected while it is applied.
#[derive(Default)]
pub struct Step {
    pub inverse: Vec<Operation>,
    pub touches: Vec<Touch>,
}
