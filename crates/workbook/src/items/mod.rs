//! Items: everything a sheet or the workbook holds that is not a cell. One form for all kinds: anchors, which
//! follow rows and columns as references do, and fields, which are changed one by one.

mod names;
mod schema;

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_cell::{CellAddress, Range};
use quadrille_formula::Template;

pub use names::{Field, ItemKind};
pub use schema::{FieldType, Fields, ItemHome, Schema, WORKBOOK_TITLE_MAX};

use crate::Color;

/// Identity of an item within its sheet, or among those of the workbook. Below 2^53, so that JSON holds it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ItemId(pub u64);

impl ItemId {
    /// The settings of the sheet or workbook itself; always there, empty until something is set.
    pub const SETTINGS: ItemId = ItemId(0);
    pub const MAX: u64 = (1 << 53) - 1;
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    pub kind: ItemKind,
    pub anchors: Vec<Range>,
    pub fields: BTreeMap<Field, FieldValue>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum FieldValue {
    Boolean(bool),
    /// Canonical, as in cells.
    Number(f64),
    Text(Arc<str>),
    Color(Color),
    /// As it reads in the cell `at`; for other cells its references are relative, as in a filled range.
    Formula {
        at: CellAddress,
        template: Template,
    },
    List(Vec<FieldValue>),
    Record(BTreeMap<Field, FieldValue>),
}

/// Numbers are canonical: no NaN, and equal ones have equal bits.
impl Eq for FieldValue {}

impl Item {
    pub fn new(kind: ItemKind) -> Item {
        Item { kind, anchors: Vec::new(), fields: BTreeMap::new() }
    }

    pub fn overlaps(&self, other: &Item) -> bool {
        self.anchors.iter().any(|anchor| other.anchors.iter().any(|range| anchor.intersects(*range)))
    }

    /// What it takes of the room that a sheet has for items.
    pub fn weight(&self) -> usize {
        const ANCHOR: usize = 16;
        ANCHOR * self.anchors.len() + fields_weight(&self.fields)
    }

    pub fn boolean(&self, field: Field) -> Option<bool> {
        match self.fields.get(&field) {
            Some(FieldValue::Boolean(boolean)) => Some(*boolean),
            _ => None,
        }
    }

    pub fn number(&self, field: Field) -> Option<f64> {
        match self.fields.get(&field) {
            Some(FieldValue::Number(number)) => Some(*number),
            _ => None,
        }
    }

    pub fn text(&self, field: Field) -> Option<&Arc<str>> {
        match self.fields.get(&field) {
            Some(FieldValue::Text(text)) => Some(text),
            _ => None,
        }
    }

    pub fn color(&self, field: Field) -> Option<Color> {
        match self.fields.get(&field) {
            Some(FieldValue::Color(color)) => Some(*color),
            _ => None,
        }
    }

    pub fn formula(&self, field: Field) -> Option<(CellAddress, &Template)> {
        match self.fields.get(&field) {
            Some(FieldValue::Formula { at, template }) => Some((*at, template)),
            _ => None,
        }
    }

    /// The item that this one belongs to.
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
        // Parts of a formula are bounded; its size need not be exact.
        FieldValue::Formula { .. } => 256,
        FieldValue::List(values) => values.iter().map(value_weight).sum(),
        FieldValue::Record(fields) => fields_weight(fields),
    }
}

/// The items of a sheet or of the workbook, by identity.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Items {
    items: BTreeMap<ItemId, Arc<Item>>,
    weight: usize,
    /// How many are tables or columns of tables.
    tables: usize,
    protections: usize,
}

impl Items {
    /// How many a sheet or the workbook may hold.
    pub const COUNT_MAX: usize = 20_000;
    /// About how many bytes they may take.
    pub const WEIGHT_MAX: usize = 32 << 20;

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub fn has_tables(&self) -> bool {
        self.tables > 0
    }

    pub fn has_protection(&self) -> bool {
        self.protections > 0
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn get(&self, id: ItemId) -> Option<&Arc<Item>> {
        self.items.get(&id)
    }

    /// In the order of their identities.
    pub fn iter(&self) -> impl Iterator<Item = (ItemId, &Arc<Item>)> {
        self.items.iter().map(|(id, item)| (*id, item))
    }

    pub fn of_kind(&self, kind: ItemKind) -> impl Iterator<Item = (ItemId, &Arc<Item>)> {
        self.iter().filter(move |(_, item)| item.kind == kind)
    }

    /// Whether `item` may be put in for `id`.
    pub fn has_room(&self, id: ItemId, item: &Item) -> bool {
        let before = self.items.get(&id).map(|before| before.weight());
        let weight = self.weight - before.unwrap_or(0) + item.weight();
        (before.is_some() || self.items.len() < Items::COUNT_MAX) && weight <= Items::WEIGHT_MAX
    }

    /// Puts an item in, or with `None` takes it out; yields what was there.
    pub fn set(&mut self, id: ItemId, item: Option<Item>) -> Option<Arc<Item>> {
        let is_of_table = |item: &Item| matches!(item.kind, ItemKind::Table | ItemKind::TableColumn);
        let protects = |item: &Item| item.kind == ItemKind::ProtectedRange;
        let before = match item {
            Some(item) => {
                self.weight += item.weight();
                self.tables += usize::from(is_of_table(&item));
                self.protections += usize::from(protects(&item));
                self.items.insert(id, Arc::new(item))
            }
            None => self.items.remove(&id),
        };
        self.weight -= before.as_ref().map_or(0, |before| before.weight());
        self.tables -= before.as_ref().map_or(0, |before| usize::from(is_of_table(before)));
        self.protections -= before.as_ref().map_or(0, |before| usize::from(protects(before)));
        before
    }
}
