//! Workbook settings, pivot tables, scenarios and comments of names, which `rust_xlsxwriter` does not
//! support, added to the file it wrote.

use std::io::{Cursor, Read, Write as _};

use quadrille_cell::DateSystem;
use quadrille_workbook::{Field, Item, ItemId, ItemKind, Workbook};
use quick_xml::escape::escape;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter, result::ZipResult};

use super::scenarios;
use super::write_pivots::{PivotParts, relationships};
use crate::losses::described_name;

const PART: &str = "xl/workbook.xml";
const TYPES: &str = "[Content_Types].xml";

/// Adds the workbook's settings, pivot tables, scenarios and comments of names to a file; returns the
/// file unchanged if all settings have their defaults and there is nothing of the rest.
pub(super) fn put_settings(file: Vec<u8>, workbook: &Workbook, pivots: PivotParts) -> ZipResult<Vec<u8>> {
    let dates = match workbook.date_system() {
        DateSystem::From1900 => "",
        DateSystem::From1904 => " date1904=\"1\"",
    };
    let iteration =
        workbook.items().get(ItemId::SETTINGS).map(|settings| iteration(settings)).unwrap_or_default();
    let mut scenarios = scenarios::elements(workbook);
    let comments = name_comments(workbook);
    let is_plain = dates.is_empty() && iteration.is_empty() && pivots.parts.is_empty();
    if is_plain && scenarios.is_empty() && comments.is_empty() {
        return Ok(file);
    }
    let mut before = ZipArchive::new(Cursor::new(&file))?;
    let mut after = ZipWriter::new(Cursor::new(Vec::new()));
    let mut links = pivots.links;
    for index in 0..before.len() {
        let mut part = before.by_index(index)?;
        let name = part.name()?.to_string();
        let added = links.remove(&name);
        let scenarios = scenarios.remove(&name);
        if name != PART && name != TYPES && added.is_none() && scenarios.is_none() {
            after.raw_copy_file(part)?;
            continue;
        }
        let mut text = String::new();
        part.read_to_string(&mut text)?;
        if name == PART {
            text = text.replacen("<workbookPr", &format!("<workbookPr{dates}"), 1);
            text = text.replacen("<calcPr", &format!("<calcPr{iteration}"), 1);
            for (name, comment) in &comments {
                let start = format!("<definedName name=\"{}\"", escape(name));
                let commented = format!("{start} comment=\"{}\">", escape(comment));
                text = text.replacen(&format!("{start}>"), &commented, 1);
            }
            if !pivots.caches.is_empty() {
                let caches = format!("<pivotCaches>{}</pivotCaches></workbook>", pivots.caches);
                text = text.replacen("</workbook>", &caches, 1);
            }
        }
        if name == TYPES {
            text = text.replacen("</Types>", &format!("{}</Types>", pivots.types), 1);
        }
        if let Some(scenarios) = scenarios {
            text = scenarios::with_scenarios(&text, &scenarios);
        }
        if let Some(added) = added {
            text = text.replacen("</Relationships>", &format!("{added}</Relationships>"), 1);
        }
        after.start_file(name, SimpleFileOptions::default())?;
        after.write_all(text.as_bytes())?;
    }
    let links = links.into_iter().map(|(part, elements)| (part, relationships(&elements)));
    for (part, text) in links.chain(pivots.parts) {
        after.start_file(part, SimpleFileOptions::default())?;
        after.write_all(text.as_bytes())?;
    }
    Ok(after.finish()?.into_inner())
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
