//! Conversions between text and numbers: VALUE, NUMBERVALUE, TEXT, FIXED, DOLLAR, T. Described in
//! ECMA-376 part 1, 18.17.7, and Excel's help.

use quadrille_cell::{ErrorValue, Value};
use quadrille_number_format::NumberFormat;

use crate::arguments::{ValueResult, boolean_or, integer_or};
use crate::coerce::{number, number_in_text, parse_input, text, text_value};
use crate::context::CallContext;
use crate::date_system::date_system;
use crate::function::Function;
use crate::mathematics::rounding::round_number;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::scalar("VALUE", "text", "The number, date or time that the text reads as.", value).examples(&[
        ("=VALUE(\"1,234.5\")", "1234.5"),
        ("=VALUE(\"12%\")", "0.12"),
        ("=VALUE(\"x\")", "#VALUE!"),
    ]),
    Function::scalar(
        "NUMBERVALUE",
        "text, [decimal_separator], [group_separator]",
        "The number a text holds, with custom separators.",
        number_value,
    )
    .examples(&[("=NUMBERVALUE(\"2.500,27\",\",\",\".\")", "2500.27"), ("=NUMBERVALUE(\"3.5%\")", "0.035")]),
    Function::scalar("TEXT", "value, format", "A value as a number format shows it.", text_function)
        .examples(&[
            ("=TEXT(1234.567,\"#,##0.00\")", "1,234.57"),
            ("=TEXT(0.285,\"0.0%\")", "28.5%"),
            ("=TEXT(45413,\"yyyy-mm-dd\")", "2024-05-01"),
            ("=TEXT(2.675,\"0.00\")", "2.68"),
        ]),
    Function::scalar("FIXED", "number, [decimals], [no_commas]", "A rounded number as text.", fixed)
        .examples(&[
            ("=FIXED(1234.567,1)", "1,234.6"),
            ("=FIXED(1234.567,-1,TRUE)", "1230"),
            ("=FIXED(44.332)", "44.33"),
        ]),
    Function::scalar("DOLLAR", "number, [decimals]", "A rounded amount in dollars as text.", dollar)
        .examples(&[("=DOLLAR(1234.567)", "$1,234.57"), ("=DOLLAR(-1234.567,-2)", "($1,200)")]),
    Function::scalar("T", "value", "The value if it is text, otherwise empty text.", only_text)
        .examples(&[("=T(\"x\")", "x"), ("=T(1)", "")]),
];

/// Maximum number of decimals, as in Excel.
const DECIMALS_MAX: i64 = 127;

fn value(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    match &arguments[0] {
        Value::Boolean(_) => Err(ErrorValue::Value),
        other => number(other).map(Value::number),
    }
}

fn number_value(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let separator = |index: usize, default: char| -> Result<char, ErrorValue> {
        match arguments.get(index) {
            Some(value) => text(value)?.chars().next().ok_or(ErrorValue::Value),
            None => Ok(default),
        }
    };
    let (point, group) = (separator(1, '.')?, separator(2, ',')?);
    let written = text(&arguments[0])?;
    let mut plain = String::new();
    for character in written.chars().filter(|character| *character != ' ') {
        match character {
            _ if character == point => plain.push('.'),
            // A thousands separator after the decimal separator is an error.
            _ if character == group && plain.contains('.') => return Err(ErrorValue::Value),
            _ if character == group => {}
            _ => plain.push(character),
        }
    }
    let percents = plain.bytes().rev().take_while(|byte| *byte == b'%').count();
    plain.truncate(plain.len() - percents);
    if plain.is_empty() {
        return Ok(Value::number(0.0));
    }
    if plain.contains([':', '/'])
        || !plain.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first))
    {
        return Err(ErrorValue::Value);
    }
    let number = number_in_text(&plain).ok_or(ErrorValue::Value)?;
    Ok(Value::number((0..percents).fold(number, |number, _| number / 100.0)))
}

fn text_function(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let code = text(&arguments[1])?;
    let value = match &arguments[0] {
        Value::Error(error) => return Err(*error),
        Value::Blank => Value::number(0.0),
        // Numeric text is formatted as a number.
        Value::Text(text) => match parse_input(text).value {
            Value::Number(number) if !text.starts_with('\'') => Value::number(number),
            _ => Value::Text(text.clone()),
        },
        other => other.clone(),
    };
    if code.is_empty() {
        return text_value(String::new());
    }
    let format = NumberFormat::parse(&code).with_date_system(date_system());
    if !format.is_valid() {
        return Err(ErrorValue::Value);
    }
    text_value(format.try_format(&value).ok_or(ErrorValue::Value)?.text)
}

/// Rounds to `decimals` and formats with or without thousands separators.
fn decimals_text(amount: f64, decimals: i64, has_groups: bool) -> String {
    let rounded = round_number(amount, decimals.max(-400) as i32);
    let mut code = if has_groups { "#,##0" } else { "0" }.to_owned();
    if decimals > 0 {
        code.push('.');
        code.push_str(&"0".repeat(decimals as usize));
    }
    NumberFormat::parse(&code).format(&Value::number(rounded)).text
}

fn fixed(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (amount, decimals) = (number(&arguments[0])?, integer_or(arguments, 1, 2)?);
    let no_commas = boolean_or(arguments, 2, false)?;
    if decimals > DECIMALS_MAX {
        return Err(ErrorValue::Value);
    }
    text_value(decimals_text(amount, decimals, !no_commas))
}

fn dollar(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (amount, decimals) = (number(&arguments[0])?, integer_or(arguments, 1, 2)?);
    if decimals > DECIMALS_MAX {
        return Err(ErrorValue::Value);
    }
    let magnitude = decimals_text(amount.abs(), decimals, true);
    text_value(if amount < 0.0 { format!("(${magnitude})") } else { format!("${magnitude}") })
}

fn only_text(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    match &arguments[0] {
        Value::Text(text) => Ok(Value::Text(text.clone())),
        Value::Error(error) => Err(*error),
        _ => text_value(String::new()),
    }
}
