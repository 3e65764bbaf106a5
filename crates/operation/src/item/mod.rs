//! Items: patches, validation, JSON and text forms, and how they follow rows, columns and sorts.

mod bad_item;
mod json;
pub(crate) mod notation;
mod patch;
pub(crate) mod relocate;
mod validate;

pub use bad_item::BadItem;
pub use json::{ItemDetails, ItemValue, read_item};
pub(crate) use json::{Reading, host_of, item_from_json, patch_from_json};
pub use patch::ItemPatch;
pub(crate) use validate::{belongs_in, check_item, check_patch};
