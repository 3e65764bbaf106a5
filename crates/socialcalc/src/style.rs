//! Styles of SocialCalc, which are fragments of CSS, as changes of a cell's format.

use quadrille_files::socialcalc_styles;
use quadrille_operation::{BorderFormat, HorizontalName, VerticalName};
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

/// The styles of borders in CSS 2.2, section 8.5.3.
const BORDER_STYLES: [&str; 10] =
    ["none", "hidden", "solid", "dashed", "dotted", "double", "groove", "ridge", "inset", "outset"];

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
    let mut word = || words.next().unwrap_or_default();
    let (width, style, ink) = (word(), word(), word());
    if socialcalc_styles::border_width(width).is_none() {
        return Err(format!("'{width}' is not the width of a border, such as 1px"));
    }
    if !BORDER_STYLES.contains(&style) {
        return Err(format!("'{style}' is not the style of a border, such as solid"));
    }
    let color = color(ink)?;
    Ok(socialcalc_styles::border(text).map(|border| BorderFormat { style: border.style.into(), color }))
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
    // Tenths of points, as sizes of fonts have them.
    let points = socialcalc_styles::points(word).map(|points| (points * 10.0).round() / 10.0);
    points.map(Some).ok_or_else(|| format!("'{word}' is not the size of a font, such as 12pt"))
}

/// Reads the vertical alignment of a layout, `padding:2px 2px 2px 2px;vertical-align:top;`. Padding has no
/// counterpart here.
pub fn vertical(layout: &str) -> Option<VerticalName> {
    socialcalc_styles::layout(layout).0.map(Into::into)
}

/// Reads the horizontal alignment of a cell format; `None` for the default.
///
/// # Errors
/// Any other word.
pub fn horizontal(text: &str) -> Result<Option<HorizontalName>, String> {
    let name = text.trim();
    match socialcalc_styles::horizontal(name) {
        None if !name.is_empty() => Err(format!("'{name}' is not left, center or right")),
        alignment => Ok(alignment.map(Into::into)),
    }
}

/// Reads a number format: SocialCalc's codes are Excel's, except for a few words; `None` is the default.
pub fn number_format(text: &str) -> Option<String> {
    socialcalc_styles::number_format(text.trim()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use quadrille_operation::BorderName;

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
