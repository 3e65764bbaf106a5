//! Files of `quadrille-files` for the server and the command line: reading, and writing with computed values.

use quadrille_cell::SheetId;
use quadrille_document::Document;
use quadrille_files::{
    FileError, FileFormat, Images, Imported, Numbers, Progress, ReadOptions, ShouldContinue, WriteOptions,
};
use quadrille_protocol::RoomName;
use quadrille_workbook::Workbook;

use crate::limits;

/// Reads a file; `proceed` hears of progress and can stop it.
pub fn read(
    format: FileFormat,
    bytes: &[u8],
    file_name: &str,
    proceed: &mut dyn FnMut(Progress) -> bool,
) -> Result<Imported, FileError> {
    let mut report =
        |progress| if proceed(progress) { ShouldContinue::Continue } else { ShouldContinue::Cancel };
    quadrille_files::read(format, bytes, &ReadOptions::for_file(file_name), &mut report)
}

/// How values are written.
#[derive(Clone, Copy, Default)]
pub struct Wanted {
    pub sheet: Option<SheetId>,
    /// Numbers in full instead of as shown.
    pub raw: bool,
    /// Text files that no spreadsheet program takes for formulas.
    pub formula_safe: bool,
}

pub fn write(
    workbook: &Workbook,
    format: FileFormat,
    wanted: Wanted,
    images: &Images,
) -> Result<Vec<u8>, FileError> {
    let numbers = if wanted.raw { Numbers::Raw } else { Numbers::AsShown };
    let options = WriteOptions { sheet: wanted.sheet, numbers, formula_safe: wanted.formula_safe };
    quadrille_files::write_with_images(workbook, format, &options, images)
}

/// What comes into a room that has a title is called so, too.
pub fn keep_title(incoming: &mut Workbook, room: &Workbook) {
    if let Some(title) = room.title() {
        incoming.set_title(Some(title));
    }
}

/// The name of a file that is made of a room: the workbook's title, or what people read of the room's name.
pub fn file_name(title: Option<&str>, room: &RoomName, format: FileFormat) -> String {
    let title = title.unwrap_or_else(|| readable(room.as_str()));
    // Those that no file system, or not every one, allows.
    let clean: String =
        title.chars().map(|c| if c.is_control() || "<>:\"/\\|?*".contains(c) { '_' } else { c }).collect();
    let clean = clean.trim().trim_matches('.');
    let clean = if clean.is_empty() { room.as_str() } else { clean };
    format!("{clean}.{}", format.extension())
}

/// Without the unguessable end, as the page shows it (`web/app/src/rooms/titles.ts`).
fn readable(room: &str) -> &str {
    let (name, end) = room.rsplit_once('-').unwrap_or(("", room));
    let is_random = end.len() >= 20 && end.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if is_random && !name.is_empty() { name } else { room }
}

/// The workbook with every formula computed.
pub fn computed(workbook: Workbook) -> Workbook {
    let mut document = Document::from_workbook(workbook);
    while !document.evaluate(limits::EVALUATION_STEPS).finished {}
    document.snapshot()
}

/// True when nothing was ever put into the workbook.
pub fn is_empty(workbook: &Workbook) -> bool {
    workbook.sheets().iter().all(|sheet| sheet.used_range().is_none()) && workbook.names().next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_after_the_title_or_the_room() {
        let name = |title: Option<&str>, room: &str| {
            file_name(title, &RoomName::new(room).expect("a name"), FileFormat::Xlsx)
        };
        assert_eq!(name(Some("Umsatz 2026/27: \"Süd\""), "x"), "Umsatz 2026_27_ _Süd_.xlsx");
        assert_eq!(name(Some(" .. "), "plan"), "plan.xlsx");
        assert_eq!(name(None, "budget-abcdefghjkmnpqrstuvwxyz234"), "budget.xlsx");
        assert_eq!(name(None, "abcdefghjkmnpqrstuvwxyz234"), "abcdefghjkmnpqrstuvwxyz234.xlsx");
        assert_eq!(name(None, "sales-2026"), "sales-2026.xlsx");
    }
}
