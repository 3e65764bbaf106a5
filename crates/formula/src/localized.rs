//! Conversion of formulas between the stored notation and that of a user: `SUM(1.5,A1)` is
//! `SUMME(1,5;A1)` in German.
//!
//! Every separator is one byte in both notations, so that converting separators keeps positions;
//! function names (`function_names.rs`) have other lengths.

use std::borrow::Cow;

use crate::FunctionNames;

/// The separators of a locale. All are ASCII.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Separators {
    /// Decimal separator.
    pub decimal: char,
    /// Separator of arguments and of the areas of a union.
    pub list: char,
    /// Separator of the columns of an array constant. Rows are always separated by semicolons.
    pub column: char,
}

impl Separators {
    /// The separators of stored formulas.
    pub const INVARIANT: Separators = Separators { decimal: '.', list: ',', column: ',' };
}

/// Converts a stored formula to the notation of a user.
pub fn localized<'a>(stored: &'a str, separators: Separators, names: &FunctionNames) -> Cow<'a, str> {
    match names.localized(stored) {
        Cow::Borrowed(text) => converted(text, Separators::INVARIANT, separators),
        Cow::Owned(text) => Cow::Owned(converted(&text, Separators::INVARIANT, separators).into_owned()),
    }
}

/// Converts a formula in the notation of a user to the stored notation. English function names are
/// accepted too, unless they are names of other functions in the language.
pub fn delocalized<'a>(typed: &'a str, separators: Separators, names: &FunctionNames) -> Cow<'a, str> {
    match converted(typed, separators, Separators::INVARIANT) {
        Cow::Borrowed(text) => names.delocalized(text),
        Cow::Owned(text) => Cow::Owned(names.delocalized(&text).into_owned()),
    }
}

fn converted(text: &str, from: Separators, to: Separators) -> Cow<'_, str> {
    let all = [from, to].map(|separators| [separators.decimal, separators.list, separators.column]);
    if from == to || !all.as_flattened().iter().all(char::is_ascii) {
        return Cow::Borrowed(text);
    }
    let mut bytes = text.as_bytes().to_vec();
    let byte = |separator: char| separator as u8;
    let (mut at, mut in_braces, mut brackets) = (0, false, 0u32);
    // The last byte that is not whitespace.
    let mut before = 0;
    while at < bytes.len() {
        let (start, first) = (at, bytes[at]);
        at += 1;
        match first {
            b'"' | b'\'' => at = quote_end(&bytes, at, first),
            b'[' => brackets += 1,
            b']' => brackets = brackets.saturating_sub(1),
            // Brackets contain column names; separators stand between two pairs of brackets.
            _ if brackets > 0 => {
                if first == byte(from.list) && before == b']' {
                    bytes[start] = byte(to.list);
                }
            }
            b'{' => in_braces = true,
            b'}' => in_braces = false,
            _ if in_braces && first == byte(from.column) && first != byte(from.decimal) => {
                bytes[start] = byte(to.column);
            }
            _ if first.is_ascii_digit() || first == byte(from.decimal) && before != b':' => {
                let has_digit = first.is_ascii_digit() || bytes.get(at).is_some_and(u8::is_ascii_digit);
                at = start;
                while let Some(next) = bytes.get(at).filter(|_| has_digit) {
                    match next {
                        digit if digit.is_ascii_digit() => {}
                        separator if *separator == byte(from.decimal) => bytes[at] = byte(to.decimal),
                        _ => break,
                    }
                    at += 1;
                }
                at = at.max(start + 1);
                // An exponent, or the rest of a name that starts with digits, has no separators.
                at = name_end(&bytes, at, in_braces);
            }
            _ if first == byte(from.list) && !in_braces => bytes[start] = byte(to.list),
            _ => at = if is_in_name(first) { name_end(&bytes, at, in_braces) } else { at },
        }
        if !bytes[at - 1].is_ascii_whitespace() {
            before = bytes[at - 1];
        }
    }
    match String::from_utf8(bytes) {
        Ok(text) => Cow::Owned(text),
        // Unreachable: only ASCII bytes were replaced, with ASCII bytes.
        Err(_) => Cow::Borrowed(text),
    }
}

/// Returns the position after the closing quote, or the end of the text.
fn quote_end(bytes: &[u8], from: usize, quote: u8) -> usize {
    let length = bytes[from..].iter().position(|byte| *byte == quote);
    length.map_or(bytes.len(), |length| from + length + 1)
}

fn is_in_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$') || !byte.is_ascii()
}

/// Returns the end of a name that continues at `from`. In array constants names have no points.
fn name_end(bytes: &[u8], from: usize, in_braces: bool) -> usize {
    // A name starts with a letter; points and digits may follow.
    let starts = |at: usize| bytes.get(at).is_some_and(|byte| is_in_name(*byte));
    if !starts(from.wrapping_sub(1)) && !starts(from) {
        return from;
    }
    let is_inside = |byte: &u8| {
        is_in_name(*byte) || byte.is_ascii_digit() || !in_braces && matches!(byte, b'.' | b'?' | b'\\')
    };
    from + bytes[from..].iter().take_while(|byte| is_inside(byte)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GERMAN: Separators = Separators { decimal: ',', list: ';', column: '.' };
    const SPANISH: Separators = Separators { column: '\\', ..GERMAN };

    #[test]
    fn separators_follow_the_locale() {
        for (stored, displayed) in [
            ("SUM(1.5,A1)", "SUM(1,5;A1)"),
            ("STDEV.S(A1:A3,.5)", "STDEV.S(A1:A3;,5)"),
            ("{1.5,2;3,4}", "{1,5.2;3.4}"),
            ("IF(A1=\"1.5,2\",'a,b'!A1,1E-3)", "IF(A1=\"1.5,2\";'a,b'!A1;1E-3)"),
            ("1.5E+3*2.5%", "1,5E+3*2,5%"),
            ("SUM(Sales[[#All],[a,b]],2)", "SUM(Sales[[#All];[a,b]];2)"),
            ("SUM((A1,B1),my.name_2.x)", "SUM((A1;B1);my.name_2.x)"),
            ("LET(x,1.5,x)", "LET(x;1,5;x)"),
            ("A1:.B5", "A1:.B5"),
            ("Größe1.5+1.5", "Größe1.5+1,5"),
            ("\"open", "\"open"),
        ] {
            assert_eq!(localized(stored, GERMAN, &FunctionNames::ENGLISH), displayed);
            assert_eq!(delocalized(displayed, GERMAN, &FunctionNames::ENGLISH), stored);
            assert_eq!(displayed.len(), stored.len());
        }
        assert_eq!(localized("{1.5,2;3,4}", SPANISH, &FunctionNames::ENGLISH), "{1,5\\2;3\\4}");
        assert_eq!(delocalized("{1,5\\2;3\\4}", SPANISH, &FunctionNames::ENGLISH), "{1.5,2;3,4}");
        let unchanged = localized("SUM(1.5,2)", Separators::INVARIANT, &FunctionNames::ENGLISH);
        assert!(matches!(unchanged, Cow::Borrowed(_)));
    }
}
