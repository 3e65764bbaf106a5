//! Writes the format of cells as the properties of a style.

use quadrille_workbook::{
    Border, BorderStyle, FontScript, Format, HorizontalAlignment, Overflow, ReadingOrder, UnderlineStyle,
    VerticalAlignment,
};

use super::numbers::escaped;

/// The elements with the properties of cells, paragraphs and text.
pub(super) fn properties(format: &Format) -> String {
    properties_in_style(format, &Format::default())
}

/// The elements with the properties of cells that have a style with the format `style`.
pub(super) fn properties_in_style(format: &Format, style: &Format) -> String {
    let [cell, paragraph, text] = attributes(format);
    let [cell_resets, paragraph_resets, text_resets] = resets(format, style);
    let wrapped = |name: &str, attributes: String| match attributes.as_str() {
        "" => String::new(),
        attributes => format!("<style:{name}{attributes}/>"),
    };
    wrapped("table-cell-properties", cell + &cell_resets)
        + &wrapped("paragraph-properties", paragraph + &paragraph_resets)
        + &wrapped("text-properties", text + &text_resets)
}

/// The attributes that set what the style has back to the default. There are none for a font and its size.
fn resets(format: &Format, style: &Format) -> [String; 3] {
    let mut resets = [String::new(), String::new(), String::new()];
    let (top, bottom) = (format.border_top.is_some(), format.border_bottom.is_some());
    let (left, right) = (format.border_left.is_some(), format.border_right.is_some());
    let (up, down) = (format.border_diagonal_up.is_some(), format.border_diagonal_down.is_some());
    let fills = |format: &Format| format.horizontal == Some(HorizontalAlignment::Fill);
    let distributes = |format: &Format| format.horizontal == Some(HorizontalAlignment::Distributed);
    let is_double = |format: &Format| {
        matches!(format.underline_style, Some(UnderlineStyle::Double | UnderlineStyle::DoubleAccounting))
    };
    for (element, is_set, was_set, attribute) in [
        (0, format.fill_color.is_some(), style.fill_color.is_some(), "fo:background-color=\"transparent\""),
        (0, format.wrap, style.wrap, "fo:wrap-option=\"no-wrap\""),
        (0, format.vertical.is_some(), style.vertical.is_some(), "style:vertical-align=\"automatic\""),
        (0, format.rotation.degrees() != 0, style.rotation.degrees() != 0, "style:rotation-angle=\"0\""),
        (0, top, style.border_top.is_some(), "fo:border-top=\"none\""),
        (0, right, style.border_right.is_some(), "fo:border-right=\"none\""),
        (0, bottom, style.border_bottom.is_some(), "fo:border-bottom=\"none\""),
        (0, left, style.border_left.is_some(), "fo:border-left=\"none\""),
        (0, up, style.border_diagonal_up.is_some(), "style:diagonal-bl-tr=\"none\""),
        (0, down, style.border_diagonal_down.is_some(), "style:diagonal-tl-br=\"none\""),
        (0, format.overflow.is_some(), style.overflow.is_some(), "style:shrink-to-fit=\"false\""),
        (0, fills(format), fills(style), "style:repeat-content=\"false\""),
        (
            0,
            format.horizontal.is_some(),
            style.horizontal.is_some(),
            "style:text-align-source=\"value-type\"",
        ),
        (1, distributes(format), distributes(style), "css3t:text-justify=\"auto\""),
        (1, format.reading_order.is_some(), style.reading_order.is_some(), "style:writing-mode=\"page\""),
        (1, format.indent > 0, style.indent > 0, "fo:margin-left=\"0pt\""),
        (2, format.bold, style.bold, "fo:font-weight=\"normal\""),
        (2, format.italic, style.italic, "fo:font-style=\"normal\""),
        (2, format.underline, style.underline, "style:text-underline-style=\"none\""),
        (2, is_double(format), is_double(style), "style:text-underline-type=\"single\""),
        (2, format.strikethrough, style.strikethrough, "style:text-line-through-style=\"none\""),
        (2, format.script.is_some(), style.script.is_some(), "style:text-position=\"0% 100%\""),
        (2, format.text_color.is_some(), style.text_color.is_some(), "style:use-window-font-color=\"true\""),
    ] {
        if was_set && !is_set {
            resets[element] += &format!(" {attribute}");
        }
    }
    resets
}

/// The attributes of cells, paragraphs and text.
fn attributes(format: &Format) -> [String; 3] {
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
    [cell, paragraph, text]
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
