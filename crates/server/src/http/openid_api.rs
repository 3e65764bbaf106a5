//! `/_sign-in/{provider}`: to the provider's page, back from it, and out again.

use std::sync::Arc;
use std::time::Instant;

use axum::Json;
use axum::body::Body;
use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use quadrille_access::AccountId;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::access_input::read_body;
use super::app::App;
use super::current_account::CurrentAccount;
use super::extractors::{BasePath, StrictQuery};
use super::public_origin::public_origin;
use super::sign_in_answer::session_cookie;
use super::sign_in_error_page::SignInError;
use crate::access::{
    AccountProof, Attempt, Identity, OpenedState, StateError, StatePurpose, Visitor, cookie_name, now_ms,
    open_state, seal_state,
};
use crate::config::Settings;
use crate::error::{ApiError, ErrorCode};
use crate::limits;
use crate::openid::{OpenIdError, SignInSecrets};

/// Longest local path to which a sign-in can lead back.
const RETURN_BYTES_MAX: usize = 2_048;
/// Longest code that is passed on to a provider. Some put a whole encrypted token into it.
const CODE_BYTES_MAX: usize = 8_192;

/// The content of the cookie that binds a sign-in to the browser that began it.
#[derive(Deserialize, Serialize)]
struct Pending {
    provider: String,
    secrets: SignInSecrets,
    /// The redirect address, which must be the same when the code is exchanged.
    redirect: String,
    /// Where the person wants to go afterwards.
    to: String,
    /// The account to which the identity at the provider is added; otherwise the person signs in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    account: Option<AccountId>,
}

/// The query of `/_sign-in/{provider}`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BeginQuery {
    #[serde(rename = "return")]
    to: Option<String>,
}

/// Redirects to the provider's sign-in page.
pub async fn begin(
    State(app): State<App>,
    Path(provider): Path<String>,
    StrictQuery(query): StrictQuery<BeginQuery>,
    BasePath(base_path): BasePath,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let (url, cookie) = start(&app, &headers, &base_path, provider, query.to, None).await?;
    let mut response = redirect(&url)?;
    response.headers_mut().append(header::SET_COOKIE, cookie);
    Ok(response)
}

/// The body that adds an identity.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AddingBody {
    provider: String,
    #[serde(rename = "return")]
    to: Option<String>,
}

/// Begins to add an identity at a provider to the account of the caller. Not by a link as
/// [`begin`]: a page of another site could send somebody there who is signed in at the provider as
/// somebody else, who then could sign in to this account.
pub async fn begin_adding(
    current: CurrentAccount,
    BasePath(base_path): BasePath,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let given: AddingBody = read_body(&headers, body).await?;
    if !matches!(current.proof, AccountProof::Session(_)) {
        return Err(ApiError::new(ErrorCode::Forbidden, "sign in with a browser to do this"));
    }
    current.require_recent_sign_in().await?;
    let account = Some(current.account.id);
    let begun = start(&current.app, &headers, &base_path, given.provider, given.to, account).await;
    let (url, cookie) = begun?;
    let mut response = Json(json!({ "url": url })).into_response();
    response.headers_mut().append(header::SET_COOKIE, cookie);
    Ok(response)
}

/// The address of the provider's page, and the cookie with the state of the sign-in.
async fn start(
    app: &App,
    headers: &HeaderMap,
    base_path: &str,
    provider: String,
    to: Option<String>,
    account: Option<AccountId>,
) -> Result<(String, HeaderValue), ApiError> {
    check_provider(app, &provider)?;
    // Redirects within the server get the prefix of the tenant again.
    let to = to.unwrap_or_else(|| format!("{base_path}/"));
    let to =
        to.strip_prefix(base_path).filter(|to| is_local_path(to)).map(str::to_owned).ok_or_else(|| {
            ApiError::new(
                ErrorCode::BadQuery,
                format!("return must be a path of this server, such as {base_path}/budget"),
            )
        })?;
    let origin = public_origin(&app.settings, headers);
    let pending = Pending {
        redirect: format!("{origin}{base_path}/_sign-in/{provider}/callback"),
        secrets: SignInSecrets { state: random_text(), nonce: random_text(), verifier: random_text() },
        provider,
        to,
        account,
    };
    let url = app
        .openid
        .sign_in_url(&pending.provider, pending.redirect.clone(), pending.secrets.clone())
        .await
        .map_err(|error| unavailable(&pending.provider, &error))?;
    let content = serde_json::to_vec(&pending).expect("texts are JSON");
    let expires_ms = now_ms() + limits::SIGN_IN_SECONDS_MAX as i64 * 1_000;
    let sealed = seal_state(app.access.key(), StatePurpose::OpenId, &content, expires_ms);
    Ok((url, state_cookie(&app.settings, base_path, &sealed, limits::SIGN_IN_SECONDS_MAX)))
}

/// The query with which the provider sends the browser back (RFC 6749, 4.1.2; RFC 9207).
#[derive(Deserialize)]
pub struct CallbackQuery {
    state: Option<String>,
    code: Option<String>,
    error: Option<String>,
    iss: Option<String>,
}

/// Signs in whom the provider vouches for.
pub async fn callback(
    State(app): State<App>,
    Path(provider): Path<String>,
    Extension(visitor): Extension<Visitor>,
    Extension(identity): Extension<Arc<Identity>>,
    StrictQuery(query): StrictQuery<CallbackQuery>,
    headers: HeaderMap,
) -> Response {
    let answer = match check_provider(&app, &provider) {
        Ok(()) => finish(&app, &provider, (&visitor, &identity), query, &headers).await,
        Err(error) => return error.into_response(),
    };
    let mut response = match answer {
        Ok(response) => response,
        Err(error) => error.answer(&provider, &visitor, &app, &headers).await,
    };
    // Whatever happened, the sign-in is over.
    response
        .headers_mut()
        .append(header::SET_COOKIE, state_cookie(&app.settings, visitor.base_path(), "", 0));
    response
}

async fn finish(
    app: &App,
    provider: &str,
    (visitor, identity): (&Visitor, &Identity),
    query: CallbackQuery,
    headers: &HeaderMap,
) -> Result<Response, SignInError> {
    let attempt = Attempt::SignInFrom(visitor.address);
    app.attempts.take(attempt.clone(), Instant::now()).map_err(SignInError::Api)?;
    let (state, pending) =
        pending(app, provider, visitor.base_path(), headers, query.state.as_deref().unwrap_or_default())?;
    if let Some(code) = query.error {
        return Err(SignInError::ByProvider(plain_code(&code)));
    }
    if query.iss.is_some_and(|issuer| app.openid.issuer(provider) != Some(&issuer)) {
        return Err(SignInError::refused("the answer is from another provider (iss)"));
    }
    let code = query.code.filter(|code| !code.is_empty() && code.len() <= CODE_BYTES_MAX);
    let code =
        code.ok_or_else(|| SignInError::refused("the provider sent no code, or one that is too long"))?;
    let person = app
        .openid
        .person(provider, pending.redirect, pending.secrets, code)
        .await
        .map_err(SignInError::OpenId)?;
    app.used_states.take(&state, now_ms()).map_err(SignInError::Api)?;
    if let Some(id) = pending.account {
        if identity.account.as_ref().is_none_or(|account| account.id != id) {
            return Err(SignInError::refused("the account that began this is no longer signed in"));
        }
        app.access.add_identity(id, person.identity, visitor).await.map_err(SignInError::Api)?;
        app.attempts.release(&attempt);
        return redirect(&pending.to).map_err(SignInError::Api);
    }
    let account = app.access.account_for_identity(&person, true, visitor).await.map_err(SignInError::Api)?;
    let how = format!("oidc:{provider}");
    let session = app.access.sign_in(&account, &how, Some(provider), visitor).await;
    let session = session.map_err(SignInError::Api)?;
    app.attempts.release(&attempt);
    let mut response = redirect(&pending.to).map_err(SignInError::Api)?;
    response
        .headers_mut()
        .append(header::SET_COOKIE, session_cookie(&app.settings, visitor.base_path(), &session));
    Ok(response)
}

/// The sign-in that this browser began with this provider and this state.
fn pending(
    app: &App,
    provider: &str,
    base_path: &str,
    headers: &HeaderMap,
    state: &str,
) -> Result<(OpenedState, Pending), SignInError> {
    let cookie = cookie(headers, &state_cookie_name(&app.settings, base_path));
    let cookie = cookie
        .ok_or_else(|| SignInError::refused("this browser has not begun a sign-in, or blocks cookies"))?;
    let opened = open_state(app.access.key(), StatePurpose::OpenId, cookie, now_ms());
    let opened = opened.map_err(|error: StateError| SignInError::refused(error.to_string()))?;
    app.used_states.check(&opened).map_err(|error| SignInError::refused(error.to_string()))?;
    let pending: Pending = serde_json::from_slice(&opened.content)
        .map_err(|_| SignInError::refused(StateError::Unknown.to_string()))?;
    if pending.provider != provider {
        return Err(SignInError::refused("the sign-in was begun with another provider"));
    }
    // The state is random and of this browser only: comparing it tells nothing.
    if pending.secrets.state != state {
        return Err(SignInError::refused("the state is not the one that this browser was given"));
    }
    Ok((opened, pending))
}

/// Redirects to where the provider ends its own session, or to the start page.
pub async fn sign_out(
    State(app): State<App>,
    Path(provider): Path<String>,
    BasePath(base_path): BasePath,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    check_provider(&app, &provider)?;
    let back = format!("{}{base_path}/", public_origin(&app.settings, &headers));
    let url = app.openid.sign_out_url(&provider, back).await;
    let url = url.map_err(|error| unavailable(&provider, &error))?;
    redirect(url.as_deref().unwrap_or("/"))
}

fn check_provider(app: &App, provider: &str) -> Result<(), ApiError> {
    match app.openid.has(provider) {
        true => Ok(()),
        false => Err(ApiError::new(ErrorCode::NotFound, format!("no such sign-in provider: {provider}"))),
    }
}

/// The error for a provider that is asked for its address and does not answer.
fn unavailable(provider: &str, error: &OpenIdError) -> ApiError {
    match error {
        OpenIdError::Busy => ApiError::new(ErrorCode::Overloaded, "too many people are signing in"),
        OpenIdError::Unknown => ApiError::new(ErrorCode::NotFound, "no such sign-in provider"),
        OpenIdError::Provider(error) => {
            tracing::warn!(provider, %error, "a sign-in provider cannot be used");
            ApiError::new(ErrorCode::ProviderFailed, error.to_string())
        }
    }
}

/// Whether it is a path of this server for a browser too: `//host` and `/\host` are other servers, and
/// browsers drop tabs and line breaks.
fn is_local_path(path: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_graphic() && byte != b'\\';
    path.starts_with('/')
        && !path.starts_with("//")
        && path.len() <= RETURN_BYTES_MAX
        && path.bytes().all(is_plain)
}

/// An error code of a provider, as far as RFC 6749, 4.1.2.1 allows its characters; cut to what codes
/// need.
fn plain_code(code: &str) -> String {
    code.chars().filter(|c| c.is_ascii_alphanumeric() || "_-.".contains(*c)).take(64).collect()
}

fn redirect(location: &str) -> Result<Response, ApiError> {
    let location = HeaderValue::from_str(location)
        .map_err(|_| ApiError::new(ErrorCode::ProviderFailed, "the provider's address is not a URL"))?;
    let mut response = StatusCode::FOUND.into_response();
    response.headers_mut().insert(header::LOCATION, location);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// 256 random bits, as RFC 7636, 4.1 recommends for a verifier.
fn random_text() -> String {
    let mut random = [0; 32];
    getrandom::fill(&mut random).expect("the operating system provides random numbers");
    URL_SAFE_NO_PAD.encode(random)
}

fn state_cookie_name(settings: &Settings, base_path: &str) -> String {
    cookie_name("quadrille-sign-in", settings.is_https(), base_path)
}

/// `SameSite=Lax`: the provider's redirect comes from another site.
fn state_cookie(settings: &Settings, base_path: &str, value: &str, seconds: u64) -> HeaderValue {
    let secure = if settings.is_https() { "; Secure" } else { "" };
    let name = state_cookie_name(settings, base_path);
    let path = if base_path.is_empty() { "/" } else { base_path };
    let cookie = format!("{name}={value}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
    HeaderValue::from_str(&cookie).expect("base64url is valid in a header")
}

fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let values = headers.get_all(header::COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let mut pairs = values.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(found, _)| *found == name).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_in_leads_to_paths_of_this_server_only() {
        for (path, is_local) in [
            ("/", true),
            ("/budget", true),
            ("/budget?view#A1", true),
            ("/b%C3%BCdget", true),
            ("", false),
            ("budget", false),
            ("//evil.example", false),
            ("/\\evil.example", false),
            ("/a\\b", false),
            ("https://evil.example", false),
            ("javascript:alert(1)", false),
            ("/\t/evil.example", false),
            ("/\r\nset-cookie: a=b", false),
            ("/ü", false),
            (&format!("/{}", "a".repeat(RETURN_BYTES_MAX)), false),
        ] {
            assert_eq!(is_local_path(path), is_local, "{path:?}");
        }
    }

    #[test]
    fn codes_of_providers_are_plain() {
        assert_eq!(plain_code("access_denied"), "access_denied");
        assert_eq!(plain_code("<script>\r\n"), "script");
        assert_eq!(plain_code(&"x".repeat(100)).len(), 64);
    }
}
