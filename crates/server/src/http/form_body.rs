//! The body of a response to a form, in the ways in which pages and programs send it.

use std::collections::BTreeMap;
use std::convert::Infallible;

use axum::body::Body;
use axum::http::{HeaderMap, header};
use bytes::Bytes;
use quadrille_access::{Digest, Form, QuestionKind};
use serde::Deserialize;
use serde_json::Value as Json_;
use tokio::sync::Semaphore;

use super::access_input::bad;
use super::form_fields::form_fields;
use super::idempotency::sha256;
use super::{json_body, request_body};
use crate::error::{ApiError, ErrorCode};
use crate::forms::{Answers, Files, SentFile, file_name};
use crate::limits;

/// Longest identifier of a response, in bytes.
const SUBMISSION_BYTES_MAX: usize = 64;

/// Bodies with files, which are in memory while they are read.
static UPLOADS: Semaphore = Semaphore::const_new(limits::FORM_UPLOADS_MAX);

/// A response as it is sent.
#[derive(Debug, Default)]
pub struct Sent {
    pub submission: Option<String>,
    /// The revision at which the page was loaded.
    pub revision: u64,
    /// It may have been sent before.
    pub is_repeated: bool,
    /// The field that only programs fill in.
    pub website: String,
    pub answers: Answers,
    pub files: Files,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct SentJson {
    submission: Option<String>,
    #[serde(default)]
    revision: u64,
    #[serde(default)]
    is_repeated: bool,
    #[serde(default)]
    website: String,
    answers: BTreeMap<String, Json_>,
}

impl Sent {
    /// Reads the body of a response. One with files is read only while few others are.
    ///
    /// # Errors
    /// `unsupported_media_type`, `body_too_large`, `bad_request` for fields that a form cannot have, and
    /// `overloaded` with too many files at once.
    pub async fn read(
        headers: &HeaderMap,
        body: Body,
        text_type: &str,
        form: &Form,
    ) -> Result<(Sent, usize), ApiError> {
        let media_type = json_body::media_type(headers);
        let takes_files = form.questions.iter().any(|question| question.kind == Some(QuestionKind::File));
        match media_type.as_deref() {
            Some("multipart/form-data") if takes_files => {
                let busy = || ApiError::new(ErrorCode::Overloaded, "too many files are being received");
                let _reading = UPLOADS.try_acquire().map_err(|_| busy())?;
                let bytes_max = limits::FORM_FILES_BYTES_MAX + limits::FORM_RESPONSE_BYTES_MAX;
                let body = request_body::read(headers, body, bytes_max).await?;
                let bytes = body.len();
                Ok((Sent::from_multipart(headers, body).await?, bytes))
            }
            Some(given) if given == text_type => {
                let body = request_body::read(headers, body, limits::FORM_RESPONSE_BYTES_MAX).await?;
                let sent = match given {
                    "application/json" => Sent::from_json(&body),
                    _ => Sent::from_form(&body),
                };
                Ok((sent?, body.len()))
            }
            _ => {
                let files = if takes_files { " or multipart/form-data" } else { "" };
                let message = format!("the content type must be {text_type}{files}");
                Err(ApiError::new(ErrorCode::UnsupportedMediaType, message))
            }
        }
    }

    /// Bytes of all files.
    pub fn file_bytes(&self) -> usize {
        self.files.values().flatten().map(|file| file.bytes.len()).sum()
    }

    /// Identifies the answers and the files.
    pub fn fingerprint(&self) -> Digest {
        let answers = serde_json::to_string(&self.answers).expect("answers are texts");
        let mut fingerprint = sha256([answers.as_bytes()]);
        for (question, files) in &self.files {
            for file in files {
                let parts = [&fingerprint.0[..], &question.to_be_bytes(), file.name.as_bytes(), &file.bytes];
                fingerprint = sha256(parts);
            }
        }
        fingerprint
    }

    /// Reads `application/json`, as programs send it.
    fn from_json(body: &Bytes) -> Result<Sent, ApiError> {
        let mut given: SentJson = json_body::parse(body)?;
        let mut answers = Answers::new();
        for (id, answer) in std::mem::take(&mut given.answers) {
            let question = id.parse().map_err(|_| bad(format!("not the number of a question: {id:.40}")))?;
            let values = match answer {
                Json_::Array(values) => values,
                Json_::Null => Vec::new(),
                value => vec![value],
            };
            let text = |value: Json_| match value {
                Json_::String(text) => Ok(text),
                Json_::Bool(boolean) => Ok(boolean.to_string()),
                Json_::Number(number) => Ok(number.to_string()),
                _ => Err(bad(format!(
                    "an answer must be a text, a number, true, false or a list of texts: {id:.40}"
                ))),
            };
            answers.insert(question, values.into_iter().map(text).collect::<Result<_, _>>()?);
        }
        let SentJson { submission, revision, is_repeated, website, .. } = given;
        Ok(Sent { submission, revision, is_repeated, website, answers, files: Files::new() })
    }

    /// Reads `application/x-www-form-urlencoded`, as the page sends it without a script.
    fn from_form(body: &Bytes) -> Result<Sent, ApiError> {
        let mut sent = Sent::default();
        for (name, value) in form_fields(body)? {
            sent.take_field(&name, value)?;
        }
        Ok(sent)
    }

    /// Reads `multipart/form-data`, as the page sends it when it asks for files.
    async fn from_multipart(headers: &HeaderMap, body: Bytes) -> Result<Sent, ApiError> {
        let content_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let boundary = multer::parse_boundary(content_type.unwrap_or_default());
        let boundary = boundary.map_err(|_| bad("the content type has no boundary"))?;
        let damaged = |error: multer::Error| bad(format!("the body is not multipart/form-data: {error}"));
        let whole = futures_util::stream::once(async { Ok::<_, Infallible>(body) });
        let mut parts = multer::Multipart::new(whole, boundary);
        let mut sent = Sent::default();
        let mut bytes_left = limits::FORM_RESPONSE_BYTES_MAX;
        while let Some(part) = parts.next_field().await.map_err(damaged)? {
            let name = part.name().ok_or_else(|| bad("a part of the body has no name"))?.to_owned();
            let file = part.file_name().map(file_name);
            let is_chosen = part.file_name().is_some_and(|name| !name.is_empty());
            let bytes = part.bytes().await.map_err(damaged)?;
            match file {
                // Browsers send a nameless file for a question without one.
                Some(_) if !is_chosen && bytes.is_empty() => {}
                Some(file) => {
                    let question = question_of(&name)?;
                    sent.files.entry(question).or_default().push(SentFile { name: file, bytes });
                }
                None => {
                    bytes_left = bytes_left.checked_sub(bytes.len()).ok_or_else(too_long)?;
                    let value = String::from_utf8(bytes.into()).map_err(|_| bad("the body is not UTF-8"))?;
                    sent.take_field(&name, value)?;
                }
            }
        }
        Ok(sent)
    }

    fn take_field(&mut self, name: &str, value: String) -> Result<(), ApiError> {
        match name {
            "submission" => self.submission = Some(value),
            "revision" => self.revision = value.parse().unwrap_or(0),
            "isRepeated" => self.is_repeated = value == "true",
            "website" => self.website = value,
            _ => self.answers.entry(question_of(name)?).or_default().push(value),
        }
        Ok(())
    }

    /// # Errors
    /// `bad_request` for an unknown question, a file where none is asked for, or an identifier that is too
    /// long.
    pub fn check(&self, form: &Form) -> Result<(), ApiError> {
        let is_known = |id: &&u64| form.questions.iter().any(|question| question.column == **id);
        if let Some(id) = self.answers.keys().chain(self.files.keys()).find(|id| !is_known(id)) {
            return Err(bad(format!("the form has no question {id}")));
        }
        let takes_file = |id: &&u64| {
            let question = form.questions.iter().find(|question| question.column == **id);
            question.is_some_and(|question| question.kind == Some(QuestionKind::File))
        };
        if let Some(id) = self.files.keys().find(|id| !takes_file(id)) {
            return Err(bad(format!("the question takes no file: {id}")));
        }
        let id = self.submission.as_deref().unwrap_or_default();
        if id.len() > SUBMISSION_BYTES_MAX || !id.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(bad(format!("submission must be at most {SUBMISSION_BYTES_MAX} ASCII characters")));
        }
        Ok(())
    }
}

/// The question of a field of the page.
fn question_of(name: &str) -> Result<u64, ApiError> {
    let question = name.strip_prefix('q').and_then(|number| number.parse().ok());
    question.ok_or_else(|| bad(format!("not a field of the form: {name:.40}")))
}

fn too_long() -> ApiError {
    let message = format!("the answers are longer than {} bytes", limits::FORM_RESPONSE_BYTES_MAX);
    ApiError::new(ErrorCode::BodyTooLarge, message)
}
