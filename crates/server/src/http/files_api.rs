//! `/api/v1/rooms/{room}/files/{file}`: files that were sent with a form. Cells link to them.
//!
//! They come from strangers, so they are only downloaded: no browser shows or runs them here.

use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use quadrille_journal::ImageId;

use super::app::App;
use super::extractors::{RoomSegment, segment};
use crate::error::{ApiError, ErrorCode};
use crate::rooms::image_id;

/// The `{file}` of the path, or what is wrong with it.
pub struct FileSegment(Result<ImageId, ApiError>);

impl<S: Send + Sync> FromRequestParts<S> for FileSegment {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<FileSegment, ApiError> {
        let text = segment(parts, state, "file", ErrorCode::BadAddress).await?;
        let invalid =
            || ApiError::new(ErrorCode::BadAddress, "a file is named by 64 lower-case hexadecimal digits");
        Ok(FileSegment(image_id(&text).ok_or_else(invalid)))
    }
}

/// Returns a file as a download.
pub async fn read(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    FileSegment(file): FileSegment,
) -> Result<Response, ApiError> {
    let file = app.rooms.valid_image_id(&room, file).await?;
    let file = app.rooms.file(&room, file).await?;
    let name = utf8_percent_encode(&file.name, NON_ALPHANUMERIC);
    let name = format!("attachment; filename*=UTF-8''{name}");
    let name = HeaderValue::from_str(&name).expect("percent-encoded text is valid");
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream")),
        (header::CONTENT_DISPOSITION, name),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        // Not kept beside the page: it may be removed from the cells, and people lose access.
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'; sandbox"),
        ),
    ];
    Ok((headers, file.bytes).into_response())
}
