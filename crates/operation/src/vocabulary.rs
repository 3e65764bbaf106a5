//! [`Operation`], [`Transaction`] and [`OperationKind`]: the absolute, deterministic changes to a workbook.

use std::sync::Arc;

use quadrille_cell::{Dimension, EditKind, Range, SheetId, StructuralEdit};
use quadrille_formula::{Template, name_scope};
use quadrille_workbook::{FormatPatch, Input, Item, ItemId};

use crate::ItemPatch;

/// An absolute change to a workbook. Applying never fails: an operation on a sheet that does not
/// exist does nothing, on every replica alike.
///
/// Formula templates in `inputs` are relative to the cell that holds them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operation {
    /// Replaces the contents of each cell of `range`. `inputs` holds one content per cell, row by
    /// row.
    SetCells { sheet: SheetId, range: Range, inputs: Vec<Input> },
    /// Writes the same content into every cell of `range`: a formula filled down, a repeated value,
    /// or `Input::Blank` to clear the cells.
    FillCells { sheet: SheetId, range: Range, input: Input },
    /// Sets the patch's attributes on every cell of `range`.
    SetFormat { sheet: SheetId, range: Range, patch: FormatPatch },
    /// Inserts, deletes or moves rows or columns. References are rewritten.
    Restructure(StructuralEdit),
    /// Sets row heights or column widths, in CSS pixels at zoom 1; `None` restores the default
    /// size.
    SetSizes { sheet: SheetId, dimension: Dimension, first: u32, count: u32, size: Option<u16> },
    /// Sorts: row `i` of `range` gets the contents and formats that row `order[i]` had, in the
    /// columns of `range`. `order` is a permutation of `0..range.row_count()`. Relative references
    /// of a moved formula keep their offsets, as in Excel.
    PermuteRows { sheet: SheetId, range: Range, order: Arc<[u32]> },
    /// Adds an empty sheet. If the name is taken, the sheet gets the first free name of `name (2)`,
    /// `name (3)` …
    AddSheet { sheet: SheetId, name: Arc<str>, position: u32 },
    /// Removes a sheet. Removing the last sheet does nothing: a workbook has at least one.
    RemoveSheet { sheet: SheetId },
    /// Renames a sheet. A name that another sheet has is made unique as in `AddSheet`.
    RenameSheet { sheet: SheetId, name: Arc<str> },
    /// Moves a sheet. `position` is zero-based among the other sheets; a position beyond the end
    /// means last.
    MoveSheet { sheet: SheetId, position: u32 },
    /// Defines a name, or removes it if `definition` is `None`. The name is valid in the whole
    /// workbook, or in one sheet if it is written as
    /// [`scoped_name`](quadrille_formula::scoped_name) does. References of the template are
    /// absolute.
    DefineName { name: Arc<str>, definition: Option<Template> },
    /// Hides rows or columns, or shows them with the size that they had.
    SetHidden { sheet: SheetId, dimension: Dimension, first: u32, count: u32, is_hidden: bool },
    /// Adds an item, or replaces the item that has this identity. `sheet` is `None` for items of
    /// the workbook. Items of an exclusive kind that overlap the new one are removed. Does nothing
    /// if the sheet or the workbook has no room for another item.
    PutItem { sheet: Option<SheetId>, item: ItemId, content: Arc<Item> },
    /// Changes single fields or the anchors of an item. Does nothing if the item does not exist.
    PatchItem { sheet: Option<SheetId>, item: ItemId, patch: ItemPatch },
    /// Removes an item.
    RemoveItem { sheet: Option<SheetId>, item: ItemId },
    /// Changes no content. The time and the seed of its record become the inputs of volatile
    /// functions.
    Tick,
}

/// A list of operations that are applied in order, all or none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Transaction {
    pub operations: Vec<Operation>,
}

/// The type of an operation without its contents, as in the rows and columns of the table in
/// `docs/operations.md`. [`Operation::Restructure`] has two kinds, because moving rows or columns
/// has rebase rules of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum OperationKind {
    SetCells,
    FillCells,
    SetFormat,
    Restructure,
    MoveDimension,
    SetSizes,
    PermuteRows,
    AddSheet,
    RemoveSheet,
    RenameSheet,
    MoveSheet,
    DefineName,
    SetHidden,
    PutItem,
    PatchItem,
    RemoveItem,
    Tick,
}

impl OperationKind {
    /// All kinds, in the order of the table.
    pub const ALL: [OperationKind; 17] = [
        OperationKind::SetCells,
        OperationKind::FillCells,
        OperationKind::SetFormat,
        OperationKind::Restructure,
        OperationKind::MoveDimension,
        OperationKind::SetSizes,
        OperationKind::PermuteRows,
        OperationKind::AddSheet,
        OperationKind::RemoveSheet,
        OperationKind::RenameSheet,
        OperationKind::MoveSheet,
        OperationKind::DefineName,
        OperationKind::SetHidden,
        OperationKind::PutItem,
        OperationKind::PatchItem,
        OperationKind::RemoveItem,
        OperationKind::Tick,
    ];
}

impl Operation {
    /// Returns the kind of the operation.
    pub fn kind(&self) -> OperationKind {
        match self {
            Operation::SetCells { .. } => OperationKind::SetCells,
            Operation::FillCells { .. } => OperationKind::FillCells,
            Operation::SetFormat { .. } => OperationKind::SetFormat,
            Operation::Restructure(edit) => match edit.kind {
                EditKind::Insert | EditKind::Delete => OperationKind::Restructure,
                EditKind::Move { .. } => OperationKind::MoveDimension,
            },
            Operation::SetSizes { .. } => OperationKind::SetSizes,
            Operation::PermuteRows { .. } => OperationKind::PermuteRows,
            Operation::AddSheet { .. } => OperationKind::AddSheet,
            Operation::RemoveSheet { .. } => OperationKind::RemoveSheet,
            Operation::RenameSheet { .. } => OperationKind::RenameSheet,
            Operation::MoveSheet { .. } => OperationKind::MoveSheet,
            Operation::DefineName { .. } => OperationKind::DefineName,
            Operation::SetHidden { .. } => OperationKind::SetHidden,
            Operation::PutItem { .. } => OperationKind::PutItem,
            Operation::PatchItem { .. } => OperationKind::PatchItem,
            Operation::RemoveItem { .. } => OperationKind::RemoveItem,
            Operation::Tick => OperationKind::Tick,
        }
    }

    /// Returns the sheet that the operation changes, or in which the name is defined; `None` for an
    /// operation on the workbook as a whole.
    pub fn sheet(&self) -> Option<SheetId> {
        match self {
            Operation::SetCells { sheet, .. }
            | Operation::FillCells { sheet, .. }
            | Operation::SetFormat { sheet, .. }
            | Operation::SetSizes { sheet, .. }
            | Operation::PermuteRows { sheet, .. }
            | Operation::AddSheet { sheet, .. }
            | Operation::RemoveSheet { sheet }
            | Operation::RenameSheet { sheet, .. }
            | Operation::MoveSheet { sheet, .. }
            | Operation::SetHidden { sheet, .. } => Some(*sheet),
            Operation::Restructure(edit) => Some(edit.sheet),
            Operation::PutItem { sheet, .. }
            | Operation::PatchItem { sheet, .. }
            | Operation::RemoveItem { sheet, .. } => *sheet,
            Operation::DefineName { name, .. } => name_scope(name).map(|(sheet, _)| sheet),
            Operation::Tick => None,
        }
    }
}

impl Transaction {
    /// Creates a transaction of these operations.
    pub fn new(operations: Vec<Operation>) -> Transaction {
        Transaction { operations }
    }

    /// Returns whether the transaction has no operations.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }
}

impl From<Operation> for Transaction {
    fn from(operation: Operation) -> Transaction {
        Transaction { operations: vec![operation] }
    }
}
