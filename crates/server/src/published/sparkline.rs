//! Sparklines of a published page as SVG.

use std::fmt::Write;

use quadrille_viewport::cell_marks::SparklineMark;

use super::cell_style::hex;

/// Width and height of the drawing, which is stretched over its cell.
const WIDTH: f64 = 100.0;
const HEIGHT: f64 = 20.0;
/// Space above and below a line, so that its ends are not cut.
const PADDING: f64 = 2.0;

/// The drawing; empty without a number.
pub fn sparkline_svg(spark: &SparklineMark) -> String {
    let values: Vec<(usize, f64)> =
        spark.values.iter().enumerate().filter_map(|(at, value)| Some((at, (*value)?))).collect();
    let numbers = values.iter().map(|(_, value)| *value).filter(|value| value.is_finite());
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for number in numbers {
        (low, high) = (low.min(number), high.max(number));
    }
    if low > high {
        return String::new();
    }
    let mut svg = format!(
        "<svg class=\"spark\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" preserveAspectRatio=\"none\" aria-hidden=\"true\"{}>",
        if spark.is_from_right { " transform=\"scale(-1 1)\"" } else { "" }
    );
    match spark.kind {
        "bar" => bar(&mut svg, spark, &values),
        "column" | "winLoss" => columns(&mut svg, spark, &values, low, high),
        _ => line(&mut svg, spark, &values, low, high),
    }
    svg.push_str("</svg>");
    svg
}

fn line(svg: &mut String, spark: &SparklineMark, values: &[(usize, f64)], low: f64, high: f64) {
    let (low, high) = (spark.low.unwrap_or(low), spark.high.unwrap_or(high));
    let count = spark.values.len().max(2) as f64 - 1.0;
    let span = if high > low { high - low } else { 1.0 };
    let points = values.iter().map(|(at, value)| {
        let x = *at as f64 / count * WIDTH;
        let y = HEIGHT - PADDING - ((value - low) / span).clamp(0.0, 1.0) * (HEIGHT - 2.0 * PADDING);
        format!("{x:.1},{y:.1}")
    });
    let points = points.collect::<Vec<_>>().join(" ");
    let width = spark.line_width.filter(|width| (0.0..20.0).contains(width)).unwrap_or(1.5);
    _ = write!(
        svg,
        "<polyline points=\"{points}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\" \
         vector-effect=\"non-scaling-stroke\"/>",
        hex(spark.color)
    );
}

fn columns(svg: &mut String, spark: &SparklineMark, values: &[(usize, f64)], low: f64, high: f64) {
    let is_win_loss = spark.kind == "winLoss";
    let (low, high) = match is_win_loss {
        true => (-1.0, 1.0),
        false => (spark.low.unwrap_or(low.min(0.0)), spark.high.unwrap_or(high.max(0.0))),
    };
    let span = if high > low { high - low } else { 1.0 };
    let step = WIDTH / spark.values.len().max(1) as f64;
    let y = |value: f64| HEIGHT - ((value - low) / span).clamp(0.0, 1.0) * HEIGHT;
    for (at, value) in values {
        let value = if is_win_loss { value.signum() } else { *value };
        let (top, bottom) = (y(value.max(0.0)), y(value.min(0.0)));
        let color = spark.colors.negative.filter(|_| value < 0.0).unwrap_or(spark.color);
        _ = write!(
            svg,
            "<rect x=\"{:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{}\"/>",
            *at as f64 * step,
            step * 0.8,
            (bottom - top).max(0.5),
            hex(color)
        );
    }
}

/// One bar of parts, one after the other.
fn bar(svg: &mut String, spark: &SparklineMark, values: &[(usize, f64)]) {
    let total: f64 = values.iter().map(|(_, value)| value.max(0.0)).sum();
    let total = spark.high.unwrap_or(total).max(f64::MIN_POSITIVE);
    let mut x = 0.0;
    for (index, (_, value)) in values.iter().enumerate() {
        let width = (value.max(0.0) / total * WIDTH).clamp(0.0, WIDTH - x);
        let color = spark.colors.second.filter(|_| index % 2 == 1).unwrap_or(spark.color);
        _ = write!(
            svg,
            "<rect x=\"{x:.1}\" y=\"2\" width=\"{width:.1}\" height=\"{}\" fill=\"{}\"/>",
            HEIGHT - 4.0,
            hex(color)
        );
        x += width;
    }
}
