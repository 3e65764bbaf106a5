//! SocialCalc's command language, which EtherCalc's programs send: `set A1 value n 5`,
//! `paste C1 all`, `sort A1:B9 A up`.
//!
//! [`parse`] reads commands, one a line, and [`plan`](plan()) turns them into one transaction for the
//! current workbook, all or none. The meaning of each command is that of SocialCalc 2.3, as observed
//! from the outside; `docs/ethercalc.md` lists the commands and where the results differ.
//!
//! A command acts on one sheet. The clipboard of `copy`, `cut`, `loadclipboard` and `paste` is a value
//! ([`Clipboard`]) that the caller keeps between requests.
//!
//! [`follow`](follow()) is the way back: the commands by which a client of EtherCalc follows an operation
//! of somebody else.
//!
//! Start reading with `statement.rs`, then `plan.rs`.

mod buttons;
mod cell_attribute;
mod clipboard;
mod comments;
mod error;
mod follow;
mod move_block;
mod plan;
mod planner;
mod server_statement;
mod statement;
mod style;

pub use buttons::{BUTTON_CELLS_MAX, FORM_FIELDS_MAX, FormField, form_fields, is_submit, press};
pub use cell_attribute::CellAttribute;
pub use clipboard::Clipboard;
pub use error::StatementError;
pub use follow::{FOLLOWED_CELLS_MAX, Follow, follow};
pub use plan::{Planned, plan};
pub use server_statement::{ServerStatement, form_data_room, is_form_data_room};
pub use statement::{Scope, Statement, parse};

/// Commands of one request, at most.
pub const STATEMENTS_MAX: usize = 10_000;

/// Cells that one command can write one by one, at most. A value or a format for a whole range is one
/// operation and has no such limit.
pub const CELLS_PER_STATEMENT_MAX: u64 = 200_000;
