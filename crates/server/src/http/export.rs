//! Export: a workbook as a file in a response.

use std::time::Instant;

use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::Response;
use quadrille_access::AuditEvent;
use quadrille_files::{FileError, FileErrorCode, FileFormat, Images, has_macros};
use quadrille_protocol::RoomName;

use super::app::App;
use super::conditional::etag;
use super::internal_error::internal;
use crate::access::{Attempt, Grant, Visitor, audit_entry};
use crate::error::{ApiError, ErrorCode};
use crate::limits::WARNINGS_HEADER_MAX;
use crate::room_name::percent_encoded;
use crate::rooms::Reading;
use crate::thread_priority::in_background;
use crate::workbook_files::{self, ExportOptions};

/// A browser may display the file, such as an HTML page with the workbook's texts. It must not run
/// or load anything and gets an origin of its own, so that it cannot use the reader's.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'; sandbox";

/// The header that names what a file leaves out.
const WARNINGS: HeaderName = HeaderName::from_static("quadrille-warnings");

/// Who asks for a file.
pub struct Exporter {
    pub visitor: Visitor,
    pub grant: Grant,
}

impl<S: Send + Sync> FromRequestParts<S> for Exporter {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Exporter, ApiError> {
        let visitor = parts.extensions.get().cloned().expect("the route names its access");
        let grant = parts.extensions.get().cloned().expect("the route needs a role");
        Ok(Exporter { visitor, grant })
    }
}

impl Exporter {
    /// Writes into the audit log that a workbook leaves the server in a format. A program that reads
    /// the same file every second does not fill the log: see `AUDITED_EXPORTS`.
    ///
    /// # Errors
    ///
    /// Fails when the log cannot be written: nothing leaves the server unrecorded.
    pub async fn record(&self, app: &App, room: &RoomName, format: &str) -> Result<(), ApiError> {
        let Exporter { visitor, grant } = self;
        let actor = &grant.identity.actor;
        let key = format!("{room}/{format}/{actor:?}/{:?}", visitor.address);
        if app.attempts.take(Attempt::AuditedExport(key), Instant::now()).is_err() {
            return Ok(());
        }
        let entry = audit_entry(actor, AuditEvent::WorkbookExported, Some(room), format, visitor);
        app.access.run(move |store| store.append_audit(&[entry])).await
    }
}

/// The type of an Excel workbook with macros.
const MACRO_MEDIA_TYPE: &str = "application/vnd.ms-excel.sheet.macroEnabled.12";

/// Returns a response with a workbook as a file, written on a background thread.
///
/// # Errors
///
/// Fails when the format cannot represent the workbook or an image cannot be read, and with
/// `too_many_requests` after too many exports.
pub async fn file_response(
    app: &App,
    room: &RoomName,
    exporter: &Exporter,
    reading: Reading,
    format: FileFormat,
    options: ExportOptions,
) -> Result<Response, ApiError> {
    app.quotas.take_export(&exporter.grant.identity, &exporter.visitor)?;
    let revision = reading.revision.0;
    let images = match format.has_images() {
        true => app.rooms.images_of(room, &reading.workbook).await?,
        false => Images::new(),
    };
    let has_macros = format == FileFormat::Xlsx && has_macros(&reading.workbook, &images);
    let (extension, media_type) = match has_macros {
        true => ("xlsm", MACRO_MEDIA_TYPE),
        false => (format.extension(), format.media_type()),
    };
    let name = workbook_files::file_name(reading.workbook.title(), room, extension);
    let name = format!("inline; filename*=UTF-8''{}", percent_encoded(&name));
    let name = HeaderValue::from_str(&name).expect("percent-encoded text is valid");
    let written = in_background(move || {
        let bytes = workbook_files::write(&reading.workbook, format, options, &images)?;
        Ok::<_, FileError>((bytes, workbook_files::warnings(&reading.workbook, format, options, &images)))
    });
    let (bytes, warnings) =
        written.await.ok_or_else(|| internal("writing the file"))?.map_err(|error| match error.code {
            FileErrorCode::TooManyCells => ApiError::new(ErrorCode::TooManyCells, error.reason),
            _ => ApiError::new(ErrorCode::Internal, error.to_string()),
        })?;
    exporter.record(app, room, format.extension()).await?;
    let mut response = Response::new(Body::from(bytes));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    // The file name when the response is saved.
    headers.insert(header::CONTENT_DISPOSITION, name);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(header::ETAG, etag(revision));
    put_warnings(headers, &warnings);
    Ok(response)
}

/// Names in a header what a file leaves out, for responses whose body is the file or EtherCalc's. Adds
/// none without warnings.
pub fn put_warnings(headers: &mut HeaderMap, warnings: &[String]) {
    if warnings.is_empty() {
        return;
    }
    let text = warnings.join("; ");
    let printable = text.chars().map(|c| if matches!(c, ' '..='~') { c } else { '?' });
    let text: String = printable.take(WARNINGS_HEADER_MAX).collect();
    headers.insert(WARNINGS, HeaderValue::from_str(&text).expect("printable ASCII"));
}
