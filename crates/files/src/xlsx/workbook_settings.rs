//! Workbook settings that `rust_xlsxwriter` does not support, added to the file it wrote.

use std::io::{Cursor, Read, Write as _};

use quadrille_cell::DateSystem;
use quadrille_workbook::{Field, Item, ItemId, Workbook};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter, result::ZipResult};

const PART: &str = "xl/workbook.xml";

/// Adds the workbook's settings to a file; returns the file unchanged if all settings have their
/// defaults.
pub(super) fn put_settings(file: Vec<u8>, workbook: &Workbook) -> ZipResult<Vec<u8>> {
    let dates = match workbook.date_system() {
        DateSystem::From1900 => "",
        DateSystem::From1904 => " date1904=\"1\"",
    };
    let iteration =
        workbook.items().get(ItemId::SETTINGS).map(|settings| iteration(settings)).unwrap_or_default();
    if dates.is_empty() && iteration.is_empty() {
        return Ok(file);
    }
    let mut before = ZipArchive::new(Cursor::new(&file))?;
    let mut after = ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..before.len() {
        let mut part = before.by_index(index)?;
        if part.name()? != PART {
            after.raw_copy_file(part)?;
            continue;
        }
        let mut text = String::new();
        part.read_to_string(&mut text)?;
        let text = text.replacen("<workbookPr", &format!("<workbookPr{dates}"), 1);
        let text = text.replacen("<calcPr", &format!("<calcPr{iteration}"), 1);
        after.start_file(PART, SimpleFileOptions::default())?;
        after.write_all(text.as_bytes())?;
    }
    Ok(after.finish()?.into_inner())
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
