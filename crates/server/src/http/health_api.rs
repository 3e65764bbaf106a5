//! `/healthz`, `/readyz` and `/metrics`.

use std::sync::LazyLock;

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::app::App;
use crate::error::{ApiError, ErrorCode};
use crate::hexadecimal::hex;

/// A random name of this process, by which `quadrille doctor` finds whether two URLs lead to the same one. Without
/// random numbers it has none.
static INSTANCE: LazyLock<Option<String>> = LazyLock::new(|| {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).ok().map(|()| hex(&bytes))
});

/// Liveness: always succeeds while the process runs.
pub async fn alive() -> Json<serde_json::Value> {
    Json(json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION"), "instance": *INSTANCE }))
}

/// The metrics, if the setting `metrics` is on.
pub async fn metrics(State(app): State<App>) -> Result<Response, ApiError> {
    if !app.settings.metrics {
        let message = "metrics are off; turn them on with the setting `metrics`";
        return Err(ApiError::new(ErrorCode::NotFound, message));
    }
    let media_type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    Ok(([(header::CONTENT_TYPE, media_type)], app.rooms.metrics_text()?).into_response())
}

/// Readiness: the server is not stopping, and the journal answers and has space. With several databases, the
/// first one answers, which has accounts and access.
pub async fn ready(State(app): State<App>) -> Response {
    if *app.stop.borrow() {
        return ApiError::new(ErrorCode::Draining, "the server is stopping").into_response();
    }
    match app.rooms.check_journal().await {
        Ok(0) => Json(json!({ "status": "ready" })).into_response(),
        // The other servers do not reach them either, so a proxy must not take this one out.
        Ok(databases_away) => {
            Json(json!({ "status": "ready", "databasesAway": databases_away })).into_response()
        }
        Err(error) => error.into_response(),
    }
}
