//! Changes of single fields.

use std::collections::BTreeMap;

use quadrille_cell::Range;
use quadrille_workbook::{Field, FieldValue, Item, ItemKind};

/// What to change of an item. Fields that are not named stay; `None` clears one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ItemPatch {
    /// An item of another kind is left alone.
    pub kind: ItemKind,
    pub anchors: Option<Vec<Range>>,
    pub fields: BTreeMap<Field, Option<FieldValue>>,
}

impl ItemPatch {
    pub fn new(kind: ItemKind) -> ItemPatch {
        ItemPatch { kind, anchors: None, fields: BTreeMap::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.anchors.is_none() && self.fields.is_empty()
    }

    pub fn apply_to(&self, item: &Item) -> Item {
        let mut patched = item.clone();
        if let Some(anchors) = &self.anchors {
            patched.anchors.clone_from(anchors);
        }
        for (field, value) in &self.fields {
            match value {
                Some(value) => patched.fields.insert(*field, value.clone()),
                None => patched.fields.remove(field),
            };
        }
        patched
    }

    /// The patch that makes what [`apply_to`](Self::apply_to) gave into `item` again.
    pub fn inverse_for(&self, item: &Item) -> ItemPatch {
        let mut fields = BTreeMap::new();
        for field in self.fields.keys() {
            fields.insert(*field, item.fields.get(field).cloned());
        }
        let anchors = self.anchors.as_ref().map(|_| item.anchors.clone());
        ItemPatch { kind: self.kind, anchors, fields }
    }

    /// This patch without what `other` sets too.
    pub fn without(&self, other: &ItemPatch) -> ItemPatch {
        let mut rest = self.clone();
        if other.anchors.is_some() {
            rest.anchors = None;
        }
        rest.fields.retain(|field, _| !other.fields.contains_key(field));
        rest
    }
}
