//! Makes shapes, and changes shapes and pictures (decision 0067).
//!
//! A change rewrites the elements of the attributes that change, and keeps everything else of the DrawingML.

use super::attributes::{ObjectKind, ShapeAttributes};
use super::description::{describe, object_kind, preset_of};
use super::kept_link::KeptLink;
use super::kept_shape::KeptShape;
use super::paint_edit::change_paint;
use super::picture::{is_unchanged_picture, picture};
use super::placement::Placement;
use super::text::plain_text;
use super::text_edit::change_text;
use super::xml_element::{XmlElement, XmlNode};
use super::{DEGREE, UNITS_PER_PIXEL};
use crate::images::{displayed_type, image_type, is_shape};
use crate::limits::SHAPE_SIDE_PIXELS_MAX;

/// Elements that precede others of `CT_Shape`.
const BEFORE_TEXT: [&str; 3] = ["nvSpPr", "spPr", "style"];
const IMAGE_RELATIONSHIP: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/image";
/// 100 % in the unit of cuts.
const WHOLE: f64 = 100_000.0;
/// Characters of the text of a shape as its alternative text, at most.
const ALT_TEXT_LENGTH_MAX: usize = 1_000;

/// The image of a shape that was made or changed.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeImage {
    /// The SVG document, or an image as it is when nothing of it is cropped or turned any more.
    pub bytes: Vec<u8>,
    pub is_shape: bool,
    /// Width and height of its frame in pixels.
    pub size: (f64, f64),
    /// From the corner of the frame before, of a new shape from its own corner, to that of the new frame.
    pub moved: (f64, f64),
    /// The alternative text of its item.
    pub alt_text: Option<String>,
}

/// The item that shows an image, as far as a change needs it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShownImage {
    /// Width and height in pixels.
    pub size: Option<(f64, f64)>,
    pub alt_text: Option<String>,
}

/// A shape that cannot be made or changed.
#[derive(Clone, Debug, PartialEq)]
pub enum ShapeError {
    /// The bytes are not an image that is displayed.
    NotAnImage,
    /// A group, a SmartArt graphic, a form control or an embedded object.
    NotEditable,
    /// A value or a combination of values; what is wrong.
    BadValue(String),
    /// The image would be larger than images may be.
    TooLarge,
}

/// Makes a shape of this size in pixels. `attributes` has its preset, or none for a text box.
///
/// # Errors
/// Fails when a value is not valid.
pub fn new_shape(size: (f64, f64), attributes: &ShapeAttributes) -> Result<ShapeImage, ShapeError> {
    attributes.check().map_err(ShapeError::BadValue)?;
    check_size(size)?;
    let kind = if attributes.is_line() { ObjectKind::Line } else { ObjectKind::Shape };
    check_kind(attributes, kind)?;
    let shape = super::new_shape::element(kind, attributes.preset.as_deref());
    let kept = KeptShape { anchor: "oneCell".to_owned(), ..KeptShape::default() };
    let placement = Placement { size, ..Placement::default() };
    changed(kept, shape, placement, None, attributes)
}

/// Changes a shape, or crops or turns a picture.
///
/// # Errors
/// Fails when a value is not valid, or the shape does not have the attribute.
pub fn change_shape(
    bytes: &[u8],
    shown: &ShownImage,
    attributes: &ShapeAttributes,
) -> Result<ShapeImage, ShapeError> {
    attributes.check().map_err(ShapeError::BadValue)?;
    if let Some(size) = shown.size {
        check_size(size)?;
    }
    let (kept, element, placement) = match image_type(bytes) {
        Some(media_type) => {
            let need = || ShapeError::BadValue("width and height of the image are needed".to_owned());
            let size = shown.size.ok_or_else(need)?;
            let link = KeptLink {
                id: "rId1".to_owned(),
                kind: IMAGE_RELATIONSHIP.to_owned(),
                image: Some((media_type.to_owned(), bytes.to_vec())),
                has_image: true,
                ..KeptLink::default()
            };
            let anchor = "oneCell".to_owned();
            let kept = KeptShape { anchor, links: vec![link], ..KeptShape::default() };
            (kept, picture("rId1"), Placement { size, ..Placement::default() })
        }
        None => {
            let kept = KeptShape::decode(bytes).ok_or(ShapeError::NotAnImage)?;
            if kept.control.is_some() {
                return Err(ShapeError::NotEditable);
            }
            let element = kept.element().ok_or(ShapeError::NotAnImage)?;
            let placement = match shown.size {
                Some(size) => kept.placement.resized(size),
                None => kept.placement,
            };
            (kept, element, placement)
        }
    };
    let kind = object_kind(&element);
    if kind == ObjectKind::Other {
        return Err(ShapeError::NotEditable);
    }
    check_kind(attributes, kind)?;
    changed(kept, element, placement, Some(&shown.alt_text), attributes)
}

/// The kind and the attributes of a shape or of a picture; `None` for bytes that are no image.
pub fn shape_attributes(bytes: &[u8]) -> Option<(ObjectKind, ShapeAttributes)> {
    displayed_type(bytes)?;
    if !is_shape(bytes) {
        let element = picture("rId1");
        let attributes = describe(&element, ObjectKind::Picture, &Default::default());
        return Some((ObjectKind::Picture, attributes));
    }
    let kept = KeptShape::decode(bytes)?;
    let element = kept.element().filter(|_| kept.control.is_none());
    let kind = element.as_ref().map_or(ObjectKind::Other, object_kind);
    Some((kind, describe(&element.unwrap_or_default(), kind, &kept.theme)))
}

fn check_size((width, height): (f64, f64)) -> Result<(), ShapeError> {
    let is_valid = |side: f64| (0.0..=SHAPE_SIDE_PIXELS_MAX).contains(&side);
    if !is_valid(width) || !is_valid(height) || width + height < 1.0 {
        let message = format!(
            "width and height must be between 0 and {SHAPE_SIDE_PIXELS_MAX}, and one of them at least 1: \
             {width}, {height}"
        );
        return Err(ShapeError::BadValue(message));
    }
    Ok(())
}

fn check_kind(attributes: &ShapeAttributes, kind: ObjectKind) -> Result<(), ShapeError> {
    if let Some(name) = attributes.foreign_to(kind) {
        let what = match kind {
            ObjectKind::Line => "a line",
            ObjectKind::Picture => "a picture",
            ObjectKind::Shape | ObjectKind::Other => "a shape",
        };
        return Err(ShapeError::BadValue(format!("{what} has no {name}")));
    }
    if attributes.preset.is_some() && attributes.is_line() != (kind == ObjectKind::Line) {
        return Err(ShapeError::BadValue(
            "a line does not become another shape, nor a shape a line".to_owned(),
        ));
    }
    Ok(())
}

/// Changes an element that has this placement, and draws it. `alt_text` is that of its item, if there is one.
fn changed(
    mut kept: KeptShape,
    mut element: XmlElement,
    placement: Placement,
    alt_text: Option<&Option<String>>,
    attributes: &ShapeAttributes,
) -> Result<ShapeImage, ShapeError> {
    let prefix = drawing_prefix(&element);
    let (size, shift) = match attributes.crop {
        Some(crop) => crop_picture(&mut element, crop, &placement, attributes, &prefix),
        None => (placement.size, (0.0, 0.0)),
    };
    change_properties(&mut element, size, attributes, &prefix);
    let has_text_change = attributes.text.is_some();
    if object_kind(&element) == ObjectKind::Shape {
        if element.child("txBody").is_none() && has_text(attributes) {
            let name = element.name.replace(element.local_name(), "txBody");
            element.insert_after(&BEFORE_TEXT, XmlElement::named(&name));
        }
        if let Some(body) = element.child_mut("txBody") {
            change_text(body, attributes, &prefix);
        }
        if has_text_change && element.attribute("textlink").is_some() {
            // Excel would replace the text by that of the cell.
            element.set("textlink", "");
        }
    }
    let alt_text = match alt_text {
        // Somebody has described the shape.
        Some(own) if *own != kept.own_text => own.clone(),
        _ => {
            kept.own_text = element.child("txBody").map(plain_text).filter(|text| !text.is_empty());
            kept.own_text = kept.own_text.map(|text| text.chars().take(ALT_TEXT_LENGTH_MAX).collect());
            element.change(&mut |part| {
                if part.local_name() == "cNvPr" {
                    part.remove("descr");
                }
            });
            kept.own_text.clone()
        }
    };
    kept.placement = Placement::of(&element, Some(size), &kept.theme);
    let ((x, y), (new_x, new_y)) = (placement.center(), kept.placement.center());
    let (bytes, is_shape) = match unchanged_image(&kept, &element) {
        Some(image) => (image, false),
        None => {
            kept.xml.clear();
            element.write(&mut kept.xml);
            (kept.encode(&element).ok_or(ShapeError::TooLarge)?, true)
        }
    };
    let frame = if is_shape { kept.placement.frame() } else { kept.placement.size };
    let moved = (x + shift.0 - new_x, y + shift.1 - new_y);
    Ok(ShapeImage { bytes, is_shape, size: frame, moved, alt_text })
}

/// The image of a picture of which nothing is cropped or turned any more.
fn unchanged_image(kept: &KeptShape, element: &XmlElement) -> Option<Vec<u8>> {
    let id = element.at(&["blipFill", "blip"])?.attribute("r:embed")?;
    let (_, bytes) = kept.image(id).filter(|_| is_unchanged_picture(element))?;
    image_type(bytes).map(|_| bytes.to_vec())
}

/// Whether there are attributes of a text.
fn has_text(attributes: &ShapeAttributes) -> bool {
    let ShapeAttributes { text, font_size, bold, italic, text_color, horizontal, vertical, .. } = attributes;
    let formats = font_size.is_some() || bold.is_some() || italic.is_some() || text_color.is_some();
    text.is_some() || formats || horizontal.is_some() || vertical.is_some()
}

/// The prefix of DrawingML in a shape, with a colon.
fn drawing_prefix(element: &XmlElement) -> String {
    let mut prefix = None;
    element.visit(&mut |part| {
        if prefix.is_none()
            && matches!(part.local_name(), "xfrm" | "prstGeom" | "custGeom" | "bodyPr" | "blip")
        {
            prefix = Some(part.name.split_once(':').map_or(String::new(), |(own, _)| format!("{own}:")));
        }
    });
    prefix.unwrap_or_else(|| "a:".to_owned())
}

/// Changes geometry, transform, fill and line. `size` in pixels is that of the shape before it is turned.
fn change_properties(element: &mut XmlElement, size: (f64, f64), attributes: &ShapeAttributes, prefix: &str) {
    let is_same_preset = attributes.preset.as_deref() == preset_of(element);
    let Some(properties) = element.child_mut("spPr") else { return };
    let named = |name: &str| XmlElement::named(&format!("{prefix}{name}"));
    if properties.child("xfrm").is_none() {
        properties.insert_after(&[], named("xfrm"));
    }
    let transform = properties.child_mut("xfrm").expect("it was added");
    if transform.child("off").is_none() {
        let mut offset = named("off");
        offset.set("x", 0);
        offset.set("y", 0);
        transform.insert_after(&[], offset);
    }
    if transform.child("ext").is_none() {
        transform.insert_after(&["off"], named("ext"));
    }
    let units = |pixels: f64| (pixels * UNITS_PER_PIXEL).round() as i64;
    let extent = transform.child_mut("ext").expect("it was added");
    extent.set("cx", units(size.0));
    extent.set("cy", units(size.1));
    if let Some(degrees) = attributes.rotation {
        match (degrees.rem_euclid(360.0) * DEGREE).round() as i64 {
            0 => transform.remove("rot"),
            angle => transform.set("rot", angle),
        }
    }
    for (name, flip) in [("flipH", attributes.flip_horizontal), ("flipV", attributes.flip_vertical)] {
        match flip {
            Some(true) => transform.set(name, 1),
            Some(false) => transform.remove(name),
            None => {}
        }
    }
    if let Some(preset) = attributes.preset.as_deref().filter(|_| !is_same_preset) {
        properties.remove_children("custGeom");
        properties.remove_children("prstGeom");
        let mut geometry = named("prstGeom");
        geometry.set("prst", preset);
        geometry.children.push(XmlNode::Element(named("avLst")));
        properties.insert_after(&["xfrm"], geometry);
    }
    change_paint(properties, attributes, prefix);
}

/// Cuts a picture that `attributes` can turn as well. Returns the size of what is shown, in the scale that the
/// picture has, and how far its center moves.
fn crop_picture(
    element: &mut XmlElement,
    crop: super::attributes::Crop,
    placement: &Placement,
    attributes: &ShapeAttributes,
    prefix: &str,
) -> ((f64, f64), (f64, f64)) {
    let before = describe(element, ObjectKind::Picture, &Default::default()).crop.unwrap_or_default();
    if let Some(fill) = element.child_mut("blipFill") {
        fill.remove_children("srcRect");
        let mut cut = XmlElement::named(&format!("{prefix}srcRect"));
        let sides = [("l", crop.left), ("t", crop.top), ("r", crop.right), ("b", crop.bottom)];
        for (name, side) in sides.into_iter().filter(|(_, side)| *side > 0.0) {
            cut.set(name, (side * WHOLE).round() as i64);
        }
        if !cut.attributes.is_empty() {
            fill.insert_after(&["blip"], cut);
        }
    }
    // Size and middle of what is shown along an axis, where the whole picture begins at 0.
    let along = |shown: f64, before: (f64, f64), after: (f64, f64)| {
        let whole = shown / (1.0 - before.0 - before.1).max(0.01);
        let middle = |cut: (f64, f64)| whole * (cut.0 + 1.0 - cut.1) / 2.0;
        (whole * (1.0 - after.0 - after.1), middle(after) - middle(before))
    };
    let (width, x) = along(placement.size.0, (before.left, before.right), (crop.left, crop.right));
    let (height, y) = along(placement.size.1, (before.top, before.bottom), (crop.top, crop.bottom));
    // A new rotation comes first, so that a picture that was cropped and turned is where it was when both are
    // taken back.
    let own = describe(element, ObjectKind::Picture, &Default::default());
    let is_flipped = |new: Option<bool>, own: Option<bool>| new.or(own).unwrap_or(false);
    let x = if is_flipped(attributes.flip_horizontal, own.flip_horizontal) { -x } else { x };
    let y = if is_flipped(attributes.flip_vertical, own.flip_vertical) { -y } else { y };
    let (sine, cosine) = attributes.rotation.map_or(placement.angle, f64::to_radians).sin_cos();
    ((width, height), (x * cosine - y * sine, x * sine + y * cosine))
}
