//! [`BadItem`]: why an item is refused.

use quadrille_workbook::Field;
use quadrille_workbook::ItemKind;
use std::fmt;

/// Why an item is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadItem {
    pub kind: ItemKind,
    /// The field at fault; `None` when it is the item as a whole.
    pub field: Option<Field>,
    pub reason: String,
}

impl fmt::Display for BadItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.field {
            Some(field) => write!(f, "{} {} {}", self.kind.name(), field.name(), self.reason),
            None => write!(f, "{} {}", self.kind.name(), self.reason),
        }
    }
}
