//! A workbook together with its calculation: apply a transaction, evaluate, display the changes.
//!
//! Rooms and replicas hold a [`Document`]. [`Document::apply`] writes inputs and marks dependents
//! dirty; [`Document::evaluate`] evaluates them within a budget, in as many calls as the caller
//! likes. Both return [`Changes`], the parts that must be displayed again. The other modules answer
//! questions about the current state: display texts, conditional formats, filters, data validation,
//! charts, find. The crate knows no storage, network or users. Start with `document.rs`.

mod cell_text;
mod changes;
mod chart;
mod chart_aggregation;
mod chart_series;
mod choice_colors;
mod circular_reference;
mod conditional_formats;
mod data_edge;
mod display;
mod document;
mod error_trace;
mod filter;
mod find;
mod formula_evaluation;
mod formula_trace;
mod goal_seek;
mod icon;
mod imports;
mod list_values;
mod pivot_table;
mod planning;
mod sparkline;
mod validation;
mod volatile;
mod what_if;

pub use changes::Changes;
pub use chart_series::ChartSeries;
pub use choice_colors::{Chip, ChoiceColors};
pub use conditional_formats::{Bar, ConditionalFormats, ConditionalStyle};
pub use data_edge::Direction;
pub use display::Display;
pub use document::{Applied, Document};
pub use error_trace::ErrorSource;
pub use filter::{ColumnColors, SheetFilters, open_filters};
pub use find::{Finder, MATCHES_MAX, Search, SearchError, SearchMatches};
pub use formula_evaluation::FormulaEvaluation;
pub use formula_trace::{FormulaTrace, TraceArrow};
pub use goal_seek::{GoalSeek, GoalSeekError};
pub use icon::Icon;
pub use imports::{CellImport, has_import_formulas, imports_data};
pub use quadrille_calc::{Cancel, EvaluationContext};
pub use sparkline::{Sparkline, SparklineKind, is_sparkline};
pub use validation::{InvalidCell, Validations, is_email, is_url};
pub use volatile::{has_context, is_time_dependent};
pub use what_if::WhatIfCell;
