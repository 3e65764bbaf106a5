//! File formats of requests and responses, and reading an uploaded workbook.

use axum::http::{HeaderMap, header};
use bytes::Bytes;
use quadrille_files::{FileError, FileFormat, Imported};
use quadrille_number_format::InputContext;

use super::internal_error::internal;
use crate::error::{ApiError, ErrorCode};
use crate::thread_priority::in_background;
use crate::workbook_files;

/// Returns the requested format: `?format=` first, then `Accept`. `None` when JSON facts are
/// requested.
///
/// # Errors
///
/// Fails with `bad_query` or `not_acceptable` when the format is unknown.
pub fn requested_format(format: Option<&str>, headers: &HeaderMap) -> Result<Option<FileFormat>, ApiError> {
    if let Some(format) = format {
        return format_by_name(format).map(Some);
    }
    let accepted = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or("*/*");
    for item in accepted.split(',') {
        let media_type = item.split(';').next().unwrap_or_default().trim();
        if matches!(media_type, "*/*" | "application/*" | "application/json" | "") {
            return Ok(None);
        }
        if let Some(format) = FileFormat::from_media_type(media_type).filter(|format| format.can_write()) {
            return Ok(Some(format));
        }
    }
    Err(ApiError::new(
        ErrorCode::NotAcceptable,
        format!("none of these media types is supported: {accepted}"),
    ))
}

/// Returns the format of an export with a file extension.
///
/// # Errors
///
/// Fails with `bad_query` when the format is unknown or cannot be written.
pub fn format_by_name(extension: &str) -> Result<FileFormat, ApiError> {
    let unknown = || ApiError::new(ErrorCode::BadQuery, format!("unknown format: {extension}"));
    let format = FileFormat::from_name(&format!("file.{extension}")).filter(|format| format.can_write());
    format.ok_or_else(unknown)
}

/// Returns the format of a body by its content type, or by its content when the type is generic.
///
/// # Errors
///
/// Fails with `unsupported_media_type`.
pub fn format_of_body(headers: &HeaderMap, body: &Bytes) -> Result<FileFormat, ApiError> {
    let media_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("");
    let bare_type = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let format = match bare_type.as_str() {
        // Browsers on Windows give this type to .csv files as well as to .xls files.
        "" | "application/octet-stream" | "text/plain" | "application/vnd.ms-excel" => {
            FileFormat::from_content(body)
        }
        _ => FileFormat::from_media_type(&bare_type),
    };
    format.filter(|format| format.can_read()).ok_or_else(|| {
        let message = format!("unsupported content type: {media_type}");
        ApiError::new(ErrorCode::UnsupportedMediaType, message)
    })
}

/// Reads a workbook from a body on a background thread.
///
/// # Errors
///
/// Fails with `unsupported_media_type` or `import_failed`.
pub async fn read_workbook(headers: &HeaderMap, body: Bytes) -> Result<Imported, ApiError> {
    let format = format_of_body(headers, &body)?;
    let read = in_background(move || {
        workbook_files::read(format, &body, "", InputContext::default(), &mut |_| true)
    })
    .await;
    read.ok_or_else(|| internal("reading the file"))?.map_err(|error| import_failed(&error))
}

fn import_failed(error: &FileError) -> ApiError {
    ApiError::new(ErrorCode::ImportFailed, error.to_string())
}
