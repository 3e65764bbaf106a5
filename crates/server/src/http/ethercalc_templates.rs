//! EtherCalc's templates: `/_from/{template}` and `/{template}/form` make a copy of a room and lead to
//! it.
//!
//! A copy gets a name that nobody can guess. A template that does not exist, or that the requester may
//! not read, leads to an empty room, as in EtherCalc.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Extension, Path, State};
use axum::response::Response;
use quadrille_protocol::RoomName;

use super::app::App;
use super::creation::check_may_create;
use super::pages::{found, new_room_location};
use super::plain_error::PlainError;
use super::rooms_api::copy_to_random;
use crate::access::{Identity, Visitor};
use crate::error::{ApiError, ErrorCode};
use crate::room_name::{self, percent_encoded};

/// `GET /_from/{template}`: 302 to a copy.
pub async fn copy(
    State(app): State<App>,
    Path(template): Path<String>,
    Extension(visitor): Extension<Visitor>,
    Extension(identity): Extension<Arc<Identity>>,
) -> Result<Response, PlainError> {
    let (template, room) = (room_name::parse(&template)?, room_name::random_ethercalc());
    copy_if_readable(&app, &visitor, &identity, &template, &room).await?;
    Ok(found(new_room_location(&app, "", &room)))
}

/// `GET /{template}/form`: 302 to a copy for one person who fills the form in. Its name begins with the
/// template's, by which `submitform` finds where the answers go.
pub async fn form(
    State(app): State<App>,
    Path(template): Path<String>,
    Extension(visitor): Extension<Visitor>,
    Extension(identity): Extension<Arc<Identity>>,
) -> Result<Response, PlainError> {
    let template = room_name::parse(&template)?;
    let room = room_name::parse(&format!("{template}_{}", room_name::random_ethercalc()))?;
    copy_if_readable(&app, &visitor, &identity, &template, &room).await?;
    Ok(found(format!("/{}/app", percent_encoded(room.as_str()))))
}

async fn copy_if_readable(
    app: &App,
    visitor: &Visitor,
    identity: &Arc<Identity>,
    template: &RoomName,
    room: &RoomName,
) -> Result<(), ApiError> {
    check_may_create(&app.settings, identity)?;
    // The request is a GET, which the limits of changes do not count.
    app.rate_limiter.change(room, visitor.address, 0, Instant::now()).map_err(|exceeded| {
        app.rooms.metrics().limit_hit(exceeded.limit);
        ApiError::rate_limited(exceeded)
    })?;
    match copy_to_random(app, visitor, identity, template, room).await {
        Err(error) if error.code == ErrorCode::NoSuchRoom => Ok(()),
        copied => copied,
    }
}
