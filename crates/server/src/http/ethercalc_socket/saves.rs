//! Saves of SocialCalc for the messages.

use quadrille_cell::SheetId;
use quadrille_files::{FileFormat, Images};
use quadrille_workbook::Workbook;

use crate::error::{ApiError, ErrorCode};
use crate::http::internal_error::internal;
use crate::thread_priority::in_background;
use crate::workbook_files::{self, ExportOptions};

/// A sheet as a save, or the first one.
///
/// # Errors
///
/// Fails when the workbook cannot be written.
pub async fn save_of(workbook: Workbook, sheet: Option<SheetId>) -> Result<String, ApiError> {
    let options = ExportOptions { sheet, ..ExportOptions::default() };
    let write = move || workbook_files::write(&workbook, FileFormat::SocialCalc, options, &Images::default());
    let save = in_background(write).await.ok_or_else(|| internal("writing a save"))?;
    let save = save.map_err(|error| ApiError::new(ErrorCode::Internal, error.to_string()))?;
    String::from_utf8(save).map_err(|_| internal("writing a save"))
}
