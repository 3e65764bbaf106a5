//! Excel workbooks (`.xlsx`, ECMA-376): archives of XML parts, read as streams and written by
//! `rust_xlsxwriter`.
//!
//! [`archive`] limits the expansion of archives, [`xml`] the nesting of documents. The parts are
//! read in the order workbook, styles, strings, sheets.

mod added_parts;
pub(crate) mod archive;
mod arrays;
mod calculated_fields;
mod chart_elements;
mod chart_labels;
mod chart_sheets;
mod charts;
pub(crate) mod colors;
mod conditional_formats;
mod data_tables;
mod date_periods;
mod drawing;
mod filters;
mod formulas;
mod implicit_intersection;
mod newer_charts;
mod package_parts;
mod page_setup;
mod pivot_cache;
mod pivot_fields;
mod pivots;
mod placeholders;
mod protection;
mod read;
mod read_package_parts;
mod references;
mod scenarios;
mod shapes;
mod sheet;
mod sheet_parts;
mod slicer_plan;
mod slicers;
mod sparklines;
mod strings;
mod style_marks;
mod styles;
mod threaded_comments;
mod workbook_part;
mod workbook_settings;
mod write;
mod write_cell_styles;
mod write_charts;
mod write_conditional_formats;
mod write_filters;
mod write_images;
mod write_items;
mod write_package_parts;
mod write_pivots;
mod write_shapes;
mod write_slicers;
mod write_target;
pub(crate) mod xml;

pub(crate) use chart_elements::children_with;
pub(crate) use chart_sheets::is_chart_sheet;
pub(crate) use data_tables::{DataTables, FUNCTION as MULTIPLE_OPERATIONS, has_multiple_operations};
pub(crate) use implicit_intersection::with_implicit_intersection;
pub(crate) use package_parts::PackageParts;
pub use package_parts::has_macros;
pub(crate) use page_setup::{page_breaks, put_page_break, whole, written_page_breaks};
pub(crate) use read::read;
pub(crate) use references::absolute;
pub(crate) use slicer_plan::SlicerPlan;
pub(crate) use style_marks::WRITTEN_STYLES_MAX;
pub(crate) use styles::number_format;
pub(crate) use threaded_comments::threads;
pub(crate) use workbook_part::links_of;
pub(crate) use write::{TITLE_LENGTH_MAX, can_have_rich_text, rejected_names, write};
pub(crate) use write_conditional_formats::has_known_thresholds;
pub(crate) use write_filters::place_of_filter;
