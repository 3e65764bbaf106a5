//! Draws a shape as an SVG document.
//!
//! An upright shape follows the size of its image, and its text is wrapped anew; whatever is turned,
//! grouped or a line is scaled as a picture. Texts are HTML (`foreignObject`), which browsers wrap.

use std::collections::HashMap;
use std::fmt::Write as _;

use quick_xml::escape::escape;

use super::appearance::{Fill, Line, LineEnd, color, fill, image, line};
use super::outline::{Geometry, Path, Point, rounded};
use super::placement::{Area, Placement, children, is_resizable, transform};
use super::text::html;
use super::xml_element::NOTHING;
use super::{DEGREE, XmlElement};
use crate::xlsx::colors::Theme;

/// Draws shapes with the colors of a theme.
pub(super) struct Painter<'t> {
    theme: &'t Theme,
    /// The ids of displayed images by their names.
    images: HashMap<String, String>,
    svg: String,
    /// Gradients and clips so far.
    count: usize,
}

impl<'t> Painter<'t> {
    /// A painter with the colors of a theme and the ids of the document's images by their names.
    pub fn new(theme: &'t Theme, images: HashMap<String, String>) -> Painter<'t> {
        Painter { theme, images, svg: String::new(), count: 0 }
    }

    /// The contents of the document.
    pub fn draw(mut self, shape: &XmlElement, placement: &Placement) -> String {
        let (frame, (width, height)) = (placement.frame(), placement.size);
        let _infallible = write!(
            self.svg,
            "<svg width=\"100%\" height=\"100%\" viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\">",
            rounded(frame.0),
            rounded(frame.1)
        );
        if is_resizable(shape, placement) {
            self.outline(shape, width, height, true);
            self.svg.push_str("</svg>");
            self.text(shape, &Geometry::of(properties(shape), width, height), None);
            return self.svg;
        }
        let (x, y) = placement.center();
        let area = Area { x: x - width / 2.0, y: y - height / 2.0, width, height };
        self.any(shape, area);
        self.svg.push_str("</svg>");
        self.svg
    }

    /// Draws a shape, an image or a group in its area.
    fn any(&mut self, shape: &XmlElement, area: Area) {
        let Area { x, y, width, height } = area;
        let angle = transform(shape).and_then(|transform| transform.number("rot")).unwrap_or(0.0) / DEGREE;
        let _infallible = write!(self.svg, "<g transform=\"translate({} {})", rounded(x), rounded(y));
        if angle != 0.0 {
            let (x, y) = (rounded(width / 2.0), rounded(height / 2.0));
            let _infallible = write!(self.svg, " rotate({} {x} {y})", rounded(angle));
        }
        self.svg.push_str("\">");
        match shape.local_name() {
            "grpSp" => self.group(shape, width, height),
            _ => {
                self.outline(shape, width, height, false);
                let geometry = Geometry::of(properties(shape), width, height);
                self.text(shape, &geometry, Some((width, height)));
            }
        }
        self.svg.push_str("</g>");
    }

    fn group(&mut self, group: &XmlElement, width: f64, height: f64) {
        self.flip(transform(group).unwrap_or(&NOTHING), width, height);
        for (child, area) in children(group, width, height) {
            self.any(child, area);
        }
        self.svg.push_str("</g>");
    }

    /// Starts an element in which everything is mirrored as a transform says.
    fn flip(&mut self, transform: &XmlElement, width: f64, height: f64) {
        let is = |name: &str| matches!(transform.attribute(name), Some("1" | "true"));
        let (x, across) = if is("flipH") { (width, -1) } else { (0.0, 1) };
        let (y, down) = if is("flipV") { (height, -1) } else { (0.0, 1) };
        match (across, down) {
            (1, 1) => self.svg.push_str("<g>"),
            _ => {
                let (x, y) = (rounded(x), rounded(y));
                let _infallible =
                    write!(self.svg, "<g transform=\"translate({x} {y}) scale({across} {down})\">");
            }
        }
    }

    /// Draws the fill and the line of a shape; `is_within`: all of the line is within the box.
    fn outline(&mut self, shape: &XmlElement, width: f64, height: f64, is_within: bool) {
        let (properties, style) = (properties(shape), shape.child("style"));
        let line = line(properties, style, self.theme);
        let fill = match shape.child("blipFill").and_then(image) {
            Some(image) => image,
            None if shape.local_name() == "pic" => Fill::None,
            None => fill(properties, style, self.theme),
        };
        let inset = match &line {
            Some(line) if is_within => line.width.min(width / 2.0).min(height / 2.0),
            _ => 0.0,
        };
        let (width, height) = (width - inset, height - inset);
        let geometry = Geometry::of(properties, width, height);
        let is_inset = inset > 0.0;
        if is_inset {
            let half = rounded(inset / 2.0);
            let _infallible = write!(self.svg, "<g transform=\"translate({half} {half})\">");
        }
        self.flip(transform(shape).unwrap_or(&NOTHING), width, height);
        let is_bare = fill.is_bare();
        for path in &geometry.paths {
            let paint = match &fill {
                _ if !path.is_filled => "none".to_owned(),
                Fill::None => "none".to_owned(),
                Fill::Solid(paint) => paint.css(false),
                Fill::Gradient(stops, angle) => self.gradient(stops, *angle),
                Fill::Image(id, cut) => {
                    self.image(path, id, *cut, width, height);
                    "none".to_owned()
                }
            };
            let stroke = match &line {
                Some(line) if path.is_stroked => stroke(line, is_bare),
                _ => String::new(),
            };
            let _infallible = write!(self.svg, "<path d=\"{}\" fill=\"{paint}\"{stroke}/>", path.data);
            if let (Some(line), Some(ends)) = (&line, path.ends) {
                for (end, (point, before)) in line.ends.iter().zip(ends) {
                    if let Some(end) = end {
                        self.line_end(*end, point, before, &line.paint.css(is_bare));
                    }
                }
            }
        }
        self.svg.push_str("</g>");
        if is_inset {
            self.svg.push_str("</g>");
        }
    }

    /// Draws an arrowhead or a disk at the end of a line that comes from `before`.
    fn line_end(&mut self, end: LineEnd, (x, y): Point, before: Point, css: &str) {
        let (breadth, length) = end.size;
        if end.is_oval {
            let (x, y) = (rounded(x), rounded(y));
            let (across, down) = (rounded(length / 2.0), rounded(breadth / 2.0));
            let _infallible = write!(
                self.svg,
                "<ellipse cx=\"{x}\" cy=\"{y}\" rx=\"{across}\" ry=\"{down}\" fill=\"{css}\"/>"
            );
            return;
        }
        let angle = (y - before.1).atan2(x - before.0);
        let corner = |side: f64| {
            let (sine, cosine) = angle.sin_cos();
            let (along, across) = (-length, side * breadth / 2.0);
            (rounded(x + along * cosine - across * sine), rounded(y + along * sine + across * cosine))
        };
        let ((left_x, left_y), (right_x, right_y)) = (corner(-1.0), corner(1.0));
        let (x, y) = (rounded(x), rounded(y));
        let _infallible =
            write!(self.svg, "<path d=\"M{x} {y}L{left_x} {left_y}L{right_x} {right_y}Z\" fill=\"{css}\"/>");
    }

    /// Adds a gradient, and returns the paint that refers to it.
    fn gradient(&mut self, stops: &[(f64, super::appearance::Paint)], angle: f64) -> String {
        self.count += 1;
        let (sine, cosine) = angle.to_radians().sin_cos();
        let at = |sign: f64, part: f64| rounded(0.5 + sign * part / 2.0);
        let _infallible = write!(
            self.svg,
            "<linearGradient id=\"g{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\">",
            self.count,
            at(-1.0, cosine),
            at(-1.0, sine),
            at(1.0, cosine),
            at(1.0, sine)
        );
        for (position, paint) in stops {
            let (position, css) = (rounded(*position), paint.css(false));
            let _infallible = write!(self.svg, "<stop offset=\"{position}\" stop-color=\"{css}\"/>");
        }
        self.svg.push_str("</linearGradient>");
        format!("url(#g{})", self.count)
    }

    /// Draws an image within a path; a gray area for one that browsers do not display.
    fn image(&mut self, path: &Path, id: &str, cut: [f64; 4], width: f64, height: f64) {
        let Some(image) = self.images.get(id) else {
            let _infallible = write!(self.svg, "<path d=\"{}\" fill=\"#e3e6ea\"/>", path.data);
            return;
        };
        self.count += 1;
        let count = self.count;
        let [left, top, right, bottom] = cut;
        let (shown_x, shown_y) = ((1.0 - left - right).max(0.01), (1.0 - top - bottom).max(0.01));
        let (across, down) = (rounded(width / shown_x), rounded(height / shown_y));
        let (x, y) = (rounded(-left * width / shown_x), rounded(-top * height / shown_y));
        let _infallible = write!(
            self.svg,
            "<clipPath id=\"g{count}\"><path d=\"{}\"/></clipPath><g clip-path=\"url(#g{count})\">\
             <use href=\"#{}\" transform=\"translate({x} {y}) scale({across} {down})\"/></g>",
            path.data,
            escape(image.as_str())
        );
    }

    /// Draws the text in its part of a shape of this size in pixels; without a size, in parts of the whole
    /// document.
    fn text(&mut self, shape: &XmlElement, geometry: &Geometry, size: Option<(f64, f64)>) {
        let Some(body) = shape.child("txBody") else { return };
        let style = shape.at(&["style", "fontRef"]).and_then(|font| color(font, self.theme));
        let is_bare = fill(properties(shape), shape.child("style"), self.theme).is_bare();
        let Some(html) = html(body, style, self.theme, is_bare) else { return };
        let [left, top, right, bottom] = geometry.text_box;
        let (unit, width, height) = match size {
            Some((width, height)) => ("", width, height),
            None => ("%", 100.0, 100.0),
        };
        let _infallible = write!(
            self.svg,
            "<foreignObject x=\"{}{unit}\" y=\"{}{unit}\" width=\"{}{unit}\" height=\"{}{unit}\" \
             overflow=\"visible\">{html}\
             </foreignObject>",
            rounded(left * width),
            rounded(top * height),
            rounded((right - left).max(0.0) * width),
            rounded((bottom - top).max(0.0) * height)
        );
    }
}

fn stroke(line: &Line, is_bare: bool) -> String {
    let mut stroke = format!(
        " stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\" vector-effect=\"non-scaling-stroke\"",
        line.paint.css(is_bare),
        rounded(line.width)
    );
    if !line.dashes.is_empty() {
        let dashes: Vec<String> =
            line.dashes.iter().map(|dash| rounded(dash * line.width.max(1.0)).to_string()).collect();
        let _infallible = write!(stroke, " stroke-dasharray=\"{}\"", dashes.join(" "));
    }
    stroke
}

fn properties(shape: &XmlElement) -> &XmlElement {
    shape.child("spPr").unwrap_or(&NOTHING)
}
