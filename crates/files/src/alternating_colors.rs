//! Alternating colors as conditional formats, for files of programs that do not have them.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_cell::Range;
use quadrille_formula::{Host, parse};
use quadrille_workbook::{Color, Field, FieldValue, Item, ItemKind, Sheet, Workbook};

/// Ranges without a color of their own of one item, at most; of more, the colors of cells are covered.
const RANGES_MAX: usize = 1_000;

/// Rules that show the alternating colors of a sheet, to be written after its own ones. The colors of cells
/// take precedence, as in the client.
pub(crate) fn rules_of_alternating_colors(workbook: &Workbook, sheet: &Sheet) -> Vec<Item> {
    let mut rules = Vec::new();
    for (_, item) in sheet.items().of_kind(ItemKind::AlternatingColors) {
        let Some(range) = item.anchors.first().copied() else { continue };
        let (top, bottom) = (range.first().row.get(), range.last().row.get());
        let [header, first, second, footer] =
            [Field::HeaderColor, Field::FirstColor, Field::SecondColor, Field::FooterColor]
                .map(|field| item.color(field));
        // The header comes before the footer, where one row is both.
        let body_top = top + u32::from(header.is_some());
        let body_bottom = bottom.saturating_sub(u32::from(footer.is_some()));
        let alternates = |rest: u32| format!("MOD(ROW()-{},2)={rest}", body_top + 1);
        for (color, first_row, last_row, condition) in [
            (header, top, top, "TRUE".to_owned()),
            (footer, bottom.max(body_top), bottom, "TRUE".to_owned()),
            (first, body_top, body_bottom, alternates(0)),
            (second, body_top, body_bottom, alternates(1)),
        ] {
            let (left, right) = (range.first().column.get(), range.last().column.get());
            let rows =
                Range::from_indices(first_row, left, last_row, right).filter(|_| first_row <= last_row);
            let (Some(color), Some(rows)) = (color, rows) else { continue };
            rules.extend(rule(workbook, sheet, rows, color, &condition));
        }
    }
    rules
}

fn rule(workbook: &Workbook, sheet: &Sheet, rows: Range, color: Color, condition: &str) -> Option<Item> {
    let mut item = Item::new(ItemKind::ConditionalRule);
    item.anchors = without_colored(sheet, rows);
    let at = item.anchors.first()?.first();
    let template = parse(condition, Host { sheet: sheet.id(), cell: at }, workbook);
    let format = BTreeMap::from([(Field::FillColor, FieldValue::Color(color))]);
    item.fields.insert(Field::Rule, FieldValue::Text(Arc::from("formula")));
    item.fields.insert(Field::Formula1, FieldValue::Formula { at, template });
    item.fields.insert(Field::Format, FieldValue::Record(format));
    Some(item)
}

/// The parts of a range whose cells have no fill of their own.
fn without_colored(sheet: &Sheet, range: Range) -> Vec<Range> {
    let mut parts = vec![range];
    for (colored, _) in sheet.format_runs(range).filter(|(_, format)| format.fill_color.is_some()) {
        parts = parts.into_iter().flat_map(|part| part.subtract(colored)).collect();
        if parts.len() > RANGES_MAX {
            return vec![range];
        }
    }
    parts
}
