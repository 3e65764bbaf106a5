//! Workbook, calculation and operations in one: apply a transaction, get its changes.
//!
//! A [`Document`] is what a room and a replica hold. Applying writes inputs and marks what depends on them;
//! [`Document::evaluate`] calculates under a budget, in as many steps as the caller likes. [`Changes`] says
//! what may look different afterwards. Start with `document.rs`.

mod changes;
mod chart;
mod circle;
mod display;
mod document;
mod edge;
mod filter;
mod find;
mod rules;
mod sparkline;
mod trace;
mod validation;
mod volatile;

pub use changes::Changes;
pub use chart::ChartSeries;
pub use display::Display;
pub use document::{Applied, Document};
pub use edge::Direction;
pub use filter::{ColumnColors, SheetFilters, open_filters};
pub use find::{FOUND_MAX, Finder, Found, Search, SearchError};
pub use quadrille_calc::{Cancel, Stamp};
pub use rules::{Bar, Icon, RuleLook, Rules};
pub use sparkline::{Sparkline, SparklineKind, is_sparkline};
pub use trace::ErrorSource;
pub use validation::{Broken, Validations};
pub use volatile::{brings_stamp, shows_stamp};
