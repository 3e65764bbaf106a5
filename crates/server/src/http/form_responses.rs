//! `/_form/{link}` and `/api/v1/forms/{link}`: what a form shows to whoever has its link, and the
//! responses that are sent to it.
//!
//! A response is recorded once, however often it is sent. Its identifier, which the page makes, gives
//! its record in the journal a number; both are stored in the same commit. The store of idempotency
//! keys finds it again quickly; a response that is sent again after the key is forgotten is looked up
//! in the journal, from the revision at which the page was loaded.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use axum::Json;
use axum::body::Body;
use axum::extract::{FromRequestParts, RawQuery};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use quadrille_access::{Digest, Form, KeyedRequest, QuestionKind, RecordedAnswer, WorkbookAccess};
use quadrille_cell::Value;
use quadrille_document::Document;
use quadrille_protocol::limits::AUTHOR_BYTES_MAX;
use quadrille_protocol::{Author, Counter, Revision, Role, RoomName, fresh_sheet_id};
use quadrille_workbook::{ItemId, Workbook};
use serde_json::{Value as Json_, json};

use super::access_input::conflict;
use super::app::App;
use super::extractors::segment;
use super::form_body::Sent;
use super::idempotency::sha256;
use super::internal_error::internal;
use crate::access::{Attempt, Document as AccessDocument, Visitor, now_ms};
use crate::error::{ApiError, ErrorCode};
use crate::forms::{
    BadAnswer, FORM_AUTHOR, FormState, OpenForm, Question, RowContents, SentFile, accepted_language,
    check_answers, closed_page, file_texts, filled, form_page, language_of, missing_page, plan_row,
    sent_page, texts,
};
use crate::hexadecimal::hex;
use crate::limits;
use crate::mail::MailLanguage;
use crate::room_link::{LinkPurpose, RoomLink};
use crate::rooms::{Change, MissingRoom, Reading, RequestMark, StoredFile, file_path};
use crate::thread_priority::in_background;

/// The form of the `{link}` of the path.
pub struct LinkedForm {
    room: RoomName,
    form: Form,
    document: AccessDocument,
}

/// The `{link}` of the path, with the language of the page.
pub struct FormRequest {
    app: App,
    visitor: Visitor,
    link: String,
    language: MailLanguage,
}

impl FromRequestParts<App> for FormRequest {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<FormRequest, ApiError> {
        let link = segment(parts, app, "link", ErrorCode::BadAddress).await?;
        let visitor = parts.extensions.get().cloned().expect("the route names its access");
        let query = parts.uri.query().unwrap_or_default();
        let chosen = query.split('&').find_map(|pair| language_of(pair.strip_prefix("lang=")?));
        let language = chosen.unwrap_or_else(|| accepted_language(&parts.headers));
        Ok(FormRequest { app: app.clone(), visitor, link, language })
    }
}

impl FormRequest {
    /// # Errors
    /// `not_found` for a link that no form has, `room_elsewhere` when another server runs the workbook.
    async fn find(&self) -> Result<LinkedForm, ApiError> {
        let missing = || ApiError::new(ErrorCode::NotFound, "no such form");
        let link =
            RoomLink::parse(LinkPurpose::Form, self.app.access.key(), &self.link).ok_or_else(missing)?;
        self.app.rooms.check_owner(&link.room).await?;
        let document = self.app.access.document(&link.room).await?;
        let access = document.as_ref().map(|document| &document.value).ok_or_else(missing)?;
        if access.trashed_ms.is_some() || !is_of_tenant(access, &self.visitor) {
            return Err(missing());
        }
        let nonce = link.stored_nonce();
        let form = access.forms.iter().find(|form| form.link.as_ref() == Some(&nonce));
        let form = form.cloned().ok_or_else(missing)?;
        Ok(LinkedForm { room: link.room, form, document })
    }
}

/// Whether a workbook belongs to the tenant at whose address a request was made.
pub fn is_of_tenant(access: &WorkbookAccess, visitor: &Visitor) -> bool {
    access.tenant.as_deref().is_none_or(|tenant| visitor.tenant.as_deref() == Some(tenant))
}

/// Why a response was not recorded.
enum Refusal {
    Answers(Vec<BadAnswer>),
    Closed,
    /// It was recorded before, with other answers.
    AlreadySent,
    Error(ApiError),
}

impl From<ApiError> for Refusal {
    fn from(error: ApiError) -> Refusal {
        Refusal::Error(error)
    }
}

/// Returns the definition of a form for programs.
pub async fn read(request: FormRequest) -> Result<Json<Json_>, ApiError> {
    let LinkedForm { room, form, .. } = request.find().await?;
    let reading = request.app.rooms.read(&room).await?;
    let open = OpenForm::find(&reading.workbook, &form);
    let is_open = form.is_open(now_ms()) && open.as_ref().is_some_and(|open| !open.is_full(&form));
    let is_file = |question: &Question| question.kind == QuestionKind::File;
    let questions = open.iter().flat_map(|open| &open.questions).map(|question| {
        json!({
            "id": question.id.to_string(),
            "label": question.label,
            "help": question.help,
            "isRequired": question.is_required,
            "kind": question.kind,
            "choices": question.choices.iter().map(|choice| &choice.text).collect::<Vec<_>>(),
            "fileKinds": is_file(question).then_some(&question.file.kinds),
            "fileBytesMax": is_file(question).then_some(question.file.bytes_max),
        })
    });
    Ok(Json(json!({
        "title": form.title,
        "description": form.description,
        "isOpen": is_open,
        "revision": reading.revision.0,
        "questions": questions.collect::<Vec<_>>(),
    })))
}

/// Records a response of the page's script or of a program.
pub async fn respond(request: FormRequest, headers: HeaderMap, body: Body) -> Result<Response, ApiError> {
    let found = request.find().await?;
    let (sent, bytes) = Sent::read(&headers, body, "application/json", &found.form).await?;
    let sentences = texts(request.language);
    let confirmation = match found.form.confirmation.is_empty() {
        true => sentences.recorded.to_owned(),
        false => found.form.confirmation.clone(),
    };
    match record(&request, found, sent, bytes).await {
        Ok(()) => Ok((StatusCode::CREATED, Json(json!({ "confirmation": confirmation }))).into_response()),
        Err(Refusal::Answers(errors)) => {
            let error = ApiError::new(ErrorCode::BadAnswers, sentences.errors);
            let mut body = error.body();
            body["answers"] = errors
                .iter()
                .map(|error| json!({ "question": error.question.to_string(), "message": error.message }))
                .collect();
            Ok((error.status(), Json(body)).into_response())
        }
        Err(Refusal::Closed) => Err(conflict(sentences.closed)),
        Err(Refusal::AlreadySent) => {
            Err(ApiError::new(ErrorCode::IdempotencyKeyReused, sentences.already_sent))
        }
        Err(Refusal::Error(error)) => Err(in_language(error, request.language)),
    }
}

/// The sentence for too many responses, in the language of the page.
fn in_language(error: ApiError, language: MailLanguage) -> ApiError {
    match (error.code, error.retry_after_seconds) {
        (ErrorCode::TooManyRequests, Some(seconds)) => {
            let message = filled(texts(language).too_many, &[&seconds.to_string()]);
            ApiError { message, ..error }
        }
        _ => error,
    }
}

/// The page of a form.
pub async fn page(request: FormRequest, RawQuery(query): RawQuery) -> Response {
    let language = request.language;
    let found = match request.find().await {
        Ok(found) => found,
        Err(error) => return error_page(error, language),
    };
    if query.unwrap_or_default().split('&').any(|pair| pair == "sent") {
        return html(StatusCode::OK, sent_page(&found.form, language));
    }
    match request.app.rooms.read(&found.room).await {
        Ok(reading) => {
            let state = FormState { submission: random_submission(), ..FormState::default() };
            open_page(&found.form, &reading, state, language)
        }
        Err(error) => error_page(error, language),
    }
}

/// Records a response that is sent without a script.
pub async fn send(request: FormRequest, headers: HeaderMap, body: Body) -> Response {
    let language = request.language;
    match send_form(&request, &headers, body).await {
        Ok(response) => response,
        Err(error) => error_page(in_language(error, language), language),
    }
}

async fn send_form(request: &FormRequest, headers: &HeaderMap, body: Body) -> Result<Response, ApiError> {
    let language = request.language;
    let found = request.find().await?;
    let (sent, bytes) = Sent::read(headers, body, "application/x-www-form-urlencoded", &found.form).await?;
    let had_files = sent.files.keys().copied().collect();
    let (form, room, answers) = (found.form.clone(), found.room.clone(), sent.answers.clone());
    let submission = sent.submission.clone().unwrap_or_else(random_submission);
    let (errors, alert, status) = match record(request, found, sent, bytes).await {
        Ok(()) => {
            // A reload must not send it again.
            let language = match language {
                MailLanguage::En => String::new(),
                language => format!("&lang={}", language.tag()),
            };
            let location = format!("/_form/{}?sent{language}", request.link);
            return Ok((StatusCode::SEE_OTHER, [(header::LOCATION, location)]).into_response());
        }
        Err(Refusal::Answers(errors)) => (errors, None, StatusCode::UNPROCESSABLE_ENTITY),
        Err(Refusal::Closed) => return Ok(html(StatusCode::CONFLICT, closed_page(&form, language))),
        Err(Refusal::AlreadySent) => {
            (Vec::new(), Some(texts(language).already_sent.to_owned()), StatusCode::UNPROCESSABLE_ENTITY)
        }
        Err(Refusal::Error(error)) if error.code == ErrorCode::TooManyImages => {
            (Vec::new(), Some(error.message), StatusCode::PAYLOAD_TOO_LARGE)
        }
        Err(Refusal::Error(error)) => return Err(error),
    };
    let reading = request.app.rooms.read(&room).await?;
    let state = FormState { submission, answers, had_files, errors: &errors, alert, revision: 0 };
    let mut response = open_page(&form, &reading, state, language);
    if response.status() == StatusCode::OK {
        *response.status_mut() = status;
    }
    Ok(response)
}

fn open_page(form: &Form, reading: &Reading, state: FormState<'_>, language: MailLanguage) -> Response {
    let open = OpenForm::find(&reading.workbook, form);
    match open.filter(|open| form.is_open(now_ms()) && !open.is_full(form)) {
        Some(open) => {
            let state = FormState { revision: reading.revision.0, ..state };
            html(StatusCode::OK, form_page(form, &open, &state, language))
        }
        None => html(StatusCode::OK, closed_page(form, language)),
    }
}

fn error_page(error: ApiError, language: MailLanguage) -> Response {
    if error.code == ErrorCode::NotFound || error.code == ErrorCode::NoSuchRoom {
        return html(StatusCode::NOT_FOUND, missing_page(language));
    }
    error.into_response()
}

/// A page of a form.
pub fn html(status: StatusCode, page: String) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        // With `no-referrer` a browser would send the form without its origin.
        (header::REFERRER_POLICY, HeaderValue::from_static("same-origin")),
        (HeaderName::from_static("x-robots-tag"), HeaderValue::from_static("noindex")),
        (header::VARY, HeaderValue::from_static("accept-language")),
    ];
    (status, headers, page).into_response()
}

fn random_submission() -> String {
    let mut random = [0; 16];
    getrandom::fill(&mut random).expect("the operating system provides random numbers");
    hex(&random)
}

/// Records a response once.
async fn record(request: &FormRequest, found: LinkedForm, sent: Sent, bytes: usize) -> Result<(), Refusal> {
    let app = &request.app;
    let LinkedForm { room, form, document } = found;
    sent.check(&form)?;
    let now = Instant::now();
    app.attempts.take(Attempt::FormFrom(request.visitor.address, form.id), now)?;
    app.attempts.take(Attempt::FormResponse(form.id), now)?;
    let file_bytes = sent.file_bytes();
    if file_bytes > 0 {
        let count = u32::try_from(file_bytes).unwrap_or(u32::MAX);
        app.attempts.take_some(Attempt::FormFilesFrom(request.visitor.address, form.id), count, now)?;
        app.attempts.take_some(Attempt::FormFiles(form.id), count, now)?;
    }
    // Files have limits of their own: they are not sent to the sessions of the room.
    let changed_bytes = bytes.saturating_sub(file_bytes);
    app.rate_limiter
        .change(&room, request.visitor.address, changed_bytes, now)
        .map_err(ApiError::rate_limited)?;
    app.quotas.upload(&document).await?.take(bytes)?;
    if !sent.website.is_empty() {
        // A program that is told of this would leave the field out the next time.
        return Ok(());
    }
    let submission = sent.submission.clone().unwrap_or_else(random_submission);
    let key = sha256([b"form", room.as_str().as_bytes(), &form.id.0.to_be_bytes(), submission.as_bytes()]);
    let running = app.running_keys.begin(key).ok_or_else(|| {
        ApiError::new(ErrorCode::IdempotencyKeyInUse, "this response is being recorded; try again later")
    })?;
    let recorder = Recorder { app: app.clone(), language: request.language, room, form, sent };
    // Finished even if the client disconnects, as for idempotency keys.
    let work = async move {
        let _running = running;
        recorder.record_once(key).await
    };
    tokio::spawn(work).await.unwrap_or_else(|_| Err(internal("recording a response").into()))
}

/// A response whose identifier is not in use elsewhere.
struct Recorder {
    app: App,
    language: MailLanguage,
    room: RoomName,
    form: Form,
    sent: Sent,
}

impl Recorder {
    async fn record_once(self, key: Digest) -> Result<(), Refusal> {
        let reading = self.app.rooms.read(&self.room).await?;
        if !self.sent.is_repeated {
            // Nothing is stored for answers that do not fit.
            self.values(&reading)?;
        }
        let number = u64::from_be_bytes(key.0[..8].try_into().expect("8 bytes"));
        let counter = Counter((number & ItemId::MAX).max(1));
        let begun = KeyedRequest {
            key,
            room: self.room.as_str().to_owned(),
            fingerprint: self.sent.fingerprint(),
            number: counter.0,
            after: reading.revision.0,
            created_ms: now_ms(),
            answer: None,
        };
        let fingerprint = begun.fingerprint;
        let not_before_ms = begun.created_ms - limits::IDEMPOTENCY_KEY_HOURS as i64 * 3_600_000;
        let count_max = limits::IDEMPOTENCY_KEYS_PER_ROOM_MAX;
        let stored =
            self.app.access.run(move |store| store.begin_keyed_request(&begun, not_before_ms, count_max));
        let after = match stored.await? {
            Some(stored) if stored.answer.is_some() && stored.fingerprint == fingerprint => return Ok(()),
            Some(stored) if stored.answer.is_some() => return Err(Refusal::AlreadySent),
            // The first attempt failed, or the server ended before the answer was recorded.
            Some(stored) => Some(stored.after),
            None if self.sent.is_repeated => Some(self.sent.revision.min(reading.revision.0)),
            None => None,
        };
        let recorded = match after {
            Some(after) => self.app.rooms.record_of_request(&self.room, Revision(after), counter).await?,
            None => None,
        };
        if recorded.is_none() {
            self.add_row(&reading, counter).await?;
        }
        let answer = RecordedAnswer { status: StatusCode::CREATED.as_u16(), etag: None, body: String::new() };
        if let Err(error) = self.app.access.run(move |store| store.answer_keyed_request(key, &answer)).await {
            // The record in the journal tells it, too.
            tracing::warn!(reason = error.message, "the answer to a response of a form was not recorded");
        }
        Ok(())
    }

    fn values(&self, reading: &Reading) -> Result<BTreeMap<u64, Value>, Refusal> {
        let open = OpenForm::find(&reading.workbook, &self.form).ok_or(Refusal::Closed)?;
        let (answers, files) = (&self.sent.answers, &self.sent.files);
        check_answers(&open, answers, files, self.language).map_err(Refusal::Answers)
    }

    fn check_open(&self, reading: &Reading) -> Result<(), Refusal> {
        let open = OpenForm::find(&reading.workbook, &self.form);
        match self.form.is_open(now_ms()) && open.is_some_and(|open| !open.is_full(&self.form)) {
            true => Ok(()),
            false => Err(Refusal::Closed),
        }
    }

    async fn add_row(&self, reading: &Reading, counter: Counter) -> Result<(), Refusal> {
        self.check_open(reading)?;
        let values = self.values(reading)?;
        let mut contents = RowContents { values, ..RowContents::default() };
        self.check_by_calculation(reading, &contents).await?;
        contents.links = self.store_files().await?;
        let (form, time_ms) = (self.form.clone(), now_ms());
        let change = Change::new(MissingRoom::MustExist, move |workbook, new_sheet| {
            plan_row(workbook, &form, &contents, time_ms, new_sheet)
        });
        let mark = RequestMark { counter, recorded: None };
        let change = change.by(author(&self.form)).marked(Some(mark));
        // The form was made by somebody who may edit; protected ranges hold for it, too.
        match self.app.rooms.change(&self.room, Role::Edit, change).await {
            Err(error) if error.code == ErrorCode::Conflict => Err(Refusal::Closed),
            Err(error) => Err(error.into()),
            Ok(_) => Ok(()),
        }
    }

    /// Stores the files before the row that links to them. A second attempt finds them stored.
    async fn store_files(&self) -> Result<BTreeMap<u64, String>, Refusal> {
        let mut links = BTreeMap::new();
        for (question, files) in &self.sent.files {
            for SentFile { name, bytes } in files {
                let file = StoredFile { name: name.clone(), bytes: bytes.clone() };
                let id = match self.app.rooms.put_file(&self.room, &file).await {
                    Err(error) if error.code == ErrorCode::TooManyImages => {
                        let message = file_texts(self.language).full.to_owned();
                        return Err(ApiError { message, ..error }.into());
                    }
                    stored => stored?,
                };
                links.insert(*question, file_path(&self.room, id));
            }
        }
        Ok(links)
    }

    /// Checks rules with formulas, which are rare: they need the whole workbook.
    async fn check_by_calculation(&self, reading: &Reading, contents: &RowContents) -> Result<(), Refusal> {
        let open = OpenForm::find(&reading.workbook, &self.form).ok_or(Refusal::Closed)?;
        if !open.questions.iter().any(|question| question.needs_calculation) {
            return Ok(());
        }
        let (unique, mut number) = (RequestMark::random_number(), 0);
        let mut new_sheet = || {
            number += 1;
            fresh_sheet_id(unique, number)
        };
        let transaction = plan_row(&reading.workbook, &self.form, contents, now_ms(), &mut new_sheet)?;
        let workbook = Workbook::clone(&reading.workbook);
        let find = move || Document::from_workbook(workbook).first_invalid_cell(&transaction);
        let invalid = in_background(find).await.ok_or_else(|| internal("checking a response"))?;
        let question = invalid.and_then(|invalid| {
            open.questions
                .iter()
                .find(|question| question.column == invalid.cell.column.get() && question.needs_calculation)
        });
        match question {
            None => Ok(()),
            Some(question) => {
                let message =
                    question.message.clone().unwrap_or_else(|| texts(self.language).invalid.to_owned());
                Err(Refusal::Answers(vec![BadAnswer { question: question.id, message }]))
            }
        }
    }
}

/// The author of a response in the history: the form.
fn author(form: &Form) -> Author {
    let mut end = form.title.len().min(AUTHOR_BYTES_MAX);
    while !form.title.is_char_boundary(end) {
        end -= 1;
    }
    Author { id: Arc::from(format!("{FORM_AUTHOR}{}", form.id)), name: Arc::from(&form.title[..end]) }
}
