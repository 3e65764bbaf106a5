//! Workbook, calculation and operations in one: apply a transaction, get its changes.
//!
//! A [`Document`] is what a room and a replica hold. Applying writes inputs and marks what depends on them;
//! [`Document::evaluate`] calculates under a budget, in as many steps as the caller likes. [`Changes`] says
//! what may look different afterwards. Start with `document.rs`.

mod changes;
mod chart;
mod circular_reference;
mod conditional_formats;
mod data_edge;
mod display;
mod document;
mod error_trace;
mod filter;
mod find;
mod sparkline;
mod validation;
mod volatile;

pub use changes::Changes;
pub use chart::ChartSeries;
pub use conditional_formats::{Bar, ConditionalFormats, ConditionalStyle, Icon};
pub use data_edge::Direction;
pub use display::Display;
pub use document::{Applied, Document};
pub use error_trace::ErrorSource;
pub use filter::{ColumnColors, SheetFilters, open_filters};
pub use find::{FOUND_MAX, Finder, Found, Search, SearchError};
pub use quadrille_calc::{Cancel, EvaluationContext};
pub use sparkline::{Sparkline, SparklineKind, is_sparkline};
pub use validation::{InvalidCell, Validations};
pub use volatile::{has_context, is_time_dependent};
