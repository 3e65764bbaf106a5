//! Charts, as `.xlsx` has them.

use std::collections::BTreeMap;

use quadrille_workbook::{Field, FieldValue, Item};
use rust_xlsxwriter as xlsx;

use super::write_target::{Target, corners, rgb};

type Record = BTreeMap<Field, FieldValue>;

pub fn write(from: &Target, target: &mut xlsx::Worksheet, item: &Item) -> Result<(), xlsx::XlsxError> {
    let Some(anchor) = item.anchors.first() else { return Ok(()) };
    let text = |field: Field| item.text(field).map(|text| &**text);
    let stacking = text(Field::Stacking).unwrap_or_default();
    // The writer refuses the whole chart for one series without values.
    let has_values = |fields: &&Record| fields.contains_key(&Field::Values);
    let series: Vec<&Record> = match item.fields.get(&Field::Series) {
        Some(FieldValue::List(list)) => list.iter().filter_map(record).filter(has_values).collect(),
        _ => Vec::new(),
    };
    let kind = match text(Field::Type).unwrap_or("column") {
        // Points that have no place across stand at 1, 2, 3 …, as those of a line do; the writer wants places for points.
        "scatter" | "bubble" if !series.iter().all(|fields| fields.contains_key(&Field::Categories)) => {
            "line"
        }
        kind => kind,
    };
    let count = series.len();
    // A file draws series of another kind as a second chart on the same axes; it has room for two kinds.
    let main_kind = match kind {
        "combo" => series.first().and_then(|fields| kind_of(fields)).unwrap_or("column"),
        kind => kind,
    };
    let own_kind = |fields: &Record| match kind {
        "combo" => kind_of(fields).unwrap_or("column").to_owned(),
        kind => kind.to_owned(),
    };
    let (first, others): (Vec<&Record>, Vec<&Record>) =
        series.into_iter().partition(|fields| own_kind(fields) == main_kind);
    let mut chart = xlsx::Chart::new(chart_type(main_kind, stacking));
    for fields in first {
        write_series(from, item, fields, main_kind, chart.add_series());
    }
    if let Some(kind) = others.first().map(|fields| own_kind(fields)) {
        let mut second = xlsx::Chart::new(chart_type(&kind, ""));
        for fields in others {
            write_series(from, item, fields, &kind, second.add_series());
        }
        if let Some(title) = text(Field::Y2Title) {
            second.y2_axis().set_name(title);
        }
        chart.combine(&second);
    }
    match text(Field::Title) {
        Some(title) => drop(chart.title().set_name(title)),
        None => drop(chart.title().set_hidden()),
    }
    write_axes(item, kind, &mut chart);
    if item.fields.get(&Field::ShowsHidden) == Some(&FieldValue::Boolean(true)) {
        chart.show_hidden_data();
    }
    match text(Field::Legend) {
        Some("none") => drop(chart.legend().set_hidden()),
        Some("top") => drop(chart.legend().set_position(xlsx::ChartLegendPosition::Top)),
        Some("bottom") => drop(chart.legend().set_position(xlsx::ChartLegendPosition::Bottom)),
        Some("left") => drop(chart.legend().set_position(xlsx::ChartLegendPosition::Left)),
        Some(_) => {}
        // As the page has it where nothing is said.
        None if count > 1 || matches!(kind, "pie" | "doughnut") => {
            chart.legend().set_position(xlsx::ChartLegendPosition::Bottom);
        }
        None => drop(chart.legend().set_hidden()),
    }
    if let Some(text) = text(Field::AltText) {
        chart.set_alt_text(text.chars().take(ALT_TEXT_LENGTH_MAX).collect::<String>());
    }
    let pixels = |field: Field| item.number(field).map(|pixels| pixels as u32);
    // The page's own size where none is said; a file needs one.
    chart.set_width(pixels(Field::Width).filter(|width| *width > 0).unwrap_or(480));
    chart.set_height(pixels(Field::Height).filter(|height| *height > 0).unwrap_or(300));
    let (x, y) = (pixels(Field::OffsetX).unwrap_or(0), pixels(Field::OffsetY).unwrap_or(0));
    let (top, left, _, _) = corners(*anchor);
    target.insert_chart_with_offset(top, left, &chart, x, y).map(drop)
}

/// More of an alternative text the writer refuses; it counts UTF-16.
const ALT_TEXT_LENGTH_MAX: usize = 127;

fn record(value: &FieldValue) -> Option<&Record> {
    match value {
        FieldValue::Record(fields) => Some(fields),
        _ => None,
    }
}

fn kind_of(fields: &Record) -> Option<&str> {
    match fields.get(&Field::Type) {
        Some(FieldValue::Text(kind)) => Some(kind),
        _ => None,
    }
}

fn write_series(from: &Target, item: &Item, fields: &Record, kind: &str, written: &mut xlsx::ChartSeries) {
    let range = |field: Field| Some(from.with_sheet(from.formula_of(item, fields.get(&field)?)?));
    let is_on = |field: Field| matches!(fields.get(&field), Some(FieldValue::Boolean(true)));
    if let Some(values) = range(Field::Values) {
        written.set_values(values.as_str());
    }
    if let Some(categories) = range(Field::Categories) {
        written.set_categories(categories.as_str());
    }
    if let Some(name) = fields.get(&Field::Name).and_then(|name| from.formula_of(item, name)) {
        // A text that is no reference is the name itself.
        match name.strip_prefix("=\"").and_then(|rest| rest.strip_suffix('"')) {
            Some(text) => written.set_name(&*text.replace("\"\"", "\"")),
            None => written.set_name(&*from.with_sheet(name)),
        };
    }
    if let Some(FieldValue::Text(axis)) = fields.get(&Field::Axis) {
        written.set_secondary_axis(&**axis == "secondary");
    }
    if is_on(Field::Smooth) && matches!(kind, "line" | "scatter") {
        written.set_smooth(true);
    }
    if kind == "line" {
        let mut marker = xlsx::ChartMarker::new();
        match is_on(Field::Markers) {
            true => drop(marker.set_type(xlsx::ChartMarkerType::Circle)),
            false => drop(marker.set_none()),
        }
        written.set_marker(&marker);
    }
    if is_on(Field::Labels) {
        written.set_data_label(xlsx::ChartDataLabel::new().show_value());
    }
    if let Some(FieldValue::Text(trend)) = fields.get(&Field::Trendline) {
        let kind = match &**trend {
            "linear" => Some(xlsx::ChartTrendlineType::Linear),
            "exponential" => Some(xlsx::ChartTrendlineType::Exponential),
            "logarithmic" => Some(xlsx::ChartTrendlineType::Logarithmic),
            "polynomial" => Some(xlsx::ChartTrendlineType::Polynomial(2)),
            "movingAverage" => Some(xlsx::ChartTrendlineType::MovingAverage(2)),
            _ => None,
        };
        if let Some(kind) = kind {
            written.set_trendline(xlsx::ChartTrendline::new().set_type(kind));
        }
    }
    if let Some(FieldValue::Color(color)) = fields.get(&Field::Color) {
        let line = xlsx::ChartLine::new().set_color(rgb(*color)).clone();
        let mut format = xlsx::ChartFormat::new();
        match kind {
            "line" => drop(format.set_line(&line)),
            _ => drop(
                format.set_solid_fill(xlsx::ChartSolidFill::new().set_color(rgb(*color))).set_line(&line),
            ),
        }
        written.set_format(&mut format);
    }
}

fn write_axes(item: &Item, kind: &str, chart: &mut xlsx::Chart) {
    let titles = [Field::XTitle, Field::YTitle, Field::Y2Title].map(|field| item.text(field));
    let [across, upwards, second] = titles.map(|title| title.map(|title| &**title));
    if let Some(title) = across {
        chart.x_axis().set_name(title);
    }
    if let Some(title) = upwards {
        chart.y_axis().set_name(title);
    }
    if let Some(title) = second {
        chart.y2_axis().set_name(title);
    }
    if matches!(kind, "scatter" | "bubble") {
        if let Some(minimum) = item.number(Field::XMin) {
            chart.x_axis().set_min(minimum);
        }
        if let Some(maximum) = item.number(Field::XMax) {
            chart.x_axis().set_max(maximum);
        }
    }
    // The writer's first axis lies across, also where the values are there.
    let values = if kind == "bar" { chart.x_axis() } else { chart.y_axis() };
    if let Some(minimum) = item.number(Field::YMin) {
        values.set_min(minimum);
    }
    if let Some(maximum) = item.number(Field::YMax) {
        values.set_max(maximum);
    }
    if item.boolean(Field::YLogarithmic) == Some(true) {
        values.set_log_base(10);
    }
    values.set_major_gridlines(item.boolean(Field::Gridlines).unwrap_or(true));
}

fn chart_type(kind: &str, stacking: &str) -> xlsx::ChartType {
    match (kind, stacking) {
        ("line", "stacked") => xlsx::ChartType::LineStacked,
        ("line", "percent") => xlsx::ChartType::LinePercentStacked,
        ("line", _) => xlsx::ChartType::Line,
        ("bar", "stacked") => xlsx::ChartType::BarStacked,
        ("bar", "percent") => xlsx::ChartType::BarPercentStacked,
        ("bar", _) => xlsx::ChartType::Bar,
        ("area", "stacked") => xlsx::ChartType::AreaStacked,
        ("area", "percent") => xlsx::ChartType::AreaPercentStacked,
        ("area", _) => xlsx::ChartType::Area,
        ("pie", _) => xlsx::ChartType::Pie,
        ("doughnut", _) => xlsx::ChartType::Doughnut,
        // The writer has no bubbles.
        ("scatter" | "bubble", _) => xlsx::ChartType::Scatter,
        ("radar", _) => xlsx::ChartType::Radar,
        ("stock", _) => xlsx::ChartType::Stock,
        (_, "stacked") => xlsx::ChartType::ColumnStacked,
        (_, "percent") => xlsx::ChartType::ColumnPercentStacked,
        _ => xlsx::ChartType::Column,
    }
}
