//! Reads charts, which are separate parts of the file (ECMA-376 part 1, chapter 21.2).

use quadrille_operation::{ItemValue, print_color};
use quadrille_workbook::{Color, Field};

use super::archive::Part;
use super::chart_elements::{children, data, is_on};
use super::chart_labels::{self, Labels};
use super::colors::{SchemeColor, Theme};
use super::xml::Node;
use crate::charts::{Axis, ErrorBars, Group, ReadChart, SERIES_MAX, Series, TITLE_LENGTH_MAX, TrendLine};
use crate::contents::{Contents, FieldTexts};
use crate::error::FileError;

/// Reads the fields of a chart item except its position. Returns `None`, with a warning, if the
/// chart cannot be drawn.
pub fn read(mut part: Part, theme: &Theme, contents: &mut Contents) -> Result<Option<FieldTexts>, FileError> {
    let mut chart = ReadChart::default();
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
            "plotArea" => plot_area(&mut part, theme, &mut chart, contents)?,
            "legend" => chart.legend = Some(legend(&mut part)?),
            _ => part.skip()?,
        }
    }
    Ok(chart.fields(contents))
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

fn plot_area(
    part: &mut Part,
    theme: &Theme,
    chart: &mut ReadChart,
    contents: &mut Contents,
) -> Result<(), FileError> {
    children(part, |part, name, _| match name {
        "catAx" | "dateAx" | "valAx" | "serAx" => {
            let is_value = name == "valAx";
            chart.axes.push(axis(part, is_value)?);
            Ok(())
        }
        name if name.ends_with("Chart") => {
            chart.groups.push(group(part, name, theme, contents)?);
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

fn group(part: &mut Part, element: &str, theme: &Theme, contents: &mut Contents) -> Result<Group, FileError> {
    let mut group = Group { stacking: "none", ..Group::default() };
    let mut is_flat = false;
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
            "barDir" => is_flat = value.as_deref() == Some("bar"),
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
    group.kind = type_of(element, is_flat);
    let change = match element {
        "ofPieChart" => Some("pie-of-pie charts are drawn as pie charts"),
        "surfaceChart" | "surface3DChart" => Some("left out: surface charts"),
        _ if group.kind.is_none() => Some("left out: charts of unknown types"),
        element if element.contains("3D") => Some("3-D charts are drawn in 2-D"),
        _ => None,
    };
    if let Some(change) = change {
        contents.warn(change.into());
    }
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
            "trendline" => return trend_line(part, &mut series),
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
fn trend_line(part: &mut Part, series: &mut Series) -> Result<(), FileError> {
    let mut trend = TrendLine::default();
    children(part, |part, name, value| {
        let number = value.as_deref().and_then(|value| value.parse::<f64>().ok());
        match name {
            "trendlineType" => {
                trend.kind = match value.as_deref() {
                    Some("linear") => Some("linear"),
                    Some("exp") => Some("exponential"),
                    Some("log") => Some("logarithmic"),
                    Some("poly") => Some("polynomial"),
                    Some("movingAvg") => Some("movingAverage"),
                    _ => None,
                };
            }
            "order" => trend.order = number,
            "period" => trend.period = number,
            "forward" => trend.forward = number,
            "backward" => trend.backward = number,
            "intercept" => trend.intercept = number,
            "dispEq" => trend.has_equation = is_on(value.as_deref()),
            "dispRSqr" => trend.has_r_squared = is_on(value.as_deref()),
            _ => {}
        }
        part.skip()
    })?;
    trend.put(&mut series.fields);
    Ok(())
}

/// Error bars (21.2.2.55).
fn error_bars(part: &mut Part, series: &mut Series) -> Result<(), FileError> {
    let mut bars = ErrorBars::default();
    children(part, |part, name, value| {
        match (name, value.as_deref()) {
            ("errDir", Some("x")) => bars.is_horizontal = true,
            ("errBarType", Some("plus")) => bars.direction = "plus",
            ("errBarType", Some("minus")) => bars.direction = "minus",
            // The schema's default is a fixed value.
            ("errValType", Some("fixedVal") | None) => bars.kind = Some("fixed"),
            ("errValType", Some("percentage")) => bars.kind = Some("percent"),
            ("errValType", Some("stdDev")) => bars.kind = Some("standardDeviation"),
            ("errValType", Some("stdErr")) => bars.kind = Some("standardError"),
            ("errValType", Some("cust")) => bars.is_custom = true,
            ("val", Some(value)) => bars.amount = value.parse().ok(),
            _ => {}
        }
        part.skip()
    })?;
    bars.put(series);
    Ok(())
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
fn type_of(element: &str, is_flat: bool) -> Option<&'static str> {
    Some(match element {
        "barChart" | "bar3DChart" => match is_flat {
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
