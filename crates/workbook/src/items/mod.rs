//! Items: everything in a sheet or workbook that is not a cell. All kinds have one representation:
//! anchors, which move with rows and columns as references do, and fields, which change
//! independently of each other.

mod field_types;
mod filter_schema;
mod names;
mod pivot_schema;
mod referenced_range;
mod schema;

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_cell::{CellAddress, Range};
use quadrille_formula::Template;

pub use field_types::{FieldType, Fields, ItemHome, Schema};
pub use names::{Field, ItemKind};
pub use referenced_range::{range_of_reference, without_parentheses};
pub use schema::WORKBOOK_TITLE_MAX;

use crate::Color;
pub use crate::item_id::ItemId;

/// An item: its kind, the ranges it is attached to, and its fields.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    pub kind: ItemKind,
    pub anchors: Vec<Range>,
    pub fields: BTreeMap<Field, FieldValue>,
}

/// The value of a field; its type is given by the schema of the item's kind.
#[derive(Clone, PartialEq, Debug)]
pub enum FieldValue {
    Boolean(bool),
    /// Canonical, as numbers in cells are.
    Number(f64),
    Text(Arc<str>),
    Color(Color),
    /// A formula as it reads in the cell `at`; for other cells its references are relative, as in a
    /// filled range.
    Formula {
        at: CellAddress,
        template: Template,
    },
    List(Vec<FieldValue>),
    Record(BTreeMap<Field, FieldValue>),
}

/// Numbers are canonical: never NaN, and equal numbers have equal bits.
impl Eq for FieldValue {}

impl Item {
    /// Creates an item without anchors and fields.
    pub fn new(kind: ItemKind) -> Item {
        Item { kind, anchors: Vec::new(), fields: BTreeMap::new() }
    }

    /// Whether an anchor of this item intersects an anchor of `other`.
    pub fn overlaps(&self, other: &Item) -> bool {
        self.anchors.iter().any(|anchor| other.anchors.iter().any(|range| anchor.intersects(*range)))
    }

    /// Approximate size in bytes, counted against [`Items::WEIGHT_MAX`].
    pub fn weight(&self) -> usize {
        const ANCHOR: usize = 16;
        ANCHOR * self.anchors.len() + fields_weight(&self.fields)
    }

    /// The value of a boolean field.
    pub fn boolean(&self, field: Field) -> Option<bool> {
        match self.fields.get(&field) {
            Some(FieldValue::Boolean(boolean)) => Some(*boolean),
            _ => None,
        }
    }

    /// The value of a number field.
    pub fn number(&self, field: Field) -> Option<f64> {
        match self.fields.get(&field) {
            Some(FieldValue::Number(number)) => Some(*number),
            _ => None,
        }
    }

    /// The value of a text field.
    pub fn text(&self, field: Field) -> Option<&Arc<str>> {
        match self.fields.get(&field) {
            Some(FieldValue::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The value of a color field.
    pub fn color(&self, field: Field) -> Option<Color> {
        match self.fields.get(&field) {
            Some(FieldValue::Color(color)) => Some(*color),
            _ => None,
        }
    }

    /// The value of a formula field, and the cell that its references are relative to.
    pub fn formula(&self, field: Field) -> Option<(CellAddress, &Template)> {
        match self.fields.get(&field) {
            Some(FieldValue::Formula { at, template }) => Some((*at, template)),
            _ => None,
        }
    }

    /// The item that this item is part of, for example the table of a table column.
    pub fn parent(&self) -> Option<ItemId> {
        self.number(Field::Parent).map(|number| ItemId(number as u64))
    }
}

fn fields_weight(fields: &BTreeMap<Field, FieldValue>) -> usize {
    fields.values().map(value_weight).sum()
}

fn value_weight(value: &FieldValue) -> usize {
    const HEAD: usize = 16;
    HEAD + match value {
        FieldValue::Boolean(_) | FieldValue::Number(_) | FieldValue::Color(_) => 0,
        FieldValue::Text(text) => text.len(),
        // The size of a formula is limited; an estimate suffices.
        FieldValue::Formula { .. } => 256,
        FieldValue::List(values) => values.iter().map(value_weight).sum(),
        FieldValue::Record(fields) => fields_weight(fields),
    }
}

/// The items of a sheet or of the workbook, by id.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Items {
    items: BTreeMap<ItemId, Arc<Item>>,
    weight: usize,
    /// Number of items of each class of `class_of`.
    counts: [usize; 4],
}

impl Items {
    /// Items of a sheet or of the workbook, at most.
    pub const COUNT_MAX: usize = 20_000;
    /// Approximate size of the items in bytes, at most.
    pub const WEIGHT_MAX: usize = 32 << 20;

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Whether there are tables.
    pub fn has_tables(&self) -> bool {
        self.counts[TABLES] > 0
    }

    /// Whether there are protected ranges.
    pub fn has_protection(&self) -> bool {
        self.counts[PROTECTIONS] > 0
    }

    /// Whether there are pivot tables.
    pub fn has_pivot_tables(&self) -> bool {
        self.counts[PIVOT_TABLES] > 0
    }

    /// The chart that the sheet shows instead of its cells: the first one with [`Field::OwnSheet`].
    pub fn own_sheet_chart(&self) -> Option<(ItemId, &Arc<Item>)> {
        // Every change of a workbook asks for it.
        if self.counts[OWN_SHEET_CHARTS] == 0 {
            return None;
        }
        self.iter().find(|(_, item)| class_of(item) == Some(OWN_SHEET_CHARTS))
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// The item with this id.
    pub fn get(&self, id: ItemId) -> Option<&Arc<Item>> {
        self.items.get(&id)
    }

    /// All items in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = (ItemId, &Arc<Item>)> {
        self.items.iter().map(|(id, item)| (*id, item))
    }

    /// The items of a kind, in the order of their ids; takes time proportional to all items.
    pub fn of_kind(&self, kind: ItemKind) -> impl Iterator<Item = (ItemId, &Arc<Item>)> {
        self.iter().filter(move |(_, item)| item.kind == kind)
    }

    /// Whether setting `item` for `id` stays within [`COUNT_MAX`](Items::COUNT_MAX) and
    /// [`WEIGHT_MAX`](Items::WEIGHT_MAX).
    pub fn has_capacity_for(&self, id: ItemId, item: &Item) -> bool {
        let before = self.items.get(&id).map(|before| before.weight());
        let weight = self.weight - before.unwrap_or(0) + item.weight();
        (before.is_some() || self.items.len() < Items::COUNT_MAX) && weight <= Items::WEIGHT_MAX
    }

    /// Sets an item, or removes it if `item` is `None`. Returns the previous item.
    pub fn set(&mut self, id: ItemId, item: Option<Item>) -> Option<Arc<Item>> {
        let before = match item {
            Some(item) => {
                self.weight += item.weight();
                if let Some(class) = class_of(&item) {
                    self.counts[class] += 1;
                }
                self.items.insert(id, Arc::new(item))
            }
            None => self.items.remove(&id),
        };
        if let Some(before) = &before {
            self.weight -= before.weight();
            if let Some(class) = class_of(before) {
                self.counts[class] -= 1;
            }
        }
        before
    }
}

// Classes of items that are counted, because many edits ask whether there are some.
/// Tables and table columns.
const TABLES: usize = 0;
const PROTECTIONS: usize = 1;
const PIVOT_TABLES: usize = 2;
/// Charts with [`Field::OwnSheet`].
const OWN_SHEET_CHARTS: usize = 3;

/// The class that counts an item, if any.
fn class_of(item: &Item) -> Option<usize> {
    Some(match item.kind {
        ItemKind::Table | ItemKind::TableColumn => TABLES,
        ItemKind::ProtectedRange => PROTECTIONS,
        ItemKind::PivotTable => PIVOT_TABLES,
        ItemKind::Chart if item.boolean(Field::OwnSheet) == Some(true) => OWN_SHEET_CHARTS,
        _ => return None,
    })
}
