//! Writes charts.

use quadrille_formula::Expression;
use quadrille_workbook::{Field, FieldValue, Item, Sheet, Workbook};
use rust_xlsxwriter as xlsx;

use super::chart_labels::labels_from;
use super::chart_ranges::{chart_range, plain_text};
use super::write_bubbles::set_sizes;
use super::write_target::{Target, corners, rgb};
use crate::charts::{Record, WrittenChart, is_on, number_of, text_of};

/// Writes a chart item, with a name of its frame. Fails if `rust_xlsxwriter` rejects it.
pub fn write(
    from: &Target,
    target: &mut xlsx::Worksheet,
    item: &Item,
    name: Option<String>,
) -> Result<(), xlsx::XlsxError> {
    let Some(anchor) = item.anchors.first() else { return Ok(()) };
    let text = |field: Field| item.text(field).map(|text| &**text);
    let mut written = WrittenChart::of(item);
    // Without categories, points are at 1, 2, 3, … as in a line chart; `rust_xlsxwriter`
    // requires categories for scatter charts.
    let has_categories = |fields: &&Record| fields.contains_key(&Field::Categories);
    if matches!(written.kind, "scatter" | "bubble") && !written.series.iter().all(has_categories) {
        written.kind = "line";
    }
    let WrittenChart { kind, has_volumes, .. } = written;
    let own_kind = |index: usize| written.kind_of(index);
    let count = written.series.len();
    // Series of another type are written as a second chart; a file can combine two types.
    let (first, others): (Vec<usize>, Vec<usize>) =
        (0..count).partition(|index| own_kind(*index) == own_kind(0));
    let stacking = text(Field::Stacking).filter(|_| kind != "stock").unwrap_or_default();
    let mut chart = xlsx::Chart::new(chart_type(if count > 0 { own_kind(0) } else { kind }, stacking));
    let mut second = others.first().map(|index| xlsx::Chart::new(chart_type(own_kind(*index), "")));
    let add_series = |chart: &mut xlsx::Chart, index: usize| {
        let series_kind = own_kind(index);
        let target = chart.add_series();
        write_series(from, item, written.series[index], series_kind, target);
        if kind == "bubble"
            && let Some(sizes) = range_of(from, item, written.series[index], Field::Sizes)
        {
            set_sizes(target, &chart_range(&sizes));
        }
        if has_volumes {
            // Excel draws what is on the secondary axes above the rest.
            target.set_secondary_axis(series_kind == "stock");
        }
        if series_kind == "stock" {
            let has_opening = written.has_opening();
            // Without bodies, a dash marks the close.
            write_stock_points(!has_opening && index == count - 1, target);
            // Lines from low to high. Bodies from open to close need the opening values.
            chart.set_high_low_lines(true).set_up_down_bars(has_opening);
        }
    };
    first.into_iter().for_each(|index| add_series(&mut chart, index));
    if let Some(second) = &mut second {
        others.into_iter().for_each(|index| add_series(second, index));
    }
    match text(Field::Title) {
        Some(title) => drop(chart.title().set_name(plain_text(title).as_str())),
        None => drop(chart.title().set_hidden()),
    }
    match has_volumes {
        true => write_stock_axes(item, &mut chart),
        false => write_axes(item, kind, &mut chart),
    }
    if let Some(second) = &second {
        chart.combine(second);
    }
    if item.fields.get(&Field::ShowsHidden) == Some(&FieldValue::Boolean(true)) {
        chart.show_hidden_data();
    }
    match written.legend() {
        "none" => drop(chart.legend().set_hidden()),
        "top" => drop(chart.legend().set_position(xlsx::ChartLegendPosition::Top)),
        "bottom" => drop(chart.legend().set_position(xlsx::ChartLegendPosition::Bottom)),
        "left" => drop(chart.legend().set_position(xlsx::ChartLegendPosition::Left)),
        _ => {}
    }
    if let Some(name) = name {
        chart.set_name(&name);
    }
    if let Some(text) = text(Field::AltText) {
        chart.set_alt_text(text.chars().take(ALT_TEXT_LENGTH_MAX).collect::<String>());
    }
    let ((width, height), (x, y)) = (written.size(), written.offset());
    chart.set_width(width);
    chart.set_height(height);
    let (top, left, _, _) = corners(*anchor);
    target.insert_chart_with_offset(top, left, &chart, x, y).map(drop)
}

/// UTF-16 code units of an alternative text that `rust_xlsxwriter` accepts.
const ALT_TEXT_LENGTH_MAX: usize = 127;

/// `rust_xlsxwriter` writes the lines from the lowest to the highest price on the primary axes only.
pub fn with_price_lines(chart: &str) -> String {
    let Some((before, stock)) = chart.split_once("<c:stockChart>") else { return chart.to_owned() };
    let Some((group, after)) = stock.split_once("</c:stockChart>") else { return chart.to_owned() };
    let end = group.find("<c:upDownBars>").or_else(|| group.find("<c:axId "));
    match end.filter(|_| !group.contains("<c:hiLowLines")) {
        Some(end) => {
            let (series, rest) = group.split_at(end);
            format!("{before}<c:stockChart>{series}<c:hiLowLines/>{rest}</c:stockChart>{after}")
        }
        None => chart.to_owned(),
    }
}

/// Whether a file has the chart. The sheets of the workbook have the names that the file has.
pub(crate) fn is_written(workbook: &Workbook, sheet: &Sheet, item: &Item) -> bool {
    write(&Target { workbook, sheet }, &mut xlsx::Worksheet::new(), item, None).is_ok()
}

/// The formula of a field of a series.
fn range_of(from: &Target, item: &Item, fields: &Record, field: Field) -> Option<String> {
    from.chart_formula(item, fields.get(&field)?)
}

fn write_series(from: &Target, item: &Item, fields: &Record, kind: &str, series: &mut xlsx::ChartSeries) {
    let range = |field: Field| range_of(from, item, fields, field);
    if let Some(values) = range(Field::Values) {
        series.set_values(&chart_range(&values));
    }
    if let Some(categories) = range(Field::Categories) {
        series.set_categories(&chart_range(&categories));
    }
    if let Some(name @ FieldValue::Formula { template, .. }) = fields.get(&Field::Name) {
        // A name that is not a reference is a text.
        match template.expression() {
            Expression::Text(text) => drop(series.set_name(plain_text(text).as_str())),
            _ => drop(from.chart_formula(item, name).map(|name| series.set_name(&chart_range(&name)))),
        }
    }
    if let Some(FieldValue::Text(axis)) = fields.get(&Field::Axis) {
        series.set_secondary_axis(&**axis == "secondary");
    }
    if is_on(fields, Field::Smooth) && matches!(kind, "line" | "scatter") {
        series.set_smooth(true);
    }
    if kind == "line" {
        let mut marker = xlsx::ChartMarker::new();
        match is_on(fields, Field::Markers) {
            true => drop(marker.set_type(xlsx::ChartMarkerType::Circle)),
            false => drop(marker.set_none()),
        }
        series.set_marker(&marker);
    }
    if is_on(fields, Field::Labels) {
        series.set_data_label(xlsx::ChartDataLabel::new().show_value());
        let values = range(Field::Values).unwrap_or_default();
        let labels = range(Field::LabelCells).and_then(|cells| labels_from(&cells, &values));
        if let Some(labels) = labels {
            series.set_custom_data_labels(&labels);
        }
    }
    if let Some(trend) = trend_line(fields) {
        series.set_trendline(&trend);
    }
    if let Some(bars) = error_bars(fields) {
        series.set_y_error_bars(&bars);
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
        series.set_format(&mut format);
    }
}

/// A series of a stock chart has no line of its own.
fn write_stock_points(has_dash: bool, series: &mut xlsx::ChartSeries) {
    let mut marker = xlsx::ChartMarker::new();
    match has_dash {
        true => drop(marker.set_type(xlsx::ChartMarkerType::LongDash)),
        false => drop(marker.set_none()),
    }
    series.set_marker(&marker).set_format(xlsx::ChartLine::new().set_hidden(true));
}

fn trend_line(fields: &Record) -> Option<xlsx::ChartTrendline> {
    // The default of both is 2.
    let number = |field: Field| number_of(fields, field).unwrap_or(2.0) as u8;
    let kind = match text_of(fields, Field::Trendline)? {
        "linear" => xlsx::ChartTrendlineType::Linear,
        "exponential" => xlsx::ChartTrendlineType::Exponential,
        "logarithmic" => xlsx::ChartTrendlineType::Logarithmic,
        "polynomial" => xlsx::ChartTrendlineType::Polynomial(number(Field::TrendlineOrder)),
        "movingAverage" => xlsx::ChartTrendlineType::MovingAverage(number(Field::TrendlinePeriod)),
        _ => return None,
    };
    let has_equation = !matches!(kind, xlsx::ChartTrendlineType::MovingAverage(_));
    let mut trend = xlsx::ChartTrendline::new();
    trend
        .set_type(kind)
        .display_equation(has_equation && is_on(fields, Field::TrendlineEquation))
        .display_r_squared(has_equation && is_on(fields, Field::TrendlineRSquared));
    if has_equation {
        trend.set_forward_period(number_of(fields, Field::TrendlineForward).unwrap_or(0.0));
        trend.set_backward_period(number_of(fields, Field::TrendlineBackward).unwrap_or(0.0));
    }
    // The other trends have no intercept.
    if has_equation
        && !matches!(kind, xlsx::ChartTrendlineType::Logarithmic)
        && let Some(intercept) = number_of(fields, Field::TrendlineIntercept)
    {
        trend.set_intercept(intercept);
    }
    Some(trend)
}

/// The error bars of a series; `None` also for those of length 0, which Excel does not accept.
fn error_bars(fields: &Record) -> Option<xlsx::ChartErrorBars> {
    // The defaults of the client.
    let amount = |default: f64| number_of(fields, Field::ErrorAmount).unwrap_or(default);
    let kind = match text_of(fields, Field::ErrorBars)? {
        "fixed" => match amount(1.0) {
            0.0 => return None,
            length => xlsx::ChartErrorBarsType::FixedValue(length),
        },
        "percent" => xlsx::ChartErrorBarsType::Percentage(amount(5.0)),
        "standardDeviation" => xlsx::ChartErrorBarsType::StandardDeviation(amount(1.0)),
        "standardError" => xlsx::ChartErrorBarsType::StandardError,
        _ => return None,
    };
    let mut bars = xlsx::ChartErrorBars::new();
    bars.set_type(kind).set_direction(match text_of(fields, Field::ErrorDirection) {
        Some("plus") => xlsx::ChartErrorBarsDirection::Plus,
        Some("minus") => xlsx::ChartErrorBarsDirection::Minus,
        _ => xlsx::ChartErrorBarsDirection::Both,
    });
    Some(bars)
}

fn write_axes(item: &Item, kind: &str, chart: &mut xlsx::Chart) {
    set_title(chart.x_axis(), item, Field::XTitle);
    set_title(chart.y_axis(), item, Field::YTitle);
    set_title(chart.y2_axis(), item, Field::Y2Title);
    if matches!(kind, "scatter" | "bubble") {
        if let Some(minimum) = item.number(Field::XMin) {
            chart.x_axis().set_min(minimum);
        }
        if let Some(maximum) = item.number(Field::XMax) {
            chart.x_axis().set_max(maximum);
        }
        if item.boolean(Field::XLogarithmic) == Some(true) {
            chart.x_axis().set_log_base(10);
        }
    }
    // The x axis of `rust_xlsxwriter` is horizontal, and in bar charts the values are on it.
    set_scale(if kind == "bar" { chart.x_axis() } else { chart.y_axis() }, item);
}

/// The axes of volumes, which are the primary ones, and of prices.
fn write_stock_axes(item: &Item, chart: &mut xlsx::Chart) {
    set_title(chart.x_axis(), item, Field::XTitle);
    set_title(chart.y_axis(), item, Field::Y2Title);
    chart.y_axis().set_major_gridlines(false);
    set_title(chart.y2_axis(), item, Field::YTitle);
    set_scale(chart.y2_axis(), item);
}

fn set_title(axis: &mut xlsx::ChartAxis, item: &Item, field: Field) {
    if let Some(title) = item.text(field) {
        axis.set_name(plain_text(title).as_str());
    }
}

fn set_scale(axis: &mut xlsx::ChartAxis, item: &Item) {
    if let Some(minimum) = item.number(Field::YMin) {
        axis.set_min(minimum);
    }
    if let Some(maximum) = item.number(Field::YMax) {
        axis.set_max(maximum);
    }
    if item.boolean(Field::YLogarithmic) == Some(true) {
        axis.set_log_base(10);
    }
    axis.set_major_gridlines(item.boolean(Field::Gridlines).unwrap_or(true));
}

fn chart_type(kind: &str, stacking: &str) -> xlsx::ChartType {
    match (kind, stacking) {
        ("line", "stacked") => xlsx::ChartType::LineStacked,
        ("line", "percent") => xlsx::ChartType::LinePercentStacked,
        ("line", _) => xlsx::ChartType::Line,
        ("bar", "stacked") => xlsx::ChartType::BarStacked,
        ("bar", "percent") => xlsx::ChartType::BarPercentStacked,
        // What programs show that do not know newer charts (`write_newer_charts`).
        ("bar" | "funnel", _) => xlsx::ChartType::Bar,
        ("area", "stacked") => xlsx::ChartType::AreaStacked,
        ("area", "percent") => xlsx::ChartType::AreaPercentStacked,
        ("area", _) => xlsx::ChartType::Area,
        ("pie", _) => xlsx::ChartType::Pie,
        ("doughnut", _) => xlsx::ChartType::Doughnut,
        // `with_bubbles` makes bubble charts of scatter charts.
        ("scatter" | "bubble", _) => xlsx::ChartType::Scatter,
        ("radar", _) => xlsx::ChartType::Radar,
        ("stock", _) => xlsx::ChartType::Stock,
        (_, "stacked") => xlsx::ChartType::ColumnStacked,
        (_, "percent") => xlsx::ChartType::ColumnPercentStacked,
        _ => xlsx::ChartType::Column,
    }
}
