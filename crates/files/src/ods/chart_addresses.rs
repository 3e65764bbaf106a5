//! Addresses of cells in charts: lists of `'My sheet'.B2:'My sheet'.B9`, separated by blanks (ODF 1.3
//! part 3, 18.3.7), and the formulas that charts have here.

use quadrille_cell::{CellAddress, Range, SheetId};
use quadrille_formula::{
    BinaryOperator, Expression, Reference, SheetReference, UnaryOperator, resolve_area, with_sheet_name,
};
use quadrille_workbook::{FieldValue, Sheet, Workbook};

use super::formulas::{quoted, reference_from_openformula};
use crate::table_references::with_plain_references;
use crate::xlsx::absolute;

/// Ranges of one list, at most.
const RANGES_MAX: usize = 1_000;

/// Reads a list of addresses: names of sheets, and ranges. `None` if one of them is no range of a sheet
/// of the file.
pub(super) fn parsed(list: &str) -> Option<Vec<(String, Range)>> {
    let addresses = split(list);
    if addresses.is_empty() || addresses.len() > RANGES_MAX {
        return None;
    }
    addresses.into_iter().map(parsed_one).collect()
}

fn parsed_one(address: &str) -> Option<(String, Range)> {
    let reference = reference_from_openformula(address);
    let (sheet, cells) = reference.rsplit_once('!')?;
    let name = match sheet.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        Some(inner) => inner.replace("''", "'"),
        // Several sheets, or another file.
        None if sheet.contains([':', '#', '\'']) => return None,
        None => sheet.to_owned(),
    };
    Some((name, Range::parse_a1(cells).ok()?))
}

/// Splits a list at the blanks that are outside of quotes.
fn split(list: &str) -> Vec<&str> {
    let mut is_quoted = false;
    let is_blank = |c: char| {
        is_quoted ^= c == '\'';
        c.is_whitespace() && !is_quoted
    };
    list.split(is_blank).filter(|part| !part.is_empty()).collect()
}

/// The reference of a formula to these ranges, without `=`.
pub(super) fn reference(ranges: &[(String, Range)]) -> String {
    let references = ranges.iter().map(|(sheet, range)| with_sheet_name(sheet, &absolute(*range)));
    let references: Vec<String> = references.collect();
    match references.as_slice() {
        [one] => one.clone(),
        several => format!("({})", several.join(",")),
    }
}

/// What a formula of a series refers to.
#[derive(Default)]
pub(super) struct ChartCells {
    pub ranges: Vec<(SheetId, Range)>,
    /// Constants, which the formula has instead of references.
    pub constants: Vec<Constant>,
}

/// A constant of a series.
pub(super) enum Constant {
    Number(f64),
    Text(String),
}

impl ChartCells {
    /// The cells of a field. None for formulas other than references and constants.
    pub fn of(workbook: &Workbook, sheet: &Sheet, field: Option<&FieldValue>) -> ChartCells {
        let mut cells = ChartCells::default();
        if let Some(FieldValue::Formula { at, template }) = field {
            let plain = with_plain_references(template, workbook);
            let expression = plain.as_ref().unwrap_or(template).expression();
            cells.collect(workbook, sheet, *at, expression);
        }
        cells
    }

    fn collect(&mut self, workbook: &Workbook, sheet: &Sheet, at: CellAddress, expression: &Expression) {
        match expression {
            Expression::Number(number) => self.constants.push(Constant::Number(*number)),
            Expression::Text(text) => self.constants.push(Constant::Text(text.to_string())),
            Expression::Reference(reference) => self.ranges.extend(resolved(sheet, at, reference)),
            Expression::Parenthesised(inner) => self.collect(workbook, sheet, at, inner),
            Expression::Binary(BinaryOperator::Union, left, right) => {
                self.collect(workbook, sheet, at, left);
                self.collect(workbook, sheet, at, right);
            }
            Expression::Unary(UnaryOperator::Minus, inner) => {
                if let Expression::Number(number) = **inner {
                    self.constants.push(Constant::Number(-number));
                }
            }
            Expression::Unary(UnaryOperator::Spill, operand) => {
                if let Expression::Reference(reference) = &**operand
                    && let Some((id, range)) = resolved(sheet, at, reference)
                    && let Some(found) = workbook.sheet(id)
                {
                    self.ranges.push((id, found.spilled_range(range.first())));
                }
            }
            Expression::Array(rows) => {
                rows.iter().flatten().for_each(|element| self.collect(workbook, sheet, at, element));
            }
            Expression::Name(name) => {
                // Not of another name: such names are rare, and could go round in circles.
                if let Some(named) = workbook.resolve_name(sheet.id(), name)
                    && matches!(named.expression(), Expression::Reference(_))
                {
                    self.collect(workbook, sheet, CellAddress::default(), named.expression());
                }
            }
            _ => {}
        }
    }

    /// Whether the formula refers to nothing.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty() && self.constants.is_empty()
    }

    /// The ranges as a list of addresses; `None` without ranges.
    pub fn addresses(&self, workbook: &Workbook) -> Option<String> {
        let addresses = self.ranges.iter().filter_map(|(sheet, range)| {
            let sheet = quoted_if_needed(workbook.sheet(*sheet)?.name());
            let (first, last) = (range.first(), range.last());
            Some(match range.cell_count() {
                1 => format!("{sheet}.{first}"),
                _ => format!("{sheet}.{first}:{sheet}.{last}"),
            })
        });
        let list: Vec<String> = addresses.collect();
        (!list.is_empty()).then(|| list.join(" "))
    }
}

fn resolved(own: &Sheet, at: CellAddress, reference: &Reference) -> Option<(SheetId, Range)> {
    let sheet = match reference.sheet {
        None => own.id(),
        Some(SheetReference::Sheet(sheet)) => sheet,
        Some(_) => return None,
    };
    Some((sheet, resolve_area(&reference.area, at)?))
}

/// The name of a sheet in an address. Quotes that are not needed do no harm.
fn quoted_if_needed(name: &str) -> String {
    let is_plain = name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && name.starts_with(|first: char| first.is_alphabetic());
    if is_plain { name.to_owned() } else { quoted(name) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The forms in files of LibreOffice, and that of the standard with `$`.
    #[test]
    fn addresses_become_references() {
        for (list, expected) in [
            ("Sheet1.B2:Sheet1.B5", Some("Sheet1!$B$2:$B$5")),
            ("Sheet1.$B$1", Some("Sheet1!$B$1")),
            ("$'My sheet'.$A$1:.$B$5", Some("'My sheet'!$A$1:$B$5")),
            ("'It''s 1'.A1:'It''s 1'.A3", Some("'It''s 1'!$A$1:$A$3")),
            ("Sheet1.A1:Sheet1.A3 'a b'.C1:'a b'.C3", Some("(Sheet1!$A$1:$A$3,'a b'!$C$1:$C$3)")),
            ("2026.A1:2026.B1", Some("'2026'!$A$1:$B$1")),
            ("Sheet1.A1:Sheet1.A1048576", Some("Sheet1!$A:$A")),
            ("Sheet1.A1:Sheet2.A3", None),
            ("'file:///tmp/other.ods'#$Sheet1.A1:.A3", None),
            ("Sheet1.#REF!", None),
            ("A1:A3", None),
            ("", None),
        ] {
            assert_eq!(parsed(list).map(|ranges| reference(&ranges)).as_deref(), expected, "{list}");
        }
    }
}
