//! FIND, SEARCH and EXACT. Described in ECMA-376 part 1, 18.17.7, and Excel's help.

use quadrille_cell::{ErrorValue, Value};

use super::substrings::{character_count, character_index, characters};
use crate::arguments::ValueResult;
use crate::coerce::text;
use crate::context::CallContext;
use crate::function::Function;
use crate::wildcard::Pattern;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::scalar(
        "FIND",
        "find_text, within_text, [start]",
        "Where a text begins in another; case matters.",
        find,
    )
    .examples(&[
        ("=FIND(\"c\",\"abcabc\")", "3"),
        ("=FIND(\"c\",\"abcabc\",4)", "6"),
        ("=FIND(\"C\",\"abc\")", "#VALUE!"),
    ]),
    Function::scalar(
        "SEARCH",
        "find_text, within_text, [start]",
        "Where a text begins in another; case does not matter, wildcards count.",
        search,
    )
    .examples(&[
        ("=SEARCH(\"C\",\"abc\")", "3"),
        ("=SEARCH(\"b?d\",\"abcd\")", "2"),
        ("=SEARCH(\"x\",\"abc\")", "#VALUE!"),
    ]),
    Function::scalar("EXACT", "text1, text2", "Whether two texts are the same, case included.", exact)
        .examples(&[("=EXACT(\"a\",\"A\")", "FALSE"), ("=EXACT(\"a\",\"a\")", "TRUE")]),
];

/// Returns the zero-based start of a search. Fails with `#VALUE!` after the end of the text.
fn start(arguments: &[Value], within: &str) -> Result<usize, ErrorValue> {
    let start = match arguments.get(2) {
        Some(value) => character_index(value)?,
        None => 0,
    };
    if start > character_count(within) { Err(ErrorValue::Value) } else { Ok(start) }
}

pub(super) fn find(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (pattern, within) = (text(&arguments[0])?, text(&arguments[1])?);
    let start = start(arguments, &within)?;
    let rest = characters(&within, start, usize::MAX);
    let at = rest.find(&*pattern).ok_or(ErrorValue::Value)?;
    Ok(Value::number((start + character_count(&rest[..at]) + 1) as f64))
}

pub(super) fn search(context: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (pattern, within) = (text(&arguments[0])?, text(&arguments[1])?);
    let start = start(arguments, &within)?;
    context.budget.charge((pattern.len() as u64 * within.len() as u64) / 64)?;
    let at = Pattern::new(&pattern).find(&within, start).ok_or(ErrorValue::Value)?;
    Ok(Value::number((at + 1) as f64))
}

fn exact(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    Ok(Value::Boolean(text(&arguments[0])? == text(&arguments[1])?))
}
