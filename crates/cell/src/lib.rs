//! The basic types of every other crate: cell addresses, ranges, values and errors.
//!
//! - [`CellAddress`] and [`Range`] are positions within a sheet, with their A1 and R1C1 notation;
//! - [`Value`] is the value of a cell, [`ErrorValue`] one of the errors, [`Array`] a rectangle of
//!   values;
//! - [`StructuralEdit`] is an insertion, deletion or move of rows or columns, and maps positions
//!   across it;
//! - [`radix_sort`] sorts many rows with cancellation, and [`DeferredVec`] frees long lists in
//!   steps; [`stable_sort_by`], [`collect_by_insertion`] and [`SmallMap`] sort and collect short lists
//!   with little code.
//!
//! ```
//! use quadrille_cell::{CellAddress, Range};
//!
//! let range = Range::parse_a1("B2:C3").unwrap();
//! assert!(range.contains(CellAddress::parse_a1("C2").unwrap()));
//! assert_eq!(range.first().row.get(), 1); // indices count from 0
//! ```
//!
//! The crate knows nothing of formulas, storage and time, and uses no other crate, except in browsers
//! for reading numbers. Start reading with `address.rs` and `value.rs`.

mod a1;
mod address;
mod case;
mod collect_by_insertion;
mod date_system;
mod deferred_drop;
mod parse_number;
mod r1c1;
pub mod radix_sort;
mod small_map;
mod stable_sort;
mod structural_edit;
mod value;

pub use a1::{AddressError, parse_column_name};
pub use address::column_name;
pub use address::{COLUMNS_MAX, CellAddress, ColumnIndex, Dimension, ROWS_MAX, Range, RowIndex, SheetId};
pub use case::{lowercase_char, uppercase_char};
pub use collect_by_insertion::collect_by_insertion;
pub use date_system::DateSystem;
pub use deferred_drop::{DeferredVec, free_deferred, set_deferred_drop};
pub use parse_number::parse_number;
pub use r1c1::{parse_r1c1, print_r1c1};
pub use small_map::SmallMap;
pub use stable_sort::{stable_sort_by, stable_sort_by_key, stable_sort_positions};
pub use structural_edit::{EditKind, StructuralEdit};
pub use value::{Array, ErrorValue, Value, canonical_number};
