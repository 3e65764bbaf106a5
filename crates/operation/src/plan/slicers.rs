//! Planning of selections in slicers.

use std::collections::BTreeMap;

use quadrille_cell::SheetId;
use quadrille_workbook::{Field, FieldValue, Item, ItemId, ItemKind};

use super::filter_growth::extended_filter;
use crate::plan::items::new_item_id;
use crate::plan::planner::{Plan, Planner};
use crate::slicer::{SlicerFilter, date_text, filters_of, serial, slicer_targets};
use crate::{CommandError, ItemPatch, Operation};

/// Fields of a filter's condition that a selection sets or clears.
const CONDITION_FIELDS: [Field; 14] = [
    Field::Rule,
    Field::Shown,
    Field::ShownDates,
    Field::ShowBlanks,
    Field::Operator,
    Field::Value1,
    Field::Join,
    Field::Operator2,
    Field::Value2,
    Field::Rank,
    Field::Percent,
    Field::Color,
    Field::IconSet,
    Field::IconIndex,
];

/// Less than a second before midnight: the conditions of pivot tables include their limits.
const END_OF_DAY: f64 = 0.999_999;

/// A selection as a command gives it.
#[derive(Clone, Copy)]
pub struct Selection<'a> {
    pub shown: Option<&'a [String]>,
    pub from: Option<&'a str>,
    pub to: Option<&'a str>,
}

/// A selection with its dates as serial numbers.
enum Condition<'a> {
    None,
    Values(&'a [String]),
    Period(f64, f64),
}

impl Planner<'_> {
    /// Plans the conditions of everything that a slicer controls.
    pub fn filter_by_slicer(
        &self,
        sheet: SheetId,
        item: u64,
        view: Option<u64>,
        selection: Selection<'_>,
        new_id: &mut dyn FnMut() -> SheetId,
    ) -> Plan {
        let items = self.workbook.items_of(Some(sheet));
        let slicer = items.and_then(|items| items.get(ItemId(item)));
        let Some(slicer) = slicer.filter(|slicer| slicer.kind == ItemKind::Slicer) else {
            return Err(CommandError::UnknownItem { item });
        };
        let targets = slicer_targets(self.workbook, sheet, slicer, view.map(ItemId));
        let Some(targets) = targets.filter(|targets| !targets.is_empty()) else {
            return Err(CommandError::NothingToFilter);
        };
        let condition = self.condition(selection)?;
        let mut plan = Vec::new();
        if let Some(filter) = &targets.filter {
            plan.extend(self.workbook.sheet(sheet).and_then(|sheet| extended_filter(sheet, filter.filter)));
            plan.extend(self.filter_condition(sheet, filter, &condition, new_id)?);
        }
        for (pivot, index) in &targets.pivot_tables {
            let Some(item) = items.and_then(|items| items.get(*pivot)) else { continue };
            plan.extend(pivot_condition(sheet, (*pivot, item), *index, slicer, &condition));
        }
        Ok(plan)
    }

    fn condition<'a>(&self, selection: Selection<'a>) -> Result<Condition<'a>, CommandError> {
        let serial = |date: &str| {
            let unreadable = || CommandError::BadDate { text: date.chars().take(40).collect() };
            serial(date, self.workbook.date_system()).ok_or_else(unreadable)
        };
        match (selection.shown, selection.from, selection.to) {
            (None, None, None) => Ok(Condition::None),
            (Some(shown), None, None) => Ok(Condition::Values(shown)),
            (None, Some(from), Some(to)) => {
                let (first, last) = (serial(from)?, serial(to)?);
                if first > last { Err(CommandError::BadPeriod) } else { Ok(Condition::Period(first, last)) }
            }
            _ => Err(CommandError::BadPeriod),
        }
    }

    fn filter_condition(
        &self,
        sheet: SheetId,
        filter: &SlicerFilter,
        condition: &Condition<'_>,
        new_id: &mut dyn FnMut() -> SheetId,
    ) -> Plan {
        let mut fields: BTreeMap<Field, FieldValue> = BTreeMap::new();
        match condition {
            Condition::None => {
                let removed = filter.condition.map(|item| Operation::RemoveItem { sheet: Some(sheet), item });
                return Ok(removed.into_iter().collect());
            }
            Condition::Values(shown) => {
                fields.insert(Field::Rule, text("values"));
                fields.extend(shown_fields(shown));
            }
            Condition::Period(first, last) => {
                let dates = self.workbook.date_system();
                fields.insert(Field::Rule, text("condition"));
                fields.insert(Field::Operator, text("greaterOrEqual"));
                fields.insert(Field::Value1, text(&date_text(*first, dates)));
                fields.insert(Field::Join, text("and"));
                fields.insert(Field::Operator2, text("less"));
                fields.insert(Field::Value2, text(&date_text(last + 1.0, dates)));
            }
        }
        match filter.condition {
            Some(item) => {
                let mut patch = ItemPatch::new(ItemKind::FilterColumn);
                patch.fields.extend(CONDITION_FIELDS.iter().map(|field| (*field, fields.remove(field))));
                Ok(vec![Operation::PatchItem { sheet: Some(sheet), item, patch }])
            }
            None => {
                let mut item = Item::new(ItemKind::FilterColumn);
                item.anchors.push(filter.cells);
                item.fields = fields;
                item.fields.insert(Field::Parent, FieldValue::Number(filter.filter.0 as f64));
                self.put_item(Some(sheet), new_item_id(new_id), item)
            }
        }
    }
}

/// The operation that gives a pivot table the condition, unless it has none and needs none.
fn pivot_condition(
    sheet: SheetId,
    (id, pivot): (ItemId, &Item),
    index: Option<usize>,
    slicer: &Item,
    condition: &Condition<'_>,
) -> Option<Operation> {
    let mut filters = filters_of(pivot).to_vec();
    let column = match index.and_then(|index| filters.get(index)) {
        Some(FieldValue::Record(record)) => record.get(&Field::Column),
        _ => slicer.fields.get(&Field::Column),
    };
    let mut record: BTreeMap<Field, FieldValue> = BTreeMap::new();
    record.insert(Field::Column, column?.clone());
    match condition {
        Condition::None => {
            filters.remove(index?);
        }
        Condition::Values(shown) => record.extend(shown_fields(shown)),
        Condition::Period(first, last) => {
            record.insert(Field::Operator, text("between"));
            record.insert(Field::Value1, text(&first.to_string()));
            record.insert(Field::Value2, text(&(last + END_OF_DAY).to_string()));
        }
    }
    match (condition, index.and_then(|index| filters.get_mut(index))) {
        (Condition::None, _) => {}
        (_, Some(filter)) => *filter = FieldValue::Record(record),
        (_, None) => filters.push(FieldValue::Record(record)),
    }
    let mut patch = ItemPatch::new(ItemKind::PivotTable);
    patch.fields.insert(Field::Filters, (!filters.is_empty()).then_some(FieldValue::List(filters)));
    Some(Operation::PatchItem { sheet: Some(sheet), item: id, patch })
}

fn shown_fields(shown: &[String]) -> [(Field, FieldValue); 2] {
    let texts = shown.iter().filter(|text| !text.is_empty()).map(|shown| text(shown));
    [
        (Field::Shown, FieldValue::List(texts.collect())),
        (Field::ShowBlanks, FieldValue::Boolean(shown.iter().any(String::is_empty))),
    ]
}

fn text(text: &str) -> FieldValue {
    FieldValue::Text(text.into())
}
