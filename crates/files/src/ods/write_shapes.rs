//! Writes the shapes that came with an `.xlsx` file as those of OpenDocument (ODF 1.3 part 3, 10.6).

use std::fmt::Write as _;

use quadrille_workbook::{Field, Item};

use super::lengths::POINT_PX;
use super::numbers::escaped;
use super::write_text::spaced;
use crate::shapes::{
    Area, DEGREE, Fill, Geometry, KeptShape, Line, NOTHING, Paint, XmlElement, children, color, fill, image,
    line, object_properties, transform,
};
use crate::xlsx::colors::Theme;

/// Units of the coordinates of paths per pixel: they are whole numbers.
const PATH_UNITS: f64 = 100.0;
/// Distance in points of a text from the left and right side, and from the top and bottom.
const INSETS: (f64, f64) = (7.2, 3.6);
/// EMU per point.
const UNITS_PER_POINT: f64 = 12_700.0;
/// The font of texts without one of their own.
const FONT_DEFAULT: &str = "Calibri";
/// Font size in hundredths of a point of texts without one.
const SIZE_DEFAULT: f64 = 1_100.0;

/// The styles that shapes need.
#[derive(Default)]
pub(super) struct ShapeStyles {
    /// Elements of `automatic-styles`.
    pub automatic: String,
    /// Arrowheads, dashes and gradients, which are elements of `styles`.
    pub named: String,
    count: usize,
}

/// Writes the shape of one item.
pub(super) struct ShapeWriter<'a, Store: FnMut(&str, &[u8]) -> String> {
    pub styles: &'a mut ShapeStyles,
    pub kept: &'a KeptShape,
    /// Returns the element `draw:image` of an image by its media type and bytes.
    pub store: Store,
    /// The position among the objects that cover one another.
    pub z_index: usize,
}

impl<Store: FnMut(&str, &[u8]) -> String> ShapeWriter<'_, Store> {
    /// The elements of the shape, with the place and the description of its item.
    pub fn write(mut self, item: &Item) -> Option<String> {
        let element = self.kept.drawn()?;
        let placement = self.kept.placement_of(item);
        let offset = |field: Field| item.number(field).unwrap_or(0.0);
        let ((x, y), (width, height)) = (placement.center(), placement.size);
        let area = Area {
            x: offset(Field::OffsetX) + x - width / 2.0,
            y: offset(Field::OffsetY) + y - height / 2.0,
            width,
            height,
        };
        let own = self.kept.own_text.as_deref();
        let description = item.text(Field::AltText).filter(|text| Some(&***text) != own);
        let description = description.map(|text| format!("<svg:desc>{}</svg:desc>", escaped(text)));
        let mut xml = String::new();
        self.any(&element, area, description.as_deref().unwrap_or_default(), &mut xml);
        Some(xml)
    }

    fn any(&mut self, shape: &XmlElement, area: Area, description: &str, xml: &mut String) {
        let z_index = self.z_index;
        if shape.local_name() == "grpSp" {
            let _infallible = write!(xml, "<draw:g draw:z-index=\"{z_index}\">{description}");
            for (child, own) in children(shape, area.width, area.height) {
                let area = Area { x: area.x + own.x, y: area.y + own.y, ..own };
                self.any(child, area, "", xml);
            }
            xml.push_str("</draw:g>");
            return;
        }
        let theme = self.kept.theme.clone();
        let (properties, style) = (shape.child("spPr").unwrap_or(&NOTHING), shape.child("style"));
        let line = line(properties, style, &theme);
        let is_picture = shape.local_name() == "pic";
        let fill = match shape.child("blipFill").and_then(image) {
            Some(image) => image,
            None if is_picture => Fill::None,
            None => fill(properties, style, &theme),
        };
        let name = object_properties(shape).and_then(|own| own.attribute("name")).unwrap_or_default();
        let bitmap = match &fill {
            Fill::Image(id, _) if !is_picture => self.bitmap(id),
            _ => None,
        };
        let style_name =
            self.graphic_style(&fill, bitmap.as_deref(), line.as_ref(), shape.child("txBody"), area);
        let place = format!(
            "draw:name=\"{}\" draw:z-index=\"{z_index}\" draw:style-name=\"{style_name}\" svg:width=\"{}\" \
             svg:height=\"{}\" {}",
            escaped(name),
            points(area.width),
            points(area.height),
            position(shape, area)
        );
        if let (Fill::Image(id, _), true) = (&fill, is_picture) {
            if let Some((media_type, bytes)) = self.kept.image(id) {
                let image = (self.store)(media_type, bytes);
                let _infallible = write!(xml, "<draw:frame {place}>{image}{description}</draw:frame>");
            }
            return;
        }
        let font = style.and_then(|style| style.child("fontRef")).and_then(|font| color(font, &theme));
        let _infallible = write!(xml, "<draw:custom-shape {place}>{description}");
        if let Some(body) = shape.child("txBody") {
            self.text(body, font.unwrap_or(Paint::BLACK), &theme, xml);
        }
        push_geometry(shape, properties, area, xml);
        xml.push_str("</draw:custom-shape>");
    }

    fn new_name(&mut self, kind: &str) -> String {
        self.styles.count += 1;
        format!("shape-{kind}{}", self.styles.count)
    }

    /// Adds an image as a fill, and returns its name (ODF 1.3 part 3, 16.40.6); `None` if the shape has no such
    /// image.
    fn bitmap(&mut self, id: &str) -> Option<String> {
        let (media_type, bytes) = self.kept.image(id)?;
        let image = (self.store)(media_type, bytes);
        let name = self.new_name("image");
        let image = image.replacen("<draw:image", &format!("<draw:fill-image draw:name=\"{name}\""), 1);
        self.styles.named.push_str(&image.replace("</draw:image>", "</draw:fill-image>"));
        Some(name)
    }

    /// Adds the style of a shape, and returns its name. `bitmap`: the name of the image that fills it.
    fn graphic_style(
        &mut self,
        fill: &Fill,
        bitmap: Option<&str>,
        line: Option<&Line>,
        text: Option<&XmlElement>,
        area: Area,
    ) -> String {
        let mut properties = match (fill, bitmap) {
            (_, Some(name)) => {
                format!("draw:fill=\"bitmap\" draw:fill-image-name=\"{name}\" style:repeat=\"stretch\"")
            }
            (Fill::None, _) => "draw:fill=\"none\"".to_owned(),
            (Fill::Solid(paint), _) => {
                format!(
                    "draw:fill=\"solid\" draw:fill-color=\"{}\"{}",
                    hex(*paint),
                    opacity(*paint, "draw:opacity")
                )
            }
            (Fill::Gradient(stops, angle), _) => {
                let name = self.new_name("gradient");
                let (first, last) = (stops[0].1, stops[stops.len() - 1].1);
                // Counterclockwise, from the direction downward.
                let angle = (90.0 - angle).rem_euclid(360.0).round();
                let _infallible = write!(
                    self.styles.named,
                    "<draw:gradient draw:name=\"{name}\" draw:style=\"linear\" draw:start-color=\"{}\" \
                     draw:end-color=\"{}\" draw:angle=\"{angle}deg\"/>",
                    hex(first),
                    hex(last)
                );
                format!("draw:fill=\"gradient\" draw:fill-gradient-name=\"{name}\"")
            }
            // What is cut off, in lengths of the displayed size.
            (Fill::Image(_, [left, top, right, bottom]), _) => {
                let (across, down) = (
                    area.width / (1.0 - left - right).max(0.01),
                    area.height / (1.0 - top - bottom).max(0.01),
                );
                let cut = [top * down, right * across, bottom * down, left * across].map(points).join(", ");
                format!("draw:fill=\"none\" fo:clip=\"rect({cut})\"")
            }
        };
        match line {
            None => properties.push_str(" draw:stroke=\"none\""),
            Some(line) => {
                let stroke = match line.dashes {
                    [] => "draw:stroke=\"solid\"".to_owned(),
                    dashes => {
                        let name = self.new_name("dash");
                        let length = |index: usize| points(dashes[index] * line.width);
                        let _infallible = write!(
                            self.styles.named,
                            "<draw:stroke-dash draw:name=\"{name}\" draw:style=\"rect\" draw:dots1=\"1\" \
                             draw:dots1-length=\"{}\" draw:distance=\"{}\"/>",
                            length(0),
                            length(1)
                        );
                        format!("draw:stroke=\"dash\" draw:stroke-dash=\"{name}\"")
                    }
                };
                let _infallible = write!(
                    properties,
                    " {stroke} svg:stroke-width=\"{}\" svg:stroke-color=\"{}\"{}",
                    points(line.width),
                    hex(line.paint),
                    opacity(line.paint, "svg:stroke-opacity")
                );
                for (end, kind) in line.ends.iter().zip(["start", "end"]) {
                    let Some(end) = end else { continue };
                    let name = self.new_name("arrow");
                    let outline = match end.is_oval {
                        true => "M10 0c-5.5 0-10 4.5-10 10s4.5 10 10 10 10-4.5 10-10-4.5-10-10-10z",
                        false => "M10 0l-10 20h20z",
                    };
                    let _infallible = write!(
                        self.styles.named,
                        "<draw:marker draw:name=\"{name}\" svg:viewBox=\"0 0 20 20\" svg:d=\"{outline}\"/>"
                    );
                    let width = points(end.size.0);
                    let _infallible = write!(
                        properties,
                        " draw:marker-{kind}=\"{name}\" draw:marker-{kind}-width=\"{width}\""
                    );
                }
            }
        }
        properties.push_str(&text_properties(text));
        let name = self.new_name("style");
        let _infallible = write!(
            self.styles.automatic,
            "<style:style style:name=\"{name}\" style:family=\"graphic\"><style:graphic-properties \
             {properties}/></style:style>"
        );
        name
    }

    /// Writes the paragraphs of a text.
    fn text(&mut self, body: &XmlElement, ink: Paint, theme: &Theme, xml: &mut String) {
        for paragraph in body.elements().filter(|element| element.local_name() == "p") {
            let align = match paragraph.child("pPr").and_then(|own| own.attribute("algn")) {
                Some("ctr") => "center",
                Some("r") => "end",
                Some("just" | "dist") => "justify",
                _ => "start",
            };
            let name = self.new_name("paragraph");
            let _infallible = write!(
                self.styles.automatic,
                "<style:style style:name=\"{name}\" style:family=\"paragraph\"><style:paragraph-properties \
                 fo:text-align=\"{align}\"/></style:style>"
            );
            let _infallible = write!(xml, "<text:p text:style-name=\"{name}\">");
            for piece in paragraph.elements() {
                match piece.local_name() {
                    "r" | "fld" => {
                        let text = piece.child("t").map(XmlElement::text).unwrap_or_default();
                        let name = self.text_style(piece.child("rPr"), ink, theme);
                        let _infallible = write!(
                            xml,
                            "<text:span text:style-name=\"{name}\">{}</text:span>",
                            spaced(&text)
                        );
                    }
                    "br" => xml.push_str("<text:line-break/>"),
                    _ => {}
                }
            }
            xml.push_str("</text:p>");
        }
    }

    fn text_style(&mut self, properties: Option<&XmlElement>, ink: Paint, theme: &Theme) -> String {
        let word = |name: &str| properties.and_then(|own| own.attribute(name));
        let is_on = |name: &str| matches!(word(name), Some("1" | "true"));
        let own = properties.and_then(|own| color(own.child("solidFill")?, theme));
        let size = properties.and_then(|own| own.number("sz")).unwrap_or(SIZE_DEFAULT);
        let mut style = format!(
            "fo:font-size=\"{}pt\" fo:color=\"{}\"",
            size.clamp(100.0, 40_000.0) / 100.0,
            hex(own.unwrap_or(ink))
        );
        if is_on("b") {
            style.push_str(" fo:font-weight=\"bold\"");
        }
        if is_on("i") {
            style.push_str(" fo:font-style=\"italic\"");
        }
        if word("u").is_some_and(|kind| kind != "none") {
            style.push_str(" style:text-underline-style=\"solid\" style:text-underline-width=\"auto\"");
        }
        if word("strike").is_some_and(|kind| kind != "noStrike") {
            style.push_str(" style:text-line-through-style=\"solid\"");
        }
        let font = properties.and_then(|own| own.child("latin")?.attribute("typeface"));
        // Fonts of the theme begin with a plus sign.
        let font = font.filter(|font| !font.starts_with('+')).unwrap_or(FONT_DEFAULT);
        let _infallible = write!(style, " fo:font-family=\"{}\"", escaped(font));
        let name = self.new_name("text");
        let _infallible = write!(
            self.styles.automatic,
            "<style:style style:name=\"{name}\" style:family=\"text\"><style:text-properties {style}/>\
             </style:style>"
        );
        name
    }
}

/// Where a text is in its shape.
fn text_properties(body: Option<&XmlElement>) -> String {
    let own = body.and_then(|body| body.child("bodyPr"));
    let inset = |name: &str, default: f64| {
        let units = own.and_then(|own| own.number(name)).map(|units| units / UNITS_PER_POINT);
        units.unwrap_or(default).clamp(0.0, 1_000.0)
    };
    let vertical = match own.and_then(|own| own.attribute("anchor")) {
        Some("ctr") => "middle",
        Some("b") => "bottom",
        _ => "top",
    };
    let wrap = match own.and_then(|own| own.attribute("wrap")) {
        Some("none") => "no-wrap",
        _ => "wrap",
    };
    let (x, y) = INSETS;
    format!(
        " draw:textarea-vertical-align=\"{vertical}\" draw:auto-grow-height=\"false\" \
         fo:wrap-option=\"{wrap}\" fo:padding-left=\"{}pt\" fo:padding-right=\"{}pt\" fo:padding-top=\"{}pt\" \
         fo:padding-bottom=\"{}pt\"",
        inset("lIns", x),
        inset("rIns", x),
        inset("tIns", y),
        inset("bIns", y)
    )
}

/// The attributes of the position; of a turned shape, a transform.
fn position(shape: &XmlElement, area: Area) -> String {
    let angle = transform(shape).and_then(|transform| transform.number("rot")).unwrap_or(0.0) / DEGREE;
    if angle == 0.0 {
        return format!("svg:x=\"{}\" svg:y=\"{}\"", points(area.x), points(area.y));
    }
    let angle = angle.to_radians();
    let (half_width, half_height) = (area.width / 2.0, area.height / 2.0);
    let (sine, cosine) = angle.sin_cos();
    // The corner of the shape that is turned about its center.
    let x = area.x + half_width - (half_width * cosine - half_height * sine);
    let y = area.y + half_height - (half_width * sine + half_height * cosine);
    format!("draw:transform=\"rotate({}) translate({} {})\"", -angle, points(x), points(y))
}

fn push_geometry(shape: &XmlElement, properties: &XmlElement, area: Area, xml: &mut String) {
    let (width, height) = (area.width.max(0.01), area.height.max(0.01));
    let geometry = Geometry::of(properties, area.width, area.height);
    let mut data = String::new();
    for path in &geometry.paths {
        for (letter, numbers) in commands(&path.data) {
            let _infallible = write!(data, "{letter} ");
            for number in numbers {
                let _infallible = write!(data, "{} ", (number * PATH_UNITS).round());
            }
        }
        if !path.is_filled {
            data.push_str("F ");
        }
        if !path.is_stroked {
            data.push_str("S ");
        }
        data.push_str("N ");
    }
    let is = |name: &str| {
        let value = transform(shape).and_then(|transform| transform.attribute(name));
        matches!(value, Some("1" | "true"))
    };
    let mirrored = |is: bool, direction: &str| match is {
        true => format!(" draw:mirror-{direction}=\"true\""),
        false => String::new(),
    };
    let units = |pixels: f64| (pixels * PATH_UNITS).round();
    let [left, top, right, bottom] = geometry.text_box;
    let _infallible = write!(
        xml,
        "<draw:enhanced-geometry draw:type=\"non-primitive\" svg:viewBox=\"0 0 {} {}\"{}{} \
         draw:text-areas=\"{} {} {} {}\" draw:enhanced-path=\"{}\"/>",
        units(width).max(1.0),
        units(height).max(1.0),
        mirrored(is("flipH"), "horizontal"),
        mirrored(is("flipV"), "vertical"),
        units(left * width),
        units(top * height),
        units(right * width),
        units(bottom * height),
        data.trim_end()
    );
}

/// The commands of a path with their numbers.
fn commands(data: &str) -> Vec<(char, Vec<f64>)> {
    let mut commands: Vec<(char, Vec<f64>)> = Vec::new();
    for (at, letter) in data.char_indices().filter(|(_, character)| character.is_ascii_alphabetic()) {
        let rest = &data[at + 1..];
        let end = rest.find(|character: char| character.is_ascii_alphabetic()).unwrap_or(rest.len());
        let numbers = rest[..end].split_ascii_whitespace().filter_map(|number| number.parse().ok());
        commands.push((letter, numbers.collect()));
    }
    commands
}

fn points(pixels: f64) -> String {
    format!("{}pt", (pixels / POINT_PX * 1_000.0).round() / 1_000.0)
}

fn hex(paint: Paint) -> String {
    format!("#{:06x}", paint.color)
}

/// The attribute with this name of a color that is partly transparent.
fn opacity(paint: Paint, name: &str) -> String {
    match paint.opacity < 1.0 {
        true => format!(" {name}=\"{}%\"", (paint.opacity * 100.0).round()),
        false => String::new(),
    }
}
