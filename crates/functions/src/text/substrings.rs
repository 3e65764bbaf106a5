//! LEN, LEFT, RIGHT, MID, REPLACE, SUBSTITUTE and REPT. Described in ECMA-376 part 1, 18.17.7, and
//! Excel's help.

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::{ValueResult, integer_or};
use crate::coerce::{TEXT_LENGTH_MAX, integer, text, text_value};
use crate::context::CallContext;
use crate::function::Function;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::scalar("LEN", "text", "How many characters there are.", length).examples(&[
        ("=LEN(\"abc\")", "3"),
        ("=LEN(123)", "3"),
        ("=LEN(\"\")", "0"),
    ]),
    Function::scalar("LEFT", "text, [count]", "The first characters.", left).examples(&[
        ("=LEFT(\"abc\",2)", "ab"),
        ("=LEFT(\"abc\")", "a"),
        ("=LEFT(\"abc\",-1)", "#VALUE!"),
    ]),
    Function::scalar("RIGHT", "text, [count]", "The last characters.", right)
        .examples(&[("=RIGHT(\"abc\",2)", "bc"), ("=RIGHT(\"abc\",9)", "abc")]),
    Function::scalar("MID", "text, start, count", "Characters from a place on.", middle).examples(&[
        ("=MID(\"abcdef\",2,3)", "bcd"),
        ("=MID(\"abc\",9,1)", ""),
        ("=MID(\"abc\",0,1)", "#VALUE!"),
    ]),
    Function::scalar(
        "REPLACE",
        "text, start, count, new_text",
        "The text with characters at a place replaced.",
        replace,
    )
    .examples(&[("=REPLACE(\"abcdef\",2,3,\"X\")", "aXef")]),
    Function::scalar(
        "SUBSTITUTE",
        "text, old_text, new_text, [which]",
        "The text with every, or one, occurrence replaced.",
        substitute,
    )
    .examples(&[
        ("=SUBSTITUTE(\"a-b-c\",\"-\",\"+\")", "a+b+c"),
        ("=SUBSTITUTE(\"a-b-c\",\"-\",\"+\",2)", "a-b+c"),
    ]),
    Function::scalar("REPT", "text, times", "The text repeated.", repeat).examples(&[
        ("=REPT(\"ab\",3)", "ababab"),
        ("=REPT(\"ab\",0)", ""),
        ("=REPT(\"ab\",20000)", "#VALUE!"),
    ]),
];

/// Returns the characters from `from` to `to`, exclusive.
pub(crate) fn characters(text: &str, from: usize, to: usize) -> &str {
    if text.is_ascii() {
        let to = to.min(text.len());
        return &text[from.min(to)..to];
    }
    let byte_at = |index: usize| text.char_indices().nth(index).map_or(text.len(), |(at, _)| at);
    let start = byte_at(from);
    &text[start..byte_at(to).max(start)]
}

pub(crate) fn character_count(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().count() }
}

/// Converts a count of characters. Fails with `#VALUE!` for negative ones.
fn count(value: i64) -> Result<usize, ErrorValue> {
    usize::try_from(value).map_err(|_| ErrorValue::Value)
}

/// Converts a one-based position to an index. Fails with `#VALUE!` for positions below one.
pub(crate) fn character_index(value: &Value) -> Result<usize, ErrorValue> {
    match integer(value)? {
        1.. => Ok(integer(value)? as usize - 1),
        _ => Err(ErrorValue::Value),
    }
}

pub(super) fn length(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    Ok(Value::number(character_count(&text(&arguments[0])?) as f64))
}

pub(super) fn left(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (text, count) = (text(&arguments[0])?, count(integer_or(arguments, 1, 1)?)?);
    text_value(characters(&text, 0, count).to_owned())
}

pub(super) fn right(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (text, count) = (text(&arguments[0])?, count(integer_or(arguments, 1, 1)?)?);
    let length = character_count(&text);
    text_value(characters(&text, length.saturating_sub(count), length).to_owned())
}

pub(super) fn middle(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let text = text(&arguments[0])?;
    let (start, count) = (character_index(&arguments[1])?, count(integer(&arguments[2])?)?);
    text_value(characters(&text, start, start.saturating_add(count)).to_owned())
}

pub(super) fn replace(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let old = text(&arguments[0])?;
    let (start, count) = (character_index(&arguments[1])?, count(integer(&arguments[2])?)?);
    let new = text(&arguments[3])?;
    let before = characters(&old, 0, start);
    let after = characters(&old, start.saturating_add(count), usize::MAX);
    text_value(format!("{before}{new}{after}"))
}

fn substitute(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (old_text, old, new) = (text(&arguments[0])?, text(&arguments[1])?, text(&arguments[2])?);
    let which = match arguments.get(3) {
        Some(_) => Some(character_index(&arguments[3])?),
        None => None,
    };
    if old.is_empty() {
        return Ok(Value::Text(old_text));
    }
    match which {
        Some(which) => match old_text.match_indices(&*old).nth(which) {
            Some((at, _)) => text_value(format!("{}{new}{}", &old_text[..at], &old_text[at + old.len()..])),
            None => Ok(Value::Text(old_text)),
        },
        None => {
            let occurrences = old_text.matches(&*old).count();
            let length = old_text.len() + occurrences * new.len();
            // Does not fit a cell even with several bytes per character.
            if length > 8 * TEXT_LENGTH_MAX {
                return Err(ErrorValue::Value);
            }
            text_value(old_text.replace(&*old, &new))
        }
    }
}

fn repeat(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (text, times) = (text(&arguments[0])?, count(integer(&arguments[1])?)?);
    let length = (character_count(&text) as u64).saturating_mul(times as u64);
    if length > TEXT_LENGTH_MAX as u64 {
        return Err(ErrorValue::Value);
    }
    if text.is_empty() {
        return Ok(Value::Text(text));
    }
    text_value(text.repeat(times))
}
