//! `/api/v1/rooms/{room}/shapes`: makes the images of shapes, and changes shapes and pictures. The position in a
//! sheet is an item, as that of any image.
//!
//! The client sends attributes, never SVG or DrawingML: an image of a shape can only come from this server.

use axum::Json;
use axum::body::Body;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use quadrille_files::{
    ShapeAttributes, ShapeError, ShapeImage, ShownImage, change_shape, displayed_type, new_shape,
    shape_attributes,
};
use quadrille_journal::ImageId;
use serde_json::{Map, Value, json};

use super::access_input::bad;
use super::app::App;
use super::authorization::GrantedRoom;
use super::extractors::RoomSegment;
use super::images_api::{ImageSegment, store_image};
use super::internal_error::internal;
use super::json_body;
use crate::access::Visitor;
use crate::error::{ApiError, ErrorCode};
use crate::input_errors::of_json;
use crate::limits;
use crate::rooms::image_id;

/// Width and height in pixels of a shape that is made without them.
const SIZE_DEFAULT: (f64, f64) = (160.0, 80.0);

/// A request body without the attributes.
struct ShapeBody {
    /// The image to change; without one a shape is made.
    image: Option<ImageId>,
    /// Of the new shape, or of the item that shows the image.
    width: Option<f64>,
    height: Option<f64>,
    /// That of the item that shows the image.
    alt_text: Option<String>,
    attributes: ShapeAttributes,
}

impl ShapeBody {
    fn parse(given: Value) -> Result<ShapeBody, ApiError> {
        let Value::Object(mut given) = given else { return Err(bad("the body must be an object")) };
        let image: Option<String> = take(&mut given, "image")?;
        let invalid = || bad("image must have 64 lower-case hexadecimal digits");
        let image = image.map(|name| image_id(&name).ok_or_else(invalid)).transpose()?;
        let (width, height) = (take(&mut given, "width")?, take(&mut given, "height")?);
        let alt_text: Option<String> = take(&mut given, "altText")?;
        let attributes = json_body::of_shape(Value::Object(given))?;
        Ok(ShapeBody { image, width, height, alt_text: alt_text.filter(|text| !text.is_empty()), attributes })
    }
}

/// Takes a member out of an object.
fn take<T: serde::de::DeserializeOwned>(
    given: &mut Map<String, Value>,
    name: &str,
) -> Result<Option<T>, ApiError> {
    let Some(value) = given.remove(name) else { return Ok(None) };
    serde_json::from_value(value)
        .map_err(|error| ApiError::new(ErrorCode::BadJson, format!("{name}: {}", of_json(&error))))
}

/// Makes a shape, or changes a shape or a picture of the room, and stores its image. Creates the room when it
/// does not exist.
pub async fn put(
    State(app): State<App>,
    GrantedRoom { room, grant }: GrantedRoom,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let given = ShapeBody::parse(json_body::read(&headers, body).await?)?;
    let drawn = match given.image {
        Some(image) => {
            let bytes = app.rooms.image(&room, image).await?;
            let size = match (given.width, given.height) {
                (None, None) => None,
                (Some(width), Some(height)) => Some((width, height)),
                _ => return Err(bad("width and height belong together")),
            };
            let shown = ShownImage { size, alt_text: given.alt_text };
            let attributes = given.attributes;
            // The image of a picture can have some MiB.
            let change = move || change_shape(&bytes, &shown, &attributes);
            tokio::task::spawn_blocking(change).await.map_err(|_| internal("drawing a shape"))?
        }
        None if given.alt_text.is_some() => return Err(bad("altText belongs to an image that is changed")),
        None => {
            let (width, height) = SIZE_DEFAULT;
            let size = (given.width.unwrap_or(width), given.height.unwrap_or(height));
            new_shape(size, &given.attributes)
        }
    };
    let ShapeImage { bytes, is_shape, size, moved, alt_text } = drawn.map_err(of_shape)?;
    let stored = store_image(&app, &room, &grant, &visitor, &bytes).await?;
    // Items have whole pixels. All are far below 2^53.
    let whole = |pixels: f64| pixels.round() as i64;
    let reply = json!({
        "image": stored.name,
        "mediaType": displayed_type(&bytes),
        "bytes": bytes.len(),
        "shape": is_shape,
        "width": whole(size.0).max(1),
        "height": whole(size.1).max(1),
        "moveX": whole(moved.0),
        "moveY": whole(moved.1),
        "altText": alt_text,
    });
    Ok((stored.status, [(header::LOCATION, stored.location)], Json(reply)).into_response())
}

/// Returns what can be edited of a shape or a picture, and its attributes.
pub async fn read(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    ImageSegment(image): ImageSegment,
) -> Result<Json<Value>, ApiError> {
    let image = app.rooms.valid_image_id(&room, image).await?;
    let bytes = app.rooms.image(&room, image).await?;
    let described = tokio::task::spawn_blocking(move || shape_attributes(&bytes)).await;
    let described = described.map_err(|_| internal("reading a shape"))?;
    let (kind, attributes) = described.ok_or_else(|| ApiError::new(ErrorCode::NotFound, "no such image"))?;
    Ok(Json(json!({ "kind": kind, "attributes": attributes })))
}

fn of_shape(error: ShapeError) -> ApiError {
    match error {
        ShapeError::NotAnImage => ApiError::new(ErrorCode::NotFound, "no such image"),
        ShapeError::NotEditable => {
            bad("groups, SmartArt graphics, form controls and embedded objects cannot be edited")
        }
        ShapeError::BadValue(message) => bad(message),
        ShapeError::TooLarge => {
            let message = format!(
                "a shape has at most {} bytes with its pictures, which are in Base64",
                limits::IMAGE_BYTES_MAX
            );
            ApiError::new(ErrorCode::BodyTooLarge, message)
        }
    }
}
