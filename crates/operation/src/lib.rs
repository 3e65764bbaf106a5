//! The vocabulary of change: apply, invert, rebase; commands to operations.
//!
//! An [`Operation`] is absolute and deterministic. [`apply`] carries out a [`Transaction`] and returns what
//! takes it back; [`rebase`] says what it becomes when another one comes before it; [`validate`] refuses what
//! no honest client sends. A [`Command`] is what a person asks for; [`plan`] makes a transaction of it.
//!
//! This crate calculates nothing and stores nothing. Start with `vocabulary.rs`, then `rebase/pair.rs` beside
//! `docs/operations.md`.

mod apply;
mod command;
mod command_error;
mod format_json;
mod item;
mod json_reader;

mod limits;
pub mod notation;
mod operation_error;
mod plan;
mod protection;
mod rebase;
mod validate;
mod validate_template;
mod vocabulary;

pub use apply::step::{Applied, Touch, Touched};
pub use apply::{apply, apply_operation};
pub use command::{
    Axis, CellContent, ClearScope, Command, FillMode, MergeKind, PasteScope, SortKey, ToggleAttribute,
};
pub use command_error::CommandError;
pub use format_json::{
    BorderFormat, BorderName, FormatChange, HorizontalName, OverflowName, VerticalName, print_color,
    read_color,
};
pub use item::{BadItem, ItemDetails, ItemPatch, ItemValue, read_item};
pub use limits::Limits;
pub use operation_error::OperationError;
pub use plan::{duplicate_rows, plan, plan_typed, separators, untrimmed_cells};
pub use protection::{Protected, protected_from};
pub use quadrille_number_format::{Locale, Typing};
pub use rebase::{are_apart, rebase, rebase_pair, rebase_undo};
pub use validate::{validate, validate_name, validate_sheet_name};
pub use vocabulary::{Kind, Operation, Transaction};
