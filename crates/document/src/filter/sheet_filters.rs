//! The filters of a sheet and the rows that they hide.

use std::cell::RefCell;

use quadrille_calc::{Cancel, Filter, FilterColumn, Filters};
use quadrille_cell::{CellAddress, DateSystem, Value};
use quadrille_workbook::{Color, Field, FieldValue, Item, ItemId, ItemKind, Sheet};

use super::condition::{Condition, RankBound};
use super::date_groups::DateGroups;
use super::displayed_texts::DisplayedTexts;
use crate::cell_text::invariant_text;
use crate::icon::Icon;

/// The shared filters of a sheet. Filter views, which one user sees, are not included.
#[derive(Debug)]
pub struct SheetFilters;

impl Filters for SheetFilters {
    fn of(&self, sheet: &Sheet, dates: DateSystem) -> Vec<Filter> {
        let shared = open_filters(sheet, None).into_iter();
        let filters = shared.filter_map(|(id, item)| filter(sheet, id, item, dates));
        let mut filters: Vec<Filter> = filters.collect();
        // Conditional formats may depend on any cell, including subtotals of the filter.
        if sheet.items().of_kind(ItemKind::ConditionalRule).next().is_some() {
            for filter in &mut filters {
                filter.columns.retain(|column| !is_by_appearance(&column.condition));
            }
        }
        filters
    }

    fn hide(
        &self,
        sheet: &Sheet,
        column: &FilterColumn,
        rows: &[(u32, u32)],
        cancel: &Cancel,
        hidden: &mut dyn FnMut(u32),
    ) {
        // Without conditional formats a cell displays its own colors.
        let appearance = |cell: CellAddress| {
            let format = sheet.format(cell);
            Appearance { fill: format.fill_color, text: format.text_color, icon: None }
        };
        hide(sheet, column, rows, cancel, &appearance, hidden);
    }
}

/// What a filter compares of a cell besides its value.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Appearance {
    pub fill: Option<Color>,
    pub text: Option<Color>,
    pub icon: Option<Icon>,
}

/// Whether the column is filtered by color or icon.
pub(super) fn is_by_appearance(condition: &Item) -> bool {
    condition.text(Field::Rule).is_some_and(|rule| matches!(&**rule, "color" | "textColor" | "icon"))
}

/// Implements [`Filters::hide`]; `appearance` returns the displayed colors and the icon of a cell.
pub(super) fn hide(
    sheet: &Sheet,
    column: &FilterColumn,
    rows: &[(u32, u32)],
    cancel: &Cancel,
    appearance: &dyn Fn(CellAddress) -> Appearance,
    hidden: &mut dyn FnMut(u32),
) {
    let (item, dates) = (&*column.condition, column.dates);
    let formats = RefCell::default();
    let cell = |row: u32| CellAddress::clamped(row, column.column);
    let mut hide_unless = |is_visible: &dyn Fn(CellAddress, &Value) -> bool| {
        for row in rows.iter().flat_map(|(first, last)| *first..=*last) {
            if cancel.is_requested_within(CELL_STEPS) {
                return;
            }
            if !is_visible(cell(row), &sheet.value(cell(row))) {
                hidden(row);
            }
        }
    };
    let text = |field: Field| item.text(field).map(|text| &**text).unwrap_or_default();
    match text(Field::Rule) {
        "condition" => {
            let condition = |operator: Field, value: Field| {
                let operator = text(operator);
                (!operator.is_empty()).then(|| Condition::new(operator, text(value), dates))
            };
            let first = condition(Field::Operator, Field::Value1);
            let second = condition(Field::Operator2, Field::Value2);
            let is_either = text(Field::Join) == "or";
            hide_unless(&|cell, value| {
                let holds = |condition: &Condition| {
                    condition.holds(value, || {
                        invariant_text(value, sheet.format(cell), dates, &formats).into_owned()
                    })
                };
                match (&first, &second) {
                    (None, None) => true,
                    (Some(only), None) | (None, Some(only)) => holds(only),
                    (Some(a), Some(b)) if is_either => holds(a) || holds(b),
                    (Some(a), Some(b)) => holds(a) && holds(b),
                }
            });
        }
        rule if is_ranking(rule) => {
            let rows = rows.iter().flat_map(|(first, last)| *first..=*last);
            let rows = rows.take_while(|_| !cancel.is_requested_within(1));
            let numbers = rows.filter_map(|row| match sheet.value(cell(row)) {
                Value::Number(number) => Some(number),
                _ => None,
            });
            let Some(bound) = RankBound::of(rule, item, numbers.collect()) else { return };
            hide_unless(&|_, value| match value {
                Value::Number(number) => bound.holds(*number),
                _ => false,
            });
        }
        "color" => {
            let color: Option<Color> = item.color(Field::Color);
            hide_unless(&|cell, _| appearance(cell).fill == color);
        }
        "textColor" => {
            let color: Option<Color> = item.color(Field::Color);
            hide_unless(&|cell, _| appearance(cell).text == color);
        }
        "icon" => {
            let (set, index) = (item.text(Field::IconSet), item.number(Field::IconIndex).unwrap_or(0.0));
            hide_unless(&|cell, _| match (appearance(cell).icon, set) {
                (Some(icon), Some(set)) => icon.set == *set && f64::from(icon.index) == index,
                (icon, set) => icon.is_none() && set.is_none(),
            });
        }
        _ => {
            let list = |field: Field| -> Option<Vec<&str>> {
                match item.fields.get(&field) {
                    Some(FieldValue::List(values)) => Some(values.iter().filter_map(as_text).collect()),
                    _ => None,
                }
            };
            let (visible, groups) = (list(Field::Shown), list(Field::ShownDates));
            let blanks = item.boolean(Field::ShowBlanks);
            if visible.is_none() && groups.is_none() && blanks.is_none() {
                return;
            }
            let groups = DateGroups::new(&groups.unwrap_or_default(), dates);
            let visible = DisplayedTexts::new(visible.unwrap_or_default(), blanks == Some(true), dates);
            hide_unless(&|cell, value| {
                let format = sheet.format(cell);
                groups.contains(value, format, &formats) || visible.contains(value, format)
            });
        }
    }
}

/// Testing a cell takes about as long as summing some tens of cells.
const CELL_STEPS: u64 = 32;

/// Whether the condition depends on all values of the column.
fn is_ranking(rule: &str) -> bool {
    matches!(rule, "top" | "bottom" | "aboveAverage" | "belowAverage")
}

/// Reads a filter item; `None` when it has no rows below its header.
pub(super) fn filter(sheet: &Sheet, id: ItemId, item: &Item, dates: DateSystem) -> Option<Filter> {
    let range = *item.anchors.first()?;
    let rows = (range.first().row.get() + 1, range.last().row.get());
    let mut columns = Vec::new();
    for (_, condition) in sheet.items().of_kind(ItemKind::FilterColumn) {
        let anchor = condition.anchors.first().filter(|_| condition.parent() == Some(id));
        let Some(column) = anchor.map(|anchor| anchor.first().column) else { continue };
        if (range.first().column..=range.last().column).contains(&column) {
            let depends_on_whole_column = condition.text(Field::Rule).is_some_and(|rule| is_ranking(rule));
            columns.push(FilterColumn {
                column: column.get(),
                condition: condition.clone(),
                depends_on_whole_column,
                dates,
            });
        }
    }
    (rows.0 <= rows.1).then_some(Filter { id, rows, columns })
}

/// Returns the filter view if it exists, otherwise the sheet's filter.
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
