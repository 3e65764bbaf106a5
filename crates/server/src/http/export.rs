//! Export: a workbook as a file in a response.

use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use quadrille_files::{FileFormat, Images};
use quadrille_protocol::RoomName;

use super::app::App;
use super::conditional::etag;
use super::internal_error::internal;
use crate::error::{ApiError, ErrorCode};
use crate::room_name::percent_encoded;
use crate::rooms::Reading;
use crate::thread_priority::in_background;
use crate::workbook_files::{self, ExportOptions};

/// A browser may display the file, such as an HTML page with the workbook's texts. It must not run
/// or load anything and gets an origin of its own, so that it cannot use the reader's.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'; sandbox";

/// Returns a response with a workbook as a file, written on a background thread.
///
/// # Errors
///
/// Fails when the format cannot represent the workbook or an image cannot be read.
pub async fn file_response(
    app: &App,
    room: &RoomName,
    reading: Reading,
    format: FileFormat,
    options: ExportOptions,
) -> Result<Response, ApiError> {
    let revision = reading.revision.0;
    let images = match format {
        FileFormat::Xlsx => app.rooms.images_of(room, &reading.workbook).await?,
        _ => Images::new(),
    };
    let name = workbook_files::file_name(reading.workbook.title(), room, format);
    let name = format!("inline; filename*=UTF-8''{}", percent_encoded(&name));
    let name = HeaderValue::from_str(&name).expect("percent-encoded text is valid");
    let written =
        in_background(move || workbook_files::write(&reading.workbook, format, options, &images)).await;
    let bytes = written
        .ok_or_else(|| internal("writing the file"))?
        .map_err(|error| ApiError::new(ErrorCode::Internal, error.to_string()))?;
    let mut response = Response::new(Body::from(bytes));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(format.media_type()));
    // The file name when the response is saved.
    headers.insert(header::CONTENT_DISPOSITION, name);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(header::ETAG, etag(revision));
    Ok(response)
}
