//! Items that a format does not have, whatever their contents.

use quadrille_formula::Expression;
use quadrille_workbook::{Field, Item, ItemId, ItemKind, Sheet, Workbook};

use super::collected::Losses;
use super::loss::LossKind;
use crate::page_fields::has_page_setup;

/// Adds an item of a sheet as left out; items that other items are made of, and settings that hardly show,
/// are no losses of their own.
pub fn add_omitted(sheet: &Sheet, item: &Item, losses: &mut Losses) {
    let (kind, name) = match item.kind {
        ItemKind::Merge => (LossKind::Merges, None),
        ItemKind::Link => (LossKind::Links, None),
        ItemKind::Note => (LossKind::Notes, None),
        ItemKind::CommentThread => (LossKind::Comments, None),
        ItemKind::Suggestion => (LossKind::Suggestions, item.text(Field::Author)),
        ItemKind::Chart => (LossKind::Charts, item.text(Field::Title)),
        ItemKind::Sparkline => (LossKind::Sparklines, None),
        ItemKind::Image => (LossKind::Images, item.text(Field::AltText)),
        ItemKind::PivotTable => (LossKind::PivotTables, None),
        ItemKind::Table => (LossKind::Tables, item.text(Field::Name)),
        ItemKind::ConditionalRule => (LossKind::ConditionalFormats, None),
        ItemKind::AlternatingColors => (LossKind::AlternatingColors, None),
        ItemKind::Validation => (LossKind::Validation, None),
        ItemKind::AutoFilter => (LossKind::Filters, None),
        ItemKind::FilterView => (LossKind::FilterViews, item.text(Field::Name)),
        ItemKind::Slicer => (LossKind::Slicers, item.text(Field::Title)),
        ItemKind::Scenario => (LossKind::Scenarios, item.text(Field::Name)),
        ItemKind::ProtectedRange => (LossKind::Protection, item.text(Field::Description)),
        ItemKind::OutlineGroup => (LossKind::Groups, None),
        ItemKind::PrintArea | ItemKind::PrintTitles | ItemKind::PageBreak => (LossKind::PageSetup, None),
        ItemKind::SheetSettings => {
            if has_frozen_panes(item) {
                losses.add(LossKind::FrozenPanes, Some(sheet), &[], "");
            }
            if has_page_setup(item) {
                losses.add(LossKind::PageSetup, Some(sheet), &[], "");
            }
            return;
        }
        ItemKind::WorkbookSettings
        | ItemKind::TableColumn
        | ItemKind::FilterColumn
        | ItemKind::Comment
        | ItemKind::Reaction
        | ItemKind::CellStyle
        | ItemKind::Import
        | ItemKind::ImportPart
        | ItemKind::NamedVersion
        | ItemKind::NamedFunction
        | ItemKind::PackageParts => return,
    };
    losses.add_item(kind, sheet, item, name);
}

/// Adds the cell styles of the workbook after the first ones, which are written; the cells keep the
/// formats that the styles have given them.
pub fn add_cell_styles(workbook: &Workbook, written: usize, losses: &mut Losses) {
    for (_, item) in workbook.items().of_kind(ItemKind::CellStyle).skip(written) {
        losses.add(LossKind::CellStyles, None, &[], item.text(Field::Name).map_or("", |name| name));
    }
}

/// Adds the descriptions of named functions that have one of these fields.
pub fn add_function_help(workbook: &Workbook, fields: &[Field], losses: &mut Losses) {
    for (_, item) in workbook.items().of_kind(ItemKind::NamedFunction) {
        if fields.iter().any(|field| item.fields.contains_key(field)) {
            let name = described_name(item).unwrap_or_default();
            losses.add(LossKind::FunctionHelp, None, &[], name);
        }
    }
}

/// The defined name that an item describes.
pub fn described_name(item: &Item) -> Option<&str> {
    match item.formula(Field::Formula)?.1.expression() {
        Expression::Name(name) => Some(name),
        _ => None,
    }
}

/// Adds images that are stored beside the workbook: Quadrille's JSON format only has their names.
pub fn find_stored_images(workbook: &Workbook, losses: &mut Losses) {
    for sheet in workbook.sheets() {
        for (_, item) in sheet.items().of_kind(ItemKind::Image) {
            if item.text(Field::Source).is_some_and(|source| !source.starts_with("data:")) {
                losses.add_item(LossKind::Images, sheet, item, item.text(Field::AltText));
            }
        }
    }
}

/// The conditions of a filter, column by column.
pub fn filter_columns(sheet: &Sheet, filter: ItemId) -> impl Iterator<Item = &Item> {
    let columns = sheet.items().of_kind(ItemKind::FilterColumn);
    columns.filter(move |(_, column)| column.parent() == Some(filter)).map(|(_, column)| &**column)
}

/// Files have lists with one choice in a cell and without colors.
pub fn has_chip_fields(validation: &Item) -> bool {
    let is_list = validation.text(Field::Rule).is_some_and(|rule| &**rule == "list");
    let is_multiple = validation.boolean(Field::AllowMultiple) == Some(true);
    is_list && (is_multiple || validation.fields.contains_key(&Field::ChoiceColors))
}

/// Files have the numbers of ratings with their limits, and the names of people.
pub fn is_rating_or_people(validation: &Item) -> bool {
    let style = validation.text(Field::DisplayStyle).map_or("", |style| style);
    matches!(
        (validation.text(Field::Rule).map_or("", |rule| rule), style),
        ("whole", "rating") | ("any", "people")
    )
}

/// Whether a conditional format draws icons.
pub fn is_icon_set(rule: &Item) -> bool {
    rule.text(Field::Rule).is_some_and(|rule| &**rule == "iconSet")
}

fn has_frozen_panes(settings: &Item) -> bool {
    [Field::FrozenRows, Field::FrozenColumns].iter().any(|field| settings.number(*field).unwrap_or(0.0) > 0.0)
}
