//! SmartArt graphics: a frame with parts for the texts, the layout, the style and the colors (ECMA-376 part 1,
//! 21.4), and a part with the shapes that the program has made of them ([MS-ODRAWXML], `dsp:drawing`).

use super::appearance::{OPACITY_MIN, WHOLE};
use super::kept_link::{KeptLink, image_name};
use super::text::plain_text;
use super::xml_element::XmlNode;
use super::{UNITS_PER_PIXEL, XmlElement};
use crate::limits::SHAPE_BYTES_MAX;

/// A kind of parts of SmartArt graphics.
pub(crate) struct DiagramPart {
    /// The last segment of the type of the relationships that lead to it.
    kind: &'static str,
    /// How the name of the part begins.
    pub name: &'static str,
    pub content_type: &'static str,
}

const DRAWING: &str = "diagramDrawing";
const DATA: &str = "diagramData";
const PARTS: [DiagramPart; 5] = [
    DiagramPart {
        kind: DATA,
        name: "data",
        content_type: "application/vnd.openxmlformats-officedocument.drawingml.diagramData+xml",
    },
    DiagramPart {
        kind: "diagramLayout",
        name: "layout",
        content_type: "application/vnd.openxmlformats-officedocument.drawingml.diagramLayout+xml",
    },
    DiagramPart {
        kind: "diagramQuickStyle",
        name: "quickStyle",
        content_type: "application/vnd.openxmlformats-officedocument.drawingml.diagramStyle+xml",
    },
    DiagramPart {
        kind: "diagramColors",
        name: "colors",
        content_type: "application/vnd.openxmlformats-officedocument.drawingml.diagramColors+xml",
    },
    DiagramPart {
        kind: DRAWING,
        name: "drawing",
        content_type: "application/vnd.ms-office.drawingml.diagramDrawing+xml",
    },
];

/// The kind of part to which a relationship of this type leads; `None` for types of other graphics.
pub(crate) fn diagram_part(type_uri: &str) -> Option<&'static DiagramPart> {
    PARTS.iter().find(|part| is_kind(type_uri, part.kind))
}

fn is_kind(type_uri: &str, kind: &str) -> bool {
    type_uri.rsplit('/').next() == Some(kind)
}

/// The relationship of the part with the shapes, which the part with the texts names.
pub(crate) fn drawing_id(data: &str) -> Option<String> {
    let data = XmlElement::parse(data, SHAPE_BYTES_MAX)?;
    let mut id = None;
    data.visit(&mut |element| {
        if element.local_name() == "dataModelExt" {
            id = element.attribute("relId").map(str::to_owned);
        }
    });
    id
}

/// The part with the texts naming another relationship.
pub(crate) fn with_drawing_id(data: &str, old: &str, new: &str) -> String {
    data.replace(&format!("relId=\"{old}\""), &format!("relId=\"{new}\""))
}

/// The shapes of a graphic as a group of this size in pixels. Without the part that has them, a box with the
/// texts. `None` without texts.
pub(super) fn drawing(links: &[KeptLink], (width, height): (f64, f64)) -> Option<XmlElement> {
    let part = |kind: &str| {
        let link = links.iter().find(|link| is_kind(&link.kind, kind))?;
        Some((link, XmlElement::parse(&link.part.as_ref()?.xml, SHAPE_BYTES_MAX)?))
    };
    let units = |pixels: f64| (pixels * UNITS_PER_PIXEL).round();
    let (width, height) = (units(width), units(height));
    let drawn = part(DRAWING).map(|(link, mut drawing)| {
        drawing.change(&mut |element| {
            for (name, value) in &mut element.attributes {
                if name == "r:embed" {
                    *value = image_name(&link.id, value);
                }
            }
        });
        let tree = drawing.child("spTree").cloned().unwrap_or_default();
        let mut shapes = tree.children;
        separate_texts(&mut shapes);
        shapes
    });
    let is_shape = |node: &XmlNode| matches!(node, XmlNode::Element(element) if matches!(element.local_name(), "sp" | "grpSp" | "pic" | "cxnSp"));
    let shapes = match drawn.filter(|shapes| shapes.iter().any(is_shape)) {
        Some(shapes) => shapes.into_iter().filter(|node| is_shape(node)).collect(),
        None => vec![text_box(&part(DATA)?.1, width, height)?],
    };
    let mut transform = box_of(width, height);
    transform.push(node("a:chOff", &[("x", 0.0), ("y", 0.0)], Vec::new()));
    transform.push(node("a:chExt", &[("cx", width), ("cy", height)], Vec::new()));
    let properties = node("xdr:grpSpPr", &[], vec![node("a:xfrm", &[], transform)]);
    let children = [properties].into_iter().chain(shapes).collect();
    Some(XmlElement { name: "xdr:grpSp".to_owned(), attributes: Vec::new(), children })
}

/// Gives texts that have a place of their own a shape of their own, without a fill and a line.
fn separate_texts(shapes: &mut Vec<XmlNode>) {
    let mut separated = Vec::with_capacity(shapes.len());
    for mut node in shapes.drain(..) {
        let mut own_text = None;
        if let XmlNode::Element(shape) = &mut node {
            match shape.local_name() {
                "grpSp" => separate_texts(&mut shape.children),
                _ => own_text = taken_text(shape),
            }
        }
        separated.push(node);
        separated.extend(own_text);
    }
    *shapes = separated;
}

/// The text of a shape as another shape, if it has a place of its own.
fn taken_text(shape: &mut XmlElement) -> Option<XmlNode> {
    let mut place = shape.child("txXfrm")?.clone();
    let body = shape.child("txBody")?.clone();
    let properties = shape.child("spPr")?;
    // The text is turned by its own angle and that of the shape.
    let angle = |element: &XmlElement| element.number("rot").unwrap_or(0.0);
    let turned = angle(&place) + properties.child("xfrm").map_or(0.0, angle);
    place.name = "a:xfrm".to_owned();
    place.set("rot", turned);
    // The color of the text rests on the fill of the shape, if that covers what is below.
    let fill = match properties.child("noFill").is_some() || is_translucent(properties) {
        true => node("a:noFill", &[], Vec::new()),
        false => node(
            "a:solidFill",
            &[],
            vec![color("FFFFFF", vec![node("a:alpha", &[("val", 0.0)], Vec::new())])],
        ),
    };
    let font = shape.at(&["style", "fontRef"]).cloned().map(XmlNode::Element);
    let text = vec![
        node("xdr:spPr", &[], vec![XmlNode::Element(place), fill]),
        node("xdr:style", &[], font.into_iter().collect()),
        XmlNode::Element(body),
    ];
    shape.children.retain(|child| !matches!(child, XmlNode::Element(own) if own.local_name() == "txBody"));
    Some(node("xdr:sp", &[], text))
}

fn is_translucent(properties: &XmlElement) -> bool {
    let color = properties.child("solidFill").and_then(|fill| fill.elements().next());
    let opacity = color.and_then(|color| color.child("alpha")?.number("val"));
    opacity.is_some_and(|opacity| opacity / WHOLE < OPACITY_MIN)
}

/// A box with the texts of a graphic.
fn text_box(data: &XmlElement, width: f64, height: f64) -> Option<XmlNode> {
    let points = data.child("ptLst")?.elements().filter(|point| {
        let kind = point.attribute("type").unwrap_or("node");
        matches!(kind, "node" | "asst") && point.child("t").is_some_and(|text| !plain_text(text).is_empty())
    });
    let is_paragraph =
        |node: &&XmlNode| matches!(node, XmlNode::Element(element) if element.local_name() == "p");
    let texts = points.filter_map(|point| point.child("t"));
    let paragraphs: Vec<XmlNode> =
        texts.flat_map(|text| text.children.iter().filter(is_paragraph).cloned()).collect();
    if paragraphs.is_empty() {
        return None;
    }
    let line = node("a:ln", &[], vec![node("a:solidFill", &[], vec![color("808080", Vec::new())])]);
    let transform = node("a:xfrm", &[], box_of(width, height));
    let properties = node("xdr:spPr", &[], vec![transform, line]);
    Some(node("xdr:sp", &[], vec![properties, node("xdr:txBody", &[], paragraphs)]))
}

/// The position and the size of a transform.
fn box_of(width: f64, height: f64) -> Vec<XmlNode> {
    vec![
        node("a:off", &[("x", 0.0), ("y", 0.0)], Vec::new()),
        node("a:ext", &[("cx", width), ("cy", height)], Vec::new()),
    ]
}

fn color(hex: &str, modifiers: Vec<XmlNode>) -> XmlNode {
    let attributes = vec![("val".to_owned(), hex.to_owned())];
    XmlNode::Element(XmlElement { name: "a:srgbClr".to_owned(), attributes, children: modifiers })
}

fn node(name: &str, attributes: &[(&str, f64)], children: Vec<XmlNode>) -> XmlNode {
    let attributes = attributes.iter().map(|(name, value)| ((*name).to_owned(), value.to_string())).collect();
    XmlNode::Element(XmlElement { name: name.to_owned(), attributes, children })
}
