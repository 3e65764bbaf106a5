//! A1 notation: column letters followed by a one-based row number.

use std::fmt;

use crate::address::column_name;
use crate::{COLUMNS_MAX, CellAddress, ColumnIndex, ROWS_MAX, Range, RowIndex};

/// The reason why a text is not an address or a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddressError {
    /// Not of the form `B7`, `A1:C9`, `A:C` or `3:5`.
    NotAnAddress { text: String },
    /// A well-formed address beyond row 1048576 or column XFD.
    OutsideSheet { text: String },
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AddressError::NotAnAddress { text } => {
                write!(f, "not a cell or range such as B7, A1:C9, A:C or 3:5: {text}")
            }
            AddressError::OutsideSheet { text } => {
                write!(f, "outside the sheet, which ends at XFD{ROWS_MAX}: {text}")
            }
        }
    }
}

impl std::error::Error for AddressError {}

/// Parses column letters of either case.
///
/// Returns `None` when the text is empty, contains other characters, or means a column beyond XFD.
pub fn parse_column_name(letters: &str) -> Option<ColumnIndex> {
    if letters.is_empty() || letters.len() > 3 {
        return None;
    }
    let mut number = 0u32;
    for letter in letters.bytes() {
        if !letter.is_ascii_alphabetic() {
            return None;
        }
        number = number * 26 + u32::from(letter.to_ascii_uppercase() - b'A') + 1;
    }
    (number <= COLUMNS_MAX).then(|| ColumnIndex::clamped(number - 1))
}

/// One corner of a range in A1 notation: `B7`, `B` or `7`, with `$` where Excel allows it.
struct Corner {
    column: Option<ColumnIndex>,
    row: Option<RowIndex>,
}

fn parse_corner(corner: &str, whole: &str) -> Result<Corner, AddressError> {
    let not_an_address = || AddressError::NotAnAddress { text: whole.to_owned() };
    let outside = || AddressError::OutsideSheet { text: whole.to_owned() };
    let rest = corner.strip_prefix('$').unwrap_or(corner);
    let letters_end = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (letters, digits) = rest.split_at(letters_end);
    let digits = if letters.is_empty() { digits } else { digits.strip_prefix('$').unwrap_or(digits) };
    if letters.is_empty() && digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(not_an_address());
    }
    let column = match letters {
        "" => None,
        _ => Some(parse_column_name(letters).ok_or_else(outside)?),
    };
    let row = match digits {
        "" => None,
        _ if digits.starts_with('0') => return Err(not_an_address()),
        _ => {
            let number: u32 = digits.parse().map_err(|_| outside())?;
            Some(RowIndex::new(number - 1).ok_or_else(outside)?)
        }
    };
    Ok(Corner { column, row })
}

impl CellAddress {
    /// Parses a cell such as `B7` or `$B$7`, with letters of either case.
    ///
    /// # Errors
    /// [`AddressError::NotAnAddress`] when the text has another form, and
    /// [`AddressError::OutsideSheet`] when no such row or column exists.
    pub fn parse_a1(text: &str) -> Result<CellAddress, AddressError> {
        match parse_corner(text, text)? {
            Corner { column: Some(column), row: Some(row) } => Ok(CellAddress { row, column }),
            _ => Err(AddressError::NotAnAddress { text: text.to_owned() }),
        }
    }
}

impl Range {
    /// Parses `B7`, `A1:C9`, whole columns `A:C` or whole rows `3:5`. `$` is ignored, and the
    /// corners may be in either order.
    ///
    /// # Errors
    /// As [`CellAddress::parse_a1`].
    pub fn parse_a1(text: &str) -> Result<Range, AddressError> {
        let Some((a, b)) = text.split_once(':') else {
            return CellAddress::parse_a1(text).map(Range::cell);
        };
        let (a, b) = (parse_corner(a, text)?, parse_corner(b, text)?);
        match (a.column, a.row, b.column, b.row) {
            (Some(left), Some(top), Some(right), Some(bottom)) => Ok(Range::new(
                CellAddress { row: top, column: left },
                CellAddress { row: bottom, column: right },
            )),
            (Some(left), None, Some(right), None) => Ok(Range::columns(left, right)),
            (None, Some(top), None, Some(bottom)) => Ok(Range::rows(top, bottom)),
            _ => Err(AddressError::NotAnAddress { text: text.to_owned() }),
        }
    }
}

impl fmt::Display for CellAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", column_name(self.column), self.row.get() + 1)
    }
}

impl fmt::Debug for CellAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, last) = (self.first(), self.last());
        if first == last {
            write!(f, "{first}")
        } else if self.is_whole_columns() {
            write!(f, "{}:{}", column_name(first.column), column_name(last.column))
        } else if self.is_whole_rows() {
            write!(f, "{}:{}", first.row.get() + 1, last.row.get() + 1)
        } else {
            write!(f, "{first}:{last}")
        }
    }
}

impl fmt::Debug for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn column_letters_count_in_bijective_base_26() {
        for (index, letters) in
            [(0, "A"), (25, "Z"), (26, "AA"), (51, "AZ"), (701, "ZZ"), (702, "AAA"), (16_383, "XFD")]
        {
            let column = ColumnIndex::new(index).expect("within the sheet");
            assert_eq!(column_name(column), letters);
            assert_eq!(parse_column_name(letters), Some(column));
        }
        for bad in ["", "XFE", "A1", "AAAA", "Ä"] {
            assert_eq!(parse_column_name(bad), None, "{bad}");
        }
    }

    #[test]
    fn parsed_ranges_are_printed_in_canonical_form() {
        for (written, printed) in [
            ("B7", "B7"),
            ("$b$7", "B7"),
            ("C9:A1", "A1:C9"),
            ("A:C", "A:C"),
            ("$C:A", "A:C"),
            ("5:3", "3:5"),
            ("A1:XFD1048576", "A:XFD"),
            ("XFD1048576", "XFD1048576"),
        ] {
            assert_eq!(
                Range::parse_a1(written).map(|range| range.to_string()),
                Ok(printed.into()),
                "{written}"
            );
        }
    }

    #[test]
    fn invalid_addresses_give_errors_with_examples() {
        for bad in
            ["", "A", "7", "A0", "A01", "A1B", "1A", "A1:", ":A1", "A1:B", "A-1", "Ä1", "A1:B2:C3", "$", "A$"]
        {
            let message = Range::parse_a1(bad).expect_err(bad).to_string();
            assert!(message.starts_with("not a cell or range"), "{bad}: {message}");
        }
        for outside in ["XFE1", "A1048577", "A99999999999", "AAAA1"] {
            let message = Range::parse_a1(outside).expect_err(outside).to_string();
            assert!(message.starts_with("outside the sheet"), "{outside}: {message}");
        }
    }

    proptest! {
        #[test]
        fn printed_addresses_parse_to_the_same_address(row in 0..ROWS_MAX, column in 0..COLUMNS_MAX) {
            let address = CellAddress::clamped(row, column);
            prop_assert_eq!(CellAddress::parse_a1(&address.to_string()), Ok(address));
        }
    }
}
