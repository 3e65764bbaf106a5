//! UPPER, LOWER, PROPER, TRIM, CLEAN and character codes. Described in ECMA-376 part 1, 18.17.7,
//! and Excel's help.

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::ValueResult;
use crate::coerce::{integer, text, text_value};
use crate::context::CallContext;
use crate::function::Function;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::scalar("UPPER", "text", "The text in capitals.", upper).examples(&[("=UPPER(\"aé\")", "AÉ")]),
    Function::scalar("LOWER", "text", "The text in small letters.", lower)
        .examples(&[("=LOWER(\"AÉ\")", "aé")]),
    Function::scalar("PROPER", "text", "The text with a capital at the start of each word.", proper)
        .examples(&[("=PROPER(\"2-cent's worth OF it\")", "2-Cent'S Worth Of It")]),
    Function::scalar(
        "TRIM",
        "text",
        "The text without blanks at its ends and with single ones inside.",
        trim,
    )
    .examples(&[("=TRIM(\"  a   b \")", "a b")]),
    Function::scalar("CLEAN", "text", "The text without control characters.", clean)
        .examples(&[("=CLEAN(\"a\"&CHAR(9)&\"b\")", "ab")]),
    Function::scalar("CHAR", "number", "The character with a code from 1 to 255 (Windows-1252).", character)
        .examples(&[("=CHAR(65)", "A"), ("=CHAR(128)", "€"), ("=CHAR(0)", "#VALUE!")]),
    Function::scalar(
        "CODE",
        "text",
        "The code of the first character (Windows-1252); 63 when it has none.",
        code,
    )
    .examples(&[("=CODE(\"A\")", "65"), ("=CODE(\"€\")", "128"), ("=CODE(\"\")", "#VALUE!")]),
    Function::scalar("UNICHAR", "number", "The character with a Unicode number.", unicode_character)
        .examples(&[("=UNICHAR(8364)", "€"), ("=UNICHAR(0)", "#VALUE!")]),
    Function::scalar("UNICODE", "text", "The Unicode number of the first character.", unicode_number)
        .examples(&[("=UNICODE(\"€\")", "8364")]),
];

/// Returns the upper case of a letter if it is a single character; as in Excel, `ß` is unchanged.
fn upper_case(letter: char) -> char {
    quadrille_cell::uppercase_char(letter)
}

fn lower_case(letter: char) -> char {
    quadrille_cell::lowercase_char(letter)
}

fn upper(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    text_value(text(&arguments[0])?.chars().map(upper_case).collect())
}

fn lower(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    text_value(text(&arguments[0])?.chars().map(lower_case).collect())
}

fn proper(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let mut result = String::new();
    let mut in_word = false;
    for character in text(&arguments[0])?.chars() {
        if in_word {
            result.push(lower_case(character));
        } else {
            result.push(upper_case(character));
        }
        in_word = character.is_alphabetic();
    }
    text_value(result)
}

fn trim(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let text = text(&arguments[0])?;
    let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
    text_value(words.join(" "))
}

fn clean(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    text_value(text(&arguments[0])?.chars().filter(|character| *character >= ' ').collect())
}

/// Windows-1252 from 128 to 159; other codes equal Unicode. The five unassigned codes map to the
/// control characters of the same number.
#[rustfmt::skip]
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8D}', 'Ž', '\u{8F}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9D}', 'ž', 'Ÿ',
];

fn character(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let code = integer(&arguments[0])?;
    if !(1..=255).contains(&code) {
        return Err(ErrorValue::Value);
    }
    let character = match code {
        128..=159 => WINDOWS_1252[code as usize - 128],
        _ => char::from(code as u8),
    };
    text_value(character.to_string())
}

fn first_character(value: &Value) -> Result<char, ErrorValue> {
    text(value)?.chars().next().ok_or(ErrorValue::Value)
}

fn code(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let character = first_character(&arguments[0])?;
    let code = match (WINDOWS_1252.iter().position(|other| *other == character), u32::from(character)) {
        (Some(index), _) => 128 + index as u32,
        (None, code @ (0..=127 | 160..=255)) => code,
        _ => u32::from('?'),
    };
    Ok(Value::number(f64::from(code)))
}

fn unicode_character(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let number = integer(&arguments[0])?;
    let character = u32::try_from(number).ok().filter(|number| *number > 0).ok_or(ErrorValue::Value)?;
    match char::from_u32(character) {
        Some(character) => text_value(character.to_string()),
        // Surrogates are not characters.
        None => Err(ErrorValue::NotAvailable),
    }
}

fn unicode_number(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    Ok(Value::number(f64::from(u32::from(first_character(&arguments[0])?))))
}
