//! Styles of SocialCalc, which are fragments of CSS, as changes of a cell's format.

use quadrille_operation::{BorderFormat, BorderName, HorizontalName, VerticalName};

/// The sixteen colors of CSS level 1, section 6.1.
const COLORS: [(&str, &str); 16] = [
    ("aqua", "#00ffff"),
    ("black", "#000000"),
    ("blue", "#0000ff"),
    ("fuchsia", "#ff00ff"),
    ("gray", "#808080"),
    ("green", "#008000"),
    ("lime", "#00ff00"),
    ("maroon", "#800000"),
    ("navy", "#000080"),
    ("olive", "#808000"),
    ("purple", "#800080"),
    ("red", "#ff0000"),
    ("silver", "#c0c0c0"),
    ("teal", "#008080"),
    ("white", "#ffffff"),
    ("yellow", "#ffff00"),
];

/// Reads `rgb(255,0,0)`, `#f00`, `#ff0000` or a color name as `#rrggbb`; `None` for an empty text, which
/// is the default color.
///
/// # Errors
/// Any other text.
pub fn color(text: &str) -> Result<Option<String>, String> {
    let text = text.trim().to_ascii_lowercase();
    if text.is_empty() {
        return Ok(None);
    }
    let bad = || format!("'{text}' is not a color such as rgb(255,0,0)");
    if let Some(parts) = text.strip_prefix("rgb(").and_then(|rest| rest.strip_suffix(')')) {
        let parts: Vec<u8> =
            parts.split(',').map(|part| part.trim().parse()).collect::<Result<_, _>>().map_err(|_| bad())?;
        let [red, green, blue] = parts[..] else { return Err(bad()) };
        return Ok(Some(format!("#{red:02x}{green:02x}{blue:02x}")));
    }
    if let Some(digits) = text.strip_prefix('#') {
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        return match digits.len() {
            6 if is_hex => Ok(Some(text)),
            3 if is_hex => {
                Ok(Some(digits.chars().fold("#".to_owned(), |text, digit| text + &format!("{digit}{digit}"))))
            }
            _ => Err(bad()),
        };
    }
    let named = COLORS.iter().find(|(name, _)| *name == text);
    named.map(|(_, color)| Some((*color).to_owned())).ok_or_else(bad)
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
        "solid" if pixels < 4.0 => BorderName::Medium,
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

/// Reads a font, `italic bold 12pt Arial,Helvetica`, where `*` is the default; an empty text is the
/// default font. Of a list of families the first counts.
///
/// # Errors
/// An unknown style, weight or size.
pub fn font(text: &str) -> Result<Font, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(Font::default());
    }
    let mut words = text.splitn(4, ' ');
    let mut next = || words.next().unwrap_or("*");
    let is_italic = match next() {
        "*" | "normal" => false,
        "italic" | "oblique" => true,
        other => return Err(format!("'{other}' is not the style of a font: normal or italic")),
    };
    let is_bold = match next() {
        "*" | "normal" | "lighter" => false,
        "bold" | "bolder" => true,
        weight => {
            let weight: u16 = weight
                .parse()
                .map_err(|_| format!("'{weight}' is not the weight of a font: normal or bold"))?;
            weight >= 600
        }
    };
    let size = match next() {
        "*" => None,
        size => {
            Some(points(size).ok_or_else(|| format!("'{size}' is not the size of a font, such as 12pt"))?)
        }
    };
    let family = next().split(',').next().map(str::trim).filter(|family| !matches!(*family, "" | "*"));
    let family = family.map(|family| family.trim_matches(['"', '\'']).to_owned());
    Ok(Font { is_italic, is_bold, size, family })
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
        "n%" => Some("0.00%"),
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
        for (text, expected) in [
            ("rgb(255,0,128)", Some("#ff0080")),
            ("rgb( 1, 2, 3 )", Some("#010203")),
            ("#FFF", Some("#ffffff")),
            ("#a0B1c2", Some("#a0b1c2")),
            ("Red", Some("#ff0000")),
            ("", None),
        ] {
            assert_eq!(color(text), Ok(expected.map(str::to_owned)), "{text}");
        }
        for text in ["rgb(256,0,0)", "rgb(1,2)", "#ggg", "reddish"] {
            assert!(color(text).is_err(), "{text}");
        }
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
        assert_eq!(font("normal normal 16px *").size, Some(12.0));
        assert!(super::font("slanted * *").is_err());
        assert!(super::font("* * huge").is_err());
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
