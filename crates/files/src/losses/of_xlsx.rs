//! What an `.xlsx` file leaves out or changes.

use std::collections::BTreeSet;

use quadrille_cell::{CellAddress, Range};
use quadrille_workbook::{Field, FieldValue, Item, ItemId, ItemKind, Overflow, Sheet, Workbook};

use super::collected::Losses;
use super::formulas::{add_foreign_functions, run_range};
use super::items::{
    add_cell_styles, add_function_help, add_omitted, has_chip_fields, is_icon_set, is_rating_or_people,
};
use super::loss::LossKind;
use crate::charts::{is_bubble_chart, is_stock_chart};
use crate::images::{Images, image_type, is_shape, shows_webp};
use crate::limits::LOSS_RANGES_MAX;
use crate::sheet_titles::{changed_titles, with_titles};
use crate::xlsx;

/// Characters of the choices of a list in data validation, with commas between them.
const CHOICES_LENGTH_MAX: usize = 255;
/// Characters of the address of a link.
const URL_LENGTH_MAX: usize = 2_080;

/// Adds the losses of the workbook.
pub fn find(workbook: &Workbook, images: &Images, losses: &mut Losses) {
    for (name, title) in changed_titles(workbook, Some(xlsx::TITLE_LENGTH_MAX)) {
        losses.add(LossKind::SheetNames, None, &[], &format!("{name} → {title}"));
    }
    for name in xlsx::rejected_names(workbook) {
        losses.add(LossKind::Names, None, &[], &name);
    }
    add_cell_styles(workbook, xlsx::WRITTEN_STYLES_MAX, losses);
    add_function_help(workbook, &[Field::Arguments], losses);
    let kept = xlsx::PackageParts::of(workbook, images);
    let plan = xlsx::SlicerPlan::of(workbook);
    let titled = with_titles(workbook, Some(xlsx::TITLE_LENGTH_MAX));
    for (position, sheet) in workbook.sheets().iter().enumerate() {
        for (column, first, last, template) in sheet.formula_runs(Range::whole_sheet()) {
            if !kept.can_express(template) {
                let range = run_range(column.get(), first, last);
                losses.add_many(LossKind::Formulas, Some(sheet), &[range], "", u64::from(last - first + 1));
            }
        }
        add_foreign_functions(sheet, losses);
        add_multiple_operations(sheet, losses);
        add_formats(sheet, losses);
        let pivots = plan.pivot_cells(position);
        let breaks = xlsx::written_page_breaks(sheet);
        let noted: BTreeSet<_> = xlsx::threads(sheet).into_keys().map(Some).collect();
        let mut threads = BTreeSet::new();
        let chart = sheet.items().own_sheet_chart().map(|(_, chart)| chart);
        // Those that are not written at all follow.
        let written = &titled.sheets()[position];
        let chart = chart.filter(|chart| xlsx::is_written_chart(&titled, written, chart));
        if let Some(chart) = chart.filter(|_| !xlsx::is_chart_sheet(&titled, written)) {
            losses.add_item(LossKind::ChartSheets, sheet, chart, chart.text(Field::Title));
        }
        let in_cells: BTreeSet<ItemId> = xlsx::images_in_cells(sheet, images).into_values().collect();
        for (id, item) in sheet.items().iter() {
            match item.kind {
                ItemKind::Image if in_cells.contains(&id) => {}
                ItemKind::Chart if !xlsx::is_written_chart(&titled, written, item) => {
                    add_omitted(sheet, item, losses)
                }
                ItemKind::Chart => add_chart(sheet, item, losses),
                ItemKind::Sparkline if !xlsx::is_written_sparkline(&titled, written, item) => {
                    add_omitted(sheet, item, losses)
                }
                ItemKind::Image => add_image(sheet, item, images, losses),
                ItemKind::PivotTable
                    if item.anchors.first().is_some_and(|at| pivots.contains(&at.first())) => {}
                ItemKind::PivotTable | ItemKind::FilterView | ItemKind::Suggestion => {
                    add_omitted(sheet, item, losses);
                }
                ItemKind::Slicer => match plan.is_partial(position, id) {
                    Some(false) => {}
                    Some(true) => {
                        losses.add_item(LossKind::SlicerTargets, sheet, item, item.text(Field::Title));
                    }
                    None => add_omitted(sheet, item, losses),
                },
                ItemKind::Validation if !is_written(item) => add_omitted(sheet, item, losses),
                ItemKind::Validation if is_rating_or_people(item) => {
                    losses.add_item(LossKind::RatingsAndPeople, sheet, item, None);
                }
                ItemKind::Validation if has_chip_fields(item) => {
                    losses.add_item(LossKind::ChoiceColors, sheet, item, None);
                }
                ItemKind::Link if is_long_link(item) => add_omitted(sheet, item, losses),
                ItemKind::AutoFilter if xlsx::place_of_filter(sheet, id).is_none() => {
                    add_omitted(sheet, item, losses)
                }
                ItemKind::ConditionalRule
                    if item.fields.contains_key(&Field::Stops)
                        && is_icon_set(item)
                        && !xlsx::has_known_thresholds(item) =>
                {
                    losses.add_item(LossKind::IconThresholds, sheet, item, None);
                }
                ItemKind::PageBreak if !item.anchors.iter().all(|anchor| breaks.contains(anchor)) => {
                    add_omitted(sheet, item, losses)
                }
                ItemKind::CommentThread if !threads.insert(first_cell(item)) => {
                    losses.add_item(LossKind::Threads, sheet, item, None);
                }
                ItemKind::CommentThread if item.fields.contains_key(&Field::Assignee) => {
                    losses.add_item(LossKind::Tasks, sheet, item, item.text(Field::Assignee));
                }
                ItemKind::Reaction => {
                    let comment = item.parent().and_then(|comment| sheet.item(comment));
                    let thread = comment.and_then(|comment| sheet.item(comment.parent()?));
                    let anchors = thread.map_or(&[][..], |thread| &thread.anchors);
                    let emoji = item.text(Field::Text).map_or("", |emoji| emoji);
                    losses.add(LossKind::Reactions, Some(sheet), anchors, emoji);
                }
                ItemKind::Note if noted.contains(&first_cell(item)) => add_omitted(sheet, item, losses),
                ItemKind::ProtectedRange if item.boolean(Field::WarningOnly) == Some(true) => {
                    add_omitted(sheet, item, losses);
                }
                ItemKind::ProtectedRange if item.fields.contains_key(&Field::Editors) => {
                    losses.add_item(LossKind::Editors, sheet, item, item.text(Field::Description));
                }
                _ => {}
            }
        }
    }
}

fn add_formats(sheet: &Sheet, losses: &mut Losses) {
    for (range, format) in sheet.format_runs(Range::whole_sheet()) {
        if format.overflow == Some(Overflow::Clip) {
            losses.add(LossKind::ClippedText, Some(sheet), &[range], "");
        }
        let (up, down) = (format.border_diagonal_up, format.border_diagonal_down);
        if up.is_some() && down.is_some() && up != down {
            losses.add(LossKind::DiagonalBorders, Some(sheet), &[range], "");
        }
        if format.text_format.is_some() || format.text_runs.is_some() && is_rich_text_too_long(sheet, range) {
            losses.add(LossKind::RichText, Some(sheet), &[range], "");
        }
    }
}

/// Whether the first cell of the range has a text with more parts than a file can describe.
fn is_rich_text_too_long(sheet: &Sheet, range: Range) -> bool {
    sheet.rich_text(range.first()).is_some() && !xlsx::can_have_rich_text(sheet, range.first())
}

fn add_chart(sheet: &Sheet, item: &Item, losses: &mut Losses) {
    let title = item.text(Field::Title);
    let kind = item.text(Field::Type).map_or("column", |kind| kind);
    let is_changed = match kind {
        "histogram" | "boxPlot" | "waterfall" | "funnel" | "treemap" | "map" => !xlsx::is_newer_chart(item),
        "heatMap" | "gauge" => true,
        "bubble" => !is_bubble_chart(item),
        "combo" => types_of_series(item) > 2,
        "stock" => !is_stock_chart(item),
        _ => false,
    };
    if is_changed {
        losses.add_item(LossKind::ChartTypes, sheet, item, title);
    }
    if item.text(Field::Aggregate).is_some_and(|aggregate| &**aggregate != "none") {
        losses.add_item(LossKind::ChartPoints, sheet, item, title);
    }
    if item.text(Field::Subtitle).is_some() {
        losses.add_item(LossKind::ChartSubtitles, sheet, item, title);
    }
}

/// The number of types among the series of a combo chart; a file combines two.
fn types_of_series(item: &Item) -> usize {
    let Some(FieldValue::List(series)) = item.fields.get(&Field::Series) else { return 0 };
    let mut kinds: Vec<&str> = series
        .iter()
        .filter_map(|one| match one {
            FieldValue::Record(fields) => match fields.get(&Field::Type) {
                Some(FieldValue::Text(kind)) => Some(&**kind),
                _ => Some("column"),
            },
            _ => None,
        })
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds.len()
}

/// Excel reads no WebP images, and shows those in cells with contents over them.
fn add_image(sheet: &Sheet, item: &Item, images: &Images, losses: &mut Losses) {
    let bytes = item.text(Field::Source).and_then(|source| images.get(&**source));
    if let Some(bytes) = bytes.filter(|bytes| is_shape(bytes)) {
        if shows_webp(bytes) {
            losses.add_item(LossKind::Images, sheet, item, item.text(Field::AltText));
        }
        return;
    }
    let kind = bytes.and_then(|bytes| image_type(bytes));
    if kind.is_none_or(|kind| kind == "image/webp") {
        add_omitted(sheet, item, losses);
    } else if item.boolean(Field::InCell) == Some(true) {
        losses.add_item(LossKind::ImagesInCells, sheet, item, item.text(Field::AltText));
    }
}

fn is_written(validation: &Item) -> bool {
    let rule = validation.text(Field::Rule).map_or("", |rule| rule);
    let length = match validation.fields.get(&Field::Choices) {
        Some(FieldValue::List(choices)) if rule == "list" => choices.iter().map(length_of).sum::<usize>(),
        _ => 0,
    };
    if rule == "checkbox" {
        return xlsx::is_written_checkbox(validation);
    }
    !matches!(rule, "email" | "url") && length <= CHOICES_LENGTH_MAX + 1
}

/// Characters of a choice and the comma after it.
fn length_of(choice: &FieldValue) -> usize {
    match choice {
        FieldValue::Text(text) => text.chars().count() + 1,
        _ => 1,
    }
}

fn is_long_link(item: &Item) -> bool {
    item.text(Field::Url).is_some_and(|url| url.chars().count() > URL_LENGTH_MAX)
}

fn first_cell(item: &Item) -> Option<CellAddress> {
    item.anchors.first().map(|anchor| anchor.first())
}

/// Adds the cells that call MULTIPLE.OPERATIONS and are not written as data tables: Excel does not have
/// the function.
fn add_multiple_operations(sheet: &Sheet, losses: &mut Losses) {
    let tables = xlsx::DataTables::of(sheet);
    let (mut ranges, mut count) = (Vec::new(), 0);
    for (column, first, last, template) in sheet.formula_runs(Range::whole_sheet()) {
        if !xlsx::has_multiple_operations(template) {
            continue;
        }
        let cells = (first..=last).map(|row| CellAddress::clamped(row, column.get()));
        for cell in cells.filter(|cell| !tables.contains(*cell)) {
            count += 1;
            if ranges.len() < LOSS_RANGES_MAX {
                ranges.push(Range::cell(cell));
            }
        }
    }
    if count > 0 {
        losses.add_many(LossKind::Functions, Some(sheet), &ranges, xlsx::MULTIPLE_OPERATIONS, count);
    }
}
