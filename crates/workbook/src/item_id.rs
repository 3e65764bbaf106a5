//! [`ItemId`], which items and the formats of cells have.

/// Id of an item, unique within its sheet or among the items of the workbook. Below 2^53, so that
/// JSON can represent it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ItemId(pub u64);

impl ItemId {
    /// The settings of the sheet or of the workbook; the item is absent until a setting is changed.
    pub const SETTINGS: ItemId = ItemId(0);
    /// Largest id.
    pub const MAX: u64 = (1 << 53) - 1;
}
