//! Outlines of shapes: preset shapes by their names, custom geometry by its paths (ECMA-376 part 1,
//! 20.1.9).

use std::f64::consts::{PI, TAU};
use std::fmt::Write as _;

use super::XmlElement;
use super::guides::Guides;
use super::presets::preset;

/// A point in pixels from the corner of the shape.
pub(super) type Point = (f64, f64);

/// Sixtieth thousandths of a degree, the unit of angles, in half a turn.
const HALF_TURN: f64 = 10_800_000.0;
/// Commands of a path of custom geometry, at most.
const COMMANDS_MAX: usize = 10_000;

/// A part of the outline of a shape.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Path {
    /// The commands `M`, `L`, `C` and `Z` of SVG with absolute coordinates.
    pub data: String,
    pub is_filled: bool,
    pub is_stroked: bool,
    /// The first point and the point before it in the direction of the line, and the same of the end: for
    /// arrowheads of lines. `None` for a closed outline.
    pub ends: Option<[(Point, Point); 2]>,
    /// Left, top, right and bottom side of its points.
    bounds: [f64; 4],
}

impl Path {
    /// The path of a line that has no arrowheads.
    pub fn without_ends(self) -> Path {
        Path { ends: None, ..self }
    }
}

/// What is drawn of a shape, and where its text is.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Geometry {
    pub paths: Vec<Path>,
    /// Left, top, right and bottom side of the text, as fractions of width and height.
    pub text_box: [f64; 4],
}

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

    /// How far the outlines are beyond the left, top, right and bottom side of a shape of this size.
    pub fn outside(&self, (width, height): (f64, f64)) -> [f64; 4] {
        let mut outside = [0.0; 4];
        for Path { bounds: [left, top, right, bottom], .. } in &self.paths {
            for (side, pixels) in [-left, -top, right - width, bottom - height].into_iter().enumerate() {
                outside[side] = f64::max(outside[side], pixels);
            }
        }
        outside
    }

    /// A filled shape with the text in all of it.
    pub fn closed(outline: Outline) -> Geometry {
        Geometry { paths: vec![outline.filled()], text_box: [0.0, 0.0, 1.0, 1.0] }
    }
}

/// Builds the commands of a path.
#[derive(Clone, Default)]
pub(super) struct Outline {
    data: String,
    /// All points of lines, and control points of curves.
    points: Vec<Point>,
    start: Point,
    is_closed: bool,
}

impl Outline {
    /// A closed polygon.
    pub fn polygon(points: &[Point]) -> Outline {
        let mut outline = Outline::polyline(points);
        outline.close();
        outline
    }

    /// An open line.
    pub fn polyline(points: &[Point]) -> Outline {
        let mut outline = Outline::default();
        for (index, point) in points.iter().enumerate() {
            if index == 0 { outline.move_to(*point) } else { outline.line_to(*point) }
        }
        outline
    }

    pub fn rectangle(left: f64, top: f64, right: f64, bottom: f64) -> Outline {
        Outline::polygon(&[(left, top), (right, top), (right, bottom), (left, bottom)])
    }

    pub fn ellipse(left: f64, top: f64, right: f64, bottom: f64) -> Outline {
        let (width, height) = ((right - left) / 2.0, (bottom - top) / 2.0);
        let mut outline = Outline::default();
        outline.move_to((left, top + height));
        outline.arc(width, height, PI, TAU);
        outline.close();
        outline
    }

    pub fn move_to(&mut self, to: Point) {
        self.command('M', &[to]);
        self.start = to;
    }

    pub fn line_to(&mut self, to: Point) {
        self.command('L', &[to]);
    }

    pub fn curve_to(&mut self, first: Point, second: Point, to: Point) {
        self.command('C', &[first, second, to]);
    }

    /// A quadratic curve as a cubic one.
    pub fn quadratic_to(&mut self, control: Point, to: Point) {
        let from = self.current();
        let toward =
            |end: Point| (end.0 + (control.0 - end.0) * 2.0 / 3.0, end.1 + (control.1 - end.1) * 2.0 / 3.0);
        self.curve_to(toward(from), toward(to), to);
    }

    /// An arc of an ellipse with these radii, from the current point. `start` is the angle of that point and
    /// `sweep` the angle to the end, in radians clockwise.
    pub fn arc(&mut self, width: f64, height: f64, start: f64, sweep: f64) {
        let sweep = sweep.clamp(-TAU, TAU);
        let (x, y) = self.current();
        let center = (x - width * start.cos(), y - height * start.sin());
        // A curve is close to an arc of up to a quarter of a turn.
        let count = (sweep.abs() / (PI / 2.0) - 1e-9).ceil().max(1.0);
        let step = sweep / count;
        let reach = 4.0 / 3.0 * (step / 4.0).tan();
        let at = |angle: f64| (center.0 + width * angle.cos(), center.1 + height * angle.sin());
        let along = |angle: f64, reach: f64| {
            let (x, y) = at(angle);
            (x - width * angle.sin() * reach, y + height * angle.cos() * reach)
        };
        for index in 0..count as u32 {
            let from = start + step * f64::from(index);
            let to = from + step;
            self.curve_to(along(from, reach), along(to, -reach), at(to));
        }
    }

    pub fn close(&mut self) {
        self.data.push('Z');
        self.is_closed = true;
        self.points.push(self.start);
    }

    /// Appends another outline.
    pub fn and(mut self, other: Outline) -> Outline {
        self.data.push_str(&other.data);
        self.points.extend(other.points);
        self.is_closed &= other.is_closed;
        self
    }

    pub fn filled(self) -> Path {
        Path { is_filled: true, ..self.line() }
    }

    /// The outline without a fill.
    pub fn line(self) -> Path {
        let ends = match &self.points[..] {
            [first, second, ..] if !self.is_closed => {
                let last = self.points.len() - 1;
                Some([(*first, *second), (self.points[last], self.points[last - 1])])
            }
            _ => None,
        };
        let side = |of: fn(&Point) -> f64, choose: fn(f64, f64) -> f64| {
            self.points.iter().map(of).reduce(choose).unwrap_or(0.0)
        };
        let bounds = [
            side(|point| point.0, f64::min),
            side(|point| point.1, f64::min),
            side(|point| point.0, f64::max),
            side(|point| point.1, f64::max),
        ];
        Path { data: self.data, is_filled: false, is_stroked: true, ends, bounds }
    }

    fn current(&self) -> Point {
        self.points.last().copied().unwrap_or_default()
    }

    fn command(&mut self, letter: char, points: &[Point]) {
        self.data.push(letter);
        for (index, (x, y)) in points.iter().enumerate() {
            let gap = if index == 0 { "" } else { " " };
            let _infallible = write!(self.data, "{gap}{} {}", rounded(*x), rounded(*y));
        }
        self.points.extend(points);
    }
}

/// Hundredths of a pixel.
pub(super) fn rounded(pixels: f64) -> f64 {
    let rounded = (pixels * 100.0).round() / 100.0;
    // Negative zero is written with its sign.
    if rounded == 0.0 || !rounded.is_finite() { 0.0 } else { rounded }
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

    #[test]
    fn an_arc_of_a_quarter_ends_where_it_should() {
        let mut outline = Outline::default();
        outline.move_to((0.0, 50.0));
        outline.arc(100.0, 50.0, PI, PI / 2.0);
        assert!(outline.data.ends_with(" 100 0"), "{}", outline.data);
    }
}
