//! Finding a sheet by name.

use quadrille_workbook::{Sheet, Workbook};

use crate::error::{ApiError, ErrorCode};

/// Returns the sheet with this name, compared case-insensitively.
///
/// # Errors
///
/// Fails with `no_such_sheet`.
pub fn sheet_by_name<'a>(workbook: &'a Workbook, name: &str) -> Result<&'a Sheet, ApiError> {
    let shortened: String = name.chars().take(64).collect();
    let unknown = || ApiError::new(ErrorCode::NoSuchSheet, format!("unknown sheet: {shortened}"));
    workbook.sheet_by_name(name).ok_or_else(unknown)
}
