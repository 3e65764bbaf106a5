//! Styles of SocialCalc, which are fragments of CSS, as changes of a cell's format.

use quadrille_files::socialcalc_styles;
use quadrille_operation::{BorderFormat, BorderName, HorizontalName, VerticalName};
use quadrille_workbook::Color;

/// Reads `rgb(255,0,0)`, `#f00`, `#ff0000` or a color name as `#rrggbb`; `None` for an empty text, which
/// is the default color.
///
/// # Errors
/// Any other text.
pub fn color(text: &str) -> Result<Option<String>, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    match socialcalc_styles::color(text) {
        Some(Color(color)) => Ok(Some(format!("#{color:06x}"))),
        None => Err(format!("'{text}' is not a color such as rgb(255,0,0)")),
    }
}

/// Reads a border, `1px solid rgb(0,0,0)`; `None` for an empty text, which removes it.
///
/// # Errors
/// An unknown width, style or color.
pub fn border(text: &str) -> Result<Option<BorderFormat>, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let mut words = text.splitn(3, ' ');
    let (width, style, ink) = (
        words.next().unwrap_or_default(),
        words.next().unwrap_or_default(),
        words.next().unwrap_or_default(),
    );
    let pixels = match width {
        "thin" => 1.0,
        "medium" => 3.0,
        "thick" => 5.0,
        width => {
            pixels(width).ok_or_else(|| format!("'{width}' is not the width of a border, such as 1px"))?
        }
    };
    let style = match style {
        "none" | "hidden" => return Ok(None),
        "solid" if pixels < 2.0 => BorderName::Thin,
        "solid" if pixels < 3.0 => BorderName::Medium,
        "solid" => BorderName::Thick,
        "dashed" if pixels < 2.0 => BorderName::Dashed,
        "dashed" => BorderName::MediumDashed,
        "dotted" => BorderName::Dotted,
        "double" => BorderName::Double,
        // These have two colors in CSS, made from the one that is given.
        "groove" | "ridge" | "inset" | "outset" => BorderName::Medium,
        other => return Err(format!("'{other}' is not the style of a border, such as solid")),
    };
    Ok(Some(BorderFormat { style, color: color(ink)? }))
}

/// A font; `None` is the default.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Font {
    pub is_italic: bool,
    pub is_bold: bool,
    /// Points.
    pub size: Option<f64>,
    pub family: Option<String>,
}

/// Reads a font, `italic bold 12pt Arial,Helvetica` or `* 12pt Arial` without style and weight, where
/// `*` is the default; an empty text is the default font. Of a list of families the first counts.
///
/// # Errors
/// An unknown style, weight or size.
pub fn font(text: &str) -> Result<Font, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (look, rest) = match words[..] {
        [] => return Ok(Font::default()),
        // The first `*` stands for style and weight; programs also write one for each.
        ["*", second, third, _, ..] if weight(second).is_ok() && size(third).is_ok() => words.split_at(2),
        ["*", ..] => words.split_at(1),
        _ => words.split_at(words.len().min(2)),
    };
    let is_italic = match look[0] {
        "*" | "normal" => false,
        "italic" | "oblique" => true,
        other => return Err(format!("'{other}' is not the style of a font: normal or italic")),
    };
    let is_bold = look.get(1).map_or(Ok(false), |word| weight(word))?;
    let points = rest.first().map_or(Ok(None), |word| size(word))?;
    let families = rest.get(1..).unwrap_or_default().join(" ");
    let family = families.split(',').next().map(str::trim).filter(|family| !matches!(*family, "" | "*"));
    let family = family.map(|family| family.trim_matches(['"', '\'']).to_owned());
    Ok(Font { is_italic, is_bold, size: points, family })
}

/// Whether a font of this weight is bold.
fn weight(word: &str) -> Result<bool, String> {
    match word {
        "*" | "normal" | "lighter" => Ok(false),
        "bold" | "bolder" => Ok(true),
        weight => {
            let bad = |_| format!("'{weight}' is not the weight of a font: normal or bold");
            Ok(weight.parse::<u16>().map_err(bad)? >= 600)
        }
    }
}

/// The size of a font in points; `None` is the default.
fn size(word: &str) -> Result<Option<f64>, String> {
    if word == "*" {
        return Ok(None);
    }
    points(word).map(Some).ok_or_else(|| format!("'{word}' is not the size of a font, such as 12pt"))
}

/// Reads the vertical alignment of a layout, `padding:2px 2px 2px 2px;vertical-align:top;`. Padding has no
/// counterpart here.
pub fn vertical(layout: &str) -> Option<VerticalName> {
    match layout.split_once("vertical-align:")?.1.split(';').next()?.trim() {
        "top" => Some(VerticalName::Top),
        "middle" => Some(VerticalName::Middle),
        "bottom" => Some(VerticalName::Bottom),
        _ => None,
    }
}

/// Reads the horizontal alignment of a cell format; `None` for the default.
///
/// # Errors
/// Any other word.
pub fn horizontal(text: &str) -> Result<Option<HorizontalName>, String> {
    match text.trim() {
        "" => Ok(None),
        "left" => Ok(Some(HorizontalName::Left)),
        "center" => Ok(Some(HorizontalName::Center)),
        "right" => Ok(Some(HorizontalName::Right)),
        other => Err(format!("'{other}' is not left, center or right")),
    }
}

/// Reads a number format: SocialCalc's codes are Excel's, except for a few words; `None` is the default.
pub fn number_format(text: &str) -> Option<String> {
    match text.trim().to_ascii_lowercase().as_str() {
        "" | "none" | "general" | "logical" | "formula" | "forcetext" => None,
        "hidden" => Some(";;;".to_owned()),
        _ => Some(text.trim().to_owned()),
    }
}

/// The number format in which SocialCalc shows a value of a type, such as `n%` or `nd`; `None` for a plain
/// number.
pub fn format_of_type(value_type: &str) -> Option<&'static str> {
    match value_type {
        "n%" => Some("#,##0.0%"),
        "n$" => Some("$#,##0.00"),
        "nd" => Some("d-mmm-yyyy"),
        "nt" => Some("[h]:mm:ss"),
        "ndt" => Some("d-mmm-yyyy h:mm:ss"),
        _ => None,
    }
}

fn pixels(text: &str) -> Option<f64> {
    if let Some(points) = text.strip_suffix("pt") {
        return Some(points.parse::<f64>().ok().filter(|size| size.is_finite())? / 0.75);
    }
    text.trim_end_matches("px").parse::<f64>().ok().filter(|size| size.is_finite() && *size >= 0.0)
}

/// CSS fonts 3, section 3.5, with a medium size of 12 points (16 pixels).
fn points(text: &str) -> Option<f64> {
    match text {
        "xx-small" => Some(7.0),
        "x-small" => Some(7.5),
        "small" => Some(10.0),
        "medium" => Some(12.0),
        "large" => Some(13.5),
        "x-large" => Some(18.0),
        "xx-large" => Some(24.0),
        size if size.ends_with("pt") || size.ends_with("px") => {
            let tenths = (pixels(size)? * 7.5).round();
            Some(tenths / 10.0)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_are_css() {
        for (text, expected) in [("rgb(255,0,128)", Some("#ff0080")), ("Red", Some("#ff0000")), ("", None)] {
            assert_eq!(color(text), Ok(expected.map(str::to_owned)), "{text}");
        }
        assert!(color("reddish").is_err());
    }

    #[test]
    fn borders_have_a_width_a_style_and_a_color() {
        let border = |text| border(text).expect("valid").map(|border| (border.style, border.color));
        let black = Some("#000000".to_owned());
        assert_eq!(border("1px solid rgb(0,0,0)"), Some((BorderName::Thin, black.clone())));
        assert_eq!(border("2px solid black"), Some((BorderName::Medium, black.clone())));
        assert_eq!(border("5px solid black"), Some((BorderName::Thick, black)));
        assert_eq!(border("1px dotted"), Some((BorderName::Dotted, None)));
        assert_eq!(border(""), None);
        assert!(super::border("1px wavy black").is_err());
        assert!(super::border("wide solid black").is_err());
    }

    #[test]
    fn fonts_have_defaults_marked_by_a_star() {
        let font = |text| font(text).expect("valid");
        assert_eq!(font("* * *"), Font::default());
        let arial = Font { is_italic: true, is_bold: true, size: Some(12.0), family: Some("Arial".into()) };
        assert_eq!(font("italic bold 12pt Arial,Helvetica,sans-serif"), arial);
        assert_eq!(font("* * small *").size, Some(10.0));
        let times = Font { size: Some(12.0), family: Some("Times New Roman".into()), ..Font::default() };
        assert_eq!(font("* 12pt Times New Roman"), times);
        assert_eq!(font("normal normal 16px *").size, Some(12.0));
        assert!(super::font("slanted * *").is_err());
        assert!(super::font("normal bold huge *").is_err());
    }

    #[test]
    fn alignments_and_number_formats() {
        assert_eq!(vertical("padding:* * * *;vertical-align:middle;"), Some(VerticalName::Middle));
        assert_eq!(vertical("padding:2px;"), None);
        assert_eq!(horizontal("center"), Ok(Some(HorizontalName::Center)));
        assert!(horizontal("justified").is_err());
        assert_eq!(number_format("#,##0.00"), Some("#,##0.00".into()));
        assert_eq!(number_format("General"), None);
        assert_eq!(number_format("hidden"), Some(";;;".into()));
    }
}
