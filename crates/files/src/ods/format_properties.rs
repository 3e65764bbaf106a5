//! Writes the format of cells as the properties of a style.

use quadrille_workbook::{
    Border, BorderStyle, FontScript, Format, HorizontalAlignment, Overflow, ReadingOrder, UnderlineStyle,
    VerticalAlignment,
};

use super::numbers::escaped;

/// The elements with the properties of cells, paragraphs and text.
pub(super) fn properties(format: &Format) -> String {
    let mut cell = String::new();
    if let Some(color) = format.fill_color {
        cell += &format!(" fo:background-color=\"#{:06x}\"", color.0);
    }
    if format.wrap {
        cell += " fo:wrap-option=\"wrap\"";
    }
    match format.vertical {
        Some(VerticalAlignment::Top) => cell += " style:vertical-align=\"top\"",
        Some(VerticalAlignment::Middle) => cell += " style:vertical-align=\"middle\"",
        Some(VerticalAlignment::Bottom) => cell += " style:vertical-align=\"bottom\"",
        Some(VerticalAlignment::Justify) => cell += " style:vertical-align=\"justify\"",
        Some(VerticalAlignment::Distributed) => {
            cell += " style:vertical-align=\"justify\" css3t:text-justify=\"distribute\"";
        }
        None => {}
    }
    let degrees = format.rotation.degrees();
    if degrees != 0 && degrees.abs() <= 90 {
        cell += &format!(" style:rotation-angle=\"{}\"", if degrees < 0 { degrees + 360 } else { degrees });
    }
    for (name, border) in [
        ("top", format.border_top),
        ("right", format.border_right),
        ("bottom", format.border_bottom),
        ("left", format.border_left),
    ] {
        if let Some(border) = border {
            cell += &format!(" fo:border-{name}=\"{}\"", border_text(border));
            if border.style == BorderStyle::Double {
                cell += &format!(" style:border-line-width-{name}=\"0.51pt 0.73pt 0.51pt\"");
            }
        }
    }
    for (name, border) in [("bl-tr", format.border_diagonal_up), ("tl-br", format.border_diagonal_down)] {
        if let Some(border) = border {
            cell += &format!(" style:diagonal-{name}=\"{}\"", border_text(border));
            if border.style == BorderStyle::Double {
                cell += &format!(" style:diagonal-{name}-widths=\"0.51pt 0.73pt 0.51pt\"");
            }
        }
    }
    if format.overflow == Some(Overflow::Shrink) {
        cell += " style:shrink-to-fit=\"true\"";
    }
    if format.horizontal == Some(HorizontalAlignment::Fill) {
        cell += " style:repeat-content=\"true\"";
    }
    let horizontal = match format.horizontal {
        Some(HorizontalAlignment::Left) => Some("start"),
        Some(HorizontalAlignment::Center | HorizontalAlignment::CenterContinuous) => Some("center"),
        Some(HorizontalAlignment::Right) => Some("end"),
        Some(HorizontalAlignment::Justify | HorizontalAlignment::Distributed) => Some("justify"),
        Some(HorizontalAlignment::Fill) => Some("start"),
        None => None,
    };
    let mut paragraph = String::new();
    if let Some(side) = horizontal {
        cell += " style:text-align-source=\"fix\"";
        paragraph += &format!(" fo:text-align=\"{side}\"");
    }
    if format.horizontal == Some(HorizontalAlignment::Distributed) {
        paragraph += " css3t:text-justify=\"distribute\"";
    }
    match format.reading_order {
        Some(ReadingOrder::LeftToRight) => paragraph += " style:writing-mode=\"lr-tb\"",
        Some(ReadingOrder::RightToLeft) => paragraph += " style:writing-mode=\"rl-tb\"",
        None => {}
    }
    if format.indent > 0 {
        paragraph += &format!(" fo:margin-left=\"{}pt\"", u32::from(format.indent) * 9);
    }
    let mut text = String::new();
    let is_double =
        matches!(format.underline_style, Some(UnderlineStyle::Double | UnderlineStyle::DoubleAccounting));
    for (is_set, attribute) in [
        (format.underline && is_double, " style:text-underline-type=\"double\""),
        (format.script == Some(FontScript::Superscript), " style:text-position=\"super 58%\""),
        (format.script == Some(FontScript::Subscript), " style:text-position=\"sub 58%\""),
        (format.bold, " fo:font-weight=\"bold\""),
        (format.italic, " fo:font-style=\"italic\""),
        (format.underline, " style:text-underline-style=\"solid\""),
        (format.strikethrough, " style:text-line-through-style=\"solid\""),
    ] {
        if is_set {
            text += attribute;
        }
    }
    if let Some(color) = format.text_color {
        text += &format!(" fo:color=\"#{:06x}\"", color.0);
    }
    if let Some(size) = format.font_size {
        text += &format!(" fo:font-size=\"{}pt\"", size.points());
    }
    if let Some(family) = &format.font_family {
        text += &format!(" style:font-name=\"{}\"", escaped(family));
    }
    let wrapped = |name: &str, attributes: &str| match attributes {
        "" => String::new(),
        attributes => format!("<style:{name}{attributes}/>"),
    };
    wrapped("table-cell-properties", &cell)
        + &wrapped("paragraph-properties", &paragraph)
        + &wrapped("text-properties", &text)
}

/// The border in the syntax of XSL-FO, with the widths that LibreOffice uses.
fn border_text(border: Border) -> String {
    let (width, line) = match border.style {
        BorderStyle::Hair => (0.06, "solid"),
        BorderStyle::Thin => (0.74, "solid"),
        BorderStyle::Medium => (1.76, "solid"),
        BorderStyle::Thick => (2.49, "solid"),
        BorderStyle::Double => (1.76, "double-thin"),
        BorderStyle::Dotted => (0.74, "dotted"),
        BorderStyle::Dashed => (0.74, "dashed"),
        BorderStyle::MediumDashed => (1.76, "dashed"),
        BorderStyle::DashDot => (0.74, "dash-dot"),
        BorderStyle::MediumDashDot | BorderStyle::SlantDashDot => (1.76, "dash-dot"),
        BorderStyle::DashDotDot => (0.74, "dash-dot-dot"),
        BorderStyle::MediumDashDotDot => (1.76, "dash-dot-dot"),
    };
    format!("{width}pt {line} #{:06x}", border.color.map_or(0, |color| color.0))
}
