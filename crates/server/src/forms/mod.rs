//! Forms: pages on which anybody with a link adds a row to a table
//! (docs/decisions/0022-forms-beside-the-workbook.md).
//!
//! [`OpenForm`] finds the table, the columns and their rules in the workbook; [`check_answers`] turns
//! what was typed into values; [`plan_row`] adds them as one row. The address is a
//! [`RoomLink`](crate::room_link::RoomLink), which reveals nothing of the workbook. Start reading at `open_form.rs`.

mod answers;
mod columns;
mod file_texts;
mod files;
mod html;
mod language;
mod open_form;
mod page;
mod row;
mod texts;

pub use answers::{Answers, BadAnswer, Files, check_answers};
pub use columns::{TableChoice, TableColumnsPlan, plan_columns};
pub use file_texts::file_texts;
pub use files::{SentFile, file_name};
pub use html::{escaped, filled};
pub use language::{accepted_language, language_of};
pub use open_form::{OpenForm, Question};
pub use page::{FormState, closed_page, form_page, missing_page, sent_page};
pub use row::{RowContents, plan_row};
pub use texts::texts;

/// Begins the identifier of the author of responses; that of the form follows. No account has one like
/// it: those of accounts begin with `account:`.
pub const FORM_AUTHOR: &str = "form:";
