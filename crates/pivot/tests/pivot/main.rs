//! Pivot tables: their cells, agreement with pandas, and updates after edits.

mod incremental;
mod layouts;
mod own_groups;
mod pandas_results;
mod support;
