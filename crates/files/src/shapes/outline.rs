//! [`Outline`]: builds the commands of a path, and [`Geometry`]: the paths of a shape.

use std::f64::consts::{PI, TAU};
use std::fmt::Write as _;

/// A point in pixels from the corner of the shape.
pub(crate) type Point = (f64, f64);

/// A part of the outline of a shape.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Path {
    /// The commands `M`, `L`, `C` and `Z` of SVG with absolute coordinates.
    pub data: String,
    pub is_filled: bool,
    pub is_stroked: bool,
    /// The first point and the point before it in the direction of the line, and the same of the end: for
    /// arrowheads of lines. `None` for a closed outline.
    pub ends: Option<[(Point, Point); 2]>,
    /// Left, top, right and bottom side of its points.
    pub bounds: [f64; 4],
}

impl Path {
    /// The path of a line that has no arrowheads.
    pub fn without_ends(self) -> Path {
        Path { ends: None, ..self }
    }
}

/// What is drawn of a shape, and where its text is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Geometry {
    pub paths: Vec<Path>,
    /// Left, top, right and bottom side of the text, as fractions of width and height.
    pub text_box: [f64; 4],
}

impl Geometry {
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
pub(crate) struct Outline {
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

    /// A rectangle by its sides.
    pub fn rectangle(left: f64, top: f64, right: f64, bottom: f64) -> Outline {
        Outline::polygon(&[(left, top), (right, top), (right, bottom), (left, bottom)])
    }

    /// An ellipse by the sides of the rectangle around it.
    pub fn ellipse(left: f64, top: f64, right: f64, bottom: f64) -> Outline {
        let (width, height) = ((right - left) / 2.0, (bottom - top) / 2.0);
        let mut outline = Outline::default();
        outline.move_to((left, top + height));
        outline.arc(width, height, PI, TAU);
        outline.close();
        outline
    }

    /// Begins another line at a point.
    pub fn move_to(&mut self, to: Point) {
        self.command('M', &[to]);
        self.start = to;
    }

    /// Adds a straight line.
    pub fn line_to(&mut self, to: Point) {
        self.command('L', &[to]);
    }

    /// Adds a cubic Bézier curve.
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

    /// Adds a line to the start.
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

    /// The outline with a fill.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arc_of_a_quarter_ends_where_it_should() {
        let mut outline = Outline::default();
        outline.move_to((0.0, 50.0));
        outline.arc(100.0, 50.0, PI, PI / 2.0);
        assert!(outline.data.ends_with(" 100 0"), "{}", outline.data);
    }
}
