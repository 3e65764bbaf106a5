//! The operations: absolute, deterministic changes to a workbook.

use std::sync::Arc;

use quadrille_cell::{Dimension, EditKind, Range, SheetId, StructuralEdit};
use quadrille_formula::{Template, name_scope};
use quadrille_workbook::{FormatPatch, Input, Item, ItemId};

use crate::ItemPatch;

/// One change. Applying never fails: what names a sheet that is gone does nothing, and every replica agrees.
///
/// Formula templates in `inputs` are relative to the cell they are put into.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operation {
    /// Replaces the contents of each cell of `range`; `inputs` holds one per cell, row by row.
    SetCells {
        sheet: SheetId,
        range: Range,
        inputs: Vec<Input>,
    },
    /// Puts the same content into every cell of `range`: a formula filled down, a value repeated, or
    /// `Input::Blank` to clear.
    FillCells {
        sheet: SheetId,
        range: Range,
        input: Input,
    },
    /// Sets the patch's attributes on every cell of `range`.
    SetFormat {
        sheet: SheetId,
        range: Range,
        patch: FormatPatch,
    },
    /// Inserts, deletes or moves rows or columns; references follow.
    Restructure(StructuralEdit),
    /// Row heights or column widths in CSS pixels at zoom 1; `None` returns to the default.
    SetSizes {
        sheet: SheetId,
        dimension: Dimension,
        first: u32,
        count: u32,
        size: Option<u16>,
    },
    /// Sorting: row `i` of `range` becomes what row `order[i]` of it was, contents and formats of the range's
    /// columns. `order` is a permutation of `0..range.row_count()`. Relative references of a moved formula
    /// keep their offsets, as in Excel.
    PermuteRows {
        sheet: SheetId,
        range: Range,
        order: Arc<[u32]>,
    },
    /// A new, empty sheet. When the name is taken, the first free `name (2)`, `name (3)` … is used.
    AddSheet {
        sheet: SheetId,
        name: Arc<str>,
        position: u32,
    },
    /// Removing the last sheet does nothing: a workbook has at least one.
    RemoveSheet {
        sheet: SheetId,
    },
    /// When the name is taken by another sheet, as for `AddSheet`.
    RenameSheet {
        sheet: SheetId,
        name: Arc<str>,
    },
    /// `position` is zero-based among the tabs without this sheet; beyond the end means last.
    MoveSheet {
        sheet: SheetId,
        position: u32,
    },
    /// Defines a name, or with `None` removes it: for the whole workbook, or for one sheet when it is spelled as
    /// [`scoped_name`](quadrille_formula::scoped_name) says. Template references are absolute.
    DefineName {
        name: Arc<str>,
        definition: Option<Template>,
    },
    /// Hides rows or columns, or shows them again with the size they had.
    SetHidden {
        sheet: SheetId,
        dimension: Dimension,
        first: u32,
        count: u32,
        is_hidden: bool,
    },
    /// A whole item, new or in place of the one that was there. `sheet` is `None` for the workbook's own. Items of
    /// an exclusive kind that it overlaps are dropped; nothing happens when there is no room for more.
    PutItem {
        sheet: Option<SheetId>,
        item: ItemId,
        content: Arc<Item>,
    },
    /// Single fields, or the anchors, of an item that is there; without it, nothing happens.
    PatchItem {
        sheet: Option<SheetId>,
        item: ItemId,
        patch: ItemPatch,
    },
    RemoveItem {
        sheet: Option<SheetId>,
        item: ItemId,
    },
    /// Changes nothing: its record's time and seed are what volatile functions see from now on.
    Tick,
}

/// Operations that apply all or none, one after the other.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Transaction {
    pub operations: Vec<Operation>,
}

/// The operations without their contents; the rows and columns of the table in `docs/operations.md`. Moving lines
/// has rules of its own there, although it is a `Restructure` like inserting and deleting.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    SetCells,
    FillCells,
    SetFormat,
    Restructure,
    MoveLines,
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

impl Kind {
    pub const ALL: [Kind; 17] = [
        Kind::SetCells,
        Kind::FillCells,
        Kind::SetFormat,
        Kind::Restructure,
        Kind::MoveLines,
        Kind::SetSizes,
        Kind::PermuteRows,
        Kind::AddSheet,
        Kind::RemoveSheet,
        Kind::RenameSheet,
        Kind::MoveSheet,
        Kind::DefineName,
        Kind::SetHidden,
        Kind::PutItem,
        Kind::PatchItem,
        Kind::RemoveItem,
        Kind::Tick,
    ];
}

impl Operation {
    pub fn kind(&self) -> Kind {
        match self {
            Operation::SetCells { .. } => Kind::SetCells,
            Operation::FillCells { .. } => Kind::FillCells,
            Operation::SetFormat { .. } => Kind::SetFormat,
            Operation::Restructure(edit) => match edit.kind {
                EditKind::Insert | EditKind::Delete => Kind::Restructure,
                EditKind::Move { .. } => Kind::MoveLines,
            },
            Operation::SetSizes { .. } => Kind::SetSizes,
            Operation::PermuteRows { .. } => Kind::PermuteRows,
            Operation::AddSheet { .. } => Kind::AddSheet,
            Operation::RemoveSheet { .. } => Kind::RemoveSheet,
            Operation::RenameSheet { .. } => Kind::RenameSheet,
            Operation::MoveSheet { .. } => Kind::MoveSheet,
            Operation::DefineName { .. } => Kind::DefineName,
            Operation::SetHidden { .. } => Kind::SetHidden,
            Operation::PutItem { .. } => Kind::PutItem,
            Operation::PatchItem { .. } => Kind::PatchItem,
            Operation::RemoveItem { .. } => Kind::RemoveItem,
            Operation::Tick => Kind::Tick,
        }
    }

    /// The sheet the operation changes, or whose name it defines; `None` for what belongs to the workbook as a whole.
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
    pub fn new(operations: Vec<Operation>) -> Transaction {
        Transaction { operations }
    }

    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }
}

impl From<Operation> for Transaction {
    fn from(operation: Operation) -> Transaction {
        Transaction { operations: vec![operation] }
    }
}
