//! Formats of results of operators. The rules are those of LibreOffice;
//! `tests/operation/formula_formats.tsv` compares the results, with the differences of decision 0028.

use quadrille_formula::BinaryOperator;
use quadrille_number_format::NumberFormatKind;

use super::derived::Derived;

/// The format of the result of an operator; the operands are derived when they matter.
pub(super) fn binary(
    operator: BinaryOperator,
    left: impl FnOnce() -> Option<Derived>,
    right: impl FnOnce() -> Option<Derived>,
) -> Option<Derived> {
    let is_currency = |format: &Derived| format.is_currency();
    match operator {
        BinaryOperator::Add => sum(left(), right()),
        BinaryOperator::Subtract => difference(left(), right()),
        // A percentage of a number is a number: `=20%*150` is 30.
        BinaryOperator::Multiply => left().filter(is_currency).or_else(|| right().filter(is_currency)),
        // The ratio of two amounts is a number.
        BinaryOperator::Divide => {
            left().filter(is_currency).filter(|_| right().is_none_or(|right| !right.is_currency()))
        }
        BinaryOperator::Range | BinaryOperator::Union => left().or_else(right),
        BinaryOperator::Intersection => left(),
        BinaryOperator::Power
        | BinaryOperator::Concatenate
        | BinaryOperator::Equal
        | BinaryOperator::NotEqual
        | BinaryOperator::Less
        | BinaryOperator::LessOrEqual
        | BinaryOperator::Greater
        | BinaryOperator::GreaterOrEqual => None,
    }
}

fn sum(left: Option<Derived>, right: Option<Derived>) -> Option<Derived> {
    use NumberFormatKind::{Date, DateAndTime, Time};
    let (Some(left), Some(right)) = (&left, &right) else { return left.or(right) };
    match (left.kind, right.kind) {
        (NumberFormatKind::Currency, _) => Some(left.clone()),
        (_, NumberFormatKind::Currency) => Some(right.clone()),
        (Time, Time) => Some(elapsed(left)),
        (Date, Time) | (Time, Date) => Some(Derived::date_and_time()),
        (DateAndTime, Time) => Some(left.clone()),
        (Time, DateAndTime) => Some(right.clone()),
        // Two dates have no sum.
        (Date | DateAndTime, Date | DateAndTime) => None,
        (Date | DateAndTime | Time, _) => Some(left.clone()),
        (_, Date | DateAndTime | Time) => Some(right.clone()),
        (_, NumberFormatKind::Percent) => Some(right.clone()),
        _ => Some(left.clone()),
    }
}

fn difference(left: Option<Derived>, right: Option<Derived>) -> Option<Derived> {
    use NumberFormatKind::{Date, DateAndTime, Time};
    let is_date = |format: &Derived| matches!(format.kind, Date | DateAndTime | Time);
    match (&left, &right) {
        (Some(left), Some(right)) if right.is_currency() && !left.is_currency() => Some(right.clone()),
        // The time between two times; days between dates are a number.
        (Some(left), Some(right)) => match (left.kind, right.kind) {
            (Time, Time) => Some(elapsed(left)),
            (DateAndTime, DateAndTime) => Some(Derived::new(Time, "[h]:mm:ss")),
            (Date, Time) => Some(Derived::date_and_time()),
            (Date | DateAndTime, Date | DateAndTime) | (Time, Date | DateAndTime) => None,
            (_, Date | DateAndTime | Time) if !left.is_currency() && left.kind != DateAndTime => None,
            (_, NumberFormatKind::Percent) if left.kind == NumberFormatKind::Number => Some(right.clone()),
            _ => Some(left.clone()),
        },
        // A number minus a date is no date.
        (None, Some(right)) if is_date(right) => None,
        _ => left.or(right),
    }
}

/// Times add up to more than a day: hours that do not start again at 24.
pub(super) fn elapsed(time: &Derived) -> Derived {
    let code = match (time.code.contains('['), time.code.contains(['s', 'S'])) {
        (true, _) => return time.clone(),
        (false, true) => "[h]:mm:ss",
        (false, false) => "[h]:mm",
    };
    Derived::new(NumberFormatKind::Time, code)
}
