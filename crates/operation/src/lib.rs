//! The operations that change a workbook: apply, invert, rebase; and the commands that produce
//! them.
//!
//! An [`Operation`] is absolute and deterministic. Operations that belong together form a
//! [`Transaction`]:
//!
//! - [`apply`] applies a transaction and returns its inverse.
//! - [`rebase_pair`] transforms two concurrent transactions so that each can follow the other.
//! - [`validate`] checks a transaction against [`Limits`].
//! - [`protected_from`] checks it against protected ranges, [`changes_comments_only`] against the role
//!   of a commenter, [`changes_imports`] keeps imported data to the server.
//!
//! A [`Command`] is a request of a user or of the REST API; [`plan`] turns it into a transaction
//! for the current workbook.
//!
//! The crate evaluates no formula, stores nothing and does no I/O. `docs/operations.md` describes
//! the rules. Start with `vocabulary.rs`, then `rebase/pair.rs`.

mod apply;
mod cell_styles;
mod command;
mod command_error;
mod comments;
mod format_json;
mod imports;
mod item;
mod json_reader;

mod limits;
pub mod notation;
mod operation_error;
mod plan;
mod protection;
mod protection_editors;
mod rebase;
mod selective_undo;
mod slicer;
mod validate;
mod validate_template;
mod vocabulary;

pub use apply::step::{Applied, Touch, Touched};
pub use apply::{apply, apply_operation};
pub use cell_styles::{refresh_cell_styles, style_format, style_patch};
pub use command::{
    Axis, CellContent, ClearScope, Command, FillMode, MergeKind, PasteScope, SortKey, ToggleAttribute,
};
pub use command_error::CommandError;
pub use comments::changes_comments_only;
pub use format_json::{
    BorderFormat, BorderName, FormatChange, HorizontalName, OverflowName, TextFormatName, TextRunFormat,
    VerticalName, print_color, read_color,
};
pub use imports::changes_imports;
pub use item::{BadItem, ItemDetails, ItemPatch, ItemValue, read_item};
pub use limits::Limits;
pub use operation_error::OperationError;
pub use plan::{
    DisplayedFormat, FormulaCell, ImpliedFormats, check_pivot_tables, duplicate_rows, filled_filter_range,
    formula_number_format, is_signed_formula, plan, plan_displayed, plan_typed, separators, sorted_rows,
    untrimmed_cells,
};
pub use protection::{Protected, protected_from};
pub use protection_editors::{EditorIdentity, OWNER, without_editors};
pub use quadrille_number_format::{InputContext, Locale};
pub use rebase::{are_disjoint, rebase, rebase_pair, rebase_undo};
pub use selective_undo::SelectiveUndo;
pub use slicer::{
    SlicerFilter, SlicerSelection, SlicerTargets, date_text, header_cell, slicer_selection, slicer_targets,
};
pub use validate::{validate, validate_name, validate_sheet_name};
pub use vocabulary::{Operation, OperationKind, Transaction};
