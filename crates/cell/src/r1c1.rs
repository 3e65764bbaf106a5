//! R1C1 notation: `R2C3` is absolute, `R[-1]C` is relative to the cell that holds the formula (the
//! host).

use crate::{AddressError, CellAddress, ColumnIndex, RowIndex};

/// Formats `target` in R1C1 notation, each dimension absolute or relative to `host`.
pub fn print_r1c1(
    target: CellAddress,
    host: CellAddress,
    row_absolute: bool,
    column_absolute: bool,
) -> String {
    let part = |letter: char, target: u32, host: u32, absolute: bool| match (
        absolute,
        target.wrapping_sub(host) as i32,
    ) {
        (true, _) => format!("{letter}{}", target + 1),
        (false, 0) => letter.to_string(),
        (false, offset) => format!("{letter}[{offset}]"),
    };
    let row = part('R', target.row.get(), host.row.get(), row_absolute);
    let column = part('C', target.column.get(), host.column.get(), column_absolute);
    row + &column
}

/// Parses `R2C3`, `RC`, `R[-1]C[4]` and mixtures of them, with letters of either case; relative
/// parts are relative to `host`.
///
/// # Errors
/// [`AddressError::NotAnAddress`] when the text has another form, and
/// [`AddressError::OutsideSheet`] when the result is outside the sheet.
pub fn parse_r1c1(text: &str, host: CellAddress) -> Result<CellAddress, AddressError> {
    let not_an_address = || AddressError::NotAnAddress { text: text.to_owned() };
    let outside = || AddressError::OutsideSheet { text: text.to_owned() };
    let rest = text.strip_prefix(['R', 'r']).ok_or_else(not_an_address)?;
    let column_start = rest.find(['C', 'c']).ok_or_else(not_an_address)?;
    let row = parse_part(&rest[..column_start], host.row.get()).ok_or_else(not_an_address)?;
    let column = parse_part(&rest[column_start + 1..], host.column.get()).ok_or_else(not_an_address)?;
    let row = u32::try_from(row).ok().and_then(RowIndex::new).ok_or_else(outside)?;
    let column = u32::try_from(column).ok().and_then(ColumnIndex::new).ok_or_else(outside)?;
    Ok(CellAddress { row, column })
}

/// The zero-based index that one dimension means, which may be outside the sheet.
fn parse_part(text: &str, host: u32) -> Option<i64> {
    if text.is_empty() {
        return Some(i64::from(host));
    }
    if let Some(offset) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return offset.parse::<i32>().ok().map(|offset| i64::from(host) + i64::from(offset));
    }
    let number: u32 = text.parse().ok()?;
    (number > 0).then(|| i64::from(number) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r1c1_is_parsed_and_printed_relative_to_a_host() {
        let host = CellAddress::parse_a1("C5").expect("valid");
        for (text, a1) in [("RC", "C5"), ("R[-1]C", "C4"), ("R2C3", "C2"), ("R[3]C[-2]", "A8"), ("RC1", "A5")]
        {
            let target = parse_r1c1(text, host).expect(text);
            assert_eq!(target.to_string(), a1, "{text}");
        }
        let target = CellAddress::parse_a1("A4").expect("valid");
        assert_eq!(print_r1c1(target, host, false, false), "R[-1]C[-2]");
        assert_eq!(print_r1c1(target, host, true, true), "R4C1");
        for bad in ["", "R", "C", "R0C1", "R[a]C", "R[1C", "R-1C1", "R[-9]C", "RC99999"] {
            assert!(parse_r1c1(bad, host).is_err(), "{bad}");
        }
    }
}
