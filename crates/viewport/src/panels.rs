//! EtherCalc's formulas `PANEL` and `SPLASH`, which decide what its view `/app` shows of a sheet.
//!
//! The result of `PANEL(shown, panel1, panel2, …)` names the panels that are shown, `PANEL:1,3`. Their
//! rows and columns are visible, also those that are hidden otherwise, and no others. Of several formulas
//! the last one of the sheet counts, row by row.

use quadrille_cell::{CellAddress, Dimension, Range, Value};
use quadrille_formula::{Expression, Reference, resolve_area};
use quadrille_workbook::Sheet;

/// Calls of `PANEL` and `SPLASH` that are considered, at most.
const CALLS_MAX: usize = 1_000;

/// The ranges that the view `/app` shows of a sheet; `None` for all of it. `is_opening`: the formulas have
/// not been calculated since the workbook was opened, so that the range of `SPLASH` is shown.
pub fn shown_ranges(sheet: &Sheet, is_opening: bool) -> Option<Vec<Range>> {
    let mut calls: Vec<(CellAddress, &str, &[Expression])> = Vec::new();
    for (column, first, last, template) in sheet.formula_runs(Range::whole_sheet()) {
        let Expression::Call { function, arguments } = template.expression() else { continue };
        let name: &str = function.text();
        if !matches!(name, "PANEL" | "SPLASH") {
            continue;
        }
        let cells = (first..=last).map(|row| CellAddress::clamped(row, column.get()));
        calls.extend(cells.take(CALLS_MAX - calls.len()).map(|cell| (cell, name, &**arguments)));
    }
    quadrille_cell::stable_sort_by_key(&mut calls, |(cell, ..)| (cell.row, cell.column));
    let last = |name: &str| calls.iter().rev().find(|(_, function, _)| *function == name);
    let panel = last("PANEL").and_then(|(cell, _, arguments)| {
        let Value::Text(result) = sheet.value(*cell) else { return None };
        let shown = result.strip_prefix("PANEL:")?.split(',').filter_map(|number| number.trim().parse().ok());
        let panels = shown.filter_map(|number: usize| arguments.get(number).filter(|_| number > 0));
        Some(panels.filter_map(|panel| range_of(panel, *cell)).collect())
    });
    let splash = || {
        let (cell, _, arguments) = last("SPLASH")?;
        Some(vec![range_of(arguments.first()?, *cell)?])
    };
    if is_opening { splash().or(panel) } else { panel.or_else(splash) }
}

/// A range of the sheet itself.
fn range_of(argument: &Expression, host: CellAddress) -> Option<Range> {
    match argument {
        Expression::Parenthesised(inner) => range_of(inner, host),
        Expression::Reference(Reference { sheet: None, area }) => resolve_area(area, host),
        _ => None,
    }
}

/// First index and count of each run of rows or columns that none of the ranges has, in ascending order.
pub(crate) fn hidden_around(ranges: &[Range], dimension: Dimension) -> Vec<(u32, u32)> {
    let span = |range: &Range| match dimension {
        Dimension::Rows => (range.first().row.get(), range.last().row.get() + 1),
        Dimension::Columns => (range.first().column.get(), range.last().column.get() + 1),
    };
    let mut shown: Vec<(u32, u32)> = ranges.iter().map(span).collect();
    shown.sort_unstable();
    let mut hidden = Vec::new();
    let mut next = 0;
    for (first, end) in shown.into_iter().chain([(dimension.len_max(), dimension.len_max())]) {
        if first > next {
            hidden.push((next, first - next));
        }
        next = next.max(end);
    }
    hidden
}

#[cfg(test)]
mod tests {
    use quadrille_cell::SheetId;

    use super::*;
    use crate::test_document;

    fn shown(cells: &str, is_opening: bool) -> Option<Vec<String>> {
        let document = test_document(cells);
        let ranges = shown_ranges(document.workbook().sheet(SheetId(1)).expect("a sheet"), is_opening);
        ranges.map(|ranges| ranges.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn the_shown_panels_are_those_that_the_first_argument_names() {
        for (cells, expected) in [
            ("A1: 5", None),
            ("A1: =PANEL(2,B2:C3,B5:C9)", Some(vec!["B5:C9"])),
            ("A1: =PANEL(\"1,2\",B2:C3,B5:C9)", Some(vec!["B2:C3", "B5:C9"])),
            ("A1: =PANEL(E1:E2,B2:C3,B5:C9) | E1: 2 | E2: 1", Some(vec!["B5:C9", "B2:C3"])),
            ("A1: =PANEL(3,B2:C3,B5:C9)", Some(vec![])),
            ("A1: =PANEL(0,B2:C3)", Some(vec![])),
            ("A1: =PANEL(1/0,B2:C3)", None),
            ("A1: =PANEL(1,B2) | A2: =PANEL(1,B3)", Some(vec!["B3"])),
        ] {
            let expected = expected.map(|ranges: Vec<&str>| ranges.into_iter().map(str::to_owned).collect());
            assert_eq!(shown(cells, false), expected, "{cells}");
        }
    }

    #[test]
    fn a_splash_is_shown_while_the_workbook_opens_or_if_there_is_no_panel() {
        let both = "A1: =SPLASH(B1:B2) | A2: =PANEL(1,C1:D9)";
        assert_eq!(shown(both, true), Some(vec!["B1:B2".to_owned()]));
        assert_eq!(shown(both, false), Some(vec!["C1:D9".to_owned()]));
        assert_eq!(shown("A1: =SPLASH(B1:B2)", false), Some(vec!["B1:B2".to_owned()]));
    }

    #[test]
    fn everything_around_the_ranges_is_hidden() {
        let ranges = ["B2:C3", "C3:D5", "A9"].map(|range| Range::parse_a1(range).expect("a range"));
        let rows = Dimension::Rows.len_max();
        assert_eq!(hidden_around(&ranges, Dimension::Rows), [(0, 1), (5, 3), (9, rows - 9)]);
        assert_eq!(hidden_around(&ranges, Dimension::Columns), [(4, Dimension::Columns.len_max() - 4)]);
        assert_eq!(hidden_around(&[], Dimension::Rows), [(0, rows)]);
    }
}
