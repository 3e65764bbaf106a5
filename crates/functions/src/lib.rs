//! The function library: pure, over values and range views.
//!
//! A function sees evaluated [`Operand`]s and a [`CallContext`]; it never sees a workbook, a formula or a clock. Functions
//! that decide which of their arguments are evaluated, or that turn text into references (IF, LET, OFFSET …), are
//! documented here and marked [`Implementation::Evaluator`]; the evaluator carries them out.
//!
//! Where to start: [`Function`] is an entry of the registry, [`Function::call`] runs one. `operand` says how a range is read
//! without copying it, `coerce` and `compare` hold Excel's rules for mixing types, `sum` the one order of summation.

mod arguments;
mod array;
mod budget;
mod cancel;
mod case_folding;
mod cell_info;
mod coerce;
mod compare;
mod context;
mod criteria;
mod date_system;
mod dates;
mod engineering;
mod external_data;
mod file_names;
mod financial;
mod form_widgets;
mod function;
mod google;
mod information;
mod logical;
mod lookup;
mod mathematics;
mod operands;
mod query;
mod registry;
mod sparkline;
mod statistics;
mod sum;
mod text;
mod wildcard;

pub use array::columns::{Code as SortCode, sort_by_codes, sort_codes};
pub use budget::Budget;
pub use cancel::{Cancel, Exhausted};
pub use case_folding::FoldedText;
pub use coerce::{TEXT_LENGTH_MAX, boolean, number, text, text_value};
pub use compare::{compare, compare_numbers, equals, fold_case};
pub use context::{CallContext, EvaluationContext};
pub use criteria::counts_as_number;
pub use date_system::Counting;
pub use file_names::file_prefix;
pub use function::{Category, Function, Implementation, Lifts};
pub use mathematics::power;
pub use operands::{
    Along, CellSequence, Chunk, IndexMatches, Operand, RangeArea, RangeOperand, RangeView, ValueRef,
};
pub use registry::{all, lookup, number_of, numbered};
pub use sum::{LANES, SEGMENT_ROWS, SegmentSum, sum_column, sum_view};
