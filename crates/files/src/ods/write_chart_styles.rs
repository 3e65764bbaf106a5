//! Styles of written charts: properties of the plot area, axes and series.

use std::fmt::Write as _;

use quadrille_operation::print_color;
use quadrille_workbook::{Field, FieldValue, Item};

use crate::charts::{Record, WrittenChart, is_on, number_of, text_of};

/// The automatic styles of a chart.
#[derive(Default)]
pub(super) struct Styles(Vec<String>);

impl Styles {
    /// The name of the style with these properties.
    pub fn name(&mut self, properties: String) -> String {
        let found = self.0.iter().position(|other| *other == properties);
        let at = found.unwrap_or_else(|| {
            self.0.push(properties);
            self.0.len() - 1
        });
        format!("ch{}", at + 1)
    }

    /// The attribute with the style that has these properties.
    pub fn attribute(&mut self, properties: String) -> String {
        format!(" chart:style-name=\"{}\"", self.name(properties))
    }

    /// The styles as elements.
    pub fn written(&self) -> String {
        let mut written = String::new();
        for (properties, number) in self.0.iter().zip(1..) {
            let style = format!(
                "<style:style style:name=\"ch{number}\" style:family=\"chart\">{properties}</style:style>"
            );
            written.push_str(&style);
        }
        written
    }
}

/// The colors of series and slices without a color of their own, as the client draws them in its light
/// theme. Other programs would draw all series in one color.
pub(super) const PALETTE: [&str; 8] =
    ["#1f7a64", "#d9822b", "#3f6fc4", "#b5485d", "#8a63b8", "#6f7a1f", "#2a9bb0", "#8a5a33"];
/// The properties of the area of a chart, and of that within its axes.
pub(super) const PAPER: &str =
    "<style:graphic-properties draw:stroke=\"none\" draw:fill=\"solid\" draw:fill-color=\"#ffffff\"/>";
/// The properties of grids.
pub(super) const GRID: &str = "<style:graphic-properties draw:stroke=\"solid\" svg:stroke-width=\"0.5pt\" svg:stroke-color=\"#d9d9d9\"/>";

/// The properties of a slice of a pie.
pub(super) fn slice_properties(index: usize) -> String {
    let color = PALETTE[index % PALETTE.len()];
    format!(
        "<style:graphic-properties draw:stroke=\"solid\" svg:stroke-color=\"#ffffff\" draw:fill=\"solid\" \
         draw:fill-color=\"{color}\"/>"
    )
}

/// The color of a series.
fn color_of(fields: &Record, index: usize) -> String {
    match fields.get(&Field::Color) {
        Some(FieldValue::Color(color)) => print_color(*color),
        _ => PALETTE[index % PALETTE.len()].to_owned(),
    }
}

/// Properties of charts, as attributes.
#[derive(Default)]
struct Properties(String);

impl Properties {
    fn put(&mut self, name: &str, value: impl std::fmt::Display) {
        write!(self.0, " {name}=\"{value}\"").expect("writing to a string does not fail");
    }

    fn element(&self) -> String {
        format!("<style:chart-properties{}/>", self.0)
    }
}

/// The properties of the plot area.
pub(super) fn plot_area_properties(written: &WrittenChart, is_horizontal: bool) -> String {
    let item = written.item;
    let mut properties = Properties::default();
    properties.put("chart:auto-position", true);
    properties.put("chart:auto-size", true);
    properties.put("chart:treat-empty-cells", "leave-gap");
    properties.put("chart:include-hidden-cells", item.boolean(Field::ShowsHidden) == Some(true));
    if is_horizontal {
        properties.put("chart:vertical", true);
    }
    match item.text(Field::Stacking).map_or("none", |stacking| stacking) {
        _ if matches!(written.kind, "stock" | "scatter" | "bubble" | "pie" | "doughnut") => {}
        "stacked" => properties.put("chart:stacked", true),
        "percent" => {
            properties.put("chart:stacked", true);
            properties.put("chart:percentage", true);
        }
        _ => {}
    }
    if written.kind == "stock" && written.has_opening() {
        properties.put("chart:japanese-candle-stick", true);
    }
    // LibreOffice has one interpolation for all series.
    if !written.series.is_empty() && written.series.iter().all(|fields| is_on(fields, Field::Smooth)) {
        properties.put("chart:interpolation", "cubic-spline");
    }
    properties.element()
}

/// The properties of an axis. Only the axis of values has a scale, and the x axis of scatter charts.
pub(super) fn axis_properties(item: &Item, scale: Option<[Field; 2]>, is_logarithmic: bool) -> String {
    let mut properties = Properties::default();
    properties.put("chart:display-label", true);
    properties.put("chart:visible", true);
    properties.put("chart:link-data-style-to-source", true);
    let ends = ["chart:minimum", "chart:maximum"];
    for (field, name) in scale.into_iter().flatten().zip(ends) {
        if let Some(end) = item.number(field) {
            properties.put(name, end);
        }
    }
    if is_logarithmic {
        properties.put("chart:logarithmic", true);
    }
    properties.element() + &line_properties("#b4b4b4")
}

/// The properties of a series of a type.
pub(super) fn series_properties(fields: &Record, kind: &str, index: usize) -> String {
    let mut properties = Properties::default();
    match kind {
        "line" => {
            let markers = if is_on(fields, Field::Markers) { "automatic" } else { "none" };
            properties.put("chart:symbol-type", markers);
        }
        "scatter" => properties.put("chart:symbol-type", "automatic"),
        "stock" => properties.put("chart:symbol-type", "none"),
        _ => {}
    }
    if is_on(fields, Field::Smooth) && matches!(kind, "line" | "scatter") {
        properties.put("chart:interpolation", "cubic-spline");
    }
    if is_on(fields, Field::Labels) {
        properties.put("chart:data-label-number", "value");
        properties.put("chart:data-label-text", false);
    }
    properties.put("chart:link-data-style-to-source", true);
    let color = color_of(fields, index);
    let has_color = fields.contains_key(&Field::Color);
    let graphic = match kind {
        "stock" => return properties.element(),
        // The slices have colors of their own.
        "pie" | "doughnut" if !has_color => return properties.element(),
        "line" | "radar" => {
            format!("draw:stroke=\"solid\" svg:stroke-width=\"1.5pt\" svg:stroke-color=\"{color}\"")
        }
        _ => format!("draw:stroke=\"none\" svg:stroke-color=\"{color}\""),
    };
    let fill = format!("draw:fill=\"solid\" draw:fill-color=\"{color}\"");
    format!("{}<style:graphic-properties {graphic} {fill}/>", properties.element())
}

/// The trend line of a series as an element.
pub(super) fn trend_line(fields: &Record, index: usize, styles: &mut Styles) -> Option<String> {
    let kind = match text_of(fields, Field::Trendline)? {
        "movingAverage" => "moving-average",
        kind @ ("linear" | "exponential" | "logarithmic" | "polynomial") => kind,
        _ => return None,
    };
    let mut properties = Properties::default();
    properties.put("chart:regression-type", kind);
    // The standard has no forecasts; LibreOffice has them as extensions.
    let mut put_number = |name: &str, number: Option<f64>| {
        if let Some(number) = number {
            properties.put(name, number);
        }
    };
    let number = |field: Field| number_of(fields, field);
    match kind {
        "polynomial" => {
            put_number("chart:regression-max-degree", Some(number(Field::TrendlineOrder).unwrap_or(2.0)))
        }
        "moving-average" => {
            put_number("chart:regression-period", Some(number(Field::TrendlinePeriod).unwrap_or(2.0)))
        }
        _ => {}
    }
    let mut equation = String::new();
    if kind != "moving-average" {
        put_number("loext:regression-extrapolate-forward", number(Field::TrendlineForward));
        put_number("loext:regression-extrapolate-backward", number(Field::TrendlineBackward));
        if let Some(intercept) = number(Field::TrendlineIntercept).filter(|_| kind != "logarithmic") {
            put_number("chart:regression-intercept-value", Some(intercept));
            properties.put("chart:regression-force-intercept", true);
        }
        let (is_shown, has_r_squared) =
            (is_on(fields, Field::TrendlineEquation), is_on(fields, Field::TrendlineRSquared));
        if is_shown || has_r_squared {
            equation = format!(
                "<chart:equation chart:display-equation=\"{is_shown}\" chart:display-r-square=\"{has_r_squared}\"/>"
            );
        }
    }
    let line = line_properties(&color_of(fields, index));
    let style = styles.attribute(properties.element() + &line);
    Some(format!("<chart:regression-curve{style}>{equation}</chart:regression-curve>"))
}

fn line_properties(color: &str) -> String {
    format!(
        "<style:graphic-properties draw:stroke=\"solid\" svg:stroke-width=\"0.75pt\" svg:stroke-color=\"{color}\"/>"
    )
}

/// The error bars of a series as an element.
pub(super) fn error_bars(fields: &Record, styles: &mut Styles) -> Option<String> {
    let mut properties = Properties::default();
    // The defaults of the client.
    let amount = |default: f64| number_of(fields, Field::ErrorAmount).unwrap_or(default);
    match text_of(fields, Field::ErrorBars)? {
        "fixed" => {
            properties.put("chart:error-category", "constant");
            properties.put("chart:error-lower-limit", amount(1.0));
            properties.put("chart:error-upper-limit", amount(1.0));
        }
        "percent" => {
            properties.put("chart:error-category", "percentage");
            properties.put("chart:error-percentage", amount(5.0));
        }
        "standardDeviation" => {
            properties.put("chart:error-category", "standard-deviation");
            // The number of deviations is an extension of LibreOffice.
            properties.put("loext:std-weight", amount(1.0));
        }
        "standardError" => properties.put("chart:error-category", "standard-error"),
        _ => return None,
    }
    let direction = text_of(fields, Field::ErrorDirection).unwrap_or("both");
    properties.put("chart:error-lower-indicator", direction != "plus");
    properties.put("chart:error-upper-indicator", direction != "minus");
    let style = styles.attribute(properties.element() + &line_properties("#444444"));
    Some(format!("<chart:error-indicator{style} chart:dimension=\"y\"/>"))
}
