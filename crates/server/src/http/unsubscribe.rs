//! `/_unsubscribe/{link}`: switches off mail about comments for the account of a message, without signing
//! in.
//!
//! Mail programs send the POST of RFC 8058 when somebody presses their button. The GET shows a page with a
//! button, and changes nothing: filters of mail follow links.

use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use quadrille_access::{Account, AccountId, Actor, AuditEvent};

use super::app::App;
use super::form_responses::html;
use crate::access::{Visitor, audit_entry};
use crate::error::{ApiError, ErrorCode};
use crate::forms::{accepted_language, escaped};
use crate::mail::MailLanguage;
use crate::notifications::account_of_unsubscribe_link;

/// The page with the button.
pub async fn page(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path(link): Path<String>,
    headers: HeaderMap,
) -> Response {
    let language = accepted_language(&headers);
    let texts = language.comment_texts();
    if account_of_unsubscribe_link(app.access.key(), &link).is_none() {
        return answer(&visitor, StatusCode::NOT_FOUND, texts.invalid, "", language);
    }
    let form = format!(
        "<form method=\"post\"><div class=\"buttons\"><button type=\"submit\" class=\"button\">{}</button></div></form>",
        escaped(texts.button)
    );
    answer(&visitor, StatusCode::OK, texts.explanation, &form, language)
}

/// Switches the mail off. The body, `List-Unsubscribe=One-Click` or that of the page, says nothing more.
pub async fn switch_off(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path(link): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let language = accepted_language(&headers);
    let texts = language.comment_texts();
    let Some(id) = account_of_unsubscribe_link(app.access.key(), &link) else {
        return Ok(answer(&visitor, StatusCode::NOT_FOUND, texts.invalid, "", language));
    };
    if needs_change(&app, id).await? {
        let target = format!("{id}: mail about comments is off");
        let entry = audit_entry(&Actor::Anonymous, AuditEvent::AccountChanged, None, target, &visitor);
        let set = |account: &mut Account| {
            account.refuses_notification_mail = true;
            Ok(())
        };
        match app.access.change_account(id, vec![entry], set).await {
            Ok(_) => {}
            // Deleted meanwhile: it gets no mail either.
            Err(error) if error.code == ErrorCode::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(answer(&visitor, StatusCode::OK, texts.is_off, "", language))
}

/// Whether there is an account that gets mail: a link that is used again writes nothing.
async fn needs_change(app: &App, id: AccountId) -> Result<bool, ApiError> {
    Ok(app.access.account(id).await?.is_some_and(|account| !account.refuses_notification_mail))
}

fn answer(
    visitor: &Visitor,
    status: StatusCode,
    sentence: &str,
    form: &str,
    language: MailLanguage,
) -> Response {
    let texts = language.comment_texts();
    let direction = if language.is_right_to_left() { "rtl" } else { "ltr" };
    let base = escaped(visitor.base_path());
    let page = format!(
        "<!doctype html>\n<html lang=\"{}\" dir=\"{direction}\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\"><meta name=\"robots\" content=\"noindex\">\
         <title>{heading}</title><link rel=\"icon\" href=\"{base}/logo.svg\">\
         <link rel=\"stylesheet\" href=\"{base}/form.css\"></head><body><main>\
         <h1>{heading}</h1><p role=\"status\">{}</p>{form}\
         <p><a href=\"{base}/_account#notifications\">{}</a></p></main></body></html>\n",
        language.tag(),
        escaped(sentence),
        escaped(texts.account),
        heading = escaped(texts.heading),
    );
    html(status, page)
}
