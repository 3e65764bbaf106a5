//! Bubble charts, which `rust_xlsxwriter` does not have. It writes scatter charts whose error bars along the x axis,
//! which no other chart gets, have the sizes; here they become bubble charts (ECMA-376 part 1, 21.2.2.20).

use rust_xlsxwriter as xlsx;

const BARS: &str = "<c:errBars><c:errDir val=\"x\"/>";
const BARS_END: &str = "</c:errBars>";
const SERIES: &str = "<c:ser>";
const SERIES_END: &str = "</c:ser>";

/// Gives a series the sizes of its bubbles until [`with_bubbles`].
pub(super) fn set_sizes(series: &mut xlsx::ChartSeries, cells: &xlsx::ChartRange) {
    let sizes = || cells.clone();
    let mut bars = xlsx::ChartErrorBars::new();
    series.set_x_error_bars(bars.set_type(xlsx::ChartErrorBarsType::Custom(sizes(), sizes())));
}

/// The chart with bubbles instead of points, if it has sizes.
pub(super) fn with_bubbles(chart: &str) -> String {
    let group = chart.split_once("<c:scatterChart>").filter(|_| chart.contains(BARS));
    let parts = group.and_then(|(before, rest)| {
        let (group, after) = rest.split_once("</c:scatterChart>")?;
        let (series, axes) = group.split_at(group.find("<c:axId ")?);
        Some((before, series, axes, after))
    });
    let Some((before, series, axes, after)) = parts else { return chart.to_owned() };
    let series: String = series.split(SERIES).skip(1).map(bubble_series).collect();
    format!(
        "{before}<c:bubbleChart><c:varyColors val=\"0\"/>{series}<c:bubbleScale val=\"100\"/>\
         <c:showNegBubbles val=\"0\"/>{axes}</c:bubbleChart>{after}"
    )
}

/// A series with its sizes; `text` has no start.
fn bubble_series(text: &str) -> String {
    let text = text.split_once(SERIES_END).map_or(text, |(series, _)| series);
    let text = without(text, "<c:marker>", "</c:marker>");
    let text = without(&text, "<c:smooth ", "/>");
    let bars = text.split_once(BARS).and_then(|(before, rest)| {
        let (bars, after) = rest.split_once(BARS_END)?;
        let (_, sizes) = bars.split_once("<c:plus>")?;
        let (sizes, _) = sizes.split_once("</c:plus>")?;
        Some(format!("{before}{after}<c:bubbleSize>{sizes}</c:bubbleSize>"))
    });
    format!("{SERIES}{}<c:bubble3D val=\"0\"/>{SERIES_END}", bars.unwrap_or(text))
}

/// The text without its first element that begins and ends so.
fn without(text: &str, start: &str, end: &str) -> String {
    let found = text.split_once(start).and_then(|(before, rest)| Some((before, rest.split_once(end)?.1)));
    found.map_or_else(|| text.to_owned(), |(before, after)| format!("{before}{after}"))
}
