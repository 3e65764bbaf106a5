//! Chart sheets: sheets that are a chart (`chartsheet`, ECMA-376 part 1, chapter 18.3.1.12).

use std::sync::Arc;

use quadrille_formula::Expression;
use quadrille_workbook::{Field, FieldValue, ItemId, ItemKind, Sheet, Workbook};
use rust_xlsxwriter as xlsx;

use super::write_charts;
use super::write_items::write_page_settings;
use super::write_target::Target;
use crate::contents::Contents;

/// Marks the chart of a chart sheet, which is the sheet added last.
pub(super) fn mark(contents: &mut Contents) {
    let sheet = contents.sheets.last_mut();
    let chart = sheet.and_then(|sheet| sheet.items.iter_mut().find(|item| item.kind == ItemKind::Chart));
    if let Some(chart) = chart {
        chart.fields.flag(Field::OwnSheet, Some(true), false);
        // It fills the sheet; the file has the size of the window of another program.
        for field in [Field::Width, Field::Height, Field::OffsetX, Field::OffsetY] {
            chart.fields.remove(field);
        }
    }
}

/// Whether a file has the sheet as a chart sheet. If the sheet also has cells or other items, the file has
/// a worksheet with the chart over the cells, so that nothing is lost.
pub(crate) fn is_chart_sheet(workbook: &Workbook, sheet: &Sheet) -> bool {
    sheet.items().own_sheet_chart().is_some() && written(workbook, sheet).is_some()
}

/// The chart sheet of a file; `None` for a sheet that becomes a worksheet.
pub(super) fn written(workbook: &Workbook, sheet: &Sheet) -> Option<xlsx::Worksheet> {
    let (id, chart) = sheet.items().own_sheet_chart()?;
    let is_other = |(other, _): &(ItemId, _)| *other != id && *other != ItemId::SETTINGS;
    let has_others = sheet.items().iter().any(|item| is_other(&item));
    if has_others || sheet.used_range().is_some() || chart.fields.values().any(has_reference_without_sheet) {
        return None;
    }
    let mut target = xlsx::Worksheet::new_chartsheet();
    write_charts::write(&Target { workbook, sheet }, &mut target, chart, None).ok()?;
    if let Some(settings) = sheet.item(ItemId::SETTINGS) {
        write_page_settings(&mut target, settings);
    }
    // Excel fits the chart to the window.
    target.set_zoom_to_fit(true);
    Some(target)
}

/// The names of the parts of the sheets in a file. Worksheets and chart sheets are numbered separately.
pub(super) fn sheet_parts(workbook: &Workbook) -> Vec<String> {
    let mut counts = [0, 0];
    let part = |sheet: &Arc<Sheet>| {
        let is_chart = is_chart_sheet(workbook, sheet);
        let number = &mut counts[usize::from(is_chart)];
        *number += 1;
        format!("xl/{}/sheet{number}.xml", if is_chart { "chartsheets" } else { "worksheets" })
    };
    workbook.sheets().iter().map(part).collect()
}

/// Whether a field refers to cells of the chart's own sheet, which a chart sheet does not have.
fn has_reference_without_sheet(value: &FieldValue) -> bool {
    match value {
        FieldValue::Formula { template, .. } => {
            matches!(template.expression(), Expression::Reference(reference) if reference.sheet.is_none())
        }
        FieldValue::List(values) => values.iter().any(has_reference_without_sheet),
        FieldValue::Record(fields) => fields.values().any(has_reference_without_sheet),
        _ => false,
    }
}
