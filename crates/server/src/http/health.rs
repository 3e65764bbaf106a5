//! Whether the process is alive and whether it should get requests.

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::App;
use crate::error::{ApiError, ErrorCode};

/// Alive: depends on nothing.
pub async fn alive() -> Json<serde_json::Value> {
    Json(json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }))
}

/// What the server counts, if the setting `metrics` says so.
pub async fn metrics(State(app): State<App>) -> Result<Response, ApiError> {
    if !app.settings.metrics {
        let message = "metrics are off; see the setting `metrics`";
        return Err(ApiError::new(ErrorCode::NotFound, message));
    }
    let media_type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    Ok(([(header::CONTENT_TYPE, media_type)], app.rooms.metrics_text()?).into_response())
}

/// Ready: not stopping, and the journal answers.
pub async fn ready(State(app): State<App>) -> Response {
    if *app.stop.borrow() {
        return ApiError::new(ErrorCode::Draining, "the server is stopping").into_response();
    }
    match app.rooms.journal_ready().await {
        Ok(()) => Json(json!({ "status": "ready" })).into_response(),
        Err(error) => error.into_response(),
    }
}
