//! Entries of the format tables of a save, which are fragments of CSS.

use quadrille_number_format::NumberFormat;
use quadrille_workbook::{
    Border, BorderStyle, Color, FontSize, Format, HorizontalAlignment, TextFormat, VerticalAlignment,
};

/// SocialCalc's format of contents that are not shown, as a number format here.
pub const HIDDEN: &str = ";;;";

/// Reads `rgb(255,0,0)`, `#ff0000`, `#f00` or a name.
pub fn color(text: &str) -> Option<Color> {
    quadrille_rich_text::color(text).map(Color)
}

/// Writes `rgb(255,0,0)`.
pub fn print_color(Color(color): Color) -> String {
    format!("rgb({},{},{})", color >> 16 & 255, color >> 8 & 255, color & 255)
}

/// Reads a border such as `1px solid rgb(0,0,0)`; the nearest style of Excel.
pub fn border(text: &str) -> Option<Border> {
    let mut words = text.trim().splitn(3, ' ');
    let width = border_width(words.next()?)?;
    let style = match words.next()? {
        "none" | "hidden" => return None,
        "dashed" if width < 2.0 => BorderStyle::Dashed,
        "dashed" => BorderStyle::MediumDashed,
        "dotted" => BorderStyle::Dotted,
        "double" => BorderStyle::Double,
        _ if width < 2.0 => BorderStyle::Thin,
        _ if width < 3.0 => BorderStyle::Medium,
        _ => BorderStyle::Thick,
    };
    Some(Border { style, color: words.next().and_then(color) })
}

/// The width of a border in pixels.
pub fn border_width(word: &str) -> Option<f64> {
    match word {
        "thin" => Some(1.0),
        // CSS leaves these to the program, and browsers draw three and five pixels.
        "medium" => Some(3.0),
        "thick" => Some(5.0),
        width => pixels(width),
    }
}

/// Writes a border; CSS has no dashes with dots, which become dashes.
pub fn print_border(border: Border) -> String {
    let line = match border.style {
        BorderStyle::Thin => "1px solid",
        BorderStyle::Medium => "2px solid",
        BorderStyle::Thick => "3px solid",
        BorderStyle::Double => "3px double",
        BorderStyle::Dotted | BorderStyle::Hair => "1px dotted",
        BorderStyle::Dashed | BorderStyle::DashDot | BorderStyle::DashDotDot => "1px dashed",
        BorderStyle::MediumDashed
        | BorderStyle::MediumDashDot
        | BorderStyle::MediumDashDotDot
        | BorderStyle::SlantDashDot => "2px dashed",
    };
    format!("{line} {}", print_color(border.color.unwrap_or(Color(0))))
}

/// Whether `border`, which was read from `text`, has the same line.
pub fn is_same_line(border: Border, text: &str) -> bool {
    let words = |text: &str| text.split_whitespace().take(2).map(str::to_owned).collect::<Vec<_>>();
    words(&print_border(border)) == words(text)
}

/// Reads a font such as `italic bold 12pt Arial,Helvetica`, or `* 12pt Arial` without style and
/// weight, into the format; `*` is the default. Of a list of families the first counts. Returns whether
/// cells can have all of it.
pub fn font(text: &str, format: &mut Format) -> bool {
    let words: Vec<&str> = text.trim().split(' ').filter(|word| !word.is_empty()).collect();
    let is_weight = |word: &str| {
        matches!(word, "*" | "normal" | "bold" | "bolder" | "lighter") || word.parse::<u16>().is_ok()
    };
    // The first `*` stands for style and weight; programs also write one for each.
    let (style, weight, rest) = match words[..] {
        ["*", weight, size, _, ..] if is_weight(weight) && (size == "*" || points(size).is_some()) => {
            ("*", weight, &words[2..])
        }
        ["*", ..] => ("*", "*", &words[1..]),
        [style, weight, ..] => (style, weight, &words[2..]),
        _ => return text.trim().is_empty(),
    };
    let mut is_complete =
        matches!(style, "*" | "normal" | "italic") && matches!(weight, "*" | "normal" | "bold");
    if style != "*" {
        format.italic = matches!(style, "italic" | "oblique");
    }
    if weight != "*" {
        format.bold =
            matches!(weight, "bold" | "bolder") || weight.parse().is_ok_and(|weight: u16| weight >= 600);
    }
    let (size, families) =
        rest.split_first().map_or(("*", String::new()), |(size, rest)| (*size, rest.join(" ")));
    if size != "*" {
        let size = points(size).and_then(FontSize::from_points);
        is_complete &= size.is_some();
        format.font_size = size.or(format.font_size);
    }
    let mut names = families.split(',').map(|name| name.trim().trim_matches(['"', '\'']));
    if let Some(family) = names.next().filter(|family| !matches!(*family, "" | "*")) {
        is_complete &= names.next().is_none();
        format.font_family = Some(family.into());
    }
    is_complete
}

/// Writes the font of a format, or `None` for the default font.
pub fn print_font(format: &Format) -> Option<String> {
    if !format.bold && !format.italic && format.font_size.is_none() && format.font_family.is_none() {
        return None;
    }
    let style = match (format.italic, format.bold) {
        (false, false) => "*",
        (true, false) => "italic normal",
        (false, true) => "normal bold",
        (true, true) => "italic bold",
    };
    let size = format.font_size.map_or("*".to_owned(), |size| format!("{}pt", size.points()));
    // SocialCalc does not escape this table, and puts the family into a declaration of CSS.
    let family = format.font_family.as_deref().unwrap_or("*");
    let family = family.replace([':', ';', '"', '<', '>', '{', '}', '\\', '\n', '\r'], " ");
    let family = if family.trim().is_empty() { "*" } else { family.trim() };
    Some(format!("{style} {size} {family}"))
}

/// The vertical alignment of a layout such as `padding:* * * *;vertical-align:top;`, and whether it
/// sets padding.
pub fn layout(text: &str) -> (Option<VerticalAlignment>, bool) {
    let property = |name: &str| Some(text.split_once(name)?.1.split(';').next()?.trim());
    let vertical = match property("vertical-align:") {
        Some("top") => Some(VerticalAlignment::Top),
        Some("middle") => Some(VerticalAlignment::Middle),
        Some("bottom") => Some(VerticalAlignment::Bottom),
        _ => None,
    };
    let has_padding = property("padding:").is_some_and(|padding| !padding.split(' ').all(|side| side == "*"));
    (vertical, has_padding)
}

/// Writes a layout with this alignment.
pub fn print_layout(alignment: VerticalAlignment) -> String {
    let name = match alignment {
        VerticalAlignment::Top | VerticalAlignment::Justify => "top",
        VerticalAlignment::Middle | VerticalAlignment::Distributed => "middle",
        VerticalAlignment::Bottom => "bottom",
    };
    format!("padding:* * * *;vertical-align:{name};")
}

/// Reads a horizontal alignment.
pub fn horizontal(name: &str) -> Option<HorizontalAlignment> {
    match name {
        "left" => Some(HorizontalAlignment::Left),
        "center" => Some(HorizontalAlignment::Center),
        "right" => Some(HorizontalAlignment::Right),
        _ => None,
    }
}

/// Writes a horizontal alignment.
pub fn print_horizontal(alignment: HorizontalAlignment) -> &'static str {
    match alignment {
        HorizontalAlignment::Left
        | HorizontalAlignment::Justify
        | HorizontalAlignment::Distributed
        | HorizontalAlignment::Fill => "left",
        HorizontalAlignment::Center | HorizontalAlignment::CenterContinuous => "center",
        HorizontalAlignment::Right => "right",
    }
}

/// SocialCalc's number formats are Excel's, except for a few words; `None` for the default and for
/// words without a counterpart.
pub fn number_format(code: &str) -> Option<&str> {
    match code.to_ascii_lowercase().as_str() {
        "hidden" => Some(HIDDEN),
        "" | "general" | "none" | "logical" | "formula" | "forcetext" => None,
        word if word.starts_with("text-") => None,
        _ => Some(code),
    }
}

/// Writes a number format.
pub fn print_number_format(code: &str) -> &str {
    if code == HIDDEN { "hidden" } else { code }
}

/// Reads how a text is shown; `None` for plain text and for formats without a counterpart.
pub fn text_format(name: &str) -> Option<TextFormat> {
    match name {
        "text-html" => Some(TextFormat::Html),
        "text-link" | "text-url" => Some(TextFormat::Link),
        "text-image" => Some(TextFormat::Image),
        wiki if wiki.starts_with("text-wiki") => Some(TextFormat::Wiki),
        _ => None,
    }
}

/// Writes how a text is shown.
pub fn print_text_format(format: TextFormat) -> &'static str {
    match format {
        TextFormat::Html => "text-html",
        TextFormat::Wiki => "text-wiki",
        TextFormat::Link => "text-link",
        TextFormat::Image => "text-image",
    }
}

/// The number format in which SocialCalc displays a value of a type, such as `n%` or `nd`; `None` for a
/// plain number.
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

/// SocialCalc's type of a number that is displayed in a format.
pub fn type_of_number(format: &Format) -> &'static str {
    let Some(code) = &format.number_format else { return "n" };
    let has = |letters: [char; 2]| code.contains(letters);
    match (NumberFormat::parse(code).is_date(), code.ends_with('%')) {
        (true, _) if has(['y', 'd']) && has(['h', 's']) => "ndt",
        (true, _) if has(['y', 'd']) => "nd",
        (true, _) => "nt",
        (false, true) => "n%",
        (false, false) => "n",
    }
}

/// Whether a text has the markup of EtherCalc's wiki text: `*bold*`, `_italic_`, links, lists, headings
/// and tables.
pub fn has_wiki_markup(text: &str) -> bool {
    let is_block = |line: &str| {
        let markers = line.trim_start_matches(['^', '*', '#', '>']);
        line.starts_with('|') || (markers.len() < line.len() && markers.starts_with(' '))
    };
    let is_marked = |marker: char| {
        text.split_whitespace()
            .any(|word| word.strip_prefix(marker).is_some_and(|rest| rest.starts_with(char::is_alphanumeric)))
            && text.split_whitespace().any(|word| {
                word.strip_suffix(marker).is_some_and(|rest| rest.ends_with(char::is_alphanumeric))
            })
    };
    let is_linked = ["http://", "https://", "mailto:"].iter().any(|scheme| text.contains(scheme));
    let has_brackets =
        (text.contains('[') && text.contains(']')) || (text.contains('{') && text.contains('}'));
    is_linked || has_brackets || text.lines().any(is_block) || ['*', '_', '-', '`'].into_iter().any(is_marked)
}

/// The size of a font in points: CSS fonts 3, section 3.5, with a medium size of 12 points (16 pixels).
pub fn points(size: &str) -> Option<f64> {
    match size {
        "xx-small" => Some(7.0),
        "x-small" => Some(7.5),
        "small" => Some(10.0),
        "medium" => Some(12.0),
        "large" => Some(13.5),
        "x-large" => Some(18.0),
        "xx-large" => Some(24.0),
        size if size.ends_with("pt") || size.ends_with("px") => pixels(size).map(|pixels| pixels * 0.75),
        _ => None,
    }
}

/// Reads a length such as `2px`, `1.5pt` or `2`, in pixels.
fn pixels(length: &str) -> Option<f64> {
    let pixels = match length.strip_suffix("pt") {
        Some(points) => points.parse::<f64>().ok()? / 0.75,
        None => length.strip_suffix("px").unwrap_or(length).parse().ok()?,
    };
    (pixels.is_finite() && pixels >= 0.0).then_some(pixels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_are_css() {
        for (text, expected) in [
            ("rgb(255,0,128)", Some(0xff0080)),
            ("rgb( 1, 2, 3 )", Some(0x010203)),
            ("#FFF", Some(0xffffff)),
            ("#a0B1c2", Some(0xa0b1c2)),
            ("Red", Some(0xff0000)),
            ("rgb(256,0,0)", None),
            ("rgb(1,2)", None),
            ("#ggg", None),
            ("reddish", None),
        ] {
            assert_eq!(color(text), expected.map(Color), "{text}");
        }
    }

    #[test]
    fn fonts_have_defaults_marked_by_a_star() {
        for (text, written) in [
            ("* * *", None),
            ("* * * *", None),
            ("* 12pt Arial Black", Some("* 12pt Arial Black")),
            ("italic bold 12pt Arial,Helvetica", Some("italic bold 12pt Arial")),
            ("normal bold * *", Some("normal bold * *")),
            ("* bold * *", Some("normal bold * *")),
            ("* * small *", Some("* 10pt *")),
            ("* * Courier New", Some("* * Courier New")),
            ("normal normal 16px *", Some("* 12pt *")),
        ] {
            let mut format = Format::default();
            font(text, &mut format);
            assert_eq!(print_font(&format).as_deref(), written, "{text}");
        }
        assert!(!font("italic bold 12pt Arial,Helvetica", &mut Format::default()));
        assert!(!font("oblique bold * *", &mut Format::default()));
    }

    #[test]
    fn borders_have_a_line_and_a_color() {
        for (text, style, color) in [
            ("1px solid rgb(0,0,0)", BorderStyle::Thin, Some(0)),
            ("2px solid rgb(255,0,0)", BorderStyle::Medium, Some(0xff0000)),
            ("3px solid black", BorderStyle::Thick, Some(0)),
            ("1px dotted", BorderStyle::Dotted, None),
            ("3px double rgb(0,0,0)", BorderStyle::Double, Some(0)),
            ("2px dashed rgb(0,0,0)", BorderStyle::MediumDashed, Some(0)),
        ] {
            let read = border(text).expect(text);
            assert_eq!((read.style, read.color), (style, color.map(Color)), "{text}");
            assert!(is_same_line(read, text), "{text}");
        }
        assert_eq!(border("1px none black"), None);
        assert_eq!(border(""), None);
    }

    #[test]
    fn wiki_text_has_markup() {
        for text in [
            "*bold*",
            "a _few words_ here",
            "^ Heading",
            "* item",
            "see http://example.org",
            "[Page]",
            "| a | b |",
        ] {
            assert!(has_wiki_markup(text), "{text}");
        }
        for text in ["plain", "2*3*4", "-5", "a_b_c", "well-known", "1 - 2", "*", "#1"] {
            assert!(!has_wiki_markup(text), "{text}");
        }
    }
}
