//! Whole workbooks in requests and replies: which format, and reading and writing it off the runtime's threads.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use bytes::Bytes;
use quadrille_files::{FileError, FileFormat, Images, Imported};
use quadrille_protocol::RoomName;

use super::App;
use crate::error::{ApiError, ErrorCode};
use crate::priority::in_background;
use crate::room_name::percent_encoded;
use crate::rooms::Reading;
use crate::workbook_files::{self, Wanted};

/// The format a reader asks for: `?format=` first, then `Accept`. `None` when neither asks for one of a workbook's.
pub fn asked_for(format: Option<&str>, headers: &HeaderMap) -> Result<Option<FileFormat>, ApiError> {
    if let Some(format) = format {
        let unknown = || ApiError::new(ErrorCode::BadQuery, format!("no such format: {format}"));
        return FileFormat::from_name(&format!("file.{format}")).map(Some).ok_or_else(unknown);
    }
    let accepted = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or("*/*");
    for item in accepted.split(',') {
        let media_type = item.split(';').next().unwrap_or_default().trim();
        if matches!(media_type, "*/*" | "application/*" | "application/json" | "") {
            return Ok(None);
        }
        if let Some(format) = FileFormat::from_media_type(media_type) {
            return Ok(Some(format));
        }
    }
    Err(ApiError::new(ErrorCode::NotAcceptable, format!("none of these formats is known: {accepted}")))
}

/// The format of a body by its content type, or by its looks when the type says nothing.
pub fn format_of(headers: &HeaderMap, body: &Bytes) -> Result<FileFormat, ApiError> {
    let media_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("");
    let bare = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let format = match bare.as_str() {
        "" | "application/octet-stream" | "text/plain" => FileFormat::from_content(body),
        _ => FileFormat::from_media_type(&bare),
    };
    format.filter(|format| format.can_read()).ok_or_else(|| {
        let message = format!("cannot read this content type: {media_type}");
        ApiError::new(ErrorCode::UnsupportedMediaType, message)
    })
}

/// Reads a workbook from a body.
pub async fn parse(headers: &HeaderMap, body: Bytes) -> Result<Imported, ApiError> {
    let format = format_of(headers, &body)?;
    let read = in_background(move || workbook_files::read(format, &body, "", &mut |_| true)).await;
    read.ok_or_else(|| internal("reading the file"))?.map_err(|error| import_failed(&error))
}

/// The reply that holds a workbook as a file.
pub async fn reply(
    app: &App,
    room: &RoomName,
    reading: Reading,
    format: FileFormat,
    wanted: Wanted,
) -> Result<Response, ApiError> {
    let revision = reading.revision.0;
    let images = match format {
        FileFormat::Xlsx => app.rooms.images_of(room, &reading.workbook).await?,
        _ => Images::new(),
    };
    let name = workbook_files::file_name(reading.workbook.title(), room, format);
    let name = format!("inline; filename*=UTF-8''{}", percent_encoded(&name));
    let name = HeaderValue::from_str(&name).expect("percent-encoded");
    let written =
        in_background(move || workbook_files::write(&reading.workbook, format, wanted, &images)).await;
    let bytes = written
        .ok_or_else(|| internal("writing the file"))?
        .map_err(|error| ApiError::new(ErrorCode::Internal, error.to_string()))?;
    let mut response = Response::new(Body::from(bytes));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(format.media_type()));
    // What a link for downloading, or a person who saves it, calls the file.
    headers.insert(header::CONTENT_DISPOSITION, name);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(header::ETAG, etag(revision));
    Ok(response)
}

/// A room's revision as an entity tag.
pub fn etag(revision: u64) -> HeaderValue {
    HeaderValue::from_str(&format!("\"{revision}\"")).expect("digits and quotes")
}

/// The revision that a writer expects, from `If-Match`.
pub fn if_match(headers: &HeaderMap) -> Result<Option<u64>, ApiError> {
    let Some(value) = headers.get(header::IF_MATCH) else { return Ok(None) };
    let text = value.to_str().unwrap_or_default().trim();
    if text == "*" {
        return Ok(None);
    }
    let number = text.trim_start_matches("W/").trim_matches('"').parse();
    number
        .map(Some)
        .map_err(|_| ApiError::new(ErrorCode::BadRequest, "If-Match holds a revision, such as \"12\""))
}

pub fn import_failed(error: &FileError) -> ApiError {
    ApiError::new(ErrorCode::ImportFailed, error.to_string())
}

pub fn internal(doing: &str) -> ApiError {
    ApiError::new(ErrorCode::Internal, format!("a fault of the server while {doing}"))
}
