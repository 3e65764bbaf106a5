//! [`BadItem`]: the reason why an item is invalid.

use quadrille_workbook::Field;
use quadrille_workbook::ItemKind;
use std::fmt;

/// The reason why an item is invalid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadItem {
    pub kind: ItemKind,
    /// The invalid field; `None` if the reason concerns the whole item.
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
