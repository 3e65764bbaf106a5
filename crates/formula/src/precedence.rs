//! How strongly operators bind, as in Excel. One table for parser and printer; higher binds tighter.
//!
//! The surprise is that negation binds tighter than the power: `-2^2` is 4.

use crate::{Area, BinaryOperator, Expression, Reference, UnaryOperator};

pub(crate) type Precedence = u8;

pub(crate) const LOWEST: Precedence = 0;
const COMPARISON: Precedence = 1;
const CONCATENATION: Precedence = 2;
const SUM: Precedence = 3;
const PRODUCT: Precedence = 4;
const POWER: Precedence = 5;
pub(crate) const SIGN: Precedence = 6;
pub(crate) const PERCENT: Precedence = 7;
const UNION: Precedence = 8;
pub(crate) const INTERSECTION: Precedence = 9;
/// `@A1:B2` and `@A1:B2 B1:C3` take one value of the whole.
pub(crate) const IMPLICIT_INTERSECTION: Precedence = INTERSECTION;
pub(crate) const RANGE: Precedence = 10;
pub(crate) const POSTFIX: Precedence = 11;
const OPERAND: Precedence = 12;

pub(crate) const fn of_binary(operator: BinaryOperator) -> Precedence {
    match operator {
        BinaryOperator::Equal
        | BinaryOperator::NotEqual
        | BinaryOperator::Less
        | BinaryOperator::LessOrEqual
        | BinaryOperator::Greater
        | BinaryOperator::GreaterOrEqual => COMPARISON,
        BinaryOperator::Concatenate => CONCATENATION,
        BinaryOperator::Add | BinaryOperator::Subtract => SUM,
        BinaryOperator::Multiply | BinaryOperator::Divide => PRODUCT,
        BinaryOperator::Power => POWER,
        BinaryOperator::Union => UNION,
        BinaryOperator::Intersection => INTERSECTION,
        BinaryOperator::Range => RANGE,
    }
}

pub(crate) const fn of_unary(operator: UnaryOperator) -> Precedence {
    match operator {
        UnaryOperator::Minus | UnaryOperator::Plus => SIGN,
        UnaryOperator::Percent => PERCENT,
        UnaryOperator::ImplicitIntersection => IMPLICIT_INTERSECTION,
        UnaryOperator::Spill => POSTFIX,
    }
}

pub(crate) fn of(expression: &Expression) -> Precedence {
    match expression {
        Expression::Binary(operator, ..) => of_binary(*operator),
        // `@` takes all intersections behind it, so it binds less tightly than they do.
        Expression::Unary(UnaryOperator::ImplicitIntersection, _) => UNION,
        Expression::Unary(operator, _) => of_unary(*operator),
        Expression::Number(number) if number.is_sign_negative() => SIGN,
        _ => OPERAND,
    }
}

/// Whether an operator may be written directly before or behind `operand`. In `A1:B2#` the `#` would belong to
/// B2 alone.
pub(crate) fn takes_bare(operator: UnaryOperator, operand: &Expression) -> bool {
    let is_range = matches!(operand, Expression::Reference(Reference { area: Area::Cells(..), .. }));
    of(operand) >= of_unary(operator) && !(is_range && operator == UnaryOperator::Spill)
}
