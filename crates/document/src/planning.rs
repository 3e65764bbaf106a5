//! Planning of the commands of people.

use quadrille_cell::SheetId;
use quadrille_formula::FunctionNames;
use quadrille_operation::{
    Command, CommandError, InputContext, Transaction, check_pivot_tables, plan_displayed,
};
use quadrille_workbook::Sheet;

use crate::document::Document;

impl Document {
    /// Plans a command of a person. Copied cells of pivot tables have the formats that they are displayed
    /// with.
    ///
    /// # Errors
    /// Those of [`plan_typed`](quadrille_operation::plan_typed), and of [`check_pivot_tables`].
    pub fn plan(
        &self,
        command: &Command,
        typing: InputContext,
        names: &FunctionNames,
        new_sheet: &mut dyn FnMut() -> SheetId,
    ) -> Result<Transaction, CommandError> {
        let format = |sheet: &Sheet, cell| Some(self.format(sheet, cell).into_owned());
        let planned = plan_displayed(command, self.workbook(), typing, names, &format, new_sheet)?;
        check_pivot_tables(command, &planned, self.workbook())?;
        Ok(planned)
    }
}
