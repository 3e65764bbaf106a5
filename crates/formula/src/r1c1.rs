//! Parsing of formulas in R1C1 notation: `R2C3`, `R[-1]C`, whole rows `R5` and `R[1]:R[3]`, whole
//! columns `C` and `C2:C[4]`.
//!
//! References are first converted to A1 notation; then the A1 parser parses the formula. For
//! printing see [`crate::print_r1c1`]. As in Excel, relative references wrap around at the edges of
//! the sheet, and `R`, `C`, `RC` etc. are references, not names. References that are valid only in
//! A1 notation are unchanged: `A1+R1C1`, `$C$3`.

use quadrille_cell::{CellAddress, ColumnIndex, Dimension, column_name};

use crate::expression::{Host, Template};
use crate::parser::parse;
use crate::sheet_names::SheetNames;

/// As [`parse`], for a formula in R1C1 notation.
pub fn parse_r1c1(text: &str, host: Host, sheets: &dyn SheetNames) -> Template {
    parse(&a1_from_r1c1(text, host.cell).0, host, sheets)
}

/// Returns the formula in A1 notation, and the number of converted references. Text constants,
/// quoted names and brackets are unchanged.
pub fn a1_from_r1c1(text: &str, host: CellAddress) -> (String, usize) {
    let mut written = String::with_capacity(text.len() + 8);
    let (mut rest, mut found) = (text, 0);
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' | '\'' => quoted_length(rest, first),
            '[' => bracketed_length(rest),
            _ if is_name_part(first) => {
                if let Some((length, reference)) = reference_at(rest, host) {
                    written.push_str(&reference);
                    found += 1;
                    rest = &rest[length..];
                    continue;
                }
                rest.find(|c| !is_name_part(c)).unwrap_or(rest.len())
            }
            _ => first.len_utf8(),
        };
        written.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    (written, found)
}

fn is_name_part(c: char) -> bool {
    // A dollar sign belongs to a reference in A1 notation: `$C$3`.
    c.is_alphanumeric() || matches!(c, '_' | '.' | '\\' | '?' | '$')
}

/// Returns the length up to the closing quote. A doubled quote counts as the end of one text and
/// the start of the next, with the same result.
fn quoted_length(text: &str, quote: char) -> usize {
    text[1..].find(quote).map_or(text.len(), |at| at + 2)
}

fn bracketed_length(text: &str) -> usize {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    text.len()
}

/// The row or the column of a reference.
#[derive(Clone, Copy)]
struct AxisReference {
    /// `None` when outside the sheet.
    index: Option<u32>,
    is_absolute: bool,
}

/// Returns the reference at the start of a text in A1 notation, and its length in the text.
fn reference_at(text: &str, host: CellAddress) -> Option<(usize, String)> {
    let row = axis_reference_at(text, Dimension::Rows, host);
    let row_length = row.map_or(0, |(length, _)| length);
    let column = axis_reference_at(&text[row_length..], Dimension::Columns, host);
    let length = row_length + column.map_or(0, |(length, _)| length);
    if !ends_word(&text[length..]) {
        return None;
    }
    Some(match (row, column) {
        (Some((_, row)), Some((_, column))) => {
            let cell = axis_in_a1(column, Dimension::Columns).zip(axis_in_a1(row, Dimension::Rows));
            (length, cell.map_or("#REF!".to_owned(), |(column, row)| column + &row))
        }
        (Some((_, first)), None) => whole_rows_or_columns(text, length, first, Dimension::Rows, host),
        (None, Some((_, first))) => whole_rows_or_columns(text, length, first, Dimension::Columns, host),
        (None, None) => return None,
    })
}

/// Converts whole rows or columns: `R2` is `$2:$2`, and `R2:R5` is one reference.
fn whole_rows_or_columns(
    text: &str,
    length: usize,
    first: AxisReference,
    dimension: Dimension,
    host: CellAddress,
) -> (usize, String) {
    let second = text[length..].strip_prefix(':').and_then(|rest| {
        let (more, last) = axis_reference_at(rest, dimension, host)?;
        ends_word(&rest[more..]).then_some((length + 1 + more, last))
    });
    let (length, last) = second.unwrap_or((length, first));
    let both = axis_in_a1(first, dimension).zip(axis_in_a1(last, dimension));
    (length, both.map_or("#REF!".to_owned(), |(first, last)| format!("{first}:{last}")))
}

fn ends_word(rest: &str) -> bool {
    !rest.starts_with(|c| is_name_part(c) || matches!(c, '(' | '[' | '!'))
}

/// Parses `R`, `R5` or `R[-1]`, or the same with `C`; returns its length too.
fn axis_reference_at(text: &str, dimension: Dimension, host: CellAddress) -> Option<(usize, AxisReference)> {
    let (letter, host) = match dimension {
        Dimension::Rows => ('r', host.row.get()),
        Dimension::Columns => ('c', host.column.get()),
    };
    let rest = text.strip_prefix([letter, letter.to_ascii_uppercase()])?;
    let end = i64::from(dimension.len_max());
    if let Some(offset) = rest.strip_prefix('[') {
        let (offset, _) = offset.split_once(']')?;
        // Wraps around at the edges of the sheet, at most once, as in Excel.
        let number = offset.parse::<i32>().ok().filter(|number| i64::from(*number).abs() < end)?;
        let index = (i64::from(host) + i64::from(number)).rem_euclid(end) as u32;
        return Some((offset.len() + 3, AxisReference { index: Some(index), is_absolute: false }));
    }
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    if digits == 0 {
        return Some((1, AxisReference { index: Some(host), is_absolute: false }));
    }
    let number: Option<i64> = rest[..digits].parse().ok();
    let index = number.filter(|number| (1..=end).contains(number)).map(|number| number as u32 - 1);
    Some((1 + digits, AxisReference { index, is_absolute: true }))
}

fn axis_in_a1(reference: AxisReference, dimension: Dimension) -> Option<String> {
    let index = reference.index?;
    let name = match dimension {
        Dimension::Rows => (index + 1).to_string(),
        Dimension::Columns => column_name(ColumnIndex::new(index)?).to_string(),
    };
    Some(if reference.is_absolute { format!("${name}") } else { name })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r1c1_references_are_converted_to_a1() {
        let host = CellAddress::parse_a1("C5").expect("valid");
        for (r1c1, a1) in [
            ("RC", "C5"),
            ("r[-1]c", "C4"),
            ("R2C3", "$C$2"),
            ("R[3]C1", "$A8"),
            ("R1C[-2]:R[-3]C[-1]", "A$1:B2"),
            ("SUM(R)", "SUM(5:5)"),
            ("R3:R[1]", "$3:6"),
            ("C1:C", "$A:C"),
            ("C", "C:C"),
            ("R[-5]C", "C1048576"),
            ("RC[-3]", "XFD5"),
            ("R0C1+R1C99999", "#REF!+#REF!"),
            ("\"RC\"&RC", "\"RC\"&C5"),
            ("'RC'!R1C1", "'RC'!$A$1"),
            ("Prices[R]+R", "Prices[R]+5:5"),
            ("ROW(RC)+rate+COLUMN(C)", "ROW(C5)+rate+COLUMN(C:C)"),
            ("R[a]C", "R[a]C:C"),
            ("RC.x+R1C1x", "RC.x+R1C1x"),
            ("A1+$C$3+C$3+$R4:B2", "A1+$C$3+C$3+$R4:B2"),
            ("RC1+R5+C3", "$A5+$5:$5+$C:$C"),
            ("RC[-1]#+LET(x,RC[1],x)", "B5#+LET(x,D5,x)"),
        ] {
            assert_eq!(a1_from_r1c1(r1c1, host).0, a1, "{r1c1}");
        }
    }
}
