//! Formula text to tokens to tree to text, and templates in relative form.
//!
//! [`parse`] never fails: text that is no formula becomes [`Expression::Invalid`] and prints as it was written.
//! The tree ([`Expression`]) is relative to the cell that hosts it, so the cells of a filled-down column share
//! one [`Template`]. [`rearrange`] rewrites a template when rows or columns come and go, [`split_points`] tells
//! where a run of cells with one template needs several afterwards.
//!
//! This crate knows no values, no functions and no workbook: sheets are known by [`SheetNames`] only. Start with
//! `expression.rs`, then `parser.rs` and `rearrange.rs`. Every tree that [`parse`] returns is within `limits.rs`, so
//! walking it recursively is safe; [`is_within_limits`] checks those that come from elsewhere.

mod area;
mod characters;
mod expression;
mod function_name;
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
mod sheet_spans;
mod structured;
mod token;
mod visit;

pub use area::resolve_area;
pub use expression::{
    Area, BinaryOperator, CellReference, Coordinate, Expression, Host, Reference, SheetReference, Template,
    UnaryOperator, map_names, map_names_to_references,
};
pub use function_name::FunctionName;
pub use limits::{ARGUMENTS_MAX, DEPTH_MAX, HEIGHT_MAX, LENGTH_MAX, NESTING_MAX, is_within_limits};
pub use localized::{Separators, delocalized, localized};
pub use parser::parse;
pub use printer::{print, print_r1c1};
pub use r1c1::{a1_from_r1c1, parse_r1c1};
pub use rearrange::{rearrange, split_points};
pub use relocate::{relocate, retarget};
pub use scoped_names::{name_scope, scoped_name};
pub use sheet_names::SheetNames;
pub use sheet_spans::without_sheet;
pub use structured::{TableRows, optional_parameter, structured_name};
pub use token::{Token, TokenKind, completed, tokens};
pub use visit::{visit, visit_calls, visit_names, visit_references};
