//! `/api/v1/rooms/{room}/images`: the bytes of images. The position of an image in a sheet is an
//! item.
//!
//! The name of an image is the SHA-256 of its bytes, so the content of an address never changes.
//! The type is detected from the bytes, regardless of the content type. SVG is not accepted,
//! because it can contain scripts; shapes are SVG documents that this server has made, for an imported
//! file or for `shapes_api.rs`.

use axum::Json;
use axum::body::Body;
use axum::extract::{Extension, FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use quadrille_files::{displayed_type, image_type};
use quadrille_journal::{Image, ImageId};
use quadrille_protocol::RoomName;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::app::App;
use super::authorization::GrantedRoom;
use super::creation::write_owned;
use super::extractors::{RoomSegment, segment};
use super::request_body;
use crate::access::{Grant, Visitor};
use crate::error::{ApiError, ErrorCode};
use crate::limits;
use crate::room_name::percent_encoded;
use crate::rooms::{image_id, image_name, is_stored_file};

/// An image opened as a document must not run or load anything. Shapes have styles and images within them.
const IMAGE_POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; sandbox";

/// The `{image}` of the path, or what is wrong with it.
pub struct ImageSegment(pub(super) Result<ImageId, ApiError>);

impl<S: Send + Sync> FromRequestParts<S> for ImageSegment {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<ImageSegment, ApiError> {
        let text = segment(parts, state, "image", ErrorCode::BadAddress).await?;
        let invalid = || {
            ApiError::new(ErrorCode::BadAddress, "an image name must have 64 lower-case hexadecimal digits")
        };
        Ok(ImageSegment(image_id(&text).ok_or_else(invalid)))
    }
}

/// Stores an image, and creates the room when it does not exist.
pub async fn put(
    State(app): State<App>,
    GrantedRoom { room, grant }: GrantedRoom,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let bytes = request_body::read(&headers, body, limits::IMAGE_BYTES_MAX).await?;
    let Some(media_type) = image_type(&bytes) else {
        let message = "the body must be an image in PNG, JPEG, GIF or WebP";
        return Err(ApiError::new(ErrorCode::UnsupportedMediaType, message));
    };
    let stored = store_image(&app, &room, &grant, &visitor, &bytes).await?;
    let reply = json!({ "image": stored.name, "mediaType": media_type, "bytes": bytes.len() });
    Ok((stored.status, [(header::LOCATION, stored.location)], Json(reply)).into_response())
}

/// An image that was stored for a request.
pub struct StoredImage {
    pub name: String,
    /// 201 if the room was created, otherwise 200.
    pub status: StatusCode,
    /// The path of the image.
    pub location: String,
}

/// Stores an image of a room, which is created when it does not exist.
///
/// # Errors
///
/// Fails when the role does not permit it, and with `too_many_images`.
pub async fn store_image(
    app: &App,
    room: &RoomName,
    grant: &Grant,
    visitor: &Visitor,
    bytes: &[u8],
) -> Result<StoredImage, ApiError> {
    let image = Image { id: ImageId(Sha256::digest(bytes).into()), bytes: bytes.into() };
    let name = image_name(image.id);
    let (rooms, of_room, role) = (app.rooms.clone(), room.clone(), grant.role);
    let write = async move { rooms.put_image(&of_room, role, image).await };
    let is_new = write_owned(app, room, visitor, &grant.identity, write).await?;
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    let location = format!("/api/v1/rooms/{}/images/{name}", percent_encoded(room.as_str()));
    Ok(StoredImage { name, status, location })
}

/// Returns an image.
pub async fn read(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    ImageSegment(image): ImageSegment,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let image = app.rooms.valid_image_id(&room, image).await?;
    image_response(&app, &room, image, &headers).await
}

/// The response with an image of a room.
///
/// # Errors
///
/// Fails with `not_found` when the room has no such image.
pub async fn image_response(
    app: &App,
    room: &RoomName,
    image: ImageId,
    headers: &HeaderMap,
) -> Result<Response, ApiError> {
    let etag = format!("\"{}\"", image_name(image));
    let bytes = app.rooms.image(room, image).await?;
    if is_stored_file(&bytes) {
        return Err(ApiError::new(ErrorCode::NotFound, "no such image"));
    }
    let cached = headers.get(header::IF_NONE_MATCH).and_then(|cached| cached.to_str().ok());
    let is_unchanged = cached.is_some_and(|cached| cached.contains(&etag));
    // Detected when the image was stored, too; an image of a type no longer supported is sent as
    // plain bytes.
    let media_type = displayed_type(&bytes).unwrap_or("application/octet-stream");
    let mut response = match is_unchanged {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => ([(header::CONTENT_TYPE, media_type)], Bytes::from_owner(bytes)).into_response(),
    };
    let fixed = [
        (header::CACHE_CONTROL, "private, max-age=31536000, immutable"),
        (header::CONTENT_SECURITY_POLICY, IMAGE_POLICY),
    ];
    for (name, value) in fixed {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    let etag = HeaderValue::from_str(&etag).expect("digits and quotes are valid");
    response.headers_mut().insert(header::ETAG, etag);
    Ok(response)
}
