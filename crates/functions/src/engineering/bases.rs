//! Numeral systems: BIN2DEC and related functions (ten digits in two's complement), BASE, DECIMAL,
//! ROMAN and ARABIC. Described in ECMA-376 part 1, 18.17.7, and Excel's help.

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::{ValueResult, integer_or};
use crate::coerce::{integer, number, text};
use crate::context::CallContext;
use crate::function::Function;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::scalar("BIN2DEC", "number", "The value of a binary number.", |_, arguments| {
        Ok(Value::number(read(&arguments[0], BINARY)? as f64))
    })
    .examples(&[("=BIN2DEC(1100100)", "100"), ("=BIN2DEC(1111111111)", "-1"), ("=BIN2DEC(2)", "#NUM!")]),
    Function::scalar("BIN2OCT", "number, [digits]", "A binary number in octal.", |_, arguments| {
        convert(arguments, BINARY, OCTAL)
    })
    .examples(&[("=BIN2OCT(1001,3)", "011"), ("=BIN2OCT(1111111111)", "7777777777")]),
    Function::scalar("BIN2HEX", "number, [digits]", "A binary number in hexadecimal.", |_, arguments| {
        convert(arguments, BINARY, HEXADECIMAL)
    })
    .examples(&[("=BIN2HEX(11111011,4)", "00FB"), ("=BIN2HEX(1111111111)", "FFFFFFFFFF")]),
    Function::scalar("OCT2DEC", "number", "The value of an octal number.", |_, arguments| {
        Ok(Value::number(read(&arguments[0], OCTAL)? as f64))
    })
    .examples(&[("=OCT2DEC(54)", "44"), ("=OCT2DEC(7777777533)", "-165")]),
    Function::scalar("OCT2BIN", "number, [digits]", "An octal number in binary.", |_, arguments| {
        convert(arguments, OCTAL, BINARY)
    })
    .examples(&[("=OCT2BIN(3,3)", "011"), ("=OCT2BIN(7777777000)", "1000000000")]),
    Function::scalar("OCT2HEX", "number, [digits]", "An octal number in hexadecimal.", |_, arguments| {
        convert(arguments, OCTAL, HEXADECIMAL)
    })
    .examples(&[("=OCT2HEX(100,4)", "0040"), ("=OCT2HEX(7777777533)", "FFFFFFFF5B")]),
    Function::scalar("HEX2DEC", "number", "The value of a hexadecimal number.", |_, arguments| {
        Ok(Value::number(read(&arguments[0], HEXADECIMAL)? as f64))
    })
    .examples(&[("=HEX2DEC(\"A5\")", "165"), ("=HEX2DEC(\"FFFFFFFF5B\")", "-165")]),
    Function::scalar("HEX2BIN", "number, [digits]", "A hexadecimal number in binary.", |_, arguments| {
        convert(arguments, HEXADECIMAL, BINARY)
    })
    .examples(&[("=HEX2BIN(\"F\",8)", "00001111"), ("=HEX2BIN(\"FFF\")", "#NUM!")]),
    Function::scalar("HEX2OCT", "number, [digits]", "A hexadecimal number in octal.", |_, arguments| {
        convert(arguments, HEXADECIMAL, OCTAL)
    })
    .examples(&[("=HEX2OCT(\"F\",3)", "017"), ("=HEX2OCT(\"3B4E\")", "35516")]),
    Function::scalar(
        "DEC2BIN",
        "number, [digits]",
        "A number in binary, from -512 to 511.",
        |_, arguments| write(integer(&arguments[0])?, BINARY, arguments),
    )
    .examples(&[("=DEC2BIN(9,4)", "1001"), ("=DEC2BIN(-100)", "1110011100"), ("=DEC2BIN(512)", "#NUM!")]),
    Function::scalar("DEC2OCT", "number, [digits]", "A number in octal.", |_, arguments| {
        write(integer(&arguments[0])?, OCTAL, arguments)
    })
    .examples(&[("=DEC2OCT(58,3)", "072"), ("=DEC2OCT(-100)", "7777777634")]),
    Function::scalar("DEC2HEX", "number, [digits]", "A number in hexadecimal.", |_, arguments| {
        write(integer(&arguments[0])?, HEXADECIMAL, arguments)
    })
    .examples(&[
        ("=DEC2HEX(100,4)", "0064"),
        ("=DEC2HEX(-54)", "FFFFFFFFCA"),
        ("=DEC2HEX(64,1)", "#NUM!"),
    ]),
    Function::scalar("BASE", "number, radix, [digits]", "A number in any base from 2 to 36.", base)
        .examples(&[("=BASE(7,2)", "111"), ("=BASE(15,2,10)", "0000001111"), ("=BASE(-1,2)", "#NUM!")]),
    Function::scalar("DECIMAL", "text, radix", "The value of a number in any base from 2 to 36.", decimal)
        .examples(&[
            ("=DECIMAL(\"FF\",16)", "255"),
            ("=DECIMAL(\"zap\",36)", "45745"),
            ("=DECIMAL(2,2)", "#NUM!"),
        ]),
    Function::scalar(
        "ROMAN",
        "number, [form]",
        "A number in Roman digits, in forms 0 to 4 ever shorter.",
        roman,
    )
    .examples(&[("=ROMAN(499)", "CDXCIX"), ("=ROMAN(499,2)", "XDIX"), ("=ROMAN(4000)", "#VALUE!")]),
    Function::scalar("ARABIC", "text", "The value of a number in Roman digits.", arabic).examples(&[
        ("=ARABIC(\"LVII\")", "57"),
        ("=ARABIC(\"-mcmxii\")", "-1912"),
        ("=ARABIC(\"A\")", "#VALUE!"),
    ]),
];

/// A numeral system in which ten digits represent a number in two's complement.
#[derive(Clone, Copy)]
struct System {
    radix: u32,
    /// Bits of ten digits.
    bits: u32,
}

const BINARY: System = System { radix: 2, bits: 10 };
const OCTAL: System = System { radix: 8, bits: 30 };
const HEXADECIMAL: System = System { radix: 16, bits: 40 };
const DIGITS_MAX: usize = 10;

fn read(value: &Value, system: System) -> Result<i64, ErrorValue> {
    if matches!(value, Value::Boolean(_)) {
        return Err(ErrorValue::Value);
    }
    let digits = text(value)?;
    if digits.is_empty() {
        return Ok(0);
    }
    let has_digits = digits.len() <= DIGITS_MAX && digits.chars().all(|digit| digit.is_digit(system.radix));
    if !has_digits {
        return Err(ErrorValue::Number);
    }
    let number = i64::from_str_radix(&digits, system.radix).map_err(|_| ErrorValue::Number)?;
    Ok(if number >> (system.bits - 1) == 0 { number } else { number - (1 << system.bits) })
}

/// Formats a number; the second argument is the minimum number of digits.
fn write(number: i64, system: System, arguments: &[Value]) -> ValueResult {
    let limit = 1i64 << (system.bits - 1);
    if !(-limit..limit).contains(&number) {
        return Err(ErrorValue::Number);
    }
    let width = integer_or(arguments, 1, 1)?;
    if !(1..=DIGITS_MAX as i64).contains(&width) {
        return Err(ErrorValue::Number);
    }
    if number < 0 {
        return Ok(Value::text(digits((number + 2 * limit) as u64, system.radix)));
    }
    padded(digits(number as u64, system.radix), width as usize, arguments.len() > 1)
}

fn padded(digits: String, width: usize, is_limit: bool) -> ValueResult {
    if is_limit && digits.len() > width {
        return Err(ErrorValue::Number);
    }
    Ok(Value::text(format!("{digits:0>width$}")))
}

fn digits(number: u64, radix: u32) -> String {
    let mut reversed = Vec::new();
    let mut rest = number;
    loop {
        let digit = (rest % u64::from(radix)) as u32;
        reversed.push(char::from_digit(digit, radix).unwrap_or('0').to_ascii_uppercase());
        rest /= u64::from(radix);
        if rest == 0 {
            return reversed.into_iter().rev().collect();
        }
    }
}

fn convert(arguments: &[Value], from: System, to: System) -> ValueResult {
    write(read(&arguments[0], from)?, to, arguments)
}

fn radix(value: &Value) -> Result<u32, ErrorValue> {
    let radix = integer(value)?;
    if (2..=36).contains(&radix) { Ok(radix as u32) } else { Err(ErrorValue::Number) }
}

fn base(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let number = number(&arguments[0])?.trunc();
    let width = integer_or(arguments, 2, 0)?;
    // Beyond 2^53 doubles do not represent all integers.
    if !(0.0..9_007_199_254_740_992.0).contains(&number) || !(0..=255).contains(&width) {
        return Err(ErrorValue::Number);
    }
    padded(digits(number as u64, radix(&arguments[1])?), width as usize, false)
}

fn decimal(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let digits = text(&arguments[0])?;
    let radix = radix(&arguments[1])?;
    if digits.len() > 255 {
        return Err(ErrorValue::Value);
    }
    let mut number = 0.0;
    for digit in digits.trim_matches(' ').chars() {
        let digit = digit.to_digit(radix).ok_or(ErrorValue::Number)?;
        number = number * f64::from(radix) + f64::from(digit);
    }
    Ok(Value::number(number))
}

const ROMAN_DIGITS: [(char, i64); 7] =
    [('M', 1000), ('D', 500), ('C', 100), ('L', 50), ('X', 10), ('V', 5), ('I', 1)];

fn roman(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let mut rest = integer(&arguments[0])?;
    let form = match arguments.get(1) {
        Some(Value::Boolean(is_classic)) => {
            if *is_classic {
                0
            } else {
                4
            }
        }
        _ => integer_or(arguments, 1, 0)?,
    };
    if !(0..=3999).contains(&rest) || !(0..=4).contains(&form) {
        return Err(ErrorValue::Value);
    }
    let mut written = String::new();
    for power in [0usize, 2, 4, 6] {
        let mut index = power;
        let digit = rest / ROMAN_DIGITS[index].1;
        if digit % 5 != 4 {
            if digit > 4 {
                written.push(ROMAN_DIGITS[index - 1].0);
            }
            (0..digit % 5).for_each(|_| written.push(ROMAN_DIGITS[index].0));
            rest %= ROMAN_DIGITS[index].1;
            continue;
        }
        // A digit before a larger one is subtracted from it; higher forms allow larger differences.
        let larger = if digit == 4 { index - 1 } else { index - 2 };
        let mut steps = 0;
        while steps < form && index < 6 && ROMAN_DIGITS[larger].1 - ROMAN_DIGITS[index + 1].1 <= rest {
            index += 1;
            steps += 1;
        }
        written.push(ROMAN_DIGITS[index].0);
        written.push(ROMAN_DIGITS[larger].0);
        rest += ROMAN_DIGITS[index].1 - ROMAN_DIGITS[larger].1;
    }
    Ok(Value::text(written))
}

fn arabic(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let written = text(&arguments[0])?;
    let written = written.trim_matches(' ');
    let (sign, letters) = written.strip_prefix('-').map_or((1, written), |letters| (-1, letters));
    if letters.len() > 255 {
        return Err(ErrorValue::Value);
    }
    let (mut total, mut largest) = (0, 0);
    for letter in letters.chars().rev() {
        let digit = ROMAN_DIGITS.iter().find(|digit| digit.0 == letter.to_ascii_uppercase());
        let digit = digit.ok_or(ErrorValue::Value)?.1;
        total += if digit < largest { -digit } else { digit };
        largest = largest.max(digit);
    }
    Ok(Value::number((sign * total) as f64))
}
