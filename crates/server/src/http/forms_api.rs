//! `/api/v1/rooms/{room}/forms`: the forms of a workbook and their links.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use quadrille_access::{AuditEvent, FileKind, Form, FormQuestion, QuestionKind, SecretId, WorkbookAccess};
use quadrille_cell::{Range, SheetId};
use quadrille_protocol::RoomName;
use quadrille_workbook::{Field, ItemId, Workbook};
use serde::{Deserialize, Deserializer};
use serde_json::{Value as Json_, json};

use super::access_input::{bad, check_length, conflict, not_found};
use super::app::App;
use super::authorization::{GrantedRoom, check_exists};
use super::extractors::segment;
use super::form_responses::html;
use super::internal_error::internal;
use super::{access_document, json_body, request_body};
use crate::access::{Visitor, now_ms};
use crate::error::{ApiError, ErrorCode};
use crate::forms::{
    FormState, OpenForm, TableChoice, TableColumnsPlan, accepted_language, form_page, plan_columns,
};
use crate::limits;
use crate::room_link::{LinkPurpose, RoomLink};
use crate::rooms::{Change, MissingRoom};

/// Longest description, help and confirmation, in characters.
const TEXT_CHARACTERS_MAX: usize = 2_000;
/// Longest choice, in characters.
const CHOICE_CHARACTERS_MAX: usize = 255;

/// A request about the forms of a workbook.
pub struct FormScope {
    app: App,
    granted: GrantedRoom,
    visitor: Visitor,
}

impl FromRequestParts<App> for FormScope {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<FormScope, ApiError> {
        let granted = GrantedRoom::from_request_parts(parts, app).await?;
        let visitor = parts.extensions.get().cloned().expect("the route names its access");
        // The answer of a workbook that must not be seen, before any form is looked for.
        check_exists(app, &granted.room).await?;
        Ok(FormScope { app: app.clone(), granted, visitor })
    }
}

/// The `{form}` of the path.
pub struct FormSegment(SecretId);

impl FromRequestParts<App> for FormSegment {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<FormSegment, ApiError> {
        let text = segment(parts, app, "form", ErrorCode::BadAddress).await?;
        SecretId::parse(&text).map(FormSegment).ok_or_else(|| not_found("form", text))
    }
}

/// A definition as it is sent. Absent members of a change stay unchanged; `null` clears.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
struct FormBody {
    /// Name of the table; not in a change.
    table: Option<String>,
    /// Or a range of a sheet, which becomes a table; not in a change.
    sheet: Option<String>,
    range: Option<String>,
    title: Option<String>,
    description: Option<String>,
    confirmation: Option<String>,
    is_closed: Option<bool>,
    #[serde(deserialize_with = "given")]
    closes_ms: Option<Option<i64>>,
    #[serde(deserialize_with = "given")]
    rows_max: Option<Option<u32>>,
    #[serde(deserialize_with = "given")]
    timestamp_column: Option<Option<String>>,
    questions: Option<Vec<QuestionBody>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct QuestionBody {
    /// The header of the column.
    column: String,
    #[serde(default)]
    label: String,
    #[serde(default)]
    help: String,
    #[serde(default)]
    is_required: bool,
    kind: Option<QuestionKind>,
    #[serde(default)]
    choices: Vec<String>,
    #[serde(default)]
    file_kinds: Vec<FileKind>,
    file_bytes_max: Option<u32>,
}

/// Tells `null` from an absent member.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

impl FormBody {
    async fn read(headers: &HeaderMap, body: Body) -> Result<FormBody, ApiError> {
        if json_body::media_type(headers).as_deref() != Some("application/json") {
            let message = "the content type must be application/json";
            return Err(ApiError::new(ErrorCode::UnsupportedMediaType, message));
        }
        let bytes = request_body::read(headers, body, limits::FORM_BYTES_MAX).await?;
        let given: FormBody = json_body::parse(&bytes)?;
        given.check()?;
        Ok(given)
    }

    fn check(&self) -> Result<(), ApiError> {
        if let Some(title) = &self.title {
            check_length("title", title)?;
            if title.trim().is_empty() {
                return Err(bad("the title is blank"));
            }
        }
        for (name, text) in [("description", &self.description), ("confirmation", &self.confirmation)] {
            check_text(name, text.as_deref().unwrap_or_default(), TEXT_CHARACTERS_MAX)?;
        }
        if self.rows_max == Some(Some(0)) {
            return Err(bad("rowsMax must be at least 1"));
        }
        let Some(questions) = &self.questions else { return Ok(()) };
        if questions.is_empty() || questions.len() > limits::FORM_QUESTIONS_MAX {
            return Err(bad(format!("a form has 1 to {} questions", limits::FORM_QUESTIONS_MAX)));
        }
        let is_file = |question: &&QuestionBody| question.kind == Some(QuestionKind::File);
        if questions.iter().filter(is_file).count() > limits::FORM_FILES_MAX {
            return Err(bad(format!("a form asks for at most {} files", limits::FORM_FILES_MAX)));
        }
        for (index, question) in questions.iter().enumerate() {
            let is_same =
                |other: &QuestionBody| other.column.to_lowercase() == question.column.to_lowercase();
            if questions[..index].iter().any(is_same) {
                return Err(bad(format!("a column can be in one question: {}", question.column)));
            }
            check_text("label", &question.label, TEXT_CHARACTERS_MAX)?;
            check_text("help", &question.help, TEXT_CHARACTERS_MAX)?;
            if question.choices.len() > limits::FORM_CHOICES_MAX {
                return Err(bad(format!("a question has at most {} choices", limits::FORM_CHOICES_MAX)));
            }
            let is_file = question.kind == Some(QuestionKind::File);
            if !is_file && (!question.file_kinds.is_empty() || question.file_bytes_max.is_some()) {
                return Err(bad("fileKinds and fileBytesMax are for questions of the kind file"));
            }
            let bytes = 1..=limits::FORM_FILE_BYTES_MAX;
            if question.file_bytes_max.is_some_and(|given| !bytes.contains(&(given as usize))) {
                return Err(bad(format!("fileBytesMax must be from 1 to {}", bytes.end())));
            }
            for choice in &question.choices {
                check_text("choice", choice, CHOICE_CHARACTERS_MAX)?;
                if choice.trim().is_empty() {
                    return Err(bad("a choice is blank"));
                }
            }
        }
        Ok(())
    }

    /// The members of the form that the body sets.
    fn apply(&self, form: &mut Form, columns: &TableColumnsPlan) -> Result<(), ApiError> {
        let unknown = |header: &str| bad(format!("the table has no column {header}"));
        let set = |text: &mut String, given: &Option<String>| {
            if let Some(given) = given {
                text.clone_from(given);
            }
        };
        set(&mut form.title, &self.title);
        set(&mut form.description, &self.description);
        set(&mut form.confirmation, &self.confirmation);
        form.is_closed = self.is_closed.unwrap_or(form.is_closed);
        form.closes_ms = self.closes_ms.unwrap_or(form.closes_ms);
        form.rows_max = self.rows_max.unwrap_or(form.rows_max);
        match &self.timestamp_column {
            Some(Some(header)) => {
                form.timestamp = Some(columns.column(header).ok_or_else(|| unknown(header))?.item);
            }
            Some(None) => form.timestamp = None,
            None => {}
        }
        if let Some(questions) = &self.questions {
            let question = |given: &QuestionBody| {
                let column = columns.column(&given.column).ok_or_else(|| unknown(&given.column))?;
                if column.is_calculated {
                    return Err(bad(format!("the column is filled by formulas: {}", given.column)));
                }
                let needs_choices = matches!(given.kind, Some(QuestionKind::MultipleChoice));
                if needs_choices && given.choices.is_empty() {
                    return Err(bad(format!("the question needs choices: {}", given.column)));
                }
                Ok(FormQuestion {
                    column: column.item,
                    label: given.label.clone(),
                    help: given.help.clone(),
                    is_required: given.is_required,
                    kind: given.kind,
                    choices: given.choices.clone(),
                    file_kinds: given.file_kinds.clone(),
                    file_bytes_max: given.file_bytes_max,
                })
            };
            form.questions = questions.iter().map(question).collect::<Result<_, _>>()?;
        }
        if let Some(column) = form.timestamp {
            form.questions.retain(|question| question.column != column);
        }
        match form.questions.is_empty() {
            true => Err(bad("a form needs a question")),
            false => Ok(()),
        }
    }
}

fn check_text(what: &str, text: &str, characters_max: usize) -> Result<(), ApiError> {
    match text.chars().count() <= characters_max {
        true => Ok(()),
        false => Err(bad(format!("the {what} is longer than {characters_max} characters"))),
    }
}

impl FormScope {
    /// Changes the access document. `edit` may run several times.
    async fn change(
        &self,
        event: AuditEvent,
        id: SecretId,
        edit: impl FnMut(&mut WorkbookAccess) -> Result<(), ApiError> + Send + 'static,
    ) -> Result<(), ApiError> {
        access_document::change(&self.app, &self.granted, &self.visitor, (event, id), edit).await
    }

    async fn forms(&self) -> Result<Vec<Form>, ApiError> {
        let document = self.app.access.document(&self.granted.room).await?;
        Ok(document.map_or(Vec::new(), |document| document.value.forms.clone()))
    }

    async fn find(&self, id: SecretId) -> Result<Form, ApiError> {
        let form = self.forms().await?.into_iter().find(|form| form.id == id);
        form.ok_or_else(|| not_found("form", id))
    }

    /// Finds the columns of a table and adds the items by which forms name them.
    async fn columns(&self, choice: TableChoice) -> Result<TableColumnsPlan, ApiError> {
        let GrantedRoom { room, grant } = &self.granted;
        let reading = self.app.rooms.read_inputs(room).await?;
        let planned = plan_columns(&reading.workbook, &choice)?;
        if planned.transaction.operations.is_empty() {
            return Ok(planned);
        }
        // Planned again where nothing comes between.
        let (sender, receiver) = std::sync::mpsc::channel();
        let change = Change::new(MissingRoom::MustExist, move |workbook, _| {
            let planned = plan_columns(workbook, &choice)?;
            let transaction = planned.transaction.clone();
            sender.send(planned).map_err(|_| internal("planning a form"))?;
            Ok(transaction)
        });
        self.app.rooms.change(room, grant.role, grant.sign(change)).await?;
        receiver.try_recv().map_err(|_| internal("planning a form"))
    }

    async fn json(&self, form: &Form) -> Result<Json_, ApiError> {
        let reading = self.app.rooms.read_inputs(&self.granted.room).await?;
        Ok(form_json(
            form,
            &reading.workbook,
            &self.granted.room,
            self.app.access.key(),
            self.visitor.base_path(),
        ))
    }
}

fn form_json(form: &Form, workbook: &Workbook, room: &RoomName, key: &[u8; 32], base_path: &str) -> Json_ {
    let link = form
        .link
        .as_deref()
        .and_then(|nonce| RoomLink::of(LinkPurpose::Form, room, nonce))
        .map(|link| link.reveal(key));
    let open = OpenForm::find(workbook, form);
    let sheet = workbook.sheet(SheetId(form.sheet));
    let area = open.as_ref().map(|open| open.area);
    let columns = area.and_then(|range| {
        let sheet = sheet?.name().to_string();
        plan_columns(workbook, &TableChoice::Cells { sheet, range }).ok()
    });
    let header = |item: u64| {
        let known = columns.as_ref().and_then(|plan| plan.columns.iter().find(|column| column.item == item));
        known.map(|column| column.header.clone())
    };
    let questions = form.questions.iter().map(|question| {
        let now = open.as_ref().and_then(|open| open.questions.iter().find(|now| now.id == question.column));
        json!({
            "id": question.column.to_string(),
            "column": header(question.column),
            "label": question.label,
            "help": question.help,
            "isRequired": question.is_required,
            "kind": question.kind,
            "shownKind": now.map(|now| now.kind),
            "choices": question.choices,
            "fileKinds": question.file_kinds,
            "fileBytesMax": question.file_bytes_max,
        })
    });
    let table = sheet.and_then(|sheet| sheet.item(ItemId(form.table)));
    json!({
        "id": form.id.to_string(),
        "url": link.as_ref().map(|link| format!("{base_path}/_form/{link}")),
        "sheet": sheet.map(|sheet| sheet.name().to_string()),
        "table": table.and_then(|table| table.text(Field::Name)).map(|name| name.to_string()),
        "range": area.map(|area| area.to_string()),
        "title": form.title,
        "description": form.description,
        "confirmation": form.confirmation,
        "isClosed": form.is_closed,
        "closesMs": form.closes_ms,
        "rowsMax": form.rows_max,
        "timestampColumn": form.timestamp.and_then(header),
        "questions": questions.collect::<Vec<_>>(),
        "columns": columns.as_ref().map_or(Vec::new(), |plan| plan.columns.iter().map(|column| json!({
            "header": column.header,
            "isCalculated": column.is_calculated,
        })).collect()),
        "createdMs": form.created_ms,
    })
}

/// Lists the forms with their links, oldest first.
pub async fn list(scope: FormScope) -> Result<Json<Json_>, ApiError> {
    let reading = scope.app.rooms.read_inputs(&scope.granted.room).await?;
    let (room, key, base_path) = (&scope.granted.room, scope.app.access.key(), scope.visitor.base_path());
    let forms = scope.forms().await?;
    let forms: Vec<Json_> =
        forms.iter().map(|form| form_json(form, &reading.workbook, room, key, base_path)).collect();
    Ok(Json(json!({ "forms": forms })))
}

/// Creates a form with a link. Without questions it has one for each column that no formula fills.
pub async fn create(scope: FormScope, headers: HeaderMap, body: Body) -> Result<Response, ApiError> {
    let mut given = FormBody::read(&headers, body).await?;
    let choice = match (given.table.take(), given.sheet.take(), given.range.take()) {
        (Some(table), None, None) => TableChoice::Named(table),
        (None, Some(sheet), Some(range)) => {
            let range = Range::parse_a1(&range);
            let range = range.map_err(|error| ApiError::new(ErrorCode::BadAddress, error.to_string()))?;
            TableChoice::Cells { sheet, range }
        }
        _ => return Err(bad("a form needs either `table` or `sheet` and `range`")),
    };
    let title = given.title.clone().ok_or_else(|| bad("a form needs a title"))?;
    let full = || conflict(format!("a workbook has at most {} forms", limits::FORMS_PER_ROOM_MAX));
    if scope.forms().await?.len() >= limits::FORMS_PER_ROOM_MAX {
        return Err(full());
    }
    let columns = scope.columns(choice).await?;
    let all = columns.columns.iter().filter(|column| !column.is_calculated).map(|column| FormQuestion {
        column: column.item,
        label: String::new(),
        help: String::new(),
        is_required: false,
        kind: None,
        choices: Vec::new(),
        file_kinds: Vec::new(),
        file_bytes_max: None,
    });
    let mut form = Form {
        id: SecretId(getrandom::u64().expect("the operating system provides random numbers")),
        link: Some(RoomLink::new_nonce()),
        sheet: columns.sheet,
        table: columns.table,
        title,
        description: String::new(),
        confirmation: String::new(),
        is_closed: false,
        closes_ms: None,
        rows_max: None,
        timestamp: None,
        questions: all.collect(),
        created_ms: now_ms(),
    };
    given.apply(&mut form, &columns)?;
    let added = form.clone();
    let add = move |access: &mut WorkbookAccess| {
        if access.forms.len() >= limits::FORMS_PER_ROOM_MAX {
            return Err(full());
        }
        access.forms.push(added.clone());
        Ok(())
    };
    scope.change(AuditEvent::FormCreated, form.id, add).await?;
    Ok((StatusCode::CREATED, Json(scope.json(&form).await?)).into_response())
}

/// Returns one form.
pub async fn read(scope: FormScope, FormSegment(id): FormSegment) -> Result<Json<Json_>, ApiError> {
    let form = scope.find(id).await?;
    Ok(Json(scope.json(&form).await?))
}

/// Changes a form; its link stays the same.
pub async fn change(
    scope: FormScope,
    FormSegment(id): FormSegment,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Json_>, ApiError> {
    let given = FormBody::read(&headers, body).await?;
    if given.table.is_some() || given.sheet.is_some() || given.range.is_some() {
        return Err(bad("the table of a form cannot be changed; create another form"));
    }
    let form = scope.find(id).await?;
    let reading = scope.app.rooms.read_inputs(&scope.granted.room).await?;
    let place = OpenForm::find(&reading.workbook, &form);
    let place = place.map(|open| (open.sheet.name().to_string(), open.area));
    let (sheet, range) = place.ok_or_else(|| conflict("the table of the form is gone"))?;
    let columns = Arc::new(scope.columns(TableChoice::Cells { sheet, range }).await?);
    let (sender, receiver) = std::sync::mpsc::channel();
    let edit = move |access: &mut WorkbookAccess| {
        let form = access.forms.iter_mut().find(|form| form.id == id).ok_or_else(|| not_found("form", id))?;
        given.apply(form, &columns)?;
        sender.send(form.clone()).map_err(|_| internal("changing a form"))
    };
    scope.change(AuditEvent::FormChanged, id, edit).await?;
    let form = receiver.try_iter().last().ok_or_else(|| internal("changing a form"))?;
    Ok(Json(scope.json(&form).await?))
}

/// The page of a form with changes that are not stored. It is shown where it can send nothing.
pub async fn preview(
    scope: FormScope,
    FormSegment(id): FormSegment,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let given = FormBody::read(&headers, body).await?;
    let mut form = scope.find(id).await?;
    let reading = scope.app.rooms.read(&scope.granted.room).await?;
    let gone = || conflict("the table of the form is gone");
    let place =
        OpenForm::find(&reading.workbook, &form).map(|open| (open.sheet.name().to_string(), open.area));
    let (sheet, range) = place.ok_or_else(gone)?;
    given.apply(&mut form, &plan_columns(&reading.workbook, &TableChoice::Cells { sheet, range })?)?;
    let open = OpenForm::find(&reading.workbook, &form).ok_or_else(gone)?;
    Ok(html(StatusCode::OK, form_page(&form, &open, &FormState::default(), accepted_language(&headers))))
}

/// Deletes a form; its responses stay in the workbook.
pub async fn remove(scope: FormScope, FormSegment(id): FormSegment) -> Result<StatusCode, ApiError> {
    let remove = move |access: &mut WorkbookAccess| {
        let position = access.forms.iter().position(|form| form.id == id);
        access.forms.remove(position.ok_or_else(|| not_found("form", id))?);
        Ok(())
    };
    scope.change(AuditEvent::FormDeleted, id, remove).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Makes a new link; the one before ends.
pub async fn renew_link(scope: FormScope, FormSegment(id): FormSegment) -> Result<Json<Json_>, ApiError> {
    let nonce = RoomLink::new_nonce();
    set_link(&scope, id, AuditEvent::FormLinkRenewed, Some(nonce)).await?;
    let form = scope.find(id).await?;
    Ok(Json(scope.json(&form).await?))
}

/// Revokes the link.
pub async fn revoke_link(scope: FormScope, FormSegment(id): FormSegment) -> Result<StatusCode, ApiError> {
    set_link(&scope, id, AuditEvent::FormLinkRevoked, None).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn set_link(
    scope: &FormScope,
    id: SecretId,
    event: AuditEvent,
    nonce: Option<String>,
) -> Result<(), ApiError> {
    let set = move |access: &mut WorkbookAccess| {
        let form = access.forms.iter_mut().find(|form| form.id == id).ok_or_else(|| not_found("form", id))?;
        form.link.clone_from(&nonce);
        Ok(())
    };
    scope.change(event, id, set).await
}
