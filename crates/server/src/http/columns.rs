//! Ranges as typed columns, for programs that work with data frames: Parquet, Arrow and csv.

use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use quadrille_cell::Range;
use quadrille_columnar::{DataFrame, Header, write_arrow, write_csv, write_parquet};
use serde::Deserialize;

use super::conditional::etag;
use super::internal_error::internal;
use crate::cells::CellReader;
use crate::error::{ApiError, ErrorCode};
use crate::limits;
use crate::rooms::Reading;
use crate::sheet_lookup::sheet_by_name;
use crate::thread_priority::in_background;

/// The format of a response with cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CellsFormat {
    Json,
    Csv,
    Parquet,
    Arrow,
}

/// Where the names of columns are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HeaderChoice {
    /// In the first row of the range.
    #[default]
    Row,
    /// Nowhere.
    None,
}

/// A format with columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnsFormat {
    Csv,
    Parquet,
    Arrow,
}

impl ColumnsFormat {
    const ALL: [ColumnsFormat; 3] = [ColumnsFormat::Csv, ColumnsFormat::Parquet, ColumnsFormat::Arrow];

    fn media_type(self) -> &'static str {
        match self {
            ColumnsFormat::Csv => "text/csv",
            ColumnsFormat::Parquet => "application/vnd.apache.parquet",
            ColumnsFormat::Arrow => "application/vnd.apache.arrow.stream",
        }
    }
}

/// The requested format: the query first, then the first media type in `Accept`. `None` is JSON.
pub fn columns_format(asked: Option<CellsFormat>, headers: &HeaderMap) -> Option<ColumnsFormat> {
    match asked {
        Some(CellsFormat::Json) => return None,
        Some(CellsFormat::Csv) => return Some(ColumnsFormat::Csv),
        Some(CellsFormat::Parquet) => return Some(ColumnsFormat::Parquet),
        Some(CellsFormat::Arrow) => return Some(ColumnsFormat::Arrow),
        None => {}
    }
    let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok())?;
    let media_type = accept.split([',', ';']).next().unwrap_or_default().trim();
    let is_it = |format: &ColumnsFormat| media_type.eq_ignore_ascii_case(format.media_type());
    ColumnsFormat::ALL.into_iter().find(is_it)
}

/// Returns the response with the columns of a range. Whole rows and columns are clipped to the used
/// range.
///
/// # Errors
///
/// Fails when the sheet does not exist, and with `too_many_cells` beyond `CELLS_PER_FRAME_MAX`.
pub async fn columns_response(
    reading: Reading,
    sheet_name: String,
    range: Range,
    format: ColumnsFormat,
    names: HeaderChoice,
) -> Result<Response, ApiError> {
    let header_row = match names {
        HeaderChoice::Row => Header::FirstRow,
        HeaderChoice::None => Header::Letters,
    };
    let revision = reading.revision.0;
    let work = move || -> Result<Vec<u8>, ApiError> {
        let sheet = sheet_by_name(&reading.workbook, &sheet_name)?;
        let range = CellReader::new(&reading.workbook, sheet).clipped(range);
        if range.cell_count() > limits::CELLS_PER_FRAME_MAX {
            let max = limits::CELLS_PER_FRAME_MAX;
            let message = format!("a request can read at most {max} cells as columns: {range}");
            return Err(ApiError::new(ErrorCode::TooManyCells, message));
        }
        let frame = DataFrame::read(&reading.workbook, sheet, range, header_row);
        Ok(match format {
            ColumnsFormat::Csv => write_csv(&frame, header_row).into_bytes(),
            ColumnsFormat::Parquet => write_parquet(&frame),
            ColumnsFormat::Arrow => write_arrow(&frame),
        })
    };
    let bytes = in_background(work).await.unwrap_or_else(|| Err(internal("reading columns")))?;
    let content_type = match format {
        ColumnsFormat::Csv => "text/csv; charset=utf-8",
        format => format.media_type(),
    };
    let headers = [(header::CONTENT_TYPE, content_type), (header::VARY, "accept")];
    Ok(([(header::ETAG, etag(revision))], headers, bytes).into_response())
}
