//! References and texts of charts as `rust_xlsxwriter` takes them. It reads both from one text, without regard to
//! quotation marks, and rejects the whole file if the sheet in such a text does not exist.

use std::fmt::Write as _;

use quadrille_cell::Range;
use quadrille_formula::{Expression, SheetReference, UnaryOperator, visit_references};
use quadrille_workbook::{FieldValue, Item};
use rust_xlsxwriter as xlsx;

use super::write_target::{Target, corners};

/// Marks texts that are written as they are, until [`without_marks`]. Its bracket keeps `rust_xlsxwriter` from reading
/// the text as a range; the character is of a private use area.
const MARK: &str = "[\u{f5a1}]";
/// Come before each value of a series that has no cells, until [`without_marks`].
const NUMBER: char = '\u{f5a2}';
const TEXT: char = '\u{f5a3}';
const REFERENCE: &str = "<c:numRef><c:f>";
const REFERENCE_END: &str = "</c:f></c:numRef>";
/// A reference to cells that do not exist.
const MISSING: &str = "=#REF!";

impl Target<'_> {
    /// The formula of a field of a chart with the sheet, which charts and sparklines require, and with the range
    /// instead of a name of a range. References to missing sheets are `#REF!`, as in Excel. `None` for formulas
    /// that Excel does not accept in charts.
    pub fn chart_formula(&self, item: &Item, value: &FieldValue) -> Option<String> {
        let FieldValue::Formula { template, .. } = value else { return None };
        let text = || Some(self.with_sheet(self.range_of(item, value)?));
        match template.expression() {
            Expression::Reference(reference) => match &reference.sheet {
                Some(SheetReference::Sheets(..)) => None,
                Some(sheet @ SheetReference::Unknown(_)) if sheet.other_workbook().is_none() => {
                    Some(MISSING.to_owned())
                }
                _ => text(),
            },
            Expression::Error(_) => Some(MISSING.to_owned()),
            Expression::Name(name) => match self.workbook.resolve_name(self.sheet.id(), name) {
                Some(_) => text(),
                None => Some(MISSING.to_owned()),
            },
            // A union of ranges, whose sheets are not added.
            Expression::Parenthesised(_) => {
                let mut has_sheets = true;
                visit_references(template, &mut |reference| has_sheets &= reference.sheet.is_some());
                has_sheets.then(text).flatten()
            }
            Expression::Array(rows) => constants(rows),
            _ => None,
        }
    }
}

/// The values of an array as a formula that only [`without_marks`] understands.
fn constants(rows: &[Vec<Expression>]) -> Option<String> {
    let values: Vec<&Expression> = rows.iter().flatten().collect();
    let mark = match values.iter().any(|value| matches!(value, Expression::Text(_))) {
        true => TEXT,
        false => NUMBER,
    };
    let mut text = String::from("=");
    for value in values {
        text.push(mark);
        match value {
            Expression::Number(number) => text.push_str(&number.to_string()),
            Expression::Text(constant) => text.push_str(constant),
            Expression::Unary(UnaryOperator::Minus, inner) => match **inner {
                Expression::Number(number) => text.push_str(&(-number).to_string()),
                _ => return None,
            },
            _ => return None,
        }
    }
    Some(text)
}

/// The name of the sheet and the cells of a formula such as `='Bob''s'!$A$1:$A$4`; `None` for other formulas, and
/// for whole rows and columns.
pub(super) fn sheet_and_range(formula: &str) -> Option<(String, Range)> {
    let (sheet, range) = formula.strip_prefix('=')?.rsplit_once('!')?;
    let name = match sheet.strip_prefix('\'') {
        Some(quoted) => quoted.strip_suffix('\'')?.replace("''", "'"),
        None => sheet.to_owned(),
    };
    let range = Range::parse_a1(range).ok()?;
    let is_of_cells = !range.is_whole_columns() && !range.is_whole_rows() && !name.contains(['[', ':']);
    is_of_cells.then_some((name, range))
}

/// The range of a formula of a chart.
pub(super) fn chart_range(formula: &str) -> xlsx::ChartRange {
    match sheet_and_range(formula) {
        Some((sheet, range)) => {
            let (top, left, bottom, right) = corners(range);
            xlsx::ChartRange::new_from_range(&sheet, top, left, bottom, right)
        }
        None => {
            let text = formula.strip_prefix('=').unwrap_or(formula);
            xlsx::ChartRange::new_from_string(&format!("={MARK}{text}"))
        }
    }
}

/// A title or a name that is a text and no range, even if it reads `Plan!A1` or `=(net)`.
pub(super) fn plain_text(text: &str) -> String {
    match text.starts_with('=') || text.contains('!') {
        true => format!("{MARK}{text}{MARK}"),
        false => text.to_owned(),
    }
}

/// The part of a chart without the marks of texts that are written as they are, and with constants (`numLit` and
/// `strLit` of ECMA-376 part 1, 21.2.2.122 and 21.2.2.200).
pub(super) fn without_marks(chart: &str) -> String {
    let text = chart.replace(MARK, "");
    let mut pieces = text.split(REFERENCE);
    let mut changed = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        match piece.split_once(REFERENCE_END).filter(|_| piece.starts_with([NUMBER, TEXT])) {
            Some((values, after)) => {
                changed.push_str(&literal(values));
                changed.push_str(after);
            }
            None => {
                changed.push_str(REFERENCE);
                changed.push_str(piece);
            }
        }
    }
    changed
}

/// The element of constants.
fn literal(values: &str) -> String {
    let (element, format) = match values.starts_with(NUMBER) {
        true => ("numLit", "<c:formatCode>General</c:formatCode>"),
        false => ("strLit", ""),
    };
    let mut points = String::new();
    let mut count = 0;
    for value in values.split([NUMBER, TEXT]).skip(1) {
        let _infallible = write!(points, r#"<c:pt idx="{count}"><c:v>{value}</c:v></c:pt>"#);
        count += 1;
    }
    format!(r#"<c:{element}>{format}<c:ptCount val="{count}"/>{points}</c:{element}>"#)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_sheets_with_any_name() {
        let named = |formula: &str| sheet_and_range(formula).map(|(sheet, range)| format!("{sheet} {range}"));
        for (formula, expected) in [
            ("=Data!$B$1", Some("Data B1")),
            ("='Bob''s'!$A$1:$A$4", Some("Bob's A1:A4")),
            ("='a!b'!$A$1", Some("a!b A1")),
            ("=Data!$A:$A", None),
            ("='[1]Data'!$A$1", None),
            ("=('A'!$A$1,'A'!$B$1)", None),
            ("=#REF!", None),
        ] {
            assert_eq!(named(formula).as_deref(), expected, "{formula}");
        }
    }
}
