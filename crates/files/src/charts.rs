//! Charts as `.xlsx` and `.ods` files have them: what the readers and the writers of both share.

mod error_bars;
mod read_chart;
mod series_data;
mod trend_line;
mod written_chart;

pub(crate) use error_bars::ErrorBars;
pub(crate) use read_chart::{Axis, Group, ReadChart, SERIES_MAX, Series, TITLE_LENGTH_MAX};
pub(crate) use series_data::SeriesData;
pub(crate) use trend_line::TrendLine;
pub(crate) use written_chart::{
    Record, WrittenChart, is_bubble_chart, is_on, is_stock_chart, number_of, series_with_values, text_of,
};
