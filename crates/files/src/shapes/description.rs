//! [`describe`]: the attributes that a shape or a picture has.

use super::DEGREE;
use super::appearance::{Fill, color, fill, image, line};
use super::attributes::{Crop, Dash, Horizontal, Named, ObjectKind, Rgb, ShapeAttributes, Vertical};
use super::paint_edit::has_arrow;
use super::placement::transform;
use super::presets::is_line_preset;
use super::text::whole_text;
use super::xml_element::{NOTHING, XmlElement};
use crate::xlsx::colors::Theme;

/// Hundredths of a point of texts without a size.
const FONT_SIZE: f64 = 1_100.0;

/// What can be edited of an object of a drawing.
pub(super) fn object_kind(element: &XmlElement) -> ObjectKind {
    match element.local_name() {
        "cxnSp" => ObjectKind::Line,
        "sp" if preset_of(element).is_some_and(is_line_preset) => ObjectKind::Line,
        "sp" => ObjectKind::Shape,
        "pic" => ObjectKind::Picture,
        _ => ObjectKind::Other,
    }
}

/// The preset of a shape; `None` for custom geometry.
pub(super) fn preset_of(element: &XmlElement) -> Option<&str> {
    element.at(&["spPr", "prstGeom"])?.attribute("prst")
}

/// The attributes of an object of this kind.
pub(super) fn describe(element: &XmlElement, kind: ObjectKind, theme: &Theme) -> ShapeAttributes {
    if kind == ObjectKind::Other {
        return ShapeAttributes::default();
    }
    let transform = transform(element).unwrap_or(&NOTHING);
    let is_on = |name: &str| matches!(transform.attribute(name), Some("1" | "true"));
    let degrees = (transform.number("rot").unwrap_or(0.0) / DEGREE).rem_euclid(360.0);
    let all = ShapeAttributes {
        rotation: Some((degrees * 100.0).round() / 100.0),
        flip_horizontal: Some(is_on("flipH")),
        flip_vertical: Some(is_on("flipV")),
        ..ShapeAttributes::default()
    };
    if kind == ObjectKind::Picture {
        let cut = element.child("blipFill").and_then(image);
        let crop = match cut {
            Some(Fill::Image(_, [left, top, right, bottom])) => Crop { left, top, right, bottom },
            _ => Crop::default(),
        };
        return ShapeAttributes { crop: Some(crop), ..all };
    }
    let (properties, style) = (element.child("spPr").unwrap_or(&NOTHING), element.child("style"));
    let line = line(properties, style, theme);
    let own = properties.child("ln").unwrap_or(&NOTHING);
    let dash = own.child("prstDash").and_then(|dash| Dash::of_name(dash.attribute("val")?));
    let with_line = ShapeAttributes {
        preset: preset_of(element).map(str::to_owned),
        outline: Some(line.as_ref().map(|line| Rgb(line.paint.color))),
        outline_width: line.as_ref().map(|line| (line.width * 100.0).round() / 100.0),
        outline_dash: dash.or(own.child("custDash").is_none().then_some(Dash::Solid)),
        ..all
    };
    if kind == ObjectKind::Line {
        let (start, end) = (has_arrow(own, "headEnd"), has_arrow(own, "tailEnd"));
        return ShapeAttributes { start_arrow: Some(start), end_arrow: Some(end), ..with_line };
    }
    let fill = match fill(properties, style, theme) {
        Fill::None => Some(None),
        Fill::Solid(paint) => Some(Some(Rgb(paint.color))),
        Fill::Gradient(..) | Fill::Image(..) => None,
    };
    let body = element.child("txBody").unwrap_or(&NOTHING);
    let paragraphs = || body.elements().filter(|element| element.local_name() == "p");
    let run = paragraphs().flat_map(XmlElement::elements).find_map(|piece| match piece.local_name() {
        "r" | "fld" => piece.child("rPr"),
        "endParaRPr" => Some(piece),
        _ => None,
    });
    let run = run.unwrap_or(&NOTHING);
    let is_run_on = |name: &str| matches!(run.attribute(name), Some("1" | "true"));
    let of_style = style.and_then(|style| color(style.child("fontRef")?, theme));
    let text_color = run.child("solidFill").and_then(|own| color(own, theme)).or(of_style);
    let side = paragraphs().find_map(|paragraph| paragraph.child("pPr")?.attribute("algn"));
    let level = body.child("bodyPr").and_then(|properties| properties.attribute("anchor"));
    ShapeAttributes {
        text: Some(whole_text(body)),
        fill,
        font_size: Some(run.number("sz").unwrap_or(FONT_SIZE) / 100.0),
        bold: Some(is_run_on("b")),
        italic: Some(is_run_on("i")),
        text_color: Some(Rgb(text_color.map_or(0, |paint| paint.color))),
        horizontal: Horizontal::of_name(side.unwrap_or("l")),
        vertical: Vertical::of_name(level.unwrap_or("t")),
        ..with_line
    }
}
