//! The style of a cell of a published page as CSS, legible on light and on dark pages.

use std::fmt::Write;

use quadrille_cell::Value;
use quadrille_files::css_style;
use quadrille_workbook::{Border, BorderStyle, Color, Format};

/// The background of cells on a dark page, `--surface` of `published.css`.
const DARK_PAPER: u32 = 0x1a_1f21;
/// Minimum contrast ratio of WCAG 2 for text.
const TEXT_CONTRAST: f64 = 4.5;
/// CSS pixels of one step of the indent.
const INDENT_PX: u32 = 9;

/// The declarations of a cell's style. `color` is the color of its text.
pub fn cell_style(format: &Format, value: &Value, color: Option<Color>) -> String {
    let plain = Format { text_color: None, ..format.clone() };
    let mut css = css_style(&plain, value);
    let has_fill = format.fill_color.is_some() || format.fill_pattern.is_some();
    match (color, format.fill_color) {
        (Some(color), _) => _ = write!(css, "color:{};", text_color(format, color)),
        (None, Some(fill)) => {
            css.push_str(if luminance(fill.0) > 0.179 { "color:#000;" } else { "color:#fff;" })
        }
        (None, None) if has_fill => css.push_str("color:#000;"),
        (None, None) => {}
    }
    if let Some(size) = format.font_size {
        _ = write!(css, "font-size:{}pt;", f64::from(size.0) / 10.0);
    }
    if let Some(family) = &format.font_family {
        // A name cannot end its string or the attribute.
        let name: String =
            family.chars().filter(|char| char.is_alphanumeric() || " -_".contains(*char)).collect();
        _ = write!(css, "font-family:'{name}',sans-serif;");
    }
    if format.indent > 0 {
        _ = write!(css, "padding-inline-start:{}px;", 4 + u32::from(format.indent) * INDENT_PX);
    }
    let borders = [
        ("top", format.border_top),
        ("right", format.border_right),
        ("bottom", format.border_bottom),
        ("left", format.border_left),
    ];
    for (side, border) in borders {
        if let Some(border) = border {
            _ = write!(css, "border-{side}:{};", border_css(border));
        }
    }
    css
}

/// The color of a text in a cell with this format: without a fill, another one on a dark page.
pub fn text_color(format: &Format, color: Color) -> String {
    match format.fill_color.is_some() || format.fill_pattern.is_some() {
        true => hex(color.0),
        false => format!("light-dark({},{})", hex(color.0), hex(on_dark(color.0))),
    }
}

fn border_css(border: Border) -> String {
    let line = match border.style {
        BorderStyle::Thin | BorderStyle::Hair => "1px solid",
        BorderStyle::Medium => "2px solid",
        BorderStyle::Thick => "3px solid",
        BorderStyle::Double => "3px double",
        BorderStyle::Dotted => "1px dotted",
        BorderStyle::Dashed | BorderStyle::DashDot | BorderStyle::DashDotDot => "1px dashed",
        BorderStyle::MediumDashed
        | BorderStyle::MediumDashDot
        | BorderStyle::MediumDashDotDot
        | BorderStyle::SlantDashDot => "2px dashed",
    };
    match border.color {
        Some(color) => format!("{line} light-dark({},{})", hex(color.0), hex(on_dark(color.0))),
        None => format!("{line} var(--ink)"),
    }
}

/// CSS notation of the color `0xRRGGBB`.
pub fn hex(color: u32) -> String {
    format!("#{color:06x}")
}

/// The color mixed with as much white as text needs on a dark page, as in the grid.
fn on_dark(color: u32) -> u32 {
    let enough = TEXT_CONTRAST * (luminance(DARK_PAPER) + 0.05) - 0.05;
    let mixed = |sixteenths: u32| {
        let channel = |shift: u32| {
            let value = color >> shift & 0xff;
            (value + (0xff - value) * sixteenths / 16) << shift
        };
        channel(16) | channel(8) | channel(0)
    };
    (0..16).map(mixed).find(|color| luminance(*color) >= enough).unwrap_or(0xff_ffff)
}

/// Relative luminance (WCAG 2.2).
fn luminance(color: u32) -> f64 {
    let channel = |shift: u32| {
        let value = f64::from(color >> shift & 0xff) / 255.0;
        if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * channel(16) + 0.7152 * channel(8) + 0.0722 * channel(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_legible_on_dark_pages_and_on_fills() {
        let contrast = |color: u32| (luminance(color) + 0.05) / (luminance(DARK_PAPER) + 0.05);
        for color in [0, 0xff, 0x80_0000, 0x0b_57d0, 0xff_ffff] {
            assert!(contrast(on_dark(color)) >= TEXT_CONTRAST, "{color:06x}");
        }
        assert_eq!(on_dark(0xff_8800), 0xff_8800);
        let filled = |fill| Format { fill_color: Some(Color(fill)), ..Format::default() };
        assert!(cell_style(&filled(0xff_ff00), &Value::Blank, None).contains("color:#000;"));
        assert!(cell_style(&filled(0x1f_3864), &Value::Blank, None).contains("color:#fff;"));
    }

    #[test]
    fn the_name_of_a_font_cannot_end_the_style() {
        let format = Format { font_family: Some("a';background:url(x)\"<b>".into()), ..Format::default() };
        assert_eq!(cell_style(&format, &Value::Blank, None), "font-family:'abackgroundurlxb',sans-serif;");
    }
}
