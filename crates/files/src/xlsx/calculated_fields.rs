//! Formulas of calculated fields in files, where columns are named by their headers:
//! `Revenue/'Unit price'`.

use quadrille_cell::{CellAddress, ColumnIndex, SheetId, column_name};
use quadrille_formula::{Host, TokenKind, tokens};
use quadrille_pivot::Calculation;
use quadrille_workbook::Workbook;

use super::formulas::file_text;

/// Calculated fields that name one another, at most.
const DEPTH_MAX: usize = 8;
/// Characters of a formula, as in cells.
const LENGTH_MAX: usize = 8_192;

/// The formula of a calculated field as files have it. `name` returns the name of a column's field.
/// `None` if it contains an error, such as a reference to other cells.
pub(super) fn formula_of_file(
    calculation: &Calculation,
    workbook: &Workbook,
    sheet: SheetId,
    name: &dyn Fn(u32) -> String,
) -> Option<String> {
    let host = Host { sheet, cell: CellAddress::clamped(0, 0) };
    let text = file_text(calculation.template(), host, workbook);
    let mut written = String::with_capacity(text.len());
    let mut end = 0;
    for token in tokens(&text) {
        written.push_str(&text[end..token.start]);
        end = token.end;
        let this = &text[token.start..token.end];
        match token.kind {
            TokenKind::Error => return None,
            TokenKind::Reference => {
                let is_this = |(position, _): &(usize, &u32)| {
                    let letters = column_name(ColumnIndex::clamped(*position as u32));
                    this == format!("${letters}:${letters}")
                };
                let (_, column) = calculation.columns.iter().enumerate().find(is_this)?;
                written.push_str(&quoted(&name(*column)));
            }
            _ => written.push_str(this),
        }
    }
    written.push_str(&text[end..]);
    Some(written)
}

/// The name of a field, in quotation marks unless it is one plain word.
fn quoted(name: &str) -> String {
    let mut letters = name.chars();
    let is_plain = letters.next().is_some_and(|letter| letter.is_alphabetic() || letter == '_')
        && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
        && !["TRUE", "FALSE"].iter().any(|constant| constant.eq_ignore_ascii_case(name));
    if is_plain { name.to_owned() } else { format!("'{}'", name.replace('\'', "''")) }
}

/// What a field that a formula names is.
pub(super) enum Named<'a> {
    /// The reference to its column.
    Column(String),
    /// Its own formula.
    Calculated(&'a str),
}

/// A formula of a file with references in the place of names. `find` returns the field with a name.
pub(super) fn formula_of_references<'a>(
    text: &str,
    find: &dyn Fn(&str) -> Option<Named<'a>>,
) -> Result<String, &'static str> {
    Ok(format!("={}", with_references(text, find, 0)?))
}

fn with_references<'a>(
    text: &str,
    find: &dyn Fn(&str) -> Option<Named<'a>>,
    depth: usize,
) -> Result<String, &'static str> {
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = part_length(rest, first);
        let (part, after) = rest.split_at(length);
        rest = after;
        let name = match first {
            '\'' => Some(part.trim_matches('\'').replace("''", "'")),
            // Functions, constants and numbers are no names of fields.
            _ if is_word(first) && !first.is_numeric() && !after.trim_start().starts_with('(') => {
                Some(part.to_owned())
            }
            _ => None,
        };
        match name.as_deref().map(|name| (name, find(name))) {
            None => written.push_str(part),
            Some((_, Some(Named::Column(reference)))) => written.push_str(&reference),
            Some((_, Some(Named::Calculated(formula)))) if depth < DEPTH_MAX => {
                written.push_str(&format!("({})", with_references(formula, find, depth + 1)?));
            }
            Some((name, None)) if ["TRUE", "FALSE"].contains(&name) => written.push_str(part),
            Some(_) => return Err("its calculated fields name unknown fields"),
        }
        if written.len() > LENGTH_MAX {
            return Err("a calculated field has a formula that is too long");
        }
    }
    Ok(written)
}

/// Bytes of the text constant, quoted name, word or single character that a text begins with.
fn part_length(text: &str, first: char) -> usize {
    if matches!(first, '"' | '\'') {
        let mut is_open = true;
        let mut letters = text.char_indices().skip(1).peekable();
        while let Some((at, letter)) = letters.next() {
            is_open ^= letter == first;
            if !is_open && letters.peek().is_none_or(|(_, next)| *next != first) {
                return at + 1;
            }
        }
        return text.len();
    }
    match is_word(first) {
        true => text.find(|letter| !is_word(letter)).unwrap_or(text.len()),
        false => first.len_utf8(),
    }
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_references() {
        let find = |name: &str| match name {
            "Revenue" => Some(Named::Column("A!$B:$B".to_owned())),
            "Unit's price" => Some(Named::Column("A!$C:$C".to_owned())),
            "Tax" => Some(Named::Calculated("Revenue*0.19")),
            "Endless" => Some(Named::Calculated("Endless+1")),
            _ => None,
        };
        for (text, expected) in [
            ("Revenue/'Unit''s price'", Ok("=A!$B:$B/A!$C:$C")),
            ("IF(Revenue>1E3,\"Revenue\",TRUE)", Ok("=IF(A!$B:$B>1E3,\"Revenue\",TRUE)")),
            ("1-Tax", Ok("=1-(A!$B:$B*0.19)")),
            ("'open", Err("its calculated fields name unknown fields")),
            ("Units*2", Err("its calculated fields name unknown fields")),
            ("Endless", Err("its calculated fields name unknown fields")),
        ] {
            assert_eq!(formula_of_references(text, &find), expected.map(str::to_owned), "{text}");
        }
    }

    #[test]
    fn names_are_quoted_unless_they_are_words() {
        assert_eq!(["Größe_1", "a b", "1a", "true"].map(quoted), ["Größe_1", "'a b'", "'1a'", "'true'"]);
    }
}
