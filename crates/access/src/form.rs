//! Forms: pages on which anybody with a link adds a row to a table, without access to the workbook.
//!
//! A form is stored in the access document of its workbook, because its link is a permission. The cells, the
//! data validation and the number formats of its columns stay in the workbook; a form names the columns by
//! items of the workbook, which move with them.

use serde::{Deserialize, Serialize};

use crate::secret::SecretId;

/// A form over a table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Form {
    pub id: SecretId,
    /// The random number in its link, in base64url. `None` when the link is revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// Number of the sheet of the table.
    pub sheet: u32,
    /// Item of the table.
    pub table: u64,
    pub title: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The sentence that confirms an answer; empty for the one in the language of the page.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub confirmation: String,
    /// No answers are accepted.
    #[serde(default)]
    pub is_closed: bool,
    /// When it closes, in milliseconds since 1970-01-01 UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closes_ms: Option<i64>,
    /// It is closed while its table has this many rows with contents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows_max: Option<u32>,
    /// The column that gets the time of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<u64>,
    /// The columns that are shown, in their order on the page.
    pub questions: Vec<FormQuestion>,
    pub created_ms: i64,
}

/// A column of the table as a question.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FormQuestion {
    /// Item of the column (`tableColumn`).
    pub column: u64,
    /// The question; empty for the header of the column.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub help: String,
    #[serde(default)]
    pub is_required: bool,
    /// `None`: by the data validation and the number format of the column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<QuestionKind>,
    /// What can be chosen; empty for the list of the data validation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// The kinds of files that are accepted; empty for all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub file_kinds: Vec<FileKind>,
    /// Bytes of a file; `None` for the limit of the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_bytes_max: Option<u32>,
}

/// How a question is answered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum QuestionKind {
    ShortText,
    Paragraph,
    Number,
    Date,
    Time,
    DateTime,
    Email,
    Url,
    Checkbox,
    /// One of several, all of them visible.
    Choice,
    /// One of several in a menu.
    Dropdown,
    /// Any of several; the cell gets their texts with commas between them.
    MultipleChoice,
    /// One to five.
    Rating,
    /// A file, which is stored beside the workbook; the cell links to it.
    File,
}

/// Files that a question accepts. None of them is a program, or opens in a browser as a page.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FileKind {
    Pdf,
    Image,
    Document,
    Spreadsheet,
    Presentation,
    Text,
    Audio,
    Video,
    Archive,
}

impl FileKind {
    /// All kinds, in the order in which they are shown.
    pub const ALL: [FileKind; 9] = [
        FileKind::Pdf,
        FileKind::Image,
        FileKind::Document,
        FileKind::Spreadsheet,
        FileKind::Presentation,
        FileKind::Text,
        FileKind::Audio,
        FileKind::Video,
        FileKind::Archive,
    ];
}

impl Form {
    /// Whether it accepts answers at a moment, if its table has room.
    pub fn is_open(&self, now_ms: i64) -> bool {
        !self.is_closed && self.closes_ms.is_none_or(|closes_ms| now_ms < closes_ms)
    }
}
