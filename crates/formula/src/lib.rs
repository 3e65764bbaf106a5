//! Formula text to tokens to tree to text, and templates in relative form.

mod expression;

pub use expression::{
    Area, BinaryOperator, CellReference, Coordinate, Expression, Host, Reference, SheetReference, Template,
    UnaryOperator,
};
