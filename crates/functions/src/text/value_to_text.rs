//! VALUETOTEXT, ARRAYTOTEXT, ENCODEURL (Excel's help), and JOIN and SPLIT (Google Sheets' help).

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::{
    OperandResult, array_operand, charge_view, integer_or, optional_boolean, optional_integer, optional_text,
    values_by_row, view,
};
use crate::coerce::{TEXT_LENGTH_MAX, number_in_text, text, text_value};
use crate::context::CallContext;
use crate::function::Function;
use crate::operands::Operand;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::scalar(
        "VALUETOTEXT",
        "value, [strict]",
        "A value as text; strict (1) with the quotes of a formula.",
        |_, arguments| {
            let is_strict = strictness(integer_or(arguments, 1, 0)?)?;
            text_value(value_text(&arguments[0], is_strict))
        },
    )
    .excel_only()
    .examples(&[
        ("=VALUETOTEXT(\"Hello\",1)", "\"Hello\""),
        ("=VALUETOTEXT(1234.5)", "1234.5"),
        ("=VALUETOTEXT(#N/A)", "#N/A"),
    ]),
    Function::whole(
        "ARRAYTOTEXT",
        "array, [strict]",
        "An array as text; strict (1) as a formula would write it.",
        array_to_text,
    )
    .excel_only()
    .examples(&[
        ("=ARRAYTOTEXT({1,\"a\";TRUE,2})", "1, a, TRUE, 2"),
        ("=ARRAYTOTEXT({1,\"a\";TRUE,2},1)", "{1,\"a\";TRUE,2}"),
    ]),
    Function::scalar("ENCODEURL", "text", "A text as part of a web address.", |context, arguments| {
        let text = text(&arguments[0])?;
        context.budget.charge(text.len() as u64)?;
        let mut encoded = String::with_capacity(text.len());
        for byte in text.bytes() {
            match byte {
                b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                    encoded.push(byte as char)
                }
                _ => encoded.push_str(&format!("%{byte:02X}")),
            }
        }
        text_value(encoded)
    })
    .excel_only()
    .examples(&[("=ENCODEURL(\"a b/ü?\")", "a%20b%2F%C3%BC%3F")]),
    Function::whole("JOIN", "delimiter, value1, [value2], …", "Joins values with a delimiter.", join)
        .described_in("Google Sheets")
        .examples(&[("=JOIN(\"-\",{1,2},\"x\")", "1-2-x")]),
    Function::whole(
        "SPLIT",
        "text, delimiter, [by_each_character], [remove_empty]",
        "A text split at a delimiter, or at each of its characters, into a row.",
        split,
    )
    .lifts(&[0])
    .described_in("Google Sheets")
    .examples(&[
        ("=SUM(SPLIT(\"1,2;3\",\",;\"))", "6"),
        ("=COLUMNS(SPLIT(\"a, b\",\", \",FALSE))", "2"),
        ("=COLUMNS(SPLIT(\"a,,b\",\",\",TRUE,FALSE))", "3"),
        ("=SPLIT(\"a\",\"\")", "#VALUE!"),
    ]),
];

fn strictness(number: i64) -> Result<bool, ErrorValue> {
    if (0..=1).contains(&number) { Ok(number == 1) } else { Err(ErrorValue::Value) }
}

fn value_text(value: &Value, is_strict: bool) -> String {
    match value {
        Value::Text(text) if is_strict => format!("\"{}\"", text.replace('"', "\"\"")),
        Value::Error(error) => error.text().to_owned(),
        _ => text(value).map(|text| text.to_string()).unwrap_or_default(),
    }
}

fn array_to_text(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let view = view(&arguments[0])?;
    charge_view(context, view)?;
    let is_strict = strictness(optional_integer(arguments, 1, 0)?)?;
    let mut joined = String::new();
    for row in 0..view.rows() {
        for column in 0..view.columns() {
            joined.push_str(match (row, column, is_strict) {
                (0, 0, _) => "",
                (_, 0, true) => ";",
                (_, _, true) => ",",
                (_, _, false) => ", ",
            });
            context.work(8)?;
            joined.push_str(&value_text(&view.value(row, column), is_strict));
            // A UTF-16 code unit corresponds to at most three bytes.
            if joined.len() > 3 * TEXT_LENGTH_MAX {
                return Err(ErrorValue::Value);
            }
        }
    }
    text_value(if is_strict { format!("{{{joined}}}") } else { joined }).map(Operand::Value)
}

fn join(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let delimiter = optional_text(arguments, 0, "")?;
    let mut joined = String::new();
    let mut is_first = true;
    for argument in &arguments[1..] {
        for value in values_by_row(context, argument)? {
            if !is_first {
                joined.push_str(&delimiter);
            }
            is_first = false;
            joined.push_str(&text(&value)?);
            if joined.len() > 3 * TEXT_LENGTH_MAX {
                return Err(ErrorValue::Value);
            }
        }
    }
    text_value(joined).map(Operand::Value)
}

fn split(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let (text, delimiter) = (optional_text(arguments, 0, "")?, optional_text(arguments, 1, "")?);
    let (by_each, remove_empty) =
        (optional_boolean(arguments, 2, true)?, optional_boolean(arguments, 3, true)?);
    if delimiter.is_empty() || text.is_empty() {
        return Err(ErrorValue::Value);
    }
    context.budget.charge(text.len() as u64)?;
    let pieces: Vec<&str> = match by_each {
        true => text.split(|character| delimiter.contains(character)).collect(),
        false => text.split(&*delimiter).collect(),
    };
    let pieces = pieces.into_iter().filter(|piece| !remove_empty || !piece.is_empty());
    let values: Vec<Value> =
        pieces.map(|piece| number_in_text(piece).map_or_else(|| Value::text(piece), Value::number)).collect();
    context.budget.charge_cells(values.len() as u64)?;
    array_operand(1, values.len() as u32, values)
}
