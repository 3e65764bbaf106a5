//! Importing and exporting files, for the server and the command line.

use quadrille_cell::SheetId;
use quadrille_document::Document;
use quadrille_files::{
    FileError, FileFormat, FilteredRows, Images, Imported, Loss, Numbers, Progress, ReadOptions,
    ShouldContinue, WriteOptions, has_filtered_rows,
};
use quadrille_number_format::{InputContext, Locale};
use quadrille_operation::without_editors;
use quadrille_protocol::RoomName;
use quadrille_workbook::{Item, ItemKind, Workbook};

use crate::access::now_ms;
use crate::limits;

/// How a text file has numbers and dates: as people of a locale type them now, or else as stored workbooks
/// have them.
pub fn typing_of(locale: Option<&str>) -> InputContext {
    locale.map_or_else(InputContext::default, |tag| InputContext::at(Locale::from_tag(tag), now_ms()))
}

/// Reads a file. `on_progress` returns whether to continue.
///
/// # Errors
///
/// Fails when the file is invalid, or was cancelled.
pub fn read(
    format: FileFormat,
    bytes: &[u8],
    file_name: &str,
    typing: InputContext,
    on_progress: &mut dyn FnMut(Progress) -> bool,
) -> Result<Imported, FileError> {
    let mut report =
        |progress| if on_progress(progress) { ShouldContinue::Continue } else { ShouldContinue::Cancel };
    let options = ReadOptions { typing, ..ReadOptions::for_file(file_name) };
    quadrille_files::read(format, bytes, &options, &mut report)
}

/// Options of an export.
#[derive(Clone, Copy, Default)]
pub struct ExportOptions {
    /// The sheet to write, for formats with one sheet.
    pub sheet: Option<SheetId>,
    /// Writes numbers with full precision instead of as displayed.
    pub raw: bool,
    /// Escapes texts that spreadsheet programs would interpret as formulas.
    pub formula_safe: bool,
    /// Writes csv, csv.json, Markdown and HTML as EtherCalc does.
    pub ethercalc: bool,
}

impl ExportOptions {
    fn of_writer(self, format: FileFormat) -> WriteOptions {
        let numbers = match (self.ethercalc, format) {
            // EtherCalc's csv has the values of cells, without their formats.
            (true, FileFormat::Csv | FileFormat::CsvJson) => Numbers::SocialCalc,
            (true, FileFormat::Markdown) => Numbers::Raw,
            _ if self.raw => Numbers::Raw,
            _ => Numbers::AsShown,
        };
        let ExportOptions { sheet, formula_safe, ethercalc, .. } = self;
        WriteOptions { sheet, numbers, formula_safe, ethercalc }
    }
}

/// Writes a workbook as a file.
///
/// # Errors
///
/// Fails when the format cannot be written or cannot represent the workbook.
pub fn write(
    workbook: &Workbook,
    format: FileFormat,
    options: ExportOptions,
    images: &Images,
) -> Result<Vec<u8>, FileError> {
    let options = options.of_writer(format);
    let filtered = filtered_rows(workbook, format);
    quadrille_files::write_with_filtered_rows(workbook, format, &options, images, &filtered)
}

/// The rows that filters hide, if the file has them.
fn filtered_rows(workbook: &Workbook, format: FileFormat) -> FilteredRows {
    if !has_filtered_rows(workbook, format) {
        return FilteredRows::new();
    }
    let document = Document::from_workbook(workbook.clone());
    let sheets = workbook.sheets().iter();
    sheets.map(|sheet| (sheet.id(), document.filtered_rows(sheet.id(), None))).collect()
}

/// What a written file leaves out or changes, for those who are about to download it.
pub fn losses(workbook: &Workbook, format: FileFormat, options: ExportOptions, images: &Images) -> Vec<Loss> {
    quadrille_files::losses(workbook, format, &options.of_writer(format), images)
}

/// Warnings that name what a written file leaves out or changes, for formats with the whole workbook and
/// for SocialCalc saves.
pub fn warnings(
    workbook: &Workbook,
    format: FileFormat,
    options: ExportOptions,
    images: &Images,
) -> Vec<String> {
    let losses = quadrille_files::warnings(workbook, format, &options.of_writer(format), images);
    losses.into_iter().map(|loss| format!("left out: {loss}")).collect()
}

/// Gives an imported workbook the title of the room, if the room has one.
pub fn keep_title(incoming: &mut Workbook, room: &Workbook) {
    if let Some(title) = room.title() {
        incoming.set_title(Some(title));
    }
}

/// Drops the editors of protected ranges, who are people of another workbook: their cells are
/// protected against accidents. Returns whether there were any.
pub fn drop_editors(workbook: &mut Workbook) -> bool {
    let sheets = workbook.sheets().iter();
    let restricted: Vec<_> = sheets
        .flat_map(|sheet| {
            let protections = sheet.items().of_kind(ItemKind::ProtectedRange);
            protections.filter_map(|(id, item)| Some((sheet.id(), id, without_editors(item)?)))
        })
        .collect();
    for (sheet, id, item) in &restricted {
        workbook.set_item(Some(*sheet), *id, Some(Item::clone(item)));
    }
    !restricted.is_empty()
}

/// Returns the name of an exported file: the workbook's title, or the readable part of the room's
/// name.
pub fn file_name(title: Option<&str>, room: &RoomName, extension: &str) -> String {
    let title = title_or_name(title, room);
    // Characters that some file systems do not allow.
    let clean: String =
        title.chars().map(|c| if c.is_control() || "<>:\"/\\|?*".contains(c) { '_' } else { c }).collect();
    let clean = clean.trim().trim_matches('.');
    let clean = if clean.is_empty() { room.as_str() } else { clean };
    format!("{clean}.{extension}")
}

/// Returns the workbook's title, or the readable part of the room's name.
pub fn title_or_name<'a>(title: Option<&'a str>, room: &'a RoomName) -> &'a str {
    title.unwrap_or_else(|| readable(room.as_str()))
}

/// Returns a room name without its random suffix, as the web client displays it
/// (`web/app/src/rooms/titles.ts`).
fn readable(room: &str) -> &str {
    let (name, suffix) = room.rsplit_once('-').unwrap_or(("", room));
    let is_random =
        suffix.len() >= 20 && suffix.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if is_random && !name.is_empty() { name } else { room }
}

/// Returns the workbook with the values of all formulas.
pub fn with_values(workbook: Workbook) -> Workbook {
    let mut document = Document::from_workbook(workbook);
    while !document.evaluate(limits::EVALUATION_STEPS).finished {}
    document.snapshot()
}

/// Whether the workbook has no cells and no names.
pub fn is_empty(workbook: &Workbook) -> bool {
    workbook.sheets().iter().all(|sheet| sheet.used_range().is_none()) && workbook.names().next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_after_the_title_or_the_room() {
        let name =
            |title: Option<&str>, room: &str| file_name(title, &RoomName::new(room).expect("a name"), "xlsx");
        assert_eq!(name(Some("Umsatz 2026/27: \"Süd\""), "x"), "Umsatz 2026_27_ _Süd_.xlsx");
        assert_eq!(name(Some(" .. "), "plan"), "plan.xlsx");
        assert_eq!(name(None, "budget-abcdefghjkmnpqrstuvwxyz234"), "budget.xlsx");
        assert_eq!(name(None, "abcdefghjkmnpqrstuvwxyz234"), "abcdefghjkmnpqrstuvwxyz234.xlsx");
        assert_eq!(name(None, "sales-2026"), "sales-2026.xlsx");
    }
}
