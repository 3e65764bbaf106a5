//! Addresses, ranges, values and errors: the words every other crate is written in.
//!
//! This crate knows nothing of formulas, of storage or of time. Start with [`CellAddress`] and [`Value`];
//! [`StructuralEdit`] says how positions move when rows or columns are inserted or deleted.

mod a1;
mod address;
mod case;
mod date_system;
mod long_list;
mod parse_number;
mod r1c1;
pub mod radix_sort;
mod structural_edit;
mod value;

pub use a1::{AddressError, parse_column_name};
pub use address::column_name;
pub use address::{COLUMNS_MAX, CellAddress, ColumnIndex, Dimension, ROWS_MAX, Range, RowIndex, SheetId};
pub use case::{lowercase_char, uppercase_char};
pub use date_system::DateSystem;
pub use long_list::{LongList, defer_drop, give_back};
pub use parse_number::parse_number;
pub use r1c1::{parse_r1c1, print_r1c1};
pub use structural_edit::{EditKind, StructuralEdit};
pub use value::{Array, ErrorValue, Value, canonical_number};
