//! Planning of charts that move to another sheet.

use quadrille_cell::{CellAddress, SheetId};
use quadrille_formula::{Host, relocate};
use quadrille_workbook::{Field, FieldValue, Item, ItemId, ItemKind, Sheet};

use super::items::new_item_id;
use super::names::map_fields;
use crate::plan::planner::{Plan, Planner};
use crate::{CommandError, Operation};

impl Planner<'_> {
    /// Plans the move of a chart to the sheet with the name `to`.
    pub(super) fn move_chart(
        &self,
        from: &Sheet,
        item: u64,
        to: &str,
        own_sheet: bool,
        new_id: &mut dyn FnMut() -> SheetId,
    ) -> Plan {
        let id = ItemId(item);
        let chart = from.items().get(id).filter(|item| item.kind == ItemKind::Chart);
        let chart = chart.ok_or(CommandError::UnknownItem { item })?;
        let target = self.workbook.sheet_by_name(to);
        let to = target.ok_or_else(|| CommandError::UnknownName { name: to.to_owned() })?;
        let mut content = Item::clone(chart);
        map_fields(&mut content.fields, &|at: CellAddress, template| {
            let host = |sheet| Host { sheet, cell: at };
            let template = relocate(template, host(from.id()), host(to.id()));
            Some(FieldValue::Formula { at, template })
        });
        content.fields.remove(&Field::OwnSheet);
        if own_sheet {
            content.fields.insert(Field::OwnSheet, FieldValue::Boolean(true));
        }
        // A copy of a sheet has items with the same identities.
        let new = if to.items().get(id).is_some() { new_item_id(new_id) } else { id };
        let mut plan = self.put_item(Some(to.id()), new, content)?;
        plan.push(Operation::RemoveItem { sheet: Some(from.id()), item: id });
        Ok(plan)
    }
}
