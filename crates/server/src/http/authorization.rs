//! Who may call a route: each route names it, and a middleware checks it before the handler runs.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{FromRequestParts, Request, State};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use quadrille_access::Action;
use quadrille_protocol::RoomName;

use super::accept::CountedConnection;
use super::app::App;
use super::extractors::RoomSegment;
use crate::access::{Grant, Identity, Visitor};
use crate::error::{ApiError, ErrorCode};
use crate::rate_limits::client_address;
use crate::rooms::no_such_room;

/// Who may call a route. `docs/decisions/0015-roles-links-and-accounts.md` has the table of actions
/// and roles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RouteAccess {
    /// Everybody.
    Public,
    /// Whoever may do this with the workbook that `{room}` names. The handler gets a [`Grant`].
    Room(Action),
    /// Owners; in an unclaimed workbook everybody who may edit.
    DeleteRoom,
    /// Everybody, and the handler decides by the [`Visitor`] that it gets: the path does not name
    /// the workbook.
    Visitor,
    /// Whoever may read the workbook, but without a role the answer is the one for a workbook that
    /// does not exist, which for this route is not an error.
    Optional,
    /// Everybody, but the handler gets the [`Grant`] if there is one: sessions are refused by a
    /// close code.
    Session,
}

impl RouteAccess {
    /// The name in the table of routes and roles (`docs/rest.md`).
    #[cfg(test)]
    pub fn name(self) -> &'static str {
        match self {
            RouteAccess::Public => "everybody",
            RouteAccess::Room(action) => action.role_min().name(),
            RouteAccess::DeleteRoom => "owner",
            RouteAccess::Visitor => "everybody",
            RouteAccess::Optional | RouteAccess::Session => "view",
        }
    }
}

/// The result for a route that does not need a role.
#[derive(Clone)]
pub struct OptionalGrant(pub Option<Grant>);

/// The `{room}` of a route that needs a role, with the grant of the request.
pub struct GrantedRoom {
    pub room: RoomName,
    pub grant: Grant,
}

impl<S: Send + Sync> FromRequestParts<S> for GrantedRoom {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<GrantedRoom, ApiError> {
        let RoomSegment(room) = RoomSegment::from_request_parts(parts, state).await?;
        let grant = parts.extensions.get().cloned().expect("the route needs a role");
        Ok(GrantedRoom { room, grant })
    }
}

/// Checks the access of a request and passes what it found to the handler.
pub async fn layer(
    State((app, access)): State<(App, RouteAccess)>,
    request: Request,
    next: Next,
) -> Response {
    match authorize(&app, access, request).await {
        Ok(request) => next.run(request).await,
        Err(error) => error.into_response(),
    }
}

/// Checks the access of a request, and adds what it found to the request: the [`Visitor`], its
/// [`Identity`], and the [`Grant`] or [`OptionalGrant`] of routes with `{room}`.
///
/// # Errors
///
/// Fails with 401 for credentials of an unknown form, 404 without a role in the workbook and 403
/// when the role is not enough.
pub async fn authorize(app: &App, access: RouteAccess, request: Request) -> Result<Request, ApiError> {
    if access == RouteAccess::Public {
        return Ok(request);
    }
    let (mut parts, body) = request.into_parts();
    let peer = parts.extensions.get::<CountedConnection>().map(|connection| connection.peer);
    let address = peer.and_then(|peer| client_address(peer, &parts.headers, &app.rate_limiter.trusted));
    let room = match access {
        RouteAccess::Public | RouteAccess::Visitor => None,
        _ => Some(RoomSegment::from_request_parts(&mut parts, app).await?.0),
    };
    let verified = verified(app, &parts.headers, address, room.as_ref()).await;
    let (visitor, identity) = match verified {
        // A browser does not see the status of a refused WebSocket, only a close code.
        Err(error) if access == RouteAccess::Session && error.code == ErrorCode::BadCredentials => {
            parts.extensions.insert(OptionalGrant(None));
            return Ok(Request::from_parts(parts, body));
        }
        verified => verified?,
    };
    parts.extensions.insert(visitor);
    parts.extensions.insert(Arc::clone(&identity));
    if let Some(room) = room {
        let grant = grant(app, &room, identity).await?;
        match access {
            RouteAccess::Session | RouteAccess::Optional => _ = parts.extensions.insert(OptionalGrant(grant)),
            _ => _ = parts.extensions.insert(checked(app, access, &room, grant).await?),
        }
    }
    Ok(Request::from_parts(parts, body))
}

async fn verified(
    app: &App,
    headers: &HeaderMap,
    address: Option<IpAddr>,
    room: Option<&RoomName>,
) -> Result<(Visitor, Arc<Identity>), ApiError> {
    let visitor = Visitor::from_headers(headers, address)?;
    let identity = Arc::new(app.access.identify(&visitor, room).await?);
    Ok((visitor, identity))
}

async fn grant(app: &App, room: &RoomName, identity: Arc<Identity>) -> Result<Option<Grant>, ApiError> {
    let decision = app.access.decide(room, &identity.credentials).await?;
    Ok(decision.role.map(|role| Grant { role, identity }))
}

/// The grant, if it is enough.
async fn checked(
    app: &App,
    access: RouteAccess,
    room: &RoomName,
    grant: Option<Grant>,
) -> Result<Grant, ApiError> {
    // Without a role there is no such room, whether there is one or not.
    let grant = grant.ok_or_else(|| no_such_room(room))?;
    let action = match access {
        RouteAccess::Room(action) => action,
        RouteAccess::DeleteRoom => match app.access.document(room).await? {
            Some(document) if document.value.is_claimed() => Action::Manage,
            _ => Action::Edit,
        },
        RouteAccess::Public | RouteAccess::Visitor | RouteAccess::Optional | RouteAccess::Session => {
            return Ok(grant);
        }
    };
    if action.is_allowed(Some(grant.role)) {
        return Ok(grant);
    }
    let message = format!("this needs the role {}; yours is {}", action.role_min().name(), grant.role.name());
    Err(ApiError::new(ErrorCode::Forbidden, message))
}

/// Checks that a request whose route has no `{room}` may do something with a workbook, such as
/// copying it.
///
/// # Errors
/// 404 without a role in the workbook, 403 when the role is not enough.
pub async fn check_room(
    app: &App,
    visitor: &Visitor,
    room: &RoomName,
    action: Action,
) -> Result<Grant, ApiError> {
    let identity = Arc::new(app.access.identify(visitor, Some(room)).await?);
    let grant = grant(app, room, identity).await?;
    checked(app, RouteAccess::Room(action), room, grant).await
}
