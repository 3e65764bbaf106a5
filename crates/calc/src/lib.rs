//! Dependency graph, dirty sets and evaluation.
//!
//! A [`Calculation`] lives beside a workbook. It is told what changed ([`Calculation::inputs_changed`] and its like)
//! and brings the computed values up to date ([`Calculation::evaluate`]), at a cost that follows the change:
//!
//! 1. `graph` keeps the runs of formulas as nodes and each of their references as one compressed entry (`pattern`).
//! 2. `schedule` spreads dirty ranges along those entries, in spans of rows, and orders the runs.
//! 3. `pass` walks the order: runs of plain arithmetic as loops over slices (`program`), others cell by cell
//!    (`evaluator`), and what reads itself in whatever order the cells demand.
//! 4. `results` writes what came out; `spill` remembers where arrays went.
//!
//! [`evaluate_plainly`] does the same without any of this, for tests to compare with.

mod affected_ranges;
mod arithmetic_program;
mod calculation;
mod circular_references;
mod compiled_lookup;
mod detached;
mod dynamic_dependencies;
mod evaluation_pass;
mod evaluation_stack;
mod evaluator;
mod formula_batch;
mod graph;
mod hidden_rows;
mod index;
mod interval_index;
mod iterate;
mod lookup_dependents;
mod partial_aggregates;
mod reference_evaluator;
mod reference_pattern;
mod result_cache;
mod result_writer;
mod row_invariant;
mod row_set;
mod running_totals;
mod schedule;
mod spill;
mod template_analysis;

pub use calculation::{Calculation, Evaluated};
pub use circular_references::{CYCLE_CELLS_MAX, CircularReference, Iteration};
pub use hidden_rows::{Filter, FilterColumn, Filters, is_subtotal, rows_in_filter};
pub use quadrille_functions::{Budget, Cancel, EvaluationContext};
pub use reference_evaluator::{evaluate_plainly, evaluate_plainly_with};
