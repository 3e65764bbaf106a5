//! The answer to a browser that comes back from a provider and is not signed in: a page for people,
//! JSON for programs, with an identifier that is also in the log and in the audit log.

use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use quadrille_access::AuditEvent;
use serde_json::json;

use super::app::App;
use crate::access::Visitor;
use crate::error::{ApiError, ErrorCode};
use crate::openid::{OpenIdError, ProviderError};

/// Why nobody was signed in.
pub enum SignInError {
    /// The request does not belong to a sign-in of this browser, or it is not valid.
    Refused(String),
    /// The provider says so, with its code: often the person pressed "Cancel".
    ByProvider(String),
    OpenId(OpenIdError),
    /// The account cannot sign in, or the server is busy.
    Api(ApiError),
}

impl SignInError {
    /// A refused sign-in.
    pub fn refused(reason: impl Into<String>) -> SignInError {
        SignInError::Refused(reason.into())
    }

    /// Writes the log and the audit log, and answers.
    pub async fn answer(self, provider: &str, visitor: &Visitor, app: &App, headers: &HeaderMap) -> Response {
        let request = request_id();
        let error = self.into_api_error();
        let message = &error.message;
        tracing::warn!(provider, request, message, "sign-in failed");
        let target = format!("oidc:{provider}: {message} (request {request})");
        app.access.record_refusal(AuditEvent::SignInFailed, target, visitor).await;
        let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
        if accept.contains("text/html") { page(error, &request) } else { as_json(error, &request) }
    }

    fn into_api_error(self) -> ApiError {
        let refused = |message: String| ApiError::new(ErrorCode::SignInFailed, message);
        match self {
            SignInError::Refused(reason) => refused(reason),
            SignInError::ByProvider(code) => refused(format!("the provider answered {code}")),
            SignInError::OpenId(OpenIdError::Busy) => {
                ApiError::new(ErrorCode::Overloaded, "too many people are signing in")
            }
            SignInError::OpenId(OpenIdError::Unknown) => {
                ApiError::new(ErrorCode::NotFound, "no such sign-in provider")
            }
            SignInError::OpenId(OpenIdError::Provider(error @ ProviderError::Unavailable(_))) => {
                ApiError::new(ErrorCode::ProviderFailed, error.to_string())
            }
            SignInError::OpenId(OpenIdError::Provider(error)) => refused(error.to_string()),
            SignInError::Api(error) => error,
        }
    }
}

/// Identifies the attempt in messages, logs and the audit log.
fn request_id() -> String {
    let mut random = [0; 4];
    getrandom::fill(&mut random).expect("the operating system provides random numbers");
    format!("{:08x}", u32::from_be_bytes(random))
}

/// The error with another body; its status and headers stay.
fn with_body(error: ApiError, media_type: &'static str, body: String) -> Response {
    let mut response = error.into_response();
    let headers = response.headers_mut();
    headers.remove(header::CONTENT_LENGTH);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    *response.body_mut() = body.into();
    response
}

fn as_json(error: ApiError, request: &str) -> Response {
    let mut body = error.body();
    body["error"]["request"] = json!(request);
    with_body(error, "application/json", body.to_string())
}

fn page(error: ApiError, request: &str) -> Response {
    let html = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>Sign-in failed</title>\
         <h1>Sign-in failed</h1><p>{}</p><p>Request {request}</p>\
         <p><a href=\"../../_sign-in\">Sign in again</a></p></html>\n",
        escaped(&error.message)
    );
    with_body(error, "text/html; charset=utf-8", html)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_cannot_add_markup_to_the_page() {
        assert_eq!(escaped("<a href=\"x\">&"), "&lt;a href=&quot;x&quot;&gt;&amp;");
    }
}
