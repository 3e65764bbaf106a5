//! Dependency graph, dirty sets and evaluation.
//!
//! A [`Calculation`] lives beside a workbook. It is told what changed ([`Calculation::inputs_changed`] and its like)
//! and brings the computed values up to date ([`Calculation::evaluate`]), at a cost that follows the change:
//!
//! 1. `graph` keeps the runs of formulas as nodes and each of their references as one compressed entry (`pattern`).
//! 2. `schedule` spreads dirt along those entries, in spans of rows, and orders the runs.
//! 3. `pass` walks the order: runs of plain arithmetic as loops over slices (`program`), others cell by cell
//!    (`evaluator`), and what reads itself in whatever order the cells demand.
//! 4. `results` writes what came out; `spill` remembers where arrays went.
//!
//! [`evaluate_plainly`] does the same without any of this, for tests to compare with.

mod aside;
mod calculation;
mod circles;
mod evaluator;
mod found;
mod graph;
mod hidden;
mod index;
mod interval_index;
mod iterate;
mod lines;
mod lookup_run;
mod memo;
mod narrow;
mod partials;
mod pass;
mod pattern;
mod plain;
mod plan;
mod program;
mod results;
mod running_run;
mod same_everywhere;
mod schedule;
mod spans;
mod spill;
mod strip;
mod evaluation_stack;

pub use calculation::{Calculation, Evaluated};
pub use circles::{CIRCLE_CELLS_MAX, Circle, Iteration};
pub use hidden::{Filter, FilterColumn, Filters, is_subtotal, rows_judged};
pub use plain::{evaluate_plainly, evaluate_plainly_with};
pub use quadrille_functions::{Budget, Cancel, Stamp};
