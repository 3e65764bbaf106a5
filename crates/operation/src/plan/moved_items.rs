//! Planning of what moves with cut cells besides contents and formats: the items that copies have too
//! (see `copied_items.rs`), comments and images. Formulas of other items, such as charts, follow the
//! moved cells, as formulas of cells do.

use std::sync::Arc;

use quadrille_cell::{CellAddress, Range, SheetId};
use quadrille_formula::{Host, Template, relocate, retarget};
use quadrille_workbook::{Field, FieldValue, Item, ItemId, ItemKind, Items};

use super::copied_items::{PastedCells, is_of_cells, is_rule, is_within, with_formulas_at, with_ranges};
use super::items::new_item_id;
use super::names::{map_fields, value_mapped};
use crate::plan::planner::{Plan, Planner};
use crate::plan::ranges::shifted;
use crate::rebase::name_host;
use crate::{CommandError, ItemPatch, Operation};

/// Whether an item within the cut cells moves with them as a whole.
fn is_moved(item: &Item, source: Range) -> bool {
    let moves = is_of_cells(item)
        || is_rule(item.kind)
        || item.kind.schema().follows_sort
        || item.kind == ItemKind::PivotTable;
    moves && is_within(item, source)
}

impl Planner<'_> {
    /// Plans the items of cells that are cut and pasted.
    ///
    /// # Errors
    /// [`CommandError::TooManyItems`] when the other sheet, or a rule, would get too many.
    pub(super) fn move_items(&self, moved: PastedCells<'_>, new_id: &mut dyn FnMut() -> SheetId) -> Plan {
        let PastedCells { from, source, to, target } = moved;
        let is_same_sheet = from.id() == to.id();
        let mut plan = Vec::new();
        for (item, content) in to.items().iter().filter(|(_, content)| is_of_cells(content)) {
            let is_replaced = match content.kind {
                ItemKind::Merge => content.anchors.iter().any(|anchor| anchor.intersects(target)),
                _ => is_within(content, target),
            };
            if is_replaced && !(is_same_sheet && is_moved(content, source)) {
                plan.push(Operation::RemoveItem { sheet: Some(to.id()), item });
            }
        }
        let mut placed = Vec::new();
        for (item, content) in from.items().iter() {
            match is_moved(content, source) {
                true => moved.move_item(item, content, (&mut plan, &mut placed), new_id),
                false if is_rule(content.kind) => {
                    plan.extend(moved.move_part_of_rule(item, content, new_id)?);
                }
                false => {}
            }
        }
        if !is_same_sheet {
            for (item, rule) in to.items().iter().filter(|(_, rule)| is_rule(rule.kind)) {
                plan.extend(with_ranges(Some(to.id()), item, rule, &[target], Vec::new())?);
            }
            if to.items().len() + placed.len() > Items::COUNT_MAX {
                return Err(CommandError::TooManyItems { max: Items::COUNT_MAX });
            }
        }
        // After all removals, because merged cells must not overlap.
        plan.extend(placed);
        plan.extend(self.retarget_items(moved));
        Ok(plan)
    }

    /// Lets the formulas of the items that do not move follow the moved cells.
    fn retarget_items(&self, moved: PastedCells<'_>) -> Vec<Operation> {
        let mut plan = Vec::new();
        let homes = self.workbook.sheets().iter().map(|sheet| Some(sheet.id())).chain([None]);
        for sheet in homes {
            let items = self.workbook.items_of(sheet).into_iter().flat_map(Items::iter);
            for (item, content) in items {
                if sheet == Some(moved.from.id()) && is_moved(content, moved.source) {
                    continue;
                }
                let mut patch = ItemPatch::new(content.kind);
                for (field, value) in &content.fields {
                    let retargeted = &|at: CellAddress, template: &_| {
                        let host = Host { sheet: sheet.unwrap_or(name_host().sheet), cell: at };
                        Some(FieldValue::Formula { at, template: moved.retarget(template, host)? })
                    };
                    if let Some(value) = value_mapped(value, retargeted) {
                        patch.fields.insert(*field, Some(value));
                    }
                }
                if !patch.is_empty() {
                    plan.push(Operation::PatchItem { sheet, item, patch });
                }
            }
        }
        plan
    }
}

impl PastedCells<'_> {
    /// Moves an item with its formulas. Operations that place it again are added to `placed`, because they follow all
    /// removals.
    fn move_item(
        self,
        item: ItemId,
        content: &Item,
        (plan, placed): (&mut Vec<Operation>, &mut Vec<Operation>),
        new_id: &mut dyn FnMut() -> SheetId,
    ) {
        let (old, new) = (Some(self.from.id()), Some(self.to.id()));
        let mut after = content.clone();
        let to = |range: Range| shifted(range, self.source.first(), self.target.first());
        after.anchors = content.anchors.iter().filter_map(|anchor| to(*anchor)).collect();
        map_fields(&mut after.fields, &|at: CellAddress, template: &_| {
            let place = to(Range::cell(at)).map_or(self.target.first(), Range::first);
            let before = Host { sheet: self.from.id(), cell: at };
            let host = Host { sheet: self.to.id(), cell: place };
            let template = relocate(template, before, host);
            let template = self.retarget(&template, host).unwrap_or(template);
            Some(FieldValue::Formula { at: place, template })
        });
        if old == new && content.kind != ItemKind::Merge {
            let changed =
                after.fields.iter().filter(|(field, value)| content.fields.get(field) != Some(value));
            let fields = quadrille_cell::collect_by_insertion(
                changed.map(|(field, value)| (*field, Some(value.clone()))),
            );
            let patch = ItemPatch { kind: content.kind, anchors: Some(after.anchors), fields };
            plan.push(Operation::PatchItem { sheet: old, item, patch });
            return;
        }
        plan.push(Operation::RemoveItem { sheet: old, item });
        let id = if old == new { item } else { new_item_id(new_id) };
        placed.push(Operation::PutItem { sheet: new, item: id, content: Arc::new(after) });
        if old != new {
            // Two levels: the comments of a thread, and the reactions to them.
            let mut parents = vec![(item, id)];
            for _ in 0..2 {
                let mut children = Vec::new();
                for (part, content) in self.from.items().iter() {
                    let Some((_, parent)) =
                        parents.iter().find(|(parent, _)| content.parent() == Some(*parent))
                    else {
                        continue;
                    };
                    let id = new_item_id(new_id);
                    children.push((part, id));
                    plan.push(Operation::RemoveItem { sheet: old, item: part });
                    let mut content = Item::clone(content);
                    content.fields.insert(Field::Parent, FieldValue::Number(parent.0 as f64));
                    placed.push(Operation::PutItem { sheet: new, item: id, content: Arc::new(content) });
                }
                parents = children;
            }
        }
    }

    /// Moves the ranges of a rule that are among the cut cells.
    fn move_part_of_rule(self, item: ItemId, rule: &Item, new_id: &mut dyn FnMut() -> SheetId) -> Plan {
        let PastedCells { from, source, to, target } = self;
        let parts = rule.anchors.iter().filter_map(|anchor| anchor.intersection(source));
        let parts: Vec<Range> =
            parts.filter_map(|part| shifted(part, source.first(), target.first())).collect();
        if from.id() == to.id() {
            let changed = with_ranges(Some(from.id()), item, rule, &[source, target], parts)?;
            return Ok(changed.into_iter().collect());
        }
        let mut plan: Vec<_> =
            with_ranges(Some(from.id()), item, rule, &[source], Vec::new())?.into_iter().collect();
        if !parts.is_empty() {
            let content = with_formulas_at(rule, source.first(), target.first());
            let content = Arc::new(Item { anchors: parts, ..content });
            plan.push(Operation::PutItem { sheet: Some(to.id()), item: new_item_id(new_id), content });
        }
        Ok(plan)
    }

    /// The formula with references to the moved cells; `None` when it has none.
    fn retarget(&self, template: &Template, host: Host) -> Option<Template> {
        let (from, to) = ((self.from.id(), self.source), (self.to.id(), self.target.first()));
        retarget(template, host, from, to)
    }
}
