//! [`WrittenChart`]: a chart item as files have it.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use quadrille_workbook::{Field, FieldValue, Item};

/// The fields of a series.
pub(crate) type Record = BTreeMap<Field, FieldValue>;

/// The number of series of prices in a stock chart: high, low and close, or open, high, low and close
/// (`CT_StockChart` of ECMA-376 part 1, chapter 21.2).
const PRICES: RangeInclusive<usize> = 3..=4;

/// A chart item with the series that have values.
pub(crate) struct WrittenChart<'a> {
    pub item: &'a Item,
    pub kind: &'a str,
    pub series: Vec<&'a Record>,
    /// Whether the first series of a stock chart has the volumes.
    pub has_volumes: bool,
}

impl<'a> WrittenChart<'a> {
    /// The chart of an item. A stock chart with another number of prices becomes a line chart, and bubbles without a
    /// position or a size become points.
    pub fn of(item: &'a Item) -> WrittenChart<'a> {
        let series = series_with_values(item);
        let kind = match item.text(Field::Type).map_or("column", |kind| kind) {
            "stock" if !is_stock_chart(item) => "line",
            "bubble" if !is_bubble_chart(item) => "scatter",
            kind => kind,
        };
        let has_volumes = kind == "stock" && has_volumes(&series);
        WrittenChart { item, kind, series, has_volumes }
    }

    /// The type of a series.
    pub fn kind_of(&self, index: usize) -> &'a str {
        match self.kind {
            "combo" => text_of(self.series[index], Field::Type).unwrap_or("column"),
            "stock" if index == 0 && self.has_volumes => "column",
            kind => kind,
        }
    }

    /// Whether a stock chart has opening prices.
    pub fn has_opening(&self) -> bool {
        self.series.len() - usize::from(self.has_volumes) == *PRICES.end()
    }

    /// The position of the legend, or `none`.
    pub fn legend(&self) -> &'a str {
        match self.item.text(Field::Legend) {
            Some(legend) => legend,
            // The default of the client.
            None if self.kind != "stock"
                && (self.series.len() > 1 || matches!(self.kind, "pie" | "doughnut")) =>
            {
                "bottom"
            }
            None => "none",
        }
    }

    /// Width and height in CSS pixels; files require a size.
    pub fn size(&self) -> (u32, u32) {
        let pixels = |field: Field| self.item.number(field).map(|pixels| pixels as u32);
        let size = |field: Field| pixels(field).filter(|pixels| *pixels > 0);
        // The default size of the client.
        (size(Field::Width).unwrap_or(480), size(Field::Height).unwrap_or(300))
    }

    /// The distance from the corner of the cell in CSS pixels.
    pub fn offset(&self) -> (u32, u32) {
        let pixels = |field: Field| self.item.number(field).map_or(0, |pixels| pixels as u32);
        (pixels(Field::OffsetX), pixels(Field::OffsetY))
    }
}

/// Whether a chart of the type `stock` has as many series as such a chart in a file.
pub(crate) fn is_stock_chart(item: &Item) -> bool {
    let series = series_with_values(item);
    PRICES.contains(&(series.len() - usize::from(has_volumes(&series))))
}

/// Whether all series of a bubble chart have positions and sizes.
pub(crate) fn is_bubble_chart(item: &Item) -> bool {
    let has = |fields: &&Record, field: Field| fields.contains_key(&field);
    series_with_values(item).iter().all(|fields| has(fields, Field::Categories) && has(fields, Field::Sizes))
}

fn has_volumes(series: &[&Record]) -> bool {
    series.first().is_some_and(|fields| text_of(fields, Field::Type) == Some("column"))
}

/// The series of a chart with values; no program draws the others.
pub(crate) fn series_with_values(item: &Item) -> Vec<&Record> {
    let Some(FieldValue::List(series)) = item.fields.get(&Field::Series) else { return Vec::new() };
    let records = series.iter().filter_map(|value| match value {
        FieldValue::Record(fields) => Some(fields),
        _ => None,
    });
    records.filter(|fields| fields.contains_key(&Field::Values)).collect()
}

/// The text of a field of a series.
pub(crate) fn text_of(fields: &Record, field: Field) -> Option<&str> {
    match fields.get(&field) {
        Some(FieldValue::Text(text)) => Some(text),
        _ => None,
    }
}

/// The number of a field of a series.
pub(crate) fn number_of(fields: &Record, field: Field) -> Option<f64> {
    match fields.get(&field) {
        Some(FieldValue::Number(number)) => Some(*number),
        _ => None,
    }
}

/// Whether a field of a series is on.
pub(crate) fn is_on(fields: &Record, field: Field) -> bool {
    matches!(fields.get(&field), Some(FieldValue::Boolean(true)))
}
