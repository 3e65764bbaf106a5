//! What an `.ods` or `.fods` file leaves out or changes.

use quadrille_cell::{Dimension, Range};
use quadrille_workbook::{
    Field, Format, HorizontalAlignment, Item, ItemId, ItemKind, Overflow, Sheet, UnderlineStyle, Workbook,
};

use super::collected::Losses;
use super::formulas::{add_foreign_functions, run_range};
use super::items::{
    add_function_help, add_omitted, filter_columns, has_chip_fields, is_icon_set, is_rating_or_people,
};
use super::loss::LossKind;
use crate::charts::{Record, is_on, series_with_values};
use crate::images::Images;
use crate::ods;
use crate::sheet_titles::changed_titles;

/// Adds the losses of the workbook.
pub fn find(workbook: &Workbook, images: &Images, losses: &mut Losses) {
    for (name, title) in changed_titles(workbook, None) {
        losses.add(LossKind::SheetNames, None, &[], &format!("{name} → {title}"));
    }
    for name in ods::rejected_names(workbook) {
        losses.add(LossKind::Names, None, &[], &name);
    }
    add_function_help(workbook, &[Field::Arguments, Field::Description], losses);
    for sheet in workbook.sheets() {
        for (column, first, last, template) in sheet.formula_runs(Range::whole_sheet()) {
            let range = run_range(column.get(), first, last);
            if !ods::can_express(template, sheet, range.first(), workbook) {
                losses.add_many(LossKind::Formulas, Some(sheet), &[range], "", u64::from(last - first + 1));
            }
        }
        add_foreign_functions(sheet, losses);
        add_formats(sheet, losses);
        let pivots = ods::written_pivots(workbook, sheet);
        let unmerged = ods::unmerged(sheet);
        let groups = [Dimension::Rows, Dimension::Columns].map(|of| ods::Groups::of(sheet, of));
        for (id, item) in sheet.items().iter() {
            match item.kind {
                ItemKind::Merge if !unmerged.contains(&id) => {}
                ItemKind::Note | ItemKind::Link | ItemKind::PageBreak | ItemKind::AlternatingColors => {}
                ItemKind::Validation if is_validation_written(workbook, sheet, id, item) => {
                    if is_rating_or_people(item) {
                        losses.add_item(LossKind::RatingsAndPeople, sheet, item, None);
                    } else if has_chip_fields(item) {
                        losses.add_item(LossKind::ChoiceColors, sheet, item, None);
                    }
                }
                ItemKind::ConditionalRule if ods::is_rule_written(workbook, sheet, item) => {
                    if !ods::has_written_thresholds(item) && is_icon_set(item) {
                        losses.add_item(LossKind::IconThresholds, sheet, item, None);
                    }
                }
                ItemKind::OutlineGroup if groups.iter().any(|groups| groups.contains(id)) => {}
                ItemKind::SheetSettings => {
                    if !ods::is_page_setup_written(item) {
                        losses.add(LossKind::PageSetup, Some(sheet), &[], "");
                    }
                }
                ItemKind::AutoFilter if is_filter_written(sheet, id) => {}
                ItemKind::Chart if ods::is_chart_written(workbook, sheet, item) => {
                    add_chart(sheet, item, losses)
                }
                ItemKind::Image if ods::is_image_written(item, images) => {
                    if item.boolean(Field::InCell) == Some(true) {
                        losses.add_item(LossKind::ImagesInCells, sheet, item, item.text(Field::AltText));
                    }
                }
                ItemKind::PivotTable
                    if item.anchors.first().is_some_and(|at| pivots.contains(&at.first())) => {}
                _ => add_omitted(sheet, item, losses),
            }
        }
    }
}

fn add_chart(sheet: &Sheet, item: &Item, losses: &mut Losses) {
    let is_combined = item.text(Field::Aggregate).is_some_and(|aggregate| &**aggregate != "none");
    let has_cells =
        |fields: &&Record| is_on(fields, Field::Labels) && fields.contains_key(&Field::LabelCells);
    for (kind, is_lost) in [
        (LossKind::ChartTypes, !ods::is_chart_type_written(item)),
        (LossKind::ChartSheets, item.boolean(Field::OwnSheet) == Some(true)),
        (LossKind::ChartPoints, is_combined),
        (LossKind::ChartLabels, series_with_values(item).iter().any(has_cells)),
    ] {
        if is_lost {
            losses.add_item(kind, sheet, item, item.text(Field::Title));
        }
    }
}

fn add_formats(sheet: &Sheet, losses: &mut Losses) {
    for (range, format) in sheet.format_runs(Range::whole_sheet()) {
        let code = format.number_format.as_deref();
        for (kind, is_lost) in [
            (
                LossKind::NumberFormats,
                code.is_some_and(|code| code != "General" && !ods::has_data_style(code)),
            ),
            (LossKind::ClippedText, format.overflow == Some(Overflow::Clip)),
            (LossKind::Alignments, format.horizontal == Some(HorizontalAlignment::CenterContinuous)),
            (LossKind::UnderlineStyles, format.underline && is_accounting(format)),
            (LossKind::FillPatterns, format.fill_pattern.is_some()),
            (LossKind::StackedText, format.rotation.degrees().abs() > 90),
            (LossKind::RichText, format.text_format.is_some()),
        ] {
            if is_lost {
                losses.add(kind, Some(sheet), &[range], "");
            }
        }
    }
}

fn is_validation_written(workbook: &Workbook, sheet: &Sheet, id: ItemId, item: &Item) -> bool {
    ods::validation_name(workbook, sheet, id, item).is_some()
        && item.anchors.iter().all(|anchor| ods::is_written_with_cells(*anchor))
}

fn is_accounting(format: &Format) -> bool {
    use UnderlineStyle::{DoubleAccounting, SingleAccounting};
    matches!(format.underline_style, Some(SingleAccounting | DoubleAccounting))
}

/// OpenDocument has no filters by colors, icons, averages and groups of dates.
fn is_filter_written(sheet: &Sheet, id: ItemId) -> bool {
    filter_columns(sheet, id).all(|column| {
        let rule = column.text(Field::Rule).map_or("", |rule| rule);
        matches!(rule, "" | "values" | "condition" | "top" | "bottom")
            && !column.fields.contains_key(&Field::ShownDates)
    })
}
