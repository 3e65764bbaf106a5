//! Sheets by name, and how a name is written before the `!`.

use quadrille_cell::{CellAddress, SheetId};

/// What parsing and printing need to know of a workbook. Names compare without regard to case.
pub trait SheetNames {
    fn sheet_id(&self, name: &str) -> Option<SheetId>;
    /// `None` when the sheet is gone.
    fn sheet_name(&self, id: SheetId) -> Option<&str>;
}

/// Letters, digits, `_` and `.`: what a sheet name may hold without being quoted.
pub(crate) fn is_plain_sheet_character(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || character == '.'
}

/// Whether `name` must stand in apostrophes: `'My Sheet'!A1`. As in Excel, that includes names which could be
/// taken for a cell, in either notation, or for a number.
pub(crate) fn needs_quotes(name: &str) -> bool {
    let plain_start = name.starts_with(|first: char| first.is_alphabetic() || first == '_');
    !plain_start
        || !name.chars().all(is_plain_sheet_character)
        || CellAddress::parse_a1(name).is_ok()
        || looks_like_r1c1(name)
        || name.eq_ignore_ascii_case("TRUE")
        || name.eq_ignore_ascii_case("FALSE")
}

/// `R`, `C5`, `RC`, `R1C1` and their like.
fn looks_like_r1c1(name: &str) -> bool {
    let rest = name.strip_prefix(['R', 'r']);
    let rest = rest.map(|rest| rest.trim_start_matches(|digit: char| digit.is_ascii_digit())).unwrap_or(name);
    let rest = rest.strip_prefix(['C', 'c']).unwrap_or(rest);
    !name.is_empty()
        && rest.bytes().all(|byte| byte.is_ascii_digit())
        && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// Writes `name!`, quoted when needed.
pub(crate) fn push_prefix(name: &str, out: &mut String) {
    push_prefix_quoted_if(needs_quotes(name), name, out);
}

/// Writes `first:last!`, both in one pair of apostrophes when either needs them.
pub(crate) fn push_range_prefix(first: &str, last: &str, out: &mut String) {
    let quoted = needs_quotes(first) || needs_quotes(last);
    push_prefix_quoted_if(quoted, &format!("{first}:{last}"), out);
}

/// Writes the prefix of a sheet that was unknown when read, which may have been a range of sheets.
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
    fn names_that_could_be_something_else_are_quoted() {
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
