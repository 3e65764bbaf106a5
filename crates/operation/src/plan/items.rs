//! Planning of commands on items.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_cell::{Range, SheetId};
use quadrille_workbook::{Field, FieldValue, Item, ItemId, ItemKind, Items};

use crate::item::{Reading, host_of, item_from_json, patch_from_json};
use crate::plan::filter_growth::extended_filter;
use crate::plan::planner::{Plan, Planner};
use crate::rebase::is_same_name;
use crate::{CommandError, ItemPatch, ItemValue, Operation, OperationError, validate_name};

/// The change of an item that a command requests.
#[derive(Clone, Copy)]
pub struct Change<'a> {
    pub kind: Option<&'a str>,
    pub anchors: Option<&'a [String]>,
    pub fields: &'a BTreeMap<String, ItemValue>,
}

impl Planner<'_> {
    /// Plans the creation or change of an item.
    pub fn set_item(
        &self,
        sheet: Option<SheetId>,
        item: Option<u64>,
        change: Change<'_>,
        new_id: &mut dyn FnMut() -> SheetId,
    ) -> Plan {
        let named = change.kind.map(|kind| {
            let unknown = || CommandError::UnknownKind { kind: kind.chars().take(40).collect() };
            ItemKind::from_name(kind).ok_or_else(unknown)
        });
        let named = named.transpose()?;
        let anchors = match change.anchors {
            Some(anchors) => {
                Some(anchors.iter().map(|anchor| Range::parse_a1(anchor)).collect::<Result<Vec<_>, _>>()?)
            }
            None => None,
        };
        let id = item.map_or_else(|| new_item_id(new_id), ItemId);
        let items = self.workbook.items_of(sheet);
        let current = items.and_then(|items| items.get(id));
        let settings = match (id == ItemId::SETTINGS, sheet) {
            (true, Some(_)) => Some(ItemKind::SheetSettings),
            (true, None) => Some(ItemKind::WorkbookSettings),
            (false, _) => None,
        };
        let kind = current.map(|item| item.kind).or(settings).or(named);
        let Some(kind) = kind else {
            return Err(match item {
                Some(item) => CommandError::UnknownItem { item },
                None => CommandError::UnknownKind { kind: String::new() },
            });
        };
        if kind.is_imported() {
            return Err(CommandError::ImportedData);
        }
        let current_anchors = current.map_or(&[][..], |item| &item.anchors);
        let host = host_of(sheet, anchors.as_deref().unwrap_or(current_anchors));
        let reading = Reading { kind, host, sheets: self.workbook };
        if current.is_some() || settings.is_some() {
            let patch = patch_from_json(change.fields, anchors, reading)?;
            if let Some(Some(FieldValue::Text(name))) = patch.fields.get(&Field::Name) {
                self.check_table_name(kind, id, name)?;
            }
            let extended = self.extended_filter_of(sheet, kind, current.and_then(|item| item.parent()));
            return Ok(extended
                .into_iter()
                .chain([Operation::PatchItem { sheet, item: id, patch }])
                .collect());
        }
        let content = item_from_json(change.fields, anchors.unwrap_or_default(), reading)?;
        if let Some(name) = content.text(Field::Name) {
            self.check_table_name(kind, id, name)?;
        }
        let mut plan: Vec<Operation> =
            self.extended_filter_of(sheet, kind, content.parent()).into_iter().collect();
        plan.extend(self.put_item(sheet, id, content)?);
        Ok(plan)
    }

    /// Extends the filter whose column gets a condition.
    fn extended_filter_of(
        &self,
        sheet: Option<SheetId>,
        kind: ItemKind,
        parent: Option<ItemId>,
    ) -> Option<Operation> {
        match kind {
            ItemKind::FilterColumn => extended_filter(self.workbook.sheet(sheet?)?, parent?),
            _ => None,
        }
    }

    /// Checks the name of a table. Formulas refer to tables by name, so the name must be valid and
    /// unique like a defined name.
    fn check_table_name(&self, kind: ItemKind, id: ItemId, name: &str) -> Result<(), CommandError> {
        if kind != ItemKind::Table {
            return Ok(());
        }
        let tables = self.workbook.sheets().iter().flat_map(|sheet| sheet.items().of_kind(ItemKind::Table));
        let own = tables.filter(|(other, _)| *other == id).find_map(|(_, table)| table.text(Field::Name));
        if own.is_some_and(|own| is_same_name(own, name)) {
            return Ok(());
        }
        validate_name(name, &self.limits)?;
        // The names of a workbook include those of tables.
        let is_taken = self.workbook.name(name).is_some();
        if is_taken {
            return Err(OperationError::BadName { name: name.to_owned(), reason: "is taken" }.into());
        }
        Ok(())
    }

    /// Plans a new item. Items that it would overlap are removed explicitly, so that the
    /// transaction lists all its effects.
    pub fn put_item(&self, sheet: Option<SheetId>, id: ItemId, content: Item) -> Plan {
        let mut plan = Vec::new();
        if let Some(items) = self.workbook.items_of(sheet) {
            if !items.has_capacity_for(id, &content) {
                return Err(CommandError::TooManyItems { max: Items::COUNT_MAX });
            }
            if content.kind.schema().is_exclusive {
                let others = items.of_kind(content.kind).filter(|(other, _)| *other != id);
                plan.extend(
                    others
                        .filter(|(_, other)| other.overlaps(&content))
                        .map(|(item, _)| Operation::RemoveItem { sheet, item }),
                );
            }
        }
        plan.push(Operation::PutItem { sheet, item: id, content: Arc::new(content) });
        Ok(plan)
    }

    /// Plans the removal of an item, of the items that have it as their parent, and of theirs.
    pub fn remove_item(&self, sheet: Option<SheetId>, item: u64) -> Plan {
        let id = ItemId(item);
        let items = self.workbook.items_of(sheet);
        let Some(items) = items.filter(|items| items.get(id).is_some()) else {
            return Err(CommandError::UnknownItem { item });
        };
        if items.get(id).is_some_and(|item| item.kind.is_imported()) {
            return Err(CommandError::ImportedData);
        }
        let is_child = |child: &Item| child.parent() == Some(id);
        // The reactions to the comments of a thread.
        let is_grandchild = |child: &Item| {
            child.parent().and_then(|parent| items.get(parent)).is_some_and(|parent| is_child(parent))
        };
        let is_below = |child: &Item| is_child(child) || is_grandchild(child);
        let children = items.iter().filter(|(other, child)| *other != id && is_below(child));
        let children = children.map(|(child, _)| child);
        Ok(children.chain([id]).map(|item| Operation::RemoveItem { sheet, item }).collect())
    }
}

/// Returns an identity of 53 bits, made of two unique sheet identities of 32 bits.
pub fn new_item_id(new_id: &mut dyn FnMut() -> SheetId) -> ItemId {
    let (high, low) = (u64::from(new_id().0), u64::from(new_id().0));
    ItemId(((high << 21) ^ low) & ItemId::MAX)
}

/// Plans frozen rows and columns.
pub fn freeze(sheet: SheetId, rows: u32, columns: u32) -> Vec<Operation> {
    let count = |count: u32| (count > 0).then_some(FieldValue::Number(f64::from(count)));
    let mut patch = ItemPatch::new(ItemKind::SheetSettings);
    patch.fields.insert(Field::FrozenRows, count(rows));
    patch.fields.insert(Field::FrozenColumns, count(columns));
    vec![Operation::PatchItem { sheet: Some(sheet), item: ItemId::SETTINGS, patch }]
}
