//! A workbook from its parts.

use super::archive::Archive;
use super::colors::Theme;
use super::sheet::{self, Shared};
use super::styles::Styles;
use super::{book, strings};
use crate::contents::Contents;
use crate::error::{FileError, FileErrorCode};
use crate::watch::Watch;

pub(crate) fn read(bytes: &[u8], watch: &mut Watch) -> Result<Contents, FileError> {
    let mut archive = Archive::open(bytes)?;
    let book = book::read(&mut archive)?;
    let mut bytes_before = 0;
    let theme = match book.theme.as_deref().map(|part| archive.part(part)).transpose()?.flatten() {
        Some(part) => Theme::read(part)?,
        None => Theme::default(),
    };
    let styles = match book.styles.as_deref().map(|part| archive.part(part)).transpose()?.flatten() {
        Some(part) => Styles::read(part, &theme)?,
        None => Styles::default(),
    };
    let strings = match book.strings.as_deref().map(|part| archive.part(part)).transpose()?.flatten() {
        Some(part) => {
            bytes_before += part.packed();
            strings::read(part)?
        }
        None => Vec::new(),
    };
    let mut contents = Contents::default();
    contents.names = book.names;
    contents.warnings = book.warnings;
    let shared = Shared { strings: &strings, styles: &styles, is_1904: book.is_1904 };
    for listed in &book.sheets {
        contents.add_sheet(&*listed.name)?;
        let missing = || {
            let reason = format!("the sheet {} is listed, but its part is missing", listed.name);
            FileError::new(FileErrorCode::NotAWorkbook, reason)
        };
        let part = archive.part(&listed.part)?.ok_or_else(missing)?;
        let packed = part.packed();
        sheet::read(part, &shared, &mut contents, watch, bytes_before).map_err(|error| FileError {
            reason: format!("sheet {}: {}", listed.name, error.reason),
            ..error
        })?;
        bytes_before += packed;
    }
    Ok(contents)
}
