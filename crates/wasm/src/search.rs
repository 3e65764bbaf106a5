//! Find and replace across sheets, and the distinct values and colors of a column.

use std::collections::BTreeMap;

use quadrille_cell::{CellAddress, Range, SheetId, SmallMap};
use quadrille_document::{Document, Finder, Icon, MATCHES_MAX, Search, SearchError};
use quadrille_operation::{CellContent, Command};
use quadrille_viewport::cell_marks::RuleIcon;
use quadrille_workbook::Color;

use crate::filter_messages::{ColumnValue, DisplayedColors};
use crate::messages::{FoundCell, FoundCells, RangePosition, SearchScope};

/// Replaced cells of a column with at most so many other cells between are written by one command,
/// which keeps the cells between.
const GAP_MAX: u32 = 16;
/// Maximum number of distinct values of a column in a filter.
const VALUES_MAX: usize = 10_000;

/// The cells that match a search, in tab order and row order.
pub fn find(document: &Document, search: &SearchScope) -> FoundCells {
    let (finder, ranges) = match prepared(document, search) {
        Ok(prepared) => prepared,
        Err(error) => return FoundCells { problem: Some(error.to_string()), ..FoundCells::default() },
    };
    let mut answer = FoundCells::default();
    for (sheet, range) in ranges {
        let found = document.find(&finder, sheet, range);
        answer.total += found.total as f64;
        let remaining = MATCHES_MAX - answer.cells.len();
        answer.cells.extend(found.cells.iter().take(remaining).map(|cell| found_cell(sheet, *cell)));
    }
    answer
}

fn found_cell(sheet: SheetId, cell: CellAddress) -> FoundCell {
    FoundCell { sheet: sheet.0, row: cell.row.get(), column: cell.column.get() }
}

/// The cells of a sheet that violate a data validation rule.
pub fn invalid_cells(document: &Document, sheet: SheetId) -> FoundCells {
    let found = document.invalid_cells(sheet);
    let cells = found.cells.iter().map(|cell| found_cell(sheet, *cell)).collect();
    FoundCells { total: found.total as f64, cells, problem: None }
}

/// The command that replaces all matches by `with`, and the number of cells that it changes.
///
/// # Errors
/// When the text is empty or too long, or not a valid pattern.
pub fn replace(document: &Document, search: &SearchScope, with: &str) -> Result<(Command, u32), SearchError> {
    let (finder, ranges) = prepared(document, search)?;
    let mut commands = Vec::new();
    let mut cells = 0;
    for (sheet, range) in ranges {
        let mut columns: SmallMap<u32, Vec<(u32, String)>> = SmallMap::default();
        for (cell, text) in document.replacements(&finder, sheet, range, with) {
            cells += 1;
            columns.get_or_insert_with(cell.column.get(), Vec::new).push((cell.row.get(), text));
        }
        for (column, mut rows) in columns {
            quadrille_cell::stable_sort_by_key(&mut rows, |(row, _)| *row);
            commands.extend(blocks(sheet, column, rows));
        }
    }
    Ok((Command::Many { commands }, cells))
}

/// The compiled search and the ranges to search.
fn prepared(
    document: &Document,
    search: &SearchScope,
) -> Result<(Finder, Vec<(SheetId, Range)>), SearchError> {
    let finder = Search {
        text: search.text.clone(),
        is_pattern: search.is_pattern,
        matches_case: search.matches_case,
        whole_cell: search.whole_cell,
        in_formulas: search.in_formulas,
    }
    .compile()?;
    let whole = Range::new(CellAddress::clamped(0, 0), CellAddress::clamped(u32::MAX, u32::MAX));
    let sheets = document.workbook().sheets().iter().map(|sheet| sheet.id());
    let range = search.range.map_or(whole, Range::from);
    let ranges = sheets
        .filter(|sheet| search.sheet.is_none_or(|wanted| wanted == sheet.0))
        .map(|sheet| (sheet, range))
        .collect();
    Ok((finder, ranges))
}

/// Commands that type `rows` (row and text, ascending) into a column.
fn blocks(sheet: SheetId, column: u32, rows: Vec<(u32, String)>) -> Vec<Command> {
    let mut commands = Vec::new();
    let mut block: Option<(u32, Vec<Vec<CellContent>>)> = None;
    let mut finish = |block: Option<(u32, Vec<Vec<CellContent>>)>| {
        if let Some((first, cells)) = block {
            let at = CellAddress::clamped(first, column).to_string();
            commands.push(Command::SetCells { sheet: sheet.0, at, cells });
        }
    };
    for (row, text) in rows {
        let content = vec![CellContent::Typed(text)];
        match &mut block {
            Some((first, cells)) if row - (*first + cells.len() as u32) <= GAP_MAX => {
                cells.resize((row - *first) as usize, vec![CellContent::Keep]);
                cells.push(content);
            }
            _ => finish(block.replace((row, vec![content]))),
        }
    }
    finish(block);
    commands
}

/// The distinct displayed values of a column of `range`, ordered by their filter key.
pub fn column_values(
    document: &Document,
    sheet: SheetId,
    range: RangePosition,
    column: u32,
) -> Vec<ColumnValue> {
    let range = Range::from(range);
    let mut values: BTreeMap<String, Vec<(u32, u32)>> = BTreeMap::new();
    for row in range.first().row.get()..=range.last().row.get() {
        let key = document.filtered_text(sheet, CellAddress::clamped(row, column));
        if values.len() >= VALUES_MAX && !values.contains_key(&key) {
            continue;
        }
        let rows = values.entry(key).or_default();
        match rows.last_mut() {
            Some((first, count)) if *first + *count == row => *count += 1,
            _ => rows.push((row, 1)),
        }
    }
    let value = |(key, rows): (String, Vec<(u32, u32)>)| {
        let cell = CellAddress::clamped(rows[0].0, column);
        let text = document.display(sheet, cell).text;
        ColumnValue { text, known: key, rows, date: document.displayed_day(sheet, cell) }
    };
    values.into_iter().map(value).collect()
}

/// The distinct displayed fill and text colors and icons of a column of `range`.
pub fn column_colors(
    document: &Document,
    sheet: SheetId,
    range: RangePosition,
    column: u32,
) -> DisplayedColors {
    let cells = Range::from(RangePosition { left: column, right: column, ..range });
    let found = document.column_colors(sheet, cells);
    let numbers =
        |colors: Vec<Option<Color>>| colors.into_iter().map(|color| color.map(|Color(rgb)| rgb)).collect();
    let icon = |icon: Icon| RuleIcon { set: icon.set.to_string(), index: icon.index };
    let icons = found.icons.into_iter().map(|found| found.map(icon)).collect();
    DisplayedColors { fills: numbers(found.fills), texts: numbers(found.texts), icons }
}
