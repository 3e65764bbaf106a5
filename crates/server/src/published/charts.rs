//! The charts of a published sheet as JSON: their places, their fields and the values of their series.
//! `web/published/src/charts.ts` draws them.

use std::collections::BTreeMap;

use quadrille_cell::{DateSystem, SheetId};
use quadrille_document::{ChartSeries, Document};
use quadrille_operation::print_color;
use quadrille_workbook::{Field, FieldValue, Item, ItemId};
use serde_json::{Map, Value as Json, json};

use crate::limits;

/// CSS pixels of a chart without a size of its own, as in the client.
pub const CHART_WIDTH_PX: f64 = 480.0;
pub const CHART_HEIGHT_PX: f64 = 300.0;

/// Values that the description of a chart for screen readers names, and one that shows that there are more.
const DESCRIBED_TEXTS: usize = 61;

/// Where a chart is: in pixels from the start of the table and from the top of one of its rows.
pub struct ChartPlace {
    /// Index of the row among those of the table. Its position is known to the page only: wrapped texts
    /// make rows higher.
    pub row: usize,
    pub x_px: f64,
    pub y_px: f64,
}

/// The charts of a sheet while it is drawn.
#[derive(Default)]
pub struct PublishedCharts {
    pub charts: BTreeMap<ItemId, Json>,
    /// Charts that are not shown because of a limit.
    pub left_out: usize,
    bytes: usize,
}

impl PublishedCharts {
    /// Adds a chart with its current values. Hidden rows and those hidden by the filter of the sheet are
    /// excluded as in the workbook.
    pub fn add(
        &mut self,
        document: &Document,
        sheet: SheetId,
        (id, item): (ItemId, &Item),
        place: Option<ChartPlace>,
    ) {
        let Some(place) = place.filter(|_| self.charts.len() < limits::PUBLISHED_CHARTS_MAX) else {
            self.left_out += 1;
            return;
        };
        let series = document.chart_series(sheet, id, &|_| None).unwrap_or_default();
        let size = |field, default: f64| item.number(field).unwrap_or(default).clamp(1.0, 10_000.0);
        let chart = json!({
            "row": place.row,
            "x": place.x_px,
            "y": place.y_px,
            "width": size(Field::Width, CHART_WIDTH_PX),
            "height": size(Field::Height, CHART_HEIGHT_PX),
            "fields": fields_json(&item.fields),
            "series": series.into_iter().map(|one| series_json(one, item)).collect::<Vec<_>>(),
        });
        let bytes = chart.to_string().len();
        if self.bytes + bytes > limits::PUBLISHED_CHARTS_BYTES_MAX {
            self.left_out += 1;
            return;
        }
        self.bytes += bytes;
        self.charts.insert(id, chart);
    }
}

/// The charts as a data block of HTML; empty without any.
pub fn charts_html(charts: &BTreeMap<ItemId, Json>) -> String {
    if charts.is_empty() {
        return String::new();
    }
    let list: Vec<Json> = charts.iter().map(|(id, chart)| json!([id.0.to_string(), chart])).collect();
    // No text can end the element.
    let list = Json::Array(list).to_string().replace('<', "\\u003c");
    format!("<script type=\"application/json\" id=\"charts\">{list}</script>")
}

/// The charts that differ from earlier ones: the identity of each, and `null` for one that is gone.
pub fn changed_charts(charts: &BTreeMap<ItemId, Json>, earlier: &BTreeMap<ItemId, Json>) -> Vec<Json> {
    let changed = charts.iter().filter(|(id, chart)| earlier.get(id) != Some(*chart));
    let gone = earlier.keys().filter(|id| !charts.contains_key(id));
    let changed = changed.map(|(id, chart)| json!([id.0.to_string(), chart]));
    changed.chain(gone.map(|id| json!([id.0.to_string(), null]))).collect()
}

/// The fields without formulas, which are not published.
fn fields_json(fields: &BTreeMap<Field, FieldValue>) -> Json {
    let fields = fields.iter().filter(|(field, _)| !matches!(field, Field::OffsetX | Field::OffsetY));
    let fields = fields.filter_map(|(field, value)| Some((field.name().to_owned(), value_json(value)?)));
    Json::Object(fields.collect::<Map<_, _>>())
}

fn value_json(value: &FieldValue) -> Option<Json> {
    Some(match value {
        FieldValue::Boolean(boolean) => json!(boolean),
        FieldValue::Number(number) => json!(number),
        FieldValue::Text(text) => json!(&**text),
        FieldValue::Color(color) => json!(print_color(*color)),
        FieldValue::Formula { .. } => return None,
        FieldValue::List(values) => {
            // The place of each in the list has a meaning.
            json!(values.iter().map(value_json).collect::<Vec<_>>())
        }
        FieldValue::Record(fields) => fields_json(fields),
    })
}

/// The values of a series, without those that its type does not show.
fn series_json(mut series: ChartSeries, item: &Item) -> Json {
    let kind = item.text(Field::Type).map_or("column", |kind| kind);
    if !matches!(kind, "scatter" | "bubble") {
        series.positions.clear();
    }
    if kind != "bubble" {
        series.sizes.clear();
    }
    let has_labels = match item.fields.get(&Field::Series) {
        Some(FieldValue::List(list)) => list.iter().any(|one| match one {
            FieldValue::Record(fields) => fields.get(&Field::Labels) == Some(&FieldValue::Boolean(true)),
            _ => false,
        }),
        _ => false,
    };
    if !has_labels
        && !matches!(kind, "waterfall" | "funnel" | "treemap" | "stock" | "heatMap" | "gauge" | "map")
    {
        series.texts.truncate(DESCRIBED_TEXTS);
    }
    let ChartSeries { name, categories, positions, values, sizes, texts, labels, dates, is_truncated } =
        series;
    let date_offset = dates.map(DateSystem::offset_from_1900);
    json!({ "name": name, "categories": categories, "positions": positions, "values": values,
        "sizes": sizes, "texts": texts, "labels": labels, "dateOffset": date_offset, "isCutShort": is_truncated })
}
