//! The geometry of a shape: that of a preset, or custom paths (ECMA-376 part 1, 20.1.9).

use std::f64::consts::{PI, TAU};

use super::guides::Guides;
use super::outline::{Geometry, Outline, Path, Point};
use super::presets::preset;
use super::{DEGREE, XmlElement};

/// Half a turn in the unit of angles.
const HALF_TURN: f64 = 180.0 * DEGREE;
/// Commands of a path of custom geometry, at most.
const COMMANDS_MAX: usize = 10_000;

impl Geometry {
    /// The geometry of a shape of this size in pixels by its properties (`spPr`). Shapes without one that
    /// is known are rectangles.
    pub fn of(properties: &XmlElement, width: f64, height: f64) -> Geometry {
        if let Some(custom) = properties.child("custGeom") {
            return custom_geometry(custom, width, height);
        }
        let of_preset = properties.child("prstGeom").and_then(|own| {
            let list = own.child("avLst");
            let adjustments = list.into_iter().flat_map(XmlElement::elements).filter_map(|guide| {
                let value = guide.attribute("fmla")?.strip_prefix("val ")?.trim().parse::<f64>().ok()?;
                Some((guide.attribute("name")?, value))
            });
            let adjustments: Vec<(&str, f64)> = adjustments.filter(|(_, value)| value.is_finite()).collect();
            preset(own.attribute("prst")?, width, height, &adjustments)
        });
        of_preset.unwrap_or_else(|| Geometry::closed(Outline::rectangle(0.0, 0.0, width, height)))
    }
}

fn custom_geometry(custom: &XmlElement, width: f64, height: f64) -> Geometry {
    let shape = Guides::of(custom, width, height);
    let paths = custom.child("pathLst").into_iter().flat_map(XmlElement::elements);
    let mut commands_left = COMMANDS_MAX;
    let paths = paths.filter_map(|path| custom_path(path, custom, (width, height), &mut commands_left));
    let fraction = |side: &str, whole: f64, otherwise: f64| {
        let value = custom.child("rect").and_then(|rect| shape.value(rect.attribute(side)?));
        value.filter(|_| whole > 0.0).map_or(otherwise, |pixels| (pixels / whole).clamp(0.0, 1.0))
    };
    let text_box = [
        fraction("l", width, 0.0),
        fraction("t", height, 0.0),
        fraction("r", width, 1.0),
        fraction("b", height, 1.0),
    ];
    Geometry { paths: paths.collect(), text_box }
}

fn custom_path(
    path: &XmlElement,
    custom: &XmlElement,
    (width, height): (f64, f64),
    commands_left: &mut usize,
) -> Option<Path> {
    let size = |name: &str, whole: f64| path.number(name).filter(|size| *size > 0.0).unwrap_or(whole);
    // The coordinates of a path count in its own size; guides follow the size of the shape.
    let (own_width, own_height) = (size("w", width), size("h", height));
    let guides = Guides::of(custom, own_width, own_height);
    let (across, down) = (width / own_width, height / own_height);
    let point = |element: &XmlElement| {
        let x = guides.value(element.attribute("x")?)? * across;
        let y = guides.value(element.attribute("y")?)? * down;
        Some((x, y))
    };
    let mut outline = Outline::default();
    for command in path.elements() {
        *commands_left = commands_left.checked_sub(1)?;
        let points: Vec<Point> =
            command.elements().filter(|child| child.local_name() == "pt").filter_map(point).collect();
        match (command.local_name(), &points[..]) {
            ("moveTo", [to, ..]) => outline.move_to(*to),
            ("lnTo", [to, ..]) => outline.line_to(*to),
            ("quadBezTo", [control, to, ..]) => outline.quadratic_to(*control, *to),
            ("cubicBezTo", [first, second, to, ..]) => outline.curve_to(*first, *second, *to),
            ("arcTo", _) => {
                let value = |name: &str| guides.value(command.attribute(name)?);
                let (width, height) = (value("wR")? * across, value("hR")? * down);
                let (start, sweep) = (value("stAng")? / HALF_TURN * PI, value("swAng")? / HALF_TURN * PI);
                outline.arc(width, height, parameter(start, width, height), sweep);
            }
            ("close", _) => outline.close(),
            _ => {}
        }
    }
    let is = |name: &str, off: &[&str]| path.attribute(name).is_none_or(|value| !off.contains(&value));
    let line = outline.line();
    Some(Path { is_filled: is("fill", &["none"]), is_stroked: is("stroke", &["0", "false"]), ..line })
}

/// The parameter of the ellipse at which its point is in the direction `angle` from the center.
fn parameter(angle: f64, width: f64, height: f64) -> f64 {
    if width <= 0.0 || height <= 0.0 {
        return angle;
    }
    let turns = (angle / TAU).floor() * TAU;
    let within = angle - turns;
    let found = (within.sin() / height).atan2(within.cos() / width);
    turns + if found < 0.0 { found + TAU } else { found }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn geometry(xml: &str) -> Geometry {
        Geometry::of(&XmlElement::parse(xml, 100_000).expect("XML"), 200.0, 100.0)
    }

    #[test]
    fn presets_have_outlines_and_unknown_ones_are_rectangles() {
        let rectangle = "M0 0L200 0L200 100L0 100Z";
        for (name, data) in [
            ("rect", rectangle),
            ("flowChartDecision", "M100 0L200 50L100 100L0 50Z"),
            ("line", "M0 0L200 100"),
            ("notAShape", rectangle),
        ] {
            let shape = geometry(&format!("<a:spPr><a:prstGeom prst=\"{name}\"/></a:spPr>"));
            assert_eq!(shape.paths[0].data, data, "{name}");
        }
    }

    #[test]
    fn adjustments_change_a_preset() {
        let shape = |value: u32| {
            geometry(&format!(
                "<a:spPr><a:prstGeom prst=\"rightArrow\"><a:avLst><a:gd name=\"adj1\" fmla=\"val {value}\"/>\
                 </a:avLst></a:prstGeom></a:spPr>"
            ))
        };
        assert!(shape(50_000).paths[0].data.starts_with("M0 25L"));
        assert!(shape(100_000).paths[0].data.starts_with("M0 0L"));
    }

    #[test]
    fn custom_geometry_is_scaled_and_follows_its_guides() {
        let shape = geometry(
            "<a:spPr><a:custGeom><a:gdLst><a:gd name=\"x1\" fmla=\"*/ w 1 2\"/></a:gdLst>\
             <a:rect l=\"0\" t=\"0\" r=\"x1\" b=\"b\"/><a:pathLst><a:path w=\"20\" h=\"10\">\
             <a:moveTo><a:pt x=\"0\" y=\"0\"/></a:moveTo><a:lnTo><a:pt x=\"x1\" y=\"10\"/></a:lnTo>\
             <a:close/></a:path></a:pathLst></a:custGeom></a:spPr>",
        );
        assert_eq!(shape.paths[0].data, "M0 0L100 100Z");
        assert_eq!(shape.text_box, [0.0, 0.0, 0.5, 1.0]);
    }
}
