//! Reads the shapes of OpenDocument files as DrawingML, in which images of shapes keep them (decision 0063, ODF 1.3
//! part 3, 10.3 and 10.6).

use super::drawn_styles::{Attributes, DrawnStyles, Family};
use super::lengths::{POINT_PX, length};
use super::path_data::{Command, path_data};
use crate::shapes::{Area, DEGREE, UNITS_PER_PIXEL, XmlElement, XmlNode};

/// Groups within groups, at most; deeper ones are left out.
const DEPTH_MAX: usize = 16;
/// Font size in points of texts without one.
const FONT_POINTS: f64 = 12.0;
/// Images of a group, at most.
const IMAGES_MAX: usize = 100;
/// What a group has beside its shapes.
const NOT_SHAPES: [&str; 4] = ["title", "desc", "glue-point", "event-listeners"];
const NAMESPACES: [(&str, &str); 3] = [
    ("xmlns:r", "http://schemas.openxmlformats.org/officeDocument/2006/relationships"),
    ("xmlns:xdr", "http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"),
    ("xmlns:a", "http://schemas.openxmlformats.org/drawingml/2006/main"),
];

/// Shapes of LibreOffice that have other names in DrawingML. Those of flow charts are in `preset_of`.
const PRESETS: [(&str, &str); 40] = [
    ("rectangle", "rect"),
    ("round-rectangle", "roundRect"),
    ("ellipse", "ellipse"),
    ("isosceles-triangle", "triangle"),
    ("right-triangle", "rtTriangle"),
    ("diamond", "diamond"),
    ("parallelogram", "parallelogram"),
    ("trapezoid", "trapezoid"),
    ("pentagon", "pentagon"),
    ("hexagon", "hexagon"),
    ("octagon", "octagon"),
    ("cross", "plus"),
    ("ring", "donut"),
    ("can", "can"),
    ("cube", "cube"),
    ("paper", "foldedCorner"),
    ("frame", "frame"),
    ("smiley", "smileyFace"),
    ("heart", "heart"),
    ("sun", "sun"),
    ("moon", "moon"),
    ("lightning", "lightningBolt"),
    ("cloud", "cloud"),
    ("left-arrow", "leftArrow"),
    ("right-arrow", "rightArrow"),
    ("up-arrow", "upArrow"),
    ("down-arrow", "downArrow"),
    ("left-right-arrow", "leftRightArrow"),
    ("up-down-arrow", "upDownArrow"),
    ("quad-arrow", "quadArrow"),
    ("pentagon-right", "homePlate"),
    ("chevron", "chevron"),
    ("star4", "star4"),
    ("star5", "star5"),
    ("star8", "star8"),
    ("rectangular-callout", "wedgeRectCallout"),
    ("round-rectangular-callout", "wedgeRoundRectCallout"),
    ("round-callout", "wedgeEllipseCallout"),
    ("left-bracket", "leftBracket"),
    ("right-bracket", "rightBracket"),
];

/// A shape of a file.
pub(super) struct DrawnShape {
    /// Its DrawingML with the namespaces that it uses.
    pub element: XmlElement,
    /// Where it is from the corner of its cell or of the sheet, in pixels.
    pub area: Area,
    pub description: Option<String>,
    /// The parts of the images of a group with the ids by which the DrawingML names them.
    pub images: Vec<(String, String)>,
    /// Whether a group lacks some of its shapes.
    pub is_incomplete: bool,
}

/// Reads a shape; `None` for those of unknown kinds.
pub(super) fn read(element: &XmlElement, styles: &DrawnStyles) -> Option<DrawnShape> {
    let mut reader = ShapeReader { styles, count: 0, images: Vec::new(), is_incomplete: false };
    let (mut shape, area) = reader.shape(element, 0)?;
    shape.attributes.extend(NAMESPACES.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let text = |name: &str| element.child(name).map(XmlElement::text).filter(|text| !text.is_empty());
    let description = text("desc").or_else(|| text("title"));
    let ShapeReader { images, is_incomplete, .. } = reader;
    Some(DrawnShape { element: shape, area, description, images, is_incomplete })
}

struct ShapeReader<'s> {
    styles: &'s DrawnStyles,
    count: usize,
    images: Vec<(String, String)>,
    is_incomplete: bool,
}

/// The box of a shape before it is turned.
struct Turned {
    area: Area,
    /// Clockwise, in degrees.
    angle: f64,
    flips: (bool, bool),
}

impl ShapeReader<'_> {
    fn shape(&mut self, element: &XmlElement, depth: usize) -> Option<(XmlElement, Area)> {
        match element.local_name() {
            "g" if depth < DEPTH_MAX => self.group(element, depth),
            "line" | "connector" | "measure" => self.line(element),
            "custom-shape" | "rect" | "ellipse" | "circle" | "caption" | "polygon" | "polyline" | "path" => {
                self.boxed(element, element)
            }
            "frame" => match (element.child("text-box"), element.child("image")) {
                (Some(text), _) => self.boxed(element, text),
                (None, Some(image)) => self.picture(element, image),
                (None, None) => None,
            },
            // A link with what it is about.
            "a" if depth < DEPTH_MAX => element.elements().find_map(|child| self.shape(child, depth + 1)),
            _ => None,
        }
    }

    fn group(&mut self, group: &XmlElement, depth: usize) -> Option<(XmlElement, Area)> {
        let mut shapes: Vec<(XmlElement, Area)> = Vec::new();
        for child in group.elements().filter(|child| !NOT_SHAPES.contains(&child.local_name())) {
            match self.shape(child, depth + 1) {
                Some(shape) => shapes.push(shape),
                None => self.is_incomplete = true,
            }
        }
        let (mut left, mut top) = (f64::INFINITY, f64::INFINITY);
        let (mut right, mut bottom) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        for (_, area) in &shapes {
            (left, top) = (left.min(area.x), top.min(area.y));
            (right, bottom) = (right.max(area.x + area.width), bottom.max(area.y + area.height));
        }
        let area = Area { x: left, y: top, width: right - left, height: bottom - top };
        if shapes.is_empty() {
            return None;
        }
        let mut transform = transform(&Turned { area, angle: 0.0, flips: (false, false) });
        let child = |name: &str, (x, y): (&str, &str), (across, down)| {
            node(name, &[(x, units(across)), (y, units(down))], Vec::new())
        };
        transform.push(child("a:chOff", ("x", "y"), (area.x, area.y)));
        transform.push(child("a:chExt", ("cx", "cy"), (area.width, area.height)));
        let mut children =
            vec![self.names(group, "Grp"), node("xdr:grpSpPr", &[], vec![node("a:xfrm", &[], transform)])];
        children.extend(shapes.into_iter().map(|(shape, _)| XmlNode::Element(shape)));
        Some((parent("xdr:grpSp", &[], children), area))
    }

    fn line(&mut self, element: &XmlElement) -> Option<(XmlElement, Area)> {
        let at = |name: &str| pixels(element, name);
        let (x1, y1) = (at("svg:x1")?, at("svg:y1")?);
        let (x2, y2) = (at("svg:x2")?, at("svg:y2")?);
        let area = Area { x: x1.min(x2), y: y1.min(y2), width: (x2 - x1).abs(), height: (y2 - y1).abs() };
        let is_bent = element.local_name() == "connector"
            && element.attribute("draw:type").is_none_or(|kind| kind == "standard");
        let geometry = preset(if is_bent { "bentConnector3" } else { "line" });
        let style = self.style(element);
        let place = Turned { area, angle: 0.0, flips: (x2 < x1, y2 < y1) };
        let properties = vec![place_of(&place), geometry, line(&style, true)];
        let children = vec![self.names(element, "Cxn"), node("xdr:spPr", &[], properties)];
        Some((parent("xdr:cxnSp", &[("macro", String::new())], children), area))
    }

    /// A shape with a box; its text is in `container`.
    fn boxed(&mut self, element: &XmlElement, container: &XmlElement) -> Option<(XmlElement, Area)> {
        let mut place = placed(element)?;
        let geometry = geometry(element, &mut place);
        let style = self.style(element);
        let is_frame = element.local_name() == "frame";
        let properties =
            vec![place_of(&place), geometry, self.fill(&style, !is_frame), line(&style, !is_frame)];
        let mut children = vec![self.names(element, ""), node("xdr:spPr", &[], properties)];
        children.extend(self.text(container, &style));
        let attributes = [("macro", String::new()), ("textlink", String::new())];
        Some((parent("xdr:sp", &attributes, children), place.area))
    }

    /// A picture within a group.
    fn picture(&mut self, element: &XmlElement, image: &XmlElement) -> Option<(XmlElement, Area)> {
        let part = image.attribute("xlink:href")?.trim_start_matches("./").to_owned();
        if self.images.len() == IMAGES_MAX {
            return None;
        }
        let place = placed(element)?;
        let id = format!("rId{}", self.images.len() + 1);
        self.images.push((id.clone(), part));
        let blip = node("a:blip", &[("r:embed", id)], Vec::new());
        let stretch = node("a:stretch", &[], vec![node("a:fillRect", &[], Vec::new())]);
        let properties = vec![place_of(&place), preset("rect")];
        let children = vec![
            self.names(element, "Pic"),
            node("xdr:blipFill", &[], vec![blip, stretch]),
            node("xdr:spPr", &[], properties),
        ];
        Some((parent("xdr:pic", &[], children), place.area))
    }

    /// The element with the name and the description of a shape of this kind.
    fn names(&mut self, element: &XmlElement, kind: &str) -> XmlNode {
        self.count += 1;
        let name = element.attribute("draw:name").filter(|name| !name.is_empty());
        let name = name.map_or_else(|| format!("Shape {}", self.count), str::to_owned);
        let mut attributes = vec![("id", (self.count + 1).to_string()), ("name", name)];
        attributes.extend(element.child("desc").map(|text| ("descr", text.text())));
        let own = node("xdr:cNvPr", &attributes, Vec::new());
        let kind = if kind == "Pic" { kind.to_owned() } else { format!("{kind}Sp") };
        let of_kind = node(&format!("xdr:cNv{kind}Pr"), &[], Vec::new());
        node(&format!("xdr:nv{kind}Pr"), &[], vec![own, of_kind])
    }

    fn style(&self, element: &XmlElement) -> Attributes {
        self.styles.of(Family::Graphic, element.attribute("draw:style-name").unwrap_or_default())
    }

    /// The fill of a shape. `is_default`: whether a shape with a color and no kind of fill has it.
    fn fill(&self, style: &Attributes, is_default: bool) -> XmlNode {
        let word = |name: &str| style.get(name).map(String::as_str);
        let color = word("draw:fill-color").unwrap_or("#ffffff");
        match word("draw:fill") {
            Some("none") => node("a:noFill", &[], Vec::new()),
            None if !(is_default && style.contains_key("draw:fill-color")) => {
                node("a:noFill", &[], Vec::new())
            }
            Some("gradient") => {
                let gradient = word("draw:fill-gradient-name").and_then(|name| self.styles.gradient(name));
                gradient.map_or_else(|| solid_fill(color, None), gradient_fill)
            }
            _ => solid_fill(color, word("draw:opacity")),
        }
    }

    /// The text of a shape; `None` without one.
    fn text(&self, container: &XmlElement, style: &Attributes) -> Option<XmlNode> {
        let mut paragraphs = Vec::new();
        let is_centered = style.get("draw:textarea-horizontal-align").is_some_and(|align| align == "center");
        container.visit(&mut |element| {
            if element.local_name() == "p" {
                paragraphs.push(self.paragraph(element, style, is_centered));
            }
        });
        if paragraphs.is_empty() {
            return None;
        }
        let anchor = match style.get("draw:textarea-vertical-align").map(String::as_str) {
            Some("middle" | "justify") => "ctr",
            Some("bottom") => "b",
            _ => "t",
        };
        let wrap = match style.get("fo:wrap-option").map(String::as_str) {
            Some("no-wrap") => "none",
            _ => "square",
        };
        let mut attributes = vec![("wrap", wrap.to_owned()), ("anchor", anchor.to_owned())];
        for (name, side) in [("lIns", "left"), ("tIns", "top"), ("rIns", "right"), ("bIns", "bottom")] {
            let own = style.get(&format!("fo:padding-{side}")).or_else(|| style.get("fo:padding"));
            let inset = own.and_then(|inset| length(Some(inset.clone())));
            attributes.extend(inset.map(|points| (name, units(points * POINT_PX))));
        }
        let mut children =
            vec![node("a:bodyPr", &attributes, Vec::new()), node("a:lstStyle", &[], Vec::new())];
        children.extend(paragraphs);
        Some(node("xdr:txBody", &[], children))
    }

    fn paragraph(&self, element: &XmlElement, style: &Attributes, is_centered: bool) -> XmlNode {
        let own = self.styles.of(Family::Paragraph, element.attribute("text:style-name").unwrap_or_default());
        let align = match own.get("fo:text-align").map(String::as_str) {
            Some("center") => "ctr",
            Some("end" | "right") => "r",
            Some("justify") => "just",
            None if is_centered => "ctr",
            _ => "l",
        };
        let mut base = style.clone();
        base.extend(own);
        let mut runs = vec![node("a:pPr", &[("algn", align.to_owned())], Vec::new())];
        self.push_runs(element, &base, &mut runs);
        node("a:p", &[], runs)
    }

    fn push_runs(&self, element: &XmlElement, style: &Attributes, runs: &mut Vec<XmlNode>) {
        let run = |text: String| {
            let text = node("a:t", &[], vec![XmlNode::Text(text)]);
            node("a:r", &[], vec![run_properties(style), text])
        };
        for child in &element.children {
            match child {
                XmlNode::Text(text) => runs.push(run(text.clone())),
                XmlNode::Element(child) => match child.local_name() {
                    "span" => {
                        let name = child.attribute("text:style-name").unwrap_or_default();
                        let mut own = style.clone();
                        own.extend(self.styles.of(Family::Text, name));
                        self.push_runs(child, &own, runs);
                    }
                    "s" => {
                        let count = child.number("text:c").unwrap_or(1.0).clamp(1.0, 1_000.0);
                        runs.push(run(" ".repeat(count as usize)));
                    }
                    "tab" => runs.push(run("\t".to_owned())),
                    "line-break" => runs.push(node("a:br", &[], Vec::new())),
                    _ => self.push_runs(child, style, runs),
                },
            }
        }
    }
}

/// The box of a shape with its angle, by its size and its position or transform.
fn placed(element: &XmlElement) -> Option<Turned> {
    let (width, height) = (pixels(element, "svg:width")?, pixels(element, "svg:height")?);
    let size = |x, y| Area { x, y, width, height };
    let flips = (false, false);
    let Some((angle, corner)) = element.attribute("draw:transform").and_then(transformed) else {
        let at = |name: &str| pixels(element, name).unwrap_or(0.0);
        return Some(Turned { area: size(at("svg:x"), at("svg:y")), angle: 0.0, flips });
    };
    let (sine, cosine) = angle.sin_cos();
    // The transform places the corner of the turned shape.
    let (half_width, half_height) = (width / 2.0, height / 2.0);
    let x = corner.0 + half_width * cosine - half_height * sine - half_width;
    let y = corner.1 + half_width * sine + half_height * cosine - half_height;
    Some(Turned { area: size(x, y), angle: angle.to_degrees(), flips })
}

/// The angle, clockwise in radians, and the translation in pixels of `rotate (…) translate (…)`; `None` for
/// other transforms.
fn transformed(text: &str) -> Option<(f64, (f64, f64))> {
    let (mut angle, mut at) = (0.0, None);
    for part in text.split(')').map(str::trim).filter(|part| !part.is_empty()) {
        let (name, numbers) = part.split_once('(')?;
        let mut numbers = numbers.split([' ', ',']).filter(|number| !number.is_empty());
        match name.trim() {
            "rotate" => angle = -numbers.next()?.parse::<f64>().ok().filter(|angle| angle.is_finite())?,
            "translate" => {
                let mut next = || Some(length(Some(numbers.next()?.to_owned()))? * POINT_PX);
                at = Some((next()?, next()?));
            }
            _ => return None,
        }
    }
    Some((angle, at?))
}

/// The geometry of a shape, which may mirror it.
fn geometry(element: &XmlElement, place: &mut Turned) -> XmlNode {
    let view = |element: &XmlElement| {
        let numbers = element.attribute("svg:viewBox")?.split([' ', ',']).filter(|text| !text.is_empty());
        let numbers: Vec<f64> = numbers.filter_map(|number| number.parse().ok()).collect();
        let [x, y, width, height] = numbers[..] else { return None };
        (width > 0.0 && height > 0.0).then_some((x, y, width, height))
    };
    match element.local_name() {
        "ellipse" | "circle" => preset("ellipse"),
        "rect" if element.attribute("draw:corner-radius").is_some() => preset("roundRect"),
        "polygon" | "polyline" => {
            let points = element.attribute("draw:points").unwrap_or_default();
            let end = if element.local_name() == "polygon" { "Z" } else { "" };
            free(&format!("M{points}{end}"), view(element)).unwrap_or_else(|| preset("rect"))
        }
        "path" => free(element.attribute("svg:d").unwrap_or_default(), view(element))
            .unwrap_or_else(|| preset("rect")),
        _ => {
            let Some(own) = element.child("enhanced-geometry") else { return preset("rect") };
            let is = |name: &str| own.attribute(name) == Some("true");
            place.flips = (is("draw:mirror-horizontal"), is("draw:mirror-vertical"));
            match preset_of(own.attribute("draw:type").unwrap_or_default()) {
                Some(name) => preset(&name),
                None => free(own.attribute("draw:enhanced-path").unwrap_or_default(), view(own))
                    .unwrap_or_else(|| preset("rect")),
            }
        }
    }
}

/// The name in DrawingML of a shape of LibreOffice.
fn preset_of(name: &str) -> Option<String> {
    if let Some(name) = name.strip_prefix("ooxml-") {
        return (name != "non-primitive").then(|| name.to_owned());
    }
    if let Some(name) = name.strip_prefix("flowchart-") {
        let words = name.split('-').map(|word| {
            let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
            first.to_uppercase() + rest
        });
        return Some(format!("flowChart{}", words.collect::<String>()));
    }
    PRESETS.iter().find(|(own, _)| *own == name).map(|(_, preset)| (*preset).to_owned())
}

fn preset(name: &str) -> XmlNode {
    node("a:prstGeom", &[("prst", name.to_owned())], vec![node("a:avLst", &[], Vec::new())])
}

/// The geometry of a path within a view box; `None` for a path with other commands than lines and curves.
fn free(data: &str, view: Option<(f64, f64, f64, f64)>) -> Option<XmlNode> {
    let (left, top, width, height) = view?;
    let point = |(x, y): (f64, f64)| {
        let whole = |number: f64| (number.round() as i64).to_string();
        node("a:pt", &[("x", whole((x - left) * 100.0)), ("y", whole((y - top) * 100.0))], Vec::new())
    };
    let commands = path_data(data)?.into_iter().map(|command| match command {
        Command::Move(to) => node("a:moveTo", &[], vec![point(to)]),
        Command::Line(to) => node("a:lnTo", &[], vec![point(to)]),
        Command::Curve(points) => node("a:cubicBezTo", &[], points.map(point).to_vec()),
        Command::Close => node("a:close", &[], Vec::new()),
    });
    let size = |number: f64| ((number * 100.0).round() as i64).max(1).to_string();
    let path = node("a:path", &[("w", size(width)), ("h", size(height))], commands.collect());
    let empty = ["a:avLst", "a:gdLst", "a:ahLst", "a:cxnLst"].map(|name| node(name, &[], Vec::new()));
    let mut children = empty.to_vec();
    let rect = ["l", "t", "r", "b"].map(|side| (side, side.to_owned()));
    children.push(node("a:rect", &rect, Vec::new()));
    children.push(node("a:pathLst", &[], vec![path]));
    Some(node("a:custGeom", &[], children))
}

fn solid_fill(color: &str, opacity: Option<&str>) -> XmlNode {
    node("a:solidFill", &[], vec![color_of(color, opacity)])
}

fn color_of(color: &str, opacity: Option<&str>) -> XmlNode {
    let hex = color.trim_start_matches('#').to_ascii_uppercase();
    let is_hex = hex.len() == 6 && hex.chars().all(|digit| digit.is_ascii_hexdigit());
    let opacity = opacity.and_then(|text| text.trim_end_matches('%').parse::<f64>().ok());
    let modifiers = opacity.filter(|opacity| (0.0..100.0).contains(opacity)).map(|opacity| {
        let thousandths = (opacity * 1_000.0).round() as i64;
        node("a:alpha", &[("val", thousandths.to_string())], Vec::new())
    });
    let value = if is_hex { hex } else { "808080".to_owned() };
    node("a:srgbClr", &[("val", value)], modifiers.into_iter().collect())
}

/// A gradient between two colors; that of a disk or a square goes along a line, too.
fn gradient_fill(gradient: &Attributes) -> XmlNode {
    let word = |name: &str, default| gradient.get(name).map_or(default, String::as_str);
    let stop = |position: u32, name: &str| {
        let color = color_of(word(name, "#ffffff"), None);
        node("a:gs", &[("pos", position.to_string())], vec![color])
    };
    let stops = vec![stop(0, "draw:start-color"), stop(100_000, "draw:end-color")];
    // Tenths of a degree before ODF 1.2, which writes a unit; counterclockwise, from the direction downward.
    let angle = word("draw:angle", "0");
    let degrees = match angle.strip_suffix("deg") {
        Some(degrees) => degrees.parse::<f64>().unwrap_or(0.0),
        None => angle.parse::<f64>().unwrap_or(0.0) / 10.0,
    };
    let turned = if degrees.is_finite() { (90.0 - degrees).rem_euclid(360.0) } else { 90.0 };
    let line = node("a:lin", &[("ang", ((turned * DEGREE).round() as i64).to_string())], Vec::new());
    node("a:gradFill", &[], vec![node("a:gsLst", &[], stops), line])
}

/// The line of a shape. `is_default`: whether a shape without a kind of line has one.
fn line(style: &Attributes, is_default: bool) -> XmlNode {
    let word = |name: &str| style.get(name).map(String::as_str);
    let kind = word("draw:stroke");
    let is_none = kind == Some("none") || kind.is_none() && !is_default;
    if is_none {
        return node("a:ln", &[], vec![node("a:noFill", &[], Vec::new())]);
    }
    let width = word("svg:stroke-width").and_then(|width| length(Some(width.to_owned())));
    let width = width.map_or(0.0, |points| points * POINT_PX).max(1.0);
    let color = word("svg:stroke-color").unwrap_or("#000000");
    let mut children = vec![solid_fill(color, word("svg:stroke-opacity"))];
    if kind == Some("dash") {
        children.push(node("a:prstDash", &[("val", "dash".to_owned())], Vec::new()));
    }
    for (name, end) in [("start", "a:headEnd"), ("end", "a:tailEnd")] {
        if let Some(marker) = word(&format!("draw:marker-{name}")).filter(|marker| !marker.is_empty()) {
            let kind = if marker.contains("ircle") { "oval" } else { "triangle" };
            children.push(node(end, &[("type", kind.to_owned())], Vec::new()));
        }
    }
    node("a:ln", &[("w", units(width))], children)
}

fn run_properties(style: &Attributes) -> XmlNode {
    let word = |name: &str| style.get(name).map(String::as_str);
    let size = word("fo:font-size").and_then(|size| length(Some(size.to_owned())));
    let size = size.unwrap_or(FONT_POINTS).clamp(1.0, 400.0);
    let mut attributes = vec![("sz", ((size * 100.0).round() as i64).to_string())];
    let is_bold = match word("fo:font-weight") {
        Some("bold") => true,
        Some(weight) => weight.parse::<u32>().is_ok_and(|weight| weight >= 600),
        None => false,
    };
    let is_drawn = |name: &str| word(name).is_some_and(|kind| kind != "none");
    let flags = [
        ("b", "1", is_bold),
        ("i", "1", matches!(word("fo:font-style"), Some("italic" | "oblique"))),
        ("u", "sng", is_drawn("style:text-underline-style")),
        ("strike", "sngStrike", is_drawn("style:text-line-through-style")),
    ];
    attributes.extend(
        flags.into_iter().filter(|(.., is_set)| *is_set).map(|(name, value, _)| (name, value.to_owned())),
    );
    let color = word("fo:color").map(|color| solid_fill(color, None));
    let font = word("fo:font-family").or_else(|| word("style:font-name"));
    let font = font.map(|font| font.trim_matches('\'')).filter(|font| !font.is_empty());
    let font = font.map(|font| node("a:latin", &[("typeface", font.to_owned())], Vec::new()));
    node("a:rPr", &attributes, color.into_iter().chain(font).collect())
}

fn place_of(place: &Turned) -> XmlNode {
    let mut attributes = Vec::new();
    if place.angle != 0.0 {
        let angle = (place.angle.rem_euclid(360.0) * DEGREE).round() as i64;
        attributes.push(("rot", angle.to_string()));
    }
    for (name, is_flipped) in [("flipH", place.flips.0), ("flipV", place.flips.1)] {
        if is_flipped {
            attributes.push((name, "1".to_owned()));
        }
    }
    node("a:xfrm", &attributes, transform(place))
}

fn transform(place: &Turned) -> Vec<XmlNode> {
    let Area { x, y, width, height } = place.area;
    vec![
        node("a:off", &[("x", units(x)), ("y", units(y))], Vec::new()),
        node("a:ext", &[("cx", units(width)), ("cy", units(height))], Vec::new()),
    ]
}

/// The length of an attribute in pixels.
fn pixels(element: &XmlElement, name: &str) -> Option<f64> {
    Some(length(Some(element.attribute(name)?.to_owned()))? * POINT_PX)
}

/// Pixels in EMU.
fn units(pixels: f64) -> String {
    ((pixels * UNITS_PER_PIXEL).round() as i64).to_string()
}

fn node(name: &str, attributes: &[(&str, String)], children: Vec<XmlNode>) -> XmlNode {
    XmlNode::Element(parent(name, attributes, children))
}

fn parent(name: &str, attributes: &[(&str, String)], children: Vec<XmlNode>) -> XmlElement {
    let attributes = attributes.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    XmlElement { name: name.to_owned(), attributes, children }
}
