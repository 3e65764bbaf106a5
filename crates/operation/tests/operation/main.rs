//! The integration tests of this crate, one module a subject, linked into one program.

mod cell_styles;
mod chart_sheets;
mod commands;
mod formula_formats;
mod item_commands;
mod operations_table;
mod properties;
mod protection;
mod random_commands;
mod rewriting;
mod rich_text;
mod selective_undo;
mod suggestions;
mod visible_rows;

// Shared with `testkit`, which depends on this crate and uses all of it.
#[path = "../../../testkit/src/cell_notation.rs"]
#[allow(dead_code)]
mod cells;
#[path = "../../../testkit/src/content.rs"]
#[allow(dead_code)]
mod content;
#[path = "../../../testkit/src/generators.rs"]
#[allow(dead_code)]
mod generate;
