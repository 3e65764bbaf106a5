//! Conversion of formulas to and from OpenFormula: `of:=SUM([.A1:.B2];[$Sheet2.C3])` (rule F20).

use quadrille_cell::{COLUMNS_MAX, ROWS_MAX};
use quadrille_formula::{TokenKind, tokens};
use quadrille_functions::file_prefix;

/// Newer Excel functions that OpenFormula has under the same name; the others get a prefix.
const OWN_NAMES: &[&str] = &[
    "ACOT",
    "ACOTH",
    "ARABIC",
    "BASE",
    "BITAND",
    "BITLSHIFT",
    "BITOR",
    "BITRSHIFT",
    "BITXOR",
    "COMBINA",
    "COT",
    "COTH",
    "CSC",
    "CSCH",
    "DAYS",
    "DECIMAL",
    "GAMMA",
    "GAUSS",
    "IFNA",
    "IMCOSH",
    "IMCOT",
    "IMCSC",
    "IMCSCH",
    "IMSEC",
    "IMSECH",
    "IMSINH",
    "IMTAN",
    "ISFORMULA",
    "MUNIT",
    "NUMBERVALUE",
    "PDURATION",
    "PERMUTATIONA",
    "PHI",
    "RRI",
    "SEC",
    "SECH",
    "SHEET",
    "SHEETS",
    "SKEWP",
    "UNICHAR",
    "UNICODE",
    "XOR",
];
const PREFIX: &str = "COM.MICROSOFT.";

/// Converts a formula without `=` to OpenFormula. Returns `None` if OpenFormula cannot express it
/// (`A1#`, and names with `\\` or `?`).
pub fn to_openformula(text: &str) -> Option<String> {
    let mut written = String::with_capacity(text.len() + 16);
    let mut end = 0;
    let mut braces = 0_u32;
    for token in tokens(text) {
        written.push_str(&text[end..token.start]);
        end = token.end;
        let this = &text[token.start..token.end];
        match token.kind {
            TokenKind::Reference => written.push_str(&reference_to_openformula(this)?),
            // The rows of an array are separated by a bar.
            TokenKind::Separator if braces > 0 => written.push(if this == ";" { '|' } else { ';' }),
            TokenKind::Separator => written.push(';'),
            TokenKind::OpenBrace | TokenKind::CloseBrace => {
                braces =
                    if token.kind == TokenKind::OpenBrace { braces + 1 } else { braces.saturating_sub(1) };
                written.push_str(this);
            }
            TokenKind::Function => {
                let name = this.to_ascii_uppercase();
                if !file_prefix(&name).is_empty() && !OWN_NAMES.contains(&name.as_str()) {
                    written.push_str(PREFIX);
                }
                written.push_str(this);
            }
            TokenKind::Name if this.contains(['\\', '?']) => return None,
            TokenKind::Name => match this.rsplit_once('!') {
                Some((sheet, name)) => {
                    let is_quoted = sheet.starts_with('\'');
                    written.push_str(&if is_quoted { sheet.to_owned() } else { quoted(sheet) });
                    written.push('.');
                    written.push_str(name);
                }
                None => written.push_str(this),
            },
            TokenKind::Operator if this == "#" => return None,
            TokenKind::Operator if this == "@" => {}
            _ => written.push_str(this),
        }
    }
    written.push_str(&text[end..]);
    Some(written)
}

/// Converts `'My sheet'!$A$1:B2` to `[$'My sheet'.$A$1:.B2]`.
fn reference_to_openformula(text: &str) -> Option<String> {
    let (sheet, cells) = match text.rfind('!') {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => ("", text),
    };
    if cells.starts_with('#') {
        return Some("#REF!".to_owned());
    }
    let (first, last) = match cells.split_once(':') {
        Some((first, last)) => (first, Some(last)),
        None => (cells, None),
    };
    let is_letters = |part: &str| part.chars().all(|c| c == '$' || c.is_ascii_alphabetic());
    let is_digits = |part: &str| part.chars().all(|c| c == '$' || c.is_ascii_digit());
    let (first, last) = match last {
        Some(last) if is_letters(first) && is_letters(last) => {
            (format!("{first}$1"), Some(format!("{last}${ROWS_MAX}")))
        }
        Some(last) if is_digits(first) && is_digits(last) => {
            (format!("$A{first}"), Some(format!("$XFD{last}")))
        }
        last => (first.to_owned(), last.map(str::to_owned)),
    };
    // A reference over several sheets: `Sheet1:Sheet3!A1`.
    let (from, to) = match sheet.split_once(':') {
        Some((from, to)) if !sheet.starts_with('\'') => (from, Some(to)),
        _ => (sheet, None),
    };
    let dollar = |name: &str| if name.is_empty() { String::new() } else { format!("${name}") };
    Some(match (last, to) {
        (Some(last), to) => {
            format!("[{}.{first}:{}.{last}]", dollar(from), to.map(dollar).unwrap_or_default())
        }
        (None, Some(to)) => format!("[{}.{first}:{}.{first}]", dollar(from), dollar(to)),
        (None, None) => format!("[{}.{first}]", dollar(from)),
    })
}

/// Converts an OpenFormula to a formula without `=`. Unknown syntax is kept, which makes the
/// formula invalid.
pub fn from_openformula(formula: &str) -> String {
    let text = match formula.split_once(":=") {
        Some((prefix, rest)) if prefix.chars().all(|c| c.is_ascii_alphabetic()) => rest,
        _ => formula.trim_start_matches('='),
    };
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    let mut braces = 0_u32;
    while let Some(next) = rest.chars().next() {
        let length = match next {
            '"' => {
                let length = quoted_length(rest, '"');
                written.push_str(&rest[..length]);
                length
            }
            '[' => match reference_end(rest) {
                Some(end) => {
                    written.push_str(&reference_from_openformula(&rest[1..end]));
                    end + 1
                }
                None => {
                    written.push('[');
                    1
                }
            },
            // A name with the sheet of its scope: `$'My sheet'.rate`.
            '\'' => {
                let length = quoted_length(rest, '\'');
                if written.ends_with('$') {
                    written.pop();
                }
                written.push_str(&rest[..length]);
                match rest[length..].starts_with('.') {
                    true => {
                        written.push('!');
                        length + 1
                    }
                    false => length,
                }
            }
            ';' => {
                written.push(',');
                1
            }
            '|' if braces > 0 => {
                written.push(';');
                1
            }
            '{' | '}' => {
                braces = if next == '{' { braces + 1 } else { braces.saturating_sub(1) };
                written.push(next);
                1
            }
            '~' => {
                written.push(',');
                1
            }
            '!' => {
                written.push(' ');
                1
            }
            _ if next.is_alphabetic() || next == '_' => {
                let length =
                    rest.find(|c: char| !(c.is_alphanumeric() || "._".contains(c))).unwrap_or(rest.len());
                let word = &rest[..length];
                // `$Sheet2.rate`; the sheets are known later, see `names.rs`.
                if written.ends_with('$') {
                    written.pop();
                }
                let upper = word.to_ascii_uppercase();
                let bare = [
                    "COM.MICROSOFT.",
                    "COM.SUN.STAR.SHEET.ADDIN.ANALYSIS.GET",
                    "ORG.LIBREOFFICE.",
                    "ORG.OPENOFFICE.",
                ]
                .iter()
                .find(|prefix| upper.starts_with(**prefix))
                .map_or(word, |prefix| &word[prefix.len()..]);
                written.push_str(bare.strip_prefix("LEGACY.").unwrap_or(bare));
                length
            }
            _ => {
                written.push(next);
                next.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    written
}

/// Length of a quoted text, including both quotes; doubled quotes within are part of the text.
fn quoted_length(text: &str, quote: char) -> usize {
    let mut rest = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = rest.next() {
        if c == quote && rest.next_if(|(_, next)| *next == quote).is_none() {
            return at + 1;
        }
    }
    text.len()
}

/// Position of the closing bracket; sheet names in quotes may contain brackets.
fn reference_end(text: &str) -> Option<usize> {
    let mut at = 1;
    while let Some(next) = text[at..].chars().next() {
        match next {
            ']' => return Some(at),
            '\'' => at += quoted_length(&text[at..], '\''),
            other => at += other.len_utf8(),
        }
    }
    None
}

/// Converts `$Sheet2.A1:.B2` to `Sheet2!A1:B2`.
pub fn reference_from_openformula(text: &str) -> String {
    if text.contains("#REF!") {
        return "#REF!".to_owned();
    }
    let Some((sheet, first, rest)) = part(text) else { return text.to_owned() };
    let last = rest.strip_prefix(':').and_then(part);
    let (cells, other_sheet) = match last {
        Some((other, last, _)) => (range_text(first, last), other),
        None => (first.to_owned(), ""),
    };
    match (sheet, other_sheet) {
        ("", _) => cells,
        (sheet, other) if other.is_empty() || other == sheet => format!("{sheet}!{cells}"),
        (from, to) => format!("{from}:{to}!{cells}"),
    }
}

/// Splits off the sheet without `$` and the cell; returns the rest of the text, too.
fn part(text: &str) -> Option<(&str, &str, &str)> {
    let (sheet, rest) = match text.strip_prefix('$').unwrap_or(text) {
        quoted if quoted.starts_with('\'') => quoted.split_at(quoted_length(quoted, '\'')),
        plain => plain.split_at(plain.find(['.', ':'])?),
    };
    let rest = rest.strip_prefix('.')?;
    let end = rest.find(':').unwrap_or(rest.len());
    Some((sheet, &rest[..end], &rest[end..]))
}

/// The text of a range. OpenDocument writes whole columns and rows as ranges from the first to the
/// last cell.
fn range_text(first: &str, last: &str) -> String {
    let split = |cell: &str| {
        let bare = cell.trim_start_matches('$');
        let letters = bare.len() - bare.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
        let at = cell.len() - bare.len() + letters;
        (cell[..at].to_owned(), cell[at..].to_owned())
    };
    let ((first_column, first_row), (last_column, last_row)) = (split(first), split(last));
    let number = |text: &str| text.trim_start_matches('$').parse::<u32>().ok();
    if number(&first_row) == Some(1) && number(&last_row).is_some_and(|row| row >= ROWS_MAX) {
        return format!("{first_column}:{last_column}");
    }
    let last_letters = last_column.trim_start_matches('$');
    let is_far = matches!(last_letters, "XFD" | "AMJ") && first_column.trim_start_matches('$') == "A";
    debug_assert_eq!(COLUMNS_MAX, 16_384, "XFD is the last column");
    if is_far {
        return format!("{first_row}:{last_row}");
    }
    format!("{first}:{last}")
}

/// A sheet name in quotes, as in addresses.
pub(super) fn quoted(name: &str) -> String {
    format!("'{}'", name.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_converted_to_openformula_and_back() {
        for (formula, open) in [
            ("SUM(A1:B2,C3)*2", "SUM([.A1:.B2];[.C3])*2"),
            ("Sheet2!$A$1+'My sheet'!B2:B9", "[$Sheet2.$A$1]+[$'My sheet'.B2:.B9]"),
            ("IF(A1>1,\"a,b;c\"\"\",{1,2;3,4})", "IF([.A1]>1;\"a,b;c\"\"\";{1;2|3;4})"),
            ("SUM(A:A)+SUM($3:4)", "SUM([.A$1:.A$1048576])+SUM([.$A$3:.$XFD4])"),
            ("CONCAT(A1)&XOR(TRUE,A2)", "COM.MICROSOFT.CONCAT([.A1])&XOR(TRUE;[.A2])"),
            ("SUM(Sheet1:Sheet3!A1)", "SUM([$Sheet1.A1:$Sheet3.A1])"),
            ("Sheet2!rate*'It''s'!rate+tax", "'Sheet2'.rate*'It''s'.rate+tax"),
        ] {
            assert_eq!(to_openformula(formula).as_deref(), Some(open), "{formula}");
        }
        for (open, formula) in [
            ("of:=SUM([.A1:.B2];[.C3])*2", "SUM(A1:B2,C3)*2"),
            ("of:=[$Sheet2.$A$1]+[$'My ''sheet'.B2:.B9]", "Sheet2!$A$1+'My ''sheet'!B2:B9"),
            ("of:=IF([.A1]>1;\"a[b;c\"\"\";{1;2|3;4})", "IF(A1>1,\"a[b;c\"\"\",{1,2;3,4})"),
            ("of:=SUM([.A1:.A1048576])+SUM([.A$3:.AMJ4])", "SUM(A:A)+SUM($3:4)"),
            ("of:=COM.MICROSOFT.CONCAT([.A1])&LEGACY.NORMSDIST(1)", "CONCAT(A1)&NORMSDIST(1)"),
            ("of:='It''s 2'.rate+$'Sheet 3'.rate", "'It''s 2'!rate+'Sheet 3'!rate"),
            ("msoxl:=A1+1", "A1+1"),
            ("of:=[.#REF!]+1", "#REF!+1"),
            ("of:=[.A1", "[.A1"),
        ] {
            assert_eq!(from_openformula(open), formula, "{open}");
        }
        for inexpressible in ["A1#", "\\a+1", "a?b"] {
            assert_eq!(to_openformula(inexpressible), None, "{inexpressible}");
        }
    }
}
