//! [`ItemPatch`]: a change of single fields or of the anchors of an item.

use std::collections::BTreeMap;

use quadrille_cell::Range;
use quadrille_workbook::{Field, FieldValue, Item, ItemKind};

/// A change of an item. Fields that are not listed keep their values; `None` clears a field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ItemPatch {
    /// The expected kind. A patch does not apply to an item of another kind.
    pub kind: ItemKind,
    pub anchors: Option<Vec<Range>>,
    pub fields: BTreeMap<Field, Option<FieldValue>>,
}

impl ItemPatch {
    /// Creates an empty patch for items of this kind.
    pub fn new(kind: ItemKind) -> ItemPatch {
        ItemPatch { kind, anchors: None, fields: BTreeMap::new() }
    }

    /// Returns whether the patch changes nothing.
    pub fn is_empty(&self) -> bool {
        self.anchors.is_none() && self.fields.is_empty()
    }

    /// Returns the patched item.
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

    /// Returns the patch that turns the result of [`apply_to`](Self::apply_to) back into `item`.
    pub fn inverse_for(&self, item: &Item) -> ItemPatch {
        let mut fields = BTreeMap::new();
        for field in self.fields.keys() {
            fields.insert(*field, item.fields.get(field).cloned());
        }
        let anchors = self.anchors.as_ref().map(|_| item.anchors.clone());
        ItemPatch { kind: self.kind, anchors, fields }
    }

    /// Returns this patch without the fields and anchors that `other` also sets.
    pub fn without(&self, other: &ItemPatch) -> ItemPatch {
        let mut rest = self.clone();
        if other.anchors.is_some() {
            rest.anchors = None;
        }
        rest.fields.retain(|field, _| !other.fields.contains_key(field));
        rest
    }
}
