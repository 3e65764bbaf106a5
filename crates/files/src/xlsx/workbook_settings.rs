//! Workbook settings, scenarios, comments of names and hidden headings of rows and columns, which
//! `rust_xlsxwriter` does not support.

use quadrille_cell::DateSystem;
use quadrille_workbook::{Field, Item, ItemId, ItemKind, Workbook};
use quick_xml::escape::escape;

use super::added_parts::AddedParts;
use super::chart_sheets::is_chart_sheet;
use super::scenarios;
use crate::losses::described_name;

const PART: &str = "xl/workbook.xml";

/// Adds the workbook's settings, scenarios, comments of names and what sheets hide.
pub(super) fn add_settings(workbook: &Workbook, added: &mut AddedParts) {
    let dates = match workbook.date_system() {
        DateSystem::From1900 => "",
        DateSystem::From1904 => " date1904=\"1\"",
    };
    let iteration =
        workbook.items().get(ItemId::SETTINGS).map(|settings| iteration(settings)).unwrap_or_default();
    let comments = name_comments(workbook);
    if !(dates.is_empty() && iteration.is_empty() && comments.is_empty()) {
        added.change(PART, move |text| {
            let text = text.replacen("<workbookPr", &format!("<workbookPr{dates}"), 1);
            let mut text = text.replacen("<calcPr", &format!("<calcPr{iteration}"), 1);
            for (name, comment) in &comments {
                let start = format!("<definedName name=\"{}\"", escape(name));
                let commented = format!("{start} comment=\"{}\">", escape(comment));
                text = text.replacen(&format!("{start}>"), &commented, 1);
            }
            text
        });
    }
    for (index, sheet) in workbook.sheets().iter().enumerate() {
        let settings = sheet.item(ItemId::SETTINGS);
        let hides = settings.and_then(|settings| settings.boolean(Field::ShowHeadings)) == Some(false);
        if hides && !is_chart_sheet(workbook, sheet) {
            added.change(added.sheet_part(index), |text| {
                text.replacen("<sheetView ", "<sheetView showRowColHeaders=\"0\" ", 1)
            });
        }
    }
    for (part, element) in scenarios::elements(workbook, added) {
        added.change(part, move |text| scenarios::with_scenarios(text, &element));
    }
}

/// The descriptions of named functions as comments of their names.
fn name_comments(workbook: &Workbook) -> Vec<(String, String)> {
    /// Characters of a comment in Excel.
    const COMMENT_LENGTH_MAX: usize = 255;
    let items = workbook.items().of_kind(ItemKind::NamedFunction);
    let comment = |item: &Item| {
        let text = item.text(Field::Description)?.chars().take(COMMENT_LENGTH_MAX).collect();
        Some((described_name(item)?.to_owned(), text))
    };
    items.filter_map(|(_, item)| comment(item)).collect()
}

/// The attributes of iterative calculation.
fn iteration(settings: &Item) -> String {
    if settings.boolean(Field::Iterative) != Some(true) {
        return String::new();
    }
    let mut text = " iterate=\"1\"".to_owned();
    for (name, field) in [("iterateCount", Field::MaxIterations), ("iterateDelta", Field::MaxChange)] {
        if let Some(number) = settings.number(field) {
            text += &format!(" {name}=\"{number}\"");
        }
    }
    text
}
