//! Pivot tables: their cells, agreement with pandas, and updates after edits.

mod incremental;
mod layouts;
mod pandas_results;
mod support;
