//! Planning of commands on sheets.

use std::sync::Arc;

use quadrille_cell::{CellAddress, Dimension, Range, SheetId};
use quadrille_formula::{name_scope, scoped_name};
use quadrille_workbook::{Field, FieldValue, Item, ItemKind, Sheet};

use crate::apply::{capture, names_of_sheet};
use crate::plan::planner::{Plan, Planner};
use crate::{CommandError, Operation, PasteScope, Transaction, apply, validate_sheet_name, without_editors};

impl Planner<'_> {
    /// Plans a new sheet.
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

    /// Plans a new sheet with the values, formats and column widths of a range, without the rows
    /// `excluded_rows`.
    pub fn copy_to_new_sheet(
        &self,
        (from, source): (&Sheet, Range),
        excluded_rows: &[(u32, u32)],
        position: Option<u32>,
        new_sheet: &mut dyn FnMut() -> SheetId,
    ) -> Plan {
        let mut plan = self.add_sheet(None, position, new_sheet)?;
        let mut workbook = self.workbook.clone();
        apply(&mut workbook, &Transaction { operations: plan.clone() });
        let added = plan[0].sheet().and_then(|sheet| workbook.sheet(sheet)).expect("the plan adds it");
        let target = (added, Range::cell(CellAddress::default()));
        for what in [PasteScope::Formats, PasteScope::Values] {
            plan.extend(self.copy_without_excluded_rows(
                (from, source),
                target,
                what,
                excluded_rows,
                new_sheet,
            )?);
        }
        let (left, right) = (source.first().column.get(), source.last().column.get() + 1);
        for (first, count, size) in from.size_runs(Dimension::Columns) {
            let (first, end) = (first.max(left), (first + count).min(right));
            if first < end {
                plan.push(Operation::SetSizes {
                    sheet: added.id(),
                    dimension: Dimension::Columns,
                    first: first - left,
                    count: end - first,
                    size: Some(size),
                });
            }
        }
        Ok(plan)
    }

    /// Plans the renaming of a sheet.
    pub fn rename_sheet(&self, sheet: &Sheet, name: &str) -> Plan {
        let name = self.free_name(name, Some(sheet.id()))?;
        if name == *sheet.name() {
            return Ok(vec![]);
        }
        Ok(vec![Operation::RenameSheet { sheet: sheet.id(), name }])
    }

    /// Plans the removal of a sheet.
    pub fn remove_sheet(&self, sheet: &Sheet) -> Plan {
        if self.workbook.sheets().len() == 1 {
            return Err(CommandError::LastSheet);
        }
        Ok(vec![Operation::RemoveSheet { sheet: sheet.id() }])
    }

    /// Copies a sheet. Items keep their identities, which are unique per sheet only; tables get new
    /// names, and protections lose their editors.
    pub fn duplicate_sheet(
        &self,
        sheet: &Sheet,
        name: Option<&str>,
        new_sheet: &mut dyn FnMut() -> SheetId,
    ) -> Plan {
        let count = self.workbook.sheets().len();
        if count >= self.limits.sheets {
            return Err(CommandError::TooManySheets { max: self.limits.sheets });
        }
        let name = match name {
            Some(name) => self.free_name(name, None)?,
            None => self.name_of_copy(sheet.name()),
        };
        let id = new_sheet();
        let position = self.workbook.position(sheet.id()).map_or(count, |position| position + 1) as u32;
        let mut plan = vec![Operation::AddSheet { sheet: id, name, position }];
        for operation in capture::whole(sheet) {
            plan.push(match operation {
                Operation::SetCells { range, inputs, .. } => Operation::SetCells { sheet: id, range, inputs },
                Operation::FillCells { range, input, .. } => Operation::FillCells { sheet: id, range, input },
                Operation::SetFormat { range, patch, .. } => Operation::SetFormat { sheet: id, range, patch },
                Operation::SetSizes { dimension, first, count, size, .. } => {
                    Operation::SetSizes { sheet: id, dimension, first, count, size }
                }
                Operation::SetHidden { dimension, first, count, is_hidden, .. } => {
                    Operation::SetHidden { sheet: id, dimension, first, count, is_hidden }
                }
                Operation::PutItem { item, content, .. } => {
                    Operation::PutItem { sheet: Some(id), item, content: self.copied(content) }
                }
                other => other,
            });
        }
        for (name, definition) in names_of_sheet(self.workbook, sheet.id()) {
            let local = name_scope(name).map_or(&**name, |(_, local)| local);
            let name = scoped_name(id, local).into();
            plan.push(Operation::DefineName { name, definition: Some(definition.clone()) });
        }
        Ok(plan)
    }

    fn name_of_copy(&self, name: &str) -> Arc<str> {
        // Leaves room for the number within the maximum length.
        let name: String = name.chars().take(self.limits.sheet_name_length - 8).collect();
        (2u32..)
            .map(|number| format!("{name} ({number})"))
            .find(|name| self.workbook.sheet_by_name(name).is_none())
            .expect("there are fewer sheets than numbers")
            .into()
    }

    fn copied(&self, content: Arc<Item>) -> Arc<Item> {
        if let Some(open) = without_editors(&content) {
            return open;
        }
        let Some(name) = content.text(Field::Name).filter(|_| content.kind == ItemKind::Table) else {
            return content;
        };
        let is_free = |name: &String| {
            let mut tables =
                self.workbook.sheets().iter().flat_map(|sheet| sheet.items().of_kind(ItemKind::Table));
            self.workbook.name(name).is_none()
                && !tables.any(|(_, table)| table.text(Field::Name).is_some_and(|taken| **taken == **name))
        };
        let free = (2u32..)
            .map(|number| format!("{name}_{number}"))
            .find(is_free)
            .expect("there are fewer tables than numbers");
        let mut copy = Item::clone(&content);
        copy.fields.insert(Field::Name, FieldValue::Text(free.into()));
        Arc::new(copy)
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
