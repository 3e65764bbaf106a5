//! The formula language: lexer, parser, syntax tree and printer, and templates in relative form.
//!
//! - [`parse`] never fails: text that is not a formula becomes [`Expression::Invalid`] and is
//!   printed as written. [`print()`] is the reverse.
//! - The tree ([`Expression`]) is relative to the cell that contains the formula, so the cells of a
//!   filled-down column share one [`Template`].
//! - [`rearrange()`] adjusts a template when rows or columns are inserted, deleted or moved;
//!   [`split_points`] returns where a run of cells with one template must be split.
//!   [`relocate()`] and [`retarget`] adjust formulas when cells are cut and pasted.
//! - [`tokens`] serves editors; [`localized`] and [`delocalized`] convert separators and
//!   function names.
//!
//! The syntax is that of Excel (ECMA-376 part 1, 18.17, and \[MS-XLSX\] for newer operators).
//!
//! This crate does not know values, functions or workbooks; [`SheetNames`] provides sheet names.
//! Every tree that [`parse`] returns is within the bounds of `limits.rs`, so that recursion over it
//! is safe; [`is_within_limits`] checks other trees. Start reading with `expression.rs`, then
//! `parser.rs` and `rearrange.rs`.

mod area;
mod characters;
mod expression;
mod function_name;
mod function_names;
mod lexer;
mod limits;
mod localized;
mod parser;
mod precedence;
mod printer;
mod r1c1;
mod rearrange;
mod relocate;
mod scoped_names;
mod sheet_names;
mod structured;
mod three_d_references;
mod token;
mod visit;

pub use area::resolve_area;
pub use expression::{
    Area, BinaryOperator, CellReference, Coordinate, Expression, Host, Reference, SheetReference, Template,
    UnaryOperator, map_leaves, map_names, map_names_to_references, map_operands, map_unknown_sheets,
};
pub use function_name::FunctionName;
pub use function_names::FunctionNames;
pub use limits::{ARGUMENTS_MAX, DEPTH_MAX, HEIGHT_MAX, LENGTH_MAX, NESTING_MAX, is_within_limits};
pub use localized::{Separators, delocalized, localized};
pub use parser::parse;
pub use printer::{Notation, print, print_around, print_r1c1};
pub use r1c1::{a1_from_r1c1, parse_r1c1};
pub use rearrange::{rearrange, split_points};
pub use relocate::{relocate, retarget};
pub use scoped_names::{name_scope, scoped_name};
pub use sheet_names::{SheetNames, with_sheet_name};
pub use structured::{
    TableRows, optional_parameter, structured_name, structured_parts, structured_reference_in_file,
};
pub use three_d_references::without_deleted_sheet;
pub use token::{Token, TokenKind, close_parentheses, tokens};
pub use visit::{refers_to_other_workbook, visit, visit_calls, visit_names, visit_references};
