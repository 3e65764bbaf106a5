//! The calculation engine: dependency graph, dirty ranges and evaluation under a budget.
//!
//! A [`Calculation`] lives beside a workbook. The caller reports edits
//! ([`Calculation::inputs_changed`] and similar methods) and calls [`Calculation::evaluate`], whose
//! cost follows the size of the change. The crate performs no I/O and knows no clock: time and
//! random seed arrive as an [`EvaluationContext`], cancellation as a [`Cancel`].
//!
//! | question | module |
//! |---|---|
//! | what depends on what | `graph`, `reference_pattern`, `template_analysis`, `formula_batch`, `precedents` |
//! | dynamic dependencies (INDIRECT, OFFSET) | `dynamic_dependencies` |
//! | dirty ranges and evaluation order | `schedule`, `row_set`, `graph_update` |
//! | evaluating runs, columns and cells | `evaluate`, `evaluation_pass`, `arithmetic_program`, `evaluator` |
//! | circular references | `circular_references`, `iterative_calculation`, `evaluation_stack` |
//! | arrays that spill | `spill`, `result_writer` |
//! | lookups | `compiled_lookup`, `index`, `lookup_dependents` |
//! | sums over long columns | `partial_aggregates`, `running_totals`, `result_cache`, `row_invariant` |
//! | SUBTOTAL, AGGREGATE and filters | `hidden_rows`, `hidden_row_changes`, `evaluator/subtotal` |
//! | formulas outside cells | `detached` |
//! | formulas evaluated step by step | `formula_steps` |
//! | MULTIPLE.OPERATIONS | `evaluator/multiple_operations`, `affected_formulas` |
//! | pivot tables | `pivots`, `pivot_changes`, `pivot_evaluation`, the crate `pivot`, `evaluator/pivot_data` |
//!
//! Start with `calculation.rs` and `evaluate.rs`; docs/engine.md states the rules (G1, S1, ...)
//! that tests check. [`evaluate_from_scratch`] is a second, simple evaluator that tests compare
//! with.

mod affected_formulas;
mod affected_ranges;
mod arithmetic;
mod arithmetic_program;
mod calculation;
mod circular_references;
mod compiled_lookup;
mod detached;
mod dynamic_dependencies;
mod evaluate;
mod evaluated;
mod evaluation_pass;
mod evaluation_stack;
mod evaluator;
mod formula_batch;
mod formula_steps;
mod graph;
mod graph_update;
mod hidden_row_changes;
mod hidden_rows;
mod imports;
mod index;
mod interval_index;
mod iterative_calculation;
mod lookup_dependents;
mod partial_aggregates;
mod pivot_changes;
mod pivot_evaluation;
mod pivots;
mod precedents;
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
mod value_access;

pub use calculation::Calculation;
pub use circular_references::{CYCLE_CELLS_MAX, CircularReference, Iteration};
pub use evaluated::Evaluated;
pub use formula_steps::{FORMULA_STEPS_SHOWN_MAX, FormulaStep};
pub use hidden_rows::{Filter, FilterColumn, Filters, is_subtotal, rows_in_filter};
pub use precedents::Dependents;
pub use quadrille_functions::{Budget, Cancel, EvaluationContext};
pub use quadrille_pivot::{
    Label as PivotLabel, NumberFormatSource as PivotNumberFormat, resolve_source as pivot_source,
};
pub use reference_evaluator::{evaluate_from_scratch, evaluate_from_scratch_with};
