//! `/api/v1/rooms/{room}/access`: general access, people, owner keys, requests, the trash and the
//! audit log of a workbook. Share links are in `share_links_api`.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use axum::Json;
use axum::body::Body;
use axum::extract::{Extension, FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use quadrille_access::{
    AccessError, AccessRequest, AccountId, Action, Actor, AuditEntry, AuditEvent, AuditFilter, AuditNumber,
    Email, GeneralAccess, Grant as PersonGrant, ImportGrant, OwnerKey, Person, Secret, SecretId, SecretKind,
    ShareLink, WorkbookAccess,
};
use quadrille_protocol::{Role, RoomName};
use serde::Deserialize;
use serde_json::{Value as Json_, json};

use super::access_input::{
    bad, check_count, check_length, conflict, grant_role, new_secret, not_found, parse_person,
    parse_shared_role, person_name, read_body,
};
use super::app::App;
use super::extractors::{RoomSegment, StrictQuery, segment};
use super::invitations::{invite, notify_owner, personal_link};
use crate::access::{Attempt, Grant, Identity, Visitor, audit_entry, now_ms};
use crate::config::ClaimPolicy;
use crate::error::{ApiError, ErrorCode};
use crate::rooms::no_such_room;

/// A request about the access of a workbook, by somebody who may make it.
pub struct Manager {
    pub(super) app: App,
    pub(super) room: RoomName,
    pub(super) visitor: Visitor,
    grant: Grant,
}

impl FromRequestParts<App> for Manager {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Manager, ApiError> {
        let RoomSegment(room) = RoomSegment::from_request_parts(parts, app).await?;
        let visitor = parts.extensions.get().cloned().expect("the route names its access");
        let grant = parts.extensions.get().cloned().expect("the route needs a role");
        Ok(Manager { app: app.clone(), room, visitor, grant })
    }
}

impl Manager {
    /// Who makes the request.
    pub(super) fn actor(&self) -> Actor {
        self.grant.identity.actor.clone()
    }

    fn entry(&self, event: AuditEvent, target: impl Into<String>) -> AuditEntry {
        audit_entry(&self.grant.identity.actor, event, Some(&self.room), target, &self.visitor)
    }

    /// Changes the access document of a workbook that has an owner. `edit` may run several times.
    pub(super) async fn change(
        &self,
        event: AuditEvent,
        target: impl Into<String>,
        mut edit: impl FnMut(&mut WorkbookAccess) -> Result<(), ApiError> + Send + 'static,
    ) -> Result<(), ApiError> {
        let entry = self.entry(event, target);
        let edit = move |access: Option<WorkbookAccess>| {
            let unclaimed = || conflict("nobody owns this workbook; claim it first");
            let mut access = access.filter(WorkbookAccess::is_claimed).ok_or_else(unclaimed)?;
            edit(&mut access)?;
            Ok((Some(access), vec![entry.clone()]))
        };
        self.app.access.change(&self.room, edit).await.map(|_| ())
    }
}

impl Manager {
    /// Tells a person of a role; what it has come to, as JSON.
    async fn invite(&self, person: (&Person, Role), link: Option<&Secret>, should_send: bool) -> Json_ {
        let sender = (&self.visitor, &*self.grant.identity);
        let invitation = invite(&self.app, &self.room, sender, person, link, should_send).await;
        json!({ "sent": invitation.is_sent, "url": invitation.url })
    }
}

/// The `{key}`, `{link}` or `{request}` of the path.
pub struct IdSegment(pub(super) SecretId);

/// The `{person}` of the path.
pub struct PersonSegment(Person);

impl FromRequestParts<App> for IdSegment {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<IdSegment, ApiError> {
        let kinds = [("/owner-keys/", "key"), ("/links/", "link"), ("/requests/", "request")];
        let kind = kinds.iter().find(|(path, _)| parts.uri.path().contains(path));
        let (_, name) = *kind.expect("the route has an identifier");
        let text = segment(parts, app, name, ErrorCode::BadAddress).await?;
        let unknown = || ApiError::new(ErrorCode::NotFound, format!("no such {name}: {text}"));
        SecretId::parse(&text).map(IdSegment).ok_or_else(unknown)
    }
}

impl FromRequestParts<App> for PersonSegment {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<PersonSegment, ApiError> {
        let text = segment(parts, app, "person", ErrorCode::BadAddress).await?;
        parse_person(&text).map(PersonSegment)
    }
}

/// Returns the caller's role and the general access; to owners everything but the secrets.
pub async fn read(Manager { app, room, grant, .. }: Manager) -> Result<Json<Json_>, ApiError> {
    let is_owner = Action::Manage.is_allowed(Some(grant.role));
    // Counters of use and times are in the store only.
    let document = match is_owner {
        true => app.access.stored_document(&room).await?,
        false => app.access.document(&room).await?,
    };
    if document.is_none() && !app.rooms.exists(&room).await? {
        return Err(no_such_room(&room));
    }
    let access = document.as_ref().map(|document| &document.value);
    let mut body = json!({
        "room": room.as_str(),
        "role": grant.role.name(),
        "isClaimed": access.is_some_and(WorkbookAccess::is_claimed),
        "canClaim": may_claim(&app, &room, access, grant.role).await?,
        "general": access.map_or("default", |access| general_name(access.general)),
        "defaultRole": app.access.default_role().name(),
        "trashedMs": access.and_then(|access| access.trashed_ms),
    });
    if is_owner && let Some(access) = access {
        let names = account_names(&app, access).await?;
        body["owner"] = json!(access.owner.map(|owner| owner.to_string()));
        body["ownerName"] = json!(access.owner.and_then(|owner| names.get(&owner)));
        body["ownerKeys"] = access
            .owner_keys
            .iter()
            .map(|key| json!({ "id": key.id.to_string(), "createdMs": key.created_ms }))
            .collect();
        body["people"] = access.grants.iter().map(|grant| person_json(grant, &names)).collect();
        body["links"] = access.links.iter().map(link_json).collect();
        body["imports"] = access.imports.iter().map(|import| import_json(import, &names)).collect();
        let name = room.clone();
        let requests = app.access.run(move |store| store.requests(&name)).await?;
        body["requests"] = requests.iter().map(request_json).collect();
        if let Some(owner) = access.owner {
            body["quota"] = app.quotas.usage_of_account(owner).await?.json();
        }
    }
    Ok(Json(body))
}

fn general_name(general: GeneralAccess) -> &'static str {
    match general {
        GeneralAccess::ServerDefault => "default",
        GeneralAccess::Restricted => "restricted",
        GeneralAccess::Anyone(role) => role.name(),
    }
}

/// The names of the accounts that a document mentions.
async fn account_names(app: &App, access: &WorkbookAccess) -> Result<HashMap<AccountId, String>, ApiError> {
    let granted = access.grants.iter().filter_map(|grant| match &grant.person {
        Person::Account(id) => Some(*id),
        Person::Email(_) => None,
    });
    let allowed = access.imports.iter().filter_map(|import| match &import.by {
        Actor::Account(id) => Some(*id),
        _ => None,
    });
    let ids: Vec<AccountId> = granted.chain(access.owner).chain(allowed).collect();
    let names = app.access.run(move |store| {
        let mut names = HashMap::new();
        for id in ids {
            if let Some(account) = store.account(id)? {
                names.insert(id, account.value.name);
            }
        }
        Ok(names)
    });
    names.await
}

fn person_json(grant: &PersonGrant, names: &HashMap<AccountId, String>) -> Json_ {
    let name = match &grant.person {
        Person::Account(id) => names.get(id),
        Person::Email(_) => None,
    };
    json!({
        "person": person_name(&grant.person),
        "name": name,
        "role": grant.role.name(),
        "createdMs": grant.created_ms,
        "lastSeenMs": grant.last_seen_ms,
    })
}

fn link_json(link: &ShareLink) -> Json_ {
    json!({
        "id": link.id.to_string(),
        "role": link.role.name(),
        "label": link.label,
        "person": link.person.as_ref().map(Email::as_str),
        "expiresMs": link.expires_ms,
        "hasPassword": link.password_hash.is_some(),
        "createdMs": link.created_ms,
        "uses": link.uses,
        "lastUsedMs": link.last_used_ms,
    })
}

fn import_json(import: &ImportGrant, names: &HashMap<AccountId, String>) -> Json_ {
    let name = match &import.by {
        Actor::Account(id) => names.get(id),
        _ => None,
    };
    json!({ "room": import.room, "allowedBy": name, "createdMs": import.created_ms })
}

fn request_json(request: &AccessRequest) -> Json_ {
    json!({
        "id": request.id.to_string(),
        "name": request.name,
        "email": request.email.as_ref().map(Email::as_str),
        "account": request.account.map(|account| account.to_string()),
        "message": request.message,
        "createdMs": request.created_ms,
    })
}

/// The body that sets the general access.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GeneralBody {
    general: String,
}

/// Sets who may open the workbook without being named.
pub async fn set_general(manager: Manager, headers: HeaderMap, body: Body) -> Result<StatusCode, ApiError> {
    let GeneralBody { general: name } = read_body(&headers, body).await?;
    let general = match name.as_str() {
        "default" => GeneralAccess::ServerDefault,
        "restricted" => GeneralAccess::Restricted,
        role => GeneralAccess::Anyone(parse_shared_role(role)?),
    };
    let set = move |access: &mut WorkbookAccess| {
        access.general = general;
        Ok(())
    };
    manager.change(AuditEvent::GeneralAccessChanged, name, set).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Makes the caller the owner of a workbook that nobody owns.
pub async fn claim(manager: Manager) -> Result<Response, ApiError> {
    let Manager { app, room, visitor, grant } = &manager;
    match app.settings.claim {
        ClaimPolicy::Nobody => {
            return Err(ApiError::new(ErrorCode::Forbidden, "workbooks of this server cannot have an owner"));
        }
        ClaimPolicy::New if app.rooms.exists(room).await? => {
            return Err(conflict("only a new workbook can get an owner on this server"));
        }
        ClaimPolicy::New | ClaimPolicy::Editors => {}
    }
    if let Some(account) = &grant.identity.account {
        claim_for_account(&manager, account.id).await?;
        return Ok((StatusCode::CREATED, Json(json!({ "owner": account.id.to_string() }))).into_response());
    }
    let key = claim_room(app, room, visitor, &grant.identity).await?;
    Ok((StatusCode::CREATED, Json(json!({ "id": key.id().to_string(), "ownerKey": key.reveal() })))
        .into_response())
}

/// Makes an account the owner of a workbook.
async fn claim_for_account(manager: &Manager, id: AccountId) -> Result<(), ApiError> {
    let entry = manager.entry(AuditEvent::WorkbookClaimed, id.to_string());
    let tenant = manager.grant.identity.credentials.tenant.as_deref().map(str::to_owned);
    // Those who use an existing workbook keep their access.
    let general = match manager.app.rooms.exists(&manager.room).await? {
        true => GeneralAccess::ServerDefault,
        false => super::creation::new_general_access(&manager.app.settings),
    };
    let claim = move |access: Option<WorkbookAccess>| {
        let tenant = tenant.clone();
        let unclaimed = WorkbookAccess { tenant, general, created_ms: now_ms(), ..Default::default() };
        let mut access = access.unwrap_or(unclaimed);
        if access.is_claimed() {
            return Err(conflict("the workbook has an owner"));
        }
        access.owner = Some(id);
        Ok((Some(access), vec![entry.clone()]))
    };
    manager.app.access.change(&manager.room, claim).await.map(|_| ())
}

/// Checks that somebody may become an owner. Otherwise an editor whom a host application lets in
/// would get more than the host has given, and keep it.
///
/// # Errors
///
/// Fails with `forbidden` for a signed token with less than the role `owner`.
pub fn check_may_own(identity: &Identity) -> Result<(), ApiError> {
    match identity.credentials.asserted {
        Some(asserted) if asserted.role != Role::Owner => {
            let message = "the signed token of a host application does not allow owning the workbook";
            Err(ApiError::new(ErrorCode::Forbidden, message))
        }
        _ => Ok(()),
    }
}

/// Creates the first owner key of a workbook.
///
/// # Errors
///
/// Fails with `conflict` when it has an owner.
pub async fn claim_room(
    app: &App,
    room: &RoomName,
    visitor: &Visitor,
    identity: &Identity,
) -> Result<Secret, ApiError> {
    check_may_own(identity)?;
    let key = new_secret(SecretKind::OwnerKey);
    let event = AuditEvent::WorkbookClaimed;
    let entry = audit_entry(&identity.actor, event, Some(room), key.id().to_string(), visitor);
    let stored = owner_key(&key);
    let tenant = identity.credentials.tenant.as_deref().map(str::to_owned);
    let edit = move |access: Option<WorkbookAccess>| {
        let new =
            || WorkbookAccess { tenant: tenant.clone(), created_ms: now_ms(), ..WorkbookAccess::default() };
        let mut access = access.unwrap_or_else(new);
        if access.is_claimed() {
            return Err(conflict("the workbook has an owner"));
        }
        access.owner_keys.push(stored.clone());
        Ok((Some(access), vec![entry.clone()]))
    };
    app.access.change(room, edit).await?;
    Ok(key)
}

/// Creates another owner key, for another browser.
pub async fn add_owner_key(manager: Manager) -> Result<Response, ApiError> {
    let key = new_secret(SecretKind::OwnerKey);
    let stored = owner_key(&key);
    let add = move |access: &mut WorkbookAccess| {
        check_count(access.owner_keys.len(), "owner keys")?;
        access.owner_keys.push(stored.clone());
        Ok(())
    };
    manager.change(AuditEvent::OwnerChanged, key.id().to_string(), add).await?;
    Ok((StatusCode::CREATED, Json(json!({ "id": key.id().to_string(), "ownerKey": key.reveal() })))
        .into_response())
}

/// Revokes an owner key.
pub async fn remove_owner_key(manager: Manager, IdSegment(id): IdSegment) -> Result<StatusCode, ApiError> {
    let remove = move |access: &mut WorkbookAccess| {
        let position = access.owner_keys.iter().position(|key| key.id == id);
        let position = position.ok_or_else(|| not_found("owner key", id))?;
        if access.owner.is_none() && access.owner_keys.len() == 1 {
            return Err(conflict("the last owner key cannot be deleted: nobody would own the workbook"));
        }
        access.owner_keys.remove(position);
        Ok(())
    };
    manager.change(AuditEvent::OwnerChanged, id.to_string(), remove).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The body that gives a person a role.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PersonBody {
    /// `account:…` or an e-mail address.
    person: Option<String>,
    email: Option<String>,
    account: Option<String>,
    role: String,
    /// Whether to send a message.
    #[serde(default = "yes")]
    notify: bool,
}

fn yes() -> bool {
    true
}

impl PersonBody {
    fn person(&self) -> Result<Person, ApiError> {
        match (&self.person, &self.email, &self.account) {
            (Some(person), None, None) => parse_person(person),
            (None, Some(email), None) => {
                let email = Email::parse(email).map(Person::Email);
                email.ok_or_else(|| {
                    bad(format!("not an e-mail address: {}", self.email.as_deref().unwrap_or("")))
                })
            }
            (None, None, Some(id)) => {
                let account = AccountId::parse(id.strip_prefix("account:").unwrap_or(id));
                account.map(Person::Account).ok_or_else(|| bad(format!("not an account: {id}")))
            }
            _ => Err(bad("give one of person, email and account")),
        }
    }
}

/// Gives a person a role, and sends an invitation if the server can.
pub async fn add_person(manager: Manager, headers: HeaderMap, body: Body) -> Result<Response, ApiError> {
    let given: PersonBody = read_body(&headers, body).await?;
    let (person, role) = (given.person()?, parse_shared_role(&given.role)?);
    let name = person_name(&person);
    let (secret, link) = personal_link(&manager.app, &person, role).unzip();
    let added = person.clone();
    let add = move |access: &mut WorkbookAccess| {
        if access.grants.iter().any(|grant| grant.person == added) {
            return Err(conflict("the person has a role already"));
        }
        if let Some(link) = &link {
            check_count(access.links.len(), "links")?;
            access.links.push(link.clone());
        }
        grant_role(access, &added, role)
    };
    manager.change(AuditEvent::PersonAdded, name.clone(), add).await?;
    let invitation = manager.invite((&person, role), secret.as_ref(), given.notify).await;
    let reply = json!({ "person": name, "role": role.name(), "invitation": invitation });
    Ok((StatusCode::CREATED, Json(reply)).into_response())
}

/// The body that changes the role of a person.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RoleBody {
    role: String,
}

/// Changes the role of a person.
pub async fn change_person(
    manager: Manager,
    PersonSegment(person): PersonSegment,
    headers: HeaderMap,
    body: Body,
) -> Result<StatusCode, ApiError> {
    let RoleBody { role } = read_body(&headers, body).await?;
    let role = parse_shared_role(&role)?;
    let name = person_name(&person);
    let change = move |access: &mut WorkbookAccess| {
        let grant = access.grants.iter_mut().find(|grant| grant.person == person);
        grant.ok_or_else(|| not_found("person", person_name(&person)))?.role = role;
        access.links.iter_mut().filter(|link| is_for(link, &person)).for_each(|link| link.role = role);
        Ok(())
    };
    manager.change(AuditEvent::PersonChanged, name, change).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Takes the role of a person away.
pub async fn remove_person(
    manager: Manager,
    PersonSegment(person): PersonSegment,
) -> Result<StatusCode, ApiError> {
    let name = person_name(&person);
    let remove = move |access: &mut WorkbookAccess| {
        let position = access.grants.iter().position(|grant| grant.person == person);
        access.grants.remove(position.ok_or_else(|| not_found("person", person_name(&person)))?);
        access.links.retain(|link| !is_for(link, &person));
        Ok(())
    };
    manager.change(AuditEvent::PersonRemoved, name, remove).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Whether a share link was made for a person.
fn is_for(link: &ShareLink, person: &Person) -> bool {
    matches!(person, Person::Email(email) if link.person.as_ref() == Some(email))
}

/// The body that asks for access.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RequestBody {
    name: String,
    email: Option<String>,
    #[serde(default)]
    message: String,
}

/// Asks the owners of a workbook for access. The answer is the same whether the workbook exists or
/// not.
pub async fn ask(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    Extension(visitor): Extension<Visitor>,
    Extension(identity): Extension<Arc<Identity>>,
    headers: HeaderMap,
    body: Body,
) -> Result<StatusCode, ApiError> {
    let given: RequestBody = read_body(&headers, body).await?;
    check_length("name", &given.name)?;
    check_length("message", &given.message)?;
    if given.name.trim().is_empty() {
        return Err(bad("the name is blank"));
    }
    let email = given
        .email
        .as_deref()
        .map(|text| Email::parse(text).ok_or_else(|| bad(format!("not an e-mail address: {text}"))));
    let request = AccessRequest {
        id: new_secret(SecretKind::ShareLink).id(),
        room: room.as_str().to_owned(),
        account: identity.credentials.account.as_ref().map(|account| account.id),
        name: given.name,
        email: email.transpose()?,
        message: given.message,
        created_ms: now_ms(),
    };
    app.attempts.take(Attempt::Request(visitor.address), Instant::now())?;
    app.attempts.take(Attempt::RequestFor(room.clone()), Instant::now())?;
    let document = app.access.document(&room).await?;
    let has_owner = document.is_some_and(|document| document.value.is_claimed());
    if has_owner {
        let event = AuditEvent::AccessRequested;
        let entry = audit_entry(&identity.actor, event, Some(&room), request.id.to_string(), &visitor);
        let stored = request.clone();
        let put = move |store: &mut dyn quadrille_access::AccessStore| {
            match store.put_request(&stored, &[entry]) {
                // Whoever asks must not learn from it that the workbook exists.
                Err(AccessError::TooMany { .. }) => Ok(false),
                put => put.map(|()| true),
            }
        };
        if app.access.run(put).await? {
            notify_owner(&app, &room, &request);
        }
    }
    Ok(StatusCode::ACCEPTED)
}

/// The query of an answer to a request.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerQuery {
    /// The role that the person gets; none without it.
    role: Option<String>,
}

/// Answers a request for access, and removes it. With a role the person is invited.
pub async fn answer(
    manager: Manager,
    IdSegment(id): IdSegment,
    StrictQuery(query): StrictQuery<AnswerQuery>,
) -> Result<Response, ApiError> {
    let role = query.role.as_deref().map(parse_shared_role).transpose()?;
    let room = manager.room.clone();
    let requests = manager.app.access.run(move |store| store.requests(&room)).await?;
    let request = requests.into_iter().find(|request| request.id == id);
    let request = request.ok_or_else(|| not_found("request", id))?;
    let mut invitation = None;
    if let Some(role) = role {
        let person = request.account.map(Person::Account).or(request.email.map(Person::Email));
        let person = person.ok_or_else(|| bad("the request has neither an account nor an e-mail address"))?;
        let (secret, link) = personal_link(&manager.app, &person, role).unzip();
        let granted = person.clone();
        let add = move |access: &mut WorkbookAccess| {
            if let Some(link) = &link {
                check_count(access.links.len(), "links")?;
                access.links.push(link.clone());
            }
            grant_role(access, &granted, role)
        };
        manager.change(AuditEvent::PersonAdded, person_name(&person), add).await?;
        invitation = Some(manager.invite((&person, role), secret.as_ref(), true).await);
    }
    let entry = manager.entry(AuditEvent::AccessRequestAnswered, id.to_string());
    let room = manager.room.clone();
    manager.app.access.run(move |store| store.delete_request(&room, id, &[entry])).await?;
    Ok(match invitation {
        Some(invitation) => Json(json!({ "invitation": invitation })).into_response(),
        None => StatusCode::NO_CONTENT.into_response(),
    })
}

/// Moves the workbook to the trash: only its owners can open it.
pub async fn trash(manager: Manager) -> Result<StatusCode, ApiError> {
    let trash = |access: &mut WorkbookAccess| {
        access.trashed_ms.get_or_insert_with(now_ms);
        Ok(())
    };
    manager.change(AuditEvent::WorkbookTrashed, "", trash).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Takes the workbook out of the trash.
pub async fn restore(manager: Manager) -> Result<StatusCode, ApiError> {
    let restore = |access: &mut WorkbookAccess| {
        access.trashed_ms = None;
        Ok(())
    };
    manager.change(AuditEvent::WorkbookRestored, "", restore).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The query of the audit log.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuditQuery {
    /// Only entries after this number.
    after: Option<u64>,
    /// Maximum number of entries; 100 by default, at most 1,000.
    limit: Option<usize>,
}

/// Lists the audit log of the workbook, oldest first.
pub async fn audit(
    manager: Manager,
    StrictQuery(query): StrictQuery<AuditQuery>,
) -> Result<Json<Json_>, ApiError> {
    let limit = query.limit.unwrap_or(100).clamp(1, 1_000);
    let after = AuditNumber(query.after.unwrap_or(0));
    let room = Some(manager.room.as_str().to_owned());
    let filter = AuditFilter { after, room, ..AuditFilter::default() };
    let entries = manager.app.access.run(move |store| store.audit(&filter, limit)).await?;
    let next = entries.last().filter(|_| entries.len() == limit).map(|entry| entry.number.0);
    // Earlier entries are about a deleted workbook of the same name, which had other owners.
    let document = manager.app.access.document(&manager.room).await?;
    let since_ms = document.map_or(i64::MAX, |document| document.value.created_ms);
    let entries: Vec<Json_> =
        entries.iter().filter(|entry| entry.time_ms >= since_ms).map(entry_json).collect();
    Ok(Json(json!({ "room": manager.room.as_str(), "entries": entries, "next": next })))
}

fn entry_json(entry: &AuditEntry) -> Json_ {
    json!({
        "number": entry.number.0,
        "timeMs": entry.time_ms,
        "actor": actor_name(&entry.actor),
        "event": entry.event,
        "target": entry.target,
        "address": entry.address,
    })
}

fn actor_name(actor: &Actor) -> String {
    match actor {
        Actor::Anonymous => "anonymous".into(),
        Actor::Account(id) => format!("account:{id}"),
        Actor::Token(id) => format!("token:{id}"),
        Actor::OwnerKey(id) => format!("ownerKey:{id}"),
        Actor::Link(id) => format!("link:{id}"),
        Actor::Host(issuer) => format!("host:{issuer}"),
        Actor::Operator => "operator".into(),
        Actor::Server => "server".into(),
    }
}

fn owner_key(key: &Secret) -> OwnerKey {
    OwnerKey { id: key.id(), hash: key.hash(), created_ms: now_ms() }
}

/// Whether the caller can become the owner: nobody owns the workbook, and the settings allow it.
async fn may_claim(
    app: &App,
    room: &RoomName,
    access: Option<&WorkbookAccess>,
    role: Role,
) -> Result<bool, ApiError> {
    let is_free = !access.is_some_and(WorkbookAccess::is_claimed) && role.can_edit();
    Ok(match app.settings.claim {
        ClaimPolicy::Nobody => false,
        ClaimPolicy::New => is_free && !app.rooms.exists(room).await?,
        ClaimPolicy::Editors => is_free,
    })
}
