//! Operator precedence as in Excel, shared by parser and printer. Higher values bind tighter.
//!
//! Negation binds tighter than exponentiation: `-2^2` is 4.

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
/// In `@A1:B2` and `@A1:B2 B1:C3` the operator applies to the whole reference.
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
        // `@` applies to all intersections after it, so it binds less tightly.
        Expression::Unary(UnaryOperator::ImplicitIntersection, _) => UNION,
        Expression::Unary(operator, _) => of_unary(*operator),
        Expression::Number(number) if number.is_sign_negative() => SIGN,
        _ => OPERAND,
    }
}

/// Whether a unary operator can be written next to `operand` without parentheses. In `A1:B2#` the
/// `#` would apply to B2 only.
pub(crate) fn allows_bare_operand(operator: UnaryOperator, operand: &Expression) -> bool {
    let is_range = matches!(operand, Expression::Reference(Reference { area: Area::Cells(..), .. }));
    of(operand) >= of_unary(operator) && !(is_range && operator == UnaryOperator::Spill)
}
