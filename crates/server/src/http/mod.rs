//! HTTP: pages, the REST API, EtherCalc's routes and the WebSocket upgrade.
//!
//! [`router`] lists all routes. Those of `/api/v1` are also described in `openapi.json`; a test
//! compares the two.

pub mod accept;
mod app;
mod author;
mod cells_api;
mod chat_api;
mod conditional;
mod ethercalc;
mod export;
mod extractors;
mod file_formats;
mod fixed_headers;
mod health_api;
mod history_api;
mod images_api;
mod import_api;
mod internal_error;
mod items_api;
mod json_body;
mod origins;
mod pages;
mod preview_api;
mod request_body;
mod request_layer;
mod rooms_api;
mod session_socket;
mod web_client;

use axum::Router;
use axum::extract::Request;
use axum::http::Method;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, delete, get, post, put};

use crate::error::{ApiError, ErrorCode};

pub use app::App;
pub use fixed_headers::FixedHeaders;

/// The OpenAPI description of `/api/v1`.
pub const OPENAPI: &str = include_str!("../../openapi.json");

/// The routes of the REST API, as `openapi.json` documents them: path, method, handler.
fn api_routes() -> Vec<(&'static str, Method, MethodRouter<App>)> {
    vec![
        ("/healthz", Method::GET, get(health_api::alive)),
        ("/readyz", Method::GET, get(health_api::ready)),
        ("/api/v1/openapi.json", Method::GET, get(openapi)),
        ("/api/v1/rooms", Method::POST, post(rooms_api::create)),
        ("/api/v1/rooms/{room}", Method::GET, get(rooms_api::read)),
        ("/api/v1/rooms/{room}", Method::PUT, put(rooms_api::replace)),
        ("/api/v1/rooms/{room}", Method::DELETE, delete(rooms_api::remove)),
        ("/api/v1/rooms/{room}/import", Method::POST, post(import_api::import)),
        ("/api/v1/rooms/{room}/history", Method::GET, get(history_api::list)),
        ("/api/v1/rooms/{room}/history/{revision}", Method::GET, get(history_api::read)),
        (
            "/api/v1/rooms/{room}/history/{revision}/sheets/{sheet}/cells/{range}",
            Method::GET,
            get(history_api::read_cells),
        ),
        ("/api/v1/rooms/{room}/history/{revision}/restore", Method::POST, post(history_api::restore)),
        ("/api/v1/rooms/{room}/items", Method::GET, get(items_api::list)),
        ("/api/v1/rooms/{room}/items/{item}", Method::PUT, put(items_api::put)),
        ("/api/v1/rooms/{room}/sheets/{sheet}/items", Method::GET, get(items_api::list)),
        ("/api/v1/rooms/{room}/sheets/{sheet}/items", Method::POST, post(items_api::create)),
        ("/api/v1/rooms/{room}/sheets/{sheet}/items/{item}", Method::PUT, put(items_api::put)),
        ("/api/v1/rooms/{room}/sheets/{sheet}/items/{item}", Method::DELETE, delete(items_api::remove)),
        ("/api/v1/rooms/{room}/images", Method::POST, post(images_api::put)),
        ("/api/v1/rooms/{room}/images/{image}", Method::GET, get(images_api::read)),
        ("/api/v1/rooms/{room}/chat", Method::GET, get(chat_api::list)),
        ("/api/v1/rooms/{room}/chat", Method::POST, post(chat_api::send_chat_message)),
        ("/api/v1/rooms/{room}/socket", Method::GET, get(session_socket::upgrade)),
        ("/api/v1/rooms/{room}/window", Method::GET, get(preview_api::read)),
        ("/api/v1/rooms/{room}/sheets/{sheet}/cells/{range}", Method::GET, get(cells_api::read)),
        ("/api/v1/rooms/{room}/sheets/{sheet}/cells/{range}", Method::PUT, put(cells_api::write)),
        ("/api/v1/rooms/{room}/sheets/{sheet}/rows", Method::POST, post(cells_api::append)),
    ]
}

/// Returns the router of all routes.
pub fn router(app: App) -> Router {
    let mut router = Router::new();
    for (path, _, handler) in api_routes() {
        router = router.route(path, handler);
    }
    router
        .route("/metrics", get(health_api::metrics))
        .route("/", get(pages::start))
        .route("/_new", get(pages::new_room))
        .route("/_start", get(pages::start))
        .route("/assets/{*path}", get(pages::asset))
        .route("/{room}", get(pages::room))
        .route("/{room}/edit", get(pages::edit))
        .route("/{room}/view", get(pages::view))
        .merge(ethercalc::routes())
        .fallback(unknown_route)
        .method_not_allowed_fallback(unknown_method)
        .layer(axum::middleware::from_fn_with_state(app.clone(), request_layer::layer))
        .with_state(app)
}

async fn openapi() -> impl IntoResponse {
    ([(axum::http::header::CONTENT_TYPE, "application/json")], OPENAPI)
}

async fn unknown_route(request: Request) -> Response {
    ApiError::new(ErrorCode::NotFound, format!("no such resource: {}", request.uri().path())).into_response()
}

async fn unknown_method(request: Request) -> Response {
    let message = format!("the method is not allowed here: {}", request.method());
    ApiError::new(ErrorCode::MethodNotAllowed, message).into_response()
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
        let served: BTreeSet<_> =
            api_routes().into_iter().map(|(path, method, _)| (path.to_owned(), method.to_string())).collect();
        assert_eq!(documented, served);
    }
}
