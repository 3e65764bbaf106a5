//! Rows that the filter of a sheet hides. They follow from its conditions and the values of the moment, and are
//! written nowhere. Cells are judged as they look to whoever writes numbers in English, so that the same rows are hidden on
//! all screens: formulas leave them out (`quadrille_calc::Filters`).

mod cell_colors;
mod displayed_texts;

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_calc::{Cancel, Filter, FilterColumn, Filters, rows_in_filter};
use quadrille_cell::{CellAddress, DateSystem, Range, SheetId, Value};
use quadrille_number_format::{Locale, NumberFormat, Typing, read_typed_in};
use quadrille_workbook::{Color, Field, FieldValue, Format, Item, ItemId, ItemKind, Sheet};

pub use cell_colors::ColumnColors;

use crate::Document;
use crate::display::{text_without_code, with_number_format};
use cell_colors::CellColors;
use displayed_texts::DisplayedTexts;

impl Document {
    /// First row and count of what the sheet's filters hide, from above; with an open view, what that hides and no
    /// other. Costs what their ranges hold: ask when cells or items of the sheet have changed.
    pub fn filtered_rows(&self, sheet: SheetId, view: Option<ItemId>) -> Vec<(u32, u32)> {
        let Some(sheet) = self.workbook().sheet(sheet) else { return Vec::new() };
        // Below the last row in use there is nothing to hide.
        let used = sheet.used_range().map_or(0, |used| used.last().row.get());
        let mut hidden = vec![0u64; used as usize / 64 + 1];
        for (id, item) in open_filters(sheet, view) {
            let dates = self.workbook().date_system();
            let Some(filter) = filter(sheet, id, item, dates).filter(|filter| filter.rows.0 <= used) else {
                continue;
            };
            for column in &filter.columns {
                let rows = (filter.rows.0, filter.rows.1.min(used));
                let cells = Range::from_indices(rows.0, column.column, rows.1, column.column);
                let Some(cells) = cells else { continue };
                let colors = CellColors::new(self, sheet, cells);
                let colors = |cell: CellAddress| colors.of(cell);
                let judged = rows_in_filter(sheet, column.column, rows);
                hide(sheet, column, &judged, &Cancel::NEVER, &colors, &mut |row| {
                    hidden[row as usize / 64] |= 1 << (row % 64);
                });
            }
        }
        runs(&hidden)
    }

    /// What filters know the cell by: its text, as whoever writes numbers in English sees it.
    pub fn filtered_text(&self, sheet: SheetId, cell: CellAddress) -> String {
        let Some(sheet) = self.workbook().sheet(sheet) else { return String::new() };
        let (value, dates) = (sheet.value(cell), self.workbook().date_system());
        stored_text(&value, sheet.format(cell), dates, &self.number_formats).into_owned()
    }

    /// Whether cells of `range` decide over what the sheet's filters hide.
    pub fn is_filtering(&self, sheet: SheetId, range: Range) -> bool {
        let items = self.workbook().sheet(sheet).map(Sheet::items);
        let columns = items.into_iter().flat_map(|items| items.of_kind(ItemKind::FilterColumn));
        let filters = columns.filter_map(|(_, column)| items?.get(column.parent()?));
        let mut areas = filters.flat_map(|filter| &filter.anchors);
        areas.any(|area| area.intersects(range))
    }
}

/// The filters that everybody shares; views are one person's.
#[derive(Debug)]
pub struct SheetFilters;

impl Filters for SheetFilters {
    fn of(&self, sheet: &Sheet, dates: DateSystem) -> Vec<Filter> {
        let shared = open_filters(sheet, None).into_iter();
        let filters = shared.filter_map(|(id, item)| filter(sheet, id, item, dates));
        let mut filters: Vec<Filter> = filters.collect();
        // Colours that rules give may follow from any cell, these totals among them.
        if sheet.items().of_kind(ItemKind::ConditionalRule).next().is_some() {
            for filter in &mut filters {
                filter.columns.retain(|column| !is_by_color(&column.condition));
            }
        }
        filters
    }

    fn hide(
        &self,
        sheet: &Sheet,
        column: &FilterColumn,
        judged: &[(u32, u32)],
        cancel: &Cancel,
        hidden: &mut dyn FnMut(u32),
    ) {
        // Without rules a cell shows its own colours.
        let colors = |cell: CellAddress| {
            let format = sheet.format(cell);
            [format.fill_color, format.text_color]
        };
        hide(sheet, column, judged, cancel, &colors, hidden);
    }
}

/// Whether a column is filtered by what cells look like.
fn is_by_color(condition: &Item) -> bool {
    condition.text(Field::Rule).is_some_and(|rule| matches!(&**rule, "color" | "textColor"))
}

/// As [`Filters::hide`]; `colors` says which fill and text colour a cell shows.
fn hide(
    sheet: &Sheet,
    column: &FilterColumn,
    judged: &[(u32, u32)],
    cancel: &Cancel,
    colors: &dyn Fn(CellAddress) -> [Option<Color>; 2],
    hidden: &mut dyn FnMut(u32),
) {
    let (item, dates) = (&*column.condition, column.dates);
    let formats = RefCell::default();
    let cell = |row: u32| CellAddress::clamped(row, column.column);
    let mut keep_by_value = |is_shown: &dyn Fn(CellAddress, &Value) -> bool| {
        for row in judged.iter().flat_map(|(first, last)| *first..=*last) {
            if cancel.is_requested_within(CELL_STEPS) {
                return;
            }
            if !is_shown(cell(row), &sheet.value(cell(row))) {
                hidden(row);
            }
        }
    };
    let text = |field: Field| item.text(field).map(|text| &**text).unwrap_or_default();
    let is_by_fill = text(Field::Rule) == "color";
    match text(Field::Rule) {
        "condition" => {
            let condition = |operator: Field, value: Field| {
                let operator = text(operator);
                (!operator.is_empty()).then(|| Condition::new(operator, text(value), dates))
            };
            let first = condition(Field::Operator, Field::Value1);
            let second = condition(Field::Operator2, Field::Value2);
            let is_either = text(Field::Join) == "or";
            keep_by_value(&|cell, value| {
                let holds = |condition: &Condition| {
                    condition
                        .holds(value, || stored_text(value, sheet.format(cell), dates, &formats).into_owned())
                };
                match (&first, &second) {
                    (None, None) => true,
                    (Some(only), None) | (None, Some(only)) => holds(only),
                    (Some(a), Some(b)) if is_either => holds(a) || holds(b),
                    (Some(a), Some(b)) => holds(a) && holds(b),
                }
            });
        }
        rule if ranks(rule) => {
            let rows = judged.iter().flat_map(|(first, last)| *first..=*last);
            let rows = rows.take_while(|_| !cancel.is_requested_within(1));
            let numbers = rows.filter_map(|row| match sheet.value(cell(row)) {
                Value::Number(number) => Some(number),
                _ => None,
            });
            let Some(bound) = Bound::of(rule, item, numbers.collect()) else { return };
            keep_by_value(&|_, value| match value {
                Value::Number(number) => bound.holds(*number),
                _ => false,
            });
        }
        "color" | "textColor" => {
            let color: Option<Color> = item.color(Field::Color);
            keep_by_value(&|cell, _| {
                let [fill, text] = colors(cell);
                color == if is_by_fill { fill } else { text }
            });
        }
        _ => {
            let shown: Option<Vec<&str>> = match item.fields.get(&Field::Shown) {
                Some(FieldValue::List(values)) => Some(values.iter().filter_map(as_text).collect()),
                _ => None,
            };
            let blanks = item.boolean(Field::ShowBlanks);
            if shown.is_none() && blanks.is_none() {
                return;
            }
            let shown = DisplayedTexts::new(shown.unwrap_or_default(), blanks == Some(true), dates);
            keep_by_value(&|cell, value| shown.has(value, sheet.format(cell)));
        }
    }
}

/// Judging a cell takes as long as some tens of cells that are summed.
const CELL_STEPS: u64 = 32;

/// Rules for which all values of the column count.
fn ranks(rule: &str) -> bool {
    matches!(rule, "top" | "bottom" | "aboveAverage" | "belowAverage")
}

/// `None` when it has no rows below its header.
fn filter(sheet: &Sheet, id: ItemId, item: &Item, dates: DateSystem) -> Option<Filter> {
    let range = *item.anchors.first()?;
    let rows = (range.first().row.get() + 1, range.last().row.get());
    let mut columns = Vec::new();
    for (_, condition) in sheet.items().of_kind(ItemKind::FilterColumn) {
        let anchor = condition.anchors.first().filter(|_| condition.parent() == Some(id));
        let Some(column) = anchor.map(|anchor| anchor.first().column) else { continue };
        if (range.first().column..=range.last().column).contains(&column) {
            let ranks = condition.text(Field::Rule).is_some_and(|rule| ranks(rule));
            columns.push(FilterColumn { column: column.get(), condition: condition.clone(), ranks, dates });
        }
    }
    (rows.0 <= rows.1).then_some(Filter { id, rows, columns })
}

/// What a cell shows to whoever writes numbers in English.
fn stored_text<'a>(
    value: &'a Value,
    format: &Format,
    dates: DateSystem,
    formats: &RefCell<BTreeMap<Arc<str>, NumberFormat>>,
) -> Cow<'a, str> {
    match (value, &format.number_format) {
        (Value::Text(text), None) => Cow::Borrowed(text),
        (Value::Number(_) | Value::Text(_), Some(code)) => {
            Cow::Owned(with_number_format(formats, code, dates, |format| format.format(value).text))
        }
        _ => Cow::Owned(text_without_code(value, Locale::STORED)),
    }
}

/// The sheet's filter, or the view that is open if it is still there.
pub fn open_filters(sheet: &Sheet, view: Option<ItemId>) -> Vec<(ItemId, &Item)> {
    let open = view.and_then(|id| Some((id, sheet.item(id)?)));
    match open.filter(|(_, item)| item.kind == ItemKind::FilterView) {
        Some((id, item)) => vec![(id, item)],
        None => sheet.items().of_kind(ItemKind::AutoFilter).map(|(id, item)| (id, &**item)).collect(),
    }
}

fn as_text(value: &FieldValue) -> Option<&str> {
    match value {
        FieldValue::Text(text) => Some(text),
        _ => None,
    }
}

/// Runs of rows that are set, one bit each.
fn runs(rows: &[u64]) -> Vec<(u32, u32)> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for (word, first) in rows.iter().zip((0u32..).step_by(64)) {
        let mut left = *word;
        while left != 0 {
            let row = first + left.trailing_zeros();
            // All that are set next to one another, up to the end of the word.
            let count = (left >> left.trailing_zeros()).trailing_ones();
            match runs.last_mut() {
                Some((start, length)) if *start + *length == row => *length += count,
                _ => runs.push((row, count)),
            }
            left &= !(u64::MAX >> (64 - count) << (row - first));
        }
    }
    runs
}

/// One comparison with what somebody typed.
struct Condition {
    operator: String,
    number: Option<f64>,
    /// In lower case: comparing texts takes no regard to case.
    text: String,
}

impl Condition {
    fn new(operator: &str, typed: &str, dates: DateSystem) -> Condition {
        let number = match read_typed_in(typed, Typing::stored(dates)).value {
            Value::Number(number) => Some(number),
            _ => None,
        };
        Condition { operator: operator.to_owned(), number, text: typed.to_lowercase() }
    }

    /// Numbers compare with numbers; everything else as it is shown.
    fn holds(&self, value: &Value, shown: impl Fn() -> String) -> bool {
        if let (Some(wanted), Value::Number(number)) = (self.number, value) {
            match self.operator.as_str() {
                "equal" => return *number == wanted,
                "notEqual" => return *number != wanted,
                "greater" => return *number > wanted,
                "greaterOrEqual" => return *number >= wanted,
                "less" => return *number < wanted,
                "lessOrEqual" => return *number <= wanted,
                _ => {}
            }
        }
        let shown = shown().to_lowercase();
        let is_text = !matches!(value, Value::Number(_) | Value::Blank);
        match self.operator.as_str() {
            "equal" => matches(&self.text, &shown),
            "notEqual" => !matches(&self.text, &shown),
            "contains" => shown.contains(&self.text),
            "notContains" => !shown.contains(&self.text),
            "beginsWith" => shown.starts_with(&self.text),
            "endsWith" => shown.ends_with(&self.text),
            "greater" => is_text && self.number.is_none() && shown > self.text,
            "greaterOrEqual" => is_text && self.number.is_none() && shown >= self.text,
            "less" => is_text && self.number.is_none() && shown < self.text,
            "lessOrEqual" => is_text && self.number.is_none() && shown <= self.text,
            _ => true,
        }
    }
}

/// Whether `text` is of the form `pattern`, in which `*` is any text, `?` any character and `~` takes their
/// meaning from them. Both in lower case. Costs the product of their lengths at most.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts: Vec<Option<char>> = Vec::new(); // `None`: any character
    let mut stars: Vec<usize> = Vec::new(); // places in `parts` before which any text may stand
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        match character {
            '*' => stars.push(parts.len()),
            '?' => parts.push(None),
            '~' => parts.push(Some(characters.next().unwrap_or('~'))),
            other => parts.push(Some(other)),
        }
    }
    let text: Vec<char> = text.chars().collect();
    // Which lengths of `parts` the text so far can be; begun anew for each of its characters.
    let mut reached = vec![false; parts.len() + 1];
    reached[0] = true;
    for character in text {
        let mut next = vec![false; parts.len() + 1];
        for (length, _) in reached.iter().enumerate().filter(|(_, is_reached)| **is_reached) {
            if stars.contains(&length) {
                next[length] = true;
            }
            if parts.get(length).is_some_and(|part| part.is_none_or(|part| part == character)) {
                next[length + 1] = true;
            }
        }
        reached = next;
    }
    reached[parts.len()]
}

/// What a number must reach to be shown.
struct Bound {
    limit: f64,
    is_upward: bool,
    includes_limit: bool,
}

impl Bound {
    /// `None` when there are no numbers, and nothing is hidden.
    fn of(rule: &str, column: &Item, mut numbers: Vec<f64>) -> Option<Bound> {
        if numbers.is_empty() {
            return None;
        }
        if rule.ends_with("Average") {
            let limit = numbers.iter().sum::<f64>() / numbers.len() as f64;
            return Some(Bound { limit, is_upward: rule == "aboveAverage", includes_limit: false });
        }
        let is_upward = rule == "top";
        numbers.sort_unstable_by(f64::total_cmp);
        if is_upward {
            numbers.reverse();
        }
        let rank = column.number(Field::Rank).unwrap_or(10.0);
        let count = match column.boolean(Field::Percent).unwrap_or(false) {
            true => (numbers.len() as f64 * rank / 100.0).floor(),
            false => rank,
        };
        let index = (count.max(1.0) as usize).min(numbers.len()) - 1;
        Some(Bound { limit: numbers[index], is_upward, includes_limit: true })
    }

    fn holds(&self, number: f64) -> bool {
        let is_beyond = if self.is_upward { number > self.limit } else { number < self.limit };
        is_beyond || self.includes_limit && number == self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    proptest! {
        #[test]
        fn runs_are_the_rows_that_are_set(rows in prop::collection::btree_set(0..200u32, 0..200)) {
            let mut bits = vec![0u64; 4];
            for row in &rows {
                bits[*row as usize / 64] |= 1 << (row % 64);
            }
            let runs = runs(&bits);
            prop_assert!(runs.windows(2).all(|pair| pair[0].0 + pair[0].1 < pair[1].0), "{:?}", runs);
            let told: Vec<u32> = runs.into_iter().flat_map(|(first, count)| first..first + count).collect();
            prop_assert_eq!(told, rows.into_iter().collect::<Vec<u32>>());
        }
    }

    #[test]
    fn patterns() {
        for (pattern, text, expected) in [
            ("ink", "ink", true),
            ("ink", "inks", false),
            ("*ink*", "blue inks", true),
            ("i?k", "ick", true),
            ("i?k", "ik", false),
            ("a*b*c", "a--b--c", true),
            ("a*b*c", "a--c--b", false),
            ("~*", "*", true),
            ("~*", "x", false),
            ("*", "", true),
            ("", "", true),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }
}
