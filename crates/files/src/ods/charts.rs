//! Reads charts, which are documents of their own within the file (ODF 1.3 part 3, chapter 11).

use quadrille_operation::{ItemValue, print_color, read_color};
use quadrille_workbook::Field;

use super::chart_addresses::{parsed, reference};
use super::chart_xml::{Attributes, ChartStyles, children, paragraphs};
use super::local_table::{LOCAL_TABLE, LocalTable};
use super::write_chart_styles::PALETTE;
use crate::charts::{
    Axis, ErrorBars, Group, ReadChart, SERIES_MAX, Series, SeriesData, TITLE_LENGTH_MAX, TrendLine,
};
use crate::contents::{Contents, FieldTexts};
use crate::error::FileError;
use crate::xlsx::archive::Part;
use crate::xlsx::xml::Node;

/// The identifier of the x axis, and the beginning of those of the y axes.
const X_AXIS: &str = "primary-x";
const Y_AXIS: &str = "primary-y";
const SECOND_Y_AXIS: &str = "secondary-y";

/// Reads the fields of a chart item except its position. Returns `None`, with a warning, if the document
/// is no chart or cannot be drawn.
pub(super) fn read(part: &mut Part, contents: &mut Contents) -> Result<Option<FieldTexts>, FileError> {
    let mut document = ChartDocument::default();
    loop {
        let (name, attributes) = match part.next()? {
            Node::Start(element) => (element.name().to_owned(), Attributes::of(&element)),
            Node::EndOfPart => break,
            _ => continue,
        };
        match (name.as_str(), attributes.get("style:name"), attributes.get("chart:class")) {
            ("style", Some(name), _) => document.styles.read(part, name.to_owned())?,
            ("chart", _, Some(class)) => {
                document.class = class.to_owned();
                document.chart(part)?;
            }
            _ => {}
        }
    }
    if document.class.is_empty() {
        contents.warn("left out: embedded objects".into());
        return Ok(None);
    }
    Ok(document.into_chart(contents).fields(contents))
}

/// A chart while it is read.
#[derive(Default)]
struct ChartDocument {
    styles: ChartStyles,
    class: String,
    chart: ReadChart,
    table: LocalTable,
    categories: Option<String>,
    series: Vec<FileSeries>,
    stacking: &'static str,
    is_horizontal: bool,
    is_deep: bool,
    /// The markers of series without a mark of their own.
    has_markers: bool,
    has_labels: bool,
    is_smooth: bool,
}

/// A series as the file has it; its addresses are resolved at the end, because the table of the chart
/// follows the series.
#[derive(Default)]
struct FileSeries {
    series: Series,
    class: Option<String>,
    is_secondary: bool,
    values: Option<String>,
    name: Option<String>,
    /// A name that is in no cell.
    own_name: Option<String>,
    /// The x values of scatter charts; the y values and the x values of bubble charts.
    domains: Vec<String>,
    line_color: Option<String>,
    fill_color: Option<String>,
    is_smooth: Option<bool>,
}

impl ChartDocument {
    /// Reads an element `chart:chart`.
    fn chart(&mut self, part: &mut Part) -> Result<(), FileError> {
        children(part, |part, name, attributes| {
            match name {
                "title" => self.chart.title = Some(title(part)?),
                "subtitle" => self.chart.subtitle = Some(title(part)?),
                "legend" => {
                    self.chart.legend =
                        Some(match attributes.get("chart:legend-position").unwrap_or("end") {
                            "start" => "left",
                            position if position.starts_with("top") => "top",
                            position if position.starts_with("bottom") => "bottom",
                            _ => "right",
                        });
                    part.skip()?;
                }
                "plot-area" => {
                    self.plot_area_style(attributes);
                    self.plot_area(part)?;
                }
                "table" => self.table.read(part)?,
                _ => part.skip()?,
            }
            Ok(())
        })
    }

    fn plot_area_style(&mut self, element: &Attributes) {
        let style = self.styles.of(element);
        self.stacking = match (style.is("percentage"), style.is("stacked")) {
            (true, _) => "percent",
            (false, true) => "stacked",
            (false, false) => "none",
        };
        self.is_horizontal = style.is("vertical");
        self.is_deep = style.is("three-dimensional");
        self.is_smooth = is_smooth(style).unwrap_or(false);
        self.has_markers = has_markers(style).unwrap_or(false);
        self.has_labels = has_labels(style).unwrap_or(false);
        self.chart.leaves_out_hidden = style.chart("include-hidden-cells") == Some("false");
    }

    fn plot_area(&mut self, part: &mut Part) -> Result<(), FileError> {
        children(part, |part, name, attributes| match name {
            "axis" => self.axis(part, attributes),
            "series" => self.series(part, attributes),
            _ => part.skip(),
        })
    }

    fn axis(&mut self, part: &mut Part, element: &Attributes) -> Result<(), FileError> {
        let style = self.styles.of(element);
        let dimension = element.get("chart:dimension").unwrap_or_default();
        let mut axis = Axis {
            id: element.get("chart:name").map_or_else(|| format!("primary-{dimension}"), str::to_owned),
            is_value: dimension == "y" || matches!(&*self.class, "chart:scatter" | "chart:bubble"),
            minimum: style.number("minimum"),
            maximum: style.number("maximum"),
            is_logarithmic: style.is("logarithmic"),
            ..Axis::default()
        };
        let categories = &mut self.categories;
        children(part, |part, name, attributes| {
            match name {
                "title" => {
                    axis.title = Some(title(part)?);
                    return Ok(());
                }
                "grid" if attributes.get("chart:class") != Some("minor") => axis.has_gridlines = true,
                "categories" => {
                    *categories = attributes.get("table:cell-range-address").map(str::to_owned);
                }
                _ => {}
            }
            part.skip()
        })?;
        self.chart.axes.push(axis);
        Ok(())
    }

    fn series(&mut self, part: &mut Part, element: &Attributes) -> Result<(), FileError> {
        let styles = &self.styles;
        let style = styles.of(element);
        let text = |name: &str| element.get(name).filter(|text| !text.is_empty()).map(str::to_owned);
        let color = |name: &str, kind: &str| {
            style.get(name).filter(|_| style.get(kind) != Some("none")).map(str::to_owned)
        };
        let mut read = FileSeries {
            class: text("chart:class"),
            is_secondary: element.get("chart:attached-axis").is_some_and(|axis| axis == SECOND_Y_AXIS),
            values: text("chart:values-cell-range-address"),
            name: text("chart:label-cell-address"),
            own_name: element.chart("label-string").map(unquoted),
            line_color: color("svg:stroke-color", "draw:stroke"),
            fill_color: color("draw:fill-color", "draw:fill"),
            is_smooth: is_smooth(style),
            ..FileSeries::default()
        };
        read.series.has_markers = has_markers(style);
        read.series.has_labels = has_labels(style);
        children(part, |part, name, attributes| {
            let style = styles.of(attributes);
            match name {
                "domain" => {
                    read.domains.push(attributes.get("table:cell-range-address").unwrap_or_default().into())
                }
                "regression-curve" => return trend_line(part, styles, attributes, &mut read.series),
                "error-indicator" => error_bars(style, attributes).put(&mut read.series),
                "data-point" => {
                    return children(part, |part, name, _| {
                        read.series.has_custom_labels |= matches!(name, "data-label" | "custom-label-field");
                        part.skip()
                    });
                }
                "data-label" => read.series.has_custom_labels = true,
                _ => {}
            }
            part.skip()
        })?;
        if self.series.len() < SERIES_MAX {
            read.series.order = self.series.len() as u32;
            self.series.push(read);
        }
        Ok(())
    }

    fn into_chart(mut self, contents: &mut Contents) -> ReadChart {
        if self.is_deep {
            contents.warn("3-D charts are drawn in 2-D".into());
        }
        let series = std::mem::take(&mut self.series);
        let shared_domains: Vec<String> =
            series.first().map(|first| first.domains.clone()).unwrap_or_default();
        for read in series {
            // LibreOffice has the rings of a chart as circles.
            let own_class = read.class.as_deref().filter(|_| self.class != "chart:ring");
            let class = own_class.unwrap_or(&self.class);
            let kind = type_of(class, self.is_horizontal);
            if kind.is_none() {
                contents.warn(match class {
                    "chart:surface" => "left out: surface charts".into(),
                    _ => "left out: charts of unknown types".into(),
                });
            }
            let axis = if read.is_secondary { SECOND_Y_AXIS } else { Y_AXIS };
            let found =
                self.chart.groups.iter().position(|group| group.kind == kind && group.axes[1] == axis);
            let group = found.unwrap_or_else(|| {
                self.chart.groups.push(Group {
                    kind,
                    stacking: self.stacking,
                    has_markers: self.has_markers,
                    has_labels: self.has_labels,
                    series: Vec::new(),
                    axes: vec![X_AXIS.to_owned(), axis.to_owned()],
                });
                self.chart.groups.len() - 1
            });
            let series = self.resolved(read, kind, &shared_domains);
            self.chart.groups[group].series.push(series);
        }
        self.chart.groups.iter_mut().for_each(put_prices_in_order);
        // Circles have no grid, and the grid of prices is that of the volumes.
        let has_grid = self.chart.axes.iter().any(|axis| axis.is_value && axis.has_gridlines);
        match &*self.class {
            "chart:circle" | "chart:ring" => {
                self.chart.axes.iter_mut().for_each(|axis| axis.has_gridlines = true);
            }
            "chart:stock" => self.chart.axes.iter_mut().for_each(|axis| axis.has_gridlines = has_grid),
            _ => {}
        }
        self.chart
    }

    /// The series with the formulas of its addresses.
    fn resolved(&self, read: FileSeries, kind: Option<&str>, shared: &[String]) -> Series {
        let FileSeries {
            mut series, values, name, own_name, domains, line_color, fill_color, is_smooth, ..
        } = read;
        let address = |place: usize| domains.get(place).or(shared.get(place)).cloned();
        // The values of bubbles are their sizes.
        let (values, categories, sizes) = match kind {
            Some("bubble") => (address(0), address(1), values),
            Some("scatter") => (values, address(0), None),
            _ => (values, self.categories.clone(), None),
        };
        let mut put = |field: Field, data: SeriesData| {
            if let Some(formula) = data.formula(field == Field::Name) {
                series.fields.insert(field.name().into(), ItemValue::Text(formula));
            }
        };
        let parts = [
            (Field::Name, name),
            (Field::Values, values),
            (Field::Categories, categories),
            (Field::Sizes, sizes),
        ];
        for (field, address) in parts {
            if let Some(address) = address {
                put(field, self.data(&address));
            }
        }
        if let Some(name) = own_name {
            let mut data = SeriesData::default();
            data.push(name);
            put(Field::Name, data);
        }
        let is_line = matches!(kind, Some("line" | "scatter" | "radar" | "stock"));
        let colors = if is_line { [line_color, fill_color] } else { [fill_color, line_color] };
        let color = colors.into_iter().flatten().find_map(|color| read_color(&color).ok());
        // The color that a series has here without one of its own is that of files of Quadrille.
        let own = PALETTE[series.order as usize % PALETTE.len()];
        if let Some(color) = color.filter(|color| print_color(*color) != own) {
            series.fields.insert(Field::Color.name().into(), ItemValue::Text(print_color(color)));
        }
        if is_smooth.unwrap_or(self.is_smooth) && matches!(kind, Some("line" | "scatter")) {
            series.fields.insert(Field::Smooth.name().into(), ItemValue::Boolean(true));
        }
        series
    }

    /// The cells of a list of addresses, or the values of the table of the chart.
    fn data(&self, list: &str) -> SeriesData {
        let mut data = SeriesData::default();
        let Some(ranges) = parsed(list) else { return data };
        if ranges.iter().all(|(sheet, _)| sheet != LOCAL_TABLE) {
            data.formula = Some(reference(&ranges));
            return data;
        }
        let cells = ranges.iter().flat_map(|(_, range)| self.table.cells(*range));
        let cells: Vec<_> = cells.collect();
        data.is_numbers = cells.iter().any(|cell| cell.is_number);
        cells.into_iter().for_each(|cell| data.push(cell.text.clone()));
        data
    }
}

/// A text of LibreOffice in quotes.
fn unquoted(text: &str) -> String {
    let inner = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.unwrap_or(text).replace("\"\"", "\"")
}

fn title(part: &mut Part) -> Result<String, FileError> {
    Ok(paragraphs(part)?.chars().take(TITLE_LENGTH_MAX).collect())
}

/// The chart type, or the type of a series in a combo chart; `None` for unsupported types.
fn type_of(class: &str, is_horizontal: bool) -> Option<&'static str> {
    Some(match class {
        "chart:bar" if is_horizontal => "bar",
        "chart:bar" => "column",
        "chart:line" => "line",
        "chart:area" => "area",
        "chart:circle" => "pie",
        "chart:ring" => "doughnut",
        "chart:scatter" => "scatter",
        "chart:bubble" => "bubble",
        "chart:radar" | "chart:filled-radar" => "radar",
        "chart:stock" => "stock",
        _ => return None,
    })
}

/// The prices of OpenDocument are opening, low, high and closing ones.
fn put_prices_in_order(group: &mut Group) {
    let count = group.series.len();
    if group.kind == Some("stock") && matches!(count, 3 | 4) {
        let (low, high) = (count - 3, count - 2);
        let (first, second) = (group.series[low].order, group.series[high].order);
        group.series.swap(low, high);
        group.series[low].order = first;
        group.series[high].order = second;
    }
}

fn has_markers(style: &Attributes) -> Option<bool> {
    style.chart("symbol-type").map(|kind| kind != "none")
}

fn has_labels(style: &Attributes) -> Option<bool> {
    style.chart("data-label-number").map(|kind| kind != "none")
}

fn is_smooth(style: &Attributes) -> Option<bool> {
    style.chart("interpolation").map(|kind| matches!(kind, "cubic-spline" | "b-spline"))
}

fn trend_line(
    part: &mut Part,
    styles: &ChartStyles,
    element: &Attributes,
    series: &mut Series,
) -> Result<(), FileError> {
    let style = styles.of(element);
    let mut trend = TrendLine {
        kind: match style.chart("regression-type") {
            Some("linear") => Some("linear"),
            Some("exponential") => Some("exponential"),
            Some("logarithmic") => Some("logarithmic"),
            Some("polynomial") => Some("polynomial"),
            Some("moving-average") => Some("movingAverage"),
            _ => None,
        },
        order: style.number("regression-max-degree"),
        period: style.number("regression-period"),
        forward: style.number("regression-extrapolate-forward"),
        backward: style.number("regression-extrapolate-backward"),
        intercept: style
            .number("regression-intercept-value")
            .filter(|_| style.is("regression-force-intercept")),
        ..TrendLine::default()
    };
    children(part, |part, name, attributes| {
        if name == "equation" {
            // The equation is displayed unless the file says otherwise.
            trend.has_equation = attributes.chart("display-equation") != Some("false");
            trend.has_r_squared = attributes.is("display-r-square");
        }
        part.skip()
    })?;
    trend.put(&mut series.fields);
    Ok(())
}

fn error_bars(style: &Attributes, element: &Attributes) -> ErrorBars {
    let (upper, lower) = (style.is("error-upper-indicator"), style.is("error-lower-indicator"));
    let category = style.chart("error-category").unwrap_or("none");
    ErrorBars {
        kind: match category {
            "constant" => Some("fixed"),
            "percentage" => Some("percent"),
            "standard-deviation" => Some("standardDeviation"),
            "standard-error" => Some("standardError"),
            _ => None,
        },
        direction: match (upper, lower) {
            (true, false) => "plus",
            (false, true) => "minus",
            _ => "both",
        },
        amount: match category {
            "constant" if lower && !upper => style.number("error-lower-limit"),
            "constant" => style.number("error-upper-limit"),
            "percentage" => style.number("error-percentage"),
            "standard-deviation" => style.number("std-weight"),
            _ => None,
        },
        is_horizontal: element.get("chart:dimension") == Some("x"),
        is_custom: matches!(category, "cell-range" | "variance" | "error-margin"),
    }
}
