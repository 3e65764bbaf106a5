//! Where a shape lies. The frame of its image is larger than the shape if the shape is turned, a line or a
//! callout.

use std::f64::consts::FRAC_PI_2;

use serde::{Deserialize, Serialize};

use super::appearance::line;
use super::outline::Geometry;
use super::{DEGREE, UNITS_PER_PIXEL, XmlElement};
use crate::limits::SHAPE_SIDE_PIXELS_MAX;
use crate::xlsx::colors::Theme;

/// Distance in pixels of what is in a group from the frame, for lines at its sides.
const GROUP_MARGIN: f64 = 2.0;
/// Pixels around a line, so that a person can hit it.
const LINE_MARGIN: f64 = 5.0;
/// Differences below it come from calculating.
const NOISE: f64 = 1e-9;
/// Pixels that a callout may be outside of its box.
const MARGIN_MAX: f64 = 2_000.0;

/// The box of a shape and the frame around it, in pixels.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq)]
#[serde(default)]
pub(crate) struct Placement {
    /// Width and height of the shape before it is turned.
    pub size: (f64, f64),
    /// Clockwise, in radians.
    pub angle: f64,
    /// From the turned shape to the left, top, right and bottom side of the frame.
    pub margins: [f64; 4],
}

impl Placement {
    /// The placement of a shape, whose size in pixels is that of `covered` cells if it has none of its own.
    pub fn of(shape: &XmlElement, covered: Option<(f64, f64)>, theme: &Theme) -> Placement {
        let transform = transform(shape);
        let own = transform.and_then(|transform| {
            let size = transform.child("ext")?;
            Some((size.number("cx")? / UNITS_PER_PIXEL, size.number("cy")? / UNITS_PER_PIXEL))
        });
        let angle = transform.and_then(|transform| transform.number("rot")).unwrap_or(0.0) / DEGREE;
        let angle = angle.rem_euclid(360.0).to_radians();
        let own = own.filter(|(width, height)| *width > 0.0 || *height > 0.0);
        let size = own.or_else(|| covered.map(|size| anchor_box(size, angle))).unwrap_or((1.0, 1.0));
        let size = (size.0.clamp(0.0, SHAPE_SIDE_PIXELS_MAX), size.1.clamp(0.0, SHAPE_SIDE_PIXELS_MAX));
        Placement { size, angle, margins: margins(shape, size, angle, theme) }
    }

    /// Width and height of what is drawn, without the margins.
    fn turned(&self) -> (f64, f64) {
        let ((width, height), (sine, cosine)) = (self.size, self.angle.sin_cos());
        // The sine of half a turn is not quite 0.
        let exact = |part: f64| if part.abs() < NOISE { 0.0 } else { part.abs() };
        let (sine, cosine) = (exact(sine), exact(cosine));
        (width * cosine + height * sine, width * sine + height * cosine)
    }

    /// Width and height of the frame.
    pub fn frame(&self) -> (f64, f64) {
        let ((width, height), [left, top, right, bottom]) = (self.turned(), self.margins);
        ((left + width + right).max(1.0), (top + height + bottom).max(1.0))
    }

    /// The center of the shape in the frame.
    pub fn center(&self) -> (f64, f64) {
        let (width, height) = self.turned();
        (self.margins[0] + width / 2.0, self.margins[1] + height / 2.0)
    }

    /// Width and height of the anchor.
    pub fn anchor(&self) -> (f64, f64) {
        anchor_box(self.size, self.angle)
    }

    /// From the corner of the frame to the corner of the anchor.
    pub fn anchor_offset(&self) -> (f64, f64) {
        let ((x, y), (width, height)) = (self.center(), self.anchor());
        (x - width / 2.0, y - height / 2.0)
    }

    /// The placement when the frame has another size, to which all of it is scaled.
    pub fn resized(self, frame: (f64, f64)) -> Placement {
        let old = self.frame();
        // Items have whole pixels.
        if (frame.0 - old.0).abs() < 1.0 && (frame.1 - old.1).abs() < 1.0 {
            return self;
        }
        let (across, down) = (frame.0 / old.0, frame.1 / old.1);
        let [left, top, right, bottom] = self.margins;
        let quarters = self.angle / FRAC_PI_2;
        let (of_width, of_height) = match (quarters - quarters.round()).abs() < 1e-6 {
            true if quarters.round() as i64 % 2 == 0 => (across, down),
            true => (down, across),
            // At other angles a side of the frame follows from both sides of the shape.
            false => ((across + down) / 2.0, (across + down) / 2.0),
        };
        let size = (self.size.0 * of_width, self.size.1 * of_height);
        Placement { size, margins: [left * across, top * down, right * across, bottom * down], ..self }
    }
}

/// The anchor of a shape that is turned by about a quarter is that of the shape lying on its side, as Excel
/// writes it.
fn anchor_box((width, height): (f64, f64), angle: f64) -> (f64, f64) {
    let quarters = (angle / FRAC_PI_2 + 0.5).floor() as i64;
    if quarters % 2 == 0 { (width, height) } else { (height, width) }
}

/// The properties that all objects of a drawing have: id, name, description.
pub(crate) fn object_properties(shape: &XmlElement) -> Option<&XmlElement> {
    shape.elements().find(|child| child.local_name().starts_with("nv"))?.child("cNvPr")
}

/// The transform of a shape or group.
pub(crate) fn transform(shape: &XmlElement) -> Option<&XmlElement> {
    shape.child("spPr").or_else(|| shape.child("grpSpPr"))?.child("xfrm")
}

/// The part of a drawing in which something is, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Area {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

/// The shapes within a group of this size, with their areas from the corner of the group.
pub(crate) fn children(group: &XmlElement, width: f64, height: f64) -> Vec<(&XmlElement, Area)> {
    let Some(own) = transform(group) else { return Vec::new() };
    let pair = |name: &str, x: &str, y: &str| {
        let element = own.child(name)?;
        Some((element.number(x)?, element.number(y)?))
    };
    let (left, top) = pair("chOff", "x", "y").or_else(|| pair("off", "x", "y")).unwrap_or_default();
    let (across, down) = pair("chExt", "cx", "cy").or_else(|| pair("ext", "cx", "cy")).unwrap_or_default();
    let scale = |pixels: f64, units: f64| if units > 0.0 { pixels / units } else { 0.0 };
    let (across, down) = (scale(width, across), scale(height, down));
    let children = group.elements().filter_map(|child| {
        if !matches!(child.local_name(), "sp" | "cxnSp" | "pic" | "grpSp") {
            return None;
        }
        let own = transform(child)?;
        let number = |path: &str, name: &str| own.child(path).and_then(|element| element.number(name));
        let size = |name: &str| number("ext", name).unwrap_or(0.0);
        let area = Area {
            x: (number("off", "x")? - left) * across,
            y: (number("off", "y")? - top) * down,
            width: (size("cx") * across).max(0.0),
            height: (size("cy") * down).max(0.0),
        };
        Some((child, area))
    });
    children.collect()
}

/// Whether a shape can be drawn in any size with its text in the size it has: one that is within an
/// upright box.
pub(super) fn is_resizable(shape: &XmlElement, placement: &Placement) -> bool {
    shape.local_name() == "sp" && placement.angle == 0.0 && placement.margins == [0.0; 4]
}

fn margins(shape: &XmlElement, size: (f64, f64), angle: f64, theme: &Theme) -> [f64; 4] {
    let properties = match shape.local_name() {
        "grpSp" => return [GROUP_MARGIN; 4],
        _ => shape.child("spPr"),
    };
    let Some(properties) = properties else { return [0.0; 4] };
    let line = line(properties, shape.child("style"), theme);
    // Half of a line is outside of its outline.
    let half = line.as_ref().map_or(0.0, |line| {
        let ends = line.ends.iter().flatten().map(|end| end.size.0);
        (ends.fold(line.width, f64::max) / 2.0).ceil()
    });
    let outside = Geometry::of(properties, size.0, size.1).outside(size);
    let is_outside = outside.iter().any(|pixels| *pixels > 0.5);
    let is_line = shape.local_name() == "cxnSp" || size.0 == 0.0 || size.1 == 0.0;
    let has_ends = line.is_some_and(|line| line.ends != [None, None]);
    if !is_outside && !is_line && !has_ends && angle == 0.0 {
        // The outline is drawn within the box.
        return [0.0; 4];
    }
    let around = if is_line { half.max(LINE_MARGIN) } else { half };
    let [left, top, right, bottom] = outside.map(|pixels| (pixels.min(MARGIN_MAX) + around - NOISE).ceil());
    let flip = |name: &str| {
        let flip = transform(shape).and_then(|transform| transform.attribute(name));
        matches!(flip, Some("1" | "true"))
    };
    let (left, right) = if flip("flipH") { (right, left) } else { (left, right) };
    let (top, bottom) = if flip("flipV") { (bottom, top) } else { (top, bottom) };
    match angle == 0.0 {
        true => [left, top, right, bottom],
        false => [left.max(top).max(right).max(bottom); 4],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A shape of 200 × 100 pixels.
    fn placement(transform: &str, properties: &str) -> Placement {
        let shape = format!(
            "<xdr:sp><xdr:spPr><a:xfrm {transform}><a:off x=\"0\" y=\"0\"/>\
             <a:ext cx=\"1905000\" cy=\"952500\"/></a:xfrm>{properties}</xdr:spPr></xdr:sp>"
        );
        Placement::of(&XmlElement::parse(&shape, 100_000).expect("XML"), None, &Theme::default())
    }

    #[test]
    fn the_frame_of_an_upright_shape_is_its_box() {
        let shape = placement("", "<a:prstGeom prst=\"ellipse\"/>");
        assert_eq!((shape.frame(), shape.anchor_offset()), ((200.0, 100.0), (0.0, 0.0)));
        assert_eq!(shape.resized((400.0, 50.0)).size, (400.0, 50.0));
    }

    #[test]
    fn a_shape_turned_by_a_quarter_has_an_anchor_that_lies_on_its_side() {
        let shape = placement("rot=\"5400000\"", "<a:prstGeom prst=\"rect\"/>");
        let (width, height) = shape.frame();
        assert!((width - 100.0).abs() < 0.01 && (height - 200.0).abs() < 0.01);
        assert_eq!(shape.anchor(), (100.0, 200.0));
        let (width, height) = shape.resized((100.0, 400.0)).size;
        assert!((width - 400.0).abs() < 0.01 && (height - 100.0).abs() < 0.01);
    }

    #[test]
    fn the_frame_of_a_callout_has_its_tip() {
        let callout = "<a:prstGeom prst=\"wedgeRectCallout\"><a:avLst>\
            <a:gd name=\"adj1\" fmla=\"val -100000\"/><a:gd name=\"adj2\" fmla=\"val 0\"/></a:avLst></a:prstGeom>";
        let shape = placement("", callout);
        assert_eq!(shape.margins, [100.0, 0.0, 0.0, 0.0]);
        assert_eq!(shape.anchor_offset(), (100.0, 0.0));
        let larger = shape.resized((600.0, 100.0));
        assert_eq!((larger.size, larger.anchor_offset()), ((400.0, 100.0), (200.0, 0.0)));
        assert_eq!(placement("flipH=\"1\"", callout).margins, [0.0, 0.0, 100.0, 0.0]);
    }
}
