//! Rows that the filter of a sheet hides. They follow from its conditions and the values of the moment, and are
//! written nowhere.

mod colors;

use quadrille_ordered::Set;

use quadrille_cell::{CellAddress, Range, SheetId, Value};
use quadrille_number_format::read_typed;
use quadrille_workbook::{Color, Field, FieldValue, Item, ItemId, ItemKind, Sheet};

pub use colors::ColumnColors;

use crate::Document;
use colors::Colors;

impl Document {
    /// First row and count of what the sheet's filters hide, from above; with an open view, what that hides and no
    /// other. Costs what their ranges hold: ask when cells or items of the sheet have changed.
    pub fn filtered_rows(&self, sheet: SheetId, view: Option<ItemId>) -> Vec<(u32, u32)> {
        let Some(sheet) = self.workbook().sheet(sheet) else { return Vec::new() };
        let mut hidden: Set<u32> = Set::new();
        for (id, filter) in open_filters(sheet, view) {
            let Some(range) = filter.anchors.first().copied() else { continue };
            // The first row holds the headers. Below the last row in use there is nothing to hide.
            let used = sheet.used_range().map_or(0, |used| used.last().row.get());
            let (first, last) = (range.first().row.get() + 1, range.last().row.get().min(used));
            for (_, column) in sheet.items().of_kind(ItemKind::FilterColumn) {
                let Some(anchor) = column.anchors.first().filter(|_| column.parent() == Some(id)) else {
                    continue;
                };
                let cells = Range::from_indices(
                    first,
                    anchor.first().column.get(),
                    last,
                    anchor.first().column.get(),
                );
                let Some(cells) = cells.filter(|cells| range.contains_range(*cells)) else { continue };
                self.hide(sheet, cells, column, &mut hidden);
            }
        }
        runs(hidden)
    }

    /// Whether cells of `range` decide over what the sheet's filters hide.
    pub fn is_filtering(&self, sheet: SheetId, range: Range) -> bool {
        let items = self.workbook().sheet(sheet).map(Sheet::items);
        let columns = items.into_iter().flat_map(|items| items.of_kind(ItemKind::FilterColumn));
        let filters = columns.filter_map(|(_, column)| items?.get(column.parent()?));
        let mut areas = filters.flat_map(|filter| &filter.anchors);
        areas.any(|area| area.intersects(range))
    }

    fn hide(&self, sheet: &Sheet, cells: Range, column: &Item, hidden: &mut Set<u32>) {
        let text = |field: Field| column.text(field).map(|text| &**text).unwrap_or_default();
        let rule = text(Field::Rule);
        let mut keep_by_value = |is_shown: &dyn Fn(CellAddress, &Value) -> bool| {
            for cell in cells.cells() {
                if !is_shown(cell, &sheet.value(cell)) {
                    hidden.insert(cell.row.get());
                }
            }
        };
        match rule {
            "condition" => {
                let condition = |operator: Field, value: Field| {
                    let operator = text(operator);
                    (!operator.is_empty()).then(|| Condition::new(operator, text(value)))
                };
                let first = condition(Field::Operator, Field::Value1);
                let second = condition(Field::Operator2, Field::Value2);
                let is_either = text(Field::Join) == "or";
                keep_by_value(&|cell, value| {
                    let holds = |condition: &Condition| {
                        condition.holds(value, || self.display_value(value, sheet.format(cell)).text)
                    };
                    match (&first, &second) {
                        (None, None) => true,
                        (Some(only), None) | (None, Some(only)) => holds(only),
                        (Some(a), Some(b)) if is_either => holds(a) || holds(b),
                        (Some(a), Some(b)) => holds(a) && holds(b),
                    }
                });
            }
            "top" | "bottom" | "aboveAverage" | "belowAverage" => {
                let numbers = cells.cells().filter_map(|cell| match sheet.value(cell) {
                    Value::Number(number) => Some(number),
                    _ => None,
                });
                let Some(bound) = Bound::of(rule, column, numbers.collect()) else { return };
                keep_by_value(&|_, value| match value {
                    Value::Number(number) => bound.holds(*number),
                    _ => false,
                });
            }
            "color" | "textColor" => {
                let color: Option<Color> = column.color(Field::Color);
                let colors = Colors::new(self, sheet, cells);
                keep_by_value(&|cell, _| {
                    let [fill, text] = colors.of(cell);
                    color == if rule == "color" { fill } else { text }
                });
            }
            _ => {
                let mut shown: Option<Vec<&str>> = match column.fields.get(&Field::Shown) {
                    Some(FieldValue::List(values)) => Some(values.iter().filter_map(as_text).collect()),
                    _ => None,
                };
                if let Some(shown) = &mut shown {
                    quadrille_ordered::sort(shown);
                }
                let blanks = column.boolean(Field::ShowBlanks);
                if shown.is_none() && blanks.is_none() {
                    return;
                }
                keep_by_value(&|cell, value| {
                    let display = self.display_value(value, sheet.format(cell)).text;
                    match display.is_empty() {
                        true => blanks.unwrap_or(false),
                        false => {
                            shown.as_ref().is_some_and(|shown| shown.binary_search(&display.as_str()).is_ok())
                        }
                    }
                });
            }
        }
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

fn runs(rows: Set<u32>) -> Vec<(u32, u32)> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for row in rows {
        match runs.last_mut() {
            Some((first, count)) if *first + *count == row => *count += 1,
            _ => runs.push((row, 1)),
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
    fn new(operator: &str, typed: &str) -> Condition {
        let number = match read_typed(typed).value {
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
        quadrille_ordered::numbers(&mut numbers);
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
