//! HTTP: pages, the REST API, EtherCalc's routes and the WebSocket upgrade.
//!
//! [`router`] lists all routes. Each names who may call it ([`RouteAccess`]), which is checked before
//! its handler runs. Those of `/api/v1` are also described in `openapi.json`; a test
//! compares the two.

pub mod accept;
mod access_api;
mod access_document;
mod access_input;
mod account_api;
mod admin;
mod app;
mod author;
mod author_undo_api;
mod authorization;
mod buttons_api;
mod cells_api;
mod changes_api;
mod chat_api;
mod columns;
mod commands_api;
mod conditional;
mod creation;
mod current_account;
mod differences_api;
mod ethercalc;
mod ethercalc_actions;
mod ethercalc_cells;
mod ethercalc_clipboards;
mod ethercalc_commands;
mod ethercalc_export;
mod ethercalc_lists;
mod ethercalc_mail;
mod ethercalc_socket;
mod ethercalc_templates;
pub mod ethercalc_workbook;
mod export;
mod extractors;
mod fallbacks;
mod field_mask;
mod file_formats;
mod files_api;
mod fixed_headers;
mod form_body;
mod form_fields;
mod form_responses;
mod forms_api;
mod health_api;
mod history_api;
mod hosts;
mod idempotency;
mod images_api;
mod import_access_api;
mod import_api;
mod import_sources;
mod internal_error;
mod invitations;
mod items_api;
mod json_body;
mod losses_api;
mod openid_api;
mod origins;
mod owner_relay;
mod ownership_api;
mod pages;
mod passkeys_api;
mod plain_error;
mod preview_api;
mod public_origin;
mod published_api;
mod published_pages;
mod recovery_api;
pub mod redirect;
mod request_body;
mod request_layer;
mod rooms_api;
mod routing;
mod running_keys;
mod server_stream;
mod session_account;
mod session_api;
mod session_end;
mod session_socket;
mod session_upgrade;
mod session_writing;
mod shapes_api;
mod share_links_api;
mod sign_in_answer;
mod sign_in_error_page;
mod socket;
mod socket_io;
mod tenant_paths;
mod tokens_api;
mod unsubscribe;
mod versions_api;
mod web_client;
mod webhooks_api;
mod workbooks_api;

use axum::Router;
use axum::http::Method;
use axum::response::IntoResponse;
use axum::routing::MethodRouter;
use quadrille_access::Action;

use crate::mcp;
use authorization::RouteAccess;
use routing::{delete, get, patch, post, put};

pub use admin::audit::entry_json as audit_entry_json;
pub use app::App;
pub use authorization::check_room;
pub use ethercalc_clipboards::EtherCalcClipboards;
pub use ethercalc_mail::repeat_time_triggers;
pub use ethercalc_socket::EtherCalcPeers;
pub use fixed_headers::FixedHeaders;
pub use hosts::{Hosts, host_name, machine_name, public_host};
pub use owner_relay::relay::OwnerRelay;
pub use owner_relay::{ServerAnswer, get_from_server};
pub use rooms_api::delete_workbook;
pub use running_keys::RunningKeys;
pub use session_socket::open_in_process as open_session_in_process;
pub use socket_io::SocketIo;
pub use workbooks_api::list_for as list_workbooks;

/// The OpenAPI description of `/api/v1`.
pub const OPENAPI: &str = include_str!("../../openapi.json");

const READ: RouteAccess = RouteAccess::Room(Action::Read);
const COMMENT: RouteAccess = RouteAccess::Room(Action::Comment);
const EDIT: RouteAccess = RouteAccess::Room(Action::Edit);
const READ_HISTORY: RouteAccess = RouteAccess::Room(Action::ReadHistory);
const MANAGE: RouteAccess = RouteAccess::Room(Action::Manage);
const ACCOUNT: RouteAccess = RouteAccess::Account;
const ADMIN: RouteAccess = RouteAccess::Admin;

/// The routes of the REST API, as `openapi.json` documents them: path, method, who may call it and
/// handler.
fn api_routes() -> Vec<(&'static str, Method, RouteAccess, MethodRouter<App>)> {
    vec![
        ("/healthz", Method::GET, RouteAccess::Public, get(health_api::alive)),
        ("/readyz", Method::GET, RouteAccess::Public, get(health_api::ready)),
        ("/api/v1/openapi.json", Method::GET, RouteAccess::Public, get(openapi)),
        ("/api/v1/rooms", Method::POST, RouteAccess::Visitor, post(rooms_api::create)),
        ("/api/v1/rooms/{room}", Method::GET, READ, get(rooms_api::read)),
        ("/api/v1/rooms/{room}", Method::PUT, EDIT, put(rooms_api::replace)),
        ("/api/v1/rooms/{room}", Method::DELETE, RouteAccess::DeleteRoom, delete(rooms_api::remove)),
        ("/api/v1/rooms/{room}/losses", Method::GET, READ, get(losses_api::read)),
        ("/api/v1/rooms/{room}/import", Method::POST, EDIT, post(import_api::import)),
        ("/api/v1/rooms/{room}/history", Method::GET, READ_HISTORY, get(history_api::list)),
        ("/api/v1/rooms/{room}/history/{revision}", Method::GET, READ_HISTORY, get(history_api::read)),
        (
            "/api/v1/rooms/{room}/history/{revision}/sheets/{sheet}/cells/{range}",
            Method::GET,
            READ_HISTORY,
            get(history_api::read_cells),
        ),
        (
            "/api/v1/rooms/{room}/history/{revision}/restore",
            Method::POST,
            READ_HISTORY,
            post(history_api::restore),
        ),
        (
            "/api/v1/rooms/{room}/history/{revision}/differences",
            Method::GET,
            READ_HISTORY,
            get(differences_api::read),
        ),
        ("/api/v1/rooms/{room}/history/undo", Method::POST, READ_HISTORY, post(author_undo_api::undo)),
        ("/api/v1/rooms/{room}/versions", Method::GET, READ_HISTORY, get(versions_api::list)),
        ("/api/v1/rooms/{room}/versions/{revision}", Method::PUT, EDIT, put(versions_api::put)),
        ("/api/v1/rooms/{room}/versions/{revision}", Method::DELETE, EDIT, delete(versions_api::remove)),
        ("/api/v1/rooms/{room}/changes", Method::GET, READ_HISTORY, get(changes_api::read)),
        ("/api/v1/rooms/{room}/items", Method::GET, READ, get(items_api::list)),
        ("/api/v1/rooms/{room}/items/{item}", Method::PUT, EDIT, put(items_api::put)),
        ("/api/v1/rooms/{room}/sheets/{sheet}/items", Method::GET, READ, get(items_api::list)),
        ("/api/v1/rooms/{room}/sheets/{sheet}/items", Method::POST, COMMENT, post(items_api::create)),
        ("/api/v1/rooms/{room}/sheets/{sheet}/items/{item}", Method::PUT, COMMENT, put(items_api::put)),
        (
            "/api/v1/rooms/{room}/sheets/{sheet}/items/{item}",
            Method::DELETE,
            COMMENT,
            delete(items_api::remove),
        ),
        ("/api/v1/rooms/{room}/commands", Method::POST, EDIT, post(commands_api::carry_out)),
        ("/api/v1/rooms/{room}/images", Method::POST, EDIT, post(images_api::put)),
        ("/api/v1/rooms/{room}/images/{image}", Method::GET, READ, get(images_api::read)),
        ("/api/v1/rooms/{room}/shapes", Method::POST, EDIT, post(shapes_api::put)),
        ("/api/v1/rooms/{room}/shapes/{image}", Method::GET, READ, get(shapes_api::read)),
        ("/api/v1/rooms/{room}/files/{file}", Method::GET, READ, get(files_api::read)),
        ("/api/v1/rooms/{room}/chat", Method::GET, READ, get(chat_api::list)),
        ("/api/v1/rooms/{room}/chat", Method::POST, COMMENT, post(chat_api::send_chat_message)),
        ("/api/v1/rooms/{room}/socket", Method::GET, RouteAccess::Session, get(session_socket::upgrade)),
        ("/api/v1/rooms/{room}/window", Method::GET, RouteAccess::Optional, get(preview_api::read)),
        ("/api/v1/rooms/{room}/sheets/{sheet}/cells/{range}", Method::GET, READ, get(cells_api::read)),
        ("/api/v1/rooms/{room}/sheets/{sheet}/cells/{range}", Method::PUT, EDIT, put(cells_api::write)),
        ("/api/v1/rooms/{room}/sheets/{sheet}/rows", Method::POST, EDIT, post(cells_api::append)),
        (
            "/api/v1/rooms/{room}/sheets/{sheet}/buttons/{range}",
            Method::POST,
            EDIT,
            post(buttons_api::press_button),
        ),
        ("/api/v1/rooms/{room}/access", Method::GET, READ, get(access_api::read)),
        ("/api/v1/rooms/{room}/access", Method::PUT, MANAGE, put(access_api::set_general)),
        ("/api/v1/rooms/{room}/access/claim", Method::POST, EDIT, post(access_api::claim)),
        ("/api/v1/rooms/{room}/access/owner-keys", Method::POST, MANAGE, post(access_api::add_owner_key)),
        (
            "/api/v1/rooms/{room}/access/owner-keys/{key}",
            Method::DELETE,
            MANAGE,
            delete(access_api::remove_owner_key),
        ),
        ("/api/v1/rooms/{room}/access/links", Method::POST, MANAGE, post(share_links_api::add_link)),
        ("/api/v1/rooms/{room}/access/links/{link}", Method::PUT, MANAGE, put(share_links_api::change_link)),
        (
            "/api/v1/rooms/{room}/access/links/{link}",
            Method::DELETE,
            MANAGE,
            delete(share_links_api::remove_link),
        ),
        (
            "/api/v1/rooms/{room}/access/unlock",
            Method::POST,
            RouteAccess::Visitor,
            post(share_links_api::unlock),
        ),
        ("/api/v1/rooms/{room}/access/people", Method::POST, MANAGE, post(access_api::add_person)),
        ("/api/v1/rooms/{room}/access/people/{person}", Method::PUT, MANAGE, put(access_api::change_person)),
        (
            "/api/v1/rooms/{room}/access/people/{person}",
            Method::DELETE,
            MANAGE,
            delete(access_api::remove_person),
        ),
        ("/api/v1/rooms/{room}/access/requests", Method::POST, RouteAccess::Visitor, post(access_api::ask)),
        (
            "/api/v1/rooms/{room}/access/requests/{request}",
            Method::DELETE,
            MANAGE,
            delete(access_api::answer),
        ),
        ("/api/v1/rooms/{room}/access/imports", Method::POST, READ, post(import_access_api::allow)),
        (
            "/api/v1/rooms/{room}/access/imports/{importer}",
            Method::DELETE,
            MANAGE,
            delete(import_access_api::revoke),
        ),
        ("/api/v1/rooms/{room}/access/owner", Method::PUT, MANAGE, put(ownership_api::transfer)),
        ("/api/v1/rooms/{room}/access/trash", Method::POST, MANAGE, post(access_api::trash)),
        ("/api/v1/rooms/{room}/access/trash", Method::DELETE, MANAGE, delete(access_api::restore)),
        ("/api/v1/rooms/{room}/access/audit", Method::GET, MANAGE, get(access_api::audit)),
        ("/api/v1/rooms/{room}/forms", Method::GET, EDIT, get(forms_api::list)),
        ("/api/v1/rooms/{room}/forms", Method::POST, EDIT, post(forms_api::create)),
        ("/api/v1/rooms/{room}/forms/{form}", Method::GET, EDIT, get(forms_api::read)),
        ("/api/v1/rooms/{room}/forms/{form}", Method::PUT, EDIT, put(forms_api::change)),
        ("/api/v1/rooms/{room}/forms/{form}", Method::DELETE, EDIT, delete(forms_api::remove)),
        ("/api/v1/rooms/{room}/forms/{form}/preview", Method::POST, EDIT, post(forms_api::preview)),
        ("/api/v1/rooms/{room}/forms/{form}/link", Method::POST, EDIT, post(forms_api::renew_link)),
        ("/api/v1/rooms/{room}/forms/{form}/link", Method::DELETE, EDIT, delete(forms_api::revoke_link)),
        ("/api/v1/forms/{link}", Method::GET, RouteAccess::Visitor, get(form_responses::read)),
        ("/api/v1/forms/{link}/responses", Method::POST, RouteAccess::Visitor, post(form_responses::respond)),
        ("/api/v1/rooms/{room}/published", Method::GET, MANAGE, get(published_api::list)),
        ("/api/v1/rooms/{room}/published", Method::POST, MANAGE, post(published_api::publish)),
        ("/api/v1/rooms/{room}/published/{page}", Method::DELETE, MANAGE, delete(published_api::stop)),
        ("/api/v1/rooms/{room}/webhooks", Method::GET, MANAGE, get(webhooks_api::list)),
        ("/api/v1/rooms/{room}/webhooks", Method::POST, MANAGE, post(webhooks_api::create)),
        ("/api/v1/rooms/{room}/webhooks/{webhook}", Method::PUT, MANAGE, put(webhooks_api::change)),
        ("/api/v1/rooms/{room}/webhooks/{webhook}", Method::DELETE, MANAGE, delete(webhooks_api::remove)),
        ("/api/v1/rooms/{room}/webhooks/{webhook}/replay", Method::POST, MANAGE, post(webhooks_api::replay)),
        (
            "/api/v1/rooms/{room}/webhooks/{webhook}/dead-letters",
            Method::GET,
            MANAGE,
            get(webhooks_api::dead_letters),
        ),
        (
            "/api/v1/rooms/{room}/webhooks/{webhook}/dead-letters",
            Method::DELETE,
            MANAGE,
            delete(webhooks_api::forget_dead_letters),
        ),
        ("/api/v1/session", Method::GET, RouteAccess::Visitor, get(session_api::read)),
        ("/api/v1/session", Method::POST, RouteAccess::Visitor, post(session_api::sign_in)),
        ("/api/v1/session", Method::DELETE, RouteAccess::Visitor, delete(session_api::sign_out)),
        ("/api/v1/session/recovery", Method::POST, RouteAccess::Visitor, post(recovery_api::request)),
        ("/api/v1/session/recovery", Method::PUT, RouteAccess::Visitor, put(recovery_api::set_password)),
        (
            "/api/v1/session/passkey/options",
            Method::POST,
            RouteAccess::Public,
            post(passkeys_api::sign_in_options),
        ),
        ("/api/v1/session/passkey", Method::POST, RouteAccess::Visitor, post(passkeys_api::sign_in)),
        ("/api/v1/account/passkeys/options", Method::POST, ACCOUNT, post(passkeys_api::registration_options)),
        ("/api/v1/account/passkeys", Method::POST, ACCOUNT, post(passkeys_api::register)),
        ("/api/v1/account/passkeys/{passkey}", Method::DELETE, ACCOUNT, delete(passkeys_api::remove)),
        ("/api/v1/account/identities", Method::POST, ACCOUNT, post(openid_api::begin_adding)),
        (
            "/api/v1/account/identities/{provider}",
            Method::DELETE,
            ACCOUNT,
            delete(account_api::remove_identity),
        ),
        ("/api/v1/account", Method::GET, ACCOUNT, get(account_api::read)),
        ("/api/v1/account", Method::PATCH, ACCOUNT, patch(account_api::change)),
        ("/api/v1/account", Method::DELETE, ACCOUNT, delete(account_api::remove)),
        ("/api/v1/account/password", Method::PUT, ACCOUNT, put(account_api::set_password)),
        ("/api/v1/account/sessions", Method::GET, ACCOUNT, get(account_api::sessions)),
        ("/api/v1/account/sessions", Method::DELETE, ACCOUNT, delete(account_api::end_other_sessions)),
        ("/api/v1/account/sessions/{session}", Method::DELETE, ACCOUNT, delete(account_api::end_session)),
        ("/api/v1/account/tokens", Method::GET, ACCOUNT, get(tokens_api::list)),
        ("/api/v1/account/tokens", Method::POST, ACCOUNT, post(tokens_api::create)),
        ("/api/v1/account/tokens/{token}", Method::DELETE, ACCOUNT, delete(tokens_api::revoke)),
        ("/api/v1/account/export", Method::GET, ACCOUNT, get(account_api::export)),
        ("/api/v1/account/workbooks", Method::GET, ACCOUNT, get(workbooks_api::list)),
        ("/api/v1/workbooks/lookup", Method::POST, RouteAccess::Visitor, post(workbooks_api::look_up)),
    ]
}

/// The routes of the administration.
fn admin_routes() -> Vec<(&'static str, Method, RouteAccess, MethodRouter<App>)> {
    vec![
        ("/api/v1/admin/overview", Method::GET, ADMIN, get(admin::overview::read)),
        ("/api/v1/admin/accounts", Method::GET, ADMIN, get(admin::accounts::list)),
        ("/api/v1/admin/accounts", Method::POST, ADMIN, post(admin::accounts::create)),
        ("/api/v1/admin/accounts/{account}", Method::PATCH, ADMIN, patch(admin::accounts::change)),
        ("/api/v1/admin/accounts/{account}", Method::DELETE, ADMIN, delete(admin::accounts::delete)),
        ("/api/v1/admin/accounts/{account}/invitation", Method::POST, ADMIN, post(admin::accounts::invite)),
        (
            "/api/v1/admin/accounts/{account}/sessions",
            Method::DELETE,
            ADMIN,
            delete(admin::accounts::end_sessions),
        ),
        ("/api/v1/admin/accounts/{account}/export", Method::GET, ADMIN, get(admin::accounts::export)),
        ("/api/v1/admin/accounts/{account}/quota", Method::PUT, ADMIN, put(admin::quotas::set_account)),
        ("/api/v1/admin/workbooks", Method::GET, ADMIN, get(admin::workbooks::list)),
        ("/api/v1/admin/workbooks/{room}", Method::DELETE, ADMIN, delete(admin::workbooks::delete)),
        ("/api/v1/admin/workbooks/{room}/owner", Method::POST, ADMIN, post(admin::workbooks::transfer)),
        ("/api/v1/admin/workbooks/{room}/restore", Method::POST, ADMIN, post(admin::workbooks::restore)),
        ("/api/v1/admin/rooms", Method::GET, ADMIN, get(admin::sessions::list_rooms)),
        (
            "/api/v1/admin/rooms/{room}/sessions",
            Method::DELETE,
            ADMIN,
            delete(admin::sessions::end_room_sessions),
        ),
        ("/api/v1/admin/sessions", Method::GET, ADMIN, get(admin::sessions::list)),
        ("/api/v1/admin/sessions/{session}", Method::DELETE, ADMIN, delete(admin::sessions::end)),
        ("/api/v1/admin/tokens", Method::GET, ADMIN, get(admin::sessions::list_tokens)),
        ("/api/v1/admin/tokens/{token}", Method::DELETE, ADMIN, delete(admin::sessions::revoke_token)),
        ("/api/v1/admin/audit", Method::GET, ADMIN, get(admin::audit::read)),
        ("/api/v1/admin/tenants", Method::GET, ADMIN, get(admin::quotas::list_tenants)),
        ("/api/v1/admin/tenants/{tenant}/quota", Method::PUT, ADMIN, put(admin::quotas::set_tenant)),
        ("/api/v1/admin/webhooks", Method::GET, ADMIN, get(webhooks_api::list)),
        ("/api/v1/admin/webhooks", Method::POST, ADMIN, post(webhooks_api::create)),
        ("/api/v1/admin/webhooks/{webhook}", Method::PUT, ADMIN, put(webhooks_api::change)),
        ("/api/v1/admin/webhooks/{webhook}", Method::DELETE, ADMIN, delete(webhooks_api::remove)),
        ("/api/v1/admin/webhooks/{webhook}/replay", Method::POST, ADMIN, post(webhooks_api::replay)),
        (
            "/api/v1/admin/webhooks/{webhook}/dead-letters",
            Method::GET,
            ADMIN,
            get(webhooks_api::dead_letters),
        ),
        (
            "/api/v1/admin/webhooks/{webhook}/dead-letters",
            Method::DELETE,
            ADMIN,
            delete(webhooks_api::forget_dead_letters),
        ),
        ("/api/v1/admin/maintenance", Method::POST, ADMIN, post(admin::maintenance::run)),
    ]
}

/// The routes outside the REST API, except for EtherCalc's. The page of a workbook is for everybody:
/// it contains nothing of the workbook.
fn pages() -> Vec<(&'static str, Method, RouteAccess, MethodRouter<App>)> {
    let public = |path, handler| (path, Method::GET, RouteAccess::Public, handler);
    vec![
        public("/metrics", get(health_api::metrics)),
        public("/", get(pages::start)),
        ("/_new", Method::GET, RouteAccess::Visitor, get(pages::new_room)),
        ("/=_new", Method::GET, RouteAccess::Visitor, get(pages::new_multiple_room)),
        // Messages of agents; each tool checks the role in the workbook that it names.
        ("/mcp", Method::POST, RouteAccess::Visitor, post(mcp::serve)),
        public("/_start", get(pages::start)),
        public("/_sign-in", get(pages::start)),
        public("/_account", get(pages::start)),
        public("/_admin", get(pages::start)),
        ("/_form/{link}", Method::GET, RouteAccess::Visitor, get(form_responses::page)),
        ("/_form/{link}", Method::POST, RouteAccess::Visitor, post(form_responses::send)),
        ("/_published/{link}", Method::GET, RouteAccess::Visitor, get(published_pages::page)),
        ("/_published/{link}/events", Method::GET, RouteAccess::Visitor, get(published_pages::events)),
        ("/_unsubscribe/{link}", Method::GET, RouteAccess::Visitor, get(unsubscribe::page)),
        ("/_unsubscribe/{link}", Method::POST, RouteAccess::Visitor, post(unsubscribe::switch_off)),
        public("/assets/{*path}", get(pages::asset)),
        // An export such as `/budget.csv` is a page too.
        ("/{room}", Method::GET, RouteAccess::Visitor, get(pages::room)),
        public("/_sign-in/{provider}", get(openid_api::begin)),
        public("/_sign-in/{provider}/sign-out", get(openid_api::sign_out)),
        ("/_sign-in/{provider}/callback", Method::GET, RouteAccess::Visitor, get(openid_api::callback)),
        public("/{room}/edit", get(pages::edit)),
        public("/{room}/view", get(pages::view)),
        public("/{room}/app", get(pages::app)),
        public("/{room}/appeditor", get(pages::start)),
        // EtherCalc's live protocol over socket.io; the messages name the rooms.
        ("/socket.io/", Method::GET, RouteAccess::Visitor, get(socket_io::receive)),
        ("/socket.io/", Method::POST, RouteAccess::Visitor, post(socket_io::send)),
    ]
}

/// Returns the router of all routes.
pub fn router(app: App) -> Router {
    let mut router = Router::new();
    for (path, method, access, handler) in api_routes().into_iter().chain(admin_routes()).chain(pages()) {
        let key_use = idempotency::KeyUse::of(path, &method);
        let once = axum::middleware::from_fn_with_state((app.clone(), key_use), idempotency::layer);
        let check = axum::middleware::from_fn_with_state((app.clone(), access), authorization::layer);
        let is_conditional = conditional::is_conditional_read(path, &method);
        let unless_known =
            axum::middleware::from_fn_with_state((app.clone(), is_conditional), conditional::layer);
        let takes_fields = field_mask::takes_fields(path, &method);
        let mask = axum::middleware::from_fn_with_state(takes_fields, field_mask::layer);
        // The layer that is added last runs first.
        let handler = handler.route_layer(once).route_layer(mask).route_layer(unless_known);
        router = router.route(path, owner_relay::add_to(&app, path, false, handler.route_layer(check)));
    }
    let router = router
        .merge(ethercalc::routes(&app))
        .route("/internal/room-streams/{room}", get(owner_relay::accept_stream))
        .route("/internal/import-sources/{room}", get(import_sources::read))
        .route("/internal/published/{link}", get(published_pages::events_for_server))
        .fallback(fallbacks::unknown_route)
        .method_not_allowed_fallback(fallbacks::unknown_method)
        .layer(axum::middleware::from_fn_with_state(app.clone(), request_layer::layer))
        .with_state(app.clone());
    app.socket_io.set_router(router.clone());
    if !app.quotas.has_tenant_paths() {
        return router;
    }
    // Outside of the router, which has chosen the route before its own layers run.
    let tenants = axum::middleware::from_fn_with_state(app, tenant_paths::layer);
    Router::new().fallback_service(router).layer(tenants)
}

async fn openapi() -> impl IntoResponse {
    ([(axum::http::header::CONTENT_TYPE, "application/json")], OPENAPI)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_route_is_documented_and_every_documented_route_exists() {
        let document: serde_json::Value = serde_json::from_str(OPENAPI).expect("openapi.json is JSON");
        let mut documented = BTreeSet::new();
        for (path, methods) in document["paths"].as_object().expect("paths") {
            for method in methods.as_object().expect("methods").keys().filter(|key| *key != "parameters") {
                documented.insert((path.clone(), method.to_uppercase()));
            }
        }
        let served: BTreeSet<_> = api_routes()
            .into_iter()
            .chain(admin_routes())
            .map(|(path, method, ..)| (path.to_owned(), method.to_string()))
            .collect();
        assert_eq!(documented, served);
    }

    /// The tests of the running server compare the same table with the answers.
    #[test]
    fn the_documentation_has_the_role_of_every_route() {
        let documentation = include_str!("../../../../docs/rest.md");
        for (path, method, access, _) in api_routes().into_iter().chain(admin_routes()) {
            let row = format!("| `{method} {}` | {} |", path.trim_start_matches("/api/v1"), access.name());
            assert!(documentation.contains(&row), "docs/rest.md lacks the row {row}");
        }
    }
}
