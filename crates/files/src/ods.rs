//! OpenDocument spreadsheets (ODF 1.3, ISO/IEC 26300): values, formulas, formats, merged cells,
//! sizes, groups, frozen panes, page setup, names, notes, conditional formats and charts. Other contents
//! are left out with a warning.

mod chart_addresses;
mod chart_xml;
mod charts;
mod conditional_formats;
mod drawn_styles;
mod filters;
mod format_properties;
mod formulas;
mod frames;
mod groups;
mod lengths;
mod local_table;
mod names;
mod numbers;
mod page_styles;
mod path_data;
mod pivots;
mod read;
mod read_shapes;
mod sheet_parts;
mod styles;
mod validations;
mod view_settings;
mod write;
mod write_chart_styles;
mod write_charts;
mod write_conditional_formats;
mod write_images;
mod write_local_table;
mod write_shapes;
mod write_text;
mod written_cells;

pub(crate) use groups::Groups;
pub(crate) use names::{can_express, rejected_names};
pub(crate) use numbers::has_data_style;
pub(crate) use page_styles::is_page_setup_written;
pub(crate) use pivots::written_pivots;
pub(crate) use read::read;
pub(crate) use sheet_parts::{is_written_with_cells, unmerged};
pub(crate) use validations::validation_name;
pub(crate) use write::{write, write_flat};
pub(crate) use write_charts::{is_chart_type_written, is_chart_written};
pub(crate) use write_conditional_formats::{has_written_thresholds, is_rule_written};
pub(crate) use write_images::is_image_written;
