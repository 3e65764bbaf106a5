//! [`Planner`]: the workbook, limits, locale and function names for which a command is planned.

use crate::CommandError;
use crate::Limits;
use crate::Operation;
use quadrille_cell::CellAddress;
use quadrille_cell::SheetId;
use quadrille_formula::FunctionNames;
use quadrille_number_format::InputContext;
use quadrille_workbook::Format;
use quadrille_workbook::Sheet;
use quadrille_workbook::Workbook;

/// The operations of a command.
pub type Plan = Result<Vec<Operation>, CommandError>;

/// The format that a pivot table gives to a cell that it fills, with the cell's own one. The workbook has
/// only the latter.
pub type DisplayedFormat<'a> = &'a dyn Fn(&Sheet, CellAddress) -> Option<Format>;

/// Plans commands; each file of this module adds the functions for some of them.
pub struct Planner<'a> {
    pub workbook: &'a Workbook,
    pub limits: Limits,
    pub typing: InputContext,
    /// The function names of typed formulas.
    pub names: &'a FunctionNames,
    /// The visible rows that the planned operations will be mapped to; `None` if all rows are
    /// visible.
    pub row_mapping: Option<&'a super::row_mapping::RowMapping<'a>>,
    pub displayed_format: DisplayedFormat<'a>,
}

impl Planner<'_> {
    /// Returns the sheet with this identity. Fails with [`CommandError::UnknownSheet`].
    pub fn sheet(&self, sheet: u32) -> Result<&Sheet, CommandError> {
        self.workbook.sheet(SheetId(sheet)).ok_or(CommandError::UnknownSheet { sheet })
    }

    /// Returns the sheet that contains an item; `None` stands for the workbook.
    pub fn item_container(&self, sheet: Option<u32>) -> Result<Option<SheetId>, CommandError> {
        sheet.map(|sheet| self.sheet(sheet).map(Sheet::id)).transpose()
    }

    /// Fails with [`CommandError::TooManyCells`] before a large block is built.
    pub fn check_cells(&self, count: u64) -> Result<(), CommandError> {
        let max = self.limits.cells_per_transaction as u64;
        if count > max { Err(CommandError::TooManyCells { count, max }) } else { Ok(()) }
    }

    /// Returns the cell that the content planned for `cell` will be written to.
    pub fn mapped_cell(&self, cell: CellAddress) -> CellAddress {
        self.row_mapping.map_or(cell, |row_mapping| row_mapping.cell(cell))
    }

    /// Returns whether a cell is visible. Series continue visible cells only.
    pub fn is_visible(&self, cell: CellAddress) -> bool {
        self.row_mapping.is_none_or(|row_mapping| row_mapping.is_visible(cell))
    }
}
