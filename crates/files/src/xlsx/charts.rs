//! Reads charts, which are separate parts of the file (ECMA-376 part 1, chapter 21.2).

use std::collections::BTreeMap;

use quadrille_operation::{ItemValue, print_color};
use quadrille_workbook::{Color, Field};

use super::archive::Part;
use super::chart_elements::{children, data, is_on};
use super::chart_labels::{self, Labels};
use super::colors::{SchemeColor, Theme};
use super::xml::Node;
use crate::contents::{Contents, FieldTexts};
use crate::error::FileError;

const SERIES_MAX: usize = 255;
/// Characters of a title, at most.
const TITLE_LENGTH_MAX: usize = 255;

type Record = BTreeMap<String, ItemValue>;

/// Reads the fields of a chart item except its position. Returns `None`, with a warning, if the
/// chart cannot be drawn.
pub fn read(mut part: Part, theme: &Theme, contents: &mut Contents) -> Result<Option<FieldTexts>, FileError> {
    let mut chart = Chart::default();
    loop {
        let (name, value) = match part.next()? {
            Node::Start(element) => (element.name().to_owned(), element.attribute("val")),
            Node::EndOfPart => break,
            _ => continue,
        };
        match name.as_str() {
            "chartSpace" | "chart" => {}
            "plotVisOnly" => {
                chart.leaves_out_hidden = is_on(value.as_deref());
                part.skip()?;
            }
            "title" => chart.title = Some(title(&mut part)?),
            "plotArea" => plot_area(&mut part, theme, &mut chart)?,
            "legend" => chart.legend = Some(legend(&mut part)?),
            _ => part.skip()?,
        }
    }
    Ok(chart.fields(contents))
}

/// A chart as the file describes it.
#[derive(Default)]
struct Chart {
    /// Title; an empty text stands for the name of the only series.
    title: Option<String>,
    legend: Option<&'static str>,
    groups: Vec<Group>,
    axes: Vec<Axis>,
    leaves_out_hidden: bool,
}

/// Series of the same type on the same axes.
#[derive(Default)]
struct Group {
    kind: String,
    is_flat: bool,
    stacking: &'static str,
    has_markers: bool,
    has_labels: bool,
    series: Vec<Series>,
    axes: Vec<String>,
}

/// A series.
#[derive(Default)]
struct Series {
    order: u32,
    fields: Record,
    /// Cached name, used if the cells of the name are not available.
    name: String,
    has_markers: Option<bool>,
    has_labels: Option<bool>,
    has_horizontal_error_bars: bool,
    has_custom_error_bars: bool,
    has_custom_labels: bool,
}

/// An axis.
#[derive(Default)]
struct Axis {
    id: String,
    is_value: bool,
    title: Option<String>,
    minimum: Option<f64>,
    maximum: Option<f64>,
    is_logarithmic: bool,
    has_gridlines: bool,
}

/// The text of a title in one line. If a cell contains the title, its cached text is used.
fn title(part: &mut Part) -> Result<String, FileError> {
    let mut lines: Vec<String> = Vec::new();
    let mut depth = 1;
    while depth > 0 {
        match part.next()? {
            Node::Start(element) => match element.name() {
                "t" | "v" => {
                    let text = part.text()?;
                    match lines.last_mut() {
                        Some(line) => line.push_str(&text),
                        None => lines.push(text),
                    }
                }
                // Formulas are not text, and `txPr` contains formats of labels.
                "f" | "txPr" | "extLst" => part.skip()?,
                "p" => {
                    depth += 1;
                    lines.push(String::new());
                }
                _ => depth += 1,
            },
            Node::End(_) => depth -= 1,
            Node::EndOfPart => break,
            _ => {}
        }
    }
    lines.retain(|line| !line.trim().is_empty());
    Ok(lines.join(" ").chars().take(TITLE_LENGTH_MAX).collect())
}

fn legend(part: &mut Part) -> Result<&'static str, FileError> {
    let mut position = "right";
    children(part, |part, name, value| {
        if name == "legendPos" {
            position = match value.as_deref() {
                Some("t") => "top",
                Some("b") => "bottom",
                Some("l") => "left",
                _ => "right",
            };
        }
        part.skip()
    })?;
    Ok(position)
}

fn plot_area(part: &mut Part, theme: &Theme, chart: &mut Chart) -> Result<(), FileError> {
    children(part, |part, name, _| match name {
        "catAx" | "dateAx" | "valAx" | "serAx" => {
            let is_value = name == "valAx";
            chart.axes.push(axis(part, is_value)?);
            Ok(())
        }
        name if name.ends_with("Chart") => {
            chart.groups.push(group(part, name, theme)?);
            Ok(())
        }
        _ => part.skip(),
    })
}

fn axis(part: &mut Part, is_value: bool) -> Result<Axis, FileError> {
    let mut axis = Axis { is_value, ..Axis::default() };
    children(part, |part, name, value| {
        match name {
            "title" => {
                axis.title = Some(title(part)?);
                return Ok(());
            }
            "scaling" => {
                return children(part, |part, name, value| {
                    let number = value.and_then(|value| value.parse::<f64>().ok());
                    match name {
                        "min" => axis.minimum = number,
                        "max" => axis.maximum = number,
                        "logBase" => axis.is_logarithmic = true,
                        _ => {}
                    }
                    part.skip()
                });
            }
            "axId" => axis.id = value.unwrap_or_default(),
            "majorGridlines" => axis.has_gridlines = true,
            _ => {}
        }
        part.skip()
    })?;
    Ok(axis)
}

fn group(part: &mut Part, kind: &str, theme: &Theme) -> Result<Group, FileError> {
    let mut group = Group { kind: kind.to_owned(), stacking: "none", ..Group::default() };
    children(part, |part, name, value| {
        match name {
            "ser" => {
                let series = series(part, theme)?;
                if group.series.len() < SERIES_MAX {
                    group.series.push(series);
                }
                return Ok(());
            }
            "dLbls" => {
                group.has_labels = Labels::read(part)?.are_shown();
                return Ok(());
            }
            "barDir" => group.is_flat = value.as_deref() == Some("bar"),
            "grouping" => {
                group.stacking = match value.as_deref() {
                    Some("stacked") => "stacked",
                    Some("percentStacked") => "percent",
                    _ => "none",
                }
            }
            "marker" => group.has_markers = is_on(value.as_deref()),
            "axId" => group.axes.extend(value),
            _ => {}
        }
        part.skip()
    })?;
    Ok(group)
}

fn series(part: &mut Part, theme: &Theme) -> Result<Series, FileError> {
    let mut series = Series::default();
    let (mut labels, mut label_range) = (Labels::default(), None);
    children(part, |part, name, value| {
        let field = match name {
            "tx" => Field::Name,
            "val" | "yVal" => Field::Values,
            "cat" | "xVal" => Field::Categories,
            "bubbleSize" => Field::Sizes,
            "spPr" => {
                if let Some(color) = shape_color(part, theme)? {
                    series.fields.insert(Field::Color.name().into(), ItemValue::Text(print_color(color)));
                }
                return Ok(());
            }
            "marker" => {
                return children(part, |part, name, value| {
                    if name == "symbol" {
                        series.has_markers = Some(value.as_deref() != Some("none"));
                    }
                    part.skip()
                });
            }
            "dLbls" => {
                labels = Labels::read(part)?;
                series.has_labels = Some(labels.are_shown());
                return Ok(());
            }
            "extLst" => {
                label_range = chart_labels::label_range(part)?;
                return Ok(());
            }
            "trendline" => return trend_line(part, &mut series.fields),
            "errBars" => return error_bars(part, &mut series),
            "order" => {
                series.order = value.and_then(|value| value.parse().ok()).unwrap_or(0);
                return part.skip();
            }
            "smooth" => {
                if is_on(value.as_deref()) {
                    series.fields.insert(Field::Smooth.name().into(), ItemValue::Boolean(true));
                }
                return part.skip();
            }
            _ => return part.skip(),
        };
        let data = data(part)?;
        if field == Field::Name {
            series.name = data.cached_text();
        }
        if let Some(formula) = data.formula(field == Field::Name) {
            series.fields.insert(field.name().into(), ItemValue::Text(formula));
        }
        Ok(())
    })?;
    series.has_custom_labels = labels.have_own_texts();
    let cells = labels.cells(label_range);
    series.fields.extend(cells.map(|cells| (Field::LabelCells.name().into(), ItemValue::Text(cells))));
    Ok(series)
}

/// A trend line with its label (21.2.2.211).
fn trend_line(part: &mut Part, fields: &mut Record) -> Result<(), FileError> {
    children(part, |part, name, value| {
        let number = value.as_deref().and_then(|value| value.parse::<f64>().ok());
        match name {
            "trendlineType" => {
                let kind = match value.as_deref() {
                    Some("linear") => Some("linear"),
                    Some("exp") => Some("exponential"),
                    Some("log") => Some("logarithmic"),
                    Some("poly") => Some("polynomial"),
                    Some("movingAvg") => Some("movingAverage"),
                    _ => None,
                };
                put_text(fields, Field::Trendline, kind);
            }
            // The defaults are those of a chart without the fields.
            "order" => {
                put_number(fields, Field::TrendlineOrder, number.filter(|order| (3.0..=6.0).contains(order)))
            }
            "period" => {
                put_number(
                    fields,
                    Field::TrendlinePeriod,
                    number.filter(|period| (3.0..=255.0).contains(period)),
                );
            }
            "forward" => put_number(fields, Field::TrendlineForward, number.filter(|periods| *periods > 0.0)),
            "backward" => {
                put_number(fields, Field::TrendlineBackward, number.filter(|periods| *periods > 0.0))
            }
            "intercept" => put_number(fields, Field::TrendlineIntercept, number),
            "dispEq" if is_on(value.as_deref()) => put_flag(fields, Field::TrendlineEquation),
            "dispRSqr" if is_on(value.as_deref()) => put_flag(fields, Field::TrendlineRSquared),
            _ => {}
        }
        part.skip()
    })
}

/// Error bars (21.2.2.55). Those along the x axis and those with values of their own are left out.
fn error_bars(part: &mut Part, series: &mut Series) -> Result<(), FileError> {
    let (mut kind, mut direction, mut amount) = (None, "both", None);
    let (mut is_horizontal, mut is_custom) = (false, false);
    children(part, |part, name, value| {
        match (name, value.as_deref()) {
            ("errDir", Some("x")) => is_horizontal = true,
            ("errBarType", Some("plus")) => direction = "plus",
            ("errBarType", Some("minus")) => direction = "minus",
            // The schema's default is a fixed value.
            ("errValType", Some("fixedVal") | None) => kind = Some("fixed"),
            ("errValType", Some("percentage")) => kind = Some("percent"),
            ("errValType", Some("stdDev")) => kind = Some("standardDeviation"),
            ("errValType", Some("stdErr")) => kind = Some("standardError"),
            ("errValType", Some("cust")) => is_custom = true,
            ("val", Some(value)) => amount = value.parse().ok().filter(|amount: &f64| *amount >= 0.0),
            _ => {}
        }
        part.skip()
    })?;
    series.has_horizontal_error_bars |= is_horizontal;
    series.has_custom_error_bars |= is_custom && !is_horizontal;
    if kind.is_none() || is_horizontal {
        return Ok(());
    }
    put_text(&mut series.fields, Field::ErrorBars, kind);
    if kind != Some("standardError") {
        put_number(&mut series.fields, Field::ErrorAmount, amount);
    }
    put_text(&mut series.fields, Field::ErrorDirection, Some(direction).filter(|name| *name != "both"));
    Ok(())
}

fn put_text(fields: &mut Record, field: Field, text: Option<&str>) {
    fields.extend(text.map(|text| (field.name().to_owned(), ItemValue::Text(text.into()))));
}

fn put_number(fields: &mut Record, field: Field, number: Option<f64>) {
    fields.extend(number.map(|number| (field.name().to_owned(), ItemValue::Number(number))));
}

fn put_flag(fields: &mut Record, field: Field) {
    fields.insert(field.name().into(), ItemValue::Boolean(true));
}

/// The first color of a fill or a line.
fn shape_color(part: &mut Part, theme: &Theme) -> Result<Option<Color>, FileError> {
    let mut color: Option<SchemeColor> = None;
    let mut depth = 1;
    while depth > 0 {
        match part.next()? {
            Node::Start(element) => {
                depth += 1;
                let value = element.attribute("val");
                match (element.name(), &mut color) {
                    ("srgbClr" | "schemeClr" | "sysClr", None) => {
                        let value = element.attribute("lastClr").or(value).unwrap_or_default();
                        color = theme.scheme(&value);
                    }
                    ("lumMod", Some(color)) => color.multiply(value.and_then(|part| part.parse().ok())),
                    ("lumOff", Some(color)) => color.add(value.and_then(|part| part.parse().ok())),
                    _ => {}
                }
            }
            Node::End(_) => depth -= 1,
            Node::EndOfPart => break,
            _ => {}
        }
    }
    Ok(color.map(|color| color.rgb()))
}

/// The chart type, or the type of a series in a combo chart; `None` for unsupported types.
fn type_of(group: &Group) -> Option<&'static str> {
    Some(match group.kind.as_str() {
        "barChart" | "bar3DChart" => match group.is_flat {
            true => "bar",
            false => "column",
        },
        "lineChart" | "line3DChart" => "line",
        "stockChart" => "stock",
        "areaChart" | "area3DChart" => "area",
        "pieChart" | "pie3DChart" | "ofPieChart" => "pie",
        "doughnutChart" => "doughnut",
        "scatterChart" => "scatter",
        "bubbleChart" => "bubble",
        "radarChart" => "radar",
        _ => return None,
    })
}

impl Chart {
    fn fields(mut self, contents: &mut Contents) -> Option<FieldTexts> {
        let has_volumes = self.put_volumes_first();
        for group in &self.groups {
            let change = match group.kind.as_str() {
                "stockChart" if self.groups.len() > 1 && !has_volumes => {
                    "stock charts with other series are drawn as combo charts"
                }
                "ofPieChart" => "pie-of-pie charts are drawn as pie charts",
                "surfaceChart" | "surface3DChart" => "left out: surface charts",
                _ if type_of(group).is_none() => "left out: charts of unknown types",
                kind if kind.contains("3D") => "3-D charts are drawn in 2-D",
                _ => continue,
            };
            contents.warn(change.into());
        }
        self.groups.retain(|group| type_of(group).is_some() && !group.series.is_empty());
        let first = self.groups.first()?;
        let kind = type_of(first)?;
        let is_mixed = !has_volumes && self.groups.iter().any(|group| type_of(group) != Some(kind));
        let mut fields = FieldTexts::default();
        fields.text(Field::Type, Some(if is_mixed { "combo" } else { kind }));
        fields.text(Field::Stacking, Some(first.stacking).filter(|stacking| *stacking != "none"));

        let main = self.value_axis(first);
        let second = self.groups.iter().find_map(|group| {
            let other = self.value_axis(group)?;
            main.is_some_and(|main| main.id != other.id).then_some(other)
        });
        // The labels of a stock chart with volumes are below the volumes.
        let labelled = self.groups.last().filter(|_| has_volumes).unwrap_or(first);
        let horizontal = self.axes.iter().find(|axis| {
            let is_main = [main, second].into_iter().flatten().any(|main| main.id == axis.id);
            labelled.axes.contains(&axis.id) && !is_main
        });
        let titles = match kind == "bar" {
            true => [(Field::XTitle, main), (Field::YTitle, horizontal), (Field::Y2Title, second)],
            false => [(Field::XTitle, horizontal), (Field::YTitle, main), (Field::Y2Title, second)],
        };
        for (field, axis) in titles {
            fields.text(field, axis.and_then(|axis| axis.title.clone()));
        }
        if let Some(axis) = main {
            fields.number(Field::YMin, axis.minimum);
            fields.number(Field::YMax, axis.maximum);
            fields.flag(Field::YLogarithmic, Some(axis.is_logarithmic), false);
            fields.flag(Field::Gridlines, Some(axis.has_gridlines), true);
        }
        if let Some(axis) = horizontal.filter(|axis| axis.is_value) {
            fields.number(Field::XMin, axis.minimum);
            fields.number(Field::XMax, axis.maximum);
        }
        fields.text(Field::Legend, Some(self.legend.unwrap_or("none")));
        fields.flag(Field::ShowsHidden, Some(!self.leaves_out_hidden), false);

        let mut series: Vec<(u32, Record, String)> = Vec::new();
        for group in &self.groups {
            let is_second = second.is_some()
                && self.value_axis(group).map(|axis| &axis.id) == second.map(|axis| &axis.id);
            for one in &group.series {
                if one.has_horizontal_error_bars {
                    contents.warn("left out: horizontal error bars of scatter charts".into());
                }
                if one.has_custom_error_bars {
                    contents.warn("left out: error bars with values of their own".into());
                }
                if one.has_custom_labels {
                    contents.warn("left out: data labels with texts of their own".into());
                }
                let mut record = one.fields.clone();
                if !record.contains_key(Field::Values.name()) {
                    contents.warn("left out: series of charts without values".into());
                    continue;
                }
                let mut flag = |field: Field, is_on: bool| {
                    if is_on {
                        record.insert(field.name().into(), ItemValue::Boolean(true));
                    }
                };
                if group.kind.starts_with("line") {
                    flag(Field::Markers, one.has_markers.unwrap_or(group.has_markers));
                }
                flag(Field::Labels, one.has_labels.unwrap_or(group.has_labels));
                let is_volume = has_volumes && group.kind == "barChart";
                if (is_mixed || is_volume)
                    && let Some(kind) = type_of(group)
                {
                    let kind = if kind == "stock" { "line" } else { kind };
                    record.insert(Field::Type.name().into(), ItemValue::Text(kind.into()));
                }
                if is_second && !has_volumes {
                    record.insert(Field::Axis.name().into(), ItemValue::Text("secondary".into()));
                }
                series.push((one.order, record, one.name.clone()));
            }
        }
        series.sort_by_key(|(order, ..)| *order);
        series.truncate(SERIES_MAX);
        let only_name = match series.as_slice() {
            [(_, _, name)] => Some(name.clone()),
            _ => None,
        };
        let title = match self.title.take() {
            Some(title) if title.is_empty() => only_name,
            title => title,
        };
        fields.text(Field::Title, title);
        if series.is_empty() {
            return None;
        }
        let series = series.into_iter().map(|(_, record, _)| ItemValue::Record(record)).collect();
        fields.put(Field::Series, ItemValue::List(series));
        Some(fields)
    }

    /// Finds the prices of a stock chart and one series of columns with the volumes, and makes the prices
    /// the first group and the volumes the first series. Returns whether the chart is one of these.
    fn put_volumes_first(&mut self) -> bool {
        if self.groups.len() != 2 {
            return false;
        }
        let is_stock = |group: &Group| group.kind == "stockChart" && matches!(group.series.len(), 3 | 4);
        let is_columns =
            |group: &Group| group.kind == "barChart" && !group.is_flat && group.series.len() == 1;
        let Some(stock) = self.groups.iter().position(is_stock) else { return false };
        if !self.groups.iter().any(is_columns) {
            return false;
        }
        self.groups.swap(0, stock);
        for price in &mut self.groups[0].series {
            price.order = price.order.saturating_add(1);
        }
        self.groups[1].series[0].order = 0;
        true
    }

    /// The value axis of a group; the second one if both axes are value axes.
    fn value_axis(&self, group: &Group) -> Option<&Axis> {
        group.axes.iter().rev().find_map(|id| self.axes.iter().find(|axis| axis.id == *id && axis.is_value))
    }
}
