//! Access to aggregate functions by name, for the database functions, SUBTOTAL and AGGREGATE.

use crate::function::Function;
use crate::mathematics::summation;
use crate::statistics::{averages, counting, dispersion, order};

/// Returns the aggregate function with a name.
///
/// # Panics
/// Panics for other names; the names are constants of this crate.
pub(crate) fn aggregate_function(name: &str) -> &'static Function {
    let groups = [
        summation::FUNCTIONS,
        averages::FUNCTIONS,
        counting::FUNCTIONS,
        dispersion::FUNCTIONS,
        order::FUNCTIONS,
    ];
    let mut functions = groups.into_iter().flatten();
    functions.find(|function| function.name == name).expect("the name is one of an aggregate function")
}
