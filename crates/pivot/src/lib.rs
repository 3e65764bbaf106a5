//! Pivot tables: the rows of a range grouped by some of its columns, aggregated, and laid out as
//! cells.
//!
//! A [`Definition`] is read from an item of the workbook. A [`Pivot`] keeps the group of every
//! source row between evaluations, so that an edit costs the rows of the groups it touches and not
//! the whole source. [`Pivot::refresh`] returns an [`Output`], which depends only on definition
//! and source: the same workbook gives the same bits after any sequence of edits.
//!
//! ```text
//! source ─▶ dictionary ─▶ groups ─▶ accumulators ─▶ axis ─▶ layout ─▶ output
//!           a code for     of rows,   one per         order,  lines and
//!           each value     columns    group           totals  labels
//! ```
//!
//! Calculated fields (`calculation.rs`) are formulas over the sums of a group. The caller evaluates
//! them, since the evaluator of formulas is in `calc`.
//!
//! The crate reads workbooks and never writes them; `calc` decides when a pivot table is evaluated
//! and which cells its output fills. Start reading with `definition.rs`, then `pivot.rs` and
//! `layout.rs`.

mod accumulator;
mod axis;
mod calculation;
mod definition;
mod definition_item;
mod dictionary;
mod filter;
mod folding;
mod grouping;
mod groups;
mod hasher;
mod layout;
mod limits;
mod output;
mod own_groups;
mod pivot;
mod shown_as;
mod source;

pub use calculation::Calculation;
pub use definition::{
    Definition, FilterField, Function, GroupField, Grouping, Layout, Operator, ShownAs, Top, ValueField,
};
pub use definition_item::{resolve_source, source_expression};
pub use limits::OUTPUT_CELLS_MAX;
pub use output::{CellRole, Line, LineKind, NumberFormatSource, Output};
pub use own_groups::{OwnGroup, OwnGroups, value_text};
pub use pivot::{Label, Pivot};
