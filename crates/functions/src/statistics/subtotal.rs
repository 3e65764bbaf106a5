//! SUBTOTAL: one of eleven functions, by number.

use quadrille_cell::ErrorValue;

use super::{averages, counting, spread};
use crate::arguments::{Counted, WholeOutcome, collect_numbers, given_integer};
use crate::context::CallContext;
use crate::mathematics::sums::sum_and_count;
use crate::operand::Operand;
use crate::registry::Function;

/// Hidden rows and nested subtotals are not left out yet: views do not know of them.
pub(crate) const FUNCTIONS: &[Function] = &[Function::whole(
    "SUBTOTAL",
    "function_number, range1, [range2], …",
    "Average, count, sum or another of eleven functions, chosen by number.",
    subtotal,
)
.examples(&[
    ("=SUBTOTAL(9,{1,2,3})", "6"),
    ("=SUBTOTAL(101,{1,2,3})", "2"),
    ("=SUBTOTAL(12,{1})", "#VALUE!"),
])];

fn subtotal(context: &mut CallContext, arguments: &[Operand]) -> WholeOutcome {
    let ranges = &arguments[1..];
    let number = given_integer(arguments, 0, 0)?;
    match if number > 100 { number - 100 } else { number } {
        1 => averages::average(context, ranges),
        2 => counting::count(context, ranges),
        3 => counting::count_a(context, ranges),
        4 => averages::max(context, ranges),
        5 => averages::min(context, ranges),
        6 => {
            let numbers = collect_numbers(context, ranges, Counted::Numbers)?;
            Ok(if numbers.is_empty() { 0.0 } else { numbers.iter().product() }.into())
        }
        7 => spread::deviation_sample(context, ranges),
        8 => spread::deviation_all(context, ranges),
        9 => Ok(sum_and_count(context, ranges)?.0.into()),
        10 => spread::variance_sample(context, ranges),
        11 => spread::variance_all(context, ranges),
        _ => Err(ErrorValue::Value),
    }
}
