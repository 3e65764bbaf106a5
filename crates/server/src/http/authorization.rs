//! Who may call a route: each route names it, and a middleware checks it before the handler runs.

use std::net::IpAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use quadrille_access::{Action, AuditEvent, Scope};
use quadrille_protocol::RoomName;

use super::accept::CountedConnection;
use super::app::App;
use super::creation;
use super::extractors::RoomSegment;
use super::request_body::counted;
use super::sign_in_answer::session_cookie;
use crate::access::{AccountProof, Grant, Identity, Visitor};
use crate::error::{ApiError, ErrorCode};
use crate::rate_limits::client_address;
use crate::room_name;
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
    /// Whoever is signed in. A program needs an API token with the scope `admin` for changes.
    Account,
    /// Admins. A program needs an API token with the scope `admin`.
    Admin,
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
            RouteAccess::Account => "account",
            RouteAccess::Admin => "admin",
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
        Ok(authorized) => authorized.run(next).await,
        Err(error) => error.into_response(),
    }
}

/// A request that may be handled.
pub struct Authorized {
    request: Request,
    /// The session of an account with a new secret.
    cookie: Option<HeaderValue>,
}

impl Authorized {
    fn new(parts: Parts, body: Body) -> Authorized {
        Authorized { request: Request::from_parts(parts, body), cookie: None }
    }

    /// Handles the request.
    pub async fn run(self, next: Next) -> Response {
        let mut response = next.run(self.request).await;
        // Not if somebody has just signed in or out.
        if let Some(cookie) = self.cookie
            && !response.headers().contains_key(header::SET_COOKIE)
        {
            response.headers_mut().insert(header::SET_COOKIE, cookie);
        }
        response
    }
}

/// Checks the access of a request, and adds what it found to the request: the [`Visitor`], its
/// [`Identity`], and the [`Grant`] or [`OptionalGrant`] of routes with `{room}`.
///
/// # Errors
///
/// Fails with 401 for credentials of an unknown form and without an account where one is needed,
/// 404 without a role in the workbook and 403 when the role is not enough.
pub async fn authorize(app: &App, access: RouteAccess, request: Request) -> Result<Authorized, ApiError> {
    let (mut parts, mut body) = request.into_parts();
    if access == RouteAccess::Public {
        return Ok(Authorized::new(parts, body));
    }
    let peer = parts.extensions.get::<CountedConnection>().map(|connection| connection.peer);
    let address = peer.and_then(|peer| client_address(peer, &parts.headers, &app.rate_limiter.trusted));
    let room = match access {
        RouteAccess::Public | RouteAccess::Visitor | RouteAccess::Account | RouteAccess::Admin => None,
        _ => Some(RoomSegment::from_request_parts(&mut parts, app).await?.0),
    };
    let verified = verified(app, &parts, peer, address, room.as_ref()).await;
    let (visitor, identity) = match verified {
        // A browser does not see the status of a refused WebSocket, only a close code.
        Err(error) if access == RouteAccess::Session && error.status() == StatusCode::UNAUTHORIZED => {
            parts.extensions.insert(OptionalGrant(None));
            return Ok(Authorized::new(parts, body));
        }
        verified => verified?,
    };
    match access {
        RouteAccess::Account => check_account(&identity, !parts.method.is_safe()),
        RouteAccess::Admin => check_admin(&identity),
        _ => Ok(()),
    }
    .inspect_err(|_| app.denials.record(&identity.actor, address, None))?;
    let renewed = identity.renewed.as_ref();
    let cookie = renewed.map(|session| session_cookie(&app.settings, visitor.base_path(), session));
    parts.extensions.insert(visitor);
    parts.extensions.insert(Arc::clone(&identity));
    if let Some(room) = room {
        let grant = grant(app, &room, Arc::clone(&identity)).await?;
        let is_refused = match access {
            RouteAccess::Session | RouteAccess::Optional => {
                let is_refused = grant.is_none();
                parts.extensions.insert(OptionalGrant(grant));
                is_refused
            }
            _ => {
                let checked = checked(app, access, &room, grant).await;
                let denied =
                    |error: &ApiError| matches!(error.code, ErrorCode::Forbidden | ErrorCode::NoSuchRoom);
                if let Err(error) = &checked
                    && denied(error)
                {
                    app.denials.record(&identity.actor, address, Some(&room));
                    if error.code == ErrorCode::NoSuchRoom {
                        take_as_long_as_missing(app).await;
                    }
                }
                parts.extensions.insert(checked?);
                if is_write(access, &parts.method) {
                    let document = app.access.document(&room).await?;
                    let upload = app.quotas.upload(&document).await?;
                    match declared_bytes(&parts.headers) {
                        Some(bytes) => upload.take(bytes)?,
                        None => body = counted(body, upload),
                    }
                }
                false
            }
        };
        if is_refused {
            app.denials.record(&identity.actor, address, Some(&room));
            take_as_long_as_missing(app).await;
        }
    }
    Ok(Authorized { cookie, ..Authorized::new(parts, body) })
}

/// Looks a workbook up that does not exist, so that the time of an answer does not tell a workbook
/// without access from a missing one.
async fn take_as_long_as_missing(app: &App) {
    // The answer is the expected one: there is no such room.
    _ = app.rooms.read_inputs(&room_name::random()).await;
}

/// Whether a request adds to a workbook. Deleting is always possible, so that a full account can make
/// room.
fn is_write(access: RouteAccess, method: &Method) -> bool {
    let writes = [Action::Comment, Action::Edit, Action::ReadHistory];
    let is_change = *method == Method::PUT || *method == Method::POST;
    is_change && writes.iter().any(|action| access == RouteAccess::Room(*action))
}

/// The length of the body, if the request declares it.
fn declared_bytes(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

async fn verified(
    app: &App,
    parts: &Parts,
    peer: Option<IpAddr>,
    address: Option<IpAddr>,
    room: Option<&RoomName>,
) -> Result<(Visitor, Arc<Identity>), ApiError> {
    let is_https = app.settings.is_https();
    let verified = async {
        let mut visitor = Visitor::from_request(parts, address, is_https)?;
        if let (Some(sign_in), Some(peer), true) = (&app.proxy_sign_in, peer, visitor.is_from_own_page) {
            visitor.proven = sign_in.proven(&parts.headers, peer)?;
        }
        let identity = Arc::new(identify(app, &visitor, room).await?);
        Ok((visitor, identity))
    };
    let verified = verified.await;
    if let Err(error) = &verified {
        record_refusal(app, error, &Visitor::without_bearer(parts, address, is_https)).await;
    }
    verified
}

/// Verifies the credentials of a visitor, and counts that: once for each request and session.
async fn identify(app: &App, visitor: &Visitor, room: Option<&RoomName>) -> Result<Identity, ApiError> {
    app.rooms.metrics().credentials_verified.inc();
    app.access.identify(visitor, room).await
}

/// Writes to the audit log that credentials were refused, if it was that.
async fn record_refusal(app: &App, error: &ApiError, visitor: &Visitor) {
    if error.status() == StatusCode::UNAUTHORIZED {
        app.access.record_refusal(AuditEvent::TokenRefused, &error.message, visitor).await;
    }
}

/// Checks that a request comes from an account.
fn check_account(identity: &Identity, is_change: bool) -> Result<(), ApiError> {
    if identity.account.is_none() {
        return Err(ApiError::new(ErrorCode::SignInRequired, "this needs an account; sign in"));
    }
    match &identity.proof {
        Some(AccountProof::Token { rooms: Some(_), .. }) => Err(ApiError::new(
            ErrorCode::Forbidden,
            "the API token is for some workbooks only, not for the account",
        )),
        Some(AccountProof::Token { scope, .. }) if is_change && *scope != Scope::Admin => {
            Err(ApiError::new(ErrorCode::Forbidden, "this needs an API token with the scope admin"))
        }
        _ => Ok(()),
    }
}

/// Checks that a request comes from an admin.
fn check_admin(identity: &Identity) -> Result<(), ApiError> {
    check_account(identity, true)?;
    match identity.account.as_ref().is_some_and(|account| account.is_admin) {
        true => Ok(()),
        false => Err(ApiError::new(ErrorCode::Forbidden, "this is for admins")),
    }
}

async fn grant(app: &App, room: &RoomName, identity: Arc<Identity>) -> Result<Option<Grant>, ApiError> {
    let decision = creation::decide(app, room, &identity).await?;
    Ok(decision.role.map(|role| Grant { role, identity, mark: None }))
}

/// The grant, if it is enough.
pub(super) async fn checked(
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
        RouteAccess::Public
        | RouteAccess::Visitor
        | RouteAccess::Optional
        | RouteAccess::Session
        | RouteAccess::Account
        | RouteAccess::Admin => return Ok(grant),
    };
    if action.is_allowed(Some(grant.role)) {
        return Ok(grant);
    }
    // A workbook that must not be seen is not told from one that does not exist, except to those who ask
    // to create it: they may see what the configuration allows to all.
    if action != Action::Edit {
        check_exists(app, room).await?;
    }
    let message = format!("this needs the role {}; yours is {}", action.role_min().name(), grant.role.name());
    Err(ApiError::new(ErrorCode::Forbidden, message))
}

/// Checks that there is such a workbook, or at least its access document.
///
/// # Errors
///
/// Fails with `no_such_room` otherwise.
pub async fn check_exists(app: &App, room: &RoomName) -> Result<(), ApiError> {
    match app.access.document(room).await?.is_some() || app.rooms.exists(room).await? {
        true => Ok(()),
        false => Err(no_such_room(room)),
    }
}

/// Checks that a request whose route has no `{room}` may do something with a workbook, such as
/// copying it. `identity` is what the layer has verified of the visitor.
///
/// # Errors
/// Those of [`identity_for`], 404 without a role in the workbook, 403 when the role is not enough.
pub async fn check_room(
    app: &App,
    visitor: &Visitor,
    identity: &Arc<Identity>,
    room: &RoomName,
    action: Action,
) -> Result<Grant, ApiError> {
    let identity = identity_for(app, visitor, identity, room).await?;
    let grant = grant(app, room, identity).await?;
    checked(app, RouteAccess::Room(action), room, grant).await
}

/// The identity of a visitor for a workbook that the path of the route does not name. Most credentials
/// prove the same everywhere, and are not verified again: only those of which the layer could not
/// know for what they have to hold.
///
/// # Errors
/// 401 for credentials that are not valid there, 403 for an API token that is for other workbooks.
pub async fn identity_for(
    app: &App,
    visitor: &Visitor,
    identity: &Arc<Identity>,
    room: &RoomName,
) -> Result<Arc<Identity>, ApiError> {
    if !visitor.is_verified_by_workbook() {
        identity.check_covers(room)?;
        return Ok(Arc::clone(identity));
    }
    let identified = identify(app, visitor, Some(room)).await;
    if let Err(error) = &identified {
        record_refusal(app, error, visitor).await;
    }
    identified.map(Arc::new)
}
