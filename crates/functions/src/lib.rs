//! The library of spreadsheet functions: pure functions over values and range views.
//!
//! A function receives evaluated [`Operand`]s and a [`CallContext`]. This crate does not know
//! workbooks, formulas or a clock; results depend only on arguments, time and random seed, and are
//! the same bits on all platforms. Functions that control the evaluation of their arguments or
//! create references (IF, LET, OFFSET etc.) are declared here with [`Implementation::Evaluator`]
//! and implemented by the evaluator.
//!
//! - [`Function`] is an entry of the registry; [`lookup()`] finds one by name and
//!   [`Function::call`] calls it.
//! - [`RangeView`] reads the cells of a range without copying them.
//! - [`Budget`] and [`Cancel`] bound the time and memory of an evaluation.
//! - [`number()`], [`text()`], [`boolean()`] and [`compare()`] are Excel's rules for mixed types.
//! - [`SegmentSum`] defines the order of summation.
//!
//! ```
//! use quadrille_cell::{CellAddress, SheetId, Value};
//! use quadrille_functions::{Budget, CallContext, EvaluationContext, Operand, lookup};
//!
//! let mut budget = Budget::UNLIMITED;
//! let host = CellAddress::clamped(0, 0);
//! let mut context = CallContext::new(SheetId(1), host, EvaluationContext::default(), &mut budget);
//! let power = lookup("POWER").expect("POWER is in the library");
//! let result = power.call(&mut context, &[Operand::from(2.0), Operand::from(10.0)]);
//! assert_eq!(result.single(), Some(Value::Number(1024.0)));
//! ```
//!
//! Sources: each function names the documents that describe it ([`Function::source`]); the modules
//! name those of their algorithms. Start reading with `function.rs`, `operands.rs` and
//! `registry.rs`.

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

pub use array::columns::{SortCode, sort_by_codes, sort_codes};
pub use budget::Budget;
pub use cancel::{Cancel, Exhausted};
pub use case_folding::FoldedText;
pub use coerce::{TEXT_LENGTH_MAX, boolean, number, text, text_value};
pub use compare::{compare, compare_numbers, equals, fold_case};
pub use context::{CallContext, EvaluationContext};
pub use criteria::counts_as_number;
pub use date_system::DateSystemScope;
pub use file_names::file_prefix;
pub use function::{Category, Function, Implementation, Lifts};
pub use mathematics::power;
pub use operands::{
    CellSequence, Chunk, IndexMatches, Operand, RangeArea, RangeOperand, RangeView, RowOrColumn, ValueRef,
};
pub use registry::{all, function_at, function_index, lookup};
pub use sum::{LANES, SEGMENT_ROWS, SegmentSum, sum_column, sum_view};
