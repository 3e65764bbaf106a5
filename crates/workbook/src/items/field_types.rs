//! The types of fields, and what the schemas of several kinds of items share.

use super::Field;

/// The properties of a kind of item.
pub struct Schema {
    /// Whether items of this kind belong to a sheet or to the workbook.
    pub home: ItemHome,
    /// Least number of anchors. An item that needs an anchor is removed with its last one.
    pub anchors_min: usize,
    /// Largest number of anchors.
    pub anchors_max: usize,
    /// The item is removed when its anchors contain fewer cells than this.
    pub cells_min: u64,
    /// Whether items of this kind must not overlap; a new item removes the ones it overlaps.
    pub is_exclusive: bool,
    /// Whether an item within one row moves with the row when the row is sorted.
    pub follows_sort: bool,
    pub fields: Fields,
}

/// Where items of a kind are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ItemHome {
    Sheet,
    Workbook,
    /// Item 0 of a sheet, the only item of its kind there.
    SheetSettings,
    /// Item 0 of the workbook.
    WorkbookSettings,
}

/// Fields with their types.
pub type Fields = &'static [(Field, FieldType)];

/// Type of a field's value, with its limits.
#[derive(Clone, Copy, Debug)]
pub enum FieldType {
    Boolean,
    Number {
        min: f64,
        max: f64,
    },
    /// A number without a fractional part.
    Integer {
        min: f64,
        max: f64,
    },
    /// A text with at most this many characters.
    Text(usize),
    /// A text without line breaks and other control characters, with at most this many characters.
    SingleLine(usize),
    /// One of these texts.
    Choice(&'static [&'static str]),
    Color,
    Formula,
    /// Id of another item of the same sheet or of the workbook.
    Item,
    /// At most this many values of one type.
    List(&'static FieldType, usize),
    Record(Fields),
}

use FieldType::*;

/// Texts as long as Excel allows in a cell (32,767) and in a field of a dialog box (255).
pub(super) const LONG: FieldType = Text(32_767);
pub(super) const SHORT: FieldType = Text(255);
pub(super) const ANY: FieldType = Number { min: f64::MIN, max: f64::MAX };

pub(super) const OPERATORS: FieldType = Choice(&[
    "equal",
    "notEqual",
    "greater",
    "greaterOrEqual",
    "less",
    "lessOrEqual",
    "between",
    "notBetween",
    "contains",
    "notContains",
    "beginsWith",
    "endsWith",
]);

/// Schema of an item on a sheet without further properties.
pub(super) const fn on_sheet(anchors_min: usize, anchors_max: usize, fields: Fields) -> Schema {
    Schema {
        home: ItemHome::Sheet,
        anchors_min,
        anchors_max,
        cells_min: 1,
        is_exclusive: false,
        follows_sort: false,
        fields,
    }
}
