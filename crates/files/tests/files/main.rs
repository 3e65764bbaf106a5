//! The integration tests of this crate, one module a subject, linked into one program.

mod cell_formats;
mod cell_styles;
mod charts;
mod date_system;
mod delimited;
mod flights;
mod implicit_intersection;
mod items;
mod losses;
mod names_and_references;
mod notation;
mod notes_and_tables;
mod ods_filters;
mod opendocument;
mod package_parts;
mod pivot_tables;
mod references;
mod round_trips;
mod scenarios;
mod socialcalc;
mod socialcalc_oracle;
mod structured;
mod subtotals;
mod title;
mod workbooks;
