//! Truth values and decisions.

use crate::registry::Function;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::evaluator("IF", "test, if_true, [if_false]", "One of two values, by a test."),
    Function::evaluator(
        "IFS",
        "test1, value1, [test2], [value2], …",
        "The value after the first test that is true.",
    ),
    Function::evaluator("IFERROR", "value, if_error", "The value, or another one if it is an error."),
    Function::evaluator("IFNA", "value, if_na", "The value, or another one if it is #N/A."),
    Function::evaluator(
        "SWITCH",
        "expression, value1, result1, [value2 or default], [result2], …",
        "The result after the first value that equals the expression.",
    ),
];
