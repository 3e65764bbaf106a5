//! Items: patches, how they follow rows, columns and sorts, what they may hold, and their form as JSON.

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
pub(crate) use validate::{check_item, check_patch, is_at_home};
