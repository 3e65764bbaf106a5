//! Ranges of a sheet as typed columns, written as Apache Parquet, Apache Arrow and CSV.
//!
//! [`DataFrame::read`] gives each column of a range one type; [`write_parquet`], [`write_arrow`] and
//! [`write_csv`] write the frame for programs such as pandas, polars and DuckDB. This crate reads none of
//! these formats.
//!
//! Start reading with `data_frame.rs`.

mod arrow;
mod bitmap;
mod csv;
mod data_frame;
mod flatbuffer;
mod parquet;
mod thrift;

pub use arrow::write_arrow;
pub use csv::write_csv;
pub use data_frame::{Column, ColumnValues, DataFrame, Header};
pub use parquet::write_parquet;
