//! Colors, fills and lines of shapes (ECMA-376 part 1, 20.1.2.3 and 20.1.8).

use super::{DEGREE, PIXELS_PER_POINT, UNITS_PER_PIXEL, XmlElement};
use crate::xlsx::colors::Theme;

/// 100 % in the unit of DrawingML, thousandths of a percent.
pub(super) const WHOLE: f64 = 100_000.0;
/// Width in pixels of lines without one.
const LINE_WIDTH: f64 = 1.0;
/// Widths in points of the three lines of a theme (`lnRef`), as in the themes of Office since 2013.
const THEME_LINES: [f64; 3] = [0.5, 1.0, 1.5];
/// Colors of a gradient, at most.
const STOPS_MAX: usize = 20;

/// Preset colors (20.1.10.47) that Office offers, with the names of CSS.
const PRESET_COLORS: [(&str, &str); 18] = [
    ("black", "000000"),
    ("white", "FFFFFF"),
    ("red", "FF0000"),
    ("green", "008000"),
    ("lime", "00FF00"),
    ("blue", "0000FF"),
    ("yellow", "FFFF00"),
    ("cyan", "00FFFF"),
    ("magenta", "FF00FF"),
    ("gray", "808080"),
    ("ltGray", "D3D3D3"),
    ("dkGray", "A9A9A9"),
    ("orange", "FFA500"),
    ("purple", "800080"),
    ("brown", "A52A2A"),
    ("navy", "000080"),
    ("gold", "FFD700"),
    ("pink", "FFC0CB"),
];

/// A color with its opacity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Paint {
    /// `0xRRGGBB`.
    pub color: u32,
    /// Between 0 and 1.
    pub opacity: f64,
}

impl Paint {
    pub const BLACK: Paint = Paint { color: 0, opacity: 1.0 };

    /// The color for SVG and CSS. A dark color on `is_bare` ground, the sheet itself, is light on a dark
    /// sheet.
    pub fn css(self, is_bare: bool) -> String {
        let [_, red, green, blue] = self.color.to_be_bytes();
        if self.opacity < 1.0 {
            return format!("rgba({red},{green},{blue},{})", (self.opacity * 1_000.0).round() / 1_000.0);
        }
        let is_dark = red.max(green).max(blue) < 0x70;
        let color = format!("#{:06x}", self.color);
        if is_bare && is_dark {
            return format!("light-dark({color},#{:06x})", mixed(self.color, 255.0, 0.2));
        }
        color
    }
}

/// Opacity from which on a fill covers what is below.
pub(super) const OPACITY_MIN: f64 = 0.75;

/// What is inside of an outline.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fill {
    None,
    Solid(Paint),
    /// Positions between 0 and 1 with colors, and the direction in degrees clockwise from the right.
    Gradient(Vec<(f64, Paint)>, f64),
    /// The relationship of an image, and what is cut from its left, top, right and bottom side.
    Image(String, [f64; 4]),
}

impl Fill {
    /// Whether what is below shows through, so that lines and texts rest on the sheet. The transparent fill of a
    /// text that stands apart from its shape is that of the shape.
    pub fn is_bare(&self) -> bool {
        match self {
            Fill::None => true,
            Fill::Solid(paint) => 0.0 < paint.opacity && paint.opacity < OPACITY_MIN,
            Fill::Gradient(..) | Fill::Image(..) => false,
        }
    }
}

/// What is at an end of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LineEnd {
    pub is_oval: bool,
    /// Breadth and length in pixels.
    pub size: (f64, f64),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    pub paint: Paint,
    /// In pixels.
    pub width: f64,
    /// Lengths of dashes and gaps as multiples of the width.
    pub dashes: &'static [f64],
    /// At the first and the last point.
    pub ends: [Option<LineEnd>; 2],
}

/// The color within an element such as `solidFill` or `fontRef`.
pub(crate) fn color(parent: &XmlElement, theme: &Theme) -> Option<Paint> {
    parent.elements().find_map(|element| {
        let base = match element.local_name() {
            "srgbClr" | "schemeClr" => element.attribute("val")?.to_owned(),
            "sysClr" => element.attribute("lastClr")?.to_owned(),
            "prstClr" => {
                let name = element.attribute("val")?;
                PRESET_COLORS.iter().find(|(preset, _)| *preset == name)?.1.to_owned()
            }
            "scrgbClr" => {
                let part = |name: &str| {
                    let share = element.number(name).unwrap_or(0.0) / WHOLE;
                    // Linear light as sRGB, by the power that is close to its curve.
                    (share.clamp(0.0, 1.0).powf(1.0 / 2.2) * 255.0).round() as u8
                };
                format!("{:02X}{:02X}{:02X}", part("r"), part("g"), part("b"))
            }
            _ => return None,
        };
        let mut scheme = theme.scheme(&base)?;
        let mut toward: Vec<(f64, f64)> = Vec::new();
        let mut opacity = 1.0;
        for modifier in element.elements() {
            let value = modifier.number("val");
            let share = value.unwrap_or(WHOLE) / WHOLE;
            match modifier.local_name() {
                "lumMod" => scheme.multiply(value),
                "lumOff" => scheme.add(value),
                "shade" => toward.push((0.0, share)),
                "tint" => toward.push((255.0, share)),
                "alpha" => opacity = share.clamp(0.0, 1.0),
                _ => {}
            }
        }
        let mut color = scheme.rgb().0;
        for (target, share) in toward {
            color = mixed(color, target, share.clamp(0.0, 1.0));
        }
        Some(Paint { color, opacity })
    })
}

/// This share of the color, and the rest of a gray.
fn mixed(color: u32, gray: f64, share: f64) -> u32 {
    let channel = |shift: u32| {
        let own = f64::from(color >> shift & 0xFF);
        ((own * share + gray * (1.0 - share)).round() as u32) << shift
    };
    channel(16) | channel(8) | channel(0)
}

/// The fill of a shape by its properties (`spPr`) and its style.
pub(crate) fn fill(properties: &XmlElement, style: Option<&XmlElement>, theme: &Theme) -> Fill {
    if let Some(own) = own_fill(properties, theme) {
        return own;
    }
    let reference = style.and_then(|style| style.child("fillRef"));
    let reference = reference.filter(|reference| reference.number("idx").is_some_and(|index| index > 0.0));
    reference.and_then(|reference| color(reference, theme)).map_or(Fill::None, Fill::Solid)
}

/// The fill within an element; `None` without one.
fn own_fill(parent: &XmlElement, theme: &Theme) -> Option<Fill> {
    parent.elements().find_map(|element| match element.local_name() {
        "noFill" => Some(Fill::None),
        "solidFill" => Some(color(element, theme).map_or(Fill::None, Fill::Solid)),
        "pattFill" => {
            let ground = element.child("bgClr").or_else(|| element.child("fgClr"));
            Some(ground.and_then(|ground| color(ground, theme)).map_or(Fill::None, Fill::Solid))
        }
        "gradFill" => {
            let stops = element.child("gsLst").into_iter().flat_map(XmlElement::elements);
            let stops = stops.filter_map(|stop| {
                Some(((stop.number("pos").unwrap_or(0.0) / WHOLE).clamp(0.0, 1.0), color(stop, theme)?))
            });
            let mut stops: Vec<(f64, Paint)> = stops.take(STOPS_MAX).collect();
            stops.sort_by(|(one, _), (other, _)| one.total_cmp(other));
            let angle = element.child("lin").and_then(|line| line.number("ang")).unwrap_or(0.0) / DEGREE;
            Some(match &stops[..] {
                [] => Fill::None,
                [(_, paint)] => Fill::Solid(*paint),
                _ => Fill::Gradient(stops, angle),
            })
        }
        "blipFill" => Some(image(element).unwrap_or(Fill::None)),
        _ => None,
    })
}

/// The color of a solid fill, `0xRRGGBB`; of a gradient, its first color.
pub(crate) fn solid_color(properties: &XmlElement, theme: &Theme) -> Option<u32> {
    match own_fill(properties, theme)? {
        Fill::Solid(paint) => Some(paint.color),
        Fill::Gradient(stops, _) => stops.first().map(|(_, paint)| paint.color),
        Fill::None | Fill::Image(..) => None,
    }
}

/// The image of a `blipFill`.
pub(crate) fn image(fill: &XmlElement) -> Option<Fill> {
    let id = fill.child("blip")?.attribute("r:embed")?;
    let side = |name: &str| {
        let cut = fill.child("srcRect").and_then(|cut| cut.number(name)).unwrap_or(0.0) / WHOLE;
        cut.clamp(-10.0, 0.99)
    };
    Some(Fill::Image(id.to_owned(), ["l", "t", "r", "b"].map(side)))
}

/// The line of a shape by its properties and its style; `None` without one.
pub(crate) fn line(properties: &XmlElement, style: Option<&XmlElement>, theme: &Theme) -> Option<Line> {
    let own = properties.child("ln");
    let reference = style.and_then(|style| style.child("lnRef"));
    let index = reference.and_then(|reference| reference.number("idx")).unwrap_or(0.0) as usize;
    let paint = match own.and_then(|own| own_fill(own, theme)) {
        Some(Fill::Solid(paint)) => paint,
        Some(Fill::Gradient(stops, _)) => stops[0].1,
        Some(Fill::None | Fill::Image(..)) => return None,
        None if index > 0 => color(reference?, theme)?,
        None => return None,
    };
    let of_theme = index.checked_sub(1).and_then(|index| THEME_LINES.get(index.min(THEME_LINES.len() - 1)));
    let width = own.and_then(|own| own.number("w")).map(|units| units / UNITS_PER_PIXEL);
    let width = width.or_else(|| of_theme.map(|points| points * PIXELS_PER_POINT)).unwrap_or(LINE_WIDTH);
    let width = width.clamp(0.25, 200.0);
    let dashes: &[f64] = match own.and_then(|own| own.child("prstDash")?.attribute("val")) {
        Some("dash") => &[4.0, 3.0],
        Some("dot") => &[1.0, 3.0],
        Some("dashDot") => &[4.0, 3.0, 1.0, 3.0],
        Some("lgDash") => &[8.0, 3.0],
        Some("lgDashDot") => &[8.0, 3.0, 1.0, 3.0],
        Some("lgDashDotDot") => &[8.0, 3.0, 1.0, 3.0, 1.0, 3.0],
        Some("sysDash") => &[3.0, 1.0],
        Some("sysDot") => &[1.0, 1.0],
        Some("sysDashDot") => &[3.0, 1.0, 1.0, 1.0],
        Some("sysDashDotDot") => &[3.0, 1.0, 1.0, 1.0, 1.0, 1.0],
        _ => &[],
    };
    let end = |name: &str| {
        let element = own?.child(name)?;
        let size = |name: &str| match element.attribute(name) {
            Some("sm") => 2.0,
            Some("lg") => 5.0,
            _ => 3.0,
        };
        // Arrowheads of thin lines are as large as those of a line of two points.
        let unit = width.max(2.0 * PIXELS_PER_POINT);
        let kind = element.attribute("type").filter(|kind| *kind != "none")?;
        Some(LineEnd { is_oval: kind == "oval", size: (size("w") * unit, size("len") * unit) })
    };
    Some(Line { paint, width, dashes, ends: [end("headEnd"), end("tailEnd")] })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(xml: &str) -> XmlElement {
        XmlElement::parse(xml, 100_000).expect("XML")
    }

    #[test]
    fn colors_have_modifiers() {
        for (xml, css) in [
            ("<a:srgbClr val=\"FF8000\"/>", "#ff8000"),
            ("<a:schemeClr val=\"accent1\"/>", "#4f81bd"),
            ("<a:schemeClr val=\"accent1\"><a:shade val=\"50000\"/></a:schemeClr>", "#28415f"),
            ("<a:srgbClr val=\"000000\"><a:tint val=\"20000\"/></a:srgbClr>", "#cccccc"),
            ("<a:srgbClr val=\"00FF00\"><a:alpha val=\"50000\"/></a:srgbClr>", "rgba(0,255,0,0.5)"),
            ("<a:sysClr val=\"window\" lastClr=\"FFFFFF\"/>", "#ffffff"),
            ("<a:prstClr val=\"navy\"/>", "#000080"),
            ("<a:scrgbClr r=\"100000\" g=\"0\" b=\"0\"/>", "#ff0000"),
        ] {
            let parent = element(&format!("<a:solidFill>{xml}</a:solidFill>"));
            let paint = color(&parent, &Theme::default()).unwrap_or_else(|| panic!("{xml} is a color"));
            assert_eq!(paint.css(false), css, "{xml}");
        }
        assert_eq!(Paint::BLACK.css(true), "light-dark(#000000,#cccccc)");
    }

    #[test]
    fn a_shape_has_the_fill_and_the_line_of_its_style_unless_it_has_its_own() {
        let style = element(
            "<xdr:style><a:lnRef idx=\"2\"><a:srgbClr val=\"111111\"/></a:lnRef>\
             <a:fillRef idx=\"1\"><a:srgbClr val=\"222222\"/></a:fillRef></xdr:style>",
        );
        let theme = Theme::default();
        let plain = element("<xdr:spPr/>");
        let solid = |color: u32| Fill::Solid(Paint { color, opacity: 1.0 });
        assert_eq!(fill(&plain, Some(&style), &theme), solid(0x222222));
        assert_eq!(fill(&plain, None, &theme), Fill::None);
        let of_style = line(&plain, Some(&style), &theme).expect("a line");
        assert_eq!((of_style.paint.color, of_style.width), (0x111111, 1.0 * PIXELS_PER_POINT));
        let own = element(
            "<xdr:spPr><a:noFill/><a:ln w=\"19050\"><a:solidFill><a:srgbClr val=\"333333\"/></a:solidFill>\
             <a:prstDash val=\"dot\"/><a:tailEnd type=\"triangle\" w=\"lg\"/></a:ln></xdr:spPr>",
        );
        assert_eq!(fill(&own, Some(&style), &theme), Fill::None);
        let own = line(&own, Some(&style), &theme).expect("a line");
        assert_eq!((own.paint.color, own.width, own.dashes), (0x333333, 2.0, &[1.0, 3.0][..]));
        let unit = 2.0 * PIXELS_PER_POINT;
        assert_eq!(own.ends, [None, Some(LineEnd { is_oval: false, size: (5.0 * unit, 3.0 * unit) })]);
    }
}
