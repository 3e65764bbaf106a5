//! [`Planner`]: the workbook, limits and locale that a command is planned for.

use crate::CommandError;
use crate::Limits;
use crate::Operation;
use quadrille_cell::CellAddress;
use quadrille_cell::SheetId;
use quadrille_number_format::Typing;
use quadrille_workbook::Sheet;
use quadrille_workbook::Workbook;

pub type Plan = Result<Vec<Operation>, CommandError>;

pub struct Planner<'a> {
    pub workbook: &'a Workbook,
    pub limits: Limits,
    pub typing: Typing,
    /// What is planned goes into other rows than those that it names.
    pub placing: Option<&'a super::row_selection::RowSelection<'a>>,
}

impl Planner<'_> {
    pub fn sheet(&self, sheet: u32) -> Result<&Sheet, CommandError> {
        self.workbook.sheet(SheetId(sheet)).ok_or(CommandError::UnknownSheet { sheet })
    }

    /// Where items are: a sheet, or with `None` the workbook.
    pub fn home(&self, sheet: Option<u32>) -> Result<Option<SheetId>, CommandError> {
        sheet.map(|sheet| self.sheet(sheet).map(Sheet::id)).transpose()
    }

    /// Fails before a large block is built, not after.
    pub fn check_cells(&self, count: u64) -> Result<(), CommandError> {
        let max = self.limits.cells_per_transaction as u64;
        if count > max { Err(CommandError::TooManyCells { count, max }) } else { Ok(()) }
    }

    /// Where what is planned for a cell goes.
    pub fn placed_at(&self, cell: CellAddress) -> CellAddress {
        self.placing.map_or(cell, |placing| placing.cell(cell))
    }

    /// Nothing goes on from what is hidden.
    pub fn is_visible(&self, cell: CellAddress) -> bool {
        self.placing.is_none_or(|placing| placing.is_visible(cell))
    }
}
