//! Tabs.

use std::sync::Arc;

use quadrille_cell::SheetId;
use quadrille_workbook::Sheet;

use super::{Plan, Planner};
use crate::{CommandError, Operation, validate_sheet_name};

impl Planner<'_> {
    pub fn add_sheet(
        &self,
        name: Option<&str>,
        position: Option<u32>,
        new_sheet: &mut dyn FnMut() -> SheetId,
    ) -> Plan {
        let count = self.workbook.sheets().len();
        if count >= self.limits.sheets {
            return Err(CommandError::TooManySheets { max: self.limits.sheets });
        }
        let name = match name {
            Some(name) => self.free_name(name, None)?,
            None => self.first_free_name(),
        };
        let position = position.unwrap_or(count as u32);
        Ok(vec![Operation::AddSheet { sheet: new_sheet(), name, position }])
    }

    pub fn rename_sheet(&self, sheet: &Sheet, name: &str) -> Plan {
        let name = self.free_name(name, Some(sheet.id()))?;
        if name == *sheet.name() {
            return Ok(vec![]);
        }
        Ok(vec![Operation::RenameSheet { sheet: sheet.id(), name }])
    }

    pub fn remove_sheet(&self, sheet: &Sheet) -> Plan {
        if self.workbook.sheets().len() == 1 {
            return Err(CommandError::LastSheet);
        }
        Ok(vec![Operation::RemoveSheet { sheet: sheet.id() }])
    }

    fn free_name(&self, name: &str, own: Option<SheetId>) -> Result<Arc<str>, CommandError> {
        let name = name.trim();
        validate_sheet_name(name, &self.limits)?;
        match self.workbook.sheet_by_name(name) {
            Some(other) if Some(other.id()) != own => {
                Err(CommandError::SheetNameTaken { name: name.to_owned() })
            }
            _ => Ok(Arc::from(name)),
        }
    }

    fn first_free_name(&self) -> Arc<str> {
        (1u32..)
            .map(|number| format!("Sheet{number}"))
            .find(|name| self.workbook.sheet_by_name(name).is_none())
            .expect("there are fewer sheets than numbers")
            .into()
    }
}
