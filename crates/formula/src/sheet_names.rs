//! [`SheetNames`], and the quoting of sheet names before `!`.

use quadrille_cell::{CellAddress, SheetId};

/// The sheets of a workbook, as parser and printer need them. Names are case-insensitive.
pub trait SheetNames {
    /// Returns the id of the sheet with this name.
    fn sheet_id(&self, name: &str) -> Option<SheetId>;
    /// Returns the name of a sheet; `None` when the sheet was deleted.
    fn sheet_name(&self, id: SheetId) -> Option<&str>;
}

/// Whether a sheet name can contain this character without quotes: letters, digits, `_` and `.`.
pub(crate) fn is_plain_sheet_character(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || character == '.'
}

/// Whether a sheet name needs apostrophes: `'My Sheet'!A1`. As in Excel, this includes names that
/// look like a cell in either notation or like a number.
pub(crate) fn needs_quotes(name: &str) -> bool {
    let plain_start = name.starts_with(|first: char| first.is_alphabetic() || first == '_');
    !plain_start
        || !name.chars().all(is_plain_sheet_character)
        || CellAddress::parse_a1(name).is_ok()
        || looks_like_r1c1(name)
        || name.eq_ignore_ascii_case("TRUE")
        || name.eq_ignore_ascii_case("FALSE")
}

/// Whether a name looks like `R`, `C5`, `RC` or `R1C1`.
fn looks_like_r1c1(name: &str) -> bool {
    let rest = name.strip_prefix(['R', 'r']);
    let rest = rest.map(|rest| rest.trim_start_matches(|digit: char| digit.is_ascii_digit())).unwrap_or(name);
    let rest = rest.strip_prefix(['C', 'c']).unwrap_or(rest);
    !name.is_empty()
        && rest.bytes().all(|byte| byte.is_ascii_digit())
        && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// Pushes `name!`, quoted if necessary.
pub(crate) fn push_prefix(name: &str, out: &mut String) {
    push_prefix_quoted_if(needs_quotes(name), name, out);
}

/// A reference on a sheet with this name, which is quoted if necessary: `'Q1 sales'!A1`.
pub fn with_sheet_name(name: &str, reference: &str) -> String {
    let mut written = String::new();
    push_prefix(name, &mut written);
    written + reference
}

/// Pushes `first:last!`, in one pair of apostrophes if either name needs them.
pub(crate) fn push_range_prefix(first: &str, last: &str, out: &mut String) {
    let quoted = needs_quotes(first) || needs_quotes(last);
    push_prefix_quoted_if(quoted, &format!("{first}:{last}"), out);
}

/// Pushes the prefix of a sheet, or range of sheets, that did not exist when the formula was
/// parsed.
pub(crate) fn push_unknown_prefix(written: &str, out: &mut String) {
    match written.split_once(':') {
        Some((first, last)) => push_range_prefix(first, last, out),
        None => push_prefix(written, out),
    }
}

fn push_prefix_quoted_if(quoted: bool, name: &str, out: &mut String) {
    if quoted {
        out.push('\'');
        out.push_str(&name.replace('\'', "''"));
        out.push('\'');
    } else {
        out.push_str(name);
    }
    out.push('!');
}

#[cfg(test)]
mod tests {
    use super::needs_quotes;

    #[test]
    fn sheet_names_that_look_like_references_are_quoted() {
        for plain in
            ["Sheet1", "Jahr_2024", "a.b", "_x", "Übersicht", "データ", "ABCD1", "XFE1", "RCX", "Rate"]
        {
            assert!(!needs_quotes(plain), "{plain}");
        }
        for quoted in [
            "",
            "My Sheet",
            "it's",
            "2024",
            "a-b",
            "A1",
            "xfd1048576",
            "R",
            "c",
            "RC",
            "R1C1",
            "r12",
            "C3",
            "TRUE",
            ".a",
            "[1]S",
        ] {
            assert!(needs_quotes(quoted), "{quoted}");
        }
    }
}
