//! The outlines of preset shapes (ECMA-376 part 1, 20.1.10.56), of those that are common in workbooks. Some
//! are simpler than in Office: clouds are ellipses.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, PI, TAU};

use super::outline::{Geometry, Outline, Path, Point};

/// The whole of a measure in the unit of adjustments.
const WHOLE: f64 = 100_000.0;

/// The size of a shape and its adjustments.
struct Preset<'a> {
    width: f64,
    height: f64,
    adjustments: &'a [(&'a str, f64)],
}

/// The geometry of a preset of this size in pixels; `None` for one that is not known.
pub(super) fn preset(name: &str, width: f64, height: f64, adjustments: &[(&str, f64)]) -> Option<Geometry> {
    let shape = Preset { width, height, adjustments };
    shape
        .line(name)
        .or_else(|| shape.flow_chart(name))
        .or_else(|| shape.basic(name))
        .or_else(|| shape.arrow(name).or_else(|| shape.callout(name)).or_else(|| shape.bracket(name)))
}

/// Whether there is a preset of this name.
pub(super) fn is_preset(name: &str) -> bool {
    preset(name, 1.0, 1.0, &[]).is_some()
}

/// Whether a preset is a line, which has neither a fill nor a text.
pub(super) fn is_line_preset(name: &str) -> bool {
    Preset { width: 1.0, height: 1.0, adjustments: &[] }.line(name).is_some()
}

impl Preset<'_> {
    /// An adjustment as a fraction, by its name.
    fn adjustment(&self, name: &str, default: f64) -> f64 {
        let own = self.adjustments.iter().find(|(own, _)| *own == name);
        own.map_or(default, |(_, value)| *value) / WHOLE
    }

    /// An adjustment of the shorter side in pixels, at most half of it.
    fn inset(&self, name: &str, default: f64) -> f64 {
        self.short() * self.adjustment(name, default).clamp(0.0, 0.5)
    }

    fn short(&self) -> f64 {
        self.width.min(self.height)
    }

    /// Points from fractions of width and height.
    fn points(&self, fractions: &[Point]) -> Vec<Point> {
        fractions.iter().map(|(x, y)| (x * self.width, y * self.height)).collect()
    }

    fn polygon(&self, fractions: &[Point]) -> Geometry {
        Geometry::closed(Outline::polygon(&self.points(fractions)))
    }

    fn whole(&self) -> Outline {
        Outline::rectangle(0.0, 0.0, self.width, self.height)
    }

    fn ellipse(&self) -> Geometry {
        // The text is within the largest rectangle of an ellipse.
        let (start, end) = ((1.0 - FRAC_1_SQRT_2) / 2.0, (1.0 + FRAC_1_SQRT_2) / 2.0);
        let outline = Outline::ellipse(0.0, 0.0, self.width, self.height);
        Geometry { text_box: [start, start, end, end], ..Geometry::closed(outline) }
    }

    /// A rectangle whose corners, from the top left clockwise, are rounded or cut by these lengths.
    fn corners(&self, lengths: [f64; 4], are_round: bool) -> Outline {
        let (w, h) = (self.width, self.height);
        let corners = [((0.0, 0.0), PI), ((w, 0.0), -FRAC_PI_2), ((w, h), 0.0), ((0.0, h), FRAC_PI_2)];
        let mut outline = Outline::default();
        for (index, ((x, y), angle)) in corners.into_iter().enumerate() {
            let length = lengths[index];
            // Toward the corner before and after.
            let (before, after) = match index {
                0 => ((0.0, 1.0), (1.0, 0.0)),
                1 => ((-1.0, 0.0), (0.0, 1.0)),
                2 => ((0.0, -1.0), (-1.0, 0.0)),
                _ => ((1.0, 0.0), (0.0, -1.0)),
            };
            let start = (x + before.0 * length, y + before.1 * length);
            if index == 0 {
                outline.move_to(start)
            } else {
                outline.line_to(start)
            }
            match are_round {
                _ if length <= 0.0 => {}
                true => outline.arc(length, length, angle, FRAC_PI_2),
                false => outline.line_to((x + after.0 * length, y + after.1 * length)),
            }
        }
        outline.close();
        outline
    }

    fn star(&self, points: u32, inner: f64, (reach_x, reach_y): (f64, f64), center_y: f64) -> Geometry {
        let corners = (0..points * 2).map(|index| {
            let angle = f64::from(index) * PI / f64::from(points) - FRAC_PI_2;
            let reach = if index % 2 == 0 { 1.0 } else { inner };
            (0.5 + angle.cos() * reach * reach_x / 2.0, center_y + angle.sin() * reach * reach_y / 2.0)
        });
        Geometry { text_box: [0.25, 0.25, 0.75, 0.75], ..self.polygon(&corners.collect::<Vec<Point>>()) }
    }

    fn line(&self, name: &str) -> Option<Geometry> {
        let (w, h) = (self.width, self.height);
        let x1 = w * self.adjustment("adj1", 50_000.0);
        let y2 = h * self.adjustment("adj2", 50_000.0);
        let outline = match name {
            "line" | "straightConnector1" => Outline::polyline(&[(0.0, 0.0), (w, h)]),
            "bentConnector2" => Outline::polyline(&[(0.0, 0.0), (w, 0.0), (w, h)]),
            "bentConnector3" => Outline::polyline(&[(0.0, 0.0), (x1, 0.0), (x1, h), (w, h)]),
            "bentConnector4" => Outline::polyline(&[(0.0, 0.0), (x1, 0.0), (x1, y2), (w, y2), (w, h)]),
            "bentConnector5" => {
                let x3 = w * self.adjustment("adj3", 50_000.0);
                Outline::polyline(&[(0.0, 0.0), (x1, 0.0), (x1, y2), (x3, y2), (x3, h), (w, h)])
            }
            "curvedConnector2" => {
                let mut curve = Outline::polyline(&[(0.0, 0.0)]);
                curve.curve_to((w / 2.0, 0.0), (w, h / 2.0), (w, h));
                curve
            }
            "curvedConnector3" | "curvedConnector4" | "curvedConnector5" => {
                let mut curve = Outline::polyline(&[(0.0, 0.0)]);
                curve.curve_to((x1 / 2.0, 0.0), (x1, h / 4.0), (x1, h / 2.0));
                curve.curve_to((x1, h * 0.75), ((w + x1) / 2.0, h), (w, h));
                curve
            }
            _ => return None,
        };
        Some(Geometry { paths: vec![outline.line()], text_box: [0.0, 0.0, 1.0, 1.0] })
    }

    fn basic(&self, name: &str) -> Option<Geometry> {
        let (w, h) = (self.width, self.height);
        let corner = self.inset("adj", 16_667.0);
        let first = self.inset("adj1", 16_667.0);
        let second = self.inset("adj2", 0.0);
        let closed = Geometry::closed;
        let (across, down) =
            (self.inset("adj", 25_000.0) / w.max(1.0), self.inset("adj", 25_000.0) / h.max(1.0));
        Some(match name {
            "rect" => closed(self.whole()),
            "roundRect" => closed(self.corners([corner; 4], true)),
            "round1Rect" => closed(self.corners([0.0, corner, 0.0, 0.0], true)),
            "round2SameRect" => closed(self.corners([first, first, second, second], true)),
            "round2DiagRect" => closed(self.corners([first, second, first, second], true)),
            "snip1Rect" => closed(self.corners([0.0, corner, 0.0, 0.0], false)),
            "snip2SameRect" => closed(self.corners([first, first, second, second], false)),
            "snip2DiagRect" => {
                let (first, second) = (self.inset("adj1", 0.0), self.inset("adj2", 16_667.0));
                closed(self.corners([first, second, first, second], false))
            }
            "ellipse" | "cloud" => self.ellipse(),
            "triangle" => {
                let top = self.adjustment("adj", 50_000.0);
                let outline = self.polygon(&[(0.0, 1.0), (top, 0.0), (1.0, 1.0)]);
                Geometry { text_box: [top / 2.0, 0.5, (1.0 + top) / 2.0, 1.0], ..outline }
            }
            "rtTriangle" => Geometry {
                text_box: [1.0 / 12.0, 7.0 / 12.0, 7.0 / 12.0, 11.0 / 12.0],
                ..self.polygon(&[(0.0, 1.0), (0.0, 0.0), (1.0, 1.0)])
            },
            "diamond" => Geometry {
                text_box: [0.25, 0.25, 0.75, 0.75],
                ..self.polygon(&[(0.5, 0.0), (1.0, 0.5), (0.5, 1.0), (0.0, 0.5)])
            },
            "parallelogram" => self.polygon(&[(0.0, 1.0), (across, 0.0), (1.0, 0.0), (1.0 - across, 1.0)]),
            "trapezoid" => self.polygon(&[(0.0, 1.0), (across, 0.0), (1.0 - across, 0.0), (1.0, 1.0)]),
            "hexagon" => self.polygon(&[
                (0.0, 0.5),
                (across, 0.0),
                (1.0 - across, 0.0),
                (1.0, 0.5),
                (1.0 - across, 1.0),
                (across, 1.0),
            ]),
            "octagon" => closed(self.corners([self.inset("adj", 29_289.0); 4], false)),
            "pentagon" => {
                let corners = (0..5).map(|index| {
                    let angle = f64::from(index) * TAU / 5.0 - FRAC_PI_2;
                    (0.5 + angle.cos() * 1.051_46 / 2.0, (1.0 + angle.sin()) * 1.105_57 / 2.0)
                });
                self.polygon(&corners.collect::<Vec<Point>>())
            }
            "plus" | "mathPlus" => self.polygon(&[
                (across, 0.0),
                (1.0 - across, 0.0),
                (1.0 - across, down),
                (1.0, down),
                (1.0, 1.0 - down),
                (1.0 - across, 1.0 - down),
                (1.0 - across, 1.0),
                (across, 1.0),
                (across, 1.0 - down),
                (0.0, 1.0 - down),
                (0.0, down),
                (across, down),
            ]),
            "star4" => self.star(4, self.adjustment("adj", 12_500.0) * 2.0, (1.0, 1.0), 0.5),
            "star5" => {
                let center = 1.105_57 / 2.0;
                self.star(5, self.adjustment("adj", 19_098.0) * 2.0, (1.051_46, 1.105_57), center)
            }
            "star6" => self.star(6, self.adjustment("adj", 28_868.0) * 2.0, (1.154_7, 1.0), 0.5),
            "star8" => self.star(8, self.adjustment("adj", 37_500.0) * 2.0, (1.0, 1.0), 0.5),
            "star12" => self.star(12, self.adjustment("adj", 37_500.0) * 2.0, (1.0, 1.0), 0.5),
            "star16" => self.star(16, self.adjustment("adj", 37_500.0) * 2.0, (1.0, 1.0), 0.5),
            "star24" => self.star(24, self.adjustment("adj", 37_500.0) * 2.0, (1.0, 1.0), 0.5),
            "star32" => self.star(32, self.adjustment("adj", 37_500.0) * 2.0, (1.0, 1.0), 0.5),
            "can" => self.can(self.inset("adj", 25_000.0) / 2.0),
            "cube" => {
                let depth = self.inset("adj", 25_000.0);
                let front = Outline::rectangle(0.0, depth, w - depth, h);
                let top = Outline::polygon(&[(0.0, depth), (depth, 0.0), (w, 0.0), (w - depth, depth)]);
                let side = [(w - depth, depth), (w, 0.0), (w, h - depth), (w - depth, h)];
                let text_box = [0.0, depth / h.max(1.0), 1.0 - depth / w.max(1.0), 1.0];
                let outline = front.and(top).and(Outline::polygon(&side));
                Geometry { text_box, ..Geometry::closed(outline) }
            }
            "donut" => {
                let ring = self.inset("adj", 25_000.0);
                let mut inner = Outline::default();
                inner.move_to((ring, h / 2.0));
                // The other way round, so that the middle is not filled.
                inner.arc(w / 2.0 - ring, h / 2.0 - ring, PI, -TAU);
                inner.close();
                let outline = Outline::ellipse(0.0, 0.0, w, h).and(inner);
                Geometry { text_box: self.ellipse().text_box, ..Geometry::closed(outline) }
            }
            "frame" => {
                let edge = self.inset("adj1", 12_500.0);
                let inner = [(edge, edge), (edge, h - edge), (w - edge, h - edge), (w - edge, edge)];
                closed(self.whole().and(Outline::polygon(&inner)))
            }
            "heart" => {
                let mut outline = Outline::polyline(&[(w / 2.0, h / 4.0)]);
                let far = w * 49.0 / 48.0;
                let near = w * 10.0 / 48.0;
                let bottom = (w / 2.0, h);
                outline.curve_to((w / 2.0 + near, -h / 3.0), (w / 2.0 + far, h / 4.0), bottom);
                outline.curve_to((w / 2.0 - far, h / 4.0), (w / 2.0 - near, -h / 3.0), (w / 2.0, h / 4.0));
                outline.close();
                Geometry { text_box: [1.0 / 6.0, 0.25, 5.0 / 6.0, 2.0 / 3.0], ..closed(outline) }
            }
            _ => return None,
        })
    }

    /// A cylinder whose top is an ellipse of this half height.
    fn can(&self, half: f64) -> Geometry {
        let (w, h) = (self.width, self.height);
        let mut body = Outline::polyline(&[(0.0, half)]);
        body.arc(w / 2.0, half, PI, -PI);
        body.line_to((w, h - half));
        body.arc(w / 2.0, half, 0.0, PI);
        body.close();
        let top = Outline::ellipse(0.0, 0.0, w, half * 2.0);
        let below = (2.0 * half / h.max(1.0)).min(1.0);
        Geometry { text_box: [0.0, below, 1.0, 1.0], ..Geometry::closed(body.and(top)) }
    }

    fn flow_chart(&self, name: &str) -> Option<Geometry> {
        let (w, h) = (self.width, self.height);
        let closed = Geometry::closed;
        Some(match name.strip_prefix("flowChart")? {
            "Process" => closed(self.whole()),
            "AlternateProcess" => closed(self.corners([self.short() / 6.0; 4], true)),
            "Decision" | "Sort" => self.basic("diamond")?,
            "InputOutput" => self.polygon(&[(0.0, 1.0), (0.2, 0.0), (1.0, 0.0), (0.8, 1.0)]),
            "PredefinedProcess" => {
                let lines = [w / 8.0, w * 7.0 / 8.0].map(|x| Outline::polyline(&[(x, 0.0), (x, h)]).line());
                let lines = lines.map(Path::without_ends);
                let mut shape = closed(self.whole());
                shape.paths.extend(lines);
                Geometry { text_box: [0.125, 0.0, 0.875, 1.0], ..shape }
            }
            "Terminator" => {
                let end = w * 3_475.0 / 21_600.0;
                let mut outline = Outline::polyline(&[(end, 0.0), (w - end, 0.0)]);
                outline.arc(end, h / 2.0, -FRAC_PI_2, PI);
                outline.line_to((end, h));
                outline.arc(end, h / 2.0, FRAC_PI_2, PI);
                outline.close();
                closed(outline)
            }
            "Document" => {
                let wave = h * 17_322.0 / 21_600.0;
                let mut outline = Outline::polyline(&[(0.0, 0.0), (w, 0.0), (w, wave)]);
                let middle = (w / 2.0, h * 20_172.0 / 21_600.0);
                outline.curve_to((w * 0.8, wave), (w / 2.0 + w * 0.1, h * 0.88), middle);
                outline.curve_to((w * 0.35, h * 1.02), (w * 0.15, h), (0.0, h * 20_172.0 / 21_600.0));
                outline.close();
                Geometry { text_box: [0.0, 0.0, 1.0, 0.8], ..closed(outline) }
            }
            "Connector" | "Or" | "SummingJunction" => self.ellipse(),
            "ManualInput" => self.polygon(&[(0.0, 0.2), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]),
            "ManualOperation" => self.polygon(&[(0.0, 0.0), (1.0, 0.0), (0.8, 1.0), (0.2, 1.0)]),
            "Preparation" => {
                self.polygon(&[(0.0, 0.5), (0.2, 0.0), (0.8, 0.0), (1.0, 0.5), (0.8, 1.0), (0.2, 1.0)])
            }
            "OffpageConnector" => self.polygon(&[(0.0, 0.0), (1.0, 0.0), (1.0, 0.8), (0.5, 1.0), (0.0, 0.8)]),
            "Extract" => self.basic("triangle")?,
            "Merge" => Geometry {
                text_box: [0.25, 0.0, 0.75, 0.5],
                ..self.polygon(&[(0.0, 0.0), (1.0, 0.0), (0.5, 1.0)])
            },
            "Delay" => {
                let mut outline = Outline::polyline(&[(0.0, 0.0), (w / 2.0, 0.0)]);
                outline.arc(w / 2.0, h / 2.0, -FRAC_PI_2, PI);
                outline.line_to((0.0, h));
                outline.close();
                closed(outline)
            }
            "MagneticDisk" => self.can(h / 6.0),
            _ => return None,
        })
    }

    fn arrow(&self, name: &str) -> Option<Geometry> {
        let (w, h) = (self.width, self.height);
        // The shaft's share of the breadth, and the length of the head.
        let shaft = self.adjustment("adj1", 50_000.0).clamp(0.0, 1.0);
        let head = self.short() * self.adjustment("adj2", 50_000.0).max(0.0);
        let (head_x, head_y) = ((head / w.max(1.0)).min(1.0), (head / h.max(1.0)).min(1.0));
        let (low, high) = (0.5 - shaft / 2.0, 0.5 + shaft / 2.0);
        let right = |head: f64| {
            [
                (0.0, low),
                (1.0 - head, low),
                (1.0 - head, 0.0),
                (1.0, 0.5),
                (1.0 - head, 1.0),
                (1.0 - head, high),
                (0.0, high),
            ]
        };
        let both = |head: f64| {
            [
                (0.0, 0.5),
                (head, 0.0),
                (head, low),
                (1.0 - head, low),
                (1.0 - head, 0.0),
                (1.0, 0.5),
                (1.0 - head, 1.0),
                (1.0 - head, high),
                (head, high),
                (head, 1.0),
            ]
        };
        let (along, across) = ([0.0, low, 1.0, high], [low, 0.0, high, 1.0]);
        let (points, text_box): (Vec<Point>, [f64; 4]) = match name {
            "rightArrow" => (right(head_x).to_vec(), along),
            "leftArrow" => (right(head_x).map(|(x, y)| (1.0 - x, y)).to_vec(), along),
            "downArrow" => (right(head_y).map(|(x, y)| (y, x)).to_vec(), across),
            "upArrow" => (right(head_y).map(|(x, y)| (y, 1.0 - x)).to_vec(), across),
            "leftRightArrow" => (both(head_x.min(0.5)).to_vec(), along),
            "upDownArrow" => (both(head_y.min(0.5)).map(|(x, y)| (y, x)).to_vec(), across),
            "notchedRightArrow" => {
                let mut points = right(head_x).to_vec();
                points.push((head_x * shaft, 0.5));
                (points, along)
            }
            "homePlate" | "chevron" => {
                let point = (self.short() * self.adjustment("adj", 50_000.0).max(0.0) / w.max(1.0)).min(1.0);
                let mut points =
                    vec![(0.0, 0.0), (1.0 - point, 0.0), (1.0, 0.5), (1.0 - point, 1.0), (0.0, 1.0)];
                match name {
                    "chevron" => {
                        points.push((point, 0.5));
                        (points, [point.min(0.4), 0.0, (1.0 - point).max(0.6), 1.0])
                    }
                    _ => (points, [0.0, 0.0, 1.0 - point / 2.0, 1.0]),
                }
            }
            _ => return None,
        };
        Some(Geometry { text_box, ..self.polygon(&points) })
    }

    fn callout(&self, name: &str) -> Option<Geometry> {
        let (w, h) = (self.width, self.height);
        let tip =
            |x: f64, y: f64| (w * (0.5 + self.adjustment("adj1", x)), h * (0.5 + self.adjustment("adj2", y)));
        Some(match name {
            "wedgeRectCallout" => Geometry::closed(self.wedge(tip(-20_833.0, 62_500.0), 0.0)),
            "wedgeRoundRectCallout" => {
                Geometry::closed(self.wedge(tip(-20_833.0, 62_500.0), self.inset("adj3", 16_667.0)))
            }
            "wedgeEllipseCallout" | "cloudCallout" => {
                let tip = tip(-20_833.0, 62_500.0);
                let angle = (tip.1 / h.max(1.0) - 0.5).atan2(tip.0 / w.max(1.0) - 0.5);
                let half = 11.0_f64.to_radians();
                let start = angle + half;
                let at = |angle: f64| (w / 2.0 * (1.0 + angle.cos()), h / 2.0 * (1.0 + angle.sin()));
                let mut outline = Outline::polyline(&[tip, at(start)]);
                outline.arc(w / 2.0, h / 2.0, start, TAU - 2.0 * half);
                outline.close();
                Geometry { text_box: self.ellipse().text_box, ..Geometry::closed(outline) }
            }
            "borderCallout1" | "callout1" | "accentCallout1" | "accentBorderCallout1" => {
                let at = |x: &str, y: &str, default: Point| {
                    (w * self.adjustment(x, default.0), h * self.adjustment(y, default.1))
                };
                let line = Outline::polyline(&[
                    at("adj2", "adj1", (-8_333.0, 18_750.0)),
                    at("adj4", "adj3", (-38_333.0, 112_500.0)),
                ]);
                let mut shape = Geometry::closed(self.whole());
                shape.paths.push(line.line());
                shape
            }
            _ => return None,
        })
    }

    /// A rectangle with a wedge from the side that is nearest to the tip.
    fn wedge(&self, (x, y): Point, radius: f64) -> Outline {
        let (w, h) = (self.width, self.height);
        let (dx, dy) = (x - w / 2.0, y - h / 2.0);
        let is_beside = dx.abs() * h > dy.abs() * w;
        // Where the wedge begins and ends, as fractions of its side.
        let base = |is_far: bool| if is_far { (7.0 / 12.0, 10.0 / 12.0) } else { (2.0 / 12.0, 5.0 / 12.0) };
        let (across, down) = (base(dx > 0.0), base(dy > 0.0));
        let mut outline = Outline::default();
        outline.move_to((radius, 0.0));
        let side = |outline: &mut Outline, is_own: bool, start: Point, end: Point, to: Point, turn: f64| {
            if is_own {
                outline.line_to(start);
                outline.line_to((x, y));
                outline.line_to(end);
            }
            outline.line_to(to);
            if radius > 0.0 {
                outline.arc(radius, radius, turn, FRAC_PI_2);
            }
        };
        let (is_top, is_bottom) = (!is_beside && dy <= 0.0, !is_beside && dy > 0.0);
        let (is_right, is_left) = (is_beside && dx > 0.0, is_beside && dx <= 0.0);
        side(&mut outline, is_top, (w * across.0, 0.0), (w * across.1, 0.0), (w - radius, 0.0), -FRAC_PI_2);
        side(&mut outline, is_right, (w, h * down.0), (w, h * down.1), (w, h - radius), 0.0);
        side(&mut outline, is_bottom, (w * across.1, h), (w * across.0, h), (radius, h), FRAC_PI_2);
        side(&mut outline, is_left, (0.0, h * down.1), (0.0, h * down.0), (0.0, radius), PI);
        outline.close();
        outline
    }

    fn bracket(&self, name: &str) -> Option<Geometry> {
        let (w, h) = (self.width, self.height);
        let square = |radius: f64, is_left: bool| {
            let x = |from_end: f64| if is_left { w - from_end } else { from_end };
            let (turn, start) = if is_left { (-FRAC_PI_2, -FRAC_PI_2) } else { (FRAC_PI_2, -FRAC_PI_2) };
            let mut outline = Outline::polyline(&[(x(0.0), 0.0)]);
            outline.arc(w, radius, start, turn);
            outline.line_to((x(w), h - radius));
            outline.arc(w, radius, if is_left { PI } else { 0.0 }, turn);
            outline
        };
        let curly = |radius: f64, is_left: bool, width: f64, at: f64| {
            let middle = h * self.adjustment("adj2", 50_000.0).clamp(0.0, 1.0);
            let half = width / 2.0;
            let sign = if is_left { -1.0 } else { 1.0 };
            // From the open side at the top to the point in the middle.
            let x = |distance: f64| at + sign * distance;
            let mut outline = Outline::polyline(&[(x(0.0), 0.0)]);
            outline.quadratic_to((x(half), 0.0), (x(half), radius));
            outline.line_to((x(half), (middle - radius).max(radius)));
            outline.quadratic_to((x(half), middle), (x(width), middle));
            outline.quadratic_to((x(half), middle), (x(half), (middle + radius).min(h - radius)));
            outline.line_to((x(half), h - radius));
            outline.quadratic_to((x(half), h), (x(0.0), h));
            outline
        };
        let paths = match name {
            "leftBracket" => vec![square(self.inset("adj", 8_333.0), true)],
            "rightBracket" => vec![square(self.inset("adj", 8_333.0), false)],
            "leftBrace" => vec![curly(self.inset("adj1", 8_333.0), true, w, w)],
            "rightBrace" => vec![curly(self.inset("adj1", 8_333.0), false, w, 0.0)],
            "bracketPair" => {
                let radius = self.inset("adj", 16_667.0);
                let mut left = Outline::polyline(&[(radius, h)]);
                left.arc(radius, radius, FRAC_PI_2, FRAC_PI_2);
                left.line_to((0.0, radius));
                left.arc(radius, radius, PI, FRAC_PI_2);
                let mut right = Outline::polyline(&[(w - radius, 0.0)]);
                right.arc(radius, radius, -FRAC_PI_2, FRAC_PI_2);
                right.line_to((w, h - radius));
                right.arc(radius, radius, 0.0, FRAC_PI_2);
                vec![left, right]
            }
            "bracePair" => {
                let radius = self.inset("adj", 8_333.0);
                let width = 2.0 * radius;
                vec![curly(radius, true, width, width), curly(radius, false, width, w - width)]
            }
            _ => return None,
        };
        let paths = paths.into_iter().map(|outline| outline.line().without_ends()).collect();
        Some(Geometry { paths, text_box: [0.0, 0.0, 1.0, 1.0] })
    }
}
